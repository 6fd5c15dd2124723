#!/bin/bash
# Installs what is missing, builds loupe in every supported way and runs all tests.
#
#   tests/run.sh [--soak] [--keep-going] [STAGE ...]
#
# --soak         the long versions of the kill, fault, rule and fuzz tests (ten minutes a fuzzer)
# --keep-going   further stages run after one has failed
# STAGE          only these of the stages named below
#
# Each stage's output goes to build/logs/STAGE.log and is shown if the stage fails. The last line counts the tests of
# all stages as ctest does.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
  cmake g++ ninja-build ccache python3                           # to build, and for the scripts
  catch2 libxtensor-dev libboost-regex-dev rapidjson-dev         # what the tests include
  libbenchmark-dev valgrind                                      # benchmarks, instruction counts
  clang-16 clang-19                                              # further compilers that must build the core
)
stages=(house headers asan release tsan compiled single_header clang fuzz callgrind)
jobs=$(nproc)
fuzz_seconds=10
test_timeout=300
logs=$PWD/build/logs

# Object files are shared between clones of the repository: no absolute path takes part.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros

install_missing() {
  local missing=() package
  for package in "${packages[@]}"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  echo "installing ${missing[*]}"
  local root=()
  [ "$(id -u)" -eq 0 ] || root=(sudo)
  "${root[@]}" apt-get -o DPkg::Lock::Timeout=300 update
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -o DPkg::Lock::Timeout=300 install -y --no-remove --no-install-recommends "${missing[@]}"
}

# configure FOLDER [SETTING ...]: a build of the tests besides the presets, unoptimised.
configure() {
  local folder=$1
  shift
  cmake -S . -B "build/$folder" -G Ninja -DLOUPE_BUILD_TESTS=ON -DCMAKE_CXX_EXTENSIONS=OFF -DCMAKE_CXX_FLAGS=-O0 "$@"
}

build() {
  local folder=$1
  shift
  cmake --build "build/$folder" -j "$jobs" "$@"
}

run_tests() {
  local folder=$1
  shift
  ctest --test-dir "build/$folder" -j "$jobs" --timeout "$test_timeout" --output-on-failure --no-tests=error "$@"
}

# Layers whose tests each build runs besides the complete one: enough to prove that way of building.
samples='^(base|ranks|frameworks)\.'

stage_house() {
  cmake --preset release
  run_tests release -R '^house\.(check|selftest)$'
}

# All tests, with every body compiled once, under the address and undefined-behaviour sanitizers.
stage_asan() {
  cmake --preset asan
  build asan
  run_tests asan -E '^(house\.|consumer|compile_fail)'
}

# Optimised, header-only: what users build. Strangers' projects and misuses too.
stage_release() {
  cmake --preset release
  build release --target test_base test_ranks test_frameworks test_storage quickstart_train quickstart_watch
  run_tests release -R "$samples|^(storage\.|consumer|compile_fail)"
}

# Each header alone, at the language floor.
stage_headers() {
  find include/loupe -name '*.hpp' | sort | xargs -P "$jobs" -I {} \
    c++ -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -DLOUPE_SEPARATE_COMPILATION \
    -I include -include {} -x c++ /dev/null
}

stage_tsan() {
  cmake --preset tsan
  build tsan --target test_storage test_capture test_trial
  run_tests tsan -R '^(storage|capture|trial)\.'
}

# At the language floor, every body in one unit.
stage_compiled() {
  configure compiled -DCMAKE_CXX_STANDARD=20 -DLOUPE_TESTS_AGAINST=compiled
  build compiled --target test_base test_ranks test_frameworks
  run_tests compiled -R "$samples"
}

stage_single_header() {
  configure single_header -DCMAKE_CXX_STANDARD=23 -DLOUPE_TESTS_AGAINST=single_header
  build single_header --target test_ranks test_frameworks
  run_tests single_header -R '^(ranks|frameworks)\.'
}

stage_clang() {
  local compiler program flags object
  flags=(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -O0 -I include)
  mkdir -p build/clang
  for program in tests/odr.cpp tests/consumers/main.cpp; do
    for compiler in "clang++-16 -std=c++20" "clang++-19 -std=c++20" "clang++-19 -std=c++2b"; do
      object=$(tr -c 'a-z0-9\n' _ <<<"$program $compiler")
      echo "$compiler $program"
      ccache $compiler "${flags[@]}" -c "$program" -o "build/clang/$object.o"
    done
  done
}

stage_fuzz() {
  local program name
  for program in build/asan/bin/fuzz_*; do
    [ -x "$program" ] || continue
    name=${program##*/fuzz_}
    echo "$program for $fuzz_seconds s"
    "$program" --seconds "$fuzz_seconds" "tests/fuzz/corpus/$name"
  done
}

stage_callgrind() {
  ./benchmarks/callgrind.sh --check
}

passed=0 failed=0 status=0

# Adds what the stage's log says of its tests; a stage without ctest counts as one.
count_tests() {
  local log=$1 stage_status=$2 line
  line=$(grep -E '^[0-9]+% tests passed, [0-9]+ tests failed out of [0-9]+$' "$log" | tail -n 1 || true)
  if [[ $line =~ ([0-9]+)\ tests\ failed\ out\ of\ ([0-9]+) ]]; then
    failed=$((failed + BASH_REMATCH[1]))
    passed=$((passed + BASH_REMATCH[2] - BASH_REMATCH[1]))
  elif [ "$stage_status" -eq 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
}

# Runs a stage up to its first failing command. Not to be called in a condition: there bash would not stop at one.
run_stage() {
  local stage=$1 stage_status=0 start=$SECONDS log=$logs/$1.log
  printf '%-14s ' "$stage"
  (set -e; "stage_$stage") >"$log" 2>&1 &
  wait $! || stage_status=$?
  count_tests "$log" "$stage_status"
  if [ "$stage_status" -eq 0 ]; then
    echo "ok, $((SECONDS - start)) s"
  else
    status=1
    echo "FAILED after $((SECONDS - start)) s; the end of $log:"
    tail -n 150 "$log"
  fi
}

main() {
  local chosen=() stage keep_going=false
  for stage in "$@"; do
    case $stage in
      --soak)
        export LOUPE_SOAK=1
        fuzz_seconds=600
        test_timeout=7200
        ;;
      --keep-going) keep_going=true ;;
      -*) sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p}' "$0"; exit 2 ;;
      *) chosen+=("$stage") ;;
    esac
  done
  [ ${#chosen[@]} -gt 0 ] || chosen=("${stages[@]}")

  install_missing
  mkdir -p "$logs"
  for stage in "${chosen[@]}"; do
    run_stage "$stage"
    [ "$status" -eq 0 ] || "$keep_going" || break
  done
  local total=$((passed + failed))
  echo "$((total > 0 ? passed * 100 / total : 0))% tests passed, $failed tests failed out of $total"
  return "$status"
}

main "$@"
