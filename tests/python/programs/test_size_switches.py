# SPDX-License-Identifier: BSD-3-Clause
"""Either side of every switch that depends on a size, with ragged ends. The sizes are read from the sources, so that they follow
when a constant changes; one that is gone fails here."""

import pathlib
import re
import tempfile

import numpy
import pytest

import oracle

ROOT = pathlib.Path(__file__).resolve().parents[3]


def constant(path, name):
    """The value of a constant of the sources: a number, or a product or a shift of numbers."""
    text = (ROOT / path).read_text()
    found = re.search(
        rf"\b{name}\s*(?:=|\{{)\s*(?:std::int64_t\{{|std::size_t\{{)?([0-9][0-9'_x]*)\}}?\s*(?:(<<|\*)\s*([0-9]+))?", text
    )
    assert found, f"{path} has no {name}: which switch took its place?"
    first, operator, second = found.groups()
    value = int(first.replace("'", "").replace("_", ""))
    return value << int(second) if operator == "<<" else value * int(second) if operator else value


def around(value):
    return [value - 1, value, value + 1]


def numbers(np, *shape, dtype="f8", k=7919, period=1009):
    """Made by the module under test: whole numbers, neighbours differ."""
    count = int(numpy.prod(shape))
    return ((np.arange(count) * k % period) - period // 2).astype(dtype).reshape(shape)


def by_itself(matrix):
    return matrix @ matrix.T


TILE = ("engine/tiles/tile_program.hpp", "tile_elements")
PASSES = {
    "tile": (TILE, lambda np, n, p: numbers(np, n * p) * 2 + numbers(np, n * p, k=31)),
    "tiles and a half": (TILE, lambda np, n, p: numbers(np, 5 * n * p // 2)[::-1] * numbers(np, 5 * n * p // 2, k=31)),
    "long row": (("engine/tiles/tile_geometry.cpp", "long_enough"), lambda np, n, p: numbers(np, 41, n + 9)[:, 4:-5] + numbers(np, 41, n + 70)[:, 70:]),
    "rows with gaps": (("engine/tiles/tile_geometry.cpp", "widest_gap"), lambda np, n, p: numbers(np, 70, 10 * n)[:, 1 : 1 + 9 * n - 2] + numbers(np, 70, 10 * n, k=3)[:, 1 : 1 + 9 * n - 2]),
    "square": (("engine/tiles/tile_geometry.cpp", "worth_extent"), lambda np, n, p: [numbers(np, 600 * p, n).T + numbers(np, n)[:, None], numbers(np, n, 333).T - numbers(np, 333)[:, None]]),
    "two squares": (("engine/tiles/tile_geometry.cpp", "worth_extent"), lambda np, n, p: [numbers(np, 600 * p + 1, 2 * n).T * numbers(np, 2 * n)[:, None] + 1, np.where(numbers(np, 777, 2 * n).T > 0, numbers(np, 2 * n)[:, None], numbers(np, 777))]),
    "streamed": (("engine/plan/lowering/memory_streams.cpp", "store_from_bytes"), lambda np, n, p: some(numbers(np, p * (n // 8), period=31) + 1)),
    "asked ahead": (("engine/plan/lowering/memory_streams.cpp", "load_from_bytes"), lambda np, n, p: [some(a[1:] - a[:-1]) for a in [numbers(np, p * (n // 8), period=31), numbers(np, p * (n // 512), 64, period=31)]]),
    "shared pieces": (("engine/steps/shared_work.cpp", "smallest_piece"), lambda np, n, p: np.sqrt(abs(numbers(np, 4 * n * p))) * 3 - 1),
    "compiled": (("engine/tiles/tile_translation.cpp", "elements_before_compiling"), lambda np, n, p: [numbers(np, n * p) * k + numbers(np, n * p, k=5) / 7 - k * numbers(np, n * p)[::-1] for k in (2, 3)]),
    "few": (("engine/steps/box_copies.cpp", "few_elements"), lambda np, n, p: [numbers(np, n + 3)[3:], numbers(np, 2, n).T.copy(), numbers(np, 3 * n)[::3]]),
}  # fmt: skip
FOLDS = {
    "lanes": (("engine/tiles/loops/fold.hpp", "lane_count"), lambda np, n, p: [numbers(np, 70, n).sum(axis=1), numbers(np, 70, n).max(axis=1), numbers(np, n).sum()]),
    "rows together": (("engine/tiles/loops/folds/fold_loops.cpp", "together"), lambda np, n, p: [numbers(np, n, 100).sum(axis=0), numbers(np, 3, n, 50).min(axis=1)]),
    "reduction block": (("engine/plan/passes/reduction_blocks.cpp", "long_enough"), lambda np, n, p: [numbers(np, 50, n).sum(axis=1), numbers(np, n, 50).sum(axis=0), numbers(np, 7, n).sum(), numbers(np, n, 33).T.max(axis=0)]),
    "partials together": (("engine/plan/passes/reduction_blocks.cpp", "partials_together"), lambda np, n, p: [numbers(np, 300 * n).sum(), numbers(np, 300 * n).argmax()]),
    "region": (("engine/steps/folds/run_fold.cpp", "region_elements"), lambda np, n, p: [(numbers(np, n * p) * 2).sum(), (numbers(np, 5, n // 4) + 1).sum(axis=1), (numbers(np, n // 100, 99) * 3).min(axis=0)]),
    "plain region": (("engine/steps/folds/run_fold.cpp", "plain_region_elements"), lambda np, n, p: [numbers(np, n * p).sum(), numbers(np, 2, n).max(axis=1), numbers(np, n // 33, 33).sum(axis=0)]),
    "finish": (("engine/steps/folds/run_fold_finish.cpp", "finish_elements"), lambda np, n, p: [numbers(np, 3, n).sum(axis=0), numbers(np, 600, n // 300 + 1).sum(axis=0)]),
    "complete": (("engine/plan/lowering/lower_fold.cpp", "largest_complete_fold"), lambda np, n, p: [numbers(np, 4, n).sum(axis=1), numbers(np, n, 4).sum(axis=0), numbers(np, n // 128 + 1, 128).var(axis=0)]),
    "many partials": (("engine/plan/lowering/lower_fold.cpp", "most_partials"), lambda np, n, p: [numbers(np, n * 64).sum(), numbers(np, n * 64).argmin()]),
    "few partials": (("engine/plan/lowering/lower_fold.cpp", "few_partials"), lambda np, n, p: [numbers(np, n * 256).sum(), numbers(np, 2, n * 256).max(axis=1)]),
    "fewer partials": (("engine/plan/lowering/lower_fold.cpp", "fewer_partials"), lambda np, n, p: [numbers(np, n * 256).sum(), numbers(np, n * 256, 2).min(axis=0)]),
    "scan": (("engine/steps/irregular/run_scan.cpp", "together"), lambda np, n, p: [np.cumsum(numbers(np, n * p)), np.cumsum(numbers(np, 3, n), axis=1), np.cumsum(numbers(np, n // 8, 9), axis=0)]),
    "scan's slab": (("engine/steps/irregular/run_scan.cpp", "slab_bytes"), lambda np, n, p: [np.cumsum(numbers(np, 5, n // 8), axis=0), np.maximum.accumulate(numbers(np, n // 64, 8), axis=0)]),
    "lines abreast": (("engine/tiles/loops/scan_loops.cpp", "abreast"), lambda np, n, p: np.cumsum(numbers(np, n, 700), axis=1)),
}  # fmt: skip
PLACES = {
    "bins": (("engine/steps/irregular/run_count.cpp", "most_replicated_bins"), lambda np, n, p: np.bincount(numbers(np, 70_000, dtype="i8", period=n) + n // 2, minlength=n)),
    "few bins": (("kernel/gamelan/_statistics/_counts.py", "_FEW_BINS"), lambda np, n, p: [np.bincount(numbers(np, 70_000, dtype="i8", period=n) + n // 2, numbers(np, 70_000)), np.histogram(numbers(np, 70_000), n)[0]]),
    "sorted at once": (("engine/plan/lowering/lower_sort.cpp", "cached_keys"), lambda np, n, p: [np.sort(numbers(np, n * p, period=10007)), np.argsort(numbers(np, 2, n), kind="stable"), np.sort(numbers(np, n, 3, dtype="i4"), axis=0)]),
    "parts of a run": (("engine/plan/lowering/lower_sort.cpp", "parts_of_a_run"), lambda np, n, p: np.sort(numbers(np, n * 8192 // 8, period=99991))),
    "sorted in cache": (("engine/steps/irregular/radix_sort.hpp", "cached_items"), lambda np, n, p: [np.sort(numbers(np, n, dtype=d, period=97)) for d in ("u1", "i2", "f4", "f8", "i8")]),
    "inserted": (("engine/steps/irregular/radix_sort.hpp", "few_items"), lambda np, n, p: [np.sort(numbers(np, 100, n)), np.argsort(numbers(np, 100, n, period=7), kind="stable")]),
    "bucket of keys": (("engine/steps/irregular/key_buckets.hpp", "wanted_keys"), lambda np, n, p: [np.sort(numbers(np, 9 * n)), np.unique(numbers(np, 9 * n)), np.median(numbers(np, 9 * n))]),
    "merged in parts": (("engine/steps/irregular/sort_runs.hpp", "worth_parts"), lambda np, n, p: [np.sort(numbers(np, 16 * n)), np.lexsort((numbers(np, 9 * n), numbers(np, 9 * n, period=13)))]),
    "long lines sorted": (("kernel/gamelan/_sorting/_sort.py", "_LONG"), lambda np, n, p: [np.sort(numbers(np, 3, n)), np.sort(numbers(np, n, 3), axis=0), np.argsort(numbers(np, 20, n), kind="stable")]),
    "few lines sorted": (("kernel/gamelan/_sorting/_sort.py", "_FEW_LINES"), lambda np, n, p: [np.sort(numbers(np, n, 5000)), np.sort(numbers(np, 4500, n), axis=0)]),
    "pushed by owner": (("engine/plan/lowering/lower_put.cpp", "bucket_bytes"), lambda np, n, p: put(np, n // 8 * p, 9000)),
    "many buckets": (("engine/plan/lowering/lower_put.cpp", "most_buckets"), lambda np, n, p: put(np, 400 * n, 70_000)),
    "chunks of a row": (("engine/steps/irregular/stream.hpp", "chunk"), lambda np, n, p: [np.take(numbers(np, 3 * n), np.arange(n * p) * 7 % (3 * n)), numbers(np, n * p)[numbers(np, n * p) > 0]]),
    "misses": (("engine/steps/irregular/run_take.cpp", "rows_ahead"), lambda np, n, p: [numbers(np, n, 9)[np.arange(5 * n) * 31 % n], np.take(numbers(np, 9, n), np.arange(n)[::-1], 1)]),
    "copied for the search": (("kernel/gamelan/_sorting/_search.py", "LONGEST_COPY"), lambda np, n, p: np.searchsorted(np.arange(n) * 2, numbers(np, 500, period=10**6 + 3) * 4)),
    "compared one by one": (("kernel/gamelan/_sets/_membership.py", "_FEW"), lambda np, n, p: np.isin(numbers(np, 70_000), np.arange(n) * 3)),
}  # fmt: skip
MATRICES = {
    "rows": (("engine/plan/step_linalg.hpp", "matmul_tile_rows"), lambda np, n, p: [numbers(np, n, 70) @ numbers(np, 70, 40), numbers(np, n * p, 9) @ numbers(np, 9)]),
    "columns": (("engine/plan/step_linalg.hpp", "matmul_tile_columns"), lambda np, n, p: [numbers(np, 50, 30) @ numbers(np, 30, n), numbers(np, n, 30).T @ numbers(np, n, 20)]),
    "panel": (("engine/steps/linalg/run_matmul.cpp", "panel"), lambda np, n, p: [numbers(np, 50, n) @ numbers(np, n, 60), numbers(np, 3, 20, 2 * n) @ numbers(np, 2 * n, 5)]),
    "halved product": (("engine/plan/lowering/matmul_chunks.cpp", "fewest_rows"), lambda np, n, p: [numbers(np, n, 70) @ numbers(np, n, 70).T, by_itself(numbers(np, n, 70)), by_itself(numbers(np, 2 * n, 70)[::-2])]),
    "dots": (("engine/steps/linalg/product_tiles.hpp", "least_area"), lambda np, n, p: [numbers(np, 8 * p, 64) @ numbers(np, n // 8, 64).T, numbers(np, 300, 64) @ numbers(np, 256 + n // 16, 64).T]),
    "short inner": (("engine/steps/linalg/product_tiles.hpp", "least_inner"), lambda np, n, p: [numbers(np, 200, n) @ numbers(np, n, 300), numbers(np, 200, n)[::2, ::-1] @ numbers(np, 300, n).T]),
    "most rows": (("engine/plan/step_linalg.hpp", "matmul_tile_rows"), lambda np, n, p: numbers(np, 16 * n + 1, 12) @ numbers(np, 12, 5)),
    "packed": (("engine/tiles/loops/matmul.cpp", "block_columns"), lambda np, n, p: [numbers(np, 70, 20, dtype="i8") @ numbers(np, 20, n, dtype="i8"), numbers(np, 65, n, dtype="i4") @ numbers(np, n, 7, dtype="i4")]),
    "shared by all": (("kernel/gamelan/linalg/_engine.py", "shared_from"), lambda np, n, p: np.linalg.solve(numbers(np, n, n, period=13) + np.eye(n) * n * 10, numbers(np, n))),
    "tall": (("kernel/gamelan/linalg/_tsqr.py", "_LEAST_ELEMENTS"), lambda np, n, p: tall(np, n)),
    "cut line": (("kernel/gamelan/fft/_four_step.py", "least_factor"), lambda np, n, p: [np.fft.fft(numbers(np, n * n)), np.fft.fft(numbers(np, n * (n + 5))), np.fft.ifft(numbers(np, 4 * n * n)), np.fft.rfft(numbers(np, n * n * 3))]),
}  # fmt: skip
LARGE = {
    "window": (("kernel/arrays/elements.cpp", "window_bytes"), lambda np, n, p: [float(numbers(np, n)[k]) for k in (5, 6, 7, 8, n // 8 - 1, n // 8, n // 8 + 1, n - 1)]),
    "copied": (("kernel/arrays/values.cpp", "copy_limit_bytes"), lambda np, n, p: [numpy.array(numbers(np, n // 8)), numpy.array(numbers(np, n, dtype="i1"))]),
    "lines in the cache": (("engine/steps/linalg/run_fourier.cpp", "buffer_bytes"), lambda np, n, p: [np.fft.fft(numbers(np, 3, n // 16), axis=1), np.fft.fft(numbers(np, 9000, 9), axis=0)]),
    "part of a message": (("engine/steps/ghost_exchange.cpp", "part_bytes"), lambda np, n, p: some(numbers(np, n // 4)[::-1] - numbers(np, n // 4, k=3))),
    "request of a file": (("engine/steps/files/run_file.cpp", "request_bytes"), lambda np, n, p: through_a_file(np, n * p)),
}  # fmt: skip


def some(a):
    """All elements by their sum, a few of them one by one."""
    return [a.sum(), a[:3000], a[-3000:], a[::4099], a[a.size // 2 - 1500 : a.size // 2 + 1500]]


def through_a_file(np, count):
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/a.npy", numbers(np, count, dtype="i1", period=101))
        return some(np.load(f"{folder}/a.npy"))


def put(np, count, written):
    target = numbers(np, count)
    target[np.arange(written) * 7919 % count] = numbers(np, written, k=3)
    np.add.at(target, numpy.arange(99) * 31 % count, 1)
    np.put(target, np.arange(written) * 5 % count, 4)
    return target


def tall(np, elements):
    a = numbers(np, -(-elements // 5), 5) + 1.5
    q, r = np.linalg.qr(a)
    return [np.round(abs(r), 6), np.allclose(q @ r, a), np.round(np.linalg.svd(a, compute_uv=False), 6)]


@pytest.mark.parametrize(
    "switch, program",
    [
        pytest.param(*row, id=name.replace(" ", "_"))
        for table in (PASSES, FOLDS, PLACES, MATRICES, LARGE)
        for name, row in table.items()
    ],
)
def test_either_side(engine, ranks, switch, program):
    if not ranks:
        pytest.skip("the model has no switches")
    for size in around(constant(*switch)):
        oracle.check(lambda np: program(np, size, ranks), f"{switch[1]} {size}")
