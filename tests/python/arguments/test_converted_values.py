# SPDX-License-Identifier: BSD-3-Clause
"""What becomes of values that are written or made into an array, and how NumPy converts them: scalars, text, dates, sequences
that are too deep, objects whose __array__ is ours, lists that hold arrays of ours."""

import copy

import numpy
import pytest

import gamelan
from oracle import check, check_all

VALUES = """np.float64("nan")|np.float64(1e300)|np.uint64(2**64-1)|np.int64(300)|np.array(300)|np.float64(2.5)|np.float32(7)|np.bool_(True)|300.0|7|True
float("inf")|np.array(2.5)|np.array([1.0])|[1]|[[1]]|[[1, 2, 3]]|[[[1, 2, 3]]]|[1, [2], 3]|[]|range(3)|(1, 2, 3)|"2"|"x"|""|b"2"|None|{}|object()|1j
np.complex64(1)|np.timedelta64(3, "s")|np.datetime64("2020")|numpy.longdouble(3)|["1", "2", "3"]"""
DTYPES = ["int64", "int8", "uint8", "float64", "float32", "complex128", "bool"]
WAYS = {
    "a[0] = v": lambda a, v: a.__setitem__(0, v),
    "a[:] = v": lambda a, v: a.__setitem__(slice(None), v),
    "a[()] = v": lambda a, v: a.__setitem__((), v),
    "a.fill(v)": lambda a, v: a.fill(v),
}


