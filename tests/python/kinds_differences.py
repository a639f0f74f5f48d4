# SPDX-License-Identifier: BSD-3-Clause
"""Differences from NumPy that are meant: which programs, which kind of difference, and why."""

import re

from kinds_cases import DATA, PLAIN

_ERRORS = r"^(raises|no error|error class)"
# (pattern of the program but for operands that are what they mostly are, pattern of "kind: text", why)
KNOWN = [
    (r"", r"^refused: .*values with a distributed array are not supported", "docs/differences.md, Dtypes"),
    (r"", r"NumPy TypeError\(.*got an unexpected keyword argument", "docs/differences.md, Names: parameters of NumPy 2"),
    (
        r"",
        r"^refused: .*(is not implemented yet for distributed arrays|in the memory of this process)",
        "docs/differences.md, No array is a numpy.ndarray; Names; Other modules",
    ),
    (
        r"'>f8'|'M8|'U\d'|'g'|object\)|'O'|'\('a','f8'\)'",
        r"",
        "docs/differences.md, Dtypes: they live here, and become native where they do not",
    ),
    (r"n\.asmatrix|view\(Own\)", r"", "docs/differences.md, Other classes"),
    (
        r"Fraction|\[0, \.\.\.\]|Decimal|Float\(|Index\(|Holder|Sequence|\{1, 2\}|object\(\)|'abc'|'yes'|str\(|2\*\*70|None|dict|1e300|'1'|uint64\(|initial=\[|initial=\(",
        _ERRORS,
        "docs/differences.md, Odd arguments",
    ),
    (r"n\.array\(|Holder|memoryview", r"^(shared memory|writeable|identity)", "docs/differences.md, Copies"),
    (
        r"\.at\(",
        r"^(written|raises|error class)",
        "docs/differences.md, Ufuncs: `at` casts once, at the end; NumPy's writes into read-only arrays",
    ),
    (
        r"(arctan2|atan2|power|pow|float_power|nextafter)\.(reduce|accumulate)",
        r"^value",
        "docs/differences.md, Ufuncs: NumPy's own are wrong on some processors",
    ),
    (r"\.reduce\(.*out=", r"^(value|written)", "docs/differences.md, Ufuncs: a fold casts once, at the end"),
    (
        r"\b(copy|out|device|stable|sorted|weights|mean|correction|rtol|upper|shape|min|max|axis)=",
        r"unexpected keyword argument",
        "docs/differences.md, NumPy 1 and 2: parameters of NumPy 2",
    ),
    (r"unique_values\(", r"^value", "docs/differences.md, Order: NumPy says nothing of it"),
    (r"pinv\(.*rtol=0\)", r"^value", "singular values that are nothing but rounding are inverted, each as it came out"),
    (r"fft\.\w+\(.*tolist\(\).*out=\(", r"^raises", "NumPy 2.5 does not look at the shape of an output in a tuple"),
    (r"\.reduce\(Real\(.*out=", r"^error class: .*output", "docs/differences.md, Odd arguments"),
    (r"interp\(", r"nan", "of points that do not rise NumPy does not say what it gives"),
    (r"histogram", r"complex|real numbers", "docs/differences.md, Other classes"),
    (r"broadcast_arrays|broadcast_to", r"^writeable", "docs/differences.md, Order in memory"),
    (r"from_dlpack|frombuffer|__array__", r"^(writeable|no error|identity)", "docs/differences.md, Copies"),
    (
        r"array2string|array_repr|array_str|__format__",
        r"^(no error|error class|value)",
        "docs/differences.md, Odd arguments: the text of anything is told",
    ),
    (r"kind=b'", r"^error class", "docs/differences.md, Odd arguments: a kind in bytes is refused as NumPy 1 does"),
    (r"geomspace\(nan", r"^value", "the end is what was asked for, as with NumPy 1"),
    (r"nan_to_num\(.*\.flat", r"^shared memory", "NumPy 2 changes an array whose copy was asked for, through its .flat"),
    (r"trim_zeros\(.*axis=", r"^raises", "docs/differences.md, Odd arguments: an axis is a whole number"),
    (r"hfft\(.*out=", r"^raises", "NumPy 2.0 to 2.2 do not write into an output of hfft"),
    (r"np\.array\(True\)", r"^no error", "docs/differences.md, Odd arguments: a number in an array without axes is a count"),
    (r"fft\.\w+\(.*out=\(", r"^raises", "NumPy 2 does not look at the shape of an output that stands in a tuple"),
    (
        r"read_only\(np\.array\(n\.zeros\(\(\)",
        r"^error class",
        "docs/differences.md, Results without axes: one that is read-only is a value",
    ),
    (
        r"out=\(",
        r"^(no error|class|error class)",
        "docs/differences.md, Odd arguments: an output may stand in a tuple everywhere",
    ),
    (
        r"overwrite_input=|hermitian=|equal_nan=|assume_unique=|subok=",
        r"^(no error|raises)",
        "docs/differences.md, Odd arguments: flags",
    ),
    (
        r"(split|diag_indices_from|rollaxis|apply_over_axes|take_along_axis|put_along_axis|poly\w*|roots|putmask|unique|sliding_window_view|place)\(",
        _ERRORS,
        "docs/differences.md, Odd arguments: what is no array becomes one",
    ),
    (
        r"\.(max|min|sum|any)\(\)|ravel\(\)\[\d|ravel\(\)\)\n|\w\[-?\d(, \.\.\.)?\]|n\.float32\(1|Enumerated",
        r"^(error class|no error|scalar|writeable)",
        "docs/differences.md, Results without axes",
    ),
    (r"einsum\(.*optimize=", r"^scalar", "docs/differences.md, Results without axes"),
    (r"einsum\((True|\d|\[)", r"^error class", "docs/differences.md, Odd arguments: of two mistakes either is told"),
    (r"norm\(.*axis=.*True", r"^error class", "docs/differences.md, Odd arguments: of two mistakes either is told"),
    (r"multi_dot\(", r"^no error", "docs/differences.md, Odd arguments: what is no array becomes one"),
    (r"dot\(.*out=", r"^(no error|scalar)", "docs/differences.md, Odd arguments: an output of any order"),
    (r"real_if_close", r"^identity", "a small array that NumPy gives back is wrapped again"),
    (r"fix\(.*out=", r"^value", "NumPy's reads what it has written"),
    (r"resize\(.*refcheck=False", r"^raises", "docs/differences.md, Odd arguments"),
    (r"partition\(", r"^written", "docs/differences.md, Partitions"),
    (r"", r"object at 0x|<memory at 0x", "addresses"),
    (r"reduceat\(", r"^raises", "docs/differences.md, Odd arguments: values in lists"),
    (r"\] = \[", r"^no error", "docs/differences.md, Odd arguments: a list of one number is a number"),
    (r"\*\*= ", r"^raises", "docs/differences.md, Odd arguments: a power in place of whole numbers with a float"),
    (r"fromstring\(.*count=", r"^value", "what is not read nobody has set"),
    (r"polyfit\(", r"^value", "of a fit without a solution every rounding matters"),
    (r"isscalar\(", r"^value", "docs/differences.md, Results without axes"),
    (r"\.fill\(|put\(", r"^raises", "NumPy's scalars can be filled, and are not"),
    (r"overwrite_input=", r"^written", "docs/differences.md, Statistics"),
    (r"memoryview|\.flat\b|ddof=1j|copyto\(.*where=", r"^raises", "docs/differences.md, Odd arguments and Copies"),
    (r"(median|nanmedian)\(.*out=", r"^raises", "an output for the middle of nothing is refused"),
    (r"fftfreq\(", r"^no error", "docs/differences.md, Odd arguments: a number in an array without axes is a count"),
    (r"flip\(", r"^scalar", "what is no array becomes one"),
    (
        r"fftn\(|repeat\(|resize\(|histogram|nanpercentile|nanquantile",
        r"^raises",
        "docs/differences.md, Odd arguments: values in lists, of lists without elements",
    ),
    (r"memoryview\(|array2string\(|diagflat|delete\(", r"^(value|scalar|error class)", "docs/differences.md, Odd arguments"),
    (r"fftn\(", r"^identity", "a transform of no axes is a copy"),
    (r"promote_types|n\.array\(.*'\?'\)", r"^no error", "docs/differences.md, Odd arguments"),
    (
        r"(here|np\.array|n\.array)\(\[\d\]\), \d\)|\(\d, (here|np\.array|n\.array)\(\[",
        r"^raises",
        "docs/differences.md, Odd arguments: values in lists",
    ),
    (r"n\.array\(|n\.float32\(", r"own$", "of NumPy's own arrays alone NumPy's results are its own"),
    (r"unpackbits\(.*count=", r"^value", "of no bytes NumPy unpacks what stands behind them"),
    (r"cond\(", r"^value.*(inf|e\+\d\d)", "of a matrix without full rank the least singular value is rounding"),
    (r"lstsq\(", r"^value", "of a matrix without full rank everything depends on rcond"),
    (r"permutation\(n\.", r"^dtype", "NumPy makes floats of a uint64"),
    (
        r"np\.random",
        r"^(class|error class|no error|raises|scalar)",
        "docs/differences.md, Random numbers: the errors are those of Generator",
    ),
]


def is_known(lines, difference):
    """True for a difference that is meant."""
    plain = {f"{name} = {PLAIN.replace('{}', data)}" for name, data in DATA.items()}
    told, program = f"{difference.kind}: {difference}", "\n".join(line for line in lines if line not in plain)
    return any(re.search(line, program) and re.search(text, told) for line, text, _ in KNOWN)
