# SPDX-License-Identifier: BSD-3-Clause
# data-apis/array-api-tests at 588bd1e with its array-api submodule: the namespace of a version of the standard, as an array of
# ours gives it, against what numpy.array_api passes where it has that version.
import pytest

from pytest_suites import outcomes, unexpected
from shims import ARRAY_API

_OURS = "exec('import gamelan; xp = gamelan.zeros(1).__array_namespace__(api_version=\"{}\")')"  # the suite runs it
# Version of the standard, NumPy's module for it (None: it has none), what both pass at least.
_VERSIONS = [("2021.12", "numpy.array_api", 1014), ("2022.12", None, 940), ("2023.12", None, 1000)]


@pytest.mark.timeout(1600)
@pytest.mark.parametrize("version, theirs, least", _VERSIONS)
def test_the_standard(checkout, ranks, version, theirs, least):
    directory = checkout("array-api")
    options = ["array_api_tests", "-p", "pytest_jsonreport", "--max-examples=5", "--disable-deadline", "--hypothesis-seed=0"]
    settings = {"ARRAY_API_TESTS_VERSION": version}
    expected = outcomes(directory, options, ARRAY_API, {**settings, "ARRAY_API_TESTS_MODULE": theirs}) if theirs else None
    actual = outcomes(directory, options, ARRAY_API, {**settings, "ARRAY_API_TESTS_MODULE": _OURS.format(version)}, ranks)
    wrong = unexpected(f"array-api-{version}", actual, expected)
    passed = sum(each == "passed" for each in actual.values())
    print(f"array-api {version}: {passed} of {len(actual)} passed on {ranks} ranks")
    assert expected is None or sum(each == "passed" for each in expected.values()) >= least
    assert passed >= least and not wrong, "\n".join(wrong)
