# SPDX-License-Identifier: BSD-3-Clause
"""Sweeps that nobody looks at in between are tiled in time: a band of rows goes through several of them. The bits are NumPy's."""

import random
import re

import gamelan
import numpy
import pytest
from gamelan import _core

import engines
import oracle


def start(np, shape, count, dtype="f8"):
    data = numpy.random.default_rng(11)
    return [np.asarray((data.random(shape) * 8 - 4).astype(dtype)) for _ in range(count)]


def two_arrays(np, shape, sweeps):
    u, v = start(np, shape, 2)
    for _ in range(sweeps):
        v[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
        u, v = v, u
    return [u, v]


def in_place(np, shape, sweeps):
    (u,) = start(np, shape, 1)
    for _ in range(sweeps):
        u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
    return [u]


def waves(np, shape, sweeps):
    a, b, c = start(np, shape, 3)
    for _ in range(sweeps):
        c[1:-1, 1:-1] = (
            2 * b[1:-1, 1:-1] - a[1:-1, 1:-1]
            + 0.1 * (b[2:, 1:-1] + b[:-2, 1:-1] + b[1:-1, 2:] + b[1:-1, :-2] - 4 * b[1:-1, 1:-1])
        )  # fmt: skip
        a, b, c = b, c, a
    return [a, b, c]


def heat(np, shape, sweeps):
    u, v, k = start(np, shape, 3)
    for _ in range(sweeps):
        v[2:-1] = u[2:-1] + 0.01 * k[2:-1] * (u[3:] - 2 * u[2:-1] + u[1:-2]) + 0.001 * k[:-3] * u[:-3]
        v[:, 0] = v[:, 1]
        u, v = v, u
    return [u, v]


def reaction(np, shape, sweeps):
    def around(z):
        return z[:-2, 1:-1] + z[1:-1, :-2] - 4 * z[1:-1, 1:-1] + z[1:-1, 2:] + z[2:, 1:-1]

    u, v = start(np, shape, 2)
    u /= 8
    v /= 8
    for _ in range(sweeps):
        a, b = u[1:-1, 1:-1], v[1:-1, 1:-1]
        change_a, change_b = around(u), around(v)
        product = a * b * b
        a += 0.1 * change_a - product + 0.03 * (1 - a)
        b += 0.05 * change_b + product - 0.09 * b
    return [u, v]


def one_sided(np, shape, sweeps):
    u, v = start(np, shape, 2)
    for _ in range(sweeps):
        v[3:] = u[3:] * 0.5 + u[:-3] * 0.25
        u[:-2] = v[2:] * 0.5 - v[:-2]
    return [u, v]


def fresh(np, shape, sweeps):
    (u,) = start(np, shape, 1)
    for _ in range(sweeps):
        u = (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:]) / 3
    return [u]


PROGRAMS = [two_arrays, in_place, waves, heat, reaction, one_sided, fresh]


@pytest.fixture
def tiling(engine, ranks):
    """Sets which sweeps are tiled, and puts it back."""
    if not ranks:
        pytest.skip("the model has no passes")

    def choose(value):
        _core.flush(True)
        _core.configure([("tiling", value)])

    yield choose
    choose("on")


def plan_of(program, shape, sweeps):
    """The plan of a program's last batch, which has all sweeps where the arrays are small."""
    results = program(gamelan, shape, sweeps)
    text = str(gamelan.explain(results[0]))
    gamelan.sync()
    return text


def same_bits(program, *arguments):
    oracle.count()
    expected = program(numpy, *arguments)
    computed = program(gamelan, *arguments)
    for want, got in zip(expected, computed, strict=True):
        numpy.testing.assert_array_equal(numpy.asarray(got), want, strict=True)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("shape", [(97, 40), (211, 9), (64, 33), (30, 100)], ids=str)
@pytest.mark.parametrize("sweeps", [2, 3, 8])
def test_small_arrays(tiling, program, shape, sweeps):
    tiling("always")
    same_bits(program, shape, sweeps)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_ordinary_sizes(tiling, program):
    same_bits(program, (1037, 1411), 7)


