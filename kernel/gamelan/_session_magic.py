# SPDX-License-Identifier: BSD-3-Clause
"""%session: the notebook's variables into a folder and back. Words of a line in, calls of `_saved`, sentences out."""

from __future__ import annotations

import os
import shlex
import sys
import time

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_magic, magics_class

from ._launch._tables import columns, counted, duration, engines, size
from ._local import is_distributed
from ._magic_parser import Finished, MagicParser
from ._saved import _at_risk, _earlier, _keeping, _loading, _notebook, _saving
from ._saved._manifest import read_manifest
from ._saved._trust import TrustedFolder


def _parser():
    parser = MagicParser(prog="%session", description="The variables of this notebook, saved in a folder and loaded from it.")
    commands = parser.add_subparsers(dest="command", metavar="save | load | restore | undo | show | help")
    for name, text in (
        ("save", "write variables, distributed arrays and the state of random numbers to a folder"),
        ("load", "bring the variables of a folder back"),
        ("restore", "bring back what the kernel that had this notebook before has left"),
        ("undo", "go back to the state before the last cell, or before the last N"),
        ("show", "what a folder holds, and since when (the default, of the folder last used)"),
        ("help", "this text"),
    ):
        sub = commands.add_parser(name, help=text, description=text)
        if name == "help":
            continue
        if name == "undo":
            sub.add_argument("cells", metavar="N", nargs="?", type=int, default=1, help="so many cells (1)")
            continue
        if name == "restore":
            sub.add_argument("--of", metavar="KERNEL", help="of this earlier kernel, as %%session lists them")
        else:
            sub.add_argument("folder", metavar="DIR", nargs="?" if name == "show" else None)
        if name != "show":
            sub.add_argument("--only", metavar="NAMES", help="these variables: a,b,c")
        if name in ("load", "restore"):
            sub.add_argument("--keep", action="store_true", help="leave variables that exist as they are")
    return parser


@magics_class
class SessionMagics(Magics):
    """`%session ...`"""

    _last = None  # the folder last used

    @line_magic
    def session(self, line: str):
        """Save variables to a folder and load them: `%session save DIR`, `%session load DIR`, `%session`; `%session help`."""
        kernel = sys.modules.get("gamelan_kernel.namespace")
        if kernel is not None:
            kernel.begin(self.shell, is_offered=line.split()[:1] != ["restore"])
        parser = _parser()
        try:
            options = parser.parse_args(shlex.split(line))
        except Finished:
            return
        except ValueError as error:
            raise UsageError(f"%session: {error}") from None
        try:
            getattr(self, "_" + (options.command or "show"))(options, parser)
        except OSError as error:
            raise UsageError(f"{error.strerror}: {error.filename}" if error.strerror else str(error)) from None
        except ValueError as error:
            raise UsageError(str(error)) from None

    def _help(self, options, parser):
        parser.print_help()

    def _save(self, options, parser):
        variables = variables_of(self.shell)
        if options.only is not None:
            names = _names(options.only)
            unknown = [name for name in names if name not in variables]
            if unknown:
                raise UsageError(f"%session: there is no variable {', '.join(unknown)}")
            variables = {name: variables[name] for name in names}
        folder, started = _path(options.folder), time.monotonic()
        saved = _saving.save(folder, variables)
        SessionMagics._last = folder
        print(f"saved to {folder} in {duration_of(started)}: {', '.join(saved) or 'no variable'}")
        _print_reasons("not saved", saved.missing)
        shared = [name for name in saved if is_distributed(variables[name]) and variables[name]._b.is_shared]
        if shared:
            print(f"published or attached, saved as copies: {', '.join(shared)}")
        if saved.refusal:
            print(f"this folder cannot be loaded as it lies: {saved.refusal}", file=sys.stderr)

    def _load(self, options, parser):
        self._bring_back(_path(options.folder), options, _loading.load)

    def _restore(self, options, parser):
        keeper = _notebook.keeper
        earlier = keeper.earlier() if keeper is not None else []
        if keeper is not None and keeper.refusal:
            raise UsageError(f"%session restore: {keeper.why_nothing_is_restored()}")
        names = None if options.only is None else _names(options.only)
        chosen = _earlier.meant(earlier, options.of, names, keeper.restored_last if keeper is not None else "")
        is_all = options.only is None
        verb = "restored again" if chosen.is_here and is_all else "restored"
        self._bring_back(str(chosen.folder), options, lambda folder, names: _keeping.read(folder, names, is_all), verb)
        keeper.note_restored(chosen.name, is_all)

    def _undo(self, options, parser):
        keeper = _notebook.keeper
        if keeper is None:
            raise UsageError("%session: nothing is kept to go back to")
        if "\n" not in self.shell.history_manager.input_hist_raw[-1].strip():
            keeper.count_no_cell()
        if options.cells < 1:
            raise UsageError("%session: N is a number of cells, 1 or more")

        def bind(values, names):
            for name in names:
                self.shell.user_ns.pop(name, None)
            self.shell.push(values)

        try:
            undone = keeper.undo(options.cells, bind)
        except LookupError as error:
            raise UsageError(f"%session: {error.args[0]}") from None
        print(undone_in_words(undone))

    def _bring_back(self, folder, options, load, verb="loaded"):
        started = time.monotonic()
        names = None if options.only is None else _names(options.only)
        before = variables_of(self.shell)
        if options.keep:
            with TrustedFolder(folder) as opened:
                there = read_manifest(opened)["variables"]
            kept = [name for name in there if name in before and (names is None or name in names)]
            names = [name for name in (there if names is None else names) if name not in kept]
        try:
            loaded = load(folder, names)
        except KeyError as error:
            raise UsageError(error.args[0]) from None
        if load is _loading.load:
            SessionMagics._last = folder
        replaced = [name for name, value in loaded.items() if name in before and before[name] is not value]
        self.shell.push(dict(loaded))
        took, names = duration_of(started), ", ".join(loaded) or "no variable"
        if load is _loading.load:
            print(f"loaded from {folder} in {took} (saved {loaded.saved_at}): {names}")
        else:
            print(f"{verb} in {took}, as kept at {_earlier.clock(loaded.saved_at)}: {names}")
            done, why_not = loaded.options
            if done:
                print(f"np.config as it was: {', '.join(f'{name} = {value!r}' for name, value in done.items())}")
            _print_reasons("not as it was in np.config", why_not)
        if replaced:
            print(f"replaced: {', '.join(replaced)}")
        if options.keep and kept:
            print(f"left as they are: {', '.join(kept)}")
        _print_reasons("not loaded", loaded.missing)
        _print_reasons("were not saved", loaded.not_saved)

    def _show(self, options, parser):
        asked = getattr(options, "folder", None)
        folder = _path(asked) if asked else self._last
        if asked is None:
            lines = [kept_in_words(_notebook.keeper), *_at_risk.in_words(variables_of(self.shell))]
            print(*filter(None, lines), sep="\n", end="\n" if any(lines) else "")
        if folder is None:
            print("nothing is saved: %session save DIR writes the variables to a folder, %session load DIR brings them back")
            return
        with TrustedFolder(folder) as opened:
            print(described(folder, read_manifest(opened)))


