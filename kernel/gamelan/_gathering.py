# SPDX-License-Identifier: BSD-3-Clause
"""Elements of distributed arrays brought here whole, if `config.gather_limit` allows it. A hook of `_core`, and what every
floor above calls that must see the elements; a number alone is `_core.value`."""

from . import _core
from ._config import config


def copy_here(array):
    """The elements of a distributed array as a NumPy array that nobody else holds."""
    if array.size > config.gather_limit:
        raise ValueError(
            f"gamelan: this would bring {array.size} elements ({array.nbytes} bytes) to the notebook, more than "
            f"np.config.gather_limit = {config.gather_limit}; reduce it on the engines first, or raise the limit"
        )
    (data,) = _core.fetch([array])
    return data


def here(array):
    """The elements as a NumPy array: the data of a local array, a read-only copy of a distributed one."""
    if array._b is None:
        return array._a
    data = copy_here(array)
    data.flags.writeable = False
    return data


_core.set_gather_hook(here)
