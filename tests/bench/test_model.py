# SPDX-License-Identifier: BSD-3-Clause
"""The arithmetic of the model, by hand; that a fit finds what made the measurements; and the command."""

import dataclasses
import json
import pathlib
import random
import subprocess
import sys

import pytest

import laplace_model as model
import model_fit
from laplace_model import Job, Link, Parameters
from model import load

PROGRAM = pathlib.Path(model.__file__).with_name("model.py")
SLOW = Link(1e-3, 1e8)
ROUND = Parameters(
    element_s=1e-9,
    record_s=1e-6,
    batch_s=1e-4,
    wake_s=4e-5,
    step_s=1e-5,
    message_s=1e-5,
    launch_s=1,
    launch_level_s=0.1,
    launch_rank_s=0.02,
    overlap=0.5,
    eager_bytes=1e5,
)


def test_grids_and_trees_are_the_engines():
    """tests/engine/layout_test.cpp and plan_test.cpp have these numbers, too."""
    assert model.grid(4096, 64) == (64, 1)
    assert model.grid(10_000, 2048) == (2048, 1)
    assert model.grid(100_000, 4) == (4, 1)
    assert model.grid(100_000, 64) == (16, 4)
    assert model.grid(100_000, 2048) == (256, 8)
    assert model.grid(200_000, 49_152) == (3072, 16)
    assert model.tree(100_000) == [100_000 * 98, 100_000 * 2, 3125, 49, 1]
    assert model.tree(4096) == [4096], "folded at once"


def test_levels_of_the_broadcast():
    assert [Job(nodes, 4).levels for nodes in (1, 2, 9, 10, 73, 74, 512, 585, 586)] == [0, 1, 1, 2, 2, 3, 3, 3, 4]
    hop = 1e-3 + 3 * (1e-5 + model.BATCH_BYTES / 1e8)
    assert model.broadcast_s(ROUND, SLOW, Job(4, 2)) == pytest.approx(hop + 4e-5)
    assert model.broadcast_s(ROUND, Link(0, 1e18), Job(512, 2)) == pytest.approx(3 * 8 * 1e-5 + 4e-5)
    assert model.broadcast_s(ROUND, SLOW, Job(1, 1)) == 0, "nobody to tell"


def test_halo_of_strips_and_of_blocks():
    # 4 strips on 2 nodes: a rank at the border of its node sends one row.
    assert model.halo(4096, Job(2, 2)) == (4096 * 8, 4096 * 8, 1)
    # The same ranks on one node send nothing.
    assert model.halo(4096, Job(1, 4)) == (0, 0, 0)
    # Every strip alone on its node: one row up, one down.
    assert model.halo(4096, Job(4, 1)) == (2 * 4096 * 8, 4096 * 8, 2)
    # 256 x 8 blocks of 391 x 13312, half a row of them on a node: rows go up and down, columns left or right.
    assert model.halo(100_000, Job(512, 4)) == ((4 * 2 * 13_312 + 391) * 8, 13_312 * 8, 3)
    assert model.halo_s(ROUND, SLOW, Job(2, 2), 4096) == pytest.approx(1e-3 + 4096 * 8 / 1e8 + 1e-5)
    late = dataclasses.replace(ROUND, eager_bytes=1e4)
    assert model.halo_s(late, SLOW, Job(2, 2), 4096) == pytest.approx(3e-3 + 4096 * 8 / 1e8 + 1e-5), "a long message asks first"


def test_an_interior_hides_a_halo():
    job = Job(2, 2)
    turn, blocking = (model.iteration(ROUND, SLOW, job, 4096, is_hidden) for is_hidden in (True, False))
    assert turn["compute"] == pytest.approx(4096 * 1024 * 1e-9)
    assert turn["halo"] == 0 and blocking["halo"] == pytest.approx(1.33768e-3)
    assert blocking["total"] - turn["total"] == pytest.approx(blocking["halo"])
    quick = dataclasses.replace(ROUND, element_s=1e-10)
    what_sticks_out = 1.33768e-3 - 0.5 * 4096 * 1024 * 1e-10
    assert model.iteration(quick, SLOW, job, 4096)["halo"] == pytest.approx(what_sticks_out)
    assert turn["total"] == pytest.approx(sum(seconds for part, seconds in turn.items() if part != "total"))


def test_one_rank_only_computes():
    turn = model.iteration(ROUND, Link(0, 1e9), Job(1, 1), 1000)
    assert turn["batch"] == pytest.approx(model.OPERATIONS * 1e-6 + 1e-4)
    assert turn["compute"] == pytest.approx(1e-3) and turn["halo"] == 0 and turn["reduce"] == pytest.approx(1e-5)


