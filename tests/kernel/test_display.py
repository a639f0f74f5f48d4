# SPDX-License-Identifier: BSD-3-Clause
# Rich display: what a cell shows, of which type, in which order.
import base64


def test_result_with_html(shared):
    cell = shared.run(
        "class Card:\n" "    def _repr_html_(self): return '<b>card</b>'\n" "    def __repr__(self): return 'card'\n" "Card()"
    )
    assert cell.result == {"text/html": "<b>card</b>", "text/plain": "card"}
    assert cell.of_type("execute_result")[0]["execution_count"] == cell.reply["execution_count"]


def test_semicolon_and_none_show_nothing(shared):
    assert shared.run("1;").shown == []
    assert shared.run("None").shown == []


def test_last_results_are_named(shared):
    shared.run("6 * 7")
    assert shared.run("_ + 1").text == "43"
    assert shared.run("Out[len(Out) and max(Out)]").text == "43"


def test_bytes_become_base64_and_nan_stays_json(shared):
    cell = shared.run(
        "class Picture:\n"
        "    def _repr_png_(self): return b'\\x89PNG'\n"
        "    def _repr_json_(self): return {'x': float('nan')}\n"
        "Picture()"
    )
    assert base64.b64decode(cell.result["image/png"]) == b"\x89PNG"
    assert cell.result["application/json"] == {"x": "nan"}


def test_update_display_keeps_the_id(shared):
    cell = shared.run(
        "from IPython.display import display, HTML\n"
        "handle = display(HTML('one'), display_id='mark')\n"
        "handle.update(HTML('two'))"
    )
    first, second = cell.of_type("display_data", "update_display_data")
    assert first["transient"] == second["transient"] == {"display_id": "mark"}
    assert second["data"]["text/html"] == "two"
    assert cell.shown == ["display_data", "update_display_data"]


def test_clear_output(shared):
    cell = shared.run("from IPython.display import clear_output\nprint(1); clear_output(wait=True); print(2)")
    assert cell.shown == ["stdout", "clear_output", "stdout"]
    assert cell.of_type("clear_output") == [{"wait": True}]


def test_prints_and_displays_keep_their_order(shared):
    cell = shared.run(
        "import sys\n"
        "from IPython.display import display\n"
        "print('a'); display(1); print('b', file=sys.stderr); print('c'); display(2)\n"
        "print('d'); 5"
    )
    assert cell.shown == ["stdout", "display_data", "stderr", "stdout", "display_data", "stdout", "execute_result"]


def test_three_thousand_displays_arrive_all(shared):
    cell = shared.run("from IPython.display import display\nfor i in range(3000): display(i)", timeout=60)
    assert [c["data"]["text/plain"] for c in cell.of_type("display_data")] == [str(i) for i in range(3000)]


def test_captured_output_is_not_shown(shared):
    cell = shared.run("%%capture caught\nprint('x')\nfrom IPython.display import display\ndisplay(3)")
    assert cell.shown == []
    assert shared.run("caught.stdout, len(caught.outputs)").text == "('x\\n', 1)"


FIGURE = "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2]);\n"


def test_figure_is_shown_at_the_end_of_the_cell(shared):
    cell = shared.run(FIGURE + "print('after the plot call')", timeout=60)
    assert cell.status == "ok"
    assert cell.shown == ["stdout", "display_data"]
    assert base64.b64decode(cell.of_type("display_data")[0]["data"]["image/png"]).startswith(b"\x89PNG")
    assert shared.run("plt.get_fignums()").text == "[]"


def test_figure_is_shown_where_show_is_called(shared):
    assert shared.run(FIGURE + "plt.show()\nprint('after')", timeout=60).shown == ["display_data", "stdout"]


def test_figure_of_a_cell_that_raised_is_shown(shared):
    assert shared.run(FIGURE + "1 / 0", timeout=60).shown == ["error", "display_data"]


def test_matplotlib_magic(shared):
    assert shared.run("%matplotlib inline\n" + FIGURE, timeout=60).shown == ["display_data"]
    assert shared.run("%gui qt").ename in ("UsageError", None)


def test_libraries_know_that_this_is_a_notebook(shared):
    cell = shared.run("type(get_ipython()).__name__, 'IPKernelApp' in get_ipython().config")
    assert cell.text == "('ZMQInteractiveShell', True)"
