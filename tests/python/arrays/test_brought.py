# SPDX-License-Identifier: BSD-3-Clause
"""Small parts of large arrays in frequent use are computed with here, and are never stale."""

import operator
import threading

import numpy
import pytest

import gamelan
from gamelan import _core

ROWS, COLUMNS = 300, 240  # 72,000 elements; a few columns of it are small
USES = 3


@pytest.fixture
def table(engine):
    theirs = numpy.random.default_rng(7).random((ROWS, COLUMNS))
    with gamelan.options(distribute_from=20_000):
        yield gamelan.array(theirs), theirs


def is_here(array):
    return getattr(array, "_b", None) is None


VIEWS = [
    (slice(None), slice(None, 16)), (slice(None), 3), (5,), (slice(None, None, -1), slice(2, 40, 5)), (slice(10, 11), slice(None)),
    (slice(None), None, slice(7, 2, -2)), (slice(3, 200, 7), slice(None, None, -3)), (slice(7, 8), slice(9, 10)), (None, 4, None, slice(None)),
]  # fmt: skip


@pytest.mark.parametrize("key", VIEWS, ids=str)
def test_a_part_that_is_used_often_comes_here(table, key):
    ours, theirs = table
    for turn in range(USES + 2):
        result = ours[key] * 2.0 + 1.0
        assert is_here(result) == (turn >= USES - 1), turn
        numpy.testing.assert_array_equal(result, theirs[key] * 2.0 + 1.0)
    for ours_too, theirs_too in ((ours[key].T, theirs[key].T), (ours[key][..., ::-1], theirs[key][..., ::-1])):
        result = ours_too - 0.5
        assert is_here(result)
        numpy.testing.assert_array_equal(result, theirs_too - 0.5)


OPERATIONS = {
    "sum": lambda np, x: np.sum(x, axis=0), "mean": lambda np, x: x.mean(1), "std": lambda np, x: x.std(), "argmin": lambda np, x: x.argmin(1),
    "matmul": lambda np, x: x.T @ x, "vector": lambda np, x: x @ np.ones(8), "dot": lambda np, x: np.dot(x.T, x), "mask": lambda np, x: x[x[:, 0] > 0.5],
    "positions": lambda np, x: x[np.array([3, 1, 250])], "sort": lambda np, x: np.sort(x, axis=0), "where": lambda np, x: np.where(x > 0.5, x, 0),
    "cov": lambda np, x: np.cov(x, rowvar=False), "norm": lambda np, x: np.linalg.norm(x, axis=1), "broadcast": lambda np, x: x[:, None] - x[:5],
    "median": lambda np, x: np.median(x, axis=0), "exp": lambda np, x: np.exp(-x), "compare": lambda np, x: (x < 0.25).sum(), "concatenate": lambda np, x: np.concatenate([x, x]),
}  # fmt: skip


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_on_it_are_numpys(table, name):
    ours, theirs = table
    function = OPERATIONS[name]
    for _ in range(2 * USES):
        x = ours[:, 20:28]
        result = function(gamelan, x)
        expected = function(numpy, theirs[:, 20:28])
        assert result.dtype == expected.dtype
        numpy.testing.assert_allclose(result, expected, rtol=1e-13)
    if name not in ("concatenate", "cov"):
        assert is_here(result)


def test_nothing_is_stale(table):
    ours, theirs = table
    for turn in range(4 * USES):
        numpy.testing.assert_array_equal(ours[:, 1] + 1, theirs[:, 1] + 1)
        numpy.testing.assert_array_equal(numpy.asarray(ours[:, 1].copy()), theirs[:, 1])
        if turn % 4 == 0:
            ours[turn, 1] = theirs[turn, 1] = turn
    assert is_here(ours[:, 1] + 1)
    view = ours[:, 1]
    view *= 2  # written through a view, by the engines
    theirs[:, 1] *= 2
    result = ours[:, 1] + 1
    assert not is_here(result)
    numpy.testing.assert_array_equal(result, theirs[:, 1] + 1)


def test_what_has_come_needs_no_batch(table):
    ours, _ = table
    x = ours[:, :8]
    for _ in range(USES):
        gamelan.sync()
        x + 1
    before = _core.stats()["sent_batches"]
    for _ in range(10):
        assert float((x * 3).sum()) > 0
    assert _core.stats()["sent_batches"] == before


def test_what_is_not_computed_yet_does_not_wait(table):
    """A chain of small results of large arrays stays in one batch."""
    ours, theirs = table
    gamelan.sync()
    before = _core.stats()["sent_batches"]
    means, expected = ours.mean(0), theirs.mean(0)
    for _ in range(3 * USES):
        means, expected = means + means * means, expected + expected * expected
    assert _core.stats()["sent_batches"] == before and not is_here(means)
    numpy.testing.assert_allclose(means, expected, rtol=1e-12)


