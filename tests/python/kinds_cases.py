# SPDX-License-Identifier: BSD-3-Clause
"""One case: a call that NumPy accepts, in which one or two arguments are replaced by another kind of the same. What is
replaced is chosen here, and can be taken back one by one; nothing is known of gamelan."""

import ast
import functools
import inspect
import operator
import re

import numpy

import gamelan
from kinds_calls import every_call
from kinds_changes import DEFINITIONS, of_value
from kinds_parameters import PARAMETERS, TELLING
from kinds_values import DATA, names

PLAIN = "np.array({})"
# Python computes for ever with whole numbers without end, NumPy 1.24 where it draws with parameters without measure; it ends
# the process where x.flat[()] is written, or something is made with a negative extent or count.
_FATAL = re.compile(
    r"(\*\* |power|<<|shift).*2\*\*70|2\*\*70.*(\*\* |<<)|\.flat\[(\(\)|Tuple|tuple|Named)|_like\(.*-\d|frompyfunc\(.*-|random.*(2\*\*70|1e300)"
)


@functools.cache
def calls():
    return every_call()


def _signature(function):
    """The parameters of a public function by its text (`np.linalg.norm`), as {name: kind}; NumPy's C functions tell none, ours do."""
    try:
        ours = (
            operator.attrgetter(function.removeprefix("np."))(gamelan)
            if function.startswith("np.")
            else getattr(gamelan.ndarray, function)
        )
        return list(inspect.signature(ours).parameters.values())
    except (AttributeError, TypeError, ValueError):
        return []


class Piece:
    """A part of a call's text that may be replaced: from, to, its node, and the parameter that it is given for."""

    def __init__(self, node, parameter):
        self.node, self.parameter = node, parameter
        self.start, self.end = node.col_offset, node.end_col_offset


@functools.cache
def pieces(call):
    """The pieces of a call, and its first operand."""
    found = []

    def walk(node, parameter):
        if isinstance(node, (ast.Lambda, ast.JoinedStr)):
            return
        is_number = isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)
        if is_number or isinstance(node, (ast.Constant, ast.Tuple, ast.List)) or isinstance(node, ast.Name) and node.id in DATA:
            found.append(Piece(node, parameter))
        if is_number:
            return
        if isinstance(node, ast.Call):
            text = ast.unparse(node.func)
            parameters = [each.name for each in _signature(text if text.startswith("np.") else getattr(node.func, "attr", ""))]
            parameters = parameters if text.startswith("np.") else parameters[1:]
            walk(node.func, None)
            for number, each in enumerate(node.args):
                walk(each, parameters[number] if number < len(parameters) else None)
            for each in node.keywords:
                walk(each.value, each.arg)
            return
        for child in ast.iter_child_nodes(node):
            walk(child, None)

    walk(ast.parse(call), None)
    first = next((piece.node.id for piece in found if isinstance(piece.node, ast.Name)), None)
    return found, first


@functools.cache
def optional_parameters(call):
    """The parameters of the outermost call that are not given and of which kinds_parameters knows something."""
    node = ast.parse(call).body[0]
    node = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(node, ast.Call):
        return []
    text = ast.unparse(node.func)
    parameters = _signature(text if text.startswith("np.") else getattr(node.func, "attr", ""))
    given = {each.arg for each in node.keywords} | {
        each.name for each in parameters[: len(node.args) + (not text.startswith("np."))]
    }
    known = {"out", "where", *PARAMETERS}
    return [each.name for each in parameters if each.name in known - given and each.default is not each.empty]


class Case:
    """A call and what was replaced in it."""

    def __init__(self, call, changes=()):
        self.call, self.changes = call, list(changes)

    @property
    def text(self):
        """The call with what was replaced in it."""
        text = self.call
        replaced = sorted((change for change in self.changes if change[0] == "piece"), key=lambda change: -change[1])
        for _, start, end, new in replaced:
            text = text[:start] + new + text[end:]
        for change in self.changes:
            if change[0] == "keyword":
                opening = "" if text.endswith("()") else ", "
                text = f"{text[:-1]}{opening}{change[1]})"
        return text

    def is_fatal(self):
        """True for what NumPy cannot be asked. It never ends where it puts into an array without elements, and writes beyond
        its memory where the output of matmul goes backward."""
        changed = " ".join(str(change[-1]) for change in self.changes)
        return _FATAL.search(self.text) or "put(" in self.text and ":0]" in changed or "matmul" in self.text and "::-1" in changed

    @property
    def lines(self):
        """The program: operands, then the call."""
        text = self.text
        definitions = {change[1]: change[2] for change in self.changes if change[0] == "definition"}
        data = DATA
        if "OUT" in text:
            text, data, definitions = self._with_output(text, definitions)
        lines = []
        for name in sorted(used_names(text, data)):
            lines += _definition(name, definitions.get(name, PLAIN), data[name])
        return [*lines, text]

    def _with_output(self, text, definitions):
        """The text with `o` in the place of OUT, as large as what NumPy gives without it."""
        without = text.replace(", out=OUT", "").replace("out=OUT, ", "").replace("out=OUT", "")
        plain = self.call.replace(", out=OUT", "")
        result = _numpy_result(without, definitions)
        if result is None:
            result = _numpy_result(plain, {})
        several = isinstance(result, tuple)
        results = [numpy.asarray(each) for each in (result if several else (result,))]
        data = dict(DATA)
        outputs = ["o", "o2"][: len(results)]
        for name, each in zip(outputs, results):
            data[name] = f"n.zeros({each.shape}, '{each.dtype.str if each.dtype.kind in 'biufc' else 'f8'}')".replace(
                "'<", "'"
            ).replace("'|", "'")
        return text.replace("OUT", f"({', '.join(outputs)})" if several else "o"), data, definitions

    def without(self, number):
        return Case(self.call, self.changes[:number] + self.changes[number + 1 :])

    @property
    def key(self):
        """What is tried: the function and the changes, without their numbers."""
        return f"{self.call}: " + "; ".join(str(change[-1]) for change in self.changes)


