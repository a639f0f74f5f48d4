# SPDX-License-Identifier: BSD-3-Clause
"""A number that lives on the engines stands wherever NumPy's scalars do: in math's functions, as a count, a shape, an axis, an
index, a seed; and an array that is here may be written with what lives there."""

import math

import pytest

from oracle import check_all

NUMBERS = """
    math.trunc(f.sum())
    math.trunc(x.sum())
    math.trunc(c.sum())
    math.trunc(f.astype('f4').sum())
    math.trunc(x)
    math.trunc((x > 3).any())
    math.floor(f.sum()), math.ceil(f.sum()), math.floor(x.sum()), math.ceil(x[:1])
    math.floor(c.sum())
    math.sqrt(x[9]), math.isqrt(x[9]), math.gcd(x[4], 6), math.factorial(x[5])
    round(f.sum()), round(f.mean(), 2), round(f.sum(), -2), round(x.sum()), round(x.sum(), -2)
    round(c.sum(), 1), round(c.sum(), -1), round(c.mean(), 3)
    round(c.sum())
    c.sum().round(1), np.round(c.sum(), 2), np.around(c.sum()), np.round_(c.mean(), 3)
    c.astype('c8').sum().round(2)
    np.round(c, 1), np.round(c.reshape(30, 40).T, -1)
    np.around(c, 1, out=np.zeros(N, complex))
    int(f.sum()), float(f.sum()), complex(f.sum()), int(x.sum()), float(x.sum()), complex(c.sum()), bool(x.any())
    int(c.sum())
    float(c.sum())
    range(f.max())
    [10, 20, 30][x[1]], 'a' * x[3], 'abcd'[x[1] : x[3]], (1, 2, 3)[x[2]], bin(x[5]), hex(x[9]), chr(x[65]), len(range(x[7]))
    '%d' % x[5], f'{x[5]:04d}', f'{f.mean():.2f}', divmod(x[7], x[2]), pow(x[3], 2), abs(f.min())
"""

COUNTS = """
    np.hanning(x[7]), np.hamming(x[7]), np.bartlett(x[7]), np.blackman(x[7]), np.kaiser(x[7], x[3]), np.kaiser(7, f[3])
    np.hanning(x[:4].sum()), np.hanning(x[0]), np.hanning(x[1]), np.hanning(x[7] * 1.0)
    np.zeros(x[5]), np.zeros((x[2], x[3])), np.full(x[5], x[3]), np.arange(x[2], x[9], x[3]), np.linspace(x[0], x[9], x[5])
    np.eye(x[5], x[4], x[1]), np.tri(x[4], k=x[1]), np.identity(x[4]), np.indices((x[2], 3)), np.vander([1, 2], x[3]), np.diag(x[:3], x[1])
    np.logspace(x[0], x[3], x[4]), np.geomspace(x[1], x[9], x[4]), np.mgrid[0 : x[3]], np.r_[x[1] : x[5], x[3]]
    x.reshape(x[30], x[40]), x.reshape((x[30], -1)), np.broadcast_to(x, (x[2], N)), np.resize(x, x[5]), np.resize(x, (x[2], x[3]))
    np.tile(x, x[2]), np.repeat(x, x[2]), np.roll(x, x[3]), np.pad(x, x[3]), np.pad(x, (x[3], x[2])), np.array_split(x, x[3])[1]
    np.rot90(t, x[3]), np.flip(t, x[1]), np.moveaxis(t, x[0], x[1]), np.swapaxes(t, x[0], x[1]), np.expand_dims(x, x[1])
    np.concatenate([t, t], x[1]), np.stack([x, x], x[1]), np.diff(x, x[2]), np.delete(x, x[5]), np.insert(x, x[3], x[9]), np.split(x, x[4])[1]
    t.sum(x[1]), t.mean(axis=x[0]), t.std(ddof=x[1]), t.argmax(x[1]), t.cumsum(x[1]), np.sort(t, x[0]), np.median(t, x[0]), np.sum(t, (x[0], x[1]))
    np.percentile(t, x[30], x[1]), np.quantile(t, x[1]), np.linalg.norm(t, axis=x[1]), np.tensordot(t, t, x[2]), np.apply_over_axes(np.sum, np.eye(3), x[0])
    np.histogram(x, x[5]), np.histogram(x, 5, (x[0], x[9])), np.histogram_bin_edges(x, x[5]), np.histogram(np.arange(4), x[5])
    np.histogram2d(x, x, (x[3], x[4]))[0], np.bincount(x % 5, minlength=x[9]), np.bincount(np.arange(4), x[:4])
    np.fft.fft(x, x[8]), np.fft.fft2(t, (x[4], x[4])), np.fft.fftfreq(x[8]), np.fft.rfftfreq(x[8], x[2]), np.fft.fftshift(x, x[0])
    np.linalg.matrix_power(t[:3, :3] % 3, x[2]), np.polyder([1, 2, 3], x[1]), np.polyfit(np.arange(5), np.arange(5), x[1]), np.trace(t, x[3])
    np.unravel_index(x[7], (x[3], x[4])), np.tril_indices(x[4], x[1]), np.diag_indices(x[3]), np.take(x, x[3]), np.unpackbits(t.astype('u1'), x[0])
    np.char.multiply(np.array(['a', 'b']), x[3]), np.polynomial.polynomial.polyval(x[3], [1, 2]), np.emath.sqrt(-x[4])
    np.ma.masked_equal(np.arange(5), x[3]).sum()
    np.random.default_rng(x[3]).random(x[5]).shape, np.random.RandomState(x[3]).rand(x[2], x[3]).shape, np.sort(np.random.default_rng(1).permutation(x[9]))
    np.random.default_rng(1).choice(x[9], x[3]).shape, np.random.default_rng(1).integers(x[9], size=(x[2], x[3])).shape
"""

