# SPDX-License-Identifier: BSD-3-Clause
"""Every loop, cast and fold against the NumPy that is installed: all admitted dtypes, special values, every level.

Called by CTest with the path of the module that exposes the loops. Bits must agree except where the tolerance table says
how far a result may be, in units in the last place, and why.
"""

import ctypes
import itertools
import sys

import numpy as np

DTYPES = [
    np.dtype(name)
    for name in ("bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128").split()
]
NULLARY, UNARY, BINARY, TERNARY = range(4)

# Vector maths (libmvec) is within 4 ulp; NumPy's own within 4 of the truth as well. Complex functions compose several.
IS_NUMPY_2 = not np.__version__.startswith("1.")
ULPS = {"transcendental": 8, "complex": 64}
TRANSCENDENTAL = set(
    "cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh "
    "power float_power arctan2 hypot logaddexp logaddexp2".split()
)
# Composed of elementary functions, or whose order of operations NumPy's vector code changes.
COMPLEX_INEXACT = TRANSCENDENTAL | {"sqrt", "absolute", "divide", "reciprocal", "multiply", "square"}


def load(path):
    library = ctypes.CDLL(path)
    library.op_name.restype = ctypes.c_char_p
    pointer, size = ctypes.c_void_p, ctypes.c_ssize_t
    library.run_loop.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int, pointer, pointer, size]
    library.run_cast.argtypes = [ctypes.c_int, ctypes.c_int, pointer, size, pointer, size, size]
    library.fold_runs.argtypes = [ctypes.c_int, ctypes.c_int, pointer, size, size, pointer]
    return library


