# SPDX-License-Identifier: BSD-3-Clause
"""The launcher's other family of MPI: which engines are of it, which mpiexec fits, and what Hydra's words mean."""

import os
from pathlib import Path

import pytest
import launch_fixtures  # noqa: F401  (imports gamelan as the command does)
from gamelan._doctor import _mpi_questions
from gamelan._launch import _hydra, _mpi_library, _mpiexec
from gamelan._launch._ending import explain
from gamelan._launch._errors import MpiexecMissingError

RULE = "=" * 83
MPICH = f"""
{RULE}
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   PID 31162 RUNNING AT c17
=   EXIT CODE: 9
=   CLEANING UP REMAINING PROCESSES
=   YOU CAN IGNORE THE BELOW CLEANUP MESSAGES
{RULE}
YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)
This typically refers to a problem with your application.
"""
INTEL = f"""
{RULE}
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   RANK 1 PID 31235 RUNNING AT c17
=   KILLED BY SIGNAL: 11 (Segmentation fault)
{RULE}
"""
ABORTED = "Abort(5) on node 1 (rank 1 in comm 0): application called MPI_Abort(MPI_COMM_WORLD, 5) - process 1\n"
LAST_WORDS = "gamelan-engine: rank 2 of 3 on c17: NGA_Get: out of range\n"


@pytest.mark.parametrize(
    "text, code, expected",
    [
        (MPICH, 9, {"host": "c17", "signal": 9}),
        (INTEL, 255, {"host": "c17", "signal": 11}),
        (ABORTED, 5, {"rank": 1, "exit_code": 5}),
        (LAST_WORDS + ABORTED, 1, {"rank": 2, "host": "c17"}),
        ("", 3, {"exit_code": 3}),
    ],
)
def test_the_cause_is_found_in_hydras_words(tmp_path, text, code, expected):
    log = tmp_path / "engines.log"
    log.write_text(text)
    ending = explain(log, code, "s1")
    assert {name: getattr(ending, name) for name in expected} == expected


@pytest.mark.parametrize(
    "library, is_mpich",
    [("libmpich.so.12", True), ("libmpi.so.12", True), ("libmpi_gnu_91.so.12", True), ("libmpi_cray.so.12", True)]
    + [("libmpi.so.40", False), ("libmpi_cxx.so.40", False), ("libm.so.6", False)],
)
def test_the_family_is_read_from_the_engine(tmp_path, library, is_mpich):
    engine = tmp_path / "gamelan-engine"
    engine.write_bytes(b"\x7fELF" + bytes(5000) + library.encode() + b"\0libc.so.6\0")
    assert _hydra.is_engine_of_mpich(str(engine)) is is_mpich


def program(path, words):
    path.write_text(f"#!/bin/sh\necho '{words}'\n")
    path.chmod(0o755)
    return path


def test_an_engine_of_mpich_wants_its_mpiexec(tmp_path, monkeypatch):
    engine = program(tmp_path / "gamelan-engine", "libmpich.so.12")
    monkeypatch.setenv("GAMELAN_ENGINE", str(engine))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.defpath}")
    monkeypatch.delenv("GAMELAN_MPIEXEC", raising=False)
    for name in _hydra.MPIEXECS:
        program(tmp_path / name, "mpiexec (OpenRTE) 4.1.4")
    with pytest.raises(MpiexecMissingError, match="built with MPICH, and .*another MPI's.*apt-get install mpich"):
        _mpiexec.find_mpiexec()
    hydra = program(tmp_path / "mpiexec.hydra", "HYDRA build details:")
    assert _mpiexec.find_mpiexec() == str(hydra)
    monkeypatch.setenv("GAMELAN_MPIEXEC", str(tmp_path / "mpiexec"))
    with pytest.raises(MpiexecMissingError, match=f"{tmp_path}/mpiexec is another MPI's"):
        _mpiexec.find_mpiexec()
    monkeypatch.setenv("GAMELAN_MPIEXEC", str(hydra))
    words = _mpiexec.command(3, tmp_path, ["--session", "s"])
    assert words == [str(hydra), "-n", "3", str(engine), "--session", "s"] and not (tmp_path / "ompi").exists()


@pytest.mark.parametrize(
    "line, state, words",
    [
        ("\tlibmpi.so.40 => PREFIX/lib/libmpi.so.40 (0x00007f41)", "ok", "Open MPI"),
        ("\tlibmpi.so.40 => /elsewhere/lib/libmpi.so.40 (0x00007f41)", "warn", "of another installation"),
        ("\tlibmpi.so.40 => PREFIX/local/lib/libmpi.so.40 (0x00007f41)", "warn", "of another installation"),
        ("\tlibmpi.so.40 => not found", "fail", "wants libmpi.so.40 (Open MPI), which is not found"),
        ("\tlibmpich.so.12 => PREFIX/lib/x86_64-linux-gnu/libmpich.so.12 (0x00007f41)", "ok", "libmpich.so.12"),
    ],
)
def test_the_doctor_sees_two_mpis(tmp_path, monkeypatch, line, state, words):
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("GAMELAN_ENGINE", str(program(tmp_path / "bin" / "gamelan-engine", "libmpi.so.40")))
    monkeypatch.setenv("GAMELAN_MPIEXEC", str(program(tmp_path / "bin" / "mpiexec", "mpiexec (OpenRTE) 4.1.4")))
    program(tmp_path / "ldd", line.replace("PREFIX", str(tmp_path)))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.defpath}")
    [(told, what, advice)] = _mpi_questions.questions()
    assert (told, bool(advice)) == (state, state != "ok") and words in what


def test_the_mpiexec_of_the_installation_whose_library_the_engine_loads(tmp_path, monkeypatch):
    own, other = tmp_path / "own", tmp_path / "other"
    for folder in (own / "bin", own / "lib", other):
        folder.mkdir(parents=True)
    monkeypatch.setenv("GAMELAN_ENGINE", str(program(own / "bin/gamelan-engine", "libmpi.so.40")))
    monkeypatch.delenv("GAMELAN_MPIEXEC", raising=False)
    monkeypatch.setenv("PATH", f"{other}:{os.defpath}")
    program(other / "ldd", f"\tlibmpi.so.40 => {own}/lib/libmpi.so.40 (0x00007f41)")
    other_program = program(other / "mpiexec.openmpi", "mpiexec (OpenRTE) 4.1.4")
    program(own / "bin/mpiexec", "HYDRA build details:")  # another MPI's program in that place
    assert _mpiexec.find_mpiexec() == str(other_program)
    program(own / "bin/mpiexec", "mpiexec (Open MPI) 5.0.7")
    assert _mpiexec.find_mpiexec() == str(own / "bin/mpiexec")


def test_a_library_belongs_to_the_installation_around_its_folder():
    assert _mpi_library.prefixes("/usr/local/lib/libmpi.so.40") == [Path("/usr/local")]
    assert Path("/usr") in _mpi_library.prefixes("/usr/lib/x86_64-linux-gnu/libmpi.so.40")
    assert Path("/") not in _mpi_library.prefixes("/lib/x86_64-linux-gnu/libmpi.so.40")
