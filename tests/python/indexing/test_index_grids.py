# SPDX-License-Identifier: BSD-3-Clause
"""mgrid, ogrid, r_ and c_ against NumPy."""

import numpy
import pytest

import gamelan
from oracle import check_all

GRIDS = [
    "0:3",
    "1:9:2",
    "0:1:5j",
    "5:0:-2",
    "0:0",
    "0:2,0:3",
    "0:2,1:3:0.5,0:4:2",
    "-1:1:3j,0:2",
    ":3,:2",
    "0.5:3",
    "0:3:1j,0:1",
    "numpy.float32(0):2,0:3",
    "0:2,",
    "3:1,0:2",
]
JOINED = [
    "r_[1:4, 0, a]", "r_[a, a]", "r_[a, 5, 2.5]", "r_[0:1:3j, a]", "r_['0,2', a, a]", "r_['0,2,0', a, a]", "r_['1,2,0', a, a]", "r_['-1', m, m]", "r_[m, m]",
    "r_['1', m, m]", "r_['0,3', m, m]", "r_['0,3,1', m, m]", "c_[a, a]", "c_[m, m]", "c_[a, [4, 5, 6]]", "c_[a, a * 0.5, 1:4]", "r_[a, m]", "r_[a.sum(), a]",
]  # fmt: skip


@pytest.mark.parametrize("name", ["mgrid", "ogrid"])
def test_grids(engine, name):
    check_all((f"{name}[{key}]", lambda np, key=key: eval(f"np.{name}[{key}]", {"np": np, "numpy": numpy})) for key in GRIDS)


def test_joined(engine):
    def program(np, text):
        a = np.arange(3)
        return eval(f"np.{text}", {"np": np, "a": a, "m": np.ones((2, 3), "f4")})

    check_all((text, lambda np, text=text: program(np, text)) for text in JOINED)


def test_large_grids_are_made_by_the_engines(engine):
    with gamelan.options(gather_limit=10):
        assert (
            gamelan.mgrid[0:50, 0:60].is_distributed
            and gamelan.ogrid[0:50, 0:60][1].is_distributed
            and gamelan.r_[0:50, 1].is_distributed
        )
