# SPDX-License-Identifier: BSD-3-Clause
"""Masks, sorting and searching on arrays that are here: loops of our own give NumPy's values, dtypes, bits, warnings and errors."""

import mmap
import threading
import time
import warnings

import gamelan
import numpy
import pytest
from gamelan import _core

ELEMENTS = 40_000  # ours begin at 1,024 for masks, at 32,768 for the others
DTYPES = ["?", "i1", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16", ">f8", "M8[s]", "m8[ns]", "S4", "S3", "U2", "O"]
NUMBERS = ["i4", "u4", "i8", "u8", "f4", "f8", "i2", ">i8", "f2"]


@pytest.fixture(autouse=True)
def here():
    with gamelan.options(distribute_from=1 << 30, dear_calls="never"):
        yield


def data(dtype, elements=ELEMENTS, seed=0):
    random = numpy.random.default_rng(seed)
    numbers = random.integers(-100, 100, elements) if dtype != "?" else random.integers(0, 2, elements)
    if dtype[0] in "fc" or dtype == ">f8":
        numbers = random.normal(size=elements) * 50
        numbers[::97] = numpy.nan
        numbers[5::101] = numpy.inf
    if dtype[0] == "u":
        numbers = abs(numbers)
    return numbers.astype(dtype)


def outcome(np, program, *arrays):
    """The result as bytes, or the error; and the warnings."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            result = program(np, *(np.asarray(each) if isinstance(each, numpy.ndarray) else each for each in arrays))
        except Exception as error:
            return type(error), str(error), [str(each.message) for each in heard]
    if np is gamelan:
        assert type(result) is gamelan.ndarray and result.flags.writeable
    plain = numpy.asarray(result)
    content = repr(plain.tolist()) if plain.dtype.hasobject else plain.tobytes()
    return plain.dtype, plain.shape, content, [str(each.message) for each in heard]


def check(program, *arrays):
    # Each gets its own memory; an array that is given twice is one array.
    expected, got = (
        outcome(np, program, *({id(each): each.copy() if isinstance(each, numpy.ndarray) else each for each in arrays}[id(each)] for each in arrays))
        for np in (numpy, gamelan)
    )  # fmt: skip
    assert got == expected


def pick(np, a, mask):
    return a[mask]


def write(value):
    def program(np, a, mask):
        a = a.copy()
        a[mask] = value
        return a

    return program


@pytest.mark.parametrize("elements", [0, 1, 1023, 1024, ELEMENTS])
@pytest.mark.parametrize("dtype", DTYPES)
def test_picked(dtype, elements):
    a = data(dtype, elements)
    for share in (0, 0.001, 0.5, 0.999, 1):
        mask = numpy.random.default_rng(1).random(elements) < share
        check(pick, a, mask)
        check(lambda np, a, mask: a[mask] * 2 if numpy.dtype(dtype).kind in "iufc" and dtype != ">f8" else a[mask], a, mask)
        check(lambda np, a, mask, b: np.where(mask, a, b), a, mask, a[::-1].copy())


@pytest.mark.parametrize("shape", [(200, 200), (40, 1000), (2, 3, 5000)])
def test_picked_of_several_axes(shape):
    a = data("f8", int(numpy.prod(shape))).reshape(shape)
    mask = a > 3
    check(pick, a, mask)
    check(write(0), a, mask)
    check(lambda np, a, mask: np.where(mask, a, 0), a, mask)
    check(lambda np, a, mask: a.T[mask.T], a, mask)
    check(lambda np, a, mask: a[:, ::-1][mask], a, mask)
    check(lambda np, a, mask: a[mask[:, ::-1]], a, mask)
    check(lambda np, a, mask: a[mask[0]], a, mask)
    check(lambda np, a, mask: a[:, mask[0]] if a.ndim == 2 else a[mask[:, :, 0]], a, mask)


VALUES = [0, 1.5, -3, True, 2j, 300, 2**40, -(2**70), numpy.nan, numpy.inf, "7", b"x", None, [1], [1, 2], (), numpy.float64(2.7)]
VALUES += [numpy.uint64(2**64 - 1), numpy.float64(numpy.nan), numpy.float64(1e300), numpy.float32(numpy.inf), numpy.float16(2)]
VALUES += [numpy.timedelta64(5, "s"), numpy.timedelta64("NaT"), numpy.bool_(True), numpy.longdouble(3), numpy.str_("4")]
VALUES += [
    numpy.int8(-1),
    numpy.complex128(1 + 2j),
    numpy.datetime64("2020"),
    numpy.array(4),
    numpy.array([5.5]),
    numpy.ones((1, 1)),
]


@pytest.mark.parametrize("dtype", DTYPES)
def test_written(dtype):
    a = data(dtype)
    mask = numpy.random.default_rng(2).random(ELEMENTS) < 0.3
    for value in VALUES:
        check(write(value), a, mask)
        check(write(value), a, numpy.zeros(ELEMENTS, bool))
    for values in (data(dtype, mask.sum(), 3), data("f8", mask.sum(), 3), data(dtype, mask.sum() + 1), a[: mask.sum()][::-1]):
        if dtype == "O" or values.dtype == a.dtype or dtype in ("f8", "f4", "c16"):
            check(write(values), a, mask)


def test_read_only_and_missing_extents():
    a = data("f8")
    a.flags.writeable = False

    def program(np, a, mask):
        b = a.copy()
        b.flags.writeable = False
        b[mask] = 1
        return b

    check(program, a, a > 0)
    check(pick, a, numpy.ones(ELEMENTS + 1, bool))
    check(write(1), a, numpy.ones(ELEMENTS + 1, bool))


def test_memory_that_overlaps():
    def mask_of_itself(np, a):
        a[a] = False
        return a

    def mask_that_is_the_array(np, a):
        bits = a.view(np.uint8)
        bits[a] = 0
        return bits

    def values_of_itself(np, a):
        mask = np.arange(a.size) % 2 == 0
        a[mask] = a[: a.size // 2]
        return a

    def values_behind(np, a):
        mask = np.arange(a.size - 10) % 2 == 0
        a[:-10][mask] = a[10:][: int(mask.sum())]
        return a

    check(mask_of_itself, data("?"))
    check(mask_that_is_the_array, data("?"))
    check(values_of_itself, data("f8"))
    check(values_behind, data("f8"))


def test_nothing_else_is_written(tmp_path):
    """Pages that the mask does not select stay those of the file."""
    (tmp_path / "file").write_bytes(bytes(8 * ELEMENTS))
    with open(tmp_path / "file", "r+b") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY) as pages:
        array = gamelan.asarray(numpy.frombuffer(pages, "f8"))
        mask = numpy.arange(ELEMENTS) >= ELEMENTS - 3
        array[mask] = 7
        array[mask] += numpy.arange(3)
        file.write(numpy.full(2, 5.0).tobytes())
        file.flush()
        assert array[:3].tolist() == [5, 5, 0] and array[-4:].tolist() == [0, 7, 8, 9]
        del array


def test_of_odd_addresses():
    memory = numpy.arange(8 * ELEMENTS + 9, dtype="u1")
    for dtype in ("S4", "S8", "S16", "V8", "S2"):
        a = memory[1 : 1 + numpy.dtype(dtype).itemsize * (ELEMENTS // 4)].view(dtype)
        check(pick, a, numpy.arange(a.size) % 3 == 0)


def test_true_is_every_byte_but_0():
    a, bits = data("i4"), numpy.arange(ELEMENTS, dtype="u1")
    check(lambda np, a, bits: a[bits.view(bool)], a, bits)
    check(lambda np, a, bits: write(7)(np, a, bits.view(bool)), a, bits)
    check(lambda np, a, bits: np.where(bits.view(bool), a, 0), a, bits)


@pytest.mark.parametrize("dtype", DTYPES)
def test_where_with_numbers(dtype):
    a, mask = data(dtype), numpy.arange(ELEMENTS) % 3 == 0
    for number in (0, 1.5, True, -1, 2**40, 2**70, numpy.float32(3), numpy.nan, 1j):
        check(lambda np, mask, a: np.where(mask, a, number), mask, a)
        check(lambda np, mask, a: np.where(mask, number, a), mask, a)
        check(lambda np, mask: np.where(mask, number, number), mask)
    check(lambda np, mask, a: np.where(mask, a, a[0]), mask, a)
    check(lambda np, mask, a: np.where(mask, a, a[:5]), mask, a)
    check(lambda np, mask, a: np.where(a, mask, a), mask, a)


def test_where_of_other_dtypes():
    mask = numpy.arange(ELEMENTS) % 3 == 0
    numbers = data("i4")
    plain = numpy.dtype("f8", metadata={"unit": "m"})
    padded = numpy.dtype({"names": ["a", "b"], "formats": ["i4", "i2"], "offsets": [0, 4], "itemsize": 8})
    for pair in ((numbers.astype("l"), numbers.astype("q")), (numbers.astype("L"), numbers.astype("Q"))):
        assert gamelan.where(mask, *map(gamelan.asarray, pair)).dtype.char == numpy.where(mask, *pair).dtype.char
    kept = [np.where(mask, np.asarray(numbers.astype(plain)), 0).dtype.metadata for np in (numpy, gamelan)]
    assert kept[0] == kept[1]
    for dtype in (padded, numpy.dtype(">i4,<i4")):
        check(lambda np, mask, a: np.where(mask, a, a), mask, numpy.zeros(ELEMENTS, dtype))


@pytest.fixture(params=[True, False])
def sorts_sooner(request, monkeypatch):
    monkeypatch.setattr("gamelan._small._own_loops.sorts_sooner", lambda dtype: request.param)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_order(dtype, sorts_sooner):
    info = numpy.iinfo(dtype) if numpy.dtype(dtype).kind in "iu" else numpy.finfo(dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        extreme = numpy.resize(numpy.array([info.min, 0, info.max, 1], dtype), ELEMENTS)
    for a in (data(dtype), data(dtype)[::2], extreme, numpy.full(ELEMENTS, 5, dtype), data(dtype).reshape(200, 200)):
        for program in (
            lambda np, a: np.sort(a),
            lambda np, a: np.sort(a, kind="stable"),
            lambda np, a: np.unique(a),
            lambda np, a: np.unique(a[:5]),
            lambda np, a: np.sort(a, axis=0),
        ):
            check(program, a)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_order_of_zeros_and_nans_with_signs(dtype, sorts_sooner):
    signs = numpy.resize(numpy.array([0.0, -0.0, 1, numpy.nan, -numpy.nan, -numpy.inf], dtype), ELEMENTS)
    others = data(dtype)
    bits = others.view("u4" if dtype == "f4" else "u8")
    bits[::50] = numpy.array(numpy.nan, dtype).view(bits.dtype) + numpy.arange(ELEMENTS // 50).astype(bits.dtype)
    for a in (signs, others, numpy.sort(data(dtype)), numpy.sort(data(dtype))[::-1].copy()):
        for program in (lambda np, a: np.sort(a), lambda np, a: np.unique(a)):
            check(program, a)


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("edges", [0, 1, 2, 3, 1000])
def test_places(dtype, edges):
    values, ends = data(dtype), numpy.sort(data(dtype, edges, 9))
    for a in (values, values.reshape(100, -1), values[::-1], values.astype("f8")):
        for side in ("left", "right"):
            check(lambda np, ends, a: np.searchsorted(ends, a, side), ends, a)
            check(lambda np, ends, a: np.searchsorted(ends, a, side=side), ends, a)
            check(lambda np, ends, a: np.searchsorted(ends[::-1].copy(), a, side), ends, a)
        for is_right in (False, True):
            check(lambda np, ends, a: np.digitize(a, ends, is_right), ends, a)
            check(lambda np, ends, a: np.digitize(a, ends[::-1].copy(), is_right), ends, a)
    check(lambda np, ends, a: np.digitize(a, np.concatenate([ends, ends])), ends, values)  # these do not ascend


def longest_pause(call):
    """Of another thread, as a share of the time that the call takes."""
    pauses, is_over = [], threading.Event()

    def watch():
        before = time.perf_counter()
        while not is_over.wait(0.001):
            now = time.perf_counter()
            pauses.append(now - before)
            before = now

    thread = threading.Thread(target=watch)
    thread.start()
    start = time.perf_counter()
    call()
    taken = time.perf_counter() - start
    is_over.set()
    thread.join()
    return max(pauses, default=taken) / taken


def test_other_threads_run_meanwhile(monkeypatch):
    monkeypatch.setattr("gamelan._small._own_loops.sorts_sooner", lambda dtype: True)
    a = gamelan.asarray(numpy.random.default_rng(5).integers(0, 1 << 62, 4_000_000))
    # Where they do not, it is the whole call each time; a busy machine makes it long now and then.
    assert min(longest_pause(lambda: gamelan.unique(a)) for _ in range(5)) < 0.6


def test_ours_take_what_is_usual():
    """All that is above holds of NumPy's own, too. Of `a[mask]` only the time tells who it was: tests/bench, masked_writes."""
    a, mask = data("f8"), numpy.arange(ELEMENTS) % 3 == 0
    assert _core.chosen_here(mask, a, a) is not None and _core.chosen_here(mask, a, 0) is not None
    for dtype in ("i4", "u4", "i8", "u8", "f4", "f8"):
        numbers, edges = data(dtype), numpy.arange(9, dtype=dtype)
        assert _core.sorted_here(numbers, False) is not None and _core.searched_here(edges, numbers, True) is not None
        assert (_core.sorted_here(numbers, True) is None) == (dtype[0] == "f")  # it has NaNs
