# SPDX-License-Identifier: BSD-3-Clause
# From a bare Debian to a build: sourced by deploy/demo and tests/run. Installs only what is missing, builds only what
# changed; says exactly what to do where it may not install.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*" >&2; }

# packages_of SECTION...: the packages of these sections of packages.txt.
packages_of() {
  local wanted=" $* " section="" line
  while IFS= read -r line; do
    case $line in
      "# build" | "# run" | "# test" | "# container") section=${line#\# } ;;
      "#"* | "") ;;
      *) [[ $wanted == *" $section "* ]] && printf '%s\n' "$line" ;;
    esac
  done <"$root/deploy/packages.txt"
}

# ensure_packages SECTION...: install what is missing; ends the script when that cannot be done.
ensure_packages() {
  local package missing=() runner=()
  for package in $(packages_of "$@"); do
    [[ $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) == "install ok installed" ]] || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  local command="apt-get install -y --no-install-recommends ${missing[*]}"
  if ! command -v apt-get >/dev/null; then
    say "Gamelan is built from Debian 12's packages, and this is no Debian (no apt-get). It needs: ${missing[*]}"
    exit 3
  fi
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
      runner=(sudo)
    else
      say "${#missing[@]} Debian packages are missing and I may not install them. As root:"
      say "    apt-get update && $command"
      exit 3
    fi
  fi
  say "installing ${#missing[@]} Debian packages: ${missing[*]}"
  local log
  log=$(mktemp)
  # No daemon of a package may start by itself: the tests bring their own.
  if ! { "${runner[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update &&
    "${runner[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 $command; } >"$log" 2>&1; then
    tail -n 25 "$log" >&2
    say "the installation failed (above: its last lines, all of it in $log). Try as root:"
    say "    apt-get update && $command"
    exit 3
  fi
  rm -f "$log"
}

# watch_build: ninja's lines on standard input; what it has done of what there is, as one changing line on a terminal, else a
# line for each tenth. What it says goes to build.log.
watch_build() {
  local line tenth=0 started=$SECONDS
  while IFS= read -r line; do
    printf '%s\n' "$line" >>build.log
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    local done=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]} spent=$((SECONDS - started))
    if [ -t 2 ]; then
      printf '\r  %d of %d built, %d:%02d so far\033[K' "$done" "$all" $((spent / 60)) $((spent % 60)) >&2
    elif [ "$all" -ge 50 ] && [ $((done * 10 / all)) -gt $tenth ]; then
      tenth=$((done * 10 / all))
      say "  $done of $all built, $((spent / 60)):$(printf %02d $((spent % 60))) so far"
    fi
  done
  if [ -t 2 ]; then printf '\r\033[K' >&2; fi
}

# build_all [tests]: configure and build the release preset into build/, with its tests where they are asked for; the compilers'
# words only when they complain.
build_all() {
  cd "$root" || exit 1
  local jobs gigabytes tests=OFF
  [ "${1-}" = tests ] && tests=ON
  jobs=$(nproc)
  gigabytes=$(awk '/MemAvailable/ {print int($2 / 1048576)}' /proc/meminfo)
  [ "$jobs" -gt $((gigabytes / 2 + 1)) ] && jobs=$((gigabytes / 2 + 1)) # the largest file takes about 2 GiB
  if ! cmake --preset release -DBUILD_TESTING=$tests >build.log 2>&1; then
    tail -n 25 build.log >&2
    say "configuring failed; all of it in build.log"
    exit 1
  fi
  if [ -n "$(ninja -C build -n 2>/dev/null | grep -v 'no work to do\|Entering directory')" ]; then
    say "building with $jobs jobs (first time: several minutes) ..."
  fi
  if ! NINJA_STATUS='[%f/%t] ' ninja -C build -j "$jobs" 2>&1 | watch_build; then
    grep -E -A5 'error|FAILED' build.log | tail -n 40 >&2
    say "the build failed; all of it in build.log"
    exit 1
  fi
}
