"""Values as Python sees them: comparison, truth, membership, integers, text, lists and bytes."""

import operator

import numpy as np
import pytest
from oracle import times, values

import icicle
from icicle.errors import InvalidArgument


def zero_of(field):
    return (0,) * field.degree if field.degree > 1 else 0


def test_equality_is_of_wholes_and_by_value(field, rng):
    data = values(field, 6, rng)
    for kind in (field, field.montgomery_type):
        x = kind.from_ints(data)
        for same in (
            data,
            tuple(data) if field.degree == 1 else x[:],
            [data[0], *x[1:]],
            kind.from_ints(data),
            x.copy(),
        ):
            assert (x == same) is True and (same == x) is True and (x != same) is False
        for other in (data[:-1], [*data[:-1], zero_of(field)][::-1], [data], x.reshape(2, 3), [], "text", None, 1.5):
            assert (x == other) is False and (other == x) is False and (x != other) is True
        for refused in ([1, "2"], [[1, 2], [3]], [1.5] * 6, b"123456", {1: 2}, [None]):
            assert (x == refused) is False, "what from_ints refuses is unequal"
        assert x[3] == data[3] and data[3] == x[3] and x[1] != x[0] and [x[0], x[1]] == [data[0], data[1]]
        assert x.reshape(2, 3) == [data[:3], data[3:]]
        for single in (data[0], 1, np.int64(1)):
            with pytest.raises(InvalidArgument, match=r"equal: shape \(6,\) and one value: == compares whole arrays"):
                x == single
    if field.degree == 1:
        assert field.from_ints([1, 2, 3, 4]) == np.arange(1, 5) and not np.arange(1, 5) == field.from_ints([1, 2, 3, 5])
        assert field.from_ints(-1) == field.modulus - 1 == field.from_ints(-1) == -1


def test_equality_of_points(curve):
    g = curve.generator.to_ints()
    multiples = [times(curve, k, g) for k in (1, 2, 0)]
    for kind in (curve.affine, curve.projective, curve.projective.montgomery_type):
        points = kind.from_ints(multiples)
        assert points == multiples and multiples == points and points != multiples[::-1] and points != multiples[:2]
        assert (
            points[1] == multiples[1]
            and points[1] != g
            and points[2] == kind.zeros(())
            and operator.eq(points[2], None) is False
        )
        x, y = g
        assert (points[0] == (y, x)) is False and (points == 5) is False, "no point is unequal"
        with pytest.raises(InvalidArgument, match="equal: shape"):
            points == g


def test_membership_is_by_value(field, rng):
    data = [value for value in values(field, 40, rng) if value not in (2, (2, *[0] * (field.degree - 1)))]
    for kind in (field, field.montgomery_type):
        x = kind.from_ints(data).reshape(2, -1)
        assert all(value in x and value in x[:, ::-1] for value in data)
        assert x[1, 3] in x and field.from_ints(data[7]) in x and 2 not in x and kind.from_ints(2) not in x
        assert zero_of(field) in x and 0 in x and 0 not in kind.ones(5) and 1 not in kind.zeros(0)
        with pytest.raises(InvalidArgument, match="contains: value of .*: must be one element"):
            [data[0], data[1]] in x
        other = icicle.fields.bn254.base if field is not icicle.fields.bn254.base else icicle.fields.bn254.scalar
        with pytest.raises(InvalidArgument, match=r"contains: value of bn254.*, shape \(\): must be one element of"):
            other.ones(()) in x
        for bad in ("a", 1.5, None):
            with pytest.raises(TypeError, match="from_ints"):
                bad in x
    # The bytes of a value between two elements are no element.
    shifted = icicle.fields.babybear.scalar.from_ints([0x00010000, 0x00020001])
    assert 0x00010001 not in shifted and 0x00010000 in shifted
    for data, found in (([0x100, 0], False), ([0x100, 0, 1, 0x100, 0], True), ([0, 0x10000, 0, 1], True)):
        assert (1 in icicle.fields.babybear.scalar.from_ints(data)) is found


def test_membership_of_points(curve):
    g = curve.generator.to_ints()
    points = curve.projective.from_ints([times(curve, k, g) for k in (1, 2, 3)])
    assert g in points and times(curve, 3, g) in points and 2 * curve.generator in points and points[2] in points
    assert None not in points and times(curve, 4, g) not in points and None in curve.affine.zeros(3)


