"""Groups of devices: jobs, divided operations and sharded arrays give what one device gives."""

import gc
import threading
import time

import pytest

import icicle
from icicle import Cancelled, DeviceGroup, InvalidArgument, InvalidDevice

CPUS = [f"cpu:{i}" for i in range(4)]
SHARES = [[1], [1, 3], [5, 2, 1], [1, 0, 2, 3]]


@pytest.fixture(params=SHARES, ids=len)
def group(request):
    with DeviceGroup(CPUS[: len(request.param)], request.param) as made:
        yield made


def test_groups_say_what_they_are(group):
    names = [str(device) for device in group.devices]
    assert names == CPUS[: len(group)] and len(group.shares) == len(group)
    assert repr(group) == f"<icicle.DeviceGroup of {', '.join(names)}>"
    info = group.info(measure=True)
    assert info["devices"] == names and info["shares"] == group.shares
    assert info["links"] == [["same memory"] * len(group)] * len(group)
    assert all(speed > 0 for row in info["gigabytes_per_second"] for speed in row)
    assert "gigabytes_per_second" not in group.info()


def test_groups_that_cannot_be_say_why():
    for devices, shares, error, text in [
        ([], None, InvalidArgument, "group: devices: must be at least one"),
        (["cpu:1", "cpu:1"], None, InvalidArgument, "group: devices: cpu:1 is named twice"),
        (["cpu:63"], None, InvalidDevice, "cpu:63"),
        (["cpu:0"], [1, 2], InvalidArgument, "2 shares: must be one for each of 1 devices"),
        (["cpu:0"], [0], InvalidArgument, "shares: must not all be zero"),
        (["cpu:0"], [float("nan")], InvalidArgument, "share 0 NaN: must be finite and not negative"),
    ]:
        with pytest.raises(error, match=text):
            DeviceGroup(devices, shares)
    assert len(DeviceGroup()) == len({str(device) for device in DeviceGroup().devices})
    closed = DeviceGroup(["cpu:0"])
    closed.close()
    closed.close()
    for call in [lambda: closed.devices, lambda: closed.map(int, [1]), lambda: closed.submit(0, int), closed.info]:
        with pytest.raises(InvalidArgument, match="the group is closed"):
            call()


def test_jobs_run_on_their_device_and_answer_in_order(group):
    seen = set()

    def job(i):
        seen.add(str(icicle.current_device()))
        return i * i

    assert group.map(job, range(50)) == [i * i for i in range(50)]
    assert seen <= set(CPUS[: len(group)])
    assert group.map(job, []) == []
    assert group.map(job, (i for i in range(3))) == [0, 1, 4]


def test_state_is_made_once_a_device():
    made = []

    def state(device):
        made.append(str(device))
        return {"device": str(device), "jobs": 0}

    def job(state, i, stream):
        assert state["device"] == str(icicle.current_device()) == str(stream.device)
        state["jobs"] += 1
        time.sleep(0.001)
        return i

    with DeviceGroup(CPUS[:3]) as group:
        assert group.map(job, range(30), state=state, streams=2) == list(range(30))
    assert sorted(made) == CPUS[:3]


def test_exceptions_are_those_of_their_job(group):
    def job(i):
        if i == 3:
            raise KeyError("three")
        return ValueError("returned") if i == 4 else i

    with pytest.raises(KeyError, match="three"):
        group.map(job, range(6))
    answers = group.map(job, range(6), return_exceptions=True)
    assert isinstance(answers[3], KeyError) and isinstance(answers[4], ValueError)
    assert [answers[i] for i in (0, 1, 2, 5)] == [0, 1, 2, 5]

    def broken(device):
        raise OSError(f"no state on {device}")

    with pytest.raises(OSError, match="no state on cpu:"):
        group.map(lambda state, i: i, range(3), state=broken)
    with pytest.raises(InvalidArgument, match="streams 0"):
        group.map(job, [1], streams=0)


def test_progress_counts_and_cancels():
    counted = []
    with DeviceGroup(CPUS[:2]) as group:
        assert group.map(lambda i: i, range(20), progress=lambda *numbers: counted.append(numbers)) == list(range(20))
        assert counted == [(i, 20) for i in range(1, 21)]

        def job(i):
            time.sleep(0.002)
            return i

        answers = group.map(job, range(100), progress=lambda done, total: done < 10, return_exceptions=True)
        done = [answer for answer in answers if not isinstance(answer, Cancelled)]
        assert 10 <= len(done) <= 12

        def failing(done, total):
            raise LookupError("told")

        with pytest.raises(LookupError, match="told"):
            group.map(job, range(5), progress=failing)


def test_submitted_calls_are_futures():
    group = DeviceGroup(CPUS[:2])
    future = group.submit(1, lambda a, *, b: (str(icicle.current_device()), a + b), 2, b=3)
    assert future.result(10) == ("cpu:1", 5)

    def fail():
        raise RuntimeError("on purpose")

    assert isinstance(group.submit(0, fail).exception(10), RuntimeError)
    with pytest.raises(InvalidArgument, match="position 2: the group has 2 devices"):
        group.submit(2, int)
    with pytest.raises(InvalidArgument, match="position -1"):
        group.submit(-1, int)
    # Closing waits, with the interpreter's lock released, for jobs that need it.
    slow = group.submit(0, time.sleep, 0.05)
    waiting = group.submit(0, int, "7")
    group.close()
    assert slow.done() and waiting.result(0) == 7


def test_forgotten_groups_end_their_threads():
    before = threading.active_count()
    for _ in range(50):
        group = DeviceGroup(CPUS[:2])
        group.submit(0, time.sleep, 0.0001)
        del group
    gc.collect()
    assert threading.active_count() == before


