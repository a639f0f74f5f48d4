# SPDX-License-Identifier: BSD-3-Clause
"""%engines and %explain in a plain IPython, as ipykernel has it; one shell in a process of its own per test."""

import re
import subprocess
import sys

from launch_fixtures import BUILD, COMMAND, processes_of

PRELUDE = """
import sys
sys.path.insert(0, {build!r})
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance(history_saver_enabled=False)
shell.run_line_magic("load_ext", "gamelan._magics")
def engines(line):
    try:
        return shell.run_line_magic("engines", line)
    except Exception as error:
        print(type(error).__name__, error)
"""


def run(script):
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE.format(build=str(BUILD / "python")) + script],
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_start_status_restart_stop(runtime):
    out = run("""
engines("status")
print(engines("start -n 2 --heap 64M"))
engines("start -n 3")
import gamelan as np
a = np.ones(100_000)
print(float(a.sum()))
table = engines("")
print(repr(table)); print(table._repr_html_())
print(engines("restart").session["ranks"])
print(float(np.ones(100_000).sum()))
engines("stop"); engines("stop"); engines("status")
print(float(np.ones(100_000).sum()))
""")
    assert out.startswith("no engines run; the first large array starts them")
    assert "UsageError engines run already (2 ranks)" in out
    assert out.count("100000.0\n") == 3
    assert "RANK  PID" in out and "<table>" in out and "<th>rank</th>" in out and "<td>memory</td>" in out
    assert "COUNTER" not in out and "%engines status --all shows every counter" in out
    assert out.count("route: direct ipc://") == 3 and "<br>route: direct ipc://" in out
    assert "\n2\n" in out and "stopped\nno engines run\nno engines run; the first" in out
    assert not processes_of(runtime)


def test_status_shows_what_is_asked_first_and_all_on_request(runtime):
    out = run("""
engines("start -n 2 --heap 64M")
import gamelan as np
a = np.ones(1_000_000)
np.sync()
print("FIRST"); print(engines("status"))
print("ALL"); table = engines("status --all"); print(table); print("HTML", table._repr_html_())
engines("stop")
""")
    first, _, rest = out.partition("FIRST\n")[2].partition("ALL\n")
    rows = dict(line.split("  ", 1) for line in first.splitlines() if "  " in line and not line.startswith(("RANK", "0", "1")))
    told = {name: text.strip() for name, text in rows.items()}
    assert told["ranks"] == "2 on 1 node"
    assert re.fullmatch(r"7\.6\d MiB of 128 MiB, at most [\d.]+ MiB so far", told["memory"])
    assert told["arrays"] == "1" and told["batches"] == "1 with 1 operation" and int(told["steps (passes over memory)"]) >= 1
    assert told["moved between ranks"] == "0 B within nodes" and told["fetched to the notebook"] == "0 B"
    assert re.fullmatch(r"(baseline|avx2|avx512), \d+ programs? compiled", told["instruction set"])
    assert len(told) == 8 and "plan_hits" not in first
    table, _, page = rest.partition("HTML")
    assert "plan_hits" in table and "heap_bytes_per_rank" in table and "<td>plan_hits</td>" in page and "--all shows" not in rest


def test_restart_with_another_number_computes_the_arrays_again_and_stop_ends_them(runtime):
    out = run("""
import gamelan as np
engines("help")
engines("start -n 2 --session mine")
a = np.random.default_rng(1).random(100_000)
b = a[::2]
before = float(a.sum()), float(b.sum())
a *= 2
print(engines("restart -n 1").session["ranks"], "rank")
a /= 2
print("again:", (float(a.sum()), float(b.sum())) == before)
a += 1
engines("stop")
try:
    float(a[0])
except np.EngineLostError as error:
    print("lost:", error)
""")
    assert "usage: %engines" in out and "\n1 rank\n" in out and "again: True" in out
    assert "lost: " in out and "was stopped by %engines stop" in out


