#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Boots the emulated board with the cross-built programs, shows what it sees and counts.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: tests/board/run.sh [--programs DIR] [--deps DIR] [--out DIR] [--limit SECONDS]
                          [--only PART] [--long]
       tests/board/run.sh --play DIR --traces DIR [...]
       tests/board/run.sh --check [...]

Boots QEMU's arm64 "virt" machine with Debian's kernel and the programs in DIR (build/arm64/bin),
runs every check on it and prints "N passed, N failed". Exit code 0: at least one check, none failed,
and the board ended as it should. 1: something failed. 2: the board could not be started.

  --programs DIR   cross-built programs            (build/arm64/bin)
  --deps DIR       unpacked kernel and busybox     (.deps/board)
  --out DIR        initramfs, console log, disk    (build/board)
  --limit SECONDS  stop the board after this long  (600; 1800 with --long)
  --only PART      firmware: without the checks of the board itself and the drivers' suites; of these,
                   stress: flood, calendar, stamps; guard: kills, stops and a full disk under the guard
  --long           more of what is random or takes long: ten kills under the guard, a flood of 30 s,
                   time stamps up to their end
  --play DIR       instead of all checks, play the scenarios in DIR (NAME.kwplay and NAME.toml, as
                   "kerblab sim run --hil" makes them)
  --traces DIR     gets what the firmware sent in each, NAME.trace, and what it wrote, NAME.log
                                                   (the board's own short play: build/board/traces)
  --check          only says whether all that is needed is here: exit code 0 or 2
TEXT
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
programs=$top/build/arm64/bin
deps=$top/.deps/board
out=$top/build/board
limit=
only=
long=
play=
traces=
check=

cannot() {
  echo "board: $1" >&2
  exit 2
}

while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) usage; exit 0 ;;
    --check) check=yes; shift ;;
    --long) long=kerb_long=yes; shift ;;
    --only)
      [[ ${2:-} =~ ^(firmware|stress|guard)$ ]] || cannot "--only takes firmware, stress or guard"
      only=kerb_only=$2
      shift 2 ;;
    --programs | --deps | --out | --limit | --play | --traces)
      [ $# -ge 2 ] || cannot "$1 needs a value"
      declare "${1#--}=$2"
      shift 2 ;;
    *) cannot "unknown argument $1 (see --help)" ;;
  esac
done

if [ -n "$play$traces" ]; then
  if [ -z "$play" ] || [ -z "$traces" ]; then cannot "--play and --traces go together"; fi
  if [ ! -d "$play" ] || [ ! -d "$traces" ]; then cannot "--play and --traces take folders that are there"; fi
  [ -z "$only" ] || cannot "--play and --only do not go together"
  only=kerb_only=play
fi
board_mb=1024
if [ -n "$play" ]; then
  play_mb=$(du -cm -- "$play"/*.kwplay 2> /dev/null | tail -n 1 | cut -f 1 || true)
  [ "${play_mb:-0}" -gt 0 ] || cannot "nothing to play in $play"
  # Packed, unpacked, and one of them read: all in the board's memory.
  board_mb=$((board_mb + 3 * play_mb))
fi
[ -n "$limit" ] || limit=$([ -n "$long" ] && echo 1800 || echo 600)
[[ $limit =~ ^[1-9][0-9]{0,5}$ ]] || cannot "--limit takes whole seconds, not '$limit'"

qemu="qemu-system-aarch64"
command -v $qemu > /dev/null || cannot "$qemu is not installed (Debian package qemu-system-arm)"
kernel=$(find "$deps/kernel/boot" -name 'vmlinuz-*' 2> /dev/null | head -n 1 || true)
[ -n "$kernel" ] || cannot "no kernel in $deps/kernel/boot"
[ -x "$deps/busybox/bin/busybox" ] || cannot "no busybox in $deps/busybox/bin"
[ -x "$programs/kerbwatch" ] || cannot "no kerbwatch in $programs: build the arm64 preset first"
[ -x "$programs/kerb_board_player" ] || cannot "no kerb_board_player in $programs: build the arm64 preset first"
[ -z "$check" ] || exit 0

mkdir -p "$out" || cannot "$out cannot be written"
if [ -z "$traces" ]; then
  traces=$out/traces
  mkdir -p "$traces"
  rm -f "$traces"/*.trace "$traces"/*.log
fi
log=$out/console.log
mark=$out/mark.img
wanted=()
for program in "$programs"/kerb_board_player "$programs"/kerbwatch "$programs"/contract; do
  [ -n "$play" ] && [[ $program = */contract ]] && continue
  [ -x "$program" ] && wanted+=("$program")
done
files=()
[ -f "$here/kerbwatch.toml" ] && files+=(--file "$here/kerbwatch.toml:/etc/kerbwatch.toml")
if [ -n "$play" ]; then
  for file in "$play"/*.kwplay "$play"/*.toml "$play"/*.kwm; do
    [ -f "$file" ] && files+=(--file "$file:/play/${file##*/}")
  done
