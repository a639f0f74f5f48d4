# SPDX-License-Identifier: BSD-3-Clause
"""What gamelan does with each public name of NumPy, found by calling it: on NumPy with arguments that fit, then on gamelan
with the same ones on the engines. The state follows from what comes back, from errors and from the bytes fetched."""

import contextlib
import inspect
import io
import re
import tempfile
import warnings

import numpy

import gamelan

STATES = {
    "distributed": "computed on the engines",
    "bounded gather": "copies the array to this process first, up to `np.config.gather_limit` elements",
    "small arrays only": "takes small arrays; raises NotImplementedError with its name for distributed ones",
    "refused": "raises NotImplementedError with its name",
    "NumPy's own": "needs no elements of arrays: dtypes, constants, errors, text",
    "not probed": "not called, for want of arguments: files, callbacks, the interpreter",
}
SECTIONS = {"numpy": numpy, "numpy.linalg": numpy.linalg, "numpy.fft": numpy.fft, "numpy.random": numpy.random}
ATTRIBUTES = ("accumulate", "at", "outer", "reduce", "reduceat")
SIDE = 48
# Names that wait, ask, write files, change global state or are deprecated for removal.
_LEFT_OUT = {"info", "lookfor", "source", "who", "deprecate", "deprecate_with_doc", "disp", "test", "show_config", "get_include", "byte_bounds",
             "safe_eval", "add_docstring", "add_newdoc", "add_newdoc_ufunc", "setbufsize", "set_numeric_ops", "set_string_function",
             "seterrcall", "seterrobj", "compat", "mat", "matrix", "bmat", "asmatrix", "fastCopyAndTranspose", "show_runtime", "core", "add_data_files"}  # fmt: skip


def operands(make):
    """Arrays of a few kinds, made by `make` of NumPy's."""
    state = numpy.random.RandomState(7)
    square = state.random_sample((SIDE, SIDE)) + numpy.eye(SIDE) * SIDE
    whole = state.randint(1, 9, SIDE * SIDE)
    values = {"x": (square + square.T) / 2, "v": state.random_sample(SIDE * SIDE), "i": whole, "b": whole > 4, "c": square + 0.5j}
    values["s"] = numpy.sort(values["v"])
    return {name: make(value) for name, value in values.items()}


# Tried in this order until NumPy accepts one; the letters stand for the operands.
_ARGUMENTS = ["x", "x, x", "i", "i, i", "v, v", "v", "b", "x, 1", "x, 0, 1", "v, 3", "x, 2, 1", "[x, x]", "b, x, x", "x, x, x", "v, v, v", "c",
              "(6, 7)", "6", "6, 6", "0.5, 2, 60", "0.5", "float", "'f8'", "x, (6, 7)", "(2, 3), (6, 7)", "x, i[:4]", "[b, b], [x, x]", "s, v",
              "i, (60, 60)", "x, [0, 1]", "x, 'f8'", "x, b, 2", "v, [v > 0.5, v <= 0.5], [1.0, 2.0]", "6, 0.5", "6, 0.5, 60", "3, 2, 1, 60",
              "x, (1, 1)", "i, 2.0", "v, i", "0.5, 60", "8, [0.2, 0.8], 60", "[0.2, 0.8], 60", "[0.0, 1.0], [[1.0, 0.0], [0.0, 1.0]], 60", ""]  # fmt: skip
