# SPDX-License-Identifier: BSD-3-Clause
"""Generators and RandomState: state, copies, children; errors of NumPy's classes."""

import pickle

import numpy
import pytest

import gamelan
from oracle import error_class


def test_a_state_is_kept_and_restored(engine):
    rng = gamelan.random.default_rng(1)
    rng.poisson(3, 7)
    state = rng.bit_generator.state
    first = rng.random(5), rng.permutation(9)
    rng.bit_generator.state = state
    for one, other in zip(first, (rng.random(5), rng.permutation(9))):
        assert gamelan.array_equal(one, other)
    other = gamelan.random.Generator(gamelan.random.Philox(99))
    other.bit_generator.state = state
    assert gamelan.array_equal(other.random(5), first[0])
    for wrong, error in (({}, ValueError), (3, TypeError), ({"bit_generator": "MT19937", "state": {}}, ValueError)):
        with pytest.raises(error):
            rng.bit_generator.state = wrong


def test_pickles_go_on_where_they_were(engine):
    rng, old = gamelan.random.default_rng(5), gamelan.random.RandomState(5)
    rng.random(3), old.rand(3)
    for one in (rng, old):
        copy = pickle.loads(pickle.dumps(one))
        assert type(copy) is type(one) and gamelan.array_equal(copy.normal(size=4), one.normal(size=4))
        assert [child.random() for child in copy._bits and gamelan.random.Generator(copy._bits).spawn(2)]


def test_children_are_independent(engine):
    children = gamelan.random.default_rng(3).spawn(3)
    again = [gamelan.random.default_rng(seed) for seed in numpy.random.SeedSequence(3).spawn(3)]
    draws = [numpy.asarray(child.random(4)) for child in children]
    assert all((draw == numpy.asarray(other.random(4))).all() for draw, other in zip(draws, again))
    assert len({draw.tobytes() for draw in draws}) == 3
    jumped = gamelan.random.Philox(3).jumped()
    assert gamelan.random.Generator(jumped).random() != gamelan.random.Generator(gamelan.random.Philox(3)).random()


def test_names_of_bit_generators_are_taken(engine):
    names = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")
    numbers = {gamelan.random.Generator(getattr(gamelan.random, name)(7)).random() for name in names}
    assert numbers == {gamelan.random.default_rng(7).random()}
    assert gamelan.random.default_rng(numpy.random.PCG64(7)).random() in numbers
    with pytest.raises(AttributeError):
        gamelan.random.Generator(7)


def test_random_state(engine):
    state = gamelan.random.RandomState(42)
    kept = state.get_state()
    numbers = state.random_sample(4)
    state.set_state(kept)
    assert gamelan.array_equal(state.random_sample(4), numbers)
    gamelan.random.seed(42)
    assert gamelan.array_equal(gamelan.random.random_sample(4), numbers)
    gamelan.random.set_state(kept)
    assert gamelan.array_equal(gamelan.random.rand(4), numbers)
    state.set_state(state.get_state(legacy=False))
    for wrong, error in ((("MT19937", [1], 2), ValueError), (5, TypeError)):
        with pytest.raises(error):
            state.set_state(wrong)
    assert state.random_integers(6, size=100).max() <= 6 and 0 <= state.tomaxint() and len(state.bytes(5)) == 5


def test_numbers_go_to_out(engine):
    out = gamelan.zeros((3, 4))
    result = gamelan.random.default_rng(6).random(out=out)
    assert result is out and gamelan.array_equal(out, gamelan.random.default_rng(6).random((3, 4)))
    for call in (
        lambda r, o: r.random(out=o(3, "f4")),
        lambda r, o: r.standard_normal(4, out=o(3, "f8")),
        lambda r, o: r.standard_exponential(out=[1.0]),
    ):
        errors = []
        for module in (numpy, gamelan):
            with pytest.raises((TypeError, ValueError)) as error:
                call(module.random.default_rng(0), module.zeros)
            errors.append(error.type)
        assert issubclass(errors[1], errors[0])


CALLS = {
    "gamma": lambda r, a: r.gamma(a([-1.0, 2.0])), "scale": lambda r, a: r.gamma(a([1.0]), -1), "beta": lambda r, a: r.beta(0, a([1.0, 2.0])),
    "poisson": lambda r, a: r.poisson(a([1.0, -2.0]), (3, 2)), "poisson nan": lambda r, a: r.poisson(a([numpy.nan])), "large": lambda r, a: r.poisson(1e30, 5),
    "binomial": lambda r, a: r.binomial(5, a([0.5, 1.5])), "n": lambda r, a: r.binomial(a([-5]), 0.5), "float n": lambda r, a: r.binomial(a([5.5]), 0.5),
    "geometric": lambda r, a: r.geometric(a([0.0, 0.5])), "zipf": lambda r, a: r.zipf(a([1.0])), "logseries": lambda r, a: r.logseries(a([1.0])),
    "hypergeometric": lambda r, a: r.hypergeometric(a([3, 2]), 2, 6), "triangular": lambda r, a: r.triangular(a([0.0, 5.0]), 1, 3),
    "order": lambda r, a: r.triangular(3, 2, 4, 5), "size": lambda r, a: r.gamma(a([1.0, 2.0]), 1, 3), "shapes": lambda r, a: r.gamma(a([1.0, 2.0]), a([1.0, 2.0, 3.0])),
    "negative size": lambda r, a: r.exponential(1, -3), "normal": lambda r, a: r.normal(a([0.0]), a([-1.0])), "range": lambda r, a: r.uniform(0, numpy.inf, 3),
    "dtype": lambda r, a: r.random(3, dtype="f2"), "integers": lambda r, a: r.integers(a([3, 4]), a([5, 4])), "int8": lambda r, a: r.integers(0, a([300, 4]), dtype="i1"),
    "axis": lambda r, a: r.permutation(a([1, 2]), axis=1), "0-d": lambda r, a: r.shuffle(a(3)),
    "a": lambda r, a: r.choice(0, 3), "empty": lambda r, a: r.choice(a([]), 3), "more": lambda r, a: r.choice(a([1, 2]), 3, replace=False),
    "p": lambda r, a: r.choice(2, 3, p=a([0.5, 0.6])), "p size": lambda r, a: r.choice(3, 3, p=a([0.5, 0.5])), "p nan": lambda r, a: r.choice(2, 3, p=a([0.5, numpy.nan])),
    "p less": lambda r, a: r.choice(2, 3, p=a([-0.5, 1.5])), "p zero": lambda r, a: r.choice(3, 2, replace=False, p=a([1.0, 0, 0])), "float a": lambda r, a: r.choice(2.5, 3),
    "multinomial": lambda r, a: r.multinomial(5, [0.6, 0.6, 0.1]), "multinomial n": lambda r, a: r.multinomial(a([-5]), [0.5, 0.5]), "dirichlet": lambda r, a: r.dirichlet([-1.0, 1]),
    "cov": lambda r, a: r.multivariate_normal([0, 0], [[1]]), "method": lambda r, a: r.multivariate_normal([0], [[1]], method="x"), "seed": lambda r, a: type(r)(3),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_errors_are_numpys(engine, name):
    with pytest.raises(Exception) as theirs:
        CALLS[name](numpy.random.default_rng(0), numpy.array)
    rng = gamelan.random.default_rng(0)
    before = rng.bit_generator.state
    with pytest.raises(error_class(theirs.value)):
        CALLS[name](rng, gamelan.array)
    assert rng.bit_generator.state == before, "a mistake draws nothing"
