# SPDX-License-Identifier: BSD-3-Clause
"""What the kernel adds to ``gamelan`` in a notebook: the flush at the end of a cell, and the progress bar.

Nothing here imports gamelan. It is looked up among the loaded modules, and hooked at the moment the user imports it.
"""

import contextlib
import importlib.util
import os
import re
import sys

import IPython

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


def end_of_code(after=None):
    """The code of a cell has run: runs what it has recorded, as `flush` does."""
    _progress.all_recorded()
    return flush(after)


def flush(after=None):
    """Run what the cell has recorded and wait for it; the error it ended in, if any.

    After an interrupt nobody wants to wait: what does not finish at once is cancelled.
    """
    session = sys.modules.get(SESSION)
    if session is None or not hasattr(session, "flush_cell"):
        return None
    if isinstance(after, KeyboardInterrupt):
        session.stop_soon()
        return None
    try:
        session.flush_cell()
    except BaseException as error:  # an interrupt, too, is how the cell ended
        return _at_its_line(error)
    return None


def timing(turns):
    """A context in which the engines compute also what nobody reads."""
    session = sys.modules.get(SESSION)
    return session.timing(turns) if hasattr(session, "timing") else contextlib.nullcontext()


def where(value):
    """Where the elements of an array of gamelan's lie, to follow what else is said of it; empty for other objects."""
    core = sys.modules.get("gamelan._core")
    if core is None or not isinstance(value, core.Array):
        return ""
    if value._b is None:
        return ", here"
    if value._b.is_lost:
        return ", lost with its engines"
    count = core.ranks() or 1
    return f", on {count} engine{'s' if count > 1 else ''}"


def _at_its_line(error):
    """The error with a traceback that shows the user's line that recorded the failed command, not our flush."""
    file, line = _recorded_at(error)
    if file:
        try:
            exec(compile("\n" * (line - 1) + "raise error", file, "exec"), {"error": error.with_traceback(None)})
        except BaseException as raised:
            return raised.with_traceback(raised.__traceback__.tb_next)
    return error.with_traceback(_without(error.__traceback__, __file__))


def _recorded_at(error):
    """File and line of the command at fault, by attributes or by the end of the message."""
    file, line = getattr(error, "file", None), getattr(error, "line", None)
    if not isinstance(file, str):
        said = re.search(r"\(recorded at (.+):(\d+)\)$", str(error))
        file, line = said.groups() if said else (None, 0)
    return (file, int(line)) if file and int(line or 0) > 0 else (None, 0)


def end_at_the_users_line(error, traceback):
    """Cuts the frames of gamelan and of IPython off a traceback where the message says all: they are no news to the user.

    Only of errors that are never a defect of theirs: engines lost, a singular matrix, something not implemented, no memory,
    a name that there is not.
    """
    gamelan = sys.modules.get("gamelan")
    if isinstance(error, ImportError) and error.name == "gamelan":  # it has said why, and is not there
        _cut(traceback, os.path.join(os.path.dirname(os.path.dirname(__file__)), "gamelan"))
    if traceback is None or not hasattr(gamelan, "GamelanError") or isinstance(error, gamelan.InternalError):
        return
    if not isinstance(error, (gamelan.GamelanError, NotImplementedError, MemoryError)) and not _is_told_by_name(error):
        return
    _cut(traceback, gamelan.__path__[0])


def _cut(traceback, package):
    inside = (package, os.path.dirname(IPython.__file__), "<frozen importlib")
    last, each = traceback, traceback
    while each is not None:
        if not each.tb_frame.f_code.co_filename.startswith(inside):
            last = each
        each = each.tb_next
    if last is not None:
        last.tb_next = None


def _is_told_by_name(error):
    """A singular matrix, or a name that a module of gamelan does not have."""
    return type(error).__name__ == "LinAlgError" or (
        isinstance(error, AttributeError) and str(getattr(error, "module", "")).startswith("gamelan")
    )


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
