"""Collectives over arrays that lie on the devices of a group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from . import _icicle
from .arguments import count, need
from .errors import InvalidArgument
from .group import ShardedArray
from .operands import elements_of

if TYPE_CHECKING:
    from .comm import Communicator, ReduceOp
    from .group import Layout

    Collective = Literal[
        "all_reduce", "broadcast", "reduce", "all_gather", "reduce_scatter", "all_to_all", "gather", "scatter"
    ]

_LAYOUTS: dict[str, Layout] = {
    "all_gather": "replicated",
    "gather": "replicated",
    "reduce_scatter": "blocks",
    "scatter": "blocks",
}
"""Of results, where they are not the operand's."""


def run_sharded(
    ranks: Sequence[Communicator],
    operation: Collective,
    x: ShardedArray,
    op: ReduceOp = "sum",
    root: int = 0,
    *,
    out: ShardedArray | None = None,
) -> ShardedArray:
    """A collective of all ranks of this process at once, where each rank's operand is what its device holds of `x`.

    `ranks` are all ranks of a communicator, in their order, as `Communicator.init_group` makes them. Every device holds as many
    elements. "all_reduce", "broadcast", "reduce" and "all_to_all" take any layout, and the result has the same; "all_gather" and
    "gather" take blocks and give a replicated array, "reduce_scatter" and "scatter" the reverse. Where a device receives nothing,
    what is new there has unspecified values. In place, of the first three: out=x.

    Raises TypeError for what is no ShardedArray; InvalidArgument for another operation, for ranks that are not all, and for arrays on
    other devices, of other types, lengths or layouts, or of which devices hold unequally many; otherwise as `all_reduce`.

    >>> import icicle
    >>> group = icicle.DeviceGroup(["cpu:0"])
    >>> ranks = icicle.Communicator.init_group(group)
    >>> x = group.scatter(icicle.fields.bn254.scalar.from_ints([1, 2, 3]))
    >>> icicle.comm.run_sharded(ranks, "all_gather", x).layout
    'replicated'
    """
    send = need(operation, "x", x, ShardedArray)
    type, factor, refusal = elements_of(x.dtype)
    if operation in ("all_reduce", "reduce", "reduce_scatter") and refusal:
        raise InvalidArgument(operation, refusal)
    if out is None:
        layout = _LAYOUTS.get(operation, x.layout)
        out = ShardedArray(x.group, x.group._native.like(x._native, layout), x.dtype, x.size)
    elif need(operation, "out", out, ShardedArray).dtype is not x.dtype:
        raise InvalidArgument(operation, f"out of {out.dtype}: must be of {x.dtype}")
    root, natives = count(operation, "root", root), [rank._native for rank in ranks]
    _icicle.comm_run_sharded(natives, operation, type, op, root, send._native, out._native)
    return out
