# SPDX-License-Identifier: BSD-3-Clause
"""The notebook as it was at the ends of its last cells, and the way back there. Values stand in pickles, as they are kept for the
next kernel. Of distributed arrays there are marks in the session's log: what still lies on the engines as it was then is used,
the rest is computed again."""

import ctypes
import weakref
from dataclasses import dataclass

import numpy

from .. import _core
from .._config import config
from .._errors import EngineLostError
from .._launch._tables import counted
from .._next_engines import show_notice
from .._promotion import dtype_number
from ._arrays import ArrayFacts, root_of
from ._at_risk import written_by_others
from ._keeping import pickled
from ._loading import set_random_state
from ._pickling import Unpickler
from ._sharing import Groups

MOST_STATES = 50
_TOLD_S = 2.0  # what takes longer is said before it begins
_OTHERS = 1 << 40  # numbers of arrays that were not there then


class State:
    """The variables at a cell's end; `cells` had run then. No array is held: there are weak references."""

    is_as_before = False  # is_as of the state before it

    def __init__(self, snapshot, cells, before):
        known = {} if before is None else {names: data for names, data, _ in before.groups}
        self.cells, self.mark, self.missing = cells, snapshot.mark, snapshot.missing
        self.groups, self.random = [], snapshot.random
        for names, data, numbers in snapshot.groups:
            data = known[names] if known.get(names) == data else data
            self.groups.append((names, data, numbers))
        self.facts, self.bases, self.references = snapshot.arrays, snapshot.bases, snapshot.references

    def pickles(self):
        return [data for _, data, _ in self.groups]

    def is_as(self, before):
        """Has no variable changed since a state before it, nor the state of random numbers? False where that is not known: of
        values that cannot be kept."""
        return (
            not (self.missing or before.missing)
            and {names: data for names, data, _ in self.groups} == {names: data for names, data, _ in before.groups}
            and (self.random, self.facts, self.bases) == (before.random, before.facts, before.bases)
            and not (self.bases and _core.changed_since(before.mark, [base["id"] for base in self.bases]))
        )


@dataclass
class Undone:
    """What became of an undo: `cells` whose effects went, `back`: values by name, `gone`: names that did not exist, `staying` and
    `lost`: why variables stay as they are, or cannot come back, `computed`: names of variables that were computed again,
    `random`: the state of random numbers, `others`: names of arrays into which other clients have written since."""

    cells: list
    back: dict
    gone: list
    staying: dict
    lost: dict
    computed: list
    random: dict
    others: list


