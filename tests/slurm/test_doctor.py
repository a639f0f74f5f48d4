# SPDX-License-Identifier: BSD-3-Clause
"""What the doctor says of a cluster: what is there, what does not fit, what to do."""

from gamelan import launch
from gamelan._doctor import _slurm_questions
from gamelan._launch._slurm_request import SlurmRequest
from slurm_cluster import CPUS


def told():
    return list(_slurm_questions.questions())


def test_a_cluster_is_described(sessions):
    engines = launch.start(1, SlurmRequest(time=5))
    found = told()
    text = "\n".join(what for _, what, _ in found)
    assert "is UP" in text and f"debug (at most 1:00:00, 1 node of {CPUS} cores)" in text and "PMIx" in text
    assert f"jobs with engines: {engines.facts['slurm_job_id']} (running)" in text and "gamelan.sbatch" in text
    assert not [each for each in found if each[0] == "fail"], found
    engines.stop()


def test_what_does_not_fit_is_told_with_its_remedy(sessions, monkeypatch):
    shared = sessions / "shared"
    shared.mkdir(mode=0o755, exist_ok=True)
    shared.chmod(0o755)
    monkeypatch.setenv("GAMELAN_SRUN_OPTIONS", "--mpi=pmi9")
    advice = {what: remedy for state, what, remedy in told() if state == "fail"}
    shared.chmod(0o700)
    assert any("--mpi=pmi9" in what for what in advice) and any("chmod 700" in remedy for remedy in advice.values()), advice


def test_a_cluster_that_does_not_answer_is_a_warning(sessions, cluster, tmp_path, monkeypatch):
    conf = tmp_path / "slurm.conf"
    conf.write_text(
        "".join(
            "SlurmctldPort=1\n" if line.startswith("SlurmctldPort") else line
            for line in (cluster / "slurm.conf").read_text().splitlines(keepends=True)
        )
    )
    with monkeypatch.context() as patch:
        patch.setenv("SLURM_CONF", str(conf))
        state, what, advice = told()[0]
    assert state == "warn" and "no cluster answers" in what and advice
