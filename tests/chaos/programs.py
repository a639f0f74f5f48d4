# SPDX-License-Identifier: BSD-3-Clause
"""Random programs whose state is known after every statement: lines of NumPy, of a seed, that run with gamelan and with numpy.

Integers wrap and floats are whole numbers, so equal means equal to the bit. A line has one effect, except that a draw moves its
generator before its name is bound. Large arrays stand beside small ones, counters and a generator, as in a notebook.
"""

import copy
import random

import numpy

import gamelan

DISTRIBUTE_FROM = 50_000
HERE = 1 << 60  # elements from which arrays are distributed: none is
INTEGERS = "a", "b", "c", "d"
FLOATS = "e", "f"
LARGE = (*INTEGERS, *FLOATS, "q", "r")  # on the engines
SMALL = "t", "s"  # arrays of Python's process
VALUES = "n", "k", "l"
GENERATOR = "g"

# {x} {y} {z}: integers; {u} {v}: floats; {c}: a digit.
TEMPLATES = (
    "{x} = ({x} + {c} * {y}) % 1000003",
    "{x} = {x} * {c} - r",
    "{x} += {y}",
    "{x} -= {y}[::-1]",
    "{x} += k",
    "{x}[1:] = {x}[:-1] + {c}",
    "{x}[::3] *= {c}",
    "{x}[{c}00:{c}00 + {x}.size // 2] = {y}[:{x}.size // 2]",
    "{x}[{y} % 7 == {c}] = n",
    "{x} = np.where({x} > {y}, {x}, {y} + {c})",
    "{x} = np.roll({x}, {c}000)",
    "{x} = np.sort({y}[::-1] % 1009)",
    "{x}[:{x}.size // 2].sort()",
    "{x} = np.argsort({y} % 1009, kind='stable')",
    "{x} = np.cumsum({y} % 1009)",
    "{x} = np.take({y}, {z} % {y}.size)",
    "{x} = np.concatenate(({y}[{c}00:], {z}[:{c}00]))",
    "np.add({x}, n, out={y})",
    "{u} = np.floor({u} * 0.5 + {v}) % 4096.0",
    "{u} = ({x} % 4096) * 1.0",
    "{u}[{u} > 2000.0] -= 1000.0",
    "np.minimum({u}, {v} + {c}, out={u})",
    "{u} = np.floor(g.random({u}.size) * 4096.0)",
    "r = g.integers(0, 1000, r.size)",
    "q = (q @ q) % 97.0",
    "q = (q + q.T) % 97.0",
    "q[{c}] = q[{c} + 1] + 1.0",
    "q += np.sum(q, axis=0) % 5.0",
    "k = int({x}[{c}000]) % 5",
    "k = int({u}.sum()) % 1009",
    "n += 1",
    "n += k",
    "l[{c} % 5] = n",
    "t[{c} % 7] += n",
    "t = (t * 3 + k) % 1009",
    "s = np.cumsum(s + t[0]) % 97.0",
)


class Draws:
    """gamelan's generator, whose numbers are computed here and are NumPy's arrays: the same that engines would draw."""

    def __init__(self, seed):
        self.generator = gamelan.random.default_rng(seed)

    def _drawn(self, name, arguments):
        with gamelan.options(distribute_from=HERE):
            return numpy.array(getattr(self.generator, name)(*arguments))

    def random(self, *arguments):
        return self._drawn("random", arguments)

    def integers(self, *arguments):
        return self._drawn("integers", arguments)

    def normal(self, *arguments):
        return self._drawn("normal", arguments)


class Program:
    """`start(module)` gives the names as they are before the first line; `lines` has the lines, `code` them compiled."""

    def __init__(self, seed, elements=None):
        """`elements`: of each integer and float array, in the place of the seed's choice."""
        chance = random.Random(seed)
        self.seed = seed
        is_heavy = chance.random() < 0.25  # lines that take long, so that an interrupt meets one
        self._elements, self._side = chance.randrange(60_000, 200_000), 900 if is_heavy else chance.choice((230, 260, 500))
        self._elements = elements or self._elements
        count = 100 if is_heavy else 250
        has_looks = chance.random() < 0.5  # without, Python runs ahead of the engines
        mine = [line for line in TEMPLATES if chance.random() < 0.6 and (has_looks or "int(" not in line)] or list(TEMPLATES)
        if is_heavy:
            mine += 4 * [line for line in TEMPLATES if "q @ q" in line or line == TEMPLATES[0]]
        self.lines = [self._line(chance, mine) for _ in range(count)]
        self.code = [compile(line, f"<line {number} of seed {seed}: {line}>", "exec") for number, line in enumerate(self.lines)]

    @staticmethod
    def _line(chance, templates):
        x, y, z = (chance.choice(INTEGERS) for _ in range(3))
        u, v = chance.choice(FLOATS), chance.choice(FLOATS)
        return chance.choice(templates).format(x=x, y=y, z=z, u=u, v=v, c=chance.randrange(1, 7))

    def start(self, module):
        names = {name: module.arange(self._elements) * (place + 3) + place for place, name in enumerate(INTEGERS)}
        names.update({name: (module.arange(self._elements) * (place + 5) % 4096) * 1.0 for place, name in enumerate(FLOATS)})
        names["q"] = module.reshape(module.arange(self._side**2) % 97, (self._side, self._side)) * 1.0
        names["r"] = module.arange(self._elements) % 1000
        names.update(t=numpy.arange(7), s=numpy.arange(100.0), n=0, k=1, l=[0, 1, 2, 3, 4])
        names[GENERATOR] = Draws(self.seed) if module is numpy else gamelan.random.default_rng(self.seed)
        return {**names, "np": module}


def kept(names):
    """A copy of a state of numpy's that later lines do not change."""
    return {"np": numpy, **{name: copy.deepcopy(names[name]) for name in (*LARGE, *SMALL, *VALUES, GENERATOR)}}


def brought(name, value):
    """A value of a state of numpy's as gamelan has it: arrays on the engines, the rest as it is."""
    if name in LARGE:
        return gamelan.array(value)
    return copy.deepcopy(value.generator) if name == GENERATOR else copy.deepcopy(value)
