# SPDX-License-Identifier: BSD-3-Clause
"""Methods of universal functions: they fold, and change what indices name, so they stand above both. Importing this gives
them to all universal functions (_methods)."""

from . import _methods
