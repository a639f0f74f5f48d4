# SPDX-License-Identifier: BSD-3-Clause
"""What befalls a program in the middle of a checkpoint: an interrupt at any place, other threads, finalizers, engines that die,
another folder."""

import pytest
from lost_engines import CHECKPOINTS, run


def run_in(folder, program, ranks=2):
    return run(CHECKPOINTS + program, ranks, GAMELAN_PROTECT=str(folder), GAMELAN_DISTRIBUTE_FROM="1000")


def test_a_folder_that_is_removed_is_named(runtime, tmp_path):
    place = tmp_path / "kept"
    lines = run_in(
        place,
        """
import shutil
a = np.arange(300_000.0); b = a * 2; a += 1
np.checkpoint()
c = a + b
shutil.rmtree(np.config.protect)
lose()
for each in (a, c):
    print(error_of(lambda: float(each[0])))
print(error_of(lambda: np.publish("b", b)))
d = np.ones(300_000)
print(np.checkpoint() > 0, float(d[1]), len(folders()))
""",
    )
    for line in lines[:3]:
        assert "was lost with its engines: its file " in line and "[" not in line, lines
        assert f".npy is gone: somebody has removed the folder {place}. Run again what made it" in line, lines
    assert lines[3] == "True 1.0 1", lines


# Raises KeyboardInterrupt where CPython looks for signals: behind calls and at the beginnings of functions and loops.
INTERRUPTS = """
import dis
from gamelan import _checkpoint_folder
files, places, seen = {_protection.__file__, _checkpoint_folder.__file__}, {}, 0
def looks_for_signals(code):
    if code not in places:
        places[code], before = set(), None
        for each in dis.get_instructions(code):
            if before in ("CALL", "CALL_FUNCTION_EX", "JUMP_BACKWARD", "RESUME"): places[code].add(each.offset)
            if each.opname != "CACHE": before = each.opname
    return places[code]
def interrupt_at(wanted):
    def watch(frame, event, argument):
        if frame.f_code.co_filename not in files: return None
        frame.f_trace_opcodes = True
        def look(frame, event, argument):
            global seen
            if event == "opcode" and frame.f_lasti in looks_for_signals(frame.f_code):
                seen += 1
                if seen == wanted:
                    sys.settrace(None)
                    raise KeyboardInterrupt
            return look
        return look
    global seen
    seen = 0
    sys.settrace(watch)
a, b = np.arange(20_000.0), np.arange(10_000.0)
np.sync(); np.checkpoint()
wanted, turns, wrong = FIRST, 0, []
while True:
    a += 1; b += 1; turns += 1
    np.sync(); _protection.wait_for_writer()
    interrupt_at(wanted)
    try:
        np.checkpoint() if IS_ASKED else store()
    except KeyboardInterrupt:
        pass
    sys.settrace(None)
    _protection.wait_for_writer()
    other = threading.Thread(target=lambda: float(a[3]), daemon=True)
    other.start(); other.join(20)
    a += 1; b += 1; turns += 1
    np.sync(); _protection.wait_for_writer(); before = folders()
    store(); _protection.wait_for_writer()
    if other.is_alive() or folders() == before or _core.is_checkpoint_asked_for() or len(folders()) != 1:
        wrong.append((wanted, other.is_alive(), len(folders())))
    if seen < wanted: break
    wanted += 7
lose()
print(wrong, wanted > 60, float(a[0]) == turns, float(b[5]) == turns + 5)
"""


@pytest.mark.skipif("sys.version_info >= (3, 12)", reason="other instructions look for signals there")
@pytest.mark.parametrize("is_asked", [True, False])
@pytest.mark.parametrize("first", [1, 4])
def test_an_interrupt_anywhere_leaves_one_checkpoint_and_the_next_one_comes(runtime, tmp_path, is_asked, first):
    lines = run_in(tmp_path, INTERRUPTS.replace("IS_ASKED", str(is_asked)).replace("FIRST", str(first)))
    assert lines == ["[] True True True"], lines


def test_what_a_finalizer_writes_while_arrays_are_copied_is_not_forgotten(runtime, tmp_path):
    lines = run_in(
        tmp_path,
        """
a, b = np.arange(20_000.0), np.arange(20_000.0)
np.sync()
class Late:
    def __del__(self):
        global a
        a += 1
        print(error_of(np.checkpoint))
real, written = _protection.write, []
def write(*all, **more):
    result = real(*all, **more)
    if not written: written.append(Late()); written[0] = None
    return result
_protection.write = write
print(error_of(np.checkpoint))
print(np.checkpoint() > 300_000, len(folders()))
written.clear(); a += 1; store()
print(_core.is_checkpoint_asked_for())  # the next batch makes it
np.sync(); _protection.wait_for_writer()
print(_core.is_checkpoint_asked_for(), len(folders()), np.stats()["log_commands"] < 3)
lose()
print(float(a[0]), float(b[0]))
""",
    )
    refusal, disturbed, *rest = lines
    assert "in the middle of a checkpoint" in refusal, lines
    assert disturbed.endswith("the program computed while its arrays were copied: make another one"), lines
    assert rest == ["True 1", refusal, "True", "False 1 True", "3.0 0.0"], lines


