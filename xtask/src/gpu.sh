#!/usr/bin/env bash
# Runs what `cargo xtask gpu` staged, on a machine with GPUs: every test binary, then the device tests again under
# compute-sanitizer on small sizes. Full logs go to $OUT; a summary is printed last.
#
# Usage: run.sh [NAME…]      only binaries whose names contain a word; "twins", "sanitize" and "bench" are names too
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=${OUT:-$here/out}
mkdir -p "$out"
words=("$@")
# Images are part of the stage: without them the tests of operations would pass by testing nothing.
export ICICLE_TEST_KERNELS=${ICICLE_TEST_KERNELS-1}
summary=()
failed=0

wanted() {
  [ ${#words[@]} -eq 0 ] && return 0
  local word
  for word in "${words[@]}"; do [[ $1 == *"$word"* ]] && return 0; done
  return 1
}

# step NAME SECONDS COMMAND…
step() {
  local name=$1 limit=$2 start=$SECONDS code
  shift 2
  timeout "$limit" "$@" >"$out/$name.log" 2>&1
  code=$?
  local verdict=ok
  [ $code -ne 0 ] && verdict="FAILED ($code)" && failed=1
  summary+=("$(printf '%-14s %4ss  %s' "$verdict" $((SECONDS - start)) "$name")")
  if [ $code -ne 0 ]; then
    echo "=== $name: last lines"
    tail -n 25 "$out/$name.log" | cut -c1-400
  fi
}

nvidia-smi --query-gpu=index,name,driver_version,memory.used --format=csv 2>&1 | tee "$out/nvidia-smi.log"
nvidia-smi topo -m >"$out/topology.log" 2>&1

for binary in "$here"/bin/*; do
  name=$(basename "$binary")
  chmod +x "$binary" 2>/dev/null
  case $name in
    # Every device of the machine, the CPU too.
    example-*) wanted "$name" && step "$name" 300 "$binary" ;;
    bench-*) wanted "$name" && [ ${#words[@]} -gt 0 ] && step "$name" 400 "$binary" --bench ;;
    # One test at a time where devices are shared and measured.
    *cuda*) wanted "$name" && step "$name" 300 "$binary" --test-threads=1 --nocapture ;;
    # Arrays' tests against vectors, on the CPU and on the GPU.
    test-arrangement | test-elementwise | test-reductions | test-sharded)
      wanted "$name" && step "$name" 300 "$binary"
      wanted "$name" && ICICLE_TEST_DEVICE=cuda step "$name-on-gpu" 300 "$binary" --test-threads=1 ;;
    *) wanted "$name" && step "$name" 300 "$binary" ;;
  esac
done

# Several devices where there is one: every GPU twice, with and without access to each other's memory.
real=$(ldconfig -p | awk '/libcuda\.so\.1 /{print $NF; exit}')
[ -n "$real" ] || real=$(ls /usr/local/nvidia/lib*/libcuda.so.1 2>/dev/null | head -n 1)
if [ -x "$here/bin/test-group" ] && wanted twins; then
  mkdir -p "$out/twins"
  # Programs find the driver under either name.
  ln -sf libcuda.so.1 "$out/twins/libcuda.so"
  if cc -O1 -shared -fPIC -pthread -o "$out/twins/libcuda.so.1" "$here/twin_driver.c" -ldl; then
    for peers in 1 0; do
      ICICLE_TWIN_DRIVER=$real ICICLE_TWIN_PEERS=$peers LD_LIBRARY_PATH=$out/twins \
        ICICLE_TEST_GPUS=2 step "twins-peers-$peers" 300 "$here/bin/test-group" --nocapture
    done
    rm -r "$out/twins"
  else
    summary+=("skipped              twins: no C compiler")
  fi
fi

sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | head -n 1)
if [ -x "$here/bin/test-cuda" ] && wanted sanitize; then
  if [ -n "$sanitizer" ]; then
    for tool in memcheck racecheck initcheck synccheck; do
      # Tests provoke errors of the driver's functions on purpose; only what kernels and copies do counts.
      ICICLE_TEST_SMALL=1 step "sanitize-$tool" 240 "$sanitizer" --tool $tool --error-exitcode 9 \
        --report-api-errors no "$here/bin/test-cuda" --test-threads=1 --nocapture
    done
  else
    summary+=("skipped              sanitize: no compute-sanitizer")
  fi
fi

echo "=== measured"
grep -ohE '(bandwidth |allocate and free|elapsed |copied after|[0-9]+ [a-z ]+ agree with the CPU|no CUDA device|free before|the reason|[0-9]+ operations offered).*' "$out"/*cuda*.log 2>/dev/null | sort -u | head -n 60
echo "=== summary"
printf '%s\n' "${summary[@]}"
grep -hE '^test result' "$out"/*.log | sort | uniq -c | head -n 20
exit $failed
