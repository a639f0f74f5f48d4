# SPDX-License-Identifier: BSD-3-Clause
"""What a saved session says of itself: manifest.json, with a checksum over all of it. Other programs read it, too."""

import hashlib
import json
import platform
import time

import numpy

from .. import _core

NAME, PICKLES = "manifest.json", "variables.pickle"
FORMAT, VERSION = "gamelan session", 1
_MOST_BYTES = 1 << 30


def text_of(session):
    """The bytes of the file for what is to be said of a session."""
    session = {
        "format": FORMAT,
        "version": VERSION,
        "saved": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "ranks": _core.ranks(),
        **session,
    }
    return json.dumps({"session": session, "sha256": _sum_of(session)}, indent=1).encode()


def is_session(path):
    """Does a folder say that it is one? Nothing is loaded. OSError where its manifest cannot be read."""
    try:
        with open(f"{path}/{NAME}", "rb") as file:
            return f'"format": "{FORMAT}"'.encode() in file.read(4096)
    except (FileNotFoundError, NotADirectoryError):
        return False


def read_manifest(folder):
    """What the session in a TrustedFolder says of itself. ValueError where that is not what was written."""
    try:
        with folder.open(NAME) as file:
            data = file.read(_MOST_BYTES)
    except FileNotFoundError:
        raise ValueError(f"{folder.path} is no saved session: it has no {NAME}") from None
    try:
        whole = json.loads(data)
        session, wanted = whole["session"], whole["sha256"]
        told, version = session["format"], session["version"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError(f"the session in {folder.path} is damaged: {NAME} cannot be read. Nothing was loaded") from None
    if told != FORMAT or version != VERSION:
        raise ValueError(
            f"the session in {folder.path} is of format {told!r}, version {version!r}; this is {FORMAT!r}, version {VERSION}. "
            "Nothing was loaded"
        )
    if _sum_of(session) != wanted:
        raise ValueError(f"the session in {folder.path} is damaged: {NAME} is not what was written. Nothing was loaded")
    return session


def _sum_of(session):
    return hashlib.sha256(json.dumps(session, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
