"""Two layers of a network whose weights are divided over all ranks, one process each; then over a grid of ranks.

usage: mpiexec -n 4 python model_parallel.py
       torchrun --nproc-per-node 4 model_parallel.py

The first layer's weights are divided by columns: each rank computes its columns of the product, and none waits for another. The
second's are divided by rows: each rank has a summand of the whole product, and `reduce_scatter` leaves each the sum of its rows,
which `all_gather` brings together. In the grid, ranks of a row divide the model so, and ranks of a column the samples.
"""

import icicle
from icicle import xp

SAMPLES, FEATURES, HIDDEN, OUTPUTS = 24, 12, 48, 8


def part(x, rank, size, axis=0):
    """A rank's part of an axis."""
    n = x.shape[axis] // size
    return x[rank * n : (rank + 1) * n] if axis == 0 else x[:, rank * n : (rank + 1) * n]


def matrices(device):
    """Samples and two layers' weights: small integers, whose products are exact in every order."""
    keys = icicle.random.Key(3).split(3)
    shapes = [(SAMPLES, FEATURES), (FEATURES, HIDDEN), (HIDDEN, OUTPUTS)]
    drawn = [icicle.random.integers(key, -4, 5, shape, device="cpu") for key, shape in zip(keys, shapes)]
    return [xp.astype(x, xp.float64).to_device(device) for x in drawn]


def layers(comm, x, first, second):
    """`maximum(x @ first, 0) @ second`, of which this rank has its columns of `first` and its rows of `second`."""
    hidden = xp.maximum(x @ first, 0.0)
    rows = comm.reduce_scatter(hidden @ second)
    return comm.all_gather(rows)


def same(x, y):
    return x.shape == y.shape and bool(xp.all(x == y))


def main():
    with icicle.Communicator.init() as comm, comm.device:
        x, first, second = matrices(comm.device)
        expected = xp.maximum(x @ first, 0.0) @ second
        rank, size = comm.rank, comm.size
        found = layers(comm, x, part(first, rank, size, axis=1), part(second, rank, size))
        assert same(found, expected)

        # A grid: `across` divide the model, `along` the samples.
        columns = 2 if size % 2 == 0 else 1
        across, along = comm.split(rank // columns), comm.split(rank % columns)
        mine = part(x, along.rank, along.size)
        weights = part(first, across.rank, across.size, axis=1), part(second, across.rank, across.size)
        found = layers(across, mine, *weights)
        assert same(along.all_gather(found), expected)
        # The gradient of second for an error of 1 everywhere: a sum over all samples, so over the ranks of a column.
        hidden = xp.maximum(mine @ weights[0], 0.0)
        gradient = along.all_reduce(hidden.T @ xp.ones((mine.shape[0], OUTPUTS), dtype=xp.float64, device=comm.device))
        whole = xp.maximum(x @ first, 0.0).T @ xp.ones((SAMPLES, OUTPUTS), dtype=xp.float64, device=comm.device)
        assert same(gradient, part(whole, across.rank, across.size))
        across.finalize()
        along.finalize()
        if rank == 0:
            print(f"{size} ranks, and {size // columns} by {columns}: the divided products are those of one device")


if __name__ == "__main__":
    main()
