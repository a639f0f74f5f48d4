# SPDX-License-Identifier: BSD-3-Clause
"""Some of NumPy's own tests, with small arrays: those that take a second or two. All of them, and on engines:
`tests/run conformance --suite numpy=installed`."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "conformance"))

import numpy_files  # noqa: E402

# File of the installed NumPy, how many of its tests NumPy 1.24 passes.
FILES = {
    "fft/test_pocketfft": 80,
    "lib/test_packbits": 280,
    "lib/test_twodim_base": 37,
    "lib/test_type_check": 52,
    "core/test_item_selection": 5,
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.only_on(0, 3)  # small arrays need no engines
def test_a_file(name):
    if not numpy_files.path_of(name).exists():
        pytest.skip("NumPy was installed without its tests")
    outcomes, _ = numpy_files.run(name, "gamelan", threshold=numpy_files.SMALL)
    judged = numpy_files.judged(
        name, [test for test, outcome in outcomes.items() if outcome != "skipped"], outcomes, is_distributed=False
    )
    assert judged.passed + len(judged.meant) >= FILES[name] * 0.9, outcomes
    assert not judged.wrong, judged.wrong
