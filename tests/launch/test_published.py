# SPDX-License-Identifier: BSD-3-Clause
"""Arrays with names: what one client publishes, others attach."""

import os
import signal

import pytest
from clients import MB, OF_ALL, Client, wait_until


@pytest.mark.parametrize("ranks", [1, 3])
def test_an_attached_array_is_the_publishers(start, ranks):
    _, one, other = start(ranks)
    one("a = np.arange(120_000.0).reshape(300, 400); np.publish('grid', a[1:, ::2].T); np.publish('small', [1, 2, 3])")
    assert other("g = np.attach('grid')") == "None"
    assert other("(g == numpy.arange(120_000.0).reshape(300, 400)[1:, ::2].T).all()") == "True"
    assert other("g.flags.writeable, np.attach('small') + 1") == "(False, array([2, 3, 4]))"
    assert other("g[0, 0] = 1").startswith("ValueError"), "read-only unless said"
    assert other("float(g[0, 0])") == "400.0"
    one("a[1, 0] = -5")
    assert other("float(g[0, 0]), float(g.min())") == "(-5.0, -5.0)", "nothing fetched is kept"
    assert other("w = np.attach('grid', writeable=True); w[1, 0] = -7") == "None"
    assert one("float(a[1, 2]), float(a.min())") == "(-7.0, -7.0)"
    assert other("float((g * 2).min())") == "-14.0"


def test_names_are_said_in_errors(start):
    _, one, other = start(2)
    one("a = np.ones(5000)")
    assert "there is nothing" in other("np.attach('grid')")
    assert one("np.publish('grid', a)") == "None"
    told = other("np.publish('grid', np.zeros(5000))")
    assert told.startswith("ValueError") and f"process {one.process.pid} on" in told, told
    told = other("np.attach('gird')")
    assert told.startswith("KeyError") and "'grid'" in told, told
    assert other("np.unpublish('gird')").startswith("KeyError")
    assert other("np.unpublish('grid'), np.publish('grid', np.zeros(5000))") == "(None, None)", "anybody may take a name away"
    assert one("float(np.attach('grid').sum()), float(a.sum())") == "(0.0, 5000.0)"
    assert other("[each.published for each in np.arrays() if each.published]") == "['grid']"
    assert other("np.publish('', 1)").startswith("ValueError") and other("np.publish('o', [object()])").startswith(
        "NotImplementedError"
    )


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_published_array_lives_on_when_its_publisher_ends(start, ranks):
    engines, one, other = start(ranks)
    one("a = np.ones(1_000_000); b = np.ones(1_000_000); np.publish('a', a)")
    assert one.end() == ""
    assert other("len(np.arrays()), float(np.attach('a').sum())") == "(1, 1000000.0)"
    assert other("a = np.attach('a'); np.unpublish('a'); x = np.attach('a')").startswith("KeyError")
    assert other("float(a.sum())") == "1000000.0"
    assert other("len(np.arrays())") == "1", "who has it keeps it"
    other("del a")
    assert other("len(np.arrays())") == "0"


def test_attached_twice_and_by_the_publisher(start):
    _, one, other = start(1)
    one("a = np.ones(1_000_000); np.publish('a', a); again = np.attach('a', writeable=True); again += 1; del again")
    assert one("float(a.sum())") == "2000000.0"
    other("p = np.attach('a'); q = np.attach('a'); del p")
    one("np.unpublish('a'); del a; np.sync()")
    assert other("float(q.sum())") == "2000000.0"
    assert other("len(np.arrays())") == "1"
    other("del q")
    assert other("len(np.arrays())") == "0"
    one("a = np.ones(1_000_000); np.publish('a', a); del a; np.sync()")
    assert one("float(np.attach('a').sum())") == "1000000.0", "the name alone keeps it"


def test_a_statement_that_fails_lets_go_of_nothing_twice(start):
    _, one, other = start(1)
    one("a = np.ones(1_000_000); np.publish('a', a); np.publish('number', 5.0)")
    other("p = np.attach('a'); q = np.attach('a')")
    one("np.unpublish('a'); del a; np.sync()")
    assert other("del p; np.linalg.inv(np.zeros((300, 300)))").startswith("LinAlgError")
    assert other("np.sync(), float(q.sum())") == "(None, 1000000.0)"
    assert other("np.shape(np.attach('number'))") == "()"


def test_a_killed_publishers_array_outlives_its_lease(start):
    engines, one, other = start(2, lease="2s")
    one("a = np.ones(1_000_000); b = a + 1; np.publish('a', a)")
    other("x = np.ones(500_000)")
    one.kill()
    wait_until(lambda: other("len(np.arrays())") == "2")
    assert other("float(np.attach('a').sum())") == "1000000.0"
    assert other(OF_ALL) == str([4 * MB])


def test_engines_that_follow_have_the_names_again(start):
    engines, one, _ = start(2)
    one("a = np.arange(5000.0); b = a * 2; np.publish('a', a); np.publish('gone', a + 1)")
    one("from gamelan import _core; _core.part('the test took the engines away'); _core.end_part()")
    assert one("float(b[2])") == "4.0", "the same engines, which hold what was there before"
    other = Client(engines)
    assert other("x = np.attach('a'); y = x + 1; z = y * 2; y.sum()") == "None" and other("float(y.sum())") == "12502500.0"
    assert other("float(np.attach('gone')[0])") == "1.0", "a name holds its array"
    other("_core = __import__('gamelan')._core; _core.part('again'); _core.end_part()")
    told = other("float(y.sum())")
    assert "it was made from the array attached as 'a', which this program did not compute" in told, told
    assert "it was attached as 'a', not computed here: np.attach it again" in other("float(x.sum())")
    assert "it was made from the array attached as 'a'" in other("float(z.sum())")
    other("again = np.attach('a')")
    assert other("float(again.sum())") == "12497500.0", "also while the lost one has a name"
    other.end()


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_publisher_that_comes_back_after_its_lease_leaves_what_others_hold(start, ranks):
    engines, one, other = start(ranks, lease="2s")
    one("a = np.arange(5000.0); b = a * 2; np.publish('a', a); c = np.ones(5000); np.publish('c', c); d = c + 1; del c")
    other("x = np.attach('a', writeable=True); y = np.attach('c'); np.unpublish('c')")
    os.kill(one.process.pid, signal.SIGSTOP)
    wait_until(lambda: other(OF_ALL) == "[80000]")
    other("x[0] = 7; x[1:3] = 1")
    os.kill(one.process.pid, signal.SIGCONT)
    assert one("float(b.sum())") == "24995000.0" and one("float(d.sum())") == "10000.0", "of what it had itself computed"
    assert one("a[:4].tolist()") == "[7.0, 1.0, 1.0, 3.0]" and other("float(y.sum())") == "5000.0"
    one("a[3] = 9")
    assert other("x[:4].tolist()") == "[7.0, 1.0, 1.0, 9.0]" and "computed again" not in other("x")
    one("np.unpublish('a')")
    assert one("float(a[3])") == "9.0"
    other("del x, y")
    assert one(OF_ALL) == "[120000]", "a, b and d"
