"""Devices, their memory, streams and events, on virtual CPU devices."""

import copy
import pickle
import threading
import time

import numpy as np
import pytest

import icicle
from icicle import Buffer, Device, Event, Stream
from icicle.errors import InvalidArgument, InvalidDevice, InvalidPointer, OutOfMemory

CPUS = [Device(("cpu", i)) for i in range(4)]


def test_devices_are_values():
    assert icicle.devices()[:4] == CPUS
    device = Device("cuda:1")
    assert (str(device), device.kind, device.index) == ("cuda:1", "cuda", 1)
    assert device == Device(("CUDA", 1)) == Device(device) and device != Device("cuda") and Device("cpu") == CPUS[0]
    assert {CPUS[1]: 1}[Device("cpu:1")] == 1 and CPUS[0] < CPUS[1] < device
    assert pickle.loads(pickle.dumps(device)) == copy.deepcopy(device) == device
    assert repr(device) == "icicle.Device('cuda:1')"
    for bad in ("tpu:0", "cpu:x", "cpu:-1", ""):
        with pytest.raises(InvalidDevice, match="must be cpu or cuda, a colon and an index"):
            Device(bad)
    with pytest.raises(TypeError, match="must be a Device, str or"):
        Device(3)


def test_blocks_nest_and_restore():
    assert icicle.current_device() == CPUS[0]
    with CPUS[1] as outer:
        assert outer == icicle.current_device() == CPUS[1]
        with Device("cpu:2"), Device("cpu:1"):
            assert icicle.current_device() == CPUS[1]
            assert icicle.fields.m31.scalar.zeros(2).device == CPUS[1]
        assert icicle.current_device() == CPUS[1]
        with pytest.raises(KeyError), CPUS[3]:
            raise KeyError
        assert icicle.current_device() == CPUS[1]
        with pytest.raises(InvalidDevice, match="cpu:9"), Device("cpu:9"):
            pass
        assert icicle.current_device() == CPUS[1]
    assert icicle.current_device() == CPUS[0]
    with pytest.raises(InvalidArgument, match="left on a thread that did not enter it"):
        CPUS[1].__exit__(None, None, None)


def test_the_current_device_is_the_threads():
    seen = {}

    def work(device):
        before = icicle.current_device()
        with device:
            barrier.wait()
            seen[device] = before, icicle.current_device(), icicle.fields.m31.scalar.ones(3).device
            barrier.wait()

    barrier = threading.Barrier(4)
    threads = [threading.Thread(target=work, args=(device,)) for device in CPUS]
    with CPUS[3]:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert seen == {device: (CPUS[0], device, device) for device in CPUS}


def test_default_device():
    icicle.set_default_device("cpu:2")
    try:
        assert icicle.current_device() == CPUS[2]
        with CPUS[1]:
            assert icicle.current_device() == CPUS[1]
    finally:
        icicle.set_default_device("cpu:0")
    with pytest.raises(InvalidDevice):
        icicle.set_default_device("cpu:77")


def test_facts():
    info = CPUS[1].info
    assert info.device == CPUS[1] and info.name and info.units >= 1 and info.uses_host_memory
    assert info.total_memory is None or info.total_memory > 1 << 20
    assert isinstance(info.facts, dict) and "cpu:1" in repr(info)
    CPUS[1].synchronize()
    for use in (
        lambda d: d.info,
        lambda d: d.memory,
        Device.synchronize,
        Device.trim,
        Stream,
        Event,
        lambda d: Buffer(1, d),
    ):
        with pytest.raises(InvalidDevice, match="device: cpu:9: there are 4 CPU devices"):
            use(Device("cpu:9"))


def test_memory_statistics():
    device = CPUS[2]
    before = device.memory
    buffer = Buffer(1 << 20, device)
    during = device.memory
    assert during.used - before.used == 1 << 20 and during.allocations == before.allocations + 1
    assert during.high_water >= during.used and during.reserved >= during.used
    view = buffer[10:20]
    del buffer
    assert device.memory.used == during.used, "a view keeps the memory"
    del view
    assert device.memory.used == before.used and device.memory.allocations == before.allocations
    device.trim()
    assert device.memory.reserved <= during.reserved and "used=" in repr(during)