class History:
    """The states that are kept, of which the last is of the last cell, or of one before. All functions are called between cells,
    or in the thread of the cell that runs."""

    def __init__(self):
        self._states, self._cells = [], []
        self._had_state = set()  # how many cells had run, of the states that were ever kept

    def note_cell(self, label):
        self._cells.append(label)

    def forget(self):
        if self._states:
            self._states = []
            _core.keep_marks(set())

    def state_of(self, snapshot):
        """The state now, compared with the one before, which takes time. To be added unless a cell has begun meanwhile."""
        older = self._older()
        before = older[-1] if older else None
        state = State(snapshot, len(self._cells), before)
        state.is_as_before = before is not None and state.is_as(before)
        return state

    def _older(self):
        return [state for state in self._states if state.cells < len(self._cells)]

    def add(self, state):
        """Cells that have changed nothing since the state before count for none."""
        older = self._older()
        if state.is_as_before:
            state.cells = older.pop().cells
            del self._cells[state.cells :]
        self._states = [*older, state]
        self._had_state.add(state.cells)
        self._bound()

    def _bound(self):
        """The newest state is kept, and as many before it as np.config.kept_bytes allows."""
        seen, held, kept = {id(data) for data in self._states[-1].pickles()}, 0, 1
        for state in reversed(self._states[-MOST_STATES:-1]):
            held += sum(len(data) for data in state.pickles() if id(data) not in seen)
            seen.update(map(id, state.pickles()))
            if held > config.kept_bytes:
                break
            kept += 1
        self._states = self._states[-kept:]
        _core.keep_marks({state.mark for state in self._states})

    def in_words(self):
        """How far back an undo may go."""
        states = [state for state in self._states if state.cells < len(self._cells)]
        return f"%session undo goes back as far as before {self._named(states[0])}" if states else ""

    def _named(self, state):
        return f"cell [{self._cells[state.cells]}]"

    def undo(self, count, variables):
        """The state before the last `count` cells, made beside what is there. Raises LookupError where it is not kept."""
        wanted = len(self._cells) - count
        states = {state.cells: state for state in self._states}
        if wanted not in states:
            raise LookupError(self._why_not(wanted))
        _core.flush(True)
        state = states[wanted]
        others = sum(written_by_others(variables, state.mark).values(), [])
        back = _Return(state, variables)
        back.note_arrays()
        return Undone(self._cells[wanted:], *back.result(), others)

    def accept(self, undone):
        """The variables are bound."""
        set_random_state(undone.random)
        count = len(undone.cells)
        del self._cells[len(self._cells) - count :]
        self._states = [state for state in self._states if state.cells <= len(self._cells)]
        self._had_state = {cells for cells in self._had_state if cells <= len(self._cells)}
        _core.keep_marks({state.mark for state in self._states})

    def _why_not(self, wanted):
        if wanted < 0:
            verb = "has" if len(self._cells) == 1 else "have"
            return f"{counted(len(self._cells), 'cell')} {verb} run since gamelan was imported"
        older = [state for state in self._states if state.cells < wanted]
        if wanted == 0:
            why = "gamelan was not imported yet"
        elif wanted in self._had_state:
            why = f"it is too long ago (np.config.kept_bytes, or more than {MOST_STATES} states)"
        else:
            why = "it began at once after the cell before (Run All), or before the engines had done what an interrupted one left"
        told = f"the state before cell [{self._cells[wanted]}] is not kept: {why}"
        if not older:
            return told
        count = len(self._cells) - older[-1].cells
        return f"{told}; %session undo {count} goes back to the state before {self._named(older[-1])}"


class _Return:
    """The way from the present variables to a state."""

    def __init__(self, state, variables):
        self._state, self._variables = state, variables
        self._there = self._arrays_there()
        self._roots, self._arrays, self._why = {}, {}, {}
        changed = self._changed_groups()
        self._compute(changed)
        self._bring_back(changed)

    def _arrays_there(self):
        """By number: arrays that live, whose memory the engines have as it was then."""
        state, there = self._state, {}
        ids = [base["id"] for base in state.bases]
        changed = _core.changed_since(state.mark, ids) if ids else ()
        for number, reference in enumerate(state.references):
            array, facts = reference(), state.facts[number]
            if array is not None and facts is not None and array._b.id == facts["id"] and not array._b.is_lost:
                if facts["id"] not in changed:
                    there[number] = array
        return there

    def _changed_groups(self):
        """Of the state: what is not as it was then."""
        arrays = _ArraysAsThen(self._state, self._there)
        now = Groups(self._variables, arrays, config.kept_bytes)
        groups = {frozenset(names) for names in now}
        return [group for group in self._state.groups if not self._is_unchanged(group, groups, arrays, now.shared)]

    def _is_unchanged(self, group, groups, arrays, shared):
        names, data, numbers = group
        if frozenset(names) not in groups or any(number not in self._there for number in numbers):
            return False
        try:
            return pickled({name: self._variables[name] for name in names}, arrays, shared) == data
        except KeyboardInterrupt:
            raise
        except BaseException:  # a class of the user's that could be pickled before
            return False

    def _compute(self, groups):
        state = self._state
        wanted = {state.facts[number]["base"] for _, _, numbers in groups for number in numbers if state.facts[number]}
        for number, array in self._there.items():
            place = state.facts[number]["base"]
            if place in wanted and place not in self._roots:
                self._roots[place] = _root_like(array, state.bases[place])
        self._made_places = sorted(wanted - self._roots.keys())
        ids = {state.bases[place]["id"]: place for place in self._made_places}
        for number in ids.keys() & written_by_others(self._variables).keys() if ids else ():
            self._why[ids.pop(number)] = "another client has written into it, which this program's log does not have"
        made = _core.make_again(state.mark, list(ids), _tell) if ids and _core.ranks() else {}
        for number, place in ids.items():
            about, new = state.bases[place], made.get(number, "there are no engines")
            if isinstance(new, str):
                self._why[place] = new
            else:
                self._roots[place] = _core.own(new, dtype_number(numpy.dtype(about["dtype"])), about["shape"])

    def _array_of(self, number):
        if number not in self._arrays:
            facts = self._state.facts[number]
            if facts is None:
                raise ValueError("its distributed array was lost then")
            if facts["base"] in self._why:
                raise ValueError(f"its distributed array cannot be computed again: {self._why[facts['base']]}")
            array = self._there.get(number)
            if array is None or not _is_as_then(array, facts, self._state.bases[facts["base"]]):
                array = ArrayFacts(**facts).of(self._roots[facts["base"]])
            self._arrays[number] = array
        return self._arrays[number]

    def _bring_back(self, groups):
        self.back, self.lost, self.computed = {}, {}, []
        for names, data, numbers in groups:
            try:
                values = Unpickler(data, self._array_of).load()
            except (EngineLostError, KeyboardInterrupt):
                raise
            except BaseException as error:  # whatever a class of the user's raises, SystemExit, too
                self.lost.update(dict.fromkeys(names, str(error) or type(error).__name__))
                continue
            self.back.update((name, values[name]) for name in names)
            if any(self._state.facts[number]["base"] in self._made_places for number in numbers):
                self.computed += names
        self.random = Unpickler(self._state.random, self._array_of).load()

    def note_arrays(self):
        """The state's arrays are those that were made, from this moment on."""
        state = self._state
        if self._why or not state.bases:  # what could not be made can be found from the mark only
            return
        for place, root in self._roots.items():
            state.bases[place] = state.bases[place] | {"id": root._b.id}
        for number, facts in enumerate(state.facts):
            if facts is not None and facts["id"] != state.bases[facts["base"]]["id"]:
                state.facts[number] = facts | {"id": state.bases[facts["base"]]["id"]}
        for number, array in self._arrays.items():
            state.references[number] = weakref.ref(array)
        state.mark = _core.mark_log([base["id"] for base in state.bases])

    def result(self):
        state, now = self._state, self._variables
        known = {name for names, _, _ in state.groups for name in names} | state.missing.keys()
        staying = {name: why for name, why in state.missing.items() if name in now}
        lost = self.lost | {name: why for name, why in state.missing.items() if name not in now}
        return self.back, [name for name in now if name not in known], staying, lost, self.computed, self.random


