# SPDX-License-Identifier: BSD-3-Clause
"""Arrays on the engines as arguments of JAX's functions.

JAX goes by classes. `jax.jit`, `grad`, `vmap` and most of `jax.numpy` take an argument apart into arrays of the classes that they
know, so an array of ours is told to be made of one: JAX's own, as `__jax_array__` gives it. What JAX makes of it in the end is
JAX's array. `jax.numpy.asarray` since JAX 0.12 takes what passes for a `numpy.ndarray` for one, and asks what its value is."""

import numpy

from .._ndarray._class import DistributedArray
from ._imports import when_imported


def _tell_parts(module):
    """For `jax._src.tree_util`."""

    def parts_of(array):
        return (array.__jax_array__(),), None

    def of_parts(_, parts):
        return parts[0]

    register = getattr(module, "register_pytree_node", None)
    if register is not None:
        register(DistributedArray, parts_of, of_parts)


def _tell_value(module):
    """For `jax._src.dtypes`."""
    register = getattr(module, "register_canonicalize_value_handler", None)
    if register is not None:
        register(DistributedArray, lambda array: module.canonicalize_value(numpy.asarray(array)))


when_imported("jax._src.tree_util", _tell_parts)
when_imported("jax._src.dtypes", _tell_value)
