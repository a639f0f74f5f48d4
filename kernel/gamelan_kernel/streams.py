# SPDX-License-Identifier: BSD-3-Clause
"""sys.stdout and sys.stderr of the notebook: real text streams whose writes are joined by the C++ side."""

import io

import _gamelan_kernel as front_end


class Stream(io.TextIOBase):
    """Text goes to the running cell. Has a descriptor (1 or 2), which leads to the same place."""

    encoding = "utf-8"
    errors = "replace"
    mode = "w"

    def __init__(self, name):
        self._name = name
        self.name = f"<{name}>"
        self.buffer = _Bytes(self, name)

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        front_end.write(self._name, text.encode("utf-8", "replace"))
        return len(text)

    def flush(self):
        front_end.flush()

    def writable(self):
        return True

    def isatty(self):
        return False

    def fileno(self):
        return 1 if self._name == "stdout" else 2

    def close(self):
        """Does nothing: the stream outlives whoever was lent it."""


class _Bytes(io.RawIOBase):
    """What ``sys.stdout.buffer.write`` needs."""

    def __init__(self, text, name):
        self._text = text
        self._name = name

    def write(self, data):
        data = bytes(data)
        front_end.write(self._name, data)
        return len(data)

    def flush(self):
        self._text.flush()

    def writable(self):
        return True

    def fileno(self):
        return self._text.fileno()

    def close(self):
        """Does nothing: see Stream.close."""
