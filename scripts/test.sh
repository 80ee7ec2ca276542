# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# ./kerb test: its parts, and the count at the end. Sourced, not run.

KERB_PARTS=(format docs shell host dev tsan arm64 jetson board simd alone tidy)
declare -A KERB_PART_TEXT=(
  [format]="the sources are as clang-format writes them"
  [docs]="lines and links of the Markdown pages"
  [shell]="shellcheck over the scripts"
  [host]="unit and contract tests on this machine, optimised; in CI those it makes a difference to"
  [dev]="the tests under AddressSanitizer and UndefinedBehaviorSanitizer"
  [tsan]="what has threads, under ThreadSanitizer; in CI without --long only the product's"
  [arm64]="tests of what another CPU may compute otherwise, for arm64 under qemu-user; with --long all of the product's; on arm64 in part host"
  [jetson]="the Jetson build links, with CUDA code for sm_87 and sm_110"
  [board]="the arm64 firmware on an emulated board with a real kernel; it runs beside part jetson"
  [simd]="the vision code compiles for the other kind of CPU: AVX2 on arm64; NEON is in part arm64"
  [alone]="each source includes what it uses: what changed since the last landing, and a share of the rest"
  [tidy]="clang-tidy over the product's sources: what changed since the last landing, and a share of the rest"
)
# What ./kerb test leaves out, and --long does not: said at the end.
KERB_NOT_RUN=()
KERB_RESULTS=() # "part passed failed skipped seconds cpu_seconds note"

not_run() { KERB_NOT_RUN+=("$*"); }

# take_cpu: into KERB_CPU, the CPU seconds of all that this script has started and that has ended. Not by `$(...)`, where
# they would be those of the subshell.
take_cpu() {
  # shellcheck disable=SC2153  # KERB_LOGS is in lib.sh
  mkdir -p "$KERB_LOGS"
  times >"$KERB_LOGS/times"
  KERB_CPU="$(awk -F '[ms ]+' 'NR == 2 { printf "%d", 60 * $1 + $2 + 60 * $3 + $4 }' "$KERB_LOGS/times")"
}

# count PASSED FAILED SKIPPED [NOTE]: what the part that is running has to show.
count() { KERB_COUNT="$1 $2 $3"; KERB_NOTE="${4:-}"; }

