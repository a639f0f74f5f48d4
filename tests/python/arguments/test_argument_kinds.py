# SPDX-License-Identifier: BSD-3-Clause
"""Every public function means the same to NumPy and to gamelan whatever kind its arguments are: subclasses, values, numbers of
other types, views of every order, overlapping and read-only operands. `python argument_kinds.py --cases 100000` runs many more."""

import os

import numpy
import pytest

import argument_kinds
import gamelan
import kinds_calls
import kinds_cases
import kinds_compare
import oracle

# GAMELAN_TEST_KINDS=50000 for a long night. Every number of ranks has cases of its own.
CASES = int(os.environ.get("GAMELAN_TEST_KINDS", "1500"))


@pytest.mark.parametrize("threshold", argument_kinds.THRESHOLDS)
def test_arguments_of_other_kinds(engine, ranks, threshold):
    if not ranks:
        pytest.skip("needs engines")
    wrong = []
    for number in range(ranks * 1_000_000, ranks * 1_000_000 + CASES):
        found = argument_kinds.run_one(0, number, threshold)
        oracle.count()
        if found is not None:
            case, difference = found
            wrong.append(
                f"case {number} of seed 0: {difference.kind}\n{argument_kinds.program(case, threshold)}\n=> {difference}"
            )
            if difference.kind in argument_kinds.FATAL or len(wrong) == 5:
                break
    if wrong:
        pytest.fail("\n\n".join(wrong), pytrace=False)


def test_numpy_accepts_every_call():
    for calls, _ in kinds_cases.calls().values():
        for call in calls:
            outcome = kinds_compare.Outcome(kinds_cases.Case(call).lines, numpy)
            assert outcome.error is None, f"{call}: {outcome.error!r}"


def test_every_function_is_called():
    """Each public function has a call, or a reason why it has none."""
    text = "\n".join(call for calls, _ in kinds_cases.calls().values() for call in calls)
    missing = [
        name
        for name in kinds_calls.functions()
        if f"np.{name}(" not in text and f"np.{name}." not in text and name not in kinds_calls.LEFT_OUT
    ]
    assert not missing


def test_what_differs_is_found(engine):
    """The value, its dtype, shape and class, the error and what was written."""
    lines = {
        "value": "x + (np is n)", "dtype": "x.astype('f4' if np is n else 'f8')", "shape": "x[: 1 + (np is n)]", "no error": "x[9 if np is n else 0]",
        "raises": "x[0 if np is n else 9]", "error class": "[][0] if np is n else {}[0]",
        "written": "np.copyto(x, 2.0 if np is n else 3.0)", "class": "int(x[0, 0]) if np is n else float(x[0, 0])", "identity": "x if np is n else x[:]",
        "shared memory": "x[:] if np is n else x.copy()", "scalar": "x.sum() if np is n else np.array(3.0)",
    }  # fmt: skip
    with gamelan.options(distribute_from=0):
        for kind, line in lines.items():
            difference = kinds_compare.compare([f"x = np.array({kinds_cases.DATA['x']})", line])
            assert difference is not None and difference.kind == kind, (line, kind, difference and difference.kind)


def test_a_case_keeps_only_what_differs(engine):
    case = kinds_cases.Case("np.sum(x)", [("keyword", "keepdims=True"), ("keyword", "axis=5 if np is n else 0")])
    assert argument_kinds.shorten(case, "no error").changes == [("keyword", "axis=5 if np is n else 0")]
