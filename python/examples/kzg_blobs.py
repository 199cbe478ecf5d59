"""Commit to Ethereum blobs on every device at once, and extend them; check both against c-kzg."""

import argparse
import os
import sys
import time
from pathlib import Path

import ckzg

import icicle

N = 4096
curve, fr = icicle.curves.bls12_381, icicle.fields.bls12_381.scalar


def prepare(setup, device):
    """What a device needs for all blobs: the setup's points, and zeros to pad with."""
    return setup.to(device), fr.zeros(N, device=device)


def work(state, blob):
    """Commit to a blob and extend it, on the current device. Gives the device, the commitment and the extended blob."""
    points, zeros = state
    # A blob holds values at the bit-reversed roots of unity, 32 bytes big-endian each; so are the points ordered.
    values = fr.from_ints([int.from_bytes(blob[j : j + 32], "big") for j in range(0, 32 * N, 32)])
    commitment = curve.msm(values, points)
    padded = fr.empty(2 * N)
    padded[:N], padded[N:] = icicle.ntt(values, inverse=True, ordering="rn"), zeros
    extended = icicle.ntt(padded, ordering="nr").to_ints()
    return icicle.current_device(), curve.compress(commitment), b"".join(x.to_bytes(32, "big") for x in extended)


def main(path, count=16):
    lagrange = [bytes.fromhex(line) for line in Path(path).read_text().split()[2 : 2 + N]]
    setup = curve.decompress(b"".join(lagrange[int(f"{i:012b}"[::-1], 2)] for i in range(N)), device="cpu")
    blobs = [b"".join(b"\0" + os.urandom(31) for _ in range(N)) for _ in range(count)]
    start = time.perf_counter()
    with icicle.DeviceGroup(icicle.devices()) as group:
        results = group.map(work, blobs, state=lambda device: prepare(setup, device))
        print(f"{count} blobs in {time.perf_counter() - start:.2f} s")
        for device in group.devices:
            print(f"{device!s:<8}{sum(result[0] == device for result in results):>6} blobs")
    trusted = ckzg.load_trusted_setup(str(path), 0)
    made = list(zip(blobs, results))
    right = sum(commitment == ckzg.blob_to_kzg_commitment(blob, trusted) for blob, (_, commitment, _) in made)
    right_cells = sum(cells == b"".join(ckzg.compute_cells(blob, trusted)) for blob, (_, _, cells) in made)
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