def test_truth(field, curve):
    for kind in (field, field.montgomery_type):
        assert bool(kind.ones(())) and kind.from_ints([[5]]) and not kind.zeros(1) and not kind.from_ints(field.modulus)
        for ambiguous in (kind.zeros(0), kind.ones(2), kind.zeros((2, 2))):
            with pytest.raises(InvalidArgument, match="bool: truth value of an array of . elements: must be one"):
                bool(ambiguous)
    assert curve.generator and not curve.projective.zeros(()) and not curve.generator - curve.generator
    with pytest.raises(ValueError, match="truth value"):
        if curve.affine.zeros(2):
            pass


def test_elements_are_integers(field, rng):
    data = values(field, 4, rng)
    for kind in (field, field.montgomery_type):
        x = kind.from_ints(data)
        if field.degree > 1:
            with pytest.raises(TypeError, match=r"array of .*, shape \(\): is no integer"):
                int(x[1])
            continue
        assert [int(one) for one in x] == data == [operator.index(one) for one in x] and hex(x[3]) == hex(data[3])
        assert list(range(10))[kind.from_ints(7)] == 7 and x[kind.from_ints(2)] == data[2]
        assert kind.from_ints([x[0], 5, x[2]]) == [data[0], 5, data[2]]
        for several in (x, x[:1]):
            with pytest.raises(TypeError, match="array of .*, shape .*: is no integer"):
                int(several)


def test_memory_is_not_read_as_text():
    """Python's int() and float() take bytes for digits, and arrays have bytes."""
    digits = icicle.fields.babybear.scalar.from_bytes(b"1234")
    points = icicle.curves.bn254.affine.empty(1)
    points.buffer.write(b"1" * 64)
    assert int(digits[0]) == 0x34333231
    for array in (digits, points, points[0], icicle.curves.bn254.generator):
        with pytest.raises(TypeError, match="is no integer"):
            int(array)
    for array in (digits, digits[0], points, points[0]):
        with pytest.raises(TypeError, match="is no floating-point number"):
            float(array)


def test_iteration(field):
    x = field.from_ints([[1, 2], [3, 4]])
    assert [row.to_ints() for row in x] == x.to_ints() and list(reversed(x))[0] == x[1]
    with pytest.raises(TypeError, match="no axes"):
        list(x[0, 0])


def test_points_print_themselves(curve):
    g = curve.generator.to_ints()
    double = times(curve, 2, g)
    for kind in (curve.affine, curve.projective, curve.affine.montgomery_type, curve.projective.montgomery_type):
        for points in ([], [g], [g, double], [double, None, g]):
            made = kind.from_ints(points)
            assert (
                repr(made) == f"<PointArray {points!r}, {kind}, cpu:0>"
                and kind.to_ints(made) == points == made.tolist()
            )
        assert repr(kind.from_ints(double)) == f"<PointArray {double!r}, {kind}, cpu:0>"
    total = curve.msm([1, 1], curve.affine.from_ints([g, g]))
    assert repr(total) == f"<PointArray {double!r}, {curve.projective}, cpu:0>"
    with pytest.raises(InvalidArgument, match="to_ints: array of"):
        curve.affine.to_ints(total)


def test_arrays_of_more_than_six_elements_print_their_shape():
    field = icicle.fields.babybear.scalar
    assert repr(field.from_ints([1, 2, 3, 4, 5, 6])) == "<FieldArray [1, 2, 3, 4, 5, 6], babybear, cpu:0>"
    assert repr(field.zeros(7, device="cpu:1")) == "<FieldArray shape (7,), babybear, cpu:1>"
    assert repr(field.zeros((1, 1))) == "<FieldArray shape (1, 1), babybear, cpu:0>"
    assert repr(field.montgomery_type.ones(())) == "<FieldArray 1, babybear in Montgomery form, cpu:0>"
    assert repr(icicle.fields.m31) == "<icicle fields m31: scalar, extension, qm31>"
    assert repr(icicle.curves.bn254_g2) == "<icicle curve bn254_g2>" and repr(field) == "<icicle babybear>"


def test_lists(field, rng):
    data = values(field, 12, rng)
    for kind in (field, field.montgomery_type):
        x = kind.from_ints(data)
        assert x.tolist() == x.to_ints() == data == kind.to_ints(x) and x[3].tolist() == data[3]
        assert x.reshape(2, 3, 2).tolist() == [[data[i : i + 2] for i in range(j, j + 6, 2)] for j in (0, 6)]
        for shape in ((0,), (2, 0), (0, 3), (2, 0, 3), (2, 3, 0)):
            assert kind.zeros(shape).tolist() == np.zeros(shape).tolist()
    for wrong in ([1, 2], 3, None):
        with pytest.raises(TypeError, match="to_ints: array .*: must be an Array"):
            field.to_ints(wrong)


