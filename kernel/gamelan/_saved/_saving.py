# SPDX-License-Identifier: BSD-3-Clause
"""save_session: variables and random state into a folder, distributed arrays by the engines."""

import hashlib
import random
import warnings
from dataclasses import asdict

import numpy

from .. import _core
from .._errors import CancelledError, EngineLostError
from .._local import is_distributed
from ..random import _legacy
from . import _manifest
from ._arrays import ArraysToSave, write_base
from ._folder import NewFolder, synchronise
from ._pickling import pickler_class
from ._sharing import Groups, why
from ._trust import why_refused

__all__ = ["save_session"]


class SavedSession(dict):
    """What was saved: kind, dtype and shape by name. `missing`: why the other variables were not, by name. `refusal`: why the
    folder cannot be loaded from this place; empty where it can."""

    missing = {}
    refusal = ""


def save_session(path, variables):
    """Write variables, and the state of random numbers, to a folder from which `load_session` brings them back.

    Triggers evaluation. The engines write the distributed arrays at the same time, each its own part, as arrays of a Zarr
    group; arrays that share memory are stored once and share it again. All other values are pickled. The folder appears when
    all of it is on the disk; a session that was there before is there until then, and after an error.

    Parameters
    ----------
    path : str or path-like
        The folder. A saved session of this name is replaced.
    variables : dict
        Values by name. Lists, dicts and objects may hold distributed arrays.

    Returns
    -------
    dict
        What was saved: kind, dtype and shape by name. Its attribute `missing` says by name why other variables were not;
        a RuntimeWarning names them, too.

    Raises
    ------
    EngineLostError
        If the engines are gone.
    FileExistsError
        If something that is no saved session has this name.
    TypeError
        If `variables` is no dict of values by name.
    OSError
        If the folder cannot be written, as on a full disk. Nothing is left of it.

    See Also
    --------
    load_session

    Examples
    --------
    >>> import gamelan as np, os, tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     path = os.path.join(directory, "session")
    ...     sorted(np.save_session(path, {"a": np.arange(3), "n": [1, 2]}))
    ...     np.load_session(path)["n"]
    ['a', 'n']
    [1, 2]
    """
    if not isinstance(variables, dict) or not all(isinstance(name, str) for name in variables):
        raise TypeError("save_session: variables must be a dict of values by name, as {'x': x}")
    saved = save(path, variables)
    if saved.missing:
        told = "; ".join(f"{name} ({why})" for name, why in saved.missing.items())
        warnings.warn(f"not saved to {path}: {told}", RuntimeWarning, stacklevel=2)
    return saved


def save(path, variables):
    """As save_session, without the warning."""
    _core.flush(True)  # what the program did before has its own errors
    with NewFolder(path, _manifest.is_session) as folder:
        arrays = ArraysToSave()
        groups = Groups(variables, arrays)
        named = {name: value for name, value in variables.items() if is_distributed(value)}
        arrays.divide(named, set().union(*groups.reached.values()))
        folder.write("arrays/.zgroup", b'{"zarr_format": 2}')
        bases = [_write_base(folder, arrays, place) for place in range(len(arrays.bases))]
        missing = dict(groups.failures)
        for name, reached in groups.reached.items():
            lost = sorted(reached & arrays.failures.keys())
            if lost:
                missing[name] = arrays.failures[lost[0]]
        pickles = _write_pickles(folder, groups, variables, arrays, missing)
        saved = SavedSession((name, _described(value)) for name, value in variables.items() if name not in missing)
        facts = [facts and asdict(facts) for facts in arrays.facts]
        session = {"variables": saved, "missing": missing, "bases": bases, "arrays": facts, "pickles": pickles}
        session["array_of"] = arrays.numbers_of(saved, variables)
        folder.write(_manifest.NAME, _manifest.text_of(session))
    saved.missing, saved.refusal = missing, why_refused(path)
    return saved


def _write_base(folder, arrays, place):
    try:
        return write_base(folder, arrays.bases[place])
    except (CancelledError, EngineLostError) as error:  # this array is lost; the others are there, if engines are
        if not _core.is_connected():
            raise
        arrays.fail(place, str(error))
        return None


def _write_pickles(folder, groups, variables, arrays, missing):
    """Writes the groups one after the other; where each is, and its checksum."""
    pickles = []
    with folder.create(_manifest.PICKLES) as file:
        for group in groups:
            names = [name for name in group if name not in missing]
            if names:
                _append_group(file, pickles, {name: variables[name] for name in names}, arrays, groups.shared, missing)
        _append(file, pickles, [], random_state(), arrays, ())
        synchronise(file)
    return pickles


def _append_group(file, pickles, values, arrays, shared, missing):
    start = file.tell()
    try:
        _append(file, pickles, list(values), values, arrays, shared)
    except (OSError, KeyboardInterrupt):
        raise  # of the file, of the user
    except BaseException as error:  # a class of the user's that could be pickled before
        file.seek(start)
        file.truncate()
        missing.update((name, why(value, error)) for name, value in values.items())


def _append(file, pickles, names, values, arrays, shared):
    start = file.tell()
    sum_of_bytes = _SummedFile(file)
    pickler_class()(sum_of_bytes, arrays, shared).dump(values)
    pickles.append({"names": names, "offset": start, "bytes": file.tell() - start, "sha256": sum_of_bytes.digest()})


class _SummedFile:
    def __init__(self, file):
        self._file, self._sum = file, hashlib.sha256()

    def write(self, data):
        self._sum.update(data)
        return self._file.write(data)

    def digest(self):
        return self._sum.hexdigest()


def random_state():
    """The state behind `np.random`, `numpy.random` and `random`."""
    return {"gamelan": _legacy._global._bits, "numpy": numpy.random.get_state(), "python": random.getstate()}


def _described(value):
    if isinstance(value, numpy.ndarray):
        kind = "distributed array" if is_distributed(value) else "array"
        return {"kind": kind, "dtype": str(value.dtype), "shape": list(value.shape)}
    return {"kind": value.dtype.name if is_distributed(value) else type(value).__name__}
