# SPDX-License-Identifier: BSD-3-Clause
"""`pip install` from the source distribution into real venvs, one for each Python of this machine from 3.11 on, and what a user
does then: a script, a notebook, the doctor. Needs PyPI and, for each Python, the build; GAMELAN_TEST_PYTHONS=path:path names
others than those on PATH."""

import json
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("GAMELAN_BUILD", ROOT / "build"))
WORK = BUILD / "install"
SOURCE = Path(os.environ.get("GAMELAN_TEST_UNPACK_TO", WORK / "source"))
MARK = ".unpacked-by-a-test"  # in a folder of these tests; what else lies there may be deleted
TOOLS = ["build", "scikit-build-core>=0.10", "pybind11>=2.13", "numpy>=2"]
NUMPYS = {"3.11": ["numpy==1.24.*", "numpy>=2"], "3.12": ["numpy==1.26.*", "numpy>=2"]}

SCRIPT = """
import sys, numpy, gamelan as np
a = np.ones(100_000)
print(np.stats()["ranks"], float(a.sum()), numpy.__version__, sys.prefix)
"""
NOTEBOOK = """
import json, sys
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager
manager = KernelManager(kernel_name="gamelan", kernel_spec_manager=KernelSpecManager(ensure_native_kernel=False))
manager.start_kernel()
client = manager.blocking_client()
client.start_channels()
client.wait_for_ready(timeout=60)
told = []
def show(message):
    content = message["content"]
    if message["msg_type"] in ("stream", "error"):
        told.append(content.get("text") or content["ename"] + ": " + content["evalue"])
for cell in sys.argv[1:]:
    client.execute_interactive(cell, timeout=90, output_hook=show)
manager.shutdown_kernel()
print(json.dumps(told))
"""


