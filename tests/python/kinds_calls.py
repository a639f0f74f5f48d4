# SPDX-License-Identifier: BSD-3-Clause
"""Calls that NumPy accepts, for every public function: where argument_kinds.py begins. The letters are operands of
kinds_values.py. Optional parameters need not stand here, unless nothing is known of them in kinds_parameters."""

import re

import numpy

import gamelan
from gamelan._imported_numpy import _VARYING
from kinds_method_calls import METHODS, STATEMENTS

_NUMPY = """
all(b); all(b, axis=1); any(b, axis=0); sum(x); sum(t, axis=(0, 2)); sum(i, axis=1); prod(i, axis=0); max(x, axis=1); min(x, axis=0)
amax(t, axis=(0, 1)); amin(i); mean(x, axis=0); mean(i); std(x, axis=1); var(c, axis=0); var(x, axis=1, ddof=1); ptp(x, axis=1); median(x, axis=0)
average(x, axis=1, weights=y); nansum(x, axis=1); nanprod(i, axis=0); nanmax(x, axis=0); nanmin(x); nanmean(x, axis=1); nanstd(x, axis=0); nanvar(x)
nanmedian(x, axis=1); nanargmax(x, axis=1); nanargmin(x, axis=0); nancumsum(x, axis=1); nancumprod(x, axis=0); nanquantile(x, 0.25, axis=0)
nanpercentile(x, 25, axis=1); quantile(v, 0.25); quantile(x, [0.25, 0.5], axis=1); percentile(v, 30); percentile(x, (10, 50.0), axis=0)
cumsum(x, axis=1); cumprod(i, axis=0); cumsum(b); argmax(x, axis=1); argmin(i, axis=0); argmax(b); count_nonzero(b, axis=1); count_nonzero(i)
alltrue(b, axis=0); sometrue(b); product(i, axis=0); cumproduct(i, axis=0); diff(v); diff(x, n=1, axis=0); ediff1d(v); gradient(v)
gradient(x, 2.0, axis=1); gradient(v, s); trapz(v); trapz(x, dx=0.5, axis=0); cross(g, q); cross(h, h); allclose(x, y); isclose(x, y, rtol=0.5)
array_equal(x, x); array_equiv(x, x); isneginf(x); isposinf(x); angle(c); around(x, 1); round(x, decimals=1); round_(x); fix(x); i0(v); iscomplex(c)
isreal(c); nan_to_num(x); real_if_close(c); sinc(v); unwrap(v); real(c); imag(c); iscomplexobj(c); isrealobj(x); clip(x, -1, 2.5); clip(x, y, 4)
clip(i, 0, 3); array(x); array([1, 2, 3]); array([x, y]); array([[1.5, 2], [3, 4]]); asarray(x); asarray([1, 2]); asanyarray(x); ascontiguousarray(x)
asfortranarray(x); asfarray(i); asarray_chkfinite(x); copy(x); require(x, 'f4', ['C', 'W']); from_dlpack(x); frombuffer(b'12345678', 'u1', 4, 2)
fromiter([1, 2, 3], float); fromstring('1 2 3', sep=' '); arange(5); arange(1, 7, 2); arange(0.5, 3); linspace(0, 1, 5); linspace(0.5, 2, num=4)
logspace(0, 1, 4); geomspace(1, 8, 4); zeros(3); zeros((2, 3)); ones((2, 3)); empty((2, 3)); full((2, 3), 2.5); full(3, 7); zeros_like(x)
ones_like(i); empty_like(x); full_like(x, 2.5); full_like(i, v[0]); zeros_like(x, shape=(2, 2)); eye(3); eye(3, 4, 1); identity(3); tri(3, 4, 1)
indices((2, 3)); vander(v, 3); fromfunction(lambda i, j: i + j, (2, 3)); meshgrid(v, w); meshgrid(v, h, indexing='ij'); ix_(k, p); diag(h); diag(x, 1)
diagflat(h); diag_indices(3); diag_indices_from(q); mask_indices(3, np.triu); tril(x); triu(x, 1); tril_indices(3); triu_indices(3, 1, 4)
tril_indices_from(q); triu_indices_from(q); bartlett(5); blackman(5); hamming(5); hanning(5); kaiser(5, 2.0); argwhere(x); nonzero(x); flatnonzero(x)
where(b, x, y); where(b); where(m, 1, 2.5); choose(j % 2, [x, y]); choose(k, (v, w, s)); compress(m, v); compress([True, False, True], x, axis=0)
extract(b, x); select([b, d], [x, y]); select([x > 1, x < 0], [x, y], 7); piecewise(v, [v > 1, v < 0], [1.0, 2.0]); take(v, k); take(x, 1, axis=1)
take(x, [0, 2], axis=0, mode='wrap'); take_along_axis(x, i % 4, 1); unravel_index(l, (4, 5)); unravel_index(5, (2, 3))
ravel_multi_index((k, p), (6, 6)); ravel_multi_index([k, p], (6, 6), mode='clip'); append(x, y); append(x, y, axis=0); insert(v, 2, 7.5)
insert(x, 1, h, axis=1); insert(v, [0, 2], [1.0, 2.0]); delete(v, 2); delete(x, [0, 1], axis=1); delete(v, m); delete(v, slice(1, 4)); trim_zeros(v)
concatenate([x, y]); concatenate((x, y), axis=1); concatenate([v, i], axis=None); stack([x, y]); stack((x, i), axis=1); hstack([x, y]); vstack([x, i])
dstack([x, y]); column_stack([v, w]); row_stack([v, w]); block([[x, y], [i, j]]); split(x, 2, axis=1); split(v, [2, 4]); array_split(v, 4)
hsplit(x, 2); vsplit(x, 3); dsplit(t, 2); broadcast_arrays(x, h[:, None]); broadcast_to(h, (2, 3)); atleast_1d(z); atleast_2d(v); atleast_3d(x)
atleast_2d(v, x); reshape(x, (4, 3)); reshape(x, -1); ravel(x); transpose(x); transpose(t, (2, 0, 1)); moveaxis(t, 0, -1); moveaxis(t, [0, 1], [2, 0])
rollaxis(t, 2); swapaxes(t, 0, 2); squeeze(x[None]); squeeze(x[:, None], axis=1); expand_dims(x, 1); expand_dims(x, (0, 2)); flip(x); flip(x, axis=1)
fliplr(x); flipud(x); rot90(x); rot90(t, k=2, axes=(1, 2)); roll(x, 1); roll(x, (1, 2), axis=(0, 1)); repeat(v, 2); repeat(x, [1, 2, 0], axis=0)
tile(x, 2); tile(v, (2, 2)); resize(v, (2, 4)); pad(v, 2); pad(x, ((1, 2), (0, 1)), mode='edge'); pad(v, (1, 2), mode='constant', constant_values=3)
pad(v, 2, mode='reflect'); pad(x, 1, mode='mean'); pad(x, 1, 'linear_ramp', end_values=2); shape(x); ndim(x); size(x); size(x, 1); isfortran(x)
shares_memory(x, x.T); may_share_memory(v, w); diagonal(x); diagonal(t, 1, 0, 2); trace(q); trace(t, 1, axis1=0, axis2=2); sort(x, axis=0); sort(v)
argsort(v, kind='stable'); argsort(x, axis=0, kind='stable'); lexsort((k, l)); lexsort([v, k]); msort(x); sort_complex(v); partition(v, 2)
argpartition(v, 2); partition(x, (1, 2), axis=0); searchsorted(s, v); searchsorted(s, 0.75, side='right')
searchsorted(v, w, sorter=[1, 4, 0, 5, 3, 2]); digitize(v, s); unique(k); unique(x, axis=0)
unique(l, return_index=True, return_inverse=True, return_counts=True); in1d(k, p); isin(i, [1, 2]); isin(x, y); intersect1d(k, p)
intersect1d(l, k, return_indices=True); setdiff1d(l, k); setxor1d(l, p); union1d(v, w); bincount(k); bincount(k, weights=v); bincount(l, minlength=12)
histogram(v); histogram(v, 4); histogram(v, s); histogram(v, 3, (0, 2), weights=w); histogram_bin_edges(v, 4); histogram2d(v, w, 3)
histogram2d(v, w, [2, 3]); histogramdd(x, 2); histogramdd([v, w], bins=(2, 3)); interp(v, s, w); interp(0.5, s, w, left=-1.0); convolve(v, h)
convolve(v, w, 'same'); correlate(v, h); correlate(v, w, mode='full'); cov(x); cov(v, w); cov(x, rowvar=False, aweights=h + 3); corrcoef(x)
corrcoef(v, w); poly(h); poly(q); polyadd(v, h); polyder(v); polyder(v, 2); polydiv(v, h); polyfit(v, w, 2); polyfit(v, w, 1, w=s * 0 + 1.5)
polyint(v); polyint(v, 2, [1, 2]); polymul(v, h); polysub(v, h); polyval(h, x); polyval(h, 2); roots(h); dot(x, x.T); dot(v, w); dot(x, y[0])
dot(2.5, x); inner(x, y); inner(v, w); outer(v, h); vdot(x, y); vdot(c, c); matmul(x, y.T); matmul(t, t.swapaxes(1, 2)); matmul(q, h); kron(h, v)
kron(q, x); tensordot(x, y, axes=([0, 1], [0, 1])); tensordot(t, x, 2); tensordot(t, x.T, axes=1); einsum('ij,ij->i', x, y); einsum('ij,jk', q, x)
einsum('ii', q); einsum(x, [0, 1], y, [0, 1], [0]); einsum_path('ij,jk->ik', q, x); divmod(x, y); modf(x); frexp(x); divmod(i, 3); packbits(b, axis=1)
packbits(m); unpackbits(u); unpackbits(u, count=9); array2string(x); array_repr(x); array_str(v, precision=2); apply_along_axis(np.sum, 0, x)
apply_along_axis(sorted, 1, x); apply_over_axes(np.sum, x, [0, 1]); lib.stride_tricks.sliding_window_view(v, 3)
lib.stride_tricks.sliding_window_view(x, (2, 2)); broadcast(x, h[:, None]).shape; can_cast(x, 'f4'); result_type(x, i, 2.5); min_scalar_type(z)
common_type(x, c); broadcast_shapes((2, 1), (3,)); isscalar(x); iterable(x); frompyfunc(lambda a, b: a + b, 2, 1)(v, w); vectorize(lambda a: a + 1)(v)
require(i, dtype='f8', requirements='F'); promote_types('f4', i.dtype); nditer(v).shape; trapezoid(v); trapezoid(x, dx=0.5, axis=0); astype(x, 'f4'); bitwise_count(i); concat([x, y])
concat((x, y), axis=1); cumulative_prod(v); cumulative_sum(v); cumulative_sum(x, axis=1, include_initial=True); matrix_transpose(x); matvec(q, h)
permute_dims(t, (2, 0, 1)); unique_all(k); unique_counts(k); unique_inverse(l); unique_values(k); unstack(x); unstack(x, axis=1); vecdot(x, y)
vecdot(c, c, axis=0); vecmat(h, q)
"""
_LINALG = """
cholesky(q); det(q); det(g); eigvals(q); eigvalsh(q); eigh(q); eig(q); inv(q); inv(g); lstsq(q, h, rcond=None); lstsq(y.T, v[:4], rcond=None)
matrix_power(q, 2); matrix_power(g, -1); matrix_rank(x); matrix_rank(q, hermitian=True); multi_dot([q, g, q]); multi_dot((h, q, h)); norm(x)
norm(v, 1); norm(x, 'fro'); norm(x, 2); norm(x, axis=1); norm(x, ord=1, axis=(0, 1)); norm(c); pinv(x); pinv(q, 0.01); qr(x); qr(g, 'r'); slogdet(q)
slogdet(g); solve(q, h); solve(q, g); svd(x, compute_uv=False); svd(q); tensorinv(q[:, :, None], 1); tensorsolve(q, h); cond(q); cond(q, 1)
"""
_FFT = """
fft(v); fft(x, axis=0); fft(c, 6); ifft(c); rfft(v); rfft(x, 3); irfft(c); irfft(c, 5); hfft(c); ihfft(v); fft2(x); ifft2(c); rfft2(x); irfft2(c)
fftn(t); fftn(t, (2, 3), axes=(0, 1)); ifftn(c, (4, 4)); rfftn(t); rfftn(t, axes=(0, 2)); irfftn(c); fftfreq(5); fftfreq(6, 0.5); rfftfreq(5, d=0.1)
fftshift(x); fftshift(x, axes=0); ifftshift(v); ifftshift(x, (0, 1))
"""
# Their numbers are not NumPy's: shapes, dtypes and errors are compared.
_RANDOM = """
rand(2, 3); randn(2, 3); random((2, 3)); random_sample(4); normal(0.5, 2.0, (2, 3)); normal(v, 1.5); uniform(-1, 1, 4); uniform(s, 5.0); randint(5)
randint(1, 9, (2, 3)); randint(1, l + 1); randint(0, 5, 4, dtype='i4'); choice(v, 3); choice(5, (2, 2)); choice(k, 3, replace=False)
choice(6, 3, p=[0.5, 0.1, 0.1, 0.1, 0.1, 0.1]); permutation(v); permutation(5); beta(0.5, 2.0, 4); binomial(5, 0.5, 3); binomial(l, 0.5)
chisquare(2, 3); dirichlet([0.2, 0.8], 3); exponential(w, (2, 6)); exponential(1.5); f(2, 3, 4); gamma(2.0, w); geometric(0.5, 3); gumbel(0, 1, 3)
hypergeometric(5, 4, 3, 2); laplace(v, 1.0); logistic(0, 1, 3); lognormal(0, 1, 3); logseries(0.5, 3); multinomial(8, [0.2, 0.8], 3)
multivariate_normal([0, 1], [[1, 0], [0, 1]], 3); negative_binomial(3, 0.5, 4); noncentral_chisquare(2, 1.5, 3); noncentral_f(2, 3, 1.5, 3)
pareto(2.0, 3); poisson(w); poisson(3, (2, 2)); power(2.0, 3); rayleigh(1.5, 3); standard_cauchy(3); standard_exponential((2, 3)); standard_gamma(w)
standard_normal(4); standard_t(3, 4); triangular(-1, 0, 2, 3); vonmises(0, 1, 3); wald(1, 2, 3); weibull(2.0, 3); zipf(2.0, 3)
default_rng(5).random((2, 3)); default_rng(5).integers(1, 9, (2, 3)); default_rng(5).integers(l); default_rng(5).normal(v, 1.0)
default_rng(5).choice(v, 3); default_rng(5).choice(x, 2, axis=1); default_rng(5).permutation(x, axis=1); default_rng(5).permuted(x, axis=0)
default_rng(5).uniform(0, w); default_rng(5).standard_normal((2, 3), dtype='f4'); default_rng(5).exponential(1.5, 3)
default_rng(5).multinomial(8, [0.2, 0.8], 3); default_rng(5).dirichlet([0.2, 0.8], 3)
"""
_SPECIAL_UFUNCS = {"ldexp": "x, i", "isnat": None, "matmul": None, "gcd": "i, j", "lcm": "i, j", "power": "y, i", "float_power": "y, x", "arccosh": "y + 1",
                   "left_shift": "i, j", "right_shift": "i, j", "logical_not": "b"}  # fmt: skip
