# SPDX-License-Identifier: BSD-3-Clause
"""Random numbers: the same at any rank count and any threshold, and distributed as they should be.

NumPy's streams are not reproduced; the first numbers of a seed are written down here, so that no change of engine, rank
count or threshold goes unnoticed.
"""

import numpy
import pytest

import gamelan
from gamelan import _core

np = gamelan


def _here(make):
    """The same draw by the small-array path."""
    with gamelan.options(distribute_from=2**62):
        return numpy.asarray(make())


DRAWS = {
    "random": lambda rng: rng.random((37, 41)),
    "random float32": lambda rng: rng.random(1000, dtype=numpy.float32),
    "uniform": lambda rng: rng.uniform(-3, 5, 2001),
    "normal": lambda rng: rng.normal(2, 3, (50, 40)),
    "standard_normal": lambda rng: rng.standard_normal(1234),
    "integers": lambda rng: rng.integers(-5, 17, (33, 7)),
    "integers int8": lambda rng: rng.integers(-128, 128, 999, dtype="i1"),
    "integers uint64": lambda rng: rng.integers(0, 2**64 - 1, 500, dtype="u8", endpoint=True),
    "several": lambda rng: rng.random(11) + rng.random(11) * 2 + rng.integers(0, 9, 11),
}


@pytest.mark.parametrize("name", DRAWS)
def test_same_numbers_here_and_on_engines(engine, name):
    draw = DRAWS[name]
    here = _here(lambda: draw(np.random.default_rng(42)))
    there = numpy.asarray(draw(np.random.default_rng(42)))
    assert there.dtype == here.dtype and there.shape == here.shape
    if name in ("normal", "standard_normal", "several"):
        numpy.testing.assert_allclose(there, here, rtol=1e-12, atol=1e-14)
    else:
        numpy.testing.assert_array_equal(there, here)
    other = numpy.asarray(draw(np.random.default_rng(43)))
    assert (other != there).any()


def test_numbers_do_not_depend_on_ranks(engine):
    """A checksum of the bits: equal on every rank count because it is written here."""
    rng = np.random.default_rng(2024)
    bits = numpy.asarray(rng.random(5000)).view("u8")
    integers = numpy.asarray(rng.integers(0, 1000, 5000))
    with gamelan.options(distribute_from=2**62):
        rng = np.random.default_rng(2024)
        assert (numpy.asarray(rng.random(5000)).view("u8") == bits).all()
        assert (numpy.asarray(rng.integers(0, 1000, 5000)) == integers).all()
    assert int(numpy.bitwise_xor.reduce(bits)) == 50692137775102600 and int(integers.sum()) == 2489840


def test_legacy_functions_and_seed(engine):
    def draws():
        np.random.seed(7)
        return [numpy.asarray(value) for value in (
            np.random.rand(3, 4), np.random.randn(5), np.random.random((2, 2)), np.random.uniform(1, 2, 6),
            np.random.normal(0, 1, 6), np.random.randint(0, 10, (4, 4)), np.random.random_sample(3), np.random.standard_normal((2, 3)),
        )]  # fmt: skip

    first, second = draws(), draws()
    assert [value.shape for value in first] == [(3, 4), (5,), (2, 2), (6,), (6,), (4, 4), (3,), (2, 3)]
    for one, other in zip(first, second):
        assert (one == other).all()
    assert (numpy.asarray(np.random.rand(3, 4)) != first[0]).any()


def test_statistics(engine):
    rng = np.random.default_rng(1)
    count = 200_000
    uniform = rng.random(count)
    assert abs(float(uniform.mean()) - 0.5) < 5 / (12 * count) ** 0.5
    assert abs(float(((uniform - 0.5) ** 2).mean()) - 1 / 12) < 0.002
    assert 0 <= float(uniform.min()) < 1e-3 and 1 - 1e-3 < float(uniform.max()) < 1
    # Neighbours are not correlated, nor are numbers one block apart.
    for shift in (1, 4, 64, count // 4):
        correlation = float(((uniform[shift:] - 0.5) * (uniform[:-shift] - 0.5)).mean())
        assert abs(correlation) < 5 / 12 / (count - shift) ** 0.5
    normal = rng.standard_normal(count)
    for power, moment, variance in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)):
        assert abs(float((normal**power).mean()) - moment) < 5 * (variance / count) ** 0.5
    faces = numpy.bincount(numpy.asarray(rng.integers(0, 10, count)), minlength=10)
    chi_squared = float(((faces - count / 10) ** 2 / (count / 10)).sum())
    assert len(faces) == 10 and chi_squared < 30  # 9 degrees of freedom: one in 2,000


@pytest.mark.parametrize("call, error", [
    (lambda rng: rng.random(-1), ValueError),
    (lambda rng: rng.normal(0, -1, 5), ValueError),
    (lambda rng: rng.integers(5, 5, 3), ValueError),
    (lambda rng: rng.integers(0, 300, 3, dtype="i1"), ValueError),
    (lambda rng: rng.integers(0, 3, 3, dtype="f8"), TypeError),
])  # fmt: skip
def test_errors_are_numpys(engine, call, error):
    with pytest.raises(error):
        call(numpy.random.default_rng(0))
    with pytest.raises(error):
        call(np.random.default_rng(0))
    _core.flush(True)
