# SPDX-License-Identifier: BSD-3-Clause
"""A test cluster: a login host and nodes with a real Slurm on one machine, up in a second, gone without a trace.

    with Cluster(nodes=2) as cluster:
        cluster.set_link(delay_us=1000, rate_mbit=1000)
        cluster.run("login", ["srun", "-N2", "hostname"])

For people: `python3 tests/cluster/cluster.py up --nodes 2` keeps one until Ctrl-C and prints how to enter a host. Hosts
are made in namespaces.py, their network is switch.cpp behind network.py, their files are written by slurm_files.py.
"""

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import namespaces  # noqa: E402
import slurm_files  # noqa: E402
from namespaces import ClusterError, Entered, Guard, Host, command_inside, wait_for  # noqa: E402
from network import Network  # noqa: E402
from slurm_files import why_no_ssh  # noqa: E402

BUILD = Path(os.environ.get("GAMELAN_BUILD", Path(__file__).resolve().parents[2] / "build")).resolve()
SWITCH = BUILD / "tests" / "cluster_switch"
PATH = f"{BUILD}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
MOST_NODES = 16
UP_SECONDS = 30
BIND = 'for name in hosts passwd group shadow; do mount --bind "$1/etc/$name" "/etc/$name"; done'


def why_not():
    """Why there can be no cluster here; "" when there can."""
    if not SWITCH.exists():
        return f"{SWITCH} is not built: tests/run cluster builds it"
    return namespaces.why_not() or slurm_files.why_not()