_KEYWORDS = [
    "out=OUT",
    "casting='same_kind'",
    "dtype='f8'",
    "order='K'",
    "subok=True",
    "where=b, out=OUT",
    "out=OUT, casting='unsafe'",
]


def _lines(text, prefix):
    return [prefix + call.strip() for line in text.strip().splitlines() for call in line.split("; ")]


_NARROW = ("bitwise_count", "matvec", "vecdot", "vecmat")  # no loop has the dtype of the result only, or there is no `where`


def _ufunc_calls():
    """Calls of every universal function, with operands of a kind that it has loops for."""
    for name, function in sorted(vars(numpy).items()):
        if not isinstance(function, numpy.ufunc) or _SPECIAL_UFUNCS.get(name, "") is None or function.signature is not None:
            continue
        kinds = "".join(function.types)
        first, second = ("y", "x") if "d" in kinds else ("i", "j") if "l" in kinds else ("b", "d")
        operands = _SPECIAL_UFUNCS.get(name, first if function.nin == 1 else f"{first}, {second}")
        others = _SPECIAL_UFUNCS.get(name, "i" if function.nin == 1 else "i, y") if "l" in kinds and "d" in kinds else operands
        for text in (operands, others):
            yield f"np.{name}({text})"
            if function.nout == 1 and name not in _NARROW:
                dtype = "f8" if "->d" in kinds else "i8" if "l->l" in kinds else "?"
                yield from (f"np.{name}({text}, {keyword.replace('f8', dtype)})" for keyword in _KEYWORDS)
        if function.nin == 2 and function.nout == 1 and name != "ldexp":
            first = "b" if function.types[0].endswith("?") else first
            yield from (f"np.{name}.{call}" for call in (f"reduce({first})", f"reduce({first}, axis=1)", f"accumulate({first}, axis=1)",
                        f"outer({first}, {second})", f"reduceat({first}, [0, 2], axis=1)", f"reduce({first}, axis=0, out=OUT)"))  # fmt: skip


