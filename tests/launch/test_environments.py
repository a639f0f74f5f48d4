# SPDX-License-Identifier: BSD-3-Clause
"""Which Python `gamelan run`, the kernelspec and the doctor take, and the one sentence for each that does not fit."""

import importlib
import json
import os
import subprocess
import venv

import pytest
from launch_fixtures import BUILD

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
    assert spec["argv"][0] == str(BUILD / "bin/gamelan-kernel")
    done = gamelan("kernel", "install", "--prefix", environment, "--name", "second")
    second = json.loads((environment / "share/jupyter/kernels/second/kernel.json").read_text())
    assert done.returncode == 0 and second["display_name"] == "Gamelan (second)"
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


@pytest.mark.parametrize(
    "answer, state, words",
    [
        ({"version": [3, 9]}, "fail", "has Python 3.9, gamelan was built for"),
        ({"faults": {"numpy": "No module named 'numpy'"}}, "fail", "cannot import NumPy (No module named 'numpy')"),
        ({"modules": {"numpy": "3.0.0"}}, "fail", "this Python has 3.0.0. Run `"),
        ({"modules": {"numpy": "1.26.4"}, "faults": {"IPython": "No module named 'IPython'"}}, "warn", "pip install ipython"),
        ({"modules": {"numpy": "1.26.4"}, "faults": {"gamelan": "GLIBC_9"}}, "fail", "build it again on this machine"),
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
    done = subprocess.run(
        [environment / "bin/python3", "-c", "import gamelan"],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    last = done.stderr.splitlines()[-1]
    assert done.returncode == 1 and words in last and "-m pip install ." in last, done.stderr
