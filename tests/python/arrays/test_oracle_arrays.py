# SPDX-License-Identifier: BSD-3-Clause
"""Shapes, creation, errors, products, values and copies against NumPy: many small programs per test."""

import itertools

import numpy
import pytest

from operands import DTYPES, LAYOUTS, cube, left
from oracle import check_all

# ---- shapes

SHAPES = {
    "T": lambda np, a: a.T,
    "transpose": lambda np, a: np.transpose(a, (1, 2, 0)),
    "transpose method": lambda np, a: a.transpose(2, 0, 1),
    "swapaxes": lambda np, a: np.swapaxes(a, 0, 2),
    "moveaxis": lambda np, a: np.moveaxis(a, 0, -1),
    "rollaxis": lambda np, a: np.rollaxis(a, 2),
    "reshape": lambda np, a: a.reshape(6, 35),
    "reshape -1": lambda np, a: a.reshape(7, -1),
    "reshape wrong": lambda np, a: a.reshape(4, -1),
    "reshape two unknown": lambda np, a: a.reshape(-1, -1),
    "reshape F": lambda np, a: a.reshape(30, 7, order="F"),
    "reshape of transposed": lambda np, a: a.T.reshape(-1, 10),
    "reshape of strided": lambda np, a: a[::2, ::-1].reshape(-1),
    "ravel": lambda np, a: np.ravel(a[:, 1:3]),
    "flatten": lambda np, a: a.T.flatten(),
    "squeeze": lambda np, a: np.squeeze(a[:1, :, :1]),
    "squeeze wrong": lambda np, a: np.squeeze(a, 0),
    "expand_dims": lambda np, a: np.expand_dims(a, (0, 2)),
    "broadcast_to": lambda np, a: np.broadcast_to(a[:, :1], (2, 5, 3, 7)),
    "broadcast_to wrong": lambda np, a: np.broadcast_to(a, (5, 6)),
    "broadcast_arrays": lambda np, a: np.broadcast_arrays(a[0, 0], a[1, :, :1]),
    "flip": lambda np, a: np.flip(a),
    "flip 1": lambda np, a: np.flip(a, 1),
    "fliplr": lambda np, a: np.fliplr(a),
    "flipud": lambda np, a: np.flipud(a),
    "rot90": lambda np, a: np.rot90(a, 3),
    "diagonal": lambda np, a: a.diagonal(),
    "diagonal 1": lambda np, a: np.diagonal(a, 1, 1, 2),
    "diagonal -2": lambda np, a: np.diagonal(a, -2, 0, 2),
    "diag": lambda np, a: np.diag(a[0]),
    "diag of vector": lambda np, a: np.diag(a[0, 0], 1),
    "trace": lambda np, a: np.trace(a),
    "atleast_3d": lambda np, a: np.atleast_3d(a[0], a[0, 0]),
    "split": lambda np, a: np.split(a, 3, axis=1),
    "split wrong": lambda np, a: np.split(a, 4, axis=1),
    "array_split": lambda np, a: np.array_split(a, 4, axis=2),
    "hsplit": lambda np, a: np.hsplit(a, 2),
    "concatenate": lambda np, a: np.concatenate([a, a[:2], a[::-1]]),
    "concatenate 1": lambda np, a: np.concatenate([a, a[:, :1]], axis=1),
    "concatenate -1": lambda np, a: np.concatenate([a.T, a.T], -1),
    "concatenate flat": lambda np, a: np.concatenate([a, a], axis=None),
    "concatenate dtypes": lambda np, a: np.concatenate([a, a.astype("i2"), np.ones((1, 6, 7), "f4")]),
    "concatenate wrong": lambda np, a: np.concatenate([a, a[0]]),
    "concatenate nothing": lambda np, a: np.concatenate([]),
    "stack": lambda np, a: np.stack([a, a, a], axis=2),
    "stack wrong": lambda np, a: np.stack([a, a[0]]),
    "vstack": lambda np, a: np.vstack([a[0, 0], a[1, 1]]),
    "hstack": lambda np, a: np.hstack([a[0], a[1]]),
    "dstack": lambda np, a: np.dstack([a[0], a[1]]),
    "column_stack": lambda np, a: np.column_stack([a[0, 0], a[1, 1]]),
    "append": lambda np, a: np.append(a, 5),
    "clip": lambda np, a: np.clip(a, -1, 1),
    "clip method": lambda np, a: a.clip(0),
    "real": lambda np, a: a.real,
    "imag": lambda np, a: a.imag,
    "len": lambda np, a: [len(a), a.ndim, a.size, a.nbytes, a.itemsize, a.strides],
    "tolist": lambda np, a: a[0].tolist(),
    "iterate": lambda np, a: [row for row in a[0]],
    "item": lambda np, a: [a.item(3), a.item(1, 2, 3), a[0, 0, 0].item()],
    "item wrong": lambda np, a: a.item(),
    "float": lambda np, a: float(a[0, 0, 0].real),
    "bool of many": lambda np, a: bool(a),
    "contains": lambda np, a: 1 in a,
    "copyto": lambda np, a: np.copyto(a, a[::-1].copy()),
    "allclose": lambda np, a: np.allclose(a, a + 0),
    "array_equal": lambda np, a: [np.array_equal(a, a), np.array_equal(a, a[0])],
    "isclose": lambda np, a: np.isclose(a, a * 1.0),
}


