"""What arrays of field elements and of points share: indexing, transfers, copies, pickling."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self

from . import _icicle
from .arguments import is_sequence, shape_of
from .errors import InvalidArgument
from .indexing import Chosen, select

if TYPE_CHECKING:
    import numpy

    from .arguments import Shape
    from .dtype import DeviceLike, DType


class Array(_icicle.Array):
    """Elements of one type on one device, in order or, as a view of another array, at strides.

    Indexing by integers and slices gives views, which share memory; by lists and masks, copies. Operations take any array; one whose elements do not lie in order
    (`is_contiguous`) is first copied, on its device, by each operation: `contiguous()` does it once. Outputs (`out=`, and the
    vectors of programs) must be in order.

    Other libraries see the limbs: unsigned integers of shape `shape + dtype.limb_shape`, without a copy. `np.asarray(x)`
    works on the CPU, `torch.from_dlpack(x)` and `cupy.from_dlpack(x)` on the device the array is on; nothing is ever
    transferred to another device unasked. NumPy's functions (`numpy.add`) refuse arrays: they would compute with limbs.

    `x == y` compares whole arrays and is one bool, so that `assert x == y` says what it seems to: whether shapes and all
    values are equal. Anything that `dtype.from_ints` makes an array of may stand on either side (`x == [1, 2]`, `x[0] == 1`);
    what it refuses, and None, is unequal. One value beside an array with axes raises InvalidArgument: NumPy would compare each element,
    and False for the whole would mislead. `value in x` says whether an element has that value. The truth of one element is
    whether it is not zero (the point at infinity); that of any other number of elements raises InvalidArgument.
    """

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None

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

    def __iter__(self) -> Iterator[Self]:
        if not self.shape:
            raise TypeError("array of no axes cannot be iterated over")
        return (self[i] for i in range(self.shape[0]))

    def __bool__(self) -> bool:
        if self.size != 1:
            rule = "must be one; compare whole arrays with ==, or look for a value with 'in'"
            raise InvalidArgument("bool", f"truth value of an array of {self.size} elements: {rule}")
        return any(self.to_bytes())

    def __int__(self) -> int:
        # Without these, Python would read the memory as text.
        raise TypeError(f"array {_what(self)}: is no integer; to_ints() gives its values")

    def __float__(self) -> float:
        raise TypeError(f"array {_what(self)}: is no floating-point number; to_ints() gives its values")

    def __contains__(self, value: Any) -> bool:
        kind = self.dtype._encoded_type
        one = value if isinstance(value, Array) else kind.from_ints(value, device="cpu")
        if one.shape or one.dtype._encoded_type is not kind:
            raise InvalidArgument("contains", f"value {_what(one)}: must be one element of {self.dtype}")
        wanted, data = one.to_bytes(), self.to_bytes()
        at = data.find(wanted)
        while at > 0 and at % len(wanted):
            at = data.find(wanted, at + len(wanted) - at % len(wanted))
        return at >= 0

    def _as_other_side(self, other: Any) -> Any:
        """What `==` compares the array with: an array, or None for what is unequal."""
        if isinstance(other, Array) or other is None:
            return other
        try:
            made = self.dtype.from_ints(other, device=self.device)
        except (TypeError, ValueError):
            return None
        if not made.shape and self.shape:
            rule = "== compares whole arrays; compare with an array of that shape, or look for a value with 'in'"
            raise InvalidArgument("equal", f"shape {self.shape} and one value: {rule}")
        return made

    def __getitem__(self, key: Any) -> Self:
        """Elements as in NumPy: a view by integers, slices of any step, `...` and None; a copy by a list or a mask.

        A list (or array) of integers chooses elements along an axis; a mask, a list or array of truth values with the
        lengths of the axes that it stands for, those where it is true. One of them may stand beside slices, not beside
        integers. Writing to a view writes to the array. Raises IndexError.

        >>> import icicle
        >>> x = icicle.fields.babybear.scalar.from_ints([[1, 2, 3], [4, 5, 6]])
        >>> x[1].to_ints(), x[0, ::-1].to_ints(), x[:, 1].to_ints(), x[..., ::2].to_ints()
        ([4, 5, 6], [3, 2, 1], [2, 5], [[1, 3], [4, 6]])
        >>> x[:, [0, 2]].to_ints(), x[[True, False]].to_ints()
        ([[1, 3], [4, 6]], [[1, 2, 3]])
        """
        view, chosen = self._select(key)
        if chosen is None:
            return view
        made = view.contiguous()._take(chosen.numbers, *chosen.lengths(view.shape))
        return self._like(made, chosen.replaces(view.shape))

    def _select(self, key: Any) -> tuple[Self, Chosen | None]:
        found = select(key, self.start, self.shape, self.strides)
        return self._view(found.start, found.shape, found.strides), found.chosen

    def _view(self, start: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Self:
        """Other elements of the memory: without strides where they lie in order."""
        size, ordered = math.prod(shape), 1
        for n, stride in zip(reversed(shape), reversed(strides)):
            if n != 1 and stride != ordered and size:
                return type(self)(self.memory, self.dtype, shape, start, list(strides))
            ordered *= n
        width = self.dtype.itemsize
        return self._like(self.memory[start * width : (start + size) * width], shape)

    def _spread(self, operation: str, shape: tuple[int, ...]) -> Self:
        """The elements repeated along axes of length 1 and new ones before, by NumPy's rules: a view."""
        if self.shape == shape:
            return self
        new = len(shape) - self.ndim
        if new < 0 or any(n not in (1, m) for n, m in zip(self.shape, shape[new:])):
            raise InvalidArgument(operation, f"value {_what(self)}: must be of shape {shape}, or spread to it")
        steps = (0 if n == 1 else step for n, step in zip(self.shape, self.strides))
        return self._view(self.start, shape, (*[0] * new, *steps))

    def __setitem__(self, key: Any, value: Any) -> None:
        """Copy elements in: an array on the same device, or what `dtype.from_ints` takes, spread by NumPy's rules."""
        view, chosen = self._select(key)
        if not isinstance(value, Array):
            value = self.dtype.from_ints(value, device=self.device)
        if value.device != self.device:
            raise InvalidArgument(
                "assign", f"value on {value.device}: the array is on {self.device}; copy it with to()"
            )
        if value.dtype is not self.dtype:
            raise InvalidArgument("assign", f"value {_what(value)}: must be {_what(view)}")
        if chosen is None:
            view._assign(value._spread("assign", view.shape))
            return
        value = value._spread("assign", chosen.replaces(view.shape))
        # Elements at strides are changed in a copy, which is then copied back.
        whole = view.contiguous()
        whole._put(chosen.numbers, *chosen.lengths(view.shape), value._gather())
        if whole is not view:
            view._assign(whole)

    def _assign(self, value: Self) -> None:
        if self.is_contiguous:
            self.buffer.copy_from(value.buffer)
        else:
            # A copy, also of elements in order: they may be the view's own.
            self._scatter(value._gather())

    def contiguous(self) -> Self:
        """The elements in order: itself if they lie so, else a copy on the same device. Raises OutOfMemory."""
        return self if self.is_contiguous else self._like(self._gather(), self.shape)

    def reshape(self, *shape: Shape) -> Self:
        """The same elements, in order, as another shape; one axis may be -1. A view, but of elements at strides a copy.

        `x.reshape(2, 3)` and `x.reshape((2, 3))` are the same.

        Raises InvalidArgument for a shape of another number of elements or with two unknown axes, TypeError for axes
        that are no integers, OutOfMemory.
        """
        axes: Any = shape[0] if len(shape) == 1 and is_sequence(shape[0]) else shape
        unknown = [i for i, n in enumerate(axes) if isinstance(n, int) and n == -1]
        made = list(shape_of("reshape", [1 if i in unknown else n for i, n in enumerate(axes)]))
        rest = math.prod(made)
        if len(unknown) == 1 and rest:
            made[unknown[0]] = self.size // rest
        if len(unknown) > 1 or math.prod(made) != self.size or (unknown and not rest):
            raise InvalidArgument("reshape", f"shape {tuple(axes)}: must hold {self.size} elements")
        return self._like(self.contiguous().buffer, tuple(made))

    def to(self, device: DeviceLike) -> Self:
        """The array on a device: itself if it is there, else a copy.

        Raises InvalidDevice if there is none, OutOfMemory, CopyFailed.
        """
        device = _icicle.Device(device)
        return self if device == self.device else self._like(self.buffer.copy(device), self.shape)

    def copy(self) -> Self:
        """A copy on the same device. Raises OutOfMemory."""
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

    def to_ints(self) -> Any:
        """The values, in nested lists; copied to the host. See `dtype.from_ints`, which takes them.

        Raises CopyFailed, or SynchronizationFailed if the work that makes the values failed.
        """
        return self.dtype.to_ints(self)

    def tolist(self) -> Any:
        """As `to_ints`, under NumPy's name. Raises as `to_ints`."""
        return self.to_ints()

    def to_bytes(self) -> bytes:
        """The elements' encodings one after another, copied to the host; `dtype.from_bytes` reads it and says what it is.

        Of equal elements the same, in Montgomery form and for points of any form too.

        Raises CopyFailed, or SynchronizationFailed if the work that makes the values failed.
        """
        kind = self.dtype._encoded_type
        data: bytes = kind._converted(self.to("cpu")).buffer.tobytes()
        return data

    def tobytes(self) -> bytes:
        """The limbs' bytes as they lie, little-endian, copied to the host. Raises BufferError in Montgomery form."""
        if self.dtype.montgomery:
            raise BufferError(f"array of {self.dtype}: data in Montgomery form is not shared, convert it with astype()")
        return self.buffer.tobytes()

    def __repr__(self) -> str:
        if self.size > 6 or self.ndim > 1:
            body = f"shape {self.shape}"
        else:
            body = repr(self.to_ints())
        return f"<{type(self).__name__} {body}, {self.dtype}, {self.device}>"


def _what(x: Array) -> str:
    return f"of {x.dtype}, shape {x.shape}"


def _restore(kind: type[Array], dtype: DType[Any], shape: tuple[int, ...], data: bytes) -> Array:
    return kind(_icicle.Buffer.from_bytes(data), dtype, shape)
