# SPDX-License-Identifier: BSD-3-Clause
# How far a build is, told from ninja's lines: sourced by build_all of setup.sh, whose `say` it calls. Knows the weights of the
# project's files, and nothing of how a build is made.

# weight_of LINE: about how many seconds a step of the build takes, told from the last word of its command or of ninja's line.
weight_of() {
  case ${1##* } in
    *loops/fold_loops* | *loops/scan_loops* | *core_module.cpp* | *interpreter.cpp*) weight=12 ;;
    *loops/*.cpp* | *_test.cpp* | *session/session.cpp* | *lowering/lower.cpp*) weight=4 ;;
    *.cpp | *.cpp.o | *cmake_pch*) weight=2 ;;
    *) weight=1 ;;
  esac
}

# watch_build STEPS TOTAL: ninja's lines on standard input; what it has done of what there is, and what is left of the time, as one
# changing line on a terminal, else a line for each tenth. STEPS is how many steps a whole build has, TOTAL their weight. What ninja says goes to build.log.
watch_build() {
  local line weight total finished=0 tenth=0 started=$SECONDS
  while IFS= read -r line; do
    printf '%s\n' "$line" >>build.log
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ (.*) ]] || continue
    local done=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]} spent=$((SECONDS - started)) left=""
    [ "$done" -gt 0 ] || continue # "[0/2] Re-checking globbed directories"
    weight_of "${BASH_REMATCH[3]}"
    finished=$((finished + weight))
    # Where only a part is to be built, its steps are like those that are done.
    total=$2
    [ $((all * 10)) -lt $(($1 * 8)) ] && total=$((finished * all / done))
    if [ "$spent" -ge 5 ] && [ "$total" -gt "$finished" ]; then
      left=$((spent * (total - finished) / finished))
      left=", about $((left / 60)):$(printf %02d $((left % 60))) left"
    fi
    left="$done of $all built, $((spent / 60)):$(printf %02d $((spent % 60))) so far$left"
    if [ -t 2 ]; then
      printf '\r  %s\033[K' "$left" >&2
    elif [ "$all" -ge 50 ] && [ $((done * 10 / all)) -gt $tenth ]; then
      tenth=$((done * 10 / all))
      say "  $left"
    fi
  done
  if [ -t 2 ]; then printf '\r\033[K' >&2; fi
}
