#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Trains default-free.kwm, a cascade and a network that looks again, on nothing but pictures that our own simulator renders
# (models/training/free.toml): for those who sell devices, as the photographs that the other models learnt from are for research only.
#
# The runs are cut in two halves, those with odd numbers (a) and with even ones (b): each run has its own street, people, light and camera. Each
# half has a cascade that never saw it: what that one finds there is what the network learns from. The model that ships is trained on both halves.
# usage: train_free.sh [WORK [KERBLAB]]
#   WORK     all that is made is kept here (build/free); what is there is not made again
#   KERBLAB  the program (build/host/bin/kerblab)
# Rendering takes a quarter of an hour on two cores that others use too, the cascade of both halves longer than that; a training that was stopped is
# resumed. The network is trained by PyTorch: where that is missing, the pack is ready in WORK/pack to be carried to a machine that has it, and the
# script says what to run there.
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)"
work="${1:-$root/build/free}"
kerblab="$(realpath -- "${2:-$root/build/host/bin/kerblab}")"
mkdir -p "$work"
work="$(cd -- "$work" && pwd -P)"

# --- pictures: rendered, cut in halves, people cut out ------------------------------------------------------------------------------------------
# render RUN: unless it is there
render() {
  [[ ! -d "$work/rendered/$1" ]] || return 0
  rm -rf "$work/rendering/$1"
  "$kerblab" sim render "$root/models/training/free.toml" --only "$1\$" --every 30 --boxes --out "$work/rendering"
  mkdir -p "$work/rendered"
  mv "$work/rendering/$1" "$work/rendered"
}
export -f render
export work root kerblab
# Two runs at a time: a street is built by one core.
[[ -f "$work/truth.csv" ]] ||
  "$kerblab" sim list "$root/models/training/free.toml" | grep -oE '^(people|nobody)-[a-z]+-v[0-9]+' | xargs -P 2 -I{} bash -ec 'render {}'
# One folder and one truth, as file names tell the halves apart. People of whom less than a third is visible are neither to be found nor to be
# unlearnt.
if [[ ! -f "$work/truth.csv" ]]; then
  rm -rf "$work/pictures" "$work"/{people,nobody}-[ab].txt
  mkdir "$work/pictures"
  for run in "$work"/rendered/*; do
    name="${run##*/}" half=b
    ((${name##*-v} % 2 == 0)) || half=a
    for picture in "$run"/img1/*.png; do
      ln -s "../rendered/$name/img1/${picture##*/}" "$work/pictures/$name-${picture##*/}"
      echo "$name-${picture##*/}" >>"$work/${name%%-*}-$half.txt"
      echo "$name-${picture##*/},,,,,"
    done
    awk -F, -v name="$name" '{ printf "%s-%06d.png,%s,%s,%s,%s,%d\n", name, $1, $3, $4, $5, $6, $7 == 0 || $9 < 0.33 }' "$run/gt/gt.txt"
  done >"$work/truth.part"
  { echo "image,x,y,w,h,ignore" && cat "$work/truth.part"; } >"$work/truth.csv"
  rm "$work/truth.part"
fi
# What the cascade of a half is trained on: the other half.
sed "s|^|$work/pictures/|" "$work"/{people,nobody}-b.txt >"$work/pictures-a.txt"
sed "s|^|$work/pictures/|" "$work"/{people,nobody}-a.txt >"$work/pictures-b.txt"
cat "$work"/pictures-[ab].txt >"$work/pictures.txt"

# people OUT RUN...: the upright people in these runs
people() {
  [[ ! -d "$1" ]] || return 0
  local images=() run
  for run in "${@:2}"; do images+=("$run/img1"); done
  rm -rf "$1.part"
  "$kerblab" train crops --images "${images[@]}" --truth "${@:2}" --every 2 --min-visible 0.8 --min-aspect 0.2 --max-aspect 0.65 --min-height 44 \
    --out "$1.part"
  mv "$1.part" "$1"
}
people "$work/people-of-a" "$work"/rendered/people-*[13579]
people "$work/people-of-b" "$work"/rendered/people-*[02468]

# --- cascades: of each half, and of both --------------------------------------------------------------------------------------------------------
# cascade HALF CROPS...
cascade() {
  local trained="$work/trained$1.kwm" resume=()
  if [[ ! -f "$trained" ]]; then
    [[ ! -f "$trained.checkpoint" ]] || resume=(--resume)
    "$kerblab" train channels --out "$trained" --name default-free --least-height 48 --rounds 64,256,1024 --hard-negatives 12000 \
      --most-negatives 36000 --mirror-negatives --positives "${@:2}" --negatives "@$work/pictures$1.txt" --truth "$work/truth.csv" "${resume[@]}"
  fi
  # It only proposes, so it may reject as soon as nearly all people can spare it.
  [[ "$work/cascade$1.kwm" -nt "$trained" ]] ||
    "$kerblab" train rejection "$trained" --out "$work/cascade$1.kwm" --threshold 3.5 --keep 0.98 --images "@$work/pictures$1.txt" --truth "$work/truth.csv" \
      --min-height 44
}
cascade "" "$work/people-of-a" "$work/people-of-b"
cascade -a "$work/people-of-b"
cascade -b "$work/people-of-a"

# --- candidates, labelled by the truth, and the pack --------------------------------------------------------------------------------------------
for half in a b; do
  [[ ! -f "$work/labels-$half.jsonl" ]] || continue
  cat "$work"/{people,nobody}-"$half.txt" >"$work/rendered-$half.txt"
  sed "s/HALF/$half/" "$root/models/training/free-halves.toml" >"$work/sets-$half.toml"
  "$kerblab" eval detector --threshold lowest --fusion suppression --overlap 0.6 --overlap-of union --no-work --resample 1 \
    --model "$work/cascade-$half.kwm" --sets "$work/sets-$half.toml" --data "$work" --labels "$work/labels-$half.part"
  mv "$work/labels-$half.part" "$work/labels-$half.jsonl"
done
[[ -f "$work/pack/crops.csv" ]] ||
  python3 "$root/tools/net/pack.py" --recipe "$root/models/training/free-pack.toml" --work "$work" --out "$work/pack"

# --- the network, and the model -------------------------------------------------------------------------------------------------------------------
missing=0
for half in -a -b ""; do [[ -f "$work/network$half.json" ]] || missing=1; done
if ((missing)); then
  if ! python3 -c "import torch" 2>/dev/null; then
    {
      echo "train_free.sh: no PyTorch here. Carry tools/net, scripts/train_network.sh and $work/pack to a machine that has it, and run"
      echo "  scripts/train_network.sh PACK OUT"
      echo "Bring the three JSON files back to $work and run this script again"
    } >&2
    exit 3
  fi
  "$root/scripts/train_network.sh" "$work/pack" "$work"
fi
for half in -a -b ""; do
  out="$work/default-free$half.kwm" cascade="$work/cascade$half.kwm" network="$work/network$half.json"
  [[ "$out" -nt "$cascade" && "$out" -nt "$network" ]] || {
    "$kerblab" model look-again "$cascade" "$network" --name default-free --candidates-from 3.5 --candidates-overlap 0.7 --most 40 --cascade-share 0.2 \
      --out "$out.part"
    "$kerblab" model advise "$out.part" --scale 1.1225 --threshold 5 --tracking-margin 2 --tracking-even 0.7 --tracking-sure 3.7 --out "$out"
    rm "$out.part"
  }
done
