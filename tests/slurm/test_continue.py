# SPDX-License-Identifier: BSD-3-Clause
"""A job ends and the notebook goes on in the one that was queued behind it: idle, in a cell that runs, in one that waits."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from gamelan import launch
from slurm_cluster import COMMAND, gamelan, slurm, wait_for

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "kernel"))
notebooks = pytest.importorskip("notebook", reason="jupyter_client is not installed")

pytestmark = pytest.mark.timeout(500)

WARNED_S = 60  # less than the time before its end at which a job of five minutes is warned
START = "%engines start --slurm -n 2 -t 5 --continue"
MAKE = "import gamelan as np\na = np.arange(200_000.0)\na *= 2\na += 1\nfloat(a.sum())"
RESULT = str(float(200_000 * 199_999 + 200_000))


@pytest.fixture
def notebook(sessions, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(sessions / "ipython"))
    monkeypatch.setenv("GAMELAN_DISTRIBUTE_FROM", "1000")
    with notebooks.Notebook() as opened:
        yield opened


def jobs():
    """The numbers of the jobs in the queue, with their states, in the order of submission."""
    return dict(sorted((line.split() for line in slurm("squeue", "-h", "-o", "%i %T").splitlines()), key=lambda job: int(job[0])))


def begin(notebook):
    cell = notebook.run(START, timeout=60)
    assert cell.status == "ok", (cell.reply, cell.err)
    assert notebook.run(MAKE).text == RESULT


def end_in(job, seconds):
    end = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(time.time() + seconds))
    slurm("scontrol", "update", f"jobid={job}", f"EndTime={end}")


def moved_from(job):
    return lambda: job not in jobs() and list(jobs().values()) == ["RUNNING", "PENDING"]


def test_an_idle_notebook_is_warned_protected_and_moved(notebook, tmp_path):
    cell = notebook.run(f"{START} --protect {tmp_path}/kept", timeout=40)
    assert cell.status == "ok" and "after it: job" in cell.text and "waits for the job it depends on" in cell.text, cell.text
    assert notebook.run(MAKE).text == RESULT
    first, second = jobs()
    assert list(jobs().values()) == ["RUNNING", "PENDING"]
    end_in(first, WARNED_S)
    cell = notebook.run("%engines status\nimport time")  # which has the watch look at once
    wait_for(lambda: list(tmp_path.glob("kept/*/*/manifest.json")), WARNED_S - 5, "a checkpoint, with no cell running")
    end_in(first, 2)
    wait_for(moved_from(first), 120, "the second job, and a third behind it")
    said = notebook.run("float(a.sum())", timeout=60)
    assert said.text == RESULT and said.status == "ok", said.reply
    told = "".join(each.err for each in notebook.cells.values())
    assert f"it continues in job {second}, which is queued behind it. A checkpoint is made in" in told, told
    assert "gamelan: a checkpoint of " in told and told.count(" ends in ") == 1, told
    assert "reached its time limit" in told and f"Slurm job {second} takes their place" in told, told
    third = list(jobs())[1]
    assert f"job {third}" in notebook.run("%engines").text
    assert "stopped" in notebook.run("%engines stop").out
    wait_for(lambda: not jobs(), 10, "the end of both jobs")


LOOP = """
import os, time
turn, deadline = 0, time.monotonic() + 400
while not os.path.exists({!r}) and time.monotonic() < deadline:
    turn += 1
    a += 1
    assert float(a[0]) == 1 + turn
    time.sleep(0.05)
