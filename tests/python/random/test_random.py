# SPDX-License-Identifier: BSD-3-Clause
"""Random numbers: the same wherever the array lives, and distributed as they say."""

import numpy
import pytest

import gamelan


def draws(module):
    rng = module.default_rng(42)
    module.seed(7)
    return [
        module.rand(3, 5), module.randn(20), module.random((2, 3)), module.uniform(-1, 1, 10), module.normal(5, 2, 10),
        module.randint(0, 10, 12), module.randint(5, size=(2, 2), dtype="u1"), rng.random(10), rng.random(4, "f4"),
        rng.standard_normal((3, 2)), rng.integers(-5, 5, 9, endpoint=True), rng.integers(2**63, size=4, dtype="u8"), rng.normal(size=3),
    ]  # fmt: skip


def test_numbers_do_not_depend_on_where_the_array_lives(engine):
    distributed = [numpy.asarray(array) for array in draws(gamelan.random)]
    with gamelan.options(distribute_from=10**6):
        for here, there in zip(draws(gamelan.random), distributed):
            assert here.dtype == there.dtype and numpy.array_equal(here, there)


def test_seeds(engine):
    one, same, other = (gamelan.random.default_rng(seed).random(5) for seed in (1, 1, 2))
    assert gamelan.array_equal(one, same) and not gamelan.array_equal(one, other)
    rng = gamelan.random.default_rng(1)
    assert numpy.array_equal(numpy.concatenate([rng.random(2), rng.random(3)]), one), "a stream is one sequence"


def test_moments():
    rng = gamelan.random.default_rng(3)
    with gamelan.options(distribute_from=10**9):
        uniform, normal = numpy.asarray(rng.random(200_000)), numpy.asarray(rng.standard_normal(200_000))
        dice = numpy.asarray(rng.integers(1, 6, 60_000, endpoint=True))
    assert 0 <= uniform.min() and uniform.max() < 1 and abs(uniform.mean() - 0.5) < 0.005 and abs(uniform.var() - 1 / 12) < 0.002
    assert abs(normal.mean()) < 0.01 and abs(normal.std() - 1) < 0.01 and abs((normal**4).mean() - 3) < 0.1
    counts = numpy.bincount(dice, minlength=7)[1:]
    assert ((counts - 10_000) ** 2 / 10_000).sum() < 25, "chi-squared of a die, 5 degrees of freedom"


@pytest.mark.parametrize("program", [
    lambda r: r.randint(5, 5), lambda r: r.randint(0, 300, dtype="u1"), lambda r: r.randint(-1, 3, dtype="u8"), lambda r: r.normal(0, -1, 3),
    lambda r: r.rand(-1), lambda r: r.randint(0, 3, dtype="f8"),
])  # fmt: skip
def test_errors_are_numpys(engine, program):
    with pytest.raises((ValueError, TypeError)) as theirs:
        program(numpy.random)
    with pytest.raises(theirs.type):
        program(gamelan.random)


def test_one_number():
    assert isinstance(gamelan.random.rand(), float) and isinstance(gamelan.random.normal(), float)
    assert type(gamelan.random.randint(3)) is int  # as with NumPy, unless another dtype is asked for


def test_parameters_may_be_arrays(engine):
    loc = gamelan.arange(5.0) * 100
    values = gamelan.random.default_rng(0).normal(loc, 1)
    assert values.shape == (5,) and numpy.all(numpy.abs(values - loc) < 10)


def test_what_is_not_there_says_so():
    """A NotImplementedError by name, which is also an AttributeError: hasattr() and completion go on working."""
    with pytest.raises(NotImplementedError, match="random.mtrand is not implemented"):
        gamelan.random.mtrand
    assert not hasattr(gamelan.random, "mtrand")
    with pytest.raises(AttributeError, match="no attribute 'no_such_thing'"):
        gamelan.random.default_rng(0).no_such_thing


def test_nothing_of_numpys_is_missing():
    for theirs, ours in ((numpy.random, gamelan.random), (numpy.random.Generator, gamelan.random.Generator),
                         (numpy.random.RandomState, gamelan.random.RandomState)):  # fmt: skip
        missing = {name for name in dir(theirs) if not name.startswith("_") and not hasattr(ours, name)}
        assert missing <= {"mtrand", "test"}, missing
