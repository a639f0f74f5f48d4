# SPDX-License-Identifier: BSD-3-Clause
# The tests of cupy/cupy v12.3 that run a program on `xp`: numpy as the module under test, then gamelan. Tests of CuPy's own
# that NumPy fails too do not count; __cuda_array_interface__ is a protocol that neither has.
import pytest

from pytest_suites import outcomes, unexpected
from shims import CUPY

# Folder of tests, how many numpy 1.24 passes as the module under test.
_FOLDERS = {
    "binary": 13,
    "creation": 396,
    "indexing": 373,
    "logic": 823,
    "manipulation": 534,
    "sorting": 467,
    "statistics": 729,
    "padding": 75,
}


@pytest.mark.timeout(1600)
@pytest.mark.parametrize("folder", _FOLDERS)
def test_a_folder(checkout, ranks, folder):
    directory = checkout("cupy") / "tests"
    options = [f"cupy_tests/{folder}_tests", "-k", "not CudaArrayInterface", "--timeout", "120"]
    expected = outcomes(directory, options, CUPY, {"CONFORMANCE_MODULE": "numpy"})
    actual = outcomes(directory, options, CUPY, {"CONFORMANCE_MODULE": "gamelan"}, ranks)
    wrong = unexpected("cupy", actual, expected)
    judged = [name for name, outcome in expected.items() if outcome == "passed"]
    print(f"cupy {folder}: {sum(actual[name] == 'passed' for name in judged)} of {len(judged)} passed on {ranks} ranks")
    assert len(judged) >= _FOLDERS[folder] and not wrong, "\n".join(wrong)