def every_call():
    """All calls of what the imported NumPy has, as texts, in groups with their weights."""
    return {group: ([call for call in calls if _is_known(call)], weight) for group, (calls, weight) in _every_call().items()}


def _is_known(call):
    """No call of a function or a method that other NumPys have."""
    function = re.match(r"np\.(\w+)", call)
    method = re.search(r"\.(itemset|ptp)\(", call)
    if function and function[1] in _VARYING and not hasattr(numpy, function[1]):
        return False
    return not method or call.startswith("np.") or hasattr(numpy.ndarray, method[1])


def _every_call():
    return {
        "functions": (_lines(_NUMPY, "np."), 8),
        "linalg": (_lines(_LINALG, "np.linalg."), 1),
        "fft": (_lines(_FFT, "np.fft."), 1),
        "random": (_lines(_RANDOM, "np.random."), 1),
        "ufuncs": (list(_ufunc_calls()), 5),
        "methods": (METHODS, 3),
        "statements": (STATEMENTS, 3),
    }


# Why a public function stands nowhere above.
LEFT_OUT = {
    **dict.fromkeys("save savez savez_compressed savetxt load loadtxt genfromtxt fromfile load_hdf5 load_zarr save_hdf5 save_session load_session checkpoint".split(), "files have tests of their own"),
    **dict.fromkeys("distribution redistribute explain stats status sync options config routine array_api arrays publish attach unpublish".split(), "NumPy has no such thing"),
    **dict.fromkeys("set_string_function setbufsize seterr seterrcall seterrobj set_printoptions printoptions errstate".split(), "changes the state of the process"),
    **dict.fromkeys("geterr geterrcall geterrobj getbufsize get_printoptions".split(), "takes nothing"),
    **dict.fromkeys("base_repr binary_repr format_float_positional format_float_scientific typename mintypecode obj2sctype sctype2char maximum_sctype issctype "
                    "issubsctype issubclass_ find_common_type issubdtype".split(), "NumPy's own, and takes no array"),
    "isdtype": "of dtypes",
    **dict.fromkeys("isnat".split(), "dates are NumPy's own"),
    **dict.fromkeys("flatiter ndarray ufunc".split(), "a class: its methods are called"),
}  # fmt: skip


def functions():
    """The names of gamelan's public functions."""
    return [name for name in gamelan.__all__ if callable(getattr(gamelan, name)) and not isinstance(getattr(gamelan, name), type)]
