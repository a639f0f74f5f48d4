# SPDX-License-Identifier: BSD-3-Clause
"""//, % and fmod of whole numbers, by arrays and by numbers, at the ends of every dtype."""

import numpy
import pytest

from oracle import check_all


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_division(engine, dtype):
    ends = numpy.iinfo(dtype)
    draw = numpy.random.RandomState(4)
    special = [
        ends.min,
        ends.min + 1,
        ends.max,
        ends.max - 1,
        0,
        1,
        2,
        3,
        7,
        100,
        ends.max // 2,
        ends.max // 2 + 1,
        ends.max // 3,
    ]
    special += [-1, -2, -3, -7, -100] if ends.min else []
    random = draw.bytes(300 * numpy.dtype(dtype).itemsize)
    x = numpy.concatenate((numpy.array(special, dtype), numpy.frombuffer(random, dtype)))
    shifts = numpy.arange(x.size) % (8 * x.itemsize)
    small = (x >> shifts.astype(dtype)).astype(dtype)
    y = numpy.roll(small, 17)

    def programs():
        for name in ("floor_divide", "remainder", "fmod"):
            yield f"{name} arrays", lambda np: getattr(np, name)(np.array(x), np.array(y))
            yield f"{name} steps", lambda np: getattr(np, name)(np.array(x)[::-2], np.array(y)[::2])
            for number in [*special, 5, 10, 16, 60, 64]:
                one = numpy.array(number).astype(dtype)[()]
                yield f"{name} by {number}", lambda np: getattr(np, name)(np.array(x), one)
                yield f"{name} of {number}", lambda np: getattr(np, name)(one, np.array(small))
        yield "in place", lambda np: np.array(x).__ifloordiv__(numpy.array(3).astype(dtype)[()])

    check_all(programs())
