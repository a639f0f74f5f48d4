# SPDX-License-Identifier: BSD-3-Clause
"""%session undo: the state before the last cells is that of a fresh run without them. GAMELAN_TEST_ROUNDS=300 and
GAMELAN_TEST_SEED choose more programs and others."""

import os
import random
import signal
import sys
import threading
import time

import pytest

import gamelan as np
from gamelan import _core
from gamelan._saved import _undo
from gamelan._saved._keeping import pickled
from gamelan._saved._loading import set_random_state
from gamelan._saved._pickling import Unpickler
from gamelan._saved._saving import random_state
from undone_programs import FIRST, Notebook, random_cell, state_of

ROUNDS = int(os.environ.get("GAMELAN_TEST_ROUNDS", "8"))
SEED = int(os.environ.get("GAMELAN_TEST_SEED", "1"))
LOOP = "for turn in range(200_000): A *= 0.999; k.append(turn); s[1] += 1; B[3] += A[:100]"


@pytest.fixture(autouse=True)
def real_engines(engine, ranks, monkeypatch):
    if not ranks:
        pytest.skip("needs engines")
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    with np.options(distribute_from=1000):
        yield
    signal.signal(signal.SIGINT, handler)


def require_same_as_a_fresh_run(notebook, gone):
    """What the other run does to the state of random numbers is put right."""
    mine = state_of(notebook)
    before = pickled(random_state(), None, ())
    other = Notebook()
    other.keep = lambda: None
    for code in notebook.cells:
        other.run(code)
    expected = state_of(other)
    sys.modules["__main__"] = notebook.main
    set_random_state(Unpickler(before, None).load())
    names = mine.keys() | expected.keys()
    wrong = [(name, mine.get(name), expected.get(name)) for name in names if mine.get(name) != expected.get(name)]
    program = "\n".join([*notebook.cells, "# undone:", *gone])
    assert not wrong, f"{program}\n{[str(each)[:300] for each in wrong]}"


@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", range(SEED, SEED + ROUNDS))
def test_random_programs(seed):
    rng = random.Random(seed)
    notebook = Notebook()
    notebook.run(FIRST)
    for _ in range(12):
        for _ in range(rng.randint(1, 3)):
            notebook.run(random_cell(rng))
            if seed % 2:
                _core.log_arrays()  # forgets what nobody needs
        count = min(rng.choice([1, 1, 1, 2, 3]), len(notebook.cells) - 1)
        if count == 0:  # cells that have changed nothing
            continue
        gone = notebook.cells[-count:]
        undone = notebook.undo(count)
        assert not undone.lost.keys() - {"gen"}, undone.lost
        require_same_as_a_fresh_run(notebook, gone)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", range(SEED, SEED + ROUNDS))
def test_an_interrupt_in_the_cell(seed):
    rng = random.Random(seed)
    notebook = Notebook()
    notebook.run(FIRST)
    notebook.run(random_cell(rng))

    def interrupt():
        time.sleep(rng.random() * 0.3)
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=interrupt)
    sender.start()
    try:
        is_whole = notebook.run(f"{FIRST}\n{LOOP}")
    finally:
        sender.join()
    assert not is_whole
    gone = notebook.cells[-1:]
    notebook.undo()
    require_same_as_a_fresh_run(notebook, gone)


@pytest.fixture
def computed(monkeypatch):
    """How many commands each undo computes again."""
    counts = []
    monkeypatch.setattr(_undo, "_tell", lambda commands, seconds: counts.append(commands))
    return counts


def test_what_lies_on_the_engines_is_not_computed_again(computed):
    notebook = Notebook()
    notebook.run("import gamelan as np\na = np.ones(5000)\nfor _ in range(300): a += 1\nb = a * 2\nc = a[5:]")
    held = vars(notebook.main)["a"]
    notebook.run("b -= 7; n = 1; del a")
    undone = notebook.undo()
    names = vars(notebook.main)
    assert computed == [1] and undone.computed == ["b"] and undone.gone == ["n"]
    assert names["a"] is held and float(names["b"][9]) == 602 and names["c"].base is held
    notebook.run("a *= 1; a += b")
    notebook.undo()
    assert computed == [1, 301] and float(names["a"][7]) == 301 and names["c"].base is names["a"] and names["b"][9] == 602