@pytest.mark.parametrize("dtype", ["int64", "float32", "complex128", "bool"])
def test_shapes(engine, dtype):
    data = cube(dtype).astype(dtype)

    def changed(np, function):
        # A view must share memory exactly where NumPy's does: writing the original shows it.
        a = np.array(data)
        result = function(np, a)
        a[1] = 1
        return result

    def programs():
        for name, function in SHAPES.items():
            yield f"{name} {dtype}", lambda np: function(np, np.array(data))
            yield f"{name} {dtype}, then a[1] = 1", lambda np: changed(np, function)

    check_all(programs())


# ---- creation

CREATION = """
np.zeros(7)
np.zeros((3, 4), 'i2')
np.zeros(())
np.zeros((0, 4))
np.zeros((2, -1))
np.ones((3, 4), dtype=complex)
np.empty((5, 2)).shape
np.full((2, 3), 2.5)
np.full((2, 3), 2.5, dtype=int)
np.full((2, 3), [1, 2, 3])
np.full((2, 3), 300, 'u1')
np.zeros_like(np.ones((2, 3), 'i4'))
np.ones_like(np.ones((2, 3), 'i4'), dtype='f4')
np.full_like(np.ones((2, 3), 'i4'), 7.9)
np.empty_like(np.ones((2, 3), 'i4')).dtype
np.arange(10)
np.arange(3, 10)
np.arange(10, 3)
np.arange(10, 3, -2)
np.arange(0, 1, 0.1)
np.arange(5.0)
np.arange(1, 7, 2, dtype='f4')
np.arange(0)
np.arange(1, 2, 0)
np.arange(100000)[::5000]
np.arange(7, dtype='u1')
np.arange(-3, 3, dtype='i1')
np.linspace(0, 1)
np.linspace(0, 1, 7)
np.linspace(2, -3, 11, endpoint=False)
np.linspace(0, 10, 5, retstep=True)
np.linspace(0, 10, 5, dtype=int)
np.linspace(1, 2, 1)
np.linspace(1, 2, 0)
np.linspace(0, 1j, 5)
np.logspace(2.0, 3.0, num=4)
np.logspace(2, 3, 4, endpoint=False, base=2)
np.logspace(0, 2, 5, dtype='i4')
np.logspace(0, 2, -1)
np.dot(6, np.arange(5, dtype='f4'))
np.dot(np.arange(5, dtype='i1'), 2)
np.inner(2.5, np.arange(5, dtype='f4'))
np.eye(5)
np.eye(3, 4, 1)
np.eye(4, 3, -2, dtype='i4')
np.identity(6)
np.array([1, 2, 3])
np.array([[1, 2], [3, 4]], dtype='f4')
np.array([1, 2.5, 3j])
np.array(5)
np.array([])
np.array([True, False])
np.array([[1, 2], [3]], dtype=float)
np.array([1, 2, 3], ndmin=3)
np.array([np.ones(3), np.zeros(3)])
np.array([np.arange(3).sum(), 2])
np.asarray([1, 2])
np.asarray(np.ones(3), dtype='i4')
np.ascontiguousarray(np.ones((3, 4)).T)
np.copy(np.arange(5))
np.meshgrid(np.arange(3), np.arange(4))
np.meshgrid(np.arange(3), np.arange(4), indexing='ij')
np.indices((2, 3))
np.fromfunction(lambda i, j: i + 2 * j, (3, 4))
np.diag(np.arange(4))
np.zeros(3, dtype='nonsense')
np.zeros('a')
np.ones((2, 3))[2]
np.arange(6).reshape(2, 3).sum(axis=5)
np.arange(6) + np.arange(5)
np.arange(6) @ np.arange(5)
np.ones((2, 3)) @ np.ones((2, 3))
np.ones(3) @ 2
np.arange(6) & 1.5
np.arange(3) ** -1
np.arange(3.0) ** -1
np.arange(6).max(axis=1)
np.zeros(0).max()
np.zeros((3, 0)).max(axis=0)
~np.ones(3)
-np.ones(3, bool)
np.ones(3, bool) - np.ones(3, bool)
np.ones(3) << 1
np.ones(3) + 'a'
np.sqrt('a')
np.add(1)
np.add(np.ones(3), np.ones(3), np.ones(4))
np.add(np.ones(3), 1, out=np.ones(3, int))
np.ones(3).reshape(2)
np.ones((2, 3)).transpose(0, 0)
np.ones((2, 3)).transpose(0, 2)
np.ones((2, 3)).swapaxes(0, 2)
int(np.ones(3))
float(np.ones(2))
bool(np.ones((2, 2)))
len(np.ones(()))
hash(np.ones(3))
[row for row in np.ones(())]
np.where(np.ones(3), 1)
np.ones(3).astype('nonsense')
np.ones(3, complex).astype(float, casting='safe')
np.ones((2, 3)).dot(np.ones((2, 3)))
np.outer(np.arange(3), np.arange(4))
np.inner(np.arange(3), np.arange(3))
np.vdot(np.arange(3) * 1j, np.arange(3) * 2j)
np.arange(10) // 3
np.arange(10) % 3
divmod(np.arange(10), 3)
abs(np.arange(-3, 3))
round(np.linspace(0, 1, 3)[1].item(), 1)
np.arange(5).mean()
np.isscalar(3)
""".strip().split("\n")