def test_memory_limit():
    device = CPUS[3]
    device.set_memory_limit(device.memory.used + 1000)
    try:
        assert device.memory.limit is not None
        with pytest.raises(OutOfMemory, match="malloc: .*limit") as caught:
            Buffer(1 << 20, device)
        assert isinstance(caught.value, MemoryError) and caught.value.code == 2
        with pytest.raises(MemoryError):
            icicle.fields.bn254.scalar.zeros(1 << 20, device=device)
    finally:
        device.set_memory_limit(None)
    assert device.memory.limit is None and Buffer(1 << 20, device).nbytes == 1 << 20


def test_buffers():
    buffer = Buffer.from_bytes(bytes(range(100)), "cpu:1")
    assert buffer.device == CPUS[1] and buffer.nbytes == len(buffer) == 100 and buffer.ptr % 64 == 0
    view = buffer[10:20]
    assert view.tobytes() == bytes(range(10, 20)) and view.ptr == buffer.ptr + 10 and buffer[-5:].nbytes == 5
    view.fill(7)
    assert bytes(buffer) == bytes(range(10)) + b"\7" * 10 + bytes(range(20, 100)), "views share memory"
    memoryview(buffer)[0] = 99
    assert buffer[:1].tobytes() == b"\x63", "and so does the buffer protocol"
    other = buffer.copy("cpu:2")
    assert other.device == CPUS[2] and other.tobytes() == buffer.tobytes() and other.ptr != buffer.ptr
    view.copy_from(other[0:10])
    view[:2].write(b"ab")
    assert buffer[10:13].tobytes() == b"ab\2"
    assert Buffer(0).tobytes() == b"" == bytes(buffer[5:5]) and Buffer.from_bytes(b"").nbytes == 0
    with pytest.raises(InvalidArgument, match="copy: source of 9 bytes: the destination holds 10"):
        view.copy_from(other[:9])
    with pytest.raises(InvalidArgument, match="copy: source of 1 bytes"):
        view.write(b"a")
    with pytest.raises(InvalidArgument, match="overlap in part"):
        buffer[0:10].copy_from(buffer[5:15])
    with pytest.raises(IndexError, match="step 2: must be 1"):
        buffer[::2]
    with pytest.raises(TypeError):
        buffer[3]
    with pytest.raises(TypeError):
        Buffer.from_bytes("text")
    with pytest.raises(OverflowError):
        Buffer(-1)


def test_mixing_devices_names_both():
    field, curve = icicle.fields.bn254.scalar, icicle.curves.bn254
    a, b = field.ones(4, device="cpu:1"), field.ones(4, device="cpu:2")
    both = "memory on cpu:2: the call runs on cpu:1"
    calls = [
        lambda: a + b,
        lambda: a == b,
        lambda: a * field.from_ints(2, device="cpu:2"),
        lambda: a.reshape(2, 2) @ b.reshape(2, 2),
        lambda: icicle.polynomial.evaluate(a, b),
        lambda: icicle.polynomial.divide(a, b),
        lambda: icicle.ntt(a, out=b.copy()) and None,
        lambda: curve.affine.zeros(2, device="cpu:1") + curve.affine.zeros(2, device="cpu:2"),
        lambda: curve.affine.zeros(2, device="cpu:1") == curve.affine.zeros(2, device="cpu:2"),
        lambda: icicle.program.execute(icicle.program.Program.predefined("ab-c"), [a, b, a.copy(), b.copy()]),
    ]
    for call in calls:
        with pytest.raises(InvalidPointer) as caught:
            call()
        assert "cpu:1" in str(caught.value) and "cpu:2" in str(caught.value)
    with pytest.raises(InvalidPointer, match=both):
        a + b
    with pytest.raises(InvalidPointer, match="cpu:1.*cpu:2|cpu:2.*cpu:1"):
        curve.msm(a, curve.affine.zeros(4, device="cpu:2"))
    with pytest.raises(InvalidPointer):
        a.inv(stream=Stream("cpu:2"))
    with pytest.raises(InvalidArgument, match="value on cpu:2: the array is on cpu:1"):
        a[0:4] = b
    assert a == b.to("cpu:1")


