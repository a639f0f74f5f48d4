# SPDX-License-Identifier: BSD-3-Clause
# %%dry plans a cell: what it would need and where it would stop, and afterwards everything is as it was.
import pytest

from notebook import Notebook
from test_with_engines import ENVIRONMENT

pytestmark = pytest.mark.timeout(120)

SETUP = "import gamelan as np\na = np.ones((2000, 1000)); k = 1; held = [1]; rng = np.random.default_rng(3); it = iter(range(9))"


@pytest.fixture(scope="module")
def shared(own_home):
    with Notebook(env=ENVIRONMENT | {"GAMELAN_HEAP": "128M"}) as notebook:
        assert notebook.run(SETUP, timeout=60).status == "ok"
        yield notebook


def dry(notebook, code):
    cell = notebook.run(f"%%dry\n{code}", timeout=60)
    assert cell.status == "ok", cell.reply
    return cell.out


def test_a_cell_is_planned_and_everything_stays(shared):
    counters = "np.stats()['batches'], np.stats()['arrays']"
    dry(shared, "b = a + 1")  # measures the speed of memory, once
    before = shared.run(counters).text
    out = dry(
        shared,
        "b = a * 2 + 1; a[0] = 5; k = 2; held.append(2); next(it)\nr = rng.random(100_000)\nc = np.sort(b, axis=1)\nprint('hello')\ndel a",
    )
    assert "operations, of which none is computed\n" in out and "hello" not in out
    assert "memory of a rank: " in out and " at most (7.8" in out and "128 MiB in all)" in out
    assert "of a rank's memory are read and written, in " in out and "time: about " in out and "\n4     " in out
    assert shared.run(counters).text == before, "nothing was computed"
    told = "k, held, 'b' in globals(), float(a.sum()), rng.random() == np.random.default_rng(3).random(), next(it)"
    assert shared.run(told).text == "(1, [1], False, 2000000.0, True, 0)"


def test_the_plan_is_the_need_of_the_cell_itself(shared):
    out = dry(shared, "b = a * 2.0\nc = np.sort(b, axis=0)")
    peak = float(out.split("memory of a rank: ")[1].split(" MiB")[0])
    shared.run("np.sync(); b = a * 2.0\nc = np.sort(b, axis=0); np.sync()")
    held = float(shared.run("np.status()['heap_bytes'] / np.status()['ranks'] / 2**20").text)
    shared.run("del b, c; np.sync()")
    assert abs(peak - held) < 0.1 * held, (peak, held)


@pytest.mark.parametrize(
    "code, line, why",
    [
        ("x = a.sum()\nif x > 3:\n    b = a", 3, "a value of an array is needed"),
        ("b = a + 1\nprint(b)", 3, "a value of an array is needed"),
        ("b = a + 1\nfloat(b[1, 2])", 3, "a value of an array is needed"),
        ("b = a + 1\n%engines stop", 3, "%engines is not run"),
        ("b = a + 1\nopen('/tmp/never', 'w')", 3, "it writes to /tmp/never"),
        ("b = a + 1\nimport subprocess; subprocess.run(['true'])", 3, "it starts a program"),
        ("for i in range(30_000): a = a + 1", 2, "there are more than 20,000 operations"),
    ],
)
def test_where_it_stops(shared, code, line, why):
    assert f"\nstopped at line {line}: {why}; what comes behind it is not in these figures" in dry(shared, code)


def test_what_does_not_fit_is_named_with_what_would(shared):
    out = dry(shared, "b = np.ones((9000, 1000))\nc = b + 1\nbig = np.sort(b + c, axis=0)\nbig += c\ne = b - big")
    assert "MemoryError at line 4 (big): 34.3 MiB on each of 2 ranks, of which " in out
    rows = int(out.split("Of its shape (9000, 1000), at most ")[1].split(" ")[0].replace(",", ""))
    assert 2000 < rows < 9000
    out = dry(shared, "huge = np.ones((90_000, 1000))")
    assert "line 2 would raise MemoryError: Unable to allocate 687 MiB for an array with shape (90000, 1000)" in out
    rows = int(out.split("At most ")[1].split(" ")[0].replace(",", ""))
    assert shared.run(f"huge = np.ones(({rows - 600}, 1000)); np.sync(); del huge").status == "ok"
    assert shared.run(f"huge = np.ones(({rows + 600}, 1000)); np.sync()").ename == "MemoryError"
    shared.run("huge = None")


def test_what_does_not_fit_is_named_where_copies_were_put_off(shared):
    """They stand in front of the batch that reads them, and are not counted."""
    setup = "kept = []\nfor y in [np.zeros((500, 400)) for _ in range(3)]:\n    x = y * 2 + 3\n    y[...] = x\n    kept.append(x)\nnp.sync()"
    assert shared.run(setup).status == "ok"
    out = dry(
        shared, "b = kept[0] + 1\nc = kept[1] + b\nd = kept[2] + c\nbig = np.ones((9, 3500, 1000))\ne = np.ones((123, 457))"
    )
    assert "MemoryError at line 5 (big)" in out and "Of its shape (9, 3500, 1000), " in out, out
    shared.run("del kept, x, y")


def test_errors_of_the_cell(shared):
    assert dry(shared, "b = a + 1\n1 / 0").splitlines()[-1] == "line 3 would raise ZeroDivisionError: division by zero"
    assert "no operation on the engines" in dry(shared, "k = 5") and shared.run("k").text == "1"
    assert shared.run("%%dry\nb = (").ename == "SyntaxError"
    assert shared.run("%%dry now\nb = a").ename == "UsageError"
    assert "%%dry" in shared.ask("complete", code="%%dr")["matches"]


@pytest.mark.parametrize("code, told", [("%dry a + 1", "write %%dry"), ("%%session\na", "write %session")])
def test_the_other_kind_of_magic_is_named(shared, code, told):
    for _ in range(2):
        cell = shared.run(code)
        assert told in cell.err + str(cell.reply.get("evalue")) and "RecursionError" not in cell.err
