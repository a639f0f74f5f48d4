# SPDX-License-Identifier: BSD-3-Clause
"""What CuPy's tests take of cupy.testing, written from how they use it: decorators that run a test for many dtypes
(loops.py), on NumPy and on the module under test, and compare (compare.py); arrays to test with (arrays.py); tests that are
classes (cases.py)."""

from .arrays import *  # noqa: F403
from .cases import *  # noqa: F403
from .compare import *  # noqa: F403
from .loops import *  # noqa: F403
