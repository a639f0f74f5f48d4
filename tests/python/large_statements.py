# SPDX-License-Identifier: BSD-3-Clause
"""The kinds of statements of large_programs.py: each method draws one line, or None where nothing fits."""

import math

from large_programs import DTYPES, LINE, NothingFits, Operands

FEW = 200_000  # elements, for what is slow in NumPy


class Statements(Operands):
    """`next()` is a line, followed by the names of the arrays that it makes or changes where these are not what it begins with."""

    def __init__(self, random, values, most):
        super().__init__(random, values, most)
        self.count = 0

    def leaves(self):
        """The lines that a program begins with."""
        return [f"{self.new()} = L(({LINE},), '{self.random.choice(['f8', 'i8', 'i4'])}', 1)", *(self.leaf() for _ in range(3))]

    def leaf(self):
        return f"{self.new()} = L({self.shape()}, '{self.random.choice(DTYPES)}', {self.random.randrange(50)})"

    def new(self):
        self.count += 1
        return f"v{self.count - 1}"

    def next(self):
        for _ in range(50):
            kind = self.random.choices(list(KINDS), list(KINDS.values()))[0]
            try:
                line = getattr(self, kind)()
            except NothingFits:
                continue
            if line:
                return line if "\n" in line or line.startswith("v") and " = " in line.split("(")[0] else f"{self.new()} = {line}"
        return self.leaf()

    # Sums of these are exact, or their order does not matter.
    def exact(self):
        return self.view(lambda value: value.dtype.kind in "iub" or value.dtype.char in "dD")

    def chain(self, text, shape, dtype):
        random = self.random
        for _ in range(random.choice([1, 1, 2, 3, 5])):
            operator = random.choice(
                ["+", "-", "*", "+"] if dtype.kind in "fc" else ["+", "*", "+", "^" if dtype.kind in "iub" else "+"]
            )
            other = self.other(shape)
            if operator == "^":
                other = random.choice(["3", text])
            pair = (text, other) if random.random() < 0.7 else (other, text)
            text = f"({pair[0]} {operator} {pair[1]})"
        return text

    def elementwise(self):
        text, shape, dtype = self.view()
        text = self.chain(text, shape, dtype)
        form = self.random.choice(["{}", "{}", "{}", "np.abs({})", "np.sqrt(np.abs({}))", "({}).astype('f4')", "({}).astype('f8')", "np.negative({}, dtype='f8')",
                                   "np.square({})", "({} > 3)", "np.where({} > 2, {}, " + self.other(shape) + ")"])  # fmt: skip
        return form.replace("{}", text)

    def select(self):
        text, shape, _ = self.view(lambda value: value.dtype.kind in "iuf")
        return f"np.where({text} > {self.other(shape)}, {self.other(shape)}, {self.random.choice([text, self.other(shape)])})"

    def extremes(self):
        text, shape, _ = self.view(lambda value: value.dtype.kind in "iuf")
        return self.random.choice([f"np.maximum({text}, {self.other(shape)})", f"np.clip({text}, -3, {self.other(shape)})", f"np.fmod({text}, 7)",
                                   f"np.divmod({text}, 7)[{self.random.choice('01')}]", f"np.hypot({text}, {self.other(shape)})"])  # fmt: skip

    def fold(self):
        text, shape, dtype = self.exact()
        where = f"axis={self.axes(len(shape))}" if self.random.random() < 0.75 else ""
        function = self.random.choice(["sum", "sum", "max", "min", "any", "all", "mean"])
        if dtype.kind == "c" and function in ("max", "min") or not math.prod(shape):
            function = "sum"
        if self.random.random() < 0.2:
            where += ", keepdims=True" if where else "keepdims=True"
        inner = text
        if self.random.random() < 0.5:
            inner = self.random.choice(
                [
                    f"({text} + {self.other(shape)})",
                    f"({text} * {self.other(shape)})",
                    f"abs({text} * {self.other(shape)} + 1)",
                    f"({text} > {self.other(shape)})" if dtype.kind != "c" else text,
                ]
            )
        return f"{inner}.{function}({where})"

    def fold_more(self):
        text, shape, _ = self.view(lambda value: value.dtype.kind in "iu" or value.dtype.char == "d")
        axis = self.axis(len(shape))
        return self.random.choice([f"{text}.argmax(axis={axis})", f"{text}.argmin(axis={axis})", f"{text}.argmax()", f"{text}.var(axis={axis})", f"{text}.std(axis={axis})",
                                   f"np.ptp({text}, axis={axis})", f"np.count_nonzero({text}, axis={axis})", f"np.nansum({text}, axis={axis})", f"np.nanmax({text}, axis={axis})",
                                   f"np.logical_xor.reduce({text}, axis={axis})", f"np.average({text}, axis={axis})", f"np.linalg.norm({text}.astype('f8'), axis={axis})",
                                   f"np.sqrt(np.square({text}).sum(axis={axis}))", f"np.add.reduceat({text}, [0, 1, {shape[axis] // 2}, {shape[axis] - 1}], axis={axis})"])  # fmt: skip

    def normalise(self):
        text, shape, _ = self.view(lambda value: value.dtype.kind in "iu" or value.dtype.char == "d")
        axis = self.axis(len(shape))
        return self.random.choice([f"{text} - {text}.mean(axis={axis}, keepdims=True)", f"{text} / (1 + abs({text}).max(axis={axis}, keepdims=True))",
                                   f"({text} > {text}.mean(axis={axis}, keepdims=True)).sum(axis={axis})", f"np.exp(({text} - {text}.max(axis={axis}, keepdims=True)) / 100.)"])  # fmt: skip

    def scan(self):
        text, shape, _ = self.exact()
        axis = self.axis(len(shape))
        return self.random.choice([f"np.cumsum({text}, axis={axis})", f"np.cumsum({text})", f"np.logical_or.accumulate({text}, axis={axis})", f"np.diff({text}, axis={axis})",
                                   f"np.diff({text}, n=2, axis={axis})", f"np.add.accumulate({text}, axis={axis})[::-1]"])  # fmt: skip

    def scan_more(self):
        text, shape, _ = self.view(lambda value: value.dtype.kind in "iu" or value.dtype.char == "d")
        axis = self.axis(len(shape))
        if shape[axis] < 3:
            return f"np.maximum.accumulate({text}, axis={axis})"
        return self.random.choice(
            [f"np.maximum.accumulate({text}, axis={axis})", f"np.gradient({text}, axis={axis})", f"np.trapz({text}, axis={axis})"]
        )

    def sort(self):
        text, shape, _ = self.view(lambda value: value.dtype.kind in "iuf" and value.size <= 4 * FEW)
        axis = self.axis(len(shape))
        k = self.random.randrange(shape[axis]) if shape[axis] else 0
        return self.random.choice([f"np.sort({text}, axis={axis})", f"np.argsort({text}, axis={axis}, kind='stable')", f"np.sort({text}, axis=None)", f"np.partition({text}, {k}, axis={axis}).take({k}, {axis})",
                                   f"np.median({text}, axis={axis})", f"np.percentile({text}, [10, 50.5, 99], axis={axis})", f"np.take_along_axis({text}, np.argsort({text}, axis={axis}, kind='stable'), {axis})"])  # fmt: skip

    def sets(self):
        text, shape, _ = self.view(lambda value: value.dtype.kind in "iuf" and value.size <= 4 * FEW)
        return self.random.choice([f"np.unique({text})", f"np.unique({text}, return_counts=True)[1]", f"np.unique({text}, return_inverse=True)[1].ravel()", f"np.unique({text}, return_index=True)[1]",
                                   f"np.isin({text}, n.arange(5))", f"np.isin({text} + 0.0, v0[:70000:3])", f"np.searchsorted(np.sort(v0[5:90005]), {text})",
                                   f"np.digitize({text}, [0, 5, 10])", f"np.histogram({text}, 13)[0]", f"np.histogram({text}, [-3, 0, 1, 50])[0]", f"np.bincount(({text}.astype('i8') % 997).ravel())"])  # fmt: skip

    def gather(self):
        name = self.pick(lambda value: value.size)
        value, random = self.values()[name], self.random
        axis = random.randrange(value.ndim)
        count = min(random.choice([3, 100, 5000]), max(1, 2 * self.most * value.shape[axis] // value.size))
        index = random.choice(
            [f"(n.arange({count}) * 31 % {value.shape[axis]})", f"(np.arange({count}) * 17 % {value.shape[axis]})"]
        )
        return random.choice([f"np.take({name}, {index}, {axis})", f"{name}[{':, ' * axis}{index}]", f"{name}[{name} != 0]", f"np.nonzero({name})[{axis}]", f"np.flatnonzero({name})",
                              f"np.compress((np.arange({value.shape[axis]}) % 3 == 1), {name}, {axis})", f"np.argwhere({name})"])  # fmt: skip

    def scatter(self):
        name = self.pick(lambda value: value.size)
        value, random = self.values()[name], self.random
        axis = random.randrange(value.ndim)
        index = f"(n.arange({min(500, value.shape[axis])}) * 31 % {value.shape[axis]})"
        flat = f"(np.arange({random.choice([10, 70_000])}) * 37 % {value.size})"
        line = random.choice([f"{name}[{':, ' * axis}{index}] = 1", f"{name}[{name} != 0] = 2", f"np.put({name}, {flat}, v0[:50])", f"np.putmask({name}, {name} == 1, v0[:70])", f"{name}[{':, ' * axis}{index}] *= 2",
                              f"np.add.at({name}, ({':, ' * 0}{index},) , 1)" if axis == 0 else f"{name}[{':, ' * axis}::3] += 1"])  # fmt: skip
        return f"{line}\n{name}"

    def assign(self):
        name = self.pick()
        value, random = self.values()[name], self.random
        left, right = self.two_subscripts(value.shape)
        target = f"{name}[{self.subscript(value.shape)}]"
        shape = self.shape_of(target)
        line = random.choice([f"{name}[{left}] = {name}[{right}]", f"{name}[{left}] = {name}[{right}] + {name}[{left}]", f"{name}[{left}] *= {name}[{right}]",
                              f"{target} = {self.other(shape)}", f"{target} += 1", f"np.add({name}[{left}], {name}[{right}], out={name}[{random.choice([left, right])}])"])  # fmt: skip
        return f"{line}\n{name}"

    def interior(self):
        """A box is written, and what follows in the same batch reads all of the array."""
        name = self.pick()
        left, right = self.two_subscripts(self.values()[name].shape)
        text, shape = f"{name}[{right}]", self.shape_of(f"{name}[{right}]")
        before, after = self.new(), self.new()
        follow = self.random.choice(
            [
                f"({name} * {before}).max()",
                f"({name} != {before}).sum(axis=0)",
                f"{name} + {before}",
                f"({name} > {before}).any(axis=-1)",
            ]
        )
        if not math.prod(shape):
            return None
        return f"{before} = {name} * 1; {name}[{left}] = {self.chain(text, shape, self.values()[name].dtype)}; {after} = {follow}\n{name} {before} {after}"

    def join(self):
        text, shape, _ = self.view(lambda value: value.size < self.most // 2)
        other = self.cut(shape)
        if other == "1" or not shape:
            return None
        axis = self.axis(len(shape))
        return self.random.choice([f"np.concatenate([{text}, {other}], axis={axis})", f"np.stack([{text}, {other}], axis={axis})", f"np.append({text}, {other}, axis={axis})", f"np.hstack([{text}, {other}])",
                                   f"np.column_stack([{text}.ravel(), {other}.ravel()])"])  # fmt: skip

    def rearrange(self):
        # Whether ravel and ascontiguousarray copy depends on the memory order of NumPy's results, which ours do not have.
        text, shape, _ = self.view()
        axis, shift = self.axis(len(shape)), self.random.choice([1, -1, 7, 33, 1000])
        forms = [f"np.roll({text}, {shift}, axis={axis})", f"np.roll({text}, {shift})", f"np.flip({text}, {axis})", f"{text}.ravel() * 1", f"{text}.reshape(-1)[::-1] + 1", f"{text}.copy() * 1", f"np.repeat({text}, 2, axis={axis})"
                 , f"np.delete({text}, {shape[axis] // 2}, axis={axis})", f"np.insert({text}, {shape[axis] // 2}, 1, axis={axis})", f"np.pad({text}, {abs(shift) % 5})", f"np.ascontiguousarray({text}) * 1",
                 f"np.array_split({text}, 3, axis={axis})[1] + 0", f"np.moveaxis({text}, 0, -1) + 1", f"{text} + np.flip({text})"]  # fmt: skip
        if len(shape) > 1:
            forms += [
                f"np.tril({text}, {shift % 3})",
                f"np.triu({text})",
                f"np.rot90({text}) + 1",
                f"np.diagonal({text}) + 1",
                f"np.trace({text})",
                f"np.fliplr({text}) * 2",
            ]
            if shape[0] == shape[-1]:
                forms += [f"{text} + {text}.T"]
        count = math.prod(shape)
        for part in (32, 7, 50, 256):
            if count and count % part == 0:
                forms += [
                    f"{text}.reshape({part}, -1).T + v0[:{part}]",
                    f"{text}.reshape(-1, {part}).max(axis=1)",
                    f"{text}.reshape(-1, {part}).any(axis=0)",
                ]
        return self.random.choice(forms)

    def product(self):
        text, shape, dtype = self.view(lambda value: value.ndim == 2 and value.dtype.kind in "iufc" and value.dtype.itemsize > 2)
        if len(shape) != 2:
            return None
        if dtype.kind == "f":
            text = f"{text}.astype('f8')"
        width = self.random.choice([1, 2, 31, 32, 33, 65])
        if shape[0] * shape[1] * width > 3e7:
            width = 3
        forms = [f"{text} @ {self.cut((shape[1], width))}", f"{self.cut((width, shape[0]))} @ {text}", f"{text} @ {self.cut((shape[1],))}", f"np.einsum('ij,ij->i', {text}, {text})", f"np.einsum('ij,j->i', {text}, {self.cut((shape[1],))})",
                 f"np.tensordot({text}, {self.cut((shape[0], width))}, (0, 0))"]  # fmt: skip
        if shape[0] <= 130:
            forms += [f"np.cov({text})", f"np.dot({text}, {text}.T)"] if dtype.kind != "c" else []
        return self.random.choice(forms)

    def fourier(self):
        text, shape, _ = self.view(lambda value: value.size <= 4 * FEW and value.dtype.kind in "iuf")
        axis = self.axis(len(shape))
        if max(shape) > 70_000 or not math.prod(shape):
            return None
        return self.random.choice(
            [f"np.fft.fft({text}, axis={axis})", f"np.fft.rfft({text}, axis={axis})", f"np.fft.ifft({text} + 1j, axis={axis})"]
        )

    def convert(self):
        text, _, dtype = self.view()
        to = self.random.choice(
            ["f8", "i8", "i4", "u1", "f4", "c16", "?"]
            if dtype.kind in "iub"
            else ["f8", "c16", "c8"]
            if dtype.kind == "c"
            else ["f8", "i8", "f4", "i4", "c16"]
        )
        return f"{text}.astype('{to}')"


KINDS = {"elementwise": 22, "select": 6, "extremes": 5, "fold": 14, "fold_more": 8, "normalise": 6, "scan": 5, "scan_more": 4, "sort": 4, "sets": 4, "gather": 6, "scatter": 6,
         "assign": 10, "interior": 5, "join": 4, "rearrange": 12, "product": 5, "fourier": 2, "convert": 4}  # fmt: skip
