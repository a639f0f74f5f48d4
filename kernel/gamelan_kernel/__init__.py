# SPDX-License-Identifier: BSD-3-Clause
"""IPython inside the Gamelan kernel: the part of the kernel that is Python.

The C++ side (kernel/front/interpreter.cpp) calls :mod:`gamelan_kernel.requests`; what goes back to the front end goes
through the built-in module ``_gamelan_kernel`` (kernel/front/python_io.cpp). Importing this loads nothing of ``gamelan``.
"""
