# SPDX-License-Identifier: BSD-3-Clause
"""np.broadcast: what a broadcast of arrays is like. It says the shape; the elements of distributed arrays are not gone through."""
import math

import numpy

from .._creation import asarray
from .._errors import unimplemented
from .._local import has_distributed, unwrap


class broadcast:
    """The shape that arrays have together. See `numpy.broadcast`; of arrays that are here it is NumPy's own object.

    Examples
    --------
    >>> import gamelan as np
    >>> np.broadcast([1, 2, 3], [[4], [5]]).shape
    (2, 3)
    """

    def __new__(cls, *args):
        if not has_distributed(args):
            return numpy.broadcast(*map(unwrap, args))
        return super().__new__(cls)

    def __init__(self, *args):
        self._arrays = [asarray(each) for each in args]
        self.shape = numpy.broadcast_shapes(*(each.shape for each in self._arrays))
        self.nd = self.ndim = len(self.shape)
        self.size, self.numiter, self.index = math.prod(self.shape), len(self._arrays), 0

    def __iter__(self):
        raise unimplemented("iter(broadcast)", "np.broadcast_arrays gives arrays to compute with")

    def reset(self):
        """Nothing: there is no iteration."""
