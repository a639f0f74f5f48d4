# SPDX-License-Identifier: BSD-3-Clause
"""What the engines would do for what is recorded: the plan in words, before anything of it runs."""

import json

from . import _core
from ._launch._tables import size
from ._places import place

__all__ = ["explain"]


class Plan(str):
    """The text of a plan: a cell that ends in one shows its lines."""

    __slots__ = ()

    def __repr__(self):
        return str(self)


def explain(x=None):
    """The plan of the engines for what is recorded and not yet computed, and the memory that it needs.

    Computes nothing.

    Parameters
    ----------
    x : ndarray, optional
        A distributed array whose pending commands are part of the plan. By default all that is recorded.

    Returns
    -------
    str
        A line on memory (of one rank: what the arrays need at once, what is in use now, the size of its heap, and how much the
        steps read and write), or, for a plan that does not fit, which operation does not; then the lines of the plan. A
        sentence where nothing is to be computed, as for a small array.

    Raises
    ------
    EngineLostError
        If the engines are gone.

    Notes
    -----
    The figures are of the rank that has most. Buffers for messages and the work memory of libraries are not in them.

    Examples
    --------
    >>> import gamelan as np
    >>> isinstance(np.explain(np.ones(3)), str)
    True
    """
    if x is not None and getattr(x, "_b", None) is None:
        return Plan("a local array: NumPy has computed it already")
    try:
        text = _core.explain([] if x is None else [x])
    except MemoryError as error:  # of this array, in an earlier line: it was told there
        return Plan(f"was not computed: {str(error).removeprefix('[memory] ')}")
    try:
        answer = json.loads(text)
    except ValueError:
        return Plan(text)
    if not answer.get("plan"):
        return Plan("nothing is recorded that is not computed yet")
    return Plan("\n".join([*_needs(answer.get("needs")), answer["plan"]]))


def _needs(needs):
    """Lines on memory."""
    if needs is None:
        return
    steps = "1 step reads and writes" if needs["steps"] == 1 else f"{needs['steps']} steps read and write"
    held = f"{size(needs['in_use'])} now, {size(needs['capacity'])} in all"
    if needs["refusal"]:
        where = place(needs.get("file"), needs.get("line"))
        yield f"does not fit{where and f' ({where})'}: {needs['refusal'].removeprefix('[memory] ')}"
    else:
        yield f"memory of a rank: {size(needs['peak'])} at most ({held}); {steps} {size(needs['traffic'])}"
