# SPDX-License-Identifier: BSD-3-Clause
# The kernel in a venv with what pip brings today: the newest IPython, ipywidgets 8 and 7, and tqdm, with ipykernel
# and without.
import subprocess
import venv

import pytest

from notebook import Notebook
from test_with_engines import ENVIRONMENT

pytestmark = pytest.mark.timeout(300)
# Of IPython's own packages nothing is Debian's; NumPy and matplotlib are.
WANTED = ["ipython>=9", "ipywidgets>=8", "tqdm", "comm"]


def install(python, *packages):
    """Into the venv from PyPI; skips where it is not reached."""
    done = subprocess.run(
        [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--ignore-installed", *packages],
        capture_output=True,
        text=True,
        timeout=240,
    )
    if done.returncode:
        pytest.skip(f"PyPI is not reached from here: {done.stderr.strip().splitlines()[-1:]}")


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A venv over Debian's Python whose own packages come first."""
    path = tmp_path_factory.mktemp("newest") / "env"
    venv.EnvBuilder(system_site_packages=True, with_pip=True).create(path)
    python = path / "bin" / "python"
    install(python, *WANTED)
    return python


@pytest.fixture(scope="module")
def newest(own_home, environment):
    with Notebook(env=ENVIRONMENT | {"GAMELAN_PYTHON": str(environment)}) as notebook:
        assert int(notebook.run("import IPython; print(IPython.__version__)").out.split(".")[0]) >= 9
        cell = notebook.run("import gamelan as np\na = np.ones(300_000)\nfloat(a.sum())", timeout=60)
        assert cell.text == "300000.0", cell.reply
        yield notebook


@pytest.mark.parametrize(
    "code, says",
    [
        ("%timeit -n 2 -r 2 a + a", " per loop"),
        ("%time b = a * 2", "Wall time: "),
        ("%%time\nb = a * 3", "Wall time: "),
        ("t = %timeit -o -q -n 1 -r 1 a.sum()\nprint(t.average > 0)", "True"),
        ("%time sum(range(10))", "Wall time: "),
        ("%%timeit -n 1 -r 1\npass", " per loop"),
    ],
)
def test_timing_magics(newest, code, says):
    cell = newest.run(code, timeout=60)
    assert cell.status == "ok" and says in cell.out, (cell.reply, cell.out)


@pytest.mark.parametrize("code", ["%whos", "a?", "%xmode Context", "%prun -q float(a.sum())", "%engines status"])
def test_other_magics(newest, code):
    cell = newest.run(code, timeout=60)
    assert cell.status == "ok", cell.reply


def test_errors_are_marked_in_the_users_cell(newest):
    cell = newest.run("a + np.ones(7)")
    text = "\n".join(cell.of_type("error")[0]["traceback"])
    assert cell.ename == "ValueError" and "/gamelan/" not in text


def test_completion_and_inspection(newest):
    assert "arange" in newest.ask("complete", code="np.aran")["matches"][0]
    assert newest.ask("inspect", code="np.arange")["found"]


WITHOUT_IPYKERNEL = """
import importlib.util, sys
from gamelan_kernel import comms
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name.partition('.')[0] == 'ipykernel' else find(name, *rest)
for name in [name for name in sys.modules if name.partition('.')[0] == 'ipykernel']: del sys.modules[name]
comms.take_over_ipykernel()
"""


@pytest.mark.parametrize("widgets, has_ipykernel", [(8, True), (8, False), (7, False), (7, True)])
def test_widgets(own_home, environment, widgets, has_ipykernel):
    if widgets == 7:
        install(environment, "--no-deps", "ipywidgets<8", "ipython_genutils", "jupyterlab_widgets<3")
    with Notebook(env={"GAMELAN_PYTHON": str(environment)}) as notebook:
        if not has_ipykernel:
            assert notebook.run(WITHOUT_IPYKERNEL).status == "ok"
        cell = notebook.run(
            "import ipywidgets\nprint(ipywidgets.__version__)\nslider = ipywidgets.IntSlider(value=3)\nslider", timeout=60
        )
        assert cell.out.startswith(f"{widgets}.") and cell.of_type("comm_open"), (cell.reply, cell.err)
        assert "application/vnd.jupyter.widget-view+json" in str(cell.messages)
        assert notebook.run("ipywidgets.interact(lambda x: print(x), x=(0, 5))").of_type("comm_open")
        bar = notebook.run("from tqdm.notebook import tqdm\nfor i in tqdm(range(3)): pass", timeout=30)
        assert bar.status == "ok" and bar.of_type("comm_msg"), bar.reply
        assert notebook.run("slider.value = 5").of_type("comm_msg")[0]["data"]["state"]["value"] == 5
