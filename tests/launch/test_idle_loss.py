# SPDX-License-Identifier: BSD-3-Clause
"""Engines that are lost while their program does something else: the cause is told, new ones compute the arrays again. Without
a log (GAMELAN_LOG_BYTES=0) the arrays raise the cause, and new arrays have engines."""

import os
import re
import subprocess
import sys

import pytest
from launch_fixtures import BUILD, COMMAND, processes_of

# What every program begins and, mostly, ends with; between them a test has its engines lost.
PROGRAM = """
import json, os, pathlib, signal, subprocess, sys, time
import gamelan as np
from gamelan import _core, _session

def attempt(name, action):
    try:
        print(name, action(), flush=True)
    except Exception as error:
        print(name, type(error).__name__, error, flush=True)

def kill(rank):
    engines = _session.engines()
    session = json.loads((pathlib.Path(engines.connection_file).parent / "session.json").read_text())
    os.kill(session["pid"] if rank == "mpiexec" else engines.status()["processes"][rank]["pid"], signal.SIGKILL)

def until_noticed():
    end = time.monotonic() + 20
    while _core.is_connected() and time.monotonic() < end:
        time.sleep(0.05)

a = np.ones(200_000)
attempt("before", lambda: float(a.sum()))
"""
AFTER = """
attempt("stats", lambda: "ranks" in np.stats())
attempt("sync", np.sync)
attempt("new", lambda: float(np.ones(100_000).sum()))
attempt("more", lambda: float(np.ones(100_000).sum()))
attempt("old", lambda: float(a.sum()))
attempt("both", lambda: a + np.ones(200_000))
attempt("stats", lambda: np.stats()["ranks"])
"""


def run(program, *command, **variables):
    words = command or (sys.executable,)
    return subprocess.run(
        [*map(str, words), *([] if command else ["-c", program])],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": str(BUILD / "python"), **variables},
    )


def told(done):
    """What the program printed, by lines: name and result; a name that comes twice has both."""
    lines = {}
    for line in done.stdout.splitlines():
        name, _, result = line.partition(" ")
        lines.setdefault(name, []).append(result)
    assert lines.get("before") == ["200000.0"], done.stderr
    return lines


def check_that_it_goes_on(done, cause, ranks=2, keeps=False):
    lines = told(done)
    assert lines["new"] == lines["more"] == ["100000.0"], done.stdout
    assert lines["stats"] == ["False", str(ranks)] and lines["sync"] == ["None"], done.stdout
    if keeps:
        assert lines["old"] == ["200000.0"] and lines["both"] == ["[2. 2. 2. ... 2. 2. 2.]"], done.stdout
    for name in () if keeps else ("old", "both"):
        assert re.search(f"EngineLostError the engines that held this array are gone: .*{cause}", lines[name][0]), done.stdout
    follows = "New engines start; the arrays are computed again: [1-9]" if keeps else "new engines start"
    assert len(re.findall(f"gamelan: the engines of session .*{cause}.*{follows}", done.stderr)) == 1, done.stderr


KEEPS = pytest.mark.parametrize("keeps", [True, False])


def log(keeps):
    return {} if keeps else {"GAMELAN_LOG_BYTES": "0"}


@pytest.mark.parametrize(
    "victim, cause", [(0, "rank 0 on .* was killed by SIGKILL"), ("mpiexec", "mpiexec was killed by SIGKILL")]
)
@KEEPS
def test_a_script_has_new_engines_at_its_next_array(runtime, victim, cause, keeps):
    done = run(PROGRAM + f"kill({victim!r}); until_noticed()" + AFTER, GAMELAN_ENGINES="2", **log(keeps))
    check_that_it_goes_on(done, cause, keeps=keeps)
    assert not processes_of(runtime)


@KEEPS
def test_engines_that_are_asked_for_by_name_hide_no_cause(runtime, keeps):
    done = run(
        PROGRAM
        + """
from gamelan import launch
kill(0)
until_noticed()
attempt("new", lambda: float(np.ones(100_000, distribution=np.distribution.replicated()).sum()))
b = np.ones(200_000)
kill(1)
until_noticed()
_session.use(launch.start(1))
attempt("old", lambda: float(a.sum()))
attempt("both", lambda: float(b.sum()))
attempt("stats", lambda: np.stats()["ranks"])
""",
        GAMELAN_ENGINES="2",
        **log(keeps),
    )
    lines = told(done)
    assert lines["new"] == ["100000.0"] and lines["stats"] == ["1"], done.stdout
    if keeps:
        assert lines["old"] == lines["both"] == ["200000.0"], "the arrays follow to engines that the user has started"
        return
    assert re.search("rank 0 on .* was killed by SIGKILL", lines["old"][0]), done.stdout
    assert re.search("rank 1 on .* was killed by SIGKILL", lines["both"][0]), done.stdout


