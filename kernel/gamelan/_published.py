# SPDX-License-Identifier: BSD-3-Clause
"""Arrays with names that all clients of the engines know: publish, attach, unpublish."""

import json
from dataclasses import asdict

import numpy

from . import _core
from ._creation._from_data import asarray
from ._errors import EngineLostError
from ._promotion import dtype_number, is_supported
from ._saved._arrays import ArrayFacts, facts_of, root_of
from ._session import ensure_engines

__all__ = ["attach", "publish", "unpublish"]


def _checked(name):
    if not isinstance(name, str) or not name or len(name) > 200:
        raise ValueError(f"got {name!r}, expected a name: a string of 1 to 200 characters")
    return name


def _on_engines(x):
    """The array, or a copy of a small one, on the engines."""
    x = asarray(x)
    if x._b is not None:
        return x
    if not is_supported(x.dtype):
        raise NotImplementedError(f"the engines hold no {x.dtype}: numbers and bools of this machine's byte order only")
    ensure_engines()
    return _core.upload(numpy.array(x, order="C"))  # ascontiguousarray would give a number an axis


def _ask(what, name):
    try:
        return _core.ask_holding(what, None, name)
    except KeyError as error:
        raise KeyError(*error.args) from None  # by a statement: it is the user's, and no defect


def publish(name, x):
    """Give an array a name by which other clients of the same engines attach it.

    Computes what is recorded. No element is copied, unless the array is small: then the name stands for a copy on the engines.
    What this program writes into the array afterwards, others see. The array lives until `unpublish`, or until the engines end;
    also when this program ends.

    Parameters
    ----------
    name : str
        At most 200 characters.
    x : array_like

    Returns
    -------
    None

    Raises
    ------
    ValueError
        If the name is taken. The message says by whom.
    NotImplementedError
        If the engines have no such dtype.
    EngineLostError
        If the engines are gone.

    See Also
    --------
    attach : Use a published array.
    unpublish : Take the name away.
    arrays : What there is on the engines.

    Examples
    --------
    >>> import gamelan as np
    >>> np.publish("grid", np.zeros((500, 500)))
    >>> np.attach("grid").shape
    (500, 500)
    >>> np.unpublish("grid")
    """
    name = _checked(name)
    x = _on_engines(x)
    root = root_of(x)
    about = {"facts": asdict(facts_of(x, 0, root)), "base": [root.dtype.str, root.shape]}
    _core.share_writes(x)  # first: an interrupt may come after the question
    _core.ask_holding("publish", x, name, json.dumps(about))


def attach(name, writeable=False):
    """The array that a client of the same engines has published under this name.

    Computes what is recorded. No element is copied: the array is the publisher's, and shows what others write into it, in the
    order in which the engines get it. It stays as long as this program has it, also when its name or its publisher goes. Nothing
    that is computed from it can be computed again when engines are lost.

    Parameters
    ----------
    name : str
    writeable : bool, optional
        Allow writing into it. By default it is read-only here, as NumPy's read-only arrays are.

    Returns
    -------
    ndarray

    Raises
    ------
    KeyError
        If nothing is published under this name. The message lists what is.
    EngineLostError
        If the engines are gone.

    See Also
    --------
    publish : Give an array a name.

    Examples
    --------
    >>> import gamelan as np
    >>> np.publish("ones", np.ones((300, 300)))
    >>> float(np.attach("ones").sum())
    90000.0
    >>> np.unpublish("ones")
    """
    ensure_engines()
    try:
        told = json.loads(_ask("attach", _checked(name)))
    except EngineLostError:  # others may have taken their place
        ensure_engines()
        told = json.loads(_ask("attach", name))
    about = json.loads(told["about"])
    dtype, shape = about["base"]
    root = _core.own(told["array"], dtype_number(numpy.dtype(dtype)), shape)
    _core.share_writes(root)
    facts = ArrayFacts(**about["facts"])
    facts.is_view, facts.is_writeable = True, bool(writeable) and facts.is_writeable
    return facts.of(root)


def unpublish(name):
    """Take the name of a published array away.

    Computes what is recorded. Whoever has the array keeps it. The array is freed when nobody has it any more.

    Parameters
    ----------
    name : str
        That this or another client has published.

    Returns
    -------
    None

    Raises
    ------
    KeyError
        If nothing is published under this name. The message lists what is.
    EngineLostError
        If the engines are gone.

    See Also
    --------
    publish : Give an array a name.

    Examples
    --------
    >>> import gamelan as np
    >>> np.publish("grid", np.zeros((500, 500)))
    >>> np.unpublish("grid")
    """
    ensure_engines()
    _ask("unpublish", _checked(name))
