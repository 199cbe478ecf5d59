"""`python -m icicle info`, `python -m icicle bench` and `python -m icicle --version`."""

from __future__ import annotations

import argparse
import sys

from . import _icicle, bench, info
from .errors import Error


def main(arguments: list[str] | None = None) -> int:
    """Run a command; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m icicle", description="What icicle finds here, and how fast it is.")
    parser.add_argument("--version", action="version", version=f"icicle {_icicle.version()}")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("info", help="devices, libraries and build")
    one.add_argument("--json", action="store_true", help="print JSON")
    two = commands.add_parser("bench", help="times of MSM and NTT on every device")
    two.add_argument("--json", action="store_true", help="print JSON")
    two.add_argument(
        "--devices", type=lambda text: text.split(","), default=None, help="such as cpu:0,cuda:0; all if left out"
    )
    two.add_argument(
        "--log-n", type=bench.exponent, nargs=2, default=(10, 16), metavar=("FROM", "TO"), help="sizes 2^FROM to 2^TO"
    )
    two.add_argument("--curve", default="bn254", help="curve of the MSM and field of its scalars")
    two.add_argument("--field", default="babybear", help="family of the NTT over a small field")
    options = parser.parse_args(arguments)
    try:
        if options.command == "info":
            info.show(options.json)
        else:
            devices = (
                _icicle.devices() if options.devices is None else [_icicle.Device(name) for name in options.devices]
            )
            bench.show(
                devices, range(options.log_n[0], options.log_n[1] + 1), options.curve, options.field, options.json
            )
    except KeyError as error:
        print(f"error: {error.args[0]}", file=sys.stderr)  # its own text is in quotes
        return 1
    except Error as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
