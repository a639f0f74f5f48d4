# SPDX-License-Identifier: BSD-3-Clause
"""Programs built from different tables have different fingerprints. Usage: fingerprint_test.py program..."""

import subprocess
import sys


def main(programs):
    prints = {}
    for program in programs:
        text = subprocess.run([program], check=True, capture_output=True, text=True, timeout=20).stdout.strip()
        assert text not in prints, f"{program} and {prints[text]} both print {text}"
        prints[text] = program
    assert len(prints) >= 4
    print(f"{len(prints)} different tables, {len(prints)} different fingerprints")


if __name__ == "__main__":
    main(sys.argv[1:])
