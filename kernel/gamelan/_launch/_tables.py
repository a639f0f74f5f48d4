# SPDX-License-Identifier: BSD-3-Clause
"""How a session looks to a person: one line in a list, a table of its ranks as text and as HTML.

Used by the command line and by %engines. Pure: dictionaries in, text out.
"""

from __future__ import annotations

import html
import time


def size(count: float | None) -> str:
    """Bytes as people read them."""
    if count is None:
        return ""
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if abs(count) < 1024 or unit == "TiB":
            return f"{count:.0f} {unit}" if abs(count) >= 100 or unit == "B" else f"{count:.3g} {unit}"
        count /= 1024
    return ""


def age(started: float | None) -> str:
    if not started:
        return ""
    return duration(time.time() - started)


def duration(seconds: float) -> str:
    """A length of time as people say it."""
    seconds = max(0, int(seconds))
    if seconds < 120:
        return f"{seconds} s"
    return f"{seconds // 60} min" if seconds < 7200 else f"{seconds // 3600} h {seconds % 3600 // 60} min"


def columns(rows: list[list[str]]) -> str:
    """Rows of texts as aligned columns; the first row is the heading."""
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in rows)


def session_rows(sessions: list[dict]) -> list[list[str]]:
    rows = [["SESSION", "STATE", "RANKS", "BY", "HOST", "AGE", "CONNECTION FILE"]]
    for each in sessions:
        by = f"slurm {each['slurm_job_id']}" if each["launcher"] == "slurm" else each["launcher"]
        rows.append(
            [each["session"], each["state"], str(each["ranks"]), by, each["host"], age(each["started"]), each["connection_file"]]
        )
    return rows


_STATES = {"R": "computing", "S": "idle", "D": "waiting for the system", "T": "stopped", "Z": "dead"}


def rank_rows(session: dict) -> list[list[str]]:
    rows = [["RANK", "PID", "STATE", "CPU TIME", "MEMORY"]]
    for each in session["processes"]:
        rows.append(
            [
                str(each["rank"]),
                str(each["pid"]),
                _STATES.get(each["state"], each["state"]),
                f"{each['cpu_seconds']:.1f} s",
                size(each["resident_bytes"]),
            ]
        )
    return rows


def counter_rows(counters: dict) -> list[tuple[str, str]]:
    """Counters of np.stats() that say something at a glance, in the words of a reader."""
    told = []
    for name, value in counters.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            continue
        text = (
            size(value)
            if "bytes" in name or name in ("heap_peak",)
            else (f"{value:.3f} s" if name.endswith("_seconds") else f"{value:g}")
        )
        told.append((name.replace("_", " "), text))
    return told


def headline(session: dict) -> str:
    line = f"session {session['session']}: {session['state']}, {session['ranks']} ranks on {session['host']}"
    if session["slurm_job_id"]:
        line += f", Slurm job {session['slurm_job_id']}"
    if session["started"] and session["state"] != "ended":
        line += f", for {age(session['started'])}"
    if session.get("seconds_left") is not None:
        line += f", {duration(session['seconds_left'])} left"
    if session.get("work"):
        line += f"\ncomputing: {session['work']}"
    if session.get("route"):
        line += f"\nroute: {session['route']}"
    return line + (f"\n{session['ending']}" if session["ending"] else "")


class StatusTable:
    """A session's state that shows itself as text in a terminal and as a table in a notebook."""

    def __init__(self, session: dict, counters: dict | None = None):
        self.session = session
        self.counters = counter_rows(counters or {})

    def __repr__(self) -> str:
        parts = [headline(self.session)]
        if self.session["processes"]:
            parts.append(columns(rank_rows(self.session)))
        if self.counters:
            parts.append(columns([["COUNTER", "VALUE"], *map(list, self.counters)]))
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        parts = [f"<div><b>Engines</b> {_lines(headline(self.session))}</div>"]
        if self.session["processes"]:
            parts.append(table(rank_rows(self.session)))
        if self.counters:
            parts.append(
                "<details><summary>counters</summary>" + table([["COUNTER", "VALUE"], *map(list, self.counters)]) + "</details>"
            )
        return "".join(parts)


def _lines(text: str) -> str:
    return "<br>".join(html.escape(line) for line in text.splitlines())


def table(rows: list[list[str]]) -> str:
    """Rows as a table of HTML; the first row is the heading."""
    head = "".join(f"<th>{html.escape(text.lower())}</th>" for text in rows[0])
    body = "".join("<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in row) + "</tr>" for row in rows[1:])
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def engines(count):
    """How many engines, in words."""
    return "1 engine" if count in (0, 1) else f"{count} engines"
