"""Exceptions: one class for each error of the library, with the text it has in every language."""

from __future__ import annotations


class Error(Exception):
    """A failed call: `operation: argument, value, rule`. One refused for its arguments has written nothing."""

    code: int = 0
    """The error's number in the C API."""

    def __init_subclass__(cls, *, code: int | None = None) -> None:
        super().__init_subclass__()
        if code is not None:
            cls.code = code

    def __init__(self, operation: str, detail: str) -> None:
        super().__init__(operation, detail)
        self.operation = operation
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.operation}: {self.detail}"


class InvalidDevice(Error, code=1):
    """No such device."""


class OutOfMemory(Error, MemoryError, code=2):
    """Device or host memory is exhausted, or a limit forbids more."""


class InvalidPointer(Error, ValueError, code=3):
    """Memory that is misaligned, or of another device than the call runs on."""


class AllocationFailed(Error, code=4):
    """Memory could not be allocated for another reason than exhaustion."""


class DeallocationFailed(Error, code=5):
    """Memory could not be freed."""


class CopyFailed(Error, code=6):
    """A copy failed."""


class SynchronizationFailed(Error, code=7):
    """Waiting for a device, stream or event failed; also work that faulted while running."""


class StreamCreationFailed(Error, code=8):
    """A stream or event could not be created."""


class StreamDestructionFailed(Error, code=9):
    """A stream or event could not be destroyed."""


class Unsupported(Error, NotImplementedError, code=10):
    """The device does not offer this operation for this field or curve."""


class InvalidArgument(Error, ValueError, code=11):
    """An argument breaks a rule; the message names argument, value and rule."""


class BackendLoadFailed(Error, code=12):
    """A backend could not be loaded."""


class Internal(Error, code=14):
    """A fault of the library itself."""


class Cancelled(Error, code=64):
    """The caller cancelled the work before it was started."""


class Timeout(Error, code=65):
    """Another rank of a collective did not come, or did not go on, in time; the message names it."""


class RemoteError(Error, code=66):
    """Another rank of a collective failed, left, or refused this one; the message names it."""
