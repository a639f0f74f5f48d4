# SPDX-License-Identifier: BSD-3-Clause
"""Where masks are true: of any density and length, eight flags at a time and the rest of them, and of bytes other than 0 and 1."""

import numpy
import pytest

from oracle import check_all

DENSITIES = (0, 1e-4, 0.03, 0.5, 0.999, 1)


@pytest.mark.parametrize("size", [7, 64, 4095, 8193, 100_003, 1_000_001])
def test_of_masks(engine, size):
    draw = numpy.random.default_rng(size)
    row = draw.random(size)

    def programs():
        for density in DENSITIES:
            mask = draw.random(size) < density
            bytes_of = mask * draw.integers(1, 256, size).astype("u1")
            yield f"nonzero {density}", lambda np: np.nonzero(np.array(mask))[0]
            yield f"nonzero {density} of bytes", lambda np: np.flatnonzero(np.array(bytes_of).view(bool))
            yield f"nonzero {density} reversed", lambda np: np.flatnonzero(np.array(mask)[::-3])
            yield f"elements {density}", lambda np: np.array(row)[np.array(mask)]
            yield f"elements {density} of a part", lambda np: np.array(row)[3:][np.array(mask)[3:]]

    check_all(programs())
