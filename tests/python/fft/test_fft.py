# SPDX-License-Identifier: BSD-3-Clause
"""numpy.fft on distributed arrays: values, dtypes, shapes and errors are NumPy's; the same bits on any number of ranks."""

import numpy
import pytest

import gamelan
from gamelan._imported_numpy import NUMBERS_ARE_WEAK, ComplexWarning
from gamelan.fft import _bluestein, _four_step, _lines
from operands import DTYPES, LAYOUTS, cube
from oracle import check, check_all

ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
MANY = ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn")


def complex_for(name):
    return "c16" if name not in ("rfft", "ihfft", "rfft2", "rfftn") else "f8"


def data(shape, dtype="c16"):
    values = numpy.random.default_rng(7).standard_normal((2, *shape))
    return (values[0] + 1j * values[1]).astype(dtype) if numpy.dtype(dtype).kind == "c" else (values[0] * 5).astype(dtype)


@pytest.mark.parametrize("name", ONE)
def test_lengths_axes_and_norms(engine, name):
    a = data((5, 6, 7), complex_for(name))
    norms = (None, "backward", "ortho", "forward")
    cases = [(n, axis, norms[(place + axis) % 4]) for place, n in enumerate((None, 1, 2, 5, 6, 9, 16)) for axis in (-1, 0, 1)]
    check_all([(f"{name} {n} {axis} {norm}", lambda np, n=n, axis=axis, norm=norm: getattr(np.fft, name)(np.asarray(a), n, axis, norm))
               for n, axis, norm in cases])  # fmt: skip


@pytest.mark.parametrize("name", ONE)
def test_every_dtype(engine, name):
    is_real = complex_for(name) == "f8"
    check_all([(f"{name} {dtype}", lambda np, dtype=dtype: getattr(np.fft, name)(np.asarray(cube(dtype)), axis=1))
               for dtype in DTYPES if not (is_real and numpy.dtype(dtype).kind == "c")])  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ("fft", "irfft", "fftn", "fftshift"))
def test_every_layout(engine, name, layout):
    a = data((6, 8))
    check(lambda np: getattr(np.fft, name)(LAYOUTS[layout](np.asarray(a))), f"{name} {layout}")


@pytest.mark.parametrize("name, dtype", [(name, complex_for(name)) for name in MANY] + [("fft2", "f8"), ("fftn", "i2")])
def test_several_axes(engine, name, dtype):
    a = data((4, 5, 6), dtype)
    arguments = [
        (),
        ((3, 8),),
        ((3, 8), (0, 2)),
        (None, (0, 1)),
        (None, (2, 0)),
        (None, (1,)),
        (None, (-1, -1)),
        ((2, 2), (0,)),
        ((0, 2), (0, 1)),
        (None, (0, 5)),
    ]
    if name.endswith("n"):
        arguments += [((3, 4, 5),), ((4,),), (None, (0, 1, 2))]
    programs = [(f"{name} {rest}", lambda np, rest=rest: getattr(np.fft, name)(np.asarray(a), *rest)) for rest in arguments]
    programs += [
        (f"{name} {norm}", lambda np, norm=norm: getattr(np.fft, name)(np.asarray(a), norm=norm))
        for norm in ("ortho", "forward", "other")
    ]
    check_all(programs)


@pytest.mark.parametrize("name", ONE)
def test_errors_are_numpys(engine, name):
    a = data((4, 5), complex_for(name))
    left_out = (
        "empty line filled" if NUMBERS_ARE_WEAK and name in ("irfft", "hfft") else ""
    )  # NumPy 2 shows memory that nobody has set
    check_all([(f"{name} {what}", program) for what, program in {
        "norm": lambda np: getattr(np.fft, name)(np.asarray(a), norm="no"), "n 0": lambda np: getattr(np.fft, name)(np.asarray(a), 0),
        "n -1": lambda np: getattr(np.fft, name)(np.asarray(a), -1), "axis": lambda np: getattr(np.fft, name)(np.asarray(a), axis=2),
        "axis n": lambda np: getattr(np.fft, name)(np.asarray(a), 3, axis=-3), "float n": lambda np: getattr(np.fft, name)(np.asarray(a), 2.5),
        "0-d": lambda np: getattr(np.fft, name)(np.asarray(a)[1, 1, ...]), "empty line": lambda np: getattr(np.fft, name)(np.asarray(a)[:, :0]),
        "no lines": lambda np: getattr(np.fft, name)(np.asarray(a)[:0]), "empty line filled": lambda np: getattr(np.fft, name)(np.asarray(a)[:, :0], 4),
    }.items() if what != left_out])  # fmt: skip


def test_frequencies(engine):
    check_all([(f"{name} {n} {d}", lambda np, name=name, n=n, d=d: getattr(np.fft, name)(n, d))
               for name in ("fftfreq", "rfftfreq") for n in (1, 2, 9, 10, 0, -3, 2.5, numpy.int64(7)) for d in (1.0, 0.1)])  # fmt: skip


