# SPDX-License-Identifier: BSD-3-Clause
"""Text files are small: NumPy reads and writes them in the notebook, and what comes out large goes to the engines."""

import functools
import inspect

import numpy

from .._local import gathered, has_own_class
from ._pieces import adopt

__all__ = ["genfromtxt", "loadtxt", "savetxt"]


def _adopted(value):
    if type(value) is list:
        return list(map(_adopted, value))
    return value if has_own_class(value) else adopt(value)  # a masked array is NumPy's


def _reader(theirs):
    @functools.wraps(theirs, updated=())
    def function(fname, *arguments, **keywords):
        return _adopted(theirs(fname, *map(gathered, arguments), **{key: gathered(value) for key, value in keywords.items()}))

    name = theirs.__name__
    function.__module__ = "gamelan"
    function.__doc__ = f"""An array from a file of text.

    NumPy reads the text in the notebook's process, which needs no evaluation. A large result is copied to the engines.

    Examples
    --------
    >>> import gamelan as np, io
    >>> np.{name}(io.StringIO("1 2\\n3 4")).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    return function


loadtxt = _reader(numpy.loadtxt)
genfromtxt = _reader(numpy.genfromtxt)


def savetxt(fname, X, *arguments, **keywords):
    """Write an array as text.

    Triggers evaluation. The notebook's process writes: at most `config.gather_limit` elements.

    Examples
    --------
    >>> import gamelan as np, io
    >>> text = io.StringIO()
    >>> np.savetxt(text, np.arange(3), fmt="%d")
    >>> text.getvalue().split()
    ['0', '1', '2']
    """
    numpy.savetxt(fname, gathered(X), *arguments, **keywords)


savetxt.__signature__ = inspect.signature(numpy.savetxt)
