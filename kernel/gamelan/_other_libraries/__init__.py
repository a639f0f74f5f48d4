# SPDX-License-Identifier: BSD-3-Clause
"""What other libraries must be told, because they look at classes and modules and ask no protocol. Each module here says why, and
leaves a library that it does not know as it is."""

from . import _array_api_compat, _jax, _json, _numba, _sklearn
