# SPDX-License-Identifier: BSD-3-Clause
# Beginning and end: restart, shutdown and every other way to go leave no process behind and run the exit functions;
# the kernel runs in the Python it was told to, or says in one sentence why not.
import contextlib
import json
import os
import pathlib
import queue
import signal
import subprocess
import sys
import textwrap
import time
import venv

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

from notebook import BUILD, KERNELS, Notebook, children_of, is_alive, wait_until

HELPER = """
import atexit, subprocess
helper = subprocess.Popen(['sleep', '300'], start_new_session=True)  # as the launcher of engines is
atexit.register(helper.kill)
print(helper.pid)
"""
BUSY = {
    "idle": None,
    "sleeping": "import time; print('go', flush=True); time.sleep(100)",
    "stubborn": "print('go', flush=True)\nwhile True:\n    try:\n        while True: pass\n    except KeyboardInterrupt: pass",
}


def start_helper(notebook):
    return int(notebook.run(HELPER).out)


@pytest.mark.parametrize("state", BUSY)
def test_shutdown_leaves_no_process(fresh, state):
    helper, pid = start_helper(fresh), fresh.pid
    if BUSY[state]:
        fresh.until(fresh.send(BUSY[state]), lambda c: "go" in c.out)
    start = time.monotonic()
    fresh.manager.shutdown_kernel()
    assert time.monotonic() - start < 4
    assert not is_alive(pid)
    wait_until(lambda: not is_alive(helper), 2, "helper gone")


def test_restart_gives_a_new_kernel(fresh):
    helper, pid = start_helper(fresh), fresh.pid
    fresh.manager.restart_kernel()
    fresh.client.wait_for_ready(timeout=30)
    assert fresh.pid != pid and not is_alive(pid)
    wait_until(lambda: not is_alive(helper), 2, "helper gone")
    assert fresh.run("helper").ename == "NameError"


def test_who_listens_late_hears_that_the_kernel_starts():
    """A page whose kernel has died shows it as dead until it hears so; its socket looks for the new one only now and then."""
    manager = KernelManager(
        kernel_name="gamelan", kernel_spec_manager=KernelSpecManager(kernel_dirs=[str(KERNELS)], ensure_native_kernel=False)
    )
    manager.start_kernel()
    client = manager.blocking_client()
    try:
        client.hb_channel.start()
        wait_until(client.hb_channel.is_beating, 30, "the kernel's heart")
        time.sleep(0.5)
        client.iopub_channel.start()
        heard = [client.get_iopub_msg(timeout=5) for _ in range(3)]
        states = [message["content"]["execution_state"] for message in heard if message["msg_type"] == "status"]
        assert states[-2:] == ["starting", "starting"]
        client.shell_channel.start()
        client.kernel_info(reply=True, timeout=10)
        time.sleep(1)
        with contextlib.suppress(queue.Empty):
            while True:
                heard.append(client.get_iopub_msg(timeout=0))
        assert heard[-1]["content"] == {"execution_state": "idle"}, "no word after the answer: the kernel is known"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_shutdown_reply_is_sent(fresh):
    assert fresh.control("shutdown_request", {"restart": False}) == {"restart": False, "status": "ok"}
    wait_until(lambda: not is_alive(fresh.pid), 5, "kernel gone")


@pytest.mark.parametrize("state", ["idle", "sleeping"])
def test_sigterm_is_a_shutdown(fresh, state):
    helper, pid = start_helper(fresh), fresh.pid
    if BUSY[state]:
        fresh.until(fresh.send(BUSY[state]), lambda c: "go" in c.out)
    os.kill(pid, signal.SIGTERM)
    wait_until(lambda: not is_alive(pid) and not is_alive(helper), 5, "both gone")


def test_a_forked_process_that_is_terminated_ends_alone(fresh):
    """multiprocessing ends its children so, and they share the kernel's handlers."""
    code = (
        "import multiprocessing, time\n"
        "child = multiprocessing.get_context('fork').Process(target=time.sleep, args=(30,))\n"
        "child.start(); time.sleep(0.2); child.terminate(); child.join(5)\n"
        "print(child.exitcode)"
    )
    for _ in range(3):
        assert fresh.run(code).out == "-15\n"
    assert fresh.run("print(41 + 1)").out == "42\n"
    assert is_alive(fresh.pid)


