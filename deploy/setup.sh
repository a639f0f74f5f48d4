# SPDX-License-Identifier: BSD-3-Clause
# From a bare Debian to a build: sourced by deploy/demo and tests/run. Installs only what is missing, builds only what
# changed. Where it cannot go on it ends with 3 and one sentence that says what to do.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# What a first run takes, in MB and minutes of one core: measured on Debian 12 and 13, rounded up.
packages_mb=1700 build_mb=400 tests_mb=700 memory_mb=2000
build_minutes=6 tests_minutes=25
os_release=/etc/os-release

say() { printf '%s\n' "$*" >&2; }
refuse() { say "$*"; exit 3; }
free_mb() { df -Pk "$1" 2>/dev/null | awk 'NR == 2 {print int($4 / 1024)}' || true; }

# codenames: what this system calls itself and the Debian that it is made of.
codenames() { [ ! -r "$os_release" ] || sed -n 's/^\(VERSION\|DEBIAN\)_CODENAME=//p' "$os_release"; }

# suite_here: the Debian whose packages are installed here: trixie (13), else bookworm (12).
suite_here() { if [[ $(codenames) == *trixie* ]]; then echo trixie; else echo bookworm; fi; }

# packages_of SECTION...: the packages of these sections of packages.txt, for this system.
packages_of() {
  local wanted=" $* " section="" line suite
  suite=$(suite_here)
  while IFS= read -r line; do
    case $line in
      "# "*" "*) ;; # a sentence; one word is a heading
      "# "?*) section=${line#\# } ;;
      "#"* | "") ;;
      *" ["*) [[ $wanted == *" $section "* && $line == *"[$suite]" ]] && printf '%s\n' "${line%% *}" ;;
      *) [[ $wanted == *" $section "* ]] && printf '%s\n' "$line" ;;
    esac
  done <"$root/deploy/packages.txt"
}

# check_system: refuses what is neither Debian 12 nor 13 when packages have to be installed.
check_system() {
  local name="" code=""
  local instead="use the container (deploy/container/Containerfile) or build by Spack (deploy/spack/README.md)"
  [ "$(uname -s)" = Linux ] ||
    refuse "Gamelan runs on Linux and this is $(uname -s): $instead."
  if [ -r "$os_release" ]; then
    name=$(sed -n 's/^PRETTY_NAME="\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' "$os_release")
    code=$(codenames)
  fi
  command -v apt-get >/dev/null ||
    refuse "Gamelan is built from the packages of Debian 12 or 13 and ${name:-this} has no apt-get: $instead."
  # A system that does not say which it is may try.
  [[ -z $code || $code == *bookworm* || $code == *trixie* ]] ||
    refuse "Gamelan is built from the packages of Debian 12 or 13 and this is $name, whose packages are others: $instead."
}

# check_disk FOLDER MB WHAT: refuses when a folder has not so much room.
check_disk() {
  local free
  free=$(free_mb "$1")
  if [ "${free:-$2}" -lt "$2" ]; then
    refuse "$3 takes $2 MB on the disk of $1, which has $free MB left: make room there, or clone the project to a larger disk."
  fi
}

# check_cmake: refuses a CMake that cannot read CMakePresets.json.
check_cmake() {
  local version
  version=$(cmake --version 2>/dev/null | sed -n '1s/[^0-9]*\([0-9][0-9.]*\).*/\1/p' || true)
  if [ "$(printf '%s\n' 3.25 "${version:-0}" | sort -V | head -n 1)" != 3.25 ]; then
    refuse "Gamelan needs CMake 3.25 and $(command -v cmake || echo 'no cmake') is ${version:-missing}: put Debian's first (PATH=/usr/bin:\$PATH), or pip install 'cmake>=3.25'."
  fi
}

# say_needs PACKAGES [tests]: what a first run takes, before it begins; refuses where there is no room for it.
say_needs() {
  local packages=$1 kind=${2-} build=$build_mb minutes=$build_minutes room=0 cores
  if [ "$kind" = tests ]; then build=$((build + tests_mb)) minutes=$((minutes + tests_minutes)); fi
  [ -e "$root/build/build.ninja" ] && build=50
  [ "$packages" -gt 0 ] && room=$packages_mb
  if [ "$(df -Pk "$root" | tail -n 1 | awk '{print $1}')" = "$(df -Pk /usr | tail -n 1 | awk '{print $1}')" ]; then
    check_disk "$root" $((room + build)) "Gamelan, with the packages that it needs,"
  else
    check_disk "$root" "$build" "Building Gamelan"
    check_disk /usr "$room" "What Gamelan needs of Debian's packages"
  fi
  [ "$packages" -eq 0 ] && [ -e "$root/build/bin/gamelan-engine" ] && return 0
  cores=$(jobs_here)
  say "this takes $((room + build)) MB of disk ($packages Debian packages, the build), $((memory_mb / 1000)) GB of memory and, with $cores cores, about $(((minutes + cores - 1) / cores + (packages > 0 ? 3 : 0))) minutes"
}

