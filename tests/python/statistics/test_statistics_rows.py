# SPDX-License-Identifier: BSD-3-Clause
"""diff, ediff1d, gradient, trapz, cov, corrcoef, convolve, correlate, polyval and polyfit against NumPy."""

import itertools

import numpy
import pytest

from operands import cube
from oracle import check_all


def test_diff(engine):
    def programs():
        for dtype, n, axis in itertools.product(("bool", "uint8", "int64", "float32", "complex128"), (0, 1, 3, 7), (-1, 0, 1)):
            data = cube(dtype)
            yield f"{dtype} {n} {axis}", lambda np: np.diff(np.array(data), n, axis)
            yield f"{dtype} {n} {axis} beside", lambda np: np.diff(np.array(data), n, axis, prepend=1, append=np.array(data))
        yield "negative", lambda np: np.diff(np.arange(3), -1)
        yield "0-d", lambda np: np.diff(np.array(3))
        yield "axis", lambda np: np.diff(np.arange(3), axis=1)
        for dtype in ("int32", "float64"):
            data = cube(dtype)
            yield f"ediff1d {dtype}", lambda np: np.ediff1d(np.array(data))
            yield f"ediff1d {dtype} ends", lambda np: np.ediff1d(np.array(data), to_end=[1, 2], to_begin=7)
        yield "ediff1d dtype", lambda np: np.ediff1d(np.arange(3), to_end=1.5)
        yield "ediff1d one", lambda np: np.ediff1d(np.arange(1), to_end=2)
        for axis in (0, -1):
            extent = (5, 6, 7)[axis]
            yield f"trapz {axis}", lambda np: np.trapz(np.array(cube("f8")), axis=axis)
            yield f"trapz {axis} dx", lambda np: np.trapz(np.array(cube("i4")), dx=0.5, axis=axis)
            yield f"trapz {axis} x", lambda np: np.trapz(np.array(cube("f8")), numpy.arange(extent) ** 2, axis=axis)
            yield f"trapz {axis} all x", lambda np: np.trapz(np.array(cube("f8")), np.array(cube("f8")) * 2, axis=axis)
        yield "trapz row", lambda np: np.trapz(np.arange(9.0), np.arange(9) * 2)

    check_all(programs())


def test_gradient(engine):
    data = cube("float64") * numpy.arange(7)
    uneven = [numpy.cumsum(numpy.arange(1, extent + 1)) for extent in data.shape]

    def programs():
        for order, axis in itertools.product((1, 2), (None, 0, (2, 0), -2)):
            axes = range(3) if axis is None else numpy.atleast_1d(axis)
            yield f"{order} {axis}", lambda np: np.gradient(np.array(data), axis=axis, edge_order=order)
            yield f"{order} {axis} 2", lambda np: np.gradient(np.array(data), 2, axis=axis, edge_order=order)
            yield (
                f"{order} {axis} uneven",
                lambda np: np.gradient(np.array(data), *(uneven[k] for k in axes), axis=axis, edge_order=order),
            )
            yield (
                f"{order} {axis} even",
                lambda np: np.gradient(
                    np.array(data), *(np.arange(data.shape[k]) * 0.5 for k in axes), axis=axis, edge_order=order
                ),
            )
            for dtype in ("int32", "uint8", "float32", "complex64"):
                yield f"{order} {axis} {dtype}", lambda np: np.gradient(np.array(cube(dtype)), axis=axis, edge_order=order)
        yield "short", lambda np: np.gradient(np.arange(1.0))
        yield "arguments", lambda np: np.gradient(np.array(data), 1, 2)
        yield "distances", lambda np: np.gradient(np.arange(9.0), np.arange(8))
        yield "order", lambda np: np.gradient(np.arange(9.0), edge_order=3)

    check_all(programs())


def test_covariance(engine):
    draw = numpy.random.RandomState(8)
    data = draw.standard_normal((4, 30))
    frequencies, weights = draw.randint(1, 4, 30), draw.random_sample(30)

    def programs():
        for dtype, rowvar in itertools.product(("float64", "float32", "int8", "complex128"), (True, False)):
            values = (data * 9 * (1 + 1j if dtype == "complex128" else 1)).astype(dtype)
            for bias, ddof in ((False, None), (True, None), (False, 2)):
                yield f"cov {dtype} {rowvar} {bias} {ddof}", lambda np: np.cov(np.array(values), None, rowvar, bias, ddof)
            yield f"corrcoef {dtype} {rowvar}", lambda np: np.corrcoef(np.array(values), rowvar=rowvar)
            for chosen in ("float32", "complex64"):
                yield f"cov {dtype} as {chosen}", lambda np: np.cov(np.array(values), None, rowvar, dtype=chosen).dtype.name
                yield (
                    f"corrcoef {dtype} as {chosen}",
                    lambda np: np.corrcoef(np.array(values), None, rowvar, dtype=chosen).dtype.name,
                )
            yield f"cov y {dtype} {rowvar}", lambda np: np.cov(np.array(values), np.array(values)[::-1], rowvar)
        for options in (
            {"fweights": frequencies},
            {"aweights": weights},
            {"fweights": frequencies, "aweights": weights, "ddof": 0},
        ):
            yield f"{list(options)}", lambda np: np.cov(np.array(data), **options)
        yield (
            "row",
            lambda np: (
                np.cov(np.array(data[0])),
                np.corrcoef(np.array(data[0])),
                np.corrcoef(np.array(data[0]), np.array(data[1])),
            ),
        )
        yield "fweights", lambda np: np.cov(np.array(data), fweights=weights)
        yield "negative", lambda np: np.cov(np.array(data), fweights=-frequencies)
        yield "length", lambda np: np.cov(np.array(data), aweights=weights[:3])
        yield "whole numbers", lambda np: np.cov(np.array(data), dtype="i4")
        yield "cube", lambda np: np.cov(np.ones((2, 2, 2)))

    check_all(programs())


