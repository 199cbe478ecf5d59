"""Groups of devices: independent jobs over them, and arrays and operations divided among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar, cast, overload

from . import _icicle
from .arguments import count, integer, need, shown
from .errors import InvalidArgument
from .field_array import FieldArray
from .point import PointArray
from .transform import make_ready

if TYPE_CHECKING:
    from types import TracebackType

    from . import xp
    from ._icicle import Device
    from .array import Array
    from .curve import Curve
    from .dtype import DeviceLike, DType
    from .field import Field

    Layout = Literal["blocks", "cyclic", "replicated"]

T = TypeVar("T")
S = TypeVar("S")
R = TypeVar("R")
P = ParamSpec("P")


class DeviceGroup:
    """Devices that work as one: each has a thread of the group's with the device current, and streams made once. The calling
    thread takes the place of the last device's where that has nothing else to do.

    DeviceGroup(devices=None, shares=None): a group of devices, or of every GPU of the machine if None, and where there is
    none of every CPU device. `shares` are each device's part of the work, in proportion: one operation is then split so
    among all, also where fewer would be faster, and a device of share 0 gets none of it. Without them the library divides
    by speed and leaves out devices that would make a call slower: of virtual CPU devices, which have the same cores, all
    but one.

    Any thread may use a group. `close()`, the end of a `with` block or of its last reference waits for its jobs and ends its
    threads. `curve.msm(…, group=group)` and `icicle.ntt(x, group=group)` divide one operation; `scatter` lays an array over
    the devices. An error of one device names it.

    Raises InvalidArgument without devices, for one named twice, and for shares that are not one number a device, negative,
    not finite or all zero; InvalidDevice; Internal if the system refuses a thread.

    >>> import icicle
    >>> with icicle.DeviceGroup() as group:
    ...     squares = group.map(lambda i: i * i, range(4))
    >>> squares
    [0, 1, 4, 9]
    """

    __slots__ = ("__weakref__", "_native")

    def __init__(self, devices: Iterable[DeviceLike] | None = None, shares: Sequence[float] | None = None) -> None:
        self._native = _icicle.Group(
            None if devices is None else list(devices), None if shares is None else list(shares)
        )

    def close(self) -> None:
        """Wait for the group's jobs and end its threads; later calls raise InvalidArgument. Raises nothing."""
        self._native.close()

    def __enter__(self) -> DeviceGroup:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<icicle.DeviceGroup of {', '.join(map(str, self.devices))}>"

    def __len__(self) -> int:
        return len(self.devices)

    @property
    def devices(self) -> list[Device]:
        """The devices, in the order they were given. Raises InvalidArgument if the group is closed."""
        return self._native.devices()

    @property
    def shares(self) -> list[float]:
        """Each device's part of the work, in proportion. Raises InvalidArgument if the group is closed."""
        return self._native.shares()

    def info(self, *, measure: bool = False) -> dict[str, Any]:
        """Devices, shares and links as plain data: `links[i][j]` says how copies go from device i to device j.

        `same memory`, `peer` (directly, such as over NVLink), or `host` (over the host's memory). With `measure` also
        `gigabytes_per_second`, measured at the first such call in the process.
        Raises InvalidArgument if the group is closed; OutOfMemory and CopyFailed of the measurement.
        """
        devices = self.devices
        links = [[_icicle.device_link(a, b, measure) for b in devices] for a in devices]
        found: dict[str, Any] = {
            "devices": [str(device) for device in devices],
            "shares": self.shares,
            "links": [[kind for kind, _ in row] for row in links],
        }
        if measure:
            found["gigabytes_per_second"] = [[round((speed or 0) / 1e9, 1) for _, speed in row] for row in links]
        return found

    def submit(self, position: int, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Call a function on the thread of the device at a position, with the device current.

        Calls of one device run one after another; where many wait already, this waits, too. The result is a Future of
        `concurrent.futures`; cancelling it before it runs keeps the function from being called.
        Raises TypeError or InvalidArgument for a position that is none, and if the group is closed.
        """
        position = count("group", "position", position)
        future: Future[R] = Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(function(*args, **kwargs))
            except BaseException as error:
                future.set_exception(error)

        self._native.submit(position, run)
        return future

    @overload
    def map(
        self,
        function: Callable[..., R],
        items: Iterable[Any],
        *,
        state: Callable[[Device], Any] | None = ...,
        streams: int | None = ...,
        progress: Callable[[int, int], object] | None = ...,
        return_exceptions: Literal[False] = ...,
    ) -> list[R]: ...
    @overload
    def map(
        self,
        function: Callable[..., R],
        items: Iterable[Any],
        *,
        state: Callable[[Device], Any] | None = ...,
        streams: int | None = ...,
        progress: Callable[[int, int], object] | None = ...,
        return_exceptions: bool,
    ) -> list[R | BaseException]: ...
    def map(
        self,
        function: Callable[..., R],
        items: Iterable[Any],
        *,
        state: Callable[[Device], Any] | None = None,
        streams: int | None = None,
        progress: Callable[[int, int], object] | None = None,
        return_exceptions: bool = False,
    ) -> list[Any]:
        """Call `function(item)` for each item, each on the device that is free, with it current; results in order.

        `state(device)`, called once on each device that gets a job, makes what its jobs share, such as bases on the device:
        `function(state, item)` is then called. With `streams` so many jobs are under way on a device at once, and each gets a
        stream of its own as the keyword `stream`; it is synchronized before the result counts. `progress(done, total)` is
        called after each job, on the thread that ran it; if it returns False no more jobs are started.

        A device takes a job only if it would end it before the others had done all that are left: a slow device beside
        fast ones does not keep the caller waiting. All jobs are done or failed on return. The first exception in the items'
        order is raised then, or with `return_exceptions` each stands in its place.
        Raises InvalidArgument for fewer streams than 1 and if the group is closed; Cancelled for jobs not started; what
        `function`, `state` and `progress` raise.
        """
        streams = None if streams is None else count("group_map", "streams", streams, least=1)
        answers = self._native.map(function, list(items), state, streams, progress)
        for i, answer in enumerate(answers):
            if isinstance(answer, _icicle.Failure):
                if not return_exceptions:
                    raise answer.exception
                answers[i] = answer.exception
        return answers

    @overload
    def scatter(self, x: Array, layout: Layout = "blocks") -> ShardedArray: ...
    @overload
    def scatter(self, x: _icicle.NumberArray, *, axis: int | None = 0) -> xp.ShardedArray: ...
    def scatter(self, x: Any, layout: Layout | None = None, *, axis: int | None = 0) -> Any:
        """A copy of an array over the group's devices.

        Of field elements or points, which have one axis, `layout` is blocks (consecutive elements, one block a device, as
        long as its share says; this if none is named), cyclic (element i on device i modulo their number) or replicated (every
        element on every device). An array of numbers is split along `axis`, each device getting consecutive indices, as many
        as its share says, or for None all of it is on every device: an `xp.ShardedArray`.
        Raises TypeError for what is no array, InvalidArgument for other axes or layouts; OutOfMemory; CopyFailed.
        """
        if isinstance(x, _icicle.NumberArray):
            from .xp.sharded import ShardedArray as ShardedNumbers

            if layout is not None:
                raise InvalidArgument("sharded_array", f"layout {shown(layout)}: is of vectors; name an axis")
            return ShardedNumbers(self, _icicle.ShardedNumbers.scatter(self._native, x, axis))
        if not isinstance(x, FieldArray | PointArray):
            raise TypeError(f"sharded: x {shown(x)}: must be a FieldArray, a PointArray or an xp.Array")
        if axis != 0:
            raise InvalidArgument("sharded", f"axis {axis}: is of arrays of numbers; name a layout")
        layout = "blocks" if layout is None else layout
        if x.ndim != 1:
            raise InvalidArgument("sharded", f"x of shape {x.shape}: must have one axis")
        native = self._native.scatter(x.size, x.dtype.itemsize, layout, x.buffer)
        return ShardedArray(self, native, x.dtype, x.size)

    def msm(self, curve: Curve, scalars: ShardedArray, points: ShardedArray) -> PointArray:
        """`Σ scalars[i]·points[i]` of sharded scalars and affine points, on the group's first device.

        Each device multiplies what it has, and the partial sums are added once.
        Raises TypeError for what is not sharded; InvalidArgument for other types, lengths or groups; OutOfMemory.
        """
        for name, x, dtype in [("scalars", scalars, curve.scalar), ("points", points, curve.affine)]:
            if need("msm", name, x, ShardedArray).dtype is not dtype:
                raise InvalidArgument("msm", f"{name} of {x.dtype}: must be of {dtype}")
        made = self._native.msm_sharded(curve.number, scalars._native, points._native, self.devices[0])
        return PointArray(made, curve.projective, ())


class ShardedArray:
    """Elements of one type over the devices of a group, made by `DeviceGroup.scatter`.

    `+`, `-`, `*`, `/` work with another array over the same devices, or one value. Calls are complete when they return.
    """

    __slots__ = ("_native", "dtype", "group", "size")
    # Arrays change; typeshed declares a method here.
    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None

    def __init__(self, group: DeviceGroup, native: _icicle.Vector, dtype: DType[Any], size: int) -> None:
        self.group = group
        self._native = native
        self.dtype = dtype
        self.size = size

    def __len__(self) -> int:
        return self.size

    def __repr__(self) -> str:
        return f"<icicle.ShardedArray of {self.size} {self.dtype}, {self.layout}, over {self.group!r}>"

    @property
    def layout(self) -> str:
        """How the elements lie over the devices: blocks, cyclic or replicated."""
        return self._native.layout

    @property
    def parts(self) -> list[tuple[Device, range]]:
        """Each device and the elements it holds. Raises InvalidArgument if the group is closed."""
        devices = self.group.devices
        found = zip(devices, enumerate(self._native.parts()), strict=True)
        cyclic, step = self.layout == "cyclic", len(devices)
        return [
            (device, range(i, self.size, step) if cyclic else range(start, end))
            for device, (i, (start, end, _)) in found
        ]

    def gather(self, device: DeviceLike | None = None) -> FieldArray | PointArray:
        """The whole array on one device, the current one if None. Raises InvalidDevice, OutOfMemory, CopyFailed."""
        on = _icicle.current_device() if device is None else _icicle.Device(device)
        made = self.group._native.gather(self._native, on)
        kind = PointArray if self.dtype.is_curve else FieldArray
        return kind(made, self.dtype, (self.size,))

    def to_layout(self, layout: Layout) -> ShardedArray:
        """A copy in another layout. Raises InvalidArgument for what is none, OutOfMemory, CopyFailed."""
        return self._made(self.group._native.reshard(self._native, layout))

    def _made(self, native: _icicle.Vector) -> ShardedArray:
        return ShardedArray(self.group, native, self.dtype, self.size)

    def _need_field(self, operation: str) -> Field:
        if self.dtype.is_curve:
            raise InvalidArgument(operation, f"array of {self.dtype}: must be of field elements")
        return cast("Field", self.dtype)

    def _binary(self, operation: str, other: Any) -> Any:
        field = self._need_field(f"vector_{operation}")
        group = self.group._native
        if not isinstance(other, ShardedArray):
            if not field._is_element(other):
                return NotImplemented
            if operation == "div":
                other = int_of(field.from_ints(other).inv())
                operation = "mul"
            if operation == "sub":
                other = (
                    tuple(-one for one in other) if isinstance(other, tuple) else -integer("vector_sub", "value", other)
                )
                operation = "add"
            return self._made(group.scalar(operation, field.number, field._pack([other]), self._native))
        if other.dtype is not self.dtype or other.size != self.size:
            rule = f"{other.size} of {other.dtype}: must be {self.size} of {self.dtype}"
            raise InvalidArgument(f"vector_{operation}", f"second array: {rule}")
        return self._made(group.binary(operation, field.number, self._native, other._native))

    def __add__(self, other: Any) -> ShardedArray:
        made: ShardedArray = self._binary("add", other)
        return made

    def __sub__(self, other: Any) -> ShardedArray:
        made: ShardedArray = self._binary("sub", other)
        return made

    def __mul__(self, other: Any) -> ShardedArray:
        made: ShardedArray = self._binary("mul", other)
        return made

    def __truediv__(self, other: Any) -> ShardedArray:
        made: ShardedArray = self._binary("div", other)
        return made

    __radd__ = __add__
    __rmul__ = __mul__

    def __iadd__(self, other: Any) -> ShardedArray:
        if not isinstance(other, ShardedArray) or other is self or (other.dtype, other.size) != (self.dtype, self.size):
            made: ShardedArray = self + other
            return made
        field = self._need_field("vector_accumulate")
        self.group._native.accumulate(field.number, self._native, other._native)
        return self

    def inv(self) -> ShardedArray:
        """The inverse of each element, zero where there is none. Raises InvalidArgument for points, OutOfMemory."""
        return self._made(self.group._native.inverse(self._need_field("vector_inv").number, self._native))

    def sum(self) -> FieldArray:
        """The sum of all elements, an array of no axes. Raises InvalidArgument for points, OutOfMemory."""
        return self._reduce("sum")

    def prod(self) -> FieldArray:
        """The product of all elements, an array of no axes. Raises InvalidArgument for points, OutOfMemory."""
        return self._reduce("prod")

    def _reduce(self, operation: str) -> FieldArray:
        field = self._need_field(f"vector_{operation}")
        made = self.group._native.reduce(operation, field.number, self._native, self.group.devices[0])
        return FieldArray(made, field, ())

    def evaluate(self, points: FieldArray) -> FieldArray:
        """Values of the polynomial with these coefficients, the constant one first, at each of `points`.

        Raises TypeError for what is no FieldArray; InvalidArgument for points of another field, and in cyclic layout.
        """
        field = self._need_field("poly_eval")
        if need("poly_eval", "points", points, FieldArray).dtype is not field:
            raise InvalidArgument("poly_eval", f"points of {points.dtype}: must be of {field}")
        made = self.group._native.evaluate(field.number, self._native, points.size, points.buffer)
        return FieldArray(made, field, points.shape)

    def ntt(
        self, *, batch: int = 1, inverse: bool = False, ordering: str = "nn", coset: int | None = None
    ) -> ShardedArray:
        """As `icicle.ntt`, where the elements lie: in four steps, with copies from device to device between them.

        The vector holds `batch` transforms one after another. Of several, each device does those that begin in its block,
        without copies where blocks are of whole transforms.

        Raises InvalidArgument in another layout than blocks, for a batch that does not divide the vector and as
        `icicle.ntt`, Unsupported.
        """
        field = self._need_field("ntt")
        batch = count("ntt", "batch", batch, least=1)
        for device in self.group.devices:
            make_ready(field, self.size // batch, device)
        data = None if coset is None else (integer("ntt", "coset", coset) % field.modulus).to_bytes(96, "little")
        made = self.group._native.transform_sharded(field.number, self._native, batch, inverse, ordering, data)
        return self._made(made)


def int_of(element: FieldArray) -> Any:
    """The one element of an array, as `from_ints` takes it."""
    found = element.to_ints()
    return tuple(found) if isinstance(found, list) else found
