# SPDX-License-Identifier: BSD-3-Clause
"""What Tab offers where IPython cannot know: after an expression whose value is a gamelan array, and after `%engines`.

The class of an expression is read off its text: nothing is evaluated, recorded or sent. What is no array, or is not certain
to be one, is IPython's to complete. Nothing here imports gamelan.
"""

import ast
import inspect
import io
import keyword
import re
import sys
import tokenize
import types

ENGINES_COMMANDS = ("arrays", "attach", "help", "memory", "restart", "start", "status", "stop")  # those of gamelan._magics
_ARRAY_PROPERTIES = {"T", "real", "imag"}
_FACTS = {"shape": tuple, "strides": tuple, "ndim": int, "size": int, "nbytes": int, "itemsize": int}
_CONVERSIONS = {"tolist": list, "tobytes": bytes}
# Functions and methods that return something else than one array.
_NO_ARRAY = set(
    """
    tolist item tobytes tostring tofile dump dumps put putmask place copyto fill_diagonal local_box shape ndim
    size sync stats status explain options array_repr array_str array2string save savez savez_compressed savetxt save_hdf5
    allclose array_equal array_equiv may_share_memory shares_memory iscomplexobj isrealobj isfortran
    nonzero divmod modf frexp meshgrid unravel_index broadcast_arrays ix_ mask_indices diag_indices diag_indices_from
    tril_indices tril_indices_from triu_indices triu_indices_from split array_split hsplit vsplit dsplit histogram histogram2d
    histogramdd gradient polydiv polyfit unique load einsum_path svd eig eigh qr slogdet lstsq cond default_rng get_state
    set_state seed
    shuffle routine distribution
""".split()
)
_IN_PLACE = {"fill", "itemset", "partition", "resize", "setfield", "setflags", "sort"}  # as methods they return nothing


def matches(code, cursor, namespace):
    """The first character of what is completed and the (name, type) pairs offered; None to leave it to IPython."""
    line = code[:cursor].rpartition("\n")[2]
    magic = re.match(r"\s*%engines\s+(\w*)$", line)
    if magic:
        return cursor - len(magic[1]), [(word, "magic") for word in ENGINES_COMMANDS if word.startswith(magic[1])]
    begun = re.search(r"\.(\w*)$", code[:cursor])
    if begun is None or "gamelan" not in sys.modules:
        return None
    found = _class_of(_last_expression(code[: begun.start()]), namespace)
    if found is None:
        return None
    names = [name for name in dir(found) if name.startswith(begun[1]) and (begun[1] or not name.startswith("_"))]
    return begun.start(1), [(name, _type(found, name)) for name in sorted(names, key=lambda name: (name.startswith("_"), name))]


def _type(owner, name):
    return "function" if callable(inspect.getattr_static(owner, name, None)) else "instance"


def _last_expression(code):
    """The expression at the end of unfinished code that a dot after it belongs to, parsed; None when there is none."""
    tokens = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type not in (
                tokenize.NEWLINE,
                tokenize.NL,
                tokenize.COMMENT,
                tokenize.INDENT,
                tokenize.DEDENT,
                tokenize.ENDMARKER,
            ):
                tokens.append(token)
    except (tokenize.TokenError, IndentationError):
        pass  # of a bracket that is still open: what stands before the end has been seen
    first = _start_of_primary(tokens)
    if first is None:
        return None
    lines = code.splitlines(keepends=True)
    row, column = tokens[first].start
    text = "".join([lines[row - 1][column:], *lines[row:]])
    try:
        return ast.parse(f"({text}\n)", mode="eval").body
    except (SyntaxError, ValueError):
        return None


def _start_of_primary(tokens):
    """Place of the token at which `a.b(c)[d]` at the end of the tokens begins; None when they end otherwise."""
    place = len(tokens) - 1
    while place >= 0:
        if tokens[place].string in (")", "]"):
            depth = 0
            while place >= 0:
                depth += (tokens[place].string in (")", "]", "}")) - (tokens[place].string in ("(", "[", "{"))
                if depth == 0:
                    break
                place -= 1
            before = tokens[place - 1] if place > 0 else None
            if place >= 0 and before and (_is_name(before) or before.string in (")", "]")):
                place -= 1
                continue
        elif not _is_name(tokens[place]):
            return None
        elif place > 1 and tokens[place - 1].string == ".":
            place -= 2
            continue
        return place if place >= 0 else None
    return None


def _is_name(token):
    return token.type == tokenize.NAME and not keyword.iskeyword(token.string)


def _class_of(node, namespace):
    """The class of the expression's value when it certainly is an array of gamelan's or a fact about one, else None."""
    array = sys.modules["gamelan"].ndarray

    def is_array(part):
        return _class_of(part, namespace) is array

    match node:
        case ast.Name():
            found = isinstance(namespace.get(node.id), array)
        case ast.BinOp():
            found = is_array(node.left) or is_array(node.right)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert()):
            found = is_array(node.operand)
        case ast.Compare(ops=[ast.Eq() | ast.NotEq() | ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()]):
            found = is_array(node.left) or is_array(node.comparators[0])
        case ast.Subscript():
            found = is_array(node.value)
        case ast.Attribute() if node.attr in _FACTS and is_array(node.value):
            return _FACTS[node.attr]
        case ast.Attribute():
            value = _known(node, namespace)
            found = isinstance(value, array) or node.attr in _ARRAY_PROPERTIES and is_array(node.value)
        case ast.Call(func=ast.Attribute() as method) if is_array(method.value):
            if method.attr in _CONVERSIONS:
                return _CONVERSIONS[method.attr]
            found = method.attr not in _NO_ARRAY | _IN_PLACE and callable(getattr(array, method.attr, None))
        case ast.Call():
            found = _makes_array(_known(node.func, namespace), array)
        case _:
            found = False
    return array if found else None


def _known(node, namespace):
    """The object that a name, or a name in a module, stands for, without asking any other object for an attribute."""
    if isinstance(node, ast.Name):
        return namespace.get(node.id)
    if isinstance(node, ast.Attribute):
        module = _known(node.value, namespace)
        return vars(module).get(node.attr) if isinstance(module, types.ModuleType) else None
    return None


def _makes_array(function, array):
    """Does a call of this object return an array: is it a function of gamelan's, none of those that return other things?"""
    if isinstance(function, type):
        return issubclass(function, array)
    module, name = getattr(function, "__module__", None) or type(function).__module__, getattr(function, "__name__", "")
    return callable(function) and module.partition(".")[0] == "gamelan" and name not in _NO_ARRAY
