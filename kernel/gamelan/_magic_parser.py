# SPDX-License-Identifier: BSD-3-Clause
"""The words of a magic's line: argparse, whose errors end the cell and not the process."""

from __future__ import annotations

import argparse

from IPython.core.error import UsageError


class MagicParser(argparse.ArgumentParser):
    """Errors are the cell's, not the process's, end."""

    def error(self, message: str):
        raise UsageError(f"{self.prog}: {message}")

    def exit(self, status: int = 0, message: str | None = None):
        raise Finished


class Finished(Exception):
    """--help was printed."""
