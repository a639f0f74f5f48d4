# SPDX-License-Identifier: BSD-3-Clause
"""Where random numbers come from: Philox4x32-10, a function of a key and a counter (protocol/philox.hpp).

The key comes from the seed through `numpy.random.SeedSequence`; the counter is the count of numbers drawn before. So a
state is two integers, and who draws a number, and in what order, does not matter.
"""

import numpy

from .._local import gathered
from ._streams import numbers

__all__ = ["BitGenerator", "MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"]


class BitGenerator:
    """A key and the count of numbers drawn. All of ours are Philox, whatever name they are asked for by."""

    def __init__(self, seed=None):
        if type(self) is BitGenerator:
            raise NotImplementedError("BitGenerator is a base class and cannot be instantized")
        self._restart(seed)

    def _restart(self, seed):
        seed = gathered(seed)
        is_sequence = isinstance(seed, numpy.random.bit_generator.ISeedSequence)
        self._seed_seq = seed if is_sequence else numpy.random.SeedSequence(seed)
        self._key = int(self._seed_seq.generate_state(1, numpy.uint64)[0])
        self._offset = 0

    @property
    def seed_seq(self):
        """The SeedSequence that the key was made of."""
        return self._seed_seq

    @property
    def state(self):
        """The key and the counter, as a dict that may be assigned."""
        return {"bit_generator": "Philox", "state": {"key": self._key, "counter": self._offset}}

    @state.setter
    def state(self, value):
        if not isinstance(value, dict):
            raise TypeError("state must be a dict")
        if value.get("bit_generator") != "Philox" or set(value.get("state", ())) != {"key", "counter"}:
            raise ValueError("state must be for a Philox bit generator of gamelan")
        key, counter = (int(value["state"][name]) for name in ("key", "counter"))
        if not (0 <= key < 2**64 and 0 <= counter < 2**64):
            raise ValueError("key and counter are whole numbers of 64 bits")
        self._key, self._offset = key, counter

    def spawn(self, n_children):
        """So many independent generators of the same kind, by `SeedSequence.spawn`."""
        if not hasattr(self._seed_seq, "spawn"):
            raise TypeError("The underlying SeedSequence does not implement spawning.")
        return [type(self)(seed) for seed in self._seed_seq.spawn(n_children)]

    def reserve(self, count):
        """Key and first counter for the next `count` numbers."""
        offset, self._offset = self._offset, (self._offset + count) % 2**64
        return self._key, offset

    def random_raw(self, size=None, output=True):
        """Words of 64 random bits. See `numpy.random.Philox.random_raw`."""
        words = numbers(self, "random_integers", size, numpy.uint64, numpy.uint64(0), numpy.uint64(2**64 - 1))
        return (int(words) if size is None else words) if output else None

    def __getstate__(self):
        return {"state": self.state, "seed_seq": self._seed_seq}

    def __setstate__(self, kept):
        self._seed_seq = kept["seed_seq"]
        self.state = kept["state"]


class Philox(BitGenerator):
    """The bit generator. `key` or `counter` choose a stream by number instead of by seed."""

    def __init__(self, seed=None, counter=None, key=None):
        if seed is not None and key is not None:
            raise ValueError("seed and key cannot be both used")
        super().__init__(seed)
        if key is not None:
            self._key = int(key) % 2**64
        if counter is not None:
            self._offset = int(counter) % 2**64

    def advance(self, delta):
        """Passes over so many numbers."""
        self._offset = (self._offset + int(delta)) % 2**64
        return self

    def jumped(self, jumps=1):
        """A new generator with a key of its own: its stream does not overlap this one."""
        other = type(self)(0)
        other._restart(numpy.random.SeedSequence([self._key, int(jumps)]))
        return other


class PCG64(Philox):
    """NumPy's name; the numbers are those of `Philox`."""


class PCG64DXSM(Philox):
    """NumPy's name; the numbers are those of `Philox`."""


class MT19937(Philox):
    """NumPy's name; the numbers are those of `Philox`."""


class SFC64(Philox):
    """NumPy's name; the numbers are those of `Philox`."""


def bit_generator_from(seed):
    """The bit generator that a seed, a SeedSequence or a bit generator (NumPy's: its seed) stands for."""
    if isinstance(seed, BitGenerator):
        return seed
    if isinstance(seed, numpy.random.BitGenerator):
        seed = seed._seed_seq
    return Philox(seed)