def test_nothing_is_brought_while_much_is_recorded(engine):
    with gamelan.options(distribute_from=20_000):
        large, x = gamelan.ones((1500, 1500)), gamelan.ones((300, 300))[:, 0]
        for _ in range(USES):
            gamelan.sync()
            x + 1
        y = gamelan.ones((300, 300))[:, 1]
        y + 1, y + 2
        gamelan.sync()
        before = _core.stats()["sent_batches"]
        other = large * 2
        assert is_here(x + 1)  # it is here already
        assert not is_here(y + 3) and _core.stats()["sent_batches"] == before
        assert float(other[3, 3]) == 2


def test_it_is_not_written(table):
    ours, theirs = table
    x, out = ours[:, :8], gamelan.zeros(ROWS)
    for _ in range(2 * USES):
        assert gamelan.sum(x, 1, None, out) is out
        row_sums = ours[:, 9]
        gamelan.sum(x, axis=1, out=row_sums)
        theirs[:, 9] = theirs[:, :8].sum(1)
        gamelan.add(x, 1, out=x)
        theirs[:, :8] += 1
        numpy.testing.assert_allclose(ours[:, :10], theirs[:, :10], rtol=1e-13)
    for view in (gamelan.transpose(x), gamelan.ravel(ours[3]), x.T):
        assert view._b is not None


def test_errors_and_warnings_are_numpys(table):
    ours, _ = table
    gamelan.sync()
    for turn in range(2 * USES):
        x = ours[:, :4]
        with pytest.raises(ValueError, match="could not be broadcast together"):
            x + numpy.ones(5)
        with pytest.raises(ValueError, match="matmul"):
            x @ numpy.ones(5)
        with pytest.raises(IndexError):
            x[numpy.array([ROWS])]
        if turn >= USES:
            with pytest.warns(RuntimeWarning, match="divide by zero"):
                x / 0


def test_bools_and_numbers_without_axes(table):
    ours, theirs = table
    mask, true = ours > 0.5, theirs > 0.5
    total, expected = ours.sum(), theirs.sum()
    for _ in range(2 * USES):
        numpy.testing.assert_array_equal(mask[:, 3] & mask[:, 4], true[:, 3] & true[:, 4])
        numpy.testing.assert_allclose(ours[:, 0] * total, theirs[:, 0] * expected)
        numpy.testing.assert_array_equal(ours[mask[:, 0]], theirs[true[:, 0]])
    odd = gamelan.full((ROWS, COLUMNS), 2, "u1")
    for _ in range(2 * USES):
        numpy.testing.assert_array_equal(~odd.view(bool)[:, 0], numpy.zeros(ROWS, bool))


def test_the_array_dies_while_its_copy_lives(engine):
    with gamelan.options(distribute_from=20_000):
        for _ in range(20):
            ours = gamelan.ones((ROWS, COLUMNS))
            gamelan.sync()
            for _ in range(USES + 1):
                result = gamelan.where(ours[:, 0] > 0, ours[:, 0], 5)
            del ours
            assert is_here(result) and result.sum() == ROWS


def use(part):
    for _ in range(USES + 1):
        result = part + 0
    assert is_here(result)


def test_threads_that_fetch_the_same_part_do_not_disturb_each_other(table):
    ours, theirs = table
    gamelan.sync()
    wrong, together = [], threading.Barrier(3)

    def work():
        for turn in range(30):
            together.wait()
            results = [ours[:, turn] * 2.0 for _ in range(4)]
            wrong.extend(turn for each in results if not numpy.array_equal(each, theirs[:, turn] * 2.0))
            together.wait()

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert not wrong
    use(ours[:, 200])


def test_an_output_among_the_arguments_is_written(table):
    ours, theirs = table
    gamelan.sync()
    u, corner = gamelan.ones(3), ours[3:6, 3:6]
    use(corner)
    assert gamelan.outer(u, u, corner) is corner
    theirs[3:6, 3:6] = 1
    gamelan.sync()
    row = ours[8, :6]
    use(row)
    gamelan.concatenate((u, u * 2), 0, row)
    theirs[8, :6] = [1, 1, 1, 2, 2, 2]
    numpy.testing.assert_array_equal(ours, theirs)


def test_a_view_stays_a_view(table):
    ours, theirs = table
    gamelan.sync()
    part = ours[:10, :10]
    use(part)
    view = gamelan.einsum("ij->ji", part)
    view[0, 1] = theirs[1, 0] = 5
    numpy.testing.assert_array_equal(ours, theirs)


