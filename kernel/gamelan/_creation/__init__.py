# SPDX-License-Identifier: BSD-3-Clause
"""New arrays: from a shape, from a rule, from data. Arrays of at least `config.distribute_from` elements live on the
engines from the start; their elements are made there. Importing this gives `_core` its way from any object to an array."""

from . import _coercion
