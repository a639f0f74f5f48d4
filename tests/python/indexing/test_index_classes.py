# SPDX-License-Identifier: BSD-3-Clause
"""Keys, shapes and options whose class is a subclass of what one expects: named tuples, lists and numbers of a class of their
own, ranges, buffers. NumPy takes each for what it is a kind of."""

import array
import collections
import enum

import numpy
import pytest

import gamelan
from oracle import check_all

Point = collections.namedtuple("Point", "row column")


class Tuple(tuple):
    pass


class List(list):
    pass


class Int(int):
    pass


class Float(float):
    pass


class Text(str):
    pass


class Number(enum.IntEnum):
    one = 1
    two = 2
    three = 3


class Index:
    def __index__(self):
        return 2


class Interface:
    def __array__(self, dtype=None):
        return numpy.array([3, 1])


READS = """
    a[Point(3, 4)]
    a[Point([3, 5], [4, 6])]
    a[Point([3, 5], slice(2, 4))]
    a[Point(List([3, 5]), 4)]
    a[Point(a[:, 0] > 5, 1)]
    a[Point(Point(3, 5), Point(4, 4))]
    a[[Point(3, 5), Point(4, 4)]]
    a[(Point(3, 5), Point(4, 4))]
    a[Tuple()]
    a[Tuple((3,))]
    a[Tuple((None, 3))]
    a[Tuple((slice(2), 3))]
    a[Tuple((a > 5,))]
    a[Tuple((1, 2, 3))]
    a[Point(np.arange(30) % 20, np.arange(30) % 30)]
    a[Point(Ellipsis, 3)]
    a[List([3, 5])]
    a[Number.two, Number.three]
    a[Number.two:Number.three, :: Int(7)]
    a[Index()]
    a[Index() : Int(9)]
    a[Interface()]
    a[Interface(), 2]
    a[range(5)]
    a[range(5), range(5)]
    a[range(10, 0, -3), 1:]
    a[2, range(3)]
    a[range(0)]
    a[collections.deque([1, 2])]
    a[3, collections.deque([1, 2])]
    a[array.array("i", [1, 2])]
    a[array.array("d", [])]
    a[array.array("d", [1.0])]
    a[memoryview(array.array("l", [1, 2]))]
    a[bytearray(b"\\1\\2")]
    a[collections.UserList([1, 2])]
    a[a[0].flat]
    a["row"]
    a[Text("row")]
    a[{1, 2}]
    a[{}]
    a[(i for i in range(3))]
    a[Float(3)]
    a[object()]
    a.item(Point(3, 4))
    a.item(Number.one, Int(2))
    a.item(Int(7))
    a.item((3,))
    a.item(())
    a.item(1.0)
    a.item("a")
    a.item(1, 2, 3)
    a.item(600)
    a.flat[Tuple((1,))]
    a.flat[Point(1, 2)]
    a.flat[List([1, 2])]
    a.flat[Number.two]
    a.flat[range(3)]
    a.flat[collections.deque([1])]
    np.take(a, range(4))
    np.take(a, Tuple((1, 2)))
    np.take(a, Number.two)
    np.take(a, Float(3.7))
    np.take(a, collections.deque([1, 2]))
    np.delete(a, range(5), 0)
    np.delete(a, Number.two, 1)
    np.insert(a, range(3), 7, 0)
    np.concatenate(Point(a, a))
    np.stack(List([a, a]), Number.one)
    np.array(Point(a, a))
    np.array(List([a[0].sum(), 3]))
    np.block([List([a, a])])
    np.block(Point(a, a))
    a + Tuple(range(30))
    a * Number.two
    a ** Int(2)
    a + Float(2.5)
    a.astype("i1") + Number.two
    a.astype("f4") * Float(2.5)
    np.where(a > Int(3), Float(2.5), Number.two)
    np.full(Point(4, 5), Number.two)
    a.reshape(Point(30, 20))
    a.reshape(List([30, 20]))
    np.broadcast_to(a, Tuple((2, 20, 30)))
    np.zeros(Int(5))
    np.arange(Int(2), Number.three)
    a.sum(Point(0, 1))
    a.sum(Number.one)
    a.transpose(Point(1, 0))
    np.roll(a, Point(1, 2), Point(0, 1))
    np.percentile(a, Point(25, 50))
    np.take(a, [700], mode=Text("wrap"))
    a.astype(Text("f4"), casting=Text("unsafe"))
    np.sort(a, kind=Text("stable"))
    a.ravel(Text("F"))
    np.add(a, 1, out=Tuple((np.zeros((20, 30)),)))
    np.ravel_multi_index(Point(a[0] % 4, a[1] % 5), Point(4, 5))
    np.lexsort(Point(a[0], a[1] % 3))
    np.select(Tuple((a > 3,)), List([a]))
    np.ix_(range(2), Point(0, 1))
"""

WRITES = """
    a[Point(3, 4)] = 1
    a[Tuple((3,))] = 1
    a[Point([3, 5], [4, 6])] = 1
    a[Tuple((a > 5,))] = 1
    a[range(20), range(20)] = 0
    a[range(3)] += 1
    a[collections.deque([1, 2])] = 7
    a[array.array("i", [5]), array.array("i", [5])] = 8
    a[0, :2] = Point(1, 2)
    a[:, :2] = Point(1, 2)
    a[...] = List([np.arange(30)] * 20)
    a[0] = Number.two
    np.add.at(a, Point(3, 4), 1)
    np.add.at(a, Point([3, 5], [4, 6]), 1)
    np.add.at(a, range(5), 1)
    np.add.at(a, (range(5), 2), 1)
    np.add.at(a, collections.deque([1, 1]), 1)
    np.add.at(a, array.array("i", [3, 3]), 1)
    np.add.at(a, Tuple(([3, 4],)), 1)
    np.add.at(a, slice(Int(3), Number.three), 1)
    np.add.at(a, 1.5, 1)
    np.add.at(a, True, 1)
    np.add.at(a, (a > 5, 1), 1)
    a.put(range(4), 9)
    a.put(Tuple((7, 8)), Point(1, 2))
    a.put(Float(4.0), 9)
    np.put(a, collections.deque([20]), Number.two)
    a.itemset(Point(3, 4), 8)
    a.itemset(Int(7), 9)
    a.itemset((), 9)
    a.itemset()
    a.flat[Tuple((1,))] = 4
    a.flat[range(3)] = 4
"""

_NAMES = {"collections": collections, "array": array, "Point": Point, "Tuple": Tuple, "List": List, "Int": Int, "Float": Float, "Text": Text,
          "Number": Number, "Index": Index, "Interface": Interface}  # fmt: skip


def _lines(text):
    return map(str.strip, text.strip().splitlines())


def _scope(np):
    return {"np": np, "a": np.arange(600).reshape(20, 30), **_NAMES}


def _read(np, line):
    return eval(line, _scope(np))


def _written(np, line):
    scope = _scope(np)
    exec(line, scope)
    return scope["a"]


@pytest.mark.filterwarnings("ignore")
def test_reading(engine):
    check_all((line, lambda np, line=line: _read(np, line)) for line in _lines(READS))


def test_a_class_that_makes_objects_is_refused_by_name(engine):
    x = gamelan.arange(20)
    for dtype in (Float, object, Number):
        for program in (
            lambda: x.sum(dtype=dtype),
            lambda: gamelan.add.reduce(x, dtype=dtype),
        ):
            with pytest.raises(NotImplementedError, match="not supported"):
                program()


def test_writing(engine):
    check_all((line, lambda np, line=line: _written(np, line)) for line in _lines(WRITES))
