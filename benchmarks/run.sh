#!/bin/bash
# Measures what loupe costs: each promise beside its limit, measured in the same minutes.
#
#   benchmarks/run.sh [--json FILE] [NAME ...]
#
# --json FILE   also writes the table, and the raw numbers behind it, as JSON
# NAME          only these: programs of this folder without their _benchmark.cpp, or "compile"
#
# Installs what is missing, builds the benchmarks optimised, runs them and prints a table. The exit status is 1 if a
# promise was missed. Numbers of a busy machine are too bad: repeat what was missed when it is quiet.
set -euo pipefail
start=$PWD
cd "$(dirname "$0")/.."

packages=(cmake g++ ninja-build python3 libbenchmark-dev libxtensor-dev)
build=build/benchmarks
results=$build/results

install_missing() {
  local missing=() package
  for package in "${packages[@]}"; do
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

# programs: the names of all programs, and "compile".
programs() {
  local source
  for source in benchmarks/*_benchmark.cpp; do
    basename "$source" _benchmark.cpp
  done
  echo compile
}

build_program() {
  local log=$build/$1.log
  cmake --build "$build" -j "$(nproc)" --target "$1_benchmark" >"$log" 2>&1 || { cat "$log"; return 1; }
}

main() {
  local chosen=() json=() name
  while [ $# -gt 0 ]; do
    case $1 in
      --json)
        [ $# -ge 2 ] || { echo "--json needs a file" >&2; exit 2; }
        case $2 in
          /*) json=(--json "$2") ;;
          *) json=(--json "$start/$2") ;;
        esac
        shift
        ;;
      -*) sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p}' "$0"; exit 2 ;;
      *) chosen+=("$1") ;;
    esac
    shift
  done
  [ ${#chosen[@]} -gt 0 ] || mapfile -t chosen < <(programs)

  install_missing
  rm -rf "$results"
  mkdir -p "$results"
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_STANDARD=23 -DCMAKE_CXX_EXTENSIONS=OFF \
    -DLOUPE_BUILD_BENCHMARKS=ON >"$build/configure.log" 2>&1 || { cat "$build/configure.log"; exit 1; }
  for name in "${chosen[@]}"; do
    echo "measuring $name"
    if [ "$name" = compile ]; then
      python3 benchmarks/compile/measure.py "$results/compile.json"
    else
      build_program "$name"
      # In the build's folder, which is on a disk: there the programs write their files.
      (cd "$build" && "bin/${name}_benchmark" --benchmark_out="results/$name.json" --benchmark_out_format=json) \
        >"$results/$name.log" 2>&1 || { cat "$results/$name.log"; exit 1; }
    fi
  done
  echo
  python3 benchmarks/table.py "${json[@]}" "$results"/*.json
}

main "$@"
