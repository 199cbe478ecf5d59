"""Collectives: ranks in threads, on one transport and over TCP; and what goes wrong between them."""

import threading
import time

import comm_ranks
import numpy
import pytest

import icicle
from icicle import xp

DEVICES = ["cpu:0", "cpu:1", "cpu:2", "cpu:3"]


def each(comms, job):
    """What a job returned or raised as each rank, in threads."""
    results = [None] * len(comms)

    def run(i):
        try:
            results[i] = job(comms[i])
        except BaseException as error:
            results[i] = error

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(comms))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def local(n, timeout=30):
    return icicle.Communicator.init_all(DEVICES[:n], timeout=timeout)


def connected(n, timeout=30, check=None):
    id = icicle.UniqueId()
    make = lambda rank: icicle.Communicator.init_rank(id, n, rank, DEVICES[rank], timeout=timeout, check=check)
    return each(range(n), make)


TRANSPORTS = pytest.mark.parametrize("connect", [local, connected])


@TRANSPORTS
@pytest.mark.parametrize("n", [1, 3])
def test_every_operation(connect, n):
    def job(comm):
        with comm.device, comm:
            comm_ranks.every_operation(comm)

    assert each(connect(n), job) == [None] * n


def test_types_are_known_from_operands():
    names = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128"
    for name in names.split():
        x = numpy.ones((2, 3), name)
        for found in each(local(2), lambda comm: comm.all_reduce(x)):
            assert found.dtype == x.dtype and found.shape == x.shape
            assert (found == (True if name == "bool" else 2)).all()
    for dtype in (xp.bfloat16,) if hasattr(xp, "bfloat16") else ():
        found = each(local(2), lambda comm: comm.all_reduce(xp.ones(3, dtype=dtype, device=comm.device)))
        assert [x.tolist() for x in found] == [[2, 2, 2]] * 2
    out = [bytearray(4), bytearray(4)]
    each(local(2), lambda comm: comm.all_gather(bytes([comm.rank + 1, 7]), out=out[comm.rank]))
    assert out == [bytearray([1, 7, 2, 7])] * 2
    buffers = each(local(2), lambda comm: comm.all_reduce(icicle.Buffer.from_bytes(b"\1\2\3\4", comm.device)))
    assert [x.tobytes() for x in buffers] == [b"\2\4\6\10"] * 2
    assert [x.device for x in buffers] == [icicle.Device("cpu:0"), icicle.Device("cpu:1")]


def test_arrays_without_axes_and_without_elements():
    def job(comm):
        x = numpy.array(comm.rank + 1.5)
        assert comm.all_reduce(x, out=x) is x and x.shape == () and x == 4.0
        assert comm.all_gather(numpy.float32(comm.rank)).tolist() == [0.0, 1.0]
        assert comm.all_reduce(xp.asarray(2, device=comm.device)).tolist() == 4
        with pytest.raises(icicle.InvalidArgument, match="must be memory that may be written"):
            comm.all_reduce(x, out=numpy.float64(1))
        for make in (numpy.zeros, lambda n: xp.zeros(n, device=comm.device)):
            assert comm.all_reduce(make(0)).shape == (0,) and comm.all_gather(make((3, 0))).shape == (6, 0)
        field = icicle.fields.bn254.scalar
        assert comm.all_gather(field.empty(0, device=comm.device)).shape == (0,)
        assert comm.all_gather(field.ones((), device=comm.device)).shape == (2,)

    assert each(local(2), job) == [None, None]


@TRANSPORTS
def test_the_end_of_a_block_waits_for_all_ranks(connect):
    ends = {}

    def job(comm):
        rank = comm.rank
        with comm:
            time.sleep(0.3 * rank)
            ends[rank] = time.monotonic()
        ends[rank + 2] = time.monotonic()
        with pytest.raises(icicle.InvalidArgument, match="the communicator is closed"):
            comm.barrier()

    assert each(connect(2), job) == [None, None]
    assert ends[2] >= ends[1], "rank 0 did not wait"

    def fail(comm):
        with comm:
            if comm.rank == 1:
                1 / 0
            comm.barrier()

    start = time.monotonic()
    waited, raised = each(connect(2, timeout=60), fail)
    assert isinstance(raised, ZeroDivisionError) and isinstance(waited, (icicle.Cancelled, icicle.RemoteError))
    assert time.monotonic() - start < 30


def test_a_block_that_closes_and_raises_raises_its_own():
    (comm,) = local(1)
    with pytest.raises(ZeroDivisionError):
        with comm:
            comm.close()
            1 / 0


