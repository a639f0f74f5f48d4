# SPDX-License-Identifier: BSD-3-Clause
"""What is asked of Slurm, without a Slurm: numbers that must fit together, times in all of Slurm's notations."""

import random

import pytest
from gamelan._launch import _slurm, _slurm_words
from gamelan._launch._errors import SlurmError
from gamelan._launch._slurm_request import SlurmRequest, time_seconds, warning_seconds


@pytest.mark.parametrize(
    "text, seconds",
    [
        ("90", 5400),
        ("1:30", 90),
        ("1:30:00", 5400),
        ("2-12", 216000),
        ("1-2:3", 93780),
        ("1-02:03:04", 93784),
        ("UNLIMITED", float("inf")),
        ("infinite", float("inf")),
    ],
)
def test_time_limits_are_read_as_slurm_reads_them(text, seconds):
    assert time_seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "1:2:3:4", "1-", "-1", "1.5", "1h", "0", "0:00", "0-0", " 5", "5 "])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(ValueError, match="time limit: got"):
        time_seconds(text)


def test_time_limits_of_random_parts_add_up():
    for _ in range(500):
        seed = random.randrange(1 << 32)
        draw = random.Random(seed)
        days, hours, minutes, seconds = draw.randrange(40), draw.randrange(30), draw.randrange(70), draw.randrange(1, 70)
        whole = days * 86400 + hours * 3600 + minutes * 60 + seconds
        assert time_seconds(f"{days}-{hours}:{minutes}:{seconds}") == whole, seed
        assert 0 <= warning_seconds(whole) <= 300 and warning_seconds(whole) < whole, seed


@pytest.mark.parametrize(
    "nodes, per_node, asked, ranks",
    [
        (None, None, None, 4),
        (None, None, 7, 7),
        (3, None, None, 3),
        (3, None, 7, 7),
        (2, 4, None, 8),
        (2, 4, 8, 8),
        (None, 4, 8, 8),
    ],
)
def test_ranks_follow_from_nodes(nodes, per_node, asked, ranks):
    request = SlurmRequest(nodes, per_node)
    assert request.ranks(asked, lambda: 4) == ranks
    arguments = request.arguments(ranks)
    assert f"--ntasks={ranks}" in arguments and "--no-requeue" in arguments
    assert any(each.startswith("--nodes=") for each in arguments) == (nodes is not None or per_node is not None)


def test_arguments_say_what_was_asked():
    arguments = SlurmRequest(2, 2, "debug", "1:00:00", "--account=x --comment='two words' -C ib").arguments(4)
    assert arguments[-4:] == ["--account=x", "--comment=two words", "-C", "ib"]
    assert {"--nodes=2", "--ntasks-per-node=2", "--partition=debug", "--time=1:00:00", "--signal=USR1@300"} <= set(arguments)
    assert "--signal=USR1@15" in SlurmRequest(time=1).arguments(1)


@pytest.mark.parametrize(
    "extra",
    [
        "--ntasks=3",
        "-n3",
        "-n 3",
        "--nodes 2",
        "--tim=5",
        "-o x",
        "--wrap=ls",
        "--array 1-2",
        "-a1",
        "job.sh",
        "--account=x job.sh",
        "--account x y",
        "--",
        "--requeue",
        "-M other",
        "-Mother",
        "--clusters=other",
        "--cluster other",
        "--clus=other",
    ],
)
def test_options_that_break_the_job_are_refused(extra):
    with pytest.raises(ValueError, match="--sbatch"):
        SlurmRequest(extra=extra)


@pytest.mark.parametrize(
    "extra",
    [
        "--mem=8G",
        "--mem 8G",
        "-A x",
        "-C ib --exclusive",
        "--nodelist=a,b",
        "-w a",
        "--time-min=5",
        "--ntasks-per-core=1",
        "--wait-all-nodes=1",
        "--cluster-constraint=x",
        "--signal=USR1@60",
        "",
    ],
)
def test_other_options_pass(extra):
    assert " ".join(SlurmRequest(extra=extra).more_options()) == extra


