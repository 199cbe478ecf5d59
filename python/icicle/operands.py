"""What collectives send and receive: where its elements lie, of which type, and arrays of the same kind."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _icicle
from .array import Array
from .errors import InvalidArgument

if TYPE_CHECKING:
    from ._icicle import Device


@dataclass(frozen=True, slots=True)
class Operand:
    """An array of some kind."""

    object: Any
    """What the caller has."""
    memory: Any
    """What the native half takes: a buffer, an array of numbers, or an object with the buffer protocol."""
    type: tuple[str, int]
    """Class and number of its elements' type."""
    shape: tuple[int, ...]
    what: str
    """Its type in messages."""
    factor: int = 1
    """Elements of the type in each of the array's."""
    refuses_reductions: str = ""
    """Why it has no reduction, if so."""

    @property
    def elements(self) -> int:
        """How many elements of the type there are."""
        return math.prod(self.shape) * self.factor

    def empty(self, operation: str, shape: tuple[int, ...], device: Device) -> Any:
        """A new array of the kind, for all of it to be written: on the device where kinds have devices."""
        x = self.object
        if isinstance(x, Array):
            return x.dtype.empty(shape, device=device)
        if isinstance(x, _icicle.NumberArray):
            return _icicle.number_full(list(shape), 0, x.dtype, device)
        if isinstance(x, _icicle.Buffer):
            return _icicle.Buffer(shape[0], device)
        if hasattr(x, "dtype"):
            import numpy

            return numpy.empty(shape, x.dtype)
        raise TypeError(f"{operation}: out None: must be given beside an operand of type {type(x).__name__}")


def operand(operation: str, x: Any, *, writes: bool = False) -> Operand:
    """An array as an operand; raises TypeError, BufferError or InvalidArgument for what is none, or cannot be written."""
    if isinstance(x, Array):
        return _elements(operation, x, writes)
    if isinstance(x, _icicle.NumberArray):
        return Operand(x, x, ("numbers", _NUMBERS.index(x.dtype)), x.shape, str(x.dtype))
    if isinstance(x, _icicle.Buffer):
        return Operand(x, x, ("numbers", _BYTES), (x.nbytes,), "bytes")
    # Memory without axes has no shape to speak of; a scalar's is a copy.
    memory = x.reshape(1) if _is_single(x) else x
    dtype, shape, writable = _icicle.comm_memory(operation, memory)
    if writes and not (writable and getattr(getattr(x, "flags", None), "writeable", True)):
        raise InvalidArgument(operation, f"out of type {type(x).__name__}: must be memory that may be written")
    return Operand(x, memory, ("numbers", _NUMBERS.index(dtype)), () if memory is not x else tuple(shape), str(dtype))


def _is_single(x: Any) -> bool:
    """Whether a value is one of NumPy's, without axes."""
    return getattr(x, "shape", None) == () and hasattr(x, "reshape")


_NUMBERS = _icicle.number_types()
_BYTES = _NUMBERS.index(_icicle.number_type("uint8"))


def _elements(operation: str, x: Array, writes: bool) -> Operand:
    """Field elements, or points: projective ones themselves, affine ones by their coordinates, which have no reduction."""
    if not x.is_contiguous:
        if writes:
            raise InvalidArgument(operation, "out at strides: its elements must lie in order")
        x = x.contiguous()
    type, factor, refusal = elements_of(x.dtype)
    return Operand(x, x.buffer, type, tuple(x.shape), str(x.dtype), factor, refusal)


def elements_of(dtype: Any) -> tuple[tuple[str, int], int, str]:
    """Class and number of the type that a field's or a curve's elements are moved as, how many each is, and why it has no reduction."""
    refusal = f"x of {dtype}: must be canonical; convert it with astype()" if dtype.montgomery else ""
    if not dtype.is_curve:
        return ("elements", dtype.number), 1, refusal
    curve = dtype.curve
    if dtype.projective and not dtype.montgomery:
        return ("points", curve.number), 1, ""
    refusal = f"x of {dtype}: must be {curve.projective}; convert it with astype()"
    return ("elements", curve.base.number), 3 if dtype.projective else 2, refusal
