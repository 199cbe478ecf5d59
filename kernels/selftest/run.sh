#!/usr/bin/env bash
# Build the self-test for this machine's GPU and run it. Needs nvcc 12.8 or newer and a GPU; no Rust.
#   kernels/selftest/run.sh [BUILD_FOLDER]
set -euo pipefail
cd "$(dirname "$0")"
out=${1:-../../target/kernels/selftest}
nvcc=${NVCC:-nvcc}
arch=${ARCH:-sm_90}
mkdir -p "$out"
# -O1 is the host side only: the emulated carry chains are long, and device code is optimised in any case.
printf '%s\n' *.cu | xargs -P "$(nproc)" -I{} sh -c '"$1" -O1 -std=c++17 -arch="$2" -c "$3" -o "$4/$(basename "$3" .cu).o"' \
  build "$nvcc" "$arch" {} "$out"
"$nvcc" -arch="$arch" "$out"/*.o -o "$out/selftest"
stdbuf -oL "$out/selftest"
