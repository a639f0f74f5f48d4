# SPDX-License-Identifier: BSD-3-Clause
"""Runs a case on NumPy and on gamelan and says how they differ: in the value, its dtype, shape and class, in the class of
the error, in what was written, and in what a write to the result changes."""

import re
import warnings

import numpy

import gamelan
from gamelan import _core, _local
from kinds_values import DATA, names
from oracle import assert_same, error_class

# What is compared in shape and dtype only, and why.
VALUES_DIFFER = {
    r"np\.empty": "nobody has set its elements",
    r"np\.random\.|default_rng": "the streams are not NumPy's",
    r"partition\(": "another legal partition",
    r"argsort\(|lexsort\(": "NumPy's default order of equal elements is not stable",
    r"linalg\.(svd|eig|eigh|qr|eigvals)\(": "signs and order are not determined",
}


class Outcome:
    """What a program gave on one module: the value of its last line or its error, and its operands afterwards."""

    def __init__(self, lines, module):
        self.value = self.error = None
        self.env = names(module)
        self.is_made = True  # the operands could be made
        with warnings.catch_warnings(), numpy.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                exec("\n".join(lines[:-1]), self.env)
            except Exception as error:
                self.is_made, self.error = False, error
                return
            self.before = {name: value.copy() for name, value in self.operands().items() if type(value) is numpy.ndarray}
            try:
                code = _compiled(lines[-1])
                exec(code, self.env)
                self.value = self.env.get("_")
            except Exception as error:
                self.error = error
            self.fetch()

    def operands(self):
        return {name: value for name, value in self.env.items() if name in DATA or name.rstrip("_2") in (*DATA, "o")}

    def fetch(self):
        """Brings here what is distributed, in one round trip."""
        found = {}

        def collect(value):
            if _local.is_distributed(value):
                found[id(value)] = value
            elif isinstance(value, (list, tuple)):
                for each in value:
                    collect(each)
            elif type(value) is dict:
                collect(list(value.values()))

        with warnings.catch_warnings(), numpy.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            collect([self.value, *self.operands().values()])
            try:
                data = dict(zip(found, _core.fetch(list(found.values()))))
            except Exception as error:
                if self.error is None:
                    self.error = error
                data = {}
                for each, value in found.items():
                    try:
                        data[each] = numpy.asarray(value)
                    except Exception:
                        data[each] = None
        self.data = data
        self.state = {name: self.here(value) for name, value in self.operands().items()}

    def here(self, value):
        """A value with NumPy arrays in the place of ours."""
        if _core.is_ours(value):
            return self.data.get(id(value)) if value._b is not None else value._a.copy()
        return value.copy() if isinstance(value, numpy.ndarray) else value


def _compiled(line):
    try:
        return compile(f"_ = ({line}\n)", "<call>", "exec")
    except SyntaxError:
        return compile(line, "<call>", "exec")


class Difference(Exception):
    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


def compare(lines):
    """The Difference of a program, or None. `unmade` when gamelan cannot make the operands."""
    expected = Outcome(lines, numpy)
    if not expected.is_made:
        return None
    actual = Outcome(lines, gamelan)
    if not actual.is_made:
        return None if isinstance(actual.error, NotImplementedError) else Difference("operands", f"raised {actual.error!r}")
    try:
        _compare_outcomes(lines, actual, expected)
        if "shuffle(" not in lines[-1]:
            _compare_states(actual, expected, "written")
        _write_through(actual, expected)
    except Difference as difference:
        return difference
    return None


def refuses(lines):
    """True when NumPy raises an error."""
    return Outcome(lines, numpy).error is not None


def _compare_outcomes(lines, actual, expected):
    if isinstance(actual.error, NotImplementedError) and not isinstance(expected.error, NotImplementedError):
        raise Difference("refused", f"raised {actual.error!r}, NumPy {_told(expected)}")
    if (actual.error is None) != (expected.error is None):
        kind = "raises" if actual.error is not None else "no error"
        raise Difference(kind, f"gave {_told(actual)}, NumPy {_told(expected)}")
    if expected.error is not None:
        if not isinstance(actual.error, error_class(expected.error)):
            raise Difference("error class", f"raised {actual.error!r}, NumPy {expected.error!r}")
        return
    compares_values = not any(re.search(pattern, lines[-1]) for pattern in VALUES_DIFFER)
    _compare_values("the value", actual, actual.value, expected.value, expected, compares_values)


def _told(outcome):
    if outcome.error is not None:
        return repr(outcome.error)
    is_array = isinstance(outcome.value, (numpy.ndarray, _core.Array))
    text = numpy.array2string(outcome.here(outcome.value), threshold=30) if is_array else repr(outcome.value)[:200]
    return f"{type(outcome.value).__name__} {text}"


