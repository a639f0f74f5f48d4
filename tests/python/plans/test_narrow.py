# SPDX-License-Identifier: BSD-3-Clause
"""Of a temporary, only the elements that are read are computed; values, and what NumPy warns of, are as if all were."""

import warnings

import gamelan
import numpy
import pytest

import oracle

SHAPES = [(0,), (1,), (37,), (40, 23), (1, 31), (9, 1), (7, 11, 13), (3, 1, 17)]
UNARY = ["negative", "absolute", "floor", "square", "exp", "isnan", "sign"]
BINARY = ["add", "subtract", "multiply", "maximum", "less", "divide", "hypot"]


def arrays(np, seed, shape):
    """Two of that shape, one to broadcast, and one of integers."""
    random = numpy.random.default_rng(seed)
    made = [
        random.random(shape) + 0.5,
        random.random(shape[::-1]).T - 0.5,
        random.random(shape[-1:]),
        random.integers(1, 9, shape),
    ]
    return [np.asarray(each) for each in made]


def slice_of(random, extent):
    if extent == 0:
        return slice(None)
    kind = random.integers(5)
    if kind == 0:
        return int(random.integers(-extent, extent))
    first, last = sorted(random.integers(0, extent + 1, 2).tolist())
    step = int(random.integers(1, 9))
    return [slice(None), slice(first, last, step), slice(None, None, -step), slice(extent - 1, first, -step)][kind - 1]


def look(np, random, value):
    """A part of it, perhaps of other axes."""
    kind = random.integers(6)
    if kind == 1:
        value = value.T
    if kind == 2:
        value = value.reshape(-1)
    key = [slice_of(random, extent) for extent in value.shape]
    if kind == 3:
        key.insert(int(random.integers(len(key) + 1)), None)
    value = value[tuple(key)]
    return np.broadcast_to(value, (3, *value.shape)) if kind == 4 else value


def chain(np, seed):
    random = numpy.random.default_rng(seed)
    operands = arrays(np, seed, SHAPES[random.integers(len(SHAPES))])
    value = operands[random.integers(2)]
    for _ in range(random.integers(1, 5)):
        if random.integers(3) == 0:
            value = getattr(np, UNARY[random.integers(len(UNARY))])(value * 1.0)
        else:
            other = [*operands, 2.0, operands[0][..., ::-1], value][random.integers(7)]
            value = getattr(np, BINARY[random.integers(len(BINARY))])(value, other)
    seen = look(np, random, value)
    return [[seen], [seen + 1, seen.sum()], [seen, look(np, random, value)], [seen[..., None] * 2], [-seen]][random.integers(5)]


@pytest.mark.parametrize("state", ["warn", "ignore"])
def test_random_chains(engine, state):
    def program(seed):
        def run(np):
            with numpy.errstate(all=state), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                results = chain(np, seed)
                return [numpy.asarray(each) for each in results]

        return run

    oracle.check_all((f"seed {seed}", program(seed)) for seed in range(200))


def test_assigned_and_random(engine):
    def program(np):
        with numpy.errstate(all="ignore"):
            x, t, _, k = arrays(np, 1, (40, 23))
            y = x + t
            x[1:5] = (x * 2)[10:14]
            x[:, ::7] = (x - t)[:, ::7]
            w = (x * t)[::-9]
            x[0] = 5
            return [x, y[3], w, np.where(x > 1, x, t)[7, ::-2], (k * k)[k[0] % 3, 5], (x @ t.T)[3], (x + 1)[::9] @ t.T]

    oracle.check(program)


@pytest.mark.parametrize("part", [(17,), (slice(None, None, 5000),), (slice(100, 90, -2),)])
def test_a_few_elements_of_a_large_array(engine, ranks, part):
    """The others are not computed, though floating-point errors are heard of."""
    if not ranks:
        pytest.skip("the model computes all")
    values = numpy.random.default_rng(4).random(400_000)
    x = gamelan.asarray(values)
    gamelan.sync()
    gamelan.stats(reset=True)
    before = gamelan.stats()["heap_peak"]
    few = ((x + 1.0) / x)[part] * 2.0
    gamelan.sync()
    assert gamelan.stats()["heap_peak"] - before < values.nbytes // 10
    numpy.testing.assert_array_equal(numpy.asarray(few), ((values + 1.0) / values)[part] * 2.0)
    oracle.check(lambda np: ((np.asarray(values) + 1.0) / np.asarray(values))[:300_000].sum())


def heard(np, program):
    x = np.asarray(numpy.linspace(0.0, 2.0, 41))
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        value = numpy.asarray(program(np, x))
    return {str(each.message) for each in given}, value.tolist()


@pytest.mark.parametrize(
    "program",
    [
        lambda np, x: (1 / x)[17],
        lambda np, x: np.log(x - 1)[-1:],
        lambda np, x: (x * 1e308)[3],
        lambda np, x: -np.exp(x * 1000)[:2],
        lambda np, x: (x * 1e30).astype("i4")[0],
        lambda np, x: (x * 1e300).astype("f4")[0],
        lambda np, x: ((x * 1e308 * 10) > 1)[4],
        lambda np, x: (x > 1)[::10],
        lambda np, x: (x + 1)[::10],
    ],
)
def test_warnings_are_those_of_all_elements(engine, ranks, program):
    if not ranks:
        pytest.skip("the model meets no errors")
    gamelan_heard, of_gamelan = heard(gamelan, program)
    numpy_heard, of_numpy = heard(numpy, program)
    oracle.count()
    assert of_gamelan == pytest.approx(of_numpy, rel=4e-15, nan_ok=True)  # exp may differ in its last bit
    assert gamelan_heard == numpy_heard
