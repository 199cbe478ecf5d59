"""Lists of integers, masks, new axes, and spreading: NumPy's results are what they are compared with."""

import operator

import numpy as np
import pytest
from oracle import Element, times

import icicle
from icicle.errors import InvalidArgument

S = slice
SHAPE = (4, 3, 5)
MASK = np.arange(4) % 3 == 0
CHOOSING = [
    [0, 2],
    [-1, -4, 1, 1],
    [],
    [3],
    np.array([[0, 1], [2, -1]]),
    np.array(2),
    np.int32(-1),
    (np.array([1, 3], np.uint8),),
    range(1, 4),
    (S(None), [2, 0]),
    (S(None, None, -1), S(1, 3), [4, 0, 4]),
    (..., [1, 3]),
    (S(1, 3), ..., np.array([[4], [0]])),
    ([1, 2], S(None), S(None, None, 2)),
    (None, [1, 2]),
    (S(None), None, [1, 2]),
    [True, False, False, True],
    [np.True_, np.False_, np.True_, np.False_],
    MASK,
    (MASK, S(1, None)),
    (S(None), [True, False, True]),
    (..., np.array([False] * 5)),
    np.arange(12).reshape(4, 3) % 2 == 0,
    (np.arange(12).reshape(4, 3) % 5 == 0, S(None, None, 2)),
    (S(None), np.arange(15).reshape(3, 5) % 4 == 1),
    np.arange(60).reshape(SHAPE) % 7 == 0,
    np.zeros((4, 3, 5), bool),
    None,
    (None, 1, None, S(None, None, 2), None),
    (..., None),
    (None, S(4, 4), None),
]


def numpy_key(key):
    """The same for NumPy, which takes ranges in keys only as lists."""
    return list(key) if isinstance(key, range) else key


@pytest.mark.parametrize("key", CHOOSING, ids=str)
def test_choosing(key):
    for field in (icicle.fields.babybear.scalar, icicle.fields.bn254.scalar, icicle.fields.m31.qm31.montgomery_type):
        numbers = np.arange(60).reshape(SHAPE)
        want = numbers[numpy_key(key)]
        x = field.from_ints(numbers)
        for array in (x, field.from_ints(numbers[::-1])[::-1], field.from_ints(numbers.swapaxes(1, 2)).T):
            got = array[key]
            assert got.shape == want.shape and got == want and got.dtype is field
        other = np.array(numbers)
        for value in (
            7,
            100 + np.arange(want.size).reshape(want.shape),
            200 + np.arange(want.shape[-1] if want.shape else 1),
        ):
            fits = np.shape(value) == () or want.shape
            if not fits:
                continue
            other[numpy_key(key)] = value
            x[key] = value
            assert x == other
            backwards = field.from_ints(np.array(numbers)[::-1])[::-1]
            backwards[key] = value
            expected = np.array(numbers)
            expected[numpy_key(key)] = value
            assert backwards == expected, "of an array at strides"
        x[key] += 1
        other[numpy_key(key)] += 1
        assert x == other
        x[key] = x[key] + x[key]
        other[numpy_key(key)] = other[numpy_key(key)] * 2
        assert x == other


def test_choosing_points(curve):
    g = curve.generator.to_ints()
    ints = [times(curve, k, g) for k in (1, 2, 3, 0)]
    points = curve.projective.from_ints(ints)
    assert points[[3, 0, 0]] == [ints[3], ints[0], ints[0]] and points[[False, True, True, False]] == ints[1:3]
    points[[1, 2]] = [None, g]
    assert points == [g, None, g, None]
    points[1:3] = curve.projective.from_ints(ints[1])
    assert points == [g, ints[1], ints[1], None]


def test_arrays_of_other_libraries_by_their_type():
    """PyTorch's types have a name, and no kind."""

    class Other:
        def __init__(self, dtype, *values):
            self.dtype, self.values, self.shape = dtype, values, (len(values),)

        def tolist(self):
            return list(self.values)

    field = icicle.fields.m31.scalar
    x = field.from_ints(Other("torch.int64", 5, 6, 7))
    assert x == [5, 6, 7] and x[Other("torch.int64", 2, 0)] == [7, 5]
    assert x[Other("torch.bool", True, False, True)] == [5, 7] and x[Other("torch.bool", *[False] * 3)].shape == (0,)
    assert field.zeros(0)[Other("torch.bool")].shape == field.zeros(0)[Other("torch.int64")].shape == (0,)


def test_masks_of_one_truth_and_of_none():
    field = icicle.fields.m31.scalar
    assert field.ones(1)[[True]] == [1] and field.ones(1)[[False]].shape == (0,)
    assert field.zeros((0, 3))[np.zeros((0, 3), bool)].shape == (0,)
    assert field.zeros((0, 3))[np.zeros((0, 3), int)].shape == (0, 3, 3)


