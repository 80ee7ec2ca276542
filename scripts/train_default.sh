#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Trains default.kwm and thermal.kwm, each a cascade and a network that looks again, on pictures of real streets above all.
#
# The street pictures are cut in two halves (scripts/street_folds.py: parts 0 and 1, parts 2 and 3), such that no place is in both. Each half has a
# cascade that never saw it: what that one finds there is what the network learns from, and by it the figures of docs/results/detector.md are
# made. The models that ship are trained on both halves.
# usage: train_default.sh [DATA [WORK [KERBLAB]]]
#   DATA     the folder with ped_train and streets (../shared/data)
#   WORK     all that is made is kept here (build/streets); what is there is not made again
#   KERBLAB  the program (build/host/bin/kerblab)
# An hour or more on two cores. The networks are trained by PyTorch: where that is missing, the packs are ready in WORK to be carried to a machine
# that has it, and the script says what to run there.
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)"
data="$(cd -- "${1:-$root/../shared/data}" && pwd -P)"
work="${2:-$root/build/streets}"
kerblab="$(realpath -- "${3:-$root/build/host/bin/kerblab}")"
mkdir -p "$work"
work="$(cd -- "$work" && pwd -P)"
streets="$data/streets"
truth=("$streets/msrs/truth.csv" "$streets/exdark/truth.csv" "$streets/camvid/truth.csv" "$streets/cityscapes512/truth.csv")

# --- pictures: halves, crops of people, rendered streets ------------------------------------------------------------------------------------
if [[ ! -f "$work/pictures-b.txt" ]]; then
  python3 "$root/scripts/street_folds.py" --data "$data" --out "$work"
  for set in msrs-day msrs-night camvid cityscapes exdark; do
    cat "$work/$set-0.txt" "$work/$set-1.txt" >"$work/$set-a.txt"
    cat "$work/$set-2.txt" "$work/$set-3.txt" >"$work/$set-b.txt"
  done
  # What the cascade of a half is trained on: the other half.
  comm -12 <(sort "$work/pictures-0.txt") <(sort "$work/pictures-1.txt") >"$work/pictures-a.txt"
  comm -12 <(sort "$work/pictures-2.txt") <(sort "$work/pictures-3.txt") >"$work/pictures-b.part"
  mv "$work/pictures-b.part" "$work/pictures-b.txt"
fi
if [[ ! -d "$work/rendered" ]]; then
  for group in nobody people; do
    "$kerblab" sim render "$root/models/training/streets.toml" --only "$group" --every 30 --boxes --out "$work/rendered.part"
  done
  mv "$work/rendered.part" "$work/rendered"
fi
images=() boxes=() places=() others=()
for run in "$work"/rendered/people-*; do
  images+=("$run/img1")
  boxes+=("$run")
  others+=(--images "$run/img1" --truth "$run")
done
for run in "$work"/rendered/nobody-*; do
  places+=("$run/img1")
  others+=(--negatives "$run/img1")
done
# crops OUT OPTION...: a folder that is there is whole
crops() {
  [[ ! -d "$1" ]] || return 0
  rm -rf "$1.part"
  "$kerblab" train crops "${@:2}" --out "$1.part"
  mv "$1.part" "$1"
}
crops "$work/people-rendered" --images "${images[@]}" --truth "${boxes[@]}" --every 3

# people OUT PICTURES TRUTH...: the upright people in these pictures
people() {
  crops "$1" --images "@$2" --truth "${@:3}" --min-aspect 0.25 --max-aspect 0.62 --min-height "$least"
}
# channels OUT OPTION...
channels() {
  local out="$1" resume=()
  shift
  [[ ! -f "$out" ]] || return 0
  [[ ! -f "$out.checkpoint" ]] || resume=(--resume)
  "$kerblab" train channels --out "$out" "$@" "${resume[@]}"
}

# reject TRAINED OUT OPTION...: the cascade that is used, with thresholds that keep nearly all people it was trained on. Judged on the other half,
# it loses no more than that. (Not the thermal one: it has few people to measure by and loses more, and it is fast as it is.)
reject() {
  [[ "$2" -nt "$1" ]] || "$kerblab" train rejection "$1" --out "$2" "${@:3}"
}

# --- cascades: of each half, and of both ------------------------------------------------------------------------------------------------------
least=40
for half in -a -b ""; do
  people "$work/people$half" "$work/pictures$half.txt" "${truth[@]}"
  channels "$work/trained$half.kwm" --name default --least-height 48 --rounds 64,256,1024 --hard-negatives 12000 --most-negatives 36000 \
    --positives "$data/ped_train/pos_96x160" "$work/people$half" "$work/people-rendered" \
    --negatives "$data/ped_train/neg_full_inria" "@$work/pictures$half.txt" "${places[@]}" --truth "${truth[@]}"
  reject "$work/trained$half.kwm" "$work/cascade$half.kwm" --images "@$work/pictures$half.txt" --truth "${truth[@]}" --min-height 44 \
    --threshold 3.5 --keep 0.99
