# SPDX-License-Identifier: BSD-3-Clause
"""What np.stats() says is complete as soon as the values are there, also of ranks that nobody hears of."""
import gamelan
from gamelan import _core


def test_the_work_of_every_rank_is_counted_when_the_answer_is_there(engine, ranks):
    a = gamelan.ones((200, 50 * ranks))
    gamelan.sync()
    for _ in range(300):
        before = gamelan.stats()["bytes_shared"]
        halo = a[1:] - a[:-1]  # noqa: F841 - what nobody can read any more is not computed
        gamelan.sync()
        after = gamelan.stats()
        assert len({each["kernels"] for each in after["per_rank"]}) == 1
        assert after["bytes_shared"] - before == (ranks - 1) * a.shape[1] * a.itemsize
        del halo
    _core.flush(True)
