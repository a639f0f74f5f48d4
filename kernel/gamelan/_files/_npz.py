# SPDX-License-Identifier: BSD-3-Clause
"""Archives of .npy files. Members that are not compressed are written and read by the engines like files: their checksums
are made of those of the engines' parts. What is compressed is NumPy's, in the notebook."""

import collections.abc
import os
import struct
import time
import zipfile
import zlib

from numpy.lib import format as npy

from .._config import config
from .._errors import unimplemented
from .._imported_numpy import SAVEZ_MAY_PICKLE, BagObj
from .._local import is_distributed
from ._crc import combined
from ._npy import _as_numpy, header_of, read_elements, read_header
from ._pieces import adopt, here, is_for_engines, write
from ._places import is_path, is_plain, path_of
from ._replacing import Replacement

__all__ = ["savez", "savez_compressed"]


def savez(file, *args, **kwds):
    """Write several arrays to an uncompressed .npz file.

    Triggers evaluation. The engines write as in `save`.

    Examples
    --------
    >>> import gamelan as np, os, tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     np.savez(os.path.join(directory, "two.npz"), np.arange(3), ones=np.ones(2))
    ...     two = np.load(os.path.join(directory, "two.npz"))
    ...     sorted(two), two["ones"].tolist()
    (['arr_0', 'ones'], [1.0, 1.0])
    """
    _save(file, args, kwds, zipfile.ZIP_STORED)


def savez_compressed(file, *args, **kwds):
    """Write several arrays to a compressed .npz file.

    Triggers evaluation. The notebook's process compresses: an array of more than `config.gather_limit` elements is refused.
    `savez` takes it.
    """
    _save(file, args, kwds, zipfile.ZIP_DEFLATED)


def _save(file, arrays, named, compression):
    pickles = named.pop("allow_pickle", True) if SAVEZ_MAY_PICKLE else True
    for number, array in enumerate(arrays):
        key = f"arr_{number}"
        if key in named:
            raise ValueError(f"Cannot use un-named variables and keyword {key}")
        named[key] = array
    named = {key: array if is_distributed(array) else _as_numpy(array) for key, array in named.items()}
    if not is_path(file):
        return _write(file, path_of(file), named, compression, pickles)
    file = os.fspath(file)
    if not file.endswith(".npz"):
        file = file + ".npz"
    if not is_plain(file) and not os.path.isdir(file):
        with open(file, "wb") as opened:
            return _write(opened, None, named, compression, pickles)
    with Replacement(file) as target:
        if compression == zipfile.ZIP_STORED:
            target.reserve(sum(array.nbytes for array in named.values()))
        _write(target.file, target.path, named, compression, pickles)
        target.file.truncate()


def _write(file, path, named, compression, pickles):
    with zipfile.ZipFile(file, "w", compression) as archive:
        for key, array in named.items():
            if is_distributed(array) and path is not None and compression == zipfile.ZIP_STORED:
                _write_member(archive, path, f"{key}.npy", array)
                continue
            with archive.open(f"{key}.npy", "w", force_zip64=True) as member:
                npy.write_array(member, here(array), allow_pickle=pickles)


def _write_member(archive, path, name, array):
    """The engines write the elements; then the member's sizes and checksum are known, and the archive learns of it."""
    header, array = header_of(array)
    member = zipfile.ZipInfo(name, time.localtime()[:6])
    member.compress_type = zipfile.ZIP_STORED
    member.external_attr = 0o600 << 16
    archive.fp.seek(archive.start_dir)
    member.header_offset = archive.start_dir
    member.CRC = 0  # not known yet
    member.file_size = member.compress_size = len(header) + array.nbytes
    archive.fp.write(member.FileHeader(zip64=True))
    archive.fp.write(header)
    archive.fp.flush()
    offset = archive.fp.tell()
    member.CRC = combined(zlib.crc32(header), write(array, path, offset, checksums=True))
    archive.fp.seek(member.header_offset)
    archive.fp.write(member.FileHeader(zip64=True))
    archive.fp.seek(offset + array.nbytes)
    archive.filelist.append(member)
    archive.NameToInfo[name] = member
    archive.start_dir = archive.fp.tell()
    archive._didModify = True


class NpzFile(collections.abc.Mapping):
    """An open .npz file: a dictionary whose arrays are read when they are asked for. `files` lists the names; close it, or
    use it in a `with`."""

    def __init__(self, file, owns_file, allow_pickle, keywords, max_header_size):
        self._file, self._owns_file = file, owns_file
        self._options = {
            "allow_pickle": allow_pickle,
            "max_header_size": max_header_size,
            "pickle_kwargs": {name: keywords[name] for name in ("fix_imports", "encoding")},
        }
        try:
            self.zip = zipfile.ZipFile(file)
        except BaseException:
            self.close()
            raise
        self._members = {name[:-4] if name.endswith(".npy") else name: name for name in self.zip.namelist()}
        self.files = list(self._members)
        self.f = BagObj(self)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.close()

    def close(self):
        """Closes the file. Arrays that were read stay."""
        if getattr(self, "zip", None) is not None:
            self.zip.close()
            self.zip = None
        if self._file is not None and self._owns_file:
            self._file.close()
        self._file = None

    def __del__(self):
        self.close()

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)

    def __getitem__(self, key):
        name = self._members.get(key, key)
        if name not in self._members.values():
            raise KeyError(f"{key} is not a file in the archive")
        member = self.zip.getinfo(name)
        with self.zip.open(member) as stream:
            if stream.read(len(npy.MAGIC_PREFIX)) != npy.MAGIC_PREFIX:
                return self.zip.read(member)
        with self.zip.open(member) as stream:
            shape, is_fortran, dtype = read_header(stream, self._max_header_size())
            if is_for_engines(dtype, shape) and member.compress_type == zipfile.ZIP_STORED and (path := path_of(self._file)):
                return read_elements(path, self._start_of(member) + stream.tell(), shape, is_fortran, dtype)
        if member.file_size > config.gather_limit * dtype.itemsize + 2**16:
            raise unimplemented(
                f"load of the compressed {name!r}", "it has more than np.config.gather_limit elements; savez does not compress"
            )
        with self.zip.open(member) as stream:
            return adopt(npy.read_array(stream, **self._options))

    def _max_header_size(self):
        return 2**64 if self._options["allow_pickle"] else self._options["max_header_size"]

    def _start_of(self, member):
        """Where the bytes of a member begin: after its local header, whose name and extra field have their own lengths."""
        with open(path_of(self._file), "rb") as file:
            file.seek(member.header_offset)
            *_, name, extra = struct.unpack("<26x2H", file.read(30))
        return member.header_offset + 30 + name + extra

    def __repr__(self):
        return f"NpzFile with keys: {', '.join(map(str, self.files))}"
