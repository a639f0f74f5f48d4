# SPDX-License-Identifier: BSD-3-Clause
"""save and load of .npy: the bytes are NumPy's, for every dtype and every way an array can lie; NumPy's files in either order
of axes and of bytes are read; a mapped file gives up its parts."""

import io
import itertools
import os

import numpy
import pytest

import gamelan
from gamelan import _core
from operands import DTYPES, LAYOUTS, cube, left
from oracle import assert_same, check, check_all

SHAPES = [(0,), (1,), (7,), (1, 1, 5), (2, 0, 3), (3, 1001), (1001, 3), (2, 70_001), (4, 5, 6, 7)]


def numbers(shape, dtype="f8", seed=0):
    """Of which no two neighbours are alike."""
    return numpy.random.RandomState(seed).randint(0, 256, (*shape, numpy.dtype(dtype).itemsize)).astype("u1").view(dtype)[..., 0]


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_bytes_are_numpys(engine, dtype, tmp_path):
    data = left(dtype)
    for what, layout in LAYOUTS.items():
        numpy.save(tmp_path / "theirs.npy", layout(data))
        gamelan.save(tmp_path / "ours", layout(gamelan.array(data)))  # .npy is added
        assert (tmp_path / "ours.npy").read_bytes() == (tmp_path / "theirs.npy").read_bytes(), f"{dtype} {what}"
        assert_same(gamelan.load(str(tmp_path / "theirs.npy")), layout(data), f"{dtype} {what}", exact=True)
    assert sorted(os.listdir(tmp_path)) == ["ours.npy", "theirs.npy"]


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_that_ranks_share(engine, shape, tmp_path):
    data = (numpy.arange(int(numpy.prod(shape))) * 2654435761 % 1000003).reshape(shape)
    for what, dtype in itertools.product(("C", "F"), ("i8", "f4", "c8", "u1")):
        values = numpy.array(data.astype(dtype), order=what)
        numpy.save(tmp_path / "a.npy", values)
        read = gamelan.load(tmp_path / "a.npy")
        assert_same(read, values, f"{what} {dtype}", exact=True)
        assert read._b is not None
        gamelan.save(tmp_path / "b.npy", read)
        assert (tmp_path / "b.npy").read_bytes() == (tmp_path / "a.npy").read_bytes(), f"{what} {dtype}"


def test_broadcast_and_unusual_views(engine, tmp_path):
    base = cube("i4", (12, 10))
    views = {
        "broadcast": lambda np, a: np.broadcast_to(a[3], (5, 10)), "broadcast column": lambda np, a: np.broadcast_to(a[:, 2:3], (12, 9)),
        "diagonal": lambda np, a: a.diagonal(), "reshaped": lambda np, a: a.reshape(3, 40)[::2], "ravelled": lambda np, a: a.T.ravel(),
        "imaginary": lambda np, a: (a + 2j * a).imag, "computed": lambda np, a: a * 3 + 1, "scalar": lambda np, a: a.sum(),
    }  # fmt: skip
    for what, view in views.items():
        for module in (numpy, gamelan):
            module.save(tmp_path / f"{module.__name__}.npy", view(module, module.array(base)))
        assert_same(numpy.load(tmp_path / "gamelan.npy"), numpy.load(tmp_path / "numpy.npy"), what, exact=True)


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if numpy.dtype(dtype).itemsize > 1])
def test_the_other_order_of_bytes(engine, dtype, tmp_path):
    data = left(dtype)
    numpy.save(tmp_path / "a.npy", data.astype(numpy.dtype(dtype).newbyteorder(">")))
    assert_same(gamelan.load(tmp_path / "a.npy"), data, dtype, exact=True)
    mapped = gamelan.load(tmp_path / "a.npy", mmap_mode="r")
    assert_same(mapped[2:9:2, ::-3], data[2:9:2, ::-3], dtype, exact=True)


def test_a_bool_is_one_or_nothing(engine, tmp_path):
    numpy.save(tmp_path / "a.npy", numpy.array([0, 1, 2, 255], "u1").view("?"))
    read = gamelan.load(tmp_path / "a.npy")
    assert numpy.asarray(read).view("u1").tolist() == [0, 1, 1, 1] and int(read.sum()) == 3


SUBSCRIPTS = [
    numpy.s_[:], numpy.s_[3:50], numpy.s_[3], numpy.s_[-1, 2], numpy.s_[::-1], numpy.s_[::7, ::-1], numpy.s_[:, 5], numpy.s_[:, 5:6], numpy.s_[4:2],
    numpy.s_[None, 2:9, ..., 1], numpy.s_[..., ::20], numpy.s_[5, ::3], numpy.s_[[1, 5, 3]],
]  # fmt: skip