def test_one_dimension_and_three(tiling):
    def line(np, length):
        u, v = start(np, (length,), 2)
        for _ in range(9):
            v[1:-1] = 0.5 * u[1:-1] + 0.25 * (u[2:] + u[:-2])
            u, v = v, u
        return [u, v]

    def box(np, shape):
        u, v = start(np, shape, 2)
        for _ in range(4):
            v[1:-1, 1:-1, 1:-1] = (u[2:, 1:-1, 1:-1] + u[:-2, 1:-1, 1:-1] + u[1:-1, 2:, 1:-1] + u[1:-1, 1:-1, :-2]) / 4
            u, v = v, u
        return [u, v]

    same_bits(line, 1_500_000)
    same_bits(box, (101, 120, 130))
    tiling("always")
    same_bits(line, 403)
    same_bits(box, (41, 12, 13))


@pytest.fixture
def one_node(request):
    if request.config.getoption("--ranks-per-node"):
        pytest.skip("sweeps are tiled where one node has all ranks")


@pytest.mark.parametrize("program", [two_arrays, in_place, waves, reaction], ids=lambda each: each.__name__)
def test_the_plan_tells(tiling, ranks, one_node, program):
    tiling("always")
    told = plan_of(program, (60 * ranks, 50), 5)
    assert "wavefront of" in told
    assert ("borders of the wavefront" in told) == (ranks > 1)
    tiling("off")
    assert "wavefront" not in plan_of(program, (60 * ranks, 50), 5)
    tiling("on")
    assert "wavefront" not in plan_of(program, (60 * ranks, 50), 5), "small arrays stay in cache anyway"


def test_versions_share_two_blocks(tiling, ranks, one_node):
    """An array that is replaced in every sweep takes no more memory than without tiles."""
    _core.flush(True)
    u = gamelan.ones((700 * ranks, 1000))
    gamelan.sync()
    for _ in range(7):
        u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
    told = str(gamelan.explain(u))
    assert "wavefront of 7 passes" in told
    parts = told[told.index("wavefront of 7 passes") :]
    assert len(set(re.findall(r"float64 (s\d+) (?:read|written)", parts))) == 2
    assert parts.count("carry") == 1


@pytest.mark.parametrize("sweeps", [3, 4, 6])
def test_where_memory_is_short_sweeps_are_single_passes(engine, ranks, one_node, sweeps):
    """A wavefront may take a block more: what fits without one is not refused because of it."""
    if not ranks:
        pytest.skip("the model has no heap")
    with engines.in_use(ranks, 20 << 20):
        u = gamelan.ones((1000 * ranks, 1000))
        gamelan.sync()
        for _ in range(sweeps):
            u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
        assert str(gamelan.explain(u)).startswith("memory of a rank: ")
        assert float(u.sum()) == u.size


def random_program(np, seed, shape):
    """Statements over shifted views, some of them in place, some that no wavefront can have, some that reduce, some that look."""
    choice = random.Random(seed)
    arrays = start(np, shape, choice.randint(1, 4))
    looks, reduced = [], []
    statements = [
        (choice.randrange(10), choice.randint(0, 3), choice.randint(0, 3), choice.randint(0, 2), choice.randint(0, 2),
         [(choice.randrange(4), choice.randint(0, 3), choice.randint(0, 2)) for _ in range(choice.randint(1, 4))])
        for _ in range(choice.randint(1, 4))
    ]  # fmt: skip
    for sweep in range(choice.randint(2, 9)):
        for kind, target, rows, low, columns, terms in statements:
            into = arrays[target % len(arrays)]
            height, width = shape[0] - 3, shape[1] - 2
            value = 0.25
            for source, down, right in terms:
                value = value + 0.2 * arrays[source % len(arrays)][down : down + height, right : right + width]
            if kind == 0:
                into[:, 0] = into[:, 1]
            elif kind == 1:
                into[0] = 0.5 * into[2]
            elif kind == 2 and sweep % 3 == 1:
                looks.append(float(into[low, columns]))
            elif kind == 3:
                into[rows : rows + height, columns : columns + width] += value
                into *= 0.5
            elif kind == 4:
                arrays[target % len(arrays)] = np.maximum(into, 0.5 * into[::-1])
            elif kind == 5:
                reduced.append((value * into[rows : rows + height, columns : columns + width]).max())
            elif kind in (6, 7):
                view = into[rows : rows + height, columns : columns + width]
                reduced.append((value < view).sum(axis=1))
                if kind == 7:
                    view[...] = value / (1.0 + reduced[-1][:, None])
            else:
                into[rows : rows + height, columns : columns + width] = value
        arrays = arrays[1:] + arrays[:1]
    return [*arrays, numpy.array(looks), *reduced]


