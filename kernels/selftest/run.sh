#!/usr/bin/env bash
# Build the self-test for this machine's GPU and run it. Needs nvcc 12.8 or newer and a GPU; no Rust.
#   kernels/selftest/run.sh [BUILD_FOLDER]
set -euo pipefail
cd "$(dirname "$0")"
out=${1:-../../target/kernels/selftest}
nvcc=${NVCC:-nvcc}
arch=${ARCH:-sm_90}
mkdir -p "$out"
pids=()
for source in *.cu; do
  "$nvcc" -O3 -std=c++17 -arch="$arch" -c "$source" -o "$out/${source%.cu}.o" &
  pids+=($!)
  # With few cores, one at a time.
  if [ "$(nproc)" -lt 8 ]; then wait "${pids[-1]}"; fi
done
for pid in "${pids[@]}"; do wait "$pid"; done
"$nvcc" -arch="$arch" "$out"/*.o -o "$out/selftest"
"$out/selftest"
