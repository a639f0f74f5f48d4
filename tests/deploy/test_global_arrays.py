# SPDX-License-Identifier: BSD-3-Clause
"""Global Arrays built from archives, and what configuring says where it cannot be done. The build itself (minutes) runs where
GAMELAN_GA_SOURCE and GAMELAN_ARMCI_SOURCE name the archives."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ("GAMELAN_GA_SOURCE", "GAMELAN_ARMCI_SOURCE")
WITHOUT = ["-DBUILD_TESTING=OFF", "-DGAMELAN_KERNEL=OFF"]


@pytest.fixture
def configure(tmp_path):
    if not shutil.which("cmake") or not shutil.which("mpicxx"):
        pytest.skip("no cmake or no MPI here")

    def run(*options):
        command = ["cmake", "--preset", "release", "-S", str(ROOT), "-B", str(tmp_path / "build"), *WITHOUT, *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, cwd=ROOT)
        return done.returncode, " ".join(done.stderr.split())

    return run


@pytest.mark.parametrize(
    "options, sentence",
    [
        (["-DGAMELAN_FETCH_GA=ON"], "GAMELAN_FETCH_GA needs GAMELAN_GA_SOURCE, an archive such as ga-5.9.2.tar.gz"),
        (
            ["-DGAMELAN_FETCH_GA=ON", f"-DGAMELAN_GA_SOURCE={__file__}", "-DGAMELAN_ARMCI_SOURCE=/nowhere.tar.gz"],
            "GAMELAN_FETCH_GA needs GAMELAN_ARMCI_SOURCE, .*'/nowhere.tar.gz' does not exist",
        ),
        (["-DGAMELAN_MPI=lam"], "GAMELAN_MPI is lam: expected openmpi or mpich"),
    ],
)
def test_what_is_missing_is_said(configure, options, sentence):
    code, said = configure(*options)
    assert code != 0 and re.search(sentence, said), said


def test_an_mpi_of_the_other_family_is_refused(configure):
    compiler = shutil.which("mpicxx.openmpi")
    if not compiler:
        pytest.skip("no mpicxx.openmpi here")
    words = [
        f"-DMPI_{language}_COMPILER={compiler.replace('mpicxx', program)}"
        for language, program in (("C", "mpicc"), ("CXX", "mpicxx"))
    ]
    code, said = configure("-DGAMELAN_MPI=mpich", *words)
    assert code != 0 and "GAMELAN_MPI is mpich, and" in said and "belongs to another MPI" in said, said


def test_both_are_built_from_archives(configure, tmp_path):
    archives = [os.environ.get(name, "") for name in SOURCES]
    if not all(archives):
        pytest.skip(f"{' and '.join(SOURCES)} name no archives")
    code, said = configure("-DGAMELAN_FETCH_GA=ON", *(f"-D{name}={path}" for name, path in zip(SOURCES, archives, strict=True)))
    assert code == 0, said
    build = tmp_path / "build"
    built = subprocess.run(
        ["ninja", "-C", str(build), "gamelan_fetched_ga"], capture_output=True, text=True, timeout=1800, check=False
    )
    assert built.returncode == 0, built.stdout[-3000:]
    names = subprocess.run(["nm", str(build / "global_arrays/lib/libga.a")], capture_output=True, text=True, check=False).stdout
    assert " T GA_Dgemm" in names and " U dgemm_" in names and " U ARMCI_Malloc" in names
    assert (build / "global_arrays/include/ga.h").is_file() and (build / "global_arrays/lib/libarmci.a").is_file()
