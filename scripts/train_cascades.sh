#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Trains the models without a network: cascades.kwm and default-grey.kwm. Each joins two cascades: one of photographs of people and places, one of
# these and of streets rendered by the simulator besides (models/training/streets.toml). The same pictures give the same bytes.
# usage: train_cascades.sh [DATA [WORK [KERBLAB]]]
#   DATA     ped_train with its folders (../shared/data/ped_train)
#   WORK     pictures, crops and models are kept here (build/training); what is there is not made again
#   KERBLAB  the program (build/host/bin/kerblab)
# Writes inria.kwm, cascades.kwm and default-grey.kwm to WORK. About half an hour on two cores.
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)"
data="${1:-$root/../shared/data/ped_train}"
work="${2:-$root/build/training}"
kerblab="${3:-$root/build/host/bin/kerblab}"
streets="$root/models/training/streets.toml"
# What kerblab train channels --hold-out 3 says of photographs alone for 0.1 false positives in 640 x 480 pixels, rounded.
threshold=6.6
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
  rm -rf "$work/people.part"
  images=() truth=()
  for run in "$work"/streets/people-*; do
    images+=("$run/img1")
    truth+=("$run")
  done
  "$kerblab" train crops --images "${images[@]}" --truth "${truth[@]}" --every 3 --out "$work/people.part"
  mv "$work/people.part" "$work/people"
fi

# train OUT OPTION...
train() {
  local out="$1" resume=()
  shift
  [[ ! -f "$out" ]] || return 0
  [[ ! -f "$out.checkpoint" ]] || resume=(--resume)
  "$kerblab" train channels --out "$out" "$@" "${resume[@]}"
}
more=(--hard-negatives 8000 --most-negatives 24000)
people="$data/pos_96x160"
inria="$data/neg_full_inria"
daimler="$data/neg_full_daimler" # grey, seen from a car
train "$work/photographs.kwm" --name inria --positives "$people" --negatives "$inria"
train "$work/streets.kwm" --name cascades --positives "$people" "$work/people" --negatives "$inria" "$work/places" "${more[@]}"
train "$work/photographs-grey.kwm" --grey --name default-grey --positives "$people" --negatives "$inria" "$daimler"
train "$work/streets-grey.kwm" --grey --name default-grey --positives "$people" "$work/people" \
  --negatives "$inria" "$work/places" "$daimler" "${more[@]}"
"$kerblab" model advise "$work/photographs.kwm" --threshold "$threshold" --out "$work/inria.kwm"
# joined NAME GREY
joined() {
  "$kerblab" model join "$work/photographs$2.kwm" "$work/streets$2.kwm" --name "$1" --out "$work/joined$2.kwm"
  "$kerblab" model advise "$work/joined$2.kwm" --threshold "$threshold" --out "$work/$1.kwm"
}
joined cascades ""
joined default-grey -grey
