# SPDX-License-Identifier: BSD-3-Clause
# %session: a notebook's variables saved by one kernel and loaded by another, with another number of engines.
import os
import re

import pytest

from notebook import Notebook
from test_with_engines import ENVIRONMENT

pytest.importorskip("cloudpickle", reason="python3-cloudpickle is not installed")
pytestmark = pytest.mark.timeout(120)

PROGRAM = """
import gamelan as np
import os.path as paths
from dataclasses import dataclass

a = np.ones((2000, 500))
b = a[1:]
small = np.arange(5)
tail = small[2:]
k, _own = 3, 4
generator = (each for each in ())
rng = np.random.default_rng(5)

@dataclass
class Model:
    weights: object

class Derived(Model):
    def total(self):
        return float(self.weights.sum()) + len(super().__repr__()[:1]) + k

def f(x, *, more=1):
    return x + k + more

def counter():
    n = 0
    def count():
        nonlocal n
        n += 1
        return n
    return count, lambda: n

def outer():
    def factorial(n):
        return n * factorial(n - 1) if n else 1
    return factorial

count, look = counter()
factorial = outer()
count()
model = Derived(b)
b[0] = 2
"""


@pytest.fixture(scope="module")
def saved(tmp_path_factory, own_home):
    """A folder that a kernel, which is gone, has saved the program's variables to."""
    folder = tmp_path_factory.mktemp("session") / "of a notebook"
    with Notebook(env=ENVIRONMENT) as notebook:
        assert notebook.run("%session").out.startswith("nothing is saved")
        assert notebook.run(PROGRAM, timeout=60).status == "ok"
        cell = notebook.run(f"%session save '{folder}'")
        assert re.search(r"^saved to .*of a notebook in \d+\.\d s: np, paths, dataclass, a, b, small, ", cell.out), cell.err
        assert cell.out.splitlines()[1] == "not saved: generator (a generator)" and not cell.err
        shown = notebook.run("%session").out
        assert re.search(r"^a +distributed array +2000 x 500 +float64$", shown, re.M) and "on 2 engines" in shown
        notebook.run("expected = rng.random(3).tolist()")
        folder.with_name("expected").write_text(notebook.run("expected").text)
    return folder


@pytest.fixture(scope="module")
def notebook(saved):
    with Notebook(env=ENVIRONMENT | {"GAMELAN_ENGINES": "3", "GAMELAN_IDLE_TIMEOUT": "60"}) as notebook:
        cell = notebook.run(f"k = 1\n%session load '{saved}'", timeout=60)
        assert cell.status == "ok", cell.err
        notebook.first = cell.out.splitlines()
        yield notebook


def test_what_was_replaced_and_what_is_missing_is_said(notebook):
    assert notebook.first[0].startswith("loaded from ")
    assert notebook.first[1:] == ["replaced: k", "were not saved: generator (a generator)"]


def test_arrays_and_values_are_as_they_were(notebook, saved):
    assert notebook.run("float(a.sum()), a.shape, b.shape, small.tolist(), k, _own").text == (
        "(1000500.0, (2000, 500), (1999, 500), [0, 1, 2, 3, 4], 3, 4)"
    )
    assert notebook.run("rng.random(3).tolist()").text == saved.with_name("expected").read_text()
    assert notebook.run("paths.join('a', 'b'), type(a).__name__").text == "('a/b', 'DistributedArray')"


def test_shared_memory_is_shared(notebook):
    assert notebook.run("b[5, 5] = 7; small[3] = 8; float(a[6, 5]), int(tail[1])").text == "(7.0, 8)"
    assert notebook.run("model.weights is b").text == "True"
    notebook.run("b[5, 5] = 1; small[3] = 3")


def test_functions_and_classes_are_the_notebooks_own(notebook):
    assert notebook.run("f(1), f(1, more=2), factorial(5)").text == "(5, 6, 120)"
    assert notebook.run("k = 10; f(1)").text == "12"  # it reads the notebook's k
    notebook.run("k = 3")
    assert notebook.run("count(), look()").text == "(2, 2)"
    told = notebook.run("model.__class__ is Derived, Derived(a[:0]).total(), Derived(a[2:3]).total()").text
    assert told == "(True, 4.0, 504.0)"


def test_some_and_none_are_overwritten(notebook, saved):
    notebook.run("k = 50; small = 0")
    assert notebook.run(f"%session load '{saved}' --only k,small --keep").out.splitlines()[1] == "left as they are: small, k"
    assert notebook.run("k, small").text == "(50, 0)"
    assert notebook.run(f"%session load '{saved}' --only k").out.splitlines()[1] == "replaced: k"
    assert notebook.run("k, small").text == "(3, 0)"
    assert "left as they are: np, " in notebook.run(f"%session load '{saved}' --keep").out


def test_errors_are_sentences(notebook, saved, tmp_path):
    for line, told in (
        (f"load '{tmp_path}'", "is no saved session"),
        (f"load '{tmp_path}/none'", "No such file or directory: .*none"),
        (f"load '{saved}' --only k,zz", "has no zz"),
        (f"save '{tmp_path}'", "something that is no saved session has this name"),
        (f"save '{tmp_path}/s' --only zz", "no variable zz"),
        ("save", "required: DIR"),
        ("no", "invalid choice"),
    ):
        cell = notebook.run(f"%session {line}")
        assert cell.ename == "UsageError" and re.search(told, cell.reply["evalue"]), (line, cell.reply)
    assert not os.listdir(tmp_path)


def test_help(notebook):
    assert "save | load | restore | undo | show" in notebook.run("%session help").out
    assert "--keep" in notebook.run("%session load --help").out
