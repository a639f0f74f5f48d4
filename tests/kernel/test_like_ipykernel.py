# SPDX-License-Identifier: BSD-3-Clause
# The differential test: the same cells in ipykernel and in this kernel, one after the other in one session each, show
# the same: outputs and their order, error names and values, tracebacks with their line numbers, payloads, counters.
import difflib
import json
import os
import pprint
import re

import hypothesis
import pytest
from hypothesis import strategies as st

from notebook import Notebook

try:
    for end in os.openpty():
        os.close(end)
except OSError:
    pytest.skip("no pseudo terminals here (/dev/pts), and ipykernel's !commands need them", allow_module_level=True)

# No one-line functions that raise: which lines stack_data shows of those depends on the order of a set of objects.
CELLS = [
    "x = 1",
    "x",
    "x; y = 2",
    "print('a'); print('b', end=''); 'c'",
    "1 / 0",
    "def f(n):\n    if n == 0:\n        raise ValueError('deep', n)\n    return f(n - 1)\n",
    "f(3)",
    "try:\n    f(1)\nexcept ValueError as e:\n    raise KeyError('other') from e",
    "try:\n    f(1)\nexcept ValueError:\n    undefined_name",
    "a b",
    "if True:\nprint(1)",
    "print('never'\nx = 3",
    "'unterminated",
    "\tx = 3\n  y = 4",
    "for i in range(3):\n    print(i)\n    if i == 1: raise StopIteration(i)",
    "class Odd(Exception):\n    def __str__(self): return 'odd text'\nraise Odd()",
    "class Nameless(BaseException): pass\nraise Nameless('b')",
    "raise SystemExit(3)",
    "raise KeyboardInterrupt",
    "assert x == 2, f'x is {x}'",
    "import no_such_module",
    "import json; json.loads('{bad')",
    "[1, 2, 3][10]",
    "{}['missing']",
    "None.attribute",
    "int('no')",
    "lambda: 1 / 0",
    "(lambda: 1 / 0)()",
    "list(map(lambda v: 1 / v, [1, 0]))",
    "exec('1 / 0')",
    "exec(compile('\\n\\n1 / 0', 'made_up', 'exec'))",
    "eval('1 +')",
    "import sys; print('err', file=sys.stderr); print('out')",
    "from IPython.display import display, HTML, Markdown\ndisplay(HTML('<b>1</b>')); print('between'); display(Markdown('*2*'), 3)",
    "class Rich:\n    def _repr_html_(self): return '<i>r</i>'\n    def _repr_latex_(self): return '$r$'\n    def __repr__(self): return 'R'\nRich()",
    "class Broken:\n    def __repr__(self):\n        raise ValueError('no repr')\nBroken()",
    "class Broken:\n    def _repr_html_(self):\n        raise ValueError('no html')\n    def __repr__(self): return 'plain'\nBroken()",
    "%%capture out\nprint('hidden')",
    "out.show()",
    "%no_such_magic",
    "%%no_such_cell_magic\nbody",
    "%%bash\necho hello; exit 0",
    "%%bash\nexit 7",
    "!echo one && echo two >&2",
    "files = !echo a b",
    "files, _exit_code",
    "!exit 3\n_exit_code",
    "%%time\nraise ValueError('timed')",
    "%time 1 / 0",
    "%run /no/such/file.py",
    "%xmode Plain",
    "f(2)",
    "%xmode Minimal",
    "f(2)",
    "%xmode Verbose",
    "f(1)",
    "%xmode Context",
    "len?",
    "f??",
    "get_ipython().set_next_input('later', replace=True)",
    "get_ipython().run_cell('1 / 0')\nprint('after')",
    "get_ipython().showtraceback()",
    "%tb",
    "import asyncio\nawait asyncio.sleep(0)\nraise ValueError('after await')",
    "async def g():\n    await asyncio.sleep(0)\n    return 1 / 0\nawait g()",
    "return 3",
    "yield 3",
    "nonlocal q",
    "x = 10\n\n\n\n# comment\nx +\\\n  1",
    "x = (1,\n     2,\n     3 / 0)",
    "@property\ndef broken(: pass",
    "print('é 😀 \\x1b[31mred\\x1b[0m')",
    "print('carriage\\rreturn\\b')",
    "from IPython.display import clear_output\nprint(1); clear_output(); print(2)",
    "h = display('first', display_id='d'); h.update('second')",
    "_, __, Out.get(2), In[2]",
    "import warnings; warnings.warn('careful')",
    "import logging; logging.getLogger('q').error('logged')",
    "%who_ls int",
    "%%writefile /dev/null\ntext",
    "%pinfo len",
    "raise ExceptionGroup('group', [ValueError(1), TypeError(2)])",
    "e = ValueError('noted'); 1",
    "help(int.bit_count)",
    "import this as zen; len(zen.s)",
    "f'{x!r:>20}'",
    "...",
    "",
    "   ",
    "# only a comment",
    "def deep(n): return deep(n + 1)\nx = 1",
    "import sys; sys.getrecursionlimit() > 100",
]


@pytest.fixture(scope="module")
def pair(own_home):
    with Notebook("python3") as theirs, Notebook() as ours:
        yield theirs, ours


