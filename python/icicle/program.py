"""Arithmetic circuits, executed at every position of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import _icicle
from ._icicle import Program, Symbol
from .arguments import is_sequence, need, shown
from .errors import InvalidArgument
from .field_array import FieldArray

if TYPE_CHECKING:
    from ._icicle import Stream

__all__ = ["Program", "Symbol", "execute"]


def execute(program: Program, arrays: Sequence[FieldArray], *, stream: Stream | None = None) -> None:
    """Execute a program at every position of arrays of one field and shape, one for each parameter, in place.

    The arrays of changed parameters are overwritten. Raises InvalidArgument for another number of arrays, or arrays that
    share memory.

    Raises TypeError for what is no Program or sequence of FieldArrays, InvalidArgument also for different fields,
    shapes or Montgomery form, InvalidPointer for arrays on two devices, OutOfMemory.

    >>> import icicle
    >>> from icicle.program import Program, Symbol, execute
    >>> a, b, c = (Symbol.input(i) for i in range(3))
    >>> field = icicle.fields.koalabear.scalar
    >>> x, y, z = field.from_ints([1, 2]), field.from_ints([3, 4]), field.zeros(2)
    >>> execute(Program([a, b, a * b + c]), [x, y, z])
    >>> z.to_ints()
    [3, 8]
    """
    if not is_sequence(arrays):
        raise TypeError(f"execute_program: arrays {shown(arrays)}: must be a sequence of FieldArrays")
    need("execute_program", "program", program, Program)
    for array in arrays:
        need("execute_program", "array", array, FieldArray)
    if not arrays:
        raise InvalidArgument("execute_program", f"no arrays: the program has {program.parameters} parameters")
    first = arrays[0]
    for array in arrays:
        array._need_canonical("execute_program")
        if array.dtype is not first.dtype or array.shape != first.shape:
            got = f"arrays of {first.dtype}, shape {first.shape} and {array.dtype}, shape {array.shape}"
            raise InvalidArgument("execute_program", f"{got}: must be the same")
    buffers = [array.buffer for array in arrays]
    _icicle.execute_program(first.dtype.number, program, first.size, buffers, stream)
