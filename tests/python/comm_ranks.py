"""What the processes of test_comm_launch.py do: `python comm_ranks.py JOB …`, as one rank of several."""

import os
import sys
import time
from pathlib import Path

import numpy

import icicle
from icicle import xp


def every_operation(comm):
    """Every operation on small arrays of every kind; expected values are NumPy's."""
    rank, n = comm.rank, comm.size
    root = n - 1
    every = numpy.arange(3 * n, dtype=numpy.int64).reshape(n, 3) ** 2
    mine, total = every[rank], every.sum(0)
    names = {"sum": numpy.add, "prod": numpy.multiply, "min": numpy.minimum, "max": numpy.maximum}
    for make in (numpy.asarray, xp.asarray):
        x, same = make(mine), lambda found, expected: numpy.array_equal(numpy.asarray(found), expected)
        for op, function in names.items():
            expected = function.reduce(every)
            assert same(comm.all_reduce(x, op), expected), op
            found = comm.reduce(x, op, root)
            assert (found is None) == (rank != root) and (found is None or same(found, expected)), op
        assert same(comm.all_reduce(x, "avg"), total // n)
        both = make(mine.copy())
        assert comm.all_reduce(both, out=both) is both and same(both, total)
        assert same(x, mine), "what is sent stays"
        assert same(comm.broadcast(x, root), every[root])
        assert same(comm.all_gather(x), every.reshape(-1))
        found = comm.gather(x, root)
        assert (found is None) == (rank != root) and (found is None or same(found, every.reshape(-1)))
        whole = make(every)
        assert same(comm.scatter(whole if rank == root else None, root, out=make(numpy.zeros((1, 3), int))), mine[None])
        assert same(comm.reduce_scatter(whole), every[rank : rank + 1] * n)
        table = make(numpy.arange(n) + 100 * rank)
        assert same(comm.all_to_all(table), 100 * numpy.arange(n) + rank)
        if n > 1:
            after, before = (rank + 1) % n, (rank - 1) % n
            left, right = make(numpy.zeros(3, int)), make(numpy.zeros(3, int))
            with comm.group():
                comm.send(x, after)
                comm.recv(left, before)
                comm.send(x, before)
                comm.recv(right, after)
                both = comm.all_gather(x)
            assert same(left, every[before]) and same(right, every[after]) and same(both, every.reshape(-1))
    elements(comm)
    comm.barrier()


def elements(comm):
    """Field elements and points."""
    rank, n = comm.rank, comm.size
    field, curve = icicle.fields.bn254.scalar, icicle.curves.bn254
    x = field.from_ints([rank + 1, -1])
    assert comm.all_reduce(x).to_ints() == [n * (n + 1) // 2, field.modulus - n]
    product = 1
    for i in range(n):
        product *= i + 1
    assert comm.all_reduce(x, "prod").to_ints() == [product, 1 if n % 2 == 0 else field.modulus - 1]
    assert comm.all_gather(x).to_ints() == [value for i in range(n) for value in (i + 1, field.modulus - 1)]
    generator = curve.generator.reshape(1)
    scaled = field.from_ints([rank + 1]) * generator.astype(curve.projective)
    total = comm.all_reduce(scaled)
    assert total == field.from_ints([n * (n + 1) // 2]) * generator.astype(curve.projective)
    affine = comm.all_gather(scaled.astype(curve.affine))
    assert affine == field.from_ints(list(range(1, n + 1))) * curve.affine.from_ints([curve.generator.to_ints()] * n)
    assert comm.broadcast(affine[:1]) == generator


def main(job, *arguments):
    if job == "all":
        with icicle.Communicator.init(timeout=60) as comm:
            assert comm.size == int(arguments[0]), comm
            every_operation(comm)
    elif job == "file":
        with icicle.Communicator.init_rank(Path(arguments[0]), 3, int(arguments[1]), timeout=60) as comm:
            every_operation(comm)
    elif job == "bytes":
        size, rank = int(os.environ["WORLD_SIZE"]), int(os.environ["RANK"])
        comm = icicle.Communicator.init_rank(bytes.fromhex(arguments[0]), size, rank, timeout=60)
        comm.all_reduce(numpy.ones(1))
        print("ready", flush=True)
        time.sleep(60)
    else:
        raise SystemExit(f"no job {job}")


if __name__ == "__main__":
    main(*sys.argv[1:])
