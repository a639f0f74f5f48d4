# SPDX-License-Identifier: BSD-3-Clause
"""What the lines of random programs are made of: names and their values, shapes, dtypes, subscripts, operands.

`random_programs.Writer` puts lines together from `Pieces`; an `Environment` runs them on NumPy or on gamelan.
"""

import warnings

import numpy

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
_FAVOURED = ["f8", "f8", "f8", "i8", "i4", "f4", "?", "c16"]


def D(shape, dtype, k=0):
    """Small numbers of any dtype, the same in every run: -3..7 (0..7 when unsigned), with imaginary parts."""
    dtype = numpy.dtype(dtype)
    count = int(numpy.prod(shape))
    values = (numpy.arange(count) * 7 + k) % 11 - (0 if dtype.kind in "bu" else 3)
    if dtype.kind == "b":
        values = values % 2
    data = values.astype(dtype).reshape(shape)
    return data + (numpy.arange(count) % 3 - 1).reshape(shape).astype(dtype) * dtype.type(1j) if dtype.kind == "c" else data


class Environment(dict):
    """The names of one run, and what it read: values, or the class of the error a line ended in."""

    def __init__(self, module):
        super().__init__(np=module, n=numpy, D=D, out=self.out)
        self.reads = []

    def out(self, value):
        self.reads.append(numpy.array(value))

    def run(self, line):
        """Runs one line; returns the error it ended in."""
        with warnings.catch_warnings(), numpy.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                exec(compile(line, "<program>", "exec"), self)
            except (ArithmeticError, AttributeError, LookupError, NameError, TypeError, ValueError, NotImplementedError) as error:
                return error
        return None

    def arrays(self):
        return {name: value for name, value in self.items() if name[0] == "v" and name[1:].isdigit()}


class Pieces:
    """The parts of a line that fit what a program has so far: `numpy` is its Environment, `random` a `random.Random`, `large`
    the share of large shapes."""

    def values(self):
        return self.numpy.arrays()

    def new(self):
        self.next_name += 1
        return f"v{self.next_name}"

    def pick(self, accept=lambda value: True):
        names = [name for name, value in self.values().items() if isinstance(value, numpy.ndarray) and accept(value)]
        return self.random.choice(names) if names else None

    def shape(self):
        choose = self.random
        if choose.random() < self.large:
            return choose.choice([(1000,), (4099,), (60, 41), (37, 64), (7, 11, 13), (256, 9)])
        return tuple(
            choose.choice([0, 1, 1, 2, 3, 4, 7] if choose.random() < 0.15 else [2, 3, 4, 5, 6, 8])
            for _ in range(choose.choice([0, 1, 1, 1, 2, 2, 2, 3]))
        )

    def dtype(self):
        return self.random.choice(_FAVOURED if self.random.random() < 0.6 else DTYPES)

    def slice_of(self, extent):
        choose = self.random
        step = choose.choice([1, 1, 1, 2, -1, -1, -2, 3, -3])
        bounds = [choose.choice([None, None, choose.randint(-extent - 1, extent + 1)]) for _ in range(2)]
        text = ":".join("" if bound is None else str(bound) for bound in bounds)
        return text + (f":{step}" if step != 1 else "")

    def key(self, value, can_drop=True):
        choose = self.random
        parts = []
        for extent in value.shape:
            kind = choose.random()
            if kind < 0.15 and can_drop and extent:
                parts.append(str(choose.randint(-extent, extent - 1)))
            elif kind < 0.35:
                parts.append(":")
            else:
                parts.append(self.slice_of(extent))
            if can_drop and choose.random() < 0.06:
                parts.append("None")
        if parts and choose.random() < 0.1:
            parts[choose.randrange(len(parts)) :] = ["..."]
        return ", ".join(parts) or "..."

    def same_shape_keys(self, value):
        """Two keys of one array that name pieces of equal shape, mostly overlapping."""
        choose = self.random
        left, right = [], []
        for extent in value.shape:
            shift = choose.choice([0, 0, 1, 1, 2])
            step = choose.choice([1, 1, 1, 2, -1])
            if extent <= shift:
                shift = 0
            one = ":" if not shift else f"{shift}:"
            other = ":" if not shift else f":{extent - shift}"
            if choose.random() < 0.5:
                one, other = other, one
            if step == 2 and not shift and extent > 1:
                one, other = f":{extent // 2 * 2}:2", "1::2"
            elif step == -1:
                one = (
                    "::-1"
                    if one == ":"
                    else f"{extent - 1}:{shift - 1 if shift else ''}:-1"
                    if one.endswith(":")
                    else f"{extent - 1 - shift}::-1"
                )
            left.append(one)
            right.append(other)
        return ", ".join(left) or "...", ", ".join(right) or "..."

    def number(self):
        choose = self.random
        return choose.choice(
            ["1", "2", "-1", "0", "3", "0.5", "2.0", "True", "1j", "n.float32(2)", "n.int8(3)", "n.uint8(1)", "-2.5"]
        )

    def operand(self, like):
        """Something that broadcasts with an array: itself, a piece, another array, a number, NumPy data."""
        choose = self.random
        kind = choose.random()
        if kind < 0.2:
            return self.number()
        if kind < 0.3:
            shape = like.shape[choose.randint(0, like.ndim) :]
            return f"D({shape}, '{self.dtype()}', {choose.randint(0, 9)})"
        if kind < 0.4:
            scalars = [name for name, value in self.values().items() if not isinstance(value, numpy.ndarray) or not value.ndim]
            if scalars:
                return choose.choice(scalars)
        name = self.pick(lambda value: _broadcasts(value, like))
        if name is None:
            return self.number()
        value = self.values()[name]
        if value.ndim == 2 and value.shape[0] == value.shape[1] and choose.random() < 0.3:
            return f"{name}.T"
        if value.ndim and choose.random() < 0.15:
            return f"{name}[::-1]"
        return name


def is_c_ordered(value):
    # NumPy's results keep the order of transposed operands, ours are always in C order; whether a later reshape shares
    # memory or copies depends on it.
    while isinstance(value.base, numpy.ndarray):
        value = value.base
    return value.flags.c_contiguous


def _broadcasts(value, like):
    try:
        return numpy.broadcast_shapes(value.shape, like.shape) == like.shape
    except ValueError:
        return False
