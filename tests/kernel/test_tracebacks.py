# SPDX-License-Identifier: BSD-3-Clause
# A traceback shows the user's lines and the exception: no frames of gamelan, nor of NumPy and IPython below them.
import os
import re
import signal
import time

import pytest

from notebook import wait_until
from test_with_engines import LONG, engine_pids, start

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module")
def shared(own_home):
    with start() as notebook:
        notebook.run("import numpy\nbig, small = np.ones((300, 300)), np.ones((3, 3))")
        yield notebook


@pytest.fixture
def fresh(own_home):
    with start() as notebook:
        yield notebook


def told(cell):
    """The traceback of a cell's first error the places that its frames name, and their marked lines; and its text."""
    text = re.sub(r"\x1b\[[\d;]*m", "", "\n".join(cell.of_type("error")[0]["traceback"]))
    places = re.findall(r"^(?:Cell (?:In )?\[?|File |Input )(.*?)(?:, in .*)?$", text, re.M)
    marked = [line.split(None, 2)[2] for line in text.splitlines() if re.match(r"-+> \d", line)]
    return places, marked, text


@pytest.mark.parametrize("code, name", [
    ("big @ np.ones((299, 300))", "ValueError"), ("small @ np.ones((4, 3))", "ValueError"), ("big.reshape(7, 7)", "ValueError"),
    ("np.reshape(small, 7)", "ValueError"), ("float(big)", "TypeError"), ("bool(big)", "ValueError"), ("big[400]", "IndexError"),
    ("big[[400]] = 1", "IndexError"), ("big['x']", "IndexError"), ("np.sum(big, axis=5)", "AxisError"), ("np.median(big, axis=5)", "AxisError"),
    ("numpy.sum(big, axis=5)", "AxisError"), ("np.zeros(-1)", "ValueError"), ("np.load('/nowhere.npy')", "FileNotFoundError"),
    ("np.config.nothing = 1", "AttributeError"), ("np.config.engines = -1", "ValueError"), ("big.shape = 7", "ValueError"),
    ("np.einsum('ij,jk', big, a)", "ValueError"), ("np.linalg.inv(a)", "LinAlgError"), ("a + np.array([None])", "NotImplementedError"),
    ("np.testing.assert_allclose(big, big + 1)", "AssertionError"), ("np.random.default_rng().normal(scale=-1)", "ValueError"),
    ("np.ones(9)[np.ones(3) > 0]", "IndexError"), ("np.concatenate([big, a])", "ValueError"), ("np.no_such_name", "AttributeError"),
])  # fmt: skip
def test_it_ends_at_the_users_line(shared, code, name):
    cell = shared.run(f"x = 1\n{code}")
    assert cell.ename == name, cell.reply
    places, marked, text = told(cell)
    assert len(places) == 1 and marked == [code], text


def test_lines_of_the_user_below_gamelan_stay(shared):
    places, marked, text = told(shared.run("def f(v):\n    return 1 / 0\nnp.apply_along_axis(f, 0, small)"))
    assert len(places) == 2 and marked == ["np.apply_along_axis(f, 0, small)", "return 1 / 0"], text


def test_frames_of_others_stay(shared):
    """NumPy's own errors are not our affair."""
    places, _, text = told(shared.run("numpy.sum(numpy.ones(3), axis=5)"))
    assert len(places) > 2 and "fromnumeric.py" in text


def test_the_cause_of_an_error_is_cut_as_well(shared):
    _, marked, text = told(shared.run("try:\n    big.reshape(7, 7)\nexcept ValueError:\n    small[9]"))
    assert marked == ["big.reshape(7, 7)", "small[9]"] and "During handling" in text and "/gamelan/" not in text, text


@pytest.mark.parametrize("change, name", [
    ("del _reshape.resolve_shape", "NameError"),
    ("def fail(*_): raise np.InternalError('of ours')\n_reshape.resolve_shape = fail", "InternalError"),
    ("_reshape.resolve_shape = lambda *_: None\ndel _reshape._core", "NameError"),
])  # fmt: skip
def test_what_may_be_a_defect_keeps_its_frames(shared, change, name):
    shared.run("from gamelan._views import _reshape\nbefore = dict(vars(_reshape))")
    try:
        cell = shared.run(f"{change}\nbig.reshape(7)")
        assert cell.ename == name and "_reshape.py" in told(cell)[2], cell.reply
    finally:
        shared.run("vars(_reshape).update(before)")


