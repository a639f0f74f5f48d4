# SPDX-License-Identifier: BSD-3-Clause
"""results.json as text: the table that run.py prints, and the same in Markdown for docs/performance.md."""

import page

HEADER = ["case", "ranks", "ms", "GiB/s", "x NumPy", "x numexpr", "x Dask", "/ C++", "steps", "plans", "MB moved", "heap MB",
          "wait", "equal", "note"]  # fmt: skip
TARGET_RANKS = 2
LEGEND = """x NumPy, x numexpr, x Dask: how many times as fast as they are. / C++: how many times the time of the C++ and MPI
program on as many ranks. plans: batches whose plan was known / all. heap: the most array memory in use. wait: share of
the ranks' time spent waiting. `!`: a target is missed."""


def rival_seconds(case, name):
    return case["competitors"].get(name, {}).get("median")


def ratio(mine, theirs, target, is_time):
    """A ratio as text, with a mark when it misses the target; "-" when a side is missing."""
    if not mine or not theirs:
        return "-"
    value = mine / theirs if is_time else theirs / mine
    is_missed = target is not None and (value > target if is_time else value < target)
    return f"{value:.2f}" + ("!" if is_missed else "")


def why_not(record):
    """The reason in a few words when a competitor has no time."""
    for kind in ("error", "missing", "skipped"):
        if kind in record:
            return f"{kind}: {record[kind]}"
    return f"WRONG: {record['wrong']}" if record.get("wrong") else ""


def rows(results):
    """One row per case and number of ranks, as lists of text."""
    for name, case in results["cases"].items():
        if "error" in case:
            yield [name, *["-"] * (len(HEADER) - 3), "no", case["error"]]
            continue
        for ranks in results["settings"]["ranks"]:
            # Targets are for full sizes.
            targets = case["targets"] if ranks == TARGET_RANKS and not results["settings"]["is_smoke"] else {}
            yield row(name, case, ranks, targets)


def row(name, case, ranks, targets):
    mine = case["competitors"].get(f"gamelan-{ranks}", {})
    seconds, stats = mine.get("median"), mine.get("stats", {})
    speed = f"{case['bytes'] / seconds / 2**30:.2f}" if seconds and case["bytes"] else "-"
    rivals = [ratio(seconds, rival_seconds(case, each), targets.get(each), False) for each in ("numpy", "numexpr", "dask")]
    rivals.append(ratio(seconds, rival_seconds(case, f"reference-{ranks}"), targets.get("reference"), True))
    told = ["-"] * 5
    if stats:
        hits, misses = stats.get("plan_hits", 0), stats.get("plan_misses", 0)
        moved = stats.get("bytes_shared", 0) + stats.get("bytes_received", 0)
        told = [f"{stats.get('steps', 0)}", f"{hits}/{hits + misses}", f"{moved / 1e6:.2f}",
                f"{stats.get('heap_peak', 0) / 1e6:.1f}", f"{100 * stats.get('wait_share', 0):.0f} %"]  # fmt: skip
    equal = "-" if "wrong" not in mine else "no" if mine["wrong"] else "bits" if case["same_bits"] else "yes"
    return [name, str(ranks), f"{1000 * seconds:.2f}" if seconds else "-", speed, *rivals, *told, equal, why_not(mine)]


def text(results):
    """The table for a terminal: aligned columns; notes are cut to what a line holds."""
    lines = [HEADER, *rows(results)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(HEADER) - 1)]
    told = []
    for line in lines:
        cells = [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:-1], widths[1:]))]
        told.append("  ".join([*cells, line[-1][:90]]).rstrip())
    return "\n".join([*told, "", LEGEND, *others(results)])


def others(results):
    """What went wrong with the rivals, a line each."""
    for name, case in results["cases"].items():
        for competitor, record in case.get("competitors", {}).items():
            if not competitor.startswith("gamelan") and ("error" in record or record.get("wrong")):
                yield f"{name}: {competitor}: {why_not(record)}"


def markdown(results):
    """The table for docs/performance.md, without the notes."""
    machine, settings = results["machine"], results["settings"]
    lines = page.rows([HEADER[:-1], *(line[:-1] for line in rows(results))], [":--"] + ["--:"] * (len(HEADER) - 2))
    return f"{page.told(machine)}; medians of {settings['repeats']} interleaved repeats.\n\n{lines}"
