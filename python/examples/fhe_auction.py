"""A sealed-bid auction over encrypted bids of 32 bits: the auctioneer finds the highest bid and its bidder without reading any bid.

The bids come as the bytes that bidders send; only the winner's number and price are decrypted, by whoever has the client key.
"""

import argparse
import sys
import time

import numpy as np
from progress import show

import icicle
from icicle import fhe


def winner(bids):
    """The highest bid and its bidder's number, each an array of one, by rounds in which every second bidder leaves.

    Of equal bids the lowest number wins.
    """
    total, start = len(bids) - 1, time.perf_counter()
    bidders = fhe.trivial(np.arange(len(bids), dtype=np.uint16))
    while len(bids) > 1:
        # Neighbours, so that the lower numbers are always the first; with an odd number the last waits.
        pairs = len(bids) // 2 * 2
        first = bids[0:pairs:2] >= bids[1:pairs:2]
        high = first.select(bids[0:pairs:2], bids[1:pairs:2])
        who = first.select(bidders[0:pairs:2], bidders[1:pairs:2])
        bids, bidders = fhe.concatenate([high, bids[pairs:]]), fhe.concatenate([who, bidders[pairs:]])
        show(total + 1 - len(bids), total, "comparisons", start)
    return bids, bidders


def main(count, reserve):
    start = time.perf_counter()
    client = fhe.ClientKey()
    key = client.compressed_server_key().to_bytes()
    print(f"keys in {time.perf_counter() - start:.2f} s")

    clear = np.random.default_rng().integers(0, 1_000_000, count, np.uint32)
    start = time.perf_counter()
    sent = [client.encrypt_compressed(bid).to_bytes() for bid in clear]
    print(f"{count} bids of {len(sent[0])} bytes encrypted in {time.perf_counter() - start:.2f} s")

    # The auctioneer has bytes alone, and the client's key is not among them.
    server_key = fhe.CompressedServerKey.from_bytes(key)
    # All GPUs, or the processor.
    with icicle.DeviceGroup() as group, server_key.decompress(group.devices[0]).over(group):
        start = time.perf_counter()
        bids = fhe.concatenate(fhe.CompressedArray.from_bytes(bid).decompress() for bid in sent)
        price, bidder = winner(bids)
        sold = price >= reserve
        seconds = time.perf_counter() - start
    print(f"winner found in {seconds:.2f} s, {seconds / count:.3f} s a bid")

    price, bidder, sold = (int(client.decrypt(array)[0]) for array in (price, bidder, sold))
    highest = int(clear.max())
    right = (price, bidder, sold) == (highest, int(clear.argmax()), highest >= reserve)
    result = f"sold to bidder {bidder} for {price}" if sold else f"not sold: the highest bid is below {reserve}"
    print(f"{result}, which is {'right' if right else 'wrong'}")
    return 0 if right else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bidders", type=int, default=64, help="from 1 to 65536")
    parser.add_argument(
        "--reserve", type=int, default=1000, help="the least price, which the auctioneer knows, of 32 bits"
    )
    arguments = parser.parse_args()
    if not 1 <= arguments.bidders <= 65536 or not 0 <= arguments.reserve < 2**32:
        parser.error("--bidders must be from 1 to 65536, --reserve from 0 to 4294967295")
    sys.exit(main(arguments.bidders, arguments.reserve))