@pytest.mark.parametrize("where", ["here", "engine"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("way", WAYS)
def test_a_value_is_converted_as_numpy_converts_it(request, where, dtype, way):
    if where == "engine":
        request.getfixturevalue(where)

    def program(text):
        def run(np):
            value, array = eval(text, {"np": np, "numpy": numpy}), np.zeros(3, dtype)
            WAYS[way](array, value)
            return array if "inf" not in text and "nan" not in text and "1e300" not in text else array.shape  # undefined by C

        return run

    check_all((f"{way} of {dtype}, v = {text}", program(text)) for text in VALUES.replace("\n", "|").split("|"))


@pytest.mark.parametrize("where", ["here", "engine"])
def test_arrays_of_what_no_engine_holds_are_converted(request, where):
    if where == "engine":
        request.getfixturevalue(where)
    values = (
        numpy.array(["1", "2", "3"]),
        numpy.array([1, 2, 3], "g"),
        numpy.array([1, 2, 3], "m8[s]"),
        numpy.array([1, 2, 3], object),
    )
    for dtype in DTYPES:
        for value in values:

            def program(np, value=value, dtype=dtype):
                array = np.zeros((2, 3), dtype)
                array[1] = value
                return array

            check(program, f"{value.dtype} into {dtype}")


PROGRAMS = """np.arange(2**64)|np.arange(1e30)|np.array([1+2j]).conj(np.zeros(1, complex))|np.array([1+2j]).conjugate(np.zeros(1, complex))
np.array([0, 1]).choose([1, 2], [3, 4])|np.array([0, 1]).choose([[1, 2], [3, 4]])|np.array([0, 1]).choose([1, 2], [3, 4], mode="wrap")
np.dot(np.ones((4, 3)), np.ones((3, 2)), np.zeros((4, 4))[:, ::2])|np.dot(np.ones((4, 3)), np.ones((3, 2)), np.zeros((2, 4)).T)
np.dot(np.ones((4, 3)), np.ones((3, 2)), np.zeros((4, 2)))|np.ravel_multi_index(np.zeros((3, 1), int), (2, 1, 0), mode="clip")
np.ravel_multi_index(np.zeros((3, 0), int), (2, 1, 0), mode="clip")|np.where([True, False], 1)|np.where([True, False])"""


@pytest.mark.parametrize("where", ["here", "engine"])
def test_arguments_in_their_places(request, where):
    if where == "engine":
        request.getfixturevalue(where)
    check_all((line, lambda np, line=line: eval(line, {"np": np})) for line in PROGRAMS.replace("\n", "|").split("|"))


def _resized(np, start, way):
    array = np.arange(float(start)) if start else np.empty(())
    if way == "no shape":  # written out: NumPy counts who holds the array
        array.resize()
    elif way == "no axes":
        array.resize(())
    elif way == "one element":
        array.resize((1,))
    else:
        array.resize((2, 2))
    return array.shape, array.tolist() if start else []


@pytest.mark.parametrize("where", ["here", "engine"])
def test_resize_to_no_axes_is_no_resize_without_a_shape(request, where):
    if where == "engine":
        request.getfixturevalue(where)
    for start, way in ((3, "no shape"), (3, "no axes"), (1, "no axes"), (0, "one element"), (3, "two axes")):
        check(lambda np: _resized(np, start, way), f"{way} of {start} elements")


def test_none_is_a_value_of_where():
    for line in ("np.where(True, None, None)", "np.where([True, False], None, 1)", "np.where([True, False], 'a', None)",
                 "np.equal(np.datetime64('NaT'), None)", "np.equal(np.str_('a'), 'a')", "np.add(np.longdouble(1), [1])"):  # fmt: skip
        check(lambda np: eval(line, {"np": np}), line)


def test_lists_of_small_arrays_keep_every_digit_and_letter():
    tiny = numpy.nextafter(numpy.longdouble(0), 1)
    lists = """np.array([np.array(tiny)])|np.array([[np.array(tiny)]])|np.array([np.array("long text", object)] * 2, "S")|np.array((np.array([1, 2]), [3, 4]))
        np.array([np.array("2020-01-01", "M8[D]")])|np.array([np.zeros(2), np.zeros(2)], dtype=object)|np.array([np.array((1, 2.0), "i4,f8")])"""
    for line in lists.replace("\n", "|").split("|"):
        check(lambda np: eval(line.strip(), {"np": np, "tiny": tiny}), line)


@pytest.mark.parametrize("where", ["here", "engine"])
def test_an_object_may_give_an_array_of_ours(request, where):
    if where == "engine":
        request.getfixturevalue(where)

    def program(line):
        def run(np):
            class Celsius:
                def __array__(self, dtype=None):
                    return np.array([1.0, 2.0])

            return eval(line, {"np": np, "x": Celsius()})

        return run

    lines = "np.array(x)|np.asarray(x)|np.sum(x)|np.add(x, 1)|np.ones(2) + x|np.sqrt(x)|np.concatenate([x, x])|np.dot(x, x)|np.where([True, False], x, 0)"
    check_all((line, program(line)) for line in lines.split("|"))


def test_a_deep_copy_copies_the_objects():
    array = gamelan.array([[1], [2, 3]], dtype=object)
    deep, shallow = copy.deepcopy(array), copy.copy(array)
    array[0].append(7)
    assert deep[0] == [1] and shallow[0] == [1, 7] and isinstance(deep, gamelan.ndarray)
    columns = gamelan.array(numpy.zeros((2, 3), order="F"))
    assert copy.copy(columns).flags.f_contiguous and copy.deepcopy(columns).flags.f_contiguous


ENDS = """np.arange(np.array(5, t))|np.arange(np.array(1, t), np.array(4, t))|np.arange(0, np.array(4, t), np.array(1, t))|np.arange(np.array([4], t))
np.arange(np.array([4], t)[0])|np.arange(np.array(1, t).sum() + 3)|np.linspace(np.array(0, t), np.array(4, t), 3)|np.full(3, np.array(1, t))"""


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("where", ["here", "engine"])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64", "uint32", "float16", "float32", "float64"])
def test_arrays_for_numbers_keep_their_dtype(request, where, dtype):
    if where == "engine":
        request.getfixturevalue(where)
    check_all((line, lambda np, line=line: eval(line, {"np": np, "t": dtype})) for line in ENDS.replace("\n", "|").split("|"))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_ranges_of_dates_keep_their_unit():
    for line in ("np.arange(np.array(5, 'm8[s]'))", "np.arange(np.array(0, 'm8[s]'), np.array(5, 'm8[s]'))", "np.arange(np.array(5, object))",
                 "np.arange(np.array('2020-01-01', 'M8[D]'), np.array('2020-01-05', 'M8[D]'))", "np.arange(np.array(5, 'g'))"):  # fmt: skip
        check(lambda np: eval(line, {"np": np}), line)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("where", ["here", "engine"])
def test_sequences_and_what_is_none(request, where):
    if where == "engine":
        request.getfixturevalue(where)
    lines = """np.sum(x for x in [1, 2, 3])|np.sum(np.ones(2) * x for x in [1, 2])|np.concatenate(x for x in [np.ones(2), np.ones(2)])|np.concatenate(iter([np.ones(2)]))
        np.concatenate({1: 2})|np.concatenate(np.ones((2, 2)))|np.concatenate(5)|np.hstack(x for x in [np.ones(2), np.ones(2)])
        np.eye(2, order="F").flags.f_contiguous|np.eye(3, 2, order="F").flags.c_contiguous|np.eye(3, 2, 1, order="F")|np.eye(2, 4, -1, order="F")"""
    check_all(
        (line.strip(), lambda np, line=line.strip(): eval(line, {"np": np})) for line in lines.replace("\n", "|").split("|")
    )


def test_an_array_of_distributed_arrays_as_objects_is_refused_by_the_name_of_its_dtype(engine):
    for parts in ([gamelan.ones(2), gamelan.ones(3)], [gamelan.ones(2), 3], [[gamelan.ones(2)], [gamelan.ones(2)]]):
        with pytest.raises(NotImplementedError, match="object (arrays|values)"):
            gamelan.array(parts, dtype=object)


def test_an_object_that_has_every_attribute_is_an_object():
    class Anything:
        def __getattr__(self, name):
            if name.startswith("__"):
                raise AttributeError(name)
            return lambda *arguments: 1 / 0

    thing = Anything()
    assert gamelan.array(thing, dtype=object)[()] is thing and gamelan.asarray([thing], dtype=object)[0] is thing
    assert gamelan.add(gamelan.array([1], dtype=object), 1).tolist() == [2]
    with pytest.raises(TypeError):
        gamelan.add(thing, 1)