def samples(dtype, rng, count=300):
    """Special values and random ones, of every magnitude."""
    if dtype.kind == "b":
        return rng.integers(0, 2, count).astype(dtype)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        special = [0, 1, 2, 3, 7, 8, 31, 63, 64, limits.max, limits.max - 1, limits.min, limits.min + 1]
        if dtype.kind == "i":
            special += [-1, -2, -3, -7, -8]
        small = rng.integers(0 if dtype.kind == "u" else -20, 20, count // 2)
        wide = rng.integers(limits.min, limits.max, count // 2, dtype=dtype, endpoint=True)
        return np.concatenate([np.array(special, dtype), small.astype(dtype), wide])
    if dtype.kind == "f":
        info = np.finfo(dtype)
        special = [
            0.0,
            -0.0,
            1,
            -1,
            0.5,
            -0.5,
            1.5,
            2.5,
            -2.5,
            2,
            -2,
            3,
            10,
            100,
            -100,
            np.pi,
            np.inf,
            -np.inf,
            np.nan,
            info.max,
            -info.max,
            info.tiny,
            -info.tiny,
            info.smallest_subnormal,
            -info.smallest_subnormal,
            1 + info.eps,
            1 - info.epsneg,
        ]
        scaled = rng.standard_normal(count // 2) * 2.0 ** rng.integers(-12, 12, count // 2)
        return np.concatenate([np.array(special), scaled, rng.uniform(-3, 3, count // 2)]).astype(dtype)
    part = np.dtype("f4" if dtype.itemsize == 8 else "f8")
    special = [0.0, -0.0, 1, -1, 2, -0.5, np.inf, -np.inf, np.nan]
    grid = np.array([complex(x, y) for x, y in itertools.product(special, special)], dtype)
    real, imag = (rng.standard_normal(count) * 2.0 ** rng.integers(-4, 4, count) for _ in range(2))
    return np.concatenate([grid, (real.astype(part) + 1j * imag.astype(part)).astype(dtype)])


def pairs(dtype, rng):
    x = samples(dtype, rng, 60)
    grid_x, grid_y = np.meshgrid(x, x)
    return np.ascontiguousarray(grid_x.ravel()), np.ascontiguousarray(grid_y.ravel())


def ulp_distance(got, expected):
    """In units of the larger spacing; 0 where both are NaN or equal."""
    with np.errstate(all="ignore"):
        same = (got == expected) | (np.isnan(got) & np.isnan(expected))
        distance = np.abs(got.astype(np.float64) - expected.astype(np.float64))
        unit = np.spacing(np.maximum(np.abs(expected), np.finfo(expected.dtype).tiny)).astype(np.float64)
        distance = np.where(same, 0.0, np.where(np.isfinite(distance), distance / unit, np.inf))
    return distance


def complex_distance(got, expected):
    """Relative to the modulus, in units of the part's spacing; parts that are not finite must agree in kind."""
    with np.errstate(all="ignore"):
        unit = np.finfo(expected.dtype).eps * np.maximum(np.abs(expected).astype(np.float64), np.finfo(expected.dtype).tiny)
        parts = []
        for a, b in ((got.real, expected.real), (got.imag, expected.imag)):
            same = (a == b) | (np.isnan(a) & np.isnan(b))
            distance = np.abs(a.astype(np.float64) - b.astype(np.float64)) / unit
            parts.append(np.where(same, 0.0, np.where(np.isfinite(distance), distance, np.inf)))
        return np.maximum(*parts)


def as_numpy_1(name, operands, expected):
    """What the rows of the op table stand for, where NumPy 2 changed it: the kernel records other commands there, or the
    difference is one of docs/differences.md. None: no loop."""
    x = operands[0]
    if name in ("floor", "ceil", "trunc") and x.dtype.kind in "biu":
        return None  # a copy
    if x.dtype.kind == "c" and name == "sign":
        sign = np.where(x.real != 0, np.sign(x.real), np.sign(x.imag))
        return np.where(np.isnan(x.real) | np.isnan(x.imag), np.nan, sign).astype(x.dtype)
    if x.dtype.kind == "c" and name in ("power", "float_power"):
        is_nan = (x == 0) & (operands[1].real > 0) & (operands[1].imag != 0)
        return np.where(is_nan, expected.dtype.type(complex(np.nan, np.nan)), expected)
    return expected


class Check:
    def __init__(self, library):
        self.library = library
        self.compared = 0
        self.failures = []

    def compare(self, what, name, got, expected, operands):
        self.compared += expected.size
        if got.dtype != expected.dtype:
            self.failures.append(f"{what}: dtype {got.dtype}, NumPy gives {expected.dtype}")
            return
        kind = expected.dtype.kind
        is_complex = operands[-1].dtype.kind == "c"
        allowed = 0
        if is_complex and name in COMPLEX_INEXACT:
            allowed = ULPS["complex"]
        elif name in TRANSCENDENTAL:
            allowed = 1 if expected.dtype == np.float16 else ULPS["transcendental"]
        if kind == "c":
            distance = complex_distance(got, expected)
        elif kind == "f":
            distance = ulp_distance(got, expected)
            if not is_complex:
                signs = (np.signbit(got) != np.signbit(expected)) & (expected == 0) & (got == 0)
                distance = np.where(signs & (name not in ("maximum", "minimum", "fmax", "fmin")), np.inf, distance)
        else:
            distance = np.where(got == expected, 0, np.inf)
        wrong = np.flatnonzero(distance > allowed)
        if wrong.size:
            first = wrong[0]
            at = ", ".join(repr(x.ravel()[first]) for x in operands)
            self.failures.append(
                f"{what}: {wrong.size} of {expected.size} differ, e.g. ({at}): got {got[first]!r}, "
                f"NumPy gives {expected[first]!r} ({distance[first]:.3g} units)"
            )

    def loop(self, op, dtype_index, operands, single=0):
        n = operands[-1].size if single != 2 else operands[0].size
        out = np.zeros(n, DTYPES[self.library.result_dtype(op, dtype_index)])
        addresses = (ctypes.c_void_p * 3)(*[x.ctypes.data for x in operands])
        if not self.library.run_loop(op, dtype_index, single, addresses, out.ctypes.data, n):
            return None
        return out

    def every_loop(self, level):
        library = self.library
        for op in range(library.op_count()):
            kind, name = library.op_kind(op), library.op_name(op).decode()
            if kind not in (UNARY, BINARY, TERNARY):
                continue
            for index, dtype in enumerate(DTYPES):
                function = {"copy": np.array}.get(name) or getattr(np, name)
                rng = np.random.default_rng(index)
                what = f"{name}[{dtype}] {level}"
                if kind == UNARY:
                    operands = [samples(dtype, rng)]
                elif kind == BINARY:
                    operands = list(pairs(dtype, rng))
                else:
                    x, y = pairs(dtype, rng)
                    operands = [rng.integers(0, 2, x.size).astype(bool), x, y]
                if name == "power" and dtype.kind == "i":
                    operands[1] = np.abs(operands[1]) & 63  # NumPy refuses negative exponents
                if name == "ldexp" and dtype.kind == "f":
                    operands[1] = np.clip(np.nan_to_num(np.trunc(operands[1])), -3000, 3000).astype(dtype)
                    function = lambda x, y: np.ldexp(x, y.astype(int))  # noqa: E731
                got = self.loop(op, index, operands)
                with np.errstate(all="ignore"):
                    try:
                        expected = function(*operands)
                    except TypeError:
                        expected = None
                if IS_NUMPY_2 and expected is not None:
                    expected = as_numpy_1(name, operands, expected)
                if name == "float_power" and dtype.name not in ("float64", "complex128"):
                    continue  # NumPy computes in these two only
                if name == "signbit" and dtype.kind != "f":
                    continue  # NumPy casts to a float first
                if expected is not None and (got is None) and expected.dtype != dtype and expected.dtype != bool:
                    expected = None  # NumPy computes in another dtype: the kernel will ask for that one
                if (got is None) != (expected is None):
                    self.failures.append(f"{what}: loop {'missing' if got is None else 'exists'}, unlike in NumPy")
                    continue
                if got is not None:
                    self.compare(what, name, got, expected, operands)
                    if kind == BINARY:
                        self.single_operand(op, index, what, operands, got)

    def single_operand(self, op, index, what, operands, expected):
        """A loop with one repeated element gives the same bits as one with an array of it."""
        for single, at in ((1, 0), (2, 1)):
            for place in (0, 5, 17):
                repeated = list(operands)
                repeated[at] = np.full_like(operands[at], operands[at][place])
                full = self.loop(op, index, repeated)
                got = self.loop(op, index, repeated, single)
                if got is not None and got.tobytes() != full.tobytes():
                    self.failures.append(f"{what}: other bits with a single operand {at}")

    def every_cast(self, level):
        for (i, source), (j, target) in itertools.product(enumerate(DTYPES), enumerate(DTYPES)):
            rng = np.random.default_rng(i)
            x = np.ascontiguousarray(samples(source, rng, 400))
            if source.kind in "fc" and target.kind in "iu":
                # Outside the range of the target NumPy's result depends on its build; ours is checked in loops_test.
                real = x.real.astype(np.float64)
                limits = np.iinfo(target)
                with np.errstate(all="ignore"):
                    x = x[(np.trunc(real) >= float(limits.min)) & (np.trunc(real) < float(limits.max))]
            with np.errstate(all="ignore"):
                expected = (
                    x.astype(target)
                    if not (source.kind == "c" and target.kind != "c" and target.kind != "b")
                    else x.real.astype(target)
                )
            for from_step, to_step in ((1, 1), (2, 1), (1, 3), (-1, 1), (-2, -1)):
                from_buffer = np.zeros(max(1, x.size * abs(from_step)), source)
                strided = from_buffer[::from_step][: x.size]
                strided[:] = x
                to_buffer = np.zeros(max(1, x.size * abs(to_step)), target)
                got = to_buffer[::to_step][: x.size]
                self.library.run_cast(i, j, strided.ctypes.data, strided.strides[0], got.ctypes.data, got.strides[0], x.size)
                self.compare(f"cast {source} to {target} steps {from_step},{to_step} {level}", "cast", got.copy(), expected, [x])

    def every_fold(self, level):
        """Exact for integers and for order-free ops; sums of floats to the tolerance of another order."""
        folds = {
            "add": np.add,
            "multiply": np.multiply,
            "maximum": np.maximum,
            "minimum": np.minimum,
            "fmax": np.fmax,
            "fmin": np.fmin,
            "bitwise_and": np.bitwise_and,
            "bitwise_or": np.bitwise_or,
            "bitwise_xor": np.bitwise_xor,
            "logical_and": np.logical_and,
            "logical_or": np.logical_or,
        }
        for op in range(self.library.op_count()):
            name = self.library.op_name(op).decode()
            for index, dtype in enumerate(DTYPES):
                if name not in folds or not self.library.can_fold(op, index):
                    continue
                rng = np.random.default_rng(index)
                for length in (1, 2, 7, 31, 32, 33, 64, 100, 1000):
                    is_order_free = dtype.kind in "biu" or name not in ("add", "multiply")
                    x = (
                        samples(dtype, rng, 3 * length)[-3 * length :]
                        if is_order_free
                        else rng.uniform(0.9, 1.1, 3 * length).astype(dtype)
                    )
                    x = np.resize(x, (3, length))
                    out = np.zeros(3, dtype)
                    self.library.fold_runs(op, index, x.ctypes.data, 3, length, out.ctypes.data)
                    with np.errstate(all="ignore"):
                        expected = folds[name].reduce(x, axis=1, dtype=dtype)
                    self.compared += 3
                    is_equal = (
                        np.array_equal(out, expected, equal_nan=dtype.kind in "fc")
                        if is_order_free
                        else np.allclose(out, expected, rtol=length * np.finfo(dtype).eps, atol=0)
                    )
                    if not is_equal:
                        self.failures.append(f"fold {name}[{dtype}] of {length} {level}: got {out}, NumPy {expected}")


def main(path):
    library = load(path)
    check = Check(library)
    for level in range(library.best_isa() + 1):
        library.set_isa(level)
        check.every_loop(f"level {level}")
        check.every_cast(f"level {level}")
        check.every_fold(f"level {level}")
    for failure in check.failures:
        print("FAILED", failure)
    print(f"{check.compared} values compared with NumPy {np.__version__}, {len(check.failures)} failures")
    return 1 if check.failures or check.compared < 1_000_000 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
