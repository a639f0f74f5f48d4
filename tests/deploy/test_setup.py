# SPDX-License-Identifier: BSD-3-Clause
"""What deploy/demo says where it cannot go on: one sentence that tells what to do, before anything is installed or built. The
machines are made of a few small programs that come first on PATH; a whole one is test_fresh.py's."""

import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = "awk bash cat dirname env grep head mktemp rm sed sort tail"  # real ones, which every machine has

DEBIAN_12 = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nVERSION_CODENAME=bookworm\n'
DEBIAN_13 = 'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nVERSION_CODENAME=trixie\n'
DEBIAN_14 = 'PRETTY_NAME="Debian GNU/Linux forky/sid"\nVERSION_CODENAME=forky\n'
UBUNTU = 'PRETTY_NAME="Ubuntu 24.04.1 LTS"\nVERSION_CODENAME=noble\nUBUNTU_CODENAME=noble\n'
MINT = 'PRETTY_NAME="LMDE 6 (faye)"\nVERSION_CODENAME=faye\nDEBIAN_CODENAME=bookworm\n'
ROCKY = 'PRETTY_NAME="Rocky Linux 9.4 (Blue Onyx)"\n'

INSTALLED = 'printf "install ok installed"'
DISK = 'echo "Filesystem 1024-blocks Used Available Capacity Mounted"; echo "/dev/disk 9 9 {} 9% /"'
NINJA = """case " $* " in *" commands "*) for n in 1 2 3 4; do echo "[$n/4] Building CXX object a$n.cpp.o"; done ;;
*) for n in 1 2 3 4; do echo "[$n/4] Building CXX object a$n.cpp.o"; done ;; esac"""


@pytest.fixture
def machine(tmp_path):
    """A function that runs deploy/demo --setup of a copy of the project on a machine of these programs, by way of a program that
    changes what it may do."""
    project, bin = tmp_path / "project", tmp_path / "bin"
    shutil.copytree(ROOT / "deploy", project / "deploy")
    bin.mkdir()
    for tool in TOOLS.split():
        (bin / tool).symlink_to(shutil.which(tool))

    def run(system=DEBIAN_12, by=(), **programs):
        given = {"uname": "echo Linux", "id": "case $1 in -un) echo somebody;; *) echo 0;; esac", "nproc": "echo 2", "df": DISK.format(90000000),
                 "dpkg-query": "exit 1", "apt-get": "exit 0", "cmake": "echo cmake version 3.25.1", "ninja": NINJA} | programs  # fmt: skip
        for name, text in given.items():
            (bin / name).unlink(missing_ok=True)
            if text is not None:
                (bin / name).write_text(f"#!{bin}/bash\n{text}\n")
                (bin / name).chmod(0o755)
        (tmp_path / "os-release").write_text(system)
        setup = project / "deploy/setup.sh"
        text = (ROOT / "deploy/setup.sh").read_text()
        assert "\nos_release=/etc/os-release\n" in text
        setup.write_text(text.replace("os_release=/etc/os-release", f"os_release={tmp_path / 'os-release'}"))
        return subprocess.run([*by, f"{bin}/bash", str(project / "deploy/demo"), "--setup"], env={"PATH": str(bin), "HOME": str(tmp_path)},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)  # fmt: skip

    run.project = project
    return run


def refused(done, *words):
    """It ended with 3 and one line that has these words; the line."""
    lines = done.stderr.strip().splitlines()
    assert done.returncode == 3 and len(lines) == 1 and not done.stdout, done
    assert all(word in lines[0] for word in words), lines[0]
    return lines[0]


@pytest.mark.parametrize("system, name", [(DEBIAN_14, "Debian GNU/Linux forky"), (UBUNTU, "Ubuntu 24.04")])
def test_another_debian(machine, system, name):
    refused(machine(system), name, "Debian 12 or 13", "deploy/container/Containerfile", "deploy/spack/README.md")


def test_no_debian(machine):
    refused(machine(ROCKY, **{"apt-get": None}), "Rocky Linux 9.4", "no apt-get", "deploy/container/Containerfile")


def test_no_linux(machine):
    refused(
        machine("", uname="echo Darwin", nproc=None, df=None, **{"apt-get": None, "dpkg-query": None}),
        "Darwin",
        "Linux",
        "Containerfile",
    )


