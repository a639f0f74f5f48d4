# SPDX-License-Identifier: BSD-3-Clause
"""What Slurm or we refuse before anything runs: with the reason, what to do, and nothing left behind."""

import contextlib
import os
import socket
import time
from pathlib import Path

import pytest
from gamelan import launch
from gamelan._launch._errors import SlurmError
from gamelan._launch._slurm_request import SlurmRequest
from slurm_cluster import gamelan, slurm


@pytest.mark.parametrize(
    "request_, words",
    [
        (dict(partition="nowhere"), "invalid partition specified: nowhere.*the partitions are debug"),
        (dict(extra="--no-such-option"), "unrecognized option.*man sbatch"),
        (dict(extra="--mem=900G"), "Memory specification.*less memory.*debug"),
        (dict(extra="--constraint=gold"), "Invalid feature.*sinfo -o"),
        (dict(extra="--gres=gpu:1"), "generic resource.*--gres"),
        (dict(extra="--nodelist=nowhere"), "Invalid node name.*sinfo -N"),
        (dict(extra="--reservation=mine"), "reservation is invalid.*scontrol show reservation"),
    ],
)
def test_slurms_refusals_come_with_what_to_do(sessions, request_, words):
    with pytest.raises(SlurmError, match="(?s)Slurm refused the job: .*" + words):
        launch.start(2, SlurmRequest(**request_))
    assert launch.list_all() == [] and not slurm("squeue", "-h")


@pytest.mark.parametrize(
    "words, message",
    [
        (["-N", "2", "--ntasks-per-node", "2", "-n", "5"], "-n 5 contradicts -N 2 with --ntasks-per-node 2, which make 4"),
        (["-N", "4", "-n", "3"], "-n 3 ranks do not fill -N 4 nodes"),
        (["--ntasks-per-node", "2"], "does not say on how many nodes: add -N"),
        (["--ntasks-per-node", "2", "-n", "5"], "no multiple of"),
        (["-t", "soon"], "got 'soon', expected minutes (90), hours:minutes:seconds"),
        (["-t", "0"], "which Slurm reads as no limit"),
        (["-t", "-5"], "expected"),
        (["-N", "0"], "expected a whole number from 1"),
        (["-p", "a b"], "expected a name"),
        (["--sbatch", "--ntasks=8"], "say -n"),
        (["--sbatch", "-t5"], "say -t"),
        (["--sbatch", "--array=1-4"], "an array is many"),
        (["--sbatch", "train.sh"], "would take it for the script"),
        (["--sbatch", "'open"], "cannot read the sbatch options"),
    ],
)
def test_options_that_cannot_be_are_refused_before_slurm_is_asked(sessions, words, message):
    done = gamelan("engines", "start", "--slurm", *words)
    assert done.returncode == 2 and message in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert not slurm("squeue", "-h")


@pytest.fixture
def elsewhere(cluster, tmp_path, monkeypatch):
    """In a context, the controller is expected at another port."""

    @contextlib.contextmanager
    def at(port):
        conf = tmp_path / "slurm.conf"
        conf.write_text(
            "".join(
                f"SlurmctldPort={port}\n" if line.startswith("SlurmctldPort") else line
                for line in (cluster / "slurm.conf").read_text().splitlines(keepends=True)
            )
        )
        with monkeypatch.context() as patch:
            patch.setenv("SLURM_CONF", str(conf))
            yield

    return at


def test_a_controller_that_is_down_is_told_within_fifteen_seconds(sessions, elsewhere):
    told, begin = [], time.monotonic()
    with elsewhere(1), pytest.raises(SlurmError, match="controller does not answer .*nothing was submitted.*scontrol ping"):
        launch.start(2, SlurmRequest(time=5), on_progress=told.append)
    assert time.monotonic() - begin < 15 and told
    assert not list(Path(os.environ["GAMELAN_SHARED_DIR"]).glob("*"))


def test_a_controller_that_swallows_everything_is_told_too(sessions, elsewhere):
    """A machine that is switched off refuses nothing: it does not answer. Here a socket that nobody accepts from."""
    with socket.create_server(("127.0.0.1", 0), backlog=1) as deaf, elsewhere(deaf.getsockname()[1]):
        begin = time.monotonic()
        with pytest.raises(SlurmError, match="controller does not answer"):
            launch.start(2, SlurmRequest(time=5))
        assert time.monotonic() - begin < 15


def test_a_machine_without_slurm_says_so(sessions, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setenv("PATH", "/nowhere")
        patch.setenv("GAMELAN_ENGINE", "/bin/true")
        check_no_slurm()


def check_no_slurm():
    with pytest.raises(SlurmError, match="scontrol was not found: this is not a login node"):
        launch.start(2, SlurmRequest(time=5))
