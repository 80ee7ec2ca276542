# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What each command needs, and how it gets there. Sourced by ./kerb.
#
# Packages come from the machine's own package sources, Python wheels from the machine's own pip
# configuration. No address of either is written in this repository.

KERB_CUDA_SERIES="13.0"

packages_for() {
  local arch cross_suffix=""
  arch="$(host_arch)"
  [[ "$arch" == arm64 ]] || cross_suffix=":arm64"
  case "$1" in
    build) echo g++ cmake ninja-build pkg-config python3 ;;
    libraries)
      echo libturbojpeg0-dev libasound2-dev libsystemd-dev libtomlplusplus-dev libcli11-dev \
        libspdlog-dev libfmt-dev nlohmann-json3-dev libeigen3-dev
      ;;
    opencv) # the parts we use: libopencv-dev would bring all of it
      echo libopencv-core-dev libopencv-imgproc-dev libopencv-imgcodecs-dev libopencv-videoio-dev \
        libopencv-objdetect-dev libopencv-video-dev libopencv-calib3d-dev libopencv-features2d-dev
      ;;
    arm64) # on arm64 the native compiler also answers to aarch64-linux-gnu-g++
      [[ "$arch" == arm64 ]] || echo g++-aarch64-linux-gnu libstdc++6:arm64
      local name
      for name in libturbojpeg0-dev libasound2-dev libsystemd-dev; do # the others are headers alone
        echo "$name$cross_suffix"
      done
      ;;
    fetch) echo python3-venv ca-certificates xz-utils ;; # for what goes into .deps
    emulators) echo qemu-user qemu-system-arm kmod ;;
    jetson) echo file ;;
    x86_64) echo g++-x86-64-linux-gnu ;;
    format) echo clang-format ;;
    link) echo mold ;; # links what the sanitizers make in a tenth of the time
    tidy) echo clang-tidy ;;
    shell) echo shellcheck ;;
  esac
}

setup_packages() {
  local group list=()
  for group in "$@"; do
    read -r -a words <<<"$(packages_for "$group" | tr '\n' ' ')"
    list+=("${words[@]}")
  done
  # once each, in order
  mapfile -t list < <(printf '%s\n' "${list[@]}" | awk '!seen[$0]++')
  install_packages "${list[@]}"
}

kerb_setup() {
  local what="${1:-test}"
  [[ $# -le 1 ]] || die_usage "setup takes one word: demo, test, board or cross"
  case "$what" in
    demo) setup_demo ;;
    test) setup_test "${KERB_PARTS[@]}" ;;
    board) setup_board ;;
    cross) setup_cross ;;
    *) die_usage "setup: '$what' is not one of demo, test, board, cross" ;;
  esac
  say "everything that ./kerb $what needs is here"
}

setup_demo() { setup_packages build libraries opencv; }

setup_board() {
  setup_packages build libraries arm64 fetch emulators
  fetch_unity
  fetch_venv
  fetch_board
  fetch_board_python
}

setup_cross() {
  setup_packages build libraries arm64 fetch jetson
  fetch_cuda_aarch64
  fetch_nvcc
}

# setup_test PART...: what these parts of the tests need.
setup_test() {
  local part groups=(build libraries)
  for part in "$@"; do
    case "$part" in
      format) groups+=(format) ;;
      shell) groups+=(shell) ;;
      host | dev) groups+=(opencv fetch link) ;;
      tidy | alone) groups+=(opencv fetch) ;;
      simd) if [[ "$(host_arch)" == arm64 ]]; then groups+=(x86_64); fi ;;
      tsan) groups+=(fetch link) ;;
      arm64 | board) groups+=(fetch arm64 emulators) ;;
      jetson) groups+=(fetch arm64 jetson) ;;
    esac
    [[ "$part" != tidy ]] || groups+=(tidy)
  done
  setup_packages "${groups[@]}"
  for part in "$@"; do
    case "$part" in
      host | dev | tsan | arm64 | board | tidy | alone)
        fetch_unity
        fetch_venv
        ;;
      jetson)
        fetch_unity
        fetch_cuda_aarch64
        fetch_nvcc
        ;;
    esac
    if [[ "$part" == board ]]; then
      fetch_board
      fetch_board_python
    fi
  done
}

# --- .deps: each folder appears whole or not at all, with a .stamp that says what it holds.

# have NAME VERSION: whether .deps/NAME holds that version.
have() { [[ "$(cat "$KERB_DEPS/$1/.stamp" 2>/dev/null)" == "$2" ]]; }

# fresh NAME: an empty folder to fill. keep NAME VERSION: puts it in place.
fresh() {
  rm -rf "$KERB_DEPS/.new-$1"
  mkdir -p "$KERB_DEPS/.new-$1"
}
keep() {
  printf '%s\n' "$2" >"$KERB_DEPS/.new-$1/.stamp"
  rm -rf "${KERB_DEPS:?}/$1"
  mv "$KERB_DEPS/.new-$1" "$KERB_DEPS/$1"
}

