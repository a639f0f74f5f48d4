# SPDX-License-Identifier: BSD-3-Clause
"""Real engines come up within their time, are what was asked for, and leave nothing; what is missing is named."""

import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from launch_fixtures import is_mpich, processes_of, shared_memory_of, wait_until_gone
from gamelan import launch
from gamelan._launch import _mpiexec, _open_mpi, _sessions
from gamelan._launch._errors import (
    ConnectionFileError,
    EngineMissingError,
    LaunchError,
    MpiexecMissingError,
    SharedMemoryError,
    StartError,
    UnsafeDirectoryError,
)


def program(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_engines_start_soon_and_stop_without_a_trace(runtime, ranks):
    begin = time.monotonic()
    engines = launch.start(ranks)
    assert time.monotonic() - begin < 3
    directory = Path(engines.connection_file).parent
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert stat.S_IMODE(Path(engines.connection_file).stat().st_mode) == 0o600
    status = engines.status()
    assert (status["state"], status["ranks"], len(status["processes"])) == ("running", ranks, ranks)
    assert [each["rank"] for each in status["processes"]] == list(range(ranks))
    family = engines.facts["job_family"]
    assert family or is_mpich()
    engines.stop()
    assert engines.ending.is_expected and not directory.exists()
    assert not processes_of(runtime) and not shared_memory_of(family)
    engines.stop()  # again: nothing happens


def test_idle_engines_use_no_processor(runtime):
    engines = launch.start(4, idle_timeout=0)
    time.sleep(0.5)
    before = sum(each["cpu_seconds"] for each in engines.status()["processes"])
    time.sleep(3)
    assert sum(each["cpu_seconds"] for each in engines.status()["processes"]) - before <= 0.06  # 2 % of a core
    engines.stop()


def test_ranks_that_mpiexec_leaves_when_it_fails_are_ended(runtime, monkeypatch):
    """As Open MPI does that cannot start so many."""
    rank = program(runtime / "rank", f"touch {runtime}/begun.$OMPI_COMM_WORLD_RANK\nwhile :; do sleep 0.1; done")
    fails = f"""case $1 in --version) {_mpiexec.find_mpiexec()} --version; exit;; esac
for i in 1 2 3; do OMPI_COMM_WORLD_RANK=$i setsid {rank} "$@" & done
until [ -e {runtime}/begun.1 ] && [ -e {runtime}/begun.2 ] && [ -e {runtime}/begun.3 ]; do sleep 0.05; done
exit 1"""
    monkeypatch.setenv("GAMELAN_MPIEXEC", program(runtime / "mpiexec", fails))
    with pytest.raises(StartError) as raised:
        launch.start(2, timeout=60)
    assert len(list(runtime.glob("begun.*"))) == 3 and "did not serve within" not in str(raised.value)
    assert not wait_until_gone(runtime)


def test_two_ensembles_live_side_by_side(runtime):
    first, second = launch.start(2), launch.start(2)
    assert first.session != second.session
    assert {each["session"] for each in launch.list_all()} == {first.session, second.session}
    first.stop()
    assert [each["state"] for each in launch.list_all()] == ["running"]
    second.stop()


def test_restart_gives_the_same_number_anew(runtime):
    first = launch.start(3, heap="64M")
    second = first.restart()
    assert first.ending and second.ranks == 3 and second.session != first.session
    second.stop()


def test_connect_by_path_and_by_name_and_stop_from_there(runtime):
    engines = launch.start(2)
    for name in (engines.connection_file, engines.session):
        other = launch.connect(name)
        assert other.ranks == 2 and not other.is_owned and other.status()["state"] == "running"
    other.stop()
    assert engines.wait(5), "the parent of mpiexec has seen it, too"


def test_who_has_started_them_learns_who_has_stopped_them_however_late_it_looks(runtime):
    engines = launch.start(1)
    look = engines._stopped_elsewhere

    def late(code):
        time.sleep(1)
        return look(code)

    engines._stopped_elsewhere = late
    launch.find(engines.session).stop()
    assert "were stopped by process" in str(engines.wait(10)) and not Path(engines.log).parent.exists()


def test_environment_chooses_the_number(runtime, monkeypatch):
    monkeypatch.setenv("GAMELAN_ENGINES", "3")
    engines = launch.ensure()
    assert engines.ranks == 3 and launch.ensure() is engines
    engines.stop()
    monkeypatch.setenv("GAMELAN_ENGINES", "0")
    assert launch.default_ranks() == min(4, len(os.sched_getaffinity(0)))
    monkeypatch.setenv("GAMELAN_ENGINES", "many")
    with pytest.raises(ValueError, match="GAMELAN_ENGINES='many': expected a number of engines"):
        launch.start()


@pytest.mark.parametrize("ranks", [0, -1, 65537, 2.0, "2", True])
def test_a_bad_number_is_refused(runtime, ranks):
    with pytest.raises(ValueError, match="number of engines"):
        launch.start(ranks)


def test_an_mpi_job_around_us_does_not_matter(runtime, monkeypatch):
    for name in ("SLURM_JOB_ID", "SLURM_NNODES", "PMIX_RANK", "OMPI_COMM_WORLD_SIZE"):
        monkeypatch.setenv(name, "7")
    engines = launch.start(2)
    engines.stop()


def test_missing_programs_are_named_with_what_to_do(runtime, monkeypatch):
    monkeypatch.setenv("GAMELAN_ENGINE", "/nowhere/gamelan-engine")
    with pytest.raises(
        EngineMissingError, match="GAMELAN_ENGINE names /nowhere.*unset GAMELAN_ENGINE, then .*gamelan-engine is taken"
    ):
        launch.start(2)
    monkeypatch.setenv("GAMELAN_ENGINE", program(runtime / "engine", "exit 3"))  # loads no MPI beside which an mpiexec is
    monkeypatch.setenv("PATH", str(runtime))
    with pytest.raises(MpiexecMissingError, match="apt-get install openmpi-bin"):
        launch.start(2)
    program(runtime / "mpiexec", "echo HYDRA build details:; echo Version 4.0.2")
    with pytest.raises(MpiexecMissingError, match="is not Open MPI's .*HYDRA.*openmpi-bin"):
        launch.start(2)
    assert launch.list_all() == []


def test_engines_that_die_at_the_start_are_quoted(runtime, monkeypatch):
    monkeypatch.setenv("GAMELAN_ENGINE", program(runtime / "engine", "echo the tuning fork is missing >&2; exit 3"))
    with pytest.raises(StartError, match="(?s) 3, before they served.*last lines.*tuning fork"):
        launch.start(2)
    assert launch.list_all() == []


def start_in(*surroundings):
    """What a start says in a process with another environment: the words of a command that runs one."""
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); import launch_fixtures; from gamelan import launch\n"
        "try: launch.start(2)\nexcept launch.StartError as error: print(error)"
    )
    done = subprocess.run(
        [*surroundings, "/usr/bin/python3", "-c", script, str(Path(__file__).parent)],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.stdout, done.stderr
    return done.stdout


# Open MPI 5 starts two ranks with 32; with 24 Open MPI 4 does not say what it lacks.
FEW_FILES = 32 if _open_mpi.release("mpiexec.openmpi") < (5, 0) else 24


@pytest.mark.parametrize(
    "limit, told",
    [
        (f"-n {FEW_FILES}", f"a process may have only {FEW_FILES} files open here, and mpiexec needs more: ulimit -n 1024\n"),
        (
            "-v 2000000",
            "A process may have only 1953 MiB of address space here; if that is the cause, ulimit -v unlimited mends it\n---",
        ),
    ],
    ids=["files", "address space"],
)
def test_a_limit_of_the_shell_is_named_with_what_to_do(runtime, limit, told):
    if is_mpich() and limit.startswith("-n"):
        pytest.skip("Hydra waits for ever where it may not open files")
    assert told in start_in("sh", "-c", f'ulimit {limit}; exec "$@"', "sh")
    assert launch.list_all() == []


def test_a_machine_without_network_is_named_with_what_to_do(runtime):
    if subprocess.run(["unshare", "-rn", "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("cannot leave the network here")
    assert start_in("unshare", "-rn") == (
        "the engines did not start: no network interface is up, and Open MPI needs one, if only the loopback: ip link set lo up (as root)\n"
    )


def test_engines_that_never_serve_are_stopped(runtime, monkeypatch):
    monkeypatch.setenv("GAMELAN_ENGINE", program(runtime / "engine", "exec sleep 60"))
    begin = time.monotonic()
    with pytest.raises(StartError, match="did not serve within 1 s"):
        launch.start(1, timeout=1)
    assert time.monotonic() - begin < 10


def test_a_heap_larger_than_the_machine_is_refused_by_the_engine(runtime):
    with pytest.raises(StartError, match="(?i)heap|memory|bytes"):
        launch.start(2, heap="900T")
    with pytest.raises(launch.LaunchError, match="GAMELAN_HEAP.: got 'lots', expected bytes"):
        launch.start(2, heap="lots")


def test_a_full_dev_shm_is_refused_with_the_arithmetic(tmp_path):
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", tmp_path], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("cannot mount a small tmpfs here")
    try:
        with pytest.raises(SharedMemoryError, match=r"4 MiB free of 4 MiB, 3 engines need 18 MiB.*--shm-size"):
            _mpiexec.require_shared_memory(3, str(tmp_path))
    finally:
        subprocess.run(["umount", tmp_path], check=True)
    with pytest.raises(SharedMemoryError, match="cannot be used"):
        _mpiexec.require_shared_memory(1, "/nowhere")


def test_an_open_runtime_directory_is_refused(runtime):
    runtime.chmod(0o755)
    with pytest.raises(UnsafeDirectoryError, match="chmod 700"):
        launch.start(2)
    runtime.chmod(0o700)


def test_a_runtime_path_too_long_for_a_socket_is_explained(runtime, monkeypatch):
    deep = runtime / ("d" * 90)
    monkeypatch.setenv("GAMELAN_RUNTIME_DIR", str(deep))
    with pytest.raises(LaunchError, match="too long|shorter"):
        launch.start(2)
    monkeypatch.setenv("GAMELAN_RUNTIME_DIR", str(runtime))


def test_a_stale_connection_file_is_told_from_a_live_one(runtime):
    engines = launch.start(2)
    text = json.loads(Path(engines.connection_file).read_text())
    engines.stop()
    with pytest.raises(ConnectionFileError, match="gamelan engines list"):
        launch.connect(engines.connection_file)
    stale = runtime / "stale.json"
    descriptor = os.open(stale, os.O_CREAT | os.O_WRONLY, 0o600)
    os.write(descriptor, json.dumps(text).encode())
    os.close(descriptor)
    with pytest.raises(ConnectionFileError, match="is stale: rank 0 was process"):
        launch.connect(stale)


def test_engines_end_with_the_process_that_started_them(runtime):
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); import launch_fixtures; from gamelan import launch; "
        "print(launch.start(2).session)"
    )
    done = subprocess.run(
        ["/usr/bin/python3", "-c", script, str(Path(__file__).parent)], capture_output=True, text=True, timeout=30, check=True
    )
    assert done.stdout.strip()
    assert not processes_of(runtime) and launch.list_all() == []


def test_a_forked_child_does_not_stop_its_parents_engines(runtime):
    engines = launch.start(2)
    child = os.fork()
    if child == 0:
        try:
            engines._stop_at_exit()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert engines.status()["state"] == "running"
    engines.stop()


def test_facts_of_a_session_are_private(runtime):
    engines = launch.start(1)
    facts = _sessions.read_facts(Path(engines.connection_file).parent)
    assert facts["pid"] == engines.facts["pid"] and facts["owner_pid"] == os.getpid()
    engines.stop()


def openblas_by_itself():
    """The kernels that the engine's OpenBLAS chooses by itself; "" where the engine has another BLAS."""
    libraries = subprocess.run(["ldd", _mpiexec.find_engine()], capture_output=True, text=True, check=True).stdout
    paths = [line.split("=>")[1].split()[0] for line in libraries.splitlines() if "openblas" in line]
    asks = "import ctypes, sys; ask = ctypes.CDLL(sys.argv[1]).openblas_get_corename; ask.restype = ctypes.c_char_p; print(ask().decode())"
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}
    command = [sys.executable, "-c", asks, *paths[:1]]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout.strip() if paths else ""


