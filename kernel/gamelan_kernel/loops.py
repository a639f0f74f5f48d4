# SPDX-License-Identifier: BSD-3-Clause
"""How far a cell's loop has come: `for i in range(300):`, read off the source and the value of `i`.

The recorder runs ahead of the engines and knows no end of a loop; only the program does. Whatever is not certain is not
told. Evaluates nothing of the user's but whole numbers.
"""

import ast
import linecache
import sys

_ARITHMETIC = (
    ast.Expression,
    ast.Constant,
    ast.Name,
    ast.Load,
    ast.BinOp,
    ast.UnaryOp,
    ast.USub,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.FloorDiv,
)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_parsed = {}  # the newest cell only: its file and tree


def turns(is_cell):
    """(turns over, turns of the loop, is it all that is left to do?) of the outermost loop that this thread is in;
    None when there is none that can be counted. `is_cell(file)` says which code is the user's."""
    frames = []
    frame = sys._getframe(1)
    while frame is not None:
        if is_cell(frame.f_code.co_filename):
            frames.append(frame)
        frame = frame.f_back
    for frame in reversed(frames):
        counted = _counted(frame)
        if counted is not None:
            return counted
    return None


def _counted(frame):
    is_module = frame.f_code.co_name == "<module>"
    block = _body(frame.f_code)
    for place, statement in enumerate(block):
        if not statement.lineno <= frame.f_lineno <= statement.end_lineno:
            continue
        loop = _range_loop(statement)
        if loop is None:
            return None
        numbers = _range(loop, frame.f_globals if is_module else frame.f_locals)
        value = (frame.f_globals if is_module else frame.f_locals).get(loop.target.id)
        if numbers is None or type(value) is not int or value not in numbers:
            return None
        others = any(isinstance(node, (ast.For, ast.While)) for later in block[place + 1 :] for node in ast.walk(later))
        is_rest = is_module and not others and not _may_end_early(loop.body)
        return numbers.index(value), len(numbers), is_rest
    return None


def _may_end_early(body, is_own=True):
    """Whether a statement of the loop's body leaves it: `break`, also within `if` and `try`, or `return`. An exception may
    leave any loop."""
    for statement in body:
        if isinstance(statement, _FUNCTIONS):
            continue
        if isinstance(statement, ast.Return) or is_own and isinstance(statement, ast.Break):
            return True
        is_loop = isinstance(statement, (ast.For, ast.AsyncFor, ast.While))
        for name in ("body", "orelse", "finalbody"):
            if _may_end_early(getattr(statement, name, ()), is_own and not (is_loop and name == "body")):
                return True
        for inner in [*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]:
            if _may_end_early(inner.body, is_own):
                return True
    return False


def _body(code):
    """The statements of a cell or of a function that was written in one."""
    file = code.co_filename
    if file not in _parsed:
        _parsed.clear()
        try:
            _parsed[file] = ast.parse("".join(linecache.getlines(file)))
        except (SyntaxError, ValueError):
            _parsed[file] = None
    tree = _parsed[file]
    if tree is None:
        return []
    if code.co_name == "<module>":
        return tree.body
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name and code.co_firstlineno in _first_lines(node):
            return node.body
    return []


def _first_lines(function):
    """Where Python may say that it begins: at its `def`, or at its first decorator."""
    return {function.lineno, *(each.lineno for each in function.decorator_list)}


def _range_loop(statement):
    """The statement, when it is `for NAME in range(...)`, or in what shows such a range's progress, and sets neither NAME
    nor what the range is made of."""
    if not isinstance(statement, ast.For) or not isinstance(statement.target, ast.Name):
        return None
    made_of = _range_call(statement.iter)
    if made_of is None:
        return None
    used = {node.id for each in made_of.args for node in ast.walk(each) if isinstance(node, ast.Name)} | {statement.target.id}
    for node in (node for inner in statement.body for node in ast.walk(inner)):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and node.id in used:
            return None
    return statement


def _range_call(call):
    """`range(...)` itself, `trange(...)`, or the range in `tqdm(range(...))`."""
    if not isinstance(call, ast.Call):
        return None
    name = getattr(call.func, "id", getattr(call.func, "attr", ""))
    if name in ("range", "trange"):
        return call
    return _range_call(call.args[0]) if name in ("tqdm", "track") and call.args else None


def _range(loop, namespace):
    values = []
    for argument in _range_call(loop.iter).args:
        tree = ast.Expression(argument)
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        known = {name: namespace.get(name) for name in names}
        if not all(isinstance(node, _ARITHMETIC) for node in ast.walk(tree)):
            return None
        if any(type(value) is not int for value in known.values()):
            return None
        try:
            values.append(eval(compile(ast.fix_missing_locations(tree), "<range>", "eval"), {"__builtins__": {}}, known))
        except (ArithmeticError, TypeError, ValueError):
            return None
    try:
        return range(*values)
    except (TypeError, ValueError):
        return None
