#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that a program is what the Jetson build promises: an aarch64 executable, linked to the CUDA
# runtime, with code for the GPUs of Orin (sm_87) and Thor (sm_110) in it.
# usage: check_jetson.sh PROGRAM; prints what it saw and `N passed, N failed`; exit code 1 when a check fails.
set -euo pipefail
[[ $# -eq 1 ]] || {
  echo "usage: check_jetson.sh PROGRAM" >&2
  exit 2
}
program="$1"
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)"
passed=0 failed=0
check() { # check WHAT SEEN COMMAND...
  local what="$1" seen="$2"
  shift 2
  if "$@" >/dev/null; then
    passed=$((passed + 1))
    printf 'PASS  %s: %s\n' "$what" "$seen"
  else
    failed=$((failed + 1))
    printf 'FAIL  %s: %s\n' "$what" "$seen"
  fi
}

[[ -f "$program" ]] || {
  echo "check_jetson.sh: $program: no such file" >&2
  exit 1
}
kind="$(file -b "$program")"
needed="$(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | tr '\n' ' ')"
archs="$(python3 "$here/cuda_archs.py" "$program" 2>&1 | tr '\n' ' ' || true)"
check "an aarch64 executable" "$kind" grep -Eq '^ELF 64-bit LSB (pie )?executable, ARM aarch64' <<<"$kind"
check "linked to the CUDA runtime" "needs $needed" grep -q 'libcudart\.so\.' <<<"$needed"
check "code for sm_87 and sm_110" "has $archs" python3 "$here/cuda_archs.py" --expect 87,110 "$program"
echo "$passed passed, $failed failed"
[[ "$failed" -eq 0 ]]
