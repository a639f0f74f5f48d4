# SPDX-License-Identifier: BSD-3-Clause
"""protocol/view.cpp against NumPy: random chains of slices, transposes, newaxis and broadcasts of random arrays, and
what NumPy itself says of the results. Usage: view_test.py path/to/view_oracle [seed [chains]]."""

import random
import subprocess
import sys

import numpy as np
from numpy.lib.stride_tricks import as_strided

DTYPES = ["bool", "int16", "float32", "int64", "float64", "complex128"]


def random_slice(pick, extent):
    first, last = (pick.choice([None, pick.randint(-extent - 2, extent + 2)]) for _ in range(2))
    return slice(first, last, pick.choice([None, 1, 2, 3, -1, -2, -3]))


def random_step(pick, view):
    """A basic operation of NumPy as a function of an array: what a user writes, never a copy."""
    kind = pick.choice(["slice", "slice", "slice", "index", "newaxis", "transpose", "swapaxes", "broadcast"])
    dims = view.ndim
    if kind == "slice":
        key = tuple(random_slice(pick, extent) for extent in view.shape[: pick.randint(0, dims)])
        return lambda array: array[key + (Ellipsis,)]
    if kind == "index" and dims and 0 not in view.shape:
        axis = pick.randrange(dims)
        key = (slice(None),) * axis + (pick.randrange(-view.shape[axis], view.shape[axis]), Ellipsis)
        return lambda array: array[key]
    if kind == "newaxis" and dims < 7:
        axis = pick.randint(0, dims)
        return lambda array: np.expand_dims(array, axis)
    if kind == "transpose":
        order = pick.sample(range(dims), dims)
        return lambda array: array.transpose(order)
    if kind == "swapaxes" and dims:
        first, second = pick.randrange(dims), pick.randrange(dims)
        return lambda array: array.swapaxes(first, second)
    if kind == "broadcast" and dims < 6 and view.size < 300:
        shape = tuple(pick.randint(0, 3) if extent == 1 and pick.random() < 0.5 else extent for extent in view.shape)
        shape = tuple(pick.randint(1, 2) for _ in range(pick.randint(0, 1))) + shape
        return lambda array: np.broadcast_to(array, shape)
    return lambda array: array


def random_base(pick):
    shape = tuple(
        pick.choice([0, 1, 1, 2, 3, 4, 5, 7]) if pick.random() < 0.5 else pick.randint(1, 6) for _ in range(pick.randint(0, 4))
    )
    return np.empty(shape, pick.choice(DTYPES))


def random_chain(pick, base, steps):
    """A view of base, and the same view of an array that holds each element's linear index."""
    linear = np.arange(base.size).reshape(base.shape)
    view = base
    for _ in range(steps):
        step = random_step(pick, view)
        view, linear = step(view), step(linear)
    return view, linear


def address(array):
    return array.__array_interface__["data"][0]


def numbers(values):
    return " ".join(str(value) for value in values)


def as_text(view, base):
    return f"{view.dtype.name} {address(view) - address(base)} {view.ndim} {numbers(view.shape + view.strides)}"


def whole_text(base):
    return f"{base.dtype.name} {base.ndim} {numbers(base.shape)}"


class Questions:
    """Asks all questions in one run of the oracle, then judges each answer."""

    def __init__(self):
        self.lines, self.judges = [], []

    def ask(self, line, judge):
        self.lines.append(line)
        self.judges.append(judge)

    def run(self, oracle):
        done = subprocess.run(
            [oracle], input="\n".join(self.lines) + "\n", check=True, capture_output=True, text=True, timeout=25
        )
        answers = done.stdout.splitlines()
        assert len(answers) == len(self.lines), f"{len(answers)} answers to {len(self.lines)} questions"
        for line, answer, judge in zip(self.lines, answers, self.judges):
            problem = judge(answer)
            assert not problem, f"{line}\n  answered {answer}\n  {problem}"


def linear_of_form(answer, view, base):
    """The linear index of each element, as an axis-wise form says."""
    values = [int(word) for word in answer.split()]
    axes = [values[3 * axis : 3 * axis + 3] for axis in range(view.ndim)]
    index = [np.full((1,) * view.ndim, fixed) for fixed in values[3 * view.ndim :]]
    assert len(index) == base.ndim
    owners = [base_axis for base_axis, _, _ in axes if base_axis >= 0]
    assert len(set(owners)) == len(owners), "a base axis has two owners"
    for axis, (base_axis, start, step) in enumerate(axes):
        if base_axis < 0:
            continue
        assert index[base_axis].ravel()[0] == start, "fixed is not the start"
        along = [1] * view.ndim
        along[axis] = view.shape[axis]
        index[base_axis] = (start + step * np.arange(view.shape[axis])).reshape(along)
    if not index:
        return np.zeros(view.shape, int)
    full = np.broadcast_arrays(*index, np.empty(view.shape))[:-1]
    for extent, positions in zip(base.shape, full):
        assert ((0 <= positions) & (positions < extent)).all(), "index outside the base"
    return np.ravel_multi_index(full, base.shape)


def judge_form(view, linear, base, must_exist):
    def judge(answer):
        if answer == "none":
            return "expected a form" if must_exist else None
        if view.size and not np.array_equal(linear_of_form(answer, view, base), linear):
            return "the form names other elements"
        return None

    return judge


