"""What the library finds on this machine."""

from __future__ import annotations

import json
import platform
from typing import Any

from . import _icicle
from .curve import CURVES
from .field import FIELDS


def facts() -> dict[str, Any]:
    """Devices, libraries (None if found, else why not), and facts of the build, as plain data."""
    devices = []
    for device in _icicle.devices():
        info, memory = device.info, device.memory
        devices.append(
            {
                "device": str(device),
                "name": info.name,
                "units": info.units,
                "total_memory": info.total_memory,
                "free_memory": memory.free,
                "supports_ntt": device.supports("ntt", FIELDS["babybear"]),
                "supports_msm": device.supports("msm", CURVES["bn254"]),
                **info.facts,
            }
        )
    build = {
        "version": _icicle.version(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "module": _icicle.__file__,
        "fields": len(FIELDS),
        "curves": len(CURVES),
        "operations": len(_icicle.operations()),
    }
    return {"build": build, "devices": devices, "links": links(), "libraries": dict(_icicle.libraries())}


def links() -> dict[str, str]:
    """How copies go between devices of different memory, and how fast, measured: `cuda:0 to cuda:1`: `peer, 390.1 GB/s`."""
    found = {}
    for a in _icicle.devices():
        for b in _icicle.devices():
            if _icicle.device_link(a, b, False)[0] != "same memory":
                kind, speed = _icicle.device_link(a, b, True)
                found[f"{a} to {b}"] = f"{kind}, {(speed or 0) / 1e9:.1f} GB/s"
    return found


def show(as_json: bool) -> None:
    """Print the facts."""
    found = facts()
    if as_json:
        print(json.dumps(found, indent=2))
        return
    for name, value in found["build"].items():
        print(f"{name:<12}{value}")
    for one in found["devices"]:
        print(f"\n{one.pop('device')}")
        for name, value in one.items():
            print(f"  {name:<26}{value}")
    if found["links"]:
        print("\nlinks")
    for name, link in found["links"].items():
        print(f"  {name:<26}{link}")
    print()
    for name, reason in found["libraries"].items():
        print(f"{name:<12}{'found' if reason is None else reason}")
