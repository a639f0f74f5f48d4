# SPDX-License-Identifier: BSD-3-Clause
"""The public functions and methods of the package, and what is wrong with a docstring: for the tests of docstrings."""

import re

import gamelan
from gamelan import _core, _numpydoc

_MODULES = ("linalg", "fft", "lib.stride_tricks")
_CLASSES = {
    "ndarray": gamelan.DistributedArray,
    "random.Generator": gamelan.random.Generator,
    "random.RandomState": gamelan.random.RandomState,
    "ufunc": gamelan.ufunc,
    "flatiter": gamelan.flatiter,
}
# Ours alone, and no objects of `_core.Call`.
_OWN = (
    *("sync", "status", "stats", "explain", "options", "redistribute", "load_hdf5", "save_hdf5", "load_zarr"),
    *("save_session", "load_session", "arrays", "publish", "attach", "unpublish"),
    *("distribution.block", "distribution.cyclic", "distribution.irregular", "distribution.replicated"),
    *("random.default_rng", "random.get_bit_generator", "random.set_bit_generator"),
)
_SECTIONS = ["Differences from NumPy", "Parameters", "Returns", "Yields", "Raises", "See Also", "Notes", "References", "Examples"]
# Words that only we would use so: the field has others.
_PRIVATE = re.compile(r"\b(looked at|lives? here|are here|is here|brought here|folds?|folded|the least|the greatest|rims?)\b")


def _attribute(path):
    value = gamelan
    for name in path.split("."):
        value = getattr(value, name)
    return value


def public():
    """{name: function} of what users call."""
    found = {}
    for name in gamelan.__all__:
        value = getattr(gamelan, name)
        if isinstance(value, (_core.Call, gamelan.ufunc)):
            found[name] = value
    for module in _MODULES:
        for name, value in vars(_attribute(module)).items():
            if isinstance(value, _core.Call) and not name.startswith("_"):
                found[f"{module}.{name}"] = value
    for title, owner in _CLASSES.items():
        for each in reversed(owner.__mro__[:-1]):
            for name, value in vars(each).items():
                if isinstance(value, _core.Call) and not name.startswith("_"):
                    found[f"{title}.{name}"] = value
    found.update({name: _attribute(name) for name in _OWN})
    return found


def faults(name, text, signature):
    """What is wrong with a docstring, in words."""
    if not text:
        return [f"{name} has no docstring"]
    found = []
    doc = _numpydoc.read(text)
    summary = doc.paragraphs[0]
    if not summary.endswith(".") or re.search(r"\.\s+[A-Z]", summary) or len(summary) > 130:
        found.append(f"{name}: the summary is not one sentence: {summary}")
    parameters = {each.name: each for each in signature.parameters.values() if each.name != "self" and each.name[0] != "_"}
    takes_any = any(each.kind in (each.VAR_KEYWORD, each.VAR_POSITIONAL) for each in parameters.values())
    described = {each for entry in _numpydoc.entries(doc.sections.get("Parameters", "")) for each in entry.names}
    if not takes_any and described - parameters.keys():
        found.append(f"{name}: does not take {sorted(described - parameters.keys())}")
    silent = [each.name for each in parameters.values() if each.kind is not each.VAR_KEYWORD and each.name not in described]
    if silent or parameters and not described:
        found.append(f"{name}: says nothing of {silent}")
    if not (doc.sections.get("Returns") or doc.sections.get("Yields")):
        found.append(f"{name}: has no Returns")
    if [each for each in doc.sections if each not in _SECTIONS]:
        found.append(f"{name}: has sections {list(doc.sections)}")
    if [each for each in _SECTIONS if each in doc.sections] != list(doc.sections):
        found.append(f"{name}: the order of its sections is {list(doc.sections)}")
    own = "\n".join([*doc.paragraphs, doc.sections.get("Differences from NumPy", "")])
    if _PRIVATE.search(own):
        found.append(f"{name}: says {_PRIVATE.search(own)[0]!r}")
    return found


def raised(text):
    """The names of the exceptions in the Raises section of a docstring."""
    return {name for entry in _numpydoc.entries(_numpydoc.read(text or "").sections.get("Raises", "")) for name in entry.names}


def differences(text):
    """What a docstring says of differences, with its summary."""
    doc = _numpydoc.read(text)
    return "\n".join([*doc.paragraphs, doc.sections.get("Differences from NumPy", "")])
