# SPDX-License-Identifier: BSD-3-Clause
"""The notebooks run as a reader runs them, in the Gamelan kernel with four engines, and compute what NumPy computes.

Each notebook is executed twice: by nbclient in a real kernel, and cell by cell in plain Python with NumPy imported in
Gamelan's place (without the cells tagged "engines", which ask for what NumPy has not). The values named below must agree.
GAMELAN_BUILD names the build folder (default: build/ of this checkout).
"""

import json
import os
import pathlib
import re
import subprocess
import sys

import nbformat
import numpy
import pytest
from nbclient import NotebookClient

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("GAMELAN_BUILD", ROOT / "build")).resolve()
FILES = sorted((ROOT / "notebooks").glob("*.ipynb"))
RANKS = 4
START_TIMEOUT_S, CELL_TIMEOUT_S, NOTEBOOK_TIMEOUT_S = 60, 120, 240

# Per notebook: expression -> relative tolerance. Element-wise results are NumPy's to the bit; sums are folded in another
# order, and vector math may differ in the last places.
# NumPy 2 multiplies complex numbers with fused operations; we round as NumPy 1 does, and what escapes magnifies it.
ESCAPED = 1e-12 if numpy.__version__.startswith("1.") else 1e-8
VALUES = {
    "01-laplace": {
        "grid.u": 0,
        "solver.errors": 1e-12,
        "iterations": 0,
        "coarse.u": 0,
        "coarse_iterations": 0,
        "solution": 0,
        "deviation.max()": 0,
        "grid.computeError()": 1e-12,
    },
    "02-mandelbrot": {"c": 0, "escape_time": 0, "area": 1e-12, "np.abs(z)": ESCAPED},
    "03-black-scholes": {"call": 1e-9, "put": 1e-9, "strike": 0, "mean_call": 1e-9, "mean_put": 1e-9, "parity < 1e-10": 0},
    "04-first-lesson": {"small": 0, "a": 0, "b": 1e-15, "view": 0, "difference": 0, "row_sums": 1e-12, "mine": 1e-12},
}
# Arrays that must live on the engines: a notebook that computes on small arrays shows nothing.
DISTRIBUTED = {
    "01-laplace": ["grid.u"],
    "02-mandelbrot": ["c", "z", "escape_time"],
    "03-black-scholes": ["spot", "strike", "years", "call", "put"],
    "04-first-lesson": ["a", "b", "view", "difference", "row_sums"],
}
# What a reader sees: (id of the cell, MIME type, what the output must match).
SEEN = {
    "01-laplace": [
        ("run", "text/plain", r"^100 iterations, error 0\.\d+$"),
        ("count", "text/plain", r"^Global Arrays created: 1$"),
        ("picture", "image/png", r"."),
        ("result", "text/plain", r"^Laplace 800 x 800 on 4 engines: \d+ iterations, error 0\.\d+, [\d.]+ ms an iteration$"),
    ],
    "02-mandelbrot": [("value", "text/plain", r"^area 1\.6\d+"), ("picture", "image/png", r".")],
    "03-black-scholes": [("parity", "text/plain", r"put-call parity holds"), ("picture", "image/png", r".")],
    "04-first-lesson": [
        ("large", "text/html", r"1000 × 1000.*4 × 1.*<svg"),
        ("large", "text/plain", r"^array\(\[\[0\.0"),
        ("explain", "text/plain", r"sqrt r\d+ in float64$"),
        # Three borders between four blocks of rows; then every block with the one opposite.
        ("cost", "text/plain", r"^a\[1:\] - a\[:-1\].* bytes_shared +24,000  fetch_bytes +0$"),
        ("cost", "text/plain", r"^a\[::-1\] \+ a.* bytes_shared 8,000,000  fetch_bytes +0$"),
        ("cost", "text/plain", r"^a sum .*fetch_bytes +8$"),
        ("errors", "text/plain", r"^operands could not be broadcast together"),
    ],
}

SAVE = """
import json as _json, numpy as _numpy
_numpy.savez({path!r}, *[_numpy.asarray(_value) for _value in ({expressions},)])
"""
SAVE_FACTS = """
import gamelan as _gamelan
with open({path!r}, "w") as _file:
    _json.dump({{"stats": _gamelan.stats(), "distributed": [getattr(_each, "_b", None) is not None for _each in ({names},)]}}, _file)
"""


def ids(file):
    return file.stem


def code_of(notebook, with_engines):
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [cell for cell in cells if with_engines or "engines" not in cell.metadata.get("tags", [])]