def test_calls_on_streams():
    def job(comm):
        stream, x = icicle.Stream(comm.device), icicle.fields.bn254.scalar.ones(3, device=comm.device)
        sums = comm.all_reduce(x, stream=stream)
        with comm.group():
            gathered = comm.all_gather(numpy.array([comm.rank]), stream=stream)
        stream.synchronize()
        assert sums.to_ints() == [2, 2, 2] and gathered.tolist() == [0, 1]
        with pytest.raises(icicle.InvalidArgument, match="stream of cpu:3: the communicator's rank is on"):
            comm.all_reduce(x, stream=icicle.Stream("cpu:3"))

    assert each(local(2), job) == [None, None]


def test_arrays_of_numbers_are_values():
    def job(comm):
        x = xp.asarray([1.0, 2.0], device=comm.device)
        view, other = x[::-1], x
        comm.all_reduce(view, out=view)
        assert view.tolist() == [4.0, 2.0] and x.tolist() == [1.0, 2.0] == other.tolist()
        assert view.device == comm.device

    assert each(local(2), job) == [None, None]


def test_ranks_are_split():
    def job(comm):
        part = comm.split(None if comm.rank == 3 else comm.rank % 2, -comm.rank)
        if part is None:
            return None
        with part:
            return part.rank, part.size, part.device, part.all_reduce(numpy.array([comm.rank])).item()

    devices = [icicle.Device(name) for name in DEVICES]
    expected = [(1, 2, devices[0], 2), (0, 1, devices[1], 1), (0, 2, devices[2], 2), None]
    for connect in (local, connected):
        assert each(connect(4), job) == expected


def test_what_an_argument_breaks_is_named():
    (comm, other), x = local(2), numpy.arange(4.0)
    field = icicle.fields.bn254.scalar
    curve = icicle.curves.bn254
    refused = {
        'all_reduce: op "mean": must be one of': lambda: comm.all_reduce(x, "mean"),
        "all_reduce: out of shape (3,): must be (4,)": lambda: comm.all_reduce(x, out=x[:3]),
        "all_reduce: out of float32: must be of float64": lambda: comm.all_reduce(x, out=numpy.zeros(4, "f4")),
        "out of type bytes: must be memory that may be written": lambda: comm.all_reduce(bytearray(4), out=bytes(4)),
        "reduce_scatter: x of shape (3,): its first axis must be a multiple of the 2 ranks": (
            lambda: comm.reduce_scatter(x[:3])
        ),
        "all_to_all: x of shape (): its first axis": lambda: comm.all_to_all(numpy.array(3.0)),
        "broadcast: root 2: must be a rank, below 2": lambda: comm.broadcast(x, 2),
        "broadcast: root -1: must be": lambda: comm.broadcast(x, -1),
        "send: peer 7: must be a rank": lambda: comm.send(x, 7),
        "all_reduce: x of bn254 in Montgomery form: must be canonical": (
            lambda: comm.all_reduce(field.ones(2).astype(field.montgomery_type))
        ),
        "all_reduce: x of bn254 affine: must be bn254 projective": lambda: comm.all_reduce(curve.affine.random(2)),
        "split: color -1": lambda: comm.split(-1),
        "all_to_all: output overlaps send": lambda: comm.all_to_all(x, out=x),
    }
    for text, call in refused.items():
        with pytest.raises(icicle.InvalidArgument) as caught:
            call()
        assert text in str(caught.value)
    with pytest.raises(icicle.Unsupported, match="reduction max of elements of bn254"):
        comm.all_reduce(field.ones(2), "max")
    with pytest.raises(icicle.InvalidPointer, match="send on cpu:3: the communicator's rank is on cpu:0"):
        comm.all_reduce(field.ones(2, device="cpu:3"))
    for call in (
        lambda: comm.all_reduce([1, 2]),
        lambda: comm.all_reduce("text"),
        lambda: comm.all_reduce(numpy.array(["text"])),
        lambda: comm.all_reduce(bytearray(4)),  # of which no other is made
        lambda: comm.scatter(root=1),
        lambda: comm.broadcast(x, 1.5),
        lambda: icicle.Communicator(),
        lambda: icicle.Communicator.init_rank("an id", 2, 0),
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(BufferError, match="all_reduce: array at strides"):
        comm.all_reduce(x[::2])
    for timeout in (0, -1, float("nan")):
        with pytest.raises(icicle.InvalidArgument, match="timeout"):
            icicle.Communicator.init_all(["cpu"], timeout=timeout)
    with pytest.raises(icicle.InvalidArgument, match="data of 3 bytes: must be of 128"):
        icicle.UniqueId.from_bytes(b"abc")
    with pytest.raises(icicle.InvalidArgument, match='address "nowhere"'):
        icicle.UniqueId("nowhere")
    # All were refused before anything was sent.
    assert [x.item() for x in each([comm, other], lambda comm: comm.all_reduce(numpy.array([comm.rank])))] == [1, 1]


def test_a_block_that_raises_sends_nothing():
    comm, other = local(2)
    with pytest.raises(ZeroDivisionError):
        with icicle.comm.group():
            comm.all_reduce(numpy.ones(1))
            1 / 0
    with icicle.comm.group():
        with comm.group():
            x = comm.all_reduce(numpy.ones(1))
        y = other.all_reduce(numpy.ones(1))
    assert x.item() == y.item() == 2


@TRANSPORTS
def test_a_rank_that_does_not_come_is_named(connect):
    comms = connect(3, timeout=0.2)
    raised = each(comms[:2], lambda comm: comm.all_reduce(numpy.ones(1)))
    assert all(isinstance(error, icicle.Timeout | icicle.RemoteError) for error in raised), raised
    late = next(error for error in raised if isinstance(error, icicle.Timeout))
    assert late.code == 65 and "2" in late.detail
    assert type(comms[0].failure) is type(raised[0]) and str(comms[0].failure) == str(raised[0])
    with pytest.raises(type(raised[0])):
        comms[0].barrier()


def test_a_communicator_that_not_all_come_to():
    with pytest.raises(icicle.Timeout, match=r"\[1, 2\]"):
        icicle.Communicator.init_rank(icicle.UniqueId(), 3, 0, timeout=0.2)


@TRANSPORTS
def test_calls_that_differ(connect):
    comms = connect(2, check=True) if connect is connected else connect(2)
    raised = each(comms, lambda comm: comm.all_reduce(numpy.ones(1 + comm.rank)))
    assert all(isinstance(error, icicle.Error) for error in raised)
    text = next(str(error) for error in raised if isinstance(error, icicle.InvalidArgument))
    assert "sum of 1 float64" in text and "sum of 2 float64" in text


def test_checked_calls_send_nothing_that_does_not_match():
    def job(comm):
        if comm.rank == 1:
            comm.recv(numpy.zeros(2), 0)
        else:  # goes on without a check
            comm.send(numpy.zeros(1), 1)

    for check in (False, True):
        sent, received = each(connected(2, check=check), job)
        assert isinstance(sent, icicle.Error) == check and isinstance(received, icicle.InvalidArgument)


@TRANSPORTS
def test_an_abort_ends_a_call_that_waits(connect):
    comms = connect(2, timeout=60)
    start, raised = time.monotonic(), []

    def wait():
        with pytest.raises(icicle.Cancelled, match="rank 0 aborted") as caught:
            comms[0].recv(numpy.zeros(1), 1)
        raised.append(caught)

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.1)
    comms[0].abort()
    thread.join()
    with pytest.raises((icicle.Cancelled, icicle.RemoteError)):
        comms[1].recv(numpy.zeros(1), 0)
    assert raised and time.monotonic() - start < 30