class _ArraysAsThen:
    """Numbers distributed arrays as they were numbered in a state, those that are the same still."""

    def __init__(self, state, there):
        self._numbers, self._arrays = {}, list(there.values())
        for number, array in there.items():
            facts = state.facts[number]
            if _is_as_then(array, facts, state.bases[facts["base"]]):
                self._numbers[id(array)] = number

    def number_of(self, array):
        number = self._numbers.get(id(array))
        if number is None:
            number = self._numbers[id(array)] = _OTHERS + len(self._arrays)
            self._arrays.append(array)  # alive: its id is its own
        return number

    def value_of(self, array):
        return _core.value(array)


def _is_as_then(array, facts, base):
    """Has nobody given it another shape or dtype?"""
    start = _core.empty((1,), dtype_number(array.dtype))._a.ctypes.data
    strides = array._a.strides if facts["is_view"] else None
    return (
        array.shape == tuple(facts["shape"])
        and array.dtype.str == facts["dtype"]
        and array._a.flags.writeable == facts["is_writeable"]
        and (strides is None or (strides == tuple(facts["strides"]) and array._a.ctypes.data - start == facts["offset"]))
        and (facts["is_view"] or array.nbytes == base["bytes"])
    )


def _root_like(array, about):
    """All elements of the memory that an array is in, as they stood in the state's list."""
    root, shape = root_of(array), tuple(about["shape"])
    if root.shape == shape and root.dtype.str == about["dtype"]:
        return root
    start = _core.empty((1,), dtype_number(array.dtype))._a.ctypes.data
    memory = (ctypes.c_char * array._b.nbytes).from_address(start)
    return _core.view(array, numpy.ndarray(shape, about["dtype"], memory))


def _tell(commands, seconds):
    if seconds > _TOLD_S:
        show_notice(f"the engines compute again: {counted(commands, 'command')}, about {seconds:.0f} s")