@pytest.fixture
def slurm_of_two_clusters(tmp_path, monkeypatch):
    """Programs that answer as Slurm's do on cluster `here` when a submit variable names `other`; what was called."""
    log = tmp_path / "called"
    for name, answer in (
        ("sbatch", "echo '123;other'"),
        ("scontrol", "echo 'ClusterName             = here'"),
        ("scancel", ":"),
        ("sinfo", ":"),
    ):
        program = tmp_path / name
        program.write_text(f'#!/bin/sh\necho {name} "$@" >> {log}\n{answer}\n')
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return log


def test_a_job_that_went_to_another_cluster_is_cancelled_there(slurm_of_two_clusters, tmp_path):
    with pytest.raises(SlurmError, match="went to cluster other as 123, and was cancelled.*SBATCH_CLUSTERS"):
        _slurm.submit([], "gamelan-x", tmp_path, ["engine"])
    cancelled = [line for line in slurm_of_two_clusters.read_text().splitlines() if line.startswith("scancel")]
    assert cancelled == ["scancel --clusters=other 123"]  # and not number 123 of this one


def test_this_cluster_by_its_name_is_this_cluster(slurm_of_two_clusters, tmp_path):
    (tmp_path / "sbatch").write_text("#!/bin/sh\necho '123;here'\n")
    assert _slurm.submit([], "gamelan-x", tmp_path, ["engine"]) == "123"


REASONS = [
    "Resources",
    "Priority",
    "PartitionTimeLimit",
    "PartitionNodeLimit",
    "PartitionDown",
    "BeginTime",
    "Dependency",
    "DependencyNeverSatisfied",
    "JobHeldUser",
    "JobHeldAdmin",
    "ReqNodeNotAvail, UnavailableNodes:node2",
    "ReqNodeNotAvail, Reserved for maintenance",
    "Reservation",
    "Licenses",
    "QOSMaxJobsPerUserLimit",
    "QOSMaxCpuPerUserLimit",
    "QOSGrpCpuLimit",
    "QOSGrpCPUMinutesLimit",
    "QOSMaxNodePerJobLimit",
    "QOSMaxWallDurationPerJobLimit",
    "AssocGrpNodeLimit",
    "AssocMaxJobsLimit",
    "InvalidAccount",
    "InvalidQOS",
    "BadConstraints",
]


@pytest.mark.parametrize("reason", REASONS)
def test_every_common_reason_has_words(reason):
    never = _slurm_words.never(reason)
    told = never[0] if never else _slurm_words.waiting("7", "PENDING", reason)
    assert "man squeue" not in told and len(told) > 10, told


def test_what_passes_is_waited_for_and_what_does_not_is_not():
    for reason in (
        "Resources",
        "Priority",
        "QOSMaxCpuPerUserLimit",
        "QOSGrpCpuLimit",
        "ReqNodeNotAvail, x",
        "BeginTime",
        "JobHeldUser",
        "SomethingNew",
    ):
        assert _slurm_words.never(reason) is None, reason
    for reason in (
        "PartitionTimeLimit",
        "QOSMaxWallDurationPerJobLimit",
        "QOSMaxNodePerJobLimit",
        "AssocMaxCpuPerJobLimit",
        "BadConstraints",
        "DependencyNeverSatisfied",
    ):
        assert _slurm_words.never(reason), reason
    assert "(SomethingNew; man squeue explains it)" in _slurm_words.waiting("7", "PENDING", "SomethingNew")


@pytest.mark.parametrize(
    "extra, seconds", [("", None), ("--signal=USR1@60", 60), ("--signal USR1@600 -A x", 600), ("--signal=B:USR1@30", 30)]
)
def test_when_the_job_is_warned_can_be_said(extra, seconds):
    assert SlurmRequest(time=600, extra=extra).said_warning() == seconds
