# SPDX-License-Identifier: BSD-3-Clause
"""Commands of the shell in a cell: `!ls`, `%pip install`.

IPython runs them in a pseudo terminal. A bare container or chroot has none (no /dev/pts): there they run behind a pipe.
"""

import codecs
import contextlib
import os
import signal
import subprocess
import sys

from IPython.utils.process import system

_PATIENCE_S = 2.0  # after an interrupt, before the command is killed


def run(command):
    """Run a command; what it writes appears in the cell as it comes.

    Returns
    -------
    int
        The exit code; that of a signal is negative.
    """
    return system(command) if _has_terminals() else _behind_a_pipe(command)


def _has_terminals():
    try:
        ends = os.openpty()
    except OSError:
        return False
    for end in ends:
        os.close(end)
    return True


def _behind_a_pipe(command):
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    with subprocess.Popen(
        ["sh", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    ) as child:
        try:
            while part := child.stdout.read1():
                sys.stdout.write(decode(part))
                sys.stdout.flush()
            sys.stdout.write(decode(b"", True))
            return child.wait()  # it may have closed its output before its end
        except BaseException:
            _end(child)
            raise


def _end(child):
    """All processes of the command, politely at first."""
    for number in (signal.SIGINT, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, number)
        try:
            return child.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            continue
