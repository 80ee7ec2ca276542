#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Follows the people of two drawn crowds (scripts/crowd_sequence.py) with the product's tracker, told nothing of the lens,
# with SORT and with ByteTrack, on the same detections; writes the table of crowds in docs/results/tracking.md.
# usage: crowd_table.sh [WORK [KERBLAB]]
#   WORK     crowds and detections are kept here (build/crowds)
#   KERBLAB  the program (build/host/bin/kerblab)
#   PYTHON   in the environment: a Python with numpy and OpenCV (python3)
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)"
work="${1:-$root/build/crowds}"
kerblab="${2:-$root/build/host/bin/kerblab}"
python="${PYTHON:-python3}"
model="$root/models/default.kwm"
threshold=5 # as in tracking_table.sh: what the model itself recommends
lowest=2

[[ -x "$kerblab" ]] || {
  echo "crowd_table.sh: $kerblab: no such program (cmake --build --preset host --target kerblab)" >&2
  exit 2
}
mkdir -p "$work"
fps=14
crowds=(hall-41 hall-42)
for crowd in "${crowds[@]}"; do
  folder="$work/$crowd"
  case "$crowd" in
    hall-41) drawn=(--seed 41 --people 80 --seconds 14 --speed 1.1) ;;
    hall-42) drawn=(--seed 42 --people 60 --seconds 13 --speed 0.5 --length 30) ;;
  esac
  [[ -e "$folder/gt/gt.txt" ]] || "$python" "$root/scripts/crowd_sequence.py" "$folder" --fps "$fps" "${drawn[@]}"
  [[ "$folder.det.txt" -nt "$model" ]] || "$kerblab" track --sequence "$folder" --method sort --model "$model" --fps "$fps" \
    --threshold "$lowest" --min-height 48 --save-detections "$folder.det.txt" --out /dev/null
  for method in kerbwatch sort bytetrack; do
    given=(--threshold "$threshold")
    [[ "$method" != bytetrack ]] || given=(--threshold "$lowest" --high "$threshold")
    "$kerblab" track --sequence "$folder" --method "$method" --detections "$folder.det.txt" --fps "$fps" "${given[@]}" \
      --out "$folder.$method.txt" 2>>"$work/log"
  done
done
for method in kerbwatch sort bytetrack; do
  judged=()
  for crowd in "${crowds[@]}"; do judged+=(--truth "$work/$crowd" --tracks "$work/$crowd.$method.txt"); done
  "$kerblab" eval track "${judged[@]}" --json "$work/$method.json"
done
python3 - "$root/docs/results/tracking.md" "$work" <<'PYTHON'
import json, sys
page, work = sys.argv[1:]
rows = ["| crowd | method | MOTA | IDF1 | HOTA | AssA | IDSW | FP | FN | people |", "|---|---|---|---|---|---|---|---|---|---|"]
scores = {}
for method in ("kerbwatch", "sort", "bytetrack"):
    with open(f"{work}/{method}.json", encoding="utf-8") as file:
        scores[method] = json.load(file)["sequences"]
for i, first in enumerate(scores["kerbwatch"]):
    for method, name in (("kerbwatch", "kerbwatch, lens unknown"), ("sort", "SORT"), ("bytetrack", "ByteTrack")):
        s = scores[method][i]
        rows.append(f"| {first['name']} | {name} | {s['mota']:.3f} | {s['idf1']:.3f} | {s['hota']:.3f} | {s['ass_a']:.3f} | "
                    f"{s['id_switches']} | {s['false_positives']} | {s['misses']} | {s['people']} |")
begin, end = "<!-- crowd_table.sh: begin -->\n", "<!-- crowd_table.sh: end -->\n"
with open(page, encoding="utf-8") as file:
    text = file.read()
if begin not in text or end not in text:
    sys.exit(f"crowd_table.sh: {page}: the lines {begin.strip()} and {end.strip()} are missing")
before, rest = text.split(begin, 1)
with open(page, "w", encoding="utf-8") as file:
    file.write(before + begin + "\n".join(rows) + "\n" + end + rest.split(end, 1)[1])
print(f"crowd_table.sh: wrote {page}")
PYTHON
