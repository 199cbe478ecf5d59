"""Polynomials as arrays of coefficients along the last axis, constant term first."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from . import _icicle
from .arguments import need
from .errors import InvalidArgument
from .field_array import FieldArray

if TYPE_CHECKING:
    from ._icicle import Stream


def _same_field(operation: str, a: FieldArray, b: FieldArray) -> None:
    for one in (a, b):
        need(operation, "operand", one, FieldArray)
    if a.dtype is not b.dtype:
        raise InvalidArgument(operation, f"operands of {a.dtype} and {b.dtype}: must be the same")
    a._need_canonical(operation)
    if not a.shape or not b.shape:
        raise InvalidArgument(operation, f"shapes {a.shape} and {b.shape}: must have an axis of coefficients")


def evaluate(coefficients: FieldArray, points: FieldArray, *, stream: Stream | None = None) -> FieldArray:
    """Values of polynomials, shape `(…, n)`, at points, shape `(m,)`: shape `(…, m)`.

    Takes n products a value (Horner's rule). Raises TypeError for what is no FieldArray; InvalidArgument for different
    fields, Montgomery form, or points of more or fewer axes than 1; InvalidPointer for operands on two devices;
    OutOfMemory.

    >>> import icicle
    >>> x = icicle.fields.m31.scalar.from_ints
    >>> icicle.polynomial.evaluate(x([1, 2, 3]), x([0, 1, 10])).to_ints()
    [1, 6, 321]
    """
    _same_field("poly_eval", coefficients, points)
    if points.ndim != 1:
        raise InvalidArgument("poly_eval", f"points of shape {points.shape}: must have 1 axis")
    *axes, n = coefficients.shape
    shape, batch = (*axes, points.size), math.prod(axes)
    if not batch:
        return coefficients.dtype.empty(shape, device=coefficients.device)
    number, buffer = coefficients.dtype.number, coefficients.buffer
    made = _icicle.polynomial_evaluate(number, n, batch, buffer, points.size, points.buffer, stream)
    return FieldArray(made, coefficients.dtype, shape)


def divide(
    numerator: FieldArray, denominator: FieldArray, *, stream: Stream | None = None
) -> tuple[FieldArray, FieldArray]:
    """Quotients and remainders of polynomials of shapes `(…, n)` and `(…, m)`, both of shape `(…, n)`, padded with zeros.

    Raises InvalidArgument for a denominator of zero.

    Takes a product for each pair of coefficients of quotient and denominator. Raises InvalidArgument also for shapes
    that differ before the last axis, different fields or Montgomery form; TypeError for what is no FieldArray;
    InvalidPointer for operands on two devices; OutOfMemory.

    >>> import icicle
    >>> x = icicle.fields.m31.scalar.from_ints
    >>> [part.to_ints() for part in icicle.polynomial.divide(x([7, 0, 1]), x([1, 1]))]
    [[2147483646, 1, 0], [8, 0, 0]]
    """
    _same_field("poly_division", numerator, denominator)
    *axes, n = numerator.shape
    if axes != list(denominator.shape[:-1]):
        rule = "must be equal but for the last axis"
        raise InvalidArgument("poly_division", f"shapes {numerator.shape} and {denominator.shape}: {rule}")
    if not numerator.size:
        return numerator.copy(), numerator.copy()
    batch, number, m = math.prod(axes), numerator.dtype.number, denominator.shape[-1]
    pair = _icicle.polynomial_divide(number, batch, n, numerator.buffer, m, denominator.buffer, n, n, stream)
    quotient, remainder = (FieldArray(made, numerator.dtype, numerator.shape) for made in pair)
    return quotient, remainder
