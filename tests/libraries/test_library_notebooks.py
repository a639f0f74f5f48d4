# SPDX-License-Identifier: BSD-3-Clause
"""A notebook of ten cells for each library, a small story as its users write it: executed in the Gamelan kernel with two
engines, and with NumPy in Gamelan's place. Every cell shows the same in both. Between two cells the engines' counters are
read: they tell which cells computed there, and how much came here. GAMELAN_LIBRARIES_REPORT names a file for these."""

import copy
import json
import os
import re
import subprocess
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from places import BUILD, HERE

FILES = sorted((HERE / "notebooks").glob("*.ipynb"))
RANKS = 2
CELLS = 10
START_TIMEOUT_S, CELL_TIMEOUT_S, NOTEBOOK_TIMEOUT_S = 60, 300, 600
FEWEST_ON_ENGINES = 5  # of the ten cells: a notebook of small arrays shows nothing
COUNT = """
import gamelan as _gamelan, json as _json
_stats = _gamelan.stats()
print(_json.dumps({_name: _stats.get(_name, 0) for _name in ("recorded_commands", "fetch_bytes")}))
"""


def ids(file):
    return file.stem


def code_of(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def missing(python, file):
    """The error of importing the notebook's library; empty when it is there."""
    run = subprocess.run([python, "-c", f"import {file.stem}"], capture_output=True, text=True, timeout=300)
    return run.stderr.strip().splitlines()[-1] if run.returncode else ""


def shown_with_numpy(python, file, folder):
    run = subprocess.run(
        [python, HERE / "run_notebook.py", file], capture_output=True, text=True, timeout=NOTEBOOK_TIMEOUT_S, cwd=folder
    )
    assert run.returncode == 0, run.stderr[-3000:]
    return json.loads(run.stdout.splitlines()[-1])


def text_of(cell):
    """What a cell shows as its value, as text; of a cell that failed the error."""
    errors = [f"{output.ename}: {output.evalue}" for output in cell.outputs if output.output_type == "error"]
    values = [output.data["text/plain"] for output in cell.outputs if output.output_type == "execute_result"]
    return "\n".join(errors or values)


def run_in_kernel(file, folder):
    """What each cell shows, and the counters behind it."""
    notebook = nbformat.read(file, as_version=4)
    counting = nbformat.v4.new_code_cell(COUNT)
    cells = [counting]
    for cell in code_of(notebook):
        cells += [cell, copy.deepcopy(counting)]
    notebook.cells = cells
    NotebookClient(
        notebook,
        kernel_name="gamelan",
        timeout=CELL_TIMEOUT_S,
        startup_timeout=START_TIMEOUT_S,
        allow_errors=True,
        resources={"metadata": {"path": str(folder)}},
    ).execute()
    counters = [json.loads("".join(output.get("text", "") for output in cell.outputs)) for cell in cells[0::2]]
    work = {
        cell.id: {name: after[name] - before[name] for name in after}
        for cell, before, after in zip(cells[1::2], counters, counters[1:])
    }
    return {cell.id: text_of(cell) for cell in cells[1::2]}, work


@pytest.mark.parametrize("file", FILES, ids=ids)
def test_ten_cells_without_output(file):
    notebook = nbformat.read(file, as_version=4)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "gamelan"
    cells = code_of(notebook)
    assert len(cells) == CELLS
    assert sum("import gamelan as np" in cell.source for cell in cells) == 1
    assert all(cell.outputs == [] and cell.execution_count is None for cell in cells), "strip the outputs"


@pytest.mark.parametrize("file", FILES, ids=ids)
@pytest.mark.timeout(2 * NOTEBOOK_TIMEOUT_S)
def test_shows_what_numpy_shows(python, file, tmp_path, monkeypatch):
    if told := missing(python, file):
        pytest.skip(told)
    for variable in ("GAMELAN_DISTRIBUTE_FROM", "GAMELAN_CONNECT", "SCIPY_ARRAY_API", "MPLBACKEND", "PYTHONPATH"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    expected = shown_with_numpy(python, file, tmp_path)

    monkeypatch.setenv("JUPYTER_PATH", str(BUILD / "share" / "jupyter"))
    monkeypatch.setenv("GAMELAN_PYTHON", str(python))
    monkeypatch.setenv("GAMELAN_ENGINES", str(RANKS))
    monkeypatch.setenv("GAMELAN_DISTRIBUTE_FROM", "262144")
    shown, work = run_in_kernel(file, tmp_path)
    if report := os.environ.get("GAMELAN_LIBRARIES_REPORT"):
        with Path(report).open("a") as out:
            out.write(json.dumps({file.stem: work}) + "\n")

    differ = [f"{cell}: shows\n{shown[cell]}\nwith NumPy\n{text}" for cell, text in expected.items() if shown[cell] != text]
    assert not differ, "\n".join(differ)
    assert all(expected.values()), f"cells that show nothing: {[cell for cell, text in expected.items() if not text]}"
    assert not [cell for cell, text in expected.items() if re.search(r" at 0x[0-9a-f]+", text)], "an address is no value"
    computed = [cell for cell, counted in work.items() if counted["recorded_commands"]]
    assert len(computed) >= FEWEST_ON_ENGINES, f"the engines computed in {computed} only"
