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
    told = "k, held, 'b' in globals(), float(a.sum()), bool(rng.random() == np.random.default_rng(3).random()), next(it)"
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


OPEN = """
import logging, mmap, multiprocessing, os, pathlib, socket, sqlite3, numpy
here = pathlib.Path({!r}); (here / 'data').write_text('one\\ntwo\\nthree\\n' * 9000)
written = open(here / 'written', 'w'); both = open(here / 'data', 'r+'); read = open(here / 'data'); read.readline()
log = logging.getLogger('dry'); log.addHandler(logging.FileHandler(here / 'log')); log.error('before')
db = sqlite3.connect(here / 'db'); db.execute('create table t(x)'); db.commit()
mapped = numpy.memmap(here / 'mapped', dtype='u1', mode='w+', shape=10); shared = mmap.mmap(-1, 100)
lock = multiprocessing.Lock(); left, right = socket.socketpair(); right.setblocking(False); ends = os.pipe(); os.write(ends[1], b'x')
def state():
    return (
        sorted(file.name for file in here.iterdir()), [(here / name).read_bytes()[:40] for name in ('data', 'log', 'written')],
        (here / 'data').stat().st_size, (here / 'data').stat().st_mode, (here / 'data').stat().st_mtime,
        db.execute('select * from t').fetchall(), int(mapped[0]), shared[0], lock.acquire(False) and lock.release(),
    )
before = state()
"""


@pytest.fixture(scope="module")
def opened(shared, tmp_path_factory):
    cell = shared.run(OPEN.format(str(tmp_path_factory.mktemp("open"))))
    assert cell.status == "ok", cell.reply
    return shared


@pytest.mark.parametrize(
    "code",
    [
        "written.write('x' * 100_000); written.flush()",
        "log.error('from the dry run')",
        "mapped[0] = 9; mapped.flush()",
        "shared[0] = 9",
        "lock.acquire()",
        "assert both.readline() == 'one\\n' and read.readline() == 'two\\n' and len(read.read()) > 9000",
        "os.write(1, b'shown')",
    ],
)
def test_what_was_open_is_not_changed(opened, code):
    told = dry(opened, f"b = a + 1\n{code}\nc = b + 1; d = np.sort(c)")
    assert "3 operations" in told and "stopped" not in told and "would raise" not in told, told
    assert opened.run("state() == before").text == "True", opened.run("before, state()").text
    assert opened.run("at = read.tell(); read.readline(), read.seek(at)").text == f"('two\\n', {len('one') + 1})"


@pytest.mark.parametrize(
    "code",
    [
        "both.write('x'); both.flush()",
        "db.execute('insert into t values (7)'); db.commit()",
        "sqlite3.connect(here / 'new')",
        "os.symlink('/x', here / 'link')",
        "os.link(here / 'data', here / 'link')",
        "os.mkfifo(here / 'link')",
        "os.chmod(here / 'data', 0o600)",
        "os.utime(here / 'data', (1, 1))",
        "os.killpg(0, 0)",
        "left.send(b'x')",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))",
        "multiprocessing.get_context('spawn').Process(target=print).start()",
        "input()",
    ],
)
def test_what_would_be_changed_elsewhere_ends_it(opened, code):
    told = dry(opened, f"b = a + 1\n{code}\nc = b + 1")
    assert "1 operation" in told and "stopped at line 3: " in told, told
    assert opened.run("state() == before").text == "True", opened.run("before, state()").text
    assert opened.run("right.recv(1)").ename == "BlockingIOError"


def test_a_pipe_keeps_what_is_in_it(opened):
    dry(opened, "os.read(ends[0], 1)")
    assert opened.run("os.set_blocking(ends[0], False); os.read(ends[0], 1)").text == "b'x'"


def test_a_library_that_opens_files_by_itself_changes_none(opened):
    """Where the system has Landlock."""
    call = "import ctypes; ctypes.CDLL(None).open(str(here / {!r}).encode(), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)"
    names = (
        ("data", "new")
        if opened.run("ctypes = __import__('ctypes'); ctypes.CDLL(None).syscall(444, None, 0, 1)").text != "-1"
        else ()
    )
    for name in names:
        dry(opened, f"b = a + 1\n{call.format(name)}")
    assert opened.run("state() == before").text == "True"


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


def test_elements_of_this_process_are_not_sent(shared):
    told = shared.run(
        "import numpy; from gamelan._dry import _recording\n"
        "recorded = _recording.record(get_ipython(), 'b = np.array(numpy.ones((1000, 1000))) + 1\\nc = b * a[:1000]')\n"
        "len(recorded.commands), len(recorded.batch) < 10_000"
    )
    assert told.text == "(3, True)", told.reply
    out = dry(shared, "b = np.array(numpy.ones((1000, 1000)))\nc = np.sort(b)")
    assert (
        "2 operations" in out
        and " at most (7.8" in out
        and float(out.split("memory of a rank: ")[1].split(" MiB")[0]) > 7.6 + 7.6
    )


def test_errors_of_the_cell(shared):
    assert dry(shared, "b = a + 1\n1 / 0").splitlines()[-1] == "line 3 would raise ZeroDivisionError: division by zero"
    assert "no operation on the engines" in dry(shared, "k = 5") and shared.run("k").text == "1"
    assert shared.run("%%dry\nb = (").ename == shared.run("b = (").ename, "SyntaxError, or what Python 3.13 makes of it"
    assert shared.run("%%dry now\nb = a").ename == "UsageError"
    assert "%%dry" in shared.ask("complete", code="%%dr")["matches"]


@pytest.mark.parametrize("code, told", [("%dry a + 1", "write %%dry"), ("%%session\na", "write %session")])
def test_the_other_kind_of_magic_is_named(shared, code, told):
    for _ in range(2):
        cell = shared.run(code)
        assert told in cell.err + str(cell.reply.get("evalue")) and "RecursionError" not in cell.err
