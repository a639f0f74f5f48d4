# SPDX-License-Identifier: BSD-3-Clause
"""Calls that are mistakes, with the exception that NumPy and we raise: what the Raises sections are compared with."""

import ast
import contextlib
import inspect
import io
import operator
import re
import warnings

import numpy

import gamelan
import kinds_values
from kinds_calls import every_call

# What the changed calls of kinds_calls do not reach: exception, call.
_CALLS = """
AttributeError np.from_dlpack(5)
IndexError np.put_along_axis(x, np.array([[9]]), 1.0, 0)
IndexError np.add.at(x, 99, 1)
IndexError np.add.reduceat(x, [99])
KeyError np.require(x, requirements=['nonsense'])
NotImplementedError np.random.default_rng(5).shuffle([1, 2], axis=1)
OSError np.load('/nowhere/a.npy')
OSError np.loadtxt('/nowhere/a')
OSError np.genfromtxt('/nowhere/a')
OSError np.fromfile('/nowhere/a')
OSError np.save('/nowhere/a.npy', x)
OSError np.savez('/nowhere/a.npz', x)
OSError np.savez_compressed('/nowhere/a.npz', x)
OSError np.savetxt('/nowhere/a', x)
OSError x.tofile('/nowhere/a')
OSError x.dump('/nowhere/a')
TypeError np.copyto(i, x)
TypeError np.digitize(x * 1j, [0.0, 1.0])
TypeError np.hstack([x, x], dtype='i8', casting='safe')
TypeError np.mask_indices('a', np.triu)
TypeError np.random.bytes('a')
TypeError np.stack([x, x], dtype='i8', casting='safe')
TypeError np.tri('a')
TypeError np.vstack([x, x], dtype='i8', casting='safe')
TypeError np.row_stack([x, x], dtype='i8', casting='safe')
ValueError np.arange(0, 1e300)
ValueError np.array2string(x, precision=-1)
ValueError np.average(x, axis=1, weights=np.ones(7))
ValueError np.array_repr(x, precision=-1)
ValueError np.around(x, 1, np.ones(3))
ValueError np.round_(x, 1, np.ones(3))
ValueError np.ascontiguousarray([[1], [1, 2]])
ValueError np.asfarray([[1], [1, 2]])
ValueError np.asfortranarray([[1], [1, 2]])
ValueError np.atleast_1d([[1], [1, 2]])
ValueError np.atleast_2d([[1], [1, 2]])
ValueError np.atleast_3d([[1], [1, 2]])
ValueError np.amax(np.ones(0))
ValueError np.copyto(x, np.ones((7, 5)))
ValueError np.fill_diagonal(np.ones(3), 1)
ValueError np.fix(x, np.ones(3))
ValueError np.genfromtxt(io.StringIO('1 2\\n3'))
ValueError np.isneginf(x, np.ones(3))
ValueError np.isposinf(x, np.ones(3))
ValueError np.linalg.tensorinv(q, 0)
ValueError np.linalg.matrix_rank(np.ones((0, 3)))
ValueError np.load(io.BytesIO(b'no array'))
ValueError np.loadtxt(io.StringIO('a b'))
ValueError np.max(np.ones(0))
ValueError np.outer(x, x, np.ones(3))
ValueError np.place(x, x > 1, [])
ValueError np.ptp(np.ones(0))
ValueError np.put_along_axis(x, np.array([[0]]), np.ones((7, 5)), 0)
ValueError np.putmask(ro, x > 1, 2.0)
ValueError np.random.bytes(-1)
ValueError np.random.random_integers(5, 1)
ValueError np.random.seed(-1)
ValueError np.random.set_state(('nonsense', 1, 2))
ValueError np.require(x, requirements=['C', 'F'])
ValueError np.random.default_rng(5).integers(5, 1)
ValueError np.random.default_rng(5).multivariate_hypergeometric([3, 2], 9)
ValueError np.random.RandomState(5).tomaxint(-3)
ValueError np.linalg.matrix_transpose(np.ones(3))
ValueError np.linalg.outer(np.ones((2, 2)), np.ones(2))
ValueError ro.fill(1.0)
ValueError ro.itemset(3, 2.0)
ValueError x.T.view('f4')
ValueError x.conj(np.ones(3))
ValueError x.conjugate(np.ones(3))
ValueError x.item()
ValueError rb.setflags(write=True)
ValueError np.array_str(x, precision=-1)
TypeError np.concatenate([x, x], dtype='i8', casting='safe')
ValueError np.random.default_rng(5).shuffle(ro)
ValueError np.random.shuffle(ro)
ZeroDivisionError np.arange(1, 2, 0)
"""
_ODD = {
    **dict.fromkeys(("mode", "kind", "method", "norm", "ord", "casting", "indexing", "side"), "'nonsense'"),
    **dict.fromkeys(("UPLO", "order", "bitorder"), "'X'"),
    **dict.fromkeys(("axis", "axis1"), "99"),
    "axes": "(99,)",
}
_ARRAYS = "np.ones((7, 5)); np.ones(0); np.ones((7, 5, 3)); np.array(1); np.array([99, -99]); np.full((3, 3), np.nan); np.zeros((3, 3))".split(
    "; "
)
_GROUPS = ("functions", "linalg", "fft", "random", "methods")