def pythons():
    """Path by version: those that are named, else those on PATH and pyenv's."""
    named = os.environ.get("GAMELAN_TEST_PYTHONS")
    candidates = (
        named.split(":") if named else ["/usr/bin/python3", *map(str, Path.home().glob(".pyenv/versions/3.1*/bin/python3"))]
    )
    candidates += [] if named else [shutil.which(f"python3.{minor}") for minor in range(11, 15)]
    found = {}
    for python in filter(None, candidates):
        told = subprocess.run([python, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True)
        version = tuple(map(int, told.stdout.split())) if told.returncode == 0 else ()
        if (3, 11) <= version <= (3, 14):
            found.setdefault("{}.{}".format(*version), python)
    return found


def run(*command, seconds=600, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=seconds, **options)
    assert done.returncode == 0, f"{command}:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def without_ours():
    """The environment of a user's shell: nothing of this build is on its paths."""
    ours = ("PYTHONPATH", "JUPYTER_PATH", "VIRTUAL_ENV", "CONDA_PREFIX")
    kept = {name: value for name, value in os.environ.items() if name not in ours and not name.startswith("GAMELAN_")}
    return kept | {"PATH": "/usr/bin:/bin", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def new_venv(python, path, *packages):
    run(python, "-m", "venv", "--clear", path)
    done = subprocess.run([path / "bin/python", "-m", "pip", "install", "-q", *packages], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"PyPI is not reached from here: {done.stderr.strip().splitlines()[-1:]}")
    return path / "bin" / "python"


def make_room(folder):
    """The folder, empty but for our mark. Refuses what it did not make itself: it may be somebody's work."""
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()) and not (folder / MARK).exists() and folder != WORK / "source":
        pytest.fail(f"{folder} has files that are not of these tests: GAMELAN_TEST_UNPACK_TO must name an empty folder")
    (folder / MARK).touch()
    for left in folder.iterdir():
        if left.is_dir() and not left.is_symlink():
            shutil.rmtree(left)
        elif left.name != MARK:
            left.unlink()


@pytest.fixture(scope="session")
def source():
    """The source distribution, unpacked: into GAMELAN_TEST_UNPACK_TO, where a compilers' cache may know it, or beside the venvs."""
    make_room(SOURCE)
    tools = new_venv("/usr/bin/python3", WORK / "tools", *TOOLS)
    shutil.rmtree(WORK / "sdist", ignore_errors=True)
    run(tools, "-m", "build", "--sdist", "--no-isolation", "-o", WORK / "sdist", ROOT)
    (archive,) = (WORK / "sdist").glob("gamelan_kernel-*.tar.gz")
    shutil.rmtree(WORK / "unpacked", ignore_errors=True)
    with tarfile.open(archive) as files:
        files.extractall(WORK / "unpacked")
    shutil.copytree(WORK / "unpacked" / archive.name.removesuffix(".tar.gz"), SOURCE, dirs_exist_ok=True)
    return SOURCE


@pytest.fixture(scope="module", params=sorted(pythons()))
def installed(request, source):
    """A venv of that Python with the wheel and the newest NumPy."""
    version = request.param
    venv_path = WORK / f"venv{version}"
    python = new_venv(pythons()[version], venv_path, *TOOLS[1:])
    wheels = WORK / f"wheel{version}"
    shutil.rmtree(wheels, ignore_errors=True)
    tree = f"build-dir={WORK / ('tree' + version)}"
    compilers = {"CC": "cc", "CXX": "c++"}
    words = (
        ["--config-settings", tree, "--config-settings", "cmake.define.GAMELAN_LEVELS=all"]
        if os.environ.get("CMAKE_CXX_COMPILER_LAUNCHER")
        else ["--config-settings", tree]
    )
    run(python, "-m", "pip", "wheel", source, "--no-deps", "--no-build-isolation", "-w", wheels, *words, seconds=3600,
        env=os.environ | compilers)  # fmt: skip
    (wheel,) = wheels.glob("*.whl")
    run(python, "-m", "pip", "install", "-q", wheel)
    return version, venv_path


def numpy_of(path, wanted):
    run(path / "bin/python", "-m", "pip", "install", "-q", wanted)


@pytest.mark.timeout(4000)
def test_a_script_and_a_notebook(installed, tmp_path):
    version, path = installed
    (tmp_path / "script.py").write_text(SCRIPT)
    user = without_ours() | {"HOME": str(tmp_path)}
    for wanted in NUMPYS.get(version, ["numpy>=2"]):
        numpy_of(path, wanted)
        ranks, total, numpy, prefix = run(path / "bin/gamelan", "run", "-n", 2, tmp_path / "script.py", env=user).split()
        assert (ranks, total, prefix) == ("2", "100000.0", str(path))
        cells = [
            SCRIPT,
            "%timeit -n 1 -r 1 a + a",
            "import IPython; print(IPython.__version__)",
            "import ipykernel; print(ipykernel.version_info)",
        ]
        told = json.loads(run(path / "bin/python", "-c", NOTEBOOK, *cells, env=user, cwd=tmp_path))
        assert told[0].split()[1:] == ["100000.0", numpy, str(path)] and "per loop" in told[1], told
        assert int(told[2].split(".")[0]) >= 9 and told[3].startswith("(6"), told


@pytest.mark.timeout(600)
def test_the_doctor_finds_nothing_to_mend(installed, tmp_path):
    version, path = installed
    told = subprocess.run(
        [path / "bin/gamelan", "doctor"], capture_output=True, text=True, env=without_ours() | {"HOME": str(tmp_path)}
    )
    assert told.returncode == 0 and "[fail]" not in told.stdout, told.stdout
    assert f"known to Jupyter in {path}/share/jupyter/kernels/gamelan" in told.stdout
    assert f"is {version}, chosen by the environment {path}" in told.stdout


def test_the_kernelspec_of_a_venv_names_its_python(installed, tmp_path):
    _, path = installed
    run(path / "bin/gamelan", "kernel", "install", "--prefix", tmp_path, env=without_ours())
    spec = json.loads((tmp_path / "share/jupyter/kernels/gamelan/kernel.json").read_text())
    assert spec["env"] == {"GAMELAN_PYTHON": str(path / "bin/python3")} and spec["argv"][0] == str(path / "bin/gamelan-kernel")


def test_the_source_distribution_is_complete(source):
    listed = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("no git here that knows the files")
    assert not [name for name in listed.stdout.splitlines() if not (source / name).is_file()]
