# SPDX-License-Identifier: BSD-3-Clause
"""Sessions in folders: the variables of a program, distributed arrays included, saved and loaded again. `_saving` and
`_loading` are the two ways; `_trust` says what may be loaded, `_pickling` how values are kept, `_arrays` where elements lie.
For the kernel, `_notebook` keeps the values of a running notebook: `_keeping` makes snapshots, `_generations` has folders."""

from . import _notebook as _notebook
