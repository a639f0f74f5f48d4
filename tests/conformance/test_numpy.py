# SPDX-License-Identifier: BSD-3-Clause
# NumPy's own test files, as the installed NumPy has them, with gamelan in numpy's place: what passes with numpy itself in the
# same run passes here, but for what numpy_differs.txt lists with its reason. With everything distributed a refusal by name
# (NotImplementedError: a dtype or a function that the engines do not have) is no fault; with small arrays it is one.
# `tests/run conformance --suite numpy=installed`; by itself GAMELAN_SUITE_NUMPY=installed and -k numpy.
import functools
import os

import pytest

import numpy_files


@functools.lru_cache(None)
def _with_numpy(name):
    """Names of the tests that numpy passes in its own place."""
    outcomes, _ = numpy_files.run(name, "numpy")
    return [test for test, outcome in outcomes.items() if outcome == "passed"]


@pytest.mark.skipif(not os.environ.get("GAMELAN_SUITE_NUMPY"), reason="tests/run conformance --suite numpy=installed")
@pytest.mark.timeout(2 * numpy_files.FILE_S + 100)
@pytest.mark.parametrize("where", [0, 1, 3], ids=["small", "1", "3"])
@pytest.mark.parametrize("name", numpy_files.files())
def test_a_file(name, where):
    expected = _with_numpy(name)
    outcomes, _ = numpy_files.run(name, "gamelan", where, 0 if where else numpy_files.SMALL)
    count = numpy_files.judged(name, expected, outcomes, is_distributed=where > 0)
    print(f"numpy {name}: {count.passed} of {len(expected)} passed, {len(count.refused)} refused by name, {len(count.meant)} differ on purpose "
          f"{f'on {where} ranks' if where else 'with small arrays'}")  # fmt: skip
    assert expected, "NumPy passes none of them"
    assert not count.wrong, "\n".join(f"{test}\n    {outcome}" for test, outcome in count.wrong.items())