def test_shifts(engine):
    a = numpy.arange(5 * 4 * 3).reshape(5, 4, 3)
    check_all([(f"{name} {axes}", lambda np, name=name, axes=axes: getattr(np.fft, name)(np.asarray(a), axes))
               for name in ("fftshift", "ifftshift") for axes in (None, 0, -1, (0, 2), [1], (0, 0), (), 3, (0, 3))])  # fmt: skip


@pytest.fixture
def cut(monkeypatch):
    """Lines of 12 elements or more are cut; convolutions of 36 or more are done in pieces."""
    monkeypatch.setattr(_lines, "long_line", 12)
    monkeypatch.setattr(_four_step, "least_factor", 3)
    monkeypatch.setattr(_bluestein, "in_pieces_from", 36)


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("n", (12, 15, 16, 36, 60, 13, 31, 38, 101, 128))
def test_lines_over_all_engines(engine, cut, name, n):
    a = data((n,), complex_for(name))
    check_all([(f"{name} {n} {what}", program) for what, program in {
        "line": lambda np: getattr(np.fft, name)(np.asarray(a)), "longer": lambda np: getattr(np.fft, name)(np.asarray(a), n + 4, norm="ortho"),
        "shorter": lambda np: getattr(np.fft, name)(np.asarray(a), n - 2, norm="forward"),
        "negative": lambda np: getattr(np.fft, name)(np.asarray(a)[::-1]),
    }.items()])  # fmt: skip


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("dtype", ("f2", "f4", "c8"))
def test_single_precision_is_transformed_in_double(engine, cut, name, dtype):
    """Also where a line is a convolution, whose weights are numbers of Python: these alone would keep single precision."""
    a = data((3, 38), complex_for(name))
    a = a.astype(dtype) if dtype == "c8" and a.dtype.kind == "c" else a.real.astype(dtype.replace("c8", "f4"))
    check_all([(f"{name} {dtype} {n}", lambda np, n=n: getattr(np.fft, name)(np.asarray(a), n)) for n in (38, 31, 36)])


@pytest.mark.parametrize("name", ONE)
def test_few_lines_over_all_engines(engine, cut, name):
    a = data((3, 24, 2), complex_for(name))
    check_all([(f"{name} {n}", lambda np, n=n: getattr(np.fft, name)(np.asarray(a), n, 1)) for n in (None, 12, 17, 30)])


def test_a_long_line(engine):
    """Long enough to be cut without being told."""
    for n in (1 << 15, 3 * 5**2 * 7 * 32, 16411):  # a prime, too
        a = data((n,))
        check(lambda np: np.fft.fft(np.asarray(a)), f"fft {n}")
        check(lambda np: np.fft.fft(np.asarray(a.real)), f"fft of reals {n}")
        check(lambda np: np.fft.irfft(np.fft.rfft(np.asarray(a).real, n), n), f"rfft {n}")


@pytest.mark.parametrize("pieces", (False, True))
@pytest.mark.parametrize("name", ONE)
def test_a_long_line_without_factors(engine, monkeypatch, name, pieces):
    """A prime, and twice a prime, whose middle element a real result needs once only."""
    if pieces:
        monkeypatch.setattr(_bluestein, "in_pieces_from", 1 << 16)
    a = data((2, 100_050), complex_for(name))
    check_all([(f"{name} {n} {what}", program) for n in (100_003, 100_042) for what, program in {
        "line": lambda np, n=n: getattr(np.fft, name)(np.asarray(a)[0], n),
        "every other, backwards": lambda np, n=n: getattr(np.fft, name)(np.asarray(a)[1, ::-2], n, norm="ortho"),
        "column": lambda np, n=n: getattr(np.fft, name)(np.asarray(a).T[: n // 2 + 1], n, axis=0),
    }.items()])  # fmt: skip


@pytest.mark.parametrize("name", ("fft", "rfft", "irfft"))
def test_bits_do_not_depend_on_where_a_line_lies(engine, name):
    """A line alone lies with the first rank, beside others with any: what number of ranks there are does not show."""
    function = getattr(gamelan.fft, name)
    a = gamelan.asarray(data((11, 30), complex_for(name)))
    together, across = numpy.asarray(function(a)), numpy.asarray(function(a.T.copy(), axis=0)).T
    for place in range(11):
        alone = numpy.asarray(function(a[place].copy()))
        assert (alone == together[place]).all() and (alone == across[place]).all()


def test_complex_numbers_to_a_real_transform_warn(engine):
    if NUMBERS_ARE_WEAK:
        check(lambda np: np.fft.rfft(np.asarray(data((4, 4)))))
        check(lambda np: np.fft.rfft2(np.asarray(data((4, 4)))))
        return
    with pytest.warns(ComplexWarning):
        gamelan.fft.rfft(gamelan.asarray(data((4, 4))))
