# SPDX-License-Identifier: BSD-3-Clause
"""Runs GAiN's own one-line programs (`tests/gain.py` of a checkout of GlobalArrays/ga4py) on numpy and on gamelan.

    python gain_programs.py DIRECTORY [--ranks 3] [--from 0] [--require 89]

The file is Python 2 and is not copied here: its list of program texts is read with a small parser of our own. Prints how
many programs NumPy passes and how many of those gamelan runs equal; each that differs by its text.
"""

import ast
import re
import sys

import numpy

import programs


def texts(directory):
    """The texts of the list `tests`, each a program that leaves `result`."""
    source = (directory / "tests" / "gain.py").read_text()
    found = re.search(r"^tests = (\[.*?^\])", source, re.MULTILINE | re.DOTALL)
    if not found:
        raise SystemExit(f"{directory}/tests/gain.py holds no list named tests")
    return ["\n".join(line.strip() for line in text.splitlines()) for text in ast.literal_eval(found.group(1))]


def suite(directory):
    """(name, program) of every text."""

    def program_of(text):
        def program(module):
            names = {"m": module, "np": numpy}
            exec(text, names)
            return names["result"]

        return program

    for number, text in enumerate(texts(directory)):
        yield f"#{number} {'; '.join(text.splitlines())}", program_of(text)


if __name__ == "__main__":
    sys.exit(programs.main("gain", suite))
