# SPDX-License-Identifier: BSD-3-Clause
"""Elements moved, repeated, put between others or left out: roll, repeat, tile, insert, delete, block, resize and their kin."""

import numpy
import pytest

import gamelan
from operands import DTYPES, LAYOUTS, right
from oracle import check, check_all

EXPRESSIONS = [
    "np.roll(a, 5)", "np.roll(a, -1, 0)", "np.roll(a, (1, -2), (0, 2))", "np.roll(a, (1, 2), (2, 2))", "np.roll(a, 30, 1)", "np.roll(a, 1, (0, 1))",
    "np.roll(a, 1, 5)", "np.roll(a[:0], 1, 0)", "np.roll(a, (1, 2, 3), (0, 1))", "np.roll(a.T, 3)", "np.roll(np.array(3), 1)", "np.roll(a, 0, 1)",
    "np.repeat(a, 3)", "a.repeat(2, 1)", "np.repeat(a, [1, 0, 2], 1)", "np.repeat(a, [2, 3], 0)", "np.repeat(a, 0, 2)", "np.repeat(a, -1)",
    "np.repeat(a, [1, -1, 2], 1)", "np.repeat(a, [1, 2], 1)", "np.repeat(a, 1.5)", "np.repeat(a, [[1]])", "np.repeat(np.array(3), 4)",
    "np.repeat(a, np.arange(24))", "np.repeat(a[0, 0], np.array([0, 3, 0, 1]))", "np.repeat(a, [0, 0, 0], 1)", "np.repeat(3, 4)", "np.repeat(a, True, 0)",
    "np.repeat(a, 2, 9)", "np.repeat([1, 2], np.arange(2))",
    "np.tile(a, 2)", "np.tile(a, (2, 1, 2))", "np.tile(a, (2, 1, 1, 3))", "np.tile(a, 0)", "np.tile(a[0, 0], (3, 1))", "np.tile(np.array(5), 3)",
    "np.tile(a, ())", "np.tile(a.T, (1, 2))", "np.tile(a, -1)", "np.tile(a, np.array([2, 2]))",
    "np.insert(a, 1, 9)", "np.insert(a, 1, 9, 0)", "np.insert(a, [1, 3], [7, 8], 1)", "np.insert(a, [2, 0, 2], 5, 2)", "np.insert(a, -1, a[:, 0], 1)",
    "np.insert(a, [1], a[:, :1], 1)", "np.insert(a, [0], a[:, :2], 1)", "np.insert(a, 99, 1)", "np.insert(a, [0, 99], 1)", "np.insert(a, [-99, 1], 1)",
    "np.insert(a, slice(1, 9, 3), 4)", "np.insert(a, [], [])", "np.insert(a, 1.5, 3)", "np.insert(a, np.array([0, 5]), [1, 2])", "np.insert(a, 0, 1, 8)",
    "np.insert(a, 24, 1.9)", "np.insert(a.astype(int), [2, 4], [1.9, 2.9])", "np.insert(a, [[1]], 2)", "np.insert(a[:0], [0, 0], 2)",
    "np.insert([1, 2, 3], 1, a[0, 0])",
    "np.delete(a, 1)", "np.delete(a, -1, 1)", "np.delete(a, [0, 2], 1)", "np.delete(a, slice(None, None, 2), 2)", "np.delete(a, slice(2, 0, -1), 1)",
    "np.delete(a, [0, 0, -1])", "np.delete(a, [])", "np.delete(a, 99)", "np.delete(a, [1, 99])", "np.delete(a, np.arange(3) > 1, 1)", "np.delete(a, a > 7)",
    "np.delete(a, [True, False], 0)", "np.delete(a, [True], 0)", "np.delete(a, 1.0)", "np.delete(a, np.array([1, 5]))", "np.delete(a, slice(5, 5))",
    "np.delete(a, 0, 7)", "np.delete(a, [[1, 2], [3, 4]])", "np.delete(a, np.array([3]))", "np.delete(a, slice(3, 99))", "np.delete([1, 2, 3], a[0, 0, :1].astype(int))",
    "np.append(a, 1)", "np.append(a, a, 2)", "np.append(a, [1.5])", "np.append([1], a)", "np.append(a, [[1]], 0)", "np.append(np.array(1), np.array(2))",
    "np.trim_zeros(np.array([0, 0, 1, 0, 2, 0]))", "np.trim_zeros(a[0, 0], 'f')", "np.trim_zeros(a[0, 0][::-1], 'b')", "np.trim_zeros(a[0, 0] * 0)",
    "np.trim_zeros(a[0, 0, :0])", "np.trim_zeros(a)",
    "np.block([a, a])", "np.block([[a[0], a[1]], [a[1], a[0]]])", "np.block([[1, a[0, 0]], [a[0, 0], 2]])", "np.block([[a[0]], [a[1]]])", "np.block(a)",
    "np.block([[a], a])", "np.block([])", "np.block((a, a))", "np.block([a[0, 0], a])", "np.block([[[a]], [[a + 1]]])", "np.block([[a[0], a[1]], [a[1]]])", "np.block(3)",
    "np.resize(a, (3, 11))", "np.resize(a, 5)", "np.resize(a, (2, 30))", "np.resize(a, (0, 3))", "np.resize(a, -1)", "np.resize(a[:0], 4)", "np.resize(a.T, 50)",
    "np.resize(a, 24)", "np.resize(a[0, 0, 0], 3)",
    "np.concatenate((a, a[0, 0, 0]), None)", "np.concatenate((np.array([1], 'i1'), 300), None)", "np.concatenate((a, a), dtype='f4')",
    "np.concatenate((a, a), dtype='i4', casting='safe')", "np.concatenate((a, a), casting='x')", "np.concatenate((a, a), 1, np.zeros((2, 6, 4), 'f4'))",
    "np.concatenate((a, a), 1, np.zeros((2, 6, 4), 'i4'))", "np.concatenate((a, a), 1, np.zeros((2, 6, 3)))", "np.concatenate((a, a), out=np.zeros(3), dtype=int)",
    "np.concatenate(a)", "np.concatenate((a, a), 1, np.zeros((2, 6, 4), 'i4'), casting='unsafe')", "np.stack((a, a), 1, dtype='c8')",
    "np.stack((a, a), 9)", "np.vstack((a, a), dtype='f4')", "np.hstack((a, a), casting='no')", "np.column_stack((a[0], a[0, :, 0]))", "np.dstack((a[0, 0], a[0, 1]))",
    "np.vstack(([1, 2], a[0, 0, :2]))", "np.stack([])", "np.hstack((1, a[0, 0]))",
    "np.reshape(a, (4, 6), 'F')", "np.reshape(a.T, (4, 6), 'A')", "np.reshape(a, (4, 6), 'K')", "np.reshape(a, 24, 'f')", "np.reshape(a, (4, 6), order='x')",
    "a.T.ravel('A')", "a.T.ravel('K')", "a.swapaxes(0, 1).ravel('K')", "a[:, ::2].ravel('F')", "a.T.flatten('F')", "a.flatten('k')", "a.ravel('x')",
    "a.swapaxes(1, 2).flatten('K')", "np.moveaxis(a, (0, 1), (2, 0))", "np.moveaxis(a, 0, 9)", "np.moveaxis(a, (0, 0), (1, 2))", "np.rollaxis(a, 2, 1)",
    "np.rot90(a, -1, (0, 2))", "np.rot90(a, 1, (0, 0))", "np.flip(a, (0, 2))", "np.flip(a, 4)", "np.array_split(a, [1, 5], 1)", "np.array_split(a, 0)",
    "np.squeeze(a, 0)", "np.expand_dims(a, (1, 1))", "np.expand_dims(a, 9)", "np.swapaxes(a, 0, 4)", "np.transpose(a, (0, 1))", "np.transpose(a, (0, 0, 1))",
    "np.broadcast_to(a, (2, 2, 2, 4))", "np.broadcast_to(a, (5, 2, 3, 4))", "np.broadcast_arrays(a, 3, a[0])", "np.broadcast_arrays(a, a[:, :2])",
    "a.byteswap()", "a.astype('i4').byteswap()", "a.astype('u2')[:, ::2].byteswap()", "(a + 1j * a).byteswap()", "a.astype('i1').byteswap()",
    "a.astype('c8').byteswap().byteswap()", "a[0, 0, 0].byteswap()",
    "np.broadcast_to(a[:, :1], (2, 3, 4)).ravel('K')", "np.broadcast_to(a.T[:1], (3, 4, 3, 2)).ravel('K')", "np.broadcast_to(np.array(a[:, :1], order='F'), (2, 3, 4)).ravel('K')",
    "np.broadcast(a, a[0]).shape", "np.broadcast(a, a[:, :2])", "np.broadcast(a, 3, a[:1]).numiter", "np.column_stack((1, 2))", "np.roll(a, 1.5, 0)", "np.roll(a, 'x')",
    "np.copy(a.T, 'C')", "np.copy(a.T).flags.f_contiguous", "a.copy('F').flags.f_contiguous", "a.copy('F')", "a.T.copy('K').ravel('K')", "a.copy('x')",
    "a.T.copy().flags.c_contiguous", "np.isfortran(a.T), np.isfortran(a)",
]  # fmt: skip


