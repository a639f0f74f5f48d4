# SPDX-License-Identifier: BSD-3-Clause
"""The bench at small sizes: every competitor computes what is stored; and the harness notices one that does not.

One process per competitor would take minutes: here all cases run in this one, and one test goes the long way through run.py.
"""

import json
import pathlib
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as xml

import pytest

import cases
import measure
import page
import pool
import run
import table
import worker

FOLDER = pathlib.Path(__file__).resolve().parent
RANKS = 3  # uneven blocks
SETTINGS = measure.Settings([1], repeats=1, is_smoke=True, threads=2, competitors=["numpy"], start_limit_s=30, run_limit_s=30)


@pytest.fixture(scope="module", params=worker.COMPETITORS)
def competitor(request):
    """Each competitor in turn; engines end with this process."""
    return worker.COMPETITORS[request.param](threads=2, ranks=RANKS)


@pytest.mark.parametrize("name", cases.NAMES)
def test_computes_what_is_stored(competitor, name):
    case = cases.load(name)
    try:
        answer = worker.Runner(competitor, case, case.smoke).run()
    except NotImplementedError as error:
        assert type(competitor) is not worker.Numpy, "NumPy can do every case"
        pytest.skip(str(error))
    assert measure.difference(answer["result"], case.expected, case.RTOL) == ""
    assert list(map(type, answer["result"])) == list(map(type, case.expected))
    assert answer["seconds"] > 0


@pytest.mark.parametrize("name", cases.NAMES)
def test_the_reference_computes_what_is_stored(name):
    case = cases.load(name)
    reference = pool.reference_worker(pool.BUILD / "bin" / "bench_reference", case.program, case.smoke, RANKS)
    try:
        reference.answer(30)
        answer = reference.run(30)
    finally:
        reference.stop()
    assert measure.difference(answer["result"], case.expected, case.RTOL) == ""
    assert answer["seconds"] > 0


def test_a_run_can_be_repeated():
    """compute() leaves its operands as they were, or says which it changes."""
    for name in cases.NAMES:
        case = cases.load(name)
        runner = worker.Runner(worker.Numpy(1, 1), case, case.smoke)
        assert runner.run()["result"] == runner.run()["result"], name


def test_harness_measures_in_turn_and_tells(tmp_path, monkeypatch):
    command = [sys.executable, str(FOLDER / "run.py"), "--smoke", "--cases", "stream,jacobi_stencil,small", "--ranks", "1,3",
               "--competitors", "numpy,numexpr,gamelan", "--out", str(tmp_path), "--junit", str(tmp_path / "j.xml")]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "10 passed, 0 failed, 0 skipped"
    results = json.loads((tmp_path / "results.json").read_text())
    assert set(results["cases"]) == {"stream", "jacobi_stencil"}
    for case in results["cases"].values():
        assert case["same_bits"] is True
        assert [len(record["seconds"]) for record in case["competitors"].values()] == [1, 1, 1, 1]
        assert case["competitors"]["gamelan-3"]["stats"]["steps"] > 0
    assert results["machine"]["cores"] > 0
    assert len(xml.parse(tmp_path / "j.xml").findall("testcase")) == 10

    costs = results["small"]["3"]
    assert costs["record_us"] > 0 and costs["round_trip_us"] > 0 and costs["local"]["a + b"]["ratio"] > 0
    assert [row["n"] for row in costs["sweep"]] == [1, 10, 100, 1000, 10**4, 10**5]

    file = tmp_path / "page.md"
    file.write_text("before\n\n<!-- bench: begin -->\nold\n<!-- bench: end -->\n\nafter\n")
    monkeypatch.setattr(page, "PAGE", file)
    for _ in range(2):
        run.write_docs(results)
        text = file.read_text()
        assert text.startswith("before\n\n<!--") and text.endswith("-->\n\nafter\n") and "old" not in text
        assert "| stream | 3 |" in text and "| 100,000 |" in text
    for figure in re.findall(r"\]\((.*?)\)", text):
        assert (tmp_path / figure).read_bytes().startswith(b"\x89PNG")
    assert len(list((tmp_path / "images").iterdir())) == 3  # NumPy, numexpr, sizes