def load(path):
    with numpy.load(path) as arrays:
        return [arrays[f"arr_{index}"] for index in range(len(arrays.files))]


def values_with_numpy(notebook, expressions, folder):
    """The values of `expressions` after the cells ran in a plain Python with NumPy."""
    sources = [cell.source for cell in code_of(notebook, with_engines=False)]
    assert sum("import gamelan as np" in source for source in sources) == 1
    sources = [source.replace("import gamelan as np", "import numpy as np") for source in sources]
    sources.append(SAVE.format(path=str(folder / "numpy.npz"), expressions=", ".join(expressions)))
    script = folder / "with_numpy.py"
    script.write_text("\n\n".join(sources))
    environment = {**os.environ, "MPLBACKEND": "agg"}
    done = subprocess.run(
        [sys.executable, str(script)], cwd=folder, env=environment, capture_output=True, text=True, timeout=CELL_TIMEOUT_S
    )
    assert done.returncode == 0, done.stderr
    return load(folder / "numpy.npz")


def run_in_kernel(notebook, name, folder):
    """Executes the notebook in place; its values and the facts about its engines."""
    extra = SAVE.format(path=str(folder / "gamelan.npz"), expressions=", ".join(VALUES[name]))
    extra += SAVE_FACTS.format(path=str(folder / "facts.json"), names=", ".join(DISTRIBUTED[name]))
    notebook.cells.append(nbformat.v4.new_code_cell(extra))
    client = NotebookClient(
        notebook,
        kernel_name="gamelan",
        timeout=CELL_TIMEOUT_S,
        startup_timeout=START_TIMEOUT_S,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute()
    return load(folder / "gamelan.npz"), json.loads((folder / "facts.json").read_text())


def shown(cell):
    """The outputs of a cell: MIME type -> text."""
    texts = {}
    for output in cell.outputs:
        data = {"text/plain": output.text} if output.output_type == "stream" else output.get("data", {})
        for mime, text in data.items():
            texts[mime] = texts.get(mime, "") + text
    return texts


def test_there_are_notebooks_and_each_is_compared():
    assert [file.stem for file in FILES] == sorted(VALUES) == sorted(DISTRIBUTED) == sorted(SEEN)


@pytest.mark.parametrize("file", FILES, ids=ids)
def test_stored_without_output(file):
    notebook = nbformat.read(file, as_version=4)
    nbformat.validate(notebook)
    assert notebook.nbformat_minor >= 5, "cells need ids"
    assert notebook.metadata.kernelspec.name == "gamelan"
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)
    for cell in code_of(notebook, with_engines=True):
        assert cell.outputs == [] and cell.execution_count is None, f"cell {cell.id} has output: strip it (nbstripout)"
        assert set(cell.metadata) <= {"tags"}


@pytest.mark.timeout(NOTEBOOK_TIMEOUT_S)
@pytest.mark.parametrize("file", FILES, ids=ids)
def test_computes_what_numpy_computes(file, tmp_path, monkeypatch):
    assert (BUILD / "bin" / "gamelan-kernel").is_file(), f"no kernel in {BUILD}: build first (deploy/demo --setup)"
    name = file.stem
    monkeypatch.setenv("JUPYTER_PATH", str(BUILD / "share" / "jupyter"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("GAMELAN_ENGINES", str(RANKS))
    for variable in ("GAMELAN_DISTRIBUTE_FROM", "GAMELAN_CONNECT", "MPLBACKEND"):
        monkeypatch.delenv(variable, raising=False)

    expected = values_with_numpy(nbformat.read(file, as_version=4), VALUES[name], tmp_path)
    notebook = nbformat.read(file, as_version=4)
    computed, facts = run_in_kernel(notebook, name, tmp_path)

    assert facts["stats"]["ranks"] == RANKS
    assert all(facts["distributed"]), list(zip(DISTRIBUTED[name], facts["distributed"]))
    for (expression, tolerance), ours, numpys in zip(VALUES[name].items(), computed, expected):
        assert (ours.dtype, ours.shape) == (numpys.dtype, numpys.shape), expression
        numpy.testing.assert_allclose(ours, numpys, rtol=tolerance, atol=0, err_msg=expression)

    by_id = {cell.id: cell for cell in notebook.cells}
    for cell_id, mime, pattern in SEEN[name]:
        assert re.search(pattern, shown(by_id[cell_id]).get(mime, ""), re.MULTILINE), (cell_id, mime)
    for cell in code_of(notebook, with_engines=True):
        noise = [output.text for output in cell.outputs if output.get("name") == "stderr"]
        assert not noise, (cell.id, noise)
