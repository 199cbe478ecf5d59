"""NumPy's protocols: its functions on arrays of icicle's are those of `icicle.xp`, as CuPy does it.

>>> import numpy as np
>>> from icicle import xp
>>> np.add(xp.asarray([1.0, 2.0]), 1)
Array([2.0, 3.0], dtype=float64)
>>> np.linalg.norm(np.ones(4)), np.sum(xp.ones((2, 3)), axis=0)
(np.float64(2.0), Array([2.0, 2.0, 2.0], dtype=float64))

Arrays of NumPy's do not mix with ours, and functions that `icicle.xp` does not have raise TypeError: `np.asarray(x)` is the
way to all that NumPy has, without a copy.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from typing import Any

from .array import Array

NAMES = {
    "absolute": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "concatenate": "concat",
    "conjugate": "conj",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "mod": "remainder",
    "power": "pow",
    "right_shift": "bitwise_right_shift",
    "rint": "round",
    "true_divide": "divide",
}
"""NumPy's names of functions that the standard calls otherwise."""

ARGUMENTS = {"a_min": "min", "a_max": "max"}
"""NumPy's names of arguments that the standard calls otherwise."""


def ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], options: Mapping[str, Any]) -> Any:
    """What `__array_ufunc__` gives: NotImplemented where NumPy is to raise TypeError. Raises as the function."""
    call = _ours_of("numpy", ufunc.__name__)
    if call is None or method != "__call__" or options:
        return NotImplemented
    return call(*(x.item() if _scalar(x) else x for x in inputs))


def _scalar(x: Any) -> bool:
    return type(x).__module__ == "numpy" and hasattr(x, "item") and not hasattr(x, "__setitem__")


def function(func: Callable[..., Any], types: Collection[type], args: Iterable[Any], kwargs: Mapping[str, Any]) -> Any:
    """What `__array_function__` gives: NotImplemented where NumPy is to raise TypeError. Raises as the function."""
    call = _ours_of(func.__module__, func.__name__)
    if call is None or not all(issubclass(one, Array) for one in types):
        return NotImplemented
    theirs = inspect.signature(func)
    takes = inspect.signature(call).parameters
    positional: list[Any] = []
    named: dict[str, Any] = {}
    only = [name for name, one in takes.items() if one.kind is one.POSITIONAL_ONLY]
    for name, value in theirs.bind(*args, **kwargs).arguments.items():
        parameter = theirs.parameters[name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional.extend(value)
        elif len(positional) < len(only):
            positional.append(value)
        elif value is parameter.default:
            continue
        elif ARGUMENTS.get(name, name) in takes:
            named[ARGUMENTS.get(name, name)] = value
        else:
            return NotImplemented
    return call(*positional, **named)


@cache
def _ours_of(module: str, name: str) -> Callable[..., Any] | None:
    from icicle import xp

    space: Any = {"numpy": xp, "numpy.linalg": xp.linalg, "numpy.fft": xp.fft}.get(module)
    name = NAMES.get(name, name)
    return getattr(space, name) if space is not None and name in space.__all__ else None
