# SPDX-License-Identifier: BSD-3-Clause
"""The docstrings that users see: our own sentence and what differs, then the sections of NumPy's docstring.

A docstring is composed when it is first read, because importing must stay fast. The sections come from the NumPy that is
installed; nothing of its text is copied into this package. `_calls` says which function of NumPy belongs to which of ours.
"""

import inspect
import operator
import warnings
from types import SimpleNamespace

import numpy

from . import _doc_gaps, _numpydoc
from ._numpydoc import Entry

_NUMPY = SimpleNamespace(numpy=numpy)
_LAZY = "Lazy for distributed arrays: it is recorded, and computed when a value is needed. NumPy computes small arrays at once."
_SAYS_WHEN = ("lazy", "evaluation")  # words of a text that tells by itself when it is computed
# NumPy 2 has dropped some names of NumPy 1; their sections are those of the other name.
_SUCCESSORS = {"trapz": "trapezoid", "trapezoid": "trapz", "in1d": "isin", "row_stack": "vstack", "round_": "round"}
# Functions of which NumPy only says that they are like another.
_LIKE = {
    **dict.fromkeys(("array_split", "dsplit", "hsplit", "vsplit"), "split"),
    "triu": "tril",
    "round": "around",
    "around": "round",  # since NumPy 2
    "diag_indices_from": "diag_indices",
}
# Parameters that only we have, or that NumPy's docstring of some function leaves out.
_DESCRIBED = {
    "distribution": Entry("distribution : gamelan.distribution, optional", ["    How the result lies on the engines."]),
    "out": Entry("out : ndarray or tuple of ndarray, optional", ["    Where the result is written. By default a new array."]),
    "where": Entry("where : array_like of bool, optional", ["    Where it is false, `out` keeps its elements."]),
    "casting": Entry(
        "casting, order, dtype, subok", ["    As in `numpy.ufunc`. `order` and `subok` change nothing for distributed arrays."]
    ),
}
_DESCRIBED["device"] = Entry(
    "device : str, optional", ["    `cpu`: there is no other, for small arrays and for distributed ones."]
)
_DESCRIBED["copy"] = Entry(
    "copy : bool, optional",
    ["    Always copy, or never; then what only a copy can be is refused. By default only where it must be."],
)
_DESCRIBED["shape"] = Entry(
    "shape : int or tuple of ints", ["    The new shape; one extent may be -1 and follows from the others."]
)
_DESCRIBED["newshape"] = Entry("newshape : int or tuple of ints", ["    The name of `shape` in NumPy 1."])
_DESCRIBED["descending"] = Entry("descending : bool, optional", ["    The largest first, and NaN last. Of NumPy 2.5."])
_DESCRIBED["stable"] = Entry("stable : bool, optional", ["    Changes nothing: the sort is always stable."])
_DESCRIBED["sorted"] = Entry("sorted : bool, optional", ["    Changes nothing for distributed arrays: the result is in order."])
_DESCRIBED["mean"] = Entry("mean : array_like, optional", ["    The mean, where it is known, with the axes kept."])
_DESCRIBED["correction"] = Entry("correction : int or float, optional", ["    Another name of `ddof`."])
_DESCRIBED["interpolation"] = Entry("interpolation : str, optional", ["    The name of `method` in NumPy 1."])
_DESCRIBED["weights"] = Entry(
    "weights : array_like, optional", ['    A weight for each element; with `method="inverted_cdf"` only.']
)
_DESCRIBED["rtol"] = Entry("rtol : array_like, optional", ["    Singular values up to it times the largest one count as 0."])
_DESCRIBED["upper"] = Entry("upper : bool, optional", ["    The upper factor instead of the lower one."])
_DESCRIBED["min"] = Entry("min, max", ["    Other names of `a_min` and `a_max`."])
_DESCRIBED["max"] = _DESCRIBED["min"]
_DESCRIBED["arguments"] = Entry("*arguments", ["    As in NumPy."])
_DESCRIBED["keywords"] = Entry("**keywords", ["    As in NumPy."])
_DESCRIBED.update(dict.fromkeys(("order", "dtype", "subok"), _DESCRIBED["casting"]))
_OUTSIDE = Entry("AxisError", ["    If an axis is outside the dimensions of the array."])
_AXES = {"axis", "axes", "axis1", "axis2", "axisa", "axisb", "axisc", "source", "destination"}

namesakes = {}  # by function of ours: (the module or class of NumPy as text, the name in it)


class Documentation:
    """The attribute `__doc__` of a class whose objects are functions: `own` for the class, a composed text for each object.

    The object keeps the text in its `__dict__`, which from then on answers."""

    def __init__(self, own):
        self._own = own

    def __get__(self, function, owner=None):
        if function is None:
            return self._own
        text = function.__dict__["__doc__"] = of(function)
        return text


def of(function):
    """The docstring of a function of ours, composed."""
    is_ufunc = hasattr(type(function), "own_doc")
    own = function.own_doc if is_ufunc else function.__wrapped__.__doc__
    place, name = ("numpy", function.__name__) if is_ufunc else namesakes.get(function, (None, None))
    theirs = None if own is None or place is None else _sections_of(place, name)
    if theirs is None:
        return own
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    taken = [each for each in parameters if each.name != "self" and not each.name.startswith("_")]
    return compose(_numpydoc.read(_completed(own, place, name)), theirs, taken, place, name)


