# SPDX-License-Identifier: BSD-3-Clause
# The tests of cupy/cupy v12.3 that run a program on `xp`: numpy as the module under test, then gamelan.
import pytest

from pytest_suites import outcomes, unexpected
from shims import CUPY

# Folder of tests, how many numpy passes as the module under test at least.
_FOLDERS = {"binary": 9, "creation": 300, "indexing": 200, "logic": 500, "manipulation": 400, "sorting": 200, "statistics": 300, "padding": 50}


@pytest.mark.timeout(1600)
@pytest.mark.parametrize("folder", _FOLDERS)
def test_a_folder(checkout, ranks, folder):
    directory = checkout("cupy") / "tests"
    options = [f"cupy_tests/{folder}_tests", "--continue-on-collection-errors", "--timeout", "30"]
    expected = outcomes(directory, options, CUPY, {"CONFORMANCE_MODULE": "numpy"})
    actual = outcomes(directory, options, CUPY, {"CONFORMANCE_MODULE": "gamelan"}, ranks)
    wrong = unexpected("cupy", actual, expected)
    assert sum(each == "passed" for each in expected.values()) >= _FOLDERS[folder] and not wrong, "\n".join(wrong)
