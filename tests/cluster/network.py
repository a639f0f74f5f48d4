# SPDX-License-Identifier: BSD-3-Clause
"""The cluster's switch seen from the tests: delay and rate, a cable pulled and put back, frames counted.

One command, one answer over the socket of switch.cpp, which may be asked at any time by anybody who runs as root.
"""

import socket
from dataclasses import dataclass

ANSWER_SECONDS = 10


class NetworkError(Exception):
    """The switch refused a command, or is gone."""


@dataclass(frozen=True)
class Traffic:
    """What went through a port since the cluster is up; `in` is what the host sent."""

    frames_in: int
    bytes_in: int
    frames_out: int
    bytes_out: int
    dropped: int


class Network:
    def __init__(self, control):
        self.control = str(control)

    def _ask(self, *words):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
            connection.settimeout(ANSWER_SECONDS)
            try:
                connection.connect(self.control)
                connection.send(" ".join(map(str, words)).encode())
                answer = connection.recv(65536).decode()
            except OSError as error:
                raise NetworkError(f"the switch at {self.control} does not answer: {error}") from None
        if not answer or answer.startswith("error"):
            raise NetworkError(f"{' '.join(map(str, words))}: {answer or 'the switch has ended'}")
        return answer

    def set_link(self, delay_us, rate_mbit):
        """One-way delay between any two hosts, and the rate of each host's link in each direction; rate 0: no limit."""
        self._ask("link", delay_us, rate_mbit)

    def cut(self, host):
        self._ask("cut", host)

    def heal(self, host):
        self._ask("heal", host)

    def plug(self, host, namespace, number):
        """A new device eth0 in the namespace at that path (as the switch sees it); the last byte of its address."""
        self._ask("plug", host, namespace, number)

    def unplug(self, host):
        self._ask("unplug", host)

    def traffic(self):
        """{host: Traffic}"""
        lines = (line.split() for line in self._ask("count").splitlines())
        return {name: Traffic(*map(int, counts)) for name, *counts in lines}
