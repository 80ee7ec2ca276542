#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Trains the default models: on photographs of people and places, and on streets rendered by the proving ground
# (models/training/streets.toml). The same machine or another: the same bytes.
# usage: train_default.sh [DATA [WORK [KERBLAB]]]
#   DATA     ped_train with its folders (../shared/data/ped_train)
#   WORK     pictures, crops and models are kept here (build/training); what is there is not made again
#   KERBLAB  the program (build/host/bin/kerblab)
# Writes WORK/default.kwm and WORK/default-grey.kwm with the thresholds that the trainings on a part of the
# pictures (WORK/*-part.kwm) advise, their logs and the beginnings of their cards. About an hour on two cores.
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)"
data="${1:-$root/../shared/data/ped_train}"
work="${2:-$root/build/training}"
kerblab="${3:-$root/build/host/bin/kerblab}"
streets="$root/models/training/streets.toml"
mkdir -p "$work"

if [[ ! -d "$work/streets" ]]; then
  "$kerblab" sim render "$streets" --only nobody --every 30 --out "$work/streets.part"
  "$kerblab" sim render "$streets" --only people --every 30 --boxes --out "$work/streets.part"
  mv "$work/streets.part" "$work/streets"
fi
if [[ ! -d "$work/places" ]]; then # one folder, as the trainer reads them
  mkdir -p "$work/places.part"
  for picture in "$work"/streets/nobody-*/img1/*.png; do
    run="${picture%/img1/*}"
    ln -s "../streets/${run##*/}/img1/${picture##*/}" "$work/places.part/${run##*/}_${picture##*/}"
  done
  mv "$work/places.part" "$work/places"
fi
if [[ ! -d "$work/people" ]]; then
  images=() truth=()
  for run in "$work"/streets/people-*; do
    images+=("$run/img1")
    truth+=("$run")
  done
  "$kerblab" train crops --images "${images[@]}" --truth "${truth[@]}" --every 3 --out "$work/people"
fi

# train NAME OUT OPTION...
train() {
  local name="$1" out="$2" resume=()
  shift 2
  [[ ! -f "$out" ]] || return 0
  [[ ! -f "$out.checkpoint" ]] || resume=(--resume)
  "$kerblab" train channels --positives "$data/pos_96x160" "$work/people" --negatives "$data/neg_full_inria" "${places[@]}" \
    --hard-negatives 8000 --most-negatives 24000 --name "$name" --out "$out" "$@" "${resume[@]}"
}
for name in default default-grey; do
  colour=() places=("$work/places")
  if [[ "$name" == default-grey ]]; then
    colour=(--grey)
    places+=("$data/neg_full_daimler") # grey, seen from a car
  fi
  train "$name" "$work/$name-part.kwm" --hold-out 3 "${colour[@]}"
  train "$name" "$work/$name-raw.kwm" "${colour[@]}"
  threshold="$("$kerblab" model info "$work/$name-part.kwm" --json - | python3 -c 'import json, sys; print(round(json.load(sys.stdin)["advice"]["threshold"], 1))')"
  "$kerblab" model advise "$work/$name-raw.kwm" --threshold "$threshold" --out "$work/$name.kwm"
done
