# SPDX-License-Identifier: BSD-3-Clause
"""What the session's log forgets, and what it compresses."""

from lost_engines import run


def test_the_log_forgets_what_nobody_needs(runtime):
    lines = run(
        """
a = np.arange(100_000.0)
for turn in range(30_000):
    y = a * 2 + turn
np.sync()
stats = np.stats()
print(stats["log_commands"] < 60_000 and stats["log_bytes"] < 8 << 20, stats["log_commands"], stats["log_bytes"])
lose()
print(float(y[0]), np.stats()["log_commands"])
"""
    )
    assert lines[0].startswith("True") and lines[1].startswith("29999.0"), lines
    assert int(lines[1].split()[1]) < 20, "before it is repeated, the log is pruned"


def test_what_stays_in_the_log_is_compressed_and_comes_back(runtime):
    lines = run(
        """
rng = numpy.random.default_rng(3)
a, b = np.zeros(300_000), np.zeros(300_000)
theirs = numpy.zeros(300_000), numpy.zeros(300_000)
payload = rng.random(20_000)  # a batch with many elements amid the others
for turn in range(60_000):  # 5 MiB of commands
    place, value = (turn * 7919) % 299_000, float(turn % 13)
    a[place] += value
    theirs[0][place] += value
    if turn % 97 == 0:  # one batch after another
        b[place] = float(a[place]) + 1
        theirs[1][place] = theirs[0][place] + 1
    if turn == 30_000:
        b[100:20_100] += payload
        theirs[1][100:20_100] += payload
np.sync()
stats = np.stats()
print(stats["log_commands"] > 60_000, stats["log_bytes"] < 70 * stats["log_commands"])
lose()
print(numpy.array_equal(numpy.asarray(a), theirs[0]), numpy.array_equal(numpy.asarray(b), theirs[1]))
"""
    )
    assert lines == ["True True", "True True"]
