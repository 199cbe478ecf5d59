"""Arrays of field elements."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from . import _icicle
from .array import Array
from .errors import InvalidArgument

if TYPE_CHECKING:
    from ._icicle import Buffer, Stream
    from .field import Field


class FieldArray(Array):
    """An array of elements of one field on one device.

    `+ - * / **` work element by element, with an array of the same shape, an integer, an array of no axes, or an array
    whose last axis is 1 and whose other axes are the same. `/` gives zero where the divisor has no inverse. Operands lie
    on one device, where the result lies too; anything else raises and names both. `==` says whether shapes and all
    values are equal.

    >>> import icicle
    >>> x = icicle.fields.bn254.scalar.from_ints([1, 2, 3])
    >>> ((x + x) * 3 / x).to_ints()
    [6, 6, 6]
    >>> (x**2).sum().to_ints(), x == x + 0
    (14, True)
    """

    __slots__ = ()

    if TYPE_CHECKING:

        @property
        def dtype(self) -> Field: ...

    def to_ints(self) -> Any:
        """The values, in nested lists: integers, or tuples of coefficients; copied to the host."""
        return self.dtype.to_ints(self)

    def astype(self, dtype: Field, *, stream: Stream | None = None) -> FieldArray:
        """The values in another encoding of the field: itself if it is that, else a copy."""
        if dtype is self.dtype:
            return self
        if dtype._other is not self.dtype:
            raise InvalidArgument("astype", f"type {dtype}: must be an encoding of {self.dtype.name}")
        out = _icicle.convert_montgomery(dtype.number, self.size, self.buffer, dtype.montgomery, stream=stream)
        return FieldArray(out, dtype, self.shape)

    def _need_canonical(self, operation: str) -> None:
        if self.dtype.montgomery:
            raise InvalidArgument(operation, f"operand of {self.dtype}: must be canonical, convert it with astype()")

    def _binary(self, operation: str, other: Any, out: Buffer | None = None) -> Any:
        """self ∘ other, to the output if there is one."""
        dtype = self.dtype
        if dtype.montgomery and operation in ("mul", "div"):
            self._need_canonical(f"vector_{operation}")
        if isinstance(other, FieldArray):
            if other.dtype is dtype.scalar and dtype.is_extension and other.shape == self.shape:
                if operation == "div":
                    operation, other = "mul", other.inv()
                if operation == "mul":
                    made = _icicle.vector_mixed_mul(dtype.number, self.size, 1, False, self.buffer, other.buffer, out)
                    return FieldArray(made, dtype, self.shape)
            if other.dtype is not dtype:
                raise InvalidArgument(f"vector_{operation}", f"operands of {dtype} and {other.dtype}: must be the same")
            if other.shape == self.shape:
                made = _icicle.vector_binary(
                    operation, dtype.number, self.size, 1, False, self.buffer, other.buffer, out
                )
                return FieldArray(made, dtype, self.shape)
            if (
                out is None
                and _batches(self.shape, other.shape) is None
                and _batches(other.shape, self.shape) is not None
            ):
                return other._reflected(operation, self)
        elif not dtype._is_element(other):
            return NotImplemented
        # The library's scalar comes first: x - s is -s + x, and x / s is 1/s · x.
        if operation == "sub":
            return self._scalar("add", -other if isinstance(other, FieldArray) else _negated(other), out)
        if operation == "div":
            divisor = other if isinstance(other, FieldArray) else dtype.from_ints(other, device=self.device)
            return self._scalar("mul", divisor.inv(), out)
        return self._scalar(operation, other, out)

    def _reflected(self, operation: str, other: Any) -> Any:
        """other ∘ self, where other is what is spread."""
        if operation in ("mul", "div"):
            self._need_canonical(f"vector_{operation}")
        if not isinstance(other, FieldArray) and not self.dtype._is_element(other):
            return NotImplemented
        return self.inv()._scalar("mul", other) if operation == "div" else self._scalar(operation, other)

    def _scalar(self, operation: str, scalars: Any, out: Buffer | None = None) -> FieldArray:
        """scalars ∘ self: one scalar, or one for each vector along the last axis."""
        operand: bytes | Buffer
        if isinstance(scalars, FieldArray):
            batch = _batches(self.shape, scalars.shape)
            if batch is None:
                rule = "must be equal, or the last axis of one of them 1 and the others equal, or none"
                raise InvalidArgument(f"vector_{operation}", f"shapes {self.shape} and {scalars.shape}: {rule}")
            operand = scalars.buffer
        else:
            batch, operand = 1, self.dtype._pack([scalars])
        if not batch:
            return self.copy()
        n = self.size // batch
        made = _icicle.vector_scalar(operation, self.dtype.number, n, batch, False, operand, self.buffer, out)
        return FieldArray(made, self.dtype, self.shape)

    # What small arrays cost: arrays of one type and shape go straight to the native half.
    def __add__(self, other: Any) -> Any:
        made = self._pairwise("add", other, False)
        return self._binary("add", other) if made is None else made

    def __sub__(self, other: Any) -> Any:
        made = self._pairwise("sub", other, False)
        return self._binary("sub", other) if made is None else made

    def __mul__(self, other: Any) -> Any:
        made = self._pairwise("mul", other, False)
        return self._binary("mul", other) if made is None else made

    def __truediv__(self, other: Any) -> Any:
        made = self._pairwise("div", other, False)
        return self._binary("div", other) if made is None else made

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: Any) -> Any:
        return self._reflected("sub", other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._reflected("div", other)

    def _in_place(self, operation: str, other: Any) -> Any:
        made = self._pairwise(operation, other, True)
        if made is not None:
            return made
        if self.is_contiguous:
            made = self._binary(operation, other, self.buffer)
        else:
            made = self._binary(operation, other)
            if made is not NotImplemented:
                self[...] = made
        return NotImplemented if made is NotImplemented else self

    def __iadd__(self, other: Any) -> Any:
        return self._in_place("add", other)

    def __isub__(self, other: Any) -> Any:
        return self._in_place("sub", other)

    def __imul__(self, other: Any) -> Any:
        return self._in_place("mul", other)

    def __itruediv__(self, other: Any) -> Any:
        return self._in_place("div", other)

    def __neg__(self) -> FieldArray:
        return self._scalar("sub", 0)

    def __pow__(self, exponent: int) -> FieldArray:
        """Each element to an integer power; negative ones of the inverse, `0**0` is 1."""
        self._need_canonical("pow")
        if exponent < 0:
            return self.inv() ** -exponent
        out = self.copy() if exponent else self.dtype.ones(self.shape, device=self.device)
        for bit in bin(exponent)[3:]:
            out *= out
            if bit == "1":
                out *= self
        return out

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, FieldArray):
            return NotImplemented
        if other.dtype is not self.dtype or other.shape != self.shape:
            return False
        return (self - other).reshape(-1).highest_non_zero() == -1

    def inv(self, *, stream: Stream | None = None) -> FieldArray:
        """The inverse of each element, zero where there is none."""
        self._need_canonical("vector_inv")
        made = _icicle.vector_inverse(self.dtype.number, self.size, self.buffer, stream=stream)
        return FieldArray(made, self.dtype, self.shape)

    def sum(self, axis: int | None = None, *, stream: Stream | None = None) -> FieldArray:
        """The sum of all elements, or along the first or the last axis.

        >>> import icicle
        >>> x = icicle.fields.babybear.scalar.from_ints([[1, 2, 3], [4, 5, 6]])
        >>> x.sum().to_ints(), x.sum(axis=0).to_ints(), x.sum(axis=1).to_ints()
        (21, [5, 7, 9], [6, 15])
        """
        return self._reduce("sum", axis, stream)

    def prod(self, axis: int | None = None, *, stream: Stream | None = None) -> FieldArray:
        """The product of all elements, or along the first or the last axis."""
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
        """The elements along the first or last axis, a power of two of them, in bit-reversed order."""
        n, batch, columns, _ = self._along("bit_reverse", axis)
        if not batch:
            return self.copy()
        made = _icicle.bit_reverse(self.dtype.number, n, batch, columns, self.buffer, stream=stream)
        return FieldArray(made, self.dtype, self.shape)

    def slice(
        self, offset: int, stride: int, count: int, *, axis: int = -1, stream: Stream | None = None
    ) -> FieldArray:
        """A copy of `count` elements along the first or last axis, from an offset at a stride.

        >>> import icicle
        >>> icicle.fields.m31.scalar.from_ints(list(range(10))).slice(1, 3, 3).to_ints()
        [1, 4, 7]
        """
        n, batch, columns, rest = self._along("slice", axis)
        shape = (count, *rest) if columns else (*rest, count)
        if not batch:
            return self.dtype.empty(shape, device=self.device)
        made = _icicle.vector_slice(self.dtype.number, n, batch, columns, self.buffer, offset, stride, count, stream)
        return FieldArray(made, self.dtype, shape)

    def highest_non_zero(self) -> Any:
        """The index of the last nonzero element along the last axis, -1 if there is none; nested lists for more axes."""
        n, batch, columns, rest = self._along("highest_non_zero_idx", -1)
        found: list[Any] = _icicle.highest_non_zero(self.dtype.number, n, batch, columns, self.buffer) if batch else []
        for width in rest[:0:-1]:
            found = [found[i : i + width] for i in range(0, len(found), width)] if width else []
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
        """The transpose of the last two axes, in order: a copy."""
        self._need_matrix()
        *batch, rows, cols = self.shape
        shape = (*batch, cols, rows)
        if not self.size:
            return self.dtype.empty(shape, device=self.device)
        made = _icicle.matrix_transpose(self.dtype.number, rows, cols, math.prod(batch), self.buffer, stream)
        return FieldArray(made, self.dtype, shape)

    def contiguous(self) -> FieldArray:
        """The elements in order: itself if they lie so, else a copy on the same device."""
        # The device's own transpose, where that is what it takes.
        return self.T.transpose() if not self.is_contiguous and self._is_transposed() else super().contiguous()

    def _is_transposed(self) -> bool:
        """Whether the transpose lies in order."""
        return self.ndim > 1 and self.T.is_contiguous

    def __matmul__(self, other: Any) -> Any:
        """The product of two matrices; transposed ones (`a.T @ b`) are taken as they lie.

        >>> import icicle
        >>> a = icicle.fields.goldilocks.scalar.from_ints([[1, 2], [3, 4]])
        >>> (a @ a).to_ints()
        [[7, 10], [15, 22]]
        """
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


def _batches(shape: tuple[int, ...], scalars: tuple[int, ...]) -> int | None:
    """How many vectors along the last axis of a shape, one for each scalar; None if the shapes do not fit."""
    if not scalars:
        return 1
    fits = len(shape) == len(scalars) and scalars[-1] == 1 and scalars[:-1] == shape[:-1]
    return math.prod(shape[:-1]) if fits else None


def _negated(value: Any) -> Any:
    return tuple(-one for one in value) if isinstance(value, tuple) else -value
