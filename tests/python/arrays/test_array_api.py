# SPDX-License-Identifier: BSD-3-Clause
# The array-API namespace where its meaning is not NumPy's: promotion by dtype, sorting backwards, devices, vectors, shapes.
import numpy
import pytest

import gamelan


@pytest.fixture
def xp(engine):
    return gamelan.zeros(1).__array_namespace__(api_version="2024.12")


def test_every_name_is_there_and_new_versions_are_refused(xp):
    assert xp is gamelan.array_api and not [name for name in xp.__all__ if not hasattr(xp, name)]
    with pytest.raises(ValueError, match="2030.12"):
        gamelan.zeros(1).__array_namespace__(api_version="2030.12")


def test_dtypes_promote_without_a_look_at_values(xp):
    small, number = xp.ones(3, dtype=xp.float32), xp.asarray(1.0, dtype=xp.float64)
    assert xp.add(small, number).dtype == (small + number).dtype == (number + small).dtype == xp.float64
    theirs = numpy.ones(3, dtype="f4") + numpy.array(1.0)
    assert (gamelan.ones(3, dtype="f4") + gamelan.array(1.0)).dtype == theirs.dtype  # NumPy's rule for arrays that are NumPy's
    assert xp.concat([small, xp.ones(2, dtype=xp.int8)]).dtype == xp.float32
    assert xp.result_type(small, number) == xp.float64
    assert xp.result_type(small, numpy.ones((), "f8")) == xp.float64  # xarray asks of ours and NumPy's together
    assert xp.isdtype(xp.int8, ("integral", xp.float64)) and not xp.isdtype(xp.float32, "integral")
    with pytest.raises(ValueError, match="kind"):
        xp.isdtype(xp.int8, "whole")


@pytest.mark.parametrize("where", ["engine", "mixed"])
def test_numbers_take_the_dtype_of_the_array_they_meet(request, where):
    request.getfixturevalue(where)
    xp = gamelan.array_api
    whole, real = xp.asarray(7, dtype=xp.uint8), xp.asarray(0.5, dtype=xp.float32)
    results = [
        whole + 1,
        1 + whole,
        whole**2,
        whole << 1,
        real * 2.0,
        2 / real,
        real + 1j,
        abs(real),
        xp.sum(xp.ones((2, 3)))[None][0],
    ]
    assert [result.dtype.name for result in results] == ["uint8"] * 4 + ["float32"] * 2 + ["complex64", "float32", "float64"]
    assert all(type(result) is type(whole) and isinstance(result, gamelan.ndarray) and result.ndim == 0 for result in results)
    assert [result.tolist() for result in results] == [8, 8, 49, 14, 1.0, 4.0, 0.5 + 1j, 0.5, 6.0]
    same = whole
    whole += 1
    whole <<= 1
    assert whole.tolist() == 16 and same.tolist() == 16 and whole.dtype == xp.uint8
    assert (
        type(gamelan.ones(3) + xp.ones(3)) is type(whole)
        and gamelan.add(whole, 1).dtype == numpy.add(numpy.array(16, "u1"), 1).dtype
    )


def test_nothing_is_copied_between_the_two_kinds(xp):
    x = gamelan.arange(6)
    y = xp.asarray(x)
    y[0] = 9
    y += 1
    assert x.tolist() == [10, 2, 3, 4, 5, 6] and gamelan.shares_memory(x, xp.reshape(y, (2, 3)).mT)


def test_an_older_version_has_no_newer_names(xp):
    old, middle = (xp.ones(1).__array_namespace__(api_version=version) for version in ("2021.12", "2022.12"))
    assert not hasattr(old, "complex64") and not hasattr(old, "fft") and old.__array_api_version__ == "2021.12"
    assert middle.complex64 == xp.complex64 and middle.fft is xp.fft and not hasattr(middle, "clip") and hasattr(xp, "clip")
    single = old.ones((2, 2), dtype=old.float32)
    for now, before in ((xp.sum, old.sum), (xp.prod, middle.prod), (xp.linalg.trace, old.linalg.trace)):
        assert (
            now(single).dtype == xp.float32
            and before(single).dtype == xp.float64
            and before(single, dtype=xp.float32).dtype == xp.float32
        )
    assert old.ones(3).__array_namespace__() is xp and old is gamelan.ones(1).__array_namespace__(api_version="2021.12")