@pytest.mark.parametrize("sizes", [(1, 1), (7, 3), (3, 8), (40, 40), (300, 17), (1100, 530), (129, 700)])
def test_convolve(engine, sizes):
    draw = numpy.random.RandomState(sum(sizes))

    def programs():
        for dtype in ("float64", "int32", "complex128", "bool", "float32"):
            a, v = (draw.randint(-9, 9, size).astype(dtype) * (1 + 0.5j if dtype == "complex128" else 1) for size in sizes)
            a, v = a.astype(dtype), v.astype(dtype)
            for mode in ("full", "same", "valid"):
                yield f"convolve {dtype} {mode}", lambda np: np.convolve(np.array(a), np.array(v), mode)
                yield f"correlate {dtype} {mode}", lambda np: np.correlate(np.array(a), v, mode)
        yield "views", lambda np: np.convolve(np.arange(sizes[0] * 2)[::-2], np.ones(sizes[1]))

    check_all(programs())


def test_convolve_errors_and_polynomials(engine):
    x = numpy.linspace(-1, 3, 60)
    y = numpy.cos(x)

    def programs():
        yield "nothing", lambda np: np.convolve(np.arange(3), [])
        yield "correlate nothing", lambda np: np.correlate(np.arange(3), np.zeros(0))
        yield "matrix", lambda np: np.convolve(np.ones((2, 2)), np.ones(2))
        yield "mode", lambda np: np.convolve(np.arange(3), np.arange(2), "most")
        for p in ([3, 0, 1], [2.5], [], numpy.array([1j, 2])):
            yield f"polyval {p}", lambda np: np.polyval(p, np.arange(6).reshape(2, 3))
            yield f"polyval {p} f4", lambda np: np.polyval(np.array(p), np.array(x).astype("f4"))
        for degree in (0, 1, 5):
            yield f"polyfit {degree}", lambda np: np.polyfit(np.array(x), np.array(y), degree)
            yield f"polyfit {degree} w", lambda np: np.polyfit(np.array(x), np.array(y), degree, w=numpy.arange(60))
            yield f"polyfit {degree} cov", lambda np: np.polyfit(np.array(x), np.array(y), degree, cov=True)
        yield "polyfit full", lambda np: np.polyfit(np.array(x), np.array(y), 3, full=True)
        yield "polyfit columns", lambda np: np.polyfit(np.array(x), np.array(numpy.stack([y, y * x], 1)), 2)
        yield "polyfit deficient", lambda np: np.polyfit(np.array([1.0, 1, 1]), np.array([1.0, 2, 3]), 2)
        yield "polyfit degree", lambda np: np.polyfit(np.array(x), np.array(y), -1)
        yield "polyfit lengths", lambda np: np.polyfit(np.array(x), np.array(y[1:]), 1)

    check_all(programs())


def test_polynomials_as_coefficients(engine):
    short, long, whole, paired = (
        numpy.array([1.5, -2.0]),
        numpy.linspace(-1, 2, 9),
        numpy.array([0, 0, 3, 1, -2, 0]),
        numpy.array([1 + 2j, 1 - 2j, 3]),
    )
    all_of_them = {
        "short": short,
        "long": long,
        "whole": whole,
        "single": long.astype("f4"),
        "paired": paired,
        "zeros": numpy.zeros(3),
    }

    def programs():
        for left, a in all_of_them.items():
            yield f"poly {left}", lambda np: np.poly(np.array(a))
            yield f"roots {left}", lambda np: np.sort_complex(np.roots(np.array(a)))
            for order in (0, 1, 2, -1, 20):
                yield f"polyder {order} {left}", lambda np: np.polyder(np.array(a), order)
            for order, k in ((0, None), (1, None), (2, [3.0]), (2, [1.0, 2.0]), (-1, None), (3, [1.0, 2.0])):
                yield f"polyint {order} {k} {left}", lambda np: np.polyint(np.array(a), order, k)
            for right, b in all_of_them.items():
                for name in ("polyadd", "polysub", "polymul"):
                    yield f"{name} {left} {right}", lambda np: getattr(np, name)(np.array(a), b if left == right else np.array(b))
                if right != "zeros" and right != "whole":
                    yield f"polydiv {left} {right}", lambda np: np.polydiv(np.array(a), np.array(b))
        u, v = numpy.linspace(1, 2, 9), numpy.array([1.1, 2.3, 3.7])
        for left, right in itertools.product(("f4", "f8", "c8", "c16"), repeat=2):
            yield f"polydiv {left} {right}", lambda np: np.polydiv(np.array(u.astype(left)), np.array(v.astype(right)))
        yield "poly matrix", lambda np: np.poly(np.array([[2.0, 1.0], [1.0, 3.0]]))
        yield "poly of no square", lambda np: np.poly(np.ones((2, 3)))
        yield "roots of a matrix", lambda np: np.roots(np.ones((2, 3)))
        yield "polymul of matrices", lambda np: np.polymul(np.ones((2, 3)), np.ones(2))

    check_all(programs())
