# SPDX-License-Identifier: BSD-3-Clause
"""Archives, raw files, bytes and text: what we write NumPy reads, and the other way round."""

import io
import os
import pickle
import zipfile

import numpy
import pytest

import gamelan
from gamelan._files import _crc
from operands import DTYPES, cube, left
from oracle import assert_same, check, check_all

hypothesis = pytest.importorskip("hypothesis")


def test_archives(engine, tmp_path):
    arrays = {
        "a": left("f8"),
        "b": left("i2").T,
        "c": cube("c8"),
        "nothing": numpy.zeros((0, 3)),
        "number": numpy.array(5),
        "long": numpy.arange(70_003),
    }
    for read, write in ((numpy, gamelan), (gamelan, numpy), (gamelan, gamelan)):
        for compressed in ("savez", "savez_compressed"):
            path = tmp_path / f"{compressed}.npz"
            getattr(write, compressed)(path, write.arange(5)[::-1], **{key: write.array(value) for key, value in arrays.items()})
            assert zipfile.ZipFile(path).testzip() is None  # checksums and all
            with read.load(path) as archive:
                assert (
                    sorted(archive.files) == sorted([*arrays, "arr_0"])
                    and len(archive) == 7
                    and "a" in archive
                    and "z" not in archive
                )
                for key, value in arrays.items():
                    assert_same(archive[key], value, key, exact=True)
                assert_same(archive["b.npy"], arrays["b"], "with its ending")
                assert_same(archive.f.a, arrays["a"], "as an attribute")
                with pytest.raises(KeyError):
                    archive["z"]
    assert sorted(os.listdir(tmp_path)) == ["savez.npz", "savez_compressed.npz"]


def test_archives_in_memory_and_in_open_files(engine, tmp_path):
    def program(np):
        file = io.BytesIO()
        np.savez(file, x=np.arange(100), y=np.ones((3, 4)))
        file.seek(0)
        with open(tmp_path / np.__name__, "w+b") as opened:
            np.savez(opened, x=np.arange(100).reshape(4, 25))
            opened.seek(0)
            return np.load(file)["x"], np.load(opened)["x"]

    check(program, "archives", exact=True)
    with gamelan.options(gather_limit=10):
        gamelan.savez(tmp_path / "a.npz", gamelan.arange(70_000))  # no array comes here
        assert int(gamelan.load(tmp_path / "a.npz")["arr_0"].sum()) == sum(range(70_000))
        with pytest.raises(ValueError, match="gather_limit"):
            gamelan.savez_compressed(tmp_path / "b.npz", gamelan.arange(70_000))
        numpy.savez_compressed(tmp_path / "c.npz", numpy.arange(70_000))
        with pytest.raises(NotImplementedError, match="compressed"):
            gamelan.load(tmp_path / "c.npz")["arr_0"]
    assert "b.npz" not in os.listdir(tmp_path)


@hypothesis.given(hypothesis.strategies.lists(hypothesis.strategies.binary(max_size=200), min_size=1, max_size=5))
@hypothesis.settings(print_blob=True, deadline=None)
def test_checksums_of_pieces(pieces):
    sums = [(zipfile.crc32(piece), len(piece)) for piece in pieces]
    assert _crc.combined(sums[0][0], sums[1:]) == zipfile.crc32(b"".join(pieces))


@pytest.mark.parametrize("dtype", DTYPES)
def test_raw_files(engine, dtype, tmp_path):
    data = left(dtype)
    item = data.dtype.itemsize
    for what, layout in {
        "C": lambda a: a,
        "transposed": lambda a: a.T,
        "strided": lambda a: a[::2, ::-3],
        "nothing": lambda a: a[:0],
    }.items():
        layout(data).tofile(tmp_path / "theirs")
        layout(gamelan.array(data)).tofile(tmp_path / "ours")
        assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes(), f"{dtype} {what}"
        assert layout(gamelan.array(data)).tobytes() == layout(data).tobytes()
    data.tofile(tmp_path / "raw")
    check_all([
        (f"{dtype} {arguments}", lambda np: np.fromfile(tmp_path / "raw", dtype, **arguments))
        for arguments in ({}, {"count": 50}, {"count": 0}, {"count": 1000}, {"offset": 3 * item}, {"offset": item, "count": 7}, {"offset": 10**6}, {"offset": -1})
    ])  # fmt: skip


def test_raw_files_of_other_kinds(engine, tmp_path):
    numpy.arange(1000, dtype=">i4").tofile(tmp_path / "swapped")
    assert_same(gamelan.fromfile(tmp_path / "swapped", ">i4"), numpy.arange(1000, dtype="i4"), "swapped")
    (tmp_path / "odd").write_bytes(bytes(range(50)))
    check(lambda np: np.fromfile(tmp_path / "odd", "f4", offset=5).view("u4"), "a rest that is no element")

    def program(np):
        with open(tmp_path / np.__name__, "w+b") as file:
            file.write(b"abc")
            np.arange(600).reshape(20, 30).T.tofile(file)
            np.arange(2.0).tofile(file)
            file.seek(3)
            values = np.fromfile(file, int, 500), np.fromfile(file, int, 2, offset=16), file.tell()
            return *values, file.read()

    check(program, "open files", exact=True)
    check_all([
        ("text", lambda np: (np.arange(5).tofile(tmp_path / "text", ";"), np.fromfile(tmp_path / "text", int, sep=";"))),
        ("numbers", lambda np: np.fromstring("1, 2, 3", int, sep=",")), ("no numbers", lambda np: np.fromstring("1 2", int, sep="")),
        ("buffer", lambda np: np.frombuffer(bytes(range(24)), "<u2", 5, 4)), ("short buffer", lambda np: np.frombuffer(b"abc", "i4")),
    ])  # fmt: skip


def test_pickles(engine, tmp_path):
    data = cube("f4")
    x = gamelan.array(data)
    x.dump(tmp_path / "dump")
    assert_same(pickle.loads(x.dumps()), data, "dumps")
    assert_same(gamelan.load(tmp_path / "dump", allow_pickle=True), data, "dump")
    with pytest.raises(ValueError, match="allow_pickle"):
        gamelan.load(tmp_path / "dump")
    with gamelan.options(gather_limit=10):
        for action in (lambda: x.tobytes(), lambda: x.dump(tmp_path / "more"), lambda: gamelan.savetxt(tmp_path / "more", x[0])):
            with pytest.raises(ValueError, match="gather_limit"):
                action()
    assert os.listdir(tmp_path) == ["dump"]


def test_text(engine, tmp_path):
    def program(np):
        path = tmp_path / np.__name__
        np.savetxt(path, np.arange(12.0).reshape(3, 4) / 7, delimiter=",", header="a,b,c,d")
        return (np.loadtxt(path, delimiter=","), np.loadtxt(path, delimiter=",", unpack=True, usecols=(1, 3)),
                np.genfromtxt(path, delimiter=",", skip_header=1, dtype="f4"), path.read_text())  # fmt: skip

    check(program, "text", exact=True)
    check(lambda np: np.loadtxt(io.StringIO("1 2\n3")), "ragged")
    assert gamelan.loadtxt(io.StringIO("1 2\n3 4"))._b is not None
