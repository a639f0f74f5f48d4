# SPDX-License-Identifier: BSD-3-Clause
"""A notebook whose kernel runs on the login host of a cluster, driven from outside as tests/kernel drives one.

The front end is here, so that a test can cut cables and power while a cell runs. It speaks to the kernel through ipc
sockets in the cluster's folder, which both see; everything else of the kernel is on the login host.
"""

import contextlib
import json
import os
import secrets
import shutil
import sys
from pathlib import Path

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "kernel"))

from cluster import BUILD  # noqa: E402
from notebook import Notebook  # noqa: E402


@contextlib.contextmanager
def login_notebook(cluster, user=None, env=None):
    """A `Notebook` (tests/kernel/notebook.py) with a fresh kernel on the login host; `env` as in Cluster.popen."""
    folder = cluster.folder / f"kernel-{secrets.token_hex(3)}"
    folder.mkdir(mode=0o700)
    spec = folder / "specs" / "gamelan"
    spec.mkdir(parents=True)
    variables = [f"{name}={value}" for name, value in cluster.environment(user, **(env or {})).items()]
    kernel = ["env", "--ignore-environment", *variables, BUILD / "bin" / "gamelan-kernel", "-f", "{connection_file}"]
    (spec / "kernel.json").write_text(
        json.dumps(
            {
                "argv": cluster.command("login", kernel, user),
                "display_name": "Gamelan on the login host",
                "language": "python",
                "interrupt_mode": "message",
            }
        )
    )
    specs = KernelSpecManager(kernel_dirs=[str(folder / "specs")], ensure_native_kernel=False)
    manager = KernelManager(
        kernel_name="gamelan",
        kernel_spec_manager=specs,
        transport="ipc",
        ip=str(folder / "channel"),
        connection_file=str(folder / "kernel.json"),
    )
    manager.write_connection_file()
    for path in (folder, folder / "kernel.json"):  # the kernel reads the one and puts its sockets into the other
        os.chown(path, user or 0, user or 0)
    try:
        with Notebook(manager=manager) as notebook:
            yield notebook
    finally:
        shutil.rmtree(folder, ignore_errors=True)
