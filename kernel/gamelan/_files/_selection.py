# SPDX-License-Identifier: BSD-3-Clause
"""Which part of a dataset a subscript of integers, slices and one Ellipsis names: files are read forward, so a slice that
goes backward is turned round when its elements are here."""

import operator
from dataclasses import dataclass

from .._errors import unimplemented


@dataclass
class Selection:
    """Start, step and number of indices per axis of the file; `after` makes of these elements what was asked for."""

    start: list
    step: list
    extents: list
    after: tuple

    def of(self, source):
        """The part of something that has elements here and is read forward: a dataset of h5py, an array of zarr."""
        ends = (
            start + (extent - 1) * step + 1 if extent else start
            for start, step, extent in zip(self.start, self.step, self.extents)
        )
        return source[tuple(map(slice, self.start, ends, self.step))][self.after]


def select(key, shape, what):
    """The Selection of `key` in a dataset of this shape; IndexError as NumPy has it. `what` names the function."""
    keys = list(key) if isinstance(key, tuple) else [key]
    dots = [place for place, each in enumerate(keys) if each is Ellipsis]
    if len(dots) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    if len(keys) - len(dots) > len(shape):
        raise IndexError(
            f"too many indices for array: array is {len(shape)}-dimensional, but {len(keys) - len(dots)} were indexed"
        )
    at = dots[0] if dots else len(keys)
    keys[at : at + 1] = [slice(None)] * (len(shape) - len(keys) + len(dots))
    part = Selection([], [], [], ())
    for axis, (each, extent) in enumerate(zip(keys, shape)):
        if isinstance(each, slice):
            indices = range(*each.indices(extent))
            is_backward = indices.step < 0
            indices = indices[::-1] if is_backward else indices
            _add(part, indices.start, indices.step, len(indices), slice(None, None, -1 if is_backward else None))
            continue
        try:
            index = operator.index(each)
        except TypeError:
            raise unimplemented(
                f"{what} with other subscripts than integers and slices", "read the part that holds them, and take of that"
            ) from None
        if not -extent <= index < extent:
            raise IndexError(f"index {index} is out of bounds for axis {axis} with size {extent}")
        _add(part, index % extent, 1, 1, 0)
    return part


def _add(part, start, step, extent, after):
    part.start.append(start if extent else 0)
    part.step.append(step if extent > 1 else 1)
    part.extents.append(extent)
    part.after += (after,)
