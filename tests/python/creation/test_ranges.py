# SPDX-License-Identifier: BSD-3-Clause
"""New arrays from rules and every argument of their makers: order, like, dtype, axis, arrays as ends; grids written as slices."""

import pytest

import gamelan
from oracle import check, check_all

EXPRESSIONS = [
    "np.linspace([0, 1], [4, 9], 5)", "np.linspace(0, [4, 9], 5, axis=1)", "np.linspace([0, 1], 3, 4, axis=-1, endpoint=False)", "np.linspace([0, 0], [0, 1], 4)",
    "np.linspace(np.arange(3), np.arange(3) * 2.5, 4)", "np.linspace(0, np.arange(6).reshape(2, 3), 3, dtype=int)", "np.linspace([0], [1], 3, retstep=True)",
    "np.linspace([0, 1], [2, 3], 1)", "np.linspace([0, 1], [2, 3], 0)", "np.linspace([1j, 0], 2, 3)", "np.linspace(0, 1, 4, axis=3)", "np.linspace(0, 1, 2.0)",
    "np.linspace(np.arange(5).sum(), 3, 4)", "np.linspace(0, 1, 7, False, True)", "np.linspace(3, 3, 3, retstep=True)", "np.linspace(0, 1, 1, retstep=True)",
    "np.linspace(np.float32(0), np.float32(1), 5).dtype", "np.linspace(0, 10, 5, dtype='f4')", "np.linspace(-5, 5, 7, dtype='i8')", "np.linspace(0, 1, 0).shape",
    "np.linspace([1, 2], [1, 2, 3], 4)", "np.linspace(np.arange(3.0)[::2], np.zeros((2, 2)), 3, axis=2)",
    "np.logspace(0, 3, 4)", "np.logspace(0, [1, 2], 3)", "np.logspace(0, 3, 4, base=2)", "np.logspace(0, 2, 3, dtype=int)", "np.logspace(0, 2, 5, False)",
    "np.logspace([0, 1], 2, 3, axis=1)", "np.logspace(0, 1j, 3)",
    "np.geomspace(1, 256, 9)", "np.geomspace(1000, 1, 4)", "np.geomspace(-1, -1000, 4)", "np.geomspace(1j, 1000j, 4)", "np.geomspace(1, -1 + 0j, 3)", "np.geomspace(0, 3, 3)",
    "np.geomspace([1, 10], [1000, 100], 4)", "np.geomspace([1, -2], [1000, -32], 4, axis=1)", "np.geomspace(1, 256, 9, dtype=int)", "np.geomspace(1, 9, 3, False)",
    "np.geomspace(1, 2, 0)", "np.geomspace(1, 2, 1)", "np.geomspace(1, 2, -1)", "np.geomspace(np.array(2), 32, 5)",
    "np.mgrid[0:3]", "np.mgrid[0:3, 1:5:2]", "np.mgrid[0:1:5j]", "np.mgrid[-1:1:3j, 0:2]", "np.mgrid[0:2:0.5, 0:2]", "np.mgrid[:3]", "np.mgrid[0:2, 0:2, 0:2]",
    "np.mgrid[5:1]", "np.mgrid[5:1, 0:2]", "np.mgrid[5:1:-2, 0:2]", "np.mgrid[0:3:1j, 0:1]", "np.mgrid[0:np.arange(3).sum(), 0:2]", "np.mgrid[1:2:1j]",
    "np.mgrid[np.zeros((4, 1)):np.ones((4, 1)):3j]", "np.mgrid[a[:, None]:a[:, None] + 5:4j, 0:3]", "np.ogrid[a[:, None]:a[:, None] + 5:4j, 0:3]", "np.zeros(None)",
    "np.asfarray(a)", "np.asfarray(a, 'f4')", "np.asfarray(a, int)", "np.array(np.array(np.zeros((2, 3), order='F'))).flags.f_contiguous",
    "np.ogrid[0:3]", "np.ogrid[0:3, 1:5:2]", "np.ogrid[0:1:5j, 0:2]", "np.ogrid[0:3, 0:2, 0:4][1].shape", "len(np.r_)",
    "np.r_[1:4, 0, 4]", "np.r_[0:1:5j]", "np.r_[a, a]", "np.r_['0,2', a, a]", "np.r_['-1', a.reshape(2, 3), a.reshape(2, 3)]", "np.r_['0,2,0', [1, 2], [3, 4]]",
    "np.r_['1,2,0', [1, 2], [3, 4]]", "np.r_['0,3', a.reshape(2, 3), a.reshape(2, 3)]", "np.r_['x', a]", "np.r_[a, 'x']", "np.r_[a]", "np.r_[3]", "np.r_[a, 2.5]",
    "np.r_[a.astype('i1'), 300]", "np.r_[[1.5], 2]", "np.r_['1', a.reshape(2, 3), a.reshape(2, 3)]", "np.r_[a.reshape(2, 3), [1, 2, 3]]", "np.r_['0,2', 1:4, 2:5]",
    "np.c_[a, a]", "np.c_[a, 1:7]", "np.c_[a.reshape(2, 3), [7, 8]]", "np.c_[[1, 2, 3]]", "np.c_[a.reshape(2, 3), a.reshape(2, 3)]", "np.c_[a, a[:3]]", "np.c_[5]",
    "np.indices((2, 3), 'f4')", "np.indices((2, 3), sparse=True)", "np.indices(())", "np.indices((0, 3))", "np.indices((2, 3), sparse=True, dtype='i1')", "np.indices([4])",
    "np.meshgrid(a, a[:2], indexing='xy')", "np.meshgrid(a, a[:2], a[:3])", "np.meshgrid(a, a[:2], sparse=True, indexing='ij')", "np.meshgrid(a, 3)", "np.meshgrid()",
    "np.meshgrid(a)", "np.meshgrid(a, a, indexing='no')", "np.meshgrid(a, a[:2], copy=False)", "np.meshgrid(a.reshape(2, 3), a[:2])", "np.meshgrid(a[:0], a)",
    "np.fromfunction(lambda i, j: i == j, (3, 3), dtype=int)", "np.fromfunction(lambda i: i * 2, (4,))", "np.fromfunction(lambda i, j, k: i + k, (2, 2), k=3)",
    "np.arange(stop=4)", "np.arange(1, None)", "np.arange()", "np.arange(3, dtype='u1')", "np.arange(2, 7, 2, 'f4')", "np.arange(5, step=2)", "np.arange(0, 1, 0.3, dtype=int)",
    "np.zeros((2, 3), order='F').flags.f_contiguous", "np.zeros((2, 3), order='A')", "np.zeros((2, 3), order=None)", "np.full((2, 3), 7, order='F')",
    "np.full((2, 3), [1, 2, 3], order='F')", "np.ones((2, 3), 'i4', 'F')", "np.empty((2, 3), order='F').strides", "np.zeros([2, 3])", "np.zeros(np.array([2, 3]))",
    "np.zeros(np.int16(3))", "np.zeros(shape=(2,), dtype=bool)", "np.ones(np.arange(2, 4))", "np.full((), 3)", "np.full(3, [[1], [2]])", "np.zeros(3, like=np.arange(3))",
    "np.zeros((3, 2)).T.copy('K').flags.f_contiguous", "np.zeros_like(a.reshape(2, 3).T).flags.f_contiguous", "np.zeros_like(a.reshape(2, 3).T, order='C').flags.c_contiguous",
    "np.ones_like(a.reshape(2, 3), order='F').strides", "np.empty_like(np.zeros((2, 3, 4)).transpose(1, 0, 2)).strides", "np.full_like(a, [1, 2, 3, 4, 5, 6], dtype='f4')",
    "np.full_like(a.reshape(2, 3).T, [7, 8], order='A')", "np.zeros_like(a, shape=(2, 2), order='F').strides", "np.zeros_like(a, order='x')", "np.zeros_like(a, shape=4)",
    "np.array(a.reshape(2, 3), order='F').flags.f_contiguous", "np.array(a.reshape(2, 3).T, order='C').flags.c_contiguous", "np.array(a, order='x')", "np.array(a, ndmin=3)",
    "np.array(a, 'f4', copy=False)", "np.array([[a[0], a[1]], [a[2], a[3]]])", "np.array([a, a], dtype='f4')", "np.array([[a, a]], ndmin=4)", "np.asarray(a.reshape(2, 3), order='F').strides",
    "np.asfortranarray(a.reshape(2, 3)).flags.f_contiguous", "np.asfortranarray(a.reshape(2, 3))", "np.asfortranarray(np.array(3)).shape", "np.asfortranarray(a, 'f4')",
    "np.ascontiguousarray(a.reshape(2, 3).T).flags.c_contiguous", "np.ascontiguousarray(np.array(3)).shape", "np.asfortranarray(a.reshape(2, 3)).ravel('K')",
    "np.require(a, 'f4', ['C', 'A'])", "np.require(a.reshape(2, 3), requirements='F').flags.f_contiguous", "np.require(a, requirements=['C', 'F'])", "np.require(a, requirements='X')",
    "np.require(np.broadcast_to(a, (2, 6)), None, 'W').flags.writeable", "np.asarray_chkfinite(a)", "np.asarray_chkfinite(a / 0.0)", "np.asarray_chkfinite([1, np.nan])",
    "np.asarray_chkfinite(a * 1j)", "np.asarray_chkfinite(a, 'f4', 'F')", "np.asanyarray(a, 'f4')", "np.copy(a.reshape(2, 3), 'F').strides", "np.eye(3, order='F')",
]  # fmt: skip


