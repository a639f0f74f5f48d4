# SPDX-License-Identifier: BSD-3-Clause
"""The operations of operations.py: what is measured, as a text of NumPy, and the operands, made from names in this file.

A case is a text over `np` and operands; an operand is made once for each side. Sizes: `n` elements in a vector, about as
many in a matrix.
"""

import functools
import math

import numpy

CASES = {
    "median": "np.median(x)",
    "median_ties": "np.median(power)",
    "median_axis0": "np.median(T, axis=0)",
    "median_axis1": "np.median(M, axis=1)",
    "median_rows": "np.median(T, axis=1)",
    "percentile_3": "np.percentile(x, [5, 50, 95])",
    "quantile": "np.quantile(x, 0.9)",
    "nanmedian": "np.nanmedian(nans)",
    "nanpercentile": "np.nanpercentile(nans, 90)",
    "partition": "np.partition(x, n // 2)",
    "argpartition": "np.argpartition(x, n // 2)",
    "argpartition_top": "np.argpartition(x, -10)[-10:]",
    "top_sort": "np.sort(x)[-10:]",
    "top_argsort": "np.argsort(x)[:10]",
    "top_argsort_back": "np.argsort(x)[::-1][:10]",
    "top_argsort_minus": "np.argsort(-x)[:10]",
    "sort": "np.sort(x)",
    "argsort": "np.argsort(x)",
    "sort_rows": "np.sort(M, axis=1)",
    "argsort_rows": "np.argsort(T, axis=1)",
    "sort_small_ints": "np.sort(small)",
    "sort_two_values": "np.sort(two)",
    "sort_power": "np.sort(power)",
    "sort_nans": "np.sort(nans)",
    "argmax": "np.argmax(x)",
    "argmin_axis0": "np.argmin(M, axis=0)",
    "argmax_axis1": "np.argmax(M, axis=1)",
    "argmin_short_axis": "np.argmin(T, axis=1)",
    "max_axis0": "M.max(axis=0)",
    "max_axis1": "M.max(axis=1)",
    "max_short_axis": "T.max(axis=1)",
    "sum_axis1_short": "T.sum(axis=1)",
    "reshape_sum0": "x.reshape(10, -1).sum(0)",
    "any_all": "(x > 2).any() | (x > -1).all()",
    "reduceat_100": "np.add.reduceat(x, starts)",
    "reduceat_many": "np.add.reduceat(x, many_starts)",
    "maximum_reduceat": "np.maximum.reduceat(x, starts)",
    "packbits": "np.packbits(mask)",
    "unpackbits": "np.unpackbits(small)",
    "isin_few": "np.isin(keys, [3, 5, 900])",
    "isin_table": "np.isin(keys, table)",
    "isin_floats": "np.isin(x, x[:500])",
    "unique_few": "np.unique(keys)",
    "unique_counts": "np.unique(keys, return_counts=True)",
    "unique_inverse": "np.unique(keys, return_inverse=True)",
    "unique_small": "np.unique(small)",
    "unique_float": "np.unique(rounded)",
    "unique_many": "np.unique(x)",
    "searchsorted_1000": "np.searchsorted(edges, x)",
    "searchsorted_10": "np.searchsorted(few_edges, x)",
    "interp_rising": "np.interp(rising, edges, values)",
    "digitize": "np.digitize(x, edges)",
    "interp": "np.interp(x, edges, values)",
    "histogram": "np.histogram(x, bins=50)[0]",
    "histogram_edges": "np.histogram(x, bins=uneven)[0]",
    "histogram2d": "np.histogram2d(x, y, bins=30)[0]",
    "bincount": "np.bincount(keys)",
    "bincount_weights": "np.bincount(keys, weights=x)",
    "int_floordiv_2": "keys // 2",
    "int_mod_7": "keys % 7",
    "int32_floordiv_10": "keys32 // 10",
    "u8_floordiv_2": "small // 2",
    "u8_mod_3": "small % 3",
    "int_divmod": "keys // other",
    "float_mod": "x % 0.3",
    "float_floordiv": "x // 0.3",
    "choice_few": "np.random.default_rng(1).choice(n, 100, replace=False)",
    "choice_replace": "np.random.default_rng(1).choice(n, 100)",
    "permutation": "np.random.default_rng(1).permutation(n)",
    "random": "np.random.default_rng(1).random(n)",
    "normal": "np.random.default_rng(1).normal(size=n)",
    "integers": "np.random.default_rng(1).integers(0, 100, n)",
    "convolve_3": "np.convolve(x, [0.25, 0.5, 0.25], 'same')",
    "convolve_9": "np.convolve(x, kernel9, 'valid')",
    "convolve_33": "np.convolve(x, kernel33, 'same')",
    "einsum_batch_mv": "np.einsum('nij,nj->ni', S3, V3)",
    "einsum_dot_rows": "np.einsum('ij,ij->i', T, T)",
    "stack_4": "S4 @ S4",
    "stack_2_v": "S2 @ v2",
    "stack_mv": "(S3 @ V3[:, :, None])[:, :, 0]",
    "det_3": "np.linalg.det(S3)",
    "inv_3": "np.linalg.inv(S3)",
    "solve_3": "np.linalg.solve(S3, V3[:, :, None])",
    "lstsq_3": "np.linalg.lstsq(T, y[:len(T)], rcond=None)[0]",
    "cross": "np.cross(V3, V3[::-1])",
    "points_affine": "V3 @ R + V3[0]",
    "norm_rows": "np.linalg.norm(V3, axis=1)",
    "mask_rows": "M[rows, :]",
    "mask_rows_short": "T[long_rows]",
    "mask_elements": "x[mask]",
    "matrix_T_v": "M.T @ row",
    "matrix_v": "M @ row",
    "gram": "T.T @ T",
    "nonzero": "np.nonzero(mask)[0]",
    "count_nonzero": "np.count_nonzero(mask)",
    "cumsum": "np.cumsum(x)",
    "cumsum_axis0": "np.cumsum(M, axis=0)",
    "diff": "np.diff(x)",
    "repeat": "np.repeat(half, 2)",
    "tile": "np.tile(half, 2)",
    "take": "x[places]",
    "take_rows": "V3[row_places]",
    "ptp_std": "(np.ptp(x), np.std(x))",
    "round": "np.round(x, 2)",
    "clip": "np.clip(x, 0.2, 0.8)",
    "astype_int": "(x * 100).astype(int)",
    "where": "np.where(x > 0.5, x, 0.0)",
    "trace_product": "np.sum(M * M.T)",
    "bool_sum_axis": "(M > 0.5).sum(axis=1)",
    "lexsort": "np.lexsort((keys, small_keys))",
    "cov": "np.cov(T.T)",
    "corrcoef": "np.corrcoef(x, y)",
    "outer": "np.outer(side, side)",
    "roll": "np.roll(x, 5)",
    "flip": "x[::-1] + 1",
    "polyval": "np.polyval([1.0, 2.0, 3.0, 4.0], x)",
    "polyfit": "np.polyfit(x, y, 2)",
    "trapezoid": "np.trapezoid(x) if hasattr(np, 'trapezoid') else np.trapz(x)",
    "vander": "np.vander(half, 4)",
    "ravel_multi": "np.ravel_multi_index((keys % 100, keys // 100), (100, 100))",
    "any_axis": "(M > 0.99).any(axis=0)",
    "insert": "np.insert(x, 5, 1.0)",
    "delete": "np.delete(x, [1, 5, 9])",
    "split_sum": "[p.sum() for p in np.array_split(x, 4)]",
}