def test_results_lie_where_their_operands_do():
    field, curve = icicle.fields.bls12_381.scalar, icicle.curves.bls12_381
    with CPUS[3]:
        x = field.random((2, 4), device="cpu:1")
        points = curve.affine.random(4, device="cpu:1")
        results = [
            x + x, x * 2, 2 / x, -x, x**3, x.inv(), x.sum(), x.prod(axis=0), x.T, x @ x.T, x[0], x.copy(), x.slice(0, 2, 2),
            x.astype(field.montgomery_type), icicle.ntt(x), icicle.polynomial.evaluate(x, x[0]), x.bit_reverse(),
            *icicle.polynomial.divide(x, x), curve.msm(x, points), points + points, x[0] * points, curve.precompute(points, 2),
            curve.ecntt(points.projective()), points.affine(), -points, 3 * points, points.astype(curve.projective.montgomery_type),
        ]  # fmt: skip
        assert {result.device for result in results} == {CPUS[1]}
        assert field.ones(1).device == curve.generator.device == CPUS[3]


def test_arrays_are_made_where_asked():
    field, curve = icicle.fields.m31.scalar, icicle.curves.grumpkin
    limbs, g = np.ones(2, np.uint32), curve.generator.to_ints()
    for device in ("cpu:1", CPUS[1], ("cpu", 1)):
        for made in (
            field.empty(2, device=device),
            field.zeros(2, device=device),
            field.full(2, 5, device=device),
            field.ones(2, device=device),
            field.random(2, device=device),
            field.from_ints([1, 2], device=device),
            field.from_bytes(bytes(8), device=device),
            field.from_numpy(limbs, device=device),
            field.from_dlpack(limbs, device=device),
            curve.affine.zeros(2, device=device),
            curve.projective.random(2, device=device),
            curve.projective.from_ints([g, None], device=device),
            curve.affine.from_numpy(curve.affine.zeros(2).numpy(), device=device),
        ):
            assert made.device == CPUS[1] and made.shape == (2,)


def test_lists_follow_the_array_they_meet():
    x, points = FIELD.from_ints([1, 2, 4, 8], device="cpu:1"), CURVE.generator.to("cpu:1")
    for made in (x + [1] * 4, [1] * 4 - x, x * 3, x / 2, 2 / x, x / [1, 2, 4, 8], x**0, x.reshape(2, 2) @ [[1], [1]]):
        assert made.device == CPUS[1]
    for made in (points + [None], [1, 2] * points, 3 * points, CURVE.msm(x[:1], [CURVE.generator.to_ints()])):
        assert made.device == CPUS[1]
    x += [1, 0, 0, 0]
    x /= 2
    assert x == [1, 1, 2, 4] and [1, 1, 2, 4] == x and x[0] == 1 and x.device == CPUS[1]
    x[0], x[1:3], x[[0, 3]] = 5, [6, 7], [8, 9]
    assert x == [8, 6, 7, 9]
    total = CURVE.msm([2, 3], CURVE.affine.from_ints([CURVE.generator.to_ints()] * 2, device="cpu:1"))
    assert total == 5 * points and total.device == CPUS[1]
    assert CURVE.msm(x[:2], [CURVE.generator.to_ints()] * 2) == 14 * points


