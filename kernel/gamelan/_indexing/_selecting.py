# SPDX-License-Identifier: BSD-3-Clause
"""Elements chosen among several arrays: choose, select, piecewise. All of them are element by element, hence recorded and
fused like arithmetic."""

import numpy

from .. import _core
from .._creation._filled import filled
from .._creation._from_data import asarray
from .._folds._bounds import extremes
from .._imported_numpy import MOST_OPERANDS
from .._local import as_output, as_value, call_numpy, has_distributed, is_distributed, is_value
from .._promotion import OPS, promoted_as
from .._views._plain import broadcast_arrays, broadcast_to
from ._take_put import mode_of, require_whole

__all__ = ["choose", "piecewise", "select"]


def _choice(condition, x, y):
    return _core.evaluate(OPS["where"], condition, x, y)


def _given(choice):
    """A choice that is no array of ours; what has no axes stays here, where its value is known."""
    return asarray(choice) if has_distributed((choice,)) or numpy.ndim(choice) else _core.share(numpy.asarray(choice))


def choose(a, choices, out=None, mode="raise"):
    """Pick each element from the array that an array of integers names.

    Triggers evaluation the first time an index array is used, because an index outside must raise here. The result itself is
    lazy.

    Examples
    --------
    >>> import gamelan as np
    >>> np.choose([1, 0], [[1, 2], [3, 4]]).tolist()
    [3, 2]
    """
    if not isinstance(choices, (list, tuple)):
        choices = asarray(choices)
        choices = list(choices[: MOST_OPERANDS + 1] if choices.ndim else choices)
    if not has_distributed((a, choices, out)):
        result = call_numpy(numpy.choose, "choose", (a, list(choices)), {"out": out, "mode": mode})
        return result if out is None else out
    given = choices
    a, choices = asarray(a), [choice if _core.is_ours(choice) else _given(choice) for choice in choices]
    if not choices:
        raise ValueError("invalid entry in choice array")
    if len(choices) > MOST_OPERANDS:
        raise ValueError(f"Need at least 0 and at most {MOST_OPERANDS} array objects.")
    mode = mode_of(mode)
    require_whole(a.dtype)
    number = len(choices)
    shape = numpy.broadcast_shapes(a.shape, *(choice.shape for choice in choices))
    if mode == "wrap":
        a = a.astype(numpy.intp) % number
    elif mode == "raise":
        if a.size:
            low, high = _extremes(a, number)
            if low < 0 or high >= number:
                raise ValueError("invalid entry in choice array")
    # As NumPy: of numbers and arrays without axes the value counts, which is known of those that are here.
    kinds = (choice.dtype if is_distributed(choice) else choice._a for choice in choices)
    dtype = numpy.result_type(*map(promoted_as, given, kinds))
    choices = [choice if choice.dtype == dtype else choice.astype(dtype) for choice in choices]
    result = choices[-1]
    for place in range(number - 2, -1, -1):
        result = _choice(a <= place, choices[place], result)
    if result.shape != shape or number == 1:
        result = broadcast_to(result, shape).copy()
    if out is None:
        return as_value(result)
    out = as_output(out)
    if out.shape != shape:
        raise TypeError("choose: invalid shape for output array.")
    out[...] = result
    return out


def _extremes(a, extent):
    if not is_distributed(a):
        return int(numpy.asarray(a).min()), int(numpy.asarray(a).max())
    return extremes(a.astype("u1") if a.dtype == bool else a, extent)


def select(condlist, choicelist, default=0):
    """Choose each element from the first array whose condition is true.

    Examples
    --------
    >>> import gamelan as np
    >>> x = np.arange(4)
    >>> np.select([x < 1, x > 2], [x - 10, x * 10], 5).tolist()
    [-10, 5, 5, 30]
    """
    if not has_distributed((condlist, choicelist, default)):
        return call_numpy(numpy.select, "select", (list(condlist), list(choicelist), default), {})
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    conditions = [asarray(condition) for condition in condlist]
    given = (*choicelist, default)
    choices = [choice if _core.is_ours(choice) else _core.share(numpy.asarray(choice)) for choice in given]
    for place, condition in enumerate(conditions):
        if condition.dtype != bool:
            raise TypeError(f"invalid entry {place} in condlist: should be boolean ndarray")
    dtype = numpy.result_type(*map(promoted_as, given, map(_for_promotion, choices)))
    conditions = broadcast_arrays(*conditions)
    shape = numpy.broadcast_shapes(conditions[0].shape, *(choice.shape for choice in choices))
    result = broadcast_to(choices[-1].astype(dtype), shape)
    for condition, choice in zip(conditions[::-1], choices[-2::-1]):
        result = _choice(condition, choice.astype(dtype), result)
    return result if result.shape == shape else broadcast_to(result, shape).copy()


def _for_promotion(array):
    """What NumPy promotes: a number that is here counts by its value."""
    return array.dtype if array.ndim or is_distributed(array) else numpy.asarray(array)


def piecewise(x, condlist, funclist, *args, **kw):
    """Evaluate a piecewise-defined function.

    Triggers evaluation when a piece is a function: how many elements it gets depends on the data. With numbers alone it is
    lazy.

    Examples
    --------
    >>> import gamelan as np
    >>> x = np.arange(-2, 3)
    >>> np.piecewise(x, [x < 0, x >= 0], [lambda x: -x, lambda x: x]).tolist()
    [2, 1, 0, 1, 2]
    """
    if not has_distributed((x, condlist)):
        return call_numpy(numpy.piecewise, "piecewise", (x, condlist, funclist, *args), kw)
    x = asarray(x)
    if _is_one_condition(condlist, x):
        condlist = [condlist]
    conditions = [asarray(condition).astype(bool) for condition in condlist]
    cases, functions = len(conditions), len(funclist)
    if cases == functions - 1:
        rest = conditions[0]
        for condition in conditions[1:]:
            rest = rest | condition
        conditions.append(~rest)
    elif cases != functions:
        raise ValueError(f"with {cases} condition(s), either {cases} or {cases + 1} functions are expected")
    result = filled(x.shape, x.dtype, 0)
    for condition, function in zip(conditions, funclist):
        if callable(function):
            values = x[condition]
            if values.size:
                result[condition] = function(values, *args, **kw)
        else:
            result[condition] = function
    return result


def _is_one_condition(condlist, x):
    """NumPy's rule: what does not begin with a list or an array is one condition."""
    if (
        numpy.isscalar(condlist) or not isinstance(condlist, (list, tuple)) and numpy.ndim(condlist) == 0
    ):  # not of a list: it gathers
        return True
    first = condlist[0]
    is_array = isinstance(first, (list, numpy.ndarray)) or _core.is_ours(first) and not is_value(first)
    return not is_array and x.ndim != 0