# The Python to make environments with: the packaged one, whose venv module we installed.
python_of_machine() {
  if [[ -x /usr/bin/python3 ]]; then echo /usr/bin/python3; else command -v python3; fi
}

# Unity, the test framework. Debian has no package of it, but ships it inside a source package.
fetch_unity() {
  local version="unity from ntpsec" work="$KERB_DEPS/.new-unity/work" file
  if have unity "$version"; then return 0; fi
  may_fetch "Unity (.deps/unity)"
  say "fetching Unity, the test framework, into .deps/unity"
  fresh unity
  mkdir -p "$KERB_LOGS" "$work/parts" "$work/lists/partial" "$work/cache/archives/partial"
  # The machine's own sources, asked for source packages instead, in a configuration of our own.
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [[ -r "$file" ]] || continue
    sed -n 's/^[[:space:]]*deb\([[:space:]]\)/deb-src\1/p' "$file" >"$work/parts/$(basename "$file" .list).list"
  done
  for file in /etc/apt/sources.list.d/*.sources; do
    [[ -r "$file" ]] || continue
    sed 's/^[Tt]ypes:.*/Types: deb-src/' "$file" >"$work/parts/$(basename "$file")"
  done
  local apt=(apt-get -q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$work/parts"
    -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User="$(id -un)")
  # A further source may have no source packages: what counts is whether ntpsec is then found.
  "${apt[@]}" update >>"$KERB_LOGS/setup.log" 2>&1 || true
  (cd "$work" && quietly "fetching the source package ntpsec" "${apt[@]}" source --download-only ntpsec)
  local archive
  archive="$(find "$work" -maxdepth 1 -name 'ntpsec_*.orig.tar.*' ! -name '*.asc' | head -n 1)"
  [[ -n "$archive" ]] || die "the source package ntpsec came without its archive; log: build/logs/setup.log"
  quietly "unpacking Unity" tar -C "$KERB_DEPS/.new-unity" --no-same-owner --strip-components=3 --wildcards -xf "$archive" \
    '*/tests/unity/unity.c' '*/tests/unity/unity.h' '*/tests/unity/unity_internals.h'
  rm -rf "$work"
  for file in unity.c unity.h unity_internals.h; do
    [[ -s "$KERB_DEPS/.new-unity/$file" ]] || die "the source package ntpsec holds no tests/unity/$file"
  done
  keep unity "$version"
}

fetch_venv() {
  local version
  version="$(sha256sum scripts/requirements.txt | cut -d' ' -f1)"
  if have venv "$version" && "$KERB_DEPS/venv/bin/python" -c '' 2>/dev/null; then return 0; fi
  may_fetch "Python packages (.deps/venv)"
  say "installing Python packages into .deps/venv: $(sed -n 's/^\([a-zA-Z_-]*\)==.*/\1/p' scripts/requirements.txt | tr '\n' ' ')"
  rm -rf "$KERB_DEPS/venv" # its scripts name their own path, so it is made in place
  mkdir -p "$KERB_DEPS"
  quietly "making a Python environment" "$(python_of_machine)" -m venv "$KERB_DEPS/venv"
  quietly "pip install" "$KERB_DEPS/venv/bin/pip" --disable-pip-version-check install -q -r scripts/requirements.txt
  printf '%s\n' "$version" >"$KERB_DEPS/venv/.stamp"
}

# fetch_wheels FOLDER aarch64|x86_64 NAME...: unpacks NVIDIA's wheels into .deps/FOLDER.
fetch_wheels() {
  local folder="$1" machine="$2" name
  shift 2
  fetch_venv
  fresh "$folder"
  for name in "$@"; do
    quietly "pip download $name" "$KERB_DEPS/venv/bin/pip" --disable-pip-version-check download -q --no-deps \
      --only-binary=:all: --platform "manylinux2014_$machine" --platform "manylinux_2_17_$machine" \
      --platform "manylinux_2_28_$machine" -d "$KERB_DEPS/.new-$folder/wheels" "$name==$KERB_CUDA_SERIES.*"
  done
  quietly "unpacking wheels" "$KERB_DEPS/venv/bin/python" scripts/unpack_wheels.py \
    "$KERB_DEPS/.new-$folder" "$KERB_DEPS/.new-$folder/wheels/"*.whl
  rm -rf "$KERB_DEPS/.new-$folder/wheels"
  keep "$folder" "CUDA $KERB_CUDA_SERIES $machine"
}

