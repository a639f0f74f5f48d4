# SPDX-License-Identifier: BSD-3-Clause
# What other libraries call: NumPy's functions and ufuncs on our arrays, the memory protocols and their bound, copies.
import copy
import importlib
import json
import pickle
import sys
import warnings

import numpy
import pytest

import gamelan
import oracle

_umath_tests = importlib.import_module(f"numpy.{'_core' if hasattr(numpy, '_core') else 'core'}._umath_tests")


def test_functions_of_numpy_come_to_us(engine):
    x = gamelan.array(numpy.arange(12.0).reshape(3, 4))
    for result in (numpy.add(x, 1), numpy.sum(x, axis=0), numpy.concatenate([x, numpy.ones((1, 4))]), numpy.add.reduce(x), numpy.zeros(3, like=x),
                   numpy.where(x > 2, x, 0.0)):  # fmt: skip
        assert isinstance(result, gamelan.ndarray) and result.is_distributed
    numpy.testing.assert_array_equal(numpy.asarray(numpy.add.reduce(x)), [12, 15, 18, 21])
    assert numpy.shape(x) == (3, 4) and numpy.result_type(x, numpy.float32) == numpy.float64


@pytest.mark.parametrize("limit", [0, 10**6])
def test_to_numpy_hands_the_elements_over(engine, limit):
    with gamelan.options(distribute_from=limit):
        x = gamelan.arange(6.0).reshape(3, 2)
        for given in (x.to_numpy(), x.to_numpy(copy=True), x[:, ::-1].to_numpy()[:, ::-1], x.to_numpy("f4")):
            assert type(given) is numpy.ndarray and given.tolist() == [[0, 1], [2, 3], [4, 5]]
        assert x.to_numpy("f4").dtype == "f4" and x.to_numpy(copy=True).flags.writeable
        assert x.to_numpy().flags.writeable == (limit > 0)


@pytest.mark.parametrize("limit", [0, 10**6])
def test_matplotlib_takes_an_array_as_one(engine, limit):
    """Not as a data set for each of its rows, and without going through its elements."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    with gamelan.options(distribute_from=limit):
        x = gamelan.arange(36.0).reshape(12, 3)
        figure, axes = pyplot.subplots()
        assert len(axes.boxplot(x)["boxes"]) == 3 and len(axes.violinplot(x)["bodies"]) == 3
        counts, _, _ = axes.hist(x)
        assert numpy.shape(counts) == (3, 10)
        line = gamelan.arange(60.0)
        assert len(axes.boxplot(line)["boxes"]) == 1 and axes.hist(line)[0].sum() == 60
        pyplot.close(figure)


@pytest.mark.parametrize("limit", [0, 10**6])
def test_a_value_is_a_scalar_and_json_takes_it_as_a_float(engine, limit):
    with gamelan.options(distribute_from=limit):
        x = gamelan.arange(4.0)
        assert gamelan.isscalar(x.mean()) and gamelan.isscalar(x[2]) and gamelan.isscalar(3) and gamelan.isscalar("a")
        assert not gamelan.isscalar(x) and not gamelan.isscalar(gamelan.array(3.0)) and not gamelan.isscalar([1])
        assert json.dumps(x.mean(), default=float) == "1.5"


def test_the_size_of_an_object_is_what_it_holds_here(engine):
    with gamelan.options(distribute_from=10**6):
        assert sys.getsizeof(gamelan.zeros(1000)) > 8000
    if gamelan.zeros(1000).is_distributed:
        assert sys.getsizeof(gamelan.zeros(1000)) < 1000


def test_a_foreign_namesake_of_a_ufunc_is_not_ours(engine):
    def add(one, other):
        return one * 100 + other

    x = gamelan.array([1.0, 2.0])
    foreign = numpy.frompyfunc(add, 2, 1)
    foreign_name = foreign.__name__.split()[0]
    assert foreign_name == "add" and foreign(x, x).tolist() == [101.0, 202.0]


def test_what_nobody_has_is_named(engine):
    with pytest.raises(NotImplementedError, match="is_busday"):
        numpy.is_busday(gamelan.arange(3))


def test_an_error_of_another_library_s_ufunc_is_its_own(engine):
    with pytest.raises(RuntimeError, match="How unexpected"):
        _umath_tests.always_error(gamelan.arange(3.0), 1)


@pytest.mark.parametrize("make", [
    lambda np: np.array(["a", "b"]), lambda np: np.zeros(3, ">f8"), lambda np: np.arange(3.0).astype(str), lambda np: np.zeros(3, "M8[D]"),
    lambda np: np.where(np.arange(3) > 1, "a", "b"), lambda np: np.array([None, 1]), lambda np: np.full(3, 1, "longdouble")])  # fmt: skip
def test_dtypes_that_the_engines_do_not_hold_stay_here(engine, make):
    made = make(gamelan)
    assert not made.is_distributed and numpy.array_equal(numpy.asarray(made), make(numpy))


@pytest.mark.parametrize("dtype", ["g", "U1", "M8[D]"])
def test_dtypes_that_the_engines_do_not_hold_are_named(engine, dtype):
    for operation in (gamelan.add, gamelan.hypot, gamelan.less):
        with pytest.raises(NotImplementedError, match=r"^operations of \S.* values with a distributed array are not") as told:
            operation(gamelan.ones(3), numpy.ones(3).astype(dtype))
        assert isinstance(told.value, TypeError) and "dtype dtype" not in str(told.value)


def test_modules_and_classes_of_numpy_take_small_arrays(engine):
    with gamelan.options(distribute_from=100):
        x = gamelan.arange(3.0)
        assert gamelan.char.upper(["a"]).tolist() == ["A"] and gamelan.poly1d([1, 2])(x).tolist() == [2.0, 3.0, 4.0]
        assert gamelan.ma.array(x, mask=[1, 0, 0]).sum() == 3 and gamelan.rec.array([(1, 2.0)], names="a,b").b[0] == 2
        assert gamelan.polynomial.Polynomial([1, 2])(x).tolist() == [1.0, 3.0, 5.0] and gamelan.emath.sqrt(-1) == 1j
        assert [value for _, value in gamelan.ndenumerate(x)] == [0.0, 1.0, 2.0]
    assert gamelan.version.version == numpy.version.version and gamelan.lib.NumpyVersion is numpy.lib.NumpyVersion
    for refused in (gamelan.emath.sqrt, gamelan.polynomial.polynomial.polyroots, gamelan.info):
        with pytest.raises(NotImplementedError, match="for distributed arrays"):
            refused(gamelan.arange(3.0))
    assert gamelan.recarray is numpy.recarray


def test_an_array_is_made_read_only(engine):
    x = gamelan.arange(3.0)
    x.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1
    x.setflags(write=True)
    x[0] = 1
    assert x.tolist() == [1, 1, 2]
    with pytest.raises(NotImplementedError, match="overlap"):
        gamelan.broadcast_to(x, (2, 3)).setflags(write=True)


class Own:
    """What decides itself what a ufunc does, and has no operators."""

    def __array_ufunc__(self, function, method, *inputs, out=None, **keywords):
        return function.__name__, method, sum(each is self for each in inputs), [type(each) for each in out or ()]


class OwnArray(numpy.ndarray):
    """As `Own`, but NumPy's array otherwise."""

    __array_ufunc__ = Own.__array_ufunc__


