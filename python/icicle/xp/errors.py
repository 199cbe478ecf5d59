"""Errors of arrays of numbers: InvalidArgument that is also the exception NumPy's users expect."""

from __future__ import annotations

from icicle.errors import InvalidArgument


class InvalidType(InvalidArgument, TypeError):
    """A dtype that an operation has no meaning for, or dtypes without a common one."""


class InvalidIndex(InvalidArgument, IndexError):
    """An index outside an axis, or a key that fits no axes."""
