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


def counted(count: int, one: str) -> str:
    """So many of what `one` names: "1 variable", "2,000 variables"."""
    return f"{count:,} {one}{'' if count == 1 else 's'}"


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


def summary_rows(counters: dict) -> list[list[str]]:
    """What a user asks first of the engines, of the counters of np.stats(). Empty without counters."""
    if "ranks" not in counters:
        return []
    ranks, nodes, silent = counters["ranks"], counters.get("nodes", 1), counters.get("ranks_silent", 0)
    held, peak = counters.get("heap_bytes", 0), counters.get("heap_peak", 0)
    moved = f"{size(counters.get('bytes_shared', 0))} within nodes"
    if nodes > 1:
        moved += f", {size(counters.get('bytes_received', 0))} between nodes"
    return [
        ["ENGINES", ""],
        ["ranks", f"{ranks} on {counted(nodes, 'node')}" + (f", {silent} did not answer" if silent else "")],
        ["memory", f"{size(held)} of {size(counters.get('heap_bytes_per_rank', 0) * ranks)}, at most {size(peak)} so far"],
        ["arrays", f"{counters.get('arrays', 0):,}"],
        ["batches", f"{counters.get('batches', 0):,} with {counted(counters.get('commands', 0), 'operation')}"],
        ["steps (passes over memory)", f"{counters.get('steps', 0):,}"],
        ["moved between ranks", moved],
        ["fetched to the notebook", size(counters.get("fetch_bytes", 0))],
        [
            "instruction set",
            f"{counters.get('instruction_set', '')}, {counted(counters.get('programs_compiled', 0), 'program')} compiled",
        ],
    ]


def counter_rows(counters: dict) -> list[list[str]]:
    """Every number of np.stats(), by its name there, with its unit. Empty without counters."""
    rows = [
        [name, _with_unit(name, value)]
        for name, value in counters.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    ]
    return [["COUNTER", "VALUE"], *rows] if rows else []


def _with_unit(name: str, value: float) -> str:
    if "bytes" in name or name == "heap_peak":
        return size(value)
    return f"{value:.3f} s" if name.endswith("_seconds") else f"{value:,}"


def headline(session: dict) -> str:
    ranks = counted(session["ranks"], "rank")
    line = f"session {session['session']}: {session['state']}, {ranks} on {session['host']}"
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
    if session.get("threshold"):
        line += f"\n{session['threshold']}"
    if session["ending"]:
        line += f"\n{session['ending']}"
    return line + (f"\nafter it: {session['next']}" if session.get("next") else "")


class StatusTable:
    """A session's state that shows itself as text in a terminal and as a table in a notebook.

    `counters` are those of np.stats(): a summary of them is shown, and with `is_all` each of them.
    """

    def __init__(self, session: dict, counters: dict | None = None, is_all: bool = False):
        self.session = session
        ranks = rank_rows(session) if session["processes"] else []
        tables = [ranks, summary_rows(counters or {}), counter_rows(counters or {}) if is_all else []]
        self.tables = [rows for rows in tables if rows]
        self.foot = "%engines status --all shows every counter" if counters and not is_all else ""

    def __repr__(self) -> str:
        return "\n".join([headline(self.session), *map(columns, self.tables), *filter(None, [self.foot])])

    def _repr_html_(self) -> str:
        foot = f"<small>{html.escape(self.foot)}</small>" if self.foot else ""
        return f"<div><b>Engines</b> {_lines(headline(self.session))}</div>" + "".join(map(table, self.tables)) + foot


def _lines(text: str) -> str:
    return "<br>".join(html.escape(line) for line in text.splitlines())


def table(rows: list[list[str]]) -> str:
    """Rows as a table of HTML; the first row is the heading."""
    head = "".join(f"<th>{html.escape(text.lower())}</th>" for text in rows[0])
    body = "".join("<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in row) + "</tr>" for row in rows[1:])
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def engines(count):
    """How many engines, in words."""
    return counted(max(count, 1), "engine")
