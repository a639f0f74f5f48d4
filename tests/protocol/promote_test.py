# SPDX-License-Identifier: BSD-3-Clause
"""protocol::promote equals numpy.promote_types for every pair. Usage: promote_test.py path/to/promote_table."""

import subprocess
import sys

import numpy


def main(table):
    printed = subprocess.run([table], check=True, capture_output=True, text=True, timeout=20).stdout
    rows = [line.split() for line in printed.splitlines()]
    wrong = []
    for left, right, result, itemsize in rows:
        expected = numpy.promote_types(left, right)
        if expected.name != result or expected.itemsize != int(itemsize):
            wrong.append(f"promote({left}, {right}): got {result}, expected {expected.name}")
    assert len(rows) == 14 * 14, f"{len(rows)} rows"
    assert not wrong, "\n".join(wrong)
    print(f"{len(rows)} pairs equal NumPy {numpy.__version__}")


if __name__ == "__main__":
    main(sys.argv[1])
