# SPDX-License-Identifier: BSD-3-Clause
# A copy that takes over its original's storage: later writes to the original do not overtake the one that parts them.
import numpy
import pytest

import oracle


@pytest.mark.parametrize("edge", [numpy.s_[1:-1, 0], numpy.s_[0], numpy.s_[:, -1]])
def test_a_write_beside_the_first_one_is_not_in_the_copy(engine, edge):
    def program(np):
        u, other = np.asarray(numpy.arange(49.0).reshape(7, 7)), np.asarray(numpy.ones((7, 7)))
        old = u.copy()
        other[edge] = other[edge] + 1  # a pass of the shape of the last write, which that one could join
        u[1:-1, 1:-1] = old[1:-1, :-2] + old[:-2, 1:-1] + old[1:-1, 2:]
        u[edge] = 1000.0
        return [u, other]

    oracle.check(program)