def test_engines_with_a_stopped_rank_are_restarted(runtime):
    """The rank would be waited for without end."""
    out = run("""
import os, signal
import gamelan as np
engines("start -n 2")
a = np.random.default_rng(1).random(300_000)
before = float(a.sum())
ranks = np._session.engines().status()["processes"]
os.kill(next(each["pid"] for each in ranks if each["rank"] == 1), signal.SIGSTOP)
a *= 2
print(engines("restart -n 1").session["ranks"], "rank")
print("again:", float((a / 2).sum()) == before)
""")
    assert "1 rank\nagain: True" in out
    assert not processes_of(runtime)


def test_attach_takes_the_engines_that_run_or_lists_them(gamelan, runtime):
    assert "UsageError %engines attach WHERE: no engines run" in run('engines("attach")')
    gamelan("engines", "start", "-n", 1, "--session", "first")
    program = """
table = engines("attach")
print("ATTACHED", table and table.session["session"])
"""
    assert "ATTACHED first\n" in run(program)
    gamelan("engines", "start", "-n", 1, "--session", "second")
    out = run(program)
    assert "ATTACHED None" in out and "which engines? One of\n  %engines attach second   running, 1 rank on " in out, out
    assert "\n  %engines attach first   running, " in out, out
    told = gamelan("engines", "attach")
    assert told.returncode == 1 and "\n  gamelan engines attach first   running, " in told.stderr, told.stderr
    gamelan("engines", "stop", "second")
    used = run(
        'engines("attach"); import os; print("ME", os.getpid())\n'
        + f"""
import subprocess
print(subprocess.run([{str(COMMAND)!r}, "engines", "attach"], capture_output=True, text=True).stderr)
"""
    )
    me = re.search(r"ME (\d+)", used)[1]
    assert f"computes for process {me} on " in used, used
    gamelan("engines", "stop", "first")


def test_engines_of_others_are_stopped_by_name_only(gamelan, runtime):
    gamelan("engines", "start", "-n", 1, "--session", "theirs")
    out = run(
        """
engines("attach theirs"); engines("stop"); engines("restart")
import gamelan as np
print(float(np.ones(100_000).sum()))
import subprocess
told = subprocess.run([COMMAND, "engines", "stop"], capture_output=True, text=True)
print(told.returncode, told.stderr)
engines("stop theirs"); engines("stop")
""".replace("COMMAND", repr(str(COMMAND)))
    )
    assert "UsageError session theirs was not started by this notebook" in out and "%engines stop theirs" in out
    assert "started elsewhere" in out and "100000.0\n" in out, "a refusal changes nothing"
    assert "1 gamelan: session theirs computes for process" in out
    assert "engines of session theirs stopped\nno engines run" in out


def test_mistakes_end_the_cell_and_not_the_process(runtime):
    out = run("""
engines("tune"); engines("start -n 0"); engines("start --nope"); engines("start -p debug"); engines("start -n 'two")
engines("start --help"); engines("restart --what")
engines("start --heap lots")
print("still here")
""")
    assert out.count("UsageError") == 7 and "usage: %engines start" in out and out.endswith("still here\n")
    assert "--heap: got 'lots', expected bytes" in out
    assert not processes_of(runtime)


def test_explain_shows_the_plan_without_computing(runtime):
    out = run("""
import gamelan as np
shell.user_ns["np"] = np
engines("start -n 2")
shell.run_cell("a = np.ones(100_000)")
shell.run_line_magic("explain", "a * 2 + 1")
shell.run_cell_magic("explain", "", "b = a + 1")
print(shell.user_ns["b"].shape)
shell.run_line_magic("explain", "3")
plan = np.explain(shell.user_ns["b"] * 3)
print("shown as text:", len(repr(plan).splitlines()) > 1 and repr(plan) == str(plan))
""")
    assert "(100000,)" in out and "local" in out and "shown as text: True" in out
    assert len(out.splitlines()) > 4
