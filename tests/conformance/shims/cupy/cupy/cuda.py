# SPDX-License-Identifier: BSD-3-Clause
"""What CuPy's tests look at to know the machine: not a HIP one. The rest is not there."""
from types import SimpleNamespace

import numpy

runtime = SimpleNamespace(is_hip=False, CUDARuntimeError=RuntimeError)
driver = SimpleNamespace()
memory = SimpleNamespace(OutOfMemoryError=MemoryError)
ndarray = numpy.ndarray
