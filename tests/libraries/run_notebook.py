# SPDX-License-Identifier: BSD-3-Clause
"""Runs the cells of a notebook with NumPy in Gamelan's place, in an environment that has its library; prints {cell: what it
shows, as text} as JSON in the last line. Called by test_library_notebooks.py."""

import contextlib
import io
import json
import sys
import warnings

from IPython.core.interactiveshell import InteractiveShell

warnings.simplefilter("ignore")


def main(path):
    with open(path) as file:
        cells = [cell for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
    shell, shown = InteractiveShell.instance(), {}
    for cell in cells:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            result = shell.run_cell(
                "".join(cell["source"]).replace("import gamelan as np", "import numpy as np"), store_history=True
            )
        if not result.success:
            sys.exit(f"cell {cell['id']}: {result.error_before_exec or result.error_in_exec!r}\n{said.getvalue()}")
        shown[cell["id"]] = shell.display_formatter.format(result.result)[0]["text/plain"] if result.result is not None else ""
    print(json.dumps(shown))


main(sys.argv[1])