def test_exit_ends_the_kernel_after_the_reply(fresh):
    helper, pid = start_helper(fresh), fresh.pid
    cell = fresh.run("exit()\nprint('the rest of the cell')")
    assert cell.out == "the rest of the cell\n"
    assert cell.reply["payload"] == [{"source": "ask_exit", "keepkernel": False}]
    wait_until(lambda: not is_alive(pid) and not is_alive(helper), 5, "both gone")


def test_keep_kernel(fresh):
    fresh.run("quit(True)")
    assert fresh.run("1").text == "1"


def test_sys_exit_is_an_error_of_the_cell(fresh):
    assert fresh.run("import sys; sys.exit(3)").ename == "SystemExit"
    assert fresh.run("1").text == "1"


def test_an_exit_function_that_hangs_does_not_keep_the_kernel(fresh):
    fresh.run("import atexit, time; atexit.register(time.sleep, 100)")
    pid, start = fresh.pid, time.monotonic()
    fresh.manager.shutdown_kernel()
    assert time.monotonic() - start < 4.5 and not is_alive(pid)


def test_threads_left_running_do_not_keep_the_kernel(fresh):
    fresh.run("import threading, time; threading.Thread(target=time.sleep, args=(100,)).start()")
    start = time.monotonic()
    fresh.manager.shutdown_kernel()
    assert time.monotonic() - start < 2


