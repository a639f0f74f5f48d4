# SPDX-License-Identifier: BSD-3-Clause
"""What gamelan-kernel says when it is started where a library is not: one sentence with the library, its package and the mend.

Each test takes a library away: by a copy of the kernel that is linked with another, or by one that is found before the system's.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest
from launch_fixtures import BUILD, a_kernel_that_asks


def said_at_the_start(program, **variables):
    done = subprocess.run(
        [program, "-f", "none"], env=os.environ | variables, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1 and done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def library(name):
    """Where the linker finds a library of the kernel."""
    told = subprocess.run(["ldd", BUILD / "lib/gamelan/gamelan-kernel.so"], capture_output=True, text=True, check=True).stdout
    return Path(re.search(rf"{re.escape(name)} => (\S+)", told)[1])


@pytest.mark.parametrize(
    "linked, letters, others, package",
    [
        (r"libxeus\.so\.\d+", "libxeus", "libxexx", "libxexx{version}"),
        (r"libzmq\.so\.5", "libzmq", "libzm6", "libzm6-{version}"),
        (r"libpython3\.\d+\.so\.1\.0", "libpython3.1", "libpython3.9", "{before}"),
        (r"libstdc\+\+\.so\.6", "libstdc", "libst_c", "libst-c++{version}"),
    ],
)
def test_the_kernel_names_a_library_that_is_not_here(tmp_path, linked, letters, others, package):
    """What Jupyter's log has: the dynamic linker's own words told neither the package nor what to do."""
    (found,) = set(re.findall(rb"\0(%s)\0" % linked.encode(), (BUILD / "lib/gamelan/gamelan-kernel.so").read_bytes()))
    lacks = found.decode().replace(letters, others)
    told = said_at_the_start(a_kernel_that_asks(tmp_path, found.decode(), lacks))
    before, _, version = lacks.partition(".so.")
    package = package.format(before=before, version=version)
    assert told.startswith(
        f"gamelan-kernel: the library {lacks} is not on this machine: install it (in Debian the package {package})"
    )
    assert "`pip install .`" in told


def test_the_kernel_names_what_a_library_of_its_lacks(tmp_path):
    """Here the system's own libzmq is hidden by one that needs a library which exists nowhere, then by one that is no library."""
    sodium, zmq = library("libsodium.so.23").name, library("libzmq.so.5")
    copy = tmp_path / zmq.name
    copy.write_bytes(zmq.read_bytes().replace(f"\0{sodium}\0".encode(), b"\0libsodixx.so.23\0"))
    program = BUILD / "bin/gamelan-kernel"
    told = said_at_the_start(program, LD_LIBRARY_PATH=str(tmp_path))
    assert "the library libsodixx.so.23 is not on this machine" in told and "package libsodixx23)" in told
    copy.write_text("an archive that was not unpacked")
    told = said_at_the_start(program, LD_LIBRARY_PATH=str(tmp_path))
    assert "was built for another system than this one" in told and str(copy) in told


def test_a_kernel_whose_other_half_is_gone(tmp_path):
    program = a_kernel_that_asks(tmp_path, "none", "none")
    (tmp_path / "lib/gamelan/gamelan-kernel.so").unlink()
    assert "lib/gamelan/gamelan-kernel.so is not there: build or install Gamelan again" in said_at_the_start(program)