def variables_of(shell):
    """What the user has named: not what IPython put beside it."""
    nothing = object()
    variables = list(shell.user_ns.items())  # a thread of the user's may add some
    return {name: value for name, value in variables if shell.user_ns_hidden.get(name, nothing) is not value}


def kept_in_words(keeper):
    """What is kept at each cell's end, and what earlier kernels of the notebook have left."""
    if keeper is None:
        return ""
    lines = []
    if keeper.state_in_words():
        lines.append(keeper.state_in_words())
    elif keeper.last is not None:
        when, count, held, seconds = keeper.last
        clock = time.strftime("%H:%M:%S", time.localtime(when))
        lines.append(
            f"kept at {clock} for the next kernel of this notebook: {counted(count, 'variable')}, {size(held)}, "
            f"in {seconds * 1e3:.0f} ms"
        )
    if keeper.history.in_words():
        lines.append(keeper.history.in_words())
    if earlier := keeper.earlier():
        lines.append("left by earlier kernels of this notebook (%session restore --of KERNEL brings it back):")
        lines.append(_earlier.listed(earlier))
    return "\n".join(lines)


def undone_in_words(undone):
    """One line: which cells' effects went, which variables came back, and which could not."""
    labels = [f"[{label}]" for label in undone.cells]
    shown = ", ".join(labels if len(labels) < 6 else [*labels[:2], "...", labels[-1]])
    what = f"{'cell' if len(labels) == 1 else 'cells'} {shown}"
    verb = "is" if len(labels) == 1 else "are"
    parts = []
    if undone.back:
        names = (f"{name} (computed again)" if name in undone.computed else name for name in sorted(undone.back))
        parts.append(f"as before: {', '.join(names)}")
    if undone.gone:
        parts.append(f"gone: {', '.join(sorted(undone.gone))}")
    if not parts:
        verb = f"{verb} not" if undone.lost else verb
        parts += [] if undone.lost or undone.others else ["it had changed no variable"]
    if undone.lost:
        parts.append(f"could not come back: {_reasons(undone.lost)}")
    if undone.staying:
        parts.append(f"left as they are: {_reasons(undone.staying)}")
    if undone.others:
        parts.append(f"other clients have written into {', '.join(sorted(undone.others))}, which is not undone")
    return f"{what} {verb} undone; {'; '.join(parts)}"


def described(folder, session):
    """A saved session in words: a line for each variable."""
    rows = [["NAME", "KIND", "SHAPE", "DTYPE"]]
    for name, about in session["variables"].items():
        rows.append([name, about["kind"], " x ".join(map(str, about.get("shape", ()))), about.get("dtype", "")])
    held = sum(about["bytes"] for about in session["bases"] if about)
    lines = [
        f"{folder}, saved {session['saved']} on {engines(session['ranks']) if session['ranks'] else 'no engines'}: "
        f"{counted(len(session['variables']), 'variable')}, {size(held)} in distributed arrays",
        columns(rows),
    ]
    if session["missing"]:
        lines.append(f"were not saved: {_reasons(session['missing'])}")
    return "\n".join(lines)


def duration_of(started):
    seconds = time.monotonic() - started
    return f"{seconds:.1f} s" if seconds < 100 else duration(seconds)


def _reasons(missing):
    names_of = {}
    for name, why in missing.items():
        names_of.setdefault(why, []).append(name)
    return ", ".join(f"{', '.join(names)} ({why})" for why, names in names_of.items())


def _print_reasons(what, missing):
    if missing:
        print(f"{what}: {_reasons(missing)}")


def _names(words):
    return [name for name in words.replace(",", " ").split() if name]


def _path(folder):
    return os.path.abspath(os.path.expanduser(folder))
