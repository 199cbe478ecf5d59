#!/bin/sh
# Fuzz the C entries for a number of seconds (30) under the address sanitizer. The sanitizer and the coverage pass ship
# with every toolchain; only their flags are gated.
set -eu
cd "$(dirname "$0")/../.."
host=$(rustc -vV | sed -n 's/^host: //p')
RUSTFLAGS="-Zsanitizer=address -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table --cfg fuzzing" \
  RUSTC_BOOTSTRAP=1 cargo build --release --target "$host" --package icicle-fuzz
ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 "${CARGO_TARGET_DIR:-target}/$host/release/entries" -max_total_time="${1:-30}" -max_len=4096
