# SPDX-License-Identifier: BSD-3-Clause
"""Plain arguments as NumPy takes them: a bool is no axis and no extent, a flag is a whole number, a value is no output, and
what is no array yet becomes one in the dtype that is asked for. Views that change nothing are the array itself."""

import fractions
import warnings

import numpy
import pytest

import gamelan
from gamelan._imported_numpy import NUMBERS_ARE_WEAK
from oracle import check, check_all

_NAMES = {
    "x": numpy.arange(12.0).reshape(3, 4), "i": numpy.arange(12).reshape(3, 4), "b": numpy.arange(12).reshape(3, 4) % 3 > 0, "v": numpy.arange(6.0), "c": numpy.arange(4) * 1j,
    "h": numpy.arange(2, 5).astype("f2"),
}  # fmt: skip

_PROGRAMS = """
np.{fold}(x, axis=True)
np.{fold}(x, axis=(True,))
np.{fold}(x, axis=numpy.True_)
np.{fold}(x, keepdims=2.5)
np.{fold}(x, keepdims=None)
np.{fold}(x, keepdims=numpy.True_)
np.{fold}(x, keepdims=(x > 3).any())
np.{fold}(x, axis=x[0, 1])
"""
_OTHERS = """
np.argmax(x, axis=True)
np.argmax(x, axis=0, out=np.zeros(4))
np.cumsum(x, axis=True)
np.argsort(x, axis=True)
np.sort(x, axis=True)
np.concatenate([x, x], axis=True)
np.stack([x, x], axis=True)
np.packbits(b, axis=True)
np.median(x, axis=True)
np.quantile(x, 0.5, axis=[0, 1])
np.unpackbits(i.astype('u1'), count=True)
np.reshape(x, (True, -1))
np.reshape(x, {2: 6, 6: 2})
np.add.accumulate(x, axis=(1,))
np.add.accumulate(x, axis=(0, 1))
np.add.reduceat(x, [0, 2], axis=(1,))
np.add.reduceat(x, [0, 2], axis=(0, 1))
np.add.reduceat(x, [0, numpy.nan])
np.add.reduceat(x, [0, 2], out=1)
np.divide.reduce(x, axis=True)
np.random.normal(size=True).shape
np.random.normal(size=(True, 2)).shape
np.random.normal(size={2: 3}).shape
np.random.normal(Fraction(1, 2), 1.0, 3).shape
np.random.normal(None, 1.0, 3).shape
np.random.normal('abc', 1.0, 3).shape
np.random.binomial(numpy.float32(5), 0.5, 3).shape
np.zeros(2**70)
np.asarray([1, 2], order=0)
np.ravel(x, order=b'F')
np.zeros((2, 3), order=b'F').flags.f_contiguous
np.zeros_like(x, subok=numpy.nan)
x.astype('f4', subok=numpy.nan)
np.argsort(x, axis=0, kind=b'stable')
np.partition(v, 2, kind=None)
np.partition(v[:0], 2)
np.mean(x, where=[True])
np.mean(x, where=1)
np.var(x, where=[[True], [False], [True]])
np.var(x, ddof=Fraction(1))
np.var(x, ddof=numpy.int8(1))
np.isclose(x, x, rtol='a')
np.linalg.norm(x, np.array(2))
np.linalg.norm(x, axis=(True, 0))
np.digitize(v, v * 1j)
np.i0(h.max()).dtype
np.add(x.sum(), 1, out=x.sum())
np.add.at(x.sum(), 0, 1)
x[0, 0].sum(out=x[0, 0])
np.put(x, [0], [1], mode='reduced')
np.ravel_multi_index(([1], [2]), (3, 3), mode=None)
np.lexsort(Tuple([v, -v]))
np.histogramdd(Tuple([v, v]), 2)[0]
x.fill([2.5])
'1' in x
[1, 2][(x > 3).all()]
repr(np.array(2.5))
np.real(2.5)
np.imag(2**70)
np.imag(numpy.float32(2))
np.linalg.cond(x[:, :3]).ndim
np.cov(v).shape
np.cov(x, aweights=v[:4] + 1, bias=None)
np.ptp(x + 1j, axis=1, out=np.zeros(3))
np.ptp(x, axis=1, out=np.zeros(3, 'f4'))
np.subtract.reduce(x[0, 0])
np.subtract.reduce(np.array(2.5), axis=0)
np.subtract.reduce(np.array(2.5), axis=1)
np.ravel_multi_index(([1], [2]), (3, 3), order=b'F')
np.nan_to_num(x.max())
np.searchsorted(v, 2, side=b'right')
np.array_equiv(list(x), x)
np.searchsorted(v, 9.0, sorter=[0, 1, 2, 3, 4, -1])
np.searchsorted(v, 9.0, sorter=[0, 1, 2, 3, 4, 6])
np.histogram(v, v[:0])
np.histogram(v, v[:1])
np.subtract.reduce(x, axis=())
written(np.zeros(3), lambda o: o.resize((), refcheck=False))[0]
written(np.zeros(3), lambda o: o.resize(refcheck=False))[0]
written(np.zeros(3), lambda o: o.resize(None, refcheck=False))[0]
written(np.zeros((3, 4), bool), lambda o: np.not_equal(Fraction(1, 2), x, out=o))
written(np.zeros((3, 4), bool), lambda o: np.less(x, None, out=o))
written(np.zeros((3, 4)), lambda o: np.add(x, Fraction(1, 2), out=o))
np.nanstd(x[0, 0], axis=0)
np.nanmean(x[0, 0], axis=0)
"""


