# SPDX-License-Identifier: BSD-3-Clause
"""Programs written as lines of text, for tests of many calls that differ in an argument. `check_lines` compares every line
with NumPy. Statements are divided by semicolons; the value is that of the last, if it is an expression."""

import re

import numpy

from gamelan._imported_numpy import NUMBERS_ARE_WEAK
from oracle import check_all

N, S = 24, 6


def names(np, line):
    """The arrays of a program: v, f4, f2, c, c8, i, i4, u1 and b have N elements of a dtype, M and Mi are S by S matrices,
    T has three axes, I holds indices, s has no axes, ro is read-only. Only
    those that the line names are made."""
    random = numpy.random.RandomState(1)
    v = random.randn(N).round(3)
    data = {
        "v": v, "f4": v.astype("f4"), "f2": v.astype("f2"), "c": v + 1j * v[::-1], "c8": (v + 1j * v[::-1]).astype("c8"),
        "i": random.randint(-9, 9, N), "u1": random.randint(0, 9, N).astype("u1"), "i4": random.randint(-9, 9, N).astype("i4"),
        "b": v > 0, "M": random.randn(S, S).round(3), "Mi": random.randint(-S, S, (S, S)), "T": random.randn(2, 3, 4).round(3),
        "I": random.randint(0, N, N), "s": 2.5, "ro": v,
    }  # fmt: skip
    arrays = {name: np.array(data[name]) for name in data.keys() & set(re.findall(r"\w+", line))}
    if "ro" in arrays:
        arrays["ro"].flags.writeable = False
    return {"np": np, "numpy": numpy, "N": N, "S": S, **arrays}


def program(line, **more):
    """The program of a line."""

    def run(np):
        known = {**names(np, line), **more}
        *statements, last = map(str.strip, line.split(";"))
        for statement in statements:
            exec(statement, known)
        try:
            value = compile(last, line, "eval")
        except SyntaxError:
            exec(last, known)
            return None
        return eval(value, known)

    return run


def check_lines(text, **more):
    """Compares every line with NumPy; `more` are further names. What ends in `# NumPy 1` is not for NumPy 2."""
    lines = [line for line in text.strip().splitlines() if not line.endswith("# NumPy 1") or not NUMBERS_ARE_WEAK]
    check_all((line, program(line, **more)) for line in lines)
