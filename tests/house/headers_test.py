# SPDX-License-Identifier: BSD-3-Clause
"""Every header of one folder compiles alone, twice in a row, with the flags of that folder's own sources. A header with a source
of the same name is the first that this source includes (arrows_test.py), so the build has shown that it compiles: it is tried
only with GAMELAN_TEST_WHOLE=1, because a precompiled header may have given it what it forgot.
Usage: headers_test.py build/compile_commands.json source_folder folder"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys


def flags_of(commands, folder):
    """How CMake compiles the folder's sources, by the one that knows most libraries."""
    entries = [entry for entry in commands if pathlib.Path(entry["file"]).parent == folder and entry["file"].endswith(".cpp")]
    assert entries, f"no source of {folder} in compile_commands.json"
    entry = max(entries, key=lambda entry: len(re.findall(r" -(?:I|isystem) ?/", entry["command"])))
    words = shlex.split(entry["command"])
    mine = {"-o", "-c", "-include", "-Winvalid-pch", entry["file"]}  # headers stand without a precompiled one
    kept = [
        word
        for at, word in enumerate(words)
        if word not in mine and words[at - 1] not in ("-o", "-include") and not word.startswith("-fsanitize")
    ]
    return kept, entry["directory"]


def main(database, source, folder):
    source = pathlib.Path(source).resolve()
    with open(database) as file:
        flags, directory = flags_of(json.load(file), source / folder)

    def problem_with(header):
        line = f'#include "{header}"\n'
        done = subprocess.run(
            [*flags, "-O0", "-fsyntax-only", "-x", "c++", "-"],
            input=line * 2,
            cwd=directory,
            capture_output=True,
            text=True,
            timeout=100,
        )
        return f"{header} does not compile alone:\n{done.stderr}" if done.returncode else None

    found = sorted((source / folder).glob("*.hpp"))
    assert found, f"no headers in {folder}"
    is_whole = bool(os.environ.get("GAMELAN_TEST_WHOLE"))
    tried = [header for header in found if is_whole or not header.with_suffix(".cpp").exists()]
    headers = [header.relative_to(source).as_posix() for header in tried]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [problem for problem in pool.map(problem_with, headers) if problem]
    assert not problems, "\n".join(problems)
    print(f"{len(headers)} of {len(found)} headers of {folder} compile alone")


if __name__ == "__main__":
    main(*sys.argv[1:])