class Cluster:
    """The login host "login" and nodes "node1", "node2" ..., each with `cpus` CPUs as Slurm counts them.

    `home` is root's home folder, on the file system that all hosts share; /tmp and /dev/shm are each host's own. `ssh`:
    whether nodes run sshd, by default when it is installed.
    """

    def __init__(self, nodes=2, cpus=4, delay_us=0, rate_mbit=0, ssh=None):
        if ssh and why_no_ssh():
            raise ClusterError(why_no_ssh())
        if not 1 <= nodes <= MOST_NODES:
            raise ValueError(f"nodes: got {nodes}, expected 1 to {MOST_NODES}")
        self.nodes = [f"node{number}" for number in range(1, nodes + 1)]
        self.numbers = {"login": slurm_files.LOGIN_NUMBER, **{name: at + 1 for at, name in enumerate(self.nodes)}}
        self.cpus, self.ssh = cpus, not why_no_ssh() if ssh is None else ssh
        self._link = delay_us, rate_mbit
        self._guard, self._hosts, self._daemons = None, {}, []

    # -- up and down

    def __enter__(self):
        self.up()
        return self

    def __exit__(self, *_):
        self.down()

    def up(self):
        """Returns when all nodes are idle. Raises ClusterError with the daemons' last words; nothing is left then."""
        try:
            self._guard = Guard()
            self.folder = self._guard.folder
            self.home = self.folder / "home" / "root"
            addresses = {name: f"10.77.0.{self.numbers[name]}" for name in self.nodes}
            slurm_files.write(self.folder, addresses, self.cpus)
            if self.ssh:
                slurm_files.write_ssh(self.folder, addresses)
            # Before there are hosts, whose file systems are copies of this one.
            self._in_holder(["bash", "-ec", BIND, "bind", str(self.folder)]).wait(UP_SECONDS)
            control = self.folder / "switch"
            self._daemons = [self._in_holder([str(SWITCH), str(control)], "switch"), self._start_munge()]
            self.network = Network(control)
            wait_for(control.exists, UP_SECONDS, "the switch's socket")
            self.network.set_link(*self._link)
            self._boot(list(self.numbers), slurmctld="slurmctld -c")  # -c: there is no state to recover
            self.await_idle()
        except BaseException as error:
            words = self._last_words()
            self.down()
            if isinstance(error, (AssertionError, ClusterError, OSError)):
                raise ClusterError(f"the cluster did not come up: {error}\n{words}") from error
            raise

    def down(self):
        """Everything ends at once; returns when it has."""
        if self._guard:
            self._guard.end()
        for host in self._hosts.values():
            host.end()
        for daemon in self._daemons:
            daemon.wait(10)
        self._guard, self._hosts, self._daemons = None, {}, []

    def _in_holder(self, command, log="bind"):
        """In the cluster's namespaces, but on no host."""
        with open(self.folder / "log" / f"{log}.out", "wb") as output:
            return Entered(command_inside(self._guard.holder, command), stdin=subprocess.DEVNULL, stdout=output, stderr=output)

    def _start_munge(self):
        base = self.folder / "munge"
        return self._in_holder(
            [
                "munged",
                "--foreground",
                f"--key-file={base}/key",
                f"--socket={base}/socket",
                f"--pid-file={base}/pid",
                f"--log-file={base}/log",
                f"--seed-file={base}/seed",
            ],
            "munged",
        )

    def _last_words(self):
        words = []
        for path in sorted((self.folder / "log").glob("*")) if self._guard else []:
            text = path.read_text(errors="replace").strip()
            if text:
                words.append(f"--- {path.name}\n" + "\n".join(text.splitlines()[-8:]))
        return "\n".join(words)

    # -- hosts

    def power_on(self, host):
        """Boot a host that is off, or was never on; its daemons are starting when this returns."""
        if host in self._hosts:
            raise ClusterError(f"{host} is on")
        self._boot([host])

    def _boot(self, names, slurmctld="slurmctld"):
        for name in names:
            self._hosts[name] = Host(name, self.numbers[name], self._guard.holder)
        boots = []
        for name in names:
            host = self._hosts[name]
            host.await_up()
            self.network.plug(name, host.network_namespace(), host.number)
            commands = [f"ip addr add {host.address}/24 brd + dev eth0", "ip link set eth0 up"]
            if name == "login":
                commands.append(slurmctld)
            else:
                commands += ["slurmd", *([f"/usr/sbin/sshd -f {self.folder}/ssh/sshd_config"] if self.ssh else [])]
            wait_for((self.folder / "munge" / "socket").exists, UP_SECONDS, "munge's socket")
            boots.append(
                (
                    name,
                    self.popen(
                        name,
                        ["bash", "-ec", "\n".join(commands)],
                        stdout=subprocess.DEVNULL,
                        stderr=open(self.folder / "log" / f"{name}.out", "ab"),
                    ),
                )
            )
        for name, boot in boots:
            if boot.wait(UP_SECONDS):
                raise ClusterError(f"{name}: a daemon did not start")

    def power_off(self, host):
        """As by the switch on its back: it says nothing more, not even that connections are closed."""
        self.network.unplug(host)
        self._hosts.pop(host).end()

    def pid(self, host):
        """The host's PID 1, as the machine counts."""
        return self._hosts[host].pid

    def is_on(self, host):
        return host in self._hosts

    def address(self, host):
        return f"10.77.0.{self.numbers[host]}"

    # -- the network

    def set_link(self, delay_us, rate_mbit):
        """One-way delay between any two hosts and the rate of each host's link; in force at once. Rate 0: no limit."""
        self.network.set_link(delay_us, rate_mbit)

    def cut(self, host):
        """Pull the host's network cable."""
        self.network.cut(host)

    def heal(self, host):
        self.network.heal(host)

    # -- commands

    def environment(self, user=None, **changes):
        """What a login shell of root (or of slurm_files.USER) has, and what finds this build; nothing of ours."""
        home = self.folder / "home" / (slurm_files.USER if user else "root")
        name = slurm_files.USER if user else "root"
        fixed = {
            "PATH": PATH,
            "HOME": home,
            "USER": name,
            "LOGNAME": name,
            "SHELL": "/bin/bash",
            "LANG": "C.UTF-8",
            "XDG_STATE_HOME": home / ".local" / "state",
            "SLURM_CONF": self.folder / "slurm.conf",
            "PYTHONPATH": BUILD / "python",
            "GAMELAN_BUILD": BUILD,
            "GAMELAN_DISTRIBUTE_FROM": 65536,  # so that arrays of 100,000 elements need engines
            "JUPYTER_PATH": BUILD / "share" / "jupyter",
            "OMPI_ALLOW_RUN_AS_ROOT": 1,
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": 1,
        }
        return {key: str(value) for key, value in {**fixed, **changes}.items() if value is not None}

    def command(self, host, argv, user=None, cwd=None):
        """The command of the machine that runs argv on a host; its environment is the caller's affair."""
        if host not in self._hosts:
            raise ClusterError(f"{host} is off")
        return command_inside(self._hosts[host].pid, argv, cwd or self.environment(user)["HOME"], user)

    def popen(self, host, argv, user=None, env=None, cwd=None, **options):
        """Start a program on a host; subprocess.Popen's options. `user`: None is root, else slurm_files.USER_ID.

        `env`: changes of `environment`; a value None takes a variable away. Signals of the object returned go to the
        program itself.
        """
        options.setdefault("stdin", subprocess.DEVNULL)
        return Entered(self.command(host, argv, user, cwd), env=self.environment(user, **(env or {})), **options)

    def run(self, host, argv, user=None, env=None, timeout=60, check=False, input=None, cwd=None):
        """Run a program to its end; a subprocess.CompletedProcess with text. TimeoutExpired after `timeout` seconds."""
        process = self.popen(
            host,
            argv,
            user,
            env,
            cwd,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL if input is None else subprocess.PIPE,
        )
        with process:
            try:
                out, err = process.communicate(input, timeout)
            except BaseException:
                process.kill()
                raise
        done = subprocess.CompletedProcess(process.args, process.returncode, out, err)
        if check and done.returncode:
            raise ClusterError(f"on {host}: {' '.join(map(str, argv))}: exit code {done.returncode}\n{out}{err}")
        return done

    def slurm(self, *argv, **options):
        """What a Slurm command prints on the login host; ClusterError when it fails."""
        return self.run("login", argv, check=True, **options).stdout.strip()

    def await_idle(self, seconds=UP_SECONDS):
        """Wait until every node that is on is idle."""
        on = {name for name in self.nodes if self.is_on(name)}

        states = {}

        def is_idle():
            done = self.run("login", ["sinfo", "-h", "-N", "-p", "debug", "-o", "%N %T"], timeout=UP_SECONDS)
            states.update(line.split() for line in done.stdout.splitlines())
            return all(states.get(name) == "idle" for name in on)

        try:
            wait_for(is_idle, seconds, "idle nodes", between=0.05)
        except AssertionError as error:
            raise AssertionError(f"{error}: {states}, {self.slurm('scontrol', 'show', 'nodes')}") from None

    def stop_slurmctld(self):
        """Slurm's controller ends; jobs go on, commands of Slurm do not."""
        pid = int((self.folder / "slurmctld.pid").read_text())
        self.run("login", ["kill", str(pid)], check=True)
        wait_for(lambda: self.run("login", ["kill", "-0", str(pid)]).returncode, UP_SECONDS, "slurmctld's end")

    def start_slurmctld(self):
        self.run("login", ["slurmctld"], check=True)

    def processes(self, host, word=""):
        """{process id on that host: command line} of those whose command line contains the word."""
        done = self.run(host, ["ps", "-eo", "pid=,args="], check=True)
        lines = (line.split(None, 1) for line in done.stdout.splitlines())
        return {int(pid): args for pid, args in lines if word in args}


if __name__ == "__main__":
    from command_line import main

    sys.exit(main(sys.argv[1:]))
