"""A process forked after the library was used: it works there, or says that it cannot; it never hangs."""

import multiprocessing
import queue
import warnings

import pytest

import icicle


def vectors():
    field = icicle.fields.bn254.scalar
    x = field.from_ints(range(1 << 12))
    return (x * x + x).sum() == sum(i * i + i for i in range(1 << 12))


def transforms():
    field = icicle.fields.babybear.scalar
    x = field.from_ints(range(1 << 14))
    return icicle.ntt(x)[0] == sum(range(1 << 14)) and icicle.ntt(icicle.ntt(x), inverse=True) == x


def sums():
    curve = icicle.curves.bn254
    scalars = list(range(1, 300))
    points = (curve.scalar.from_ints(scalars) * curve.generator).affine()
    return curve.msm(scalars, points) == sum(k * k for k in scalars) * curve.generator


def copies():
    x = icicle.fields.goldilocks.scalar.from_ints(range(1 << 16))
    return x.to("cpu:1").to("cpu:2").copy() == range(1 << 16)


WORK = {"vectors": vectors, "transforms": transforms, "sums": sums, "copies": copies}


def child(name, answers):
    try:
        answers.put(("right" if WORK[name]() else "wrong", ""))
    except icicle.Error as error:
        answers.put(("error", str(error)))
    except BaseException as error:
        answers.put((type(error).__name__, str(error)))


@pytest.mark.parametrize("name", WORK)
def test_after_fork(name):
    assert all(work() for work in WORK.values()), "used before the fork, with all its threads"
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # later Pythons warn of forks with threads
        process = context.Process(target=child, args=(name, answers))
        process.start()
    try:
        kind, text = answers.get(timeout=60)
    except queue.Empty:
        kind, text = "hang", f"no answer after 60 s; exit code {process.exitcode}"
    finally:
        process.join(1)
        process.kill()
        process.join()
    assert kind == "right" or (kind == "error" and "fork" in text), (kind, text)
    assert WORK[name](), "the parent goes on"
