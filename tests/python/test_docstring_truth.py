# SPDX-License-Identifier: BSD-3-Clause
"""What docstrings say is what happens: which calls trigger evaluation, and which exceptions they raise."""

import re
import warnings

import numpy
import pytest

import docstring_functions
import docstring_mistakes
import gamelan
from gamelan import _doc_gaps
from kinds_calls import every_call

_PUBLIC = docstring_functions.public()
# No mistakes of the caller: what Python or NumPy raise where an argument is of the wrong kind.
_OF_KIND = (
    "TypeError",
    "UFuncTypeError",
    "_UFuncNoLoopError",
    "AttributeError",
    "NameError",
    "SystemError",
    "MemoryError",
    "SyntaxError",
)


@pytest.fixture(scope="module")
def raised():
    """{name: {exception: [call]}} of all mistakes, with small arrays."""
    found = {}
    with gamelan.options(distribute_from=10**9):
        for name, call in docstring_mistakes.mistakes():
            error = docstring_mistakes.error_of(call)
            if error is not None:
                found.setdefault(name, {}).setdefault(type(error).__name__, []).append(f"{call}: {error}")
    return found


# A sentence that says of every call that it waits, and one that says it of any.
_ALWAYS = re.compile(r"(?:^|\.\s+)Triggers evaluation(?!,? (?:when|unless|the first time))", re.M)
_TRIGGERS = re.compile(r"(?<!no )(?<!not )trigger(?:s|ing)?\s(?!no\b)evaluation|Triggers evaluation")


def _tells(text, name):
    documented = docstring_functions.raised(text)
    bases = {"AxisError": {"ValueError", "IndexError"}, "FileNotFoundError": {"OSError"}, "UFuncTypeError": {"TypeError"}}
    return name in documented or bool(documented & bases.get(name, set()))


