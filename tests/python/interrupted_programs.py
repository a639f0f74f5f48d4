# SPDX-License-Identifier: BSD-3-Clause
"""Programs that are interrupted, and what they must leave: the arrays of one moment between two statements. A statement is one
call of NumPy's, however many commands record it. Arrays that were still to be computed raise CancelledError; of the statement
that was cut off so may those that it writes."""

import random

import numpy

from gamelan import CancelledError, ndarray

INTEGERS = ("a", "b", "c", "d")  # int64, one axis; changed in place and bound anew
RESULTS = ("e", "f", "g")  # of any kind; only bound anew
MATRIX = "m"  # small, floating, never changed
SHUFFLED = "s"  # 0, 1, 2 ... in some order


def _turns(m, x, y, c):
    """A loop that looks in every turn, behind a command that it reads: its first turns ride along with that (Foresight)."""
    digits = (x + c * y) % 7
    return digits + sum(k * int((digits == k).sum()) for k in range(7)) % 1009


# Statements that make an array of integers as long as the others; x, y are two of them, c a digit.
_NEW = {
    "sum": lambda m, x, y, c: x + c * y,
    "difference": lambda m, x, y, c: (x - y) * c + x,
    "where": lambda m, x, y, c: m.where(x > y, x, y + c),
    "roll": lambda m, x, y, c: m.roll(x, c * 1000),
    "roll_rows": lambda m, x, y, c: m.roll(x.reshape(20, -1), (c, 7), (0, 1)).ravel(),
    "cumsum": lambda m, x, y, c: m.cumsum(x % 1009),
    "take": lambda m, x, y, c: m.take(x, m.arange(x.size)[::-1] // c),
    "sort": lambda m, x, y, c: m.sort(x[::-1] % 1009),
    "argsort": lambda m, x, y, c: m.argsort(x % 1009, kind="stable"),
    "insert": lambda m, x, y, c: m.insert(x, c * 100, c)[1:],
    "delete": lambda m, x, y, c: m.delete(m.concatenate((x, y[:1])), c),
    "concatenate": lambda m, x, y, c: m.concatenate((x[: c * 100], y[c * 100 :])),
    "pad": lambda m, x, y, c: m.pad(x[c:-c], c, mode="edge"),
    "pad_wrap": lambda m, x, y, c: m.pad(x[c:-c], c, mode="wrap"),
    "select": lambda m, x, y, c: m.select([x > y, x < c], [x, y], c),
    "choose": lambda m, x, y, c: m.choose(x % 2, [x, y]),
    "flip": lambda m, x, y, c: m.flip(x.reshape(20, -1), 1).ravel(),
    "tile": lambda m, x, y, c: m.tile(x[: x.size // 4], 4),
    "repeat": lambda m, x, y, c: m.repeat(x[: x.size // 2], 2),
    "floor": lambda m, x, y, c: m.divmod(x, c + 1)[0],
    "kron": lambda m, x, y, c: m.kron(x[: x.size // 4], m.arange(4)),
    "block": lambda m, x, y, c: m.block([x[: c * 50], y[c * 50 :]]),
    "search": lambda m, x, y, c: m.searchsorted(m.arange(0, 1009, c), x % 1009),
    "turns": _turns,
}  # fmt: skip

# Statements that change x, and perhaps y.
_CHANGES = {
    "iadd": lambda m, x, y, c: x.__iadd__(y),
    "shift": lambda m, x, y, c: x.__setitem__(slice(1, None), x[:-1] + c),
    "imul": lambda m, x, y, c: x.__imul__(c),
    "backward": lambda m, x, y, c: x.__isub__(y[::-1]),
    "fill": lambda m, x, y, c: x.__setitem__(slice(c * 100, c * 100 + x.size // 2), c),
    "masked": lambda m, x, y, c: x.__setitem__(y % 7 == c % 7, c),
    "out": lambda m, x, y, c: m.add(x, c, out=y),
    "divmod": lambda m, x, y, c: m.divmod(x, c + 1, out=(x, x.copy() if x is y else y)),
    "put": lambda m, x, y, c: m.put(x, m.arange(c, x.size, 97), y[:50].copy()),
    "place": lambda m, x, y, c: m.place(x, y % 5 == c % 5, [c, c + 1, c + 2]),
    "putmask": lambda m, x, y, c: m.putmask(x, y % 3 == 0, y),
    "diagonal": lambda m, x, y, c: m.fill_diagonal(x.reshape(100, -1), c),
    "copyto": lambda m, x, y, c: m.copyto(x, y + c, where=y % 2 == 0),
    "at": lambda m, x, y, c: m.add.at(x, m.arange(0, x.size, 31) // c, c),
    "sort_here": lambda m, x, y, c: x[: x.size // 2].sort(),
    "along": lambda m, x, y, c: m.put_along_axis(x.reshape(20, -1), m.arange(20).reshape(20, 1), c, 1),
    "flat": lambda m, x, y, c: x.flat.__setitem__(slice(c, None, 3), y[: x.size // 5].copy()),
    "clip": lambda m, x, y, c: m.clip(x, -1000 * c, 1000 * c, out=x),
    "cumsum_here": lambda m, x, y, c: m.cumsum(y % 1009, out=x),
    "grid": lambda m, x, y, c: x.reshape(100, -1).__setitem__(m.ix_([1, 5, 7], [0, 2, c]), c),
}  # fmt: skip


def _well(m, x, c):
    """A matrix that is easy to invert."""
    return m.reshape(x[:2500] % 1009, (50, 50)) / 1009.0 + 100.0 * c * m.eye(50)


# Statements that make something else; w is the matrix.
_OTHERS = {
    "gradient": lambda m, x, y, c, w: m.gradient((x % 1009) * 0.5),
    "gradient_2": lambda m, x, y, c, w: m.gradient((x % 1009).reshape(100, -1) * 0.5, axis=0),
    "cov": lambda m, x, y, c, w: m.cov((x % 1009).reshape(10, -1) * 1.0),
    "std": lambda m, x, y, c, w: m.std((x % 1009).reshape(100, -1), axis=1),
    "percentile": lambda m, x, y, c, w: m.percentile(x % 1009, [10, 50, 10 * c]),
    "median": lambda m, x, y, c, w: m.median((x % 1009).reshape(100, -1), axis=0),
    "einsum": lambda m, x, y, c, w: m.einsum("ij,kj->ik", (x % 1009).reshape(20, -1) * 1.0, (y % 11).reshape(20, -1) * 1.0),
    "fft": lambda m, x, y, c, w: m.abs(m.fft.fft(x % 1009)),
    "rfft2": lambda m, x, y, c, w: m.abs(m.fft.rfft2((x % 1009).reshape(100, -1))),
    "inv": lambda m, x, y, c, w: m.linalg.inv(_well(m, x, c)),
    "solve": lambda m, x, y, c, w: m.linalg.solve(_well(m, x, c), w[:50, :5]),
    "qr": lambda m, x, y, c, w: m.abs(m.linalg.qr(_well(m, x, c))[1]),
    "unique": lambda m, x, y, c, w: m.unique(x % 1009),
    "nonzero": lambda m, x, y, c, w: m.flatnonzero(x % 7 == c % 7),
    "histogram": lambda m, x, y, c, w: m.histogram(x % 1009, 20, (0, 1009))[0],
    "interp": lambda m, x, y, c, w: m.interp(x % 1009, m.arange(1009.0), m.arange(1009.0) ** 2),
    "convolve": lambda m, x, y, c, w: m.convolve(x % 1009, [1, c, 1], "same"),
    "cross": lambda m, x, y, c, w: m.cross((x[:3000] % 1009).reshape(-1, 3), (y[:3000] % 1009).reshape(-1, 3)),
    "outer": lambda m, x, y, c, w: m.tril(m.outer(x[:200] % 1009, y[:200] % 1009), c),
    "product": lambda m, x, y, c, w: w @ w,
    "stack": lambda m, x, y, c, w: m.stack((x[:5000], y[:5000]), axis=1),
    "copy": lambda m, x, y, c, w: x[::-1].copy(),
}  # fmt: skip
KINDS = (*_NEW, *_CHANGES, *_OTHERS, "shuffle", "look")


class Program:
    """An endless program of a seed, the same on NumPy and on gamelan."""

    def __init__(self, seed, kinds=KINDS):
        self._chance, self._kinds, self._statements = random.Random(seed), kinds, []

    def statement(self, number):
        """(kind, x, y, result, c)"""
        chance = self._chance
        while len(self._statements) <= number:
            operands = chance.choice(INTEGERS), chance.choice(INTEGERS), chance.choice(RESULTS)
            self._statements.append((chance.choice(self._kinds), *operands, chance.randrange(1, 10)))
        return self._statements[number]

    def run(self, number, module, names, made, shuffle):
        """Run a statement. `made`: which statement made what each name stands for."""
        kind, x, y, result, c = self.statement(number)
        if kind in _NEW:
            value = {x: _NEW[kind](module, names[x], names[y], c)}
        elif kind in _OTHERS:
            value = {result: _OTHERS[kind](module, names[x], names[y], c, names[MATRIX])}
        else:
            value = {}
            if kind == "shuffle":
                shuffle(names[SHUFFLED])
            elif kind == "look":
                names[x] += int(names[y][c * 100]) % 5
            else:
                _CHANGES[kind](module, names[x], names[y], c)
        names.update(value)
        made.update(dict.fromkeys(value, number))

    def changed_by(self, number):
        """Names whose arrays a statement may change in place."""
        kind, x, y, _, _ = self.statement(number)
        return {"shuffle": (SHUFFLED,), "look": (x,)}.get(kind, (x, y) if kind in _CHANGES else ())


def first_state(module, elements):
    """Names and their arrays."""
    names = {name: module.arange(elements) * (place + 3) + place for place, name in enumerate(INTEGERS)}
    names.update({name: module.zeros(10) for name in RESULTS})
    names[MATRIX] = module.arange(3600.0).reshape(60, 60) % 17
    names[SHUFFLED] = module.arange(elements)
    return names


def read(names):
    """The elements of arrays that live on the engines, None where they were not computed. (Small ones stand where Python was.)"""
    values = {}
    for name, array in names.items():
        if not isinstance(array, ndarray) or array._b is None:
            continue
        try:
            values[name] = numpy.array(array)
        except CancelledError:
            values[name] = None
    return values


def _equal(name, got, expected):
    if name == SHUFFLED:  # which order is the generator's affair
        return numpy.array_equal(numpy.sort(got), numpy.arange(got.size))
    if got.shape != numpy.shape(expected):
        return False
    if got.dtype.kind == "f":
        return numpy.allclose(got, expected, rtol=1e-7, atol=1e-6)
    return numpy.array_equal(got, expected)


def moment(program, start, begun, values, made, earliest=0):
    """The moment that the arrays are of: (statements, the state there by NumPy). Raises AssertionError where there is none."""
    names, when = {name: numpy.array(value) for name, value in start.items()}, {}
    nearest, is_equal = None, {}  # what is never changed in place is compared once

    def fits(name, got):
        if name not in (*RESULTS, MATRIX):
            return _equal(name, got, names[name])
        key = name, when.get(name, -1)
        if key not in is_equal:
            is_equal[key] = _equal(name, got, names[name])
        return is_equal[key]

    with numpy.errstate(all="ignore"):
        for done in range(begun + 1):
            cut_off = program.changed_by(done) if done < begun else ()
            wrong = {}
            for name, got in values.items():
                birth = made.get(name, -1)
                if got is None:
                    is_right = birth >= done or name in cut_off
                else:
                    is_right = birth < done and birth == when.get(name, -1) and fits(name, got)
                if not is_right:
                    wrong[name] = "not computed" if got is None else "ahead" if birth >= done else "different"
            if not wrong and done >= earliest:
                return done, names
            if done >= earliest and (nearest is None or len(wrong) < len(nearest[1])):
                nearest = done, wrong
            if done < begun:
                program.run(done, numpy, names, when, lambda array: None)
    text = "\n".join(f"{number}: {program.statement(number)}" for number in range(begun))
    raise AssertionError(f"arrays of no moment of\n{text}\nmade by {made}; nearest: that after {nearest[0]}, but {nearest[1]}")
