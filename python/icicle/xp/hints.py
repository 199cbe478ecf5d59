"""What errors say of names that NumPy has and the standard has not.

>>> from icicle import xp
>>> xp.concatenate
Traceback (most recent call last):
AttributeError: module 'icicle.xp' has no attribute 'concatenate': see xp.concat
>>> xp.ones(3).sum()
Traceback (most recent call last):
AttributeError: array has no attribute 'sum': see xp.sum
"""

from .protocols import NAMES

FUNCTIONS = {
    "array": "xp.asarray",
    "cumprod": "xp.cumulative_prod",
    "cumsum": "xp.cumulative_sum",
    "dot": "xp.matmul and xp.vecdot",
    "hstack": "xp.concat",
    "inner": "xp.vecdot",
    "outer": "xp.linalg.outer",
    "random": "icicle.random",
    "ravel": "xp.reshape with -1",
    "trace": "xp.linalg.trace",
    "transpose": "xp.permute_dims and xp.matrix_transpose",
    "unique": "xp.unique_values",
    "vstack": "xp.concat",
}
"""Functions and modules of NumPy's that have no single name here, or one elsewhere."""

METHODS = {
    "copy": "xp.asarray with copy=True",
    "fill": "x[...] = value",
    "flatten": "xp.reshape with -1",
    "item": "tolist(), float() and int()",
    "itemsize": "nbytes",
    "numpy": "numpy.asarray",
    "transpose": "T, mT and xp.permute_dims",
}
"""Methods and attributes of NumPy's and others' arrays, beside those that are functions here."""


def _function(name: str) -> str | None:
    from icicle import xp

    ours = NAMES.get(name, name)
    return f"xp.{ours}" if ours in xp.__all__ else FUNCTIONS.get(name)


def _text(subject: str, name: str, instead: str | None) -> str:
    return f"{subject} has no attribute {name!r}" + (f": see {instead}" if instead else "")


def of_namespace(name: str) -> str:
    """Of a name that `icicle.xp` does not have."""
    return _text("module 'icicle.xp'", name, None if name.startswith("_") else _function(name))


def of_array(name: str) -> str:
    """Of an attribute that arrays do not have."""
    return _text("array", name, METHODS.get(name) or _function(name))
