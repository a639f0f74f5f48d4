# SPDX-License-Identifier: BSD-3-Clause
"""Seventeen ranks can cut a cube in strips only, so sixteen get blocks and one gets none: what it must still take part in."""

SCRIPT = """
import numpy
import gamelan as np

np.config.distribute_from = 0
draw = numpy.random.RandomState(17)
x, y = draw.standard_normal((12, 12, 12)), draw.standard_normal((12, 12, 12))
index = draw.permutation(12)


def everything(np):
    a, b = np.array(x), np.array(y)
    c = a * b + b.T
    c[1:-1] = (a[:-2] + a[2:]) / 2
    c[:, index] = a
    yield c
    yield c[::-1, 3, ::2] - c[::2, ::-2, 4][:6, :6].sum()
    yield c.sum()
    yield c.max(axis=(0, 2))
    yield np.sort(c, axis=1)
    yield np.argsort(c, axis=0)
    yield c[index]
    yield c.cumsum(axis=2)
    yield np.matmul(a, b)
    yield np.bincount(np.array(index))
    yield np.histogram(c.reshape(-1), 5, (-2.0, 2.0))[0]
    yield np.diagonal(c[5]) * 2


for n, (ours, numpys) in enumerate(zip(everything(np), everything(numpy))):
    numpy.testing.assert_allclose(numpy.asarray(ours), numpys, rtol=1e-12, atol=1e-12, err_msg=f"result {n}")
a = np.array(x)
print(np.stats()["ranks"], "ranks,", np.explain(a * 2).split(" on ", 1)[1].split(" ranks")[0])
"""


def test_ranks_without_a_block_take_part(gamelan, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = gamelan("run", "-n", "17", script)
    assert done.returncode == 0, done.stderr
    ranks, grid = done.stdout.strip().split(" ranks, ")
    parts = [int(count) for count in grid.split("x")]
    assert ranks == "17" and parts[0] * parts[1] * parts[2] == 16, done.stdout