KEYS = """
    x[x.any()], x[x.argmax()], x[: x.argmax()], x[x[7] :: x[3]], x[-x[3] :], x[x[2], None], x[..., x[2]]
    t[x.argmin(), 1:], t[x.any(), 3], t[x[3], x[4]], t[[x[1], x[2]]], t[x.all(), [1, 2]], t[:, x.argmin()], t[(x < 0).any()]
    s[x.any()], s[x[3]], s[x[1] :], s[x.any(), 1], s[x[1], x[2]], s[x[1], 1:], s[x[:2], x[:2]], s[x[:3] > 1], s[[x[0], x[1]], 2]
    x[f[3]]
    x[: f[3]]
    x[x.max() + 1]
    t[x.max(), 3]
"""

WRITES = """
    s[x.any(), 1] = 50
    s[x[1], 1:] = x[7:10]
    s[:, x[3]] = x[3]
    s[x[:2], x[:2]] = 53
    s[x[:3] > 1] = 54
    s += x[:4]
    s += x
    s *= f.sum()
    s *= x.sum()
    np.putmask(s, x[:12].reshape(3, 4) > 5, x[30:42])
    np.putmask(s, s > 5, x)
    np.putmask(s, x > 5, 3)
    np.putmask(s, s > 5, f)
    np.put(s, x[:2], x[10:12])
    np.put(s, [3], x.sum())
    np.put(s, x, 3)
    np.put(s, [1, 2], x)
    s.put(x[4], 5)
    np.place(s, x[:12].reshape(3, 4) > 5, x[30:33])
    np.place(s, s < 2, x)
    np.place(s, x > 5, 3)
    np.fill_diagonal(s, x[5:8])
    np.fill_diagonal(s, x)
    np.fill_diagonal(s, x.sum())
    np.put_along_axis(s, x[:3].reshape(3, 1), x[10], 1)
    np.put_along_axis(s, np.array([[0], [1], [2]]), x[10:13].reshape(3, 1), 1)
    np.copyto(s, x[:4])
    np.copyto(s, 3, where=x[:4] > 2)
    np.add.at(s, x[:3], 1)
    np.add.at(s, (x[1], x[2]), x[9])
    np.sqrt(f[:4], out=r)
    np.sum(f.reshape(-1, 4), axis=0, out=r)
    np.add(x[:4], 1, out=r, where=x[:4] > 2)
    r.resize(x[3], refcheck=False)
    r.fill(x.max())
    r.itemset(2, x[3])
    r.flat[1:3] = x[6:8]
    np.place(x, list(range(2)) * (N // 2), [3, 4])
    np.place(x, s, [3, 4])
    np.place(x, x > 2, f)
    x[x.any()] = 3
    x[x.argmin()] = 9
    t[x.argmin(), x[3] :] = 8
    t[(x < 0).any()] = 5
"""

