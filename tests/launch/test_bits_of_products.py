# SPDX-License-Identifier: BSD-3-Clause
"""A matrix product has the same bits on every number of engines: BLAS rounds otherwise at the edge of a matrix, in small products
and in other layouts, so no engine may be left to cut its own block as it likes. A halved product is symmetric, too."""

import os
import platform
import subprocess
import sys

import pytest

PROGRAM = """
import hashlib
import numpy
import gamelan

gamelan.config.distribute_from = 0
random = numpy.random.default_rng(3)
SHAPES = [(300, 300, 300), (707, 129, 515), (1414, 64, 134), (100, 700, 1001), (64, 64, 64), (65, 65, 65), (1, 500, 300),
          (500, 300, 1), (130, 63, 200), (1000, 256, 7), (9, 1000, 1000), (515, 1030, 514), (200, 80, 88), (707, 256, 336)]
for m, k, n in SHAPES:
    a, b = random.random((m, k)), random.random((k, n))
    for dtype in ("f8", "f4"):
        x, y = a.astype(dtype), b.astype(dtype)
        lefts = gamelan.array(x), gamelan.array(x.T.copy()).T
        rights = gamelan.array(y), gamelan.array(y.T.copy()).T
        for i, left in enumerate(lefts):
            for j, right in enumerate(rights):
                product = numpy.asarray(left @ right)
                assert numpy.allclose(product, a @ b, rtol=1e-4 if dtype == "f4" else 1e-11)
                print(m, k, n, dtype, i, j, hashlib.md5(product.tobytes()).hexdigest())
for m, k in [(600, 100), (777, 300), (1030, 514)]:
    for dtype in ("f8", "f4"):
        a = gamelan.array(random.random((m, k)).astype(dtype))
        whole = numpy.asarray(gamelan.array(a.T.copy()).T @ a.T)
        for halved in (a @ a.T, a[::-1] @ a[::-1].T):
            halved = numpy.asarray(halved)
            assert (halved == halved.T).all()
            print(m, k, dtype, hashlib.md5(halved.tobytes()).hexdigest())
        print(m, k, dtype, hashlib.md5(whole.tobytes()).hexdigest())
"""


def bits(engines, **settings):
    environment = {**os.environ, "GAMELAN_ENGINES": str(engines), **settings}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    "core, numbers", [(None, (2, 3, 4)), ("Haswell", (3,))]
)  # Haswell: as on most processors without AVX-512
def test_they_are_those_of_one_engine(core, numbers):
    if core and platform.machine() != "x86_64":
        pytest.skip("another processor's kernels")
    settings = {"OPENBLAS_CORETYPE": core} if core else {}
    expected = bits(1, **settings)
    for engines in numbers:
        assert bits(engines, **settings) == expected
