"""Values that nobody should pass: each gets an error that says so; nothing hangs, crashes, panics, or is taken for a value."""

import array
import decimal
import fractions

import numpy as np
import pytest

import icicle

FIELDS = [
    icicle.fields.babybear.scalar,
    icicle.fields.bn254.scalar,
    icicle.fields.goldilocks.extension,
    icicle.fields.m31.scalar.montgomery_type,
]
CURVES = [icicle.curves.bn254, icicle.curves.bls12_381_g2]


class Fails:
    """Raises its own error where it is asked for its value, which must come through."""

    def __index__(self):
        raise ZeroDivisionError("mine")


class Endless(list):
    """A sequence of new sequences, without end."""

    def __len__(self):
        return 1

    def __getitem__(self, i):
        return Endless()


def looped():
    loop = [1]
    loop[0] = loop
    return loop


def doubled():
    pair = []
    pair.extend([pair, pair])
    return pair


def deep():
    value = [1]
    for _ in range(100_000):
        value = [value]
    return value


NO_VALUES = {
    "float": 1.5,
    "whole float": 2.0,
    "infinity": float("inf"),
    "nan": float("nan"),
    "complex": 1j,
    "None": None,
    "text": "12",
    "no text": "",
    "bytes": b"12",
    "bytearray": bytearray(b"12"),
    "memoryview": memoryview(b"12"),
    "decimal": decimal.Decimal(3),
    "fraction": fractions.Fraction(3),
    "dictionary": {0: 1},
    "set": {1},
    "generator": (i for i in [1]),
    "iterator": iter([1]),
    "object": object(),
    "type": int,
    "function": len,
    "float in a list": [1, 2.5],
    "text in a list": [1, "2"],
    "text first": ["1", 2],
    "bytes in a list": [1, b"2"],
    "None in a list": [1, None],
    "None first": [None, 1],
    "dictionary in a list": [{}],
    "deeper list": [1, [2]],
    "ragged": [[1, 2], [3]],
    "ragged below": [[[1], [2]], [[3], [4, 5]]],
    "scalar beside list": [[1], 2],
    "contains itself": looped(),
    "contains itself twice": doubled(),
    "endless": Endless(),
    "deep": deep(),
    "NumPy float": np.float64(1.0),
    "NumPy truth": np.True_,
    "float array": np.arange(4.0),
    "float16 array": np.zeros(2, np.float16),
    "complex array": np.zeros(2, complex),
    "truth array": np.ones(4, bool),
    "object array of floats": np.array([1, 2.5], object),
    "object array of None": np.array([None, 1], object),
    "text array": np.array(["1", "2"]),
    "bytes array": np.array([b"1"]),
    "structured array": np.zeros(2, [("a", "i4")]),
    "times": np.zeros(2, "M8[ns]"),
    "durations": np.zeros(2, "m8[ns]"),
    "arrays of different lengths": [np.arange(2), np.arange(3)],
    "array in a list of floats": [np.arange(2.0)],
    "device": icicle.Device("cpu"),
    "field": icicle.fields.m31.scalar,
    "buffer": icicle.Buffer(8),
    "array of another field": icicle.fields.koalabear.scalar.ones(2),
    "elements of another field": [icicle.fields.koalabear.scalar.ones(()), 1],
    "element of another field second": [1, icicle.fields.koalabear.scalar.ones(())],
    "points": icicle.curves.grumpkin.affine.zeros(2),
}


@pytest.mark.parametrize("name", NO_VALUES)
def test_what_is_no_value(name):
    value = NO_VALUES[name]
    for field in FIELDS:
        with pytest.raises((TypeError, ValueError), match="from_ints: "):
            field.from_ints(value)
        x = field.ones(4)
        for key in (..., 0, S(1, 3), [0, 2]):
            with pytest.raises((TypeError, ValueError), match="from_ints: |assign: "):
                x[key] = value
        for operation in (
            lambda: x + value,
            lambda: value - x,
            lambda: x * value,
            lambda: value / x,
            lambda: x @ value,
            lambda: x**value if name != "fraction" else x**1.5,  # Fraction itself makes an integer of a whole one.
        ):
            if name == "points":
                break  # Scalars times points.
            with pytest.raises((TypeError, ValueError)):
                operation()
        with pytest.raises((TypeError, ValueError)):
            field.full(3, value)
        with pytest.raises((TypeError, ValueError)):
            value in x
        with pytest.raises((TypeError, ValueError)):
            field.symbol(value)
        assert x == field.ones(4), "nothing was written"
    for curve in CURVES:
        if value is None or name == "None in a list":
            continue
        with pytest.raises((TypeError, ValueError), match="from_ints: "):
            curve.affine.from_ints(value)
        with pytest.raises((TypeError, ValueError)):
            curve.generator + value
        with pytest.raises((TypeError, ValueError)):
            value * curve.generator
        with pytest.raises((TypeError, ValueError)):
            curve.msm(value, curve.affine.zeros(2))
        with pytest.raises((TypeError, ValueError)):
            curve.msm([1, 2], value)


