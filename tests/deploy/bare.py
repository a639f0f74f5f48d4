# SPDX-License-Identifier: BSD-3-Clause
"""A Debian with nothing on it, in a folder: made once from the archive by debootstrap, copied for each use, entered by chroot in a
mount namespace of its own. What this machine happens to have installed cannot hide there what an install step forgot."""

import os
import pathlib
import re
import shutil
import socket
import subprocess
import urllib.error
import urllib.request

MEGABYTES = 9000  # a bare system, its copy, all packages, a build with tests
ARCHIVE = "http://deb.debian.org/debian"
# /dev and /proc are there for as long as the command runs; /dev/shm is where engines keep arrays.
ENTER = """
set -e
mount -t proc proc "$0/proc"
mount --rbind /dev "$0/dev"
exec chroot "$0" /usr/bin/env -i HOME="$1" USER="$2" PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM=dumb \
  http_proxy="$http_proxy" https_proxy="$https_proxy" setpriv --reuid "$2" --regid "$2" --init-groups bash -c "$3"
"""


def archive():
    """The archive that this machine's apt uses."""
    places = [pathlib.Path("/etc/apt/sources.list"), *pathlib.Path("/etc/apt/sources.list.d").glob("*")]
    text = "\n".join(
        place.read_text(errors="replace") for place in places if place.is_file() and place.suffix in (".list", ".sources")
    )
    named = re.findall(r"^(?:deb(?: \[[^]]*\])? |URIs: *)(https?://\S+)", text, re.MULTILINE)
    return next((name for name in named if name.rstrip("/").endswith("/debian")), ARCHIVE).rstrip("/")


def why_not(folder, suite):
    """Why no bare system of that Debian can be made here; empty where it can."""
    if os.geteuid() != 0:
        return "needs root: debootstrap and chroot"
    missing = [name for name in ("debootstrap", "chroot", "unshare", "git") if not shutil.which(name)]
    if missing:
        return f"needs {', '.join(missing)} (Debian: apt-get install debootstrap git)"
    free = shutil.disk_usage(folder).free // 1_000_000
    if free < MEGABYTES:
        return f"needs {MEGABYTES} MB at {folder}, which has {free}"
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode:
        return "may not make a mount namespace"
    try:
        urllib.request.urlopen(f"{archive()}/dists/{suite}/Release", timeout=20).close()
    except (urllib.error.URLError, OSError) as error:
        return f"{archive()} cannot be reached: {error}"
    return ""


class Bare:
    """A fresh copy of the bare system, with a clone of the project's last commit in a user's home."""

    def __init__(self, project, folder, suite):
        self.root = folder / "system"
        base = folder / f"{suite}.base"
        if not base.exists():
            # Under its name is a whole one only: debootstrap may be interrupted.
            half = folder / f"{suite}.base.new"
            shutil.rmtree(half, ignore_errors=True)
            subprocess.run(
                ["debootstrap", "--variant=minbase", suite, str(half), archive()], check=True, stdout=subprocess.DEVNULL
            )
            half.rename(base)
        shutil.rmtree(self.root, ignore_errors=True)
        subprocess.run(["cp", "-a", str(base), str(self.root)], check=True)
        shutil.copy("/etc/resolv.conf", self.root / "etc/resolv.conf")
        # As Debian's installer writes it; without it Open MPI 4.1 waits 5 s at each start.
        (self.root / "etc/hosts").write_text(f"127.0.0.1\tlocalhost\n127.0.1.1\t{socket.gethostname()}\n")
        self.project = project

    def add_user(self, name):
        self.run("root", f"useradd --create-home {name}")

    def clone_for(self, user):
        """A clone in the user's home, which belongs to the user."""
        home = self.root / ("root" if user == "root" else f"home/{user}")
        subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(self.project), str(home / "gamelan")], check=True)
        self.run("root", f"chown -R {user}: /{home.relative_to(self.root)}/gamelan")

    def run(self, user, command, seconds=300):
        """A command of a user within the system; its exit code, and what it printed to both outputs."""
        home = "/root" if user == "root" else f"/home/{user}"
        done = subprocess.run(
            ["unshare", "--mount", "--propagation", "private", "bash", "-c", ENTER, str(self.root), home, user, command],
            env={"http_proxy": "", "https_proxy": "", **os.environ}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds,
        )  # fmt: skip
        return done.returncode, done.stdout

    def remove(self):
        shutil.rmtree(self.root, ignore_errors=True)
