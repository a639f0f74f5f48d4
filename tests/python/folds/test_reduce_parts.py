# SPDX-License-Identifier: BSD-3-Clause
"""ufunc.reduce with where= and initial=: masks that broadcast, folds of nothing, dtypes, outputs, errors."""

import numpy
import pytest

from oracle import check_all

MASK = numpy.arange(30).reshape(5, 6) % 3 == 0
FORMS = [
    "", ", initial=3", ", initial=1, where=np.array(m)", ", where=np.array(m)", ", where=np.array(m[:1])", ", axis=1, keepdims=True, initial=2",
    ", axis=None, where=m", ", axis=(0, 1), initial=None", ", initial=None, where=m", ", where=[1, 0, 2, 0, 1, 1]", ", dtype='f8', initial=2.5",
    ", out=np.zeros(6, 'f8'), initial=2", ", out=np.zeros(6, 'i1')", ", out=np.zeros(6, 'f4')", ", axis=()", ", axis=(), where=m", ", where=np.ones((2, 5, 6), bool)", ", initial='x'",
]  # fmt: skip
EMPTY = [
    "",
    ", initial=2",
    ", where=np.ones((1, 1), bool), initial=3",
    ", where=np.ones((1, 1), bool)",
    ", axis=1",
    ", initial=None",
]


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum", "logical_or", "logical_and", "logical_xor", "fmax", "bitwise_and",
                                  "bitwise_xor", "gcd", "hypot", "logaddexp"])  # fmt: skip
def test_parts_and_beginnings(engine, name):
    programs = []
    for dtype in ("int8", "float32", "complex128", "bool", "uint16") if name in ("add", "maximum") else ("int8", "float32"):
        full = (numpy.arange(30) % 4).reshape(5, 6).astype(dtype)
        for data, forms in ((full, FORMS), (full[:0], EMPTY), (full[:, :0], EMPTY)):
            for form in forms:
                if name == "logaddexp" and "'i1'" in form:
                    continue  # NumPy stores its identity, minus infinity, there
                source = f"np.{name}.reduce(np.array(x){form})"
                programs.append((f"{source} {dtype} {data.shape}", _program(source, data)))
    check_all(programs)


def _program(source, data):
    return lambda np: eval(source, {"np": np, "x": data, "m": MASK})
