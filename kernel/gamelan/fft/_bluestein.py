# SPDX-License-Identifier: BSD-3-Clause
"""Long lines of a length that cannot be cut, a prime above all, as a convolution (Bluestein, 1970): element k of the
transform is c[k] * sum of (a[j] c[j]) / c[k - j], where c[k] = exp(-+pi i k**2 / n).

A line of moderate length is convolved at once. The convolution of a longer one would take too much memory, ten times the
line's. So it is done in parts: a product of polynomials modulo x**(turns * length) - 1 is put together of products modulo
x**length - r, one for each r with r**turns = 1, which need memory for `length` elements only and come one after another. All
numbers but the operand's are made where they are used.
"""

import cmath
import math

from .. import _core
from .._creation._filled import filled
from .._creation._ranges import arange
from .._indexing._where import where
from .._ufuncs._objects import PUBLIC
from . import _four_step
from ._lines import BACKWARD, FORWARD, REAL_BACKWARD, needed, result_length

cos, sin, multiply = PUBLIC["cos"], PUBLIC["sin"], PUBLIC["multiply"]

# The shorter of operand and result, in so many pieces; four arrays of a piece are at work at once.
pieces = 6
# Pieces cost batches, and factors made anew. Lines of fewer elements together are convolved at once, in 180 MB at most.
in_pieces_from = 1 << 20


def transform(a, n, kind, factor):
    """The transform along the last axis, which may be shorter than needed: what is missing is zero."""
    lead = a.shape[:-1]
    if math.prod(lead) == 1:
        a = a[(0,) * len(lead)]
    result = (_in_pieces if math.prod(lead) * n >= in_pieces_from else _at_once)(a, n, kind, factor)
    return _core.reshape_view(result, lead + result.shape[-1:])


def _angle(numerator, denominator):
    return numerator * (2 * math.pi / denominator)


def _circle(angle):
    """exp(i angle), by the vector loops of real numbers."""
    return cos(angle) + 1j * sin(angle)


def _without_ends(a, n, factor, shape):
    """What is to be added to twice the real part of a transform of half a line, the other half of which is the conjugate: its
    ends stand there once only."""
    result = filled(shape, float, 0)
    result -= multiply(a[..., :1].real, factor, dtype=float)
    if n % 2 == 0 and a.shape[-1] == needed(REAL_BACKWARD, n):
        middle = multiply(a[..., -1:].real, factor, dtype=float)
        result[..., ::2] -= middle
        result[..., 1::2] += middle
    return result


def _at_once(a, n, kind, factor):
    sign = 1 if kind in (BACKWARD, REAL_BACKWARD) else -1
    taken, wanted = a.shape[-1], result_length(kind, n)
    length = _four_step.good_length(taken + wanted - 1)

    def chirp(j, sign):
        return _circle(sign * _angle(j * j % (2 * n), 2 * n))

    line = filled(a.shape[:-1] + (length,), complex, 0)
    line[..., :taken] = multiply(a, chirp(arange(taken), sign), dtype=complex)
    k = arange(length)  # 1 / c[k - j], where k - j below 0 stands at the end
    weights = chirp(where(k < wanted, k, length - k), -sign)
    spectrum = _four_step.transposed(line, length, FORWARD) * _four_step.transposed(weights, length, FORWARD)
    product = _four_step.back(spectrum, length, BACKWARD, factor / length)[..., :wanted] * chirp(arange(wanted), sign)
    if kind != REAL_BACKWARD:
        return product
    return 2 * product.real + _without_ends(a, n, factor, product.shape)


def _in_pieces(a, n, kind, factor):
    line = _Line(a, n, kind, factor)
    for turn in range(line.turns):
        line.add(turn)
    return line.result


class _Line:
    """`result` is finished when every turn was added."""

    def __init__(self, a, n, kind, factor):
        self._a, self._n = a, n
        self._sign = 1 if kind in (BACKWARD, REAL_BACKWARD) else -1
        wanted = result_length(kind, n)
        shorter = min(needed(kind, n), wanted)
        self._length = _four_step.good_length(-(-shorter // pieces))
        self._taken, self._made = (-(-extent // self._length) for extent in (a.shape[-1], wanted))
        self.turns = self._taken + self._made
        self._is_real = kind == REAL_BACKWARD
        self._factor = factor / (self._length * self.turns)
        shape = a.shape[:-1] + (wanted,)
        self.result = _without_ends(a, n, factor, shape) if self._is_real else filled(shape, complex, 0)
        if self._is_real:
            self._factor *= 2

    def add(self, turn):
        """What the product modulo x**length - exp(2 pi i turn / turns) tells of the result."""
        spectrum = _four_step.transposed(self._folded(turn), self._length, FORWARD)
        _core.flush(False)
        spectrum *= _four_step.transposed(self._weights(turn), self._length, FORWARD)
        _core.flush(False)
        part = _four_step.back(spectrum, self._length, BACKWARD, self._factor)
        del spectrum
        _core.flush(False)
        k = arange(self._length)
        part = part * _circle(self._chirp(k) - self._twist(turn, k))  # anew: in the order of lines, not of matrices
        _core.flush(False)
        step = _circle(self._step(k))
        for piece in range(self._made):
            target = self.result[..., piece * self._length : (piece + 1) * self._length]
            product = part[..., : target.shape[-1]] * (self._corner(piece) * self._root(turn, -piece))
            target += product.real if self._is_real else product
            del product
            _core.flush(False)  # else the pieces would be one pass, and their factors live together
            if piece + 1 < self._made:
                part *= step
                _core.flush(False)

    # With j = j0 + length * piece, c[j] is c[j0] * step[j0]**piece * c[length * piece].

    def _chirp(self, j):
        return self._sign * _angle(j * j % (2 * self._n), 2 * self._n)

    def _step(self, j0):
        return self._sign * _angle(j0 * self._length % self._n, self._n)

    def _corner(self, piece):
        return cmath.exp(1j * self._chirp(piece * self._length))

    def _root(self, turn, power):
        return cmath.exp(1j * _angle(turn * power % self.turns, self.turns))

    def _twist(self, turn, j0):
        """Makes a product modulo x**length - 1, a cyclic convolution, of one modulo x**length - root."""
        return _angle(turn * j0, self.turns * self._length)

    def _folded(self, turn):
        """a[j] c[j], every `length` of them on top of the last with the power of the root."""
        result = filled(self._a.shape[:-1] + (self._length,), complex, 0)
        last = self._a.shape[-1] - (self._taken - 1) * self._length  # elements of the last piece
        for first, end, pieces in ((0, last, self._taken), (last, self._length, self._taken - 1)):
            if first == end or not pieces:
                continue
            j0 = arange(first, end)
            step, total = _circle(self._step(j0)), None
            for piece in range(pieces - 1, -1, -1):
                start = piece * self._length
                term = multiply(
                    self._a[..., start + first : start + end], self._corner(piece) * self._root(turn, piece), dtype=complex
                )
                total = term if total is None else total * step + term
            result[..., first:end] = total * _circle(self._chirp(j0) + self._twist(turn, j0))
        return result

    def _weights(self, turn):
        """1 / c[j], j from as far below 0 as a[j] goes to the end of the result, folded likewise."""
        j0 = arange(self._length)
        step, total = _circle(-self._step(j0)), None
        for piece in range(self._made - 1, -self._taken - 1, -1):
            term = self._corner(piece).conjugate() * self._root(turn, piece)
            total = term if total is None else total * step + term
        below = self._sign * _angle(j0 * (self._length * self._taken) % self._n, self._n)
        return total * _circle(below - self._chirp(j0) + self._twist(turn, j0))
