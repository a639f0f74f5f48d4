# SPDX-License-Identifier: BSD-3-Clause
"""sort and argsort. Both are stable whatever `kind` says, so the result does not depend on the number of engines."""

import numpy

from .. import _core
from .._arguments import axis_of
from .._creation._filled import filled
from .._creation._from_data import asarray
from .._errors import unimplemented
from .._folds._bounds import remember
from .._imported_numpy import SORTS_DOWNWARDS, normalize_axis_index
from .._local import call_numpy, is_distributed
from .._promotion import OPS, dtype_number
from .._views._plain import moveaxis
from .._views._reshape import ravel, reshape

__all__ = ["argsort", "msort", "sort", "sort_complex"]

_NOT_GIVEN = numpy._NoValue
_FEW_LINES = 16  # so many commands are worth the balance
_LONG = 4096
# Elements of a line from which on it is faster to select than to sort: a few places, or many, or bytes, which have few values.
_WORTH_SELECTING, _FEW_PLACES = 32, 3
_WORTH_SELECTING_MANY, _MANY_PLACES = 8192, 16
_LETTERS = ("q", "m", "h", "s")


def check_kind(kind):
    """NumPy's error for what is no kind of sorting; it looks at the first letter."""
    if kind is None:
        return
    if isinstance(kind, bytes):
        kind = kind.decode()
    if not isinstance(kind, str):
        raise TypeError(f"sort kind must be str, not {type(kind).__name__}")
    if kind[:1].lower() not in _LETTERS:
        raise ValueError(f"sort kind must be one of 'quick', 'heap', or 'stable' (got {kind!r})")


def _sorted(name, a, axis, kind, order, places=()):
    check_kind(kind)
    if order is not None:
        raise ValueError("Cannot specify order when the array has no fields.")
    if axis is None:
        a, axis = ravel(a), 0
    if name == "argsort" and a.ndim == 0 and axis in (-1, 0):
        return filled((1,), numpy.intp, 0)  # as NumPy has it
    axis = axis_of(axis, a.ndim) if name == "argsort" else normalize_axis_index(axis, a.ndim)
    dtype = a.dtype if name == "sort" else numpy.dtype(numpy.intp)
    if a.size == 0:
        return filled(a.shape, dtype, 0)
    if a.shape[axis] == a.size and a.ndim > 1:
        return reshape(_sorted(name, ravel(a), 0, kind, order), a.shape)
    lines = a.size // a.shape[axis]
    if 1 < lines < min(_core.ranks(), _FEW_LINES) and a.shape[axis] >= _LONG:
        return _line_by_line(name, moveaxis(a, axis, -1), dtype, axis)
    result = _core.empty(a.shape, dtype_number(dtype), a)
    _core.record(OPS[name], dtype_number(a.dtype), result, True, (a,), (axis, *places))
    if name == "argsort":
        remember(result, 0, a.shape[axis] - 1)
    return result


def selected(a, axis, places, name="sort"):
    """A copy in which `places` of each line have what sorting would put there; nothing before them is greater, and nothing
    behind is less. With the name argsort: the indices of such a copy. Lazy. Short lines are sorted, and those of which many
    places are asked for."""
    if not is_distributed(a):
        return sort(a, axis) if name == "sort" else argsort(a, axis)
    places = sorted(set(places))
    is_quick = len(places) <= _FEW_PLACES and a.dtype.itemsize > 1
    least = _WORTH_SELECTING if is_quick else _WORTH_SELECTING_MANY
    is_worth_it = a.ndim > 1 and a.shape[axis] >= least and len(places) <= _MANY_PLACES
    return _sorted(name, a, axis, None, None, places if is_worth_it else ())


def _line_by_line(name, a, dtype, axis):
    """Each line by all engines, where there are fewer long lines than engines."""
    result = filled(a.shape, dtype, 0)
    for place in numpy.ndindex(a.shape[:-1]):
        result[place] = _sorted(name, a[place], 0, None, None)
    return moveaxis(result, -1, axis)


def _in_order(name, a, axis, kind, order, stable, descending):
    """Sorted by the engines, with NumPy's error for `stable` beside a kind. Ours is stable anyway."""
    if stable is not None and kind is not None:
        raise ValueError("`kind` and `stable` parameters can't be provided at the same time. Use only one of them.")
    if descending is _NOT_GIVEN:
        return _sorted(name, a, axis, kind, order)
    if not SORTS_DOWNWARDS:
        raise TypeError(f"{name}() got an unexpected keyword argument 'descending'")
    if not descending:
        return _sorted(name, a, axis, kind, order)
    if a.dtype.kind == "c":
        raise unimplemented(f"{name} of complex numbers with descending=True", "-np.sort(-a) is the same without NaN")
    result = _sorted(name, _upside_down(a), axis, kind, order)
    return _upside_down(result) if name == "sort" else result


def _upside_down(a):
    """Numbers in the opposite order, from the same numbers; NaN stays."""
    return -a if a.dtype.kind == "f" else ~a


def _numpys(stable, descending):
    """What NumPy is given of these."""
    given = {} if stable is None else {"stable": stable}
    return given if descending is _NOT_GIVEN else given | {"descending": descending}


def sort(a, axis=-1, kind=None, order=None, *, stable=None, descending=_NOT_GIVEN):
    """A sorted copy of an array.

    Lazy. NaN is last. The engines sort their parts and merge them, which is balanced whatever the data are; this takes the
    memory of a second copy. The sort is always stable.

    Examples
    --------
    >>> import gamelan as np
    >>> np.sort([3, 1, 2]).tolist()
    [1, 2, 3]
    """
    a = asarray(a)
    if not is_distributed(a):
        return call_numpy(numpy.sort, "sort", (a, axis, kind, order), _numpys(stable, descending))
    return _in_order("sort", a, axis, kind, order, stable, descending)


def argsort(a, axis=-1, kind=None, order=None, *, stable=None, descending=_NOT_GIVEN):
    """The indices that would sort an array.

    Lazy. The sort is always stable: equal elements keep their order.

    Examples
    --------
    >>> import gamelan as np
    >>> np.argsort([3, 1, 2]).tolist()
    [1, 2, 0]
    """
    a = asarray(a)
    if not is_distributed(a):
        return call_numpy(numpy.argsort, "argsort", (a, axis, kind, order), _numpys(stable, descending))
    return _in_order("argsort", a, axis, kind, order, stable, descending)


def msort(a):
    """A copy sorted along the first axis."""
    _core.warn(DeprecationWarning, "msort is deprecated, use np.sort(a, axis=0) instead")
    return sort(a, 0)


def sort_complex(a):
    """A copy as complex numbers, sorted by real part and then by imaginary part.

    Examples
    --------
    >>> import gamelan as np
    >>> np.sort_complex([3, 1]).tolist()
    [(1+0j), (3+0j)]
    """
    a = asarray(a)
    if not is_distributed(a):
        return call_numpy(numpy.sort_complex, "sort_complex", (a,), {})
    result = sort(a)
    if a.dtype.kind == "c":
        return result
    return result.astype("F" if a.dtype.char in "bhBH" else "D")


def sort_in_place(array, axis=-1, kind=None, order=None, stable=None, descending=_NOT_GIVEN):
    """`array.sort()`."""
    if not is_distributed(array):
        array._a.sort(axis, kind, order, **_numpys(stable, descending))
        return
    if axis is None:
        raise TypeError("'NoneType' object cannot be interpreted as an integer")
    array[...] = _in_order("sort", array, axis, kind, order, stable, descending)
