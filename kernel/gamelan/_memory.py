# SPDX-License-Identifier: BSD-3-Clause
"""Whether two arrays look at the same memory: of small arrays NumPy's answer, of distributed ones that of their views'
arithmetic. Nothing is read."""

import numpy

from ._local import is_distributed, unwrap

__all__ = ["may_share_memory", "shares_memory"]


def _ask(question, a, b, max_work):
    if not is_distributed(a) and not is_distributed(b):
        return question(unwrap(a), unwrap(b), max_work)
    if not (is_distributed(a) and is_distributed(b)) or a._b != b._b:
        return False
    return question(a._a, b._a, max_work)


def shares_memory(a, b, max_work=None):
    """True when two arrays have an element in common.

    Needs no evaluation.

    Examples
    --------
    >>> import gamelan as np
    >>> x = np.zeros(3)
    >>> np.shares_memory(x, x[1:]), np.shares_memory(x, x.copy())
    (True, False)
    """
    return _ask(numpy.shares_memory, a, b, max_work)


def may_share_memory(a, b, max_work=None):
    """True when the bounds of the memory of two arrays overlap.

    Needs no evaluation. Also true for a distributed array and a read-only NumPy array of its shape, such as `numpy.asarray`
    makes of it: who asks (scikit-learn does) copies what he is going to write to.

    Examples
    --------
    >>> import gamelan as np
    >>> x = np.zeros(4)
    >>> np.may_share_memory(x[::2], x[1::2]), np.may_share_memory(x[:1], x[2:])
    (True, False)
    """
    if is_distributed(a) != is_distributed(b):
        large, other = (a, b) if is_distributed(a) else (b, a)
        return isinstance(other, numpy.ndarray) and not other.flags.writeable and other.shape == large.shape
    return _ask(numpy.may_share_memory, a, b, max_work)
