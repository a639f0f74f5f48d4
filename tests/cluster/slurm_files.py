# SPDX-License-Identifier: BSD-3-Clause
"""The files of a cluster: Slurm's and munge's configuration, users, hosts, ssh keys; and the programs they are for.

Pure text and files under the cluster's folder; nothing is started here and nothing of the machine is changed. Timeouts
are short, because tests wait for them: a dead node is noticed after 10 s (Slurm's default: 300).
"""

import os
import shutil
import subprocess

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "scontrol", "sinfo", "sacct")
SSH_PROGRAMS = ("sshd", "ssh", "ssh-keygen")
USER, USER_ID = "player", 2001  # an ordinary user of the cluster
LOGIN_NUMBER = 254

SLURM_CONF = """
ClusterName=orchestra
SlurmctldHost=login(10.77.0.254)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={base}/munge/socket
SlurmctldPort=6817
SlurmdPort=6818
StateSaveLocation={base}/state
SlurmdSpoolDir={base}/spool/%n
SlurmctldPidFile={base}/slurmctld.pid
SlurmdPidFile={base}/slurmd.%n.pid
SlurmctldLogFile={base}/log/slurmctld.log
SlurmdLogFile={base}/log/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc={base}/log/jobs.log
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=pmix
SwitchType=switch/none
MailProg=/bin/true
ReturnToService=2
SlurmdTimeout=10
KillWait=5
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
PropagateResourceLimits=NONE
{nodes}
PartitionName=debug Nodes=ALL Default=YES MaxTime=60 OverSubscribe=NO State=UP
PartitionName=short Nodes=ALL MaxTime=1 OverSubscribe=NO State=UP
"""

SSHD_CONFIG = """
HostKey {base}/ssh/host_key
PidFile none
AuthorizedKeysFile {base}/ssh/keys_of_%u
StrictModes no
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
UseDNS no
PrintMotd no
"""


def why_not():
    """Which programs are missing; "" when none."""
    missing = _missing(PROGRAMS)
    return f"not installed: {missing} (deploy/packages.txt, section test)" if missing else ""


def why_no_ssh():
    """The same for hosts to be entered by ssh."""
    missing = _missing(SSH_PROGRAMS)
    return f"not installed: {missing} (deploy/packages.txt, section container)" if missing else ""


def _missing(programs):
    path = os.environ["PATH"] + ":/usr/sbin:/sbin"
    return ", ".join(name for name in programs if not shutil.which(name, path=path))


def write(base, nodes, cpus):
    """Everything below `base` that daemons and hosts read; `nodes`: {name: address}."""
    for name in ("munge", "state", "spool", "log", "etc", "ssh", "home"):
        (base / name).mkdir(mode=0o755)
    (base / "munge" / "key").write_bytes(os.urandom(128))
    (base / "munge" / "key").chmod(0o400)
    lines = [
        f"NodeName={name} NodeAddr={address} CPUs={cpus} CoresPerSocket={cpus} RealMemory=4000 State=UNKNOWN"
        for name, address in nodes.items()
    ]
    (base / "slurm.conf").write_text(SLURM_CONF.format(base=base, nodes="\n".join(lines)))
    (base / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\nConstrainCores=no\n")
    hosts = {"localhost": "127.0.0.1", "login": f"10.77.0.{LOGIN_NUMBER}", **nodes}
    (base / "etc" / "hosts").write_text("".join(f"{address} {name}\n" for name, address in hosts.items()))
    _write_users(base)


def _write_users(base):
    """The machine's users and one more; whoever logs in has a home in the cluster's folder."""
    homes = {name: base / "home" / name for name in ("root", USER)}
    for home in homes.values():
        home.mkdir(mode=0o700)
    os.chown(homes[USER], USER_ID, USER_ID)

    def copy(name, first, added):
        with open(f"/etc/{name}") as file:
            others = [line for line in file if line.split(":")[0] not in ("root", USER)]
        target = base / "etc" / name
        target.write_text("".join([*first, *others, *added]))
        target.chmod(0o640 if name == "shadow" else 0o644)

    copy("passwd", [f"root:x:0:0:root:{homes['root']}:/bin/bash\n"], [f"{USER}:x:{USER_ID}:{USER_ID}::{homes[USER]}:/bin/bash\n"])
    copy("group", ["root:x:0:\n"], [f"{USER}:x:{USER_ID}:\n"])
    copy("shadow", ["root:*:19000:0:99999:7:::\n"], [f"{USER}:*:19000:0:99999:7:::\n"])


def write_ssh(base, nodes):
    """One host key for all nodes, known to all clients; one key of each user, which opens that user's account."""

    def make_key(path):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True, timeout=10)
        return path.with_suffix(".pub").read_text()

    host_key = make_key(base / "ssh" / "host_key")
    (base / "ssh" / "sshd_config").write_text(SSHD_CONFIG.format(base=base))
    for user, owner in (("root", 0), (USER, USER_ID)):
        folder = base / "home" / user / ".ssh"
        folder.mkdir(mode=0o700)
        keys = base / "ssh" / f"keys_of_{user}"
        keys.write_text(make_key(folder / "id_ed25519"))
        keys.chmod(0o644)
        (folder / "known_hosts").write_text("".join(f"{name},{address} {host_key}" for name, address in nodes.items()))
        for path in (folder, *folder.iterdir()):
            os.chown(path, owner, owner)
