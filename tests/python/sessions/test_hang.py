# SPDX-License-Identifier: BSD-3-Clause
"""The watch over tests that hang: it must end what does not want to end."""

import pathlib
import subprocess
import sys

import hang

PROGRAM = """
import time, types
import pytest, hang
hang.keep_standard_error()
item = types.SimpleNamespace(nodeid="a test", session=types.SimpleNamespace())
def sleep(*expected):
    try:
        time.sleep(30)
    except expected as error:
        print(error, flush=True)
with hang.Watch(item, lambda: None, 0.2, 0.2):
    sleep(TimeoutError)
    {then}
"""


def run(then):
    return subprocess.run(
        [sys.executable, "-c", PROGRAM.format(then=then)],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=pathlib.Path(hang.__file__).parent,
    )


def test_a_test_that_hangs_fails_and_a_clean_up_that_hangs_ends_the_run():
    ended = run("sleep(pytest.exit.Exception)")
    assert ended.returncode == 0, ended.stderr
    first, second = ended.stdout.splitlines()
    assert "took longer than 0.2 s" in first and "a test went on for 0.2 s" in second
    assert "a test hangs. This process:" in ended.stderr and "time.sleep" not in ended.stdout


def test_who_catches_everything_is_ended_as_well():
    ended = run("sleep(BaseException); sleep(BaseException)")
    assert ended.returncode == hang.EXIT_CODE, ended.stderr
    assert "cannot be ended" in ended.stderr
