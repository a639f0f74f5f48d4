# SPDX-License-Identifier: BSD-3-Clause
"""%%dry: what a cell would need of memory and time, without computing it."""

import ast
import json
import math
import re
import time

import numpy
from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, magics_class, no_var_expand

from .. import _core, _session
from .._creation._filled import empty
from .._launch._tables import columns, size
from . import _recording

_SIDES = 1 << 18, 1 << 22  # elements of a rank by whose pass the speed of memory is measured: least, most
_LEAST_S = 1e-3  # that is said as a number
_MOST_LINES = 8
_MOMENT_S = 0.1  # as in recorder/pending/work.hpp
_speeds = {}  # bytes a second of a rank's memory, by session of the engines


@magics_class
class DryMagics(Magics):
    """`%%dry`"""

    @no_var_expand
    @cell_magic
    def dry(self, line: str, cell: str):
        """What this cell would need of memory and time. Nothing of it is computed, and all variables stay as they are."""
        if line.strip():
            raise UsageError("%%dry takes no words on its line")
        _session.ensure_engines()
        _session.flush()
        try:
            recorded = _recording.record(self.shell, cell)
        except (RuntimeError, TimeoutError) as error:
            raise UsageError(f"%%dry: {error}") from None
        print(report(recorded, cell))


def report(recorded, cell):
    """What is told of a recorded cell."""
    lines = []
    if recorded.commands:
        text, shapes = _core.plan_of(recorded.batch)
        answer = json.loads(text)
        lines += _of_plan(recorded, answer["needs"], shapes, cell)
    else:
        lines.append("no operation on the engines")
    if recorded.error:
        kind, message = recorded.error
        lines.append(f"line {recorded.line} would raise {kind}: {message}{_most_of(message)}")
    elif recorded.why:
        lines.append(f"stopped at line {recorded.line}: {recorded.why}; what comes behind it is not in these figures")
    return "\n".join(lines)


def _of_plan(recorded, needs, shapes, cell):
    count = len(recorded.commands)
    yield f"{count:,} operation{'' if count == 1 else 's'}, of which none is computed"
    held = f"{size(needs['in_use'])} now, {size(needs['capacity'])} in all"
    if needs["refusal"]:
        yield _refused(needs, shapes, cell)
        yield f"memory of a rank: {size(needs['peak'])} before that line ({held})"
        return
    steps = f"{needs['steps']:,} step{'' if needs['steps'] == 1 else 's'}"
    yield f"memory of a rank: {size(needs['peak'])} at most ({held})"
    yield f"moved: {size(needs['traffic'])} of a rank's memory are read and written, in {steps}"
    yield from _times(recorded.commands, needs)


def _refused(needs, shapes, cell):
    """As a MemoryError, with the name and the largest array that would fit."""
    line = needs.get("line", 0)
    told = f"MemoryError at line {line}{_target(cell, line)}: "
    extents, _, _, creates = shapes[needs["command"]] if 0 <= needs["command"] < len(shapes) else ((), 0, 0, False)
    wanted, room = needs["wanted"], needs["room"]
    told += f"{size(wanted)} on each of {_core.ranks()} ranks, of which {size(room)} are free then"
    if creates and extents and wanted:
        shape = ", ".join(map(str, extents))
        rows = extents[0] * room // wanted
        return f"{told}. Of its shape ({shape}), at most {rows:,} along the first axis would fit"
    return told


def _most_of(message):
    """The largest array that would fit, of NumPy's words of one that does not."""
    found = re.search(r"for an array with shape \(([\d, ]+)\) and data type (\w+)", message)
    if not found:
        return ""
    shape = [int(each) for each in found[1].split(",") if each.strip()]
    facts = _session.status()
    room = facts.get("heap_bytes_per_rank", 0) * facts.get("ranks", 0) - facts.get("heap_bytes", 0)
    row = math.prod(shape[1:]) * numpy.dtype(found[2]).itemsize
    return f". At most {room // row:,} along the first axis would fit" if row else ""


def _target(cell, line):
    """The names to which this line of the cell gives a value, in parentheses."""
    try:
        tree = ast.increment_lineno(ast.parse(cell))
    except SyntaxError:  # magics
        return ""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) and node.lineno <= line <= node.end_lineno:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            return f" ({', '.join(ast.unparse(each) for each in targets)})"
    return ""


def _times(commands, needs):
    speed = _speed(needs)
    if speed is None:
        yield "time: no estimate, as there is no room to measure the speed of memory"
        return
    passes = needs["traffic"] / speed
    ranks = max(_core.ranks(), 1)
    joined = sum(moments for _, _, moments, is_single in commands if not is_single)
    seconds = {}
    for _, line, moments, is_single in commands:
        own = moments * _MOMENT_S / ranks if is_single else passes * moments / joined if joined else 0.0
        seconds[line] = seconds.get(line, 0.0) + own
    total = sum(seconds.values())
    has_single = any(is_single for *_, is_single in commands)
    worth = "right within about two for passes over memory on an idle machine; random numbers, exp and the like take longer"
    if has_single:
        worth += "; products, sorting, transforms, linear algebra and files are guessed from their shapes, often too short"
    yield f"time: {'about ' if total >= _LEAST_S else ''}{_seconds(total)}, at {size(speed)}/s of a rank as measured ({worth})"
    if len(seconds) > 1:
        longest = sorted(seconds, key=seconds.get, reverse=True)[:_MOST_LINES]
        yield columns([["LINE", "TIME"], *([str(line), _seconds(seconds[line])] for line in sorted(longest))])


def _seconds(seconds):
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1e3:.0f} ms" if seconds >= _LEAST_S else "less than 1 ms"


def _speed(needs):
    """Bytes a second that a rank reads and writes when all ranks do; None where there is no room to measure."""
    engines = _session.engines()
    key = getattr(engines, "session", None)
    if key not in _speeds:
        side = min(_SIDES[1], (needs["capacity"] - needs["in_use"]) // 32)
        if side < _SIDES[0]:
            return None
        x = empty(side * max(_core.ranks(), 1))
        x[:] = 1.0
        _session.flush()
        taken = []
        for _ in range(3):
            started = time.perf_counter()
            x += 1.0
            _session.flush()
            taken.append(time.perf_counter() - started)
        _speeds[key] = 2 * 8 * side / min(taken)
    return _speeds[key]
