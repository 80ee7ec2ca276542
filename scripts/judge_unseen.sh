#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Drives what docs/results/warning.md judges the decisions by, on seeds of which nobody has seen a run.
set -euo pipefail
root="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)"

usage() {
  cat <<'EOF'
usage: scripts/judge_unseen.sh --seed A[..B] [--out DIR] [--kerblab FILE] [--until SECONDS]
                               [--vision DIR [--before SETTINGS]] [PART...] [-- OPTION...]

Drives the parts one after the other (all of them by default), each with a report of its own in DIR
(build/unseen/A..B), and merges these to DIR/all.json, with a table. A part that has its report is not
driven again, so that a call that was interrupted goes on where it ended. OPTIONs go to every
`kerblab sim run`: `-- --draw cuda --backend cuda`.

  --seed A..B       crossing, child and night draw their variations from all of these seeds (two give 144
                    crossings), the other parts from A alone
  --until SECONDS   begin no part later than this after the start
  --vision DIR      keeps what vision saw of crossing and hours there (2 GB), for part curve; parts that have their
                    report from a call without it are not driven again
  --before SETTINGS part curve draws these beside: "KEY=VALUE KEY=VALUE", such as those of a version before
  PART              crossing (72 a seed), child (18), night (45), hours-0 .. hours-4 (eight drives of a minute
                    each), curve (of the likelihood, on what --vision kept: false alarms against time, and how
                    often predictions came true), hiccups, faults, along, turns, weather, r159, quiet (without
                    its drives of ten minutes)

Exit code: 0 every part was driven, 1 some were not, 2 bad usage or reports that do not go together.
What passed is in the table.
EOF
}

all_parts=(crossing child night hours-0 hours-1 hours-2 hours-3 hours-4 curve hiccups faults along turns weather r159 quiet)
seeds="" out="" kerblab="$root/build/host/bin/kerblab" until=0 vision="" before="" parts=() options=()
while [[ $# -gt 0 ]]; do
  case "$1" in
    -h | --help) usage; exit 0 ;;
    --seed) seeds="${2:?}"; shift ;;
    --out) out="${2:?}"; shift ;;
    --kerblab) kerblab="${2:?}"; shift ;;
    --until) until="${2:?}"; shift ;;
    --vision) vision="${2:?}"; shift ;;
    --before) before="${2:?}"; shift ;;
    --) shift; options=("$@"); break ;;
    -*) usage >&2; exit 2 ;;
    *) parts+=("$1") ;;
  esac
  shift
done
[[ "$seeds" =~ ^[0-9]+(\.\.[0-9]+)?$ && "$until" =~ ^[0-9]+$ ]] || { usage >&2; exit 2; }
seed="${seeds%%..*}"
if [[ ${#parts[@]} -eq 0 ]]; then
  for part in "${all_parts[@]}"; do
    [[ "$part" == curve && -z "$vision" ]] || parts+=("$part")
  done
fi
out="${out:-$root/build/unseen/$seeds}"
mkdir -p "$out"

# selection PART: what `kerblab sim run` drives for it
selection() {
  case "$1" in
    hours-[0-4]) echo --suite hours --drives 50 --only "drive-00${1#hours-}" --seed "$seed" ;;
    crossing) echo --suite euroncap --only CPNA --only CPFA --variations --seed "$seeds" ;;
    child) echo --suite euroncap --only CPNCO --variations --seed "$seeds" ;;
    along) echo --suite euroncap --only CPLA --variations --seed "$seed" ;;
    quiet) echo --suite quiet --variations --only kmh --seed "$seed" ;;
    night) echo --suite night --variations --seed "$seeds" ;;
    weather | turns | r159 | faults | hiccups) echo --suite "$1" --variations --seed "$seed" ;;
    curve) echo --suite hours --drives 50 --suite euroncap --variations --only drive --only CPNA --only CPFA --seed "$seeds" ;;
    *) return 1 ;;
  esac
}
for part in "${parts[@]}"; do
  selection "$part" >/dev/null || { echo "no part $part; one of: ${all_parts[*]}" >&2; exit 2; }
done
[[ -n "$vision" || " ${parts[*]} " != *" curve "* ]] || { echo "part curve needs --vision" >&2; exit 2; }

# drive PART: its report and what was printed are in DIR
drive() {
  local chosen=() kept=() status=0
  read -ra chosen < <(selection "$1")
  if [[ -n "$vision" && "$1" =~ ^(crossing|hours-.)$ ]]; then kept=(--keep-vision "$vision"); fi
  # Exit code 1: some runs did not pass, which the report says.
  "$kerblab" sim run "${chosen[@]}" --report "$out/$1.part" "${kept[@]}" "${options[@]}" >"$out/$1.txt" 2>&1 ||
    status=$?
  [[ "$status" -le 1 ]] && mv "$out/$1.part" "$out/$1.json"
}

# curve: other likelihoods, beside those with the settings before
curve() {
  local chosen=() other=() settings=() key plots=(--curve "$out/curve.svg" --reliability "$out/reliability.svg")
  read -ra chosen < <(selection curve)
  chosen+=(--vision "$vision" --backend cpu --vary "decisions.warning.likelihood=0.45,0.5,0.55,0.6,0.65,0.7")
  if [[ -n "$before" ]]; then
    read -ra settings <<<"$before"
    for key in "${settings[@]}"; do other+=(--set "$key"); done
    "$kerblab" sim sweep "${chosen[@]}" "${other[@]}" --report "$out/curve-before.json" >"$out/curve.txt" 2>&1 || return 1
    plots+=(--before "$out/curve-before.json")
  fi
  "$kerblab" sim sweep "${chosen[@]}" "${plots[@]}" --report "$out/curve.part" >>"$out/curve.txt" 2>&1 || return 1
  mv "$out/curve.part" "$out/curve.json"
}

left=()
for part in "${parts[@]}"; do
  [[ -f "$out/$part.json" ]] && continue
  if [[ "$until" -gt 0 && "$SECONDS" -ge "$until" ]]; then
    left+=("$part")
    continue
  fi
  echo "== $part ($((SECONDS / 60))m$((SECONDS % 60))s)"
  done=0
  if [[ "$part" == curve ]]; then curve && done=1; else drive "$part" && done=1; fi
  if [[ "$done" -eq 1 ]]; then
    tail -n 1 "$out/$part.txt"
  else
    tail -n 5 "$out/$part.txt" >&2
    left+=("$part")
  fi
done

reports=()
for part in "${all_parts[@]}"; do
  [[ "$part" != curve && -f "$out/$part.json" ]] && reports+=("$out/$part.json")
done
if [[ ${#reports[@]} -gt 0 ]]; then
  status=0  # 1: some runs did not pass
  "$kerblab" sim merge "${reports[@]}" --report "$out/all.json" || status=$?
  [[ "$status" -le 1 ]] || exit "$status"
fi
[[ ${#left[@]} -eq 0 ]] || { echo "not driven: ${left[*]}" >&2; exit 1; }
