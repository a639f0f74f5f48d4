# SPDX-License-Identifier: BSD-3-Clause
# Comms and ipywidgets: models open in the page, changes travel both ways, errors of callbacks are seen.
from importlib.metadata import version

import pytest

from notebook import Cell, Notebook

IS_OLD = version("ipywidgets").startswith("6.")  # its messages are others
SLIDER = "import ipywidgets\nslider = ipywidgets.IntSlider(value=3)\nprint(slider.model_id)\n"


@pytest.fixture
def slider(shared):
    cell = shared.run(SLIDER, timeout=60)
    assert cell.status == "ok", cell.reply
    return cell.out.split()[-1], cell


def send(notebook, kind, content, buffers=None):
    session = notebook.client.session
    message = session.msg(kind, content)
    session.send(notebook.client.shell_channel.socket, message, buffers=buffers)
    cell = Cell(message["header"]["msg_id"])
    cell.reply = {}  # comm messages have none
    notebook.cells[cell.message_id] = cell
    return notebook.finish(cell)


def set_value(notebook, model, **state):
    data = {"method": "backbone", "sync_data": state} if IS_OLD else {"method": "update", "state": state, "buffer_paths": []}
    return send(notebook, "comm_msg", {"comm_id": model, "data": data})


def test_page_that_greets_before_ipywidgets_is_imported(own_home):
    """As the classic notebook does at once; unanswered, ipywidgets 6 later warns in the cell."""
    with Notebook() as notebook:
        assert notebook.run("import sys; 'ipywidgets' in sys.modules").text == "False"
        greeting = {"comm_id": "v", "target_name": "jupyter.widget.version", "data": {}}
        send(notebook, "comm_open", greeting)
        answer = send(notebook, "comm_msg", {"comm_id": "v", "data": {"validated": True}})
        assert answer.err == "" and answer.of_type("error") == []
        cell = notebook.run(SLIDER + "slider", timeout=60)
        assert cell.err == "" and cell.status == "ok"


def test_slider_opens_its_model(slider):
    model, cell = slider
    opened = {c["comm_id"]: c for c in cell.of_type("comm_open")}
    assert opened[model]["target_name"] == "jupyter.widget"
    data = opened[model]["data"]
    assert "IntSlider" in str((data if IS_OLD else data["state"])["_model_name"])


def test_value_from_the_page_arrives_and_callbacks_print(shared, slider):
    model, _ = slider
    shared.run("slider.observe(lambda change: print('now', change['new']), 'value')")
    cell = set_value(shared, model, value=42)
    assert cell.out == "now 42\n"
    assert shared.run("slider.value").text == "42"


def test_value_set_in_a_cell_reaches_the_page(shared, slider):
    model, _ = slider
    (message,) = shared.run("slider.value = 7").of_type("comm_msg")
    assert message["comm_id"] == model and message["data"]["state"] == {"value": 7}


def test_slider_is_displayed_as_a_widget(shared, slider):
    model, _ = slider
    cell = shared.run("slider")
    data = cell.of_type("display_data", "execute_result")
    shown = [d["data"].get("application/vnd.jupyter.widget-view+json", {}).get("model_id") for d in data]
    assert model in shown or cell.of_type("comm_msg")  # before 7.0 a widget is displayed by a message to its model


def test_error_in_a_callback_is_shown_and_survived(shared, slider):
    model, _ = slider
    shared.run("slider.observe(lambda change: 1 / 0, 'value')")
    cell = set_value(shared, model, value=11)
    assert "ZeroDivisionError" in cell.err + str(cell.of_type("error"))
    assert shared.run("slider.value").text == "11"


def test_interact(shared):
    cell = shared.run("from ipywidgets import interact\n@interact(x=(0, 10))\ndef f(x=5): print('x is', x)", timeout=60)
    assert cell.status == "ok" and cell.of_type("comm_open")


def test_open_comms_are_listed_and_closed(shared, slider):
    model, _ = slider
    assert shared.ask("comm_info", target_name="jupyter.widget")["comms"][model] == {"target_name": "jupyter.widget"}
    assert shared.run("slider.close()").of_type("comm_close")[0]["comm_id"] == model
    assert model not in shared.ask("comm_info")["comms"]


