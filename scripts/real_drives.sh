#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a driver would have been told in four recordings: the product's detector, tracker, judge and warner, with
# cameras, cars and speeds as docs/results/warning.md ("Real drives") assumes them.
# usage: real_drives.sh [VIDEOS [WORK [KERBLAB]]]
#   VIDEOS   folder of the sequences (../shared/data/video)
#   WORK     configurations, detections (kept, and made where they are missing or older than the model), tracks, SEQUENCE.warnings.csv and,
#            in SEQUENCE.drawn, a picture a frame (build/real_drives)
#   KERBLAB  the program (build/host/bin/kerblab)
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)"
videos="${1:-$root/../shared/data/video}"
work="${2:-$root/build/real_drives}"
kerblab="${3:-$root/build/host/bin/kerblab}"
model="$root/models/default.kwm"
mkdir -p "$work"

# drive SEQUENCE FPS SPEED: the configuration is on stdin.
drive() {
  local sequence="$1" fps="$2" speed="$3" found=()
  cat >"$work/$sequence.toml"
  if [[ "$work/$sequence.found.txt" -nt "$model" ]]; then
    found=(--detections "$work/$sequence.found.txt")
  else
    found=(--as-product --model "$model" --save-detections "$work/$sequence.found.txt")
  fi
  echo "== $sequence, $speed"
  "$kerblab" track --sequence "$videos/$sequence" --fps "$fps" --config "$work/$sequence.toml" --speed "$speed" \
    "${found[@]}" --out "$work/$sequence.tracks.txt" --warnings "$work/$sequence.warnings.csv" \
    --draw "$work/$sequence.drawn"
  cat "$work/$sequence.warnings.csv"
}

drive KITTI-17 10 0 <<'TOML'
[[camera]]
focal_px = 707.0
center_x = 604.0
center_y = 180.0
height_m = 1.72
pitch_deg = -2.8
TOML
drive MOT16-13_half_1-120 25 road <<'TOML'
[car]                  # a bus: the camera is behind its windscreen
width_m = 2.5
length_m = 11.0
axle_to_bumper_m = 8.5
[[camera]]
focal_px = 1000.0
height_m = 2.96
pitch_deg = -2.3
ahead_m = 8.2
TOML
drive ETH-Sunnyday_1-150 14 road <<'TOML'
[car]                  # a cart that is pushed, the camera at its front
width_m = 0.7
length_m = 1.2
axle_to_bumper_m = 0.8
[[camera]]
focal_px = 500.0
height_m = 0.82
pitch_deg = 0.8
ahead_m = 0.7
TOML
drive TUD-Stadtmitte_1-120 25 0 <<'TOML'
[[camera]]
focal_px = 2600.0
height_m = 1.45
pitch_deg = -2.6
TOML
