# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Messages, steps and packages, for ./kerb. Sourced, not run.

KERB_LOGS="$KERB_ROOT/build/logs"
# shellcheck disable=SC2034  # used in setup.sh
KERB_DEPS="$KERB_ROOT/.deps"
KERB_JOBS="${KERB_JOBS:-$(nproc)}"
# shellcheck disable=SC2034  # used in test.sh
KERB_LONG=""  # 1: everything, however long it takes
KERB_PART=""  # "3/9" while `kerb test` runs its parts
export PATH="$PATH:/usr/sbin:/sbin" # depmod, where root's programs are not on PATH
export CMAKE_BUILD_PARALLEL_LEVEL="$KERB_JOBS"
export CTEST_PARALLEL_LEVEL="${CTEST_PARALLEL_LEVEL:-$KERB_JOBS}"

say() { printf 'kerb: %s\n' "$*"; }
complain() { printf 'kerb: error: %s\n' "$*" >&2; }
die() {
  complain "$*"
  exit 1
}
die_usage() {
  complain "$*"
  exit 2
}

elapsed() { printf '%dm%02ds' "$((SECONDS / 60))" "$((SECONDS % 60))"; }

heading() {
  if [[ -n "$KERB_PART" ]]; then
    printf '\n== [%s] %s ==  (%s)\n' "$KERB_PART" "$1" "$(elapsed)"
  else
    printf '\n== %s ==  (%s)\n' "$1" "$(elapsed)"
  fi
}

# Reads build output: of ninja's progress lines shows one in ten, of everything else all.
thin_out() {
  awk '/^\[[0-9]+\/[0-9]+\] / {
         split(substr($1, 2, length($1) - 2), at, "/"); tenth = int(10 * at[1] / at[2])
         if (tenth == last && at[1] != at[2]) next
         last = tenth
       }
       { print; fflush() }'
}

# Reads build output: ninja's progress as a bar that stays on its line, on a terminal; elsewhere a line for each tenth.
# Nothing else: that is in the log, and what failed is shown from there.
bar() {
  local terminal=0
  if [[ -t 1 ]]; then terminal=1; fi
  awk -v terminal="$terminal" -v start="$(date +%s)" '
    function clock(s) { return s < 90 ? int(s + 0.5) " s" : int(s / 60 + 0.5) " min" }
    /^\[[0-9]+\/[0-9]+\] / {
      split(substr($1, 2, length($1) - 2), at, "/"); share = at[1] / at[2]
      "date +%s" | getline now; close("date +%s")
      left = share > 0.1 ? ", about " clock((now - start) * (1 - share) / share) " left" : ""
      if (terminal) {
        line = ""; for (i = 0; i < 40; i++) line = line (i < 40 * share ? "=" : " ")
        printf "\r[%s] %3d %%  %d of %d%s        ", line, int(100 * share), at[1], at[2], left
      } else if (int(10 * share) != tenth) {
        tenth = int(10 * share); printf "%3d %%  %d of %d%s\n", 10 * tenth, at[1], at[2], left
      }
      fflush()
    }
    END { if (terminal) printf "\n" }'
}

quiet() { cat >/dev/null; }

# step TITLE COMMAND...: a heading, the command's output on the screen and in a log of its own.
# Returns the command's status; a failure has been reported, with the path of the log.
# KERB_SHOW names what shows the output: thin_out, or bar.
KERB_LOG=""
step() {
  local title="$1" status
  shift
  mkdir -p "$KERB_LOGS"
  KERB_LOG="$KERB_LOGS/$(tr -cs '[:alnum:]\n' '-' <<<"$title" | sed 's/^-*//; s/-*$//').log"
  heading "$title"
  set +e
  "$@" </dev/null 2>&1 | tee "$KERB_LOG" | "${KERB_SHOW:-thin_out}"
  status="${PIPESTATUS[0]}"
  set -e
  if [[ "$status" -ne 0 ]]; then
    [[ "${KERB_SHOW:-}" != bar ]] || grep -aE -A 12 '^FAILED|error:' "$KERB_LOG" | head -n 40
    complain "$title failed (exit $status); log: ${KERB_LOG#"$KERB_ROOT"/}"
    KERB_FAILURES+=("$title: exit $status" "$(failures_in "$KERB_LOG")")
  fi
  return "$status"
}