kerb_test() {
  local wanted=() part only=0
  while [[ $# -gt 0 ]]; do
    case "$1" in
      --list)
        for part in "${KERB_PARTS[@]}"; do printf '%-8s %s\n' "$part" "${KERB_PART_TEXT[$part]}"; done
        return 0
        ;;
      --long) KERB_LONG=1 ;;
      --only)
        [[ $# -ge 2 ]] || die_usage "--only needs a list of parts, such as host,board"
        IFS=, read -r -a wanted <<<"$2"
        only=1
        shift
        ;;
      --only=*)
        IFS=, read -r -a wanted <<<"${1#--only=}"
        only=1
        ;;
      *) die_usage "test: unknown argument '$1'; ./kerb --help explains" ;;
    esac
    shift
  done
  [[ "$only" -eq 0 || ${#wanted[@]} -gt 0 ]] || die_usage "--only needs a list of parts, such as host,board"
  [[ "$only" -eq 1 ]] || wanted=("${KERB_PARTS[@]}")
  for part in "${wanted[@]}"; do
    [[ -n "$part" && -n "${KERB_PART_TEXT[$part]:-}" ]] || die_usage "test: no part '$part'; one of: ${KERB_PARTS[*]}"
  done

  setup_test "${wanted[@]}"
  local number=0 status=0 begin cpu
  for part in "${wanted[@]}"; do
    number=$((number + 1))
    KERB_PART="$number/${#wanted[@]}"
    begin="$SECONDS"
    take_cpu
    cpu="$KERB_CPU"
    count 0 1 0 # a part that gets nowhere has failed
    if [[ "$part" == jetson && " ${wanted[*]} " == *" board "* ]]; then start_board || true; fi
    "part_$part" || status=1
    take_cpu
    KERB_RESULTS+=("$part $KERB_COUNT $((SECONDS - begin)) $((KERB_CPU - cpu)) $KERB_NOTE")
    [[ "$KERB_COUNT" == *" 0 "* ]] || status=1
  done
  # shellcheck disable=SC2034  # read in lib.sh
  KERB_PART=""
  summary || status=1
  return "$status"
}

summary() {
  local line part passed failed skipped seconds cpu note all_passed=0 all_failed=0
  heading "summary"
  printf '%-8s %8s %8s %8s %8s %8s\n' part passed failed skipped seconds CPU-s
  for line in "${KERB_RESULTS[@]}"; do
    read -r part passed failed skipped seconds cpu note <<<"$line"
    printf '%-8s %8d %8d %8d %8d %8d   %s\n' "$part" "$passed" "$failed" "$skipped" "$seconds" "$cpu" "$note"
    all_passed=$((all_passed + passed))
    all_failed=$((all_failed + failed))
  done
  [[ ${#KERB_FAILURES[@]} -eq 0 ]] || printf '%s\n' "${KERB_FAILURES[@]}"
  if [[ ${#KERB_NOT_RUN[@]} -gt 0 ]]; then
    echo "not run:"
    printf '  %s\n' "${KERB_NOT_RUN[@]}"
  fi
  echo "$all_passed passed, $all_failed failed"
  [[ "$all_failed" -eq 0 ]]
}

# --- the parts

part_format() {
  local files
  mapfile -t files < <(sources)
  local bad status=0
  [[ ${#files[@]} -gt 0 ]] || return 1
  step "format: clang-format" format_check "${files[@]}" || status=1
  # shellcheck disable=SC2153  # KERB_LOG is in lib.sh
  bad="$(sed -n 's/^\([^ :]*\):[0-9]*:[0-9]*: error:.*/\1/p' "$KERB_LOG" | sort -u | wc -l)"
  [[ "$status" -eq 0 || "$bad" -gt 0 ]] || bad=1 # clang-format itself failed
  count "$((${#files[@]} - bad))" "$bad" 0 "files"
}
format_check() {
  local status=0
  printf '%s\0' "$@" | xargs -0 -n 16 -P "$KERB_JOBS" clang-format --dry-run -Werror --ferror-limit=1 || status=1
  if [[ "$status" -eq 0 ]]; then echo "$# files are as they should be"; else echo "./kerb format puts this right"; fi
  return "$status"
}

part_docs() {
  local status=0
  step "docs: lines and links" python3 scripts/check_docs.py || status=1
  closing_line "pages" || return 1
  return "$status"
}

part_shell() {
  local files
  mapfile -t files < <(shell_scripts)
  if step "shell: shellcheck" shellcheck -x "${files[@]}"; then
    count "${#files[@]}" 0 0 "files"
  fi
}
shell_scripts() {
  local path
  { git -c safe.directory="$KERB_ROOT" ls-files -co --exclude-standard 2>/dev/null || find kerb .ci scripts tests -type f; } |
    while IFS= read -r path; do
      if [[ -f "$path" && ("$path" == *.sh || "$(head -c 64 -- "$path" | head -n 1 | tr -d '\0')" =~ ^#!.*[/\ ](ba)?sh) ]]; then echo "$path"; fi
    done | sort -u
}

# ctest_part PRESET ARGS...: configure, build, run; counts the tests, and the test cases inside them. CI builds only the
# tests that KERB_CHOICE names (KERB_TESTS in cmake/KerbTest.cmake), and leaves out those labelled KERB_LEFT_OUT.
ctest_part() {
  local preset="$1" log passed failed skipped cases left_out=() settings=() note="" name
  if in_ci; then
    if [[ -n "${KERB_CHOICE:-}" ]]; then
      settings=(-DKERB_TESTS="$KERB_CHOICE")
      note="; those chosen as $KERB_CHOICE"
    fi
    if [[ -n "${KERB_LEFT_OUT:-}" && -z "$KERB_LONG" ]]; then
      left_out=(-LE "^$KERB_LEFT_OUT\$")
      not_run "$preset: tests labelled $KERB_LEFT_OUT"
    fi
  elif [[ -n "${KERB_CHOICE:-}" ]]; then
    settings=(-DKERB_TESTS=all)
  fi
  configure "$preset" -DKERB_BUILD_TESTS=ON "${settings[@]}" "${@:2}" || return 1
  build "$preset" --target tests || return 1
  step "$preset: tests" ctest --preset "$preset" "${left_out[@]}" --output-on-failure || true
  log="$KERB_LOG"
  passed="$(grep -cE '^ *[0-9]+/[0-9]+ Test +#[0-9]+: .* Passed ' "$log" || true)"
  skipped="$(grep -cE '^ *[0-9]+/[0-9]+ Test +#[0-9]+: .*\*\*\*Skipped' "$log" || true)"
  failed="$(grep -cE '^ *[0-9]+/[0-9]+ Test +#[0-9]+: .*\*\*\*' "$log" || true)"
  failed="$((failed - skipped))"
  grep -qE '^[0-9]+% tests passed' "$log" || failed="$((failed + 1))" # ctest itself did not get that far
  # What these need, setup has installed: a skip says that something is broken.
  if grep -qE ': (unit_[a-z_0-9]*|contract_frame_source_(folder|video)) .*\*\*\*Skipped' "$log" && [[ "$preset" == host || "$preset" == dev ]]; then
    complain "$preset: a test was skipped although what it needs is installed; see $log"
    failed="$((failed + 1))"
  fi
  cases="$(awk '/^[0-9]+ Tests [0-9]+ Failures [0-9]+ Ignored/ { n += $1 } END { print n + 0 }' \
    "build/$preset/Testing/Temporary/LastTest.log" 2>/dev/null || echo 0)"
  while IFS= read -r name; do
    not_run "$preset: $name: what it needs is not on this machine"
  done < <(sed -nE 's/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: ([a-z_0-9]+) .*\*\*\*Skipped.*/\1/p' "$log" | awk '/^gpu_/ { gpu = 1; next } { print } END { if (gpu) print "gpu_*" }')
  count "$passed" "$failed" "$skipped" "tests, with $cases cases$note"
}
# Part jetson builds for the boards' GPUs; here one architecture is enough to see that it compiles, and none in CI,
# where nothing could run it. CI builds and runs here the tests labelled optimised, in part dev all but those
# labelled kerblab. On an arm64 machine those of the product are optimised for the boards' CPU here, so they run here.
HOST_SETTINGS=(-DKERB_WITH_OPENCV=ON -DCMAKE_CUDA_ARCHITECTURES=90-real)
part_host() {
  local settings=() choice=optimised
  if in_ci; then settings=(-DKERB_WITH_CUDA=OFF); fi
  if on_arm64; then choice=optimised,product; fi
  KERB_CHOICE="$choice" ctest_part host "${HOST_SETTINGS[@]}" "${settings[@]}" || return 1
  if [[ -n "$KERB_LONG" ]]; then soak_hours; fi
}
# An hour of the product's clock with faults at random, three times (docs/results/soak.md). KERB_SOAK_SEED: the first seed.
soak_hours() {
  local first="${KERB_SOAK_SEED:-1}" seed bad=0 passed failed skipped
  for seed in "$first" "$((first + 1))" "$((first + 2))"; do
    step "host: an hour of faults, seed $seed" build/host/bin/unit_firmware_soak soak --hours 1 --seed "$seed" \
      --cameras "$((seed % 2 + 1))" || bad=$((bad + 1))
  done
  read -r passed failed skipped <<<"$KERB_COUNT"
  count "$((passed + 3 - bad))" "$((failed + bad))" "$skipped" "$KERB_NOTE; 3 hours of faults"
}
part_dev() { KERB_CHOICE=sanitized ctest_part dev -DKERB_WITH_OPENCV=ON; }
part_tsan() {
  local choice=threaded
  if in_ci && [[ -z "$KERB_LONG" ]]; then
    choice=races
    not_run "tsan: tests of tools/ that have threads"
  fi
  ctest_part tsan -DKERB_TESTS="$choice"
}
on_arm64() { [[ "$(host_arch)" == arm64 ]]; }
part_arm64() {
  if on_arm64; then # only what the emulated board needs: no program is built twice for the same CPU
    configure arm64 -DKERB_BUILD_TESTS=ON -DKERB_TESTS=board && build arm64 || return 1
    count 1 0 0 "build; its tests ran in part host, on this machine's own CPU"
    return 0
  fi
  local choice=product
  if [[ -z "$KERB_LONG" ]]; then
    choice=bits,board
    not_run "arm64: tests of the product other than gpu/, exact arithmetic, tracks and records; on an arm64 machine they are in part host"
  fi
  KERB_LEFT_OUT=long ctest_part arm64 -DKERB_TESTS="$choice"
}

# closing_line: reads `N passed, N failed`, which a script of ours prints last, out of the step's log.
closing_line() {
  local words
  read -r -a words <<<"$(grep -aoE '^[0-9]+ passed, [0-9]+ failed' "$KERB_LOG" | tail -n 1)"
  [[ ${#words[@]} -eq 4 ]] || return 1
  count "${words[0]}" "${words[2]}" 0 "$1"
}

# start_board: boots the emulated board and does not wait for it. One thread emulates it, and it does not notice a busy
# host, so it takes the core that is idle while part jetson links and waits for long CUDA sources.
KERB_BOARD_PID=""
start_board() {
  [[ -z "$KERB_BOARD_PID" ]] || return 0
  build_for_board || return 1
  KERB_BOARD_OUTPUT="$KERB_LOGS/board-output.log"
  KERB_BOARD_STATUS="$KERB_LOGS/board-status"
  rm -f "$KERB_BOARD_STATUS"
  : >"$KERB_BOARD_OUTPUT"
  board_in_background >>"$KERB_BOARD_OUTPUT" 2>&1 </dev/null &
  KERB_BOARD_PID=$!
  trap stop_board_in_background EXIT
}
board_in_background() {
  local status=0 run
  tests/board/run.sh ${KERB_LONG:+--long} &
  run=$!
  trap 'kill "$run" 2>/dev/null || true' TERM
  wait "$run" || status=$?
  echo "$status" >"$KERB_BOARD_STATUS"
}
stop_board_in_background() { kill "$KERB_BOARD_PID" 2>/dev/null || true; }
# follow_board: what the board prints, until it ends; then its status.
follow_board() {
  tail -n +1 -s 0.5 --pid="$KERB_BOARD_PID" -f "$KERB_BOARD_OUTPUT"
  return "$(cat "$KERB_BOARD_STATUS" 2>/dev/null || echo 1)"
}
part_board() {
  local status=0
  start_board || return 1
  step "board: checks" follow_board || status=1
  wait "$KERB_BOARD_PID" || true # its CPU seconds count from here on
  trap - EXIT
  KERB_BOARD_PID=""
  closing_line "checks" || return 1
  return "$status"
}

part_jetson() {
  local status=0
  # The tests of CUDA code run where there is a GPU; here they are compiled.
  use_chosen_nvcc
  configure jetson -DKERB_BUILD_TESTS=ON || return 1
  if [[ -n "$KERB_LONG" ]]; then
    build jetson || return 1
  else
    build jetson --target kerbwatch || return 1
    not_run "jetson: the benchmarks are not built"
  fi
  step "jetson: tests build" cmake --build --preset jetson --target tests || return 1
  step "jetson: check" scripts/check_jetson.sh build/jetson/bin/kerbwatch || status=1
  closing_line "checks" || return 1
  # The check itself must be able to fail: a program with code for one GPU only has to be refused.
  if ! step "jetson: the check can fail" refuses_a_lesser_program; then
    KERB_COUNT="$(awk '{ print $1, $2 + 1, $3 }' <<<"$KERB_COUNT")"
    return 1
  fi
  KERB_COUNT="$(awk '{ print $1 + 1, $2, $3 }' <<<"$KERB_COUNT")"
  return "$status"
}
refuses_a_lesser_program() {
  local work="$KERB_ROOT/build/jetson/lesser"
  mkdir -p "$work"
  echo '__global__ void kernel(int* p) { *p = 1; } int main() { kernel<<<1, 1>>>(nullptr); }' >"$work/lesser.cu"
  # The headers as toolchains/jetson.cmake tells them.
  local nvcc
  nvcc="$(readlink -f -- "$(command -v -- "$CUDACXX")")"
  "$CUDACXX" -ccbin aarch64-linux-gnu-g++ -I "${KERB_CUDA_AARCH64_ROOT:-.deps/cuda-aarch64}/include" \
    -I "${nvcc%/bin/*}/include" -gencode arch=compute_87,code=sm_87 -c "$work/lesser.cu" \
    -o "$work/lesser.o" || return 1
  local status=0
  python3 scripts/cuda_archs.py --expect 87,110 "$work/lesser.o" || status=$?
  echo "sm_87 alone: exit code $status, expected 1"
  [[ "$status" -eq 1 ]]
}

# The two parts that read sources one by one read how the host build would compile each alone.
configure_alone() {
  step "$1: configure" cmake --preset host -B build/tidy -DKERB_BUILD_TESTS=ON -DKERB_WITH_CUDA=OFF -DKERB_WITH_OPENCV=ON \
    -DCMAKE_UNITY_BUILD=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DKERB_WARNINGS_AS_ERRORS=ON
}

# last_landing: the commit that this work started from, or nothing where that cannot be told (a shallow clone).
# KERB_SINCE names another. On the main branch itself: what the day before the last commit has not seen.
last_landing() {
  local git=(git -c safe.directory="$KERB_ROOT") head ref base
  if [[ -n "${KERB_SINCE:-}" ]]; then
    echo "$KERB_SINCE"
    return
  fi
  head="$("${git[@]}" rev-parse HEAD 2>/dev/null)" || return 0
  for ref in origin/main origin/HEAD main; do
    base="$("${git[@]}" merge-base HEAD "$ref" 2>/dev/null)" || continue
    if [[ "$base" != "$head" ]]; then
      echo "$base"
      return
    fi
  done
  "${git[@]}" rev-list -1 --before="$(($("${git[@]}" log -1 --format=%ct) - 86400))" HEAD 2>/dev/null || true
}

# choice_of_files: the arguments by which tidy.py and alone.py choose: all with --long.
KERB_SHARE="${KERB_SHARE:-10}"
choice_of_files() {
  local base
  [[ -z "$KERB_LONG" ]] || return 0
  base="$(last_landing)"
  echo "--share $KERB_SHARE${base:+ --since $base}${KERB_LIMIT:+ --limit $KERB_LIMIT}"
}

# read_sources PART TITLE COMMAND...: runs the script, and counts the files that it did not read as skipped.
read_sources() {
  local part="$1" status=0 left
  local files=()
  read -r -a files <<<"$(choice_of_files)"
  configure_alone "$part" || return 1
  step "$part: $2" "${@:3}" --build build/tidy --jobs "$KERB_JOBS" "${files[@]}" || status=1
  closing_line "files" || return 1
  left="$(sed -nE 's/^([0-9]+) files were (left|not chosen): .*/\1/p' "$KERB_LOG" | awk '{ n += $1 } END { print n + 0 }')"
  if [[ "$left" -gt 0 ]]; then
    KERB_COUNT="$(awk -v left="$left" '{ print $1, $2, left }' <<<"$KERB_COUNT")"
    not_run "$part: $left files: not changed since $(last_landing | cut -c1-12) and not of today's share (1 in $KERB_SHARE)${KERB_LIMIT:+, or after $KERB_LIMIT s}"
  fi
  return "$status"
}
part_alone() { KERB_LIMIT="${KERB_ALONE_LIMIT:-}" read_sources alone "each source by itself" python3 scripts/alone.py; }
part_tidy() { KERB_LIMIT="${KERB_TIDY_LIMIT:-}" read_sources tidy clang-tidy python3 scripts/tidy.py; }

part_simd() {
  if ! on_arm64; then
    count 1 0 0 "AVX2 is in part host, NEON in part arm64"
    return 0
  fi
  configure x86_64 && build x86_64 || return 1
  count 1 0 0 "build: hog, image, flow and emd for x86-64 with AVX2, compiled only"
}
