# SPDX-License-Identifier: BSD-3-Clause
"""The bar under a cell whose engines are busy for more than a second: at most ten updates per second, gone at the end."""

import html
import time
import uuid

APPEARS_AFTER_S = 1.0
UPDATE_EVERY_S = 0.1
PAUSE_S = 0.5  # reports come ten times a second while anybody waits: after a longer gap the engines were idle
WIDTH = 30


class Progress:
    """Driven by gamelan's reports, which come while the main thread waits for the engines."""

    def __init__(self):
        self._shell = None
        self._depth = 0
        self._id = None
        self._busy_since = None
        self._last_report = 0.0
        self._next_update = 0.0

    def begin(self, shell):
        """A cell begins (or a cell inside a cell)."""
        self._depth += 1
        if self._depth == 1:
            self._shell, self._id, self._busy_since = shell, None, None

    def report(self, *known):
        """Called often: shows the bar when it is due. With ``(done, total, text)``, or just ``(seconds waited)``."""
        now = time.monotonic()
        if self._busy_since is None or now - self._last_report > PAUSE_S:
            self._busy_since = now
        self._last_report = now
        if self._depth == 0 or now - self._busy_since < APPEARS_AFTER_S or now < self._next_update:
            return
        self._next_update = now + UPDATE_EVERY_S
        is_first = self._id is None
        if is_first:
            self._id = uuid.uuid4().hex
        self._publish(_bundle(now - self._busy_since, *(known if len(known) > 1 else ())), update=not is_first)

    def end(self):
        """The cell is over: an output cannot be taken back, but it can be made empty."""
        self._depth -= 1
        if self._depth == 0 and self._id is not None:
            self._publish({"text/plain": "", "text/html": ""}, update=True)
            self._id = None

    def _publish(self, data, update):
        self._shell.display_pub.publish(data, transient={"display_id": self._id}, update=update)


def _bundle(seconds, done=None, total=None, text=""):
    note = f"{text or 'engines at work'} · {seconds:.1f} s"
    value, bar = "", ""
    if total:
        share = min(max(done / total, 0.0), 1.0)
        filled = round(share * WIDTH)
        note = f"{done}/{total} · {note}"
        value, bar = f' value="{share:.3f}" max="1"', f"[{'#' * filled}{'.' * (WIDTH - filled)}] "
    page = f'<progress{value} style="width:20em;vertical-align:middle"></progress> <small>{html.escape(note)}</small>'
    return {"text/plain": bar + note, "text/html": page}
