"""Commit to Ethereum blobs on every device at once, and extend them; check both against c-kzg."""

import argparse
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import ckzg

import icicle

N = 4096
curve, fr = icicle.curves.bls12_381, icicle.fields.bls12_381.scalar


def work(device, setup, blobs, todo):
    """One device's worker: take blobs until none is left. Gives commitments and extended blobs by number."""
    points, zeros, made = setup.to(device), fr.zeros(N, device=device), {}
    while todo:
        try:
            i = todo.pop()
        except IndexError:
            break
        # A blob holds values at the bit-reversed roots of unity, 32 bytes big-endian each; so are the points ordered.
        words = [int.from_bytes(blobs[i][j : j + 32], "big") for j in range(0, 32 * N, 32)]
        values = fr.from_ints(words, device=device)
        commitment = curve.msm(values, points)
        padded = fr.empty(2 * N, device=device)
        padded[:N], padded[N:] = icicle.ntt(values, inverse=True, ordering="rn"), zeros
        extended = icicle.ntt(padded, ordering="nr").to_ints()
        made[i] = curve.compress(commitment), b"".join(x.to_bytes(32, "big") for x in extended)
    return made


def main(path, count=16):
    lagrange = [bytes.fromhex(line) for line in Path(path).read_text().split()[2 : 2 + N]]
    setup = curve.decompress(b"".join(lagrange[int(f"{i:012b}"[::-1], 2)] for i in range(N)), device="cpu")
    blobs = [b"".join(b"\0" + os.urandom(31) for _ in range(N)) for _ in range(count)]
    devices, todo = icicle.devices(), list(range(count))
    start = time.perf_counter()
    with ThreadPoolExecutor(len(devices)) as pool:
        made = list(pool.map(lambda device: work(device, setup, blobs, todo), devices))
    print(f"{count} blobs in {time.perf_counter() - start:.2f} s")
    for device, blobs_made in zip(devices, made):
        print(f"{device!s:<8}{len(blobs_made):>6} blobs")
    trusted = ckzg.load_trusted_setup(str(path), 0)
    results = [(i, *result) for blobs_made in made for i, result in blobs_made.items()]
    right = sum(commitment == ckzg.blob_to_kzg_commitment(blobs[i], trusted) for i, commitment, _ in results)
    right_cells = sum(cells == b"".join(ckzg.compute_cells(blobs[i], trusted)) for i, _, cells in results)
    print(f"{right} of {count} commitments and {right_cells} of {count} extensions agree with c-kzg")
    return right != count or right_cells != count


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("setup", type=Path, help="the trusted setup, the text file that c-kzg loads")
    parser.add_argument("blobs", type=int, nargs="?", default=16, help="how many, 16 if left out")
    options = parser.parse_args()
    if not options.setup.is_file():
        parser.error(f"{options.setup}: must be a file")
    if not 1 <= options.blobs <= 4096:
        parser.error(f"{options.blobs} blobs: must be 1 to 4096")
    sys.exit(main(options.setup, options.blobs))
