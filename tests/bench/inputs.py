# SPDX-License-Identifier: BSD-3-Clause
"""The inputs of every case, by one rule that each worker computes for itself: nothing is read or sent.

Element k of input s is the top 53 bits of splitmix64(k + s * GOLDEN) / 2^53. reference/inputs.hpp is the same rule in C++.
"""

import numpy

_GOLDEN = 0x9E3779B97F4A7C15  # splitmix64's increment, and the distance between two inputs


def u(s, count):
    """Elements 0 to count - 1 of input `s`: float64 in [0, 1)."""
    z = numpy.arange(count, dtype=numpy.uint64) + numpy.uint64((s + 1) * _GOLDEN % 2**64)
    z = (z ^ (z >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    z ^= z >> numpy.uint64(31)
    return (z >> numpy.uint64(11)).astype(numpy.float64) * 2.0**-53
