# SPDX-License-Identifier: BSD-3-Clause
"""HDF5 and Zarr: what h5py and zarr write we read, in chunks and packed, whole and in parts; what we write h5py reads."""

import itertools
import os
import shutil

import numpy
import pytest

import gamelan
from operands import left
from oracle import assert_same

h5py = pytest.importorskip("h5py", reason="python3-h5py is not installed")
zarr = pytest.importorskip("zarr", reason="python3-zarr is not installed")
numcodecs = pytest.importorskip("numcodecs", reason="python3-numcodecs is not installed")
IS_ZARR_2 = zarr.__version__.startswith("2.")

DTYPES = ["f8", "c16", "?", ">i4", "f2", "<u2", "c8"]
KEYS = [
    ...,
    3,
    (slice(None), -1),
    slice(11, 2),
    (slice(1, 13, 3), slice(None, None, -2)),
    (..., slice(5, 6)),
    (2, 3),
    slice(0, 0),
    (slice(-2, None, -5), 4),
]
SIZE = (37, 29)  # no multiple of a chunk


def in_order(data, dtype):
    return data.astype(data.dtype.newbyteorder(dtype[0]) if dtype[0] in "<>" else data.dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_hdf5(engine, dtype, tmp_path):
    data, path = left(numpy.dtype(dtype).newbyteorder("=")), tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("group/x", data=in_order(data, dtype))
        file.create_dataset("chunked", data=in_order(data, dtype), chunks=(5, 4))
        file.create_dataset("packed", data=in_order(data, dtype), chunks=(3, 14), compression="gzip", shuffle=True)
        file.create_dataset("unwritten", (20, 5), data.dtype)
        file.create_dataset("number", data=data[1, 1])
    for name in ("group/x", "chunked", "packed"):
        assert_same(gamelan.load_hdf5(path, name), data, name, exact=True)
        for key in KEYS:
            assert_same(gamelan.load_hdf5(path, name, key), data[key], f"{name} {key}", exact=True)
    assert_same(gamelan.load_hdf5(path, "unwritten"), numpy.zeros((20, 5), data.dtype), "unwritten")
    assert_same(gamelan.load_hdf5(path, "number"), data[1, 1], "a number")
    for name in ("new/y", "z"):
        gamelan.save_hdf5(path, name, gamelan.array(data).T)
    gamelan.save_hdf5(tmp_path / "b.h5", "deep/er", gamelan.array(data))
    with h5py.File(path) as file, h5py.File(tmp_path / "b.h5") as other:
        assert_same(file["new/y"][()], data.T, "ours", exact=True)
        assert_same(other["deep/er"][()], data, "a new file", exact=True)
    with pytest.raises(ValueError):
        gamelan.save_hdf5(path, "z", gamelan.array(data))
    with pytest.raises(KeyError):
        gamelan.load_hdf5(path, "none")
    assert sorted(os.listdir(tmp_path)) == ["a.h5", "b.h5"]


def make_zarr(path, shape, dtype, chunks=True, codec=None, order="C", separator=".", fill_value=0):
    """An empty array of format version 2, by zarr 2 or 3."""
    if IS_ZARR_2:
        return zarr.open_array(
            str(path),
            "w",
            shape,
            chunks,
            dtype=dtype,
            compressor=codec,
            order=order,
            dimension_separator=separator,
            fill_value=fill_value,
        )
    places = {"name": "v2", "separator": separator}
    return zarr.create_array(
        str(path), shape=shape, dtype=dtype, chunks="auto" if chunks is True else chunks, compressors=codec, order=order, chunk_key_encoding=places,
        fill_value=fill_value, zarr_format=2, overwrite=True)  # fmt: skip


def save_zarr(path, data, chunks=True, codec=numcodecs.Blosc()):
    make_zarr(path, data.shape, data.dtype, chunks, codec)[...] = data


CODECS = [
    None,
    numcodecs.Blosc("lz4", shuffle=numcodecs.Blosc.BITSHUFFLE),
    numcodecs.Zlib(),
    numcodecs.GZip(),
    numcodecs.Blosc("zstd"),
    numcodecs.Zstd(),
]


@pytest.mark.parametrize(("dtype", "codec"), zip(DTYPES, itertools.cycle(CODECS)), ids=str)
def test_zarr(engine, dtype, codec, tmp_path):
    data = left(numpy.dtype(dtype).newbyteorder("="))
    for order, separator in (("C", "."), ("F", "/")):
        path = tmp_path / f"{order}.zarr"
        made = make_zarr(path, data.shape, in_order(data, dtype).dtype, (5, 4), codec, order, separator, data[1, 1].item())
        made[:11, 2:] = data[:11, 2:]
        for key in KEYS:
            assert_same(gamelan.load_zarr(path, key), made[...].astype(data.dtype)[key], f"{order} {key}", exact=True)


def test_many_chunks(engine, tmp_path):
    """More than one chunk to each rank along either axis, of three axes, at borders of blocks that are none of chunks."""
    data = numpy.arange(3.0 * SIZE[0] * SIZE[1]).reshape(SIZE[0], 3, SIZE[1])
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("x", data=data, chunks=(4, 2, 8), compression="gzip")
    save_zarr(tmp_path / "a.zarr", data, chunks=(4, 2, 8))
    for key in ((), (slice(1, None, 2), 1), (slice(30, None, -7), ..., slice(2, -2, 9)), (5, 2, 7)):
        assert_same(gamelan.load_hdf5(tmp_path / "a.h5", "x", key), data[key], key, exact=True)
        assert_same(gamelan.load_zarr(tmp_path / "a.zarr", key), data[key], key, exact=True)


def test_a_small_part_of_a_large_array(mixed, tmp_path):
    data = numpy.arange(60.0).reshape(10, 6)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("x", data=data, chunks=(4, 4))
    save_zarr(tmp_path / "a.zarr", data, chunks=(4, 4))
    for key in (..., 3, (slice(None, None, -4), 2), (7, 5), slice(0, 0), (slice(8, None, -3), slice(None, None, -5))):
        for part in (gamelan.load_hdf5(tmp_path / "a.h5", "x", key), gamelan.load_zarr(tmp_path / "a.zarr", key)):
            assert_same(part, data[key], key, exact=True)
            assert (part._b is not None) == (data[key].size >= 10)


def test_elements_stay_away_from_the_notebook(engine, ranks, tmp_path):
    if not ranks:
        pytest.skip("the model counts no bytes")
    data = numpy.zeros((300, 1000))
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("x", data=data, chunks=(7, 1000), compression="gzip")
    save_zarr(tmp_path / "a.zarr", data, chunks=(7, 1000))
    before = gamelan.stats()["fetch_bytes"]
    total = gamelan.load_hdf5(tmp_path / "a.h5", "x") + gamelan.load_zarr(tmp_path / "a.zarr")
    assert float(total.sum()) == 0
    assert gamelan.stats()["fetch_bytes"] - before < 1000


def test_wrong_parts(engine, tmp_path):
    save_zarr(tmp_path / "a.zarr", numpy.ones((5, 6)))
    for key in (7, (0, -7), (0, 0, 0), (..., ...)):
        with pytest.raises(IndexError):
            gamelan.load_zarr(tmp_path / "a.zarr", key)
    with pytest.raises(NotImplementedError, match="integers and slices"):
        gamelan.load_zarr(tmp_path / "a.zarr", [1, 2])


def test_zstandard_of_a_chunk_as_long_as_its_frame(engine, tmp_path):
    """To Blosc, which unpacks it, a block as long as its chunk is not packed."""
    codec, words = numcodecs.Zstd(1), numpy.random.default_rng(0).bytes(400)
    chunks = [bytes(zeros) + words[zeros:] for zeros in range(100)]
    data = numpy.frombuffer(next(chunk for chunk in chunks if len(codec.encode(chunk)) == len(chunk)), "u1").reshape(20, 20)
    save_zarr(tmp_path / "a.zarr", data, chunks=(20, 20), codec=codec)
    assert_same(gamelan.load_zarr(tmp_path / "a.zarr"), data, "all of it", exact=True)


def test_broken_and_unknown(engine, ranks, tmp_path):
    """What is broken is an error at the call, and the engines live on."""
    path = str(tmp_path / "a.zarr")
    save_zarr(path, numpy.ones((20, 6)), chunks=(4, 6))
    for codec in (numcodecs.Zstd(), numcodecs.Blosc()) if ranks else ():
        save_zarr(path, numpy.ones((20, 6)), chunks=(4, 6), codec=codec)
        for bytes_left in (30, 10, 0):
            os.truncate(os.path.join(path, "3.0"), min(bytes_left, os.path.getsize(os.path.join(path, "3.0")) - 1))
            with pytest.raises(ValueError, match="chunk is broken"):
                gamelan.load_zarr(path)
        with h5py.File(tmp_path / "a.h5", "w") as file:
            file.create_dataset("x", data=numpy.ones((40, 60)), chunks=(5, 60), compression="gzip")
            chunk = file["x"].id.get_chunk_info(3)
        with open(tmp_path / "a.h5", "r+b") as file:
            file.seek(chunk.byte_offset)
            file.write(b"x" * chunk.size)
        with pytest.raises(ValueError, match="read_hdf5"):
            gamelan.load_hdf5(tmp_path / "a.h5", "x")
    assert_same(gamelan.load_zarr(path, slice(0, 4)), numpy.ones((4, 6)), "the chunk before")
    save_zarr(path, numpy.ones((20, 6)), codec=numcodecs.LZ4())
    with pytest.raises(NotImplementedError, match="lz4"):
        gamelan.load_zarr(path)
    with h5py.File(tmp_path / "b.h5", "w") as file:
        file.create_dataset("x", data=numpy.ones((40, 60)), chunks=(5, 60), compression="lzf")
    with pytest.raises(NotImplementedError, match="lzf"):
        gamelan.load_hdf5(tmp_path / "b.h5", "x")
    shutil.rmtree(path)
    if not IS_ZARR_2:
        zarr.open_array(path, mode="w", shape=(3, 4), dtype="f8", zarr_format=3)
        with pytest.raises(NotImplementedError, match="format version 3"):
            gamelan.load_zarr(path)
        shutil.rmtree(path)
    with pytest.raises(FileNotFoundError, match="a.zarr"):
        gamelan.load_zarr(path)
