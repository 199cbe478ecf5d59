"""What arrays of field elements and of points share: indexing, transfers, copies, pickling."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Self

from . import _icicle
from .errors import InvalidArgument

if TYPE_CHECKING:
    import numpy

    from ._icicle import Device
    from .dtype import DType


class Array(_icicle.Array):
    """Elements of one type on one device, in order or, as a view of another array, at strides.

    Indexing gives views, which share memory. Operations take any array; one whose elements do not lie in order
    (`is_contiguous`) is first copied, on its device, by each operation: `contiguous()` does it once. Outputs (`out=`, and the
    vectors of programs) must be in order.

    Other libraries see the limbs: unsigned integers of shape `shape + dtype.limb_shape`, without a copy. `np.asarray(x)`
    works on the CPU, `torch.from_dlpack(x)` and `cupy.from_dlpack(x)` on the device the array is on; nothing is ever
    transferred to another device unasked.
    """

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 1000.0

    def _like(self, buffer: _icicle.Buffer, shape: tuple[int, ...]) -> Self:
        return type(self)(buffer, self.dtype, shape)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        """Length in bytes."""
        itemsize: int = self.dtype.itemsize
        return self.size * itemsize

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("array of no axes has no length")
        return self.shape[0]

    def __getitem__(self, key: Any) -> Self:
        """A view: integers, slices of any step and at most one `...`, as in NumPy. Writing to it writes to the array.

        >>> import icicle
        >>> x = icicle.fields.babybear.scalar.from_ints([[1, 2, 3], [4, 5, 6]])
        >>> x[1].to_ints(), x[0, ::-1].to_ints(), x[:, 1].to_ints(), x[..., ::2].to_ints()
        ([4, 5, 6], [3, 2, 1], [2, 5], [[1, 3], [4, 6]])
        """
        keys = key if isinstance(key, tuple) else (key,)
        spread = [i for i, one in enumerate(keys) if one is Ellipsis]
        if len(spread) > 1:
            raise IndexError("index: more than one '...'")
        if len(keys) - len(spread) > self.ndim:
            raise IndexError(f"index: {len(keys) - len(spread)} indices: the array has {self.ndim} axes")
        if spread:
            rest = [slice(None)] * (self.ndim - len(keys) + 1)
            keys = (*keys[: spread[0]], *rest, *keys[spread[0] + 1 :])
        start, before = self.start, self.strides
        shape, strides = [], []
        for one, n, stride in zip(keys, self.shape, before):
            if isinstance(one, slice):
                begin, end, step = one.indices(n)
                shape.append(len(range(begin, end, step)))
                strides.append(step * stride)
                start += begin * stride if shape[-1] else 0
            else:
                index = one.__index__()
                if not -n <= index < n:
                    raise IndexError(f"index: {index}: the axis has {n} elements")
                start += index % n * stride
        return self._view(start, (*shape, *self.shape[len(keys) :]), (*strides, *before[len(keys) :]))

    def _view(self, start: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Self:
        """Other elements of the memory: without strides where they lie in order."""
        size, ordered = math.prod(shape), 1
        for n, stride in zip(reversed(shape), reversed(strides)):
            if n != 1 and stride != ordered and size:
                return type(self)(self.memory, self.dtype, shape, start, list(strides))
            ordered *= n
        width = self.dtype.itemsize
        return self._like(self.memory[start * width : (start + size) * width], shape)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Copy elements of the same shape in: an array on the same device, or what `dtype.from_ints` takes."""
        view = self[key]
        if not isinstance(value, Array):
            value = self.dtype.from_ints(value, device=self.device)
        if value.device != self.device:
            raise InvalidArgument(
                "assign", f"value on {value.device}: the array is on {self.device}; copy it with to()"
            )
        if value.dtype is not self.dtype or value.shape != view.shape:
            raise InvalidArgument("assign", f"value {_what(value)}: must be {_what(view)}")
        if view.is_contiguous:
            view.buffer.copy_from(value.buffer)
        else:
            # A copy, also of elements in order: they may be the view's own.
            view._scatter(value._gather())

    def contiguous(self) -> Self:
        """The elements in order: itself if they lie so, else a copy on the same device."""
        return self if self.is_contiguous else self._like(self._gather(), self.shape)

    def reshape(self, *shape: int) -> Self:
        """The same elements, in order, as another shape; one axis may be -1. A view, but of elements at strides a copy."""
        if shape.count(-1) == 1:
            rest = math.prod(n for n in shape if n != -1)
            shape = tuple(self.size // rest if n == -1 and rest else n for n in shape)
        if any(n < 0 for n in shape) or math.prod(shape) != self.size:
            raise InvalidArgument("reshape", f"shape {shape}: must hold {self.size} elements")
        return self._like(self.contiguous().buffer, shape)

    def to(self, device: Device | str | tuple[str, int]) -> Self:
        """The array on a device: itself if it is there, else a copy."""
        device = _icicle.Device(device)
        return self if device == self.device else self._like(self.buffer.copy(device), self.shape)

    def copy(self) -> Self:
        """A copy on the same device."""
        return self._like(self._gather(), self.shape)

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the host, onto the current device of whoever loads it.
        return _restore, (type(self), self.dtype, self.shape, self.buffer.tobytes())

    def numpy(self) -> numpy.ndarray[Any, Any]:
        """The limbs as a NumPy array that shares the memory. Raises TypeError on other devices than CPUs."""
        import numpy

        return numpy.asarray(self)

    def tobytes(self) -> bytes:
        """The limbs' bytes, little endian, copied to the host. Raises BufferError in Montgomery form."""
        if self.dtype.montgomery:
            raise BufferError(f"array of {self.dtype}: data in Montgomery form is not shared, convert it with astype()")
        return self.buffer.tobytes()

    def __repr__(self) -> str:
        if self.size > 6 or self.ndim > 1:
            body = f"shape {self.shape}"
        else:
            body = repr(self.dtype.to_ints(self))
        return f"<{type(self).__name__} {body}, {self.dtype}, {self.device}>"


def _what(x: Array) -> str:
    return f"of {x.dtype}, shape {x.shape}"


def _restore(kind: type[Array], dtype: DType[Any], shape: tuple[int, ...], data: bytes) -> Array:
    return kind(_icicle.Buffer.from_bytes(data), dtype, shape)