def test_verbose_shows_all(shared):
    shared.run("%xmode Verbose")
    try:
        assert "_reshape.py" in told(shared.run("big.reshape(7, 7)"))[2]
    finally:
        shared.run("%xmode Context")


def test_an_interrupt_of_sync(shared):
    cell = shared.send(LONG + "\nnp.sync()")
    time.sleep(1.5)
    shared.control("interrupt_request")
    shared.finish(cell)
    places, marked, text = told(cell)
    assert cell.ename == "KeyboardInterrupt" and len(places) == 1 and len(marked) == 1, text


def lose_engines(notebook):
    """Ends them for good: no log, so that their arrays cannot be computed again."""
    notebook.run("np.config.log_bytes = 0")
    pids = engine_pids(notebook)
    os.kill(pids[0], signal.SIGKILL)
    wait_until(lambda: notebook.run("np._core.hear_of_end(); np._core.is_connected()").text == "False", 20, "engines gone")


def test_lost_engines_name_the_line_that_asked(fresh):
    fresh.run("x = a + 1\nnp.sync()\ndef g():\n    display(x)\n")
    lose_engines(fresh)
    for code, expected in (
        ("x", ["x"]),
        ("1\nx", ["x"]),
        ("y = 1\nprint(x)", ["print(x)"]),
        ("display(x)\n2", ["display(x)"]),
        ("g()", ["g()", "display(x)"]),
        ("float(x[0])", ["float(x[0])"]),
    ):
        places, marked, text = told(fresh.run(code))
        assert "EngineLostError" in text and marked == expected and len(places) == len(expected), text


def test_engines_that_die_before_the_end_of_a_cell(fresh):
    fresh.run("np.config.log_bytes = 0")
    cell = fresh.run(f"import os\nos.kill({engine_pids(fresh)[0]}, 9)\ny = a + 1\nif True:\n    y = y * 2", timeout=60)
    places, marked, text = told(cell)
    assert cell.ename == "EngineLostError" and len(places) == 1 and len(marked) == 1 and "/gamelan/" not in text, text


def test_an_error_at_the_end_of_a_cell_that_raised_names_a_line_that_has_run(fresh):
    fresh.run("import sys\nsession = sys.modules['gamelan._session']\ndef late():\n    raise ValueError('late')")
    cell = fresh.run("session.flush_cell = late\n1 / 0\nprint('never run')")
    assert [error["ename"] for error in cell.of_type("error")] == ["ZeroDivisionError", "ValueError"]
    text = re.sub(r"\x1b\[[\d;]*m", "", "\n".join(cell.of_type("error")[1]["traceback"]))
    assert [line.split(None, 2)[2] for line in text.splitlines() if re.match(r"-+> \d", line)] == ["1 / 0"], text


def test_libraries_whose_names_begin_as_numpys_are_the_users(fresh):
    folder = "import numpy, os\nfolder = os.path.dirname(numpy.__file__) + '_financial'\n"
    library = "exec(compile('def rates(v):\\n    return v.reshape(7)', folder + '/rates.py', 'exec'))\n"
    cell = fresh.run(folder + library + "rates(np.ones((300, 300)))")
    places, marked, text = told(cell)
    assert any("_financial" in place for place in places), text


def test_a_defect_that_is_a_cause_keeps_its_frames(fresh):
    fresh.run("import gamelan._session as session\nexec(compile('def slip():\\n    assert False', session.__file__, 'exec'))")
    cell = fresh.run("try:\n    slip()\nexcept AssertionError as error:\n    raise ValueError('above') from error")
    assert "_session.py" in told(cell)[2]


@pytest.mark.parametrize("code", ["x", "x.sum()", "display(x)\nprint('went on')"])
def test_a_cell_that_cannot_show_its_result_fails_once(fresh, code):
    fresh.run("x = a + 1\nnp.sync()")
    lose_engines(fresh)
    cell = fresh.run(code)
    assert cell.ename == "EngineLostError", cell.reply
    assert len(cell.of_type("error")) == 1 and not cell.of_type("execute_result")
    assert cell.out == ("went on\n" if "print" in code else "")


def test_a_display_of_the_users_own_that_fails_does_not_fail_the_cell(shared):
    """As in IPython."""
    code = "class Broken:\n    def _repr_html_(self):\n        raise ValueError('no picture')\n"
    cell = shared.run(code + "Broken()")
    assert cell.status == "ok" and len(cell.of_type("error")) == 1
