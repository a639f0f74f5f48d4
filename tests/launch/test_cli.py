# SPDX-License-Identifier: BSD-3-Clause
"""The command `gamelan` as a shell user meets it."""

import importlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from gamelan._doctor import _questions
from gamelan._version import NUMPY_HEADERS
from launch_fixtures import BUILD, COMMAND, processes_of, wait_until_gone

SCRIPT = """
import sys
import gamelan as np
a = np.ones(100_000)
print(np.stats()["ranks"], float(a.sum()), sys.argv[1:])
"""


def test_help_and_version(gamelan):
    assert gamelan("--version").stdout.startswith("gamelan 0.1")
    for words in ([], ["run"], ["engines"], ["engines", "start"], ["kernel", "install"], ["doctor"]):
        done = gamelan(*words, "--help")
        assert done.returncode == 0 and "usage: gamelan" in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["sing"],
        ["--nope"],
        ["engines"],
        ["engines", "tune"],
        ["engines", "start", "--nope"],
        ["engines", "start", "-n", "0"],
        ["engines", "start", "-n", "four"],
        ["engines", "start", "--idle-timeout", "-1"],
        ["engines", "start", "-p", "debug"],
        ["run"],
        ["run", "-n", "2"],
        ["run", "-m"],
        ["kernel"],
        ["doctor", "now"],
        ["kernel", "install", "--user", "--sys-prefix"],
    ],
)
def test_wrong_usage_is_told_and_exits_2(gamelan, words):
    done = gamelan(*words)
    assert done.returncode == 2 and "usage: gamelan" in done.stderr and "Traceback" not in done.stderr