FIELD, CURVE = icicle.fields.bls12_381.scalar, icicle.curves.bls12_381
MATRIX, POINTS = FIELD.ones((2, 4), device="cpu:1"), CURVE.affine.zeros(4, device="cpu:1")
PROGRAM = icicle.program.Program.predefined("ab-c")
ON_STREAMS = {
    "astype": lambda s: MATRIX.astype(FIELD.montgomery_type, stream=s),
    "inv": lambda s: MATRIX.inv(stream=s),
    "sum": lambda s: MATRIX.sum(stream=s),
    "sum of columns": lambda s: MATRIX.sum(axis=0, stream=s),
    "prod": lambda s: MATRIX.prod(stream=s),
    "bit_reverse": lambda s: MATRIX.bit_reverse(stream=s),
    "slice": lambda s: MATRIX.slice(0, 1, 2, stream=s),
    "transpose": lambda s: MATRIX.transpose(stream=s),
    "evaluate": lambda s: icicle.polynomial.evaluate(MATRIX, MATRIX[0], stream=s),
    "divide": lambda s: icicle.polynomial.divide(MATRIX, MATRIX, stream=s),
    "execute": lambda s: icicle.program.execute(PROGRAM, [MATRIX.copy() for _ in range(4)], stream=s),
    "ntt": lambda s: icicle.ntt(MATRIX, stream=s),
    "family's ntt": lambda s: icicle.fields.bls12_381.ntt(MATRIX, stream=s),
    "ecntt": lambda s: CURVE.ecntt(POINTS.projective(), stream=s),
    "msm": lambda s: CURVE.msm(MATRIX[0], POINTS, stream=s),
    "precompute": lambda s: CURVE.precompute(POINTS, 2, stream=s),
    "form of points": lambda s: POINTS.astype(CURVE.projective, stream=s),
    "encoding of points": lambda s: POINTS.astype(CURVE.affine.montgomery_type, stream=s),
    "form and encoding": lambda s: POINTS.astype(CURVE.projective.montgomery_type, stream=s),
}


@pytest.mark.parametrize("name", ON_STREAMS)
def test_calls_run_on_the_stream_given(name):
    with pytest.raises(InvalidPointer, match="memory on cpu:1: the call runs on cpu:2"):
        ON_STREAMS[name](Stream("cpu:2"))
    ON_STREAMS[name](Stream("cpu:1"))


def test_streams_and_events():
    stream = Stream("cpu:1")
    assert stream.device == CPUS[1] and stream.handle == 0 and "cpu:1" in repr(stream)
    x = icicle.fields.bn254.scalar.random(64, device="cpu:1")
    start, end = Event("cpu:1", timing=True), Event("cpu:1", timing=True)
    assert start.query() and start.device == CPUS[1] and "cpu:1" in repr(start)
    start.record(stream)
    y = icicle.ntt(x, stream=stream)
    end.record(stream)
    stream.synchronize()
    end.synchronize()
    assert y == icicle.ntt(x) and end.query() and 0 <= start.elapsed_ms(end) < 10_000
    stream.wait(end)
    Event("cpu:1").record()
    with pytest.raises(InvalidArgument, match="stream of cpu:1: the event is of cpu:2"):
        Event("cpu:2").record(stream)
    with pytest.raises(InvalidArgument, match="event_elapsed"):
        Event("cpu:1").elapsed_ms(end)


def test_calls_release_the_interpreter():
    """In the middle of one thread's call, another runs."""
    curve = icicle.curves.bw6_761
    times = []

    def work(scalars, bases):
        times.append(time.perf_counter())
        curve.msm(scalars, bases)
        times.append(time.perf_counter())

    points = curve.affine.random(64)
    # Twice as much each time, until one call is long enough to tell.
    for log_n in range(12, 20):
        bases = curve.affine._wrap(Buffer.from_bytes(points.buffer.tobytes() * (1 << log_n - 6)), (1 << log_n,))
        times.clear()
        thread = threading.Thread(target=work, args=(curve.scalar.random(1 << log_n), bases))
        thread.start()
        ran = []
        while len(times) < 2:
            ran.append(time.perf_counter())
            time.sleep(0.001)
        thread.join()
        start, end = times
        if end - start > 0.05:
            break
    middle = [t for t in ran if 0.25 < (t - start) / (end - start) < 0.75]
    assert middle
