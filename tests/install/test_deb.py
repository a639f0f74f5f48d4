# SPDX-License-Identifier: BSD-3-Clause
"""The Debian packages that deploy/package left in dist/, each in a Debian with nothing on it: what apt installs is enough for a
script, the doctor and, in a venv, another NumPy. Needs root and the archive."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "deploy"))

import bare  # noqa: E402

SUITES = {"deb12": "bookworm", "deb13": "trixie"}
SOURCES = ["CMakeLists.txt", "deploy", "engine", "kernel", "protocol"]  # what a package is made of
SCRIPT = "import numpy, gamelan as np; a = np.ones(200_000); print(np.stats()['ranks'], float(a.sum()), numpy.__version__)"


def package_of(root, suite):
    """The package in dist/ that was made of these sources, and why there is none."""
    version = re.search(r"project\(gamelan VERSION ([\d.]+)", (root / "CMakeLists.txt").read_text())[1]
    packages = sorted((root / "dist").glob(f"gamelan_{version}-1+{suite}_*.deb"))
    if not packages:
        return None, f"dist/ has no package of {version} for {suite}: deploy/package makes one, on that Debian"
    told = Path(f"{packages[-1]}.commit")
    commit = told.read_text().strip() if told.exists() else ""
    differs = ["git", "diff", "--quiet", commit, "--", *SOURCES]
    if not commit or commit.endswith("-dirty") or subprocess.run(differs, cwd=root, capture_output=True).returncode:
        return None, f"{packages[-1].name} is of {commit or 'an unknown commit'}, not of these sources: run deploy/package again"
    return packages[-1], ""


@pytest.fixture(scope="module", params=sorted(SUITES))
def system(request):
    package, reason = package_of(ROOT, request.param)
    if reason:
        pytest.skip(reason)
    folder = ROOT / "build" / "fresh"
    folder.mkdir(parents=True, exist_ok=True)
    if reason := bare.why_not(folder, SUITES[request.param]):
        pytest.skip(reason)
    made = bare.Bare(ROOT, folder, SUITES[request.param])
    (made.root / "tmp" / "gamelan.deb").write_bytes(package.read_bytes())
    (made.root / "tmp" / "script.py").write_text(SCRIPT)
    code, said = made.run("root", "apt-get update -q", 300)
    assert code == 0, said[-3000:]
    start = time.monotonic()
    code, said = made.run(
        "root", "cd /tmp && DEBIAN_FRONTEND=noninteractive apt install -yq --no-install-recommends ./gamelan.deb", 900
    )
    assert code == 0, said[-3000:]
    installed = time.monotonic() - start
    made.add_user("player")
    code, said = made.run("player", "cd && gamelan run -n 2 /tmp/script.py")
    assert code == 0, said
    print(f"{package.name}: installed after {installed:.0f} s, the first result after {time.monotonic() - start:.0f} s")
    yield made
    made.remove()


@pytest.mark.timeout(1200)
def test_a_user_computes(system):
    code, said = system.run("player", "cd && gamelan run -n 2 /tmp/script.py")
    assert code == 0 and said.startswith("2 200000.0 "), said
    code, said = system.run("player", "cd && python3 -c 'import gamelan; print(gamelan.ones(3).sum(), gamelan.__file__)'")
    assert code == 0 and "3.0 /usr/lib/gamelan/python/gamelan/__init__.py" in said, said


def test_the_doctor_is_content(system):
    code, said = system.run("player", "cd && gamelan doctor")
    assert code == 0 and "[fail]" not in said, said
    assert "known to Jupyter in /usr/share/jupyter/kernels/gamelan" in said, said


@pytest.mark.timeout(1500)
def test_a_venv_with_another_numpy(system):
    system.run("root", "DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends python3-venv", 300)
    if certificates := os.environ.get("PIP_CERT"):  # of this machine's way to PyPI
        (system.root / "tmp" / "certificates").write_bytes(Path(certificates).read_bytes())
    trust = "PIP_CERT=/tmp/certificates" if certificates else ""
    code, said = system.run("player", f"cd && python3 -m venv env && {trust} env/bin/pip install -q 'numpy>=2' ipython comm", 900)
    if code:
        pytest.skip(f"PyPI is not reached from the bare system: {said.strip().splitlines()[-1:]}")
    code, said = system.run("player", "cd && VIRTUAL_ENV=$HOME/env gamelan run -n 2 /tmp/script.py")
    assert code == 0 and re.match(r"2 200000\.0 2\.", said), said


def test_nothing_stays_when_it_is_removed(system):
    code, said = system.run(
        "root", "DEBIAN_FRONTEND=noninteractive apt-get purge -yq gamelan; ls -d /usr/lib/gamelan /usr/bin/gamelan*"
    )
    assert "cannot access '/usr/lib/gamelan'" in said and "cannot access '/usr/bin/gamelan*'" in said, said[-2000:]
