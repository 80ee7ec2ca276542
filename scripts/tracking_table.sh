#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Follows the people of four recordings with the product's tracker (with the lens told and without), with SORT and with
# ByteTrack, on the same detections, and with ours looking at fewer frames; writes the tables of docs/results/tracking.md.
# usage: tracking_table.sh [--sweep] [VIDEOS [WORK [KERBLAB]]]
#   VIDEOS   folder of the sequences (../shared/data/video)
#   WORK     detections are kept here, SEQUENCE.det.txt, and made where they are missing or older than the model (build/tracking)
#   KERBLAB  the program (build/host/bin/kerblab)
#   --sweep  instead of writing the table prints, for each method and threshold, MOTA and IDF1 of each sequence and of
#            all: nothing below is chosen by it
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)"
sweep=false
if [[ "${1:-}" == --sweep ]]; then
  sweep=true
  shift
fi
videos="${1:-$root/../shared/data/video}"
work="${2:-$root/build/tracking}"
kerblab="${3:-$root/build/host/bin/kerblab}"
page="$root/docs/results/tracking.md"
model="$root/models/default.kwm"

sequences=(KITTI-17 MOT16-13_half_1-120 ETH-Sunnyday_1-150 TUD-Stadtmitte_1-120)
# camera_of METHOD SEQUENCE: the rate and, but for `untold`, the lens as docs/results/tracking.md assumes it. How the
# camera sits is told nowhere: kerblab fits it to the people found.
camera_of() {
  case "$2" in
    KITTI-17) echo --fps 10 ;;
    ETH-Sunnyday_1-150) echo --fps 14 ;;
    *) echo --fps 25 ;;
  esac
  [[ "$1" == untold ]] || case "$2" in
    KITTI-17) echo --focal 707 --center 604 180 ;;
    MOT16-13_half_1-120) echo --focal 1000 ;;
    ETH-Sunnyday_1-150) echo --focal 500 ;;
    TUD-Stadtmitte_1-120) echo --focal 2600 ;;
  esac
}
search=(--threshold 2 --min-height 48) # low, so that every threshold can be tried on the same file
threshold=5 # of all methods and sequences: what the model itself recommends (kerblab model info)
lowest=2    # likewise with its margin for tracking: what ByteTrack's second association gets
tracker_of() {
  case "$1" in
    sort | bytetrack) echo "$1" ;;
    *) echo kerbwatch ;;
  esac
}

[[ -x "$kerblab" ]] || {
  echo "tracking_table.sh: $kerblab: no such program (cmake --build --preset host --target kerblab)" >&2
  exit 2
}
mkdir -p "$work"
for sequence in "${sequences[@]}"; do
  [[ -d "$videos/$sequence/img1" ]] || {
    echo "tracking_table.sh: $videos/$sequence: no such sequence" >&2
    exit 2
  }
  [[ "$work/$sequence.det.txt" -nt "$model" ]] || "$kerblab" track --sequence "$videos/$sequence" --method sort --model "$model" \
    "${search[@]}" --save-detections "$work/$sequence.det.txt" --out /dev/null
done

# run METHOD THRESHOLD [ARGS...]: the tracks of all sequences, and METHOD.json, their scores. ARGS go to kerblab track.
run() {
  local method="$1" least="$2" sequence camera judged=() more=()
  if [[ "$method" == bytetrack ]]; then
    more=(--high "$least")
    least="$lowest"
  fi
  for sequence in "${sequences[@]}"; do
    read -ra camera <<<"$(camera_of "$method" "$sequence" | tr '\n' ' ')"
    "$kerblab" track --sequence "$videos/$sequence" --method "$(tracker_of "$method")" --detections "$work/$sequence.det.txt" \
      --threshold "$least" "${more[@]}" "${camera[@]}" "${@:3}" --out "$work/$sequence.$method.txt" 2>>"$work/log"
    judged+=(--truth "$videos/$sequence" --tracks "$work/$sequence.$method.txt")
  done
  "$kerblab" eval track "${judged[@]}" --json "$work/$method.json" >"$work/$method.table"
}

: >"$work/log"
if "$sweep"; then
  for method in kerbwatch untold sort bytetrack; do
    for threshold in 2 3 4 4.5 5 5.5 6 7 8; do
      run "$method" "$threshold"
      python3 - "$method" "$threshold" "$work/$method.json" <<'PYTHON'
import json, sys
method, threshold, path = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    report = json.load(file)
print(f"{method:9} {threshold:>4}  MOTA, IDF1: " +
      "  ".join(f"{s['name'][:8]} {s['mota']:.3f} {s['idf1']:.3f}" for s in report["sequences"] + [report["all"]]), flush=True)
PYTHON
    done
  done
  exit 0
fi

for method in kerbwatch untold sort bytetrack; do
  run "$method" "$threshold"
  cat "$work/$method.table"
done
for every in 2 3; do
  run "every$every" "$threshold" --look-every "$every"
done
python3 - "$page" "$work" <<'PYTHON'
import json, sys
page, work = sys.argv[1:]
names = {"kerbwatch": "kerbwatch", "untold": "kerbwatch, lens unknown", "sort": "SORT", "bytetrack": "ByteTrack"}


def scores_of(method):
    with open(f"{work}/{method}.json", encoding="utf-8") as file:
        report = json.load(file)
    return report["sequences"] + [report["all"]]


def put(text, name, rows):
    begin, end = f"<!-- tracking_table.sh{name}: begin -->\n", f"<!-- tracking_table.sh{name}: end -->\n"
    if begin not in text or end not in text:
        sys.exit(f"tracking_table.sh: {page}: the lines {begin.strip()} and {end.strip()} are missing")
    before, rest = text.split(begin, 1)
    return before + begin + "\n".join(rows) + "\n" + end + rest.split(end, 1)[1]


scores = {method: scores_of(method) for method in names}
rows = ["| sequence | method | MOTA | IDF1 | HOTA | DetA | AssA | Frag | IDSW | FP | FN | MT / PT / ML | people |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|"]
for both in zip(*scores.values()):
    best = {key: max(one[key] for one in both) for key in ("mota", "idf1", "hota")}
    for method, s in zip(names.values(), both):
        def figure(key):
            text = f"{s[key]:.3f}"
            return f"**{text}**" if s[key] == best[key] else text
        rows.append(
            f"| {s['name']} | {method} | {figure('mota')} | {figure('idf1')} | {figure('hota')} | {s['det_a']:.3f} | "
            f"{s['ass_a']:.3f} | {s['fragmentations']} | {s['id_switches']} | {s['false_positives']} | {s['misses']} | "
            f"{s['mostly_tracked']} / {s['partly_tracked']} / {s['mostly_lost']} | {s['people']} |")
looks = ["| MOTA, IDF1 | " + " | ".join(s["name"] for s in scores["kerbwatch"]) + " |", "|---" * 6 + "|"]
for name, of in (("every frame", "kerbwatch"), ("every second", "every2"), ("every third", "every3"), ("SORT, every frame", "sort")):
    looks.append(f"| {name} | " + " | ".join(f"{s['mota']:.3f}, {s['idf1']:.3f}" for s in scores_of(of)) + " |")
with open(page, encoding="utf-8") as file:
    text = file.read()
text = put(put(text, "", rows), " looks", looks)
with open(page, "w", encoding="utf-8") as file:
    file.write(text)
print(f"tracking_table.sh: wrote {page}")
PYTHON