def encoded(field, data):
    """Little-endian coefficients by Python's integers alone."""
    width = field.itemsize // field.degree
    coefficients = [c for value in data for c in (value if isinstance(value, tuple) else (value,))]
    return b"".join(c.to_bytes(width, "little") for c in coefficients)


def test_bytes_of_elements(field, rng):
    data = values(field, 5, rng)
    raw = encoded(field, data)
    for kind in (field, field.montgomery_type):
        x = kind.from_ints(data)
        assert x.to_bytes() == raw == x[::-1][::-1].to_bytes() and x[1:3].to_bytes() == encoded(field, data[1:3])
        for source in (raw, bytearray(raw), memoryview(raw), np.frombuffer(raw, np.uint8)):
            made = kind.from_bytes(source, device="cpu:1")
            assert made.dtype is kind and made.shape == (5,) and made.tolist() == data and str(made.device) == "cpu:1"
        assert kind.from_bytes(b"").shape == (0,)
        top = (
            encoded(field, [data[0]]) + field.modulus.to_bytes(field.itemsize // field.degree, "little") * field.degree
        )
        with pytest.raises(
            InvalidArgument, match=f"check_elements: element 1: must be below the modulus of {field.name}"
        ):
            kind.from_bytes(top)
        with pytest.raises(
            InvalidArgument, match=f"from_bytes: {len(raw) - 1} bytes: must be a multiple of {field.itemsize}"
        ):
            kind.from_bytes(raw[:-1])
        for wrong in ("text", 5, None, [1, 2]):
            with pytest.raises(TypeError):
                kind.from_bytes(wrong)


def test_bytes_of_points(curve):
    g = curve.generator.to_ints()
    points = [g, None, times(curve, 5, g)]
    zero = (zero_of(curve.base),) * 2
    raw = b"".join(encoded(curve.base, point or zero) for point in points)
    for kind in (curve.affine, curve.projective, curve.affine.montgomery_type, curve.projective.montgomery_type):
        assert kind.from_ints(points).to_bytes() == raw
        made = kind.from_bytes(raw)
        assert made.dtype is kind and made.tolist() == points
        with pytest.raises(InvalidArgument, match="check_points: point 0"):
            kind.from_bytes(raw[::-1][: 2 * curve.base.itemsize] or raw)
        x, y = g
        with pytest.raises(InvalidArgument, match="check_points: point 3"):
            kind.from_bytes(raw + encoded(curve.base, (y, x)))


def test_projective_and_montgomery_limbs_are_checked_to_be_points(curve):
    """Coordinates below the modulus are not enough."""
    points = curve.projective.from_ints([curve.generator.to_ints(), None, (2 * curve.generator).to_ints()])
    good = np.array(points.numpy())
    assert curve.projective.from_numpy(good) == points
    x, z = good.copy(), good.copy()
    x[2, 0] = good[2, 1]
    z[1, 1] = 0  # (0, 0, 0) is no point
    for bad, number in ((x, 2), (z, 1)):
        with pytest.raises(
            InvalidArgument, match=f"check_points: point {number}: coordinates must satisfy the equation"
        ):
            curve.projective.from_numpy(bad)
        assert curve.projective.from_numpy(bad, check=False).shape == (3,)
        with pytest.raises(InvalidArgument, match=f"check_points: point {number}"):
            curve.projective.from_dlpack(bad, check=True)
    for kind in (curve.affine, curve.affine.montgomery_type, curve.projective.montgomery_type):
        limbs = np.array(kind.from_bytes(points.to_bytes()).buffer).view(good.dtype).reshape(3, *kind.limb_shape)
        assert kind.from_numpy(limbs) == points
        limbs[2, 0] = limbs[2, 1]
        with pytest.raises(InvalidArgument, match="check_points: point 2"):
            kind.from_numpy(limbs)
    scaled = good.copy()
    seven = curve.base.from_numpy(np.ascontiguousarray(good[0])) * 7
    scaled[0] = seven.numpy()
    assert curve.projective.from_numpy(scaled) == points, "any multiple of the coordinates is the same point"


def test_shared_memory_is_checked_if_asked(field):
    limbs = np.array(field.ones(3))
    assert field.from_dlpack(limbs, check=True) == field.ones(3)
    limbs[1] = ~np.zeros_like(limbs[1])
    assert field.from_dlpack(limbs).shape == (3,)
    with pytest.raises(InvalidArgument, match="check_elements: element 1"):
        field.from_dlpack(limbs, check=True)
