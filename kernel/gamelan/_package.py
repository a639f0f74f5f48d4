# SPDX-License-Identifier: BSD-3-Clause
"""The package as users see it, for those below its top that find a function by its name: NumPy's protocols and
apply_along_axis. The top puts itself here at the end of the import."""

public = None
