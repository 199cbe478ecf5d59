"""Number-theoretic transforms and their domains.

A transform needs the powers of a root of unity on its device, a domain. The first transform makes one, with the library's
root of unity; `init_domain` makes one ahead of time, or of another root.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from . import _icicle
from .arguments import count, integer, need, shown
from .array import Array
from .dtype import DType
from .errors import InvalidArgument

if TYPE_CHECKING:
    from ._icicle import Device, Stream
    from .dtype import DeviceLike
    from .field import Field
    from .field_array import FieldArray
    from .group import DeviceGroup
    from .point import PointArray

A = TypeVar("A", bound=Array)


class Options(TypedDict, total=False):
    """What `ntt` and `ecntt` take beside the array, but for `out`."""

    inverse: bool
    ordering: str
    coset: int | None
    axis: int
    stream: Stream | None


class NttOptions(Options, total=False):
    """What `ntt` takes beside the array."""

    out: FieldArray | None
    group: DeviceGroup | None


class EcnttOptions(Options, total=False):
    """What `ecntt` takes beside the points."""

    out: PointArray | None


_lock = threading.Lock()
_is_ours: dict[tuple[Device, int], bool] = {}
"""Whether a device's domain of a field, where there is one, has the library's root."""


def init_domain(field: Field, size: int, *, root: int | None = None, device: DeviceLike | None = None) -> None:
    """Make a domain for transforms of up to `size` elements ready on a device, the current one if None.

    `root` is a primitive root of unity of at least that order, the library's if None. Another root replaces the domain
    there is, which no other thread should be using then.
    Raises InvalidArgument if the field has no root of that order, Unsupported if it has no transforms.
    """
    device = _icicle.current_device() if device is None else _icicle.Device(device)
    scalar = _scalar_of("ntt_init_domain", field)
    if root is None:
        root_of_unity(scalar, size)
    else:
        root = integer("ntt_init_domain", "root", root)
        count("ntt_init_domain", "size", size)
    with _lock:
        if root is not None or not _is_ours.get((device, scalar.number), False):
            _replace(scalar, root, device)


def _replace(scalar: Field, root: int | None, device: Device) -> None:
    # The library's root has an order beyond every transform, so that its domain need not be replaced while others use
    # it; the tables grow as transforms need them.
    order = 1 << min(scalar.two_adicity, 63)
    data = (
        _icicle.root_of_unity(scalar.number, order) if root is None else (root % scalar.modulus).to_bytes(96, "little")
    )
    _icicle.release_domain(scalar.number, device)
    _is_ours.pop((device, scalar.number), None)
    _icicle.init_domain(scalar.number, data, device)
    _is_ours[device, scalar.number] = root is None


def release_domain(field: Field, *, device: DeviceLike | None = None) -> None:
    """Forget the field's domain on a device, the current one if None.

    Nothing happens where there is none; transforms under way keep theirs. Raises TypeError for what is no field,
    Unsupported if it has no transforms, InvalidDevice.
    """
    device = _icicle.current_device() if device is None else _icicle.Device(device)
    scalar = _scalar_of("ntt_release_domain", field)
    with _lock:
        _is_ours.pop((device, scalar.number), None)
        _icicle.release_domain(scalar.number, device)


def root_of_unity(field: Field, size: int) -> int:
    """A primitive root of unity of order `size`, rounded up to a power of two: the library's.

    Raises TypeError for what is no field, InvalidArgument if it has no root of that order, Unsupported if it has no
    transforms.
    """
    scalar = _scalar_of("get_root_of_unity", field)
    size = count("get_root_of_unity", "max_size", size)
    return int.from_bytes(_icicle.root_of_unity(scalar.number, size), "little")


def _scalar_of(operation: str, field: Any) -> Field:
    scalar = getattr(field, "scalar", None)
    if not isinstance(scalar, DType) or scalar.is_curve:
        raise TypeError(f"{operation}: field {shown(field)}: must be a Field, such as icicle.fields.bn254.scalar")
    made: Field = scalar  # type: ignore[assignment]
    return made


def make_ready(field: Field, n: int, device: Device) -> None:
    """Make the library's domain ready on a device, if it has none, for transforms of n elements. Raises InvalidDevice."""
    # What is no power of two, or exceeds the field, gets the transform's own error.
    scalar = field.scalar
    if n & (n - 1) or n.bit_length() > scalar.two_adicity + 1 or not field.has_ntt:
        return
    key = device, scalar.number
    if key not in _is_ours:
        with _lock:
            if key not in _is_ours:
                _replace(scalar, None, device)


