# SPDX-License-Identifier: BSD-3-Clause
# What a new user meets in the first hour: texts that name the way out, where arrays lie and how much they hold, misspelt
# names, another NumPy, IPython 9, libraries that ask for ipykernel.
import re
import subprocess
import time

import pytest
from gamelan._version import NUMPY_HEADERS

from notebook import BUILD, Notebook, wait_until
from test_with_engines import ENVIRONMENT

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module")
def shared(own_home):
    with Notebook(env=ENVIRONMENT | {"GAMELAN_IDLE_TIMEOUT": "60"}) as notebook:
        code = "import gamelan as np\na = np.ones((1000, 2000))\nb = a[::2]\nsmall = np.ones(5)\nm = np.ones((1500, 1500))\nfloat(a.sum())"
        assert notebook.run(code, timeout=60).text == "2000000.0"
        yield notebook


def traceback_of(cell):
    return re.sub(r"\x1b\[[\d;]*m", "", "\n".join(cell.of_type("error")[0]["traceback"]))


def test_what_an_interrupt_has_cost_names_its_line_and_the_way_out(shared):
    for _ in range(10):  # until the second interrupt comes while the engines work at what the first has left
        cell = shared.send("c = big = np.ones((2500, 2500))\nfor i in range(100_000):\n    c = c @ big * 1e-9\n")
        shared.until(cell, lambda c: c.of_type("display_data"), timeout=20)
        shared.control("interrupt_request")
        shared.finish(cell)
        number = cell.reply["execution_count"]
        again = shared.send("np.sync()")
        time.sleep(0.02)
        shared.control("interrupt_request")
        shared.finish(again)
        told = shared.run("float(c[0, 0])")
        if told.ename is not None:
            break
    assert told.ename == "CancelledError"
    expected = (
        f"Lost: interrupted before it was computed (In [{number}], line 3). Run again what made it; `np.sync()` in a loop keeps "
        "intermediate values."
    )
    assert told.reply["evalue"] == expected
    assert "/gamelan/" not in traceback_of(told)


def test_status_in_another_process_says_what_computes(shared):
    cell = shared.send("for i in range(100_000): c = m @ m")
    told = []

    def asked():
        done = subprocess.run([BUILD / "bin/gamelan", "engines", "status"], capture_output=True, text=True, timeout=20)
        told.append(done.stdout)
        return re.search(r"computing: In \[\d+\], line 1, pass", done.stdout)

    try:
        wait_until(asked, 15, "what computes")
    finally:
        shared.control("interrupt_request")
        shared.finish(cell)
    assert re.search(
        r"computing: In \[\d+\], line 1, pass \d+ of \d+ of its batch, [\d,]+ recorded operations? to do, for \d+ s", told[-1]
    )
    told.clear()
    shared.run("np.sync()")  # what the interrupt has left to compute
    assert not asked() and "computing: " not in told[0]


def test_whos_says_where_arrays_lie(shared):
    lines = {line.split()[0]: line for line in shared.run("%whos").out.splitlines() if line}
    assert lines["a"].endswith(", on 2 engines") and lines["small"].endswith(", here")
    assert "engines" not in lines["np"]


def test_memory_of_names(shared):
    shared.run("a")
    table = shared.run("%engines memory").text
    rows = {line.split()[0]: line for line in table.splitlines()[1:]}
    assert "15.3 MiB" in rows["a"] and "2 engines" in rows["a"] and "here" in rows["small"], table
    assert "shares the memory of a" in rows["b"] and any(name.startswith("Out[") for name in rows), table
    assert re.search(r"The engines hold [\d.]+ MiB of [\d.]+ GiB", table), table
    assert "<table" in shared.run("%engines memory").result["text/html"]


def test_size_counts_what_is_held_here(shared):
    told = shared.run("import sys\nx = np.ones(1000)\nsys.getsizeof(x) >= x.nbytes, sys.getsizeof(a) < 1000").text
    assert told == "(True, True)"


@pytest.mark.parametrize(
    "code, near", [("np.arrange(3)", "arange"), ("np.linalg.lstqs(a, a)", "lstsq"), ("np.random.radnom(3)", "random")]
)
def test_a_misspelt_name_shows_no_frames_of_ours_and_the_near_name(shared, code, near):
    cell = shared.run(code)
    text = traceback_of(cell)
    assert cell.ename == "AttributeError" and text.count(f"Did you mean: '{near}'?") == 1
    assert "/gamelan/" not in text and "__getattr__" not in text and code in text


