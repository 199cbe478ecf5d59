"""A multi-scalar multiplication divided over all ranks, one process each, which ends in a sum of curve points.

usage: mpiexec -n 4 python sharded_msm.py
       torchrun --nproc-per-node 4 sharded_msm.py
"""

import icicle


def main(n=1 << 10):
    curve = icicle.curves.bn254
    with icicle.Communicator.init() as comm, comm.device:
        n -= n % comm.size
        scalars = points = None
        if comm.rank == 0:
            scalars, points = curve.scalar.random(n), curve.affine.random(n)
        # Each rank gets its part, multiplies, and all get the sum.
        part = n // comm.size
        my_scalars = comm.scatter(scalars, out=curve.scalar.empty(part))
        my_points = comm.scatter(points, out=curve.affine.empty(part))
        total = comm.all_reduce(curve.msm(my_scalars, my_points))
        if comm.rank == 0:
            assert total == curve.msm(scalars, points)
            print(f"{comm.size} ranks: the sum of {n} products is that of one device")


if __name__ == "__main__":
    main()
