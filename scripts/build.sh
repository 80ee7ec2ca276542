# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Building through the presets, for ./kerb: demo, board, cross, format. Sourced, not run.

in_ci() { [[ "${CI:-}" == true || "${CI:-}" == 1 ]]; }

# use_tools_here: ccache, where it is installed and not switched off. It must know of precompiled headers.
use_tools_here() {
  if [[ -z "${CCACHE_DISABLE:-}" ]] && command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER="${CMAKE_C_COMPILER_LAUNCHER-ccache}"
    export CMAKE_CXX_COMPILER_LAUNCHER="${CMAKE_CXX_COMPILER_LAUNCHER-ccache}"
    export CCACHE_SLOPPINESS="${CCACHE_SLOPPINESS-pch_defines,time_macros}"
  fi
}

# configure PRESET ARGS...
configure() {
  local preset="$1"
  shift
  local arguments=("$@")
  use_tools_here
  if in_ci; then arguments+=(-DKERB_WARNINGS_AS_ERRORS=ON); fi
  step "$preset: configure" cmake --preset "$preset" "${arguments[@]}"
}

build() { step "$1: build" cmake --build --preset "$1" "${@:2}"; }

# gpu_here: whether this machine has a GPU that CUDA code could run on: a driver that lists one, or a Tegra's own nodes.
gpu_here() {
  local node
  if command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU'; then return 0; fi
  for node in /dev/nvidia[0-9]* /dev/nvhost-gpu /dev/nvgpu /dev/nvmap; do
    [[ ! -e "$node" ]] || return 0
  done
  return 1
}

# cuda_here: the setting KERB_WITH_CUDA of a build for this machine.
cuda_here() {
  if [[ -n "${KERB_WITH_CUDA:-}" ]]; then
    echo "$KERB_WITH_CUDA"
  elif gpu_here; then
    echo AUTO
  else
    echo OFF
  fi
}

# What a first build of the demo costs, in seconds of one core: 310 measured on amd64 (2 cores, g++ 12).
KERB_DEMO_CPU_S=340
KERB_DEMO_CUDA_CPU_S=180

kerb_demo() {
  local cuda seconds="$KERB_DEMO_CPU_S" status=0 steps all cores settings=(-DKERB_BUILD_TESTS=OFF)
  cuda="$(cuda_here)"
  if [[ "${1:-}" == --cuda ]]; then
    cuda=ON
    shift
  fi
  if [[ "$cuda" == AUTO ]]; then settings+=(-DCMAKE_CUDA_ARCHITECTURES=native); fi # for this GPU alone
  setup_demo
  KERB_SHOW=quiet configure host -DKERB_WITH_CUDA="$cuda" "${settings[@]}" || exit 1
  if grep -q 'CUDA backend ON' "$KERB_LOG"; then seconds=$((seconds + KERB_DEMO_CUDA_CPU_S)); fi
  # What an earlier build left is not built again.
  steps="$(ninja -C build/host -n kerb_demo 2>/dev/null | grep -cE '^\[[0-9]+/[0-9]+\] ' || true)"
  all="$(ninja -C build/host -t inputs kerb_demo 2>/dev/null | grep -cE '\.o$|\.a$' || true)"
  cores="$(nproc)"
  [[ "$cores" -le "$KERB_JOBS" ]] || cores="$KERB_JOBS"
  if [[ "$steps" -gt 1 && "$all" -gt 0 ]]; then
    seconds=$((seconds * steps / (all + 1) / cores))
    say "building takes about $(((seconds + 59) / 60)) min on $cores cores ($steps steps, once); then the demo itself, about 30 s"
    if [[ "$cuda" == OFF ]]; then say "without CUDA, as there is no GPU here (./kerb demo --cuda builds it nevertheless)"; fi
    KERB_SHOW=bar build host --target kerb_demo || exit 1
  else
    KERB_SHOW=quiet build host --target kerb_demo || exit 1
  fi
  heading "the demo"
  build/host/bin/kerb_demo --out build/demo "$@" || status=$?
  [[ "$status" -eq 0 ]] || complain "the demo failed (exit $status)"
  say "all commands of kerblab: cmake --build --preset host --target kerblab"
  exit "$status"
}

# What ./kerb board --scenarios plays: somebody who crosses, somebody who walks ahead, people who wait at the
# kerb. The $ leaves their variations out.
KERB_BOARD_SCENARIOS=(--suite euroncap --suite quiet --only 'CPNA-50-30kmh$' --only 'CPLA-50-50kmh$' --only 'waiting-30kmh$')

kerb_board_scenarios() {
  setup_demo
  setup_board
  configure host -DKERB_WITH_CUDA="$(cuda_here)" && build host --target kerblab || exit 1
  configure arm64 -DKERB_BUILD_TESTS=ON && build arm64 --target kerbwatch kerb_board_player || exit 1
  [[ $# -gt 0 ]] || set -- "${KERB_BOARD_SCENARIOS[@]}"
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
  build_for_board || exit 1
  step "board: checks" tests/board/run.sh "$@" || exit 1
}

# build_for_board: what the emulated board runs.
build_for_board() { configure arm64 -DKERB_BUILD_TESTS=ON -DKERB_TESTS=board && build arm64; }

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