def test_quotients_of_infinities_are_the_standards(xp):
    x, y = (
        xp.asarray([numpy.inf, -numpy.inf, 5.0, -5.0, numpy.inf, 7.0]),
        xp.asarray([2.0, 2.0, -numpy.inf, numpy.inf, numpy.inf, 2.0]),
    )
    expected = [numpy.inf, -numpy.inf, -0.0, -0.0, numpy.nan, 3.0]
    for result in (xp.floor_divide(x, y), x // y):
        assert (
            numpy.array_equal(numpy.asarray(result), expected, equal_nan=True) and numpy.signbit(numpy.asarray(result))[2:4].all()
        )
    assert (7.0 // y).tolist() == [3.0, 3.0, -0.0, 0.0, 0.0, 3.0]
    kept = x
    x //= y
    assert kept is x and numpy.array_equal(numpy.asarray(x), expected, equal_nan=True)


@pytest.mark.parametrize("axis", [0, 1])
def test_sorted_backwards_equal_elements_keep_their_order(xp, axis):
    data = numpy.array([[3, 1, 3, 2, 1], [1, 1, 0, 2, 2], [3, 0, 0, 2, 1]])
    x = xp.asarray(data)
    numpy.testing.assert_array_equal(numpy.asarray(xp.sort(x, axis=axis, descending=True)), -numpy.sort(-data, axis))
    numpy.testing.assert_array_equal(
        numpy.asarray(xp.argsort(x, axis=axis, descending=True)), numpy.argsort(-data, axis, kind="stable")
    )


def test_one_device(xp):
    x = xp.zeros((2, 3), device="cpu")
    assert x.device == "cpu" and x.to_device("cpu") is x and xp.__array_namespace_info__().devices() == ["cpu"]
    for wrong in (lambda: xp.zeros(3, device="gpu"), lambda: x.to_device("gpu")):
        with pytest.raises(ValueError, match="gpu"):
            wrong()


def test_shapes_and_views(xp):
    x = xp.reshape(xp.arange(6), (2, 3), copy=False)
    assert x.mT.shape == (3, 2) and xp.permute_dims(x, (1, 0)).tolist() == [[0, 3], [1, 4], [2, 5]]
    assert [part.tolist() for part in xp.unstack(x, axis=1)] == [[0, 3], [1, 4], [2, 5]]
    with pytest.raises(ValueError, match="copy"):
        xp.reshape(x.mT, (6,), copy=False)
    with pytest.raises(ValueError):
        xp.arange(3).mT


def test_vectors_and_signs(xp):
    x = xp.asarray([[1 + 1j, 2], [0, 3j]])
    assert xp.vecdot(x, x).tolist() == [6, 9]
    numpy.testing.assert_allclose(numpy.asarray(xp.sign(x)), [[(1 + 1j) / 2**0.5, 1], [0, 1j]])
    assert xp.floor(xp.asarray([3])).dtype == xp.int64 and xp.clip(xp.asarray([1, 9], dtype=xp.int8), 2, 5).tolist() == [2, 5]
    assert xp.cumulative_sum(xp.asarray([1, 2]), include_initial=True).tolist() == [0, 1, 3]


def test_small_and_large_arrays_of_the_standard_meet(mixed):
    xp = gamelan.array_api
    data = numpy.arange(12.0).reshape(3, 4)
    large, small, number = xp.asarray(data), xp.asarray([1.0, 2.0, 3.0, 4.0]), xp.asarray(2.0)
    assert large.is_distributed and not small.is_distributed
    plain = gamelan.array(data)
    for one in (large, plain):
        for other in (small, number):
            theirs = numpy.asarray(other)
            for result, expected in (
                (one + other, data + theirs),
                (other - one, theirs - data),
                (one > other, data > theirs),
                (gamelan.multiply(one, other), data * theirs),
            ):
                assert isinstance(result, gamelan.ndarray) and result.is_distributed
                numpy.testing.assert_array_equal(numpy.asarray(result), expected)
        assert (one @ small).tolist() == (data @ [1, 2, 3, 4]).tolist() and one[:, small > 2].tolist() == data[:, 2:].tolist()
    assert repr(small) == repr(numpy.asarray(small)) and repr(number) == "array(2.)"
    large += small
    plain[0] = small
    assert large.tolist() == (data + [1, 2, 3, 4]).tolist() and plain[0].tolist() == [1, 2, 3, 4]


def test_what_has_no_axes_may_be_written_and_is_nobody_elses(engine):
    x = gamelan.arange(6.0)
    xp = gamelan.array_api
    for result in (xp.sum(xp.asarray(x)), xp.max(x), xp.asarray(x)[5], xp.asarray(x.max()), xp.mean(x, axis=0)):
        kept = result
        result[...] = 7.0
        result[result > 1] = 9.0
        result += 1
        assert kept is result and result.shape == () and float(result) == 10.0
    assert x.tolist() == [0, 1, 2, 3, 4, 5]
    value = x.sum()
    xp.asarray(value)[...] = 0
    assert value == 15 and gamelan.isscalar(value)


def test_whether_all_or_any_take_an_output(xp):
    x = xp.asarray([[1, 0], [2, 3]])
    assert xp.all(x, axis=0, out=None).tolist() == [True, False] and bool(xp.any(x, out=None))
