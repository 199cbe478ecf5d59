"""Arrays of numbers over the devices of a group.

>>> import icicle
>>> from icicle import xp
>>> with icicle.DeviceGroup() as group:
...     table = group.scatter(xp.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), axis=1)
...     x = group.scatter(xp.asarray([1.0, 0.0, -1.0]), axis=0)
...     y = table @ x  # each device computes a part of every sum
...     y.placement, y.gather().tolist()
('partial', [-2.0, -2.0])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from icicle import _icicle

from .array import Array, DType, axes_of

if TYPE_CHECKING:
    from icicle._icicle import Device
    from icicle.dtype import DeviceLike
    from icicle.group import DeviceGroup

    from .array import Axes, Number

    Operator: TypeAlias = Callable[["ShardedArray", Any], "ShardedArray"]

NUMBERS = (bool, int, float, complex)


def _operators(operation: str) -> tuple[Operator, Operator]:
    """An operator, and the one that Python asks the right operand for."""

    def forward(self: ShardedArray, other: Any) -> ShardedArray:
        return self.binary(operation, other) if isinstance(other, (ShardedArray, *NUMBERS)) else NotImplemented

    def backward(self: ShardedArray, other: Any) -> ShardedArray:
        return self._with(operation, other, True) if isinstance(other, NUMBERS) else NotImplemented

    return forward, backward


class ShardedArray:
    """An n-dimensional array of numbers over the devices of a group, made by `DeviceGroup.scatter`.

    It is split along an axis, each device having consecutive indices, as many as its share says; or replicated, all of it on
    every device; or partial sums, whose elements are the sums of those on the devices: sums and products over a split axis
    give these, and they are added when the array is gathered, placed otherwise, or an operand of anything but sums.

    Python's operators work with another array over the same devices, whose elements are brought to where they are needed, or
    a number; `unary` and `binary` have all operations on elements by name. Each device's thread computes on its part. Like
    Array it is a value: no call changes one. An error of a device names it.
    """

    __slots__ = ("_native", "group")
    __array_ufunc__ = None
    # Comparisons are elementwise.
    __hash__ = None  # type: ignore[assignment]

    group: DeviceGroup
    """The group it was made with."""

    def __init__(self, group: DeviceGroup, native: _icicle.ShardedNumbers) -> None:
        self.group = group
        self._native = native

    def __repr__(self) -> str:
        how = f"split along axis {self.axis}" if self.axis is not None else self.placement
        return f"<icicle.xp.ShardedArray of {self.dtype} {self.shape}, {how}, over {self.group!r}>"

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len: array without axes: has no length")
        return self.shape[0]

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of the whole array's axes."""
        return self._native.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements, each counted once."""
        size = 1
        for extent in self.shape:
            size *= extent
        return size

    @property
    def dtype(self) -> DType:
        """The type of its elements."""
        return self._native.dtype

    @property
    def placement(self) -> str:
        """How it lies over the devices: split, replicated or partial."""
        return self._native.placement

    @property
    def axis(self) -> int | None:
        """The split axis, or None."""
        return self._native.axis

    @property
    def parts(self) -> list[tuple[Device, range, Array]]:
        """Each device, the indices of the split axis that it holds (none if no axis is split), and what it holds. Partial sums of
        floats are of the wider dtype in which they are held."""
        return [(device, range(start, end), part) for device, start, end, part in self._native.parts()]

    def gather(self, device: DeviceLike | None = None) -> Array:
        """The whole array on one device, the current one if None. Raises InvalidArgument if the group is closed,
        InvalidDevice, OutOfMemory, CopyFailed."""
        return self._native.gather(self.group._native, _icicle.current_device() if device is None else device)

    def item(self) -> Number:
        """The value of an array of one element. Raises InvalidArgument if there is not exactly one, OutOfMemory."""
        return self._native.item(self.group._native)

    def reshard(self, axis: int | None) -> ShardedArray:
        """The same array split along an axis, or for None replicated; partial sums are added. Raises InvalidArgument for an
        axis that is not there, OutOfMemory, CopyFailed."""
        return self._made(self._native.reshard(self.group._native, axis))

    def astype(self, dtype: DType) -> ShardedArray:
        """The values in another dtype, as xp.astype(). Raises InvalidType for complex to real, OutOfMemory."""
        return self._made(self._native.astype(self.group._native, dtype))

    def unary(self, operation: str) -> ShardedArray:
        """An operation on each element by its name in the array API, such as "sqrt"; placed as the array is.

        Raises InvalidArgument for a name that is none, InvalidType if it is not defined for the dtype, OutOfMemory.
        """
        return self._made(self._native.unary(self.group._native, operation))

    def binary(self, operation: str, other: ShardedArray | Number) -> ShardedArray:
        """An operation on each pair of elements by its name in the array API, such as "maximum"; shapes broadcast.

        It is placed as the first is if that is split, else as the other; that of an array and a number as the array.
        Raises InvalidArgument for a name that is none, shapes that do not broadcast or arrays on other devices, InvalidType for
        dtypes without a common one or for which it is not defined, TypeError for other operands; OutOfMemory; CopyFailed.
        """
        if isinstance(other, ShardedArray):
            return self._made(self._native.binary(self.group._native, operation, other._native))
        if not isinstance(other, NUMBERS):
            rule = "must be a ShardedArray or a number; see DeviceGroup.scatter()"
            raise TypeError(f"{operation}: operand of type {type(other).__name__}: {rule}")
        return self._with(operation, other, False)

    def matmul(self, other: ShardedArray) -> ShardedArray:
        """The matrix product, as xp.matmul(); how it is divided follows from how the operands lie.

        Rows (or a leading axis) of the first split: each device computes its rows with all of the second. Columns of the first
        or rows of the second split: each computes a part of every sum, and the result is partial sums. Columns of the second
        split: each computes its columns. Neither: every device computes all of it.
        Raises InvalidArgument for shapes that do not fit or arrays on other devices, InvalidType for dtypes without a common
        one, TypeError for what is no ShardedArray; OutOfMemory; CopyFailed.
        """
        if not isinstance(other, ShardedArray):
            rule = "must be a ShardedArray; see DeviceGroup.scatter()"
            raise TypeError(f"matmul: operand of type {type(other).__name__}: {rule}")
        return self._made(self._native.matmul(self.group._native, other._native))

    def sum(self, *, axis: Axes = None, keepdims: bool = False) -> ShardedArray:
        """The sum along axes, of all elements for None, as xp.sum(): partial sums over a split axis, of floats in float64 and
        rounded once when they are added. Raises InvalidArgument for axes that are not there, OutOfMemory."""
        return self._fold("sum", axis, keepdims)

    def prod(self, *, axis: Axes = None, keepdims: bool = False) -> ShardedArray:
        """The product along axes, as xp.prod(); over a split axis replicated. Raises as sum()."""
        return self._fold("prod", axis, keepdims)

    def min(self, *, axis: Axes = None, keepdims: bool = False) -> ShardedArray:
        """The least element along axes, as xp.min(); over a split axis replicated. Raises as sum(), and InvalidArgument where
        there is no element or the dtype has no order."""
        return self._fold("min", axis, keepdims)

    def max(self, *, axis: Axes = None, keepdims: bool = False) -> ShardedArray:
        """The greatest element along axes, as xp.max(); over a split axis replicated. Raises as min()."""
        return self._fold("max", axis, keepdims)

    def mean(self, *, axis: Axes = None, keepdims: bool = False) -> ShardedArray:
        """The mean along axes, as xp.mean(); over a split axis replicated. Raises as sum(), InvalidType for integers."""
        return self._fold("mean", axis, keepdims)

    def all(self, *, axis: Axes = None, keepdims: bool = False) -> ShardedArray:
        """Whether all elements along axes are true, as xp.all(); over a split axis replicated. Raises as sum()."""
        return self._fold("all", axis, keepdims)

    def any(self, *, axis: Axes = None, keepdims: bool = False) -> ShardedArray:
        """Whether any element along axes is true, as xp.any(); over a split axis replicated. Raises as sum()."""
        return self._fold("any", axis, keepdims)

    def count_nonzero(self, *, axis: Axes = None, keepdims: bool = False) -> ShardedArray:
        """How many elements along axes are not 0, as xp.count_nonzero(): partial sums over a split axis. Raises as sum()."""
        return self._fold("count_nonzero", axis, keepdims)

    def _fold(self, operation: str, axis: Axes, keepdims: bool) -> ShardedArray:
        return self._made(self._native.fold(self.group._native, operation, axes_of(axis), keepdims))

    def _with(self, operation: str, value: Number, reversed: bool) -> ShardedArray:
        return self._made(self._native.binary_scalar(self.group._native, operation, value, reversed))

    def _made(self, native: _icicle.ShardedNumbers) -> ShardedArray:
        return ShardedArray(self.group, native)

    def __matmul__(self, other: Any) -> ShardedArray:
        return self.matmul(other) if isinstance(other, ShardedArray) else NotImplemented

    def __neg__(self) -> ShardedArray:
        return self.unary("negative")

    def __pos__(self) -> ShardedArray:
        return self.unary("positive")

    def __abs__(self) -> ShardedArray:
        return self.unary("abs")

    def __invert__(self) -> ShardedArray:
        return self.unary("bitwise_invert")

    __add__, __radd__ = _operators("add")
    __sub__, __rsub__ = _operators("subtract")
    __mul__, __rmul__ = _operators("multiply")
    __truediv__, __rtruediv__ = _operators("divide")
    __floordiv__, __rfloordiv__ = _operators("floor_divide")
    __mod__, __rmod__ = _operators("remainder")
    __pow__, __rpow__ = _operators("pow")
    __and__, __rand__ = _operators("bitwise_and")
    __or__, __ror__ = _operators("bitwise_or")
    __xor__, __rxor__ = _operators("bitwise_xor")
    __lshift__, __rlshift__ = _operators("bitwise_left_shift")
    __rshift__, __rrshift__ = _operators("bitwise_right_shift")
    __lt__, __gt__ = _operators("less")[0], _operators("greater")[0]
    __le__, __ge__ = _operators("less_equal")[0], _operators("greater_equal")[0]
    __eq__ = _operators("equal")[0]  # type: ignore[assignment]
    __ne__ = _operators("not_equal")[0]  # type: ignore[assignment]