def _others(argument):
    """Texts that may stand in the place of an argument: of its kind, with a wrong value."""
    if isinstance(argument, ast.Constant):
        return ["'nonsense'"] if isinstance(argument.value, str) else [] if isinstance(argument.value, bool) else ["99", "-99"]
    if isinstance(argument, (ast.Tuple, ast.List)):
        plain = all(isinstance(each, ast.Constant) for each in argument.elts)
        return ["(7, 99)", "(-7, -99)"] if plain else ["[np.ones((2, 2)), np.ones((3, 5, 2))]", "[]"]
    return [] if isinstance(argument, ast.Lambda) else ["99"] if isinstance(argument, ast.UnaryOp) else _ARRAYS


def _changed(text, taken):
    """The call with one argument after the other replaced."""
    call = ast.parse(text, mode="eval").body

    def parsed(other):
        return ast.parse(other, mode="eval").body

    for place, argument in enumerate(call.args):
        for other in _others(argument):
            yield ast.Call(call.func, [*call.args[:place], parsed(other), *call.args[place + 1 :]], call.keywords)
    for name in _ODD.keys() & taken - {each.arg for each in call.keywords}:
        yield ast.Call(call.func, call.args, [*call.keywords, ast.keyword(name, parsed(_ODD[name]))])


def name_of(text):
    """The name, as in docstring_functions, of what a call calls; "" when it calls nothing."""
    found = re.match(r"np\.([\w.]+)\(|.*?[\w)\]]\.(\w+)\(", text)
    if not found:
        return ""
    name = found[1] or f"ndarray.{found[2]}"
    if name.startswith("random.default_rng"):
        return "random.Generator." + re.search(r"\)\.(\w+)\(", text)[1]
    if name.startswith("random.RandomState"):
        return "random.RandomState." + re.search(r"\)\.(\w+)\(", text)[1]
    if re.fullmatch(r"add\.\w+", name):
        return name.replace("add", "ufunc")
    return name.replace("random.", "random.RandomState.") if name.startswith("random.") else name


def operands(text):
    """The operands that a call names, as arrays of ours."""
    names = kinds_values.names(gamelan) | {"io": io, "numpy": numpy}
    for letter, data in (kinds_values.DATA | {"ro": "n.arange(12.0).reshape(3, 4)"}).items():
        if re.search(rf"\b{letter}\b", text):
            names[letter] = gamelan.array(eval(data, {"n": numpy}))
    if re.search(r"\brb\b", text):
        names["rb"] = gamelan.frombuffer(b"12345678", "u1")
    if "ro" in names:
        names["ro"].flags.writeable = False
    return names


def error_of(text):
    """The exception that a call raises, None when it raises none."""
    with warnings.catch_warnings(), numpy.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            eval(text, operands(text))
        except Exception as error:
            return error
    return None


def mistakes():
    """[(the name of what is called, the call)]."""
    found = [(name_of(call), call) for _, call in (line.split(" ", 1) for line in _CALLS.strip().splitlines())]
    for group in _GROUPS:
        for text in every_call()[group][0]:
            if not isinstance(ast.parse(text, mode="eval").body, ast.Call) or "OUT" in text or not name_of(text):
                continue
            try:
                taken = inspect.signature(
                    operator.attrgetter(name_of(text).replace("ndarray.", "DistributedArray."))(gamelan)
                ).parameters.keys()
            except (AttributeError, TypeError, ValueError):
                taken = set()
            found += [(name_of(text), ast.unparse(call)) for call in _changed(text, taken)]
    return found


def listed():
    """[(exception, call)] of the table above, without what this NumPy does not have, or does not refuse."""
    calls = [line.split(" ", 1) for line in _CALLS.strip().splitlines()]
    return [(expected, call) for expected, call in calls if is_known(name_of(call)) and not _is_fine(call)]


def is_known(name):
    """Has the package this function or method, with the imported NumPy?"""
    place = gamelan
    for part in name.split("."):
        place = getattr(place, part, None)
    return callable(place)  # NumPy 2.0 to 2.4 keep of a method that is gone an attribute


def _is_fine(call):
    if call != "np.linalg.matrix_rank(np.ones((0, 3)))":
        return False
    try:
        return numpy.linalg.matrix_rank(numpy.ones((0, 3))) == 0
    except ValueError:
        return False
