# SPDX-License-Identifier: BSD-3-Clause
"""Run a notebook headless with the gamelan kernel and print what its cells say.

    run_notebook.py NOTEBOOK FOLDER     the executed notebook and its pictures go to FOLDER

Used by deploy/demo. The exit code is 1 when a cell raises, or its value cannot be shown; the traceback is printed.
"""

import base64
import sys
import time
from pathlib import Path

import nbclient
import nbformat

CELL_SECONDS = 300


def show(cell, stem, folder):
    """Print the outputs of one cell; pictures become files."""
    for number, output in enumerate(cell.get("outputs", [])):
        if output.output_type == "stream":
            print(output.text, end="")
        elif output.output_type == "error":
            print("\n".join(output.traceback))
        else:
            picture = output.data.get("image/png")
            if picture:
                path = folder / f"{stem}-{number}.png"
                path.write_bytes(base64.b64decode(picture))
                print(f"[picture: {path}]")
            elif "text/plain" in output.data:
                print(output.data["text/plain"])


def main():
    source, folder = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    notebook = nbformat.read(source, as_version=4)
    client = nbclient.NotebookClient(
        notebook,
        kernel_name="gamelan",
        timeout=CELL_SECONDS,
        startup_timeout=60,
        resources={"metadata": {"path": str(source.parent)}},
    )
    start = time.monotonic()
    failed = False
    try:
        client.execute()
    except nbclient.exceptions.CellExecutionError:
        failed = True  # its traceback is among the cell's outputs
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            failed = failed or any(output.output_type == "error" for output in cell.outputs)
            show(cell, f"{source.stem}-{number}", folder)
    nbformat.write(notebook, folder / source.name)
    print(
        f"{source.name}: {'failed' if failed else 'done'} in {time.monotonic() - start:.1f} s; "
        f"with its outputs: {folder / source.name}"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
