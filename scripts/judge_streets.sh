#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Judges the default and the thermal model on pictures of real streets that they were not trained on: each half of them by a model of the other half.
# The model cascades, which has seen none of them, is judged beside. Makes the figures of docs/results/detector.md.
# usage: judge_streets.sh [DATA [WORK [KERBLAB]]]
#   DATA     the folder with streets (../shared/data)
#   WORK     where scripts/train_default.sh left its models (build/streets); where it has none, those of models/judging are judged
#   KERBLAB  the program (build/host/bin/kerblab)
# Prints the tables, of both halves and of half b alone, on which no setting of the network was chosen; WORK/judged gets the curves, the
# detections and the twenty worst pictures of each set. Some ten minutes on two cores. Detections that are there are not made again.
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)"
data="$(cd -- "${1:-$root/../shared/data}" && pwd -P)"
mkdir -p "${2:-$root/build/streets}"
work="$(cd -- "${2:-$root/build/streets}" && pwd -P)"
kerblab="$(realpath -- "${3:-$root/build/host/bin/kerblab}")"
judged="$work/judged"
mkdir -p "$judged"

if [[ ! -f "$work/exdark-b.txt" ]]; then # the halves, as scripts/train_default.sh makes them
  python3 "$root/scripts/street_folds.py" --data "$data" --out "$judged/parts"
  for set in msrs-day msrs-night camvid cityscapes exdark; do
    cat "$judged/parts/$set-0.txt" "$judged/parts/$set-1.txt" >"$work/$set-a.txt"
    cat "$judged/parts/$set-2.txt" "$judged/parts/$set-3.txt" >"$work/$set-b.txt"
  done
fi
# detect NAME HALF PICTURES: what the model of a half finds, people of 44 pixels and more
detect() {
  local model="$work/$1-$2.kwm"
  [[ -f "$model" ]] || model="$root/models/judging/$1-$2.kwm"
  [[ "$judged/$1-$2.jsonl" -nt "$model" ]] ||
    "$kerblab" detect --model "$model" --threshold lowest --min-height 44 --json "$judged/$1-$2.jsonl" "@$3"
}
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
  detect default "$half" "$judged/pictures-$half.txt" # one pass for all sets
  detect thermal "$half" "$judged/thermal-pictures-$half.txt"
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