@pytest.mark.parametrize("order", "CF")
def test_parts_of_a_mapped_file(engine, order, tmp_path):
    data = numpy.array(numpy.arange(60 * 40 * 3.0).reshape(60, 40, 3), order=order)
    numpy.save(tmp_path / "a.npy", data)
    mapped = gamelan.load(tmp_path / "a.npy", mmap_mode="r")
    assert (mapped.shape, mapped.dtype, mapped.size, len(mapped)) == (data.shape, data.dtype, data.size, len(data))
    for key in SUBSCRIPTS:
        assert_same(mapped[key], data[key], f"{order} {key}", exact=True)
    assert_same(mapped + 1, data + 1, "arithmetic")
    assert_same(2 * mapped.sum(axis=0), 2 * data.sum(axis=0), "method")
    assert_same(gamelan.sin(mapped) + gamelan.array(data), numpy.sin(data) + data, "function")
    assert_same(gamelan.array(data) - mapped, data - data, "to the right")
    assert_same(gamelan.concatenate([mapped, mapped[:2]]), numpy.concatenate([data, data[:2]]), "joined")
    assert gamelan.asarray(mapped)._b is not None
    with pytest.raises(IndexError):
        mapped[60]


def test_wide_rows_of_which_little_is_read(engine, tmp_path):
    """Sparse columns are asked for one by one, dense ones together with what lies between them."""
    data = numpy.arange(300 * 5000, dtype="i4").reshape(300, 5000)
    numpy.save(tmp_path / "a.npy", data)
    mapped = gamelan.load(tmp_path / "a.npy", mmap_mode="r")
    for key in (numpy.s_[:, 17], numpy.s_[::3, ::2500], numpy.s_[:, 4000:], numpy.s_[1:, 1::3], numpy.s_[::-1, 4999:0:-900]):
        assert_same(mapped[key], data[key], str(key), exact=True)


def test_what_is_read_does_not_change_with_the_file(engine, tmp_path):
    path = tmp_path / "a.npy"
    gamelan.save(path, gamelan.arange(1000))
    before = gamelan.load(path)
    gamelan.save(path, gamelan.zeros(1000))
    assert_same(before, numpy.arange(1000), "before")
    x = gamelan.load(path)
    gamelan.save(path, x + 1)  # what it was read from
    assert_same(gamelan.load(path), numpy.ones(1000), "after")


def test_what_is_recorded_is_saved(engine, tmp_path):
    a = gamelan.arange(3000.0)
    b = a * 2
    a[::2] = -1
    gamelan.save(tmp_path / "a.npy", a)
    gamelan.save(tmp_path / "b.npy", b)
    a[:] = 0
    expected = numpy.arange(3000.0)
    assert_same(numpy.load(tmp_path / "b.npy"), expected * 2, "b")
    expected[::2] = -1
    assert_same(numpy.load(tmp_path / "a.npy"), expected, "a")


def test_open_files(engine, tmp_path):
    def program(np):
        with open(tmp_path / np.__name__, "w+b") as file:
            file.write(b"before")
            np.save(file, np.arange(2000).reshape(40, 50).T)
            np.save(file, np.ones(7, "f4"))
            file.write(b"behind")
            file.seek(6)
            first, second = np.load(file), np.load(file)
            return first, second, file.read(), file.tell()

    check(program, "open file", exact=True)
    assert (tmp_path / "gamelan").read_bytes() == (tmp_path / "numpy").read_bytes()


def test_files_that_are_none(engine, tmp_path):
    def program(np):
        file = io.BytesIO()
        np.save(file, np.arange(100).reshape(4, 25))
        return np.load(io.BytesIO(file.getvalue())), file.getvalue()

    check(program, "bytes in memory", exact=True)

    with gamelan.options(gather_limit=10), pytest.raises(ValueError, match="gather_limit"):
        gamelan.save(io.BytesIO(), gamelan.arange(100))


def test_pickles_strings_and_numpys_call(engine, tmp_path):
    check_all([
        ("object", lambda np: np.load(_saved(np, tmp_path, numpy.array([1, "a", None], object)), allow_pickle=True).tolist()),
        ("object refused", lambda np: np.load(_saved(np, tmp_path, numpy.array([1, "a"], object)))),
        ("object not written", lambda np: np.save(tmp_path / "o.npy", numpy.array([1, "a"], object), allow_pickle=False)),
        ("text", lambda np: np.load(_saved(np, tmp_path, numpy.array(["a", "bc"]))).tolist()),
        ("list", lambda np: np.load(_saved(np, tmp_path, [[1, 2], [3, 4]]))),
        ("number", lambda np: np.load(_saved(np, tmp_path, 3.5))),
    ])  # fmt: skip
    numpy.save(tmp_path / "dispatched.npy", gamelan.arange(500))
    assert_same(numpy.load(tmp_path / "dispatched.npy"), numpy.arange(500), "numpy.save")


def _saved(np, folder, value):
    path = folder / f"{np.__name__}_value.npy"
    np.save(path, value)
    return path


def test_small_and_large(mixed, tmp_path):
    for size in (3, 9, 10, 500):
        gamelan.save(tmp_path / "a.npy", gamelan.arange(size))
        read = gamelan.load(tmp_path / "a.npy")
        assert (read._b is not None) == (size >= _core.threshold())
        assert_same(read, numpy.arange(size), str(size))
        part = gamelan.load(tmp_path / "a.npy", mmap_mode="r")[1:3]
        assert part._b is None and part.tolist() == [1, 2]