class Unwilling:
    """No operand of any ufunc."""

    __array_ufunc__ = None

    def __radd__(self, other):
        return "radd"

    def __rmatmul__(self, other):
        return "rmatmul"


@pytest.mark.parametrize("other", [Own(), numpy.ones(3).view(OwnArray)], ids=["object", "subclass"])
@pytest.mark.parametrize("where", ["engine", "mixed"])
def test_operators_ask_an_operand_that_decides_itself(request, where, other):
    request.getfixturevalue(where)
    for x in (gamelan.arange(3.0), gamelan.arange(30.0)):
        for result, name in ((x + other, "add"), (x @ other, "matmul"), (x < other, "less"), (x ** other, "power"), (gamelan.add(x, other), "add"),
                             (gamelan.hypot(x, other, dtype="f8"), "hypot"), (gamelan.divmod(x, other), "divmod"), (numpy.add(x, other), "add")):  # fmt: skip
            assert result == (name, "__call__", 1, [])
        assert gamelan.add(x, other, out=x)[3] == [type(x)]
        kept = x
        x += other
        assert x[:3] == ("add", "__call__", 1) and kept.shape in ((3,), (30,))


def test_an_operand_of_no_ufunc_has_its_operators(engine):
    x = gamelan.arange(3)
    assert x + Unwilling() == "radd" and x @ Unwilling() == "rmatmul"
    for wrong in (lambda: x - Unwilling(), lambda: gamelan.add(x, Unwilling()), lambda: gamelan.add(x, Unwilling(), dtype="f8")):
        with pytest.raises(TypeError):
            wrong()


def test_an_array_of_another_library_is_asked_for_functions(engine):
    class Duck:
        def __array_function__(self, function, types, arguments, keywords):
            return "duck"

    x = gamelan.arange(3)
    assert numpy.concatenate([x, Duck()]) == "duck"


