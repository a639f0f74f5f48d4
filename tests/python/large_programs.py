# SPDX-License-Identifier: BSD-3-Clause
"""Random statements over arrays of ordinary size: what is written, not how it is run (large_fuzz.py runs them).

Small arrays fit into one tile, one reduction block, one piece of everything. Here extents are drawn around every switch that depends on a
size (tiles of 1,024, squares of 16 and 32, rows of 64 and 256, reduction blocks, streams, blocks of ranks) and views begin anywhere, so that
whatever has pieces has several of them, with ragged ends.

A statement is a line over `np` (the module under test), `n` (NumPy itself), `L(shape, dtype, k)` (numbers made by the module
under test) and names of earlier lines. Numbers are small and whole, so that sums of float64 are exact in any order.
"""

import math

import numpy

from program_pieces import Environment

SWITCHES = [1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 20, 31, 32, 33, 34, 50, 63, 64, 65, 100, 127, 128, 129, 255, 256, 257, 341, 342, 511, 512, 513,
            600, 1000, 1023, 1024, 1025, 1200, 2047, 2048, 2049, 4095, 4096, 4097, 8191, 8192, 8193]  # fmt: skip
LEAST, MOST = 66_000, 2_000_000
DTYPES = ["f8", "f8", "f8", "i8", "i4", "f4", "u1", "i2", "?", "c16", "f2", "u4"]
LINE = 1_300_000  # elements of the line from which operands of any shape are cut


class LargeEnvironment(Environment):
    """The names of one run; `L` makes numbers with the module under test."""

    def __init__(self, module):
        super().__init__(module)
        self["L"] = self.numbers
        self.module = module

    def numbers(self, shape, dtype, k):
        """Telling numbers: neighbours differ along every axis."""
        np, dtype = self.module, numpy.dtype(dtype)
        period, shift = (
            (97, 0 if dtype.kind == "u" else 48)
            if dtype.itemsize < 4 or dtype == "f4"
            else (1009, 0 if dtype.kind == "u" else 504)
        )
        numbers = np.arange(math.prod(shape)) * (7919 + 2 * k) % period - shift
        if dtype.kind == "b":
            return (numbers % 3 == 0).reshape(shape)
        numbers = numbers.astype(dtype).reshape(shape)
        return numbers + numpy.dtype(dtype).type(1j) * numbers[..., ::-1] if dtype.kind == "c" else numbers


class NothingFits(LookupError):
    """No array of the program is what a statement needs."""


class Shapes:
    """Draws of extents, axes and subscripts. `random`: a `random.Random`."""

    def __init__(self, random, most=MOST):
        self.random, self.most = random, most

    def extent(self, most):
        fitting = [extent for extent in SWITCHES if extent <= most]
        if self.random.random() < 0.7:
            return self.random.choice(fitting)
        return int(math.exp(self.random.uniform(0, math.log(most)))) if most > 1 else 1

    def shape(self):
        random = self.random
        elements = int(math.exp(random.uniform(math.log(LEAST), math.log(self.most))))
        extents = []
        for _ in range(random.choice([0, 1, 1, 1, 1, 2, 2, 3])):
            extents.append(self.extent(max(1, elements // math.prod(extents) // 2)))
        extents.append(max(1, -(-elements // math.prod(extents))))
        random.shuffle(extents)
        return tuple(extents)

    def axis(self, count):
        return self.random.randrange(count) - self.random.choice([0, 0, count])

    def axes(self, count):
        chosen = self.random.sample(range(count), self.random.randint(1, count))
        return str(chosen[0]) if len(chosen) == 1 else str(tuple(chosen))

    def order(self, count):
        order = list(range(count))
        self.random.shuffle(order)
        return tuple(order)

    def slice_of(self, extent):
        random = self.random
        kind = random.random()
        if kind < 0.5 or extent < 2:
            return ":"
        if kind < 0.6:
            return "::-1"
        first = random.choice([0, 1, 1, 2, 7, random.randrange(extent)]) % extent
        if kind < 0.7:
            return f"{first}::{random.choice([2, 3, 5])}"
        last = extent - random.choice([0, 1, 1, 2, 7, random.randrange(extent - first)]) % (extent - first)
        if kind < 0.75 and first:
            return f"{last - 1}:{first - 1}:{random.choice([-1, -2])}"
        return f"{first}:{last}"

    def subscript(self, shape):
        return ", ".join(self.slice_of(extent) for extent in shape)

    def two_subscripts(self, shape):
        """Of one shape, mostly overlapping."""
        left, right = [], []
        for extent in shape:
            shift = self.random.choice([0, 0, 1, 2, 33]) % max(extent, 1)
            pair = [f"{shift}:", f":{extent - shift}"] if shift else [":", self.random.choice([":", "::-1"])]
            self.random.shuffle(pair)
            left.append(pair[0])
            right.append(pair[1])
        return ", ".join(left), ", ".join(right)


class Operands(Shapes):
    """Expressions over the names of a program; `values` has NumPy's arrays by name."""

    def __init__(self, random, values, most=MOST):
        super().__init__(random, most)
        self.values = values

    def shape_of(self, expression):
        """Of a view, found on an array without memory."""
        names = {name: numpy.broadcast_to(value.dtype.type(0), value.shape) for name, value in self.values().items()}
        return eval(expression, {"np": numpy, "n": numpy, **names}).shape

    def pick(self, accept=lambda value: True):
        names = [name for name, value in self.values().items() if value.ndim and name != "v0" and accept(value)]
        if not names:
            raise NothingFits
        return self.random.choice(names)

    def view(self, accept=lambda value: True):
        """(expression, shape, dtype) of a view of some array."""
        name = self.pick(accept)
        value, random, text = self.values()[name], self.random, name
        shape = value.shape
        if len(shape) > 1 and random.random() < 0.6:
            order = self.order(len(shape))
            text, shape = f"{text}.transpose({order})", tuple(shape[axis] for axis in order)
        if random.random() < 0.6:
            text = f"{text}[{self.subscript(shape)}]"
        if len(shape) > 1 and random.random() < 0.1:
            shape = self.shape_of(text)
            axis = random.randrange(len(shape))
            text = f"{text}[{':, ' * axis}-1]" if shape[axis] else text
        return text, self.shape_of(text), value.dtype

    def other(self, shape):
        """Something that broadcasts to a shape."""
        random = self.random
        kind = random.random()
        if kind < 0.15 or not shape:
            return random.choice(["2", "3", "-1", "0.5", "n.int64(5)", "n.float64(2)", "True"])
        if kind < 0.25:
            alike = [name for name, value in self.values().items() if value.shape == shape]
            if alike:
                return random.choice(alike)
        kept = [extent if random.random() < 0.6 else 1 for extent in shape]
        if kind < 0.35 and math.prod(kept) < 60_000:
            return f"n.arange({math.prod(kept)}).reshape({tuple(kept)})"
        return self.cut(kept)

    def cut(self, shape):
        """A piece of the line with these extents, its axes in memory in any order."""
        random, count = self.random, math.prod(shape)
        if count > LINE:
            return "1"
        step = random.choice([1, 1, 1, 2]) if 2 * count <= LINE else 1
        first = random.randrange(LINE - step * count + 1)
        text = f"v0[{first}:{first + step * count}{':2' if step == 2 else ''}]"
        order = self.order(len(shape)) if random.random() < 0.5 else tuple(range(len(shape)))
        back = tuple(numpy.argsort(order).tolist())
        text = f"{text}.reshape({tuple(shape[axis] for axis in order)})"
        return text if order == back == tuple(range(len(shape))) else f"{text}.transpose({back})"