def _compare_values(where, actual, ours, theirs, expected, compares_values):
    if isinstance(theirs, (numpy.ndarray, numpy.generic)) and not isinstance(theirs, numpy.void):
        if not isinstance(ours, (numpy.ndarray, numpy.generic, _core.Array)):
            raise Difference(
                "class", f"{where}: {type(ours).__name__} {ours!r:.200}, NumPy {type(theirs).__name__} {theirs!r:.200}"
            )
        if (
            type(theirs) is numpy.ndarray
            and type(ours) is numpy.ndarray
            and not any(ours is each for each in actual.env.values())
        ):
            raise Difference("class", f"{where}: an array of NumPy's own")
        is_scalar = isinstance(ours, numpy.generic) or isinstance(ours, _core.Array) and _local.is_value(ours)
        if isinstance(theirs, numpy.generic) != is_scalar:
            raise Difference("scalar", f"{where}: {'a scalar' if is_scalar else 'an array'}, NumPy {type(theirs).__name__}")
        named = {name for name, value in expected.env.items() if value is theirs and isinstance(value, numpy.ndarray)} - {"_"}
        if named and not any(actual.env.get(name) is ours for name in named):
            raise Difference("identity", f"{where} is not {named}, which NumPy returns")
        if isinstance(theirs, numpy.ndarray) and theirs.flags.writeable != ours.flags.writeable:
            raise Difference("writeable", f"{where}: writeable is {ours.flags.writeable}, NumPy {theirs.flags.writeable}")
        _compare_arrays(where, actual.here(ours), numpy.asarray(theirs), compares_values)
    elif isinstance(theirs, (list, tuple)):
        if type(ours).__name__ != type(theirs).__name__ or len(ours) != len(theirs):
            raise Difference("class", f"{where}: {ours!r:.200}, NumPy {theirs!r:.200}")
        for number, (one, other) in enumerate(zip(ours, theirs)):
            _compare_values(f"{where}[{number}]", actual, one, other, expected, compares_values)
    elif type(theirs).__module__ in ("builtins", "numpy"):
        if isinstance(theirs, type) or callable(theirs):
            return
        if type(ours) is not type(theirs):
            raise Difference(
                "class", f"{where}: {type(ours).__name__} {ours!r:.200}, NumPy {type(theirs).__name__} {theirs!r:.200}"
            )
        if isinstance(theirs, (bool, int, str, bytes, numpy.dtype)) and ours != theirs and compares_values:
            raise Difference("value", f"{where}: {ours!r:.300}, NumPy {theirs!r:.300}")
        if isinstance(theirs, (float, complex)) and compares_values:
            _compare_arrays(where, numpy.asarray(ours), numpy.asarray(theirs), True)


def _compare_arrays(where, actual, expected, compares_values=True):
    if actual is None:
        raise Difference("lost", f"{where} cannot be read")
    actual, expected = numpy.asarray(actual), numpy.asarray(expected)
    if actual.shape != expected.shape:
        raise Difference("shape", f"{where}: shape {actual.shape}, NumPy {expected.shape}")
    if actual.dtype != expected.dtype:
        raise Difference("dtype", f"{where}: dtype {actual.dtype}, NumPy {expected.dtype}")
    if not compares_values or actual.tobytes() == expected.tobytes():
        return
    try:
        with numpy.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert_same(actual, expected)
    except AssertionError:
        raise Difference(
            "value", f"{where}: {numpy.array2string(actual, threshold=40)}, NumPy {numpy.array2string(expected, threshold=40)}"
        ) from None


def _compare_states(actual, expected, kind):
    for name, theirs in expected.state.items():
        if isinstance(theirs, numpy.ndarray):
            try:
                _compare_arrays(name, actual.state[name], theirs)
            except Difference as difference:
                if actual.error is not None and _is_same(actual.state[name], expected.before.get(name)):
                    continue  # an error changed something of NumPy's, and nothing here
                raise Difference(kind, f"operand {difference} ({difference.kind})") from None


def _is_same(actual, before):
    try:
        _compare_arrays("", actual, before)
    except Difference:
        return False
    return True


def _write_through(actual, expected):
    """Writes to the result: the same operands change."""
    ours, theirs = actual.value, expected.value
    if (
        not isinstance(theirs, numpy.ndarray)
        or not isinstance(ours, (numpy.ndarray, _core.Array))
        or not theirs.ndim
        or not theirs.flags.writeable
    ):
        return
    if theirs.dtype.kind not in "biufc":
        return
    for value in (theirs, ours):
        value[...] = 77
    for outcome in (expected, actual):
        outcome.value = None
        outcome.fetch()
    _compare_states(actual, expected, "shared memory")