@pytest.mark.parametrize("first", range(0, len(EXPRESSIONS), 25))
def test_like_numpy(engine, first):
    def programs():
        for expression in EXPRESSIONS[first : first + 25]:
            yield expression, lambda np: eval(expression, {"np": np, "a": np.arange(6)})

    check_all(programs())


def test_column_order_is_a_view_that_writes_through(engine):
    def program(np):
        a = np.zeros((3, 4), order="F")
        a[1] = 5
        a.ravel("F")[0] = 7
        a += np.arange(4)
        return a, a.T.reshape(-1), a.ravel("K"), a @ a.T

    check(program)


def test_small_makes_large(mixed):
    for name, arguments in (
        ("linspace", ([0, 1], 4, 9)),
        ("geomspace", ([1, 2], 4, 9)),
        ("indices", ((4, 5),)),
        ("meshgrid", (range(4), range(5))),
    ):
        result = getattr(gamelan, name)(*arguments)
        assert (result[0] if name == "meshgrid" else result).is_distributed, name
        check(lambda np: getattr(np, name)(*arguments), name)
    assert gamelan.mgrid[0:4, 0:5].is_distributed and gamelan.r_[0:20].is_distributed


def test_matrices_are_refused_by_name(engine):
    with pytest.raises(NotImplementedError, match="matrix"):
        gamelan.r_["r", gamelan.arange(3)]
    with pytest.raises(NotImplementedError, match="geomspace"):
        gamelan.geomspace(gamelan.arange(1, 3), 5)
