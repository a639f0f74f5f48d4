# SPDX-License-Identifier: BSD-3-Clause
"""Every public function has a docstring of the one form: a sentence, what differs, then Parameters, Returns, Raises and See
Also, of which most are NumPy's own text."""

import ast
import inspect
import io
import pydoc
import subprocess
import sys
import textwrap

import numpy
import pytest

import docstring_functions
import gamelan
from gamelan import _docs, _numpydoc

_PUBLIC = docstring_functions.public()


def test_there_are_enough_of_them():
    assert (
        len(_PUBLIC) > 500 and {"sort", "add", "linalg.svd", "ndarray.sum", "random.Generator.normal", "sync"} <= _PUBLIC.keys()
    )


def test_every_function_says_what_it_takes_and_returns():
    found = [
        fault
        for name, each in _PUBLIC.items()
        for fault in docstring_functions.faults(name, each.__doc__, inspect.signature(each))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "text, fault",
    [
        ("", "no docstring"),
        ("A copy. Sorted.\n\nParameters\n----------\na\n    It.\naxis\n    It.\n\nReturns\n-------\nndarray", "not one sentence"),
        ("A copy.\n\nParameters\n----------\na\n    It.\nb, axis\n    It.\n\nReturns\n-------\nndarray", "does not take ['b']"),
        ("A copy.\n\nParameters\n----------\na\n    It.\n\nReturns\n-------\nndarray", "says nothing of ['axis']"),
        ("A copy.\n\nParameters\n----------\na, axis\n    It.", "has no Returns"),
        ("A fold.\n\nParameters\n----------\na, axis\n    It.\n\nReturns\n-------\nndarray", "says 'fold'"),
        ("A copy.\n\nReturns\n-------\nndarray\n\nParameters\n----------\na, axis\n    It.", "the order of its sections"),
    ],
)
def test_faults_are_found(text, fault):
    found = docstring_functions.faults("sort", text, inspect.signature(lambda a, axis: None))
    assert any(fault in each for each in found), found


def _own_raises(function):
    """The names of the exceptions that stand in `raise` statements of a function."""
    function = inspect.unwrap(function)
    if not getattr(function, "__module__", "").startswith("gamelan") or not inspect.isfunction(function):
        return set()  # NumPy's
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    raises = [each.exc for each in ast.walk(tree) if isinstance(each, ast.Raise) and isinstance(each.exc, ast.Call)]
    return {each.func.id for each in raises if isinstance(each.func, ast.Name) and each.func.id[0].isupper()}


def _covers(documented, name):
    """True when one of the documented exceptions is this one, a base of it, or a class derived from it."""
    classes = {each.__name__: each for each in _all_classes(BaseException)}
    mine = classes.get(name)
    others = [classes[each] for each in documented if each in classes]
    return name in documented or mine is not None and any(issubclass(mine, each) or issubclass(each, mine) for each in others)


def _all_classes(base):
    for each in base.__subclasses__():
        yield each
        yield from _all_classes(each)


def test_what_a_function_raises_itself_is_told():
    silent = [
        f"{name}: {each}"
        for name, function in _PUBLIC.items()
        for each in _own_raises(function)
        if each != "TypeError" and not _covers(docstring_functions.raised(function.__doc__), each)
    ]
    assert not silent, "\n".join(silent)


def test_sections_are_the_installed_numpys():
    doc = _numpydoc.read(gamelan.sort.__doc__)
    theirs = _numpydoc.read(numpy.sort.__doc__ or "").sections
    assert doc.sections["Returns"] == theirs["Returns"] and "numpy.sort" in doc.sections["See Also"]
    assert "always stable" in doc.sections["Differences from NumPy"]
    assert gamelan.ndarray.sort.__doc__ != gamelan.sort.__doc__ and "axis : int" in gamelan.ndarray.sort.__doc__


def test_what_used_to_be_false():
    assert "'reduced'" in gamelan.linalg.qr.__doc__ and "happens at the ends" not in gamelan.linalg.qr.__doc__
    assert "all the axes" in gamelan.gradient.__doc__ and "over all elements" not in gamelan.gradient.__doc__
    for function in (gamelan.unique, gamelan.take):
        axis = _numpydoc.by_name(_numpydoc.read(function.__doc__).sections["Parameters"])["axis"]
        assert "tuple" not in axis.head
    assert (
        "x : ndarray" in gamelan.explain.__doc__ and "padded" in gamelan.fft.rfft.__doc__ and '"ortho"' in gamelan.fft.fft.__doc__
    )
    svd = _numpydoc.read(gamelan.linalg.svd.__doc__).sections
    assert "(..., M, K)" in svd["Returns"] and "LinAlgError" in svd["Raises"]


def test_without_numpys_docstrings_ours_stands(monkeypatch):
    class Silent:
        def sort(self):
            pass

    monkeypatch.setattr(_docs, "_found", lambda place, name: Silent.sort)
    text = _docs.of(gamelan.sort)
    assert text.startswith("A sorted copy") and "axis" in text and "numpy.sort" in text
    monkeypatch.setattr(_docs, "_found", lambda place, name: None)  # this NumPy has no such function
    assert _docs.of(gamelan.sort).startswith("A sorted copy")


def test_without_docstrings_at_all():
    program = "import gamelan as np; print(np.sort.__doc__, np.linalg.svd.__doc__); np.add.__doc__; np.ndarray.sum.__doc__; help(np.sort)"
    done = subprocess.run([sys.executable, "-OO", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("None None") and "sort(a, axis=-1" in done.stdout


def test_composed_when_first_read():
    program = (
        "import gamelan as np\n"
        "from gamelan import _docs, _doc_gaps\n"
        "assert not _doc_gaps._table.cache_info().currsize, 'something has read a docstring during the import'\n"
        "assert '__doc__' not in np.sort.__dict__ and np.sort.__doc__ is np.sort.__doc__ and '__doc__' in np.sort.__dict__"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def one_line(text):
    """Python 3.13 breaks the line of a long signature."""
    return "".join(text.split())


def test_help_and_info_show_them():
    text = pydoc.render_doc(gamelan.sort, renderer=pydoc.plaintext)
    assert "sort(a,axis=-1,kind=None,order=None,*,stable=None" in one_line(text) and "Differences from NumPy" in text
    assert "Parameters" in pydoc.render_doc(gamelan.add, renderer=pydoc.plaintext)
    assert "sort(self,axis=-1" in one_line(pydoc.render_doc(gamelan.ndarray.sort, renderer=pydoc.plaintext))
    out = io.StringIO()
    gamelan.info(gamelan.sort, output=out)
    assert "Differences from NumPy" in out.getvalue()
