# SPDX-License-Identifier: BSD-3-Clause
"""What tests of keys share."""

import pytest
from gamelan import _core


@pytest.fixture(params=["", "put_by_owner"], ids=["by owners", "as over nodes"])
def puts(engine, request):
    """Puts on one node, and as over several: sorted by owner, masks as positions."""
    _core.configure([("disable_passes", request.param)])
    yield
    _core.configure([("disable_passes", "")])
