# SPDX-License-Identifier: BSD-3-Clause
# The other requests: completion, inspection, history, counting, payloads, and what happens to a queue after an error.
import queue
import re

import pytest


def test_completion_has_types(shared):
    shared.run("def function_of_mine(): pass\nvalue_of_mine = 3")
    reply = shared.ask("complete", code="_of_mine", cursor_pos=0)
    assert reply["status"] == "ok"
    reply = shared.ask("complete", code="x = value_of", cursor_pos=12)
    assert reply["matches"] == ["value_of_mine"]
    assert (reply["cursor_start"], reply["cursor_end"]) == (4, 12)
    (entry,) = shared.ask("complete", code="function_of")["metadata"]["_jupyter_types_experimental"]
    assert entry["type"] == "function" and entry["text"] == "function_of_mine"


def test_completion_of_magics_files_and_attributes(shared):
    assert "%%timeit" in shared.ask("complete", code="%%tim")["matches"]
    assert "%engines" in shared.ask("complete", code="%engi")["matches"]
    shared.run("import numpy")
    assert "numpy.arange" in {"numpy." + m.split(".")[-1] for m in shared.ask("complete", code="numpy.aran")["matches"]}


def test_cursor_counts_characters_not_bytes(shared):
    shared.run("ünïcode_name = 1")
    assert shared.ask("complete", code="'😀'; ünïc", cursor_pos=9)["matches"] == ["ünïcode_name"]


def test_inspection(shared):
    shared.run("def documented(a, b=2):\n    'What it does.'")
    reply = shared.ask("inspect", code="documented(", cursor_pos=11)
    assert reply["found"] and "What it does." in reply["data"]["text/plain"]
    source = shared.ask("inspect", code="documented", detail_level=1)["data"]["text/plain"]
    assert "def documented" in re.sub(r"\x1b\[[\d;]*m", "", source)
    assert shared.ask("inspect", code="no_such_name")["found"] is False


def test_pager(shared):
    (page,) = shared.run("len?").reply["payload"]
    assert page["source"] == "page" and "Return the number of items" in page["data"]["text/plain"]


_LABEL = re.compile(r"^(Signature|Call signature|Type|String form|File|Source|Docstring|Class docstring):", re.M)


def _asked(notebook, code):
    (page,) = notebook.run(code).reply["payload"]
    return re.sub(r"\x1b\[[\d;]*m", "", page["data"]["text/plain"])


@pytest.mark.parametrize("name", ["sort", "linalg.svd", "ones", "save"])
def test_a_function_of_gamelan_is_shown_as_numpys(shared, name):
    shared.run("import gamelan as np, numpy")
    ours, theirs = (_asked(shared, f"{module}.{name}?") for module in ("np", "numpy"))
    assert _LABEL.findall(ours) == ["Signature", "Docstring", "File", "Type"]
    # Most functions of NumPy since 1.25 are objects of a class for IPython, with a signature of their call beside.
    if shared.run(f"import inspect; inspect.isfunction(numpy.{name})").text == "True":
        assert _LABEL.findall(ours) == _LABEL.findall(theirs)
    assert "Returns\n-------" in ours
    with_source = _asked(shared, f"np.{name}??")  # and the docstring, which is composed and does not stand in the source
    assert _LABEL.findall(with_source) == ["Signature", "Docstring", "Source", "File", "Type"]
    for text in ours, with_source:
        assert re.search(r"^Type: *function$", text, re.M) and f"np.{name}(" in text
    reply = shared.ask("inspect", code=f"np.{name}(", cursor_pos=len(name) + 3)
    assert re.search(r"Type:\S* *function", re.sub(r"\x1b\[[\d;]*m", "", reply["data"]["text/plain"]))


def test_methods_and_universal_functions_of_gamelan(shared):
    shared.run("import gamelan as np")
    assert re.search(r"^Type: *ufunc$", _asked(shared, "np.add?"), re.M)
    assert _LABEL.findall(_asked(shared, "np.ndarray.sort?")) == ["Signature", "Docstring", "File", "Type"]
    assert "op table" not in _asked(shared, "np.add?")


def test_completeness(shared):
    ask = lambda code: shared.ask("is_complete", code=code)  # noqa: E731
    assert ask("a = 1") == {"status": "complete"}
    assert ask("for x in y:") == {"status": "incomplete", "indent": "    "}
    assert ask("a b") == {"status": "invalid"}


def test_history(shared):
    shared.run("'first of history'")
    shared.run("'second of history'")
    tail = shared.ask("history", hist_access_type="tail", n=2)["history"]
    assert [entry[2] for entry in tail] == ["'first of history'", "'second of history'"]
    session, line, _ = tail[0]
    ranged = shared.ask("history", hist_access_type="range", session=0, start=line, stop=line + 1)["history"]
    assert ranged == [[session, line, "'first of history'"]]
    with_output = shared.ask("history", hist_access_type="range", session=0, start=line, stop=line + 1, output=True)
    assert with_output["history"][0][2] == ["'first of history'", "'first of history'"]
    found = shared.ask("history", hist_access_type="search", pattern="*second of*", n=5)["history"]
    assert found[-1][2] == "'second of history'"