@pytest.mark.parametrize("first", range(0, len(EXPRESSIONS), 20))
def test_like_numpy(engine, first):
    def programs():
        for expression in EXPRESSIONS[first : first + 20]:
            yield expression, lambda np: eval(expression, {"np": np, "a": np.arange(24.0).reshape(2, 3, 4)})

    check_all(programs())


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_and_layout(engine, dtype):
    def programs():
        for what, layout in LAYOUTS.items():
            for axis in (None, -1):
                for name, arguments in (("roll", (3,)), ("repeat", (2,)), ("insert", ([1, 0], 1)), ("delete", ([0, -1],))):
                    yield (
                        f"{name} {dtype} {what} {axis}",
                        lambda np: getattr(np, name)(layout(np.array(right(dtype))), *arguments, axis),
                    )
            yield f"tile {dtype} {what}", lambda np: np.tile(layout(np.array(right(dtype))), (2, 3))
            yield f"byteswap {dtype} {what}", lambda np: layout(np.array(right(dtype))).byteswap().byteswap()
            yield f"resize {dtype} {what}", lambda np: np.resize(layout(np.array(right(dtype))), (3, 50))

    check_all(programs())


def test_resize_in_place(engine):
    def program(np, shape, **keywords):
        a = np.arange(6.0)
        a.resize(shape, **keywords)
        return a

    check_all([(str(shape), lambda np: program(np, shape)) for shape in (3, (2, 2), (4, 3), 0, (), (2, -1), None)])

    def seen(np):
        a = np.arange(6.0)
        b = a[1:]
        a.resize(9)
        return b

    check(seen)
    check(lambda np: np.arange(6)[1:].resize(3))

    def again(np):
        a = np.arange(6.0)
        a.resize(2, 4)
        a += 1
        a[0] = 7
        return a, float(a.sum())

    check(again)


