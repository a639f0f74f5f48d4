# SPDX-License-Identifier: BSD-3-Clause
"""What cliffs.py measures: arrays of four kinds, what may be done to them (USES), how else they may come about (BORN), and
operations whose time must not depend on either (PROBES). A program is for the kinds that its key says: 1, 2 or 3 axes, c is a
complex matrix."""

from numpy.lib.stride_tricks import as_strided, sliding_window_view

N, SIDE = 705_600, 840

FRESH = {
    "1": lambda np: np.random.rand(N),
    "2": lambda np: np.random.rand(SIDE, SIDE),
    "3": lambda np: np.random.rand(120, 120, 100),
    "c": lambda np: np.random.rand(900, 800) + 1j * np.random.rand(900, 800),
}


def set_part(a, key, value):
    a[key] = value


def columns_to_zero(np, a):
    a.reshape(-1, 10)[:, 0] = 0


def flat_shift(np, a):
    flat = a.reshape(-1)
    flat[5:-5] = flat[4:-6]


def pool(np, a):
    return a.reshape((a.shape[0] // 2, 2, a.shape[1] // 2, 2) + a.shape[2:]).mean(axis=(1, 3))


USES = {
    "nothing": ("123c", lambda np, a: None),
    "reshape(-1, 8).sum(1)": ("123c", lambda np, a: a.reshape(-1, 8).sum(1)),
    "reshape(8, -1).sum(0)": ("123c", lambda np, a: a.reshape(8, -1).sum(0)),
    "reshape(2, -1) + 1": ("123c", lambda np, a: a.reshape(2, -1) + 1),
    "ravel() + 1": ("23c", lambda np, a: a.ravel() + 1),
    "ravel()[7:-5] * 2": ("123c", lambda np, a: a.ravel()[7:-5] * 2),
    "ravel('F') * 2": ("23c", lambda np, a: a.ravel("F") * 2),
    "flat differences": ("23c", lambda np, a: a.ravel()[1:] - a.ravel()[:-1]),
    "flat[::5]": ("123c", lambda np, a: a.flat[::5]),
    "T + 1": ("23c", lambda np, a: a.T + 1),
    "T.ravel() + 1": ("23c", lambda np, a: a.T.ravel() + 1),
    "T.reshape(4, -1) + 1": ("23c", lambda np, a: a.T.reshape(4, -1) + 1),
    "[::-1] + 1": ("123c", lambda np, a: a[::-1] + 1),
    "[..., ::2] + 1": ("123c", lambda np, a: a[..., ::2] + 1),
    "sort": ("12", lambda np, a: np.sort(a)),
    "argsort axis 0": ("12", lambda np, a: np.argsort(a, axis=0)),
    "fft": ("12c", lambda np, a: np.fft.fft(a)),
    "fft axis 0": ("12c", lambda np, a: np.fft.fft(a, axis=0)),
    "cumsum": ("123c", lambda np, a: np.cumsum(a)),
    "take": ("123c", lambda np, a: np.take(a, np.arange(0, a.size, 7))),
    "some rows": ("23c", lambda np, a: a[np.arange(0, a.shape[0], 7)]),
    "a[mask] = 0": ("12", lambda np, a: set_part(a, a > 2, 0)),
    "columns of reshape(-1, 10) = 0": ("12c", columns_to_zero),
    "shift in the flat form": ("123c", flat_shift),
    "ravel()[::3] = 1": ("123c", lambda np, a: set_part(a.reshape(-1), slice(None, None, 3), 1)),
    "stack": ("123c", lambda np, a: np.stack([a, a], axis=-1)),
    "concatenate": ("123c", lambda np, a: np.concatenate([a, a], axis=-1)),
    "view(uint8).sum()": ("12", lambda np, a: a.view(np.uint8).sum()),
    "view of other numbers": ("12c", lambda np, a: a.view(float) + 1 if a.dtype == complex else a.view(complex) + 1),
    "real, imag": ("c", lambda np, a: (a.real + 1, a.imag + 1)),
    "repeat": ("123c", lambda np, a: np.repeat(a, 2)),
    "tile": ("12c", lambda np, a: np.tile(a, 2)),
    "windows": ("12", lambda np, a: sliding_window_view(a.ravel()[:200_000], 5).sum(-1)),
    "as_strided blocks": ("123", lambda np, a: as_strided(a, (a.size // 64, 8, 8), [each * a.itemsize for each in (64, 8, 1)]).sum(1)),
    "dot": ("12c", lambda np, a: a.ravel() @ a.ravel()),
    "reshape(840, -1) + 1": ("1", lambda np, a: a.reshape(840, -1) + 1),
    "reshape(840, -1).T.copy()": ("1", lambda np, a: a.reshape(840, -1).T.copy()),
    "reshape(60, 20, -1).sum(1)": ("1", lambda np, a: a.reshape(60, 20, -1).sum(1)),
    "diagonal + 1": ("2c", lambda np, a: np.diagonal(a) + 1),
    "rot90 + 0": ("2c", lambda np, a: np.rot90(a) + 0),
    "pool 2 x 2": ("23c", pool),
    "rows in groups": ("23c", lambda np, a: a.reshape((a.shape[0] // 10, 10) + a.shape[1:]).sum(1)),
    "columns in groups": ("23c", lambda np, a: a.reshape(a.shape[:1] + (a.shape[1] // 10, 10) + a.shape[2:]).sum(2)),
    "patches": ("2c", lambda np, a: a.reshape(a.shape[0] // 10, 10, a.shape[1] // 10, 10).swapaxes(1, 2).reshape(-1, 10, 10).mean(0)),
    "a @ a.T": ("2", lambda np, a: a @ a.T),
    "split": ("23c", lambda np, a: [each.sum() for each in np.split(a, 4, axis=1)]),
    "norms of rows": ("2c", lambda np, a: a / np.linalg.norm(a, axis=1, keepdims=True)),
}  # fmt: skip

BORN = {
    "(n, 2).ravel()": ("1", lambda np: np.random.rand(N // 2, 2).ravel()),
    "(n, 3).ravel()": ("1", lambda np: np.random.rand(N // 3, 3).ravel()),
    "stack.ravel()": ("1", lambda np: np.stack([np.random.rand(N // 2)] * 2, axis=-1).ravel()),
    "repeat": ("1", lambda np: np.random.rand(N // 4).repeat(4)),
    "complex.view(float)": ("1", lambda np: (np.random.rand(N // 2) + 1j).view(float)),
    "three axes, ravel()": ("1", lambda np: np.random.rand(84, 84, 100).ravel()),
    "ravel('F')": ("1", lambda np: np.random.rand(SIDE, SIDE).ravel("F")),
    "T.ravel()": ("1", lambda np: np.random.rand(SIDE, SIDE).T.ravel()),
    "irfft": ("1", lambda np: np.fft.irfft(np.fft.rfft(np.random.rand(N)))),
    "tile": ("1", lambda np: np.tile(np.random.rand(N // 4), 4)),
    "unpackbits": ("1", lambda np: np.unpackbits((np.random.rand(N // 8) * 255).astype(np.uint8)).astype(float)),
    "mean of groups": ("1", lambda np: np.random.rand(2 * N).reshape(-1, 2).mean(1)),
    "repeat twice": ("2", lambda np: np.random.rand(SIDE // 2, SIDE // 2).repeat(2, 0).repeat(2, 1)),
    "kron": ("2", lambda np: np.kron(np.random.rand(SIDE // 4, SIDE // 4), np.ones((4, 4)))),
    "tile both ways": ("2", lambda np: np.tile(np.random.rand(SIDE // 2, SIDE // 2), (2, 2))),
    "one axis, reshape": ("2", lambda np: np.random.rand(N).reshape(SIDE, SIDE)),
    "four axes, reshape": ("2", lambda np: np.random.rand(20, 42, 20, 42).reshape(SIDE, SIDE)),
    "pool 2 x 2": ("2", lambda np: pool(np, np.random.rand(2 * SIDE, 2 * SIDE))),
    "T.copy()": ("2", lambda np: np.random.rand(SIDE, SIDE).T.copy()),
}


def sweep(np, a):
    a[1:-1, 1:-1] = 0.25 * (a[2:, 1:-1] + a[:-2, 1:-1] + a[1:-1, 2:] + a[1:-1, :-2])


def smooth(np, a):
    a[1:-1] = 0.25 * (a[2:] + a[:-2]) + 0.5 * a[1:-1]


others = {}  # by shape: a fresh array, kept


def with_another(np, a):
    if a.shape not in others:
        others[a.shape] = np.random.rand(*a.shape)
    return a * others[a.shape]


PROBES = {
    "sum": ("123c", lambda np, a: a.sum()),
    "chain": ("123c", lambda np, a: np.sqrt(abs(a) * 2 + 1) - a),
    "in place": ("123c", lambda np, a: a.__imul__(0.999)),
    "copy": ("123c", lambda np, a: a.copy()),
    "where": ("123c", lambda np, a: np.where(a.real > 0.5, a, 0)),
    "cumsum axis 0": ("123c", lambda np, a: np.cumsum(a, axis=0)),
    "differences": ("123c", lambda np, a: a[1:] - a[:-1]),
    "3 points": ("1", lambda np, a: a[2:] + a[:-2] - 2 * a[1:-1]),
    "3 points in place": ("1", smooth),
    "evens and odds": ("1", lambda np, a: a[::2] + a[1::2]),
    "reversed": ("1", lambda np, a: a + a[::-1]),
    "dot": ("1", lambda np, a: a @ a),
    "concatenate": ("1", lambda np, a: np.concatenate([a[:1000], a])),
    "sum axis 0": ("23c", lambda np, a: a.sum(axis=0)),
    "sum axis 1": ("23c", lambda np, a: a.sum(axis=1)),
    "differences axis 1": ("23c", lambda np, a: a[:, 1:] - a[:, :-1]),
    "flat slice": ("23c", lambda np, a: a.ravel()[1:] + 1),
    "with another": ("123c", with_another),
    "flip": ("23c", lambda np, a: a + a[::-1, ::-1]),
    "a column": ("23c", lambda np, a: a[:, 3:4] * a),
    "a + a.T": ("2", lambda np, a: a + a.T),
    "5 points": ("2c", lambda np, a: a[2:, 1:-1] + a[:-2, 1:-1] + a[1:-1, 2:] + a[1:-1, :-2] - 4 * a[1:-1, 1:-1]),
    "5 points in place": ("2c", sweep),
    "norms of rows": ("2", lambda np, a: a / np.sqrt((a * a).sum(1, keepdims=True))),
    "diagonal": ("2c", lambda np, a: np.diagonal(a) * 2),
}
