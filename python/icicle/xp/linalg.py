"""Linear algebra: the standard's extension, each matrix of a stack on its own.

>>> from icicle import xp
>>> x = xp.asarray([[2.0, 1.0], [1.0, 2.0]])
>>> xp.linalg.solve(x, xp.asarray([3.0, 3.0]))
Array([1.0, 1.0], dtype=float64)
>>> xp.linalg.det(x)
Array(3.0, dtype=float64)

Factorisations are computed in double precision and rounded to the array's dtype, on a CPU each matrix by one thread, on a GPU by
cuSOLVER: `pip install icicle-compute[cusolver13]`; without it they raise Unsupported. Where NumPy raises LinAlgError (singular, not
positive definite, not finite), this raises `icicle.InvalidArgument`, which is a ValueError too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from icicle import _icicle
from icicle.errors import InvalidArgument

from .array import Array, DType, axes_of
from .creation import diagonal_number, full
from .dtypes import isdtype, result_type
from .errors import InvalidType
from .linear import matmul, matrix_transpose, tensordot, vecdot

if TYPE_CHECKING:
    from .array import Axes

__all__ = [
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]


class EighResult(NamedTuple):
    """What eigh() finds."""

    eigenvalues: Array
    eigenvectors: Array


class EigResult(NamedTuple):
    """What eig() finds."""

    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    """What qr() finds."""

    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    """What slogdet() finds."""

    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    """What svd() finds."""

    U: Array
    S: Array
    Vh: Array


def _floating(operation: str, *arrays: Array) -> None:
    for x in arrays:
        if isinstance(x, Array) and not isdtype(x.dtype, ("real floating", "complex floating")):
            raise InvalidType(operation, f"array of {x.dtype}: must be floating point")


def cholesky(x: Array, /, *, upper: bool = False) -> Array:
    """The lower triangle whose product with its conjugate transpose is the matrix, or with `upper` that transpose; only the
    lower triangle of `x` is read. Raises InvalidArgument for matrices that are not square or not positive definite,
    InvalidType."""
    _floating("cholesky", x)
    return _icicle.number_matrix("cholesky", x, upper)


def det(x: Array, /) -> Array:
    """The determinant of square matrices. Raises InvalidArgument for others, InvalidType."""
    _floating("det", x)
    return _icicle.number_matrix("det", x)


def slogdet(x: Array, /) -> SlogdetResult:
    """The sign of the determinant (of complex numbers its direction) and the logarithm of its absolute value; 0 and -inf for
    singular matrices. Raises as det()."""
    _floating("slogdet", x)
    return SlogdetResult(*_icicle.number_factors("slogdet", x))


def inv(x: Array, /) -> Array:
    """The inverse of square matrices. Raises InvalidArgument for others and singular ones, InvalidType."""
    _floating("inv", x)
    return _icicle.number_matrix("inv", x)


def solve(x1: Array, x2: Array, /) -> Array:
    """What multiplied by `x1` from the left is `x2`: matrices, or for an `x2` of one axis a vector for each matrix. Raises
    InvalidArgument for singular matrices and shapes that do not fit, InvalidType."""
    _floating("solve", x1, x2)
    return _icicle.number_solve(x1, x2)


def qr(x: Array, /, *, mode: Literal["reduced", "complete"] = "reduced") -> QRResult:
    """Orthonormal columns and an upper triangle whose product is the matrix; "complete" makes the first square. The diagonal
    is real, of either sign. Raises InvalidArgument for fewer than two axes and another mode, InvalidType."""
    _floating("qr", x)
    if mode not in ("reduced", "complete"):
        raise InvalidArgument("qr", f'mode {mode!r}: must be "reduced" or "complete"')
    return QRResult(*_icicle.number_factors("qr", x, mode == "complete"))


def svd(x: Array, /, *, full_matrices: bool = True) -> SVDResult:
    """Orthonormal columns, singular values in descending order, and orthonormal rows, whose product is the matrix; with
    `full_matrices` the first and the last are square. Raises InvalidArgument for fewer than two axes and for matrices that are
    not finite, InvalidType."""
    _floating("svd", x)
    return SVDResult(*_icicle.number_factors("svd", x, full_matrices))


def svdvals(x: Array, /) -> Array:
    """The singular values in descending order. Raises as svd()."""
    _floating("svdvals", x)
    return _icicle.number_matrix("svdvals", x)


def eigh(x: Array, /) -> EighResult:
    """The eigenvalues of Hermitian matrices in ascending order, and orthonormal eigenvectors in columns; only the lower
    triangle is read. Raises InvalidArgument for matrices that are not square or not finite, InvalidType."""
    _floating("eigh", x)
    return EighResult(*_icicle.number_factors("eigh", x))


def eigvalsh(x: Array, /) -> Array:
    """The eigenvalues of Hermitian matrices in ascending order. Raises as eigh()."""
    _floating("eigvalsh", x)
    return _icicle.number_matrix("eigvalsh", x)


def eig(x: Array, /) -> EigResult:
    """The eigenvalues of square matrices in no order, and eigenvectors of length 1 in columns, both complex. Raises as
    eigh()."""
    _floating("eig", x)
    return EigResult(*_icicle.number_factors("eig", x))


def eigvals(x: Array, /) -> Array:
    """The eigenvalues of square matrices in no order, complex. Raises as eigh()."""
    _floating("eigvals", x)
    return _icicle.number_matrix("eigvals", x)


def _tolerance(x: Array, rtol: float | Array | None) -> Array | None:
    if rtol is None or isinstance(rtol, Array):
        return rtol
    return full((), float(rtol), device=x.device)


def matrix_rank(x: Array, /, *, rtol: float | Array | None = None) -> Array:
    """How many singular values are greater than `rtol` times the greatest, in int64; `rtol` is the larger extent times the
    dtype's eps if not said. Raises as svd(), and InvalidArgument for an `rtol` that does not broadcast to the stack."""
    _floating("matrix_rank", x)
    return _icicle.number_spectral("matrix_rank", x, _tolerance(x, rtol))


