# SPDX-License-Identifier: BSD-3-Clause
"""Round trip and throughput between two hosts over TCP, by the plainest means there are.

Runs inside hosts: `serve` answers, `ask ADDRESS BYTES` measures and prints JSON. `between` does both from
outside. Medians: the cores are shared with everything else.
"""

import json
import socket
import statistics
import sys
import time

PORT = 7100
TURNS = 31


def serve():
    with socket.create_server(("0.0.0.0", PORT)) as listener:
        print("ready", flush=True)
        while True:
            connection, _ = listener.accept()
            with connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                wanted = int.from_bytes(connection.recv(8), "big")  # 0: an echo; else bytes that will come
                if wanted == 0:
                    while word := connection.recv(1):
                        connection.sendall(word)
                    continue
                while wanted > 0 and (got := len(connection.recv(1 << 20))):
                    wanted -= got
                if wanted == 0:  # else the asker has gone
                    connection.sendall(b"!")


def round_trip_us(address):
    with socket.create_connection((address, PORT), timeout=20) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(bytes(8))
        taken = []
        for _ in range(TURNS):
            start = time.perf_counter()
            connection.sendall(b"?")
            connection.recv(1)
            taken.append(time.perf_counter() - start)
    return statistics.median(taken) * 1e6


def mbit_per_second(address, size):
    """Payload only; from the first byte sent to the receiver's word that it has the last."""
    with socket.create_connection((address, PORT), timeout=60) as connection:
        start = time.perf_counter()
        connection.sendall(size.to_bytes(8, "big"))
        connection.sendall(bytes(size))
        connection.recv(1)
        return size * 8 / (time.perf_counter() - start) / 1e6


def between(cluster, sender, receiver, size=32 << 20):
    """{"round_trip_us", "mbit_per_second"} from one host of a cluster to another."""
    server = cluster.popen(receiver, ["/usr/bin/python3", __file__, "serve"], text=True, stdout=-1)
    try:
        assert server.stdout.readline() == "ready\n"
        done = cluster.run(sender, ["/usr/bin/python3", __file__, "ask", cluster.address(receiver), size], check=True)
        return json.loads(done.stdout)
    finally:
        server.kill()
        server.communicate()


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve()
    where, size = sys.argv[2], int(sys.argv[3])
    print(json.dumps({"round_trip_us": round_trip_us(where), "mbit_per_second": mbit_per_second(where, size)}))
