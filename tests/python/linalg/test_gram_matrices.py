# SPDX-License-Identifier: BSD-3-Clause
"""A large matrix times its own transpose: half of the tiles are computed, and mirrored. Sizes at which several tiles meet the
ends of blocks, and the last one is cut."""

import gamelan
import numpy
import pytest

from matrices import general
from oracle import check


@pytest.fixture(params=[(512, 64), (600, 100), (777, 300), (1030, 70), (1281, 65)], ids=repr)
def shape(request):
    return request.param


FORMS = {
    "rows": lambda a: a @ a.T,
    "columns": lambda a: a.T @ a,
    "backwards": lambda a: a[::-1] @ a[::-1].T,
    "strided": lambda a: a[:, ::2] @ a[:, ::2].T,
    "once more": lambda a: 2 * (a @ a.T) + 1,
    "parts": lambda a: a[3:, 1:] @ a[3:, 1:].T,
    "another's transpose": lambda a: a[:-1] @ a[1:].T,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "c16"])
def test_they_are_numpys(engine, shape, form, dtype):
    turned = shape[::-1] if form == "columns" else shape
    check(lambda np: FORMS[form](general(np, turned, dtype)), f"{form} of {turned}")
    check(lambda np: FORMS[form](np.asarray(general(np, turned[::-1], dtype).T)), f"{form} of a transpose")


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_they_are_symmetric_to_the_bit(engines_only, shape, dtype):
    a = general(gamelan, shape, dtype)
    product = numpy.asarray(a @ a.T)
    assert (product == product.T).all()


def test_only_large_ones_are_halved(engines_only):
    def plan(rows, columns):
        a = general(gamelan, (rows, columns))
        return gamelan.explain(a @ a.T)

    assert "half of the tiles" in plan(512, 64) and "mirror tiles" in plan(512, 64)
    assert "half of the tiles" not in plan(511, 64) + plan(512, 63)


def test_what_is_not_finite_stays_in_its_row_and_column(engine):
    def program(np):
        a = general(np, (700, 80)).copy()
        a[650, 3] = np.nan
        a[20, 70] = np.inf
        return np.isfinite(a @ a.T)

    check(program)


def test_written_again_while_others_read(engine):
    def program(np):
        a = general(np, (900, 90))
        product = a @ a.T
        for k in range(3):
            product += k
            product[k] = 2 * product[:, 5]
        return product

    check(program)
