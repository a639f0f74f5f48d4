# SPDX-License-Identifier: BSD-3-Clause
"""One line that changes while something is waited for: in a notebook, in a terminal, in a log file.

Called with each new state of the wait; `end` takes the line away where that can be. Used by cli.py and _magics.py.
"""

from __future__ import annotations

import secrets
import sys
import time


class TerminalLine:
    """Rewrites one line of a terminal; where stderr is a file or a pipe, a line per state, with the time."""

    def __init__(self, stream=None):
        self._stream = stream or sys.stderr
        self._is_terminal = self._stream.isatty()

    def __call__(self, line: str) -> None:
        told = f"{time.strftime('%H:%M:%S')} {line}"
        self._stream.write(f"\r\x1b[K{told}" if self._is_terminal else f"{told}\n")
        self._stream.flush()

    def end(self) -> None:
        if self._is_terminal:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


class NotebookLine:
    """One output of a cell, replaced in place; gone at the end. In a terminal's IPython it is a line per state."""

    def __init__(self):
        from IPython import get_ipython

        shell = get_ipython()
        self._publisher = getattr(shell, "display_pub", None) if getattr(shell, "kernel", None) is not None else None
        self._id = secrets.token_hex(16)
        self._is_shown = False

    def __call__(self, line: str) -> None:
        if self._publisher is None:
            print(line, flush=True)
            return
        self._publish(line)

    def end(self) -> None:
        if self._publisher is not None and self._is_shown:
            self._publish("")  # an output cannot be taken back, but it can be made empty

    def _publish(self, text: str) -> None:
        self._publisher.publish({"text/plain": text}, transient={"display_id": self._id}, update=self._is_shown)
        self._is_shown = True
