# SPDX-License-Identifier: BSD-3-Clause
"""Which Python `gamelan run`, the kernelspec and the doctor take, and the one sentence for each that does not fit."""

import importlib
import json
import os
import subprocess
import venv

import pytest
from launch_fixtures import BUILD, a_kernel_that_asks

CHOICES = ("GAMELAN_PYTHON", "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV")


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    path = tmp_path_factory.mktemp("chosen") / "env"
    venv.EnvBuilder(system_site_packages=True, with_pip=False).create(path)
    return path


@pytest.fixture
def pythons(monkeypatch):
    for name in CHOICES:
        monkeypatch.delenv(name, raising=False)
    return importlib.import_module("gamelan._launch._pythons")


@pytest.fixture
def told_by_doctor(monkeypatch, tmp_path, runtime):
    """The doctor's verdicts about Python or about the kernelspec, as one text each."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "data"))
    questions = importlib.import_module("gamelan._doctor._questions")
    return lambda question: [f"{v.state}: {v.what}: {v.advice}" for v in getattr(questions, question)()]


def a_python(folder, answer):
    """A Python that answers so when it is asked what it is."""
    python = folder / "bin" / "python3"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\ncat <<'END'\n{json.dumps(answer)}\nEND\n")
    python.chmod(0o755)
    return python


@pytest.mark.parametrize(
    "set_to, expected",
    [
        ({}, None),
        ({"VIRTUAL_ENV": "/v"}, "/v/bin/python3"),
        ({"CONDA_PREFIX": "/c", "CONDA_DEFAULT_ENV": "work"}, "/c/bin/python3"),
        ({"CONDA_PREFIX": "/c", "CONDA_DEFAULT_ENV": "base"}, None),
        ({"CONDA_PREFIX": "/c", "VIRTUAL_ENV": "/v"}, "/v/bin/python3"),
        ({"GAMELAN_PYTHON": "/g/python", "VIRTUAL_ENV": "/v", "CONDA_PREFIX": "/c"}, "/g/python"),
    ],
)
def test_the_order_of_choice(pythons, monkeypatch, set_to, expected):
    for name, value in set_to.items():
        monkeypatch.setenv(name, value)
    assert pythons.chosen()[0] == expected


def test_a_script_runs_in_the_active_environment(gamelan, runtime, pythons, environment, monkeypatch, tmp_path):
    (tmp_path / "script.py").write_text("import sys, gamelan\nprint(sys.prefix, gamelan.ones(3).sum())\n")
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.setenv(name, str(environment))
        done = gamelan("run", "-n", 1, tmp_path / "script.py")
        assert (done.returncode, done.stdout.split()) == (0, [str(environment), "3.0"]), done.stderr
        monkeypatch.delenv(name)


def test_the_kernelspec_of_an_environment_names_its_python(gamelan, pythons, environment, monkeypatch):
    monkeypatch.setenv("VIRTUAL_ENV", str(environment))
    done = gamelan("kernel", "install", "--sys-prefix")
    spec = json.loads((environment / "share/jupyter/kernels/gamelan/kernel.json").read_text())
    assert done.returncode == 0 and spec["env"] == {"GAMELAN_PYTHON": str(environment / "bin/python3")}, done.stderr
    assert "is gone" not in done.stdout
    assert spec["argv"][0] == str(BUILD / "bin/gamelan-kernel")
    done = gamelan("kernel", "install", "--prefix", environment, "--name", "second")
    second = json.loads((environment / "share/jupyter/kernels/second/kernel.json").read_text())
    assert done.returncode == 0 and second["display_name"] == "Gamelan (second)"
    done = gamelan("kernel", "install", "--prefix", environment.parent / "prefix")
    assert f"It starts {environment}: when that environment is gone" in done.stdout, done.stderr
    done = gamelan("kernel", "install", "--prefix", environment, "--name", "two words")
    assert done.returncode == 1 and "--name: got 'two words'" in done.stderr


def test_an_environment_that_does_not_fit_gets_no_kernelspec(gamelan, pythons, monkeypatch, tmp_path):
    python = a_python(tmp_path / "env", {"version": [3, 99]})
    monkeypatch.setenv("GAMELAN_PYTHON", str(python))
    done = gamelan("kernel", "install", "--prefix", tmp_path)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1 and not (tmp_path / "share").exists()
    assert "has Python 3.99, gamelan was built for 3.1" in done.stderr and f"`{python} -m pip install .`" in done.stderr


@pytest.mark.parametrize("program, says", [("kernel", "names {python}, whose environment is gone"), ("program", "does not run")])
def test_a_kernelspec_whose_environment_is_gone(told_by_doctor, pythons, tmp_path, program, says):
    spec = tmp_path / "data" / "kernels" / "gamelan"
    spec.mkdir(parents=True)
    python = tmp_path / "gone" / "bin" / "python3"
    argv = [str(BUILD / "bin/gamelan-kernel")] if program == "kernel" else ["{resource_dir}/../gone/bin/gamelan-kernel"]
    (spec / "kernel.json").write_text(json.dumps({"argv": argv, "env": {"GAMELAN_PYTHON": str(python)}}))
    (told,) = (line for line in told_by_doctor("programs") if "notebook kernel" in line)
    assert told.startswith("fail") and says.format(python=python) in told and told.endswith("gamelan kernel install --user")


def test_a_kernelspec_of_another_build(told_by_doctor, pythons, tmp_path):
    spec, other = tmp_path / "data" / "kernels" / "gamelan", tmp_path / "other" / "gamelan-kernel"
    for folder in (spec, other.parent):
        folder.mkdir(parents=True)
    other.write_bytes((BUILD / "bin/gamelan-kernel").read_bytes())
    other.chmod(0o755)
    (spec / "kernel.json").write_text(json.dumps({"argv": [str(other)]}))
    (told,) = (line for line in told_by_doctor("programs") if "notebook kernel" in line)
    assert told.startswith("warn") and f"names {other}, not this build's" in told, told
    (spec / "kernel.json").write_text(json.dumps({"argv": [str(BUILD / "bin/gamelan-kernel")]}))
    (told,) = (line for line in told_by_doctor("programs") if "notebook kernel" in line)
    assert told.startswith("ok"), told


@pytest.mark.parametrize(
    "answer, state, words",
    [
        ({"version": [3, 9]}, "fail", "has Python 3.9, gamelan was built for"),
        ({"faults": {"numpy": "No module named 'numpy'"}}, "fail", "cannot import NumPy (No module named 'numpy')"),
        ({"modules": {"numpy": "3.0.0"}}, "fail", "this Python has 3.0.0. Run `"),
        ({"modules": {"numpy": "1.26.4"}, "faults": {"IPython": "No module named 'IPython'"}}, "warn", "pip install ipython"),
        ({"modules": {"numpy": "1.26.4"}, "faults": {"gamelan": "GLIBC_9"}}, "fail", "build it again for this Python"),
        ({"modules": {"numpy": "1.26.4"}, "missing": ["gamelan"]}, "fail", "has no Gamelan: `"),
        ({"modules": {"numpy": "1.26.4"}, "faults": {"comm": "No module named 'comm'"}}, "warn", "widgets need it"),
        ({"modules": {"numpy": "1.26.4", "IPython": "9.1"}}, "ok", "NumPy 1.26.4, IPython 9.1"),
    ],
)
def test_the_doctor_asks_the_active_python(told_by_doctor, pythons, monkeypatch, tmp_path, answer, state, words):
    built = {"version": list(pythons.built_for()[0])}
    monkeypatch.setenv("CONDA_PREFIX", str(a_python(tmp_path / "env", built | answer).parents[1]))
    told = told_by_doctor("python")[0]
    assert told.startswith(state) and words in told and f"chosen by the conda environment {tmp_path}/env" in told


def test_an_environment_that_is_gone(gamelan, told_by_doctor, pythons, monkeypatch, tmp_path):
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "gone"))
    assert "make that environment again, deactivate it" in told_by_doctor("python")[0]
    (tmp_path / "script.py").write_text("")
    done = gamelan("run", tmp_path / "script.py")
    assert done.returncode == 1 and "has no Python that runs" in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda package: None, "Gamelan was built without its extension _core"),
        (lambda package: (package / "_core.cpython-399-x.so").touch(), "for another Python (_core.cpython-399-x.so)"),
        (lambda package: (package / "_core.abi3.so").write_text("no library"), "another system than this one (/"),
    ],
)
def test_a_package_made_for_another_python_or_system(pythons, environment, tmp_path, make, words):
    """What a wheel for another distribution says when it is imported all the same."""
    package = tmp_path / "gamelan"
    package.mkdir()
    for file in ("__init__.py", "_requirements.py", "_version.py"):
        (package / file).write_text((BUILD / "python/gamelan" / file).read_text())
    make(package)
    last = refused_import(environment, tmp_path)
    assert words in last and "-m pip install ." in last
    if "another Python" in words:  # another NumPy would not help there
        a_numpy(tmp_path, "3.0.0")
        assert words in refused_import(environment, tmp_path)


def refused_import(environment, folder):
    """The last line of what `import gamelan` says where this folder is the first on the path."""
    done = subprocess.run(
        [environment / "bin/python3", "-c", "import gamelan"],
        env=os.environ | {"PYTHONPATH": f"{folder}:{BUILD}/python"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1, done.stderr
    return done.stderr.splitlines()[-1]


def a_numpy(folder, version):
    (folder / "numpy").mkdir()
    (folder / "numpy/__init__.py").write_text(f'__version__ = "{version}"\n')


def test_numpy_3(gamelan, runtime, pythons, environment, told_by_doctor, monkeypatch, tmp_path):
    """The first of a future NumPy, in an environment that fits otherwise."""
    a_numpy(tmp_path, "3.0.0")
    assert "this Python has 3.0.0. Run `" in refused_import(environment, tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("VIRTUAL_ENV", str(environment))
    (tmp_path / "script.py").write_text("import gamelan\n")
    for command in (["run", tmp_path / "script.py"], ["kernel", "install", "--prefix", tmp_path]):
        done = gamelan(*command)
        assert done.returncode == 1 and "this Python has 3.0.0. Run `" in done.stderr and len(done.stderr.splitlines()) == 1
    told = told_by_doctor("python")[0]
    assert told.startswith("fail") and f"Run `{environment}/bin/python3 -m pip install 'numpy<" in told


def test_an_engine_of_another_build(gamelan, runtime, pythons, told_by_doctor, monkeypatch, tmp_path):
    """One whose tables differ in a letter, as after an update of one side only."""
    strange = tmp_path / "gamelan-engine"
    strange.write_bytes((BUILD / "bin/gamelan-engine").read_bytes().replace(b"\0complex128\0", b"\0complex12x\0"))
    strange.chmod(0o755)
    monkeypatch.setenv("GAMELAN_ENGINE", str(strange))
    (tmp_path / "script.py").write_text("import gamelan\nprint(gamelan.ones(100_000).sum())\n")
    done = gamelan("run", "-n", 1, tmp_path / "script.py")
    assert "use the package and the engine of one build" in told_by_doctor("python")[0]
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 1 and "were built from another source than this Python package" in last, done.stderr
    assert "use the package and the engine of one build (GAMELAN_ENGINE names the engine), and start new engines" in last


@pytest.mark.parametrize(
    "says, lacks",
    [
        ("error while loading shared libraries: libx.so.9: cannot open shared object file", "libx.so.9"),
        ("/lib/libc.so.6: version `GLIBC_9.9' not found (required by gamelan-engine)", "/lib/libc.so.6: version `GLIBC_9.9'"),
    ],
)
def test_an_engine_for_another_distribution(gamelan, runtime, pythons, monkeypatch, tmp_path, says, lacks):
    strange = tmp_path / "gamelan-engine"
    strange.write_text(f"#!/bin/sh\ncat >&2 <<'END'\ngamelan-engine: {says}\nEND\nexit 127\n")
    strange.chmod(0o755)
    monkeypatch.setenv("GAMELAN_ENGINE", str(strange))
    done = gamelan("engines", "start", "-n", 1)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1 and lacks in done.stderr, done.stderr
    assert "built for another system than this one" in done.stderr and "`pip install .` in Gamelan's sources" in done.stderr


def test_an_engine_named_by_a_relative_path(gamelan, runtime, pythons, monkeypatch):
    monkeypatch.setenv("GAMELAN_ENGINE", os.path.relpath(BUILD / "bin/gamelan-engine"))
    done = gamelan("engines", "start", "-n", 1)
    assert done.returncode == 0, done.stderr
    gamelan("engines", "stop", "--all")


def test_a_kernel_that_lacks_a_library(gamelan, told_by_doctor, pythons, monkeypatch, tmp_path):
    strange = a_kernel_that_asks(tmp_path, "libzmq.so.5", "libzmx.so.9")
    monkeypatch.setenv("GAMELAN_KERNEL", str(strange))
    done = gamelan("kernel", "install", "--prefix", tmp_path)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1 and not (tmp_path / "share").exists(), done.stderr
    mend = "built for another system than this one (libzmx.so.9 is not here): install the package that was made for this"
    assert f"gamelan-kernel was {mend} distribution" in done.stderr
    spec = tmp_path / "data" / "kernels" / "gamelan"
    spec.mkdir(parents=True)
    (spec / "kernel.json").write_text(json.dumps({"argv": [str(strange)]}))
    (told,) = (line for line in told_by_doctor("programs") if "notebook kernel" in line)
    assert told.startswith(f"fail: notebook kernel: {strange} does not run: it was {mend}")


def test_a_wheel_for_another_distribution(pythons):
    """What `gamelan run` and `gamelan kernel install` say of an environment where `import gamelan` has its own words for it."""
    environments = importlib.import_module("gamelan._launch._environments")
    said = "Gamelan was built for another system than this one (GLIBC_9): install the package that was made for this distribution"
    answer = pythons.Answer(version=pythons.built_for()[0], modules={"numpy": "1.26.4"}, faults={"gamelan": said})
    assert environments.refusal("python3", "the environment /e", answer) == f"the environment /e: {said}"


def test_packages_of_one_environment_do_not_hide_those_of_another(pythons, monkeypatch, tmp_path):
    folder = tmp_path / "site-packages"  # as `pip install --user` fills it
    (folder / "gamelan_kernel-0.1.0.dist-info").mkdir(parents=True)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setattr(pythons, "_PACKAGE", folder / "gamelan")
    assert pythons.is_among_others() and "PYTHONPATH" not in pythons.variables()
    monkeypatch.setattr(pythons, "_PACKAGE", tmp_path / "python" / "gamelan")  # a build's
    assert not pythons.is_among_others() and pythons.variables()["PYTHONPATH"] == str(tmp_path / "python")


def test_the_mend_is_what_a_shell_reads(pythons, tmp_path):
    """A path with a space, which people copy from the sentence."""
    environments = importlib.import_module("gamelan._launch._environments")
    program = str(tmp_path / "an env" / "bin" / "python3")
    built = pythons.built_for()[0]
    for answer in (
        pythons.Answer(version=(3, 99)),
        pythons.Answer(version=built, faults={"numpy": "gone"}),
        pythons.Answer(version=built, modules={"numpy": "3.0.0"}),
        pythons.Answer(version=built, modules={"numpy": "1.26.4"}, missing=["gamelan"]),
    ):
        assert f"'{program}' -m pip install " in environments.refusal(program, "an environment", answer)


def test_the_kernelspec_of_an_installation_gets_its_python(pythons, monkeypatch, tmp_path):
    """Where the spec is that of the installation, too, it names the Python that the command says."""
    kernelspec = importlib.import_module("gamelan._launch._kernelspec")
    spec = tmp_path / "share/jupyter/kernels/gamelan"
    spec.mkdir(parents=True)
    (spec / "kernel.json").write_text(json.dumps({"argv": ["x"]}))
    monkeypatch.setattr(kernelspec, "source", lambda: spec)
    assert kernelspec.install(tmp_path) == spec and json.loads((spec / "kernel.json").read_text()) == {"argv": ["x"]}
    assert kernelspec.python_of(kernelspec.install(tmp_path, "/e/bin/python3")) == "/e/bin/python3"
