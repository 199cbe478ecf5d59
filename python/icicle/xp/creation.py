"""Arrays from other objects, and from nothing but a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from icicle import _icicle
from icicle.errors import InvalidArgument

from .array import Array, DType, extents
from .dtypes import TYPES, astype, complex128, float64, int64
from .dtypes import bool as _bool

if TYPE_CHECKING:
    from icicle.dtype import DeviceLike

    from .array import Number, Shape


def asarray(
    obj: Any, /, *, dtype: DType | None = None, device: DeviceLike | None = None, copy: bool | None = None
) -> Array:
    """An array of another array, of what has the buffer protocol or DLPack, of numbers or nested lists of them.

    Without a dtype an array keeps its own; Python's numbers are bool, int64, float64 or complex128, by what occurs. Memory of
    other libraries is copied; arrays of icicle's share theirs unless `copy=True` (assigning to either copies first).

    Raises InvalidArgument with `copy=False` where a copy is needed and for data that is not aligned, ValueError for
    sequences of several lengths, TypeError for what is no number, OverflowError for integers that the dtype does not hold,
    BufferError for DLPack of another device, InvalidDevice.
    """
    if isinstance(obj, Array):
        made = obj if device is None else obj.to_device(device)
        made = made if dtype is None or dtype == made.dtype else astype(made, dtype)
        if made is obj or not _other(obj, dtype, device):
            return _icicle.number_copy(obj) if copy else obj
        return _refuse_copy(copy, made)
    if isinstance(obj, (bool, int, float, complex, list, tuple)) and type(obj).__module__ != "numpy":
        return _refuse_copy(copy, _icicle.number_from_nested(obj, dtype, device))
    try:
        made = _icicle.number_from_buffer(obj, device)
    except (TypeError, BufferError, ValueError) as error:
        own = TYPES.get(str(getattr(obj, "dtype", None)))
        if own is not None and getattr(obj, "shape", None) == () and hasattr(obj, "item"):
            # The buffer protocol's views of no axes have no shape to read.
            made = _icicle.number_from_nested(obj.item(), own, device)
        elif isinstance(error, InvalidArgument) or type(obj).__module__ == "numpy":
            raise
        elif hasattr(obj, "__dlpack__"):
            made = from_dlpack(obj, device=device)
        else:
            made = _icicle.number_from_nested(obj, dtype, device)
    _refuse_copy(copy, made)
    return made if dtype is None else astype(made, dtype, copy=False)


def _other(obj: Array, dtype: DType | None, device: DeviceLike | None) -> bool:
    there = device is None or _icicle.Device(device) == obj.device
    return not there or not (dtype is None or dtype == obj.dtype)


def _refuse_copy(copy: bool | None, made: Array) -> Array:
    if copy is False:
        raise InvalidArgument("asarray", "copy=False: this object cannot become an array without a copy")
    return made


def from_dlpack(x: Any, /, *, device: DeviceLike | None = None, copy: bool | None = None) -> Array:
    """A copy of another library's array on the CPU, by DLPack.

    Raises BufferError for `copy=False`, for data on another device and for elements that are no numbers, TypeError for an
    object without DLPack, InvalidDevice.
    """
    if not hasattr(x, "__dlpack__"):
        raise TypeError(f"from_dlpack: object of type {type(x).__name__}: has no __dlpack__")
    if isinstance(x, Array):
        made = x if device is None else x.to_device(device)
        return _icicle.number_copy(made) if copy else made
    if copy is False:
        raise BufferError("from_dlpack: copy=False: memory of other libraries is always copied")
    try:
        capsule = x.__dlpack__(max_version=(1, 1))
    except TypeError:
        capsule = x.__dlpack__()
    return _icicle.number_from_dlpack(capsule, device)


def _natural(value: Number) -> DType:
    kinds = {bool: _bool, int: int64, float: float64, complex: complex128}
    for kind, dtype in kinds.items():
        if isinstance(value, kind):
            return dtype
    raise TypeError(f"full: value of type {type(value).__name__}: must be a bool, int, float or complex")


def full(shape: Shape, fill_value: Number, *, dtype: DType | None = None, device: DeviceLike | None = None) -> Array:
    """All elements of one value; without a dtype that of the value. Raises InvalidArgument for a value the dtype does not
    hold or a shape too large, TypeError for what is no number, InvalidDevice."""
    return _icicle.number_full(extents(shape), fill_value, _natural(fill_value) if dtype is None else dtype, device)


def zeros(shape: Shape, *, dtype: DType | None = None, device: DeviceLike | None = None) -> Array:
    """All elements 0, of float64 without a dtype. Raises InvalidArgument for a shape too large, InvalidDevice."""
    return _icicle.number_full(extents(shape), 0, dtype or float64, device)


def ones(shape: Shape, *, dtype: DType | None = None, device: DeviceLike | None = None) -> Array:
    """All elements 1, of float64 without a dtype. Raises InvalidArgument for a shape too large, InvalidDevice."""
    return _icicle.number_full(extents(shape), 1, dtype or float64, device)


def empty(shape: Shape, *, dtype: DType | None = None, device: DeviceLike | None = None) -> Array:
    """Elements of any value: zeros. Raises InvalidArgument for a shape too large, InvalidDevice."""
    return zeros(shape, dtype=dtype, device=device)


def full_like(
    x: Array, /, fill_value: Number, *, dtype: DType | None = None, device: DeviceLike | None = None
) -> Array:
    """As full(), in the shape, dtype and device of an array where not given. Raises as full()."""
    return full(x.shape, fill_value, dtype=dtype or x.dtype, device=device or x.device)


def zeros_like(x: Array, /, *, dtype: DType | None = None, device: DeviceLike | None = None) -> Array:
    """As zeros(), in the shape, dtype and device of an array where not given. Raises as zeros()."""
    return zeros(x.shape, dtype=dtype or x.dtype, device=device or x.device)


def ones_like(x: Array, /, *, dtype: DType | None = None, device: DeviceLike | None = None) -> Array:
    """As ones(), in the shape, dtype and device of an array where not given. Raises as ones()."""
    return ones(x.shape, dtype=dtype or x.dtype, device=device or x.device)


def empty_like(x: Array, /, *, dtype: DType | None = None, device: DeviceLike | None = None) -> Array:
    """As empty(), in the shape, dtype and device of an array where not given. Raises as empty()."""
    return zeros_like(x, dtype=dtype, device=device)


def arange(
    start: int | float,
    /,
    stop: int | float | None = None,
    step: int | float = 1,
    *,
    dtype: DType | None = None,
    device: DeviceLike | None = None,
) -> Array:
    """`start`, `start + step` and so on up to before `stop`; with one argument from 0 up to before it. Of int64 for
    integers, else float64. Raises InvalidArgument for a step of 0, too many elements, or integers that the dtype does not
    hold, TypeError for what is no number, InvalidDevice."""
    if stop is None:
        start, stop = 0, start
    natural = int64 if all(isinstance(one, int) for one in (start, stop, step)) else float64
    return _icicle.number_arange(start, stop, step, dtype or natural, device)


def linspace(
    start: Number,
    stop: Number,
    /,
    num: int,
    *,
    dtype: DType | None = None,
    device: DeviceLike | None = None,
    endpoint: bool = True,
) -> Array:
    """`num` numbers from `start` to `stop` at equal distances; without `endpoint`, `stop` would be the next. Of float64, or
    complex128 for complex bounds. Raises InvalidArgument for a negative number or a dtype that is not floating point,
    TypeError, InvalidDevice."""
    if num < 0:
        raise InvalidArgument("linspace", f"num {num}: must not be negative")
    natural = complex128 if isinstance(start, complex) or isinstance(stop, complex) else float64
    return _icicle.number_linspace(start, stop, num, dtype or natural, endpoint, device)


def diagonal_number(k: int) -> int:
    """The number of a diagonal; beyond every matrix, any such."""
    return max(-(1 << 62), min(k, 1 << 62))


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: DType | None = None,
    device: DeviceLike | None = None,
) -> Array:
    """Ones on a diagonal, `k` to the right of the main one, and zeros; square without `n_cols`. Raises InvalidArgument for
    a shape too large, InvalidDevice."""
    return _icicle.number_eye(
        n_rows, n_rows if n_cols is None else n_cols, diagonal_number(k), dtype or float64, device
    )


def tril(x: Array, /, *, k: int = 0) -> Array:
    """The elements on and below the k-th diagonal of the last two axes, zeros elsewhere. Raises InvalidArgument for fewer
    axes."""
    return _icicle.number_triangle(x, diagonal_number(k), False)


def triu(x: Array, /, *, k: int = 0) -> Array:
    """The elements on and above the k-th diagonal of the last two axes, zeros elsewhere. Raises InvalidArgument for fewer
    axes."""
    return _icicle.number_triangle(x, diagonal_number(k), True)


def meshgrid(*arrays: Array, indexing: Literal["xy", "ij"] = "xy") -> tuple[Array, ...]:
    """Coordinates on a grid: for each array of one axis, its values along its own; with "xy" the first two axes are
    exchanged. Raises InvalidArgument for arrays of more axes or several dtypes, and another indexing."""
    if indexing not in ("xy", "ij"):
        raise InvalidArgument("meshgrid", f'indexing {indexing!r}: must be "xy" or "ij"')
    return tuple(_icicle.number_meshgrid(list(arrays), indexing == "xy"))
