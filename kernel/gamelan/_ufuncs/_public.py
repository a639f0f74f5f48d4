# SPDX-License-Identifier: BSD-3-Clause
"""The universal functions under their public names, which the catalogue takes from here."""

from ._objects import PUBLIC

globals().update(PUBLIC)
__all__ = sorted(PUBLIC)
