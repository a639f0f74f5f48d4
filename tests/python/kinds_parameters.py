# SPDX-License-Identifier: BSD-3-Clause
"""What may be given for a parameter, by its name: texts of NumPy's own values, of other kinds of them, and of mistakes."""

from kinds_changes import FLAG

_DTYPE = "'f8' 'f4' 'i4' 'u1' '?' 'c8' 'f2' float int bool complex n.float32 n.dtype('i8') np.float64 None object '>f8' 'U3' 'O' 'M8[s]' 'g' " \
    "n.floating 'nonsense' Text('f4') 'float64' b'f4' n.array(1.5).dtype np.array([1]).dtype 'i' 5 [('a','f8')]".split()  # fmt: skip
_AXIS = "0 1 -1 -2 2 -3 None (0,) (0,1) (-1,0) [0,1] [0] () (0,0) n.int8(0) n.array(1) np.array(0) np.array([1]).max() 0.0 1.0 True Index(0) Whole(1) " \
    "Enumerated(1) Named((0,1)) Tuple((1,)) '0' n.uint64(0) (n.int16(1),) (Index(0),) (0.0,) np.array([0,1])".split()  # fmt: skip
_ORDER = "'C' 'F' 'A' 'K' 'c' 'f' None 'X' Text('F') b'C' n.str_('C') '' 'CF' 0".split()
_FLAG = ["True", "False", *FLAG]
_COUNT = "0 1 2 3 -1 5 n.int8(2) np.array(2) np.array([2]).max() 2.0 2.5 True None Index(2) Whole(2) Float(2) '2' [2] (2,) (2,3) np.array([2])".split()
_NUMBER = "0 1 -1 2.5 1j True nan n.float32(1.5) n.int8(2) np.array(1.5) np.array([2.5]).max() None '1' [1] [1.5] np.array([1]) Float(1.5) Index(2) 2**70 " \
    "Fraction(1,2) inf".split()  # fmt: skip
# What may be given for a parameter, by its name.
PARAMETERS = {
    "dtype": _DTYPE, "axis": _AXIS, "axes": _AXIS, "order": _ORDER, "keepdims": _FLAG, "subok": _FLAG, "copy": _FLAG, "offset": _COUNT, "ddof": _NUMBER,
    "bias": _FLAG, "rowvar": _FLAG, "density": _FLAG, "assume_unique": _FLAG, "invert": _FLAG, "equal_nan": _FLAG, "return_index": _FLAG,
    "return_inverse": _FLAG, "return_counts": _FLAG, "returned": _FLAG, "endpoint": _FLAG, "retstep": _FLAG, "sparse": _FLAG, "right": _FLAG,
    "return_indices": _FLAG, "hermitian": _FLAG, "compute_uv": _FLAG, "full_matrices": _FLAG, "overwrite_input": _FLAG, "increasing": _FLAG,
    "full": _FLAG, "wrap": _FLAG, "initial": _NUMBER, "rtol": _NUMBER, "atol": _NUMBER, "nan": _NUMBER, "posinf": _NUMBER, "neginf": _NUMBER, "tol": _NUMBER,
    "discont": _NUMBER, "period": _NUMBER, "left": _NUMBER, "dx": _NUMBER, "prepend": _NUMBER, "append": _NUMBER, "to_begin": _NUMBER, "to_end": _NUMBER,
    "default": _NUMBER, "minlength": _COUNT, "ndmin": _COUNT, "k": _COUNT, "n": _COUNT, "decimals": _COUNT, "axis1": _AXIS, "axis2": _AXIS, "count": _COUNT,
    "casting": "'no' 'equiv' 'safe' 'same_kind' 'unsafe' Text('safe') 'nonsense' b'safe' None 0".split(),
    "mode": "'raise' 'wrap' 'clip' 'full' 'same' 'valid' 'constant' 'edge' 'reflect' 'r' 'reduced' 0 1 2 None 'nonsense' Text('wrap') 'Wrap'".split(),
    "kind": "'quicksort' 'stable' 'mergesort' 'heapsort' 'nonsense' None Text('stable') 'STABLE' 0 b'stable' 'table' 'sort'".split(),
    "side": "'left' 'right' 'l' 'R' 'middle' None Text('right') b'left' 0".split(),
    "method": "'linear' 'lower' 'higher' 'midpoint' 'nearest' 'hazen' 'median_unbiased' 'weibull' 'inverted_cdf' 'nonsense' None Text('lower')".split(),
    "norm": "'ortho' 'forward' 'backward' None 'nonsense' Text('ortho') 0".split(),
    "indexing": "'ij' 'xy' 'nonsense' None Text('ij')".split(),
    "UPLO": "'L' 'U' 'l' 'X' None Text('U')".split(), "bitorder": "'big' 'little' 'b' None Text('little')".split(),
    "ord": "1 2 -1 'fro' 'nuc' inf -inf None 0 3 'nonsense' 2.5 np.array(2) Text('fro') n.int8(2) True".split(),
    "range": "(0,1) [0,2] (1,0) np.array([0.0,2.0]) (0,n.inf) None (0,) Tuple((0,2)) n.array([0,3]) 5 (1,1) Named((0,2))".split(),
    "optimize": "True False 'greedy' 'optimal' None 1".split(),
}  # fmt: skip
# Where the name says more than the value that stands there.
TELLING = frozenset("axis axes order casting mode kind side method norm dtype indexing UPLO bitorder ord range optimize".split())
