# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of ordinary size at the default threshold: several tiles, squares, reduction blocks and blocks with ragged ends of everything.

`python large_fuzz.py --ranks 3 --seconds 3600` runs many more programs than the seeded ones here.
"""

import os
import random

import numpy
import pytest

import fuzz
import large_fuzz
import oracle
from large_programs import LargeEnvironment, NothingFits
from large_statements import KINDS, Statements

PROGRAMS = int(os.environ.get("GAMELAN_TEST_LARGE_PROGRAMS", "14"))


@pytest.mark.parametrize("part", range(2))
def test_random_programs(ordinary, part):
    for seed in range(part * PROGRAMS // 2, (part + 1) * PROGRAMS // 2):
        written, difference = large_fuzz.run(seed, most=500_000)
        if difference is not None:
            if difference.kind not in fuzz.FATAL:
                written = fuzz.shorten(written, difference.kind, large_fuzz.attempt, tries=20)
            program = "\n".join(written)
            pytest.fail(f"program of seed {seed}:\n{program}\n=> {difference}", pytrace=False)


def test_every_kind_of_statement_is_drawn():
    """None is refused by NumPy more often than not."""
    fine, tried = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0)
    for seed in range(8):
        environment = LargeEnvironment(numpy)
        writer = Statements(random.Random(seed), environment.arrays, 140_000)
        for line in [
            "v0 = L((1300000,), 'i4', 1)",
            f"v1 = L({writer.shape()}, 'f8', 2)",
            "v2 = L((33, 2003), 'i4', 3)",
            "v3 = L((9, 40, 200), 'u1', 4)",
        ]:
            environment.run(line)
        writer.count = len(environment.arrays())
        for kind in KINDS:
            try:
                line = getattr(writer, kind)()
            except NothingFits:
                continue
            if line:
                tried[kind] += 1
                fine[kind] += environment.run(line.split("\n")[0]) is None
    assert [kind for kind in KINDS if fine[kind] <= tried[kind] / 2] == []


def test_a_difference_is_seen():
    """The runner sees one wrong element of many, and keeps only the lines that matter."""
    lines = ["v0 = L((1300000,), 'i8', 1)", "v1 = L((300, 301), 'f8', 3)", "v2 = v1 + v0[:301]",
             "v3 = v1 * 2; v3[299, 300] += 0 if np is n else 1"]  # fmt: skip
    difference = large_fuzz.attempt(lines)
    assert difference is not None and difference.kind == "value"
    assert fuzz.shorten(lines, "value", large_fuzz.attempt) == [lines[1], lines[3]]


@pytest.mark.parametrize("width", [16, 25, 31, 32, 33, 50, 63, 64, 65, 100, 127, 128, 129])
def test_rows_of_a_transposed_matrix_and_a_column(ordinary, width):
    """Square tiles that the ranks' blocks cut anywhere: a column is repeated along the long axis."""
    for rows in (1200, 4000, 20000 + width):
        data = (numpy.arange(rows * width) * 7919 % 1009).reshape(rows, width).astype("f8")
        column = numpy.arange(width) * 1000.0

        def program(np):
            d, c = np.array(data), np.array(column)
            return [
                d.T - c[:, None],
                d.T + column[:, None],
                np.where(d.T > c[:, None], 1, 0),
                d.T[:, 7:-3] * c[:, None],
                d.T[::-1, 5:] - c[::-1, None],
            ]

        oracle.check(program, f"{rows} x {width}", exact=True)


@pytest.mark.parametrize("width", [31, 40, 65, 128])
def test_covariance_of_columns(ordinary, width):
    data = (numpy.arange(4000 * width) * 7919 % 1009).reshape(4000, width).astype("f8")
    oracle.check(lambda np: [np.cov(np.array(data).T), np.corrcoef(np.array(data).T), np.cov(np.array(data), rowvar=False)])


def test_columns_of_a_wide_matrix(ordinary):
    def program(np):
        a = np.arange(1200000.0).reshape(1200, 1000)
        return [a[:, :k].T - numpy.arange(float(k))[:, None] for k in (1, 15, 16, 17, 31, 32, 33, 50, 64, 65, 500, 1000)]

    oracle.check(program, exact=True)