def test_creation_and_errors(engine):
    check_all((line, lambda np: eval(line, {"np": np})) for line in CREATION)


def test_creation_and_errors_of_small_arrays(mixed):
    check_all((line, lambda np: eval(line, {"np": np})) for line in CREATION)


# ---- products

PRODUCTS = [
    ((3,), (3,)), ((3, 4), (4,)), ((3,), (3, 4)), ((3, 4), (4, 5)), ((17, 23), (23, 9)), ((1, 1), (1, 1)), ((5, 0), (0, 3)),
    ((0, 3), (3, 2)), ((2, 3, 4), (4, 5)), ((2, 3, 4), (2, 4, 5)), ((4, 1, 3, 2), (5, 2, 3)), ((64, 65), (65, 63)), ((130, 7), (7, 131)),
    ((3, 4), (3, 4)), ((0,), (0,)),
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "complex64", "int64", "int8", "bool", "float16", "uint16"])
def test_products(engine, dtype):
    def programs():
        for one, other in PRODUCTS:
            x, y = cube(dtype, one).astype(dtype), cube(dtype, other).astype(dtype)
            yield f"matmul {dtype} {one} {other}", lambda np: np.array(x) @ np.array(y)
            if len(one) < 3 and len(other) < 3:
                yield f"dot {dtype} {one} {other}", lambda np: np.dot(np.array(x), np.array(y))
                yield f"matmul of transposed {dtype} {one} {other}", lambda np: np.array(y).T @ np.array(x).T
                yield f"matmul of reversed {dtype} {one} {other}", lambda np: np.array(x)[..., ::-1] @ np.array(y)[::-1]
                yield f"small with large {dtype} {one} {other}", lambda np: np.matmul(x, np.array(y))
        x = cube(dtype, (8, 9)).astype(dtype)
        yield f"{dtype} strided", lambda np: np.array(x)[::2, 1::3] @ np.array(x)[3:6, ::-2]
        yield f"{dtype} with itself", lambda np: np.array(x) @ np.array(x).T
        yield f"{dtype} mixed", lambda np: np.array(x) @ np.ones((9, 2), "f4")
        yield f"{dtype} broadcast", lambda np: np.array(x) @ np.broadcast_to(np.array(x)[0], (9, 9))
        yield f"{dtype} outer", lambda np: np.outer(np.array(x)[0], np.array(x)[:, 1])

    check_all(programs())