def normal(text):
    """Text without what differs from run to run: addresses, times, process ids, names of temporary files."""
    text = re.sub(r"0x[0-9a-f]+", "0x", text)
    text = re.sub(r"(/[\w.-]+)*/ipykernel_\d+/\d+\.py|\b\d{6,}\.py|(~?/\S*)?<ipython-input-[^>]*>", "<cell>", text)
    text = re.sub(r"(\x1b\[[\d;]*m)", "", text)
    return re.sub(r"\d+(\.\d+)? ([nµm]?s)\b", r"T \2", text)


def normal_traceback(lines):
    # The module of a shell magic's error carries our file; rules are as wide as the terminal IPython thinks it has; how deep
    # recursion goes depends on what called the cell.
    lines = [re.sub(r"\(\d+ times\)", "(N times)", line) for line in lines]
    return [re.sub(r"-{5,}", "---", line.rstrip()) for line in normal("\n".join(lines)).split("\n")]


def visible(cell):
    shown = []
    for message in cell.messages:
        kind, content = message["msg_type"], message["content"]
        if kind == "stream":
            # ipykernel buffers its two streams apart and loses their order; between two displays only the texts count.
            if not shown or shown[-1][0] != "streams":
                shown.append(("streams", {"stdout": "", "stderr": ""}))
            # A warning of the compiler comes as often as each compiles the cell to find its last expression.
            text = re.sub(r"(<>:\d+: SyntaxWarning: [^\n]*\n)\1+", r"\1", content["text"])
            shown[-1][1][content["name"]] += text
        elif kind == "error":
            shown.append((kind, content["ename"], normal(content["evalue"]), normal_traceback(content["traceback"])))
        elif kind not in ("status", "execute_input"):
            shown.append((kind, normal_json(content)))
    shown = [(kind, normal_json(rest[0])) if kind == "streams" else (kind, *rest) for kind, *rest in shown]
    reply = {key: cell.reply.get(key) for key in ("status", "ename", "execution_count")}
    reply["evalue"] = normal(cell.reply.get("evalue", ""))
    reply["payload"] = normal_json(cell.reply.get("payload"))
    reply["traceback"] = normal_traceback(cell.reply.get("traceback", []))
    reply["expressions"] = normal_json(cell.reply.get("user_expressions"))
    return pprint.pformat({"shown": shown, "reply": reply}, width=160).split("\n")


def normal_json(value):
    return normal(json.dumps(value, sort_keys=True, ensure_ascii=False))


def assert_same(pair, code):
    # After an error ipykernel would abort what comes within its next tenth of a second, and count one cell less than we do.
    theirs, ours = (
        visible(notebook.run(code, timeout=30, user_expressions={"u": "1 + 1"}, stop_on_error=False)) for notebook in pair
    )
    difference = "\n".join(difflib.unified_diff(theirs, ours, "ipykernel", "gamelan", lineterm=""))
    assert not difference, f"{code}\n{difference}"


@pytest.mark.parametrize("number", range(len(CELLS)))
def test_cell(pair, number):
    assert_same(pair, CELLS[number])


names = st.sampled_from(["a", "b", "c"])
values = st.one_of(st.integers(-5, 5), st.text("xyzé", max_size=3), st.none(), st.lists(st.integers(0, 3), max_size=3)).map(repr)
simple = st.one_of(
    st.builds("{} = {}".format, names, values),
    st.builds("print({}, {})".format, names, values),
    st.builds("print({}, file=sys.stderr)".format, values),
    st.builds("display({})".format, values),
    st.builds("raise {}({})".format, st.sampled_from(["ValueError", "KeyError", "OSError"]), values),
    st.builds("{} / {}".format, names, names),
    st.builds("{}[{}]".format, names, st.integers(0, 2)),
    names,
    values,
)
blocks = st.recursive(
    st.lists(simple, min_size=1, max_size=4).map("\n".join),
    lambda inner: st.one_of(
        st.builds(lambda body, name: f"def function_{name}():\n{indent(body)}\nfunction_{name}()", inner, names),
        st.builds(lambda body, n: f"for i in range({n}):\n{indent(body)}", inner, st.integers(0, 3)),
        st.builds(lambda body, other: f"try:\n{indent(body)}\nfinally:\n{indent(other)}", inner, inner),
        st.builds(lambda body, other: f"try:\n{indent(body)}\nexcept TypeError as e:\n{indent(other)}", inner, inner),
        st.builds("{}\n\n{}".format, inner, inner),
    ),
    max_leaves=5,
)
# A character taken out makes all kinds of syntax errors.
damaged = st.builds(lambda code, at: code[: at % len(code)] + code[at % len(code) + 1 :], blocks, st.integers(0, 200))


def indent(code):
    return "\n".join("    " + line for line in code.split("\n"))


@pytest.mark.timeout(300)
@hypothesis.settings(max_examples=80, deadline=None, derandomize=False, suppress_health_check=list(hypothesis.HealthCheck))
@hypothesis.given(code=st.one_of(blocks, blocks, damaged))
def test_random_cells(pair, code):
    for notebook in pair:
        notebook.run("import sys\nfrom IPython.display import display\na = b = c = 1", store_history=False)
    assert_same(pair, code)
