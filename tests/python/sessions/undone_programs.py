# SPDX-License-Identifier: BSD-3-Clause
"""Random programs of cells for %session undo, a notebook without a kernel that runs them, and the whole state of one: values,
what shares memory or is the same object, random numbers."""

import pickle
import sys
import types

import numpy

from gamelan import _core
from gamelan._local import is_distributed
from gamelan._saved._keeping import Snapshot
from gamelan._saved._saving import random_state
from gamelan._saved._undo import History

FIRST = """
import random, numpy
import gamelan as np
random.seed(5); numpy.random.seed(5); np.random.seed(5)
A = np.arange(4000.0); B = np.ones((40, 100)); C = A[::2]; V = B[1:, 3]
s = np.arange(6.0); t = s[2:]; n = numpy.zeros(4); m = n[1:]
k = [1, 2]; l = k; d = {"A": A, "k": k, "row": B[5]}; turn = 0
rng = np.random.default_rng(3); same = A
def f(x): return x + turn
class Box: pass
"""

STATEMENTS = """
A += {v}
A *= 0.5; A -= s[1]
C[{i}:] = {v}
A = A + 1
A = A[::-1] * 1.0
B[{i}] = A[:100]
B += V[:40, None][:39].sum()
V *= 2
B = B.copy(); V = B[1:, 3]
B.sort(axis=1)
C = np.concatenate([C, A[:7]])
D = A.reshape(40, 100) @ B.T
D = np.cumsum(A)
E = rng.random(3000); E[:5] = {v}
E = np.random.normal(size=2000)
small = rng.random(5)
r = random.random(), float(numpy.random.rand()), float(np.random.rand())
s[{j}] = {v}
t += 1
s = s * 2
n[{j}] += 3
m = numpy.append(m, 1.0)
k.append({v})
l = list(k)
k = l
d["x{j}"] = k
d["A"] = A
d["row"][{i}] = -1
d.pop("row")
del D
del E, d
del V
del A
same = A
same = same + 0
turn += 1
z = A.sum()
z = float(B.sum()) + turn
def f(x, y={v}): return x * y
f.mark = k
box = Box(); box.held = [A, k]
box.held[0][3] = {v}
A[A > 5] = 0
A.shape = (40, 100)
A = A.ravel()
gen = (x for x in k)
A[:50] = A[50:100]; 1 / 0
raise ValueError
""".strip().splitlines()


def random_cell(rng):
    lines = [rng.choice(STATEMENTS) for _ in range(rng.randint(1, 4))]
    return "\n".join(line.format(v=rng.randint(-9, 9), i=rng.randint(6, 30), j=rng.randint(0, 3)) for line in lines)


class Notebook:
    """Cells that run one after the other, and a way back."""

    def __init__(self):
        self.main = types.ModuleType("__main__")
        self.history, self.cells = History(), []

    def variables(self):
        return {name: value for name, value in vars(self.main).items() if not name.startswith("__")}

    def run(self, code):
        """A cell that may fail; false where an interrupt has ended it."""
        sys.modules["__main__"] = self.main
        is_whole = True
        try:
            try:
                exec(compile(code, "cell", "exec"), vars(self.main))
            except Exception:
                pass
            finally:
                _core.flush(True)
        except KeyboardInterrupt:
            is_whole = False
            _core.end_interrupted()
        except Exception:  # of the engines
            pass
        self.cells.append(code)
        self.history.note_cell(len(self.cells))
        if not _core.has_unfinished():
            self.keep()
        return is_whole

    def keep(self):
        """Cells that count for none, because they have changed nothing, are none of the program: it must be the same without."""
        self.history.add(self.history.state_of(Snapshot(self.variables(), 1 << 26, lambda: None)))
        del self.cells[len(self.history._cells) :]

    def undo(self, count=1):
        sys.modules["__main__"] = self.main
        undone = self.history.undo(count, self.variables())
        for name in undone.gone:
            del vars(self.main)[name]
        vars(self.main).update(undone.back)
        self.history.accept(undone)
        del self.cells[len(self.cells) - count :]
        self.keep()
        return undone


def state_of(notebook):
    """All that a program could see, in words and bytes."""
    found, places = [], {}
    for name, value in sorted(notebook.variables().items()):
        if not isinstance(value, (types.ModuleType, types.GeneratorType)):
            _look_at(name, value, found, places)
    return dict(found) | {"random": pickle.dumps({name: repr(_plain(each)) for name, each in random_state().items()})}


def _plain(state):
    return state.__getstate__() if hasattr(state, "__getstate__") and not isinstance(state, tuple) else state


def _look_at(path, value, found, places):
    is_first = id(value) not in places
    first = places.setdefault(id(value), path)
    if isinstance(value, numpy.ndarray):
        memory = ("engines", value._b.id) if is_distributed(value) else ("here", _root(value).ctypes.data)
        whose = places.setdefault(memory, path)
        if is_distributed(value) and value.ndim == 0:
            first, whose = "", ""  # a value of the engines comes back as a number
            found.append((path, float(value)))
            return
        found.append((path, (first, whose, str(value.dtype), value.shape, numpy.asarray(value).tobytes())))
    elif isinstance(value, (int, float, str, tuple, numpy.generic)):
        found.append((path, value if isinstance(value, (str, tuple)) else float(value)))
    elif not is_first:
        found.append((path, first))
    elif isinstance(value, (list, dict)):
        found.append((path, (type(value).__name__, list(value) if isinstance(value, dict) else len(value))))
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            _look_at(f"{path}[{key!r}]", each, found, places)
    elif isinstance(value, types.FunctionType):
        found.append((path, (value.__code__.co_code, value.__defaults__, value.__globals__ is vars(sys.modules["__main__"]))))
        _look_at(f"{path}.__dict__", value.__dict__, found, places)
    elif hasattr(value, "bit_generator"):
        found.append((path, repr(value.bit_generator.state)))
    elif isinstance(value, type):
        found.append((path, value.__name__))
    else:
        found.append((path, type(value).__name__))
        _look_at(f"{path}.__dict__", vars(value), found, places)


def _root(array):
    while isinstance(array.base, numpy.ndarray):
        array = array.base
    return numpy.asarray(array)
