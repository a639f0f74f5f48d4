# SPDX-License-Identifier: BSD-3-Clause
"""What a traceback in the notebook shows: the user's lines and the exception. Frames of gamelan, with those of NumPy and IPython
around them, are no news to the user; of an error that may be a defect of gamelan they stay.

Nothing here imports gamelan. Called by the shell (shell.py) and at the end of a cell (engines.py).
"""

import dis
import os
import sys
import types

_HERE = os.path.dirname(os.path.abspath(__file__))
# Classes that tell of a defect where nobody has raised them by a statement.
_SLIPS = (AttributeError, KeyError, NameError, RecursionError, SystemError)


def at_line(error, file, line):
    """The error with a traceback of one frame: that line."""
    try:
        exec(compile("\n" * (line - 1) + "raise error", file, "exec"), {"error": error.with_traceback(None)})
    except BaseException as raised:
        return raised.with_traceback(raised.__traceback__.tb_next)


def line_in(file, error):
    """The outermost line of a file that an error came through; None where there is none."""
    lines = (entry.tb_lineno for entry in _entries(error and error.__traceback__) if entry.tb_frame.f_code.co_filename == file)
    return next(lines, None)


def is_of_a_display(error):
    """True for an error in the text or picture of an array of gamelan's: IPython has caught it, to show it and go on."""
    frames = _frames(error.__traceback__)
    return any(frame.f_code.co_name == "catch_format_error" for frame in frames) and any(map(_is_ours, frames))


def of_the_user(error, traceback):
    """The traceback of an error without the frames that are no news, its head unless that is one of them; the error's own and
    those of its causes are cut as well."""
    if traceback is None or _may_be_a_defect(error, traceback):
        return traceback
    frames = _frames(traceback)
    head = _cut(traceback)
    if head is not None and any(map(_is_ours, frames)) and not any(map(_is_the_users, frames)):
        head.tb_next = _asking_lines()  # an error of what IPython displays: IPython has caught it
    error.__traceback__ = head
    _cut_causes(error)
    return head


def _package():
    """The folders of gamelan: beside this one, or where it was imported from."""
    imported = getattr(sys.modules.get("gamelan"), "__path__", None) or [os.path.join(os.path.dirname(_HERE), "gamelan")]
    return tuple(os.path.join(folder, "") for folder in (*imported, _HERE))


def _is_ours(frame):
    return frame.f_code.co_filename.startswith(_package())


def _is_the_users(frame):
    file = frame.f_code.co_filename
    modules = [sys.modules[name].__file__ for name in ("contextlib", "decorator") if name in sys.modules]
    packages = [
        os.path.join(os.path.dirname(sys.modules[name].__file__), "") for name in ("numpy", "IPython") if name in sys.modules
    ]
    around = (*modules, *packages, "<frozen importlib", "<__array_function__ internals>")
    is_cython = file.endswith(".pyx") and not os.path.isabs(file)  # as in NumPy's packages
    return not _is_ours(frame) and not is_cython and not file.startswith(around)


def _entries(traceback):
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _frames(traceback):
    return [entry.tb_frame for entry in _entries(traceback)]


def _may_be_a_defect(error, traceback):
    """True for what gamelan itself calls a defect, and for what Python has raised of itself in a line of gamelan's."""
    if isinstance(error, getattr(sys.modules.get("gamelan"), "InternalError", ())):
        return True
    *_, last = _entries(traceback)
    if not _is_ours(last.tb_frame):
        return False
    code = last.tb_frame.f_code.co_code
    is_statement = code[last.tb_lasti] == dis.opmap["RAISE_VARARGS"]
    return isinstance(error, AssertionError) or isinstance(error, _SLIPS) and not is_statement


def _cut(traceback):
    """The traceback without the runs of frames, between the user's, that have one of gamelan's; its first entry stays if it is
    IPython's, which does not show it."""
    kept, run = [], []
    for entry in _entries(traceback):
        if _is_the_users(entry.tb_frame):
            kept += _worth_showing(run, traceback)
            kept.append(entry)
            run = []
        else:
            run.append(entry)
    kept += _worth_showing(run, traceback)
    for entry, following in zip(kept, [*kept[1:], None]):
        entry.tb_next = following
    return kept[0] if kept else None


def _worth_showing(run, head):
    if not any(_is_ours(entry.tb_frame) for entry in run):
        return run
    return run[:1] if run[0] is head and not _is_ours(head.tb_frame) else []


def _asking_lines():
    """The lines of the user that run now, as entries of a traceback."""
    frame, entries = sys._getframe(), None
    while frame is not None:
        if _is_the_users(frame):
            entries = types.TracebackType(entries, frame, frame.f_lasti, frame.f_lineno)
        frame = frame.f_back
    return entries


def _cut_causes(error):
    """What was raised on the way is gamelan's own affair unless a line of the user's, or a `from`, has part in it."""
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        context = None if error.__suppress_context__ else error.__context__
        cause = context if error.__cause__ is None else error.__cause__
        if cause is not None and cause.__traceback__ is not None and not _may_be_a_defect(cause, cause.__traceback__):
            before = _frames(cause.__traceback__)
            cause.__traceback__ = _cut(cause.__traceback__)
            if cause is not error.__cause__ and any(map(_is_ours, before)) and not any(map(_is_the_users, before)):
                error.__suppress_context__ = True
        error = cause