TARGET = """
from ipykernel.comm import Comm
received = []
def opened(comm, message):
    comm.on_msg(lambda m: (received.append((m['content']['data'], [bytes(b) for b in m['buffers']])), comm.send({'echo': 1}, buffers=[b'xyz'])))
    comm.on_close(lambda m: received.append('closed'))
    received.append(message['content']['data'])
get_ipython().kernel.comm_manager.register_target('mine', opened)
"""


def test_comm_opened_by_the_page(shared):
    assert shared.run(TARGET).status == "ok"
    send(shared, "comm_open", {"comm_id": "c1", "target_name": "mine", "data": {"a": 1}})
    echo = send(shared, "comm_msg", {"comm_id": "c1", "data": {"b": 2}}, buffers=[b"\x00\x01", b""])
    assert echo.of_type("comm_msg") == [{"comm_id": "c1", "data": {"echo": 1}}]
    assert [bytes(b) for b in next(m for m in echo.messages if m["msg_type"] == "comm_msg")["buffers"]] == [b"xyz"]
    send(shared, "comm_close", {"comm_id": "c1", "data": {}})
    assert shared.run("received").text == r"[{'a': 1}, ({'b': 2}, [b'\x00\x01', b'']), 'closed']"
    assert "c1" not in shared.ask("comm_info")["comms"]


def test_unknown_target_is_closed_at_once(shared):
    cell = send(shared, "comm_open", {"comm_id": "c2", "target_name": "nobody", "data": {}})
    assert cell.of_type("comm_close")[0]["comm_id"] == "c2"
    assert cell.err == ""


def test_comm_from_a_cell(shared):
    cell = shared.run(
        "from ipykernel.comm import Comm\nc = Comm('elsewhere', {'x': 1}, comm_id='c3')\nc.send({'y': 2})\nc.close()"
    )
    assert cell.shown == ["comm_open", "comm_msg", "comm_close"]
    assert cell.of_type("comm_open")[0]["target_name"] == "elsewhere"
    assert shared.run("c.comm_id").text == "'c3'"


def test_comms_are_those_of_the_package_comm(shared):
    cell = shared.run(
        "import comm\nfrom comm.base_comm import BaseComm, CommManager\n"
        "c = comm.create_comm(target_name='elsewhere', data={'x': 1}, metadata={'version': '2'}, buffers=[b'ab'])\n"
        "found = isinstance(c, BaseComm), isinstance(comm.get_comm_manager(), CommManager), comm.get_comm_manager().get_comm(c.comm_id) is c\n"
        "c.close()\nfound, comm.get_comm_manager().get_comm(c.comm_id)"
    )
    assert cell.text == "((True, True, True), None)", cell.reply
    assert cell.shown[:2] == ["comm_open", "comm_close"]
    (opened,) = (message for message in cell.messages if message["msg_type"] == "comm_open")
    assert opened["metadata"]["version"] == "2" and [bytes(part) for part in opened["buffers"]] == [b"ab"]


def test_a_kernel_without_the_package_comm(own_home, tmp_path):
    """A venv with IPython alone: everything but widgets."""
    (tmp_path / "comm.py").write_text("raise ModuleNotFoundError(\"No module named 'comm'\", name='comm')\n")
    with Notebook(env={"PYTHONPATH": str(tmp_path)}) as notebook:
        assert notebook.run("1 + 1").text == "2"
        assert notebook.run("get_ipython().kernel.comm_manager is None").text == "True"
        cell = send(notebook, "comm_open", {"comm_id": "v", "target_name": "jupyter.widget.version", "data": {}})
        assert cell.of_type("comm_close")[0]["comm_id"] == "v" and cell.err == ""


@pytest.mark.parametrize("text", ["raise RuntimeError('not to be run')", "size = 4"])
def test_a_file_of_the_user_named_comm_is_not_the_package(own_home, tmp_path, text):
    (tmp_path / "comm.py").write_text(text)
    with Notebook(cwd=str(tmp_path)) as notebook:
        assert notebook.run("get_ipython().kernel.comm_manager is None").text == "False"
