# SPDX-License-Identifier: BSD-3-Clause
"""However engines read memory (GAMELAN_ASK_AHEAD), the bits are the same; tests on one processor meet one way only."""

import pytest
from lost_engines import run

PROGRAM = """
import hashlib
R = numpy.random.default_rng(5)
A, V, L = R.random((1500, 2050)), R.random(2050), R.random((5, 700_000))
a, v, l, f = np.asarray(A), np.asarray(V), np.asarray(L), np.asarray(A.astype("f4"))
found = []
for turn in range(3):  # in machine code, too
    lap = a[1:-1, 1:-1] * 4 - a[:-2, 1:-1] - a[2:, 1:-1] - a[1:-1, :-2] - a[1:-1, 2:]
    found = [a.sum(), a.sum(axis=1), a.max(axis=1), a.sum(axis=0), (a * v).sum(axis=1), (v * a).sum(axis=1), (a * a).sum(),
             (l * l[0]).sum(axis=1), (f * f[7]).sum(axis=1), f.min(), lap, (lap * a[1:-1, 1:-1]).sum(), a[:, 3:-2].sum(axis=1), a[::-1, ::-1].sum(axis=1)]
wanted = [A.sum(), A.sum(axis=1), A.max(axis=1), A.sum(axis=0), (A * V).sum(axis=1), (V * A).sum(axis=1), (A * A).sum(), (L * L[0]).sum(axis=1)]
assert all(numpy.allclose(numpy.asarray(x), w) for x, w in zip(found, wanted))
for each in found: print(hashlib.sha256(numpy.ascontiguousarray(numpy.asarray(each)).tobytes()).hexdigest())
"""


@pytest.mark.parametrize("ranks", [1, 3])
def test_the_bits_are_the_same(runtime, ranks):
    settings = {"GAMELAN_DISTRIBUTE_FROM": "1000"}
    ahead, streams = (run(PROGRAM, ranks, GAMELAN_ASK_AHEAD=each, **settings) for each in ("on", "off"))
    assert len(ahead) == 14 and ahead == streams
