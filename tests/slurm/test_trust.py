# SPDX-License-Identifier: BSD-3-Clause
"""Which connection files and engines of a job are refused: of somebody else, open to others, of another build."""

import json
import os
from pathlib import Path

import pytest
from gamelan import launch
from gamelan._launch._errors import ConnectionFileError, UnsafeDirectoryError
from gamelan._launch._sessions import PROTOCOL_VERSION
from gamelan._launch._slurm_request import SlurmRequest
from slurm_cluster import BUILD, CLIENT, gamelan, python


@pytest.fixture
def running(sessions):
    """Engines of a job, and their connection file."""
    engines = launch.start(1, SlurmRequest(time=5))
    yield engines, Path(engines.connection_file)
    engines.stop()


def test_a_file_open_to_others_or_of_another_user_is_refused(running):
    engines, path = running
    job = engines.facts["slurm_job_id"]
    path.chmod(0o640)
    for refused in (gamelan("engines", "attach", job), python(CLIENT, path), python(CLIENT, job)):
        assert refused.returncode == 1 and "is open to others (mode 640)" in refused.stderr and "chmod 600" in refused.stderr
    path.chmod(0o600)
    os.chown(path, 12345, -1)
    with pytest.raises(UnsafeDirectoryError, match="belongs to user 12345, expected 0"):
        launch.connect(job)
    os.chown(path, 0, -1)
    assert python(CLIENT, job).returncode == 0


def change(path, **fields):
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


def test_engines_of_another_protocol_or_table_are_refused_with_what_to_do(running):
    engines, path = running
    job, good = engines.facts["slurm_job_id"], path.read_text()
    change(path, version=99)
    with pytest.raises(
        ConnectionFileError, match=f"protocol 99, this client speaks {PROTOCOL_VERSION}: build both from the same source"
    ):
        launch.connect(job)
    path.write_text(good)
    change(path, fingerprint="0123456789abcdef")
    refused = python(CLIENT, job)
    assert "VersionError" in refused.stderr and "op table 0123456789abcdef there" in refused.stderr
    assert "use the package and the engine of one build" in refused.stderr
    path.write_text(good)
    assert python(CLIENT, job).returncode == 0


def test_an_engine_of_another_build_is_refused_by_its_file_and_refuses_to_greet(sessions, monkeypatch):
    """An engine whose tables differ in one letter, as after an update of one side only."""
    strange = sessions / "gamelan-engine"
    strange.write_bytes((BUILD / "bin" / "gamelan-engine").read_bytes().replace(b"\0complex128\0", b"\0complex12x\0"))
    strange.chmod(0o755)
    monkeypatch.setenv("GAMELAN_ENGINE", str(strange))
    engines = launch.start(1, SlurmRequest(time=5))
    ours = json.loads(python("import gamelan, json; print(json.dumps(f'{gamelan._core.fingerprint():016x}'))").stdout)
    told = json.loads(Path(engines.connection_file).read_text())["fingerprint"]
    assert told != ours, "the table has moved to another place in the program: find it again"
    refused = python(CLIENT, engines.facts["slurm_job_id"])
    assert "VersionError" in refused.stderr and f"op table {told} there, {ours} here" in refused.stderr
    change(Path(engines.connection_file), fingerprint=ours)  # the file may be old or wrong: the engine compares for itself
    refused = python(CLIENT, engines.facts["slurm_job_id"])
    assert "VersionError" in refused.stderr and "client and engines were built from different sources" in refused.stderr
    engines.stop()