@functools.cache
def operands(n):
    r = numpy.random.default_rng(7)
    side = math.isqrt(n)
    x = r.random(n)
    power = numpy.floor(r.random(n) ** -2.0)
    nans = numpy.where(r.random(n) < 0.1, numpy.nan, x)
    keys = r.integers(0, 1000, n)
    mask = x > 0.5
    return {
        "n": n,
        "x": x,
        "y": r.random(n),
        "half": x[: n // 2].copy(),
        "rising": numpy.linspace(-0.1, 1.1, n),
        "power": power,
        "nans": nans,
        "two": (x > 0.3).astype(float),
        "rounded": numpy.round(x, 2),
        "keys": keys,
        "keys32": keys.astype(numpy.int32),
        "small_keys": r.integers(0, 20, n),
        "other": r.integers(1, 50, n),
        "small": r.integers(0, 256, n).astype(numpy.uint8),
        "table": r.integers(0, 1000, 200),
        "mask": mask,
        "M": r.random((side, side)),
        "rows": r.random(side) < 0.5,
        "row": r.random(side),
        "side": r.random(side),
        "T": r.random((n // 5, 5)),
        "long_rows": r.random(n // 5) < 0.5,
        "starts": numpy.sort(r.choice(n, 100, replace=False)),
        "many_starts": numpy.arange(0, n, 7),
        "edges": numpy.linspace(0, 1, 1001),
        "few_edges": numpy.linspace(0, 1, 11),
        "uneven": numpy.linspace(0, 1, 51) ** 2,
        "values": r.random(1001),
        "kernel9": numpy.ones(9) / 9,
        "kernel33": r.random(33),
        "S2": r.random((n // 4, 2, 2)),
        "S3": r.random((n // 9, 3, 3)),
        "S4": r.random((n // 16, 4, 4)),
        "V3": r.random((n // 9, 3)),
        "v2": r.random(2),
        "R": r.random((3, 3)),
        "places": r.integers(0, n, n),
        "row_places": r.integers(0, n // 9, n // 9),
    }


class Program:
    """A case with its operands; given a module, the call that is timed."""

    def __init__(self, name, text, n):
        self.text, self.n = text, n
        self.is_random = "random." in text or "partition(" in text

    def __call__(self, module):
        code = compile(self.text, self.text, "eval")
        names = {"np": module}
        for name, value in operands(self.n).items():
            if name in code.co_names:
                names[name] = module.asarray(value) if isinstance(value, numpy.ndarray) else value
        return lambda: eval(code, names)


def programs(n):
    return {name: Program(name, text, n) for name, text in CASES.items()}
