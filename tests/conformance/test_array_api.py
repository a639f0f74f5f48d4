# SPDX-License-Identifier: BSD-3-Clause
# data-apis/array-api-tests at 588bd1e with its array-api submodule: `gamelan.array_api` against what numpy.array_api passes.
import pytest

from pytest_suites import outcomes, unexpected
from shims import ARRAY_API

# Version of the standard, NumPy's module for it (None: it has none), what that passes at least.
_VERSIONS = [("2021.12", "numpy.array_api", 1010), ("2023.12", None, 0)]


@pytest.mark.timeout(1600)
@pytest.mark.parametrize("version, theirs, least", _VERSIONS)
def test_the_standard(checkout, ranks, version, theirs, least):
    directory = checkout("array-api")
    options = ["array_api_tests", "-p", "pytest_jsonreport", "--max-examples=5", "--disable-deadline", "--hypothesis-seed=0"]
    settings = {"ARRAY_API_TESTS_VERSION": version}
    expected = outcomes(directory, options, ARRAY_API, {**settings, "ARRAY_API_TESTS_MODULE": theirs}) if theirs else None
    actual = outcomes(directory, options, ARRAY_API, {**settings, "ARRAY_API_TESTS_MODULE": "gamelan.array_api"}, ranks)
    wrong = unexpected(f"array-api-{version}", actual, expected)
    passed = sum(each == "passed" for each in actual.values())
    print(f"array-api {version}: {passed} of {len(actual)} passed on {ranks} ranks")
    assert expected is None or sum(each == "passed" for each in expected.values()) >= least
    assert passed > 900 and not wrong, "\n".join(wrong)
