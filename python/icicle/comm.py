"""Collectives: operations of several ranks, each with a device, in one process or in several.

>>> import threading, icicle
>>> from icicle import xp
>>> def job(comm):
...     sums[comm.rank] = comm.all_reduce(xp.asarray([1, comm.rank])).tolist()
>>> ranks, sums = icicle.Communicator.init_all(["cpu:0", "cpu:0"]), [None, None]
>>> threads = [threading.Thread(target=job, args=(comm,)) for comm in ranks]
>>> for thread in threads: thread.start()
>>> for thread in threads: thread.join()
>>> sums
[[2, 1], [2, 1]]

Operands are NumPy arrays and whatever has the buffer protocol, arrays of numbers (`xp`), of field elements and of points, and
buffers (bytes); types and places are known from them. Their elements lie in order.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from . import _icicle
from ._icicle import UniqueId
from .arguments import count, need
from .comm_sharded import run_sharded
from .errors import Error, InvalidArgument
from .group import DeviceGroup
from .operands import Operand, operand
from .rendezvous import address_of, by_file, own_device

if TYPE_CHECKING:
    from types import TracebackType

    from ._icicle import Device, Stream
    from .dtype import DeviceLike

    ReduceOp = Literal["sum", "prod", "min", "max", "avg"]
    Share = Callable[[bytes | None], bytes]

__all__ = ["Communicator", "UniqueId", "group", "run_sharded"]

_groups = threading.local()
"""The calls of the group that a thread is in, as `calls`."""


@contextmanager
def group() -> Iterator[None]:
    """Calls in the block are done as one at its end, of one rank or of several: transfers in both directions at once.

    What they return has its values after the block; if the block raises, nothing is done. One thread may so issue the calls of
    several ranks of its process. A group in a group is part of it. Raises at the end of the block what its calls raise.

    >>> import icicle, numpy
    >>> ranks = icicle.Communicator.init_all(["cpu:0", "cpu:0"])
    >>> with icicle.comm.group():
    ...     sums = [comm.all_reduce(numpy.array([1.5, comm.rank])) for comm in ranks]
    >>> [x.tolist() for x in sums]
    [[3.0, 1.0], [3.0, 1.0]]
    """
    if getattr(_groups, "calls", None) is not None:
        yield
        return
    calls: list[Any] = []
    _groups.calls = calls
    try:
        yield
    finally:
        _groups.calls = None
    if calls:
        _icicle.comm_run(calls)


class Communicator:
    """One rank's end of a group of ranks, each with a device; made by `init` and the other class methods.

    Every rank calls the same operations in the same order, from a thread or process of its own, or one thread calls for several
    ranks by `group()`. Once a call failed for what another rank did or did not do, each later call raises the first error at once:
    make a new communicator. Calls that are refused for their arguments send nothing and harm nothing.

    The end of a `with` block finalizes, or, if the block raised, aborts and closes. Without either, the end of the last reference
    leaves the group: ranks that wait for this one then fail and say so. Any thread may call `abort()`.

    Elements are reduced in the order of ranks: all of them get the same bits. What an operation returns is a new array of the kind
    of its operand, or `out`, which may be the operand itself where the operation can be done in place.

    A call with `stream=` is asynchronous on devices that have streams, where its operands are arrays of field elements or points, or
    buffers: see Stream. Without one, of other operands, and on the CPU, it is complete when it returns.
    """

    __slots__ = ("__weakref__", "_native")

    _native: _icicle.Comm

    def __init__(self) -> None:
        raise TypeError("Communicator: use init, init_all, init_rank, from_env or from_mpi")

    @classmethod
    def _of(cls, native: _icicle.Comm) -> Communicator:
        made = object.__new__(cls)
        made._native = native
        return made

    @classmethod
    def init(
        cls,
        device: DeviceLike | None = None,
        *,
        timeout: float | None = None,
        check: bool | None = None,
        ordered: bool = False,
    ) -> Communicator:
        """The communicator of all processes that a launcher started: torchrun (`from_env`), or mpiexec (`from_mpi`).

        A process that none started is the only rank. The device is by default the GPU of the process's number on its host, if each
        process has one there, or else the current device. Raises as those two.
        """
        if "RANK" in os.environ and "WORLD_SIZE" in os.environ:
            return cls.from_env(device, timeout=timeout, check=check, ordered=ordered)
        if any(name in os.environ for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK")):
            return cls.from_mpi(device=device, timeout=timeout, check=check, ordered=ordered)
        return cls.init_all([own_device(device)], timeout=timeout, check=check, ordered=ordered)[0]

    @classmethod
    def init_all(
        cls,
        devices: Iterable[DeviceLike] | None = None,
        *,
        timeout: float | None = None,
        check: bool | None = None,
        ordered: bool = False,
    ) -> list[Communicator]:
        """Communicators of this process, one rank for each device, all devices if None; a device may be named more than once.

        `timeout` is how many seconds a call waits for ranks that do not come or do not go on, 300 if None. `check` has no
        effect here: ranks of one process are always compared. `ordered` has GPUs reduce numbers in the order of ranks, as CPU
        devices always do, so that floats have the same bits as there; else NCCL, where it carries, reduces those that it has.

        Raises InvalidArgument if there are none or more than 1024, or for a timeout that is not positive; InvalidDevice; Unsupported
        for devices without collectives.
        """
        devices = _icicle.devices() if devices is None else list(devices)
        return [cls._of(native) for native in _icicle.Comm.init_all(devices, (timeout, check, ordered))]

    @classmethod
    def init_group(
        cls,
        group: DeviceGroup,
        *,
        timeout: float | None = None,
        check: bool | None = None,
        ordered: bool = False,
    ) -> list[Communicator]:
        """As `init_all`, one rank for each device of a group, in its order: for `run_sharded`. Raises as `init_all`; TypeError for
        what is no DeviceGroup; InvalidArgument if it is closed."""
        devices = need("init_group", "group", group, DeviceGroup).devices
        return cls.init_all(devices, timeout=timeout, check=check, ordered=ordered)

    @classmethod
    def init_rank(
        cls,
        id: UniqueId | bytes | os.PathLike[str] | Share,
        size: int,
        rank: int,
        device: DeviceLike | None = None,
        *,
        timeout: float | None = None,
        check: bool | None = None,
        ordered: bool = False,
    ) -> Communicator:
        """Rank `rank` of `size`, each perhaps in a process of its own: waits until all came.

        `id` is what they find each other by: a UniqueId, made in rank 0's process, or its bytes; the path of a file, which rank 0
        writes for the others to read and removes once all came, and which must not be there before; or a callable, which is called
        at every rank, with the id's bytes at rank 0 and None elsewhere, and returns rank 0's bytes at all, as mpi4py's `bcast` does.
        Of files and callables the id is for ranks of one host. `timeout` and the device are as of `init`; with `check`, which all
        ranks set alike, ranks compare what each is about to do before any data is sent; None is whether the environment has
        ICICLE_COMM_CHECK=1. `ordered`, which all set alike too, is as of `init_all`.

        Raises TypeError for another id; InvalidArgument if the rank is not below the size, that not 1 to 1024, the id is none or
        used already, or the file is there; Timeout, which names the ranks that did not come; RemoteError if another rank failed or refused
        this one; InvalidDevice; Unsupported for devices without collectives; what the callable raises.
        """
        operation = "init_rank"
        size, rank = count(operation, "size", size), count(operation, "rank", rank)
        at = (size, rank, own_device(device), (timeout, check, ordered))
        if isinstance(id, os.PathLike):
            return cls._of(by_file(Path(id), at))
        if callable(id):
            own = UniqueId() if rank == 0 else None
            told = id(None if own is None else own.to_bytes())
            return cls._of(_icicle.Comm.init_rank(own or UniqueId.from_bytes(told), *at))
        if isinstance(id, bytes):
            id = UniqueId.from_bytes(id)
        return cls._of(_icicle.Comm.init_rank(need(operation, "id", id, UniqueId), *at))

    @classmethod
    def from_env(
        cls,
        device: DeviceLike | None = None,
        *,
        timeout: float | None = None,
        check: bool | None = None,
        ordered: bool = False,
    ) -> Communicator:
        """The rank that the environment says: RANK of WORLD_SIZE, rank 0 listening at MASTER_ADDR and MASTER_PORT.

        torchrun sets them. Where its own store has that port it is the next one; ICICLE_COMM_PORT chooses another. There is no secret but
        what ICICLE_COMM_SECRET says, the same for all ranks: set it where others reach the port. Raises InvalidArgument if a variable is
        missing or no number, or rank 0 cannot listen there; otherwise as `init_rank`.
        """
        return cls._of(_icicle.Comm.from_env(own_device(device), (timeout, check, ordered)))

    @classmethod
    def from_mpi(
        cls,
        mpi: Any = None,
        device: DeviceLike | None = None,
        *,
        address: str | None = None,
        timeout: float | None = None,
        check: bool | None = None,
        ordered: bool = False,
    ) -> Communicator:
        """The ranks of a communicator of mpi4py, `MPI.COMM_WORLD` if None, which tells all of them the id.

        Rank 0 listens at `address`, as of UniqueId; if None on the loopback interface where all ranks are on one host, and otherwise
        where its host's name leads. Raises ModuleNotFoundError without mpi4py; InvalidArgument if that is an address that other hosts do not
        reach; otherwise as `init_rank`.
        """
        if mpi is None:
            from mpi4py import MPI

            mpi = MPI.COMM_WORLD
        own, hosts = None, mpi.allgather(os.uname().nodename)
        if mpi.rank == 0:
            own = UniqueId(address or address_of(hosts))
        told = mpi.bcast(None if own is None else own.to_bytes(), root=0)
        id = own or UniqueId.from_bytes(told)
        return cls._of(_icicle.Comm.init_rank(id, mpi.size, mpi.rank, own_device(device), (timeout, check, ordered)))

    @property
    def rank(self) -> int:
        """This rank, from 0. Raises InvalidArgument if the communicator is closed."""
        return self._native.rank()

    @property
    def size(self) -> int:
        """How many ranks there are. Raises InvalidArgument if the communicator is closed."""
        return self._native.size()

    @property
    def device(self) -> Device:
        """This rank's device. Raises InvalidArgument if the communicator is closed."""
        return self._native.device()

    @property
    def carrier(self) -> str:
        """What carries, for humans: "host memory", "TCP", "copies between devices", or "NCCL" and its version.

        Raises InvalidArgument if the communicator is closed.
        """
        return self._native.carrier()

    @property
    def failure(self) -> Error | None:
        """The error that ended communication, if one did, such as one that a call of another thread met.

        Raises InvalidArgument if the communicator is closed.
        """
        failure: Error | None = self._native.failure()
        return failure

    def __repr__(self) -> str:
        try:
            return f"<icicle.Communicator, rank {self.rank} of {self.size}, {self.device}>"
        except InvalidArgument:
            return "<icicle.Communicator, closed>"

    def split(self, color: int | None, key: int = 0) -> Communicator | None:
        """Divide the ranks: those of one color make a communicator, ordered by key, and by their rank where keys are equal.

        All ranks call it; this communicator stays as it is. A rank whose color is None gets None. Raises InvalidArgument for a color
        that is negative or exceeds 32 bits; Timeout; RemoteError; Cancelled if the communicator is aborted.
        """
        if color is not None:
            color = count("split", "color", color, most=(1 << 32) - 1)
        part = self._native.split(color, key)
        return None if part is None else self._of(part)

    def abort(self) -> None:
        """End communication: calls of this rank that wait, in any thread, raise Cancelled, and so do later ones.

        The other ranks raise RemoteError as they notice, those of one process Cancelled. Raises InvalidArgument if closed.
        """
        self._native.abort()

    def finalize(self) -> None:
        """Wait for all ranks to finalize, and leave. Raises Timeout, RemoteError, Cancelled; InvalidArgument if closed."""
        self._native.finalize()

    def close(self) -> None:
        """Leave, without waiting for others: those that wait for this rank raise RemoteError. Calls of other threads are done first.

        Raises nothing.
        """
        self._native.close()

    def __enter__(self) -> Communicator:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.finalize()
        else:
            with suppress(InvalidArgument):  # closed in the block
                self.abort()
            self.close()

    group = staticmethod(group)

    def _run(
        self,
        operation: str,
        like: Operand,
        elements: int,
        *,
        op: str | None = None,
        peer: int = 0,
        send: Operand | None = None,
        recv: Operand | None = None,
        stream: Stream | None = None,
    ) -> None:
        if op is not None and like.refuses_reductions:
            raise InvalidArgument(operation, like.refuses_reductions)
        memory = [None if one is None else one.memory for one in (send, recv)]
        call = (self._native, operation, like.type, op, elements, peer, *memory, stream)
        calls = getattr(_groups, "calls", None)
        if calls is None:
            _icicle.comm_run([call])
        else:
            calls.append(call)

    def _output(self, operation: str, x: Operand, shape: tuple[int, ...], out: Any) -> Operand:
        """Where to receive elements of the type of `x`: `out`, or a new array."""
        if out is None:
            return operand(operation, x.empty(operation, shape, self.device))
        made = operand(operation, out, writes=True)
        if made.type != x.type or made.factor != x.factor:
            raise InvalidArgument(operation, f"out of {made.what}: must be of {x.what}")
        if made.shape != shape:
            raise InvalidArgument(operation, f"out of shape {made.shape}: must be {shape}")
        return made

    def _divided(self, operation: str, x: Operand) -> tuple[int, ...]:
        """The shape of a rank's part of what has parts of all ranks along its first axis."""
        if not x.shape or x.shape[0] % self.size:
            rule = f"its first axis must be a multiple of the {self.size} ranks"
            raise InvalidArgument(operation, f"x of shape {x.shape}: {rule}")
        return (x.shape[0] // self.size, *x.shape[1:])

    def _joined(self, x: Operand) -> tuple[int, ...]:
        """The shape of all ranks' parts along the first axis."""
        first = x.shape[0] if x.shape else 1
        return (first * self.size, *x.shape[1:])

    def _peer(self, operation: str, name: str, value: int) -> int:
        return count(operation, name, value)

    def all_reduce(self, x: Any, op: ReduceOp = "sum", *, out: Any = None, stream: Stream | None = None) -> Any:
        """The reduction of all ranks' `x`, elementwise, at every rank: "sum", "prod", "min", "max" or "avg". In place: out=x.

        Integers wrap, 16-bit floats are reduced in float32. Booleans have no average, complex numbers no least and greatest; field
        elements have sums and products, projective points sums. Raises TypeError for what is no array; InvalidArgument for other
        shapes or types of `out`, and if the ranks' calls differ; Unsupported for a reduction that the type has not; InvalidPointer for
        memory of another device; Timeout, which names the ranks that did not come or did not go on; RemoteError if a rank failed or
        left; Cancelled if the communicator is aborted.
        """
        send = operand("all_reduce", x)
        recv = self._output("all_reduce", send, send.shape, out)
        self._run("all_reduce", send, send.elements, op=op, send=send, recv=recv, stream=stream)
        return recv.object

    def broadcast(self, x: Any, root: int = 0, *, out: Any = None, stream: Stream | None = None) -> Any:
        """The root's `x` at every rank; at the others only its type and shape count. In place: out=x. Raises as `all_reduce`."""
        send, root = operand("broadcast", x), self._peer("broadcast", "root", root)
        recv = self._output("broadcast", send, send.shape, out)
        at_root = send if root == self.rank else None
        self._run("broadcast", send, send.elements, peer=root, send=at_root, recv=recv, stream=stream)
        return recv.object

    def reduce(
        self, x: Any, op: ReduceOp = "sum", root: int = 0, *, out: Any = None, stream: Stream | None = None
    ) -> Any:
        """The reduction of all ranks' `x` at the root, None at the others. In place: out=x. Raises as `all_reduce`."""
        send, root = operand("reduce", x), self._peer("reduce", "root", root)
        recv = self._output("reduce", send, send.shape, out) if root == self.rank else None
        self._run("reduce", send, send.elements, op=op, peer=root, send=send, recv=recv, stream=stream)
        return None if recv is None else recv.object

    def all_gather(self, x: Any, *, out: Any = None, stream: Stream | None = None) -> Any:
        """All ranks' `x`, one after another along the first axis, at every rank. Raises as `all_reduce`."""
        send = operand("all_gather", x)
        recv = self._output("all_gather", send, self._joined(send), out)
        self._run("all_gather", send, send.elements, send=send, recv=recv, stream=stream)
        return recv.object

    def reduce_scatter(self, x: Any, op: ReduceOp = "sum", *, out: Any = None, stream: Stream | None = None) -> Any:
        """This rank's part of the reduction of all ranks' `x`, whose first axis is divided among them. Raises as `all_reduce`."""
        send = operand("reduce_scatter", x)
        recv = self._output("reduce_scatter", send, self._divided("reduce_scatter", send), out)
        self._run("reduce_scatter", send, recv.elements, op=op, send=send, recv=recv, stream=stream)
        return recv.object

    def all_to_all(self, x: Any, *, out: Any = None, stream: Stream | None = None) -> Any:
        """From each rank its part for this one: the first axis of each `x` is divided among the ranks. Raises as `all_reduce`."""
        send = operand("all_to_all", x)
        part = self._divided("all_to_all", send)
        recv = self._output("all_to_all", send, send.shape, out)
        self._run("all_to_all", send, math.prod(part) * send.factor, send=send, recv=recv, stream=stream)
        return recv.object

    def gather(self, x: Any, root: int = 0, *, out: Any = None, stream: Stream | None = None) -> Any:
        """All ranks' `x`, one after another along the first axis, at the root; None at the others. Raises as `all_reduce`."""
        send, root = operand("gather", x), self._peer("gather", "root", root)
        recv = self._output("gather", send, self._joined(send), out) if root == self.rank else None
        self._run("gather", send, send.elements, peer=root, send=send, recv=recv, stream=stream)
        return None if recv is None else recv.object

    def scatter(self, x: Any = None, root: int = 0, *, out: Any = None, stream: Stream | None = None) -> Any:
        """This rank's part of the root's `x`, whose first axis is divided among the ranks.

        At other ranks `x` does not count, and `out` says type and shape: it must be given there. Raises as `all_reduce`, and TypeError
        if it is not.
        """
        root, send = self._peer("scatter", "root", root), None
        if root == self.rank:
            send = operand("scatter", x)
            recv = self._output("scatter", send, self._divided("scatter", send), out)
        elif out is None:
            raise TypeError(f"scatter: out None: must be an array at rank {self.rank}, which is not the root")
        else:
            recv = operand("scatter", out, writes=True)
        self._run("scatter", recv, recv.elements, peer=root, send=send, recv=recv, stream=stream)
        return recv.object

    def send(self, x: Any, peer: int, *, stream: Stream | None = None) -> None:
        """Send to another rank, which calls `recv`; to this one in a group that has both. Raises as `all_reduce`."""
        send, peer = operand("send", x), self._peer("send", "peer", peer)
        self._run("send", send, send.elements, peer=peer, send=send, stream=stream)

    def recv(self, out: Any, peer: int, *, stream: Stream | None = None) -> Any:
        """Receive to `out` from another rank, which calls `send`; returns `out`. Raises as `all_reduce`."""
        recv, peer = operand("recv", out, writes=True), self._peer("recv", "peer", peer)
        self._run("recv", recv, recv.elements, peer=peer, recv=recv, stream=stream)
        return recv.object

    def barrier(self, *, stream: Stream | None = None) -> None:
        """Wait for all ranks. Raises Timeout, RemoteError, Cancelled; InvalidArgument if the communicator is closed."""
        self._run("barrier", operand("barrier", bytearray()), 0, stream=stream)
