"""Sum gradients over all ranks, one process each.

usage: mpiexec -n 4 python all_reduce.py
       torchrun --nproc-per-node 4 all_reduce.py

A listing that is handed around does this with one `ncclComm_t comm` and `ncclCommInitAll(&comm, 2, devices)`: that function writes
two communicators, the second over whatever lies behind the variable; and then one device alone calls `ncclAllReduce`, which waits for
the other for ever. Here each rank has a communicator of its own, and each calls the sum.
"""

import numpy

import icicle


def main(n=1 << 20):
    with icicle.Communicator.init() as comm:
        gradients = numpy.full(n, comm.rank + 1, numpy.float32)
        comm.all_reduce(gradients, out=gradients)  # in place
        total = comm.size * (comm.size + 1) // 2
        assert (gradients == total).all()
        print(f"rank {comm.rank} of {comm.size} on {comm.device}: every gradient is {total}", flush=True)


if __name__ == "__main__":
    main()
