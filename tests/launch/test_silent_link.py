# SPDX-License-Identifier: BSD-3-Clause
"""Engines that are silent for longer than heartbeats may be: behind a network that is cut, or stopped. The program waits, says so,
and goes on; nothing is done twice."""

import functools
import json
import os
import re
import select
import signal
import socket
import threading
import time

import pytest
from clients import Client, after
from gamelan import launch

pytestmark = pytest.mark.timeout(300)


class Wire:
    """A way to a port of this machine. While it is cut, nothing passes and nothing is refused."""

    def __init__(self, port):
        self._port, self._pairs, self.is_cut = port, [], False
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        while True:
            if self.is_cut:
                time.sleep(0.05)
                continue
            ends = {end: other for pair in self._pairs for end, other in (pair, pair[::-1])}
            for ready in select.select([self._listener, *ends], [], [], 0.1)[0]:
                if ready is self._listener:
                    near = ready.accept()[0]
                    self._pairs.append((near, socket.create_connection(("127.0.0.1", self._port))))
                elif ready in ends:
                    self._pass(ready, ends[ready])

    def _pass(self, source, target):
        try:
            data = source.recv(1 << 16)
            if data:
                target.sendall(data)
                return
        except OSError:
            pass
        for pair in [pair for pair in self._pairs if source in pair]:
            self._pairs.remove(pair)
            for end in pair:
                end.close()


IDLE_S = 12  # less than a cut lasts here: engines wait for a client that is only silent as long as it waits for them


@pytest.fixture
def wired(runtime, monkeypatch, tmp_path):
    """Engines on tcp, a wire to them, and what clients need to come by it."""
    monkeypatch.setenv("GAMELAN_TRANSPORT", "tcp")
    engines = launch.start(2, idle_timeout=IDLE_S, lease="10m")
    told = json.loads(open(engines.connection_file).read())
    wire = Wire(int(told["addresses"][-1].rpartition(":")[2]))
    told["addresses"] = [f"tcp://127.0.0.1:{wire.port}"]
    file = tmp_path / "connection.json"
    file.touch(0o600)
    file.write_text(json.dumps(told))
    engines.by_wire = type("", (), {"connection_file": file})
    yield engines, wire
    engines.stop()


def later(seconds, action):
    threading.Timer(seconds, action).start()


def test_a_cut_longer_than_heartbeats_may_be_is_waited_for(wired):
    engines, wire = wired
    one = Client(engines.by_wire)
    one("a = np.zeros(200_000); a += 1; b = a.copy()")
    wire.is_cut = True
    after(lambda: "does not answer since 10 s" in one.told(), lambda: setattr(wire, "is_cut", False), IDLE_S - 2)
    assert one("[a.__iadd__(1) for _ in range(10)] and float(a.sum())") == "2200000.0"
    assert not wire.is_cut, "it has waited"
    assert one("float(b.sum()), np.stats()['log_commands'] > 0") == "(200000.0, True)"
    error = one.end()
    assert error.count("does not answer since 10 s: ") == 1 and "waiting up to 10 min (np.config.link_timeout)" in error, error
    assert error.count("the engines answer again, ") == 1 and "computed again" not in error, error


def test_who_is_silent_is_waited_for_although_another_client_dies(wired):
    engines, wire = wired
    silent, other = Client(engines.by_wire), Client(engines)
    silent("a = np.zeros(200_000); a += 1; np.sync()")
    other("b = np.ones(200_000); np.sync()")
    time.sleep(2)  # both are heard after connections that were closed at the start
    wire.is_cut = True
    time.sleep(5)
    other.kill()
    time.sleep(IDLE_S + 3)
    assert engines.wait(0) is None, open(engines.log).read()
    wire.is_cut = False
    assert silent("float(a.sum())") == "200000.0"
    assert "computed again" not in silent.end()


def test_an_interrupt_ends_the_wait_and_the_arrays_stay(wired, tmp_path):
    engines, wire = wired
    ended = tmp_path / "ended"
    one = Client(engines.by_wire)
    one("a = np.zeros(200_000); import os, signal, threading, time; from gamelan import _core")
    one(
        "def interrupt_the_wait():\n"
        "    while _core.suspension() is None: time.sleep(0.1)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "threading.Thread(target=interrupt_the_wait, daemon=True).start()"
    )
    wire.is_cut = True

    after(ended.exists, lambda: setattr(wire, "is_cut", False))
    one(f"try: a += 1; float(a.sum())\nexcept KeyboardInterrupt: open({str(ended)!r}, 'w').close()")
    assert ended.exists() and one("float(a.sum())") == "200000.0"
    assert "computed again" not in one.end()


def test_the_wait_has_a_limit(wired):
    engines, wire = wired
    one = Client(engines.by_wire, GAMELAN_LINK_TIMEOUT="13", GAMELAN_LOG_BYTES="0")
    one("a = np.zeros(200_000)")
    wire.is_cut = True
    error = one("a += 1; float(a.sum())")
    assert error.startswith("EngineLostError") and "does not answer since 13 s" in error, error
    one.kill()


def test_engines_wait_no_longer_than_a_client_said_that_it_waits(wired):
    engines, wire = wired
    one = Client(engines.by_wire)
    one(f"a = np.zeros(200_000); np.config.link_timeout = {IDLE_S + 3}; import time; time.sleep(2)")
    wire.is_cut = True
    ending = engines.wait(60)
    assert ending and f"no client was heard for {IDLE_S + 3} s" in str(ending), ending
    one.kill()


def test_stopped_engines_of_this_machine_are_waited_for(start):
    engines, one = start(2, count=1)
    one("a = np.zeros(200_000); a += 1")
    ranks = [each["pid"] for each in engines.status()["processes"]]
    for pid in ranks:
        os.kill(pid, signal.SIGSTOP)
    # Of engines that are not stopped 20 s of silence are the end.
    after(lambda: "is stopped" in one.told(), lambda: [os.kill(pid, signal.SIGCONT) for pid in ranks], 22)
    assert one("float((a + 1).sum())") == "400000.0"
    one("import time; time.sleep(2)")
    error = one.end()
    assert f"rank 0 on {socket.gethostname()} (process {ranks[0]}) is stopped" in error and "waiting up to 10 min" in error, error
    assert re.search(r"has not answered for \d+ s", error) and error.count("the engines answer again, ") == 1, error
    assert "computed again" not in error


def test_a_stopped_rank_is_named_once_in_each_wait_until_it_goes_on(start):
    engines, one = start(2, count=1)
    one("a = np.zeros(200_000); a += 1")
    pid = {each["rank"]: each["pid"] for each in engines.status()["processes"]}[1]
    stop, go_on = (functools.partial(os.kill, pid, number) for number in (signal.SIGSTOP, signal.SIGCONT))
    stop()
    later(1.5, go_on)
    assert one("float((a + 1).sum())") == "400000.0", "a short stop is no news"
    for times in (1, 2):
        stop()
        after(lambda times=times: one.told().count(" is stopped ") == times, go_on)
        assert one("float((a + 1).sum())") == "400000.0"
    assert one(
        "import time; begin = time.monotonic(); [float((a + 1).sum()) for _ in iter(lambda: time.monotonic() - begin > 4, True)]"
    )
    error = one.end()
    named = re.findall(rf"rank 1 on {socket.gethostname()} \(process {pid}\) is stopped \(noticed at (\d\d:\d\d:\d\d)\), ", error)
    assert len(named) == len(set(named)) == 2 and "An interrupt ends the wait" in error, error
    assert error.count("the engines answer again, ") == 2 and "%engines" not in error, error