def test_what_hands_elements_over_is_bounded(engine):
    x = gamelan.arange(100.0)
    with gamelan.options(gather_limit=99):
        for take in (numpy.asarray, numpy.from_dlpack, pickle.dumps, lambda a: a.tobytes(), lambda a: a.tolist()):
            with pytest.raises(ValueError, match="gather_limit"):
                take(x)
    assert not numpy.asarray(x).flags.writeable and numpy.array(x).flags.writeable
    with gamelan.options(gather_limit=99):
        assert not hasattr(x, "__array_interface__")
    assert numpy.array_equal(numpy.asarray(x.__array_interface__["data"]), numpy.arange(100.0))


def test_dlpack_both_ways(engine):
    x = gamelan.array(numpy.arange(6.0).reshape(2, 3))
    data = numpy.from_dlpack(x)
    numpy.testing.assert_array_equal(data, numpy.arange(6.0).reshape(2, 3))
    back = gamelan.from_dlpack(numpy.array(data))
    assert back.is_distributed and gamelan.from_dlpack(x) is x and x.__dlpack_device__() == (1, 0)
    with pytest.raises(BufferError):
        x.__dlpack__(copy=False)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float32", "complex128"])
def test_copies_and_pickles(engine, dtype):
    x = gamelan.array(numpy.arange(10).astype(dtype))
    for again in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        again[0] = 1
        assert again.dtype == x.dtype and type(again) is type(x) and not bool(x[0]) and bool(again[0])
    assert x.tobytes() == numpy.arange(10).astype(dtype).tobytes()


def test_elements_set_and_memory_looked_at_anew(engine):
    def set_items(np):
        x = np.array([[1.0, 2.0], [3.0, 4.0]])
        x.itemset(3, 9.0)
        x.itemset((0, 1), 7.0)
        return x

    def as_diagonal(np):
        x = np.array(numpy.arange(9.0))
        x.shape = (3, 3)
        diagonal = x[:, 0]
        diagonal.strides = (32,)
        diagonal[...] = -1
        return x

    def as_bytes(np):
        x = np.array([1, 2, 3], dtype="int64")
        x.dtype = "int32"
        return x

    def outside(np):
        np.arange(4.0).strides = (800,)

    def item_outside(np):
        np.arange(4.0).itemset(4, 0)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        oracle.check_all([(each.__name__, each) for each in (set_items, as_diagonal, as_bytes, outside, item_outside)])


def test_the_class_makes_arrays_and_annotates(engine):
    assert gamelan.ndarray((2, 3), dtype="f4").shape == (2, 3) and gamelan.ndarray(4).is_distributed
    assert gamelan.ndarray((2,), buffer=numpy.arange(4.0), offset=8).tolist() == [1.0, 2.0]
    assert gamelan.ndarray[int] and gamelan.typing.NDArray


@pytest.mark.parametrize("keywords", [{}, {"precision": 2}, {"suppress_small": True}, {"max_line_width": 20}])
def test_text_is_numpys(engine, keywords):
    for data in (numpy.arange(12.0) / 7e6, numpy.linspace(0, 1, 3000).reshape(30, 100), numpy.arange(3) > 1):
        x = gamelan.array(data)
        assert gamelan.array_repr(x, **keywords) == numpy.array_repr(data, **keywords) == numpy.array_repr(x, **keywords)
        assert gamelan.array_str(x, **keywords) == numpy.array_str(data, **keywords)
    with numpy.printoptions(edgeitems=1, threshold=5):
        assert repr(gamelan.arange(100)) == repr(numpy.arange(100))


def test_shared_memory_is_known_without_reading(engine):
    def shared(np):
        x, y = np.zeros((4, 6)), np.zeros((4, 6))
        pairs = [(x, x), (x, y), (x[:2], x[2:]), (x[:, ::2], x[:, 1::2]), (x, x.T), (x, x.copy()), (x[0], x.reshape(-1)[3:8])]
        return [(bool(np.shares_memory(*pair)), bool(np.may_share_memory(*pair))) for pair in pairs]

    oracle.check(shared)
    here = numpy.zeros(3)
    assert not gamelan.shares_memory(gamelan.zeros(3), here)


def test_who_asks_before_he_writes_copies_what_was_handed_over(engine):
    """As scikit-learn does, in `KMeans(3).fit(x)` and `scale(x)`: numpy.asarray of a large array is read-only."""
    x = gamelan.asarray(numpy.arange(12.0).reshape(3, 4))
    given = numpy.asarray(x)
    assert not given.flags.writeable and numpy.may_share_memory(given, x) and numpy.may_share_memory(x, given)
    assert not numpy.may_share_memory(numpy.array(x), x) and not numpy.shares_memory(given, x)
    assert not numpy.may_share_memory(given[1:], x)


