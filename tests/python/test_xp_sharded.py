"""Arrays of numbers over groups give what one device gives, however they lie."""

import numpy as np
import pytest

import icicle
from icicle import DeviceGroup, InvalidArgument, xp

CPUS = [f"cpu:{i}" for i in range(4)]
SHARES = [[1], [1, 3], [5, 2, 1], [1, 0, 2, 3]]
FOLDS = ["sum", "prod", "min", "max", "mean", "all", "any", "count_nonzero"]
SYMBOLS = "+ - * / // % ** < <= > >= == !=".split()


@pytest.fixture(params=SHARES, ids=len)
def group(request):
    with DeviceGroup(CPUS[: len(request.param)], request.param) as made:
        yield made


def table(*shape, dtype=xp.float32):
    n = int(np.prod(shape))
    return xp.asarray(((np.arange(n) * 7919 + 13) % 41 - 20 + 0.5).reshape(shape).astype(dtype.name))


def same(got, want):
    """Compare with one device's result, also placed otherwise."""
    assert isinstance(got, xp.ShardedArray)
    assert (got.shape, got.dtype, got.ndim, got.size) == (want.shape, want.dtype, want.ndim, want.size)
    for axis in [*range(want.ndim), None]:
        moved = got.reshard(axis)
        assert (moved.axis, moved.placement) == (axis, "replicated" if axis is None else "split")
        np.testing.assert_array_equal(np.asarray(moved.gather()), np.asarray(want))
    np.testing.assert_array_equal(np.asarray(got.gather()), np.asarray(want))


def test_they_say_what_they_are(group):
    x = table(7, 4)
    over = group.scatter(x)
    assert over.group is group and len(over) == 7 and (over.axis, over.placement) == (0, "split")
    assert repr(over) == f"<icicle.xp.ShardedArray of float32 (7, 4), split along axis 0, over {group!r}>"
    assert "replicated" in repr(group.scatter(x, axis=None)) and group.scatter(x, axis=-1).axis == 1
    at = 0
    for device, (there, rows, part) in zip(group.devices, over.parts, strict=True):
        assert (there, part.device, rows.start, part.shape) == (device, device, at, (len(rows), 4))
        assert part.tolist() == x[rows.start : rows.stop, :].tolist()
        at = rows.stop
    assert at == 7
    assert str(over.gather("cpu:3").device) == "cpu:3" and str(over.gather().device) == "cpu:0"
    with pytest.raises(TypeError, match="array without axes"):
        len(over.sum())


@pytest.mark.parametrize("axis", [0, 1, None])
def test_operators(group, axis):
    x, row = table(5, 4), table(4)
    over = group.scatter(x, axis=axis)
    for symbol in SYMBOLS:
        apply = eval(f"lambda a, b: a {symbol} b")
        same(apply(over, 3), apply(x, 3))
        same(apply(over, 2.5), apply(x, 2.5))
        if symbol != "**":
            same(apply(3, over), apply(3, x))
        for place in (0, None):
            same(apply(over, group.scatter(row, axis=place)), apply(x, row))
            same(apply(group.scatter(row, axis=place), over), apply(row, x))
    for apply in (lambda a: -a, lambda a: +a, abs):
        same(apply(over), apply(x))
    same(over.unary("exp"), xp.exp(x))
    same(over.binary("maximum", group.scatter(row)), xp.maximum(x, row))
    same(over.binary("minimum", 1), xp.minimum(x, 1))
    same(over.astype(xp.int16), xp.astype(x, xp.int16))
    ints = table(5, 4, dtype=xp.int32)
    whole = group.scatter(ints, axis=axis)
    for symbol in "& | ^ << >>".split():
        apply = eval(f"lambda a, b: a {symbol} b")
        same(apply(whole, 3), apply(ints, 3))
        same(apply(3, abs(whole)), apply(3, abs(ints)))
    same(~whole, ~ints)


@pytest.mark.parametrize("axis", [0, 1, None])
def test_reductions(group, axis):
    for x in (table(5, 4), table(5, 4, dtype=xp.int16)):
        over = group.scatter(x, axis=axis)
        for name in FOLDS:
            if name == "mean" and x.dtype == xp.int16:
                continue
            for along in (None, 0, -1, (0, 1), ()):
                for keep in (False, True):
                    got = getattr(over, name)(axis=along, keepdims=keep)
                    same(got, getattr(xp, name)(x, axis=along, keepdims=keep))


def test_products_however_they_lie(group):
    for a, b in [((7, 5), (5, 6)), ((7, 5), (5,)), ((5,), (5, 6)), ((5,), (5,)), ((2, 7, 5), (2, 5, 6))]:
        x, y = table(*a), table(*b)
        for one in [*range(len(a)), None]:
            for two in [*range(len(b)), None]:
                same(group.scatter(x, axis=one) @ group.scatter(y, axis=two), xp.matmul(x, y))