@pytest.mark.parametrize("wish", [None, "Nehalem"])
def test_openblas_has_kernels_for_this_processor(runtime, monkeypatch, wish):
    flags = Path("/proc/cpuinfo").read_text().partition("flags")[2].partition("\n")[0].split()
    expected = wish
    if wish is None:
        monkeypatch.delenv("OPENBLAS_CORETYPE", raising=False)
        if openblas_by_itself() in ("Prescott", "Nehalem", "Barcelona") and {"avx2", "f16c"} <= set(flags):
            expected = "SkylakeX" if {"avx512f", "avx512dq", "avx512bw", "avx512vl"} <= set(flags) else "Haswell"
    else:
        monkeypatch.setenv("OPENBLAS_CORETYPE", wish)
    engines = launch.start(2)
    for process in engines.status()["processes"]:
        variables = Path(f"/proc/{process['pid']}/environ").read_text().split("\0")
        found = [entry.partition("=")[2] for entry in variables if entry.startswith("OPENBLAS_CORETYPE=")]
        assert found == ([expected] if expected else [])
    engines.stop()


@pytest.mark.parametrize("wish", [None, "glibc.malloc.tcache_count=9"])
def test_malloc_keeps_what_steps_free(runtime, monkeypatch, wish):
    monkeypatch.setenv("GLIBC_TUNABLES", wish) if wish else monkeypatch.delenv("GLIBC_TUNABLES", raising=False)
    engines = launch.start(2)
    for process in engines.status()["processes"]:
        variables = Path(f"/proc/{process['pid']}/environ").read_text().split("\0")
        assert f"GLIBC_TUNABLES={wish or 'glibc.malloc.tcache_count=1024'}" in variables
    engines.stop()