RECORDS = """np.dtype([("a", "i4"), ("b", "f8")])|np.dtype([("a", "i1"), ("b", "f8")], align=True)|np.dtype([("c", "f8", (2, 5))])|np.dtype([("c", "f8", (5,)), ("d", "O")])
np.dtype({"names": ["a"], "formats": ["i4"], "offsets": [4], "itemsize": 12})|np.dtype([("a", "i4"), ("O", "O")], align=True)|np.dtype([])|np.dtype("V5")|np.dtype({"names": [], "formats": [], "itemsize": 8})
np.dtype([("a", [("b", "i1"), ("c", "f8")], (3,))], align=True)|np.dtype([("a", "S3"), ("b", "U2"), ("t", "M8[D]")])|np.dtype([("x", ">i4")])"""


@pytest.mark.parametrize("text", RECORDS.replace("\n", "|").split("|"))
def test_numpy_reads_small_records_of_every_kind(text):
    dtype = eval(text, {"np": numpy})
    records = gamelan.zeros(3, dtype)
    for read in (numpy.asarray, numpy.array):
        assert read(records).dtype == dtype and read(records).shape == (3,)
    assert pickle.loads(pickle.dumps(records)).dtype == dtype
    if dtype.names and "a" in dtype.names and dtype["a"] == "i4":
        numpy.asarray(records)["a"][1] = 7
        assert records["a"].tolist() == [0, 7, 0]  # the memory is shared


MAKERS = """array([1, 2])|asarray([1, 2])|asanyarray([1, 2])|ascontiguousarray([1, 2])|asfortranarray([1, 2])|require([1, 2])|zeros(2)|ones(2)|empty(2)|full(2, 7)
arange(3)|eye(2)|identity(2)|tri(2)|fromfunction(lambda i: i, (2,))|frombuffer(b"12345678")|fromstring("1 2", sep=" ")"""


@pytest.mark.parametrize("text", MAKERS.replace("\n", "|").split("|"))
def test_what_is_made_like_another_librarys_array_is_that_librarys(mixed, text):
    class Duck:
        def __array_function__(self, function, types, arguments, keywords):
            return "duck", function.__name__, len(arguments)

    call = f"np.{text[:-1]}, like=other)"
    results = [eval(call, {"np": np, "other": Duck()}) for np in (gamelan, numpy)]
    assert results[0] == results[1] and results[0][0] == "duck"
    with pytest.raises(TypeError):
        eval(call, {"np": gamelan, "other": object()})
    for other in (gamelan.zeros(3), gamelan.zeros(30), numpy.zeros(3), None):
        made = eval(call, {"np": gamelan, "other": other})
        assert isinstance(made, gamelan.ndarray) and made.tolist() == eval(f"np.{text}", {"np": numpy}).tolist()


@pytest.mark.parametrize(
    "make",
    [
        lambda: gamelan.full(200000, 2.5),
        lambda: gamelan.array(2.5),
        lambda: gamelan.full(3, 2.5)[1],
        lambda: gamelan.full(3, 2.5).sum() - 5.0,
    ],
)
@pytest.mark.parametrize(
    "receive",
    [
        numpy.asarray,
        numpy.array,
        numpy.from_dlpack,
        lambda x: numpy.asarray(memoryview(x)),
        lambda x: numpy.frombuffer(x.tobytes()),
        lambda x: numpy.frombuffer(bytes(x)),
    ],
)
def test_what_is_handed_over_outlives_the_array(engine, make, receive):
    received = receive(make())
    others = [numpy.full(received.shape, 7.0) for _ in range(50)]
    assert (received == 2.5).all() and len(others) == 50


def test_numpy_keeps_no_address_of_a_copy_that_is_gone(engine):
    """numpy.frombuffer remembers the address and the lender, which must hold the memory."""
    received = numpy.frombuffer(gamelan.full(1000, 2.5))
    others = [numpy.full(1000, 7.0) for _ in range(50)]
    assert received.tolist() == [2.5] * 1000 and len(others) == 50
    with gamelan.options(distribute_from=10):
        received = numpy.frombuffer(gamelan.full(3, 2.5))
        others = [numpy.full(3, 7.0) for _ in range(50)]
        assert received.tolist() == [2.5] * 3 and len(others) == 50


@pytest.mark.parametrize(
    "made", [lambda: gamelan.array(2.5), lambda: gamelan.full(3, 2.5), lambda: gamelan.full((2, 2), 2.5)[1:, 0]]
)
def test_a_small_array_shares_its_memory_with_those_who_describe_it(engine, made):
    with gamelan.options(distribute_from=10):
        x = made()
        for name in ("__array_interface__", "__array_struct__"):
            lender = type("Lender", (), {name: getattr(x, name), "array": x})()
            received = numpy.asarray(lender)
            received[...] = 4
            assert (x == 4).all()
        for received in (numpy.asarray(memoryview(x)), numpy.asarray(memoryview(x)), numpy.asarray(x)):
            received[...] = received + 1
        assert (x == 7).all() and x.ctypes.data == x.__array_interface__["data"][0]
