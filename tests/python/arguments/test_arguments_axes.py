# SPDX-License-Identifier: BSD-3-Clause
"""The argument `axis` in every form: floats, bools, NumPy's integers, tuples and what is derived of them, lists, arrays."""

import collections

import pytest

from written import check_lines

Pair = collections.namedtuple("Pair", "first second")
FORMS = "1.0 True False '1' (0,) (1,0) Pair(0,1) [0] [0,1] np.int8(1) numpy.uint64(1) numpy.array(1) numpy.array([1]) 2 -3 (0,0) (0,-2) (0.0,1) (True,) () numpy.bool_(True) None".split()
FUNCTIONS = (
    """np.sum(M, {}) np.max(M, {}) np.any(M, {}) np.mean(M, {}) np.std(M, {}) np.ptp(M, {}) np.argmax(M, {}) np.median(M, {}) np.cumsum(M, {}) np.sort(M, {})
np.argsort(M, {}) np.count_nonzero(M, {}) np.nanmax(M, {}) np.nanmean(M, {}) np.nanargmin(M, {}) np.nancumsum(M, {}) np.average(M, {}) np.quantile(M, 0.3, {}) np.flip(M, {})
np.take(M, 1, {}) np.repeat(M, 2, {}) np.delete(M, 1, {}) np.concatenate((M, M), {}) np.stack((M, M), {}) np.split(M, 2, {}) np.diff(M, 1, {}) np.unique(M, axis={})
np.unwrap(M, axis={}) np.compress([1, 0], M, {}) np.swapaxes(M, {}, 0) np.expand_dims(M, {}) np.squeeze(M[None], {}) np.add.reduce(M, {}) np.subtract.reduce(M, {})
np.add.accumulate(M, {}) np.add.reduceat(M, [0, 3], {}) np.packbits(M > 0, {}) M.sum({}) M.std({}) M.cumsum({}) M.argmax({}) np.gradient(M, axis={}) np.trapz(M, axis={}) np.fft.fft(M, axis={})
np.linalg.norm(M, axis={}) np.roll(M, 1, {}) np.moveaxis(M, {}, 0)""".replace(") np", ")\nnp")
    .replace(") M", ")\nM")
    .splitlines()
)


@pytest.mark.parametrize("form", FORMS)
def test_forms(engine, form):
    check_lines("\n".join(function.strip().format(form) for function in FUNCTIONS), Pair=Pair)


def test_arrays_without_axes(engine):
    functions = "np.sum(s, {}) np.argmax(s, {}) np.cumsum(s, {}) np.take(s, 0, {}) np.repeat(s, 2, {}) np.compress([1], s, {}) np.max(s, {}) np.mean(s, {}) np.subtract.reduce(s, {})".replace(
        ") np", ")\nnp"
    )
    check_lines(
        "\n".join(
            function.format(form) for function in functions.splitlines() for form in ("0", "-1", "1", "False", "(0,)", "()")
        )
    )
