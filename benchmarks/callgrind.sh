#!/bin/bash
# Counts the instructions of the hot paths: the same on a busy machine as on a quiet one.
#
#   benchmarks/callgrind.sh [--check | --update]
#
# Without an option the counts are shown beside those kept in callgrind/expected.txt. --check fails if one of them is off
# by more than 3 %, downwards too: a gain that isn't kept is soon lost again. --update keeps the new ones.
#
# Each program callgrind/<name>.cpp is counted under valgrind, which hides AVX-512: what the processor chooses at run
# time is the AVX2 code. Counts depend on the compiler: with another one than that of expected.txt nothing is judged.
set -euo pipefail
cd "$(dirname "$0")/.."

tolerance=3      # per cent
operations=200   # of each program, as callgrind/counted.hpp says
build=build/benchmarks
expected=benchmarks/callgrind/expected.txt

install_missing() {
  local missing=() package
  for package in cmake g++ ninja-build valgrind libbenchmark-dev; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  echo "installing ${missing[*]}"
  local root=()
  [ "$(id -u)" -eq 0 ] || root=(sudo)
  "${root[@]}" apt-get -o DPkg::Lock::Timeout=300 -qq update
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -qq install -y --no-remove \
    --no-install-recommends "${missing[@]}" >/dev/null
}

build_programs() {
  mkdir -p "$build"
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_STANDARD=23 -DCMAKE_CXX_EXTENSIONS=OFF \
    -DLOUPE_BUILD_BENCHMARKS=ON >"$build/configure.log" 2>&1 || { cat "$build/configure.log"; exit 1; }
  cmake --build "$build" -j "$(nproc)" --target callgrind_programs >"$build/callgrind.log" 2>&1 ||
    { cat "$build/callgrind.log"; exit 1; }
}

# count NAME: instructions of one operation.
count() {
  local out=$build/callgrind.$1.out total
  (cd "$build" && valgrind --tool=callgrind --callgrind-out-file="callgrind.$1.out" --collect-atstart=no \
    --toggle-collect='*counted<*' "bin/callgrind_$1") >"$build/callgrind.$1.log" 2>&1 ||
    { cat "$build/callgrind.$1.log" >&2; return 1; }
  total=$(sed -n 's/^totals: //p' "$out")
  [ "${total:-0}" -gt 0 ] || { echo "callgrind counted nothing in $1" >&2; return 1; }
  echo $(((total + operations / 2) / operations))
}

# kept NAME: what expected.txt says.
kept() {
  [ ! -f "$expected" ] || sed -n "s/^$1 //p" "$expected"
}

main() {
  local action=${1:-show} source name counts="" now before change verdict status=0
  case $action in
    show | --check | --update) ;;
    *) sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p}' "$0"; exit 2 ;;
  esac
  install_missing
  build_programs
  local compiler
  compiler=$(<"$build/benchmarks/compiler.txt")
  if [ "$action" = --check ] && [ "$(kept compiler)" != "$compiler" ]; then
    echo "not judged: the counts kept are those of $(kept compiler), this is $compiler"
    return 0
  fi

  printf '%-20s %12s %12s %9s\n' operation instructions kept change
  for source in benchmarks/callgrind/*.cpp; do
    name=$(basename "$source" .cpp)
    now=$(count "$name")
    before=$(kept "$name")
    counts+="$name $now"$'\n'
    if [ -z "$before" ]; then
      change="" verdict="not kept yet"
    else
      change=$(awk -v a="$before" -v b="$now" 'BEGIN { printf "%+.1f %%", (b - a) * 100 / a }')
      verdict=$(awk -v a="$before" -v b="$now" -v t="$tolerance" \
        'BEGIN { d = (b - a) * 100 / a; print (d > t ? "MORE than allowed" : d < -t ? "fewer: keep this with --update" : "") }')
    fi
    [ -z "$verdict" ] || status=1
    printf '%-20s %12s %12s %9s  %s\n' "$name" "$now" "${before:--}" "$change" "$verdict"
  done
  case $action in
    --update)
      {
        echo "# Instructions of one operation; written by benchmarks/callgrind.sh --update."
        echo "compiler $compiler"
        printf '%s' "$counts"
      } >"$expected"
      ;;
    --check) return "$status" ;;
  esac
}

main "$@"
