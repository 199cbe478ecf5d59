"""Arrays of field elements."""

from __future__ import annotations

import math
from operator import index
from typing import TYPE_CHECKING, Any, Self, SupportsIndex, cast

from . import _icicle, arguments
from .arguments import integer, is_array_like, need
from .array import Array
from .broadcasting import as_batch, shares_memory, spread_shape
from .dtype import DType
from .errors import InvalidArgument

if TYPE_CHECKING:
    from ._icicle import Buffer, Stream
    from .arguments import Values
    from .field import Field


class FieldArray(Array):
    """An array of elements of one field on one device.

    `+ - * / **` work element by element, with another array or what `dtype.from_ints` takes (`x + 1`, `x * [1, 2, 3]`,
    NumPy's integers), copied to the array's device. Axes of length 1 and missing first axes are spread as in NumPy. `/`
    gives zero where the divisor has no inverse; elements of an extension may be multiplied and divided by elements of its
    scalar field. Operands lie on one device, where the result lies too; anything else raises and names both. `==` compares
    whole arrays, as Array says.

    An element of a prime field, an array of no axes, is an integer to `int`, `hex`, `range` and the like.

    Operators raise InvalidArgument for shapes or fields that do not fit, and for products and quotients in Montgomery
    form; InvalidPointer for operands on two devices; TypeError for what is no operand; OutOfMemory.

    >>> import icicle
    >>> x = icicle.fields.bn254.scalar.from_ints([1, 2, 3])
    >>> ((x + x) * 3 / x).to_ints()
    [6, 6, 6]
    >>> (x**2).sum().to_ints(), x == x + 0, x == [1, 2, 3], 2 in x
    (14, True, True, True)
    >>> (x.reshape(3, 1) * x).to_ints()
    [[1, 2, 3], [2, 4, 6], [3, 6, 9]]
    """

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def dtype(self) -> Field: ...

    def __index__(self) -> int:
        if self.shape or self.dtype.degree > 1:
            return super().__int__()
        value: int = self.to_ints()
        return value

    __int__ = __index__

    def astype(self, dtype: Field, *, stream: Stream | None = None) -> FieldArray:
        """The values in another encoding of the field: itself if it is that, else a copy.

        Raises TypeError for what is no type, InvalidArgument for one of another field, OutOfMemory.
        """
        if dtype is self.dtype:
            return self
        if need("astype", "type", dtype, DType)._other is not self.dtype:
            raise InvalidArgument("astype", f"type {dtype}: must be an encoding of {self.dtype.name}")
        out = _icicle.convert_montgomery(dtype.number, self.size, self.buffer, dtype.montgomery, stream=stream)
        return FieldArray(out, dtype, self.shape)

    def _need_canonical(self, operation: str) -> None:
        if self.dtype.montgomery:
            raise InvalidArgument(operation, f"operand of {self.dtype}: must be canonical, convert it with astype()")

    def _operand(self, other: Any) -> Any:
        """What an operator works with: an array, one element as Python's numbers, or NotImplemented."""
        if isinstance(other, FieldArray) or self.dtype._is_element(other):
            return other
        return self.dtype.from_ints(other, device=self.device) if is_array_like(other) else NotImplemented

    def _binary(self, operation: str, other: Any, out: Buffer | None = None) -> FieldArray:
        """self ∘ other, to the output if there is one; NotImplemented for what is no operand."""
        other, dtype = self._operand(other), self.dtype
        if other is NotImplemented:
            return cast(FieldArray, other)
        if operation in ("mul", "div"):
            self._need_canonical(f"vector_{operation}")
        if not isinstance(other, FieldArray):
            return self._with_element(operation, other, out)
        shape = spread_shape(f"vector_{operation}", self.shape, other.shape)
        if out is not None and shape != self.shape:
            rule = f"the result of shape {shape} does not fit the first"
            raise InvalidArgument(f"vector_{operation}", f"shapes {self.shape} and {other.shape}: {rule}")
        second: FieldArray = other.copy() if out is not None and shares_memory(self, other) else other
        if second.dtype is not dtype:
            return self._mixed(operation, second, shape, out)
        if not math.prod(shape):
            return self if out is not None else dtype.empty(shape, device=self.device)
        if self.shape != shape:
            if second.shape == shape and as_batch(shape, self.shape) is not None:
                return second._with_scalars(f"r{operation}", self, out)
            return self._spread("", shape)._binary(operation, second)
        if second.shape != shape and as_batch(shape, second.shape) is not None:
            return self._with_scalars(operation, second, out)
        b = second._spread("", shape).buffer
        made = _icicle.vector_binary(operation, dtype.number, self.size, 1, False, self.buffer, b, out)
        return FieldArray(made, dtype, shape)

    def _mixed(self, operation: str, other: FieldArray, shape: tuple[int, ...], out: Buffer | None) -> FieldArray:
        """Products and quotients of elements of an extension and of its scalar field."""
        large, small = (self, other) if self.dtype.is_extension else (other, self)
        fits = large.dtype.is_extension and small.dtype is large.dtype.scalar and (out is None or large is self)
        if operation not in ("mul", "div") or not fits:
            raise InvalidArgument(
                f"vector_{operation}", f"operands of {self.dtype} and {other.dtype}: must be the same"
            )
        if operation == "div":
            return self._mixed("mul", other.inv(), shape, out)
        first, second = large._spread("", shape), small._spread("", shape)
        number, n = first.dtype.number, math.prod(shape)
        if not n:
            return self if out is not None else first.dtype.empty(shape, device=self.device)
        made = _icicle.vector_mixed_mul(number, n, 1, False, first.buffer, second.buffer, out)
        return FieldArray(made, first.dtype, shape)

    def _with_element(self, operation: str, value: Any, out: Buffer | None = None) -> FieldArray:
        """self ∘ value, of one element as Python's numbers; `value ∘ self` for "rsub" and "rdiv"."""
        # The library's scalar comes first: x - s is -s + x, and x / s is 1/s · x.
        if operation == "sub":
            operation, value = "add", tuple(-one for one in value) if isinstance(value, tuple) else -index(value)
        if operation == "div":
            return self._with_scalars("div", self.dtype.from_ints(value, device=self.device), out)
        if operation == "rdiv":
            return self.inv()._with_element("mul", value, out)
        return self._scalars(operation.removeprefix("r"), 1, False, self.dtype._pack([value]), out)

    def _with_scalars(self, operation: str, scalars: FieldArray, out: Buffer | None = None) -> FieldArray:
        """self ∘ scalars, one for each of the vectors that as_batch() finds; scalars ∘ self for "rsub" and "rdiv"."""
        batch, columns = as_batch(self.shape, scalars.shape) or (1, False)
        if operation == "sub":
            operation, scalars = "add", -scalars
        if operation == "div":
            operation, scalars = "mul", scalars.inv()
        if operation == "rdiv":
            return self.inv()._with_scalars("mul", scalars, out)
        return self._scalars(operation.removeprefix("r"), batch, columns, scalars.buffer, out)

    def _scalars(
        self, operation: str, batch: int, columns: bool, scalars: bytes | Buffer, out: Buffer | None = None
    ) -> FieldArray:
        """scalars ∘ self, one scalar for each vector of a batch."""
        n = self.size // batch
        made = _icicle.vector_scalar(operation, self.dtype.number, n, batch, columns, scalars, self.buffer, out)
        return FieldArray(made, self.dtype, self.shape)

    def _reflected(self, operation: str, other: Any) -> FieldArray:
        """other ∘ self, where other is no array of icicle's."""
        other = self._operand(other)
        if other is NotImplemented:
            return cast(FieldArray, other)
        if operation == "div":
            self._need_canonical("vector_div")
        if isinstance(other, FieldArray):
            return other._binary(operation, self)
        return self._with_element(f"r{operation}", other)

    # What small arrays cost: arrays of one type and shape go straight to the native half.
    def __add__(self, other: FieldArray | Values) -> FieldArray:
        made: FieldArray | None = self._pairwise("add", other, False)
        return self._binary("add", other) if made is None else made

    def __sub__(self, other: FieldArray | Values) -> FieldArray:
        made: FieldArray | None = self._pairwise("sub", other, False)
        return self._binary("sub", other) if made is None else made

    def __mul__(self, other: FieldArray | Values) -> FieldArray:
        made: FieldArray | None = self._pairwise("mul", other, False)
        return self._binary("mul", other) if made is None else made

    def __truediv__(self, other: FieldArray | Values) -> FieldArray:
        made: FieldArray | None = self._pairwise("div", other, False)
        return self._binary("div", other) if made is None else made

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: Values) -> FieldArray:
        return self._reflected("sub", other)

    def __rtruediv__(self, other: Values) -> FieldArray:
        return self._reflected("div", other)

    def _in_place(self, operation: str, other: Any) -> Self:
        if self._pairwise(operation, other, True) is not None:
            return self
        made = self._binary(operation, other, self.buffer if self.is_contiguous else None)
        if made is not NotImplemented and not self.is_contiguous:
            self[...] = made
        return cast(Self, made) if made is NotImplemented else self

    def __iadd__(self, other: FieldArray | Values) -> Self:
        return self._in_place("add", other)

    def __isub__(self, other: FieldArray | Values) -> Self:
        return self._in_place("sub", other)

    def __imul__(self, other: FieldArray | Values) -> Self:
        return self._in_place("mul", other)

    def __itruediv__(self, other: FieldArray | Values) -> Self:
        return self._in_place("div", other)

    def __neg__(self) -> FieldArray:
        return self._with_element("rsub", 0)

    def __pow__(self, exponent: SupportsIndex) -> FieldArray:
        """Each element to an integer power; negative ones of the inverse, `0**0` is 1.

        Two products for each bit of the exponent at most. Raises InvalidArgument in Montgomery form, OutOfMemory.
        """
        if isinstance(exponent, Array) or not hasattr(exponent, "__index__"):
            return NotImplemented
        self._need_canonical("pow")
        power = integer("pow", "exponent", exponent)
        if power < 0:
            return self.inv() ** -power
        # Powers repeat after as many as there are units.
        units = self.dtype.modulus**self.dtype.degree - 1
        power = power and (power - 1) % units + 1
        out = self.copy() if power else self.dtype.ones(self.shape, device=self.device)
        for bit in bin(power)[3:]:
            out *= out
            if bit == "1":
                out *= self
        return out

    def __eq__(self, other: object) -> bool:
        other = self._as_other_side(other)
        if not isinstance(other, FieldArray) or other.dtype is not self.dtype or other.shape != self.shape:
            return False
        found: int = (self - other).reshape(-1).highest_non_zero()
        return found == -1

    def _is_zero(self) -> list[bool]:
        """Whether each element is zero, in order."""
        if not self.size:
            return []
        return [found < 0 for found in _icicle.highest_non_zero(self.dtype.number, 1, self.size, False, self.buffer)]

    def inv(self, *, stream: Stream | None = None) -> FieldArray:
        """The inverse of each element, zero where there is none.

        The result has this array's shape; one inversion serves many elements, at some three products each. Raises
        InvalidArgument in Montgomery form, OutOfMemory; nothing for 0.
        """
        self._need_canonical("vector_inv")
        made = _icicle.vector_inv(self.dtype.number, self.size, self.buffer, stream=stream)
        return FieldArray(made, self.dtype, self.shape)

    def sum(self, axis: int | None = None, *, stream: Stream | None = None) -> FieldArray:
        """The sum of all elements, or along the first or the last axis.

        The result's shape is that of the other axes; in Montgomery form it stays so. Raises InvalidArgument for another
        axis, OutOfMemory.

        >>> import icicle
        >>> x = icicle.fields.babybear.scalar.from_ints([[1, 2, 3], [4, 5, 6]])
        >>> x.sum().to_ints(), x.sum(axis=0).to_ints(), x.sum(axis=1).to_ints()
        (21, [5, 7, 9], [6, 15])
        """
        return self._reduce("sum", axis, stream)

    def prod(self, axis: int | None = None, *, stream: Stream | None = None) -> FieldArray:
        """The product of all elements, or along the first or the last axis.

        The result's shape is that of the other axes. Raises InvalidArgument in Montgomery form or for another axis,
        OutOfMemory.
        """
        self._need_canonical("vector_product")
        return self._reduce("product", axis, stream)

    def _reduce(self, operation: str, axis: int | None, stream: Stream | None) -> FieldArray:
        whole: tuple[int, int, bool, tuple[int, ...]] = (self.size, 1, False, ())
        n, batch, columns, rest = whole if axis is None else self._along(f"vector_{operation}", axis)
        if batch == 0:
            return self.dtype.empty(rest, device=self.device)
        made = _icicle.vector_reduce(operation, self.dtype.number, n, batch, columns, self.buffer, stream)
        return FieldArray(made, self.dtype, rest)

    def _along(self, operation: str, axis: int) -> tuple[int, int, bool, tuple[int, ...]]:
        """Elements and vectors along an axis, whether they are interleaved, and the other axes."""
        if not self.shape or axis not in (0, -1, self.ndim - 1):
            raise InvalidArgument(operation, f"axis {axis} of shape {self.shape}: must be the first or the last")
        last = axis != 0 or self.ndim == 1
        rest = self.shape[:-1] if last else self.shape[1:]
        return self.shape[-1 if last else 0], math.prod(rest), not last, rest

    def bit_reverse(self, *, axis: int = -1, stream: Stream | None = None) -> FieldArray:
        """The elements along the first or last axis, a power of two of them, in bit-reversed order.

        A copy of the same shape. Raises InvalidArgument for another axis or number of elements, OutOfMemory.
        """
        n, batch, columns, _ = self._along("bit_reverse", axis)
        if not batch:
            return self.copy()
        made = _icicle.bit_reverse(self.dtype.number, n, batch, columns, self.buffer, stream=stream)
        return FieldArray(made, self.dtype, self.shape)

    def slice(
        self, offset: int, stride: int, count: int, *, axis: int = -1, stream: Stream | None = None
    ) -> FieldArray:
        """A copy of `count` elements along the first or last axis, from an offset at a stride.

        Raises InvalidArgument for another axis or if an index is beyond it, TypeError for what is no integer,
        OutOfMemory.

        >>> import icicle
        >>> icicle.fields.m31.scalar.from_ints(list(range(10))).slice(1, 3, 3).to_ints()
        [1, 4, 7]
        """
        n, batch, columns, rest = self._along("slice", axis)
        offset, stride = arguments.count("slice", "offset", offset), arguments.count("slice", "stride", stride)
        count = arguments.count("slice", "count", count)
        shape = (count, *rest) if columns else (*rest, count)
        if not batch:
            return self.dtype.empty(shape, device=self.device)
        made = _icicle.vector_slice(self.dtype.number, n, batch, columns, self.buffer, offset, stride, count, stream)
        return FieldArray(made, self.dtype, shape)

    def highest_non_zero(self) -> Any:
        """The index of the last nonzero element along the last axis, -1 if there is none; nested lists for more axes.

        Waits for it. Raises InvalidArgument for an array of no axes, CopyFailed, SynchronizationFailed if earlier work
        failed.
        """
        n, batch, columns, rest = self._along("highest_non_zero_idx", -1)
        found: list[Any] = _icicle.highest_non_zero(self.dtype.number, n, batch, columns, self.buffer) if batch else []
        for axis in range(len(rest) - 1, 0, -1):
            width = rest[axis]
            found = [found[i * width : (i + 1) * width] for i in range(math.prod(rest[:axis]))]
        return found if rest else found[0]

    @property
    def T(self) -> FieldArray:
        """The transpose of the last two axes, a view. Products of two matrices take it as it is."""
        self._need_matrix()
        *batch, rows, cols = self.shape
        *far, down, along = self.strides
        return self._view(self.start, (*batch, cols, rows), (*far, along, down))

    def _need_matrix(self) -> None:
        if self.ndim < 2:
            raise InvalidArgument("matrix_transpose", f"shape {self.shape}: must have at least 2 axes")

    def transpose(self, *, stream: Stream | None = None) -> FieldArray:
        """The transpose of the last two axes, in order: a copy.

        Raises InvalidArgument for fewer than 2 axes, OutOfMemory.
        """
        self._need_matrix()
        *batch, rows, cols = self.shape
        shape = (*batch, cols, rows)
        if not self.size:
            return self.dtype.empty(shape, device=self.device)
        made = _icicle.matrix_transpose(self.dtype.number, rows, cols, math.prod(batch), self.buffer, stream)
        return FieldArray(made, self.dtype, shape)

    def contiguous(self) -> FieldArray:
        """The elements in order: itself if they lie so, else a copy on the same device. Raises OutOfMemory."""
        # The device's own transpose, where that is what it takes.
        return self.T.transpose() if not self.is_contiguous and self._is_transposed() else super().contiguous()

    def _is_transposed(self) -> bool:
        """Whether the transpose lies in order."""
        return self.ndim > 1 and self.T.is_contiguous

    def __matmul__(self, other: FieldArray | Values) -> FieldArray:
        """The product of two matrices; transposed ones (`a.T @ b`) are taken as they lie.

        Operands of shapes `(n, k)` and `(k, m)` make one of `(n, m)`, with `n·k·m` products. Raises InvalidArgument for
        other shapes, an axis of length 0, different fields or Montgomery form, InvalidPointer for operands on two
        devices, OutOfMemory.

        >>> import icicle
        >>> a = icicle.fields.goldilocks.scalar.from_ints([[1, 2], [3, 4]])
        >>> (a @ a).to_ints(), (a @ [[1], [1]]).to_ints()
        ([[7, 10], [15, 22]], [[3], [7]])
        """
        other = self._operand(other)
        if not isinstance(other, FieldArray):
            return NotImplemented
        self._need_canonical("matmul")
        if other.dtype is not self.dtype:
            raise InvalidArgument("matmul", f"operands of {self.dtype} and {other.dtype}: must be the same")
        if self.ndim != 2 or other.ndim != 2:
            raise InvalidArgument("matmul", f"shapes {self.shape} and {other.shape}: must have 2 axes each")
        left, right = (not x.is_contiguous and x._is_transposed() for x in (self, other))
        a, b = self.T if left else self, other.T if right else other
        (n, inner), (inner_b, m) = a.shape, b.shape
        made = _icicle.matrix_multiply(self.dtype.number, a.buffer, (n, inner), b.buffer, (inner_b, m), (left, right))
        return FieldArray(made, self.dtype, (self.shape[0], other.shape[1]))
