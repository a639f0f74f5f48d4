# SPDX-License-Identifier: BSD-3-Clause
"""Folders of stand-ins, each for the path of one suite only."""

import pathlib

ARRAY_API = pathlib.Path(__file__).parent / "array_api"
CUPY = pathlib.Path(__file__).parent / "cupy"
NUMPY_TESTS = pathlib.Path(__file__).parent / "numpy_tests"
