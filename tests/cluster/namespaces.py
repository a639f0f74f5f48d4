# SPDX-License-Identifier: BSD-3-Clause
"""Hosts out of nothing: namespaces for a whole cluster, in them those of each host, and commands run inside a host.

Used by cluster.py. A host has its own network, host name, processes, shared memory and /tmp; the root file system is
the machine's, which makes it the cluster's shared one. guard.py sees to it that nothing stays. Knows nothing of Slurm.
"""

import os
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

PROGRAMS = ("unshare", "nsenter", "setpriv", "mount", "ip", "bash")
START_SECONDS = 20
# A host's PID 1. /run is private as on any host; sshd wants its folder in it. Congestion control is the same on every
# machine (a namespace may not choose Debian's, cubic, where it is not the machine's; without losses they are alike): with BBR
# a connection that says little crawls for 200 ms every 10 s.
INIT = """
set -e
hostname "$1"
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/sshd /run/lock
echo 1 2>/dev/null >/proc/sys/net/ipv6/conf/all/disable_ipv6 || true
echo reno 2>/dev/null >/proc/sys/net/ipv4/tcp_congestion_control || true
ip link set lo up
echo up
sleep infinity & wait
"""


class ClusterError(Exception):
    """The cluster, or a host of it, is not what it should be."""


def why_not():
    """Why this machine cannot have a cluster of namespaces; "" when it can."""
    if os.geteuid() != 0:
        return "hosts of a test cluster are namespaces, which only root can make"
    if Path(__file__).resolve().parts[1] in ("tmp", "run"):
        return "every host has a /tmp and a /run of its own: this checkout would not be seen there; put it elsewhere"
    missing = [name for name in PROGRAMS if not shutil.which(name)]
    if missing:
        return f"not installed: {', '.join(missing)} (deploy/packages.txt, section test)"
    if not os.path.exists("/dev/net/tun"):
        return "no /dev/net/tun: the kernel lacks CONFIG_TUN, or the container was not given the device"
    probes = [
        (["true"], "the kernel or the container's rules forbid namespaces"),
        (["ip", "tuntap", "add", "dev", "probe", "mode", "tap"], "TAP devices are forbidden here"),
        (["mount", "-t", "tmpfs", "tmpfs", "/tmp"], "mounting is forbidden here"),
    ]
    for command, reason in probes:
        done = subprocess.run(
            ["unshare", "--net", "--mount", "--pid", "--uts", "--ipc", "--fork", "--mount-proc", *command],
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
        if done.returncode:
            return f"{reason}: {done.stderr.strip().splitlines()[-1:] or done.returncode}"
    return ""


def first_child(pid):
    """The first child of a process, or None."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return None
    return int(children[0]) if children else None


def inner_pids(pid):
    """The ids of a process in the process namespaces it is in, ours first."""
    status = Path(f"/proc/{pid}/status").read_text()
    return [int(word) for line in status.splitlines() if line.startswith("NSpid:") for word in line.split()[1:]]


def read_line(process, what):
    """The first line that a starting process writes."""
    ready, _, _ = select.select([process.stdout], [], [], START_SECONDS)
    line = process.stdout.readline() if ready else ""
    if not line:
        raise ClusterError(f"{what} did not start: exit code {process.poll()}")
    return line


class Entered(subprocess.Popen):
    """A process inside a host. Signals go to it, not to the nsenter that waits for it."""

    def send_signal(self, number):
        child = first_child(self.pid)
        if self.poll() is None and child:
            try:
                os.kill(child, number)
            except ProcessLookupError:
                pass


def command_inside(pid, argv, directory="/", user=None):
    """The command that runs argv inside the host whose PID 1 is `pid`, killed when the one who started it ends."""
    become = ["--reuid", str(user), "--regid", str(user), "--init-groups"] if user else []
    return [
        "nsenter",
        "--target",
        str(pid),
        "--mount",
        "--uts",
        "--ipc",
        "--net",
        "--pid",
        "setpriv",
        "--pdeathsig",
        "KILL",
        *become,
        "env",
        f"--chdir={directory}",
        *map(str, argv),
    ]


class Guard:
    """The namespaces of a cluster and its folder, from start to end."""

    def __init__(self):
        self._process = subprocess.Popen(
            [sys.executable, "-I", str(Path(__file__).with_name("guard.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            folder, holder = read_line(self._process, "the cluster's guard").split()
        except BaseException:
            self.end()
            raise
        self.folder, self.holder = Path(folder), int(holder)

    def end(self):
        """Returns when every process and the folder are gone."""
        self._process.stdin.close()
        try:
            self._process.wait(START_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()


class Host:
    """One host while it is powered on."""

    def __init__(self, name, number, holder):
        self.name, self.number, self.address = name, number, f"10.77.0.{number}"
        self._process = subprocess.Popen(
            [
                "nsenter",
                "--target",
                str(holder),
                "--mount",
                "--pid",
                "--net",
                "unshare",
                "--net",
                "--uts",
                "--ipc",
                "--mount",
                "--pid",
                "--fork",
                "--kill-child=KILL",
                "--mount-proc",
                "bash",
                "-c",
                INIT,
                "init",
                name,
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            cwd="/",
        )
        self.pid = None

    def await_up(self):
        if read_line(self._process, self.name) != "up\n":
            raise ClusterError(f"{self.name}: init said something else")
        self.pid = first_child(first_child(self._process.pid))

    def network_namespace(self):
        """Path of it, as a process of the cluster sees it that is in no host."""
        return f"/proc/{inner_pids(self.pid)[1]}/ns/net"

    def end(self):
        """Everything on the host dies at once, as when its power fails."""
        if self.pid and self._process.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
        self._process.wait(START_SECONDS)
        self._process.stdout.close()


def wait_for(condition, seconds, what, between=0.02):
    """What `condition` returns as soon as that is true; AssertionError when it is not in time."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, f"{what}: not within {seconds} s"
        time.sleep(between)
    return found
