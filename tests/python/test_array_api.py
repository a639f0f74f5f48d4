# SPDX-License-Identifier: BSD-3-Clause
# The array-API namespace where its meaning is not NumPy's: promotion by dtype, sorting backwards, devices, vectors, shapes.
import numpy
import pytest

import gamelan


@pytest.fixture
def xp(engine):
    return gamelan.zeros(1).__array_namespace__(api_version="2023.12")


def test_every_name_is_there_and_new_versions_are_refused(xp):
    assert xp is gamelan.array_api and not [name for name in xp.__all__ if not hasattr(xp, name)]
    with pytest.raises(ValueError, match="2030.12"):
        gamelan.zeros(1).__array_namespace__(api_version="2030.12")


def test_dtypes_promote_without_a_look_at_values(xp):
    small, number = xp.ones(3, dtype=xp.float32), xp.asarray(1.0, dtype=xp.float64)
    assert xp.add(small, number).dtype == xp.float64 and (small + number).dtype == xp.float32  # the operator is NumPy's
    assert xp.concat([small, xp.ones(2, dtype=xp.int8)]).dtype == xp.float32
    assert xp.result_type(small, number) == xp.float64
    assert xp.isdtype(xp.int8, ("integral", xp.float64)) and not xp.isdtype(xp.float32, "integral")
    with pytest.raises(ValueError, match="kind"):
        xp.isdtype(xp.int8, "whole")


@pytest.mark.parametrize("axis", [0, 1])
def test_sorted_backwards_equal_elements_keep_their_order(xp, axis):
    data = numpy.array([[3, 1, 3, 2, 1], [1, 1, 0, 2, 2], [3, 0, 0, 2, 1]])
    x = xp.asarray(data)
    numpy.testing.assert_array_equal(numpy.asarray(xp.sort(x, axis=axis, descending=True)), -numpy.sort(-data, axis))
    numpy.testing.assert_array_equal(numpy.asarray(xp.argsort(x, axis=axis, descending=True)), numpy.argsort(-data, axis, kind="stable"))


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
