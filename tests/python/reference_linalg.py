# SPDX-License-Identifier: BSD-3-Clause
"""The model's `linalg`: NumPy's function for each routine, its results one below another."""

import numpy

from gamelan.linalg import _engine


def _below(*parts):
    return numpy.concatenate(parts, -2)


def _flipped(array):
    return numpy.swapaxes(array, -1, -2)


def compute(ints, width, loop, a, b=None, rcond=None):
    """The one result for operands as NumPy arrays."""
    routine, flag = _engine._ROUTINES[ints[0]], "L" if ints[2] else "U"
    a = a.astype(loop)
    linalg = numpy.linalg
    if routine == "solve":
        return linalg.solve(a, b.astype(loop))
    if routine == "least_squares":
        x, squares, rank, values = linalg.lstsq(a, b.astype(loop), float(numpy.real(rcond)))
        right = x.shape[1]
        rows = numpy.zeros((1 + (values.size + right) // right) * right, loop)
        rows[: squares.size] = squares
        rows[right : right + values.size + 1] = *values, rank
        return _below(x, rows.reshape(-1, right))
    if routine == "slogdet":
        sign, logarithm = linalg.slogdet(a)
        return numpy.stack([sign, logarithm.astype(loop)], -1)[..., None, :]
    if routine == "qr":
        q, r = linalg.qr(a, "complete" if width == a.shape[-2] else "reduced")
        return _below(q, _flipped(r))
    if routine == "qr_factors":
        factors, tau = linalg.qr(a, "raw")
        row = numpy.zeros(a.shape[:-2] + (1, a.shape[-1]), loop)
        row[..., 0, : tau.shape[-1]] = tau
        return _below(_flipped(factors), row)
    if routine == "svd":
        u, s, vh = linalg.svd(a, full_matrices=False)
        return _below(u, _flipped(vh), s[..., None, :].astype(loop))
    if routine == "svd_values":
        return linalg.svd(a, compute_uv=False)[..., None, :]
    if routine == "eigh":
        values, vectors = linalg.eigh(a, flag)
        return _below(vectors, values[..., None, :].astype(loop))
    if routine == "eigh_values":
        return linalg.eigvalsh(a, flag)[..., None, :]
    if routine == "eig":
        values, vectors = linalg.eig(a)
        return _below(vectors.astype(complex), values[..., None, :].astype(complex))
    if routine == "eig_values":
        return linalg.eigvals(a)[..., None, :].astype(complex)
    return {"inverse": linalg.inv, "cholesky": linalg.cholesky}[routine](a)
