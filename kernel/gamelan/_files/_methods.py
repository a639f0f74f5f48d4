# SPDX-License-Identifier: BSD-3-Clause
"""The part of ndarray that becomes bytes and files. A base of DistributedArray, of no use by itself."""

import pickle

from .. import _core
from . import _raw
from ._pieces import here
from ._places import is_path
from ._replacing import Replacement


class Files(_core.Array):
    """ndarray as bytes."""

    __slots__ = ()

    def tofile(self, fid, sep="", format="%s"):
        """Write the elements to a file, in C order and without a header.

        Triggers evaluation. The engines write a large array, each its own part, as in `save`. Text (with `sep`) is written by
        the notebook's process: at most `config.gather_limit` elements.
        """
        if self._b is None:
            self._a.tofile(fid, sep, format)
        else:
            _raw.tofile(self, fid, sep, format)

    def tobytes(self, order="C"):
        """The elements as bytes.

        Triggers evaluation. At most `config.gather_limit` elements.
        """
        return here(self).tobytes(order)

    def dumps(self):
        """The array as a pickle of a NumPy array.

        Triggers evaluation. At most `config.gather_limit` elements.
        """
        return here(self).dumps()

    def dump(self, file):
        """Write a pickle of a NumPy array to a file.

        Triggers evaluation. At most `config.gather_limit` elements. The file appears as by `save`.
        """
        data = here(self)
        if not is_path(file):
            data.dump(file)
            return
        with Replacement(file) as target:
            pickle.dump(data, target.file, protocol=2)