def test_partial_sums_are_rounded_once(group):
    x = xp.asarray([2.0**25, 1.0, -(2.0**25), 1.0], dtype=xp.float32)
    over = group.scatter(x)
    total = over.sum()
    assert total.placement == "partial" and total.axis is None and total.item() == 2.0
    assert all(part.dtype == xp.float64 and rows == range(0) for _, rows, part in total.parts)
    assert (total + total).placement == "partial" and (total + total).item() == 4.0
    assert (total + 1).placement == "replicated" and (total + 1).item() == 3.0 and over.mean().item() == 0.5
    assert group.scatter(xp.asarray(True), axis=None).item() is True


def test_values_do_not_change(group):
    x = table(6)
    over = group.scatter(x)
    before = over
    x[0] = 100.0
    over += 1
    assert over is not before and (over - 1).gather().tolist() == before.gather().tolist() == table(6).tolist()


def test_vectors_of_fields_lie_as_before():
    field = icicle.fields.bn254.scalar
    x = field.from_ints(range(8))
    with DeviceGroup(["cpu:0", "cpu:1"], [1, 1]) as group:
        assert isinstance(group.scatter(x), icicle.ShardedArray) and group.scatter(x).layout == "blocks"
        assert group.scatter(x, "cyclic").gather() == x
        with pytest.raises(InvalidArgument, match="sharded: axis 1: is of arrays of numbers; name a layout"):
            group.scatter(x, axis=1)
        with pytest.raises(InvalidArgument, match="layout 'cyclic': is of vectors; name an axis"):
            group.scatter(xp.ones(3), "cyclic")
        with pytest.raises(TypeError, match="must be a FieldArray, a PointArray or an xp.Array"):
            group.scatter([1, 2])


def test_refusals():
    with DeviceGroup(CPUS[:2], [1, 1]) as group, DeviceGroup(CPUS[:3], [1, 1, 1]) as other:
        x, ints = group.scatter(table(4, 3)), group.scatter(table(4, 3, dtype=xp.int32))
        far = other.scatter(table(4, 3))
        for call, error, text in [
            (lambda: group.scatter(table(4, 3), axis=2), InvalidArgument, "sharded_array: axis 2: an array of 2 axes"),
            (lambda: x.reshard(-3), InvalidArgument, "sharded_array: axis -3: an array of 2 axes has -2 to 1"),
            (lambda: x + far, InvalidArgument, "array on cpu:0, cpu:1, cpu:2: the group has cpu:0, cpu:1"),
            (lambda: x + ints, xp.InvalidType, "add: .*dtypes float32 and int32: have no common dtype"),
            (lambda: ints + 0.5, xp.InvalidType, "add: scalar Float\\(0.5\\) with an array of int32"),
            (lambda: ints + 2**40, InvalidArgument, "int32 holds"),
            (lambda: x + group.scatter(table(2, 3)), InvalidArgument, "extents of an axis must be equal or 1"),
            (lambda: x @ x, InvalidArgument, "inner extents must be equal"),
            (lambda: x @ table(3), TypeError, "unsupported operand"),
            (lambda: x + table(3), TypeError, "unsupported operand"),
            (lambda: table(3) + x, TypeError, "unsupported operand"),
            (lambda: x.matmul(table(3)), TypeError, "matmul: operand of type NumberArray: must be a ShardedArray"),
            (lambda: x.binary("add", [1]), TypeError, "add: operand of type list: must be a ShardedArray or a number"),
            (lambda: x.unary("nothing"), InvalidArgument, 'unary: operation "nothing": must be one of the array API'),
            (lambda: x.binary("sqrt", x), InvalidArgument, 'binary: operation "sqrt": must be one of'),
            (lambda: ints.unary("sqrt"), xp.InvalidType, "sqrt: .*int32"),
            (lambda: ints.mean(), xp.InvalidType, "mean: array of int32: must be floating point"),
            (lambda: x.sum(axis=2), InvalidArgument, "sum: axis 2: an array of 2 axes"),
            (lambda: x.item(), InvalidArgument, "item: array of 12 elements: must have exactly one"),
            (lambda: x.gather("cpu:63"), icicle.InvalidDevice, "cpu:63"),
            (lambda: group.scatter(xp.zeros(0)).max(), InvalidArgument, "max: .*there is no element"),
            (lambda: hash(x), TypeError, "unhashable"),
        ]:
            with pytest.raises(error, match=text) as caught:
                call()
            assert (caught.type is InvalidArgument) == (error is InvalidArgument)
    for call in (lambda: x + 1, lambda: x.sum(), x.gather, lambda: group.scatter(table(3))):
        with pytest.raises(InvalidArgument, match="the group is closed"):
            call()
    assert "<icicle.xp.ShardedArray" in object.__repr__(x).replace("sharded.", "")


def test_the_precision_of_products_stays():
    assert icicle.float32_matmul_precision() == "highest"
    icicle.set_float32_matmul_precision("high")
    try:
        assert icicle.float32_matmul_precision() == "high"
        with pytest.raises(InvalidArgument, match='precision "medium": must be "highest" or "high"'):
            icicle.set_float32_matmul_precision("medium")
        assert icicle.float32_matmul_precision() == "high"
    finally:
        icicle.set_float32_matmul_precision("highest")