@pytest.mark.parametrize("shape", [(83, 17), (150, 31)], ids=str)
@pytest.mark.parametrize("seeds", range(8))
def test_random_programs(tiling, seeds, shape):
    tiling("always")
    for seed in range(seeds * 15, seeds * 15 + 15):
        same_bits(random_program, seed, shape)


def descend(np, shape, sweeps):
    """As conjugate gradients do: each sweep takes a number that the last one's reduction has given."""
    p, r, w = start(np, shape, 3)
    found, share = [], 0.25
    for k in range(sweeps):
        inner = p[1:-1, 1:-1]
        p[1:-1, 1:-1] = r[1:-1, 1:-1] + share * inner
        around = 4.0 * inner - p[:-2, 1:-1] - p[2:, 1:-1] - p[1:-1, :-2] - p[1:-1, 2:]
        if k % 4 == 0:
            found.append((inner * around).sum())
        elif k % 4 == 1:
            found += [(inner * around).sum(axis=1), around.std(axis=1), (around > 6).any(axis=1), around.max()]
        elif k % 4 == 2:
            found.append(around.mean())
        else:
            rows = (inner * around).sum(axis=1)
            p[1:-1, 1:-1] -= 0.01 * rows[:, np.newaxis]
            found += [rows, (p[2:] - p[:-2]).min()]
        share = 0.01 * np.cos(found[-1] / shape[0] / shape[1])
        r = r - 0.1 * share * w
        found.append((r * r).sum())
    return [p, r, *found]


def planes(np, shape, sweeps):
    (u,) = start(np, (shape[0], 7, shape[1] // 4), 1)
    found, share = [], 0.25
    for _ in range(sweeps):
        u[1:-1] = 0.5 * u[1:-1] + share * (u[2:] - u[:-2])
        found += [(u[1:] * u[:-1]).sum(axis=2), (u[1:] - u[:-1]).max(axis=(0, 2)), (u[1:] * u[:-1]).sum()]
        share = 0.01 * np.cos(found[-1] / shape[0] / shape[1])
    return [u, *found]


@pytest.mark.parametrize("program", [descend, planes], ids=lambda each: each.__name__)
@pytest.mark.parametrize("shape", [(97, 140), (211, 9), (40, 1000), (1037, 1411), (2048, 1056)], ids=str)
def test_a_sweep_and_a_reduction_of_it(tiling, ranks, one_node, program, shape):
    """They share a pass over memory, and have the bits of two passes."""
    is_large = shape[0] > 1000
    tiling("off")
    single = [numpy.asarray(each) for each in program(gamelan, shape, 6)]
    tiling("on" if is_large else "always")
    for _ in range(2 if is_large else 1):  # the second time in machine code
        tiled = program(gamelan, shape, 6)
        if program is descend and (ranks <= 2 if is_large else shape[0] > 20 * ranks):
            assert re.search(r"behind[^:]*: fold blocks with add", str(gamelan.explain(tiled[0])))
        for want, got, numpys in zip(single, tiled, program(numpy, shape, 6), strict=True):
            numpy.testing.assert_array_equal(numpy.asarray(got), want, strict=True)
            numpy.testing.assert_allclose(want, numpys, rtol=1e-9, atol=1e-9)


def test_long_rows_are_folded_by_themselves(tiling, ranks, one_node):
    """Values of a reduction may need memory for a whole row, which no heap has admitted."""
    x, y = gamelan.ones(20 * ranks), gamelan.ones(300_000)
    gamelan.sync()
    tiling("always")
    x *= 2
    total = (x[:, None] * y).sum()
    assert not re.search(r"behind[^:]*: fold blocks", str(gamelan.explain(total)))
    assert float(total) == 40 * ranks * 300_000


def test_floating_point_errors_are_told(tiling):
    tiling("always")
    u, v = (gamelan.full((90, 40), 1e200) for _ in range(2))
    gamelan.sync()
    with pytest.warns(RuntimeWarning, match="overflow"):
        for _ in range(6):
            v[1:-1] = u[2:] * u[:-2]
            u, v = v, u
        gamelan.sync()
