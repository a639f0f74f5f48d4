# SPDX-License-Identifier: BSD-3-Clause
"""Every element-wise row of the op table, with every dtype, in every layout, against NumPy."""

import warnings

import numpy
import pytest

import gamelan
import oracle
from gamelan import _core
from operands import DTYPES, LAYOUTS, ROWS, left, right

UNARY = [row["name"] for row in ROWS if row["kind"] == "unary" and hasattr(gamelan, row["name"]) and row["name"] != "copy"]
BINARY = [row["name"] for row in ROWS if row["kind"] == "binary"]
# Rows whose last bits may differ from NumPy's; everything else must agree bit for bit.
ROUNDED = frozenset(
    """cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh
    arctanh deg2rad rad2deg power float_power arctan2 hypot logaddexp logaddexp2""".split()
)
# Of complex numbers, these are several roundings for us and for NumPy, not in the same order.
ROUNDED_COMPLEX = frozenset("multiply divide square reciprocal absolute sqrt sign".split())


def _tolerance(name, inputs, result):
    """Units in the last place that a result may be away from NumPy's."""
    is_complex = any(getattr(value, "dtype", numpy.dtype(float)).kind == "c" for value in (*inputs, result))
    if result.dtype.kind not in "fc" or not (name in ROUNDED or is_complex and name in ROUNDED_COMPLEX):
        return 0
    return 16 if is_complex else 4


def _quietly(function, *arguments, **keywords):
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*arguments, **keywords), None
        except (TypeError, ValueError) as error:
            return None, error


class Comparison:
    """Collects pairs (ours, NumPy's), fetches ours in one round trip and compares; says all that is wrong at once."""

    def __init__(self):
        self.pairs = []
        self.wrong = []

    def run(self, name, what, program, ours, numpys):
        expected, wanted = _quietly(program, numpy, *numpys)
        actual, got = _quietly(program, gamelan, *ours)
        if wanted is not None or got is not None:
            oracle.count()
            if wanted is None or got is None or not isinstance(got, oracle.error_class(wanted)):
                self.wrong.append(f"{name} {what}: raised {got!r}, NumPy {wanted!r}")
        else:
            self.pairs.append((f"{name} {what}", actual, expected, _tolerance(name, numpys, numpy.asarray(expected))))

    def finish(self):
        distributed = [pair[1] for pair in self.pairs if getattr(pair[1], "_b", None) is not None]
        fetched = iter(_core.fetch(distributed))
        for what, actual, expected, ulps in self.pairs:
            actual = next(fetched) if getattr(actual, "_b", None) is not None else numpy.asarray(actual)
            try:
                oracle.assert_close(actual, numpy.asarray(expected), what, ulps)
            except AssertionError as error:
                self.wrong.append(str(error))
        if self.wrong:
            shown = "\n".join(self.wrong[:12])
            pytest.fail(f"{len(self.wrong)} differ from NumPy:\n{shown}", pytrace=False)


@pytest.mark.parametrize("name", UNARY)
def test_unary(engine, name):
    compare = Comparison()
    for dtype in DTYPES:
        data = left(dtype)
        ours = gamelan.array(data)
        for layout, view in LAYOUTS.items():
            compare.run(name, f"{dtype} {layout}", lambda np, x: getattr(np, name)(x), [view(ours)], [view(data)])
    compare.finish()


def _pairs(name, dtype):
    one, other = left(dtype), right(dtype)
    if name in ("power", "float_power"):
        if one.dtype.kind in "iu":
            other = numpy.clip(other, 0, 9)  # NumPy refuses integers to negative powers
        if one.dtype.kind == "c":
            other = other[:, :8].repeat(2, axis=1)[:, :14]
            one = numpy.where(one == 0, one.dtype.type(2), one)  # 0 ** z: NumPy's answer depends on how it was built
    if name == "divide" and one.dtype.kind == "c":
        other = numpy.where(other == 0, other.dtype.type(2), other)
    return one, other


@pytest.mark.parametrize("name", BINARY)
def test_binary(engine, name):
    compare = Comparison()
    for dtype in DTYPES:
        one, other = _pairs(name, dtype)
        x, y = gamelan.array(one), gamelan.array(other)

        def program(np, *operands):
            return getattr(np, name)(*operands)

        for layout, view in LAYOUTS.items():
            compare.run(name, f"{dtype} {layout}", program, [view(x), view(y)], [view(one), view(other)])
        compare.run(name, f"{dtype} transposed with contiguous", program, [x.T, y], [one.T, other])
        compare.run(name, f"{dtype} row with column", program, [x[2], y[:, :1]], [one[2], other[:, :1]])
        compare.run(name, f"{dtype} with small NumPy data", program, [x, other[3]], [one, other[3]])
        compare.run(name, f"{dtype} with a NumPy scalar", program, [x, other[0, 4]], [one, other[0, 4]])
        compare.run(name, f"{dtype} with 2", program, [x, 2], [one, 2])
        compare.run(name, f"{dtype} 2 with", program, [2, y], [2, other])
    compare.finish()