def judge_facts(view, base):
    byte_bounds = getattr(np, "byte_bounds", None) or np.lib.array_utils.byte_bounds  # NumPy 1, NumPy 2
    low, high = byte_bounds(view) if view.size else (address(view), address(view))
    repeats = any(stride == 0 and extent > 1 for stride, extent in zip(view.strides, view.shape)) and view.size > 0
    expected = [int(view.flags.c_contiguous), low - address(base), high - address(base), view.size, 1, int(not repeats)]
    return lambda answer: None if answer.split() == [str(value) for value in expected] else f"expected {expected}"


def judge_pair(left, right, left_linear, right_linear, must_be_exact, tally):
    shares = np.shares_memory(left, right)
    same = left_linear.shape == right_linear.shape and np.array_equal(left_linear, right_linear)

    def judge(answer):
        forward, backward, is_same = (word == "1" for word in answer.split())
        tally["pairs"] += 1
        tally["shared"] += shares
        tally["alarms"] += forward and not shares
        if shares and not (forward and backward):
            return "a shared byte was missed"
        if must_be_exact and forward != shares:
            return "expected an exact answer"
        if is_same != same:
            return f"same_elements: expected {same}"
        return None

    return judge


def judge_missed_only(left, right):
    shares = np.shares_memory(left, right)
    return lambda answer: "a shared byte was missed" if shares and "0" in answer.split()[:2] else None


def ask_about_chains(pick, questions, chains):
    tally = {"pairs": 0, "shared": 0, "alarms": 0}
    for _ in range(chains):
        base = random_base(pick)
        if base.size:  # NumPy gives fresh empty arrays strides of 0; no element tells the difference
            questions.ask(
                f"strides {whole_text(base)}",
                lambda answer, base=base: None
                if answer.split() == [str(s) for s in base.strides]
                else f"expected {base.strides}",
            )
        view, linear = random_chain(pick, base, pick.randint(0, 6))
        questions.ask(f"form {as_text(view, base)} {whole_text(base)}", judge_form(view, linear, base, True))
        questions.ask(f"facts {as_text(view, base)} {base.nbytes}", judge_facts(view, base))
        other, other_linear = random_chain(pick, base, pick.randint(0, 4))
        questions.ask(
            f"pair {as_text(view, base)} {as_text(other, base)}", judge_pair(view, other, linear, other_linear, False, tally)
        )
    return tally


def ask_about_equal_strides(pick, questions, pairs):
    """Slices of one array with the same steps: the answer must be exact."""
    tally = {"pairs": 0, "shared": 0, "alarms": 0}
    for _ in range(pairs):
        base = np.empty(tuple(pick.randint(1, 9) for _ in range(pick.randint(1, 4))), pick.choice(DTYPES))
        linear = np.arange(base.size).reshape(base.shape)
        steps = [pick.choice([1, 2, 3, -1, -2]) for _ in base.shape]
        left, right = (
            tuple(
                slice(*sorted([pick.randint(0, extent), pick.randint(0, extent)], reverse=step < 0), step)
                for extent, step in zip(base.shape, steps)
            )
            for _ in range(2)
        )
        questions.ask(
            f"pair {as_text(base[left], base)} {as_text(base[right], base)}",
            judge_pair(base[left], base[right], linear[left], linear[right], True, tally),
        )
    return tally


def ask_about_other_views(pick, questions, count):
    """Views that NumPy makes but basic slicing does not: a form may be missing, never wrong."""
    for _ in range(count):
        base = np.empty((pick.randint(2, 6), pick.randint(2, 6)), "float64")
        linear = np.arange(base.size).reshape(base.shape)
        kind = pick.choice(["diagonal", "reshape", "ravel", "window"])
        first = pick.randrange(base.size)
        last = pick.randint(first + 1, base.size)
        apply = {
            "diagonal": lambda array: array.diagonal(pick_offset),
            "reshape": lambda array: array.reshape(array.shape[::-1]),
            "ravel": lambda array: array.reshape(-1)[first:last:pick_step],
            "window": lambda array: as_strided(array, (2, 2), (array.itemsize, array.itemsize)),
        }[kind]
        pick_offset, pick_step = pick.randint(-1, 1), pick.randint(1, 3)
        view, view_linear = apply(base), apply(linear)
        questions.ask(f"form {as_text(view, base)} {whole_text(base)}", judge_form(view, view_linear, base, False))
        other = base[:: pick.choice([1, 2, -1]), pick.randrange(base.shape[1]) :]
        questions.ask(f"pair {as_text(view, base)} {as_text(other, base)}", judge_missed_only(view, other))
        parts = np.empty(pick.randint(2, 8), "complex128")
        left, right = pick.choice([parts.real, parts.imag]), parts.imag[pick.randint(0, 1) :: pick.randint(1, 2)]
        questions.ask(f"pair {as_text(left, parts)} {as_text(right, parts)}", judge_missed_only(left, right))
        questions.ask(
            f"form {as_text(parts.real, parts)} {whole_text(parts)}",
            lambda answer: None if answer == "none" else "half an element has no form",
        )


def main(oracle, seed=None, chains="4000"):
    seed = int(seed) if seed else random.randrange(2**32)
    print(f"seed {seed}", flush=True)
    pick = random.Random(seed)
    questions = Questions()
    mixed = ask_about_chains(pick, questions, int(chains))
    equal = ask_about_equal_strides(pick, questions, int(chains))
    ask_about_other_views(pick, questions, int(chains) // 4)
    questions.run(oracle)
    print(f"{len(questions.lines)} questions; overlap of mixed chains {mixed}, of equal strides {equal}")
    enough = int(chains) // 20
    assert equal["shared"] > enough and equal["pairs"] - equal["shared"] > enough, "the pairs are too much alike"


if __name__ == "__main__":
    main(*sys.argv[1:])
