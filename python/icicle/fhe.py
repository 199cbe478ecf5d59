"""Encrypted integers: a server computes on numbers it cannot read (TFHE). See docs/FHE.md.

>>> import numpy as np
>>> from icicle import fhe
>>> client = fhe.ClientKey()
>>> x = client.encrypt(np.array([200, 7], np.uint8))
>>> y = client.encrypt(np.array([100, 9], np.uint8))
>>> with client.server_key():
...     total, larger = x + y, (x > y).select(x, y)
>>> client.decrypt(total), client.decrypt(larger)
(array([44, 16], dtype=uint8), array([200,   9], dtype=uint8))

Arrays have one axis; a scalar is an array of length one. Elements are bool, uint8, uint16, uint32 or uint64, arithmetic is modulo
the width, and amounts of shifts modulo its bits. Operations use the server key of the calling thread, which a `with` block or
`set_server_key` gives it, over all threads of its device. Either operand may be clear: an array of the same dtype, or an integer for
all elements; clear operands cost no ciphertexts. Calls are complete when they return. NumPy has to be installed.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Self, SupportsIndex

import numpy as np

from . import _icicle
from .errors import InvalidArgument

if TYPE_CHECKING:
    from types import TracebackType

    from .dtype import DeviceLike
    from .group import DeviceGroup

__all__ = [
    "Array",
    "ClientKey",
    "CompressedArray",
    "CompressedServerKey",
    "ServerKey",
    "concatenate",
    "server_key",
    "set_server_key",
    "trivial",
]

_DTYPES = [np.dtype(name) for name in _icicle.fhe_types()]
_BINARY, _UNARY, _OVERFLOWING = (
    {name: number for number, name in enumerate(names)} for names in _icicle.fhe_operations()
)


def _number(op: str, dtype: Any) -> int:
    """The number of a dtype."""
    found = np.dtype(dtype)
    if found not in _DTYPES:
        names = ", ".join(str(dtype) for dtype in _DTYPES)
        raise InvalidArgument(op, f"dtype is {found}, must be one of {names}")
    return _DTYPES.index(found)


def _elements(op: str, values: Any, dtype: Any = None) -> tuple[int, memoryview]:
    """The type of clear elements, and their memory."""
    array = np.asarray(values, dtype)
    if array.ndim > 1:
        raise InvalidArgument(op, f"values have {array.ndim} axes, must have one")
    number = _number(op, array.dtype)
    array = np.ascontiguousarray(array.reshape(-1))
    elements: Any = array.view(np.uint8) if number == 0 else array
    return number, memoryview(elements)


def _as_bytes(data: Any) -> bytes:
    """What was given for bytes: they themselves, or a copy of what another object holds."""
    return data if isinstance(data, bytes) else bytes(memoryview(data))


class ClientKey:
    """The key that encrypts and decrypts, of the operating system's random numbers. It is wiped when it is dropped.

    Whoever has it can read everything that was encrypted under it or computed with its server key. It is not pickled: `to_bytes`
    says what it does.

    Raises Internal where the system gives no random numbers.
    """

    __slots__ = ("_native",)

    def __init__(self) -> None:
        self._native = _icicle.FheClientKey()

    def __repr__(self) -> str:
        return "<icicle.fhe.ClientKey>"

    def __reduce__(self) -> Any:
        raise TypeError(
            "a client key is not pickled, as it decrypts everything: keep the bytes of to_bytes() as a secret"
        )

    def to_bytes(self) -> bytes:
        """The key as 403 bytes, the same in every language and as secret as the key. Python does not wipe them."""
        return self._native.to_bytes()

    @staticmethod
    def from_bytes(data: Any) -> ClientKey:
        """The key that bytes of `to_bytes` hold.

        Raises InvalidArgument for bytes that are none, are cut off or go on, or are of another version.
        """
        key = ClientKey.__new__(ClientKey)
        key._native = _icicle.FheClientKey.from_bytes(_as_bytes(data))
        return key

    def server_key(self, device: DeviceLike | None = None) -> ServerKey:
        """The key to compute with on a device, by default the current one: seconds of work, 120 MB, on a GPU 90. It reads nothing.

        Raises Unsupported for a GPU that has too little shared memory, InvalidDevice, OutOfMemory.
        """
        return ServerKey(self._native.server_key(device))

    def compressed_server_key(self) -> CompressedServerKey:
        """The same key in the form to keep and send, 30 MB."""
        return CompressedServerKey(self._native.compressed_server_key())

    def encrypt_compressed(self, values: Any, dtype: Any = None) -> CompressedArray:
        """As `encrypt`, in the form to keep and send: 4 bytes for each bit instead of 8196."""
        return CompressedArray(self._native.encrypt_compressed(*_elements("fhe_encrypt_compressed", values, dtype)))

    def encrypt(self, values: Any, dtype: Any = None) -> Array:
        """Encrypt a NumPy array of one axis, a sequence or a number, of `dtype` or as they are.

        Raises InvalidArgument for other dtypes or more axes.
        """
        return Array(self._native.encrypt(*_elements("fhe_encrypt", values, dtype)))

    def decrypt(self, array: Array) -> np.ndarray[Any, Any]:
        """Decrypt an array, to a NumPy array of its dtype.

        Raises InvalidArgument for one of another key.
        """
        return np.frombuffer(self._native.decrypt(array._native), array.dtype).copy()


class _Kept:
    """What has a native object, which has bytes: they are the same in every language, and what it is pickled by."""

    __slots__ = ("_native",)
    _kind: ClassVar[Any]  # of native objects
    _native: _icicle.FheServerKey | _icicle.FheCompressedServerKey | _icicle.FheNumbers | _icicle.FheCompressedNumbers

    def __init__(self, native: Any) -> None:
        self._native = native

    def __repr__(self) -> str:
        return f"<icicle.fhe.{type(self).__name__}>"

    def __reduce__(self) -> Any:
        return type(self).from_bytes, (self.to_bytes(),)

    def to_bytes(self) -> bytes:
        """As bytes, the same in every language."""
        return self._native.to_bytes()

    @classmethod
    def from_bytes(cls, data: Any) -> Self:
        """What bytes of `to_bytes` hold; those of an array say of which dtype.

        Raises InvalidArgument for bytes that are none, are cut off or go on, or are of another version.
        """
        return cls(cls._kind.from_bytes(_as_bytes(data)))


class ServerKey(_Kept):
    """The key to compute with, which decrypts nothing. In a `with` block it is the thread's; blocks nest.

    `over(group)` is one that divides arrays among a group's devices. A key of one device may be pickled, 120 MB, and is then one of
    the current device of whoever reads it; ClientKey.compressed_server_key is a quarter of that.
    """

    __slots__ = ("_before",)
    _kind = _icicle.FheServerKey
    _native: _icicle.FheServerKey

    def __init__(self, native: _icicle.FheServerKey) -> None:
        super().__init__(native)
        self._before: list[_icicle.FheServerKey | None] = []

    def to_bytes(self) -> bytes:
        """The key as bytes, the same in every language: 120 MB, ready to compute with.

        Raises InvalidArgument for a key of a group, Unsupported for a GPU's, which has not all of them.
        """
        return self._native.to_bytes()

    @classmethod
    def from_bytes(cls, data: Any, device: DeviceLike | None = None) -> Self:
        """The key that bytes of `to_bytes` hold, for a device, by default the current one.

        Raises InvalidArgument for bytes that are none, are cut off or go on, or are of another version; Unsupported for a GPU
        that has too little shared memory, InvalidDevice, OutOfMemory.
        """
        return cls(cls._kind.from_bytes(_as_bytes(data), device))

    def over(self, group: DeviceGroup) -> ServerKey:
        """A key that divides arrays among the devices of a group; each GPU gets a copy of 90 MB. Results decrypt to those of one device.

        Raises InvalidArgument for a key of a group, Unsupported for a GPU's key in a group with a CPU, OutOfMemory.
        """
        return ServerKey(self._native.over(group._native))

    def __enter__(self) -> ServerKey:
        self._before.append(_icicle.fhe_server_key())
        _icicle.fhe_set_server_key(self._native)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _icicle.fhe_set_server_key(self._before.pop())


class CompressedServerKey(_Kept):
    """A server key in the form to keep and send, 30 MB; ClientKey.compressed_server_key makes one. It may be pickled."""

    __slots__ = ()
    _kind = _icicle.FheCompressedServerKey
    _native: _icicle.FheCompressedServerKey

    def decompress(self, device: DeviceLike | None = None) -> ServerKey:
        """The key to compute with on a device, by default the current one.

        Raises Unsupported for a GPU that has too little shared memory, InvalidDevice, OutOfMemory.
        """
        return ServerKey(self._native.decompress(device))


def set_server_key(key: ServerKey | None) -> None:
    """Make a key the calling thread's, for its operations, or none. Each thread has its own."""
    _icicle.fhe_set_server_key(None if key is None else key._native)


