# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Building through the presets, for ./kerb: demo, board, cross, format. Sourced, not run.

in_ci() { [[ "${CI:-}" == true || "${CI:-}" == 1 ]]; }

# configure PRESET ARGS...
configure() {
  local preset="$1"
  shift
  local arguments=("$@")
  if in_ci; then arguments+=(-DKERB_WARNINGS_AS_ERRORS=ON); fi
  step "$preset: configure" cmake --preset "$preset" "${arguments[@]}"
}

build() { step "$1: build" cmake --build --preset "$1" "${@:2}"; }

kerb_demo() {
  local arguments=()
  setup_demo
  # Without Unity there are no tests to build, and the demo needs none.
  [[ -s "$KERB_DEPS/unity/unity.c" ]] || arguments+=(-DKERB_BUILD_TESTS=OFF)
  configure host "${arguments[@]}" || exit 1
  build host --target kerblab || exit 1
  heading "kerblab sim demo"
  local status=0
  build/host/bin/kerblab sim demo --out build/demo "$@" || status=$?
  [[ "$status" -eq 0 ]] || complain "kerblab sim demo failed (exit $status)"
  exit "$status"
}

# What ./kerb board --scenarios plays: somebody who crosses, somebody who walks ahead, people who wait at the
# kerb. The $ leaves their variations out.
KERB_BENCH_SCENARIOS=(--suite euroncap --suite quiet --only 'CPNA-50-30kmh$' --only 'CPLA-50-50kmh$' --only 'waiting-30kmh$')

kerb_board_scenarios() {
  setup_demo
  setup_board
  configure host && build host --target kerblab || exit 1
  configure arm64 -DKERB_BUILD_TESTS=ON && build arm64 --target kerbwatch kerb_board_player || exit 1
  [[ $# -gt 0 ]] || set -- "${KERB_BENCH_SCENARIOS[@]}"
  rm -rf build/board/told
  mkdir -p build/board
  step "board: scenarios" build/host/bin/kerblab sim run "$@" --hil tests/board/run.sh --traces build/board/told \
    --report build/board/report.json --html build/board/report.html || exit 1
  say "the report is build/board/report.html, what was sent is in build/board/told"
}

kerb_board() {
  case "${1:-}" in
    -h | --help)
      tests/board/run.sh --help
      return
      ;;
    --scenarios)
      kerb_board_scenarios "${@:2}"
      return
      ;;
  esac
  setup_board
  configure arm64 -DKERB_BUILD_TESTS=ON || exit 1
  build arm64 || exit 1
  step "board: bench" tests/board/run.sh "$@" || exit 1
}

# use_chosen_nvcc: makes every build use the nvcc that setup chose.
use_chosen_nvcc() {
  local nvcc
  nvcc="$(nvcc_of_machine)"
  [[ -n "$nvcc" ]] || die "no nvcc $KERB_CUDA_SERIES or newer; ./kerb setup cross fetches one"
  export CUDACXX="$nvcc"
}

build_jetson() {
  use_chosen_nvcc
  configure jetson && build jetson
}

kerb_cross() {
  [[ $# -eq 0 ]] || die_usage "cross takes no arguments"
  setup_cross
  build_jetson || exit 1
  step "jetson: check" scripts/check_jetson.sh build/jetson/bin/kerbwatch || exit 1
}

# The C++ and CUDA sources of this repository, one a line: tracked, or new and not ignored.
sources() {
  {
    git -C "$KERB_ROOT" -c safe.directory="$KERB_ROOT" ls-files -co --exclude-standard 2>/dev/null ||
      find . \( -name build -o -name .deps -o -name .git \) -prune -o -type f -printf '%P\n'
  } | grep -E '\.(cpp|hpp|cu|cuh)$' | sort -u | while IFS= read -r path; do
    if [[ -f "$path" ]]; then echo "$path"; fi
  done
}

kerb_format() {
  [[ $# -eq 0 ]] || die_usage "format takes no arguments"
  install_packages clang-format
  local files
  mapfile -t files < <(sources)
  [[ ${#files[@]} -gt 0 ]] || die "no sources here"
  printf '%s\0' "${files[@]}" | xargs -0 -n 16 -P "$KERB_JOBS" clang-format -i
  say "formatted ${#files[@]} files"
}