def test_a_name_that_is_near_none(shared):
    assert shared.run("np.qqqqqqq").reply["evalue"] == "module 'gamelan' has no attribute 'qqqqqqq'"
    assert shared.run("hasattr(np, 'arrange'), getattr(np, '_private', 7)").text == "(False, 7)"


def test_too_large_an_array_is_told_with_its_shape(shared):
    cell = shared.run("np.zeros(10**14)")
    assert cell.ename == "MemoryError"
    assert re.match(
        r"Unable to allocate 728 TiB for an array with shape \(100000000000000,\) and data type float64", cell.reply["evalue"]
    )


def test_a_roll_by_a_float_says_what_numpy_says(shared):
    """NumPy 1 refuses it in words that speak of slices; NumPy 2 rolls."""
    ours, theirs = (
        shared.run(f"import numpy\nx = {code}; x[:2]") for code in ("np.roll(a, 2.0)", "numpy.roll(numpy.ones(a.shape), 2.0)")
    )
    assert (ours.ename, ours.reply.get("evalue"), ours.text) == (theirs.ename, theirs.reply.get("evalue"), theirs.text)


def test_timing_where_ipython_reads_its_clocks_at_each_use(own_home):
    """As IPython 9 does: `execution` has no clock2 of its own."""
    with Notebook() as notebook:
        notebook.run(
            "from gamelan_kernel import magics\nfrom IPython.core.magics import execution\nfrom IPython.utils import timing"
        )
        notebook.run("theirs = timing.clock2\ndel execution.clock2")
        assert (
            notebook.run("with magics._flushing_clocks(): print(timing.clock2 is theirs, len(timing.clock2()))").out
            == "False 2\n"
        )
        assert notebook.run("timing.clock2 is theirs").text == "True"
        assert notebook.run("%timeit -n 1 -r 1 pass").status == "ok"


def test_parsers_of_timing_magics_are_kept(shared):
    """IPython 9 finds the options of %time at the magic."""
    code = (
        "from gamelan_kernel import magics\ndef time(): pass\nmagics.execution.ExecutionMagics.time.parser = 5\n"
        "magics._as_theirs(time)\ndel magics.execution.ExecutionMagics.time.parser\ntime.parser, bool(time.__doc__)"
    )
    assert shared.run(code).text == "(5, True)"


def test_another_numpy_is_told_in_one_sentence(own_home, tmp_path):
    newest = 2 if NUMPY_HEADERS.startswith("2.") else 1
    version = f"{newest + 1}.4.6"
    (tmp_path / "numpy.py").write_text(f"__version__ = '{version}'\n")
    with Notebook(env={"PYTHONPATH": str(tmp_path)}) as notebook:
        cell = notebook.run("import gamelan as np")
        assert cell.ename == "ImportError"
        assert re.match(
            rf"This Gamelan is for NumPy up to {newest}\.x; this Python has {version}\. Run `\S+ -m pip install 'numpy<{newest + 1}'`",
            cell.reply["evalue"],
        )
        assert "/gamelan/" not in traceback_of(cell) and "_ARRAY_API" not in cell.err
        assert notebook.run("print(2)").out == "2\n"


def test_the_stand_in_for_ipykernel_has_what_libraries_read(fresh):
    code = (
        "import sys\nfrom gamelan_kernel import comms\nfind = comms.importlib.util.find_spec\n"
        "comms.importlib.util.find_spec = lambda name, *rest: None if name == 'ipykernel' else find(name, *rest)\n"
        "for name in [name for name in sys.modules if name.split('.')[0] == 'ipykernel']: del sys.modules[name]\n"
        "comms.take_over_ipykernel()\ncomms.importlib.util.find_spec = find\n"
        "import ipykernel\nfrom ipykernel.comm import Comm\n"
        "ipykernel.version_info >= (6, 18), ipykernel.__version__.startswith('6.'), Comm is comms.Comm"
    )
    cell = fresh.run(code)
    assert cell.text == "(True, True, True)", cell.reply
