# SPDX-License-Identifier: BSD-3-Clause
"""The CRC-32 of pieces that follow each other, from those of the pieces: appending n bytes to a message multiplies its sum
by x^(8n) in the polynomials over two elements, modulo that of the CRC."""

_POLYNOMIAL = 0xEDB88320  # bits reversed: the highest power is the lowest bit


def _product(a, b):
    result = 0
    for bit in range(31, -1, -1):  # of a, from the constant on
        if a >> bit & 1:
            result ^= b
        b = b >> 1 ^ (_POLYNOMIAL if b & 1 else 0)
    return result


def _power(exponent):
    """x ** exponent."""
    result, square = 1 << 31, 1 << 30
    while exponent:
        if exponent & 1:
            result = _product(result, square)
        square = _product(square, square)
        exponent >>= 1
    return result


def combined(first, pieces):
    """The sum of a message of sum `first` and what follows it: (sum, bytes) of each piece.

    Examples
    --------
    >>> import zlib
    >>> combined(zlib.crc32(b"game"), [(zlib.crc32(b"l"), 1), (zlib.crc32(b"an"), 2)]) == zlib.crc32(b"gamelan")
    True
    """
    for piece, length in pieces:
        first = _product(_power(8 * length), first) ^ piece
    return first