@TRANSPORTS
def test_closed_while_another_thread_waits(connect):
    comms = connect(2, timeout=60)
    found = []
    thread = threading.Thread(target=lambda: found.append(comms[0].all_reduce(numpy.array([1])).item()))
    thread.start()
    time.sleep(0.1)
    comms[0].close()  # The call that waits goes on.
    for use in (comms[0].barrier, comms[0].abort, comms[0].finalize, lambda: comms[0].rank, lambda: comms[0].failure):
        with pytest.raises(icicle.InvalidArgument, match="the communicator is closed"):
            use()
    assert "closed" in repr(comms[0])
    assert comms[1].all_reduce(numpy.array([2])).item() == 3
    thread.join()
    assert found == [3]
    with pytest.raises(icicle.RemoteError, match="rank 0"):
        comms[1].all_reduce(numpy.array([2]))
    comms[0].close()


def test_an_id_makes_one_communicator_of_those_who_have_it():
    id = icicle.UniqueId()
    wrong = bytearray(id.to_bytes())
    wrong[30] ^= 1  # of the nonce
    made = {}

    def join(who):
        if who == "forger":
            with pytest.raises((icicle.RemoteError, icicle.Timeout)):
                icicle.Communicator.init_rank(bytes(wrong), 2, 1, timeout=0.3)
            # It took nobody's place.
            made[1] = icicle.Communicator.init_rank(id.to_bytes(), 2, 1, timeout=30)
        else:
            made[0] = icicle.Communicator.init_rank(id, 2, 0, timeout=30)

    assert each(["forger", "rank 0"], join) == [None, None]
    assert [x.item() for x in each([made[0], made[1]], lambda comm: comm.all_reduce(numpy.array([5])))] == [10, 10]
    with pytest.raises(icicle.InvalidArgument, match="used already"):
        icicle.Communicator.init_rank(id, 2, 0, timeout=1)
    assert "127.0.0.1:" in repr(id) and id.address in repr(id)


def test_a_callable_tells_the_id():
    box, told = [], threading.Event()

    def share(data):
        if data is not None:
            box.append(data)
            told.set()
        assert told.wait(30)
        return box[0]

    comms = each(range(2), lambda rank: icicle.Communicator.init_rank(share, 2, rank, timeout=30))
    assert [x.item() for x in each(comms, lambda comm: comm.all_reduce(numpy.array([5])))] == [10, 10]