def test_listed_mistakes_are_mistakes():
    wrong = []
    for expected, call in docstring_mistakes.listed():
        with gamelan.options(distribute_from=10**9):
            error = docstring_mistakes.error_of(call)
        if expected not in {each.__name__ for each in type(error).__mro__}:
            wrong.append(f"{call}: {error!r}, expected {expected}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.timeout(300)
def test_what_is_raised_is_told(raised):
    assert len(raised) > 300
    silent = [
        f"{name}: {kind} is not in Raises: {calls[0]}"
        for name, kinds in raised.items()
        for kind, calls in kinds.items()
        if name in _PUBLIC and kind not in _OF_KIND and not _tells(_PUBLIC[name].__doc__, kind)
    ]
    assert not silent, f"{len(silent)}\n" + "\n".join(silent)


@pytest.mark.timeout(300)
def test_what_we_say_is_raised(raised):
    """Each line of our table has a call that raises so. What only distributed arrays raise has tests of its own."""
    missing = []
    for name, entries in _doc_gaps._table(_doc_gaps._RAISES).items():
        titles = [
            name,
            f"ndarray.{name}",
            name.replace("random.", "random.RandomState."),
            name.replace("random.", "random.Generator."),
        ]
        kinds = {kind for title in titles for kind in raised.get(title, {})}
        kinds |= {"ValueError", "IndexError"} if "AxisError" in kinds else set()
        kinds |= {"OSError"} if "FileNotFoundError" in kinds else set()
        kinds |= {"TypeError"} if "UFuncTypeError" in kinds else set()
        if any(map(docstring_mistakes.is_known, titles)):
            missing += [f"{name}: {each.head}" for each in entries if each.head not in kinds]
    if hasattr(numpy, "concat"):
        # NumPy 2 has no error for nothing, and since 2.2 trims arrays of several axes.
        missing = [each for each in missing if each not in ("linalg.matrix_rank: ValueError", "trim_zeros: ValueError")]
    assert not [each for each in missing if not each.endswith(": NotImplementedError") and "as_strided" not in each], missing


def _waits(model, text, distribute_from):
    """True when the call of a text triggers evaluation, with distributed operands; None when it cannot be called so."""
    names = docstring_mistakes.operands(text)
    gamelan.sync()
    before = model.batches
    with warnings.catch_warnings(), numpy.errstate(all="ignore"), gamelan.options(distribute_from=distribute_from):
        warnings.simplefilter("ignore")
        try:
            eval(text, names)
        except NotImplementedError:
            return None
    return model.batches > before


# Calls that wait, of functions that say when they do: those of kinds_calls.py do not. Ten elements are distributed here.
_WAITING = """
np.quantile(v, w / 5); np.percentile(v, w); np.nanquantile(v, w / 5); np.nanpercentile(v, w); np.linspace(z, h, 5)
np.full_like(here([1.0, 2.0]), z); np.ix_(m, p); np.mask_indices(5, np.triu); np.tril_indices(5); np.triu_indices(5); np.tril_indices_from(t[0].T @ t[0])
np.triu_indices_from(t[0].T @ t[0]); np.piecewise(v, [v > 1], [abs, 1.0]); np.random.choice(6, 3, p=w / w.sum()); np.random.choice(v, 20)
np.random.default_rng(5).choice(v, 20); np.random.beta(w, 2.0); np.random.chisquare(w); np.random.f(w, 3); np.random.geometric(w / 5)
np.random.gumbel(v, w); np.random.hypergeometric(l, 4, 3); np.random.logistic(v, w); np.random.lognormal(v, w)
np.random.logseries(w / 5); np.random.multivariate_normal([0, 1, 2], q); np.random.negative_binomial(l, 0.5)
np.random.noncentral_chisquare(w, 1.5); np.random.noncentral_f(w, 3, 1.5); np.random.pareto(w); np.random.power(w)
np.random.rayleigh(w); np.random.standard_t(w); np.random.triangular(s, s + 1, s + 2); np.random.vonmises(0, w); np.random.wald(w, 2)
np.random.weibull(w); np.random.zipf(w + 1); np.random.default_rng(5).exponential(w); np.random.default_rng(5).multinomial(l, [0.2, 0.8])
np.random.default_rng(5).dirichlet(w); v.compress(m); np.insert(v, k, 3.0); v.put(k, 3.0); v.repeat(k); v.take(k); w.searchsorted(0.5, sorter=p)
x[0].view("M8[s]"); np.partition(np.arange(40000.0), 2); np.argpartition(np.arange(40000.0), 2); next(map(np.arange, (40000.0,))).partition(2)
np.isin(np.arange(40), np.arange(20))
"""


def test_what_triggers_evaluation_says_so(model):
    """And what says so without a condition always does; with a condition, it does in one of the calls."""
    silent, false, seen, waiting = [], [], set(), set()
    for group in ("functions", "linalg", "fft", "random", "methods"):
        for text in every_call()[group][0]:
            name = docstring_mistakes.name_of(text)
            if name not in _PUBLIC or "OUT" in text:
                continue
            seen.add(name)
            waits = _waits(model, text, 65536)
            said = docstring_functions.differences(_PUBLIC[name].__doc__)
            if waits:
                waiting.add(name)
                silent += [] if "rigger" in said else [text]
            if waits is False and _ALWAYS.search(said):
                false.append(text)
    for call in filter(None, map(str.strip, _WAITING.replace("\n", ";").split(";"))):
        if _waits(model, call, 10):
            waiting.add(docstring_mistakes.name_of(call))
    assert len(seen) > 300
    assert not silent, f"trigger evaluation and do not say so: {silent}"
    assert not false, f"say that they trigger evaluation and do not: {false}"
    never = {name for name in seen - waiting if _TRIGGERS.search(docstring_functions.differences(_PUBLIC[name].__doc__))}
    assert not never, f"say that they trigger evaluation, and no call does: {sorted(never)}"
