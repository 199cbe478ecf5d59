"""How ranks find each other and their devices: what launchers set, ids that files tell."""

from __future__ import annotations

import os
import socket
import time
from typing import TYPE_CHECKING

from . import _icicle
from ._icicle import UniqueId
from .arguments import shown
from .errors import InvalidArgument, Timeout

if TYPE_CHECKING:
    from pathlib import Path

    from ._icicle import Device
    from .dtype import DeviceLike

GivenOptions = tuple[float | None, bool | None, bool]
"""Seconds to wait, whether to check, and whether to reduce in the order of ranks."""


def first_number(*names: str) -> int | None:
    """The first of these variables of the environment that is a number; None if none is. Raises nothing."""
    found = (os.environ.get(name, "") for name in names)
    return next((int(text) for text in found if text.isdigit()), None)


def local_rank() -> int | None:
    """This process's number among those of its host, as torchrun and MPI launchers set it; None if none did. Raises nothing."""
    return first_number("LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID")


def local_size() -> int | None:
    """How many processes the launcher started on this host; None if it does not say. Raises nothing."""
    return first_number("LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS")


def own_device(device: DeviceLike | None) -> Device:
    """The given device; by default the GPU of the process's number on its host, if each process has one there, or else the current
    device."""
    if device is not None:
        return _icicle.Device(device)
    number, gpus = local_rank(), [gpu for gpu in _icicle.devices() if gpu.kind == "cuda"]
    if number is None or len(gpus) < max(number + 1, local_size() or 0):
        return _icicle.current_device()
    return gpus[number]


def address_of(hosts: list[str]) -> str | None:
    """Where the first of these hosts listens for the others, None for the loopback interface."""
    if len(set(hosts)) == 1:
        return None
    found = socket.gethostbyname(hosts[0])
    if found.startswith("127."):
        rule = "must be one that the other hosts reach; give from_mpi an address"
        raise InvalidArgument("from_mpi", f"host {shown(hosts[0])} at {found}: {rule}")
    return f"{found}:0"


def by_file(path: Path, at: tuple[int, int, Device, GivenOptions]) -> _icicle.Comm:
    """A rank whose id is told by a file."""
    size, rank, device, given = at
    timeout = given[0]
    limit = time.monotonic() + (300.0 if timeout is None else timeout)
    if rank == 0:
        id, partial = UniqueId(), path.with_name(f".{path.name}.{os.getpid()}")
        partial.touch(mode=0o600)
        partial.write_bytes(id.to_bytes())
        try:
            os.link(partial, path)
        except FileExistsError:
            raise InvalidArgument("init_rank", f"file {shown(str(path))}: is there already; remove it first") from None
        finally:
            partial.unlink()
        try:
            return _icicle.Comm.init_rank(id, size, rank, device, given)
        finally:
            path.unlink(missing_ok=True)
    while not path.exists():
        if time.monotonic() >= limit:
            raise Timeout("init_rank", f"timed out waiting for rank 0 to write {shown(str(path))}")
        time.sleep(0.01)
    return _icicle.Comm.init_rank(UniqueId.from_bytes(path.read_bytes()), size, rank, device, given)
