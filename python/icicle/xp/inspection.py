"""What the namespace offers: devices, default dtypes, limits."""

from __future__ import annotations

from typing import Any

from icicle import _icicle

from .array import DType
from .dtypes import TYPES, complex128, float64, int64, isdtype


class Info:
    """Facts of the namespace, as the array API asks for them."""

    def capabilities(self) -> dict[str, Any]:
        """What shapes and sizes operations take. Raises nothing of its own."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> _icicle.Device:
        """The device new arrays are made on. Raises nothing of its own."""
        return _icicle.current_device()

    def default_dtypes(self, *, device: Any = None) -> dict[str, DType]:
        """The dtypes of Python's numbers. Raises nothing of its own."""
        return {
            "real floating": float64,
            "complex floating": complex128,
            "integral": int64,
            "indexing": int64,
        }

    def devices(self) -> list[_icicle.Device]:
        """The devices that compute on arrays: CPUs. Raises nothing of its own."""
        return [device for device in _icicle.devices() if device.kind == "cpu"]

    def dtypes(self, *, device: Any = None, kind: str | tuple[str, ...] | None = None) -> dict[str, DType]:
        """The standard's dtypes by name, those of a kind if given; float16 and bfloat16 are the library's own beside them.
        Raises InvalidArgument for an unknown kind."""
        own = ("float16", "bfloat16")
        return {
            name: dtype for name, dtype in TYPES.items() if name not in own and (kind is None or isdtype(dtype, kind))
        }


def __array_namespace_info__() -> Info:
    """What the namespace offers. Raises nothing of its own."""
    return Info()
