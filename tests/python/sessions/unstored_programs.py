# SPDX-License-Identifier: BSD-3-Clause
"""Programs with loops that give names to what they read at once, for test_unstored.py."""

import numpy

import gamelan

RANDOM = numpy.random.default_rng(23)
SHAPE = (900, 701)  # more than 4 MiB
A, B = RANDOM.random(SHAPE), RANDOM.random(SHAPE) + 0.5


def inputs(np):
    arrays = [np.asarray(each.copy()) for each in (A, B)]
    if np is gamelan:
        np.sync()
    return arrays


def rebound(np, a, b):
    found = []
    for k in [0.3, 1.9, 0.7, 2.0, 5.5, 1.1]:
        shifted = (a - k) * b
        found.append(float(shifted.sum()))
    return [*found, shifted]


def read_again_later(np, a, b):
    found, total = [], np.zeros(SHAPE)
    for k in range(8):
        x = a * 1.3**k + b
        found.append(float(x.max()))
        if k % 3 == 2:
            found.append(float(x[5, 7]))
            total = total + x
    return [*found, total, x]


def operand_changes(np, a, b):
    found = []
    for k in range(8):
        x = a + b
        found.append(float(x.sum()))
        if k > 3:
            a[k] += 1.0
        found.append(float(x.min()))
    return [*found, x, a]


def result_changes(np, a, b):
    found = []
    for k in range(6):
        x = a * b
        found.append(float(x.sum()))
        if k > 2:
            x[::2] -= k
            found.append(float(x.sum()))
    return [*found, x]


def of_temporaries(np, a, b):
    found = []
    for k in range(6):
        c = np.asarray(numpy.full(SHAPE[1], float(k)))
        x = np.sqrt((a - c) ** 2 + b)
        y = x.mean(axis=1) + k
        found.append(float(y.max()))
        del c
    return [*found, x, y]


def two_names(np, a, b):
    found = []
    for k in range(6):
        x = a * (k + 1.0)
        y = x + b
        found.append(float(y.sum()))
        found.append(float((x * y).sum()))
    return [*found, x, y]


def iterate(np, a, b):
    x = a
    found = []
    for k in range(6):
        step = (x - b) * 0.5
        x = x - step
        found.append(float((step * step).sum()))
    return [*found, x, step]


def views(np, a, b):
    found = []
    for k in range(6):
        x = (a + k)[1:-1, ::-1]
        y = x.T
        found.append(float((y * 2.0).sum()))
    return [*found, x, y]


PROGRAMS = (rebound, read_again_later, operand_changes, result_changes, of_temporaries, two_names, iterate, views)