def test_what_was_still_to_be_computed_raises_the_cause_once(runtime):
    done = run(
        PROGRAM
        + """
a += 1
kill(1)
until_noticed()
for _ in range(3):
    attempt("sync", np.sync)
attempt("new", lambda: float(np.ones(100_000).sum()))
""",
        GAMELAN_ENGINES="2",
        GAMELAN_LOG_BYTES="0",
    )
    lines = told(done)
    first, *others = lines["sync"]
    assert re.match("EngineLostError the engines of session .*: rank 1 on .* was killed by SIGKILL", first), first
    assert others == ["None", "None"] and lines["new"] == ["100000.0"] and "new engines" not in done.stderr


def test_what_was_still_to_be_computed_is_computed_by_others(runtime):
    done = run(
        PROGRAM
        + """
a += 1
kill(1)
until_noticed()
attempt("sync", np.sync)
attempt("old", lambda: float(a.sum()))
""",
        GAMELAN_ENGINES="2",
    )
    lines = told(done)
    assert lines["sync"] == ["None"] and lines["old"] == ["400000.0"], done.stderr
    assert "New engines start; the arrays are computed again" in done.stderr


def test_a_run_replaces_its_engines_with_as_many(runtime, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(PROGRAM + "kill(1); until_noticed()" + AFTER)
    done = run("", COMMAND, "run", "-n", "3", "--heap", "80M", script)
    check_that_it_goes_on(done, "rank 1 on .* was killed by SIGKILL", ranks=3, keeps=True)
    assert done.returncode == 0 and "remove the file" not in done.stdout + done.stderr
    assert not processes_of(runtime)


def test_a_run_whose_engines_end_before_the_first_array_starts_others(runtime, tmp_path):
    script = tmp_path / "script.py"
    script.write_text("""
import os, signal, time
from gamelan import launch
launch.find(os.environ["GAMELAN_CONNECT"]).stop()
import gamelan as np
print(float(np.ones(100_000).sum()), np.stats()["ranks"], flush=True)
os.kill(os.getpid(), signal.SIGKILL)
""")
    done = run("", COMMAND, "run", "-n", "2", "--idle-timeout", "0", script)
    assert done.stdout == "100000.0 2\n" and "New engines start" in done.stderr, done.stderr
    assert done.returncode == 137 and not processes_of(runtime), "the command ends what the killed script had started"


def test_a_program_that_was_stopped_for_long_goes_on(runtime):
    done = run(
        PROGRAM
        + """
rank = _session.engines().facts["engine_pid"]
stopper = subprocess.Popen(["sh", "-c", f"kill -STOP {os.getpid()}; while kill -0 {rank}; do sleep 0.1; done; kill -CONT {os.getpid()}"])
stopper.wait()
until_noticed()
"""
        + AFTER,
        GAMELAN_ENGINES="2",
        GAMELAN_IDLE_TIMEOUT="1",
        GAMELAN_LINK_TIMEOUT="1",  # for which the engines wait for a client that is only silent
    )
    check_that_it_goes_on(done, "no client was heard for 1 s: leaving", keeps=True)


def test_engines_of_somebody_else_are_not_replaced_but_found_again(gamelan, runtime):
    gamelan("engines", "start", "-n", "2", "--session", "theirs")
    done = run(
        PROGRAM
        + "kill(1); until_noticed()"
        + AFTER
        + f"""
subprocess.run([{str(COMMAND)!r}, "engines", "start", "-n", "1", "--session", "theirs"], stdout=subprocess.DEVNULL, check=True)
attempt("again", lambda: (float(np.ones(100_000).sum()), np.stats()["ranks"]))
attempt("old", lambda: float(a.sum()))
""",
        GAMELAN_CONNECT=str(runtime / "theirs" / "connection.json"),
    )
    lines = told(done)
    for name in ("new", "more"):
        assert re.match(
            "EngineLostError the engines of session theirs ended: rank 1 .* SIGKILL.* did not start these engines", lines[name][0]
        ), lines
        assert "gamelan engines start --session theirs" in lines[name][0]
    assert lines["again"] == ["(100000.0, 1)"] and "SIGKILL" in lines["old"][0] and lines["old"][1] == "200000.0", done.stdout
    gamelan("engines", "stop", "theirs")