@pytest.mark.parametrize("expression", [
    "np.copyto(b, 3.5)", "np.copyto(b, 3.5, 'unsafe')", "np.copyto(b, 300, where=a > 4)", "np.copyto(b, a)", "np.copyto(b, a, 'unsafe')", "np.copyto(a, b[:, ::-1])",
    "np.copyto(a, 1j)", "np.copyto(a, a[0], where=[[True], [False], [True]])", "np.copyto(a, a[None], where=a > 3)", "np.copyto(a, a[:2])", "np.copyto(a, [1, 2])",
    "np.copyto(a, 2, where=b)", "np.copyto(a, 2, where=3.2)", "np.copyto(a, 2, where=False)", "np.copyto(a, a.T, where=a > 3)", "np.copyto(a, 5.0, where=np.ones((2, 3, 4), bool))",
    "np.copyto(b, np.int8(-4))", "np.copyto(b, np.float32(2), where=a > 2)", "np.copyto(3, a)", "np.copyto(np.broadcast_to(a, (2, 3, 4)), 3)",
    "np.copyto(np.broadcast_to(a, (2, 3, 4)), 3, where=a > 2)", "np.copyto(a, [7, 8, 9, 10], where=a % 2 == 0)", "np.copyto(a[::2], a[1], 'equiv')", "np.copyto(b, True, 'safe')",
])  # fmt: skip
def test_copyto(engine, expression):
    def program(np):
        a = np.arange(12.0).reshape(3, 4)
        b = np.zeros((3, 4), "u1")
        eval(expression, {"np": np, "a": a, "b": b})
        return a, b

    check(program, expression)


def test_many_repeats(engine):
    counts = numpy.random.RandomState(0).randint(0, 4, 3000)
    check(lambda np: np.repeat(np.arange(3000), np.array(counts)))
    places = numpy.random.RandomState(1).randint(0, 3000, 500)
    check(lambda np: np.insert(np.arange(3000), np.array(places), np.arange(500)))
    check(lambda np: np.delete(np.arange(3000), np.array(places)))


@pytest.mark.parametrize("count", [2, 16, 17, 5000])
def test_rows_inserted_into_a_large_array(ordinary, count):
    draw = numpy.random.RandomState(count)
    v, table = draw.standard_normal(200_003), draw.standard_normal((701, 301))
    places, columns = draw.randint(-200_003, 200_004, count), draw.randint(0, 302, count)
    places[1] = places[0]

    def program(np):
        x, t = np.array(v), np.array(table)
        return (
            np.insert(x, places, np.arange(float(count))), np.insert(x, np.array(places), 7.5),
            np.insert(t, columns, t[:, :1], axis=1), np.insert(t, columns.tolist(), np.arange(301.0), axis=0),
            np.insert(x[::-2], abs(places) // 4, [1.0]), np.insert(x[:0], np.zeros(count, int), x[:count]),
        )  # fmt: skip

    check(program)


def test_small_made_large(mixed):
    check(lambda np: np.tile(np.arange(4), 5))
    check(lambda np: np.repeat(np.arange(4), 5))
    check(lambda np: np.insert(np.arange(4), 1, np.arange(20)))
    check(lambda np: np.pad(np.arange(4), 9, "wrap"))
    assert gamelan.tile(gamelan.arange(4), 5).is_distributed and gamelan.resize(gamelan.arange(4), 50).is_distributed