# A few dtypes stand for each kind here: promotion is NumPy's own, asked in _promotion.py.
MIXED = ["bool", "int8", "uint8", "int32", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "floor_divide", "maximum", "less", "equal",
                                  "bitwise_and", "logical_or", "left_shift", "arctan2"])  # fmt: skip
def test_mixed_dtypes(engine, name):
    compare = Comparison()
    data = {dtype: (left(dtype)[:, :3], right(dtype)[:, 1:4]) for dtype in MIXED}
    ours = {dtype: tuple(map(gamelan.array, pair)) for dtype, pair in data.items()}
    for one in MIXED:
        for other in MIXED:
            x, y = data[one][0], data[other][1]
            compare.run(name, f"{one} {other}", lambda np, *operands: getattr(np, name)(*operands),
                        [ours[one][0], ours[other][1]], [x, y])  # fmt: skip
    compare.finish()


@pytest.mark.parametrize("dtype", DTYPES)
def test_where(engine, dtype):
    compare = Comparison()
    one, other, condition = left(dtype), right(dtype), (numpy.arange(196) % 3 == 0).reshape(14, 14)
    x, y, c = map(gamelan.array, (one, other, condition))
    for layout, view in LAYOUTS.items():
        compare.run("where", f"{dtype} {layout}", lambda np, *operands: np.where(*operands),
                    [view(c), view(x), view(y)], [view(condition), view(one), view(other)])  # fmt: skip
    for number in (1, 2.5, 1j, True):
        compare.run("where", f"{dtype} {number}", lambda np, c, x: np.where(c, x, number), [c, x], [condition, one])
    compare.finish()


def _castable(data, target):
    """The numbers that a cast to `target` keeps in range; C leaves the others undefined."""
    target = numpy.dtype(target)
    if target.kind in "iu" and data.dtype.kind in "fc":
        real = data.real.astype(float)
        keep = numpy.isfinite(real) & (real >= (0 if target.kind == "u" else -100)) & (real <= 100)
        return numpy.where(keep, data, data.dtype.type(3))
    return data


@pytest.mark.parametrize("dtype", DTYPES)
def test_astype_and_assignment(engine, dtype):
    compare = Comparison()
    for target in DTYPES:
        data = _castable(left(dtype), target)
        ours = gamelan.array(data)
        for layout, view in LAYOUTS.items():
            compare.run("astype", f"{dtype} {target} {layout}", lambda np, x: x.astype(target), [view(ours)], [view(data)])

        def assign(np, x):
            result = np.zeros((14, 14), target)
            result[::-1] = x
            result[2:4, 1::2] = x[2:4, 1::2].T[:1, :2].T
            return result

        compare.run("assign", f"{dtype} {target}", assign, [ours], [data])
    compare.finish()


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "floor_divide", "bitwise_or", "left_shift"])
def test_in_place_casting(engine, name):
    """`a op= b` for all pairs of dtypes: the same results, and the same refusals."""
    compare = Comparison()
    for one in MIXED:
        for other in MIXED:
            first, second = numpy.ones((4, 5), one), numpy.full((4, 5), 2, other)

            def program(np, x, y):
                x = np.array(x)
                getattr(np, name)(x, y, out=x)
                return x

            compare.run(name, f"{one} {other}", program, [gamelan.array(first), gamelan.array(second)], [first, second])
    compare.finish()


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "complex128", "bool"])
def test_large(engine, dtype):
    """More than a tile and a block on every rank, and extents that nothing divides."""
    compare = Comparison()
    one = numpy.resize(values := left(dtype)[:11].T.ravel(), 20011)
    other = numpy.resize(values[::-1], 20011)
    x, y = gamelan.array(one), gamelan.array(other)
    for name in ("add", "multiply", "less", "maximum", "logical_and"):
        program = lambda np, a, b: getattr(np, name)(a, b)  # noqa: E731
        compare.run(name, f"{dtype} large", program, [x, y], [one, other])
        compare.run(name, f"{dtype} large shifted", program, [x[1:], y[:-1]], [one[1:], other[:-1]])
        compare.run(name, f"{dtype} large reversed", program, [x[::-1], y], [one[::-1], other])
        compare.run(name, f"{dtype} large strided", program, [x[::3], y[1:-1:3]], [one[::3], other[1:-1:3]])
        compare.run(name, f"{dtype} outer", program, [x[:301, None], y[:97]], [one[:301, None], other[:97]])
    compare.finish()