def _transform(
    operation: str,
    field: Field,
    x: A,
    inverse: bool,
    ordering: str,
    coset: int | None,
    axis: int,
    out: A | None,
    stream: Stream | None,
    group: DeviceGroup | None = None,
) -> A:
    if not x.shape or axis not in (0, -1, x.ndim - 1):
        raise InvalidArgument(operation, f"axis {axis} of shape {x.shape}: must be the first or the last")
    if out is not None and (need(operation, "out", out, Array).dtype is not x.dtype or out.shape != x.shape):
        raise InvalidArgument(
            operation, f"out of {out.dtype}, shape {out.shape}: must be of {x.dtype}, shape {x.shape}"
        )
    columns = axis == 0 and x.ndim > 1
    n = x.shape[0 if columns else -1]
    batch = x.size // n if n else 1
    if n and not batch:
        return x.copy() if out is None else out
    for device in [x.device] if group is None else group.devices:
        make_ready(field, n, device)
    data = None if coset is None else (integer(operation, "coset", coset) % field.modulus).to_bytes(96, "little")
    memory = None if out is None else out.buffer
    of_points, number = x.dtype.is_curve, x.dtype.number
    over = None if group is None else group._native
    options = columns, x.buffer, inverse, ordering, data, memory, stream, over
    buffer = _icicle.transform(of_points, number, n, batch, *options)
    return x._like(buffer, x.shape) if out is None else out


def ntt(
    x: FieldArray,
    *,
    inverse: bool = False,
    ordering: str = "nn",
    coset: int | None = None,
    axis: int = -1,
    out: FieldArray | None = None,
    stream: Stream | None = None,
    group: DeviceGroup | None = None,
) -> FieldArray:
    """Transform along the first or last axis, each vector of the others: `X[k] = Σ x[j]·g^j·w^(jk)`.

    `w` is the domain's root of unity of order n, a power of two, and `g` the coset generator, 1 if None. The inverse
    undoes it. `ordering` names the orders of input and output: n natural, r bit-reversed, m any that the counterpart
    undoes. `out` may be `x`. Data in Montgomery form stays so. With `group` the work is divided among its devices, which
    each get a domain; batches are spread, one transform is done in four steps.

    Raises InvalidArgument for sizes that are no power of two or have no root, Unsupported for fields without transforms.

    Takes `n/2·log2(n)` products a vector; with `stream` the result is there once that is synchronized. Raises TypeError
    for what is no FieldArray; InvalidArgument also for an axis, ordering or coset that is none and an `out` of another
    type or shape; InvalidPointer for operands on two devices; OutOfMemory.

    >>> import icicle
    >>> x = icicle.fields.babybear.scalar.from_ints([[1, 2, 3, 4], [5, 6, 7, 8]])
    >>> y = icicle.fields.babybear.ntt(x)
    >>> y.slice(0, 1, 1).to_ints(), icicle.fields.babybear.ntt(y, inverse=True) == x
    ([[10], [26]], True)
    """
    if not isinstance(x, Array) or x.dtype.is_curve:
        rule = "must be a FieldArray: from_ints() makes one, and ecntt() transforms points"
        raise TypeError(f"ntt: x {shown(x)}: {rule}")
    return _transform("ntt", x.dtype, x, inverse, ordering, coset, axis, out, stream, group)


def ecntt(
    points: PointArray,
    *,
    inverse: bool = False,
    ordering: str = "nn",
    coset: int | None = None,
    axis: int = -1,
    out: PointArray | None = None,
    stream: Stream | None = None,
) -> PointArray:
    """As `ntt`, of projective points over the domain of the curve's scalar field.

    Takes `n/2·log2(n)` scalar multiplications a vector; results are normalised. Raises TypeError for what is no
    PointArray, InvalidArgument for affine points or Montgomery form, Unsupported for curves without such transforms,
    and as `ntt`.
    """
    if not isinstance(points, Array) or not points.dtype.is_curve:
        raise TypeError(f"ecntt: points {shown(points)}: must be a PointArray")
    dtype = points.dtype
    if not dtype.projective or dtype.montgomery:
        raise InvalidArgument("ecntt", f"points of {dtype}: must be projective and canonical")
    field = dtype.curve.scalar
    return _transform("ecntt", field, points, inverse, ordering, coset, axis, out, stream)
