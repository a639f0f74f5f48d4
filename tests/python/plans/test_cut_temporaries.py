# SPDX-License-Identifier: BSD-3-Clause
"""Temporaries that are read in boxes only are computed box by box, in the passes that read them."""

import re
import warnings

import gamelan as np
import numpy
import pytest
from oracle import check

SHAPE = (411, 507)


def slope(np, a):
    gx, gy = np.gradient(a)
    return np.sqrt(gx**2 + gy**2)


def halves(np, a):
    """Each half in another pass, one of them with a sum in between."""
    t = (a - 1) * a
    upper, lower = t[:200] + 1, t[200:] * 2
    return upper / lower.sum(), lower


def written_between(np, a):
    """What the temporary was computed of has changed when its second half is read."""
    a = a.copy()
    t = a * 3
    first = t[:, :100] + 1
    a += 5
    return first, t[:, 100:] + a[:, 100:]


def overlapping(np, a):
    t = a * a - 2
    return t[1:] - t[:-1], t[5:] + 1


def in_part(np, a):
    """Some elements are read nowhere."""
    t = a * 7 + 1
    return t[:50] * 2, t[60:] - 3


def summed(np, a):
    t = a - 0.5
    return t[:30].sum(axis=0), t[30:] * 2


def backwards(np, a):
    t = np.exp(a.T)
    return t[::-1][:7] + 1, t[:500] * 2, t[500:] * 3


PROGRAMS = [slope, halves, written_between, overlapping, in_part, summed, backwards]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("shape", [SHAPE, (1400, 701)])
def test_elements_are_numpys(engine, program, shape):
    a = numpy.random.default_rng(6).random(shape)
    check(lambda np: program(np, np.array(a)))


def test_three_axes(engine):
    a = numpy.random.default_rng(7).random((61, 47, 90))
    check(lambda np: sum(each * each for each in np.gradient(np.array(a), 0.5)))


def parted(np, a):
    """Overflows in one part, roots of negative numbers in the other."""
    t = a * a - 0.5
    return np.sqrt(t[:200]), t[200:] * 2


@pytest.mark.parametrize("row", [3, 300])
@pytest.mark.parametrize("value", [1.0, numpy.inf, numpy.nan, 1e308])
def test_warnings_are_numpys(engine, value, row):
    a = 0.8 + 0.1 * numpy.random.default_rng(8).random(SHAPE)
    a[row, :3] = value
    told = []
    for module in (numpy, np):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for each in parted(module, module.array(a)):
                numpy.asarray(each)
            told.append({str(each.message) for each in caught if issubclass(each.category, RuntimeWarning)})
    assert told[0] == told[1]


def test_differences_are_not_stored(engine, ranks):
    if not ranks:
        pytest.skip("the model has no plans")
    a = np.asarray(numpy.random.default_rng(9).random(SHAPE))
    np.sync()
    plan = np.explain(slope(np, a))
    rows, columns = SHAPE
    large = re.findall(rf"^s\d+: .* (?:{rows}|{rows - 2})x(?:{columns}|{columns - 2}) on.*", plan, re.MULTILINE)
    assert len(large) == 2, plan  # the image and the result
