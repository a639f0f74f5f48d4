# SPDX-License-Identifier: BSD-3-Clause
"""The values of a notebook as they are kept at a cell's end: pickles in groups that share objects, of which only those that have
changed are written. Of distributed arrays there are the facts and a mark in the session's log, not the elements."""

import hashlib
import io
import os
from dataclasses import asdict

from .. import _core
from .._local import is_distributed
from . import _inheriting, _manifest, _options
from ._arrays import ArraysToSave
from ._loading import LoadedSession, load_groups, require_names
from ._pickling import pickler_class
from ._repeating import RepeatedArrays
from ._saving import _described, random_state
from ._sharing import GiveWay, Groups, why
from ._trust import TrustedFolder


class Snapshot:
    """What is to be kept of variables. `check` is called now and then, and may raise GiveWay. `saved`: what they are, by name;
    `missing`: why others cannot be kept; `bytes` in all. `groups`: (names, pickle, numbers of arrays in it), `random`: the state
    of random numbers, `arrays`, `bases` and weak `references`: the distributed arrays, `array_of`: which of them a variable is,
    `mark`: the moment in the log, `options` that were set, `restored`: the name of the kernel from which all variables came, for
    who sets it."""

    restored = ""

    def __init__(self, variables, most_bytes, check, log=None):
        arrays = ArraysToSave(may_recover=False)
        arrays.check = check
        groups = Groups(variables, arrays, most_bytes, check)
        named = {name: value for name, value in variables.items() if is_distributed(value)}
        arrays.divide(named, set().union(*groups.reached.values()), are_whole=True)
        self.mark = _core.mark_log([stored.array._b.id for stored in arrays.bases])
        self._log, self._log_part = log, log and log.part()  # behind the mark, which hears of other clients' writes
        self.engines = _inheriting.place(self.mark) if arrays.bases else None
        self.missing, self.bytes, self.groups = dict(groups.failures), 0, []
        for names in groups:
            values = {name: variables[name] for name in names}
            try:
                data = pickled(values, arrays, groups.shared, check)
            except (KeyboardInterrupt, GiveWay):
                raise
            except BaseException as error:  # a class of the user's that could be pickled before
                self.missing.update((name, why(value, error)) for name, value in values.items())
                continue
            if self.bytes + len(data) > most_bytes:
                self.missing.update(dict.fromkeys(names, "more than np.config.kept_bytes; %session save takes it"))
                continue
            numbers = frozenset().union(*(groups.reached[name] for name in names))
            self.groups.append((tuple(names), data, numbers))
            self.bytes += len(data)
        self.random = pickled(random_state(), arrays, (), check)
        self.saved = {name: _described(value) for name, value in variables.items() if name not in self.missing}
        self.arrays = [facts and asdict(facts) for facts in arrays.facts]
        self.array_of = arrays.numbers_of(self.saved, variables)
        self.bases = [_base_of(stored.array) for stored in arrays.bases]
        self.references, self.options = arrays.references(), _options.kept()

    def write(self, folder, there):
        """Writes the groups that are not there yet, then the manifest, and removes what it does not name. `there`: the
        checksums of the groups in the folder; returns the new ones."""
        entries = []
        try:
            for names, data in [*((names, data) for names, data, _ in self.groups), ((), self.random)]:
                digest = hashlib.sha256(data).hexdigest()
                entries.append({"names": list(names), "bytes": len(data), "sha256": digest})
                if digest not in there:
                    _write_file(folder / f"{digest}.pickle", data)
            log = self._log and self._log.write(folder, self._log_part)
            facts = {"bases": self.bases, "arrays": self.arrays, "pickles": entries, "log": log, "engines": self.engines}
            facts |= {"array_of": self.array_of, "options": self.options, "restored": self.restored}
            _write_file(folder / _manifest.NAME, _manifest.text_of({"variables": self.saved, "missing": self.missing, **facts}))
        except OSError:  # a full disk: what no manifest names goes again
            for digest in {entry["sha256"] for entry in entries} - there:
                (folder / f"{digest}.pickle").unlink(missing_ok=True)
            raise
        wanted = {entry["sha256"] for entry in entries}
        for digest in there - wanted:
            (folder / f"{digest}.pickle").unlink(missing_ok=True)
        if self._log:
            self._log.remove_others(folder)
        return wanted


class _Checked(io.BytesIO):
    check = None

    def write(self, data):
        self.check()
        return super().write(data)


def pickled(values, arrays, shared, check=lambda: None):
    file = _Checked()
    file.check = check
    pickler_class()(file, arrays, shared).dump(values)
    return file.getvalue()


def _base_of(root):
    return {"id": root._b.id, "dtype": root.dtype.str, "shape": root.shape, "bytes": root.nbytes}


def _write_file(path, data):
    temporary = path.with_name(f".{path.name}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        os.rename(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def read(path, names=None, has_options=True):
    """The variables that are kept in a folder, as a LoadedSession. The engines compute the distributed arrays again. With
    `has_options` the options are set as they were."""
    with TrustedFolder(path) as folder:
        session = _manifest.read_manifest(folder)
        require_names(session, names, "that kernel has left no variable")
        loaded, arrays = LoadedSession(), RepeatedArrays(folder, session, names is not None)
        loaded.saved_at, loaded.not_saved, loaded.missing = session["saved"], session["missing"], {}
        with _options.brought_back(session.get("options", {}) if has_options else {}) as loaded.options:
            if names is None:
                arrays.begin()  # an error here leaves everything as it is
            load_groups(session, names, lambda about: _bytes_of(folder, about), arrays, loaded)
            arrays.finish(loaded)
    return loaded


def _bytes_of(folder, about):
    with folder.open(f"{about['sha256']}.pickle") as file:
        data = io.BufferedReader(file).read(about["bytes"] + 1)
    if hashlib.sha256(data).hexdigest() != about["sha256"]:
        raise ValueError("its file is damaged: its checksum is not the one that was saved")
    return data
