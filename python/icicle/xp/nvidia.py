"""NVIDIA's libraries that pip installed, in folders where no loader looks."""

from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from .._icicle import set_library_path
from ..errors import InvalidArgument

#: How the names of their files begin.
FILES = {
    "NVRTC": "libnvrtc.so.",
    "cuBLAS": "libcublas.so.",
    "cuFFT": "libcufft.so.",
    "cuSOLVER": "libcusolver.so.",
    "NCCL": "libnccl.so.",
}


def installed() -> dict[str, Path]:
    """The file of each library that is installed, of the newest version."""
    spec = find_spec("nvidia")
    folders = [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []
    found = {}
    for library, name in FILES.items():
        files = [file for folder in folders for file in folder.glob(f"*/lib/{name}*")]
        if files:
            found[library] = max(
                files, key=lambda file: [int(part) for part in file.name.removeprefix(name).split(".")]
            )
    return found


def announce() -> None:
    """Tell the library where they are. What was needed before, by another user of the library, was looked for without."""
    for library, path in installed().items():
        with suppress(InvalidArgument):
            set_library_path(library, path)
