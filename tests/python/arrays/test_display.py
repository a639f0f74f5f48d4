# SPDX-License-Identifier: BSD-3-Clause
"""Text is NumPy's to the letter, made from the corners; cards are HTML."""

import numpy
import pytest

import gamelan
from gamelan import _core


@pytest.mark.parametrize(
    "shape",
    [(3,), (0,), (0, 3), (999,), (1001,), (5000,), (40, 50), (7, 200), (2, 6, 300), (3, 2000), (2000, 3), (12, 13, 14)],
    ids=repr,
)
@pytest.mark.parametrize("dtype", ["f8", "i4", "c16", "?", "f4"])
def test_text_is_numpys(engine, shape, dtype):
    data = (numpy.random.RandomState(0).standard_normal(shape) * 1000).astype(dtype)
    array = gamelan.array(data)
    assert array.is_distributed
    assert repr(array) == repr(data) and str(array) == str(data) and f"{array}" == f"{data}"


def test_print_options_hold(engine):
    data = numpy.linspace(0, 1, 4000).reshape(50, 80)
    with numpy.printoptions(precision=2, edgeitems=2, linewidth=60, threshold=50):
        assert repr(gamelan.array(data)) == repr(data)
    with numpy.printoptions(threshold=10**6):
        assert str(gamelan.array(data)) == str(data)


def test_only_corners_are_fetched(engine):
    array = gamelan.zeros((2000, 2000))
    before = _core.stats()["fetch_bytes"]
    repr(array)
    assert _core.stats()["fetch_bytes"] - before <= 7 * 7 * 8


@pytest.mark.parametrize(
    "options",
    [{}, {"precision": 2, "separator": ", "}, {"threshold": 5, "edgeitems": 1}, {"formatter": {"float": "<{:.1f}>".format}}],
)
def test_array2string_is_numpys(engine, options):
    data = numpy.linspace(0, 1, 60).reshape(6, 10)
    assert gamelan.array2string(gamelan.array(data), **options) == numpy.array2string(data, **options)


def test_numbers_look_like_numbers(engine):
    total = gamelan.arange(4.0).sum()
    assert repr(total) == repr(numpy.float64(6.0)) and str(total) == "6.0" and f"{total:.2f}" == "6.00"


def test_card(engine, ranks):
    card = gamelan.zeros((300, 400))._repr_html_()
    assert ("<svg" in card) == bool(ranks)  # the picture of what lies with which rank
    assert "300 × 400" in card and "float64" in card and "938 KiB" in card and "array(" in card
    with gamelan.options(distribute_from=100):
        assert gamelan.zeros(3)._repr_html_() is None


def test_an_array_that_holds_itself():
    for module in (numpy, gamelan):
        whole, part = module.array(None), module.array([None, None])
        whole[()], part[1] = whole, part
        assert repr(whole) == "array(array(..., dtype=object), dtype=object)"
        assert repr(part) == "array([None, array(..., dtype=object)], dtype=object)"
        whole[()] = part[1] = 0