def _definition(name, definition, data):
    if " @ " not in definition:
        return [f"{name} = {definition.replace('{}', data)}"]
    base, view = definition.split(" @ ")
    return [f"{name}_ = {base.replace('{}', data)}", f"{name} = {name}_{view}"]


def used_names(text, data=DATA):
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name) and node.id in data}


def _numpy_result(text, definitions):
    """What NumPy gives for an expression; None when it raises."""
    env = names(numpy)
    try:
        with numpy.errstate(all="ignore"):
            for name in used_names(text):
                exec("\n".join(_definition(name, definitions.get(name, PLAIN), DATA[name])), env)
            return eval(text, env)
    except Exception:
        return None


def make(random):
    """A case by chance; `random` is a random.Random."""
    groups = calls().values()
    ((group, _),) = random.choices(list(groups), [weight for _, weight in groups])
    call = random.choice(group)
    changes = []
    found, first = pieces(call)
    optional = optional_parameters(call)
    for _ in range(random.choices([0, 1, 2, 3], [1, 10, 8, 2])[0]):
        weights = [5 if found else 0, 4 if first else 0, 3 if optional else 0]
        kind = random.choices(["piece", "definition", "keyword"], weights if any(weights) else [1, 0, 0])[0]
        change = {"piece": _other_piece, "definition": _other_definition, "keyword": _more}[kind](random, call, changes)
        if change is not None:
            changes.append(change)
    case = Case(call, changes)
    return make(random) if case.is_fatal() else case


def _is_ufunc(call):
    return isinstance(getattr(numpy, call.removeprefix("np.").split("(")[0], None), numpy.ufunc)


def _other_piece(random, call, changes):
    found = [
        each
        for each in pieces(call)[0]
        if not any(change[0] == "piece" and each.start < change[2] and change[1] < each.end for change in changes)
    ]
    if not found:
        return None
    piece = random.choice(found)
    old = call[piece.start : piece.end]
    new = random.choice(_kinds_of(piece)).replace("{}", old)
    try:
        ast.parse(call[: piece.start] + new + call[piece.end :])
    except SyntaxError:
        return None
    return "piece", piece.start, piece.end, new


def _kinds_of(piece):
    by_name = PARAMETERS.get(piece.parameter)
    return by_name if by_name and piece.parameter in TELLING else of_value(piece.node) or by_name or ["1"]


def _other_definition(random, call, changes):
    used = sorted(used_names(call)) + (["o"] if "OUT" in call or any("OUT" in str(change[-1]) for change in changes) else [])
    return ("definition", random.choice(used), random.choice(DEFINITIONS)) if used else None


def _more(random, call, changes):
    given = [change[1].split("=")[0] for change in changes if change[0] == "keyword"]
    left = [name for name in optional_parameters(call) if name not in given]
    if not left:
        return None
    name = random.choice(left)
    if name == "out":
        return "keyword", "out=" + random.choice(
            ["OUT"] * 6 + ["(OUT,)", "OUT.T", "OUT[::-1]", "n.array(OUT)", "[OUT]", "1", *[pieces(call)[1] or "OUT"] * 2]
        )
    if name == "where":
        first = pieces(call)[1] or "x"
        # What NumPy leaves out of a result that nobody made is not set, and is no object where objects belong.
        output = ", out=OUT" if _is_ufunc(call) and "out" not in given else ""
        masks = [f"({first} > 0.5)", f"n.array({first} > 0.5)", f"({first} > 0.5).tolist()", first]
        return "keyword", "where=" + random.choice(
            [*masks, *"True False np.array(True) b m [True] 1 None n.True_".split()]
        ) + output
    return "keyword", f"{name}={random.choice(PARAMETERS[name])}"
