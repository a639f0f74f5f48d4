# SPDX-License-Identifier: BSD-3-Clause
# Suites that are programs: each on numpy and on gamelan; the figure is how many NumPy itself passes at least.
import pytest

NUMPY_PASSES = {"gain": 89, "bohrium": 9000, "npbench": 54, "cupynumeric": 30, "benchpress": 16}


@pytest.mark.timeout(1600)
@pytest.mark.parametrize("suite", NUMPY_PASSES)
def test_programs_give_what_they_give_with_numpy(suite, compare):
    compare(suite, NUMPY_PASSES[suite])
