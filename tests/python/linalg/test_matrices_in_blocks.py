# SPDX-License-Identifier: BSD-3-Clause
"""Matrices that LAPACK gets whole although they lie in blocks, or as views: larger than those that are read many at once."""

import numpy
import pytest

import gamelan
from matrices import assert_near, general

N = 150
# A view, and the shape of what it is taken from.
VIEWS = {
    "contiguous": (lambda a: a, (N, N)),
    "transposed": (lambda a: a.T, (N, N)),
    "backwards": (lambda a: a[::-1], (N, N)),
    "every other": (lambda a: a[::2, ::-2], (2 * N, 2 * N)),
    "without a border": (lambda a: a[1:-1, 2:-3], (N + 2, N + 5)),
    "one of a stack": (lambda a: a[1:2], (3, N, N)),
    "a stack": (lambda a: a[:, 1:-1], (2, N + 2, N)),
    "a stack, turned": (lambda a: a.transpose(2, 1, 0), (N, N, 2)),
}


@pytest.mark.parametrize("dtype", ["f8", "f4", "c8", "c16", "i4"])
@pytest.mark.parametrize("name", VIEWS)
def test_solve_and_invert(engine, name, dtype):
    view, shape = VIEWS[name]
    base = numpy.zeros(shape, dtype)
    regular = general(numpy, view(base).shape, "f8" if dtype == "i4" else dtype)
    view(base)[...] = (40 * (regular / 4 + 10 * numpy.eye(N))).astype(dtype)
    for program in (
        lambda np, a: np.linalg.inv(a),
        lambda np, a: np.linalg.solve(a, a[..., :3]),
        lambda np, a: np.linalg.solve(a, a[..., 1::2] + 1),
    ):
        expected, found = (program(np, view(np.array(base))) for np in (numpy, gamelan))
        assert numpy.asarray(found).dtype == expected.dtype
        assert_near(found, expected)


def test_tall_and_wide(engine):
    for shape in ((500, 130), (130, 500), (3, 8000), (16_385, 1)):
        values = general(numpy, shape, "f8")
        for view in (lambda a: a, lambda a: a[::-1], lambda a: a.T):
            expected, found = (numpy.asarray(np.linalg.svd(view(np.array(values)), compute_uv=False)) for np in (numpy, gamelan))
            assert_near(found, expected)