def test_run_gives_the_script_engines_and_its_arguments(gamelan, runtime, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = gamelan("run", "-n", 3, script, "-n", "x", "--help")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "3 100000.0 ['-n', 'x', '--help']"
    assert not processes_of(runtime) and not list(runtime.iterdir())


def test_run_takes_a_module(gamelan, runtime, tmp_path, monkeypatch):
    (tmp_path / "played.py").write_text(SCRIPT)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    done = gamelan("run", "-n", 3, "-m", "played", "-m", "--help")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "3 100000.0 ['-m', '--help']"


@pytest.mark.parametrize(
    "body, code",
    [
        ("import sys; sys.exit(7)", 7),
        ("raise ValueError('x')", 1),
        ("", 0),
        ("import os; os.kill(os.getpid(), 9)", 137),
        ("import os; os._exit(255)", 255),
    ],
)
def test_the_exit_code_is_the_scripts(gamelan, runtime, tmp_path, body, code):
    script = tmp_path / "script.py"
    script.write_text(body)
    assert gamelan("run", "-n", 1, script).returncode == code
    assert not processes_of(runtime)


def test_run_names_a_script_that_is_not_there(gamelan):
    done = gamelan("run", "-n", 1, "/nowhere/script.py")
    assert done.returncode == 2 and "no such file: /nowhere/script.py" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_reaches_the_script_and_the_engines_leave(runtime, tmp_path, number):
    script = tmp_path / "script.py"
    script.write_text("import time\nprint('up', flush=True)\ntime.sleep(60)")
    # A test run that was started in the background ignores SIGINT, and its children would too.
    process = subprocess.Popen(
        [COMMAND, "run", "-n", "2", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout.readline() == "up\n"
    if number == signal.SIGINT:
        os.killpg(process.pid, number)  # as a terminal does
    else:
        process.send_signal(number)
    process.communicate(timeout=20)
    assert process.returncode == 128 + number
    assert not wait_until_gone(runtime)


@pytest.mark.parametrize("gap", [0.0, 0.02, 0.2])
def test_an_interrupt_soon_after_another_says_nothing_more(runtime, tmp_path, gap):
    script = tmp_path / "script.py"
    script.write_text("import gamelan as np\na = np.ones(500_000)\nprint('up', flush=True)\nwhile True: a += 1; float(a[0])")
    process = subprocess.Popen(
        [COMMAND, "run", "-n", "2", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout.readline() == "up\n"
    time.sleep(0.2)
    for _ in range(2):
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(gap)
    told = process.communicate(timeout=20)[1]
    assert process.returncode == 130 and told.endswith("KeyboardInterrupt\n"), told
    assert "gnored" not in told and "lost sys.stderr" not in told and "atexit" not in told, told
    assert not wait_until_gone(runtime)


def test_a_venv_of_another_python_is_refused_in_a_sentence(gamelan, runtime, tmp_path, monkeypatch):
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / "python3"
    python.write_text("#!/bin/sh\necho '{\"version\": [3, 9]}'\n")
    python.chmod(0o755)
    (tmp_path / "script.py").write_text("")
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path))
    done = gamelan("run", "-n", 1, tmp_path / "script.py")
    built_for = ".".join(map(str, sys.version_info[:2]))
    assert done.returncode == 1 and f"has Python 3.9, gamelan was built for {built_for}" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def python_with(tmp_path, numpy=None):
    """A Python of this machine under another name; with another NumPy, as far as its version goes."""
    (tmp_path / "with").mkdir()
    if numpy:
        (tmp_path / "with" / "numpy.py").write_text(f"__version__ = {numpy!r}\n")
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexport PYTHONPATH={tmp_path}/with:$PYTHONPATH CHOSEN=1\nexec /usr/bin/python3 "$@"\n')
    python.chmod(0o755)
    return python


def test_run_takes_the_python_that_is_chosen(gamelan, runtime, tmp_path, monkeypatch):
    monkeypatch.setenv("VIRTUAL_ENV", "/nowhere")
    monkeypatch.setenv("GAMELAN_PYTHON", str(python_with(tmp_path)))
    (tmp_path / "script.py").write_text("import os\nimport gamelan\nprint(os.environ['CHOSEN'], gamelan.ones(3).sum())\n")
    done = gamelan("run", "-n", 1, tmp_path / "script.py")
    assert (done.returncode, done.stdout) == (0, "1 3.0\n"), done.stderr


def test_another_numpy_is_refused_in_a_sentence(gamelan, runtime, tmp_path, monkeypatch):
    newest = 2 if NUMPY_HEADERS.startswith("2.") else 1
    version = f"{newest + 1}.4.6"
    python = python_with(tmp_path, version)
    monkeypatch.setenv("GAMELAN_PYTHON", str(python))
    (tmp_path / "script.py").write_text("import gamelan")
    done = gamelan("run", "-n", 1, tmp_path / "script.py")
    told = f"This Gamelan is for NumPy up to {newest}.x; this Python has {version}. Run `{python} -m pip install 'numpy<{newest + 1}'`"
    assert done.returncode == 1 and told in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
    doctor = gamelan("doctor", timeout=90)
    assert doctor.returncode == 1 and told in doctor.stdout and "all is well" not in doctor.stdout, doctor.stdout
    environment = os.environ | {"PYTHONPATH": str(BUILD / "python")}
    imported = subprocess.run([python, tmp_path / "script.py"], env=environment, capture_output=True, text=True, timeout=20)
    assert (
        f"NumPy up to {newest}.x; this Python has {version}. Run" in imported.stderr and "_ARRAY_API" not in imported.stderr
    ), imported.stderr


@pytest.mark.parametrize("version, state", [("6.0.0", "warn"), ("8.1.9", "ok"), ("", None)])
def test_the_doctor_knows_widgets_that_no_page_shows(tmp_path, monkeypatch, version, state):
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho {version}\n")
    python.chmod(0o755)
    monkeypatch.setenv("GAMELAN_PYTHON", str(python))
    questions = importlib.import_module("gamelan._doctor._questions")
    verdicts = list(questions.widgets())
    assert [each.state for each in verdicts] == ([state] if state else [])
    assert state != "warn" or "ipywidgets>=8" in verdicts[0].advice


def test_paths_of_a_command_are_from_where_it_was_given(gamelan, runtime, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = gamelan("engines", "start", "-n", 1, "--session", "paths", "--protect", "stored-here")
    try:
        assert done.returncode == 0 and f"export GAMELAN_PROTECT={tmp_path}/stored-here" in done.stdout, done.stderr
        assert (tmp_path / "stored-here").is_dir() and not Path("/stored-here").exists()
    finally:
        gamelan("engines", "stop", "paths")


def test_engines_from_start_to_stop(gamelan, runtime):
    started = gamelan("engines", "start", "-n", 2, "--session", "first")
    assert started.returncode == 0, started.stderr
    assert f"export GAMELAN_CONNECT={runtime}/first/connection.json" in started.stdout
    listed = gamelan("engines", "list").stdout.splitlines()
    assert listed[0].split()[:3] == ["SESSION", "STATE", "RANKS"] and listed[1].split()[:4] == [
        "first",
        "running",
        "2",
        "mpiexec",
    ]
    status = gamelan("engines", "status").stdout
    assert "session first: running, 2 ranks" in status and len(status.splitlines()) == 4
    assert gamelan("engines", "logs", "first").returncode == 0
    again = gamelan("engines", "start", "-n", 1, "--session", "first")
    assert again.returncode == 1 and "is running already" in again.stderr
    gamelan("engines", "start", "-n", 1, "--session", "second")
    ambiguous = gamelan("engines", "stop")
    assert ambiguous.returncode == 1 and "name one of" in ambiguous.stderr
    assert gamelan("engines", "stop", "second").stdout == "session second stopped\n"
    assert gamelan("engines", "stop", "--all").stdout == "session first stopped\n"
    assert gamelan("engines", "list").stdout == "no sessions\n"
    assert not wait_until_gone(runtime)


def test_a_script_of_its_own_uses_started_engines(gamelan, runtime, tmp_path):
    gamelan("engines", "start", "-n", 2, "--session", "shared")
    done = subprocess.run(
        ["/usr/bin/python3", "-c", SCRIPT],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": str(BUILD / "python"), "GAMELAN_CONNECT": f"{runtime}/shared/connection.json"},
    )
    assert done.stdout.strip() == "2 100000.0 []", done.stderr
    assert "running" in gamelan("engines", "list").stdout, "who only connected does not stop them"
    gamelan("engines", "stop", "shared")


def test_a_start_that_fails_leaves_nothing_and_says_why(gamelan, runtime):
    done = gamelan("engines", "start", "-n", 2, "--routines", "/no/such.so")
    assert done.returncode == 1 and "/no/such.so" in done.stderr and "Traceback" not in done.stderr
    assert gamelan("engines", "list").stdout == "no sessions\n"
    wrong = gamelan("engines", "start", "-n", 2, "--heap", "lots")
    assert wrong.returncode == 2 and wrong.stderr.endswith(
        "--heap: got 'lots', expected bytes, with K, M, G or T if you like: 512M, 4G\n"
    )


def test_engines_whose_rank_died_are_listed_with_the_cause(gamelan, runtime):
    gamelan("engines", "start", "-n", 2, "--session", "s")
    status = gamelan("engines", "status", "s").stdout.splitlines()
    os.kill(int(status[-1].split()[1]), signal.SIGKILL)
    assert not wait_until_gone(runtime, 10)
    told = gamelan("engines", "status", "s").stdout
    assert "ended" in told and "rank 1" in told and "SIGKILL" in told
    assert "exited on signal 9" in " ".join(gamelan("engines", "logs", "s").stdout.split())


def test_unknown_sessions_are_told(gamelan):
    for action in ("stop", "status", "logs"):
        done = gamelan("engines", action, "nobody")
        assert done.returncode == 1 and "no session 'nobody'" in done.stderr
    assert gamelan("engines", "stop").stdout == "no engines run\n"


def test_the_command_alone_says_what_there_is(gamelan):
    done = gamelan()
    assert done.returncode == 2 and "make the notebook kernel known" in done.stderr


def test_the_doctor_reads_the_kernelspec(gamelan, runtime, tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    monkeypatch.delenv("JUPYTER_PATH", raising=False)
    (tmp_path / "kernels/gamelan").mkdir(parents=True)
    (tmp_path / "kernels/gamelan/kernel.json").write_text(json.dumps({"argv": ["/nowhere/gamelan-kernel"]}))
    told = gamelan("doctor", timeout=90).stdout
    assert "names /nowhere/gamelan-kernel, which does not run" in told and "gamelan kernel install --user" in told


def test_the_doctor_finds_the_kernelspec_of_jupyter_path(gamelan, runtime, tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "mine"))
    module = tmp_path / "module/share/jupyter"
    monkeypatch.setenv("JUPYTER_PATH", f"/nowhere:{module}")
    (module / "kernels/gamelan").mkdir(parents=True)
    (module / "kernels/gamelan/kernel.json").write_text(json.dumps({"argv": ["/nowhere/gamelan-kernel"]}))
    told = gamelan("doctor", timeout=90).stdout
    assert f"in {module}/kernels/gamelan names /nowhere" in told and f"kernel install --prefix {tmp_path}/module" in told


def test_the_kernelspec_is_installed_where_asked(gamelan, tmp_path):
    if not (BUILD / "share/jupyter/kernels/gamelan/kernel.json").is_file():
        pytest.fail("the build has no kernelspec")
    done = gamelan("kernel", "install", "--prefix", tmp_path)
    assert done.returncode == 0, done.stderr
    spec = json.loads((tmp_path / "share/jupyter/kernels/gamelan/kernel.json").read_text())
    assert spec["argv"][0] == str(BUILD / "bin/gamelan-kernel") and spec["interrupt_mode"] == "message"
    done = gamelan("kernel", "install", "--prefix", "/proc/nowhere")
    assert done.returncode == 1 and "cannot write" in done.stderr and "choose --user" in done.stderr
    done = gamelan("kernel", "install", "--user", env={**os.environ, "JUPYTER_DATA_DIR": "/proc/nowhere"})
    assert done.returncode == 1 and "set JUPYTER_DATA_DIR" in done.stderr and "--user" not in done.stderr
    done = gamelan("kernel", "install", "--user", env={**os.environ, "JUPYTER_DATA_DIR": str(tmp_path / "data")})
    assert done.returncode == 0 and (tmp_path / "data/kernels/gamelan/kernel.json").is_file()


def test_the_kernelspec_of_another_installation_stays_where_asked(gamelan, tmp_path):
    other, spec = tmp_path / "gamelan-kernel", tmp_path / "share/jupyter/kernels/gamelan/kernel.json"
    spec.parent.mkdir(parents=True)
    spec.write_text(json.dumps({"argv": [str(other)]}))
    other.write_text("#!/bin/sh\n")
    other.chmod(0o700)
    before = spec.read_text()
    done = gamelan("kernel", "install", "--prefix", tmp_path, "--keep")
    assert done.returncode == 0 and f"starts {other}: it stays" in done.stdout and spec.read_text() == before
    done = gamelan("kernel", "install", "--prefix", tmp_path)
    assert f"the one that was there started {other}" in done.stdout and spec.read_text() != before
    done = gamelan("kernel", "install", "--prefix", tmp_path, "--keep")
    assert "installed in" in done.stdout and str(other) not in done.stdout, "its own is no other"
    spec.write_text(before)
    other.unlink()
    gamelan("kernel", "install", "--prefix", tmp_path, "--keep")
    assert spec.read_text() != before, "one that starts nothing"


@pytest.mark.parametrize("states, told, code", [
    ("ok ok", "all is well", 0),
    ("ok warn", "1 warning", 0),
    ("warn ok warn", "2 warnings", 0),
    ("fail warn fail", "2 things to mend, 1 warning", 1),
    ("fail", "1 thing to mend", 1),
])  # fmt: skip
def test_the_doctor_counts_what_it_found(monkeypatch, capsys, states, told, code):
    verdicts = [_questions.Verdict(state, "x") for state in states.split()]
    monkeypatch.setattr(_questions, "QUESTIONS", [lambda: iter(verdicts)])
    assert _questions.main() == code
    assert capsys.readouterr().out.splitlines()[-1] == told


def test_the_doctor_looks_at_everything(gamelan, runtime, tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))  # what this user has installed is not under test
    monkeypatch.delenv("PYTHONPATH", raising=False)  # as a user's shell: the command finds its package by itself
    done = gamelan("doctor", timeout=90)
    for word in ("MPI", "engine", "shared memory", "processors", "BLAS", "Python", "NumPy", "sessions", "route: auto", "trial"):
        assert word in done.stdout, done.stdout
    warnings = done.stdout.count("[warn]")
    told = "all is well" if not warnings else f"{warnings} warning{'s' if warnings > 1 else ''}"
    assert done.returncode == 0 and done.stdout.splitlines()[-1] == told, done.stdout
    assert not processes_of(runtime)


def test_the_doctor_says_what_to_mend(gamelan, runtime, monkeypatch):
    monkeypatch.setenv("GAMELAN_MPIEXEC", "/nowhere/mpiexec")
    monkeypatch.setenv("GAMELAN_CONNECT", "/nowhere/connection.json")
    runtime.chmod(0o755)
    done = gamelan("doctor", timeout=90)
    runtime.chmod(0o700)
    assert done.returncode == 1 and "to mend" in done.stdout and "Traceback" not in done.stderr
    for advice in ("apt-get install openmpi-bin", "chmod 700", "gamelan engines list"):
        assert advice in done.stdout, done.stdout


def test_the_command_is_quick(gamelan):
    begin = time.monotonic()
    for _ in range(5):
        gamelan("--version")
    assert (time.monotonic() - begin) / 5 < 0.5
