# SPDX-License-Identifier: BSD-3-Clause
"""The Parameters sections of docstrings: written from the signature, because a name means the same wherever NumPy uses it.

Called once, at the end of the import. A docstring that has a section of its own keeps it.
"""

import inspect
import operator
from types import SimpleNamespace

import numpy

_NUMPY = SimpleNamespace(numpy=numpy)
_ARRAY = ("array_like", "Here or on the engines.")
_AXIS = ("int, optional", "Along which axis, negative from the last.")
_SHAPE = ("int or tuple of int", "The extents.")
_PART = ("float or array_like of float", "A parameter of the distribution.")

# name: (type, meaning)
_MEANINGS = {
    **dict.fromkeys(
        (
            "a",
            "x",
            "x1",
            "x2",
            "b",
            "v",
            "y",
            "m",
            "arr",
            "array",
            "ar1",
            "ar2",
            "p",
            "q",
            "xp",
            "fp",
            "weights",
            "values",
            "ary",
        ),
        _ARRAY,
    ),
    **dict.fromkeys(("arrays", "tup", "arys", "choicelist"), ("sequence of array_like", "They may live in different places.")),
    "axis": _AXIS,
    "axis1": _AXIS,
    "axis2": _AXIS,
    "axisa": _AXIS,
    "axisb": _AXIS,
    "axisc": _AXIS,
    "axes": ("int or sequence of int, optional", "Which axes, negative from the last."),
    "shape": _SHAPE,
    "newshape": _SHAPE,
    "new_shape": _SHAPE,
    "dims": _SHAPE,
    "size": ("int or tuple of int, optional", "The shape of the result; without it that of the parameters, or one number."),
    "dtype": ("dtype, optional", "Of the result, and of the computation."),
    "out": ("ndarray, optional", "Takes the result, which is then returned."),
    "keepdims": ("bool, optional", "Keep the axes that are folded, with extent 1."),
    "where": ("array_like of bool, optional", "Only elements where it is true are taken."),
    "initial": ("scalar, optional", "What the fold begins with."),
    "ddof": ("float, optional", "Is subtracted from the count in the divisor."),
    "order": ("{'C', 'F', 'A', 'K'}, optional", "In which order the elements lie, or are taken."),
    "copy": ("bool, optional", "Copy also where that is not necessary."),
    "casting": ("{'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional", "Which conversions are allowed."),
    "subok": ("bool, optional", "Accepted; there are no subclasses to keep."),
    "like": ("array_like, optional", "Accepted; changes nothing."),
    "distribution": ("distribution, optional", "How the result lies on the engines: see `gamelan.distribution`."),
    "condition": ("array_like of bool", "A mask."),
    "indices": ("array_like of int", "Places along the axis."),
    "mode": ("str, optional", "What happens at the ends, or outside."),
    "ndmin": ("int, optional", "At least so many dimensions."),
    "k": ("int, optional", "The diagonal: 0 the main one, above it positive."),
    "offset": ("int, optional", "The diagonal: 0 the main one, above it positive."),
    "n": ("int, optional", "How many."),
    "N": ("int", "How many rows."),
    "M": ("int, optional", "How many columns; without it, as many as rows."),
    "num": ("int, optional", "How many."),
    "start": ("number", "The first."),
    "stop": ("number", "The end."),
    "step": ("number", "From one to the next."),
    "norm": ("{'backward', 'ortho', 'forward'}, optional", "Where the result is scaled."),
    "bins": ("int, str or array_like, optional", "How many, a rule, or their edges."),
    "range": ("(float, float), optional", "From where to where."),
    "fill_value": ("scalar or array_like", "What every element becomes."),
    "assume_unique": ("bool, optional", "Nothing occurs twice: sorts less."),
    "rtol": ("float, optional", "Relative tolerance."),
    "atol": ("float, optional", "Absolute tolerance."),
    "equal_nan": ("bool, optional", "NaN equals NaN."),
    "shift": ("int or tuple of int", "By how many places."),
    "repeats": ("int or array_like of int", "How often each."),
    "kth": ("int or sequence of int", "Which places are to be right."),
    "side": ("{'left', 'right'}, optional", "Before or behind equal ones."),
    "decimals": ("int, optional", "To how many."),
    "loc": _PART,
    "scale": _PART,
    "low": _PART,
    "high": _PART,
    "lam": _PART,
    "df": _PART,
    "mean": _PART,
    "mu": _PART,
    "kappa": _PART,
    "seed": ("int or sequence of int, optional", "The same seed gives the same numbers, on any number of engines."),
}
_OF_SORTS = {
    "kind": ("{'quicksort', 'mergesort', 'heapsort', 'stable'}, optional", "Accepted; the sort is always stable."),
    "order": ("str or sequence of str, optional", "Names of fields, for small arrays of records."),
}


def _section(function):
    """The text of the section, or "" when the function takes nothing or does not say what."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a builtin of NumPy's
        return ""
    lines = []
    for each in parameters:
        if each.name in ("self", "keywords", "arguments") or each.name.startswith("_"):
            continue
        meanings = _MEANINGS | _OF_SORTS if function.__name__ in ("sort", "argsort", "partition", "argpartition") else _MEANINGS
        kind, meaning = meanings.get(each.name, ("", ""))
        if each.name == "axis" and each.default is None:
            kind, meaning = (
                "int or tuple of int, optional",
                "Along which axis, negative from the last; without it, over all elements.",
            )
        name = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "") + each.name
        has_default = each.default is not each.empty and isinstance(each.default, (int, float, str))
        lines.append(name + (f" : {kind}" if kind else "") + (f" (default {each.default!r})" if has_default else ""))
        lines += [f"    {meaning}"] if meaning else []
    if not lines:
        return ""
    return "\n".join(["Parameters", "----------", *lines, ""])


def document(owner, prefix):
    """Gives the functions of a module or class of ours, whose namesakes in NumPy begin with `prefix`, a Parameters section."""
    for name, value in list(vars(owner).items()):
        function = getattr(value, "__func__", value)
        if name.startswith("_") or not inspect.isfunction(function) or not function.__module__.startswith("gamelan"):
            continue
        text = inspect.cleandoc(function.__doc__ or "")
        if not text or "Parameters\n---" in text:
            continue
        section = _section(function)
        if section:
            text = _inserted(text, section)
            has_namesake = hasattr(operator.attrgetter(prefix.strip("."))(_NUMPY), name)
            function.__doc__ = (
                text
                if not has_namesake or f"numpy.{name}" in text or prefix + name in text
                else (f"{text.rstrip()}\n\nSee Also\n--------\n{prefix}{name}\n")
            )


def _inserted(text, section):
    """The docstring with the section before its Returns, Examples or See Also, or at the end."""
    places = [
        place for heading in ("Returns", "Raises", "Examples", "See Also") if (place := text.find(f"\n{heading}\n---")) >= 0
    ]
    place = min(places, default=len(text))
    return f"{text[:place].rstrip()}\n\n{section}{text[place:]}"