# The CUDA runtime of the board, to link against: headers, libcudart.so, libcudart_static.a, CCCL.
fetch_cuda_aarch64() {
  if have cuda-aarch64 "CUDA $KERB_CUDA_SERIES aarch64"; then return 0; fi
  may_fetch "the aarch64 CUDA runtime (.deps/cuda-aarch64)"
  say "fetching the aarch64 CUDA $KERB_CUDA_SERIES runtime into .deps/cuda-aarch64"
  fetch_wheels cuda-aarch64 aarch64 nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl
}

# nvcc_of_machine: the path of an nvcc that is new enough, or nothing.
nvcc_of_machine() {
  local nvcc release
  for nvcc in "${CUDACXX:-}" "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc "$KERB_DEPS/nvcc/bin/nvcc"; do
    [[ -n "$nvcc" && -x "$nvcc" ]] || continue
    release="$("$nvcc" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p')"
    if [[ -n "$release" && "$(printf '%s\n' "$KERB_CUDA_SERIES" "$release" | sort -V | head -n 1)" == "$KERB_CUDA_SERIES" ]]; then
      echo "$nvcc"
      return 0
    fi
  done
}

fetch_nvcc() {
  local machine
  if [[ -n "$(nvcc_of_machine)" ]]; then return 0; fi
  may_fetch "nvcc $KERB_CUDA_SERIES or newer"
  case "$(host_arch)" in
    arm64) machine=aarch64 ;;
    amd64) machine=x86_64 ;;
    *) die "there is no nvcc for $(host_arch)" ;;
  esac
  say "fetching nvcc $KERB_CUDA_SERIES into .deps/nvcc (about 100 MB)"
  fetch_wheels nvcc "$machine" nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt nvidia-cuda-cccl nvidia-cuda-runtime
}

# The board's kernel (modules and all) and a static busybox: two Debian packages, unpacked.
fetch_board() {
  local kernel
  if [[ -x "$KERB_DEPS/board/busybox/bin/busybox" && -s "$KERB_DEPS/board/.stamp" ]]; then return 0; fi
  may_fetch "the board's kernel (.deps/board)"
  say "fetching an arm64 kernel and busybox into .deps/board (about 70 MB)"
  add_architecture arm64
  refresh_package_lists
  kernel="$(apt-cache depends linux-image-arm64:arm64 2>/dev/null |
    sed -n 's/.*Depends: \(linux-image-[0-9][^ :]*\).*/\1/p' | head -n 1)"
  [[ -n "$kernel" ]] || die "no linux-image-arm64 in this machine's package sources"
  fresh board
  (cd "$KERB_DEPS/.new-board" &&
    quietly "apt-get download" apt-get -q -o APT::Sandbox::User="$(id -un)" download "$kernel:arm64" busybox-static:arm64)
  quietly "unpacking the kernel" dpkg-deb -x "$KERB_DEPS/.new-board/${kernel}_"*.deb "$KERB_DEPS/.new-board/kernel"
  quietly "unpacking busybox" dpkg-deb -x "$KERB_DEPS/.new-board/busybox-static_"*.deb "$KERB_DEPS/.new-board/busybox"
  rm -f "$KERB_DEPS/.new-board/"*.deb
  [[ -x "$KERB_DEPS/.new-board/busybox/bin/busybox" ]] || die "busybox-static:arm64 holds no bin/busybox"
  keep board "$kernel"
}

# Python for the board: a workshop's tester (tests/board/workshop.py) runs there.
fetch_board_python() {
  local version list package archive
  if [[ -s "$KERB_DEPS/board-python/.stamp" ]]; then return 0; fi
  may_fetch "the board's Python (.deps/board-python)"
  say "fetching an arm64 Python into .deps/board-python (about 5 MB)"
  add_architecture arm64
  refresh_package_lists
  version="$(apt-cache depends python3-minimal:arm64 2>/dev/null |
    sed -n 's/.*Depends: \(python3\.[0-9]*\)-minimal.*/\1/p' | head -n 1)"
  [[ -n "$version" ]] || die "no python3-minimal:arm64 in this machine's package sources"
  list=("$version-minimal" "lib$version-minimal" "lib$version-stdlib" libexpat1 zlib1g libffi8)
  fresh board-python
  (cd "$KERB_DEPS/.new-board-python" &&
    quietly "apt-get download" apt-get -q -o APT::Sandbox::User="$(id -un)" download "${list[@]/%/:arm64}")
  for package in "${list[@]}"; do
    archive="$(find "$KERB_DEPS/.new-board-python" -maxdepth 1 -name "${package}_*.deb" | head -n 1)"
    [[ -n "$archive" ]] || die "the package $package did not come"
    quietly "unpacking $package" dpkg-deb -x "$archive" "$KERB_DEPS/.new-board-python"
  done
  rm -f "$KERB_DEPS/.new-board-python"/*.deb
  keep board-python "$version"
}
