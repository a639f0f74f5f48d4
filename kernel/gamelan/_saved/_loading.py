# SPDX-License-Identifier: BSD-3-Clause
"""load_session: the variables of a folder that save_session wrote. What is damaged is named and left out; the rest is loaded."""

import contextlib
import hashlib
import random
import warnings

import numpy

from .. import _core
from .._errors import EngineLostError
from ..random import _legacy
from . import _manifest
from ._arrays import ArrayFacts, read_base
from ._pickling import Unpickler
from ._trust import TrustedFolder

__all__ = ["load_session"]


class LoadedSession(dict):
    """The variables. `missing`: why others of the session could not be loaded, by name; `not_saved`: why others were not
    saved; `saved_at`: when it was; `options`: those of np.config that were set as they were, and why others were not."""

    missing = {}
    not_saved = {}
    saved_at = ""
    options = ({}, {})


def load_session(path, names=None):
    """Read the variables that `save_session` wrote.

    Triggers evaluation. The engines read the distributed arrays, each its own part, and compare checksums; there may be
    another number of engines than when it was saved. Sets the state of random numbers, unless `names` are given. Only a
    folder that no other user could have written is read, because a pickle may run any program.

    Parameters
    ----------
    path : str or path-like
        The folder.
    names : sequence of str, optional
        The variables that are wanted. By default all.

    Returns
    -------
    dict
        The variables by name. Its attribute `missing` says by name why others could not be loaded; a RuntimeWarning names
        them.

    Raises
    ------
    EngineLostError
        If the engines are gone.
    FileNotFoundError
        If there is no such folder.
    KeyError
        If one of `names` is not in the session.
    PermissionError
        If another user could have written the folder, or put it there.
    ValueError
        If the folder is no saved session, is of another version, or its manifest is damaged.

    See Also
    --------
    save_session
    """
    loaded = load(path, names)
    if loaded.missing:
        told = "; ".join(f"{name} ({why})" for name, why in loaded.missing.items())
        warnings.warn(f"not loaded from {path}: {told}", RuntimeWarning, stacklevel=2)
    return loaded


def load(path, names=None):
    """As load_session, without the warning."""
    with TrustedFolder(path) as folder:
        session = _manifest.read_manifest(folder)
        require_names(session, names, f"the session in {folder.path} has no")
        _core.flush(True)  # what the program did before has its own errors
        loaded, arrays = LoadedSession(), _LoadedArrays(folder, session)
        loaded.saved_at, loaded.missing = session["saved"], {}
        loaded.not_saved = {name: why for name, why in session["missing"].items() if names is None or name in names}
        with _opened(folder) as file:
            load_groups(session, names, lambda about: _bytes_of(file, about), arrays, loaded)
    return loaded


def require_names(session, names, said):
    """KeyError where one of `names` is none of the session."""
    unknown = [name for name in names or () if name not in session["variables"] and name not in session["missing"]]
    if unknown:
        raise KeyError(f"{said} {', '.join(unknown)}")


def load_groups(session, names, bytes_of, array_of, loaded):
    """Puts the variables of a session into `loaded`, and sets the random state unless `names` are given. `bytes_of` gives the
    pickle of a group, or raises ValueError. What is a distributed array itself needs none."""
    state, number_of = None, session.get("array_of", {})
    for about in session["pickles"]:
        wanted = [name for name in about["names"] if names is None or name in names]
        if not wanted and (about["names"] or names is not None):
            continue
        try:
            if about["names"] and number_of.keys() >= {*about["names"]}:
                values = {name: array_of(number_of[name]) for name in wanted}
            else:
                values = Unpickler(bytes_of(about), array_of).load()
        except (EngineLostError, KeyboardInterrupt):
            raise
        except BaseException as error:  # whatever a class of the user's raises, SystemExit, too
            why = f"{type(error).__name__}: {error}" if not isinstance(error, ValueError) else str(error)
            loaded.missing.update(dict.fromkeys(wanted or ["the state of random numbers"], why))
            continue
        if about["names"]:
            loaded.update((name, values[name]) for name in wanted)
        else:
            state = values
    for name in session["variables"]:  # as they were
        if name in loaded:
            loaded[name] = loaded.pop(name)
    if state is not None:
        set_random_state(state)


class _LoadedArrays:
    """The distributed arrays of a session, each loaded when it is first asked for."""

    def __init__(self, folder, session):
        self._folder, self._facts, self._about = folder, session["arrays"], session["bases"]
        self._arrays, self._bases, self._failures = {}, {}, {}

    def __call__(self, number):
        if number not in self._arrays:
            facts = ArrayFacts(**self._facts[number])
            self._arrays[number] = facts.of(self._base(facts.base))
        return self._arrays[number]

    def _base(self, place):
        if place in self._failures:
            raise self._failures[place]
        if place not in self._bases:
            try:
                self._bases[place] = read_base(self._folder, self._about[place])
            except (OSError, ValueError, MemoryError) as error:
                self._failures[place] = error
                raise
        return self._bases[place]


@contextlib.contextmanager
def _opened(folder):
    """The file of the pickles; None where it is not there."""
    try:
        file = folder.open(_manifest.PICKLES)
    except FileNotFoundError:
        yield None
        return
    with file:
        yield file


def _bytes_of(file, about):
    if file is None:
        raise ValueError(f"the file {_manifest.PICKLES} is not there")
    file.seek(about["offset"])
    data = bytearray()
    while len(data) < about["bytes"] and (more := file.read(about["bytes"] - len(data))):
        data += more
    if len(data) < about["bytes"]:
        raise ValueError(f"the file {_manifest.PICKLES} is truncated")
    if hashlib.sha256(data).hexdigest() != about["sha256"]:
        raise ValueError(f"the file {_manifest.PICKLES} is damaged: its checksum is not the one that was saved")
    return data


def set_random_state(state):
    _legacy._global._bits.__setstate__(state["gamelan"].__getstate__())
    numpy.random.set_state(state["numpy"])
    random.setstate(state["python"])
