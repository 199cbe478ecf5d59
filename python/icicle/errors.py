"""Exceptions: one class for each error of the library, with the text it has in every language."""

from __future__ import annotations


class Error(Exception):
    """A failed call: `operation: argument, value, rule`. Nothing was written."""

    code: int = 0
    """The error's number in the C API."""

    def __init__(self, operation: str, detail: str) -> None:
        super().__init__(operation, detail)
        self.operation = operation
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.operation}: {self.detail}"


class InvalidDevice(Error):
    """No such device."""

    code = 1


class OutOfMemory(Error, MemoryError):
    """Device or host memory is exhausted, or a limit forbids more."""

    code = 2


class InvalidPointer(Error, ValueError):
    """Memory that is misaligned, or of another device than the call runs on."""

    code = 3


class AllocationFailed(Error):
    """Memory could not be allocated for another reason than exhaustion."""

    code = 4


class DeallocationFailed(Error):
    """Memory could not be freed."""

    code = 5


class CopyFailed(Error):
    """A copy failed."""

    code = 6


class SynchronizationFailed(Error):
    """Waiting for a device, stream or event failed; also work that faulted while running."""

    code = 7


class StreamCreationFailed(Error):
    """A stream or event could not be created."""

    code = 8


class StreamDestructionFailed(Error):
    """A stream or event could not be destroyed."""

    code = 9


class Unsupported(Error, NotImplementedError):
    """The device does not offer this operation for this field or curve."""

    code = 10


class InvalidArgument(Error, ValueError):
    """An argument breaks a rule; the message names argument, value and rule."""

    code = 11


class BackendLoadFailed(Error):
    """A backend could not be loaded."""

    code = 12


class Internal(Error):
    """A fault of the library itself."""

    code = 14
