# SPDX-License-Identifier: BSD-3-Clause
"""%engines under Slurm in a real notebook kernel: one line while the queue is waited for, errors that say why."""

import sys
import time
from pathlib import Path

import pytest
from slurm_cluster import CPUS, slurm, wait_for

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "kernel"))
notebooks = pytest.importorskip("notebook", reason="jupyter_client is not installed")


@pytest.fixture
def notebook(sessions, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(sessions / "ipython"))
    with notebooks.Notebook() as opened:
        yield opened


def lines_of(cell):
    """What stood in the changing line, in its order."""
    shown = cell.of_type("display_data", "update_display_data")
    return [content["data"]["text/plain"] for content in shown]


def test_a_notebook_computes_with_a_job_and_cancels_it_at_its_end(notebook):
    cell = notebook.run("%engines start --slurm -N 1 --ntasks-per-node 2 -p debug -t 5 --sbatch --comment=x", timeout=40)
    assert cell.status == "ok", cell.reply
    assert len(cell.of_type("display_data")) == 1 and lines_of(cell)[-1] == "", "one line, gone at the end"
    assert any(line.startswith("job ") for line in lines_of(cell)), "where it waits, or where its engines start"
    assert "2 ranks" in cell.text and "min left" in cell.text
    assert notebook.run("import gamelan as np\nfloat(np.ones(100_000).sum())").text == "100000.0"
    assert "Slurm job" in notebook.run("%engines status").text
    notebook.close()
    wait_for(lambda: not slurm("squeue", "-h"), 10, "the end of the job")


def test_the_queue_is_one_line_and_an_interrupt_cancels_the_job(notebook):
    blocker = slurm("sbatch", "--parsable", f"-n{CPUS}", "-o/dev/null", "--wrap", "sleep 60").strip()
    try:
        cell = notebook.send("%engines start --slurm -n 2 -t 5")
        notebook.until(cell, lambda seen: any("waits for free cores" in line for line in lines_of(seen)))
        notebook.manager.interrupt_kernel()
        notebook.finish(cell)
        assert cell.ename == "KeyboardInterrupt" and len(cell.of_type("display_data")) == 1 and lines_of(cell)[-1] == ""
        assert slurm("squeue", "-h", "-o", "%i").split() == [blocker]
    finally:
        slurm("scancel", blocker)


def test_errors_are_the_cells_with_the_jobs_words(notebook):
    cell = notebook.run("%engines start --slurm -n 2 -t 120", timeout=30)
    assert cell.ename == "UsageError" and "can never start: it asks for more time than the partition allows" in cell.err
    notebook.run("import os; os.environ['GAMELAN_SRUN_OPTIONS'] = '--mpi=none'")
    cell = notebook.run("%engines start --slurm -n 2 -t 5", timeout=30)
    assert "each rank believed to be alone" in cell.err and "--- last lines of" in cell.err and "srun: error" in cell.err
    cell = notebook.run("%engines attach 99999")
    assert "Slurm does not know job 99999" in cell.err
    assert not slurm("squeue", "-h")


def test_a_second_notebook_attaches_and_both_hear_of_the_end(notebook, sessions):
    notebook.run("%engines start --slurm -n 2 -t 5\nimport gamelan as np\na = np.ones(100_000)", timeout=40)
    [job] = slurm("squeue", "-h", "-o", "%i").split()
    with notebooks.Notebook() as second:
        cell = second.run(f"%engines attach {job}", timeout=30)
        assert cell.status == "ok" and f"Slurm job {job}" in cell.text, cell.err
        assert second.run("import gamelan as np\nfloat(np.ones(100_000).sum())").text == "100000.0"
        second.run("a = np.ones(100_000)")
        slurm("scancel", job)
        wait_for(lambda: not slurm("squeue", "-h"), 10, "the end of the job")
        for each in (notebook, second):
            cell = each.run("float(a.sum())", timeout=20)
            assert cell.ename == "EngineLostError" and f"Slurm job {job} was cancelled" in cell.reply["evalue"], cell.reply
            cell = each.run("np.ones(100_000)")
            assert cell.ename == "EngineLostError" and "%engines start --slurm" in cell.reply["evalue"], "not here, unasked"
        cell = notebook.run("%engines restart", timeout=40)
        assert cell.status == "ok" and notebook.run("float(np.ones(100_000).sum())").text == "100000.0", cell.err


def test_a_notebook_is_warned_before_the_time_is_over(notebook):
    notebook.run("%engines start --slurm -n 1 -t 5", timeout=40)
    [job] = slurm("squeue", "-h", "-o", "%i").split()
    end = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(time.time() + 13))
    slurm("scontrol", "update", f"jobid={job}", f"EndTime={end}")
    cell = notebook.run("%engines status\nimport time\ntime.sleep(3)")
    assert f"Slurm job {job} with the engines ends in" in cell.err and "it continues with %engines restart" in cell.err, (
        cell.out,
        cell.err,
    )
    cell = notebook.run("%engines status\ntime.sleep(2)")
    assert "ends in" not in cell.err, "once"