# ensure_packages SECTION...: install what is missing; ends the script when that cannot be done.
ensure_packages() {
  local package missing=() runner=() kind=""
  for package in $(packages_of "$@"); do
    [[ $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) == "install ok installed" ]] || missing+=("$package")
  done
  [[ " $* " == *" test "* ]] && kind=tests
  if [ ${#missing[@]} -eq 0 ]; then say_needs 0 $kind; return 0; fi
  check_system
  local command="apt-get install -y --no-install-recommends ${missing[*]}"
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
      runner=(sudo)
    else
      say "${#missing[@]} Debian packages are missing and I may not install them. As root:"
      say "    apt-get update && $command"
      exit 3
    fi
  fi
  say_needs ${#missing[@]} $kind
  say "installing ${#missing[@]} Debian packages: ${missing[*]}"
  local log
  log=$(mktemp)
  # No daemon of a package may start by itself: the tests bring their own.
  if ! { "${runner[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update &&
    "${runner[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 $command; } >"$log" 2>&1; then
    local unreached
    unreached=$(sed -n "s/.*\(Could not resolve '[^']*'\|Temporary failure resolving '[^']*'\|[Cc]ould not connect to [^ ]*\|Unable to connect to [^ ]*\|Network is unreachable\).*/\1/p" "$log" | head -n 1)
    if [ -n "$unreached" ]; then
      refuse "Debian's packages cannot be fetched ($unreached): connect this machine, or name a mirror that it reaches in /etc/apt/sources.list, and run this again."
    fi
    tail -n 25 "$log" >&2
    say "the installation failed (above: its last lines, all of it in $log). Try as root:"
    say "    apt-get update && $command"
    exit 3
  fi
  rm -f "$log"
}

# jobs_here: as many compilers at a time as there are cores, and memory for them.
jobs_here() {
  local jobs gigabytes
  jobs=$(nproc)
  gigabytes=$(awk '/MemAvailable/ {print int($2 / 1048576)}' /proc/meminfo)
  [ "$jobs" -gt $((gigabytes / 2 + 1)) ] && jobs=$((gigabytes / 2 + 1)) # the largest file takes about 2 GB
  echo "$jobs"
}

# build_all [tests]: configure and build the release preset into build/, with its tests where they are asked for; the compilers'
# words only when they complain.
build_all() {
  cd "$root" || exit 1
  source "$root/deploy/build_progress.sh"
  local jobs line weight total=0 steps=0 options=(-DBUILD_TESTING=OFF -DGAMELAN_LEVELS=native)
  # Tests need every level of loops; what has been built for all stays so.
  grep -qs '^GAMELAN_LEVELS:STRING=all' build/CMakeCache.txt && options=(-DBUILD_TESTING=OFF)
  [ "${1-}" = tests ] && options=(-DBUILD_TESTING=ON -DGAMELAN_LEVELS=all)
  # ccache finds nothing again where headers are precompiled; what was built without stays without.
  [ -z "${CMAKE_CXX_COMPILER_LAUNCHER-}" ] && [ ! -e build/build.ninja ] && options+=(-DGAMELAN_PRECOMPILE=ON)
  { [ -w "$root" ] && { [ ! -e build ] || [ -w build ]; }; } ||
    refuse "$(id -un) may not write to $root/build: clone the project to a folder of your own and run this there."
  check_cmake
  if ! cmake --preset release "${options[@]}" >build.log 2>&1; then
    tail -n 25 build.log >&2
    say "configuring failed; all of it in build.log"
    exit 1
  fi
  while IFS= read -r line; do
    weight_of "$line"
    total=$((total + weight)) steps=$((steps + 1))
  done < <(ninja -C build -t commands all 2>/dev/null)
  jobs=$(jobs_here)
  [ -e build/bin/gamelan-engine ] || say "building with $jobs jobs ..."
  if ! NINJA_STATUS='[%f/%t] ' ninja -C build -j "$jobs" 2>&1 | watch_build "$steps" "$total"; then
    grep -E -A5 'error|FAILED' build.log | tail -n 40 >&2 || true
    say "the build failed; all of it in build.log"
    exit 1
  fi
}
