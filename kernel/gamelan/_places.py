# SPDX-License-Identifier: BSD-3-Clause
"""Where a line of the program stands, in the words of messages: `In [6], line 2` of a notebook, `model.py, line 12` of a
file. Reads what IPython has noted of its cells; imports nothing."""

import os
import sys


def place(file, line):
    """The place in words; empty where it is unknown."""
    if not file or not line:
        return ""
    number = _cell(file)
    return f"In [{number}], line {line}" if number else f"{os.path.basename(file)}, line {line}"


def _cell(file):
    """The number of the cell that IPython compiled under this name; None for a file."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if hasattr(ipython, "get_ipython") else None
    numbers = getattr(getattr(shell, "compile", None), "_filename_map", {})
    return numbers.get(file)