def pinv(x: Array, /, *, rtol: float | Array | None = None) -> Array:
    """The pseudo-inverse of Moore and Penrose, with singular values up to `rtol` times the greatest taken for 0. Raises as
    matrix_rank()."""
    _floating("pinv", x)
    return _icicle.number_spectral("pinv", x, _tolerance(x, rtol))


def matrix_power(x: Array, n: int, /) -> Array:
    """Square matrices multiplied `n` times; for a negative number their inverses. Raises InvalidArgument for others and for
    singular ones, InvalidType."""
    _floating("matrix_power", x)
    return _icicle.number_matrix_power(x, n)


def matrix_norm(
    x: Array, /, *, keepdims: bool = False, ord: int | float | Literal["fro", "nuc"] | None = "fro"
) -> Array:
    """A norm of each matrix: of Frobenius ("fro" or None), the sum of singular values ("nuc"), the greatest of them (2), the
    greatest sum of absolute values of a column (1) or row (inf); with a minus the least. Raises InvalidArgument for another
    norm, fewer than two axes, InvalidType."""
    _floating("matrix_norm", x)
    name = "fro" if ord is None else ord if isinstance(ord, str) else f"{ord:g}"
    return _icicle.number_matrix_norm(x, name, keepdims)


def vector_norm(x: Array, /, *, axis: Axes = None, keepdims: bool = False, ord: int | float = 2) -> Array:
    """The norm along axes, of all elements for None: the sum of absolute values to the power `ord`, to the power `1 / ord`; the
    greatest for inf, the least for -inf, the number that are not 0 for 0. Raises InvalidArgument for axes that are not there,
    InvalidType."""
    _floating("vector_norm", x)
    return _icicle.number_vector_norm(x, axes_of(axis), float(ord), keepdims)


def _numeric(operation: str, *arrays: Array) -> None:
    dtype = result_type(*arrays)
    if not isdtype(dtype, "numeric"):
        raise InvalidType(operation, f"arrays of {dtype}: must be numeric")


def cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """The cross product of vectors of three numbers along an axis, which counts from the end; the others broadcast. Raises
    InvalidArgument for other extents and axes, InvalidType."""
    _numeric("cross", x1, x2)
    return _icicle.number_cross(x1, x2, axis)


def outer(x1: Array, x2: Array, /) -> Array:
    """The product of each element of one vector with each of another. Raises InvalidArgument for arrays of other than one axis,
    InvalidType."""
    _numeric("outer", x1, x2)
    return _icicle.number_outer(x1, x2)


def diagonal(x: Array, /, *, offset: int = 0) -> Array:
    """The elements on a diagonal, `offset` to the right of the main one: a view. Raises InvalidArgument for fewer than two
    axes."""
    return _icicle.number_diagonal(x, diagonal_number(offset))


def trace(x: Array, /, *, offset: int = 0, dtype: DType | None = None) -> Array:
    """The sum of a diagonal, with dtypes as xp.sum(). Raises InvalidArgument for fewer than two axes, InvalidType."""
    _numeric("trace", x)
    return _icicle.number_trace(x, diagonal_number(offset), dtype)
