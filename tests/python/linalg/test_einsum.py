# SPDX-License-Identifier: BSD-3-Clause
"""einsum against NumPy's: forms of the subscripts, repeated ones, ellipses, broadcasting, many operands, errors."""

import numpy
import pytest

from oracle import check
from written import check_lines

EXTENTS = {"i": 3, "j": 4, "k": 2, "l": 5, "m": 1}
SUBSCRIPTS = """
i->i ij->ji ii->i ii-> ij->i ij-> ii iij->ij iji->j iii->i ji i,i i,i-> i,j->ij i,j ij,j->i ij,jk->ik ij,jk ij,kj->ki ij,ij ij,ij->ij
ij,ji->i ijk,ik->ij ijk,kjl->il ij,kl->ijkl im,mj->ij im,ij->ij ii,ij->j ijk,j ij,i->j ijl,ijk->lk
ij,jk,kl->il ij,jk,kl ij,i,j-> ijk,jil,kl->l i,i,i->i i,j,k,l->lkji ii,jj,ij ij,jk,kl,li->
...i->i... ...->... i...->... ...,... ...ij,...jk->...ik i...,i... ...i,i->... ij...->ji... i...j,j->...i
""".split()


def numbers(np, shape, dtype="f8", shift=0):
    return np.array(((numpy.arange(numpy.prod(shape, dtype=int)) + shift) * 5 % 11 - 4).reshape(shape).astype(dtype))


def operands(np, text, dtype="f8"):
    extra = [(2, 3), (1, 3), (3,)]
    result = []
    for place, term in enumerate(text.split("->")[0].split(",")):
        before, dots, after = term.partition("...")
        shape = [EXTENTS[letter] for letter in before]
        shape += extra[place % 3] if dots and text.count("...") > 1 or dots and "i..." not in text else (3,) if dots else ()
        result.append(numbers(np, shape + [EXTENTS[letter] for letter in after], dtype, place))
    return result


@pytest.mark.parametrize("text", SUBSCRIPTS)
def test_subscripts(engine, text):
    check(lambda np: np.einsum(text, *operands(np, text)), text)
    check(lambda np: np.einsum(text, *operands(np, text), optimize=True), text)


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "f2", "f4", "c8", "c16"])
def test_dtypes(engine, dtype):
    for text in ("ij,jk->ik", "ij,ij->i", "ii->i", "ij->j", "i,j->ij"):
        check(lambda np: np.einsum(text, *operands(np, text, dtype)), f"{text} {dtype}")
    check(lambda np: np.einsum("ij,jk", numbers(np, (3, 4), dtype), numbers(np, (4, 2), "f8")), dtype)


def test_lists_of_numbers(engine):
    def program(np):
        a, b = numbers(np, (3, 4)), numbers(np, (4, 2))
        return (
            np.einsum(a, [0, 1], b, [1, 2]),
            np.einsum(a, [0, 1], b, [1, 2], [2, 0]),
            np.einsum(a, [Ellipsis, 0], [0, Ellipsis]),
        )

    check(program)


def test_views(engine):
    def program(np):
        a = numbers(np, (4, 4))
        np.einsum("ii->i", a)[...] = 7
        np.einsum("ij->ji", a)[0] = 1
        return a, np.einsum("ij,jk", a[::-1], a.T[:, ::2]), np.einsum("ij->i", np.broadcast_to(a[0], (3, 4)))

    check(program)


def test_keywords(engine):
    def program(np):
        a, out = numbers(np, (3, 4), "f4"), np.zeros((3, 3))
        result = np.einsum("ij,kj->ik", a, a, out=out)
        return result is out, out, np.einsum("ij->", a, dtype="f8"), np.einsum("ij->", a, dtype="i4", casting="unsafe")

    check(program)
    path = ["einsum_path", (1, 2), (0, 1)]
    check(lambda np: np.einsum("ij,jk,kl", *operands(np, "ij,jk,kl"), optimize=path))
    check(lambda np: np.einsum_path("ij,jk,kl->il", *operands(np, "ij,jk,kl"))[0])


@pytest.mark.parametrize("text, shapes", [
    ("ij,jk", [(3, 4), (5, 2)]), ("ij", [(3,)]), ("ij->k", [(3, 4)]), ("ij->ii", [(3, 4)]), ("i,j", [(3,)]), ("ii", [(3, 4)]),
    ("...i->i", [(3, 4)]), ("i+j", [(3, 4)]), ("ij->i->j", [(3, 4)]), ("i...", [()]), ("i", [(3, 4)]),
])  # fmt: skip
def test_errors(engine, text, shapes):
    check(lambda np: np.einsum(text, *(numbers(np, shape) for shape in shapes)), text)


def test_errors_of_types(engine):
    check(lambda np: np.einsum("i->", numbers(np, (3,)), dtype="f4"))
    check(lambda np: np.einsum("i->", numbers(np, (3,)), out=np.zeros(2)))
    check(lambda np: np.einsum("ij,jk->ik", np.ones((3, 0)), np.ones((0, 2))))


def test_mixed(mixed):
    check(lambda np: np.einsum("ij,j->i", numbers(np, (5, 4)), numbers(np, (4,))))
    check(lambda np: np.einsum("i,j->ij", numbers(np, (5,)), numbers(np, (4,))))


@pytest.mark.parametrize("where", ["engine", "mixed"])
def test_arguments(where, request):
    request.getfixturevalue(where)
    check_lines("""
        np.einsum('ii', np.zeros((1, N)))
        np.einsum('ii', np.zeros((N, 1)))
        np.einsum('ii->i', np.zeros((1, N)))
        np.einsum('iij,jk', np.zeros((1, S, S)), M)
        np.einsum('ii,ii->i', M, M[:1, :1])
        np.einsum('ii,i->i', M, v[:1])
        np.einsum('i,i->i', v, v[:1])
        np.einsum('ij,jk', M, M[:1])
        np.einsum('i,->i', f4, 2.0)
        np.einsum('i,->i', f4, s)
        np.einsum('i,->', f2, numpy.float64(2.0))
        np.einsum(',i->i', 1e300, f4)
        np.einsum(',i->i', 2j, f4)
        np.einsum(',i->i', 300, u1)
        np.einsum(',i->i', -2, u1)
        np.einsum('i,,->i', f4, 2.0, 3)
        np.einsum(',->', f4[0], 2.0)
        np.einsum('i,i->i', f4, v)
        np.einsum('i->i', v, out=np.zeros(N, 'f4'))
        np.einsum('i->i', v, out=np.zeros(N, 'i8'))
        np.einsum('i->i', i, out=np.zeros(N, 'i4'), casting='same_kind')
        np.einsum('i->i', v, out=np.zeros(N, 'i8'), casting='unsafe')
        np.einsum('i->i', f4, out=np.zeros(N))
        np.einsum('i->i', v, order='Z')
        np.einsum('i->i', v, dtype='f4')
        np.einsum('ij->ji', M, dtype='f4', casting='unsafe')
        np.einsum('ij->i', M, dtype='f4', casting='unsafe')
        w = np.einsum('ii->i', M); w[:] = 3; M
        np.einsum('i->i', v, casting='foo')
        np.einsum(b'ij->ji', M)
        np.einsum(M, [True, 1])
        np.einsum(M, [0.0, 1])
        np.einsum(M, [numpy.int8(0), 1], [1, 0])
    """)
