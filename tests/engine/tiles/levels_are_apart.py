# SPDX-License-Identifier: BSD-3-Clause
"""No object of a higher instruction-set level may define a symbol that other objects could also define.

The linker keeps one copy of an inline function or template; were it compiled for AVX2 and used by baseline code, an old
processor would die of an illegal instruction, far from any test. So every such symbol must carry its level's name.
"""

import subprocess
import sys


def main(level, objects):
    shared = []
    for path in objects:
        listing = subprocess.run(["nm", "--demangle", "--defined-only", path], check=True, capture_output=True, text=True)
        for line in listing.stdout.splitlines():
            _, kind, name = line.split(maxsplit=2)
            if kind in "WVuT" and f"tiles::{level}::" not in name:
                shared.append(f"{path}: {name}")
    for line in shared:
        print("FAILED", line)
    print(f"{len(objects)} objects, {len(shared)} symbols that other levels could share")
    return 1 if shared or not objects else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], [path for argument in sys.argv[2:] for path in argument.split(";")]))
