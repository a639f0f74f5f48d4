# SPDX-License-Identifier: BSD-3-Clause
"""No function may compute on a proxy: every public name is called with distributed arrays of many kinds in a child
process. What it answers does not matter here; that the process survives does."""

import os
import subprocess
import sys
import textwrap

import pytest

WALK = textwrap.dedent(
    """
    import faulthandler, inspect, io, contextlib, os, sys, warnings
    faulthandler.enable()
    warnings.simplefilter("ignore")
    import numpy
    import reference
    import gamelan as np

    reference.connect()
    np.config.distribute_from = 0

    def operands():
        yield np.arange(6.0)
        yield np.arange(6).reshape(2, 3)
        yield np.arange(12.0).reshape(3, 4).T[::2, ::-1]
        yield np.zeros((0, 3), "f4")
        yield np.array(2)
        yield np.array([True, False])
        yield np.array([1 + 2j, 3])
        yield np.broadcast_to(np.arange(3), (2, 3))

    EXTRA = [(), (1,), (0, 1), (numpy.arange(3),), ("f4",), ((1, -1),), (2.5, 7.5), ([0, 1],), (slice(1, None),), (None,)]

    def call(function, *arguments):
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                result = function(*arguments)
            for item in result if isinstance(result, (list, tuple)) else [result]:
                repr(item)
            return True
        except (Exception, NotImplementedError):
            return False

    done = calls = 0
    SKIP = {"_a", "_b", "tofile", "dump", "exit", "quit", "copyto", "walk"}
    FILES = {"save", "savez", "savez_compressed", "savetxt", "memmap", "load", "loadtxt", "genfromtxt", "fromfile", "fromregex", "load_hdf5", "save_hdf5"}
    names = sorted(name for name in np.__all__ if callable(getattr(np, name)) and name not in SKIP | FILES)
    for name in names:
        function = getattr(np, name)
        if inspect.isclass(function) or inspect.ismodule(function) or name.startswith(("set_", "seterr", "setbufsize", "sync", "status", "stats", "explain", "options")):
            continue
        for operand in operands():
            for extra in EXTRA:
                calls += 1
                done += call(function, operand, *extra)
                done += call(function, [operand, operand], *extra) if not extra else 0
            done += call(function, operand, operand)
            done += call(function, operand, operand, operand)
    for name in sorted(set(dir(numpy.ndarray)) | set(dir(np.ndarray))):
        if name in SKIP or name in {"__class__", "__init__", "__new__", "__del__", "__init_subclass__", "__subclasshook__", "__class_getitem__"}:
            continue
        for operand in operands():
            if not callable(getattr(type(operand), name, None)):
                call(getattr, operand, name)  # the model knows no distributions
                continue
            method = getattr(operand, name)
            for extra in [*EXTRA, (operand,), (operand, operand), (1, operand), ({},)]:
                calls += 1
                done += call(method, *extra)
    # NumPy's own functions, called on our arrays
    for name in sorted(vars(numpy)):
        function = getattr(numpy, name, None)
        if name in SKIP | FILES or name.startswith("_") or not callable(function) or inspect.isclass(function):
            continue
        if name in {"info", "source", "lookfor", "who", "test", "deprecate", "get_include", "show_config", "setbufsize", "fromiter", "frompyfunc", "vectorize", "nested_iters", "add_newdoc", "add_docstring", "add_newdoc_ufunc", "disp", "byte_bounds", "get_array_wrap", "may_share_memory", "shares_memory", "set_string_function", "set_numeric_ops", "set_printoptions", "seterr", "seterrcall", "seterrobj", "base_repr", "binary_repr", "DataSource"}:
            continue
        for operand in operands():
            for extra in [(), (1,), (operand,), (operand, operand)]:
                calls += 1
                done += call(function, operand, *extra)
    for module in (numpy.linalg, numpy.fft):
        for name in module.__all__ if hasattr(module, "__all__") else dir(module):
            function = getattr(module, name)
            if callable(function) and not inspect.isclass(function):
                for operand in operands():
                    call(function, operand)
                    call(function, operand, operand)
    keys = [0, -1, slice(None), None, Ellipsis, (0, 0), [0, 1], [True, False], True, False, "x", 1.5, (slice(None), 0), numpy.arange(2), np.arange(2), np.array(1), (None, 0), (), 99]
    for operand in operands():
        for key in keys:
            call(lambda: operand[key])
            call(operand.__setitem__, key, 1)
            call(operand.__setitem__, key, operand)
            call(operand.__setitem__, key, [1, 2])
        call(numpy.asarray, operand); call(numpy.add, numpy.arange(6.0), operand); call(list, operand); call(sorted, operand)
        for target in (numpy.zeros(6), numpy.zeros((2, 3))):
            call(numpy.add, operand, 1, target); call(target.__setitem__, slice(None), operand); call(target.__iadd__, operand)
            call(numpy.concatenate, [target, operand]); call(numpy.array, [operand, operand]); call(target.__matmul__, operand)
            call(numpy.copyto, target, operand); call(target.dot, operand); call(target.searchsorted, operand); call(numpy.take, target, operand)
            call(lambda: target[operand]); call(target.put, operand, 1); call(numpy.where, operand, target, operand)
    np.sync()
    print("alive", calls, done)
    """
)


def test_no_public_function_reads_a_proxy(ranks):
    if ranks:
        pytest.skip("needs no engines")
    paths = os.pathsep.join(
        [os.path.dirname(os.path.dirname(os.path.abspath(__file__))), *map(os.path.abspath, filter(None, sys.path))]
    )
    child = subprocess.run(
        [sys.executable, "-c", WALK], capture_output=True, text=True, timeout=120, env={**os.environ, "PYTHONPATH": paths}
    )
    assert child.returncode == 0, child.stderr[-4000:]
    alive, calls, done = child.stdout.split()[-3:]
    assert alive == "alive" and int(calls) > 3000 and int(done) > 1000, child.stdout
