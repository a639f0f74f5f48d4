# SPDX-License-Identifier: BSD-3-Clause
"""A model of the engines in this process: executes a decoded batch command by command with NumPy.

It is the specification in its shortest form. Recording, dtypes, views and frees are tested against it without MPI; the
engines are tested against NumPy itself through the same programs.
"""

import zlib

import numpy

import gamelan
import reference_linalg
from gamelan import _core

_NAMES = [row["name"] for row in _core.ops_table()]
_TABLE = {row["name"]: row for row in _core.ops_table()}


class Model:
    """The arrays of a session. `Model()` is what `_core.connect` takes as `executor`."""

    def __init__(self):
        self.arrays = {}
        self.batches = 0
        self.commands = 0
        self.most_arrays = 0

    def __call__(self, batch):
        self.batches += 1
        for command in batch["commands"]:
            self.commands += 1
            with numpy.errstate(all="ignore"):
                self.execute(command)
        self.most_arrays = max(self.most_arrays, len(self.arrays))
        replies = [numpy.ascontiguousarray(self.view(view)).tobytes() for view in batch["fetches"]]
        for array in batch["frees"]:
            del self.arrays[array]  # a KeyError is a defect: freed twice, or never created
        return replies

    def view(self, view):
        if 0 in view["extents"]:
            return numpy.empty(view["extents"], view["dtype"])  # of nothing: whatever its strides are
        return numpy.ndarray(view["extents"], view["dtype"], self.arrays[view["base"]], view["offset"], view["strides"])

    @staticmethod
    def arg_lines(function, operand, axis, piece=None):
        if piece is None:
            return numpy.expand_dims(function(operand, axis), axis)
        return numpy.array([first + function(operand[first : first + piece]) for first in range(0, operand.size, piece)])

    def operand(self, operand, dtype):
        if "scalar" in operand:
            return numpy.frombuffer(operand["scalar"], operand["dtype"])[0].astype(dtype)
        return self.view(operand).astype(dtype)  # a copy: a command reads all its inputs before it writes

    def execute(self, command):
        name, loop, out = command["op"], numpy.dtype(command["loop"]), command["out"]
        if command["creates"]:
            assert out["base"] not in self.arrays, "an id was used twice"
            extents, dtype = out["extents"], numpy.dtype(out["dtype"])
            whole = numpy.empty(extents, dtype)
            assert out["offset"] == 0 and (whole.size == 0 or out["strides"] == whole.strides), "a new array is contiguous"
            self.arrays[out["base"]] = bytearray(b"\xaa" * max(1, whole.nbytes))
        if name == "constant":
            value = numpy.frombuffer(command["payload"], loop).reshape(out["extents"])
        else:
            value = self.compute(command, name, loop)
        numpy.copyto(self.view(out), value, casting="unsafe")

    def take(self, command):
        source, index = map(self.view, command["in"])
        return numpy.take(source, index, command["ints"][0])

    def put(self, command):
        index, values = command["in"]
        target = self.view(command["out"]).copy()
        if command["ints"]:
            row = _TABLE[_NAMES[command["ints"][0]]]
            rest = (self.operand(values, target.dtype),) if row["arity"] == 2 else ()
            rest = tuple(value.clip(-5000, 5000).astype(int) for value in rest) if row["name"] == "ldexp" else rest
            getattr(numpy, row["name"]).at(target, self.view(index), *rest)
        else:
            places, rows = self.view(index), self.operand(values, target.dtype)
            is_repeated = places.dtype == bool and rows.ndim and rows.strides[0] == 0
            target[places] = rows[0] if is_repeated else rows
        return target

    def fourier(self, command):
        axis, kind, length, period = command["ints"]
        function = (numpy.fft.fft, numpy.fft.ifft, numpy.fft.rfft, numpy.fft.irfft)[kind]
        result = function(self.view(command["in"][0]), length, axis, "forward" if kind % 2 else "backward")
        result = result * self.operand(command["in"][1], numpy.dtype("f8"))
        if period:
            count = result.shape[axis]
            places = numpy.outer(numpy.arange(count), numpy.arange(result.shape[axis + 1])) * (
                (-2j, 2j)[kind % 2] * numpy.pi / period
            )
            result = result * numpy.exp(places).reshape((count, -1) + (1,) * (result.ndim - axis - 2))
        return result

    def draw(self, command):
        extents = command["out"]["extents"]
        number, key, offset = (number % 2**64 for number in command["ints"])
        parameters = [numpy.ascontiguousarray(self.operand(operand, numpy.dtype("f8"))) for operand in command["in"]]
        values = numpy.empty(extents)
        _core.draw_fill(values, number, key, offset, parameters)
        return values

    def read_file(self, command, loop):
        (offset, is_swapped, *strides), extents = command["ints"], command["out"]["extents"]
        with _file(command, "rb") as file:
            data = numpy.frombuffer(file.read(), "u1")
        values = numpy.ndarray(
            extents, numpy.dtype(loop).newbyteorder("S" if is_swapped else "="), data.tobytes(), offset, strides
        )
        return values.view("u1") != 0 if loop == bool else values.astype(loop)

    def read_hdf5(self, command, loop):
        import h5py

        path, _, name = command["payload"].partition(b"\0")
        with h5py.File(path, "r") as file:
            return self._part(file[name.decode()][()], command, command["ints"]).astype(loop)

    def read_zarr(self, command, loop):
        import zarr

        return self._part(zarr.open_array(command["payload"].decode(), mode="r")[...], command, command["ints"][4:]).astype(loop)

    @staticmethod
    def _part(data, command, ints):
        extents = command["out"]["extents"]
        starts, steps = ints[: len(extents)], ints[len(extents) : 2 * len(extents)]
        return data[
            tuple(slice(start, start + (extent - 1) * step + 1, step) for start, step, extent in zip(starts, steps, extents))
        ]

    def write_file(self, command, loop):
        data = self.operand(command["in"][0], loop).tobytes()
        if command["payload"]:
            with _file(command, "r+b") as file:
                file.seek(command["ints"][0])
                file.write(data)
        receipts = numpy.zeros(command["out"]["extents"], "i8")
        receipts[:2] = zlib.crc32(data), len(data)
        return receipts

    def compute(self, command, name, loop):
        kind = _TABLE[name]["kind"]
        inputs = command["in"]
        if kind == "nullary":
            first, second = (self.operand(operand, loop) for operand in inputs)
            extents = command["out"]["extents"]
            if name == "sequence":
                index = numpy.arange(int(numpy.prod(extents)), dtype="i8").astype(loop).reshape(extents)
                return first + index * second
            values = numpy.empty(extents, loop)
            key, offset = (number % 2**64 for number in command["ints"])
            _core.random_fill(values, _TABLE[name]["op"], key, offset, first, second)
            return values
        if name == "where":
            condition, x, y = inputs
            return numpy.where(self.operand(condition, bool), self.operand(x, loop), self.operand(y, loop))
        if name in ("fourier", "draw"):
            return getattr(self, name)(command)
        operands = [self.operand(operand, loop) for operand in inputs]
        if kind in ("unary", "binary"):
            for operand, value in zip(inputs, operands):
                assert "scalar" in operand or value.shape == command["out"]["extents"], "operands come broadcast"
        if name == "copy":
            return operands[0]
        if name == "linalg":
            return reference_linalg.compute(command["ints"], command["out"]["extents"][-1], loop, *operands)
        if name == "nonzero":
            flags, *rows = map(self.view, inputs)
            return rows[0][flags] if rows else numpy.flatnonzero(flags)
        if name == "accumulate":
            axis, number = command["ints"]
            return getattr(numpy, _NAMES[number]).accumulate(operands[0], axis)
        if name in ("argmax", "argmin"):
            return self.arg_lines(getattr(numpy, name), operands[0], *command["ints"])
        if name in ("packbits", "unpackbits"):
            order = ("big", "little")[command["ints"][0]]
            row = self.view(inputs[0])
            return (
                numpy.packbits(row, bitorder=order)
                if name == "packbits"
                else numpy.unpackbits(row, count=command["out"]["extents"][0], bitorder=order)
            )
        if name == "reduceat":
            return getattr(numpy, _NAMES[command["ints"][0]]).reduceat(operands[0], self.view(inputs[1]))
        if name == "bincount":
            bins, numbers = command["out"]["extents"][0], self.view(inputs[0])
            return numpy.bincount(numbers[(numbers >= 0) & (numbers < bins)], minlength=bins)
        if name == "weighted_bincount":
            bins, numbers = command["out"]["extents"][0], self.view(inputs[0])
            is_inside = (numbers >= 0) & (numbers < bins)
            return numpy.bincount(numbers[is_inside], self.view(inputs[1])[is_inside], bins)
        if name == "searchsorted":
            return numpy.searchsorted(operands[0], operands[1], ("left", "right")[command["ints"][0]])
        if name == "interpolate":
            return numpy.interp(self.view(inputs[2]), self.view(inputs[0]), self.view(inputs[1]))
        if name == "histogram":
            return numpy.histogram(self.view(inputs[0]), self.view(inputs[1]))[0]
        if name in ("sort", "argsort"):
            return getattr(numpy, name)(operands[0], command["ints"][0], kind="stable")
        if name in ("read_file", "write_file", "read_hdf5", "read_zarr"):
            return getattr(self, name)(command, loop)
        if name in ("take", "put"):
            return getattr(self, name)(command)
        if name == "squared_deviations":
            axes = tuple(command["ints"])
            return numpy.square(operands[0] - operands[0].mean(axes, keepdims=True)).sum(axes)
        if kind == "reduce":
            return getattr(numpy, _TABLE[name]["of"]).reduce(operands[0], axis=tuple(command["ints"]))
        if name == "ldexp":
            operands[1] = operands[1].clip(-5000, 5000).astype(int)  # exponents travel in the dtype of the loop
        return getattr(numpy, name)(*operands)


def _file(command, mode):
    try:
        return open(command["payload"], mode)
    except OSError as error:
        raise OSError(error.errno, f"the model cannot open the file: {error.strerror}") from None


def connect():
    """Plays the engines in this process from now on; returns the model."""
    model = Model()
    _core.connect("", executor=model)
    return model


assert gamelan  # the import registers the hooks that `_core` needs
