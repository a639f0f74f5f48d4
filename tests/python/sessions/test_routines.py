# SPDX-License-Identifier: BSD-3-Clause
"""A user's compiled routines (tests/routines, in C and Fortran) called with arrays as Global Arrays, beside NumPy."""

import os
import pathlib

import gamelan as np
import numpy
import pytest
from gamelan import _session

import engines

LIBRARIES = [path for path in (pathlib.Path(engines.engine_program()).parent.parent / "tests" / name
                               for name in ("example_routines.so", "example_routines_fortran.so")) if path.exists()]  # fmt: skip


@pytest.fixture(scope="module")
def own(request, ranks):
    """Engines of this file's own, with libraries; the session's come back afterwards."""
    if ranks == 0:
        pytest.skip("routines are the engines'")
    if not LIBRARIES:
        pytest.skip("example_routines.so is not beside the engine, which was built without tests")
    previous = _session.engines()
    running = engines.Engines(ranks, ranks_per_node=request.config.getoption("--ranks-per-node"),
                              options=("--routines", os.pathsep.join(map(str, LIBRARIES))))  # fmt: skip
    _session.use(running)
    try:
        with np.options(distribute_from=0):
            yield running
    finally:
        running.stop()
        _session.use(previous) if previous else _session.release()


def smoothed(plane):
    plane = plane.copy()
    plane[1:-1, 1:-1] = 0.25 * (plane[:-2, 1:-1] + plane[2:, 1:-1] + plane[1:-1, :-2] + plane[1:-1, 2:])
    return plane


@pytest.mark.parametrize("shape", [(16, 9), (3, 3), (2, 40), (1, 1), (33, 64)])
def test_a_stencil_in_c_reads_its_neighbours_blocks(own, shape):
    smooth = np.routine("smooth")
    data = numpy.random.default_rng(1).standard_normal(shape)
    x = np.array(data)
    smooth(x)
    x += 1
    smooth(x)
    assert numpy.array_equal(numpy.asarray(x), smoothed(smoothed(data) + 1) if min(shape) > 2 else data + 1)


@pytest.mark.parametrize("number", range(5))
def test_arrays_of_every_layout_are_taken(own, ranks, number):
    choice = [
        np.distribution.block((1, -1)),
        np.distribution.replicated(),
        np.distribution.block(1, ranks=(ranks - 1, 1)),
        np.distribution.irregular([2] * (ranks - 1)),
        np.distribution.cyclic(0, 1),
    ][number]
    data = numpy.random.default_rng(2).standard_normal((12, 8))
    x = np.redistribute(np.array(data), choice)
    before = x.distribution
    np.routine("smooth")(x)
    assert numpy.array_equal(numpy.asarray(x), smoothed(data)) and x.distribution == before


def test_lazy_and_in_order(own):
    add_scaled = np.routine("add_scaled")
    x, y = np.arange(100.0), np.ones(100)
    for turn in range(5):
        add_scaled(y, x, 0.5)
        x *= 2
        y -= 1
    expected_x, expected_y = numpy.arange(100.0), numpy.ones(100)
    for turn in range(5):
        expected_y += 0.5 * expected_x
        expected_x *= 2
        expected_y -= 1
    assert numpy.array_equal(numpy.asarray(y), expected_y) and numpy.array_equal(numpy.asarray(x), expected_x)


def test_fortran_where_the_block_lies(own):
    if len(LIBRARIES) < 2:
        pytest.skip("no Fortran compiler was there when this was built")
    for shape in [(17,), (6, 7), (3, 4, 5)]:
        data = numpy.arange(float(numpy.prod(shape))).reshape(shape)
        x = np.array(data)
        np.routine("scale_by")(x, 3)
        assert numpy.array_equal(numpy.asarray(x), 3 * data)


def test_no_array_is_copied_where_it_lies_well(own):
    x = np.ones((64, 64))
    np.sync()
    smooth = np.routine("smooth")
    smooth(x)
    np.sync()
    plan = np.stats()
    smooth(x)
    np.sync()
    assert np.stats()["steps"] - plan["steps"] <= max(1, np.stats().get("ranks", 1)), "one step: no copies around it"


def test_errors_are_python_s_and_the_engines_live(own):
    x = np.ones(10)
    with pytest.raises(ValueError, match='no routine "nothing"'):
        np.routine("nothing")
    with pytest.raises(ValueError, match='no routine "system"'):
        np.routine("system")  # of a library that the routines need, not theirs
    smooth = np.routine("smooth")
    smooth(x)
    with pytest.raises(ValueError, match="smooth returned 2"):
        np.sync()
    with pytest.raises(ValueError, match="smooth returned 2"):
        float(x[0])  # what it may have written is not known
    np.routine("refuse")(np.ones(10))
    with pytest.raises(ValueError, match="refuse returned 3 on rank"):
        np.sync()
    for arguments, error in [((), TypeError), ((1.0,), TypeError), ((np.ones(10), "a"), TypeError), ((np.ones(10)[2:],), ValueError),
                             ((np.zeros(0),), ValueError)]:  # fmt: skip
        with pytest.raises(error):
            smooth(*arguments)
    assert float(np.ones(10).sum()) == 10


def test_dtypes_that_global_arrays_lack_are_refused(own):
    for dtype in ("f2", "u4", "b1", "i2"):
        with pytest.raises(TypeError, match=f"of dtype {numpy.dtype(dtype)}"):
            np.routine("smooth")(np.ones(10, dtype))
