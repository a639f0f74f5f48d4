# SPDX-License-Identifier: BSD-3-Clause
"""The variables of the notebook, kept for its next kernel by gamelan once it is imported. This says which notebook it is, and
when a cell begins and ends."""

import contextlib
import hashlib
import importlib
import os
import sys

KEEPER = "gamelan._saved._notebook"


def before_cell():
    """Nobody reads the variables while the cell changes them. True where an interrupt came, which is meant for the cell."""
    keeper = getattr(sys.modules.get(KEEPER), "keeper", None)
    if keeper is None:
        return False
    try:
        keeper.before_cell()
    except KeyboardInterrupt:
        return True
    return False


def after_cell(shell, seconds, label=None):
    """The cell has run for so long; `label`: its number, None for what the front end runs unseen."""
    module = sys.modules.get(KEEPER)
    if not hasattr(module, "keep"):  # gamelan is not imported, or half
        return
    try:
        begin(shell)
        module.keeper.after_cell(seconds, label)
    except KeyboardInterrupt:
        pass
    except Exception as error:  # the cell itself has run, and its reply says so
        print(f"gamelan: the state behind this cell may not be kept: {type(error).__name__}: {error}", file=sys.stderr)


def offer_after(error):
    """A name is unknown in a kernel that has not imported gamelan: a kernel that was lost may know it. `begin` says so."""
    if isinstance(error, NameError) and KEEPER not in sys.modules and _has_folder():
        with contextlib.suppress(Exception, KeyboardInterrupt):
            importlib.import_module("gamelan")


def _has_folder():
    """Has an earlier kernel of this notebook kept anything? As gamelan._saved._generations names the folder."""
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    name, _ = notebook()
    folder = hashlib.sha256(name.encode(errors="surrogateescape")).hexdigest()[:20]
    return os.path.isdir(os.path.join(state, "gamelan-notebooks", folder))


def begin(shell, is_offered=True):
    """Begins to keep this notebook's variables, unless that has begun, and offers what a lost kernel has left. For `%session`,
    too, which may be the first line."""
    module = sys.modules.get(KEEPER)
    if module is not None and module.keeper is None:
        name, is_found_again = notebook()
        module.keep(name, is_found_again, lambda: variables_of(shell), is_offered)


def notebook():
    """(what tells this notebook from others, whether a kernel that is started later knows it, too). Jupyter Server tells the
    notebook's path; else there is the connection file, which a kernel shares with the one that replaces it."""
    named = os.environ.get("JPY_SESSION_NAME")
    if named:
        return f"notebook {os.path.abspath(named)}", True
    with open("/proc/self/cmdline", "rb") as file:
        words = os.fsdecode(file.read()).split("\0")
    file = words[words.index("-f") + 1] if "-f" in words[:-1] else str(os.getpid())
    return f"kernel {os.path.abspath(file)}", False


def variables_of(shell):
    """What the user has named: not what IPython put beside it."""
    nothing, hidden = object(), shell.user_ns_hidden
    return {name: value for name, value in list(shell.user_ns.items()) if hidden.get(name, nothing) is not value}