def test_parameters_by_hand():
    case = cases.load("reduce_min")
    assert worker.parameters(case, ["n=10"], True) == {"n": 10, "op": "min"}
    with pytest.raises(ValueError, match="no parameter 'm'"):
        worker.parameters(case, ["m=10"], True)


def python_that(code):
    return pool.Worker("test", [sys.executable, "-c", code])


@pytest.mark.parametrize("code, why", [
    ("import sys; sys.exit('no such thing')", "ended with code 1: no such thing"),
    ("import time; time.sleep(60)", "no answer within 1 s"),
    ("print('Hello', flush=True); import time; time.sleep(60)", r"answered 'Hello\\n'"),
    ("import os; os.kill(os.getpid(), 9)", "ended with code -9"),
])  # fmt: skip
def test_a_worker_that_fails_is_an_error(code, why):
    bad = python_that(code)
    start = time.monotonic()
    try:
        with pytest.raises(pool.WorkerError, match=why):
            bad.answer(1 if why.startswith("no answer") else 20)
    finally:
        bad._process.kill()
        bad.stop()
    assert time.monotonic() - start < 30


def test_a_worker_that_hangs_is_ended(monkeypatch):
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('{}', flush=True); time.sleep(99)"
    bad = python_that(deaf)
    assert bad.answer(20) == {}
    monkeypatch.setattr(pool, "_STOP_LIMIT_S", 0.5)
    bad.stop()
    assert bad._process.poll() == -9


def test_one_worker_that_dies_leaves_the_others(monkeypatch):
    made = pool.python_worker

    def one_dies(competitor, *arguments):
        if competitor != "numexpr":
            return made(competitor, *arguments)
        return pool.Worker("numexpr", [sys.executable, "-c", "print('{\"ready\": true}', flush=True); input()"])

    monkeypatch.setattr(pool, "python_worker", one_dies)
    settings = measure.Settings([1], 2, True, 2, ["numexpr", "numpy"])
    records = measure.measure("stream", settings)["competitors"]
    assert records["numexpr"]["error"].startswith("ended with code 0")
    assert len(records["numpy"]["seconds"]) == 2 and records["numpy"]["wrong"] == ""


def test_another_result_is_noticed():
    records = {"numpy": {"result": [1.0, 2]}, "gamelan-2": {"result": [1.0 + 1e-6, 2]}, "gamelan-3": {"result": [1.0, 3]}}
    measure.judge(records, [1.0, 2], 1e-9)
    assert [bool(record["wrong"]) for record in records.values()] == [False, True, True]
    assert measure.same_bits(records) is False
    assert measure.difference([1], [1, 2], 1e-9) == "1 numbers, expected 2"
    assert measure.difference([float("nan")], [float("nan")], 1e-9) == ""
    assert measure.difference([1.0], [1], 1e-9) == "" and measure.difference([1 + 1e-12], [1], 1e-9) != ""


def test_a_missed_target_is_marked():
    def case(gamelan):
        records = {"numpy": {"median": 1.0}, "reference-2": {"median": 0.1}, "gamelan-2": {"median": gamelan, "wrong": ""}}
        return {"bytes": 2**30, "targets": {"numpy": 2.0, "reference": 1.3}, "same_bits": None, "competitors": records}

    settings = {"ranks": [2], "is_smoke": False}
    fast, slow = list(table.rows({"settings": settings, "cases": {"fast": case(0.125), "slow": case(1.0)}}))
    assert (fast[3], fast[4], fast[7]) == ("8.00", "8.00", "1.25")
    assert (slow[4], slow[7]) == ("1.00!", "10.00!")
