#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Judges the default and the thermal model on pictures of real streets that they were not trained on: each half of them by a model of the other half.
# The model cascades, which has seen none of them, is judged beside. Makes the figures of docs/results/detector.md.
# usage: judge_streets.sh [DATA [WORK [KERBLAB]]]
#   DATA     the folder with streets (../shared/data)
#   WORK     where scripts/train_default.sh left its models (build/streets)
#   KERBLAB  the program (build/host/bin/kerblab)
# Prints the tables, of both halves and of half b alone, on which no setting of the network was chosen; WORK/judged gets the curves, the
# detections and the twenty worst pictures of each set. Some ten minutes on two cores. Detections that are there are not made again.
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)"
data="$(cd -- "${1:-$root/../shared/data}" && pwd -P)"
work="$(cd -- "${2:-$root/build/streets}" && pwd -P)"
kerblab="$(realpath -- "${3:-$root/build/host/bin/kerblab}")"
judged="$work/judged"
mkdir -p "$judged"

# paths HALF FOLDER SET...: of the sets' pictures in a half
paths() {
  local half="$1" folder="$2" set
  shift 2
  for set in "$@"; do sed "s|^|$data/streets/$folder/|" "$work/$set-$half.txt"; done
}
for set in msrs-day msrs-night camvid cityscapes exdark; do
  cat "$work/$set-a.txt" "$work/$set-b.txt" >"$judged/$set-both.txt"
  cp "$work/$set-b.txt" "$judged"
done
for half in a b; do
  {
    paths "$half" msrs/vi msrs-day msrs-night
    paths "$half" camvid/img camvid
    paths "$half" exdark/img exdark
    paths "$half" cityscapes512/img cityscapes
  } >"$judged/pictures-$half.txt"
  paths "$half" msrs/ir msrs-night >"$judged/thermal-pictures-$half.txt"
  # One pass for all sets: people of 44 pixels and more.
  [[ "$judged/default-$half.jsonl" -nt "$work/default-$half.kwm" ]] ||
    "$kerblab" detect --model "$work/default-$half.kwm" --threshold lowest --min-height 44 --json "$judged/default-$half.jsonl" "@$judged/pictures-$half.txt"
  [[ "$judged/thermal-$half.jsonl" -nt "$work/thermal-$half.kwm" ]] ||
    "$kerblab" detect --model "$work/thermal-$half.kwm" --threshold lowest --min-height 44 --json "$judged/thermal-$half.jsonl" "@$judged/thermal-pictures-$half.txt"
done
cp "$root/models/judging/streets.toml" "$judged/default.toml"
cp "$root/models/judging/thermal.toml" "$judged"
for model in default thermal; do
  cat "$judged/$model-a.jsonl" "$judged/$model-b.jsonl" >"$judged/$model.jsonl"
  beside=(--model "$root/models/cascades.kwm" --at 5) # and at the threshold that default recommends
  [[ "$model" == default ]] || beside=(--at 6)
  sed 's/-both\.txt/-b.txt/' "$judged/$model.toml" >"$judged/$model-b.toml"
  "$kerblab" eval detector --sets "$judged/$model-b.toml" --data "$data" --detections "$model=$judged/$model.jsonl" "${beside[@]}" --no-work |
    tee "$judged/$model-b.txt"
  rm -rf "$judged/worst-$model"
  "$kerblab" eval detector --sets "$judged/$model.toml" --data "$data" --detections "$model=$judged/$model.jsonl" "${beside[@]}" --no-work \
    --boxes --json "$judged/$model.json" --plot "$judged/$model.svg" --worst "$judged/worst-$model" | tee "$judged/$model.txt"
done
