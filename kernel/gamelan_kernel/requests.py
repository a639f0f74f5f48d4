# SPDX-License-Identifier: BSD-3-Clause
"""The requests of the Jupyter protocol, one function each, as the C++ side calls them. Replies are JSON text."""

import atexit
import json
import sys
import time

from IPython.core.completer import provisionalcompleter, rectify_completions
from IPython.utils.tokenutil import token_at_cursor

from . import completion, namespace
from .application import start as start_application
from .jsontext import encode

shell = None


def start():
    global shell
    shell = start_application()


def when_idle():
    """Nothing has been asked for a while: a good time for what can wait."""
    shell.history_manager.writeout_cache()


def close():
    """The end: as at the exit of any Python, without waiting for threads that a notebook has left behind."""
    atexit._run_exitfuncs()


def execute(code, silent, store_history, user_expressions):
    shell.last_traceback = ()
    shell.is_interrupted_early = namespace.before_cell()
    label = shell.execution_count if store_history and not silent else None
    started = time.perf_counter()
    result = shell.run_cell(code, store_history=store_history, silent=silent)
    error = result.error_before_exec or result.error_in_exec
    namespace.offer_after(error)
    namespace.after_cell(shell, time.perf_counter() - started, label)
    for stream in (sys.__stdout__, sys.__stderr__, sys.stdout, sys.stderr):
        stream.flush()
    reply = {"status": "ok", "user_expressions": {}}
    if error is None:
        reply["user_expressions"] = shell.user_expressions(json.loads(user_expressions))
    else:
        reply.update(
            status="error",
            ename=type(error).__name__,
            evalue=str(error),
            traceback=list(shell.last_traceback),
        )
    reply["payload"] = shell.payload_manager.read_payload()
    shell.payload_manager.clear_payload()
    reply["next_count"] = shell.execution_count
    return encode(reply)


def complete(code, cursor):
    cursor = len(code) if cursor < 0 else cursor
    ours = completion.matches(code, cursor, shell.user_ns)
    if ours is not None:
        start, end, found = ours[0], cursor, ours[1]
    else:
        with provisionalcompleter():
            theirs = list(rectify_completions(code, shell.Completer.completions(code, cursor)))
        start, end = (theirs[0].start, theirs[0].end) if theirs else (cursor, cursor)
        found = [(each.text, each.type) for each in theirs]
    types = [{"start": start, "end": end, "text": text, "type": kind} for text, kind in found]
    return encode(
        {
            "status": "ok",
            "matches": [text for text, _ in found],
            "cursor_start": start,
            "cursor_end": end,
            "metadata": {"_jupyter_types_experimental": types},
        }
    )


def inspect(code, cursor, detail_level):
    name = token_at_cursor(code, len(code) if cursor < 0 else cursor)
    try:
        data = shell.object_inspect_mime(name, detail_level=detail_level)
    except KeyError:
        return encode({"status": "ok", "found": False, "data": {}, "metadata": {}})
    if not shell.enable_html_pager:
        data.pop("text/html", None)
    return encode({"status": "ok", "found": True, "data": data, "metadata": {}})


def is_complete(code):
    status, indent = shell.check_complete(code)
    return encode({"status": status, "indent": indent or ""} if status == "incomplete" else {"status": status})


def history_tail(count, raw, output):
    return _history(shell.history_manager.get_tail(count, raw=raw, output=output, include_latest=True))


def history_range(session, start, stop, raw, output):
    # IPython keeps the current session's lines in memory under the number 0, but says 0 in the answer.
    current = shell.history_manager.session_number
    lines = shell.history_manager.get_range(session, start, stop, raw=raw, output=output)
    return _history((number or current, line, text) for number, line, text in lines)


def history_search(pattern, raw, output, count, unique):
    manager = shell.history_manager
    return _history(manager.search(pattern, raw=raw, output=output, n=count, unique=unique))


def _history(lines):
    return encode({"status": "ok", "history": list(lines)})
