"""Encrypted additions of 64 bits: by hand, with threads that each have a server key and a part of the integers, and as one operation."""

import argparse
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import icicle
from icicle import fhe


def by_hand(keys, threads, x, y):
    """Sums of integers by themselves: a part of them for each device, a part of that for each thread of it."""

    def work(key, part):
        fhe.set_server_key(key)
        return [x[i] + y[i] for i in part]

    jobs = [
        (key, part)
        for key, chunk in zip(keys, np.array_split(np.arange(len(x)), len(keys)))
        for part in np.array_split(chunk, threads)
    ]
    with ThreadPoolExecutor(len(jobs)) as pool:
        return [total for done in pool.map(lambda job: work(*job), jobs) for total in done]


def report(how, n, seconds):
    print(f"{how}: {n} additions in {seconds:.2f} s, {n / seconds:.2f} a second")


def main(count=100, threads=4):
    with icicle.DeviceGroup() as group:  # all GPUs, or the processor
        start = time.perf_counter()
        client = fhe.ClientKey()
        compressed = client.compressed_server_key()
        keys = [compressed.decompress(device) for device in group.devices]
        print(f"keys in {time.perf_counter() - start:.2f} s")
        rng = np.random.default_rng()
        a, b = (rng.integers(0, 2**64, count * len(keys), np.uint64) for _ in range(2))
        x, y = client.encrypt(a), client.encrypt(b)

        start = time.perf_counter()
        sums = by_hand(keys, threads, x, y)
        report("by hand", len(a), time.perf_counter() - start)
        right = np.array_equal(client.decrypt(fhe.concatenate(sums)), a + b)

        with keys[0].over(group):
            start = time.perf_counter()
            total = x + y
            report("one operation", len(a), time.perf_counter() - start)
    right = right and np.array_equal(client.decrypt(total), a + b)
    print(f"{len(a)} of {len(a)} sums are right, both ways" if right else "sums are wrong")
    return 0 if right else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--additions", type=int, default=100, help="on each device, at least 1")
    parser.add_argument("--threads", type=int, default=4, help="on each device, at least 1")
    arguments = parser.parse_args()
    if arguments.additions < 1 or arguments.threads < 1:
        parser.error("--additions and --threads must be at least 1")
    sys.exit(main(arguments.additions, arguments.threads))
