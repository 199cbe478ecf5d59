"""NVIDIA's libraries are found where pip puts them."""

import sys

import pytest

import icicle
from icicle.xp import nvidia


def test_wheels_are_found_without_a_word():
    assert nvidia.installed()["NVRTC"].name == "libnvrtc.so.13"


def test_the_newest_of_several_is_taken(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.setattr(sys, "modules", {name: module for name, module in sys.modules.items() if "nvidia" not in name})
    assert nvidia.installed() == {}
    for folder, file in (("cu13", "libnvrtc.so.13"), ("cuda_nvrtc", "libnvrtc.so.12"), ("cu13", "libnvrtc.alt.so.13")):
        place = tmp_path / "nvidia" / folder / "lib"
        place.mkdir(parents=True, exist_ok=True)
        (place / file).touch()
    assert nvidia.installed() == {"NVRTC": tmp_path / "nvidia/cu13/lib/libnvrtc.so.13"}
    for library, file in (
        ("cuBLAS", "libcublas.so.13"),
        ("cuFFT", "libcufft.so.12"),
        ("cuSOLVER", "libcusolver.so.12"),
        ("NCCL", "libnccl.so.2"),
    ):
        (tmp_path / "nvidia/cu13/lib" / file.replace(".so", "w.so")).touch()
        assert library not in nvidia.installed()
        (tmp_path / "nvidia/cu13/lib" / file).touch()
        assert nvidia.installed()[library].name == file
        # Its name is one that the library knows.
        with pytest.raises(icicle.InvalidArgument, match="must be a file"):
            icicle.set_library_path(library, "/nowhere")


def test_paths_are_checked():
    for library, path, text in (
        ("abacus", "/dev/null", r'library "abacus": must be one of \["NVRTC"'),
        ("nvrtc", "/nowhere/libnvrtc.so.13", "path /nowhere/libnvrtc.so.13: must be a file"),
    ):
        with pytest.raises(icicle.InvalidArgument, match=text):
            icicle.set_library_path(library, path)
