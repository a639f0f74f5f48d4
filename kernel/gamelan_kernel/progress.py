# SPDX-License-Identifier: BSD-3-Clause
"""The bar under a cell whose engines are busy for more than a second: three updates per second, gone at the end.

What it says is true: operations done of those that the cell has recorded so far, the line that computes, and the time left
where that can be known. It is filled only so far as the whole is known, never goes back and is never full.
"""

import html
import time
import uuid

from . import loops

APPEARS_AFTER_S = 1.0
UPDATE_EVERY_S = 0.33  # front ends draw each one, and some keep each one
PAUSE_S = 0.5  # reports come ten times a second while anybody waits: after a longer gap the engines were idle
WIDTH = 30
SHARE_TO_ESTIMATE = 0.02  # what must have been done before time left is told, and how long that must have taken
SECONDS_TO_ESTIMATE = 2.0
FULLEST = 0.99
PLACE_HOLDS_S = 2.0


class Progress:
    """Driven by gamelan's reports, which come while the main thread waits for the engines."""

    def __init__(self):
        self._shell = None
        self._depth = 0
        self._id = None
        self._busy_since = None
        self._last_report = 0.0
        self._next_update = 0.0

    def begin(self, shell, recorded=0):
        """A cell begins (or a cell inside a cell); `recorded` operations belong to those before it."""
        self._depth += 1
        if self._depth == 1:
            self._shell, self._id, self._busy_since = shell, None, None
            self._before, self._is_all_recorded = recorded, False
            self._done = 0
            self._share = self._first = self._newest = None
            self._place, self._place_until = "", 0.0

    def all_recorded(self):
        """The cell's code has run: what is recorded now is all that will be."""
        if self._depth == 1:
            self._is_all_recorded = True

    def report(self, done, recorded, place=""):
        """Called often: shows the bar when it is due. `done` of `recorded` operations since the engines were connected, and where
        the program has recorded the one that computes."""
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
        total = max(recorded - self._before, 0)
        self._done = max(self._done, min(done - self._before, total))
        turns = None if self._is_all_recorded else self._turns(total)
        self._advance(now, total, turns)
        words = [
            f"turn {int(turns[0]) + 1} of {turns[1]}" if turns else "",
            self._operations(total),
            self._last_place(now, place),
            self._time(now),
        ]
        self._publish(_bundle(self._share, " · ".join(filter(None, words))), update=not is_first)

    def end(self):
        """The cell is over: an output cannot be taken back, but it can be made empty."""
        self._depth -= 1
        if self._depth == 0 and self._id is not None:
            self._publish({"text/plain": "", "text/html": ""}, update=True)
            self._id = None

    def _turns(self, total):
        """(turns computed, turns of the loop, is it all that is left to do?): as many as were recorded, less what is ahead."""
        counted = loops.turns(self._is_cell)
        if counted is None or not total:
            return None
        begun, turns, is_rest = counted
        return min((begun + 1) * self._done / total, begun), turns, is_rest

    def _advance(self, now, total, turns):
        """What is done of the whole, where the whole is known: of the cell's last loop, or of all that it has recorded."""
        if turns and turns[2]:
            share = turns[0] / turns[1]
        elif self._is_all_recorded and total:
            share = self._done / total
        else:
            return
        if self._first is None:
            self._first = now, share
        if share > (self._share or 0.0):
            self._share = min(share, FULLEST)
            self._newest = now, self._share

    def _last_place(self, now, place):
        """The engines say once a second what they compute, and between two batches nothing."""
        if place or now > self._place_until:
            self._place, self._place_until = place, now + PLACE_HOLDS_S
        return self._place

    def _operations(self, total):
        if not total:
            return "engines at work"
        return f"{self._done} of {total} operations done" + ("" if self._is_all_recorded else " so far")

    def _time(self, now):
        elapsed = now - self._busy_since
        text = f"{elapsed:.1f} s"
        if self._newest is None:
            return text
        gained, took = (newest - first for newest, first in zip(reversed(self._newest), reversed(self._first)))
        if gained < SHARE_TO_ESTIMATE or took < SECONDS_TO_ESTIMATE:
            return text
        left = (1 - self._share) * took / gained - (now - self._newest[0])
        return f"{text}, about {_length(left)} left" if left > 0 else text

    def _is_cell(self, file):
        return file in getattr(self._shell.compile, "_filename_map", ())

    def _publish(self, data, update):
        self._shell.display_pub.publish(data, transient={"display_id": self._id}, update=update)


def _length(seconds):
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _bundle(share, note):
    value, bar = "", ""
    if share is not None:
        filled = int(share * WIDTH)
        value, bar = f' value="{share:.3f}" max="1"', f"[{'#' * filled}{'.' * (WIDTH - filled)}] "
    page = f'<progress{value} style="width:20em;vertical-align:middle"></progress> <small>{html.escape(note)}</small>'
    return {"text/plain": bar + note, "text/html": page}
