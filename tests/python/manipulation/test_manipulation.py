# SPDX-License-Identifier: BSD-3-Clause
"""Shapes: views where NumPy makes views, copies on the engines otherwise."""

import numpy
import pytest

import gamelan
import oracle
from gamelan import _core
from oracle import check

EXPRESSIONS = [
    "a.T", "a.transpose(1, 0, 2)", "np.transpose(a, (2, 0, 1))", "a.swapaxes(0, -1)", "np.moveaxis(a, 0, -1)", "np.rollaxis(a, 2)",
    "a.reshape(6, 4)", "a.reshape((4, -1))", "a.reshape(-1)", "a.reshape(5, 5)", "a.reshape(-1, -1)", "a.reshape(7, -1)", "a.T.reshape(6, 4)",
    "a.reshape(4, 6, order='F')", "a.T.reshape(-1, order='F')", "a[::2].reshape(-1)", "a[:, ::-1].reshape(2, 12)", "a.reshape(2, 1, 3, 4, 1)",
    "np.zeros((0, 3)).reshape(3, 0, 5)", "np.zeros((0, 3)).reshape(-1)", "np.zeros((0, 3)).reshape(-1, 0)", "np.arange(1).reshape(())",
    "a.ravel()", "a.T.ravel()", "a.flatten()", "a.T.flatten()", "np.ravel(a, 'F')", "a[:1].squeeze()", "np.squeeze(a[:, :1], 1)", "a.squeeze(0)",
    "np.expand_dims(a, 1)", "np.expand_dims(a, (0, -1))", "np.broadcast_to(a[0], (3, 3, 4))", "np.broadcast_to(a, (3, 4))",
    "np.broadcast_arrays(a, a[0, 0])", "np.flip(a)", "np.flip(a, 1)", "np.fliplr(a)", "np.flipud(a)", "np.rot90(a)", "np.rot90(a, 3, (1, 2))",
    "a.diagonal()", "np.diagonal(a, 1, 1, 2)", "np.atleast_2d(a[0, 0])", "np.atleast_3d(a[0])", "np.atleast_1d(np.array(3))",
    "np.split(a, 2)", "np.split(a, [1, 2], 2)", "np.split(a, 5)", "np.array_split(a, 3, 2)", "np.hsplit(a, 3)", "np.vsplit(a, 2)", "np.dsplit(a, 2)",
    "np.concatenate([a, a])", "np.concatenate((a, a[:, :1]), 1)", "np.concatenate([a, a[:, :1]])", "np.concatenate([a, a[0]])",
    "np.concatenate([a, a.astype('c16')], -1)", "np.concatenate([a, a], None)", "np.concatenate([])", "np.concatenate([a], 3)",
    "np.concatenate([np.array(1), np.array(2)])", "np.concatenate([a, a], out=np.zeros((4, 3, 4)))", "np.concatenate([np.arange(3), [1.5]])",
    "np.stack([a, a])", "np.stack([a, a], -1)", "np.stack([a, a[0]])", "np.stack([])", "np.vstack([a[0], a[1]])", "np.vstack([a[0, 0], a[1]])",
    "np.hstack([a, a])", "np.hstack([a[0, 0], a[0, 1]])", "np.dstack([a[0], a[1]])", "np.column_stack([a[0, 0], a[0, 1]])",
    "np.append(a, [1, 2])", "np.append(a, a, 0)", "np.clip(a, 2, 9)", "a.clip(5)", "np.clip(a, None, 7.5)", "np.clip(a, a[0], 20)", "np.clip(a, None, None)",
    "a.clip(2, 9, out=a)", "a.real", "a.imag", "np.real(a + 1j)", "(a + 2j).imag", "a.view()", "a.view('u8')", "a.view('f4').shape",
    "a[1:].base is a", "a.T.reshape(4, 6).base is a", "a.reshape(6, 4)[1:].base is a", "np.array(a, copy=False, ndmin=5).base is a", "a.base",
    "np.zeros((2, 0, 3)).strides", "np.empty((1, 0, 2), order='F').strides", "np.zeros((2, 0, 3)).reshape(5, 0, 4).strides",
    "np.zeros((2, 0, 3)).reshape((5, 0, 4), order='F').strides", "(np.zeros((2, 0)) + 1).strides", "a[:, :0].strides",
    "a.nbytes, a.itemsize, a.size, a.ndim, a.strides, len(a)", "np.shape(a), np.ndim(a), np.size(a, 1)", "a.item(3), a.item(1, 2, 3), a[0, 0, 0].item()",
    "a.item()", "a.item(99)", "a.tolist()", "np.isclose(a, a + 1e-9)", "np.allclose(a, a)", "np.array_equal(a, a.T)", "np.array_equal(a, a.copy())",
    "np.isclose([1.0, np.inf, np.nan], [1.0, np.inf, np.nan], equal_nan=True)", "np.array_equal([1.0, np.nan], [1.0, np.nan], equal_nan=True)",
]  # fmt: skip


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_like_numpy(engine, expression):
    check(lambda np: eval(expression, {"np": np, "a": np.arange(24.0).reshape(2, 3, 4)}), expression)


