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

# build_all: configure and build the release preset into build/; the compilers' words only when they complain.
build_all() {
  cd "$root" || exit 1
  local jobs gigabytes
  jobs=$(nproc)
  gigabytes=$(awk '/MemAvailable/ {print int($2 / 1048576)}' /proc/meminfo)
  [ "$jobs" -gt $((gigabytes / 2 + 1)) ] && jobs=$((gigabytes / 2 + 1)) # the largest file takes about 2 GiB
  if ! cmake --preset release >build.log 2>&1; then
    tail -n 25 build.log >&2
    say "configuring failed; all of it in build.log"
    exit 1
  fi
  if [ -n "$(ninja -C build -n 2>/dev/null | grep -v 'no work to do\|Entering directory')" ]; then
    say "building with $jobs jobs (first time: several minutes) ..."
  fi
  if ! cmake --build build -j "$jobs" >>build.log 2>&1; then
    grep -E -A5 'error|FAILED' build.log | tail -n 40 >&2
    say "the build failed; all of it in build.log"
    exit 1
  fi
}