def test_as_many_axes_as_numpys():
    x = icicle.fields.m31.scalar.ones(1)
    assert x[(None,) * 63].shape == (1,) * 64 == x.reshape((1,) * 64).shape


def test_chosen_elements_are_copies():
    x = icicle.fields.m31.scalar.from_ints([1, 2, 3])
    y = x[[0, 1, 2]]
    y[0] = 9
    assert x == [1, 2, 3] and y == [9, 2, 3]
    view = x[None]
    view[0, 0] = 8
    assert x == [8, 2, 3], "a view"


BAD_KEYS = {
    "float": (1.5, "1.5: must be an integer, a slice"),
    "text": ("a", "'a': must be an integer, a slice"),
    "object": (object(), "of type object: must be an integer"),
    "dictionary": ({0: 1}, "of type dict"),
    "floats": ([0.5, 1.0], "index: 0.5: must be an integer"),
    "float array": (np.array([0.0, 1.0]), "must be an integer"),
    "later float": ([0, 1.5], "1.5: must be an integer"),
    "text in a list": (["a"], "must be an integer"),
    "None in a list": ([None], "must be an integer"),
    "ragged": ([[0, 1], [2]], "every sequence along an axis must have 2 elements"),
    "out of range": ([0, 4], "index: 4: the axis has 4 elements"),
    "far below": ([-5], "index: -5: the axis has 4 elements"),
    "huge": ([10**30], "the axis has 4 elements"),
    "huge integer": (10**30, "the axis has 4 elements"),
    "short mask": ([True, False], r"mask of shape \(2,\): the axes have shape \(4,\)"),
    "wide mask": (np.ones((4, 4), bool), r"mask of shape \(4, 4\): the axes have shape \(4, 3\)"),
    "mixed": ([True, 0, 1, 2], "integers and truth values in one list"),
    "truth": (True, "True: must be an integer"),
    "two lists": (([0], [1]), "more than one list or mask"),
    "list and integer": ((0, [1]), "an integer beside a list or mask"),
    "too many": ((0, [1], 0, 0), "4 indices: the array has 3 axes"),
    "too many by a mask": ((0, np.ones((4, 3, 5), bool)), "4 indices"),
    "array of ours": (icicle.fields.m31.scalar.ones(2), "an array of icicle's"),
    "point": (icicle.curves.bn254.generator, "of type PointArray: must be an integer"),
    "many axes": ((None,) * 80, "makes 83 axes: must be at most 64"),
}


@pytest.mark.parametrize("name", BAD_KEYS)
def test_bad_keys(name):
    key, text = BAD_KEYS[name]
    x = icicle.fields.m31.scalar.zeros(SHAPE)
    with pytest.raises(IndexError, match=text):
        x[key]
    with pytest.raises(IndexError, match=text):
        x[key] = 1
    assert x == np.zeros(SHAPE, int)


def test_a_list_that_contains_itself_is_no_index():
    loop = [0]
    loop[0] = loop
    with pytest.raises(IndexError, match="contains itself"):
        icicle.fields.m31.scalar.zeros(3)[loop]
    with pytest.raises((ValueError, TypeError)):
        icicle.fields.m31.scalar.zeros(3)[S(None, None, 0)]


def test_assigned_values_are_spread():
    x = icicle.fields.goldilocks.scalar.zeros((2, 3))
    for key, value in [
        (..., 5),
        (0, [1, 2, 3]),
        (S(None), [[7], [8]]),
        ((S(None), 1), 9),
        (1, np.arange(3)),
        (S(0, 0), 3),
    ]:
        want = np.array(x.tolist())
        want[key] = value
        x[key] = value
        assert x == want
    for bad in ([1, 2], [[1, 2, 3]] * 3, np.zeros((1, 2, 3), int)):
        with pytest.raises(InvalidArgument, match="assign: value of goldilocks, shape .*: must be of shape"):
            x[...] = bad
    for bad in ("a", 1.5, [1.5] * 3, None, b"abc"):
        with pytest.raises(TypeError, match="from_ints"):
            x[0] = bad


SHAPES = [
    ((), ()),
    ((3,), ()),
    ((3,), (1,)),
    ((2, 3), (3,)),
    ((2, 3), (1, 3)),
    ((2, 3), (2, 1)),
    ((2, 1), (1, 3)),
    ((2, 1), (3,)),
    ((2, 3, 4), (4,)),
    ((2, 3, 4), (3, 1)),
    ((2, 3, 4), (3, 4)),
    ((2, 3, 4), (2, 1, 4)),
    ((2, 3, 4), (2, 1, 1)),
    ((2, 3, 4), (1, 3, 1)),
    ((2, 1, 4), (3, 1)),
    ((1, 1, 1), (2, 3)),
    ((0, 3), (1,)),
    ((0, 1), (3,)),
    ((1,), (0,)),
    ((2, 0), (2, 1)),
]
OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