@pytest.mark.parametrize("view_of", [
    "a.T", "a.reshape(6, 4)", "a.ravel()", "a[:, 1:].swapaxes(0, 1)", "np.flip(a, 2)", "np.moveaxis(a, 0, 2)[1]", "a[::2, None]", "a.flat",
])  # fmt: skip
def test_views_write_through(engine, view_of):
    def program(np):
        a = np.arange(24.0).reshape(2, 3, 4)
        view = eval(view_of, {"np": np, "a": a})
        view[1:] = -1
        return a

    check(program)


def test_parts_of_complex_numbers_write_through(engine):
    def program(np):
        z = np.arange(6.0).reshape(2, 3) + 1j
        z.real[0] = 7
        z.imag *= z.real
        z.T.imag[0] = 5
        z.real = 2
        return z

    check(program)


def test_flat(engine):
    def program(np):
        a = np.arange(12.0).reshape(3, 4)
        a.flat = 5
        d = (a - a.T.copy().T + 2).flat
        return np.dot(d, d), [x for x in a[:1].flat], np.sqrt(np.dot((a[1:] - a[:-1]).flat, (a[1:] - 1).flat))

    check(program)


def test_shape_assignment(engine):
    def program(np):
        a = np.arange(6.0)
        a.shape = 2, 3
        b = a.T
        a.shape = (3, -1)
        return a, b

    check(program)
    check(lambda np: setattr(np.arange(6).reshape(2, 3).T, "shape", (6,)))


def test_copyto(engine):
    def program(np):
        a = np.arange(6.0)
        np.copyto(a, 3, where=np.arange(6) > 3)
        np.copyto(a[:2], np.arange(2))
        return a

    check(program)


def test_numpys_functions_on_our_arrays(engine):
    a = gamelan.arange(6.0)
    assert isinstance(numpy.reshape(a, (2, 3)), gamelan.ndarray)
    assert isinstance(numpy.concatenate([a, a]), gamelan.ndarray)
    assert isinstance(numpy.apply_over_axes(numpy.sum, a, 0), gamelan.ndarray)
    with pytest.raises(NotImplementedError, match="is_busday"):
        numpy.is_busday(a)
    with gamelan.options(distribute_from=100):
        assert numpy.packbits(gamelan.arange(3) > 1).tolist() == [32]


def test_functions_over_lines_and_axes(engine):
    data = numpy.arange(24.0).reshape(2, 3, 4) % 7

    def programs():
        for axis in (0, 1, -1, 3):
            for name in ("sum", "median", "argmax", "cumsum", "sort", "diff", "ptp", "count_nonzero", "nanmax"):
                yield f"{name} {axis}", lambda np: np.apply_along_axis(getattr(np, name), axis, np.array(data))
            yield f"numpy's {axis}", lambda np: np.apply_along_axis(numpy.mean, axis, np.array(data), dtype="f4")
            yield f"quantiles {axis}", lambda np: np.apply_along_axis(np.quantile, axis, np.array(data), [0.2, 0.5, 0.8])
            yield f"outer {axis}", lambda np: np.apply_along_axis(lambda line: np.outer(line, line[:2]), axis, np.array(data))
            yield (
                f"number {axis}",
                lambda np: np.apply_along_axis(lambda line, by: float(line[0]) / by, axis, np.array(data), by=3),
            )
            yield f"list {axis}", lambda np: np.apply_along_axis(lambda line: [line.min(), line.max()], axis, np.array(data))
        yield "nothing", lambda np: np.apply_along_axis(np.sum, 0, np.zeros((3, 0)))
        yield "no lines of nothing", lambda np: np.apply_along_axis(np.sum, 1, np.zeros((3, 0)))
        yield "one", lambda np: np.apply_along_axis(lambda line: line * 2, 0, np.array(data[0, 0]))
        for axes in (0, [0, 2], (1, -1), []):
            yield f"sum over {axes}", lambda np: np.apply_over_axes(np.sum, np.array(data), axes)
            yield f"cumsum over {axes}", lambda np: np.apply_over_axes(np.cumsum, np.array(data), axes)
        yield "no axis", lambda np: np.apply_over_axes(np.sum, np.array(data), 5)
        yield "wrong shape", lambda np: np.apply_over_axes(lambda a, axis: a.sum(), np.array(data), 0)

    oracle.check_all(programs())
    with pytest.raises(NotImplementedError, match="20000 lines"):
        gamelan.apply_along_axis(lambda line: line, 0, gamelan.zeros((2, 20000)))


def test_reshape_agrees_with_numpy_on_which_shapes_are_views():
    random = numpy.random.RandomState(3)
    shapes = [(24,), (2, 12), (4, 6), (2, 3, 4), (2, 2, 6), (1, 24, 1), (3, 1, 8), (2, 2, 3, 2)]
    for _ in range(400):
        base = numpy.arange(24 * 16).reshape(shapes[random.randint(len(shapes))] + (16,))[..., 3]
        view = base.transpose(random.permutation(base.ndim))
        for axis in range(view.ndim):
            step = random.choice([1, 1, -1])
            view = view[(slice(None),) * axis + (slice(None, None, step),)]
        shape = shapes[random.randint(len(shapes))]
        ours = _core.reshape_view(_core.hold(view), shape)
        theirs = view.reshape(shape)
        assert (ours is not None) == numpy.shares_memory(theirs, view), (view.shape, view.strides, shape)
        assert ours is None or numpy.array_equal(ours._a, theirs)
