# SPDX-License-Identifier: BSD-3-Clause
"""Programs that compute with the same engines, each in a process of its own, told line by line what to do."""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time

import pytest
from launch_fixtures import BUILD

MB = 1_000_000
OF_ALL = "sorted(bytes for _, _, bytes in np.arrays().clients)"

_PROGRAM = """
import json, sys
import numpy
import gamelan as np
space = {"np": np, "numpy": numpy}
for line in sys.stdin:
    code = json.loads(line)
    try:
        try:
            value = eval(compile(code, "line.py", "eval"), space)
        except SyntaxError:
            value = exec(compile(code, "line.py", "exec"), space)
        np.sync()
        answer = str(value)
    except Exception as error:
        answer = f"{type(error).__name__}: {error}"
    print(json.dumps(answer), flush=True)
"""


class Client:
    """A program at engines. `client("x.sum()")` is what the expression gives, as text, or "KIND: MESSAGE" of its error."""

    def __init__(self, engines, **variables):
        self._error = tempfile.TemporaryFile()
        settings = {"PYTHONPATH": str(BUILD / "python"), "GAMELAN_CONNECT": str(engines.connection_file), **variables}
        self.process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._error,
            text=True,
            env={**os.environ, "GAMELAN_DISTRIBUTE_FROM": "1000", **settings},
        )

    def __call__(self, code):
        self.process.stdin.write(json.dumps(code) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, self.told()
        return json.loads(line)

    def told(self):
        """What it has written to stderr."""
        return os.pread(self._error.fileno(), MB, 0).decode()

    def end(self):
        """Ends as programs do; what it wrote to stderr."""
        self.process.stdin.close()
        self.process.wait(20)
        return self.told()

    def kill(self):
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def start(runtime):
    """Starts engines and programs at them; all are gone at the end."""
    from gamelan import launch

    started, clients = [], []

    def start(ranks, count=2, **settings):
        engines = launch.start(ranks, idle_timeout=30, **settings)
        started.append(engines)
        clients.extend(Client(engines) for _ in range(count))
        return engines, *clients

    yield start
    for client in clients:
        if client.process.poll() is None:
            client.kill()
    for engines in started:
        engines.stop()


def after(condition, action, seconds=0.0):
    """In a thread: once the condition is met, and so many seconds have passed since then, the action."""

    def run():
        wait_until(condition, 120)
        time.sleep(seconds)
        action()

    threading.Thread(target=run, daemon=True).start()


def wait_until(condition, seconds=20):
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "it took too long"
        time.sleep(0.1)
