# SPDX-License-Identifier: BSD-3-Clause
"""A program on a host that computes with engines and can be told, line by line, what to do next.

`ask` sends one line of Python; what it gives comes back with how long it took. test_routes.py disturbs the network in
between.
"""

import json
import os
import select
import signal
import subprocess
import time

from namespaces import ClusterError

PROGRAM = """
import json, sys, time
import gamelan as np
from gamelan import _core, _session
np.config.distribute_from = 0
space = {"np": np, "_core": _core, "_session": _session}
print(json.dumps({"value": "ready"}), flush=True)
for line in sys.stdin:
    begun = time.monotonic()
    try:
        answer = {"value": eval(line, space) if not line.startswith("do ") else exec(line[3:], space)}
    except BaseException as error:
        answer = {"error": type(error).__name__, "message": str(error)}
    print(json.dumps({**answer, "seconds": time.monotonic() - begun}), flush=True)
"""


class Client:
    def __init__(self, cluster, connection_file, host="login", user=None, **environment):
        self._process = cluster.popen(
            host,
            ["/usr/bin/python3", "-c", PROGRAM],
            user=user,
            env={"GAMELAN_CONNECT": connection_file, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.await_answer(30)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        try:
            self._process.wait(15)
        except subprocess.TimeoutExpired:
            self.kill()
        self._process.stdout.close()

    def kill(self):
        self._process.kill()
        self._process.wait(10)

    def signal(self, number):
        self._process.send_signal(number)
        if number == signal.SIGCONT:
            os.kill(self._process.pid, number)  # nsenter stops with what it waits for

    def send(self, line):
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def await_answer(self, seconds=30):
        ready, _, _ = select.select([self._process.stdout], [], [], seconds)
        line = self._process.stdout.readline() if ready else ""
        if not line:
            raise ClusterError(f"the client said nothing within {seconds} s (exit code {self._process.poll()})")
        return json.loads(line)

    def ask(self, line, seconds=30):
        """What the line gives; an AssertionError with its message when it raises."""
        self.send(line)
        answer = self.await_answer(seconds)
        assert "error" not in answer, answer
        return answer.get("value")

    def expect_error(self, line, seconds=30):
        """(class, message, seconds) of what the line raises."""
        self.send(line)
        answer = self.await_answer(seconds)
        assert "error" in answer, answer
        return answer["error"], answer["message"], answer["seconds"]


def now():
    return time.monotonic()