def _completed(own, place, name):
    """The text of a method that only names what it does, with what the function of that name says of differences."""
    if place != "numpy.ndarray" or "\n\n" in own.strip():
        return own
    function = next((each for each, namesake in namesakes.items() if namesake == ("numpy", name)), None)
    differences = _numpydoc.read(function.__wrapped__.__doc__ or "").paragraphs[1:] if function is not None else []
    return "\n\n".join([inspect.cleandoc(own), *differences])


def _sections_of(place, name):
    """The Docstring of a function of NumPy and the names in its signature; None when there is no such function. Sections that
    it lacks are those of the function that it refers to."""
    function = _found(place, name)
    if function is None and name in _SUCCESSORS:
        function = _found(place, _SUCCESSORS[name])
    if function is None:
        return None
    theirs = _numpydoc.read(getattr(function, "__doc__", None) or "")
    if place in ("numpy", "numpy.ndarray") and "Parameters" not in theirs.sections:  # "Refer to `numpy.sum`"
        full = _found("numpy", _LIKE.get(name, name))
        more = _numpydoc.read(getattr(full, "__doc__", None) or "").sections
        if place == "numpy.ndarray" and "Parameters" in more:  # without the array itself
            more["Parameters"] = _numpydoc.text_of(_numpydoc.entries(more["Parameters"])[1:])
        theirs.sections = more | theirs.sections
    try:
        theirs.names = set(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        theirs.names = set()
    return theirs


def _found(place, name):
    """The attribute `name` of a module or class of NumPy, None where this NumPy has none."""
    try:
        owner = operator.attrgetter(place)(_NUMPY)
    except AttributeError:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that are going to be removed
        return getattr(owner, name, None)


def compose(ours, theirs, parameters, place, name):
    """The text of a docstring: `ours` is our Docstring, `theirs` that of NumPy's function `name` in `place`, `parameters` those
    of our signature."""
    summary, *differences = ours.paragraphs or [""]
    if not any(word in text.lower() for text in ours.paragraphs for word in _SAYS_WHEN):
        differences.append(_LAZY)
    described, absent = _parameters(ours, theirs, parameters)
    if absent:
        differences.append(f"NumPy's {_listed(absent)} {'are' if len(absent) > 1 else 'is'} not taken.")
    sections = {"Differences from NumPy": "\n\n".join(differences), "Parameters": _numpydoc.text_of(described)}
    for title in ("Returns", "Yields"):
        sections[title] = ours.sections.get(title) or theirs.sections.get(title, "")
    if not sections["Returns"]:
        sections["Returns"] = _numpydoc.text_of(_doc_gaps.results(place, name))
    sections["Raises"] = _numpydoc.text_of(_mistakes(ours, theirs, parameters, place, name))
    sections["See Also"] = _see_also(ours, theirs, f"{place}.{name}")
    for title in ("Notes", "References", "Examples"):
        sections[title] = ours.sections.get(title, "")
    parts = [summary] + [f"{title}\n{'-' * len(title)}\n{text}" for title, text in sections.items() if text]
    return "\n\n".join(parts) + "\n"


def _parameters(ours, theirs, parameters):
    """The entries for the parameters of our signature, in its order, and the names of those that only NumPy has."""
    own = _numpydoc.by_name(ours.sections.get("Parameters", ""))
    given = _numpydoc.by_name(theirs.sections.get("Other Parameters", ""))
    given.update(_numpydoc.by_name(theirs.sections.get("Parameters", "")))
    names = {each.name for each in parameters}
    left = [name for name in given if name not in names]
    found = {}  # by entry: the names that it has here; "x1, x2 : array_like" stays one entry
    for each in parameters:
        entry = own.get(each.name) or given.get(each.name)
        if entry is None and left and each.kind is each.VAR_KEYWORD:  # it takes all that is left
            for name in left:
                found.setdefault(given[name], []).append("**" + each.name if given[name].is_of_keywords else name)
            left = []
            continue
        if entry is None and left and each.kind is not each.KEYWORD_ONLY:  # it has another name in NumPy
            entry = given[left.pop(0)]
        entry = entry or _DESCRIBED.get(each.name) or Entry(each.name, [])
        star = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        found.setdefault(entry, []).append(star + each.name)
    absent = [name for name in left if given[name] not in found and name in theirs.names]
    return [entry.named(", ".join(names)) for entry, names in found.items()], absent


def _mistakes(ours, theirs, parameters, place, name):
    """The entries of Raises: ours, NumPy's, those of the table, and that of an axis."""
    own = _numpydoc.entries(ours.sections.get("Raises", ""))
    named = {name for entry in own for name in entry.names}
    given = [each for each in _numpydoc.entries(theirs.sections.get("Raises", "")) if not named.intersection(each.names)]
    named.update(name for entry in given for name in entry.names)
    found = own + given
    found += [each for each in _doc_gaps.mistakes(place, name) if not named.intersection(each.names)]
    if _AXES.intersection(each.name for each in parameters) and not any(
        "xis" in each.head + "".join(each.lines) for each in found
    ):
        found.append(_OUTSIDE)
    return _merged(found)


def _merged(entries):
    """The entries with one head for each class of exceptions."""
    found = {}
    for each in entries:
        found.setdefault(each.head, Entry(each.head, [])).lines.extend(each.lines)
    return list(found.values())


def _see_also(ours, theirs, namesake):
    source = f"{namesake} : Parameters, Returns, See Also and what it says of Raises are from the installed NumPy's docstring."
    lines = (ours.sections.get("See Also", "") + "\n" + theirs.sections.get("See Also", "")).splitlines()
    return "\n".join([source, *(line for line in lines if line.strip() and not line.startswith((":ref:", "how-to")))])


def _listed(names):
    names = [f"`{name}`" for name in names]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