MIXED = """
    np.delete(s, x[:2], 0), np.delete(r, x.argmin()), np.delete(r, x[:4] > 2), np.delete(r, slice(x[1], x[3]))
    np.delete(r, x)
    np.percentile(r, x[50]), np.quantile(r, f[0]), np.histogram(r, x[3]), np.diff(r, x[2]), np.gradient(r, x[2]), np.average(r, x[0]), np.ptp(r, x[0])
    np.polyfit(r, f[:4], 1), np.polyfit(f[:4], r, 1), np.polyfit(r, f[:4], 1, w=f[1:5])
    np.polyfit(r, f, 1)
    np.linalg.lstsq(np.eye(4), f[:4], rcond=None)[0], np.linalg.lstsq(t[:4, :4] * 1.0, r, rcond=None)[0]
    np.insert(r, x[:2], 7), np.insert(r, 1, x), np.append(r, x), np.interp(x[:4], r, r * 2), np.interp(r, x, x * 2)
"""


def _scope(np):
    x = np.arange(1200)
    return {"np": np, "math": math, "N": 1200, "x": x, "f": x * 1.375, "c": x * (1.125 - 0.5j), "t": x.reshape(30, 40), "s": np.arange(12).reshape(3, 4),
            "r": np.arange(4.0)}  # fmt: skip


def _lines(text):
    return map(str.strip, text.strip().splitlines())


def _each(line):
    """Every item of a line of programs by itself."""
    import ast

    tree = ast.parse(line, mode="eval").body
    return [ast.unparse(item) for item in tree.elts] if isinstance(tree, ast.Tuple) else [line]


def _check(programs):
    check_all((item, lambda np, item=item: eval(item, _scope(np))) for line in _lines(programs) for item in _each(line))


@pytest.mark.parametrize("programs", [NUMBERS, COUNTS, KEYS, MIXED], ids=["numbers", "counts", "keys", "mixed operands"])
def test_reading(mixed, programs):
    _check(programs)


@pytest.mark.parametrize("programs", [NUMBERS, KEYS, MIXED], ids=["numbers", "keys", "mixed operands"])
def test_reading_with_everything_there(engine, programs):
    _check(programs)


def _written(np, line):
    scope = _scope(np)
    exec(line, scope)
    return scope["s"], scope["r"], scope["x"]


@pytest.mark.parametrize("fixture", ["mixed", "engine"])
def test_writing(request, fixture):
    request.getfixturevalue(fixture)
    check_all((line, lambda np, line=line: _written(np, line)) for line in _lines(WRITES))


BOUND = """
    x.take(5); np.take(x, 5); x.take(x[3]); np.take(x, 5, mode='wrap'); t.take(7)
    np.choose(1, [x[2], x[3]]); x[1].choose([x[2], x[3]])
    np.isclose(f[1], f[2]); np.isclose(f[1], 1.375, equal_nan=True)
"""


def _bound_anew(np, item):
    """Numbers are not changed in place: the other name stands for what it stood for."""
    number = before = eval(item, _scope(np))
    if number.dtype == bool:
        number ^= True
    else:
        number += 1
    return before, number


@pytest.mark.parametrize("fixture", ["mixed", "engine"])
def test_another_name_keeps_its_number(request, fixture):
    request.getfixturevalue(fixture)
    check_all((item, lambda np, item=item: _bound_anew(np, item)) for line in _lines(BOUND) for item in line.split("; "))
