# SPDX-License-Identifier: BSD-3-Clause
"""What the child of a dry run shares with its parent is taken from it: open files and connections, shared memory, the right to
change files. Called once in the child by `_recording`, before its audit hook; knows nothing of cells."""

import contextlib
import ctypes
import mmap
import os
import resource
import stat

_MOST_COPIED = 64 << 20  # bytes of shared memory without a name; of more the child may read only
_READ_ONLY, _READ_WRITE = mmap.PROT_READ, mmap.PROT_READ | mmap.PROT_WRITE
_PRIVATE, _FIXED, _ANONYMOUS = mmap.MAP_PRIVATE, 0x10, mmap.MAP_ANONYMOUS
_MOVE_TO = 3  # MREMAP_MAYMOVE | MREMAP_FIXED
_LANDLOCK_CREATE, _LANDLOCK_RESTRICT, _NO_NEW_PRIVILEGES = 444, 446, 38
_CHANGES = 0x1FF2  # write, remove, make: every access of Landlock's first version but reading and executing

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = _libc.mremap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_libc.mremap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p]
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_libc.syscall.argtypes = [ctypes.c_long, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32]


def isolate(keep):
    """Afterwards nothing that this process does changes a file, or what another process sees. `keep`: a descriptor that stays."""
    _own_descriptors(keep)
    _own_memory()
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))  # no library writes what it has opened by itself,
    _allow_no_changes()  # and none opens it, where the system can see to that


def _own_descriptors(keep):
    """A file that can be read has its own position, and is read only; all else leads nowhere."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in map(int, os.listdir("/proc/self/fd")):
        if number in (keep, nowhere):
            continue
        with contextlib.suppress(OSError):
            kind, mode = os.fstat(number).st_mode, _mode_of(number)
            if stat.S_ISREG(kind) and mode != os.O_WRONLY:
                _open_again(number, nowhere)
            elif mode != os.O_RDONLY or stat.S_ISFIFO(kind):
                os.dup2(nowhere, number)


def _mode_of(number):
    with open(f"/proc/self/fdinfo/{number}") as file:
        return next(int(line.split()[1], 8) for line in file if line.startswith("flags:")) & os.O_ACCMODE


def _open_again(number, nowhere):
    try:
        again = os.open(f"/proc/self/fd/{number}", os.O_RDONLY)
    except OSError:
        os.dup2(nowhere, number)
        return
    os.lseek(again, os.lseek(number, 0, os.SEEK_CUR), os.SEEK_SET)
    os.dup2(again, number)
    os.close(again)


def _own_memory():
    """Memory that others see becomes a copy, made page by page when it is written where it is that of a file."""
    with open("/proc/self/maps", errors="surrogateescape") as file:
        lines = file.read().splitlines()
    for line in lines:
        places, rights, offset, device, inode, *path = line.split(None, 5)
        if rights[1] != "w" or rights[3] != "s" or not path:
            continue
        first, last = (int(place, 16) for place in places.split("-"))
        size = last - first
        if path[0].endswith(" (deleted)"):
            if size > _MOST_COPIED:
                _libc.mprotect(first, size, _READ_ONLY)
                continue
            copy = _libc.mmap(None, size, _READ_WRITE, _PRIVATE | _ANONYMOUS, -1, 0)
            ctypes.memmove(copy, first, size)
            _libc.mremap(copy, size, size, _MOVE_TO, first)
        elif _is_regular(path[0], int(inode)):
            try:
                source = os.open(path[0], os.O_RDONLY)
            except OSError:
                _libc.mprotect(first, size, _READ_ONLY)
                continue
            _libc.mmap(first, size, _READ_WRITE, _PRIVATE | _FIXED, source, int(offset, 16))
            os.close(source)


def _is_regular(path, inode):
    """Is this still the file, and no device?"""
    with contextlib.suppress(OSError):
        facts = os.stat(path)
        return stat.S_ISREG(facts.st_mode) and facts.st_ino == inode
    return False


def _allow_no_changes():
    """Landlock without an exception; systems that lack it go on without."""
    rights = ctypes.c_uint64(_CHANGES)
    rules = _libc.syscall(_LANDLOCK_CREATE, ctypes.addressof(rights), 8, 0)
    if rules < 0:
        return
    if _libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0:
        _libc.syscall(_LANDLOCK_RESTRICT, rules, 0, 0)
    os.close(rules)