def test_an_interrupt_of_the_undo_changes_nothing(monkeypatch):
    notebook = Notebook()
    notebook.run("import gamelan as np\na = np.ones(5000); n = 1")
    notebook.run("a += 1; n = 2; m = 3")

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_undo, "_tell", interrupt)
        with pytest.raises(KeyboardInterrupt):
            notebook.undo()
    names = vars(notebook.main)
    assert (names["n"], names["m"], float(names["a"][3])) == (2, 3, 2.0)
    notebook.undo()
    assert (names["n"], "m" in names, float(names["a"][3])) == (1, False, 1.0)


def test_a_mark_keeps_what_nobody_else_needs():
    notebook = Notebook()
    notebook.run("import gamelan as np\na = np.ones(5000)\nfor _ in range(200): a = a + 1")
    notebook.run("a = np.zeros(5000)")
    _core.log_arrays()  # forgets what nobody needs
    assert _core.stats()["log_commands"] >= 201
    assert float(notebook.undo().back["a"][2]) == 201
    notebook.history.forget()
    notebook.run("a = np.zeros(5000)")
    _core.log_arrays()
    assert _core.stats()["log_commands"] < 100


def test_the_log_is_bounded_and_what_cannot_come_back_is_named():
    notebook = Notebook()
    notebook.run("import gamelan as np\na = np.ones(5000); untouched = a * 3; n = 0")
    with np.options(log_bytes=20_000):
        for _ in range(30):
            notebook.run("for _ in range(100): a = a * 1.5 - a.mean()\nn += 1")
            _core.set_log_limit(20_000)
        assert _core.stats()["log_bytes"] <= 20_000
        undone = notebook.undo(25)
    names = vars(notebook.main)
    assert undone.lost["a"].startswith(
        "its distributed array cannot be computed again: the log of its session had become too long"
    )
    assert names["n"] == 5 and float(names["untouched"][4]) == 3


def test_a_checkpoint_ends_the_way_back_of_what_has_changed(tmp_path):
    notebook = Notebook()
    notebook.run("import gamelan as np\na = np.ones(5000); b = np.ones(5000); k = [1]")
    notebook.run("a += 1; k.append(2)")
    with np.options(protect=str(tmp_path)):
        np.checkpoint()
    undone = notebook.undo()
    names = vars(notebook.main)
    assert "a checkpoint has been made since then" in undone.lost["a"] and list(undone.lost) == ["a"] and names["k"] == [1]
    assert float(names["b"][1]) == 1 and float(names["a"][1]) == 2


def test_states_are_bounded():
    notebook = Notebook()
    with np.options(kept_bytes=1_000_000):
        notebook.run("import gamelan as np\nbig = np.zeros(900, 'u1').tobytes() * 100; k = 0")
        for number in range(60):
            notebook.run(f"big = bytes([{number}]) * 90_000; k += 1")
        assert 8 <= len(notebook.history._states) <= 12
        with pytest.raises(LookupError, match=r"before cell \[20\] is not kept"):
            notebook.undo(42)
    notebook = Notebook()
    notebook.run("k = 0; same = bytes(90_000)")
    for _ in range(80):
        notebook.run("k += 1")
    assert len(notebook.history._states) == _undo.MOST_STATES
    assert len({id(data) for state in notebook.history._states for data in state.pickles() if len(data) > 90_000}) == 1


def test_a_state_that_was_not_kept_is_not_skipped():
    notebook = Notebook()
    notebook.run("k = 0")
    keep, notebook.keep = notebook.keep, lambda: None
    notebook.run("k = 1")
    notebook.keep = keep
    notebook.run("k = 2")
    with pytest.raises(LookupError, match=r"before cell \[3\] is not kept.*undo 2 goes back to the state before cell \[2\]"):
        notebook.undo()
    assert vars(notebook.main)["k"] == 2
    notebook.undo(2)
    assert vars(notebook.main)["k"] == 0


def test_dead_arrays_are_not_held():
    notebook = Notebook()
    notebook.run("import gamelan as np\na = np.ones(500_000)")
    before = np.stats()["arrays"]
    for _ in range(10):
        notebook.run("a = a + 1")
    assert np.stats()["arrays"] == before


def test_what_the_log_has_lost_is_named():
    notebook = Notebook()
    before = np.config.log_bytes
    try:
        notebook.run("import gamelan as np, numpy")
        np.config.log_bytes = 300_000
        notebook.run("z = np.asarray(numpy.ones(200_000)); q = z + 1; np.sync()")
        notebook.run("h = 0")
        notebook.run("z += 1; q += 5; h = 1")
        undone = notebook.undo()
    finally:
        np.config.log_bytes = before
    assert set(undone.lost) == {"z", "q"} and "had no room for them" in undone.lost["z"]
    assert notebook.main.h == 0
