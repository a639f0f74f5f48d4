# SPDX-License-Identifier: BSD-3-Clause
"""Running sums and products of rows, several of which are computed side by side: with the bits of one after another."""

import numpy
import pytest

import gamelan as np

SHAPES = [
    (2, 33_333),
    (3, 20_001),
    (5, 4098),
    (6, 4099),
    (7, 9001),
    (1400, 1400),
    (1001, 3),
    (4003, 2),
    (23, 31, 45),
]


def _data(shape, dtype):
    data = (numpy.random.default_rng(sum(shape)).standard_normal(shape) * 3).astype(dtype)
    if dtype[0] == "f":
        data.flat[:: data.size // 3] = -0.0
        data.flat[data.size // 2] = numpy.nan
        data.flat[data.size // 5] = numpy.inf
    return data


def _equal(got, expected, what):
    got = numpy.asarray(got)
    assert got.dtype == expected.dtype, what
    numpy.testing.assert_array_equal(got, expected, str(what))
    zeros = expected == 0
    numpy.testing.assert_array_equal(numpy.signbit(got[zeros]), numpy.signbit(expected[zeros]), str(what))


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4", "u8", "i2", "f2"])
def test_rows(engine, dtype):
    """NumPy goes through a row from the left, so the bits are the same."""
    with numpy.errstate(all="ignore"):
        for shape in SHAPES:
            data = _data(shape, dtype)
            ours = np.array(data)
            for name in ("add", "multiply", "maximum"):
                theirs = getattr(numpy, name).accumulate
                scan = getattr(np, name).accumulate
                _equal(scan(ours, axis=-1), theirs(data, axis=-1), (name, shape))
                _equal(scan(ours[..., ::-1], axis=-1), theirs(data[..., ::-1], axis=-1), (name, shape, "reversed"))
                _equal(scan(ours[1:], axis=-1), theirs(data[1:], axis=-1), (name, shape, "without the first"))
                _equal(scan(ours * 1, axis=-1)[..., -1], theirs(data, axis=-1)[..., -1], (name, shape, "last"))
            _equal(np.cumsum(ours.T, axis=0), numpy.cumsum(data.T, axis=0), (shape, "transposed"))


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4"])
def test_long_rows(engine, dtype):
    """A long row is cut into reduction blocks, of which a vector computes several."""
    draw = numpy.random.default_rng(3)
    for size in (100_003, 262_144, 1_000_001):
        data = draw.integers(-9, 10, size).astype(dtype)  # exact in any order
        _equal(np.cumsum(np.array(data)), numpy.cumsum(data), size)
        _equal(np.cumsum(np.array(data)[::-1]), numpy.cumsum(data[::-1]), size)
        signs = numpy.where(data < 0, -1, 1).astype(dtype)
        _equal(np.cumprod(np.array(signs)), numpy.cumprod(signs), size)