S = slice
NO_POINTS = {
    "coordinate": (1,),
    "three": (1, 2, 3),
    "empty tuple": (),
    "numbers": [1, 2],
    "float coordinates": (1.5, 2.5),
    "text coordinates": ("1", "2"),
    "None coordinates": (None, None),
    "list coordinates": ([1], [2]),
    "too many coefficients": ((1, 2, 3), (1, 2, 3)),
    "off the curve": (1, 1),
    "off the curve in a list": [None, (5, 5)],
    "list of lists": [[1, 2]],
    "array": np.arange(4).reshape(2, 2),
}


@pytest.mark.parametrize("name", NO_POINTS)
def test_what_is_no_point(name):
    for curve in CURVES:
        for kind in (curve.affine, curve.projective.montgomery_type):
            with pytest.raises((TypeError, ValueError), match="from_ints: |check_points: point"):
                kind.from_ints(NO_POINTS[name])


def test_an_error_of_the_values_own_comes_through():
    for call in (
        lambda v: icicle.fields.m31.scalar.from_ints([v]),
        lambda v: icicle.fields.m31.scalar.ones(2) + v,
        lambda v: icicle.fields.m31.scalar.ones(2)[v],
    ):
        with pytest.raises(ZeroDivisionError, match="mine"):
            call(Fails())


def test_lists_that_share_their_parts_are_not_unfolded_beyond_memory():
    value = [1]
    for _ in range(50):
        value = [value, value]
    field = icicle.fields.m31.scalar
    for call in (lambda: field.from_ints(value), lambda: field.ones(2) + value, lambda: field.ones(2)[value]):
        with pytest.raises(icicle.OutOfMemory, match="exceed the machine's memory"):
            call()


@pytest.mark.parametrize("field", FIELDS, ids=str)
def test_integers_of_any_size_and_kind(field):
    p = field.modulus
    for value in (10**5000, -(10**5000), 1 << 20000, -1, p, -p, p - 1, 2**64, -(2**63), True, False):
        for made in (
            field.from_ints(value),
            field.from_ints([value])[0],
            field.zeros(()) + value,
            field.full((), value),
        ):
            got = made.tolist()
            assert (got[0] if field.degree > 1 else got) == value % p
    for kind in (np.int8, np.uint8, np.int16, np.uint32, np.int64, np.uint64, ">i4", object):
        data = np.array([1, 2, 100], kind)
        assert (
            field.from_ints(data) == [1, 2, 100]
            and field.from_ints(list(data)) == [1, 2, 100]
            and field.from_ints(data[1]) == 2
        )
    assert field.from_ints(np.array([[-1]], np.int8)) == [[-1]] and field.from_ints(np.zeros((2, 0), int)).shape == (
        2,
        0,
    )
    assert (
        field.from_ints(np.arange(6).reshape(2, 3).T) == [[0, 3], [1, 4], [2, 5]] and field.from_ints(np.array(5)) == 5
    )
    assert field.from_ints(array.array("h", [1, -2])) == [1, -2] and field.from_ints(range(3)) == [0, 1, 2]
    frozen = np.arange(3)
    frozen.flags.writeable = False
    assert (
        field.from_ints(frozen) == [0, 1, 2]
        and field.from_ints([]).shape == (0,)
        and field.from_ints([[], []]).shape == (2, 0)
    )
    assert field.from_ints(field.ones(2)) == [1, 1] and field.from_ints(field._other.ones((2, 1))) == [[1], [1]]


def test_powers_of_any_exponent():
    for field in (icicle.fields.babybear.scalar, icicle.fields.goldilocks.extension):
        x = field.random(4, seed=1)
        x[0] = 0
        order = field.modulus**field.degree - 1
        assert (
            x ** (10**2000) == x ** ((10**2000 - 1) % order + 1) and x**order == [0, 1, 1, 1] and x ** (order + 1) == x
        )
        assert x ** -(10**2000) == x.inv() ** (10**2000) and x**0 == [1] * 4 and x ** np.int64(3) == x * x * x
        for bad in (1.5, "a", None, x, x[1], [2], np.float64(2)):
            with pytest.raises(TypeError):
                x**bad
    with pytest.raises(TypeError):
        pow(x, 2, 7)
