#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Trains the networks that look again, from a pack: of each half, and of both. Needs PyTorch and OpenCV for Python, and nothing else of the
# project than tools/net; about six minutes on a large GPU.
# usage: train_network.sh PACK OUT [NAME [SEED [OPTION...]]]
#   PACK    folder of tools/net/pack.py
#   OUT     gets NAME-a.json (of all but half a), NAME-b.json, NAME.json, NAME-unlabelled.txt, and the logs
#   NAME    network
#   SEED    1
#   OPTION  of tools/net/train.py, for all trainings: --grey for cameras without colour
set -euo pipefail
net="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../tools/net" && pwd -P)"
pack="$1" out="$2" name="${3:-network}" seed="${4:-1}"
options=("${@:5}")
grey=()
for option in "${options[@]}"; do [[ "$option" != --grey ]] || grey=(--grey); done
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
teacher() {
  python3 "$net/train.py" teacher --width 32 --steps 1900 --seed "$((10 * seed + $1))" --fold="$F" --pack "$pack" --out "$out/$name-teacher$N-$1.pt" "${options[@]}" \
    >"$out/$name-teacher$N-$1.log"
}
small() {
  # Not for the halves: what is left out of one was found by a network of the other, on which it is judged.
  local left_out=()
  ((F >= 0)) || left_out=(--leave-out "$out/$name-unlabelled.txt")
  python3 "$net/train.py" small --steps 4200 --exact-steps 1200 --seed "$seed" --fold="$F" --pack "$pack" "${left_out[@]}" \
    --teacher "$out/$name-teacher$N-1.pt" "$out/$name-teacher$N-2.pt" --out "$out/$name$N.pt" "${options[@]}" >"$out/$name$N.log"
  python3 "$net/train.py" export "$out/$name$N.pt" --out "$out/$name$N.json"
}
all teacher 1
all teacher 2
python3 "$net/train.py" unlabelled "$out/$name-teacher-a-1.pt" "$out/$name-teacher-b-1.pt" --pack "$pack" --out "$out/$name-unlabelled.txt" \
  --sheet "$out/$name-unlabelled.png" "${grey[@]}"
all small