def test_reduction_crosses_nodes_where_a_reduction_block_does():
    # 200,000 partials are 391 a node, so reduction blocks of 64 stay there; 3,125 are 6, so a reduction block is read from 10 nodes; 49 are one on
    # each of 49 nodes, or 64 as the model rounds. Then one number goes to all 2,044 ranks of other nodes.
    fast, slow = (model.reduce_s(ROUND, link, Job(512, 4), 100_000) for link in (Link(0, 1e9), SLOW))
    assert slow - fast == pytest.approx(1e-3 * (1 + 1 + 1))
    assert fast == pytest.approx(5 * 1e-5 + (64 / (3125 / 512) + 64 + 2044) * 1e-5)
    # By a tree: three levels of eight children.
    assert model.reduce_s(ROUND, SLOW, Job(512, 4), 100_000, by_tree=True) == pytest.approx(
        5 * 1e-5 + (64 / (3125 / 512) + 64) * 1e-5 + 2e-3 + 3 * (1e-3 + 8e-5) + 1e-5
    )


def test_startup_grows_with_levels():
    assert model.startup_s(ROUND, Job(10, 4)) == pytest.approx(1 + 2 * 0.1 + 4 * 0.02)


def measurements(parameters, noise=0.0):
    draw = random.Random(5)
    for hosts in (1, 2, 4):
        for latency in (1e-4, 1e-3):
            for what, n in [("iteration", 512), ("iteration", 4096), ("batch", None), ("reduce", 20_000)]:
                each = {"what": what, "hosts": hosts, "ranks_per_host": 2, "latency_s": latency, "bytes_per_s": 1.17e8}
                each |= {"hidden": False}
                each |= {"n": n} if n else {}
                yield each | {"seconds": model.predict(parameters, each) * (1 + noise * draw.uniform(-1, 1))}


def test_a_fit_finds_what_made_the_measurements():
    truth = dataclasses.replace(Parameters(), element_s=4e-9, batch_s=3e-4, step_s=5e-5, message_s=4e-5)
    names = ["element_s", "batch_s", "step_s", "message_s"]
    fitted = model_fit.fit(Parameters(), [each for each in measurements(truth) if each["hosts"] <= 2], names)
    for name in names:
        assert getattr(fitted, name) == pytest.approx(getattr(truth, name), rel=0.05), name
    assert max(map(abs, model_fit.relative_errors(fitted, list(measurements(truth))))) < 0.01, "four hosts were not fitted"
    assert fitted.wake_s == Parameters().wake_s


def test_a_fit_bears_noise():
    truth = dataclasses.replace(Parameters(), element_s=4e-9)
    fitted = model_fit.fit(Parameters(), list(measurements(truth, noise=0.1)), ["element_s", "batch_s", "step_s"])
    assert max(map(abs, model_fit.relative_errors(fitted, list(measurements(truth))))) < 0.15


def run(*arguments):
    words = [sys.executable, PROGRAM, *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)


def test_command_calibrates_and_predicts(tmp_path):
    truth = dataclasses.replace(Parameters(), element_s=4e-9)
    (tmp_path / "measured.json").write_text(json.dumps({"measurements": list(measurements(truth)), "fit": ["element_s"]}))
    done = run("--calibrate", tmp_path / "measured.json", "--hosts", 2, "--out", tmp_path / "fitted.json")
    assert done.returncode == 0 and "not fitted: 8 measurements, median error 0 %" in done.stdout, done.stdout + done.stderr
    assert load(tmp_path / "fitted.json").element_s == pytest.approx(4e-9, rel=1e-3)
    done = run("--predict", "--parameters", tmp_path / "fitted.json")
    row = next(line for line in done.stdout.splitlines() if line.startswith("| 2,048 | 1 ms"))
    assert float(row.split("|")[4]) == pytest.approx(1e3 * 4e-9 * 391 * 13_312, rel=1e-3)


DANCE = {"what": "dance", "hosts": 1, "ranks_per_host": 1, "latency_s": 0, "bytes_per_s": 1, "seconds": 1}


@pytest.mark.parametrize("text", ["{", "{}", '{"measurements": []}', json.dumps({"measurements": [DANCE]})])
def test_bad_files_are_refused(tmp_path, text):
    (tmp_path / "measured.json").write_text(text)
    done = run("--calibrate", tmp_path / "measured.json")
    assert done.returncode == 2 and "Traceback" not in done.stderr, done.stderr


def test_unknown_parameters_are_refused(tmp_path):
    (tmp_path / "parameters.json").write_text('{"elements": 1}')
    assert "no parameter elements" in run("--predict", "--parameters", tmp_path / "parameters.json").stderr
    assert run().returncode == 2


def test_every_parameter_has_a_source():
    assert set(model.SOURCES) == {field.name for field in dataclasses.fields(Parameters)}
