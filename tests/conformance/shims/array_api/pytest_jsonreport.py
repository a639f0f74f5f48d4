# SPDX-License-Identifier: BSD-3-Clause
"""Stands in for pytest-json-report, which Debian does not have, and teaches Debian's hypothesis newer versions of the
array-API standard. array-api-tests imports this name; the runner loads it as a plugin (-p pytest_jsonreport)."""

import pytest
from hypothesis.extra import array_api

_theirs = array_api.make_strategies_namespace


def _make(xp, *, api_version=..., **keywords):
    # This hypothesis knows 2021.12 and what was the draft of 2022.12; later versions add nothing that it generates.
    return _theirs(xp, api_version="draft" if api_version not in (..., "2021.12") else api_version, **keywords)


array_api.make_strategies_namespace = _make


@pytest.fixture
def json_metadata():
    """Where the suite notes what it tested; nobody reads it here."""
    return {}