fi
# The tester of a workshop: Python, what it imports, and what it does.
if [ -z "$play" ]; then
  [ -d "$(dirname "$deps")/board-python/usr" ] || cannot "no Python in $(dirname "$deps")/board-python: ./kerb setup board"
  packages=$(find "$top/.deps/venv/lib" -maxdepth 2 -name site-packages 2> /dev/null | head -n 1 || true)
  for name in udsoncan isotp; do
    [ -d "$packages/$name" ] || cannot "no Python package $name in .deps/venv: ./kerb setup board"
    files+=(--tree "$packages/$name:/workshop/$name")
  done
  files+=(--file "$here/workshop.py:/workshop/workshop.py" --file "$top/tests/support/uds_client.py:/workshop/uds_client.py")
  files+=(--python "$(dirname "$deps")/board-python")
fi
# Where a kerbwatch in /bin looks for the models that come with it.
for model in "$top"/models/*.kwm; do
  [ -f "$model" ] && files+=(--file "$model:/share/kerbwatch/models/${model##*/}")
done
"$here/make_initramfs.py" --kernel "$deps/kernel" --busybox "$deps/busybox/bin/busybox" \
  --init "$here/init.sh" --out "$out/initramfs.cpio" "${files[@]}" "${wanted[@]}"

# A disk of one block group remembers across a reset what the board was doing.
rm -f "$mark"
truncate -s 64K "$mark"
: > "$log"

# The board lives in the time that its instructions take, a nanosecond each: a busy host makes it late, but
# the board does not notice.
time=(-accel "tcg,thread=single" -icount "shift=0,sleep=off" -rtc "clock=vm")
# Cortex-A76 is the nearest to a Jetson Orin's A78AE that QEMU 7.2 has, and no slower than older
# ones. Without kpti and mitigations a system call costs a seventh of the time under emulation.
$qemu -M virt -cpu cortex-a76 -smp 2 -m "$board_mb" "${time[@]}" \
  -nodefaults -display none -serial stdio -monitor none \
  -kernel "$kernel" -initrd "$out/initramfs.cpio" \
  -drive if=none,id=mark,format=raw,file="$mark",cache=writethrough \
  -device virtio-blk-device,drive=mark \
  -append "console=ttyAMA0 quiet loglevel=3 panic=-1 nokaslr kpti=off mitigations=off $only $long" \
  < /dev/null > "$log" 2>&1 &
board=$!
trap 'kill -KILL $board 2> /dev/null || true' EXIT

started=$SECONDS
verdict=
stop_board() {
  verdict=$1
  kill -KILL "$board" 2> /dev/null || true
}

# Follows the console while the board runs; looks at the clock before each line and for a panic in it.
show() {
  case $1 in
    PASS\ * | FAIL\ * | SAW\ * | BOARD\ *) printf '[%3d s] %s\n' $((SECONDS - started)) "$1" ;;
  esac
}
exec 3< "$log" 4>&2 2> /dev/null # bash would have its own say about a board that was killed
partial=
last=nothing
while :; do
  if [ $((SECONDS - started)) -ge "$limit" ]; then
    stop_board "the board did not end within $limit s, last said \"$last\""
    break
  fi
  if IFS= read -r -t 1 -u 3 line; then
    line=$partial${line%$'\r'}
    partial=
    last=$line
    show "$line"
    case $line in *"Kernel panic"*) stop_board "the kernel panicked" ;; esac
    continue
  fi
  partial+=$line
  if ! kill -0 "$board" 2> /dev/null; then
    while IFS= read -r -u 3 line; do show "${partial}${line%$'\r'}"; partial=; done
    break
  fi
  sleep 0.2
done
ended=0
wait "$board" || ended=$?
exec 2>&4
if [ "$ended" -ne 0 ] && [ -z "$verdict" ]; then verdict="QEMU ended with code $ended"; fi
trap - EXIT

tidy=$out/console.txt
tr -d '\r' < "$log" > "$tidy" || cannot "$tidy cannot be written"
count() { grep -c "^$1 " "$tidy" || true; }
passed=$(count PASS)
failed=$(count FAIL)

# What the firmware sent in each scenario, for the judge, and what it wrote. All of it, or none.
told() { # told WORD EXTENSION
  local name
  sed -n "s/^$1 \([^ ]*\) # end\$/\1/p" "$tidy" | while IFS= read -r name; do
    awk -v word="$1" -v name="$name" '$1 == word && $2 == name && !/ # (begin|end)$/ {
        sub("^[^ ]+ [^ ]+ ?", ""); print }' "$tidy" \
      > "$traces/$name.$2" || cannot "$traces/$name.$2 cannot be written"
  done
}
told TRACE trace
told LOG log

# The right order: up, reset by the watchdog, up again, ended by itself.
wanted_order="BOARD boot,softdog: Initiating system reboot,BOARD boot,BOARD end,"
[ -z "$play" ] || wanted_order="BOARD boot,BOARD end,"
if [ -z "$verdict" ]; then
  order=$(grep -oE '^BOARD boot|softdog: Initiating system reboot|^BOARD end' "$tidy" | tr '\n' ',')
  [ "$order" = "$wanted_order" ] ||
    verdict="expected $wanted_order saw ${order:-nothing}"
fi
if [ -z "$verdict" ] && [ -z "$play" ] && [[ ! $only =~ stress|guard ]] && [ ! -s "$traces/short.trace" ]; then
  verdict="the short play left no trace"
fi
if [ -n "$verdict" ]; then
  echo "FAIL board: $verdict (console: $log)"
  failed=$((failed + 1))
fi
echo "board: $((SECONDS - started)) s, console in $log"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
