# SPDX-License-Identifier: BSD-3-Clause
"""An array is looked at in one shape, written in another, and looked at in the first again: results are NumPy's, whatever blocks
the engines have chosen in between. Whole numbers, so that every sum is exact."""

import itertools

import numpy
import pytest

import gamelan
import oracle


def numbers(np, *shape, dtype="f8"):
    return (np.arange(int(numpy.prod(shape))) * 7919 % 1009 - 500).astype(dtype).reshape(shape)


def groups(a, axis, size):
    """Neighbours along an axis, together; what is left over at the end is left out."""
    whole = a.shape[axis] // size
    part = a[(slice(None),) * axis + (slice(0, whole * size),)]
    return part.reshape(part.shape[:axis] + (whole, size) + part.shape[axis + 1 :])


def pool(np, a):
    return groups(groups(a, 1, 2) if a.ndim > 1 else a, 0, 2).sum(axis=1)


def flat_pairs(np, a):
    flat = a.reshape(-1)
    return flat[: flat.size // 2 * 2].reshape(-1, 2).max(axis=1) - flat[1::2]


def flat_stencil(np, a):
    flat = a.reshape(-1)
    return flat[2:] + flat[:-2] - 2 * flat[1:-1]


def columns_in_groups(np, a):
    return groups(a, a.ndim - 1, 5).sum(axis=-1)


def in_eight(np, a):
    flat = a.reshape(-1)
    return flat[: flat.size // 8 * 8].reshape(8, -1).sum(axis=0)


def in_three(np, a):
    flat = a.reshape(-1)
    part = flat[: flat.size // 3 * 3].reshape(3, -1)
    return part[0] * part[1] - part[2]


def diagonals(np, a):
    step = a.shape[-1] + 1
    return a.reshape(-1)[::step] * 2


def blocks(np, a):
    return np.lib.stride_tricks.as_strided(a, (a.size // 64, 8, 8), (64 * a.itemsize, 8 * a.itemsize, a.itemsize)).sum(axis=1)


def sliding(np, a):
    return np.lib.stride_tricks.sliding_window_view(a.reshape(-1), 5).sum(axis=-1)


def write_pairs(np, a):
    part = groups(a, 0, 2)
    part[:, 0] = part[:, 1] + 1
    return a.sum()


def write_flat(np, a):
    flat = a.reshape(-1)
    flat[5:-5] = flat[4:-6] + 1
    return flat[3:100]


def write_stencil(np, a):
    flat = a.reshape(-1)
    flat[1:-1] = flat[2:] + flat[:-2] - flat[1:-1]
    flat[::7] = 3
    return flat.max()


def other_bytes(np, a):
    if a.dtype == complex:
        return a.view(float)[..., 1:] - a.view(float)[..., :-1]
    return a.view(np.uint8)[..., ::3] + np.uint8(1)


def stencil(np, a):
    results = [a.sum(), a[::-1] + a, a * 2 - 1]
    for axis in range(a.ndim):
        lower, upper = ((slice(None),) * axis + (part,) for part in (slice(None, -1), slice(1, None)))
        results.append(a[upper] - a[lower])
    return results


def in_place(np, a):
    inner = (slice(1, -1),) * a.ndim
    a[inner] = a[inner] + a[(slice(2, None),) * a.ndim] - a[(slice(None, -2),) * a.ndim]
    return a.copy()


def turned(np, a):
    return [a.T + 1, a.T.ravel()[1:] - a.T.ravel()[:-1], a.sum(axis=0)]


USES = [pool, flat_pairs, flat_stencil, columns_in_groups, in_eight, in_three, diagonals, blocks, sliding, write_pairs, write_flat,
        write_stencil, other_bytes]  # fmt: skip
PROBES = [stencil, in_place, turned]
LARGE = [(100_003,), (701, 499), (840, 120), (3, 40_003), (60_001, 2), (47, 50, 60)]
SMALL = [(64,), (97,), (8, 8), (13, 21), (3, 30), (30, 3), (5, 6, 8)]


def program(shape, dtype, is_apart, has_use_first, use, probe):
    """Runs on NumPy and on the engines alike; `is_apart`: each part is computed before the next is recorded."""

    def run(np):
        sync = np.sync if is_apart and np is gamelan else lambda: None
        a = numbers(np, *shape, dtype=dtype)
        if dtype == "c16":
            a = a + 1j * a[::-1]
        sync()
        results = []
        for part in (use, probe, use, probe) if has_use_first else (probe, use, probe):
            results.append(part(np, a))
            sync()
        return [*results, a]

    return run


@pytest.mark.parametrize("use", USES, ids=lambda use: use.__name__)
@pytest.mark.parametrize("shape", LARGE, ids=str)
def test_large(engine, use, shape):
    for probe, is_apart in zip(PROBES, itertools.cycle((True, False))):
        if use is blocks and shape[-1] % 8:
            continue
        oracle.check(program(shape, "f8", is_apart, is_apart, use, probe))


@pytest.mark.parametrize("use", USES, ids=lambda use: use.__name__)
@pytest.mark.parametrize("dtype", ["f8", "i2", "c16"])
def test_small_ones_on_all_ranks(engine, use, dtype):
    with gamelan.options(distribute_from=0):
        for number, (shape, probe) in enumerate(itertools.product(SMALL, PROBES)):
            is_apart = number % 2 == 0
            oracle.check(program(shape, dtype, is_apart, not is_apart, use, probe))


BORN = {
    "pairs": lambda np: numbers(np, 50_003, 2).ravel(),
    "stack": lambda np: np.stack([numbers(np, 50_001), numbers(np, 50_001) * 2], axis=-1).ravel(),
    "repeat": lambda np: numbers(np, 30_001).repeat(4),
    "repeat twice": lambda np: numbers(np, 151, 149).repeat(2, 0).repeat(2, 1),
    "kron": lambda np: np.kron(numbers(np, 101, 53), np.ones((4, 4))),
    "tile": lambda np: np.tile(numbers(np, 151, 149), (2, 3)),
    "parts of complex numbers": lambda np: (numbers(np, 60_001) + 1j).view(float),
    "pairs as complex numbers": lambda np: numbers(np, 120_002).view(complex),
    "bits": lambda np: np.unpackbits(numbers(np, 20_001).astype(np.uint8)).astype(float),
    "columns first": lambda np: numbers(np, 301, 401).ravel("F"),
    "turned": lambda np: numbers(np, 301, 401).T.ravel(),
    "four axes": lambda np: numbers(np, 20, 30, 20, 15).reshape(600, 300),
    "broadcast": lambda np: np.broadcast_to(numbers(np, 20_001)[:, None], (20_001, 8)).copy().ravel(),
}


@pytest.mark.parametrize("born", BORN)
def test_born_in_another_shape(engine, born):
    for probe, is_apart in itertools.product(PROBES, (True, False)):

        def run(np, probe=probe, is_apart=is_apart):
            a = BORN[born](np)
            if is_apart and np is gamelan:
                np.sync()
            return [probe(np, a), probe(np, a)]

        oracle.check(run)


def test_bits_do_not_depend_on_what_was_done_before(engine, ranks):
    """The sum of an array that has been looked at in groups is the sum of a fresh one, to the last bit."""
    values = numpy.random.default_rng(3).random((1400, 700))
    sums = []
    for use in (None, pool, columns_in_groups, flat_stencil, sliding):
        a = gamelan.array(values)
        gamelan.sync()
        kept = use(gamelan, a) if use else None
        gamelan.sync()
        sums.append([numpy.asarray(x).tobytes() for x in (a.sum(), a.sum(axis=0), a.sum(axis=1), (a * a).mean())])
        del kept
    assert all(each == sums[0] for each in sums)


def test_rows_that_are_cut_are_brought_together_once(engine, ranks):
    """A transposed table lies as the table does. What goes along its rows stores it anew, in blocks of rows, and later batches
    find it so."""
    values = numpy.random.default_rng(4).random((1400, 1300))
    fresh = gamelan.array(values.T.copy())
    wanted = [
        numpy.asarray(x).tobytes() for x in (fresh.sum(), fresh.sum(axis=1), (fresh * 2).max(axis=0), gamelan.cumsum(fresh, 1))
    ]
    for first in (lambda a: a.sum(), lambda a: a[5:].max(), lambda a: gamelan.sort(a, axis=1), lambda a: gamelan.cumsum(a, axis=-1),
                  lambda a: a.argmax(axis=1), lambda a: (a * 2).T.min(axis=0), lambda a: a.sum(axis=0)):  # fmt: skip
        a = gamelan.array(values).T + 0
        gamelan.sync()
        assert numpy.asarray(first(a)).tobytes() == numpy.asarray(first(fresh)).tobytes()
        found = [numpy.asarray(x).tobytes() for x in (a.sum(), a.sum(axis=1), (a * 2).max(axis=0), gamelan.cumsum(a, 1))]
        assert found == wanted
        if ranks:
            assert f"1300x1400 on {ranks}x1 ranks" in str(gamelan.explain(a.sum())) and numpy.array_equal(a, values.T)


def test_tables_seen_flat_move_once(engine, ranks):
    """A table seen as a row is stored as a table. Its rows are brought together also for what is computed from it first, and
    another array is cut where the table is, at its first use with this table."""
    values, others = numpy.random.default_rng(5).random((2, 1301, 1404))
    turned, flat = values.T.ravel(), others.ravel()
    for program in (
        lambda a, b: a @ a,
        lambda a, b: a @ b,
        lambda a, b: (b * 2 - a).max(),
        lambda a, b: ((a - 1) * (a + b)).sum(),
    ):
        a, b = gamelan.array(values).T.ravel(), gamelan.array(flat)
        gamelan.sync()
        for _ in range(2):
            numpy.testing.assert_allclose(float(program(a, b)), program(turned, flat), rtol=1e-12)
        if ranks:
            assert gathers(program(a, b)) == 0


def test_wide_tables_keep_their_columns(engine, ranks):
    """An array of few long rows is cut between segments of its rows: nothing is stored anew."""
    a = gamelan.array(numpy.ones((3, 300_000)))
    gamelan.sync()
    float(a.sum())
    if ranks > 1:
        assert f"3x300000 on 1x{ranks} ranks" in str(gamelan.explain(a.sum()))


def gathers(value):
    return str(gamelan.explain(value)).count(": gather")


@pytest.mark.parametrize("shape", [(2, 400, 400), (4, 300, 300), (3, 100_000), (7, 100_000), (60, 70, 80), (600, 500)], ids=str)
def test_uses_that_alternate_move_the_array_once(engine, ranks, shape):
    """Operations on merged axes and reductions along rows do not store an array anew in turn."""
    if not ranks:
        pytest.skip("the model moves nothing")
    uses = {
        "sum": lambda a: a.sum(),
        "rows": lambda a: a.sum(axis=-1),
        "argmax": lambda a: a.argmax(axis=-1),
        "merged": lambda a: a.reshape((-1,) + a.shape[2:]) * 2 if a.ndim > 2 else a * 2,
        "last merged": lambda a: a.reshape(a.shape[:1] + (-1,)) * 2,
        "centred": lambda a: a.reshape(-1, a.shape[-1]) - a.reshape(-1, a.shape[-1]).mean(axis=1)[:, None],
        "largest": lambda a: a.reshape(-1, a.shape[-1]).max(axis=0),
    }
    for first, second in itertools.combinations(uses, 2):
        a = gamelan.array(numpy.random.default_rng(0).random(shape))
        gamelan.sync()
        moves = []
        for _ in range(3):
            for use in (uses[first], uses[second]):
                moves.append(gathers(use(a)))
                use(a)
                gamelan.sync()
        assert 0 in moves[-2:], (first, second, moves)
