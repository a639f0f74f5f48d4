# SPDX-License-Identifier: BSD-3-Clause
"""Calls of the methods of arrays, of operators and subscripts, and statements that write: where argument_kinds.py begins."""

import numpy

_METHODS = """
all(); all(axis=1); any(axis=0); argmax(axis=1); argmin(); argsort(axis=0, kind='stable'); astype('f4'); astype('i8', casting='unsafe'); byteswap()
clip(-1, 2); clip(max=2.5); compress([True, False, True], 0); conj(); conjugate(); copy(); cumprod(axis=0); cumsum(axis=1); diagonal(); diagonal(1)
dot(x.T); fill(2.5); flatten(); item(3); item(1, 2); itemset(3, 2.0); max(axis=1); mean(axis=0); min(); nonzero(); partition(2, axis=1); prod(axis=0)
ptp(axis=1); put([1, 2], 3.0); ravel(); repeat(2, axis=1); reshape(4, 3); reshape((2, -1)); reshape(-1); round(1); sort(axis=0); sort(); std(axis=1)
sum(axis=0); sum(axis=1, dtype='f4'); squeeze(); swapaxes(0, 1); take([1, 2], axis=1); take(5); tobytes(); tolist(); trace(); transpose(1, 0)
transpose((1, 0)); var(axis=0); view(); view('i8'); searchsorted(0.5); choose([x, y]); setflags(write=False); __len__(); __contains__(1.5)
__array__('f4'); __getitem__(1); resize((2, 2)); __abs__(); __format__('')
"""
_EXPRESSIONS = """
x + y; x - i; x * 2; x / y; i // j; i % j; x ** 2; i ** j; i << j; i >> 1; b & d; b | d; b ^ d; i & j; x < y; x == y; i != 3; x >= 0.5; -x; ~b; abs(x)
+i; divmod(x, y); x @ y.T; q @ h; 2 + x; 1.5 - i; 2 ** j; 7 // j; 1j * x; 2.5 > x; x[1]; x[1, 2]; x[-1]; x[..., 1]; x[:, 1]; x[1:3]; x[::2, ::-1]
x[:, None]; v[k]; x[[0, 2]]; x[[0, 1], [1, 3]]; v[m]; x[b]; x[x > 1]; t[1, :, [0, 2]]; t[:, [0, 1], 1]; x[True]; x[()]; x[...]; v[2:]; v[k[0]]
x[k[:2], 1:3]; x[1][2]; x.T; x.real; c.imag; x.flat[3]; x.flat[[1, 2]]; x.size; x.dtype; x.shape; x.ndim; x.nbytes; x.itemsize; x.strides
x.flags.writeable; x.flags.c_contiguous; c.real; list(x); len(x); float(z); int(z); complex(z); bool(z); z.item(); f'{z}'; str(v); repr(i); v.tolist()
sum(v); max(v); sorted(v); list(map(float, v)); 1.5 in x; list(reversed(v)); hash(v[0]) is not None; tuple(v[:2]); [*v, *w]; zip(v, w).__class__
"""
_STATEMENTS = """
x += y; x -= 1; x *= i; i += 2; i //= j; x /= 2; x **= 2; b &= d; b |= m[0]; i <<= 1; i %= 3; x += x.T[:, :3].T; v += v[::-1]; v[1:] += v[:-1]
x[1] += y[0]; v[k] += 1; x[:, 1] *= 2; x[1] = 5; x[1, 2] = 7.5; x[1:3] = y[:2]; x[:, 1] = h; x[b] = 0; x[b] = y[b]; v[k] = w; v[m] = 1.5
v[[0, 2]] = [1.5, 2.5]; x[...] = y; x[()] = 1; x[::2, ::-1] = 3; v[1:] = v[:-1]; v[::-1] = v; x[None, 1] = 2; t[1, :, [0, 2]] = 3; i[1] = 2.7
x.flat[3] = 2; x.flat = [1, 2, 3]; x.flat[[1, 2]] = 4.0; b[1] = 3; x[k[:2], 1] = [1, 2]; u[2] = 7; c[0] = x[1]; x[0] = c.real[1]; x.T[1] = 4
x.real[0] = 2; c.imag[1] = 3; c.real = 2; x.shape = (4, 3); x.shape = (2, 6); x.dtype = 'i8'; c.imag = 0; x.flat[:] = 2; x.itemset((1, 2), 3.0)
x.setfield(2.0, 'f8'); x.fill(y[0, 0]); v.sort(); x.sort(axis=0); v.partition(2); x.resize((2, 2), refcheck=False); np.copyto(x, y)
np.copyto(x, 2.5, where=b); np.copyto(i, x, casting='unsafe'); np.put(v, k, w); np.put(x, [1, 5], [1.5, 2.5], mode='wrap'); np.place(x, b, [1.0, 2.0])
np.putmask(v, m, w); np.put_along_axis(x, i % 4, 7.5, 1); np.fill_diagonal(x, 2.5); np.fill_diagonal(q, h); np.fill_diagonal(x, 3, wrap=True)
np.add.at(v, k, w); np.add.at(x, [0, 0, 1], 1.5); np.subtract.at(v, k, 2); np.negative.at(v, [0, 2]); np.maximum.at(v, k, w)
np.multiply.at(x, (k[:2], 1), 2); np.logical_not.at(b, 0); np.random.shuffle(k); np.random.default_rng(5).shuffle(v)
"""


def _split(text):
    return [each.strip() for line in text.strip().splitlines() for each in line.split("; ")]


def _is_there(call):
    """Not one of the methods that NumPy 2 took from arrays; it keeps two of them for their words."""
    return numpy.__version__.startswith("1.") or not call.startswith(("x.itemset(", "x.ptp("))


METHODS = [
    f"{operand}.{each}"
    for each in _split(_METHODS)
    for operand in ("(i % 2)" if each.startswith("choose") else "s" if "searchsorted" in each else "x",)
]
METHODS = [each for each in METHODS + _split(_EXPRESSIONS) if _is_there(each)]
STATEMENTS = [each for each in _split(_STATEMENTS) if _is_there(each)]