print(float(a[0]) - turn, float(a[199_999]) - turn)
"""


def test_a_cell_that_runs_goes_on_in_the_next_job(notebook, tmp_path):
    begin(notebook)
    first, second = jobs()
    cell = notebook.send(LOOP.format(str(tmp_path / "enough")))
    end_in(first, 8)
    notebook.until(cell, lambda seen: moved_from(first)() or cell.reply, timeout=200)
    time.sleep(1)
    (tmp_path / "enough").touch()
    notebook.finish(cell, timeout=90)
    assert cell.status == "ok" and cell.out == "1.0 399999.0\n", (cell.out, cell.reply, cell.err)
    assert f"Slurm job {second} takes their place; the arrays are computed again" in cell.err, cell.err
    assert first not in jobs() and jobs()[second] == "RUNNING"
    notebook.close()
    wait_for(lambda: not jobs(), 15, "the end of both jobs with the kernel")


def test_a_wait_can_be_interrupted_and_nothing_is_lost(notebook):
    begin(notebook)
    first, second = jobs()
    slurm("scontrol", "uhold", second)
    slurm("scancel", first)
    wait_for(lambda: list(jobs()) == [second], 15, "the end of the first job")
    cell = notebook.send("b = a + 1\nfloat(b.sum())")

    def is_told(seen):
        lines = [each["data"]["text/plain"] for each in seen.of_type("display_data", "update_display_data")]
        return any("is held" in line and "An interrupt ends this wait" in line for line in lines)

    notebook.until(cell, is_told, timeout=30)
    notebook.manager.interrupt_kernel()
    notebook.finish(cell)
    assert cell.ename == "KeyboardInterrupt" and f"Slurm job {second} stays in the queue" in cell.err, cell.err
    assert list(jobs()) == [second]
    slurm("scontrol", "release", second)
    cell = notebook.run("float((a + 1).sum())", timeout=40)
    assert cell.text == str(float(RESULT) + 200_000), (cell.reply, cell.err)


def test_a_next_job_that_ends_in_the_queue_is_told_and_a_restart_brings_the_arrays(notebook):
    begin(notebook)
    first, second = jobs()
    slurm("scancel", second)
    slurm("scancel", first)
    wait_for(lambda: not jobs(), 10, "the end of both")
    cell = notebook.run("float(a.sum())", timeout=40)
    assert cell.ename == "EngineLostError" and "%engines restart" in cell.reply["evalue"], cell.reply
    assert f"job {second} ended before its engines served: CANCELLED" in cell.reply["evalue"], cell.reply
    assert notebook.run("%engines restart", timeout=40).status == "ok"
    assert notebook.run("float(a.sum())").text == RESULT and list(jobs().values()) == ["RUNNING", "PENDING"]


def test_a_queue_that_refuses_the_next_job_costs_only_that(notebook, tmp_path, monkeypatch):
    real = next(path for path in ("/usr/bin/sbatch", "/usr/local/bin/sbatch") if Path(path).exists())
    fake = tmp_path / "sbatch"
    refusal = "sbatch: error: Batch job submission failed: Job violates accounting/QOS policy"
    fake.write_text(f'#!/bin/sh\ncase "$*" in *--dependency*) echo "{refusal}" >&2; exit 1;; esac\nexec {real} "$@"\n')
    fake.chmod(0o755)
    notebook.run(f"import os; os.environ['PATH'] = {str(tmp_path)!r} + ':' + os.environ['PATH']")
    cell = notebook.run(START, timeout=40)
    assert cell.status == "ok" and "no job could be queued behind Slurm job" in cell.err and "QOS policy" in cell.err, cell.err
    assert notebook.run(MAKE).text == RESULT
    [job] = jobs()
    fake.unlink()  # the limit has passed, as the warning finds
    end_in(job, WARNED_S)
    notebook.run("%engines status")
    wait_for(lambda: len(jobs()) == 2, WARNED_S - 5, "the next job")
    end_in(job, 2)
    wait_for(lambda: job not in jobs(), 120, "the end of the first job")
    cell = notebook.run("float(a.sum())", timeout=120)
    assert cell.text == RESULT, (cell.reply, cell.err)


def test_continue_needs_slurm(notebook):
    cell = notebook.run("%engines start -n 2 --continue")
    assert cell.ename == "UsageError" and "--continue goes with --slurm" in cell.err, cell.reply


SCRIPT = """
import os, sys, time
import gamelan as np
a = np.arange(200_000.0)
turn, deadline = 0, time.monotonic() + 400
while not os.path.exists(sys.argv[1]) and time.monotonic() < deadline:
    turn += 1
    a += 1
    float(a[0])
    time.sleep(0.05)
print(float(a[7]) - turn)
"""


def test_a_script_goes_on_in_the_next_job(sessions, monkeypatch, tmp_path):
    monkeypatch.setenv("GAMELAN_DISTRIBUTE_FROM", "1000")
    (tmp_path / "script.py").write_text(SCRIPT)
    words = ["run", "--slurm", "-n", "2", "-t", "5", "--continue", tmp_path / "script.py", tmp_path / "enough"]
    program = subprocess.Popen([COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        wait_for(lambda: list(jobs().values()) == ["RUNNING", "PENDING"], 30, "a job, and one behind it")
        first, second = jobs()
        end_in(first, 8)
        wait_for(moved_from(first), 200, "the second job")
        time.sleep(1)
        (tmp_path / "enough").touch()
        out, err = program.communicate(timeout=120)
    finally:
        program.kill()
    assert program.returncode == 0 and out == "7.0\n", (out, err)
    assert f"it continues in job {second}" in err and f"Slurm job {second} takes their place" in err, err
    wait_for(lambda: not jobs(), 15, "the end of the jobs with the script")
    assert launch.list_all() == [] or all(each["state"] == "ended" for each in launch.list_all())


def test_a_shell_is_told_who_can_continue(sessions):
    done = gamelan("engines", "start", "--slurm", "-n", "2", "-t", "5", "--continue")
    assert done.returncode == 2 and "--continue goes with %engines start and gamelan run" in done.stderr
    assert not jobs()