def test_one_sum_over_a_group(group):
    for curve in [icicle.curves.bn254, icicle.curves.bn254_g2, icicle.curves.bls12_381]:
        points, scalars = curve.affine.random(100), curve.scalar.random(100)
        expected = curve.msm(scalars, points)
        assert curve.msm(scalars, points, group=group) == expected
        batch = curve.scalar.random((5, 100))
        assert curve.msm(batch, points, group=group) == curve.msm(batch, points)
        for layout in ["blocks", "cyclic", "replicated"]:
            sharded = group.scatter(scalars, layout), group.scatter(points, layout)
            assert group.msm(curve, *sharded) == expected
    with pytest.raises(InvalidArgument, match="a group's call has its own streams"):
        curve.msm(scalars, points, group=group, stream=icicle.Stream())


def test_one_transform_over_a_group(group):
    for field in [icicle.fields.bn254.scalar, icicle.fields.babybear.scalar, icicle.fields.babybear.extension]:
        x = field.random(1 << 12)
        for ordering in ["nn", "nr", "rn", "rr"]:
            for inverse in [False, True]:
                options = {"ordering": ordering, "inverse": inverse, "coset": 7}
                expected = icicle.ntt(x, **options)
                assert icicle.ntt(x, group=group, **options) == expected
                assert group.scatter(x).ntt(**options).gather() == expected
        out = field.empty(1 << 12)
        assert icicle.ntt(x, group=group, out=out) is out and out == icicle.ntt(x)
        batch = field.random((6, 64))
        for axis in [0, 1]:
            if axis == 1:
                assert icicle.ntt(batch, group=group, axis=axis) == icicle.ntt(batch, axis=axis)
        # Six of 64 on one to seven devices: blocks end where transforms do, and within one.
        lying = group.scatter(batch.reshape(-1))
        assert lying.ntt(batch=6).gather() == icicle.ntt(batch).reshape(-1)
        assert lying.ntt(batch=6).ntt(batch=6, inverse=True).gather() == batch.reshape(-1)
        with pytest.raises(InvalidArgument, match="batch_size 5: must divide the vector's 384 elements"):
            lying.ntt(batch=5)
        with pytest.raises(InvalidArgument, match="batch 0: must be 1 to"):
            lying.ntt(batch=0)
    columns = field.random((64, 6))
    assert icicle.ntt(columns, group=group, axis=0) == icicle.ntt(columns, axis=0)
    with pytest.raises(InvalidArgument, match="a group's call has its own streams"):
        icicle.ntt(x, group=group, stream=icicle.Stream())


def test_sharded_arrays_compute_as_arrays_do(group):
    field = icicle.fields.bn254.scalar
    a, b = field.random(1000), field.random(1000)
    for layout in ["blocks", "cyclic", "replicated"]:
        x, y = group.scatter(a, layout), group.scatter(b, layout)
        assert (x.layout, len(x), x.dtype, x.group) == (layout, 1000, field, group)
        assert (x + y).gather() == a + b and (x - y).gather() == a - b
        assert (x * y).gather() == a * b and (x / y).gather() == a / b
        assert (x + 5).gather() == a + 5 and (x - 5).gather() == a - 5
        assert (3 * x).gather() == a * 3 and (x / 3).gather() == a / 3
        assert x.inv().gather() == a.inv() and x.sum() == a.sum() and x.prod() == a.prod()
        held = sorted(i for _, elements in x.parts for i in elements)
        assert held == sorted(list(range(1000)) * (len(group) if layout == "replicated" else 1))
        y += x
        assert y.gather() == a + b
        for other in ["blocks", "cyclic", "replicated"]:
            assert x.to_layout(other).gather() == a
        assert x.gather("cpu:3").device == icicle.Device("cpu:3") and x.gather("cpu:3").to("cpu:0") == a
        if layout != "cyclic":
            at = field.from_ints([0, 1, 12345])
            assert x.evaluate(at) == icicle.polynomial.evaluate(a, at)
    assert "1000" in repr(x) and "replicated" in repr(x)


def test_what_does_not_fit_is_named(group):
    field, curve = icicle.fields.babybear.scalar, icicle.curves.bn254
    x = group.scatter(field.random(8))
    for call, error, text in [
        (lambda: group.scatter([1, 2]), TypeError, "must be a FieldArray, a PointArray or an xp.Array"),
        (lambda: group.scatter(field.random((2, 2))), InvalidArgument, "must have one axis"),
        (lambda: group.scatter(field.random(2), "round"), InvalidArgument, 'layout "round"'),
        (lambda: x + group.scatter(field.random(9)), InvalidArgument, "9 of .*: must be 8 of"),
        (lambda: x + "text", TypeError, "unsupported operand"),
        (lambda: group.scatter(curve.affine.random(3)).sum(), InvalidArgument, "must be of field elements"),
        (lambda: group.msm(curve, x, x), InvalidArgument, "scalars of .*: must be of"),
        (lambda: group.msm(curve, field.random(8), x), TypeError, "must be a ShardedArray"),
        (lambda: group.scatter(field.random(8), "cyclic").ntt(), InvalidArgument, "cyclic layout: must be blocks"),
        (lambda: x.evaluate([1]), TypeError, "must be a FieldArray"),
    ]:
        with pytest.raises(error, match=text):
            call()
    if len(group) > 1:
        with pytest.raises(InvalidArgument, match="cyclic vector with others that are not"):
            x + group.scatter(field.random(8), "cyclic")
        with DeviceGroup(CPUS[:1]) as other, pytest.raises(InvalidArgument, match="vec_b on cpu:0: the group has"):
            x + other.scatter(field.random(8))
