# SPDX-License-Identifier: BSD-3-Clause
"""Both commands of the README on a Debian with nothing on it, 12 and 13: the first one by root and by a user who may install
nothing, the second for its tier `pure`. Takes an hour for each and needs root and the archive, hence not in the default tiers:
`tests/run fresh`. What is not committed is not tested."""

import re

import bare
import pytest

LAPLACE = re.compile(r"^Laplace \d+ x \d+ on 4 engines: \d+ iterations, error [\d.]+", re.MULTILINE)
HOUR = 3600


@pytest.fixture(scope="module", params=["bookworm", "trixie"])
def system(request):
    folder = bare.pathlib.Path(__file__).resolve().parents[2] / "build" / "fresh"
    folder.mkdir(parents=True, exist_ok=True)
    reason = bare.why_not(folder, request.param)
    if reason:
        pytest.skip(reason)
    made = bare.Bare(folder.parents[1], folder, request.param)
    yield made
    made.remove()


def test_without_root_it_says_what_to_install(system):
    system.add_user("player")
    system.clone_for("player")
    code, said = system.run("player", "cd ~/gamelan && deploy/demo")
    assert code == 3 and "As root:" in said and "apt-get update && apt-get install -y" in said, said


def test_the_demo(system):
    system.clone_for("root")
    code, said = system.run("root", "cd ~/gamelan && deploy/demo", HOUR)
    assert code == 0 and LAPLACE.search(said), said[-4000:]


def test_the_demo_without_root(system):
    """The packages are there by now."""
    code, said = system.run("player", "cd ~/gamelan && deploy/demo", HOUR)
    assert code == 0 and LAPLACE.search(said) and "installing" not in said, said[-4000:]


def test_the_pure_tier(system):
    code, said = system.run("root", "cd ~/gamelan && tests/run pure", 2 * HOUR)
    assert code == 0 and re.search(r"^[1-9]\d* passed, 0 failed, \d+ skipped$", said, re.MULTILINE), said[-4000:]
