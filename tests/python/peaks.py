# SPDX-License-Identifier: BSD-3-Clause
"""How much memory an operation needs at its worst, operands and result among it: the programs that test_peaks.py holds to
a bound, each at a size where what is constant does not count. By hand, the table of docs/performance.md:

    /usr/bin/python3 peaks.py --ranks 1,2,3,4 [--only fft]
"""

import argparse
import dataclasses
import gc

import gamelan as np
from gamelan import _core

SIDE = 512
PRIME = 1_048_583  # long enough for a convolution in pieces


def reals(*shape):
    return np.random.default_rng(1).random(shape)


def complexes(*shape):
    rng = np.random.default_rng(1)
    return rng.random(shape) + 1j * rng.random(shape)


@dataclasses.dataclass(frozen=True)
class Program:
    """`most`: times the bytes of operands or results, whatever is more, that it may need; None: shown only."""

    family: str
    name: str
    operands: object  # () -> tuple of arrays
    run: object  # (*operands) -> array or arrays
    most: float | None = 3.0


def _matrix(make, side=SIDE):
    return lambda: (make(side, side),)


def _redistributed(choice):
    """`choice(ranks)` is a distribution."""
    return lambda a: np.redistribute(a, choice(_core.ranks()))


PROGRAMS = [
    Program("fft", "fft of a line", lambda: (complexes(SIDE * SIDE),), lambda a: np.fft.fft(a)),
    Program("fft", "fft of a prime length", lambda: (complexes(PRIME),), lambda a: np.fft.fft(a)),
    Program("fft", "ifft of a prime length", lambda: (complexes(PRIME),), lambda a: np.fft.ifft(a), None),
    Program("fft", "rfft of a line", lambda: (reals(SIDE * SIDE),), lambda a: np.fft.rfft(a)),
    Program("fft", "rfft of a prime length", lambda: (reals(PRIME),), lambda a: np.fft.rfft(a)),
    Program("fft", "irfft of a line", lambda: (complexes(SIDE * SIDE // 2 + 1),), lambda a: np.fft.irfft(a)),
    Program("fft", "irfft of a prime length", lambda: (complexes(PRIME // 2 + 1),), lambda a: np.fft.irfft(a, PRIME)),
    Program("fft", "fft of a real line", lambda: (reals(SIDE * SIDE),), lambda a: np.fft.fft(a)),
    Program("fft", "fft, first axis", _matrix(complexes), lambda a: np.fft.fft(a, axis=0)),
    Program("fft", "fft2", _matrix(complexes), lambda a: np.fft.fft2(a)),
    Program("fft", "ifft2", _matrix(complexes), lambda a: np.fft.ifft2(a, norm="ortho")),
    Program("fft", "fftn, three axes", lambda: (complexes(64, 64, 64),), lambda a: np.fft.fftn(a)),
    Program("fft", "fft2 of reals", _matrix(reals), lambda a: np.fft.fft2(a)),
    Program("fft", "rfft2", _matrix(reals), lambda a: np.fft.rfft2(a)),
    Program("fft", "irfft2", lambda: (complexes(SIDE, SIDE // 2 + 1),), lambda a: np.fft.irfft2(a)),
    Program("fft", "rfftn, three axes", lambda: (reals(64, 64, 64),), lambda a: np.fft.rfftn(a)),
    Program("fft", "fftshift", _matrix(complexes), lambda a: np.fft.fftshift(a)),
    Program("einsum", "ij,jk->ik", lambda: (reals(SIDE, SIDE), reals(SIDE, SIDE)), lambda a, b: np.einsum("ij,jk->ik", a, b)),
    Program("einsum", "ji,kj->ik", lambda: (reals(SIDE, SIDE), reals(SIDE, SIDE)), lambda a, b: np.einsum("ji,kj->ik", a, b)),
    Program("einsum", "ij,ij->ij", lambda: (reals(SIDE, SIDE), reals(SIDE, SIDE)), lambda a, b: np.einsum("ij,ij->ij", a, b)),
    Program("einsum", "ij,ij->", lambda: (reals(SIDE, SIDE), reals(SIDE, SIDE)), lambda a, b: np.einsum("ij,ij->", a, b)),
    Program("einsum", "ij,ij->i", lambda: (reals(SIDE, SIDE), reals(SIDE, SIDE)), lambda a, b: np.einsum("ij,ij->i", a, b)),
    Program("einsum", "ij,ij->j", lambda: (reals(SIDE, SIDE), reals(SIDE, SIDE)), lambda a, b: np.einsum("ij,ij->j", a, b)),
    Program("einsum", "ij,j->i", lambda: (reals(SIDE, SIDE), reals(SIDE)), lambda a, b: np.einsum("ij,j->i", a, b)),
    Program("einsum", "ii->", _matrix(reals), lambda a: np.einsum("ii->", a)),
    Program("einsum", "ij->ji", _matrix(reals), lambda a: np.einsum("ij->ji", a)),
    Program("einsum", "ij->j", _matrix(reals), lambda a: np.einsum("ij->j", a)),
    Program(
        "einsum", "bij,bjk->bik", lambda: (reals(16, 128, 128), reals(16, 128, 128)), lambda a, b: np.einsum("bij,bjk->bik", a, b)
    ),
    Program(
        "einsum", "ijb,jkb->ikb", lambda: (reals(64, 64, 64), reals(64, 64, 64)), lambda a, b: np.einsum("ijb,jkb->ikb", a, b)
    ),
    Program(
        "einsum",
        "ij,jk,kl->il",
        lambda: tuple(reals(SIDE, SIDE) for _ in range(3)),
        lambda a, b, c: np.einsum("ij,jk,kl->il", a, b, c),
    ),
    Program(
        "einsum",
        "i,j,ij->",
        lambda: (reals(SIDE), reals(SIDE), reals(SIDE, SIDE)),
        lambda a, b, c: np.einsum("i,j,ij->", a, b, c),
    ),
    Program("einsum", "i,j->", lambda: (reals(SIDE * 8), reals(SIDE * 8)), lambda a, b: np.einsum("i,j->", a, b)),
    Program("einsum", "ijk,jil->kl", lambda: (reals(64, 64, 64), reals(64, 64, 64)), lambda a, b: np.einsum("ijk,jil->kl", a, b)),
    Program(
        "einsum", "ijkl,klmn->ijmn", lambda: (reals(*[24] * 4), reals(*[24] * 4)), lambda a, b: np.einsum("ijkl,klmn->ijmn", a, b)
    ),
    Program(
        "einsum", "ikjl,kmln->imjn", lambda: (reals(*[24] * 4), reals(*[24] * 4)), lambda a, b: np.einsum("ikjl,kmln->imjn", a, b)
    ),
    Program("einsum", "bi,bj->bij", lambda: (reals(4096, 16), reals(4096, 16)), lambda a, b: np.einsum("bi,bj->bij", a, b)),
    Program("einsum", "i,j->ij", lambda: (reals(SIDE), reals(SIDE)), lambda a, b: np.einsum("i,j->ij", a, b)),
    Program(
        "einsum",
        "float32 by float64",
        lambda: (reals(SIDE, SIDE).astype("f4"), reals(SIDE, SIDE)),
        lambda a, b: np.einsum("ij,jk->ik", a, b),
    ),
    Program(
        "einsum", "tensordot", lambda: (reals(64, 64, 64), reals(64, 64, 64)), lambda a, b: np.tensordot(a, b, ([1, 0], [0, 1]))
    ),
    Program("redistribution", "to columns", _matrix(reals), _redistributed(lambda ranks: np.distribution.block((1, ranks)))),
    Program(
        "redistribution", "to cyclic rows", lambda: (reals(768, 384),), _redistributed(lambda ranks: np.distribution.cyclic(0, 8))
    ),
    Program("redistribution", "transposed copy", _matrix(reals), lambda a: a.T.copy()),
    Program("redistribution", "reshape C", _matrix(reals), lambda a: a.T.reshape(SIDE * 8, -1)),
    Program("redistribution", "reshape F", _matrix(reals), lambda a: a.reshape(SIDE * 8, -1, order="F")),
    Program("redistribution", "ravel F", _matrix(reals), lambda a: a.ravel("F")),
    Program("redistribution", "of three axes", lambda: (reals(64, 64, 64),), lambda a: a.transpose(2, 0, 1).copy()),
    Program("redistribution", "roll", _matrix(reals), lambda a: np.roll(a, 5, 0)),
    Program("redistribution", "every second", _matrix(reals), lambda a: a[::2, 1::2].copy()),
    Program("redistribution", "astype of the same size", _matrix(reals), lambda a: a.astype("i8")),
    Program(
        "redistribution", "concatenate", lambda: (reals(SIDE, SIDE), reals(SIDE, SIDE)), lambda a, b: np.concatenate([a, b], 1)
    ),
    Program("redistribution", "operands of a product", lambda: (reals(SIDE, SIDE), reals(SIDE, SIDE)), lambda a, b: a.T @ b.T),
    Program("redistribution", "take of rows", _matrix(reals), lambda a: a[::-1].copy()),
    Program("matrices", "a @ b", lambda: (reals(SIDE, SIDE), reals(SIDE, SIDE)), lambda a, b: a @ b),
    Program("matrices", "cov", lambda: (reals(64, 16384),), lambda a: np.cov(a)),
    Program("matrices", "corrcoef", lambda: (reals(64, 16384),), lambda a: np.corrcoef(a)),
    Program("matrices", "cov, columns", lambda: (reals(16384, 64),), lambda a: np.cov(a, rowvar=False)),
    Program("matrices", "inv, shared", _matrix(reals, 1024), lambda a: np.linalg.inv(a), None),
    Program("matrices", "cholesky, shared", _matrix(lambda *s: np.eye(s[0]) * 2, 1024), lambda a: np.linalg.cholesky(a), None),
    Program(
        "matrices", "solve, shared", lambda: (reals(1024, 1024), reals(1024, 1024)), lambda a, b: np.linalg.solve(a, b), None
    ),
    Program("matrices", "qr, shared", _matrix(reals, 1024), lambda a: np.linalg.qr(a), None),
    Program("matrices", "qr r, shared", _matrix(reals, 1024), lambda a: np.linalg.qr(a, "r"), None),
    Program("matrices", "qr, tall", lambda: (reals(65536, 16),), lambda a: np.linalg.qr(a), None),
    Program("matrices", "svd, tall", lambda: (reals(65536, 16),), lambda a: np.linalg.svd(a, full_matrices=False), None),
    Program(
        "matrices", "lstsq, tall", lambda: (reals(65536, 16), reals(65536)), lambda a, b: np.linalg.lstsq(a, b, rcond=None), None
    ),
    Program("matrices", "pinv, tall", lambda: (reals(65536, 16),), lambda a: np.linalg.pinv(a), None),
    Program("matrices", "inv, stack", lambda: (reals(64, 64, 64),), lambda a: np.linalg.inv(a), None),
    Program("matrices", "qr, stack", lambda: (reals(64, 64, 64),), lambda a: np.linalg.qr(a), None),
    Program("matrices", "svd, stack", lambda: (reals(64, 64, 64),), lambda a: np.linalg.svd(a), None),
    Program("matrices", "eigh, stack", lambda: (reals(64, 64, 64),), lambda a: np.linalg.eigh(a), None),
]


def measured(program):
    """(peak, operands, results) in bytes. Everything is distributed; what lay there before the operands does not count."""
    gc.collect()
    _core.flush(True)
    before = np.stats()["heap_bytes"]
    operands = program.operands()
    _core.flush(True)
    np.stats(reset=True)
    fetched = np.stats()["fetch_bytes"]
    results = program.run(*operands)
    _core.flush(True)
    stats = np.stats()
    results = results if isinstance(results, tuple) else (results,)
    given, made = (sum(array.nbytes for array in arrays) for arrays in (operands, results))
    if stats["fetch_bytes"] - fetched > 65536:
        raise AssertionError(f"{program.name}: {stats['fetch_bytes'] - fetched} bytes came here")
    return stats["heap_peak"] - before, given, made


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", default="1,2,3,4")
    parser.add_argument("--only", default="", help="a family, or a part of a name")
    arguments = parser.parse_args()
    import engines
    from gamelan import _session

    counts = [int(text) for text in arguments.ranks.split(",")]
    chosen = [program for program in PROGRAMS if arguments.only in (program.family, "") or arguments.only in program.name]
    rows = {program: [] for program in chosen}
    for ranks in counts:
        running = engines.Engines(ranks)
        try:
            _session.use(running)
            with np.options(distribute_from=0):
                for program in chosen:
                    peak, given, made = measured(program)
                    rows[program].append(peak / given)
                    share = made / given
                    rows[program, "result"] = share
            _session.release()
        finally:
            running.stop()
    print("| | | result | " + " | ".join(f"{ranks} ranks" if ranks > 1 else "1 rank" for ranks in counts) + " |")
    print("| :-- | :-- | --: |" + " --: |" * len(counts))
    for program in chosen:
        shares = [rows[program, "result"], *rows[program]]
        print(f"| {program.family} | {program.name} | " + " | ".join(f"{share:.2f}" if share else "-" for share in shares) + " |")


if __name__ == "__main__":
    main()
