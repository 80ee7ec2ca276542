#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Trains the networks that look again, from a pack: of each half, and of both. Needs PyTorch and OpenCV for Python, and nothing else of the
# project than tools/net; about five minutes on a large GPU.
# usage: train_network.sh PACK OUT
#   PACK  folder of tools/net/pack.py
#   OUT   gets network-a.json (of all but half a), network-b.json, network.json, and the logs
set -euo pipefail
net="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../tools/net" && pwd -P)"
pack="$1" out="$2"
mkdir -p "$out"

# all COMMAND...: for each part that is held out, one beside the other. F is its number (-1: none), N the end of its names.
all() {
  local jobs=() job
  for job in "0 -a" "1 -b" "-1 "; do
    F="${job%% *}" N="${job#* }" "$@" &
    jobs+=($!)
  done
  for job in "${jobs[@]}"; do wait "$job"; done
}
# Few steps: longer trainings order sure candidates worse, though they tell more of the others apart.
teacher() { python3 "$net/train.py" teacher --width 32 --steps 1900 --seed "$1" --fold="$F" --pack "$pack" --out "$out/teacher$N-$1.pt" >"$out/teacher$N-$1.log"; }
small() {
  python3 "$net/train.py" small --steps 4200 --exact-steps 1200 --fold="$F" --pack "$pack" --teacher "$out/teacher$N-1.pt" "$out/teacher$N-2.pt" \
    --out "$out/network$N.pt" >"$out/network$N.log"
  python3 "$net/train.py" export "$out/network$N.pt" --out "$out/network$N.json"
}
all teacher 1
all teacher 2
all small