def test_what_is_lost_is_not_computed_with(table, ranks):
    if not ranks:
        pytest.skip("the model knows no interrupts")
    ours, _ = table
    gamelan.sync()

    use(ours[:, 1])

    def interrupted():
        ours[:, 1] = 5
        gamelan.sync()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _core.Call(interrupted)()
    for read in (lambda: ours[:, 1] + 0, lambda: ours + 0):
        with pytest.raises(gamelan.CancelledError):
            numpy.asarray(read())


def test_two_columns_of_a_wide_table_come_here(engine):
    with gamelan.options(distribute_from=70_000):
        wide = gamelan.ones((60_000, 150))  # above what is kept here of all arrays together
        gamelan.sync()
        for _ in range(USES + 1):
            result = wide[:, 0] * wide[:, 1]
        assert is_here(result) and result.sum() == 60_000


def test_what_was_used_long_ago_makes_room(engine):
    with gamelan.options(distribute_from=140_000):
        wide = gamelan.ones((130_000, 4))
        others = [gamelan.full((130_000, 2), float(number)) for number in range(70)]
        gamelan.sync()
        use(wide[:, 0])
        for number, other in enumerate(others):  # 70 MB
            use(other[:, 0])
            assert float((other[:, 0] + 1)[7]) == number + 1
        assert float((wide[:, 0] + 1)[7]) == 2


def test_operators_of_the_standard_library(table):
    ours, theirs = table
    gamelan.sync()
    use(ours[:, 5])
    numpy.testing.assert_array_equal(operator.add(ours[:, 5], 1), theirs[:, 5] + 1)


@pytest.mark.parametrize("name", ["nanmean", "nanvar", "gradient", "unwrap", "ptp", "corrcoef", "average", "pad"])
def test_functions_of_several_commands_find_their_arrays_where_they_left_them(table, name):
    ours, theirs = table
    gamelan.sync()
    more = (3,) if name == "pad" else ()
    for _ in range(2 * USES):
        part, expected = ours[:, 3], getattr(numpy, name)(theirs[:, 3], *more)
        part + 0
        for one, other in zip(numpy.atleast_1d(getattr(gamelan, name)(part, *more)), numpy.atleast_1d(expected)):
            numpy.testing.assert_allclose(one, other, rtol=1e-12)


LOOPS = {
    "rows": lambda x: (x[k] for k in range(ROWS)), "columns": lambda x: (x[:, k] for k in range(COLUMNS)),
    "blocks": lambda x: (x[k : k + 7] for k in range(0, ROWS, 7)), "every second row, backwards": lambda x: (x[k, ::-1] for k in range(0, ROWS, 2)),
    "parts of a line": lambda x: (x.reshape(-1)[k : k + 1000] for k in range(0, ROWS * COLUMNS, 1000)), "iteration": iter,
}  # fmt: skip


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_over_parts_fetches_many_at_once(table, name):
    ours, theirs = table
    for turn in range(2):
        gamelan.sync()
        before = _core.stats()["sent_batches"]
        results = [x.sum() + x.max() for x in LOOPS[name](ours)]
        assert _core.stats()["sent_batches"] - before <= 5
        assert sum(map(is_here, results)) >= len(results) - 8
        numpy.testing.assert_allclose(results, [x.sum() + x.max() for x in LOOPS[name](theirs)], rtol=1e-13)


@pytest.mark.parametrize("name", ["windows", "other steps", "backwards"])
def test_other_loops_over_parts(table, name):
    ours, theirs = table
    steps = {"windows": range(0, 60), "other steps": [k * k // 3 for k in range(30)], "backwards": range(200, 100, -3)}[name]
    for k in steps:
        numpy.testing.assert_allclose((ours[k : k + 5] * 2.0).sum(0), (theirs[k : k + 5] * 2.0).sum(0), rtol=1e-13)


def test_what_came_ahead_is_never_stale(table):
    ours, theirs = table
    for k in range(100):
        numpy.testing.assert_array_equal(ours[k] + 1, theirs[k] + 1)
        if k % 20 == 19:
            ours[k + 3] = theirs[k + 3] = k
    assert is_here(ours[100] + 1) == is_here(ours[101] + 1)
    ours *= 2
    theirs *= 2
    for k in range(100):
        numpy.testing.assert_array_equal(ours[k] + 1, theirs[k] + 1)


def test_large_parts_come_ahead_only_where_results_are_read(engine):
    with gamelan.options(distribute_from=20_000):
        theirs = numpy.random.default_rng(3).random(300_000)
        for is_read in (False, True):
            ours = gamelan.array(theirs)
            gamelan.sync()
            results = []
            for first in range(0, ours.size, 10_000):
                results.append(ours[first : first + 10_000].max())
                if is_read:
                    float(results[-1])
            assert (sum(map(is_here, results)) > 20) == is_read
            assert [float(each) for each in results] == theirs.reshape(30, -1).max(1).tolist()