_SPECIAL = {
    "roots": "v[:30]", "poly": "v[:30]", "convolve": "v, v[:30]", "correlate": "v, v[:30]", "outer": "v[:60], v[:60]", "kron": "x[:6], x[:6]",
    "einsum": "'ij,jk->ik', x, x", "einsum_path": "'ij,jk->ik', x, x", "searchsorted": "s, v", "digitize": "v, s", "interp": "v, s, s",
    "save": "new, v", "savez": "new, v", "savez_compressed": "new, v", "savetxt": "new, x", "load": "npy", "fromfile": "raw", "loadtxt": "txt",
    "genfromtxt": "txt",
    "apply_along_axis": "np.sum, 0, x", "apply_over_axes": "np.sum, x, [0, 1]", "piecewise": "v, [v > 0.5], [1.0, 2.0]", "tensordot": "x, x",
    "choose": "i % 2, [v, v]", "hsplit": "x, 4", "vsplit": "x, 4", "take": "v, i", "put": "v, i, v", "compress": "b, v", "extract": "b, v", "place": "v, b, v", "putmask": "v, b, v",
    "where": "b, v, v", "take_along_axis": "v, i, 0", "put_along_axis": "v, i, v, 0", "insert": "v, 3, 1.0", "delete": "v, 3", "pad": "x, 2",
    "bincount": "i", "roll": "x, 3", "repeat": "x, 3", "tile": "x, 3", "reshape": "x, (-1,)", "fromfunction": "lambda i, j: i + j, (60, 60)",
    "ravel_multi_index": "(i, i), (60, 60)", "unravel_index": "i, (60, 60)", "linspace": "0, 1, 600", "logspace": "0, 1, 600", "geomspace": "1, 2, 600",
    "arange": "600", "zeros": "600", "ones": "600", "empty": "600", "empty_like": "x", "full": "600, 2.0", "eye": "60", "identity": "60", "tri": "60",
    "indices": "(20, 30)", "meshgrid": "v[:50], v[:40]", "ix_": "i[:6], i[:6]", "copyto": "x, 2.0", "fill_diagonal": "x, 2.0", "polyfit": "v, v, 2",
    "vander": "v, 3", "tensorsolve": "x, v[:48]", "solve": "x, v[:48]", "multi_dot": "[x, x, x]", "matrix_power": "x, 2", "cross": "v.reshape(-1, 3), v.reshape(-1, 3)",
    "cond": "x", "split": "x, 4", "dsplit": "x.reshape(8, 8, 36), 4", "select": "[v > 0.5], [v]", "quantile": "v, 0.3", "percentile": "v, 30", "cov": "x",
    "nanquantile": "v, 0.3", "nanpercentile": "v, 30", "histogram": "v", "histogram2d": "v, v", "histogramdd": "v.reshape(-1, 2)", "partition": "v, 9",
    "argpartition": "v, 9", "block": "[[x, x]]", "packbits": "b", "unpackbits": "i.astype('u1')", "gradient": "x", "trapz": "x", "unwrap": "v", "shares_memory": "v, v",
    "may_share_memory": "v, v", "array_repr": "x", "array_str": "x", "array2string": "x", "fromiter": "range(600), float", "frombuffer": "bytes(480)",
    "fromstring": "'1 2 3', sep=' '", "default_rng": None, "vectorize": None, "frompyfunc": None, "nditer": None, "array_split": "x, 5", "bmat": None,
    "from_dlpack": "numpy.arange(600.0)", "rollaxis": "x, 1", "moveaxis": "x, 0, 1", "swapaxes": "x, 0, 1", "transpose": "x", "ldexp": "v, i", "in1d": "i, i",
    "fromregex": None, "memmap": None, "DataSource": None, "require": "x", "asarray_chkfinite": "x", "bartlett": "60", "mask_indices": "60, np.triu", "kaiser": "60, 2.0",
}  # fmt: skip
# Of random numbers: what fits nowhere may run for ever.
_DRAWS = [
    "size=600",
    "2.5, size=600",
    "0.5, size=600",
    "0.1, 0.5, 0.9, size=600",
    "5, 0.5, size=600",
    "20, 20, 20, size=600",
    "2.0, 3.0, size=600",
]
_RANDOM = {"seed": "1", "shuffle": "v", "permutation": "v", "choice": "v, 600", "bytes": "10", "rand": "20, 30", "randn": "20, 30", "randint": "1, 9, 600",
           "random_integers": "1, 9, 600", "multinomial": "8, [0.2, 0.8], 60", "dirichlet": "[0.2, 0.8], 60", "set_state": None, "get_state": None,
           "multivariate_normal": "[0.0, 1.0], [[1.0, 0.0], [0.0, 1.0]], 60", "default_rng": "1", "RandomState": "1", "Generator": None}  # fmt: skip
_METHODS = {
    "astype": "'f4'", "byteswap": "", "choose": "[v, v]", "clip": "0, 1", "compress": "[True, False, True], 0", "dot": "x", "dump": None, "dumps": None, "fill": "2.0",
    "getfield": "'f8'", "item": "3", "itemset": "3, 2.0", "newbyteorder": "", "partition": "3", "argpartition": None, "put": "[1, 2], 3.0", "repeat": "2", "reshape": "-1",
    "resize": None, "searchsorted": None, "setfield": "2.0, 'f8'", "setflags": None, "swapaxes": "0, 1", "take": "[1, 2]", "tofile": None, "tostring": None, "view": "",
}  # fmt: skip


VERBOSE = False
_FOLDER = tempfile.TemporaryDirectory(prefix="names-")
FILES = {name: f"{_FOLDER.name}/v.{name}" for name in ("new", "npy", "raw", "txt")}


