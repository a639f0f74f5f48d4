# SPDX-License-Identifier: BSD-3-Clause
"""Fits the parameters of laplace_model.py to measurements: least squares of relative errors, over the logarithms of the
parameters, so that none becomes negative. What the measurements say nothing about stays as it was."""

import dataclasses
import math

import numpy

import laplace_model as model

STEP = 1e-4  # of a logarithm, for differences
WEAK_PULL = 1e-3  # towards the starting point: decides what the measurements leave open
LARGEST_CHANGE = 1.0  # of a logarithm in one round
ROUNDS = 100
DISTURBANCE = 0.15  # relative errors above it count less than their square: a busy machine makes some times much longer


def relative_errors(parameters, measurements):
    """(predicted - measured) / measured, one each."""
    return [model.predict(parameters, each) / each["seconds"] - 1 for each in measurements]


def fit(start, measurements, names):
    """`start` with the named parameters fitted (Gauss-Newton, as Levenberg and Marquardt damp it)."""
    if not measurements:
        raise ValueError("nothing was measured on so few hosts: there is nothing to fit")
    origin = numpy.log([getattr(start, name) for name in names])

    def at(point):
        return dataclasses.replace(start, **{name: math.exp(value) for name, value in zip(names, point)})

    def residuals(point):
        ratios = numpy.array([math.log(model.predict(at(point), each) / each["seconds"]) for each in measurements])
        bent = numpy.sqrt(2 * (numpy.sqrt(1 + (ratios / DISTURBANCE) ** 2) - 1)) * DISTURBANCE  # Huber's, without a corner
        return numpy.array([*(numpy.sign(ratios) * bent), *(WEAK_PULL * (point - origin))])

    point, damping = origin.copy(), 1e-3
    current = residuals(point)
    for _ in range(ROUNDS):
        slopes = numpy.column_stack([(residuals(point + STEP * unit) - current) / STEP for unit in numpy.eye(len(names))])
        normal = slopes.T @ slopes
        damped = normal + damping * (numpy.diag(numpy.diag(normal)) + 1e-9 * numpy.eye(len(names)))
        change = numpy.linalg.solve(damped, -slopes.T @ current)
        change = numpy.clip(change, -LARGEST_CHANGE, LARGEST_CHANGE)
        tried = residuals(point + change)
        if tried @ tried < current @ current:
            is_done = current @ current - tried @ tried < 1e-12 * (current @ current)
            point, current, damping = point + change, tried, damping / 3
            if is_done:
                break
        else:
            damping *= 4
            if damping > 1e9:
                break
    return at(point)
