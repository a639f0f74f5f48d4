# SPDX-License-Identifier: BSD-3-Clause
"""NumPy's arrays of a class derived from numpy.ndarray as operands: masked arrays keep their masks, matrices their products, a
user's class its attributes. What NumPy makes of them is returned as it is; beside a distributed array a mask is refused."""

import io
import warnings

import numpy
import pytest

import gamelan


class Tagged(numpy.ndarray):
    """A user's class: what is computed with it has its tag."""

    def __array_finalize__(self, parent):
        self.tag = getattr(parent, "tag", None)


def _tagged():
    values = numpy.array([[1.0, 5.0], [3.0, 7.0]]).view(Tagged)
    values.tag = "metres"
    return values


KINDS = {
    "masked": lambda: numpy.ma.array([[1.0, 5.0], [3.0, 7.0]], mask=[[0, 1], [0, 0]]),
    "matrix": lambda: numpy.matrix([[1.0, 5.0], [3.0, 7.0]]),
    "tagged": _tagged,
}
PROGRAMS = """np.sum(x)|np.sum(x, axis=0)|np.prod(x)|np.cumsum(x, axis=0)|np.sort(x, axis=0)|np.argsort(x, axis=0)|np.unique(x)|np.sqrt(x)|np.abs(x)
np.add(x, 1)|np.maximum(x, 2)|np.power(x, 2)|np.equal(x, 5)|np.isnan(x)|np.concatenate([x, x])|np.stack([x, x])|np.append(x, x, axis=0)
np.clip(x, 2, 4)|np.ravel(x)|np.reshape(x, (1, 4))|np.repeat(x, 2)|np.tile(x, 2)|np.roll(x, 1)|np.flip(x)|np.expand_dims(x, 0)|np.squeeze(x)
np.transpose(x)|np.swapaxes(x, 0, 1)|np.nonzero(x)|np.isclose(x, 1.0)|np.split(x, 2)|np.delete(x, 0, axis=0)|np.diagonal(x)|np.kron(x, x)
np.outer(x, y)|np.meshgrid(x, y)|np.partition(x, 1)|np.real(x)|np.imag(x)|np.zeros_like(x)|np.ones_like(x)|np.full_like(x, 3)|np.compress([1, 1], x)
np.mean(x)|np.median(x)|np.std(x)|np.dot(x, y)|np.dot(y, x)|np.matmul(y, x)|np.linalg.inv(x)|np.linalg.det(x)|np.fft.fft(x)|np.where(y > 1, x, y)
y + x|x + y|y - x|x - y|y * x|x * y|y / x|y ** 2 * x|y @ x|x @ y|y == x|x == y|y > x|x < y|np.asarray(x)|np.array(x)|np.asanyarray(x)|np.copy(x)
np.copy(x, subok=True)|np.array(x, subok=True)|np.vstack([y, x])|np.add.reduce(x)|np.divmod(x, 2)|np.atleast_3d(x)|np.nanmax(x)|np.take(x, [0])"""


def _described(value):
    """A result with its class: a plain array is numpy.ndarray there and ours here."""
    if isinstance(value, (list, tuple)):
        return [_described(item) for item in value]
    if isinstance(value, gamelan.ndarray):
        value = numpy.asarray(value)
    mask = numpy.ma.getmaskarray(value).tolist() if isinstance(value, numpy.ma.MaskedArray) else None
    values = numpy.ma.getdata(value) if mask else numpy.asarray(value)
    values = numpy.where(mask, 0, values) if mask is not None else values  # what is hidden may be anything
    return type(value), getattr(value, "tag", None), mask, values.tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("program", PROGRAMS.replace("\n", "|").split("|"))
def test_an_array_of_a_class_of_its_own_is_what_numpy_makes_of_it(kind, program):
    def run(np):
        with warnings.catch_warnings(), numpy.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                return _described(eval(program, {"np": np, "x": KINDS[kind](), "y": np.array([[1.0, 2.0], [3.0, 4.0]])}))
            except (TypeError, ValueError) as error:  # NumPy's own functions do not take all of them
                return type(error)

    assert run(gamelan) == run(numpy)


def test_an_array_of_a_class_of_its_own_stays_here_whatever_its_size():
    masked = numpy.ma.array(numpy.arange(10.0), mask=numpy.arange(10) % 2 == 0)
    with gamelan.options(distribute_from=4):
        assert gamelan.sum(masked) == 25.0
        assert gamelan.ma.is_masked(gamelan.sort(masked)) and isinstance(
            gamelan.concatenate([masked, masked]), numpy.ma.MaskedArray
        )
        assert gamelan.add(masked, masked).mask.tolist() == masked.mask.tolist()


def test_a_mask_beside_a_distributed_array_is_refused(engine):
    ours, masked = gamelan.ones((2, 2)), KINDS["masked"]()
    for program in (lambda: ours + masked, lambda: gamelan.add(ours, masked), lambda: gamelan.maximum(masked, ours)):
        with pytest.raises(NotImplementedError):
            program()


def test_the_product_of_a_matrix_and_a_distributed_array_is_refused(engine):
    ours, matrix = gamelan.ones((2, 2)), KINDS["matrix"]()
    for program in (lambda: ours * matrix, lambda: matrix * ours):
        with pytest.raises(NotImplementedError, match="matrix"):
            program()


def test_a_text_with_gaps_is_read_into_a_masked_array():
    for options in ({}, {"names": True}, {"unpack": True}):
        text = "a,b,c\n1,,3\n4,5,6" if options.get("names") else "1,,3\n4,5,6"
        ours, theirs = (np.genfromtxt(io.StringIO(text), delimiter=",", usemask=True, **options) for np in (gamelan, numpy))
        assert [type(each) for each in ours] == [type(each) for each in theirs] and str(ours) == str(theirs)


def test_a_class_derived_from_ours(engine):
    class Derived(gamelan.ndarray):
        pass

    for view in (lambda x: x.view(Derived), lambda x: x.view(type=Derived), lambda x: x.view("i8", Derived)):
        with pytest.raises(NotImplementedError, match="Derived"):
            view(gamelan.zeros(2))
        with gamelan.options(distribute_from=100):
            small = view(gamelan.zeros(2))
            assert type(small) is Derived and type(small[:1]) is Derived and isinstance(small + 1, gamelan.ndarray)
    assert isinstance(gamelan.zeros(2).view(gamelan.ndarray), gamelan.ndarray)
