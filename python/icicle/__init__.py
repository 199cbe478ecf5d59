"""Zero-knowledge arithmetic on CPUs and GPUs: arrays of field elements and curve points, MSM, NTT.

>>> import icicle
>>> field = icicle.fields.babybear.scalar
>>> for device in icicle.devices():
...     with device:
...         x = field.from_ints([1, 2, 3, 4])
...         assert icicle.ntt(icicle.ntt(x), inverse=True) == x

Arrays live on a device, and operations run where their operands are. Nothing moves unasked: `x.to("cuda:0")` copies,
and operands on two devices raise an error that names both. Calls are complete when they return, but on GPUs those given
`stream=`: see Stream.

Errors are `icicle.Error`, with operation, argument, value and rule, or Python's own TypeError and IndexError. Docstrings
name what a call raises of its own. Any may also raise OutOfMemory; Unsupported where `Device.supports` says no; on GPUs
CopyFailed, SynchronizationFailed for work that failed there, and BackendLoadFailed; and Internal for a fault of the
library. A call refused for its arguments has written nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import comm, curves, errors, fields, polynomial, program, transform
from ._icicle import (
    Buffer,
    Device,
    DeviceInfo,
    Event,
    MemoryStats,
    Stream,
    UniqueId,
    current_device,
    devices,
    float32_matmul_precision,
    managed_empty,
    operations,
    pinned_empty,
    registered,
    set_default_device,
    set_float32_matmul_precision,
    set_library_path,
    version,
)
from .comm import Communicator
from .curve import Curve
from .dtype import DType
from .errors import (
    AllocationFailed,
    BackendLoadFailed,
    Cancelled,
    CopyFailed,
    DeallocationFailed,
    Error,
    Internal,
    InvalidArgument,
    InvalidDevice,
    InvalidPointer,
    OutOfMemory,
    RemoteError,
    StreamCreationFailed,
    StreamDestructionFailed,
    SynchronizationFailed,
    Timeout,
    Unsupported,
)
from .field import Field
from .field_array import FieldArray
from .group import DeviceGroup, ShardedArray
from .joining import concatenate, stack
from .point import PointArray, PointType
from .transform import ntt

__version__ = version()

if TYPE_CHECKING:
    from . import random, xp
else:

    def __getattr__(name: str) -> Any:
        """The modules of arrays of numbers, which are a third of the time that everything else takes to import."""
        if name in ("random", "xp"):
            from importlib import import_module

            return import_module(f"icicle.{name}")
        raise AttributeError(f"module 'icicle' has no attribute {name!r}")


__all__ = [
    "AllocationFailed",
    "BackendLoadFailed",
    "Buffer",
    "Cancelled",
    "Communicator",
    "CopyFailed",
    "Curve",
    "DType",
    "DeallocationFailed",
    "Device",
    "DeviceGroup",
    "DeviceInfo",
    "Error",
    "Event",
    "Field",
    "FieldArray",
    "Internal",
    "InvalidArgument",
    "InvalidDevice",
    "InvalidPointer",
    "MemoryStats",
    "OutOfMemory",
    "PointArray",
    "PointType",
    "RemoteError",
    "ShardedArray",
    "Stream",
    "StreamCreationFailed",
    "StreamDestructionFailed",
    "SynchronizationFailed",
    "Timeout",
    "UniqueId",
    "Unsupported",
    "comm",
    "concatenate",
    "current_device",
    "curves",
    "devices",
    "errors",
    "fields",
    "float32_matmul_precision",
    "managed_empty",
    "ntt",
    "operations",
    "pinned_empty",
    "polynomial",
    "program",
    "random",
    "registered",
    "set_default_device",
    "set_float32_matmul_precision",
    "set_library_path",
    "stack",
    "transform",
    "version",
    "xp",
]
