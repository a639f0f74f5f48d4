# SPDX-License-Identifier: BSD-3-Clause
"""What differs between the releases of Open MPI: which one an mpiexec is, its options, the names of its files."""

import pytest
from gamelan._launch import _open_mpi


def mpiexec(folder, words):
    path = folder / "mpiexec"
    path.write_text(f"#!/bin/sh\necho '{words}'\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    "words, release",
    [
        ("mpiexec (OpenRTE) 4.1.4", (4, 1)),
        ("mpiexec.openmpi (Open MPI) 5.0.7", (5, 0)),
        ("mpirun (Open MPI) 5.1.0a1", (5, 1)),
        ("no number", (4, 1)),
    ],
)
def test_the_release_is_what_mpiexec_says(tmp_path, words, release):
    assert _open_mpi.release(mpiexec(tmp_path, words)) == release


def test_an_mpiexec_that_does_not_run_counts_as_the_oldest():
    assert _open_mpi.release("/nowhere/mpiexec") == (4, 1)


def test_the_options_are_those_of_the_release(tmp_path, monkeypatch):
    monkeypatch.delenv("OMPI_MCA_btl", raising=False)
    old, new = (" ".join(_open_mpi.options_on_one_node(each, tmp_path)) for each in [(4, 1), (5, 0)])
    assert f"--mca orte_tmpdir_base {tmp_path}" in old and "--mca btl" not in old and "prte" not in old
    assert f"--prtemca prte_tmpdir_base {tmp_path}" in new and "--mca btl self,sm" in new and "orte_" not in new
    monkeypatch.setenv("OMPI_MCA_btl", "self,sm,uct")
    assert "--mca btl" not in " ".join(_open_mpi.options_on_one_node((5, 0), tmp_path)), "what the user has set stays"


@pytest.mark.parametrize(
    "address, family",
    [
        ("4293787648.0;tcp://192.0.2.2:47901\n", 0xFFEE),
        # As observed: Open MPI 5.0.7 named its files sm_segment.HOST.UID.ffb30001.RANK, a2610001 and 2fcd0001.
        ("prterun-vm-31469@0.0;tcp4://192.0.2.2:47901\nv5.0.7a1\n", 0xFFB3),
        ("prterun-vm-27763@0.0;tcp4://192.0.2.2:42397\nv5.0.7a1\n", 0xA261),
        ("prterun-vm-27785@0.0;tcp4://192.0.2.2:43929\nv5.0.7a1\n", 0x2FCD),
        ("", None),
        ("words", None),
    ],
)
def test_the_address_tells_how_files_are_named(tmp_path, address, family):
    (tmp_path / "uri").write_text(address)
    assert _open_mpi.job_family(tmp_path / "uri") == family
    assert _open_mpi.job_family(tmp_path / "nothing") is None
