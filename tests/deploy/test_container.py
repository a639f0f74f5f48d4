# SPDX-License-Identifier: BSD-3-Clause
"""The image of deploy/container, as somebody's laptop runs it: a script, a lesson, a notebook on a published port, a folder of
one's own, and what is said of a /dev/shm of 64 MB. Needs the image (podman build -t gamelan -f deploy/container/Containerfile .); skips where it is not there.
GAMELAN_PODMAN names another podman, or docker."""

import json
import os
import re
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
import uuid

import pytest

PODMAN = os.environ.get("GAMELAN_PODMAN", "podman")
IMAGE, TOKEN = "gamelan", "a-token-of-the-test"
CELL = "import gamelan as np\nnp.arange(1_000_000).reshape(1000, 1000).sum(axis=0)[:3]"
SERVER_SECONDS = 120
STRANGER = 4321  # a user whom the image does not know


@pytest.fixture(scope="module", autouse=True)
def image():
    if not shutil.which(PODMAN):
        pytest.skip(f"no {PODMAN} here")
    if subprocess.run([PODMAN, "image", "inspect", IMAGE], capture_output=True).returncode:
        pytest.skip("no image: podman build -t gamelan -f deploy/container/Containerfile .")


def run(*words, seconds=300):
    return subprocess.run([PODMAN, "run", "--rm", *words], capture_output=True, text=True, timeout=seconds, check=False)


def test_a_script_on_two_engines():
    program = (
        "import gamelan as np; from gamelan import launch; print(np.ones((2000, 1000)).sum(), launch.list_all()[0]['ranks'])"
    )
    done = run("--shm-size=1g", "-e", "GAMELAN_ENGINES=2", IMAGE, "python3", "-c", program)
    assert done.stdout == "2000000.0 2\n", done


LESSON = """
import nbclient, nbformat
notebook = nbformat.read("/notebooks/01-laplace.ipynb", as_version=4)
nbclient.NotebookClient(notebook, timeout=300, kernel_name="gamelan").execute()
print("".join(output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", [])))
"""


def test_the_first_lesson_runs():
    done = run("--shm-size=1g", "-e", "GAMELAN_ENGINES=2", IMAGE, "python3", "-c", LESSON, seconds=600)
    assert re.search(r"^Laplace .* on 2 engines: \d+ iterations, error", done.stdout, re.MULTILINE), done


def test_a_small_dev_shm_is_told_in_one_sentence():
    done = run("-e", "GAMELAN_ENGINES=2", IMAGE, "python3", "-c", "import gamelan as np; print(np.ones(200_000).sum())")
    assert done.stdout == "200000.0\n" and done.stderr.count("has only 6") == 1 and "--shm-size=4g" in done.stderr, done
    told = run(IMAGE, "doctor").stdout
    assert "[warn] shared memory: /dev/shm has" in told and "--shm-size=4g" in told


def as_owner(folder):
    """The documented words that make the user inside the owner of the folder; root is given somebody else's."""
    if os.getuid() == 0:
        os.chown(folder, STRANGER, STRANGER)
        return ["--user", f"{STRANGER}:{STRANGER}"]
    if os.path.basename(PODMAN) == "podman":
        return ["--userns=keep-id:uid=1000,gid=1000"]
    return ["--user", f"{os.getuid()}:{os.getgid()}"]


@pytest.fixture(params=["lessons"])
def server(request, tmp_path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    name = f"gamelan-test-{uuid.uuid4().hex[:8]}"
    words = ["-d", "--name", name, "--shm-size=1g", "-p", f"127.0.0.1:{port}:8888", "-e", f"JUPYTER_TOKEN={TOKEN}", "-e", "GAMELAN_ENGINES=2"]  # fmt: skip
    if request.param == "folder":
        words += [*as_owner(tmp_path), "-v", f"{tmp_path}:/notebooks"]
    started = run(*words, IMAGE)
    assert started.returncode == 0, started
    yield f"127.0.0.1:{port}"
    log = subprocess.run([PODMAN, "logs", name], capture_output=True, text=True).stderr
    subprocess.run([PODMAN, "rm", "-f", "-t", "5", name], capture_output=True)
    print(log[-2000:])


def ask(server, path, body=None, method=None):
    request = urllib.request.Request(f"http://{server}{path}", headers={"Authorization": f"token {TOKEN}"}, method=method)
    if body is not None:
        request.data = json.dumps(body).encode()
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.status, answer.read()


def wait_for(server):
    limit = time.monotonic() + SERVER_SECONDS
    while True:
        try:
            return ask(server, "/tree")[0]
        except (urllib.error.URLError, OSError):
            if time.monotonic() > limit:
                raise
            time.sleep(0.5)


async def execute(server, kernel, code):
    """Runs a cell as a browser does, over the server's websocket; returns the text of its value."""
    websocket = pytest.importorskip("tornado.websocket")
    connection = await websocket.websocket_connect(f"ws://{server}/api/kernels/{kernel}/channels?token={TOKEN}")
    header = {
        "msg_id": uuid.uuid4().hex,
        "msg_type": "execute_request",
        "username": "",
        "session": uuid.uuid4().hex,
        "version": "5.3",
    }
    content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
    await connection.write_message(json.dumps(
        {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell", "buffers": []}))  # fmt: skip
    while True:
        message = json.loads(await connection.read_message())
        if message["parent_header"].get("msg_id") == header["msg_id"] and message["msg_type"] in ("execute_result", "error"):
            connection.close()
            return message["content"]


def test_a_cell_runs_in_a_notebook_on_the_published_port(server):
    import asyncio

    assert wait_for(server) == 200
    names = json.loads(ask(server, "/api/kernelspecs")[1])["kernelspecs"]
    lessons = {each["name"] for each in json.loads(ask(server, "/api/contents")[1])["content"]}
    assert "gamelan" in names and "01-laplace.ipynb" in lessons
    kernel = json.loads(ask(server, "/api/kernels", {"name": "gamelan"})[1])["id"]
    content = asyncio.run(asyncio.wait_for(execute(server, kernel, CELL), 120))
    assert content["data"]["text/plain"] == "array([499500000, 499501000, 499502000])", content


@pytest.mark.parametrize("server", ["folder"], indirect=True)
def test_a_notebook_is_saved_in_a_folder_of_ones_own(server, tmp_path):
    import asyncio

    assert wait_for(server) == 200
    notebook = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    assert ask(server, "/api/contents/mine.ipynb", {"type": "notebook", "content": notebook}, "PUT")[0] == 201
    assert (tmp_path / "mine.ipynb").stat().st_uid == tmp_path.stat().st_uid
    kernel = json.loads(ask(server, "/api/kernels", {"name": "gamelan"})[1])["id"]
    content = asyncio.run(asyncio.wait_for(execute(server, kernel, CELL), 120))
    assert content["data"]["text/plain"] == "array([499500000, 499501000, 499502000])", content
