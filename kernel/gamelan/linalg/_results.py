# SPDX-License-Identifier: BSD-3-Clause
"""Results of several arrays as NumPy gives them: tuples with names since NumPy 1.25, plain tuples before."""

import numpy


def _class_of(function):
    return type(function(numpy.eye(1)))


_EIG, _EIGH = _class_of(numpy.linalg.eig), _class_of(numpy.linalg.eigh)
_QR, _SLOGDET, _SVD = map(_class_of, (numpy.linalg.qr, numpy.linalg.slogdet, numpy.linalg.svd))


def _made(kind, *parts):
    return parts if kind is tuple else kind(*parts)


def eig_result(values, vectors):
    return _made(_EIG, values, vectors)


def eigh_result(values, vectors):
    return _made(_EIGH, values, vectors)


def qr_result(q, r):
    return _made(_QR, q, r)


def slogdet_result(sign, logarithm):
    return _made(_SLOGDET, sign, logarithm)


def svd_result(u, s, vh):
    return _made(_SVD, u, s, vh)
