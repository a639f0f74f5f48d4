# SPDX-License-Identifier: BSD-3-Clause
"""What Slurm says in one word, in a sentence with what to do: why a job waits, why it can never start, why sbatch refused.

Pure: texts in, texts out. The words are those of Slurm 20 to 24 (man squeue, JOB REASON CODES). Used by _by_slurm.py
and _attach.py.
"""

from __future__ import annotations

import re

# Reason of squeue -> why the job waits and what to do. The first pattern that matches counts.
_WAITS = [
    (r"Resources", "waits for free cores or nodes; it is next in line"),
    (r"Priority", "waits its turn: jobs of higher priority come first; a shorter -t or fewer nodes may fit in between"),
    (r"BeginTime", "begins at the time it was asked for (--begin)"),
    (r"DependencyNeverSatisfied", "depends on a job that failed"),
    (r"Dependency", "waits for the job it depends on (--dependency)"),
    (r"JobHeldUser", "is held: scontrol release {job} lets it go"),
    (r"JobHeldAdmin", "is held by an administrator: ask them"),
    (
        r"ReqNodeNotAvail.*[Rr]eserved|Reservation$",
        "waits for a reservation of the nodes (maintenance?) to pass: scontrol "
        "show reservation tells when; a shorter -t may fit before it",
    ),
    (
        r"ReqNodeNotAvail|NodeDown|Nodes required",
        "needs nodes that are down, drained or reserved: sinfo -R tells why; with "
        "fewer nodes (-N) or in another partition (-p) it may start",
    ),
    (r"PartitionDown", "waits in a partition that starts no jobs now: another one (-p)?"),
    (r"PartitionInactive", "waits in a partition that is switched off: another one (-p)?"),
    (r"PartitionNodeLimit", "needs more nodes than the partition has in service: sinfo -R tells which are not"),
    (r"Licenses", "waits for a license"),
    (
        r"(QOS|Assoc)Max.*PerUser|(QOS|Assoc)MaxJobs|AssociationJobLimit|QOSJobLimit|MaxJobsPerUser",
        "waits until others of your jobs end, as you may not have more at a time: squeue --me shows them",
    ),
    (
        r"(QOS|Assoc)Grp.*Minutes|.*RunMinutes.*",
        "waits, as the account's computing time is used up or spoken for: ask who "
        'manages it, or use another (--sbatch "--account=...")',
    ),
    (r"(QOS|Assoc)Grp|(QOS|Assoc)Max.*PerAccount", "waits until other jobs of your account end: the limit is common to it"),
    (r"Prolog", "is being prepared"),
    (r"launch failed requeued held", "is held, as it could not be started on its node: tell the administrators"),
]

# Reasons that no waiting mends -> what to do.
_NEVER = [
    (r"PartitionTimeLimit", "asks for more time than the partition allows", "a shorter -t, or another partition (-p)"),
    (r"PartitionNodeLimit", "asks for more nodes than the partition gives to a job", "a smaller -N, or another partition (-p)"),
    (
        r"PartitionConfig",
        "asks for more than the nodes of the partition have",
        "fewer ranks (-n, --ntasks-per-node) or more nodes (-N), or another partition (-p)",
    ),
    (r"BadConstraints", "asks for something that no node has", "look at --constraint, --mem and the like in --sbatch"),
    (r"DependencyNeverSatisfied", "depends on a job that failed", "another --dependency"),
    (r"(QOS|Assoc)MaxWall", "asks for more time than your account or QOS allows", "a shorter -t, or another --qos"),
    (
        r"(QOS|Assoc)Max.*PerJob|(QOS|Assoc)Max.*PerNode",
        "asks for more than your account or QOS allows a job",
        "fewer nodes or ranks, or another --qos",
    ),
    (r"QOSMin", "asks for less than the QOS demands", "more ranks or nodes, or another --qos"),
    (
        r"InvalidAccount|AccountNotAllowed",
        "has an account that may not run here",
        '--sbatch "--account=..."; sacctmgr show ' "associations user=$USER lists yours",
    ),
    (r"InvalidQOS|QOSNotAllowed", "has a QOS that may not be used here", '--sbatch "--qos=..."'),
    (r"ReservationDeleted|InvalidReservation", "names a reservation that is gone", "leave --reservation out"),
    (r"JobHeldAdmin", "is held by an administrator", "ask them"),
]

# What sbatch says when it refuses -> what to do. {partitions} is the list of those that exist.
_REFUSALS = [
    (r"invalid partition|Invalid partition name", "{partitions}"),
    (r"Requested time limit is invalid|time limit", "ask for less time (-t); {partitions}"),
    (
        r"Node count specification invalid|More processors requested|node configuration is not available"
        r"|Memory specification",
        "ask for fewer nodes (-N), ranks (-n, --ntasks-per-node) or less memory; {partitions}",
    ),
    (r"Invalid feature", "no node has the feature of --constraint: sinfo -o '%n %f' shows which there are"),
    (r"Invalid node name", "sinfo -N shows the nodes"),
    (r"generic resource", "sinfo -o '%n %G' shows which --gres there are"),
    (
        r"Invalid account|account/partition|Invalid user",
        'say which account pays: --sbatch "--account=NAME"; sacctmgr show ' "associations user=$USER lists yours",
    ),
    (r"QOS", "another --qos, fewer nodes or less time; sacctmgr show qos lists the limits"),
    (r"reservation", "scontrol show reservation shows those that exist; or leave --reservation out"),
    (
        r"authentication|[Mm]unge",
        "Slurm does not know this machine (its munge does not run, or has another key): use a login "
        "node, or tell the administrators",
    ),
    (
        r"[Uu]nrecognized option|[Ii]nvalid option|ambiguous|requires an argument|Invalid -|Invalid --",
        "look at --sbatch: man sbatch lists the options",
    ),
    (r"[Pp]ermission|[Aa]ccess", "{partitions}"),
]
_NO_CONTROLLER = r"Unable to contact slurm controller|Socket timed out|Zero Bytes were transmitted|Connection refused"


def waiting(job: str, state: str, reason: str) -> str:
    """Why a job that has not started waits, after "job 5 "."""
    if state == "CONFIGURING":
        return "waits for its nodes to be switched on"
    if state != "PENDING":
        return f"is {state.lower().replace('_', ' ')}"
    if not reason or reason == "None":
        return "is in the queue"
    for pattern, words in _WAITS:
        if re.match(pattern, reason):
            return f"{words.format(job=job)} ({reason})"
    return f"waits ({reason}; man squeue explains it)"


def never(reason: str) -> tuple[str, str] | None:
    """Why a job with this reason can never start, and what to ask for instead; None where waiting may help."""
    return next(((why, remedy) for pattern, why, remedy in _NEVER if re.match(pattern, reason)), None)


def refusal(said: str, partitions: str) -> str:
    """What to do about the words of sbatch; "" when we know nothing better."""
    return next((advice.format(partitions=partitions) for pattern, advice in _REFUSALS if re.search(pattern, said)), "")


def is_no_controller(said: str) -> bool:
    """Do these words of a Slurm command mean that slurmctld cannot be reached?"""
    return re.search(_NO_CONTROLLER, said) is not None
