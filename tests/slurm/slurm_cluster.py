# SPDX-License-Identifier: BSD-3-Clause
"""A real Slurm of one node, from Debian's packages, for the length of a test session.

Own munge key and socket, own ports, everything in one directory; no daemon of the system is used or disturbed, and at
the end nothing is left. Skipped with the reason where it cannot be: not root, or packages missing.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "launch"))
from launch_fixtures import BUILD, COMMAND, wait_until_gone  # noqa: E402

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "srun", "scontrol", "sinfo")
CPUS = 4

CONF = """
ClusterName=gamelantest
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={base}/munge/sock
SlurmctldPort={port}
SlurmdPort={node_port}
StateSaveLocation={base}/state
SlurmdSpoolDir={base}/spool
SlurmctldPidFile={base}/slurmctld.pid
SlurmdPidFile={base}/slurmd.pid
SlurmctldLogFile={base}/slurmctld.log
SlurmdLogFile={base}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=pmix
SwitchType=switch/none
MailProg=/bin/true
ReturnToService=2
KillWait=5
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
PropagateResourceLimits=NONE
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} CoresPerSocket={cpus} RealMemory=2000 State=UNKNOWN
PartitionName=debug Nodes=ALL Default=YES MaxTime=60 OverSubscribe=NO State=UP
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def why_not():
    if os.geteuid() != 0:
        return "slurmd must be started by root"
    missing = [name for name in PROGRAMS if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")]
    return f"not installed: {', '.join(missing)} (deploy/packages.txt, section test)" if missing else ""


def wait_for(condition, seconds, what):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not happen within {seconds} s"
        time.sleep(0.05)


@pytest.fixture(scope="session")
def cluster():
    """Brings Slurm up, sets SLURM_CONF, and takes everything down."""
    reason = why_not()
    if reason:
        pytest.skip(reason)
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    base = Path(tempfile.mkdtemp(prefix="gs-", dir="/var/tmp"))
    base.chmod(0o755)
    for name in ("munge", "state", "spool"):
        (base / name).mkdir(mode=0o755)
    key = base / "munge" / "key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    conf = base / "slurm.conf"
    conf.write_text(
        CONF.format(base=base, host=socket.gethostname().split(".")[0], cpus=CPUS, port=free_port(), node_port=free_port())
    )
    (base / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\nConstrainCores=no\n")
    os.environ["SLURM_CONF"] = str(conf)
    daemons = []

    def daemon(*arguments):
        with open(base / f"{arguments[0]}.out", "wb") as output:
            daemons.append(
                subprocess.Popen(
                    arguments, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True, cwd=base
                )
            )

    try:
        daemon(
            "munged",
            "--foreground",
            f"--key-file={key}",
            f"--socket={base}/munge/sock",
            f"--pid-file={base}/munge/pid",
            f"--log-file={base}/munge/log",
            f"--seed-file={base}/munge/seed",
        )
        wait_for((base / "munge" / "sock").exists, 10, "munge's socket")
        daemon("slurmctld", "-D", "-c", "-f", str(conf))
        daemon("slurmd", "-D", "-f", str(conf))
        wait_for(lambda: "idle" in slurm("sinfo", "-h", "-o", "%T"), 20, "an idle node")
        yield base
    finally:
        slurm("scancel", "--user=root")
        deadline = time.monotonic() + 15
        while slurm("squeue", "-h") and time.monotonic() < deadline:
            time.sleep(0.1)
        for process in reversed(daemons):
            process.send_signal(signal.SIGTERM)
        for process in reversed(daemons):
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        del os.environ["SLURM_CONF"]
        left = wait_until_gone(base)
        shutil.rmtree(base, ignore_errors=True)
        assert not left, f"left over of the test cluster: {left}"


def slurm(*arguments):
    """What a Slurm command prints; "" when it fails."""
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=30, check=False)
    return done.stdout if done.returncode == 0 else ""


CLIENT = """
import gamelan as np
a = np.arange(300_000.0)
print(float((a * 2).sum()), np.stats()["ranks"])
"""
RESULT = str(float(300_000 * 299_999))


def python(script, connect="", timeout=60, **more):
    """A Python of its own runs a script that imports gamelan."""
    variables = {**os.environ, "PYTHONPATH": str(BUILD / "python"), "GAMELAN_CONNECT": str(connect), **more}
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=timeout, check=False, env=variables
    )


def compute(connect):
    """Another process computes with engines that run: its result and their number, as words."""
    done = python(CLIENT, connect)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def gamelan(*arguments, timeout=60):
    """The command, run to its end."""
    return subprocess.run([str(COMMAND), *arguments], capture_output=True, text=True, timeout=timeout, check=False)


def rank_of_job(job, rank):
    """The process of a rank of a job that runs on this machine."""
    wanted = {b"SLURM_JOB_ID=" + job.encode(), b"SLURM_PROCID=%d" % rank}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            variables = set((entry / "environ").read_bytes().split(b"\0"))
            name = (entry / "comm").read_text()
        except OSError:
            continue
        if wanted <= variables and name.startswith("gamelan-engine"):
            return int(entry.name)
    raise AssertionError("rank not found")


@pytest.fixture
def sessions(cluster, tmp_path, monkeypatch):
    """Session directories of one test, on what plays the shared file system; no job and no process may be left."""
    tmp_path.chmod(0o700)
    monkeypatch.setenv("GAMELAN_SHARED_DIR", str(tmp_path / "shared"))
    monkeypatch.setenv("GAMELAN_RUNTIME_DIR", str(tmp_path / "run"))
    for name in ("GAMELAN_ENGINES", "GAMELAN_CONNECT", "GAMELAN_IDLE_TIMEOUT", "GAMELAN_HEAP"):
        monkeypatch.delenv(name, raising=False)
    yield tmp_path
    deadline = time.monotonic() + 10
    while slurm("squeue", "-h") and time.monotonic() < deadline:
        time.sleep(0.1)
    jobs = slurm("squeue", "-h")
    slurm("scancel", "--user=root")
    assert not jobs, f"jobs were left over: {jobs}"
    assert not wait_until_gone(tmp_path)
