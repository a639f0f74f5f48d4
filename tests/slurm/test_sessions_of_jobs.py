# SPDX-License-Identifier: BSD-3-Clause
"""Which sessions of jobs are kept and which are cleared away, also when clusters share a home and count their jobs alike."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from gamelan import launch
from gamelan._launch import _attach, _sessions, _slurm
from gamelan._launch._slurm_request import SlurmRequest
from slurm_cluster import BUILD, CPUS, COMMAND, slurm, wait_for

ASK = SlurmRequest(time=5)


def session(base, name, **facts):
    _sessions.make_private(base)
    path = base / name
    path.mkdir(mode=0o700)
    _sessions.write_facts(path, {"session": name, "launcher": "slurm", "ranks": 2, "host": "login", "started": 0, **facts})
    return path


def test_only_dead_jobs_of_this_cluster_are_written_off(sessions):
    base, here = sessions / "shared", _slurm.cluster_name()
    dead = session(base, "dead", slurm_job_id="77777", cluster=here)
    elsewhere = session(base, "elsewhere", slurm_job_id="77778", cluster="another")
    unknown = session(base, "unknown", slurm_job_id="77779")
    alive = launch.start(1, ASK)
    launch.start(1, ASK).stop()
    ended = {path.name: "ended" in _sessions.read_facts(path) for path in _sessions.directories_in(base)}
    assert ended == {"dead": True, "elsewhere": False, "unknown": False, alive.session: False}
    for path in (dead, elsewhere, unknown):
        _sessions.remove(path)
    alive.stop()


def test_a_number_that_two_clusters_gave_means_the_job_of_this_one(sessions):
    base = sessions / "shared"
    session(base, "there", slurm_job_id="55", cluster="another")
    mine = session(base, "here", slurm_job_id="55", cluster=_slurm.cluster_name())
    assert _attach.directory_of("55") == mine


@pytest.mark.parametrize("name", ["123", "0"])
def test_a_session_is_not_named_like_a_job(sessions, name):
    with pytest.raises(ValueError, match="a number alone means a Slurm job"):
        launch.start(1, ASK, session=name)


def test_a_script_runs_with_engines_of_a_job_of_its_own(sessions, tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import gamelan as np\nprint(float(np.ones(100_000).sum()), np.stats()['ranks'])\nraise SystemExit(5)\n")
    done = subprocess.run(
        [COMMAND, "run", "--slurm", "-N", "1", "--ntasks-per-node", "3", "-t", "5", script],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 5 and done.stdout.split() == ["100000.0", "3"], done.stderr
    assert not slurm("squeue", "-h") and launch.list_all() == []


def test_a_job_whose_asker_was_killed_in_the_queue_starts_and_leaves(sessions):
    blocker = slurm("sbatch", "--parsable", f"-n{CPUS}", "-o/dev/null", "--wrap", "sleep 100").strip()
    wait_for(lambda: "RUNNING" in slurm("squeue", "-h", "-j", blocker, "-o", "%T"), 10, "the blocker")
    asker = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"import sys; sys.path.insert(0, {str(BUILD / 'python')!r})\n"
            "from gamelan import launch\nlaunch.start(2, {'time': 5}, idle_timeout=2)",
        ]
    )
    wait_for(lambda: "PENDING" in slurm("squeue", "-h", "-o", "%T"), 15, "the job")
    asker.send_signal(signal.SIGKILL)
    asker.wait()
    slurm("scancel", blocker)
    begin = time.monotonic()
    wait_for(lambda: not slurm("squeue", "-h"), 20, "the end of the job")
    assert time.monotonic() - begin < 20
    [left] = launch.list_all()
    assert left["state"] == "ended"
    launch.Engines.of_session(Path(left["connection_file"])).stop()
