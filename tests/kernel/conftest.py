# SPDX-License-Identifier: BSD-3-Clause
# Fixtures of the kernel tier: real kernel processes, driven through jupyter_client as a front end would.
# GAMELAN_BUILD names the build folder (default: build/ of this checkout).
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from notebook import Notebook  # noqa: E402


def pytest_configure(config):
    config.addinivalue_line("markers", "timeout(seconds): fails a test that hangs (pytest-timeout)")


def pytest_collection_modifyitems(items):
    for item in items:
        if item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(60))


@pytest.fixture(scope="session", autouse=True)
def own_home(tmp_path_factory):
    """IPython's history and profile of these tests are nobody's own."""
    home = tmp_path_factory.mktemp("ipython")
    os.environ["IPYTHONDIR"] = str(home)
    os.environ["XDG_STATE_HOME"] = str(home / "state")  # what is kept of notebooks
    return home


@pytest.fixture(scope="module")
def shared(own_home):
    """One kernel for the tests of a file; a test must not rely on what another left in it."""
    with Notebook() as notebook:
        yield notebook


@pytest.fixture
def fresh(own_home):
    """A kernel for one test, which may end it."""
    with Notebook() as notebook:
        yield notebook
