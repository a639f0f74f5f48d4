# SPDX-License-Identifier: BSD-3-Clause
"""What earlier kernels of a notebook have left: which of them `%session restore` means, and the list of all for a person. Nothing
is loaded here."""

from dataclasses import dataclass
from datetime import datetime

from .._launch._tables import columns, counted, size
from ._manifest import read_manifest
from ._trust import TrustedFolder

_MOST_NAMES = 8  # that a line of the list has


@dataclass
class Left:
    """What one kernel has left: `folder`, `is_ended`: did it end in order?, `saved_at`: when that was kept, `names` of variables
    without modules, `others`: all other names, `bytes` of values and distributed arrays, `restored`: the folder's name of the
    kernel from which it had all variables itself, or nothing, `why_not`: why nothing of it can be read, `is_here`: has this
    kernel all variables from it?"""

    folder: object
    is_ended: bool
    saved_at: str = ""
    names: tuple = ()
    others: tuple = ()
    bytes: int = 0
    restored: str = ""
    why_not: str = ""
    is_here: bool = False

    @property
    def name(self):
        """As `--of` has it."""
        return self.folder.name

    @property
    def has_something(self):
        """More than imports?"""
        return bool(self.names or self.why_not)

    def has(self, names):
        """Has it all of these variables?"""
        return set(names) <= {*self.names, *self.others}


def look_at(found, restored=""):
    """What is in the folders of earlier kernels. `found`: (folder, did it end in order?) of each, the newest first; `restored`:
    the name of the kernel from which this one has all variables."""
    left = [_look_into(folder, is_ended) for folder, is_ended in found]
    for each in left:
        each.is_here = each.name == restored
    return left


def _look_into(folder, is_ended):
    try:
        with TrustedFolder(str(folder)) as opened:
            session = read_manifest(opened)
    except (OSError, ValueError) as error:
        return Left(folder, is_ended, why_not=str(error))
    about = session["variables"]
    names = tuple(name for name in about if about[name]["kind"] != "module")
    values = sum(each["bytes"] for each in session["pickles"] if each["names"])
    arrays = sum(base["bytes"] for base in session["bases"])
    others = (*(name for name in about if name not in names), *session["missing"])
    return Left(folder, is_ended, session["saved"], names, others, values + arrays, session.get("restored", ""))


def choices(kernels, names=None):
    """The kernels that who wants these variables, or all, may mean: the newest that has more than imports, and others that were
    lost and have what it lacks; of some variables the newest if it has them, else those that have them. Who has restored all
    variables of a kernel has chosen: nothing older is meant then."""
    found = []
    for each in kernels:
        if each.has_something:
            found.append(each)
        if each.restored:
            break
    if not found:
        return kernels[:1]
    newest, *older = found
    if newest.why_not:
        return found
    if names is not None:
        having = [each for each in found if each.has(names)]
        return [newest] if newest in having or not having else having
    return [newest, *(each for each in older if not each.is_ended and (each.why_not or not newest.has(each.names)))]


def meant(kernels, of=None, names=None, last=""):
    """The kernel that a restore means. `of`: part of its name, as the user gave it; `names`: the variables that are
    wanted; `last`: the name of the kernel that was restored last here: it is meant again, until all of it is here and a newer one
    is not. ValueError, with the list, where that is not one."""
    if not kernels:
        raise ValueError("%session: no earlier kernel of this notebook left variables")
    if of is not None:
        found = [each for each in kernels if each.name == of] or [each for each in kernels if of in each.name]
        if not found:
            raise ValueError(f"%session: there is no earlier kernel {of}, but\n{listed(kernels)}")
        if len(found) > 1:
            raise ValueError(f"%session: --of {of} may be any of\n{listed(found)}")
        return found[0]
    newest = next((each for each in kernels if each.has_something), None)
    for each in kernels:
        goes_on = names is not None or not each.is_here or each is newest  # else a newer one is still to be restored
        if each.name == last and each.has(names or ()) and goes_on:
            return each
    left = [each for each in kernels if names is not None or not each.is_here]
    found = choices(left or kernels, names)
    if len(found) > 1:
        raise ValueError(
            "%session: several earlier kernels have left variables. %session restore --of KERNEL brings those of one back, and "
            f"--keep with another one those that are missing then:\n{listed(found)}"
        )
    return found[0]


def listed(kernels):
    """A table: of each kernel its name, when its variables were kept, how it ended, how many variables, their size and names."""
    taken = {each.restored for each in kernels}
    rows = [["KERNEL", "KEPT", "END", "VARIABLES", "SIZE", "NAMES"]]
    for each in kernels:
        how = ("in order" if each.is_ended else "lost") + (", restored" if each.is_here or each.name in taken else "")
        if each.why_not:
            rows.append([each.name, "", how, "", "", f"cannot be read: {each.why_not}"])
            continue
        named = named_in_words(each.names) or "only imports"
        rows.append([each.name, clock(each.saved_at), how, str(len(each.names)), size(each.bytes), named])
    return columns(rows)


def named_in_words(names):
    """Names, of many the first."""
    shown = list(names[:_MOST_NAMES]) if len(names) > _MOST_NAMES + 1 else list(names)
    return ", ".join(shown + ([f"and {len(names) - _MOST_NAMES} more"] if len(shown) < len(names) else []))


def clock(saved_at):
    """The time of a manifest, as a clock and a calendar here have it."""
    return datetime.strptime(saved_at, "%Y-%m-%dT%H:%M:%S%z").astimezone().strftime("%H:%M:%S on %d %B")


def offered(kernels):
    """What a new kernel says of those that ended, in order or not, and left variables."""
    found = choices(kernels)
    newest = found[0]
    if not newest.has_something:
        return ""
    how = "ended" if newest.is_ended else "was lost"
    if len(found) > 1:
        how = "have ended" if newest.is_ended else "were lost"
        return (
            f"{len(found)} kernels of this notebook that {how} left variables: %session lists them, %session restore --of "
            "KERNEL brings them back"
        )
    when = f"last cell at {clock(newest.saved_at)}" if newest.saved_at else "its variables cannot be read"
    left = f"{counted(len(newest.names), 'variable')} ({named_in_words(newest.names)})" if newest.names else "variables"
    return f"the kernel of this notebook that {how} ({when}) left {left}: %session restore brings them back"
