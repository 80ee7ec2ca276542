#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Drives what docs/results/warning.md judges the decisions by, on a seed of which nobody has seen a run.
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)"

usage() {
  cat <<'EOF'
usage: scripts/judge_unseen.sh --seed N [--out DIR] [--kerblab FILE] [--until SECONDS] [PART...] [-- OPTION...]

Drives the parts one after the other (all of them by default), each with a report of its own in DIR
(build/unseen/N), and merges these to DIR/all.json, with a table. A part that has its report is not
driven again, so that a call that was interrupted goes on where it ended. OPTIONs go to every
`kerblab sim run`: `-- --draw cuda --backend cuda`.

  --until SECONDS   begin no part later than this after the start
  PART              hours-0 .. hours-4 (eight drives of a minute each), crossing (72), night (45), child, along,
                    weather, turns, r159, faults, hiccups, quiet (without its drives of ten minutes)

Exit code: 0 every part was driven, 1 some were not, 2 bad usage or reports that do not go together.
What passed is in the table.
EOF
}

all_parts=(hours-0 crossing night hours-1 hours-2 hours-3 hours-4 child along weather turns r159 faults hiccups quiet)
seed="" out="" kerblab="$root/build/host/bin/kerblab" until=0 parts=() options=()
while [[ $# -gt 0 ]]; do
  case "$1" in
    -h | --help) usage; exit 0 ;;
    --seed) seed="${2:?}"; shift ;;
    --out) out="${2:?}"; shift ;;
    --kerblab) kerblab="${2:?}"; shift ;;
    --until) until="${2:?}"; shift ;;
    --) shift; options=("$@"); break ;;
    -*) usage >&2; exit 2 ;;
    *) parts+=("$1") ;;
  esac
  shift
done
[[ "$seed" =~ ^[0-9]+$ && "$until" =~ ^[0-9]+$ ]] || { usage >&2; exit 2; }
[[ ${#parts[@]} -gt 0 ]] || parts=("${all_parts[@]}")
out="${out:-$root/build/unseen/$seed}"
mkdir -p "$out"

# selection PART: what `kerblab sim run` drives for it
selection() {
  case "$1" in
    hours-[0-4]) echo --suite hours --drives 50 --only "drive-00${1#hours-}" ;;
    crossing) echo --suite euroncap --only CPNA --only CPFA --variations ;;
    child) echo --suite euroncap --only CPNCO --variations ;;
    along) echo --suite euroncap --only CPLA --variations ;;
    quiet) echo --suite quiet --variations --only kmh ;;
    night | weather | turns | r159 | faults | hiccups) echo --suite "$1" --variations ;;
    *) return 1 ;;
  esac
}
for part in "${parts[@]}"; do
  selection "$part" >/dev/null || { echo "no part $part; one of: ${all_parts[*]}" >&2; exit 2; }
done

left=()
for part in "${parts[@]}"; do
  report="$out/$part.json"
  [[ -f "$report" ]] && continue
  if [[ "$until" -gt 0 && "$SECONDS" -ge "$until" ]]; then
    left+=("$part")
    continue
  fi
  read -ra chosen < <(selection "$part")
  echo "== $part ($((SECONDS / 60))m$((SECONDS % 60))s)"
  # Exit code 1: some runs did not pass, which the report says.
  status=0
  "$kerblab" sim run "${chosen[@]}" --seed "$seed" --report "$report.part" "${options[@]}" >"$out/$part.txt" 2>&1 || status=$?
  if [[ "$status" -gt 1 ]]; then
    tail -n 5 "$out/$part.txt" >&2
    left+=("$part")
  else
    mv "$report.part" "$report"
    tail -n 1 "$out/$part.txt"
  fi
done

reports=()
for part in "${all_parts[@]}"; do
  [[ -f "$out/$part.json" ]] && reports+=("$out/$part.json")
done
if [[ ${#reports[@]} -gt 0 ]]; then
  status=0  # 1: some runs did not pass
  "$kerblab" sim merge "${reports[@]}" --report "$out/all.json" || status=$?
  [[ "$status" -le 1 ]] || exit "$status"
fi
[[ ${#left[@]} -eq 0 ]] || { echo "not driven: ${left[*]}" >&2; exit 1; }
