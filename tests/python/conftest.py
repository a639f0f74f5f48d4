# SPDX-License-Identifier: BSD-3-Clause
"""Where the arrays of a test live: nowhere but here, in the model of reference.py, or on real engines.

    pytest --ranks 3      real engines on 3 ranks
    pytest --ranks 0      the model (default)

Every test that takes `engine` runs with GAMELAN_DISTRIBUTE_FROM = 0, so that even a 0-d array is distributed.
"""

import gc
import os

import numpy
import pytest

import engines
import gamelan
import hang
import oracle
import reference
from gamelan import _core, _session

_engines, _limit_s = pytest.StashKey(), pytest.StashKey()


def pytest_addoption(parser):
    parser.addoption("--ranks", type=int, default=0, help="real engines on so many ranks; 0: the model in reference.py")
    parser.addoption("--ranks-per-node", type=int, default=0, help="pretend that so many ranks are a node; 0: all are on one")
    parser.addoption("--part", default="1/1", help="K/N: every N-th test, from the K-th on, and all that are only_on these ranks")
    parser.addoption(
        "--node-fanout", type=int, default=0, help="how many nodes a node hands messages on to; 0: the engine's default"
    )


def pytest_configure(config):
    config.addinivalue_line("markers", "only_on(*ranks): a test that runs with these numbers of ranks, in every --part")
    hang.keep_standard_error()


def pytest_collection_modifyitems(config, items):
    part, parts = map(int, config.getoption("--part").split("/"))
    ranks, chosen, others, number = config.getoption("--ranks"), [], [], 0
    for item in items:
        if only := item.get_closest_marker("only_on"):
            is_chosen = ranks in only.args
        else:
            is_chosen = number % parts == part - 1
            number += 1
        (chosen if is_chosen else others).append(item)
    config.hook.pytest_deselected(items=others)
    items[:] = chosen
    for item in items:
        marker = item.get_closest_marker("timeout")
        item.stash[_limit_s] = marker.args[0] if marker else hang.TEST_LIMIT_S
        item.add_marker(pytest.mark.timeout(0), append=False)  # hang.Watch's alarm would be the plug-in's otherwise


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    """A test that hangs fails: waits for the engines look for signals."""
    with hang.Watch(item, lambda: item.session.stash.get(_engines, None), item.stash[_limit_s]):
        yield


def pytest_terminal_summary(terminalreporter, config):
    terminalreporter.write_line(f"{oracle.comparisons()} comparisons with NumPy, ranks: {config.getoption('--ranks') or 'model'}")


@pytest.fixture(scope="session")
def ranks(request):
    return request.config.getoption("--ranks")


@pytest.fixture(scope="session")
def _connected(ranks, request):
    if ranks == 0:
        yield reference.connect()
        return
    running = engines.Engines(
        ranks, ranks_per_node=request.config.getoption("--ranks-per-node"), node_fanout=request.config.getoption("--node-fanout")
    )
    request.session.stash[_engines] = running
    try:
        _session.use(running)
        yield running
        _session.release()
    finally:
        running.stop()


@pytest.fixture(scope="module", autouse=True)
def _frozen():
    """The collections of garbage after each test look at what the tests of this file have made, not at all that is there."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def engine(_connected):
    """Engines (or the model) with every array distributed. What a test leaves pending is computed before the next."""
    with gamelan.options(distribute_from=0):
        yield _connected
        gc.collect()
        _core.flush(True)


@pytest.fixture
def engines_only(engine, ranks):
    """The same, for what the model does not have."""
    if not ranks:
        pytest.skip("the model has no plans, memory, layouts, names and floating-point errors")


@pytest.fixture(params=["off", "on", "always"])
def balance(engine, request):
    """Whether ranks that are done help others: never, as they do, or with the smallest piece."""
    _core.flush(True)
    _core.configure([("balance", request.param)])
    yield request.param
    _core.flush(True)
    _core.configure([("balance", "on")])


@pytest.fixture
def mixed(_connected):
    """Engines with arrays of 10 elements or more distributed."""
    with gamelan.options(distribute_from=10):
        yield _connected
        gc.collect()
        _core.flush(True)


@pytest.fixture
def ordinary(_connected, ranks):
    """Engines with the threshold that users have."""
    if not ranks:
        pytest.skip("the model computes one element after the other")
    with gamelan.options(distribute_from=65536):
        yield _connected
        gc.collect()
        _core.flush(True)


@pytest.fixture
def model(ranks):
    """A fresh model of the engines, whatever --ranks says; the session's engines come back afterwards."""
    if ranks:
        pytest.skip("needs the model")
    model = reference.connect()
    with gamelan.options(distribute_from=0):
        yield model


@pytest.fixture(scope="session", autouse=True)
def _leaves_no_files():
    """What a test writes it writes to a folder of its own, not to where it was started."""
    before = set(os.listdir())
    yield
    left = {
        name
        for name in set(os.listdir()) - before
        if name.endswith((".npz", ".npy", ".txt", ".dat", ".bin", ".h5", ".zarr", ".csv"))
    }
    assert not left, f"tests left {sorted(left)} in {os.getcwd()}"


@pytest.fixture(autouse=True)
def _seeded():
    numpy.random.seed(0)


@pytest.fixture(autouse=True)
def _float_errors_as_before():
    """An interrupt between the lines of a `with numpy.errstate(...)` leaves what the block has set, as it does in NumPy."""
    with numpy.errstate():
        yield