def server_key() -> ServerKey | None:
    """The calling thread's key."""
    native = _icicle.fhe_server_key()
    return None if native is None else ServerKey(native)


class _Elements(_Kept):
    """Encrypted elements of one dtype."""

    __slots__ = ()
    _native: _icicle.FheNumbers | _icicle.FheCompressedNumbers

    @property
    def dtype(self) -> np.dtype[Any]:
        """What the elements are."""
        return _DTYPES[self._native.kind()]

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        return f"<icicle.fhe.{type(self).__name__} of {len(self)} {self.dtype}>"


class CompressedArray(_Elements):
    """Freshly encrypted elements in the form to keep and send, 4 bytes for each bit; ClientKey.encrypt_compressed makes one.

    It may be pickled.
    """

    __slots__ = ()
    _kind = _icicle.FheCompressedNumbers
    _native: _icicle.FheCompressedNumbers

    def decompress(self) -> Array:
        """The array to compute with."""
        return Array(self._native.decompress())


class Array(_Elements):
    """An encrypted array of one axis, which no call changes. ClientKey.encrypt makes one.

    Operators: `+ - * & | ^ ~ << >>` and comparisons, with arrays, NumPy arrays of the same dtype, or integers, on either side;
    comparisons give arrays of bool. Results lie in the memory of the key's device, of a group's each part where it was computed;
    operands may lie anywhere. `x[2:5]` and `x[0]` are parts in the same memory, which is given back with the last array that has
    it; steps other than 1 put such parts together. Errors are those of the calls: InvalidArgument without a server key, for arrays
    of another key, dtype or length, and for integers that the dtype does not hold; TypeError for other operands.

    It may be pickled, 8196 bytes for each bit of an integer, 16 392 for a truth value.
    """

    __slots__ = ()
    _kind = _icicle.FheNumbers
    _native: _icicle.FheNumbers
    __array_ufunc__ = None  # NumPy leaves operators to this class
    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        raise TypeError("an encrypted array has no truth value here: use select, or decrypt it")

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: SupportsIndex | slice) -> Array:
        if not isinstance(key, slice):
            at = operator.index(key)
            if not -len(self) <= at < len(self):
                raise IndexError(f"index {at} is out of range for an array of {len(self)}")
            at %= len(self)
            return Array(self._native.slice(at, at + 1))
        start, stop, step = key.indices(len(self))
        if step == 1:
            return Array(self._native.slice(start, max(start, stop)))
        parts = [self[i] for i in range(start, stop, step)]
        return concatenate(parts) if parts else self[:0]

    def repeat(self, times: int) -> Array:
        """The array so many times, one after another: what makes one element an operand for all of another array.

        On a GPU all are the same memory, on the host copies.
        """
        return Array(self._native.repeat(times))

    def _operand(self, op: str, other: Any, dtype: Any = None) -> Any:
        """What an operation takes for another operand; NotImplemented if it is none."""
        if isinstance(other, Array):
            return other._native
        dtype = self.dtype if dtype is None else dtype
        if isinstance(other, (bool, np.bool_)) or self.dtype == np.dtype(bool):
            return NotImplemented
        if isinstance(other, int):
            if not 0 <= other <= np.iinfo(dtype).max:
                raise InvalidArgument(
                    f"fhe_{op}", f"the clear operand is {other}, must be from 0 to {np.iinfo(dtype).max}"
                )
            return _elements(op, [other], dtype)
        if isinstance(other, (np.ndarray, np.unsignedinteger)):
            return _elements(f"fhe_{op}", other)
        return NotImplemented

    def _binary(self, op: str, other: Any, reflected: bool = False, dtype: Any = None) -> Array:
        operand = self._operand(op, other, dtype)
        if operand is NotImplemented:
            return NotImplemented  # type: ignore[no-any-return]  # to Python, which asks the other operand
        x, y = (operand, self._native) if reflected else (self._native, operand)
        return Array(_icicle.fhe_binary(_BINARY[op], x, y))

    def _method(self, op: str, other: Any, dtype: Any = None) -> Array:
        made = self._binary(op, other, dtype=dtype)
        if made is NotImplemented:
            raise TypeError(f"{op}: {type(other).__name__} is no operand for an encrypted array of {self.dtype}")
        return made

    def __add__(self, other: Any) -> Array:
        return self._binary("add", other)

    def __radd__(self, other: Any) -> Array:
        return self._binary("add", other, True)

    def __sub__(self, other: Any) -> Array:
        return self._binary("sub", other)

    def __rsub__(self, other: Any) -> Array:
        return self._binary("sub", other, True)

    def __mul__(self, other: Any) -> Array:
        return self._binary("mul", other)

    def __rmul__(self, other: Any) -> Array:
        return self._binary("mul", other, True)

    def __and__(self, other: Any) -> Array:
        return self._binary("bitand", other)

    def __rand__(self, other: Any) -> Array:
        return self._binary("bitand", other, True)

    def __or__(self, other: Any) -> Array:
        return self._binary("bitor", other)

    def __ror__(self, other: Any) -> Array:
        return self._binary("bitor", other, True)

    def __xor__(self, other: Any) -> Array:
        return self._binary("bitxor", other)

    def __rxor__(self, other: Any) -> Array:
        return self._binary("bitxor", other, True)

    def __lshift__(self, amount: Any) -> Array:
        return self._binary("shl", amount, dtype=np.uint64)

    def __rshift__(self, amount: Any) -> Array:
        return self._binary("shr", amount, dtype=np.uint64)

    def __eq__(self, other: object) -> Array:  # type: ignore[override]
        return self._binary("eq", other)

    def __ne__(self, other: object) -> Array:  # type: ignore[override]
        return self._binary("ne", other)

    def __lt__(self, other: Any) -> Array:
        return self._binary("lt", other)

    def __le__(self, other: Any) -> Array:
        return self._binary("le", other)

    def __gt__(self, other: Any) -> Array:
        return self._binary("gt", other)

    def __ge__(self, other: Any) -> Array:
        return self._binary("ge", other)

    def __neg__(self) -> Array:
        return Array(_icicle.fhe_unary(_UNARY["neg"], self._native))

    def __invert__(self) -> Array:
        return Array(_icicle.fhe_unary(_UNARY["not"], self._native))

    def min(self, other: Any) -> Array:
        """The smaller of each pair."""
        return self._method("min", other)

    def max(self, other: Any) -> Array:
        """The larger of each pair."""
        return self._method("max", other)

    def rotate_left(self, amount: Any) -> Array:
        """Rotated to higher bits."""
        return self._method("rotate_left", amount, np.uint64)

    def rotate_right(self, amount: Any) -> Array:
        """Rotated to lower bits."""
        return self._method("rotate_right", amount, np.uint64)

    def overflowing_add(self, other: Any) -> tuple[Array, Array]:
        """The sum, and whether it is above what the dtype holds."""
        return self._overflowing("overflowing_add", other)

    def overflowing_sub(self, other: Any) -> tuple[Array, Array]:
        """The difference, and whether it is below 0."""
        return self._overflowing("overflowing_sub", other)

    def _overflowing(self, op: str, other: Any) -> tuple[Array, Array]:
        operand = self._operand(op, other)
        if operand is NotImplemented:
            raise TypeError(f"{op}: {type(other).__name__} is no operand for an encrypted array of {self.dtype}")
        made, flags = _icicle.fhe_overflowing(_OVERFLOWING[op], self._native, operand)
        return Array(made), Array(flags)

    def select(self, x: Any, y: Any) -> Array:
        """Of an array of bool: of each pair of integers the first where it holds, else the second.

        Either or both may be clear: NumPy arrays or scalars, and beside an encrypted array integers.
        """
        kinds = [operand for operand in (x, y) if isinstance(operand, Array)]
        like = kinds[0] if kinds else None

        def operand(value: Any) -> Any:
            if isinstance(value, Array):
                return value._native
            if like is not None:
                found = like._operand("select", value)
                if found is not NotImplemented:
                    return found
            if isinstance(value, (np.ndarray, np.unsignedinteger)):
                return _elements("fhe_select", value)
            raise TypeError(f"select: {type(value).__name__} is no operand; of two clear ones both have a dtype")

        return Array(_icicle.fhe_select(self._native, operand(x), operand(y)))

    def sum(self) -> Array:
        """The sum of all elements, an array of one."""
        return Array(_icicle.fhe_unary(_UNARY["sum"], self._native))

    def count(self, dtype: Any = np.uint64) -> Array:
        """How many elements of an array of bool hold, as an array of one integer."""
        return Array(_icicle.fhe_count(self._native, _number("fhe_count", dtype)))

    def astype(self, dtype: Any) -> Array:
        """In another dtype: the low bits, or zeros above; bool as 0 and 1, integers as whether they are not 0."""
        return Array(_icicle.fhe_cast(self._native, _number("fhe_cast", dtype)))


def concatenate(arrays: Iterable[Array]) -> Array:
    """The elements of arrays, one array after another: copied where all lie on the host, else in the same memory.

    Raises InvalidArgument if there are none, or of other keys or dtypes.
    """
    return Array(_icicle.fhe_concatenate([array._native for array in arrays]))


def trivial(values: Any, dtype: Any = None) -> Array:
    """Elements that anyone can read, in the form of encrypted ones under the thread's server key.

    Raises InvalidArgument as ClientKey.encrypt, and without a server key.
    """
    return Array(_icicle.fhe_trivial(*_elements("fhe_trivial", values, dtype)))
