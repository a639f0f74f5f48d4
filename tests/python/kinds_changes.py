# SPDX-License-Identifier: BSD-3-Clause
"""Other kinds of an argument: for each piece of a call's text (a number, a text, a tuple, a list, an operand) the texts
that may stand in its place. `{}` stands for the piece."""

import ast

from operands import DTYPES

WHOLE = """np.array({})
np.array([{}]).max()
n.array({})
n.int64({})
n.int8({})
n.uint8({})
n.uint64({})
Index({})
Whole({})
Enumerated({})
Float({})
float({})
{} + 0.5
-{}
-{} - 1
{} + 1
{} + 7
0
True
False
n.True_
np.array(True)
n.float64({})
n.float32({})
np.array([float({})]).max()
np.array(float({}))
complex({})
str({})
None
[{}]
({},)
np.array([{}])
n.array([{}])
here({})
here([{}])
np.array([{}, {}])
Named([{}])
2**70
-2**70
nan
Fraction({})
Decimal({})
Real({})
...
slice({})
range({})
[]
()
'abc'""".splitlines()  # fmt: skip
REAL = """np.array({})
np.array([{}]).max()
n.array({})
n.float64({})
n.float32({})
n.float16({})
Real({})
Float({})
Index({})
int({})
-{}
{} + 1j
nan
inf
True
n.int64({})
np.array([{}])
n.array([{}])
here({})
[{}]
[[{}]]
np.array([{}, {}])
Fraction({})
Decimal({})
2**70
None
str({})
0
0.0
1e300
()""".splitlines()  # fmt: skip
FLAG = """1
0
True
False
n.True_
n.False_
np.array(True)
np.array([True, False]).any()
np.array([True, False])
None
'yes'
''
2.5
[]
Index(1)
-1
nan
np.array([1.5]).max()""".splitlines()
TEXT = """Text({})
n.str_({})
{}.encode()
{}.upper()
{}[:1]
''
'nonsense'
None
0
1
[{}]
np.array(1)
True
n.array({})""".splitlines()
SEQUENCE = """List({})
Tuple({})
list({})
tuple({})
Named({})
Sequence({})
iter({})
(each for each in {})
np.array({})
n.array({})
here({})
{}[::-1]
{}[:1]
{}[:0]
[*{}, *{}]
[{}]
dict.fromkeys({})
None
n.array({}, 'f8')
n.array({}, 'u1')
n.array({}, '?')
n.array({}, object)
range(2)
Holder({})""".splitlines()
# The operand itself, or something of its elements, in the place of the operand.
OPERAND = """{}.tolist()
tuple({}.tolist())
List({}.tolist())
Sequence({}.tolist())
n.array({})
n.array({}).view(Own)
n.asmatrix(n.array({}))
Holder({})
memoryview(n.array({}))
{}.T
{}[::-1]
{}[..., ::-1]
{}[:0]
{}[:1]
{}[1:]
{}[0]
{}[-1, ...]
{}[..., 0]
{}[None]
{}.ravel()[0]
{}.ravel()[1:2]
{}.ravel()
{}.max()
{}.flat
{}.tolist()[0]
list({})
2
-1
0.5
1j
True
None
'abc'
b'abc'
n.float32(1.5)
n.int8(3)
2**70
np.array(1.5)
np.array(2)
Float(1.5)
Index(2)
Real(0.5)
Fraction(1, 2)
Enumerated(1)
[]
[[]]
[[1, 2], [3]]
nan
{1, 2}
range(3)
object()
{} == {}
{} > 1
np.broadcast_to({}, (2, *{}.shape))
{}.astype(object)""".splitlines()
# Other ways to make an operand; `{}` stands for its data. What stands behind `@` makes a view of it, whose base is compared, too.
DEFINITIONS = (
    """np.array(({}).T.copy()) @ .T
np.array(({})[::-1]) @ [::-1]
np.array(({})[..., ::-1]) @ [..., ::-1]
np.array(n.repeat({}, 2, -1)) @ [..., ::2]
np.array(n.repeat({}, 2, 0)) @ [1::2]
np.array({}, order='F')
np.broadcast_to(np.array(({})[:1]), ({}).shape)
np.broadcast_to(np.array(({})[..., :1]), ({}).shape)
read_only(np.array({}))
here({})
here(n.repeat({}, 2, -1)) @ [..., ::2]
read_only(here({}))
n.array({})
n.array(({}).T.copy()) @ .T
read_only(n.array({}))
n.array({}).view(Own)
np.array(n.array({}).astype(bool).view('u1') * 2).view(bool)
np.array(({})[:0])
np.array(({})[..., :0])
np.array(({})[:1])
np.array(({})[1:])
np.array({})[None]
np.array(({})[..., None])
np.array(({}).ravel()[1])
np.array(({}).ravel()) @ [1]
np.array(({}).ravel())
np.array(-({}) if ({}).dtype != bool else ~({}))
np.array(({}) * 0)
np.array(n.where(({}) > 0.5, n.nan, {}))
here(({}).astype('>f8'))
here(({}).astype(object))
here(({}).astype('U5'))
here(({}).astype('M8[s]'))
here(({}).astype('g'))""".splitlines()
    + [f"np.array(({{}}).astype('{dtype}'))" for dtype in DTYPES for _ in range(2)]
)


def of_value(node):
    """The texts, with `{}` for the piece itself, that may stand in the place of a piece of a call; None where it tells nothing."""
    if isinstance(node, ast.Name):
        return OPERAND
    if isinstance(node, (ast.Tuple, ast.List)):
        return SEQUENCE
    return {bool: FLAG, int: WHOLE, float: REAL, complex: REAL, str: TEXT}.get(type(ast.literal_eval(node)))
