# SPDX-License-Identifier: BSD-3-Clause
"""Limits and arguments of random draws at which something ends: all numbers of 64 bits, floats for counts, seeds that are no seeds,
what else can be shuffled. Numbers are ours; what is allowed, and how it fails, is NumPy's."""

import warnings

import numpy
import pytest

import gamelan
from oracle import Outcome, error_class

LIMITS = """[0], [2**64], dtype="u8"|[0], [2**64 - 1], dtype="u8", endpoint=True|[-2**63], [2**63]|[-2**63], [2**63 - 1], endpoint=True|[-128], [128], dtype="i1"
[2**64 - 1], [2**64], dtype="u8"|[2**63 - 1], [2**63]|[-2**63], [-2**63 + 1]|[0], [2**64 + 1], dtype="u8"|[-1], [5], dtype="u8"|[5], [5]|[5], [4], endpoint=True
np.array([1], "u8"), np.array([2**63 + 5], "u8"), dtype="u8"|[2**63 + 1], [2**63 + 1], dtype="u8"|[2**63], [2**63 + 1], dtype="u8"|[2.5], [5.5]|[0, -3], [[1], [2]]
0, [2**64], dtype="u8"|[0], 2**64, dtype="u8"|[True], [5]|[0], [2], dtype=bool|[-300], [5], dtype="i1"|[], []"""


@pytest.mark.parametrize("where", ["here", "engine"])
@pytest.mark.parametrize("text", LIMITS.replace("\n", "|").split("|"))
def test_whole_numbers_between_any_limits(request, where, text):
    if where == "engine":
        request.getfixturevalue(where)
    drawn, expected = (Outcome(lambda np: [eval(f"g.integers({text})", {"np": np, "g": np.random.default_rng(seed)}) for seed in range(40)], module)
                       for module in (gamelan, numpy))  # fmt: skip
    if expected.error is not None:
        assert isinstance(drawn.error, error_class(expected.error)), drawn.error or drawn.value
        return
    assert drawn.error is None, drawn.error
    ours, theirs = numpy.array(drawn.value), numpy.array(expected.value)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    if ours.size and ours.dtype != bool:
        for column, other in zip(ours.reshape(40, -1).T, theirs.reshape(40, -1).T):
            assert (len(set(column.tolist())) > 1) == (len(set(other.tolist())) > 1)
            width = int(other.max()) - int(other.min())
            assert int(other.min()) - width <= int(column.min()) and int(column.max()) <= int(other.max()) + width


CALLS = """np.random.RandomState([])|np.random.RandomState([-0.5])|np.random.RandomState([-1])|np.random.RandomState([2**32])|np.random.RandomState([[1]])
np.random.RandomState([1, 2]).rand(2)|np.random.RandomState(np.array([1, 2])).rand(2)|np.random.seed([2**32])|np.random.seed(2**32)|np.random.RandomState(0.5)
g.binomial(100.9, 0.0)|g.binomial([10.5], 0.0)|g.hypergeometric(10.1, 0, 5)|g.multinomial(2.5, [0.5, 0.5])|np.random.multinomial(10, [[0, 1]])|g.multinomial(10, [[0, 1]])
g.choice([1, 2, 3], p=np.array([4, 4, 2], "f2") / 10).shape|g.choice([1, 2, 3], p=np.array([4, 4, 2], "f4") / 10 * 0.9)|g.choice([1, 2], p=[0.5, 0.51])
g.permuted(np.ones((3, 5)), axis=1, out=np.zeros((3, 5), int))|g.permuted(np.ones(3), out=np.zeros(3))"""


@pytest.mark.parametrize("where", ["here", "engine"])
def test_what_numpy_takes_and_refuses(request, where):
    if where == "engine":
        request.getfixturevalue(where)
    for line in CALLS.replace("\n", "|").split("|"):
        ours, theirs = (
            Outcome(lambda np: eval(line, {"np": np, "g": np.random.default_rng(1)}), module) for module in (gamelan, numpy)
        )
        assert (ours.error is None) == (theirs.error is None), f"{line}: {ours.error!r}, NumPy {theirs.error!r}"
        assert theirs.error is None or isinstance(
            ours.error, error_class(theirs.error)
        ), f"{line}: {ours.error!r}, NumPy {theirs.error!r}"
        assert numpy.shape(ours.value) == numpy.shape(theirs.value), line


def test_other_things_are_shuffled_too():
    generator = gamelan.random.default_rng(3)
    assert generator.choice(gamelan.array([None], dtype=object)) is None
    numbers = numpy.arange(20)
    generator.shuffle(memoryview(numbers))
    assert sorted(numbers.tolist()) == list(range(20)) != numbers.tolist()
    table = {place: place for place in range(20)}
    with pytest.warns(UserWarning, match="not a subclass of 'Sequence'"):
        generator.shuffle(table)
    assert sorted(table.values()) == list(range(20)) != list(table.values())
    items = [None, gamelan.array([3]), numpy.float64(3), [1, 2]]
    kept = list(items)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        generator.shuffle(items)
    assert {id(item) for item in items} == {id(item) for item in kept}
    objects = gamelan.array(kept[:3], dtype=object)
    generator.shuffle(objects)
    assert {type(item) for item in objects} == {type(None), gamelan.ndarray, numpy.float64}
