# SPDX-License-Identifier: BSD-3-Clause
"""The chain of jobs of --continue, without a Slurm: which job is cancelled, and who queues the next one."""

import os

import pytest
from gamelan import _next_job, launch
from gamelan._launch import _by_slurm, _sessions

SETTINGS = {"keep": False, "slurm": None}


@pytest.fixture
def chain(tmp_path, monkeypatch):
    """Engines whose job has ended; those of the job that this process has queued behind it; the jobs that are cancelled."""

    def session(name, job, **more):
        directory = tmp_path / name
        directory.mkdir(mode=0o700)
        facts = {"session": name, "launcher": "slurm", "slurm_job_id": job, "ranks": 2, **more}
        _sessions.write_facts(directory, facts)
        return launch.Engines(directory / "connection.json", facts)

    first, second = session("one", "4711", next="two", ended={"reason": "time limit"}), session("two", "4712", run="one")
    second._owner_pid, second._settings = os.getpid(), SETTINGS
    first._following = second
    cancelled = []
    monkeypatch.setattr(_by_slurm, "stop", lambda engines, timeout: cancelled.append(engines.facts["slurm_job_id"]))
    return first, second, cancelled


def test_who_attaches_to_the_job_that_was_queued_goes_on_with_the_chain(chain):
    first, second, cancelled = chain
    attached = launch.Engines.of_session(second._directory / "connection.json")  # as `launch.connect` makes it
    _next_job.watch(attached, first, lambda: attached, lambda engines: None)
    assert cancelled == [] and second._directory.exists()
    assert attached.is_owned and attached._settings is SETTINGS, "it queues the job behind that one"
    attached._stop_at_exit()
    assert cancelled == ["4712"] and not second._directory.exists()


def test_who_takes_other_engines_cancels_the_job_that_was_queued(chain, tmp_path):
    first, second, cancelled = chain
    others = launch.Engines(tmp_path / "other" / "connection.json", {"session": "other", "launcher": "mpiexec"})
    _next_job.watch(others, first, lambda: others, lambda engines: None)
    assert cancelled == ["4712"] and not second._directory.exists() and not others._owner_pid
