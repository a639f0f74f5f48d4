# SPDX-License-Identifier: BSD-3-Clause
# input() and its kin: the question, the answer, the refusal, and the question that is interrupted.
import pytest

from notebook import wait_until


def test_input_and_getpass(shared):
    asked = []

    def answer(prompt, password):
        asked.append((prompt, password))
        return "reply %d" % len(asked)

    cell = shared.run("import getpass\na = input('name? '); b = getpass.getpass('secret: '); print(a, b)", answer=answer)
    assert asked == [("name? ", False), ("secret: ", True)]
    assert cell.out == "reply 1 reply 2\n"


def test_output_comes_before_the_question(shared):
    cell = shared.send("print('before'); x = input('?')", allow_stdin=True)
    shared.until(cell, lambda c: c.out == "before\n")
    shared.finish(cell, answer=lambda *_: "x")


def test_front_end_without_input(shared):
    cell = shared.run("input('?')")
    assert cell.ename == "StdinNotImplementedError"
    assert shared.run("import getpass; getpass.getpass()").ename == "StdinNotImplementedError"


def test_answer_to_an_interrupted_question_is_not_the_next_answer(shared):
    cell = shared.send("x = input('first')", allow_stdin=True)
    assert shared.client.get_stdin_msg(timeout=10)["content"]["prompt"] == "first"
    shared.manager.interrupt_kernel()
    assert shared.finish(cell).ename == "KeyboardInterrupt"
    shared.client.input("stale")
    wait_until(lambda: shared.run("1").status == "ok", 5)
    assert shared.run("print(input('second'))", answer=lambda *_: "good").out == "good\n"


def test_input_in_a_thread_leaves_others_running(shared):
    code = "import threading\nn = 0\ndef count():\n    global n\n    while n < 5 or not done: n += 1\ndone = False\nt = threading.Thread(target=count); t.start()\nx = input('?'); done = True; t.join(); print(n > 5, x)"
    assert shared.run(code, answer=lambda *_: "yes").out == "True yes\n"


@pytest.mark.parametrize("text", ["", "ünï 😀", "a" * 100_000])
def test_answers_of_any_kind(shared, text):
    cell = shared.run("len(input('?'))", answer=lambda *_: text)
    assert cell.text == str(len(text))


def test_debugger_asks_and_answers(shared):
    answers = iter(["p value", "c"])
    cell = shared.run("value = 41\nbreakpoint()\nprint('on')", answer=lambda *_: next(answers))
    assert "41" in cell.out and cell.out.endswith("on\n")
