"""Types of elements: what an array's bytes mean, and how arrays are made."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Self, TypeVar

from . import _icicle
from .arguments import MOST, as_lists, flatten, need, nested, shape_of, shown
from .errors import InvalidArgument

if TYPE_CHECKING:
    from ._icicle import Device
    from .arguments import Shape, Values
    from .array import Array

    DeviceLike = Device | str | tuple[str, int]

A = TypeVar("A", bound="Array")


class DType(Generic[A]):
    """The type of an array's elements: a field, or the points of a curve in affine or projective form.

    Each type comes in two encodings, canonical and Montgomery (`x·R mod p`, `R = 2^(8·bytes of the prime field)`); they
    are different types, and `astype` converts.
    """

    name: str
    """Name in messages, such as `babybear_extension` or `bn254 affine`."""
    number: int
    """Number of the field or curve group in the C API."""
    itemsize: int
    """Bytes of an element."""
    limb_bytes: int
    """Bytes of a limb as other libraries see it: 4 or 8."""
    limb_shape: tuple[int, ...]
    """Trailing axes of the limbs: coordinates of points, coefficients of extensions, limbs of a coefficient; each left out
    where it is 1."""
    montgomery: bool
    """Whether elements are in Montgomery form."""
    is_curve: ClassVar[bool]
    array: ClassVar[type[Any]]

    _other: Self

    @property
    def canonical_type(self) -> Self:
        """The type of the same elements in canonical form."""
        return self._other if self.montgomery else self

    @property
    def montgomery_type(self) -> Self:
        """The type of the same elements in Montgomery form."""
        return self if self.montgomery else self._other

    def __str__(self) -> str:
        return self.name + (" in Montgomery form" if self.montgomery else "")

    def __repr__(self) -> str:
        return f"<icicle {self}>"

    def _pack(self, values: Iterable[Any]) -> bytes:
        """Elements' bytes."""
        raise NotImplementedError

    def _unpack(self, data: bytes) -> list[Any]:
        """Elements' values."""
        raise NotImplementedError

    def _is_element(self, value: Any) -> bool:
        """Whether a value is one element rather than an array or a sequence of them."""
        raise NotImplementedError

    def _plain(self, value: Any) -> Any:
        """Arrays, of this type or other libraries', as nested lists; anything else as it is."""
        if not isinstance(value, _icicle.Array):
            return as_lists("from_ints", value)
        if value.dtype.canonical_type is not self.canonical_type:
            raise InvalidArgument("from_ints", f"array of {value.dtype}: must be of {self.canonical_type}")
        return value.dtype.to_ints(value)

    def _check(self, array: A) -> None:
        """Raise InvalidArgument unless all elements are valid."""
        raise NotImplementedError

    def empty(
        self,
        shape: Shape,
        *,
        device: DeviceLike | None = None,
        memory: Literal["device", "pinned", "managed"] = "device",
    ) -> A:
        """An uninitialised array on a device, the current one if None.

        `memory` is the device's own, or one of which every element is 0: "pinned", of a CPU device (the first if None),
        page-locked where there are CUDA devices, so that `to()` and assignment copy at full speed; "managed", of a CUDA
        device, reached by the host too (`numpy.asarray(x)`). See `icicle.pinned_empty` and `icicle.managed_empty`.

        Raises TypeError for a shape that is no integers, InvalidArgument for negative lengths, more than 64 axes or
        another `memory`, InvalidDevice, OutOfMemory.
        """
        shape = shape_of("empty", shape)
        kinds = {"device": _icicle.Buffer, "pinned": _icicle.pinned_empty, "managed": _icicle.managed_empty}
        if memory not in kinds:
            raise InvalidArgument("empty", f"memory {memory!r}: must be device, pinned or managed")
        return self._wrap(kinds[memory](_bytes("empty", shape, self.itemsize), device), shape)

    def _wrap(self, buffer: _icicle.Buffer, shape: tuple[int, ...]) -> A:
        array: A = self.array(buffer, self, shape)
        return array

    def from_ints(self, values: Values, *, device: DeviceLike | None = None) -> A:
        """An array of one value, nested sequences of values, or an array of integers, on a device (the current one if None).

        Elements of a prime field are integers of any size and sign, reduced modulo p. Elements of an extension are tuples of
        as many integers as coefficients, or one integer. Points are tuples `(x, y)`, or None for the point at infinity.
        Arrays of this type, and integer arrays of NumPy and PyTorch, may stand for sequences. Raises TypeError for anything
        else, text, bytes and floating-point numbers among it; InvalidArgument for sequences of different lengths along an axis.

        >>> import icicle
        >>> icicle.fields.babybear.scalar.from_ints([1, -1, 2013265921]).to_ints()
        [1, 2013265920, 0]
        """
        shape, flat = flatten("from_ints", values, self._is_element, self._plain, f"a value of {self}")
        return self._wrap(_icicle.Buffer.from_bytes(self._pack(flat), device), tuple(shape))

    def to_ints(self, array: A) -> Any:
        """An array's values as nested lists; what `from_ints` takes. Raises InvalidArgument for an array of another type."""
        if need("to_ints", "array", array, _icicle.Array).dtype is not self:
            raise InvalidArgument("to_ints", f"array of {array.dtype}: must be of {self}")
        return nested(self._values(array), array.shape)

    def _values(self, array: A) -> list[Any]:
        """An array's values in order."""
        return self._unpack(array.buffer.tobytes())

    def from_bytes(self, data: Any, *, device: DeviceLike | None = None) -> A:
        """The elements that bytes encode, along one axis, on a device (the current one if None): what `Array.to_bytes` gives.

        Elements follow one another without gaps. A coefficient is little-endian, below the modulus, in as many bytes as the
        prime field's limbs; an element is its coefficients, constant first; a point is x and y, all zero for the point at
        infinity, whatever this type's form. `data` is any contiguous bytes-like object. Raises InvalidArgument for another
        number of bytes than a multiple of an element's, and naming the first element that is not below the modulus or point
        that is not on the curve. Membership of a subgroup is not checked.

        >>> import icicle
        >>> icicle.fields.babybear.scalar.from_bytes(b"\\1\\0\\0\\0\\2\\1\\0\\0").to_ints()
        [1, 258]
        """
        kind = self._encoded_type
        buffer = _icicle.Buffer.from_bytes(data, "cpu")
        if buffer.nbytes % kind.itemsize:
            rule = f"must be a multiple of {kind.itemsize}, an element of {kind}"
            raise InvalidArgument("from_bytes", f"{buffer.nbytes} bytes: {rule}")
        made = kind._wrap(buffer, (buffer.nbytes // kind.itemsize,))
        kind._check(made)
        return self._converted(made).to(_icicle.current_device() if device is None else device)

    @property
    def _encoded_type(self) -> Self:
        """The type whose memory is the encoding of `to_bytes`."""
        return self.canonical_type

    def _converted(self, array: A) -> A:
        """An array of the encoded type as one of this."""
        raise NotImplementedError

    def from_numpy(self, limbs: Any, *, device: DeviceLike | None = None, check: bool = True) -> A:
        """A copy of limbs, shape `shape + limb_shape`, on a device (the current one if None).

        `limbs` is a NumPy array, or anything with the buffer protocol, of unsigned integers of `limb_bytes` bytes. Raises
        InvalidArgument naming the first element that is not below the modulus, or point that is not on the curve, unless
        `check` is false: operations on such elements give unspecified values, and no error.
        """
        try:
            view = memoryview(limbs)
        except TypeError:
            rule = "must be a NumPy array, or have the buffer protocol; from_ints() takes integers"
            raise TypeError(f"from_numpy: limbs {shown(limbs)}: {rule}") from None
        shape = self._shape_of("from_numpy", view.shape or (), view.itemsize if view.format in _UNSIGNED else 0)
        data = view.cast("B") if view.nbytes and view.c_contiguous else view.tobytes()
        return self._checked(self._wrap(_icicle.Buffer.from_bytes(data, device), shape), check)

    def _checked(self, array: A, check: bool) -> A:
        if check:
            self._check(array)
        return array

    def from_dlpack(
        self, data: Any, *, device: DeviceLike | None = None, copy: bool | None = None, check: bool = False
    ) -> A:
        """An array that shares the memory of another library's limbs, shape `shape + limb_shape`.

        Data on the CPU becomes an array on `device`, a CPU device, the first if None; data on a GPU stays there, its
        pending work ordered before ours. `copy=True` copies; read-only data is copied unless `copy=False`, which raises.

        Shared memory may change at any time, so its elements are not checked unless `check` is true: then as by
        `from_numpy`, once. Operations on elements that are not below the modulus give unspecified values, and no error.
        Raises BufferError for data that cannot be shared: not unsigned, not in C order, misaligned, of another device.
        """
        if not hasattr(data, "__dlpack__") or not hasattr(data, "__dlpack_device__"):
            raise TypeError(f"from_dlpack: data {shown(data)}: must have __dlpack__ and __dlpack_device__")
        kind, _ = data.__dlpack_device__()
        stream = {"stream": 1} if kind == 2 else {}
        try:
            capsule = data.__dlpack__(max_version=(1, 1), **stream)
        except TypeError:  # from before versions
            capsule = data.__dlpack__(**stream)
        home = _icicle.Device("cpu" if device is None else device)
        buffer, limbs, limb_bytes, read_only = _icicle.from_dlpack(capsule, home)
        if kind == 2 and device is not None and buffer.device != home:
            raise InvalidArgument("from_dlpack", f"data on {buffer.device}: device is {home}; copy it with to()")
        shape = self._shape_of("from_dlpack", limbs, limb_bytes)
        if read_only and copy is False:
            raise BufferError("from_dlpack: data is read-only: it must be copied")
        return self._checked(self._wrap(buffer.copy() if copy or read_only else buffer, shape), check)

    def from_cuda_array(self, data: Any, *, check: bool = False) -> A:
        """An array that shares the memory of an object with `__cuda_array_interface__`, whose stream it waits for.

        As with `from_dlpack`, elements are checked only if `check` is true.

        Raises TypeError for data without the interface, BufferError for data with strides or a mask or that is
        read-only, InvalidArgument for limbs of another shape, InvalidPointer for an address that is no GPU's,
        InvalidDevice where there is none.
        """
        facts = getattr(data, "__cuda_array_interface__", None)
        if not isinstance(facts, dict) or not {"shape", "typestr", "data"} <= facts.keys():
            raise TypeError(f"from_cuda_array: data {shown(data)}: must have __cuda_array_interface__")
        if facts.get("strides") is not None or facts.get("mask") is not None:
            raise BufferError("from_cuda_array: strides or mask: data must be C-contiguous and unmasked")
        address, read_only = facts["data"]
        if read_only:
            raise BufferError("from_cuda_array: data is read-only: copy it first")
        unsigned = {"<u4": 4, "<u8": 8}.get(facts["typestr"], 0)
        shape = self._shape_of("from_cuda_array", shape_of("from_cuda_array", tuple(facts["shape"])), unsigned)
        device = _icicle.pointer_device(address)
        if facts.get("stream") not in (None, 1):
            device.synchronize()
        length = _bytes("from_cuda_array", shape, self.itemsize)
        return self._checked(self._wrap(_icicle.Buffer.from_address(address, length, device, data), shape), check)

    def _shape_of(self, operation: str, limbs: tuple[int, ...], limb_bytes: int) -> tuple[int, ...]:
        """The shape of elements whose limbs have a shape."""
        axes = len(limbs) - len(self.limb_shape)
        if limb_bytes != self.limb_bytes or axes < 0 or limbs[axes:] != self.limb_shape:
            wanted = ", ".join(["…", *map(str, self.limb_shape)])
            rule = f"must be unsigned, {self.limb_bytes} bytes each, of shape ({wanted})"
            raise InvalidArgument(operation, f"limbs of {limb_bytes or 'other'} bytes, shape {limbs}: {rule}")
        return limbs[:axes]


def _bytes(operation: str, shape: tuple[int, ...], itemsize: int) -> int:
    """Length of an array."""
    length = math.prod(shape) * itemsize
    if length > MOST:
        raise InvalidArgument(operation, f"shape {shape} of {itemsize} bytes each: exceeds the address space")
    return length


_UNSIGNED = ("I", "L", "Q", "<I", "<L", "<Q", "=I", "=L", "=Q")
