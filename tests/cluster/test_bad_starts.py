# SPDX-License-Identifier: BSD-3-Clause
"""Engines on two nodes that cannot be started: the notebook is told why and what to do, and nothing is left in the queue."""
import time

from login_notebook import login_notebook
from two_nodes import LIMIT_SECONDS, START, SETUP


def refused(notebook, line, timeout=LIMIT_SECONDS):
    begin = time.monotonic()
    cell = notebook.run(line, timeout=timeout)
    print(f"told after {time.monotonic() - begin:.1f} s: {cell.err}")
    assert cell.status == "error"
    assert notebook.run("1 + 1").text == "2"
    return cell.err + "\n".join(each["evalue"] for each in cell.of_type("error"))


def starts(notebook):
    begin = notebook.run(START, timeout=40)
    assert begin.status == "ok", begin.err
    assert notebook.run(SETUP + "turn()\nis_right()").text == "True"


def test_without_slurms_controller(cluster):
    with login_notebook(cluster) as notebook:
        cluster.stop_slurmctld()
        told = refused(notebook, START)
        assert "slurmctld is down or cannot be reached" in told and "scontrol ping" in told
        cluster.start_slurmctld()
        cluster.await_idle()
        starts(notebook)


def test_with_a_full_queue(cluster):
    other = cluster.slurm("sbatch", "--parsable", "-N2", "--exclusive", "-o/dev/null", "--wrap", "sleep 600")
    with login_notebook(cluster) as notebook:
        begin = time.monotonic()
        told = refused(notebook, START + " --timeout 8")
        assert time.monotonic() - begin < LIMIT_SECONDS
        assert "did not serve within 8 s" in told and "waits" in told and "The job was cancelled" in told
        assert cluster.slurm("squeue", "-h", "-o", "%i") == other
        cell = notebook.send(START)
        notebook.until(cell, lambda c: "waits" in c.out + c.err + str(c.of_type("display_data", "update_display_data")), timeout=15)
        cluster.slurm("scancel", other)
        assert notebook.finish(cell, timeout=30).status == "ok", cell.err
        assert notebook.run(SETUP + "turn()\nis_right()").text == "True"


def test_with_a_pmi_that_mpi_does_not_know(cluster):
    with login_notebook(cluster, env={"GAMELAN_SRUN_OPTIONS": "--mpi=pmi2"}) as notebook:
        told = refused(notebook, START)
        assert "each rank believed to be alone" in told and "--mpi=pmix" in told
        assert cluster.slurm("squeue", "-h") == ""
        assert notebook.run("import os; del os.environ['GAMELAN_SRUN_OPTIONS']").status == "ok"
        starts(notebook)
