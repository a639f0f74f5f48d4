# SPDX-License-Identifier: BSD-3-Clause
# What the docstrings show is what happens: every >>> block of the package is run, with arrays here and on the engines.
import doctest
import importlib
import inspect
import pkgutil

import pytest

import gamelan

_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def _modules():
    yield gamelan
    for found in pkgutil.walk_packages(gamelan.__path__, "gamelan."):
        yield importlib.import_module(found.name)


def _home(value):
    """The name of the module that something was defined in; of an object that of its class."""
    return value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", None) or ""


def _documented():
    """(name, value) of everything of the package whose docstring shows an example, each once."""
    seen = set()
    for module in _modules():
        members = [
            (module.__name__, module),
            *((f"{module.__name__}.{name}", value) for name, value in sorted(vars(module).items())),
        ]
        for name, value in list(members):
            if inspect.isclass(value) and _home(value).startswith("gamelan"):
                members += [(f"{name}.{each}", member) for each, member in sorted(vars(value).items())]
        for name, value in members:
            text = inspect.getdoc(value) or ""
            if ">>> " in text and text not in seen and _home(value).startswith("gamelan"):
                seen.add(text)
                yield name, value


_EXAMPLES = dict(_documented())


def test_there_are_examples():
    assert len(_EXAMPLES) > 250 and {"gamelan.add", "gamelan.sort", "gamelan.apply_along_axis"} <= set(_EXAMPLES)


def test_functions_say_what_they_take():
    functions = [getattr(gamelan, name) for name in gamelan.__all__] + [
        *vars(gamelan.ndarray).values(),
        *vars(gamelan.random.Generator).values(),
    ]
    functions += [gamelan.linalg.svd, gamelan.fft.fft, gamelan.ndarray.sum, gamelan.random.Generator.normal]
    functions = [each for each in functions if isinstance(each, gamelan._core.Call)]
    assert len(functions) > 200
    silent = [
        each.__qualname__
        for each in functions
        if each.__module__.startswith("gamelan")
        and each.__name__[0] != "_"
        and {*inspect.signature(each).parameters} - {"self", "arguments", "keywords"}
        and "Parameters\n----------" not in inspect.getdoc(each)
    ]
    assert not silent
    assert (
        "axis : int" in gamelan.sort.__doc__ and "out : ndarray" in gamelan.add.__doc__ and "numpy.ones" in gamelan.ones.__doc__
    )


@pytest.mark.parametrize("distribute_from", [0, gamelan.config.distribute_from])
def test_examples_show_what_happens(engine, ranks, distribute_from, tmp_path, monkeypatch):
    if not ranks:
        pytest.skip("the model knows no distributions")
    monkeypatch.chdir(tmp_path)
    wrong = []
    for name, value in _EXAMPLES.items():
        names = dict(vars(importlib.import_module(_home(value)))) if "import gamelan as np" not in value.__doc__ else {}
        example = doctest.DocTestParser().get_doctest(inspect.getdoc(value), names, name, None, None)
        with gamelan.options(distribute_from=distribute_from):
            doctest.DocTestRunner(optionflags=_FLAGS, verbose=False).run(example, out=wrong.append)
    assert not wrong, "".join(wrong)
