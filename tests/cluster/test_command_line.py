# SPDX-License-Identifier: BSD-3-Clause
"""The command for people, and what is said where there can be no cluster."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cluster import why_not
from namespaces import wait_for

HERE = Path(__file__).resolve().parent
COMMAND = [sys.executable, str(HERE / "cluster.py")]
ASK = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(HERE)!r}); import namespaces; print(namespaces.why_not())"]


@pytest.fixture(autouse=True)
def possible():
    reason = why_not()
    if reason:
        pytest.skip(reason)


def done(*argv):
    return subprocess.run(argv, capture_output=True, text=True, timeout=30, check=False)


def test_a_cluster_is_kept_up_entered_and_changed_until_ctrl_c():
    process = subprocess.Popen(
        [*COMMAND, "up", "--nodes", "3", "--delay-us", "100", "--rate-mbit", "1000"], stdout=subprocess.PIPE, text=True
    )
    try:
        said = ""
        while "Ctrl-C" not in said:
            line = process.stdout.readline()
            assert line, f"it ended; said: {said}"
            said += line
        [enter] = re.findall(r"enter a host: +(\S+) login", said)
        folder = Path(enter).parent
        assert done(enter, "node3", "hostname").stdout == "node3\n"
        assert sorted(done(enter, "login", "srun", "-N3", "hostname").stdout.split()) == ["node1", "node2", "node3"]
        assert done(enter, "node9").returncode == 2
        assert done(*COMMAND, "link", str(folder), "0", "0").returncode == 0
        assert done(*COMMAND, "cut", str(folder), "node3").returncode == 0
        reach = [enter, "login", "timeout", "1", "bash", "-c", "exec 3<>/dev/tcp/node3/6818"]
        assert done(*reach).returncode == 124
        assert done(*COMMAND, "heal", str(folder), "node3").returncode == 0
        assert wait_for(lambda: done(*reach).returncode == 0, 10, "the way to node3")
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        assert not folder.exists()
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    "prefix, reason",
    [
        (["setpriv", "--reuid", "2001", "--clear-groups"], "only root"),
        (["unshare", "--mount", "sh", "-c", 'mount -t tmpfs tmpfs /dev/net && exec "$@"', "sh"], "no /dev/net/tun"),
        (["setpriv", "--bounding-set", "-sys_admin"], "forbid namespaces"),
        (["setpriv", "--bounding-set", "-net_admin"], "TAP devices are forbidden"),
        (["env", "PATH=/nowhere"], "not installed: unshare, nsenter"),
    ],
)
def test_the_reason_is_told_where_there_can_be_none(prefix, reason):
    assert reason in done(*prefix, *ASK).stdout
