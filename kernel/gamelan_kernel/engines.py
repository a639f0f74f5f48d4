# SPDX-License-Identifier: BSD-3-Clause
"""What the kernel adds to ``gamelan`` in a notebook: the flush at the end of a cell, and the progress bar.

Nothing here imports gamelan. It is looked up among the loaded modules, and hooked at the moment the user imports it.
"""

import contextlib
import importlib.util
import re
import sys

from . import tracebacks
from .progress import Progress

SESSION = "gamelan._session"
_progress = Progress()


@contextlib.contextmanager
def cell(shell):
    """The time of one cell: a progress bar that appears in it is gone after it."""
    session = sys.modules.get(SESSION)
    _progress.begin(shell, session.recorded_count() if hasattr(session, "recorded_count") else 0)
    try:
        yield
    finally:
        _progress.end()


def end_of_code(after=None, last_line=(None, 0)):
    """The code of a cell has run: runs what it has recorded, as `flush` does."""
    _progress.all_recorded()
    return flush(after, last_line)


def flush(after=None, last_line=(None, 0)):
    """Run what the cell has recorded and wait for it; the error it ended in, if any, at the line that it is of, or else at the
    last line (file and number) that has run.

    After an interrupt nobody waits: it runs behind the cell, and the next one waits for its turn.
    """
    session = sys.modules.get(SESSION)
    if session is None or not hasattr(session, "flush_cell"):
        return None
    if isinstance(after, KeyboardInterrupt):
        session.end_interrupted()
        return None
    try:
        session.flush_cell()
    except BaseException as error:  # an interrupt, too, is how the cell ended
        return _at_its_line(error, last_line)
    return None


def timing(turns):
    """A context in which the engines compute also what nobody reads."""
    session = sys.modules.get(SESSION)
    return session.timing(turns) if hasattr(session, "timing") else contextlib.nullcontext()


def where(value):
    """Where the elements of an array of gamelan's lie, to follow what else is said of it; empty for other objects."""
    core = sys.modules.get("gamelan._core")
    if core is None or not core.is_ours(value):
        return ""
    if value._b is None:
        return ", here"
    if value._b.is_lost:
        return ", lost"
    if value._b.is_failed:
        return ", not computed"
    count = core.ranks() or 1
    return f", on {count} engine{'s' if count > 1 else ''}"


def _at_its_line(error, last_line):
    """The error with a traceback that shows the user's line that recorded the failed command, not our flush."""
    file, line = _recorded_at(error)
    if not file:
        file, line = last_line
    return tracebacks.at_line(error, file, line) if file else error.with_traceback(_without(error.__traceback__, __file__))


def _recorded_at(error):
    """File and line of the command at fault, by attributes or by the end of the message."""
    file, line = getattr(error, "file", None), getattr(error, "line", None)
    if not isinstance(file, str):
        said = re.search(r"\(recorded at (.+):(\d+)\)$", str(error))
        file, line = said.groups() if said else (None, 0)
    return (file, int(line)) if file and int(line or 0) > 0 else (None, 0)


def _without(traceback, file):
    while traceback is not None and traceback.tb_frame.f_code.co_filename == file:
        traceback = traceback.tb_next
    return traceback


class _AfterImport:
    """A finder that finds nothing: it adds a step to the import of gamelan._session."""

    def find_spec(self, name, path=None, target=None):
        if name != SESSION:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_attach(module):
                load(module)
                if hasattr(module, "on_progress"):
                    module.on_progress(_progress.report)

            spec.loader.exec_module = load_and_attach
        return spec


def watch_import():
    """From now on an import of gamelan connects its progress to the notebook."""
    sys.meta_path.insert(0, _AfterImport())
