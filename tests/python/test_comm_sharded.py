"""Collectives over arrays that lie on the devices of a group."""

import threading

import pytest

import icicle
from icicle import comm

FIELD, CURVE = icicle.fields.bn254.scalar, icicle.curves.bn254


@pytest.fixture
def over():
    with icicle.DeviceGroup(["cpu:0", "cpu:1"]) as group:
        yield group, icicle.Communicator.init_group(group, timeout=20)


def test_a_rank_for_each_device_of_a_group(over):
    group, ranks = over
    assert [(comm.rank, comm.size, comm.device) for comm in ranks] == [(i, 2, group.devices[i]) for i in range(2)]
    assert [comm.carrier for comm in ranks] == ["host memory"] * 2
    with pytest.raises(TypeError, match="init_group: group"):
        icicle.Communicator.init_group(["cpu"])
    group.close()
    with pytest.raises(icicle.InvalidArgument, match="the group is closed"):
        icicle.Communicator.init_group(group)


def test_what_carries_is_told():
    id, found = icicle.UniqueId(), [None, None]

    def join(rank):
        made = icicle.Communicator.init_rank(id, 2, rank, "cpu:0", timeout=20)
        found[rank] = made.carrier
        made.finalize()
        with pytest.raises(icicle.InvalidArgument, match="carrier: the communicator is closed"):
            _ = made.carrier

    threads = [threading.Thread(target=join, args=(rank,)) for rank in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["TCP", "TCP"]


def ints(x):
    return x.gather("cpu:0").to_ints()


def test_every_collective(over):
    group, ranks = over
    x = group.scatter(FIELD.from_ints([1, 2, 3, 4]))
    whole = group.scatter(FIELD.from_ints([1, 2, 3, 4]), "replicated")
    run = lambda operation, x, *given, **named: comm.run_sharded(ranks, operation, x, *given, **named)
    expected = {
        ("all_reduce", "sum", 0): [4, 6, 4, 6],
        ("all_reduce", "prod", 0): [3, 8, 3, 8],
        ("broadcast", "sum", 1): [3, 4, 3, 4],
        ("all_to_all", "sum", 0): [1, 3, 2, 4],
    }
    for (operation, op, root), values in expected.items():
        made = run(operation, x, op, root)
        assert (ints(made), made.layout, made.dtype, made.size) == (values, "blocks", FIELD, 4)
    for operation in ("all_gather", "gather"):
        made = run(operation, x)
        assert (ints(made), made.layout) == ([1, 2, 3, 4], "replicated")
    for operation, values in {"reduce_scatter": [2, 4, 6, 8], "scatter": [1, 2, 3, 4]}.items():
        made = run(operation, whole, root=1)
        assert (ints(made), made.layout) == (values, "blocks")
    cyclic = group.scatter(FIELD.from_ints([1, 2, 3, 4]), "cyclic")
    assert run("reduce", cyclic, "sum", 1, out=cyclic) is cyclic
    assert ints(cyclic) == [1, 3, 3, 7], "the root's has the sums"
    assert ints(x) == [1, 2, 3, 4], "operands are as they were"


def test_points_are_summed_and_affine_ones_moved(over):
    group, ranks = over
    affine = CURVE.affine.random(4)
    points = affine.astype(CURVE.projective)
    sums = comm.run_sharded(ranks, "all_reduce", group.scatter(points)).gather("cpu:0")
    assert sums[:2] == points[:2] + points[2:]
    assert sums[2:] == sums[:2]
    moved = comm.run_sharded(ranks, "all_to_all", group.scatter(affine)).gather("cpu:0")
    assert moved.astype(CURVE.projective) == points[[0, 2, 1, 3]]
    with pytest.raises(icicle.InvalidArgument, match="x of bn254 affine: must be bn254 projective"):
        comm.run_sharded(ranks, "all_reduce", group.scatter(affine))


def test_what_an_argument_breaks_is_named(over):
    group, ranks = over
    x, out = group.scatter(FIELD.from_ints([1, 2, 3, 4])), group.scatter(FIELD.zeros(4))
    other = group.scatter(icicle.fields.babybear.scalar.zeros(4))
    with icicle.DeviceGroup(["cpu:2", "cpu:3"]) as apart:
        elsewhere = apart.scatter(FIELD.zeros(4))
    run = lambda operation, *given, **named: comm.run_sharded(ranks, operation, *given, **named)
    refused = {
        'operation "sum": there is none': lambda: run("sum", x),
        "barrier: takes no vectors over a group": lambda: run("barrier", x),
        'op "mean": must be one of': lambda: run("all_reduce", x, "mean"),
        "broadcast: root 2: must be a rank": lambda: run("broadcast", x, "sum", 2),
        "broadcast: root -1": lambda: run("broadcast", x, "sum", -1),
        "number 0 of 1 is rank 0 of 2": lambda: comm.run_sharded(ranks[:1], "all_reduce", x),
        "must be blocks and replicated": lambda: run("all_gather", x, out=out),
        "all_gather: send: must be given": lambda: run("all_gather", x, out=x),
        "out of babybear": lambda: run("all_reduce", x, out=other),
        "recv on cpu:2, cpu:3: the ranks are on cpu:0, cpu:1": lambda: run("all_reduce", x, out=elsewhere),
        "of which devices hold [3, 2]": lambda: run("all_reduce", group.scatter(FIELD.zeros(5))),
    }
    for text, call in refused.items():
        with pytest.raises(icicle.InvalidArgument) as caught:
            call()
        assert text in str(caught.value)
    with pytest.raises(icicle.Unsupported, match="reduction max of elements of bn254"):
        run("all_reduce", x, "max")
    for wrong in (FIELD.zeros(4), None, [1, 2]):
        with pytest.raises(TypeError, match="all_reduce: x"):
            run("all_reduce", wrong)
        if wrong is not None:
            with pytest.raises(TypeError, match="all_reduce: out"):
                run("all_reduce", x, out=wrong)
    assert ints(out) == [0, 0, 0, 0]
    ranks[1].close()
    with pytest.raises(icicle.InvalidArgument, match="all_reduce: the communicator is closed"):
        run("all_reduce", x)
