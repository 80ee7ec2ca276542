#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the fuzzers of tests/fuzz for a time each, and prints what came of it as a table.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'EOF'
usage: scripts/fuzz.sh [--seconds N] [--jobs N] [NAME...]

Builds the `fuzz` preset (clang with libFuzzer, ASan and UBSan) and runs fuzz_NAME for N seconds each
(default 60), N side by side (default: one per core); without names, all of them. What they have learnt
stays in build/fuzz/corpus/NAME and is where the next run begins. An input that breaks a promise, takes
over 10 s or 2 GiB is kept in build/fuzz/found.

Prints a Markdown table: NAME, CPU-minutes, runs, branches covered, and what was found.
Exit code: 0 nothing was found, 1 something was, 2 it could not be built or started.
EOF
}

seconds=60 jobs="$(nproc)" names=()
while [[ $# -gt 0 ]]; do
  case "$1" in
    -h | --help) usage; exit 0 ;;
    --seconds) seconds="${2:?}"; shift ;;
    --jobs) jobs="${2:?}"; shift ;;
    -*) usage >&2; exit 2 ;;
    *) names+=("$1") ;;
  esac
  shift
done
[[ "$seconds" =~ ^[1-9][0-9]*$ && "$jobs" =~ ^[1-9][0-9]*$ ]] || { usage >&2; exit 2; }

mkdir -p build/logs
{ cmake --preset fuzz && cmake --build --preset fuzz; } >build/logs/fuzz-build.log 2>&1 ||
  { tail -n 20 build/logs/fuzz-build.log >&2; exit 2; }
build/fuzz/bin/write_seeds build/fuzz/seeds
if [[ ${#names[@]} -eq 0 ]]; then mapfile -t names < <(cd build/fuzz/seeds && ls); fi
mkdir -p build/fuzz/found
for name in "${names[@]}"; do
  [[ -x "build/fuzz/bin/fuzz_$name" ]] || { echo "no fuzzer $name; one of: $(cd build/fuzz/seeds && echo *)" >&2; exit 2; }
  mkdir -p "build/fuzz/corpus/$name"
done

# By xargs, so that as many as there are cores run side by side.
# shellcheck disable=SC2317
run_one() {
  local name="$1" log="build/logs/fuzz-$1.log" status=0
  TIMEFORMAT='cpu %U %S'
  { time "build/fuzz/bin/fuzz_$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/found/$name-" "build/fuzz/corpus/$name" "build/fuzz/seeds/$name" >"$log" 2>&1 || status=$?; } 2>"$log.time" || true
  awk -v name="$name" -v status="$status" '
    FILENAME ~ /time$/ { minutes = ($2 + $3) / 60; next }
    /stat::number_of_executed_units/ { runs = $2 }
    match($0, /cov: [0-9]+/) { cov = substr($0, RSTART + 5, RLENGTH - 5) }
    /^broken: |ERROR: |runtime error: / { found = found (found ? "; " : "") $0 }
    END { printf "| `%s` | %.1f | %d | %d | %s |\n", name, minutes, runs, cov,
            status == 0 ? "nothing" : (found ? found : "exit code " status) }' "$log.time" "$log"
  return "$status"
}
export -f run_one
export seconds UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1"
echo "| reader | CPU-minutes | runs | branches | found |"
echo "|---|---|---|---|---|"
status=0
printf '%s\n' "${names[@]}" | xargs -P "$jobs" -I{} bash -c 'run_one {}' || status=1
exit "$status"