class Tuple(tuple):
    pass


def _program(line):
    def written(out, call):
        result = call(out)
        return out, result is out

    names = {"written": written, "numpy": numpy, "Fraction": fractions.Fraction, "Tuple": Tuple}
    return lambda np: eval(line, {**names, "np": np, **{name: np.array(data) for name, data in _NAMES.items()}})


def test_folds(engine):
    folds = "sum prod max min any all mean std var ptp nansum nanmax nanmean nanvar count_nonzero average".split()
    lines = [line.format(fold=fold) for fold in folds for line in _PROGRAMS.strip().splitlines()]
    check_all((line, _program(line)) for line in lines if not ("ptp" in line and "keepdims" in line))


def test_other_functions(engine):
    check_all((line, _program(line)) for line in _OTHERS.strip().splitlines())


def test_small_arrays_beside_large_ones(mixed):
    check_all((line, _program(line)) for line in _OTHERS.strip().splitlines())


def test_numbers_beyond_64_bits_are_refused_as_objects(engine):
    x, target = gamelan.array(_NAMES["x"]), gamelan.zeros(3)
    if NUMBERS_ARE_WEAK:
        check(lambda np: np.array(_NAMES["x"]) * 2**70)
    else:
        with pytest.raises(NotImplementedError, match="operations of object values"):
            x * 2**70
        with pytest.raises(TypeError):
            x += 2**70
    target[1] = 2**70
    assert target.tolist() == [0, 2.0**70, 0]
    with pytest.raises(OverflowError):
        gamelan.zeros(3, int)[0] = 2**70


def test_views_that_change_nothing_are_the_array(engine):
    x = gamelan.array(_NAMES["x"])
    assert x.real is x and x.squeeze() is x and gamelan.squeeze(x) is x and gamelan.atleast_2d(x) is x


def test_the_imaginary_part_of_real_numbers_is_read_only(engine):
    with pytest.raises(ValueError, match="read-only"):
        gamelan.array(_NAMES["x"]).imag[0] = 1


def test_plus_of_bools_copies_and_warns(engine):
    b = gamelan.array(_NAMES["b"])
    if not numpy.__version__.startswith("1."):
        with pytest.raises(TypeError, match="positive"):
            +b
        return
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        copy = +b
    assert [each.category for each in told] == [DeprecationWarning] and copy is not b
    assert numpy.array_equal(copy, _NAMES["b"])
