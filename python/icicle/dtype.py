"""Types of elements: what an array's bytes mean, and how arrays are made."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Self, TypeVar

from . import _icicle
from .errors import InvalidArgument

if TYPE_CHECKING:
    from ._icicle import Device
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
        """Whether a value is one element rather than a sequence of them."""
        raise NotImplementedError

    def _check(self, buffer: _icicle.Buffer, n: int) -> None:
        """Raise InvalidArgument unless all elements are valid."""
        raise NotImplementedError

    def empty(
        self,
        shape: int | tuple[int, ...],
        *,
        device: DeviceLike | None = None,
        memory: Literal["device", "pinned", "managed"] = "device",
    ) -> A:
        """An uninitialised array on a device, the current one if None.

        `memory` is the device's own, or one of which every element is 0: "pinned", of a CPU device (the first if None),
        page-locked where there are CUDA devices, so that `to()` and assignment copy at full speed; "managed", of a CUDA
        device, reached by the host too (`numpy.asarray(x)`). See `icicle.pinned_empty` and `icicle.managed_empty`.
        """
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        kinds = {"device": _icicle.Buffer, "pinned": _icicle.pinned_empty, "managed": _icicle.managed_empty}
        if memory not in kinds:
            raise InvalidArgument("empty", f"memory {memory!r}: must be device, pinned or managed")
        return self._wrap(kinds[memory](math.prod(shape) * self.itemsize, device), shape)

    def _wrap(self, buffer: _icicle.Buffer, shape: tuple[int, ...]) -> A:
        array: A = self.array(buffer, self, shape)
        return array

    def from_ints(self, values: Any, *, device: DeviceLike | None = None) -> A:
        """An array of nested sequences of values, or of one, on a device (the current one if None).

        Elements of a prime field are integers, reduced modulo p. Elements of an extension are tuples of as many integers
        as coefficients, or one integer. Points are tuples `(x, y)`, or None for the point at infinity.

        >>> import icicle
        >>> icicle.fields.babybear.scalar.from_ints([1, -1, 2013265921]).to_ints()
        [1, 2013265920, 0]
        """
        shape: list[int] = []
        level = values
        while not self._is_element(level):
            if not isinstance(level, Sequence) or isinstance(level, str):
                raise TypeError(f"from_ints: {type(level).__name__}: must be a value of {self} or a sequence of them")
            shape.append(len(level))
            if not level:
                break
            level = level[0]
        flat = [values] if not shape else values
        for n in shape[1:]:
            if any(self._is_element(one) or len(one) != n for one in flat):
                raise InvalidArgument("from_ints", f"values: every sequence along an axis must have {n} elements")
            flat = [item for one in flat for item in one]
        return self._wrap(_icicle.Buffer.from_bytes(self._pack(flat), device), tuple(shape))

    def to_ints(self, array: A) -> Any:
        """An array's values as nested lists; what `from_ints` takes."""
        flat = self._unpack(array.buffer.tobytes())
        for n in array.shape[:0:-1]:
            flat = [flat[i : i + n] for i in range(0, len(flat), n)] if n else [[]] * math.prod(array.shape[:-1])
        return flat if array.shape else flat[0]

    def from_numpy(self, limbs: Any, *, device: DeviceLike | None = None, check: bool = True) -> A:
        """A copy of limbs, shape `shape + limb_shape`, on a device (the current one if None).

        `limbs` is a NumPy array, or anything with the buffer protocol, of unsigned integers of `limb_bytes` bytes. Raises
        InvalidArgument naming the first element that is not below the modulus, or point that is not on the curve, unless
        `check` is false.
        """
        view = memoryview(limbs)
        shape = self._shape_of("from_numpy", view.shape or (), view.itemsize if view.format in _UNSIGNED else 0)
        data = view.cast("B") if view.nbytes and view.c_contiguous else view.tobytes()
        made = self._wrap(_icicle.Buffer.from_bytes(data, device), shape)
        if check:
            self._check(made.buffer, made.size)
        return made

    def from_dlpack(self, data: Any, *, device: DeviceLike | None = None, copy: bool | None = None) -> A:
        """An array that shares the memory of another library's limbs, shape `shape + limb_shape`; never checked.

        Data on the CPU becomes an array on `device`, a CPU device, the first if None; data on a GPU stays there, its
        pending work ordered before ours. `copy=True` copies; read-only data is copied unless `copy=False`, which raises.
        """
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
        return self._wrap(buffer.copy() if copy or read_only else buffer, shape)

    def from_cuda_array(self, data: Any) -> A:
        """An array that shares the memory of an object with `__cuda_array_interface__`, whose stream it waits for."""
        facts = data.__cuda_array_interface__
        if facts.get("strides") is not None or facts.get("mask") is not None:
            raise BufferError("from_cuda_array: strides or mask: data must be C-contiguous and unmasked")
        address, read_only = facts["data"]
        if read_only:
            raise BufferError("from_cuda_array: data is read-only: copy it first")
        unsigned = {"<u4": 4, "<u8": 8}.get(facts["typestr"], 0)
        shape = self._shape_of("from_cuda_array", tuple(facts["shape"]), unsigned)
        device = _icicle.pointer_device(address)
        if facts.get("stream") not in (None, 1):
            device.synchronize()
        return self._wrap(_icicle.Buffer.from_address(address, math.prod(shape) * self.itemsize, device, data), shape)

    def _shape_of(self, operation: str, limbs: tuple[int, ...], limb_bytes: int) -> tuple[int, ...]:
        """The shape of elements whose limbs have a shape."""
        axes = len(limbs) - len(self.limb_shape)
        if limb_bytes != self.limb_bytes or axes < 0 or limbs[axes:] != self.limb_shape:
            rule = (
                f"must be unsigned, {self.limb_bytes} bytes each, of shape (…, {', '.join(map(str, self.limb_shape))})"
            )
            raise InvalidArgument(operation, f"limbs of {limb_bytes or 'other'} bytes, shape {limbs}: {rule}")
        return limbs[:axes]


_UNSIGNED = ("I", "L", "Q", "<I", "<L", "<Q", "=I", "=L", "=Q")