def test_execution_count_is_that_of_ipython(shared):
    first = shared.run("1").reply["execution_count"]
    assert shared.run("2", silent=True).of_type("execute_input", "execute_result") == []
    unstored = shared.run("3", store_history=False)
    second = shared.run("4")
    assert second.reply["execution_count"] == first + 1
    assert second.of_type("execute_input")[0] == {"code": "4", "execution_count": first + 1}
    assert unstored.of_type("execute_input")[0]["execution_count"] == first + 1
    assert shared.run("In[-1]").text == "'In[-1]'"


def test_user_expressions(shared):
    expressions = shared.run("x = 5", user_expressions={"good": "x + 1", "bad": "1 / 0"}).reply["user_expressions"]
    assert expressions["good"]["data"]["text/plain"] == "6"
    assert expressions["bad"]["ename"] == "ZeroDivisionError"


def test_set_next_input(shared):
    (payload,) = shared.run("get_ipython().set_next_input('next')").reply["payload"]
    assert payload == {"source": "set_next_input", "text": "next", "replace": False}


@pytest.mark.parametrize("stop", [True, False])
def test_cells_queued_behind_an_error(shared, stop):
    failing = shared.send("import time; time.sleep(0.3); 1 / 0", stop_on_error=stop)
    queued = [shared.send(f"print({i})") for i in range(3)]
    message_id = shared.client.kernel_info()
    assert shared.finish(failing).ename == "ZeroDivisionError"
    for i, cell in enumerate(queued):
        shared.finish(cell)
        assert (cell.reply["status"], cell.out) == (("aborted", "") if stop else ("ok", f"{i}\n"))
    # Only cells are dropped: other requests keep their turn.
    assert shared.client.get_shell_msg(timeout=5)["parent_header"]["msg_id"] == message_id
    assert shared.run("1").status == "ok"


def test_unknown_and_malformed_requests_are_survived(shared):
    client = shared.client
    client.shell_channel.send(client.session.msg("no_such_request", {}))
    client.shell_channel.send(client.session.msg("execute_request", b"[1, 2]"))
    client.shell_channel.send(client.session.msg("comm_msg", {"comm_id": "nobody", "data": {}}))
    client.shell_channel.send(client.session.msg("comm_close", {"comm_id": "nobody"}))
    socket = client.shell_channel.socket
    for frames in ([b""], [b"<IDS|MSG>"], [b"<IDS|MSG>", b"sig"], [b"a"] * 3, [b"<IDS|MSG>"] + [b"{}"] * 5):
        socket.send_multipart(frames)
    cell = shared.run("print('alive')")
    assert cell.out == "alive\n" and cell.err == ""


def test_message_with_a_wrong_signature_is_not_run(shared):
    client = shared.client
    shared.run("touched = False")
    key, client.session.key = client.session.key, b"wrong"
    client.execute("touched = True")
    client.session.key = key
    assert shared.run("touched").text == "False"


def test_kernel_info(shared):
    info = shared.ask("kernel_info")
    assert info["implementation"] == "gamelan" and info["status"] == "ok"
    assert info["protocol_version"].startswith("5.")
    assert shared.run("import platform; platform.python_version()").text == repr(info["language_info"]["version"])


def test_top_level_await_and_async_for(shared):
    cell = shared.run("import asyncio\nasync def f():\n    await asyncio.sleep(0.01)\n    return 7\nawait f()")
    assert cell.text == "7"


@pytest.mark.parametrize(
    "code, expected",
    [
        ("%time sum(range(10))", "Wall time"),
        ("%%time\nsum(range(10))", "Wall time"),
        ("%timeit -n 10 -r 2 sum(range(10))", "per loop"),
        ("%%timeit -n 10 -r 2\nsum(range(10))", "per loop"),
        ("%%bash\necho from bash", "from bash"),
        ("!echo from shell", "from shell"),
        ("%pwd", ""),
        ("%who", ""),
        ("%pip --version", "pip"),
        ("lines = !echo a; echo b\nprint(lines)", "['a', 'b']"),
        ("%lsmagic", ""),
        ("%env HOME", ""),
        ("%run -m this", "Zen"),
        ("%%writefile /dev/null\nx", "riting"),
        ("%alias_magic t time", "Created"),
        ("%history -l 2", ""),
    ],
)
def test_magics(shared, code, expected):
    cell = shared.run(code, timeout=40)
    assert cell.status == "ok", cell.reply
    assert expected in cell.out + (cell.text or "")


def test_no_message_is_left_over(shared):
    shared.run("1")
    with pytest.raises(queue.Empty):
        shared.client.get_iopub_msg(timeout=0.3)
