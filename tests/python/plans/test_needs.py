# SPDX-License-Identifier: BSD-3-Clause
"""np.explain says before anything runs what a plan needs: as much as it then takes, or that it does not fit."""

import json

import pytest

import engines
import gamelan as np
from gamelan import _core

PROGRAMS = {
    "fused": lambda a, b: (a + b) * 2,
    "product, sort, sum": lambda a, b: np.sort((a + b).T @ a, axis=0).sum(axis=1),
    "temporaries": lambda a, b: np.cumsum(a, axis=0) + np.sort(b, axis=1),
    "halo": lambda a, b: a[1:] + b[:-1],
    "transposed": lambda a, b: a.T.copy() + 1,
}


def needs(*arrays):
    return json.loads(_core.explain(list(arrays)))["needs"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_plan_takes_what_explain_has_said(engine, ranks, name):
    if not ranks:
        pytest.skip("the model has no heap")
    a, b = np.ones((301, 301)), np.arange(301.0 * 301).reshape(301, 301)
    np.sync()
    result = PROGRAMS[name](a, b)
    told = needs(result)
    text = np.explain(result)
    assert text.startswith("memory of a rank: ") and "step 0" in text
    assert told["refusal"] == "" and told["in_use"] < told["peak"] <= told["capacity"]
    del result
    np.sync()
    held = np.stats(reset=True)["heap_bytes"]  # of all ranks
    result = PROGRAMS[name](a, b)
    told = needs(result)
    np.sync()
    assert np.stats()["heap_peak"] - held == ranks * (told["peak"] - told["in_use"])


def test_what_does_not_fit_is_told_before_it_is_tried(engine, ranks):
    if not ranks:
        pytest.skip("the model has no heap")
    with engines.in_use(ranks, 64 << 20):
        half = np.ones((ranks * 40 << 20) // 8)
        np.sync()
        other = half + 1  # noqa: F841 - does not fit
        text = np.explain()
        assert (
            text.startswith("does not fit (test_needs.py, line ")
            and "): add needs" in text
            and "Delete arrays" in text.splitlines()[0]
        )
        with pytest.raises(MemoryError, match="add"):
            np.sync()
        del other, half
        whole = np.ones((ranks * 40 << 20) // 8)  # takes the place of what nobody has any more
        assert np.explain().startswith("memory of a rank: ")
        assert float(whole[0]) == 1