@pytest.mark.parametrize("system", [DEBIAN_12, DEBIAN_13, MINT, ""])
def test_what_it_takes_is_said_first(machine, system):
    done = machine(system)
    lines = done.stderr.splitlines()
    assert done.returncode == 0, done
    assert "MB of disk" in lines[0] and "Debian packages" in lines[0] and "GB of memory" in lines[0] and "minutes" in lines[0]
    assert lines[1].startswith("installing") and "building with" in lines[2] and lines[-1].startswith("built:")


@pytest.mark.parametrize("system, fortran", [(DEBIAN_12, 12), (MINT, 12), ("", 12), (DEBIAN_13, 14)])
def test_packages_are_those_of_the_system(machine, system, fortran):
    words = machine(system).stderr.splitlines()[1].split()
    assert [word for word in words if "libgfortran" in word] == [f"libgfortran-{fortran}-dev"]
    assert "xeus-dev" in words and not [word for word in words if "[" in word]


def test_little_disk(machine):
    said = refused(machine(df=DISK.format(500000)), "488 MB left", "make room")
    assert str(machine.project) in said


def test_little_disk_where_packages_go(machine):
    df = 'case "$*" in */usr*) d=/dev/small; n=600000;; *) d=/dev/large; n=90000000;; esac; echo head; echo "$d 9 9 $n 9% /"'
    refused(machine(df=df), "/usr", "585 MB left")


def test_no_network(machine):
    failing = (
        "echo \"W: Failed to fetch http://deb.debian.org/debian  Temporary failure resolving 'deb.debian.org'\"; [ $1 = update ]"
    )
    done = machine(**{"apt-get": failing})
    assert done.returncode == 3
    said = done.stderr.splitlines()[-1]
    assert (
        "Temporary failure resolving 'deb.debian.org'" in said
        and "/etc/apt/sources.list" in said
        and "connect this machine" in said
    )


def test_no_root_and_packages_missing(machine):
    done = machine(id="case $1 in -un) echo somebody;; *) echo 1000;; esac")
    first, command = done.stderr.strip().splitlines()
    assert done.returncode == 3 and "As root" in first and command.strip().startswith("apt-get update && apt-get install -y")


def test_no_root_and_nothing_missing(machine):
    done = machine(id="case $1 in -un) echo somebody;; *) echo 1000;; esac", **{"dpkg-query": INSTALLED, "apt-get": "exit 1"})
    assert done.returncode == 0 and "installing" not in done.stderr and "built:" in done.stderr


def test_an_older_cmake(machine):
    done = machine(cmake="echo cmake version 3.22.1", **{"dpkg-query": INSTALLED})
    assert done.returncode == 3
    said = done.stderr.splitlines()[-1]
    assert "CMake 3.25" in said and "3.22.1" in said and "PATH=/usr/bin" in said and "pip install" in said


def test_a_folder_of_somebody_else(machine):
    (machine.project / "build").write_text("")  # no folder at all: nobody may write there
    (machine.project / "build").chmod(0o444)
    # Root may write everywhere; root without capabilities may not.
    by = [shutil.which("setpriv"), "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    if by and subprocess.run([*by, "true"], capture_output=True).returncode:
        pytest.skip("runs as root, which may not give up its capabilities here")
    done = machine(by=by, **{"dpkg-query": INSTALLED}, id="case $1 in -un) echo somebody;; *) echo 1000;; esac")
    assert done.returncode == 3 and "somebody may not write" in done.stderr.splitlines()[-1]


def test_how_far_the_build_is(machine):
    """A line for each tenth where there is no terminal: how much is built, the time so far, and the time left."""
    steps = "; ".join(f"echo '[{number}/60] Building CXX object a{number}.cpp.o'" for number in range(1, 61))
    ninja = f'if [[ " $* " == *" commands "* ]]; then {steps}; else echo "[0/2] Re-checking"; {steps.replace("echo", "SLEEP; echo", 1)}; fi'
    slow = ninja.replace("SLEEP", "read -t 6 <> <(:)")
    done = machine(ninja=slow, **{"dpkg-query": INSTALLED})
    lines = [line for line in done.stderr.splitlines() if " of 60 built" in line]
    assert done.returncode == 0 and len(lines) == 10, done
    assert "6 of 60 built, 0:0" in lines[0] and "left" in lines[0] and "left" not in lines[-1]
    assert "of 60 built" not in (machine.project / "build.log").read_text()