def test_two_threads_that_find_one_due_make_one(runtime, tmp_path):
    lines = run_in(
        tmp_path,
        """
finish, go_on, made = _protection.finish, threading.Event(), []
def slowly(*all):
    made.append(all); go_on.wait(20)
    finish(*all)
_protection.finish = slowly
real, is_asked, is_begun = _protection._is_writing, threading.Event(), threading.Event()
def is_writing():
    known = real()
    if threading.current_thread().name == "other" and not is_asked.is_set():
        is_asked.set(); is_begun.wait(20)  # the first one begins here
    return known
_protection._is_writing = is_writing
a, gone = np.arange(20_000.0), np.arange(20_000.0) + 3
np.sync(); _core.ask_for_checkpoint(True)
other = threading.Thread(target=_core.store_if_due, name="other"); other.start(); is_asked.wait(20)
_core.store_if_due()
del gone; np.sync()
is_begun.set(); other.join(20); go_on.set(); _protection.wait_for_writer()
print(len(made), len(folders()), len(_core.log_arrays()))
lose()
print(float(a[3]))
""",
    )
    assert lines == ["1 1 1", "3.0"], lines


# One thread makes a checkpoint, another one waits for the reply to what it has sent; then a rank is killed.
KILLED = """
x = np.random.default_rng(1).random(1_000_000); b = x + 0; a = np.arange(20_000.0)
np.sync()
def other():
    for k in range(200): np.multiply(b, 0.999, out=b); np.sin(b, out=b); np.cos(b, out=b)
    np.sync()
real, killed = _core.wait_for_others, []
def wait_for_others():
    if not killed: killed.append(kill())
    real()
_core.wait_for_others = wait_for_others
thread = threading.Thread(target=other, daemon=True); thread.start(); time.sleep(0.1)
MAKE
thread.join(60); _protection.wait_for_writer()
first = numpy.array(b)
lose()
print(thread.is_alive(), bool((numpy.array(b) == first).all()), float(a[7]))
"""


@pytest.mark.parametrize("make", ["np.checkpoint()", "store()"])
def test_engines_that_die_while_another_thread_waits_cost_nothing(runtime, tmp_path, make):
    lines = run_in(tmp_path, KILLED.replace("MAKE", make))
    assert lines == ["False True 7.0"], lines


def test_a_folder_that_is_not_used_any_more_does_not_end_those_in_the_next_one(runtime, tmp_path):
    lines = run_in(
        tmp_path / "first",
        """
finish, go_on, first, told = _protection.finish, threading.Event(), np.config.protect, []
def slowly(*all):
    go_on.wait(20)
    finish(*all)
_protection.finish, _protection.show_notice = slowly, told.append
a = np.arange(20_000.0); np.sync(); store()
np.config.protect, np.config.protect_seconds = first + "-next", 1e-9
__import__("shutil").rmtree(first); go_on.set(); _protection.wait_for_writer()
a += 1; np.sync(); _protection.wait_for_writer()
print(len(folders()), len(told), told[0].startswith(f"no checkpoint in {first}: "), "None is tried" in told[0])
_core.ask_for_checkpoint(True); np.config.protect = ""; np.sync()
print(_core.is_checkpoint_asked_for(), [name for name in os.listdir(".") if name.startswith("gamelan-vm")])
""",
    )
    assert lines == ["1 1 True False", "False []"], lines
    assert not [*tmp_path.glob("*/gamelan-*")], "the folders go with the process"


def test_looks_before_one_do_not_have_it_compute_what_has_died(runtime):
    """A look at a few elements leaves the array pending, and a checkpoint that is due waits until what is pending is sent."""
    lines = run(
        CHECKPOINTS
        + """
np.config.protect_seconds = 1000
v = np.arange(4_000_000.0); w = v * 2; z = np.zeros(4_000_000)
for turn in range(20): z = np.exp(np.sin(z) + v * 1e-9)
np.sync()
for turn in range(20): assert float(((v + w) * turn)[turn]) == 3.0 * turn * turn
live = z + w
np.config.protect_seconds = 0.01
print(float((v - w)[3]), float((live - (z + w)).sum()) == 0.0, np.stats()["heap_peak"] < 10 * v.nbytes)
""",
        2,
        GAMELAN_PROTECT="memory",
        GAMELAN_DISTRIBUTE_FROM="1000",
    )
    assert lines == ["-3.0 True True"], lines
