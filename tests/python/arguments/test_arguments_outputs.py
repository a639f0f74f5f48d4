# SPDX-License-Identifier: BSD-3-Clause
"""Outputs of other dtypes and shapes, in tuples, read-only or none at all, and `keepdims` that is no bool."""

import pytest

from written import check_lines

OUTPUTS = [f"np.zeros(S, {dtype})" for dtype in ("'f4'", "'f8'", "'c16'", "'i4'", "'i8'", "'u8'", "bool")] + [
    "np.zeros(S - 1)", "np.zeros((1, S))", "np.zeros((2, S))", "np.zeros(())", "np.broadcast_to(0.0, (S,))", "[0.0]", "numpy.zeros(S)", "(np.zeros(S),)", "(np.zeros(S), None)", "'x'"]  # fmt: skip
FOLDS = (
    """np.sum(M, 0, out={}) np.max(abs(M), 0, out={}) np.any(M, 0, out={}) np.mean(M * M, 0, out={}) np.std(M, 0, out={}) np.var(M, 0, out={}) np.ptp(M, 0, out={}) np.argmax(M, 0, out={})
np.median(M * M, 0, out={}) np.nansum(M, 0, out={}) np.nanargmax(M, 0, out={}) np.add.reduce(M, 0, out={}) M.sum(0, out={}) M.argmin(0, {}) np.mean(Mi * Mi, 0, out={}) np.std(Mi, 0, out={})
np.sum(M > 0, 0, out={}) np.sum(M, 0, out={}, keepdims=True)""".replace(") np", ")\nnp")
    .replace(") M", ")\nM")
    .splitlines()
)
WHOLE = [
    output.replace("(S, '", "((S, S), '")
    .replace("zeros(S,", "zeros((S, S),")
    .replace("zeros(S)", "zeros((S, S))")
    .replace("(S,))", "(S, S))")
    for output in OUTPUTS
]
OTHERS = """np.cumsum(M, 0, out={}) np.add.accumulate(M, 0, out={}) np.add(M, M, out={}) np.less(M, 0, out={}) np.concatenate((M[:5], M[5:]), out={}) np.stack(list(M), out={})
np.take(M, range(S), 0, out={}) np.fix(M, {}) np.dot(M, M, out={}) np.einsum('ij->ji', M, out={}) np.modf(M, out=({}, None)) np.add.reduceat(M, range(S), 0, out={})""".replace(
    ") np", ")\nnp"
).splitlines()


@pytest.mark.parametrize("output", OUTPUTS)
def test_folds(engine, output):
    check_lines("\n".join(fold.format(output) for fold in FOLDS))


@pytest.mark.parametrize("output", WHOLE)
def test_others(engine, output):
    check_lines("\n".join(other.format(output) for other in OTHERS))


def test_precision(engine):
    check_lines("""
        np.mean(M.astype('f4'), 0, out=np.zeros(S))
        np.mean(M.astype('f4'), 0, out=np.zeros(S, 'f4'))
        np.mean(M.astype('f2'), 0, out=np.zeros(S))
        np.divmod(M, 2, out=(None, np.zeros((2, S, S))))
        np.frexp(M, np.zeros((1, S, S)))
    """)


def test_keepdims(engine):
    folds = (
        """np.sum(M, 0, keepdims={}) np.any(M, 0, keepdims={}) np.mean(M, 0, keepdims={}) np.std(M, 0, keepdims={}) np.argmax(M, 0, keepdims={}) np.quantile(M, .3, 0, keepdims={})
np.nanmean(M, 0, keepdims={}) np.ptp(M, 0, keepdims={}) np.add.reduce(M, 0, keepdims={}) np.subtract.reduce(M, 0, keepdims={}) M.max(0, keepdims={}) M.mean(0, keepdims={})""".replace(
            ") np", ")\nnp"
        )
        .replace(") M", ")\nM")
        .splitlines()
    )
    check_lines(
        "\n".join(fold.format(value) for fold in folds for value in ("1", "0", "2", "'x'", "None", "[1]", "1.5", "numpy.int8(1)"))
    )
