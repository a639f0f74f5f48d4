# SPDX-License-Identifier: BSD-3-Clause
"""Random small NumPy programs: what is written, not how it is run (fuzz.py runs them and makes failing ones short).

A program is a list of lines over `np` (the module under test), `n` (NumPy itself), `D(shape, dtype, k)` (small numbers as
a NumPy array) and `out(value)` (a read that is compared). The writer runs every line on NumPy as it goes, so it knows
shapes, and takes back a line whose numbers would not be exact: what remains must agree bit for bit, whatever the order
of summation or the vector unit.
"""

import numpy

from program_pieces import Environment, Pieces, is_c_ordered

# Numbers stay multiples of 1/8 below this bound, so that sums of a thousand of them are exact in the dtype.
_LARGEST = {2: 2.0**5, 4: 2.0**10, 8: 2.0**30}


class Writer(Pieces):
    """Writes one program. `random` is a `random.Random`; `writer.write()` returns the lines."""

    def __init__(self, random, length=14, large=0.08):
        self.random = random
        self.length = length
        self.large = large
        self.lines = []
        self.next_name = 0
        self.numpy = Environment(numpy)

    def write(self):
        kinds = [(name, weight) for name, weight in _KINDS.items()]
        attempts = 0
        while len(self.lines) < self.length and attempts < 6 * self.length:
            attempts += 1
            kind = "create" if len(self.values()) < 2 else self.random.choices([k for k, _ in kinds], [w for _, w in kinds])[0]
            line = getattr(self, kind)()
            if line:
                self.add(line)
        return self.lines

    def add(self, line):
        reads = len(self.numpy.reads)
        before = {name: value.dtype for name, value in self.numpy.arrays().items() if hasattr(value, "dtype")}
        error = self.numpy.run(line)
        refused = error is not None and self.random.random() > 0.1
        if refused or isinstance(error, (AttributeError, NameError)) or not self.is_exact(reads, before):
            # Replay: the line may have written before it was refused.
            self.numpy = Environment(numpy)
            for earlier in self.lines:
                self.numpy.run(earlier)
        else:
            self.lines.append(line)

    def is_exact(self, reads, before):
        values = [*self.numpy.arrays().values(), *self.numpy.reads[reads:]]
        for value in map(numpy.asarray, values):
            if value.dtype.kind == "O" or value.size > 20000:
                return False
            if value.dtype.kind not in "fc" or not value.size:
                continue
            parts = (
                value.view(value.real.dtype) if value.flags.c_contiguous and value.ndim else numpy.array([value.real, value.imag])
            )
            scaled = parts.astype("f8") * 8
            if not numpy.isfinite(scaled).all() or (scaled != numpy.rint(scaled)).any():
                return False
            if numpy.abs(parts).max() > _LARGEST[parts.dtype.itemsize]:
                return False
        return True

    # ---- kinds of lines

    def create(self):
        choose = self.random
        shape, dtype, name = self.shape(), self.dtype(), self.new()
        kind = choose.random()
        if kind < 0.6:
            return f"{name} = np.array(D({shape}, '{dtype}', {choose.randint(0, 9)}))"
        if kind < 0.7:
            return f"{name} = np.zeros({shape}, '{dtype}')"
        if kind < 0.8:
            return f"{name} = np.full({shape}, {choose.choice([1, 2, 3])}, '{dtype}')"
        if kind < 0.9 and dtype not in ("?", "f2"):
            return f"{name} = np.arange({choose.randint(0, 12)}, dtype='{dtype}')"
        other = self.pick()
        return f"{name} = np.ones_like({other})" if other else f"{name} = np.ones({shape}, '{dtype}')"

    def view(self):
        name = self.pick()
        if not name:
            return None
        value, choose, new = self.values()[name], self.random, self.new()
        forms = [f"{name}[{self.key(value)}]"] * 4 + [f"{name}.T", f"{name}[None]"]
        if is_c_ordered(value):
            forms += [f"{name}.ravel()"]
        if value.ndim > 1:
            axes = list(range(value.ndim))
            choose.shuffle(axes)
            forms += [
                f"{name}.transpose({tuple(axes)})",
                f"{name}.swapaxes(0, -1)",
                f"{name}.diagonal({choose.choice([0, 1, -1])})",
            ]
            forms += [f"np.flip({name}, {choose.randint(0, value.ndim - 1)})"]
            if is_c_ordered(value):
                forms += [f"{name}.reshape(-1)", f"{name}.reshape({value.shape[::-1]})"]
        if value.ndim:
            forms += [f"np.broadcast_to({name}, {(choose.randint(0, 3), *value.shape)})", f"np.squeeze({name})"]
            if value.size % 2 == 0 and is_c_ordered(value):
                forms += [f"{name}.reshape(2, -1)", f"{name}.reshape(-1, 2)"]
        forms += [f"{name}.real", f"{name}.imag"] if value.dtype.kind == "c" else [f"{name}.view()"]
        return f"{new} = {choose.choice(forms)}"

    def unary(self):
        name = self.pick()
        if not name:
            return None
        value = self.values()[name]
        functions = ["negative", "absolute", "sign", "square", "logical_not", "isnan", "conjugate", "positive"]
        functions += {"b": ["invert"], "i": ["invert"], "u": ["invert"], "f": ["floor", "ceil", "rint"], "c": []}[
            value.dtype.kind
        ]
        return f"{self.new()} = np.{self.random.choice(functions)}({name})"

    def binary(self):
        name = self.pick()
        if not name:
            return None
        operators = ["+", "-", "*", "<", "==", ">=", "!=", "+", "-", "*"]
        if self.values()[name].dtype.kind in "biu":
            operators += ["&", "|", "^", "//", "%"]
        left, right = name, self.operand(self.values()[name])
        if self.random.random() < 0.3:
            left, right = right, left
        if self.random.random() < 0.15:
            return f"{self.new()} = np.{self.random.choice(['maximum', 'minimum'])}({left}, {right})"
        line = f"{self.new()} = {left} {self.random.choice(operators)} {right}"
        return line if self.random.random() < 0.7 else f"{line.rstrip()} + ({left} * {self.number()})"

    def in_place(self):
        name = self.pick()
        if not name:
            return None
        value, choose = self.values()[name], self.random
        operator = choose.choice(["+", "-", "*", "+", "-"] + (["&", "|", "^"] if value.dtype.kind in "biu" else []))
        if choose.random() < 0.4:
            left, right = self.same_shape_keys(value)
            return f"{name}[{left}] {operator}= {name}[{right}]"
        if choose.random() < 0.5:
            return f"{name} {operator}= {self.operand(value)}"
        key = self.key(value)
        return f"{name}[{key}] {operator}= {self.operand(eval(f'value[{key}, ...]' if '...' not in key else f'value[{key}]'))}"

    def assign(self):
        name = self.pick()
        if not name:
            return None
        value, choose = self.values()[name], self.random
        kind = choose.random()
        if kind < 0.4:
            left, right = self.same_shape_keys(value)
            tail = choose.choice(["", "", f" + {self.number()}", f" * {name}[{left}]", f" - {name}[{right}]"])
            return f"{name}[{left}] = {name}[{right}]{tail}"
        if kind < 0.6:
            compare = choose.choice(["> 1", "== 0", "!= 2", "<= -1"])
            return f"{name}[{name} {compare}] = {self.number()}"
        if kind < 0.65 and value.ndim == 2 and value.shape[0] == value.shape[1]:
            return f"{name}[...] = {name}.T"
        key = self.key(value)
        return f"{name}[{key}] = {self.operand(eval(f'value[{key}, ...]' if '...' not in key else f'value[{key}]'))}"

    def interior(self):
        """A box of an array is written, and then all of it is read."""
        name = self.pick(lambda value: value.ndim > 0)
        if not name:
            return None
        choose, new = self.random, self.new()
        left, right = self.same_shape_keys(self.values()[name])
        follow = choose.sample([f"{name} - {new}", f"({name} - {new}).sum()", f"{name}.max()", f"abs({name} * {new}).min()",
                                f"{name}.sum(0)", f"({name} > {new}).any()"], 2)  # fmt: skip
        write = f"{name}[{left}] = {name}[{right}]{choose.choice(['', f' + {self.number()}', f' - {name}[{left}]'])}"
        return "; ".join([f"{new} = {name}.copy()", write, *(f"{self.new()} = {value}" for value in follow)])

    def into(self):
        name = self.pick()
        if not name:
            return None
        value = self.values()[name]
        function = self.random.choice(["add", "subtract", "multiply", "maximum"])
        if self.random.random() < 0.5:
            left, right = self.same_shape_keys(value)
            third = self.random.choice([left, right])
            return f"np.{function}({name}[{left}], {name}[{right}], out={name}[{third}])"
        return f"np.{function}({self.operand(value)}, {self.operand(value)}, out={name})"

    def loop(self):
        line = self.random.choice([self.assign, self.in_place, self.into])()
        return line and f"for _ in range({self.random.randint(2, 4)}): {line}"

    def select(self):
        name = self.pick()
        if not name:
            return None
        value = self.values()[name]
        compare = self.random.choice(["> 1", "== 0", "!= 2"])
        return f"{self.new()} = np.where({name} {compare}, {self.operand(value)}, {self.operand(value)})"

    def fold(self):
        name = self.pick()
        if not name:
            return None
        value, choose = self.values()[name], self.random
        function = choose.choice(["sum", "sum", "max", "min", "any", "all", "prod", "mean"])
        arguments = []
        if value.ndim and choose.random() < 0.6:
            axes = tuple(choose.sample(range(value.ndim), choose.randint(1, value.ndim)))
            arguments.append(f"axis={axes[0] - choose.choice([0, value.ndim]) if len(axes) == 1 else axes}")
        if choose.random() < 0.2:
            arguments.append("keepdims=True")
        return f"{self.new()} = {name}.{function}({', '.join(arguments)})"

    def product(self):
        left = self.pick(lambda value: 1 <= value.ndim <= 3)
        if not left:
            return None
        inner = self.values()[left].shape[-1]
        right = self.pick(lambda value: value.ndim and value.shape[-2 if value.ndim > 1 else 0] == inner)
        if not right:
            return f"{self.new()} = {left} @ {left}.T"
        return f"{self.new()} = {self.random.choice([f'{left} @ {right}', f'np.dot({left}, {right})'])}"

    def indices(self, extent):
        choose = self.random
        numbers = [choose.randint(-extent, extent - 1) for _ in range(choose.choice([0, 1, 3, 5, 9]))] if extent else []
        return f"np.array({numbers}, '{choose.choice(['i8', 'i8', 'i4', 'i1'])}')"

    def gather(self):
        name = self.pick(lambda value: value.ndim > 0)
        if not name:
            return None
        value, choose = self.values()[name], self.random
        axis = choose.randrange(value.ndim)
        index = self.indices(value.shape[axis])
        # NumPy's own result of the first lies in the order of its index: what a reshape of it shares would differ.
        forms = [f"{name}[{':, ' * axis}{index}]{'.copy()' if axis else ''}", f"{name}.take({index}, {axis})"]
        return f"{self.new()} = {choose.choice(forms)}"

    def scatter(self):
        name = self.pick(lambda value: value.ndim > 0)
        if not name:
            return None
        value, choose = self.values()[name], self.random
        axis = choose.randrange(value.ndim)
        key = f"{':, ' * axis}{self.indices(value.shape[axis])}"
        if choose.random() < 0.4:
            return f"{name}[{key}] {choose.choice('+-')}= {self.number()}"
        try:
            shape = eval(f"value[{key}].shape", {"np": numpy, "value": value})
        except OverflowError:  # NumPy 2: a number that a narrow dtype does not hold
            return None
        return f"{name}[{key}] = {choose.choice([self.number(), f'D({shape}, {repr(self.dtype())}, 3)'])}"

    def run_along(self):
        name = self.pick(lambda value: value.ndim > 0)
        if not name:
            return None
        value, choose = self.values()[name], self.random
        axis = choose.randrange(-value.ndim, value.ndim)
        forms = [f"np.cumsum({name}, {axis})", f"np.maximum.accumulate({name}, {axis})", f"np.sort({name}, {axis})",
                 f"np.argsort({name}, {axis}, kind='stable')", f"{name}.cumsum()"]  # fmt: skip
        if value.dtype.kind in "biu" and value.ndim == 1 and value.dtype != "u8" and value.max(initial=0) < 1000:
            forms += [f"np.bincount({name}, minlength=3)"]
        return f"{self.new()} = {choose.choice(forms)}"

    def duplicate(self):
        name = self.pick()
        if not name:
            return None
        value, target = self.values()[name], numpy.dtype(self.dtype())
        data = numpy.asarray(value)
        if data.dtype.kind in "fc" and target.kind in "iu" and data.size:
            info = numpy.iinfo(target)
            if data.real.min() < info.min or data.real.max() > info.max:
                return f"{self.new()} = {name}.copy()"
        return (
            f"{self.new()} = {name}.astype('{target.str[1:]}')" if self.random.random() < 0.6 else f"{self.new()} = {name}.copy()"
        )

    def join(self):
        name = self.pick(lambda value: value.ndim > 0)
        if not name:
            return None
        shape = self.values()[name].shape
        other = self.pick(lambda value: value.shape == shape)
        function = self.random.choice(["concatenate", "stack"])
        return f"{self.new()} = np.{function}([{name}, {other}, {name}[::-1]], axis={self.random.choice([0, -1])})"

    def read(self):
        name = self.pick()
        if not name:
            return None
        value = self.values()[name]
        if value.size and self.random.random() < 0.5:
            index = tuple(self.random.randint(-extent, extent - 1) for extent in value.shape)
            return f"out({name}[{index}])" if self.random.random() < 0.5 else f"out({name}.item({index}))"
        return f"out({name})" if self.random.random() < 0.7 else f"out({name}.sum())"

    def forget(self):
        name = self.pick()
        return name and f"del {name}"


_KINDS = {
    "create": 4, "view": 14, "unary": 4, "binary": 9, "in_place": 10, "assign": 12, "into": 5, "interior": 4, "loop": 3, "select": 3,
    "fold": 6, "product": 2, "duplicate": 4, "join": 2, "read": 6, "forget": 4,
    "gather": 5, "scatter": 5, "run_along": 4,
}  # fmt: skip