# ---- values: what reductions and full indices return acts as NumPy's scalars

VALUES = """
x = a.sum(); y = x; x += 1; out(y); out(x)
x = a[1, 2]; a[1, 2] = 50; out(x)
x = a[1, 2]; x *= 2; out(a); out(x)
a[0, 0] += 2.5; out(a)
a[0, 1] *= -1; out(a)
a[1] -= a[1].max(); out(a)
a /= a.max() if a.dtype.kind == 'f' else 1; out(a)
x = a.mean(); out(a - x); out(x - a)
x = a.max(); out(x > 3); out(bool(x > 3)); out(float(x) + 1)
x = (a[0] * a[1]).sum(); y = x + 1; z = y * x; out(z)
x = a[0, 0]; y = x.reshape(1); y[0] = 9; out(x); out(y)
x = a.sum(); out(a / (x + 1))
x = a.sum(); out(np.sqrt(abs(x)))
x = a[1:2, 1:2]; x += 5; out(a)
x = a.sum(axis=0); y = x; x += 1; out(y)
x = np.zeros(()); y = x; x += 1; out(y)
x = a.min(); out(f'{x:.2f}'); out(int(x)); out(str(x))
x = a[0]; a[0] = 7; out(x)
x = a[1, 2]; out(x ** 2); out(x ** 1); out(abs(x) ** 0.5); out(a.max() ** 2)
for i in range(3): a[i, i] = a[i, i] + a[i - 1, i]
""".strip().split("\n")


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint8", "int16"])
@pytest.mark.parametrize("where", ["engine", "mixed"])
def test_values(request, dtype, where):
    request.getfixturevalue(where)
    data = cube(dtype, (4, 5)).astype(dtype)

    def program(np, line):
        reads = []
        a = np.array(data)
        exec(line, {"np": np, "a": a, "out": lambda value: reads.append(numpy.array(value))})
        return [*reads, a]

    check_all((f"{line} {dtype}", lambda np: program(np, line)) for line in VALUES)


# ---- layouts: a copy of any view holds what NumPy's holds


@pytest.mark.parametrize("dtype", DTYPES)
def test_copies_of_views(engine, dtype):
    data = left(dtype).T.copy()

    def programs():
        for (one, first), (other, second) in itertools.product(LAYOUTS.items(), LAYOUTS.items()):

            def program(np):
                b = first(np.array(data))
                return (second(b) if b.ndim == 2 and b.shape[0] > 3 and b.shape[1] > 2 else b).copy()

            yield f"{dtype} {one} {other}", program

    check_all(programs())