done
least=36
for half in -a -b ""; do
  sed -n 's|/msrs/vi/\(.*N\.jpg\)|/msrs/ir/\1|p' "$work/pictures$half.txt" >"$work/thermal$half.txt"
  people "$work/people-thermal$half" "$work/thermal$half.txt" "$streets/msrs/truth.csv"
  channels "$work/thermal-cascade$half.kwm" --grey --name thermal --least-height 40 --rounds 32,128,512 --hard-negatives 6000 \
    --most-negatives 18000 --per-picture 60 --mirror-negatives --positives "$work/people-thermal$half" \
    --negatives "@$work/thermal$half.txt" --truth "$streets/msrs/truth.csv"
done

# --- candidates, labelled by the truth, and the packs -------------------------------------------------------------------------------------------
# Of a half by the cascade that never saw it; of pictures without people and of rendered ones by one of the two.
candidates=(--threshold lowest --fusion suppression --overlap 0.6 --overlap-of union --no-work --resample 1)
# labels OUT OPTION... Delete the file to make it anew, and the packs, after a change of the cascades.
labels() {
  [[ ! -f "$1" ]] || return 0
  "$kerblab" eval detector "${candidates[@]}" "${@:2}" --labels "$1.part"
  mv "$1.part" "$1"
}
for half in a b; do
  for kind in "" thermal-; do
    sed "s/HALF/$half/" "$root/models/training/${kind}halves.toml" >"$work/${kind}sets-$half.toml"
    labels "$work/${kind}labels-$half.jsonl" --model "$work/${kind}cascade-$half.kwm" --sets "$work/${kind}sets-$half.toml" --data "$data"
  done
done
labels "$work/labels-others.jsonl" --model "$work/cascade-a.kwm" --min-height 56 "${others[@]}" --negatives "$data/ped_train/neg_full_inria"
for kind in "" thermal-; do
  [[ -f "$work/${kind}pack/crops.csv" ]] ||
    python3 "$root/tools/net/pack.py" --recipe "$root/models/training/${kind}pack.toml" --data "$data" --work "$work" --out "$work/${kind}pack"
done

# --- the networks, and the models -----------------------------------------------------------------------------------------------------------------
missing=()
for name in network thermal-network; do
  for half in -a -b ""; do [[ -f "$work/$name$half.json" ]] || missing+=("$name"); done
done
if ((${#missing[@]})); then
  if ! python3 -c "import torch" 2>/dev/null; then
    {
      echo "train_default.sh: no PyTorch here. Carry tools/net, scripts/train_network.sh, $work/pack and $work/thermal-pack to a machine that has it, and run"
      echo "  scripts/train_network.sh PACK OUT && scripts/train_network.sh THERMAL-PACK OUT thermal-network 1 --grey"
      echo "Bring the six JSON files back to $work and run this script again"
    } >&2
    exit 3
  fi
  [[ " ${missing[*]} " != *" network "* ]] || "$root/scripts/train_network.sh" "$work/pack" "$work"
  [[ " ${missing[*]} " != *" thermal-network "* ]] || "$root/scripts/train_network.sh" "$work/thermal-pack" "$work" thermal-network 1 --grey
fi
# look_again NAME HALF CASCADE NETWORK LOWEST OPTION...: candidates are the cascade's windows of LOWEST and more
look_again() {
  local out="$work/$1$2.kwm"
  [[ "$out" -nt "$3" && "$out" -nt "$4" ]] || {
    "$kerblab" model look-again "$3" "$4" --name "$1" --candidates-from "$5" --candidates-overlap 0.7 --most 40 --cascade-share 0.2 --out "$out.part"
    "$kerblab" model advise "$out.part" "${@:6}" --out "$out"
    rm "$out.part"
  }
}
# The network corrects boxes, so that the cascade may search in coarser scales.
for half in -a -b ""; do
  look_again default "$half" "$work/cascade$half.kwm" "$work/network$half.json" 3.5 \
    --scale 1.1225 --threshold 5 --tracking-margin 3 --tracking-even 0 --tracking-sure 3
  look_again thermal "$half" "$work/thermal-cascade$half.kwm" "$work/thermal-network$half.json" 2 \
    --threshold 6 --tracking-margin 3 --tracking-even 0.5 --tracking-sure 4
done
