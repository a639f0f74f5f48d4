# SPDX-License-Identifier: BSD-3-Clause
"""Programs over numbers of one byte and bools: they wrap as NumPy's do, whatever lies behind the end of a row."""

import numpy
import pytest
from oracle import check

SHAPES = [(701, 1399), (3, 40009), (130000,), (4099, 33)]


def stencil(np, x):
    """Sums that leave the range of a byte, compared and chosen among."""
    inner = (slice(1, -1),) * x.ndim
    up, down = x[(slice(2, None),) + inner[1:]], x[(slice(None, -2),) + inner[1:]]
    total = up + down * 3 + x[inner] - 7
    chosen = np.where((total > x[inner]) | (up == down), np.maximum(total, -down), total ^ up)
    result = np.zeros_like(x)
    result[inner] = (chosen >= up) & (total != 5)
    return result, chosen, -total, np.minimum(total, up) * down, total.astype(bool), chosen.sum()


def life(np, x):
    z = (x > 40).astype(x.dtype).reshape(x.shape[0], -1)
    for _ in range(4):
        t = z[:-2, :-2] + z[:-2, 1:-1] + z[:-2, 2:] + z[1:-1, :-2] + z[1:-1, 2:] + z[2:, :-2] + z[2:, 1:-1] + z[2:, 2:]
        q = np.zeros_like(z)
        q[1:-1, 1:-1] = (t == 3) | ((t == 2) & (z[1:-1, 1:-1] == 1))
        z = q
    return z, z.sum()


def walked(np, x):
    """Backwards, across, and every third: what is not contiguous is copied first."""
    back, third = x[::-1] + x, x[..., ::3] - x[..., ::3].max()
    return back * back < x, abs(third), (x.T + x.T) % 7, ~back | x


@pytest.mark.parametrize("program", [stencil, life, walked])
@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("shape", SHAPES)
def test_bytes_are_numpys(engine, program, dtype, shape):
    x = numpy.random.default_rng(4).integers(0, 256, shape).astype(dtype)
    for part in range(2):  # the second time what is hot is machine code
        check(lambda np: program(np, np.array(x)), f"turn {part}", exact=True)
