# SPDX-License-Identifier: BSD-3-Clause
# An array that was loaded from a file cannot be read there any more when the program has saved over it: that is told, and
# checkpoints and a restart keep it.
import pytest

from notebook import Notebook
from test_with_engines import ENVIRONMENT

pytestmark = pytest.mark.timeout(180)

KILL = "import gamelan, os; os.kill(gamelan._session.engines().status()['processes'][1]['pid'], 9)"
TOLD = "would be lost with the engines: this program has written the file from which it would be read"


@pytest.fixture
def notebook(own_home, tmp_path):
    state = {"XDG_STATE_HOME": str(tmp_path / "state"), "GAMELAN_ENGINES": "2"}
    with Notebook(env=ENVIRONMENT | state) as notebook:
        notebook.run(
            f"import os; os.chdir({str(tmp_path)!r}); import gamelan as np; y = np.arange(300_000.0); s = np.ones(300_000)"
        )
        yield notebook


def test_a_file(notebook):
    cell = notebook.run("np.save('f.npy', y); x = np.load('f.npy'); x += 1; z = x * 2; np.save('f.npy', x)", timeout=60)
    assert f"x, z {TOLD}" in cell.err, cell.err
    assert notebook.run("np.save('other.npy', s)").err == ""
    out = notebook.run("%session").out
    assert "would be lost with the engines: x, z: this program has written its file " in out and "f.npy since then" in out
    assert notebook.run("%engines restart -n 1", timeout=60).status == "ok"
    assert notebook.run("float(x[0]), float(z[1]), float(y[2])", timeout=60).text == "(1.0, 4.0, 2.0)"
    assert "would be lost" not in notebook.run("%session").out


def test_a_session(notebook):
    assert notebook.run("%session save D", timeout=60).status == "ok"
    assert TOLD not in notebook.run("%session load D", timeout=60).err
    notebook.run("y += 1; s = s * 3")
    cell = notebook.run("%session save D", timeout=60)
    assert f"y, s {TOLD}" in cell.err, cell.err
    notebook.run("np.config.protect = 'memory'")
    notebook.run(KILL)
    assert notebook.run("float(y[0]), float(s[1])", timeout=60).text == "(1.0, 3.0)"