def grid(array, shape):
    """Elements of nested lists as an object array of a shape."""
    out = np.empty(shape, object)
    flat = array.reshape(-1).tolist()
    for i in range(out.size):
        out.reshape(-1)[i] = Element(array.dtype.canonical_type, flat[i])
    return out


def quotient(a, b):
    return a * b.inverse()


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize(
    "field", [icicle.fields.babybear.scalar, icicle.fields.bn254.scalar, icicle.fields.koalabear.extension], ids=str
)
def test_spreading(field, shapes):
    left, right = shapes
    for a, b in ((left, right), (right, left)):
        x, y = field.random(a, seed=1), field.random(b, seed=2)
        first, second = grid(x, a), grid(y, b)
        for name, apply in OPERATORS.items():
            want = (np.frompyfunc(quotient, 2, 1) if name == "/" else apply)(first, second)
            got = apply(x, y)
            assert got.shape == np.shape(want)
            assert got.reshape(-1).tolist() == [one.value for one in np.ravel(np.array(want, object))], name
            if got.shape == a:
                into = x.copy()
                address = into.buffer.ptr
                into = getattr(operator, {"+": "iadd", "-": "isub", "*": "imul", "/": "itruediv"}[name])(into, y)
                assert into == got and into.buffer.ptr == address
            else:
                with pytest.raises(InvalidArgument, match="shapes .* and .*: the result of shape"):
                    x += y
    m = x.astype(field.montgomery_type)
    assert (m + y.astype(field.montgomery_type)).astype(field) == x + y


def test_shapes_that_do_not_fit():
    field, curve = icicle.fields.m31.scalar, icicle.curves.grumpkin
    for a, b in (((2, 3), (2,)), ((2, 3), (3, 3)), ((4,), (5,)), ((0,), (2,))):
        with pytest.raises(InvalidArgument, match="each axis must be equal, or one of them of length 1"):
            field.ones(a) + field.ones(b)
        with pytest.raises(InvalidArgument, match="point_arithmetic: shapes"):
            curve.affine.zeros(a) + curve.affine.zeros(b)


@pytest.mark.parametrize(
    "other", [[2, 3, 4], (2, 3, 4), np.arange(2, 5), np.arange(2, 5, dtype=np.int8), range(2, 5), [[2], [3]]], ids=str
)
def test_sequences_and_arrays_as_operands(other):
    field = icicle.fields.goldilocks.scalar
    x, y = field.from_ints([7, 8, 9]), field.from_ints(other)
    assert x + other == other + x == x + y and x * other == other * x == x * y
    assert x - other == x - y and other - x == y - x and x / other == x / y and other / x == y / x
    if y.shape == x.shape:
        z = x.copy()
        z *= other
        assert z == x * y
    with pytest.raises(TypeError):
        x + np.array([0.5, 1.5, 2.5])
    with pytest.raises(TypeError):
        np.add(x, np.arange(3)), "NumPy would add limbs"


def test_elements_of_extensions_are_operands():
    x, one = icicle.fields.babybear.extension.from_ints([(1, 2, 3, 4), (5, 6, 7, 8)]), (0, 1, 0, 5)
    p = 2013265921
    assert (x - one).to_ints() == [(1, 1, 3, p - 1), (5, 5, 7, 3)]
    assert (one - x).to_ints() == [(p - 1, p - 1, p - 3, 1), (p - 5, p - 5, p - 7, p - 3)]
    assert (x + one).to_ints() == [(1, 3, 3, 9), (5, 7, 7, 13)] == (one + x).to_ints()
    x -= one
    assert x.to_ints() == [(1, 1, 3, p - 1), (5, 5, 7, 3)]


def test_factors_of_an_axis_in_the_middle():
    field = icicle.fields.goldilocks.scalar
    numbers, factors = np.arange(1, 61).reshape(2, 3, 2, 5), np.array([[7], [9]])
    x, y = field.from_ints(numbers), field.from_ints(factors)
    assert x * y == y * x == numbers * factors and x + y == numbers + factors and y - x == factors - numbers
    x *= y
    assert x == numbers * factors


def test_extensions_take_scalars_of_any_shape():
    family = icicle.fields.babybear
    x, s = family.extension.random((2, 3), seed=1), family.scalar.random(3, seed=2)
    embedded = family.extension.from_ints([(v, 0, 0, 0) for v in s.tolist()])
    assert (
        x * s == s * x == x * embedded
        and x / s == x / embedded
        and s / x == embedded / x
        and x[0, 0] * s == x[0, 0] * embedded
    )
    y = x.copy()
    y *= s
    assert y == x * s
    whole = y
    y /= s
    assert y is whole and y == x
    with pytest.raises(InvalidArgument, match="operands of babybear_extension and babybear: must be the same"):
        x + s
    with pytest.raises(InvalidArgument, match="operands of babybear and babybear_extension"):
        s *= embedded