KERB_FAILURES=() # the steps that failed and the checks in them, for the end of a long output
failures_in() {
  grep -aE '^(\[ *[0-9]+ s\] )?FAIL |:FAIL: |^FAILED|\*\*\*(Failed|Timeout|Exception)|:[0-9]+: (fatal )?error: ' "$1" | head -n 12 | sed 's/^/  /' || true
}

# quietly WHAT COMMAND...: output only into the log; one line on failure.
quietly() {
  local what="$1" log="$KERB_LOGS/setup.log" begin reason
  shift
  mkdir -p "$KERB_LOGS"
  printf '\n# %s: %s\n' "$what" "$*" >>"$log"
  begin="$(wc -l <"$log")"
  if ! "$@" </dev/null >>"$log" 2>&1; then
    reason="$(tail -n "+$((begin + 1))" "$log" | grep -E '^(E:|ERROR)|[Ee]rror:' | head -n 1 | cut -c1-200 || true)"
    die "$what failed${reason:+: $reason}; log: ${log#"$KERB_ROOT"/}"
  fi
}

host_arch() { dpkg --print-architecture; }

# --- packages

# as_root COMMAND...: whether that can be is checked by install_packages.
as_root() {
  if [[ "$(id -u)" -eq 0 ]]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  else
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  fi
}

KERB_APT_FRESH=0
refresh_package_lists() {
  [[ "$KERB_APT_FRESH" -eq 0 ]] || return 0
  may_fetch "the package lists"
  quietly "apt-get update" as_root apt-get -q -o DPkg::Lock::Timeout=300 update
  KERB_APT_FRESH=1
}

may_fetch() {
  if [[ -n "${KERB_NO_INSTALL:-}" ]]; then
    die "KERB_NO_INSTALL is set, but this is missing: $*"
  fi
}

# missing_packages NAME[:ARCH]...: those not installed, one a line.
missing_packages() {
  local arch installed name
  arch="$(host_arch)"
  # shellcheck disable=SC2016  # the format is dpkg-query's own
  installed="$(dpkg-query -W -f='${db:Status-Status} ${Package}:${Architecture}\n' "$@" 2>/dev/null |
    sed -n 's/^installed //p' || true)"
  for name in "$@"; do
    case "$name" in
      *:*) grep -qxF -e "$name" <<<"$installed" || echo "$name" ;;
      *) grep -qxF -e "$name:$arch" -e "$name:all" <<<"$installed" || echo "$name" ;;
    esac
  done
}

KERB_MISSING=()
install_packages() {
  local begin="$SECONDS"
  mapfile -t KERB_MISSING < <(missing_packages "$@")
  [[ ${#KERB_MISSING[@]} -gt 0 ]] || return 0
  may_fetch "packages ${KERB_MISSING[*]}"
  command -v apt-get >/dev/null || die "no apt-get here: this needs Debian 12; wanted: ${KERB_MISSING[*]}"
  [[ "$(id -u)" -eq 0 ]] || command -v sudo >/dev/null ||
    die "installing packages needs root or sudo; as root, run: apt-get install --no-install-recommends ${KERB_MISSING[*]}"
  say "installing ${#KERB_MISSING[@]} packages (and what they depend on): ${KERB_MISSING[*]}"
  local name
  for name in "${KERB_MISSING[@]}"; do
    [[ "$name" == *:* ]] && add_architecture "${name##*:}"
  done
  refresh_package_lists
  quietly "apt-get install" as_root apt-get -q -y -o DPkg::Lock::Timeout=300 \
    install --no-install-recommends "${KERB_MISSING[@]}"
  say "installed in $((SECONDS - begin)) s"
}

add_architecture() {
  if [[ "$(host_arch)" == "$1" ]] || dpkg --print-foreign-architectures | grep -qx "$1"; then
    return 0
  fi
  say "adding the package architecture $1"
  quietly "dpkg --add-architecture $1" as_root dpkg --add-architecture "$1"
  KERB_APT_FRESH=0
}
