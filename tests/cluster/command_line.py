# SPDX-License-Identifier: BSD-3-Clause
"""A cluster for people: `cluster.py up` keeps one until Ctrl-C, `link`, `cut` and `heal` change its network meanwhile."""

import argparse
import signal
import sys
import threading
from pathlib import Path

from cluster import Cluster, why_not
from network import Network


def keep_up(options):
    """Bring a cluster up for a person and hold it until Ctrl-C."""
    reason = why_not()
    if reason:
        print(f"no cluster here: {reason}", file=sys.stderr)
        return 3
    end = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, frame: end.set())
    with Cluster(options.nodes, options.cpus, options.delay_us, options.rate_mbit, False if options.no_ssh else None) as cluster:
        print(cluster.slurm("sinfo", "-N"))
        script = cluster.folder / "enter"
        words = " ".join(f"{key}='{value}'" for key, value in cluster.environment().items())
        cases = "\n".join(f"  {name}) pid={cluster.pid(name)} ;;" for name in cluster.numbers)
        script.write_text(f"""#!/bin/bash
# Enter a host: enter HOST [COMMAND ...]
case $1 in
{cases}
  *) echo "no host $1" >&2; exit 2 ;;
esac
shift
[ $# -gt 0 ] || set -- bash
exec nsenter --target $pid --mount --uts --ipc --net --pid env -i TERM="$TERM" {words} env --chdir={cluster.home} "$@"
""")
        script.chmod(0o755)
        me = f"/usr/bin/python3 {Path(__file__).with_name('cluster.py').resolve()}"
        print(
            f"enter a host:        {script} login\nchange the network:  {me} link {cluster.folder} DELAY_US RATE_MBIT\n"
            f"cut a host off:      {me} cut {cluster.folder} node1; {me} heal {cluster.folder} node1\nCtrl-C ends it all",
            flush=True,
        )
        end.wait()
    return 0


def main(arguments):
    parser = argparse.ArgumentParser(prog="cluster.py", description="a cluster of namespaces with a real Slurm")
    commands = parser.add_subparsers(dest="command", required=True)
    up = commands.add_parser("up", help="bring one up and keep it until Ctrl-C")
    up.add_argument("--nodes", type=int, default=2)
    up.add_argument("--cpus", type=int, default=4, help="per node, as Slurm counts them")
    up.add_argument("--delay-us", type=float, default=0, help="one-way delay between hosts")
    up.add_argument("--rate-mbit", type=float, default=0, help="rate of each host's link; 0: no limit")
    up.add_argument("--no-ssh", action="store_true", help="nodes without sshd")
    link = commands.add_parser("link", help="change delay and rate of a running cluster")
    link.add_argument("folder", type=Path)
    link.add_argument("delay_us", type=float)
    link.add_argument("rate_mbit", type=float)
    for name in ("cut", "heal"):
        command = commands.add_parser(name, help=f"{name} a host's network")
        command.add_argument("folder", type=Path)
        command.add_argument("host")
    options = parser.parse_args(arguments)
    if options.command == "up":
        return keep_up(options)
    network = Network(options.folder / "switch")
    if options.command == "link":
        network.set_link(options.delay_us, options.rate_mbit)
    else:
        getattr(network, options.command)(options.host)
    return 0