def test_points_are_spread(curve):
    g = curve.generator.to_ints()
    ints = [times(curve, k, g) for k in range(1, 7)]
    a, b = curve.affine.from_ints([[ints[0]], [ints[1]]]), curve.projective.from_ints(ints[:3])
    want = [[times(curve, i + j, g) for j in (1, 2, 3)] for i in (1, 2)]
    assert a + b == want == b + a and b + [ints[0]] * 3 == [g] * 3 + b == [times(curve, k, g) for k in (2, 3, 4)]
    assert [[2], [3]] * b == b * [[2], [3]] == [[times(curve, k * j, g) for j in (1, 2, 3)] for k in (2, 3)]
    assert np.arange(1, 4) * curve.generator == ints[:3] and [g] * 3 - b == [
        None,
        -curve.generator,
        (-2 * curve.generator)[()],
    ]
    assert (curve.affine.zeros((0, 1)) + b).shape == (0, 3)


def test_in_place_operands_may_share_memory():
    field = icicle.fields.babybear.scalar
    for change in (
        lambda x: operator.iadd(x[1:], x[:-1]),
        lambda x: operator.imul(x, x[2]),
        lambda x: operator.isub(x, x[::-1]),
    ):
        x, y = field.from_ints(list(range(1, 9))), np.arange(1, 9)
        twin = [np.array(y) for _ in range(2)]
        change(x)
        change(twin[0])
        assert x == twin[0], "as NumPy, which reads before it writes"


def test_joining():
    field, curve = icicle.fields.bls12_381.scalar, icicle.curves.bls12_381
    a, b = np.arange(6).reshape(2, 3), np.arange(10, 22).reshape(4, 3)
    x, y = field.from_ints(a), field.from_ints(b)
    assert icicle.concatenate([x, y]) == np.concatenate([a, b]) == icicle.concatenate((x, y), axis=-2)
    assert icicle.concatenate([x, y[:2], x[:, ::-2]], axis=1) == np.concatenate([a, b[:2], a[:, ::-2]], axis=1)
    assert icicle.concatenate([x[:0], x]) == x and icicle.concatenate([y]) == y
    for axis in (0, 1, 2, -1, -3):
        assert icicle.stack([x, y[1:3], x], axis) == np.stack([a, b[1:3], a], axis)
    points = curve.affine.random(3, device="cpu:2")
    joined = icicle.concatenate([points[:1], points[1:]])
    assert joined == points and joined.device == points.device and joined.buffer.ptr != points.buffer.ptr
    assert icicle.stack([points[0], points[1]]) == points[:2]
    with pytest.raises(InvalidArgument, match="concatenate: no arrays"):
        icicle.concatenate([])
    with pytest.raises(
        InvalidArgument, match=r"concatenate: shapes \(2, 3\) and \(4, 3\): must be equal but for axis 1"
    ):
        icicle.concatenate([x, y], axis=1)
    with pytest.raises(InvalidArgument, match="stack: shapes"):
        icicle.stack([x, y])
    for axis in (2, -3, 10**30):
        with pytest.raises(InvalidArgument, match="axis"):
            icicle.concatenate([x, y], axis=axis)
    with pytest.raises(InvalidArgument, match="must be of one type on one device"):
        icicle.concatenate([x, x.astype(field.montgomery_type)])
    with pytest.raises(InvalidArgument, match="on cpu:0 and of bls12_381 on cpu:1: must be of one type on one device"):
        icicle.stack([x, x.to("cpu:1")])
    with pytest.raises(InvalidArgument, match="axis 0: must be below 0"):
        icicle.concatenate([x[0, 0]])
    for bad in (x, 5, "ab", [x, [1, 2, 3]], [5]):
        with pytest.raises(TypeError, match="must be a"):
            icicle.concatenate(bad)
    with pytest.raises(TypeError, match="axis 'a': must be an integer"):
        icicle.stack([x], axis="a")


def test_reshape_takes_a_tuple():
    x = icicle.fields.m31.scalar.from_ints(range(6))
    assert (
        x.reshape((2, 3))
        == x.reshape(2, 3)
        == x.reshape([2, -1])
        == x.reshape(np.int64(2), 3)
        == np.arange(6).reshape(2, 3)
    )
    for shape in ((4,), (-1, -1), (-2, 3), (0, -1), (10**30,)):
        with pytest.raises(InvalidArgument, match="reshape"):
            x.reshape(shape)
    for shape in ("ab", (2.0, 3), None, ([1], 6)):
        with pytest.raises(TypeError, match="reshape: shape"):
            x.reshape(shape)