def test_kernel_leaves_with_its_server(own_home):
    """The server is killed: nobody is left to shut the kernel down."""
    code = textwrap.dedent(
        f"""
        import sys, time
        sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
        from notebook import Notebook
        n = Notebook()
        print(n.pid, n.run({HELPER!r}).out, flush=True)
        time.sleep(100)
        """
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as server:
        kernel, helper = map(int, server.stdout.readline().split())
        server.kill()
    wait_until(lambda: not is_alive(kernel) and not is_alive(helper), 6, "both gone")


def test_crash_says_where_in_the_log_of_the_server(own_home, tmp_path):
    with open(tmp_path / "log", "w") as log, Notebook(stderr=log) as notebook:
        notebook.send("def guilty():\n    import ctypes; ctypes.string_at(0)\nguilty()")
        wait_until(lambda: not is_alive(notebook.pid), 10, "kernel gone")
    said = (tmp_path / "log").read_text()
    assert "Segmentation fault" in said and "in guilty" in said


def test_history_survives_a_kill(fresh):
    fresh.run("'a line to remember'")
    time.sleep(3)  # the kernel writes it when nothing is asked for a while
    os.kill(fresh.pid, signal.SIGKILL)
    with Notebook() as later:
        found = later.ask("history", hist_access_type="search", pattern="*to remember*", n=5)["history"]
    assert found


def test_startup_files_and_configuration_of_the_user_are_read(own_home, tmp_path):
    profile = tmp_path / "profile_default"
    (profile / "startup").mkdir(parents=True)
    (profile / "startup" / "00-mine.py").write_text("from_startup = 11")
    (profile / "ipython_config.py").write_text("c.InteractiveShell.ast_node_interactivity = 'all'")
    with Notebook(env={"IPYTHONDIR": str(tmp_path)}) as notebook:
        assert len(notebook.run("from_startup\nfrom_startup").of_type("execute_result")) == 2


def test_kernelspec():
    spec = json.loads((KERNELS / "gamelan" / "kernel.json").read_text())
    assert spec["interrupt_mode"] == "message" and spec["language"] == "python"
    assert pathlib.Path(spec["argv"][0]).is_absolute() and os.access(spec["argv"][0], os.X_OK)


def test_package_is_importable_without_being_loaded(fresh):
    loaded = fresh.run("import sys; sorted(m for m in sys.modules if m.split('.')[0] in ('gamelan', 'numpy'))")
    assert loaded.text == "[]"
    assert fresh.run(f"{str(BUILD / 'python')!r} in sys.path").text == "True"


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    path = tmp_path_factory.mktemp("venv") / "env"
    venv.EnvBuilder(system_site_packages=True, with_pip=False).create(path)
    site = next(path.glob("lib/python3*/site-packages"))
    (site / "only_here.py").write_text("where = __file__")
    return path


@pytest.mark.parametrize("how", ["GAMELAN_PYTHON", "VIRTUAL_ENV"])
def test_virtual_environment(environment, how):
    env = {how: str(environment / "bin" / "python" if how == "GAMELAN_PYTHON" else environment)}
    with Notebook(env=env) as notebook:
        cell = notebook.run("import sys, only_here; print(sys.prefix); print(sys.executable)")
        assert cell.out.split() == [str(environment), str(environment / "bin" / "python")]
        child = notebook.run(
            "import subprocess; print(subprocess.check_output([sys.executable, '-c', 'import sys; print(sys.prefix)'], text=True))"
        )
        assert child.out.strip() == str(environment)


def refusal(env):
    kernel = subprocess.run(
        [BUILD / "bin" / "gamelan-kernel", "-f", write_connection_file()],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=40,
    )
    assert kernel.returncode == 1
    return kernel.stderr


def write_connection_file():
    from jupyter_client.connect import write_connection_file as write

    return write()[0]


def test_another_python_is_refused_in_one_sentence(tmp_path):
    other = tmp_path / "python"
    other.write_text("#!/bin/sh\nprintf 3.12\n")
    other.chmod(0o755)
    said = refusal({"GAMELAN_PYTHON": str(other)})
    assert "is Python 3.12, but this kernel was built for Python 3." in said and said.count("\n") == 1
    said = refusal({"GAMELAN_PYTHON": str(tmp_path / "none")})
    assert "Is its environment gone? Then make it again, or run `gamelan kernel install`" in said and said.count("\n") == 1
    other.write_text("#!/bin/sh\nexec sleep 60\n")
    assert "does not say which Python it is" in refusal({"GAMELAN_PYTHON": str(other)})


def test_a_shim_stands_for_the_python_that_it_chooses(environment, tmp_path, monkeypatch):
    shim = tmp_path / "python-of-here"
    shim.write_text(f'#!/bin/sh\nexec {environment}/bin/python "$@"\n')
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with Notebook(env={"GAMELAN_PYTHON": shim.name}) as notebook:  # by its name, as a shell finds it
        cell = notebook.run("import sys; print(sys.executable, sys.prefix)")
    assert cell.out.split() == [f"{environment}/bin/python", str(environment)]


def test_python_without_ipython_is_refused_in_one_sentence(tmp_path):
    venv.EnvBuilder(system_site_packages=False, with_pip=False).create(tmp_path / "bare")
    said = refusal({"GAMELAN_PYTHON": str(tmp_path / "bare" / "bin" / "python")})
    assert "IPython" in said and said.count("\n") == 1


def test_bad_command_line_and_connection_file(tmp_path):
    for arguments, word in (([], "usage"), (["-f", str(tmp_path / "none")], "connection file")):
        kernel = subprocess.run([BUILD / "bin" / "gamelan-kernel", *arguments], capture_output=True, text=True, timeout=20)
        assert kernel.returncode == 1 and word in kernel.stderr and kernel.stderr.count("\n") == 1


def test_two_kernels_at_once(fresh):
    with Notebook() as other:
        fresh.run("x = 1")
        assert other.run("x").ename == "NameError"
        assert not set(children_of(fresh.pid)) & set(children_of(other.pid))


def spun_s(**settings):
    """How long a kernel computed after a cell with a product of NumPy's, which the notebook imported before Gamelan."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OPENBLAS_", "OMP_"))}
    with Notebook(env={**environment, **settings}) as notebook:
        notebook.run("import numpy, gamelan; x = numpy.ones((700, 700)); x @ x; import time")
        return float(notebook.run("y = x @ x; t = time.process_time(); time.sleep(0.5); print(time.process_time() - t)").out)


def test_threads_of_numpys_blas_leave_their_cores_to_the_engines():
    if spun_s(OPENBLAS_THREAD_TIMEOUT="28") < 0.06:
        pytest.skip("NumPy's BLAS has no threads that look for work")
    assert spun_s() <= 0.03
