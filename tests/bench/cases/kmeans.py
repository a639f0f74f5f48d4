# SPDX-License-Identifier: BSD-3-Clause
"""k-means by Lloyd's iteration from fixed start centres: the first k points. An empty cluster does not occur at these sizes."""

import numpy

from inputs import u

FULL = {"n": 1_000_000, "dims": 4, "k": 8, "iterations": 5}
SMOKE = {"n": 20_000, "dims": 4, "k": 8, "iterations": 3}
EXPECTED = [
    0.807890789405877,
    0.4443011908934618,
    0.6203509137519301,
    0.2025305036507756,
    0.26348484602485406,
    0.3681637383511434,
    0.6905019269364843,
    0.24795323684844603,
    0.5182138956712686,
    0.485419164148458,
    0.16108759622563323,
    0.20624666056181604,
    0.4750459266198612,
    0.8517920998261977,
    0.3461437235214039,
    0.467443870313392,
    0.43679056137195876,
    0.33211081404328974,
    0.1954833753437853,
    0.7230613952173063,
    0.3274847589052204,
    0.20432355546767283,
    0.7056385805507427,
    0.7627473539592443,
    0.8135961648803688,
    0.4941124347070706,
    0.7248055165878223,
    0.6691479137286667,
    0.35241400641830667,
    0.782353842540035,
    0.6834302528597513,
    0.783570852012266,
    67557,
    1,
]


def inputs(params):
    n, dims, k = params["n"], params["dims"], params["k"]
    points = u(0, n * dims).reshape(n, dims)
    return points, points[:k].copy()


def compute(np, params, points, centres):
    k = params["k"]
    for _ in range(params["iterations"]):
        distance = ((points[:, np.newaxis, :] - centres) ** 2).sum(axis=2)
        label = distance.argmin(axis=1)
        following = np.zeros(centres.shape)
        for j in range(k):
            member = label == j
            following[j] = np.where(member[:, np.newaxis], points, 0.0).sum(axis=0) / member.sum()
        centres = following
    return centres, label


def result(np, params, centres, label):
    return [float(each) for each in numpy.asarray(centres).ravel()] + [int(label.sum()), int(label[-1])]


def compute_dask(da, params, points, centres):
    import dask

    centres = numpy.asarray(centres)
    for _ in range(params["iterations"]):
        distance = ((points[:, numpy.newaxis, :] - centres) ** 2).sum(axis=2)
        label = distance.argmin(axis=1).persist()
        members = [label == j for j in range(params["k"])]
        sums = [da.where(member[:, numpy.newaxis], points, 0.0).sum(axis=0) / member.sum() for member in members]
        centres = numpy.array(dask.compute(*sums))
    return centres, label