def write_files():
    """What the readers of files are called with."""
    numpy.save(FILES["npy"], operands(numpy.copy)["v"])
    operands(numpy.copy)["v"].tofile(FILES["raw"])
    numpy.savetxt(FILES["txt"], operands(numpy.copy)["x"])


class Call:
    """One name, called in one way: text evaluated with `np` and operands of either module."""

    def __init__(self, text, arguments):
        self.text, self.arguments = text, arguments

    def run(self, module, make):
        names = {"np": module, "numpy": numpy, **FILES, **operands(make)}
        with warnings.catch_warnings(), numpy.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            return eval(f"{self.text}({self.arguments})", names), names


def fitting(text, tried):
    """The first call of these that NumPy accepts and that returns something of an array; None when none does."""
    for arguments in tried:
        call = Call(text, arguments)
        try:
            call.run(numpy, numpy.copy)
            return call
        except Exception:  # arguments that do not fit raise whatever NumPy likes
            continue
    return None


def _arrays(value):
    if isinstance(value, (tuple, list)):
        for item in value[:64]:
            yield from _arrays(item)
    elif isinstance(value, (numpy.ndarray, gamelan.ndarray)):
        yield value


def state_of(call):
    """The state of a call that NumPy accepts."""
    if VERBOSE:
        print(call.text, call.arguments, flush=True)
    fetched = 0
    with gamelan.options(distribute_from=0):
        try:
            _, _ = call.run(gamelan, gamelan.array)  # its plan is known from here on
            before = gamelan.stats()["fetch_bytes"]
            result, names = call.run(gamelan, gamelan.array)
            gamelan.sync()
            fetched = gamelan.stats()["fetch_bytes"] - before
            made = [array for array in _arrays(result) if array.size > 1]
            is_here = any(array.size >= SIDE and not getattr(array, "is_distributed", False) for array in made)
        except NotImplementedError:
            return "small arrays only" if _works_here(call) else "refused"
    if not made and not re.search(r"\b[xvibcs]\b", f"{call.text}({call.arguments})"):
        return "NumPy's own"
    if fetched >= SIDE * SIDE:
        return "bounded gather"
    return "small arrays only" if is_here else "distributed"


def _works_here(call):
    with gamelan.options(distribute_from=10**9):
        try:
            call.run(gamelan, gamelan.array)
        except NotImplementedError:
            return False
        except Exception:
            return True
    return True


def _names_of(module):
    for name in sorted(dir(module)):
        if name.startswith("_") or name in _LEFT_OUT:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = getattr(module, name)
        if not inspect.ismodule(value):
            yield name, value


def _function_state(text, name, theirs, ours_module):
    ours = getattr(ours_module, name, None)
    if ours is theirs or not callable(theirs) and ours is not None:
        return "NumPy's own"
    if ours is None and (isinstance(theirs, type) or not callable(theirs)):
        return "refused"
    if theirs is getattr(numpy.random, name, None):
        tried = [_RANDOM[name]] if name in _RANDOM else _DRAWS
    else:
        tried = [_SPECIAL[name]] if name in _SPECIAL else _ARGUMENTS
    call = fitting(text, tried) if tried != [None] else None
    if call is None:
        return "not probed" if ours is not None else "refused"
    return state_of(call)


def section(title):
    """{name: state} of the functions of one of SECTIONS, of "ndarray" or of "ufunc"."""
    write_files()
    if title == "ndarray":
        found = {}
        for name in sorted(dir(numpy.ndarray)):
            if name.startswith("_"):
                continue
            if not callable(getattr(numpy.ndarray, name)):
                call = fitting(f"(lambda a: a.{name})", ["x"])
            elif _METHODS.get(name, "") is None:
                found[name] = "not probed"
                continue
            else:
                call = fitting(
                    f"(i % 2).{name}" if name == "choose" else f"x.{name}",
                    [_METHODS[name]] if name in _METHODS else ["", "0", "x"],
                )
            try:
                found[name] = state_of(call)
            except AttributeError:
                found[name] = "small arrays only"
        return found
    if title == "ufunc":
        return {name: state_of(fitting(f"np.add.{name}", ["x, [0, 3]", "x, [0, 3], 1.0", "v[:40], v[:40]", "x"] if name != "at" else ["x, [0, 3], 1.0"]))
                for name in ATTRIBUTES}  # fmt: skip
    module = SECTIONS[title]
    ours = gamelan if module is numpy else getattr(gamelan, title.split(".")[1])
    text = "np." if module is numpy else f"np.{title.split('.')[1]}."
    return {name: _function_state(text + name, name, theirs, ours) for name, theirs in _names_of(module)}
