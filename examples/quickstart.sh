#!/bin/bash
# Trains a small network on handwritten digits with loupe watching, and reads the trial while the training runs.
#
#   examples/quickstart.sh
#
# Installs what is missing for this and nothing more: a compiler, CMake, make or ninja, and xtensor.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
command -v g++ >/dev/null || missing+=(g++)
command -v cmake >/dev/null || missing+=(cmake)
command -v ninja >/dev/null || command -v make >/dev/null || missing+=(make)
dpkg-query -W -f '${Status}' libxtensor-dev 2>/dev/null | grep -q 'ok installed' || missing+=(libxtensor-dev)
if [ ${#missing[@]} -gt 0 ]; then
  echo "installing ${missing[*]}"
  root=()
  [ "$(id -u)" -eq 0 ] || root=(sudo)
  "${root[@]}" apt-get -o DPkg::Lock::Timeout=300 -qq update
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -qq install -y --no-remove \
    --no-install-recommends "${missing[@]}" >/dev/null
fi

mkdir -p build
build=build/quickstart
run=$build/run
echo "building in $build"
generator=()
command -v ninja >/dev/null && generator=(-G Ninja)
[ -f "$build/CMakeCache.txt" ] || cmake -S . -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CXX_STANDARD=23 -DLOUPE_BUILD_EXAMPLES=ON >"$build.log" 2>&1 || { cat "$build.log"; exit 1; }
cmake --build "$build" -j "$(nproc)" --target quickstart_train quickstart_watch >"$build.log" 2>&1 ||
  { cat "$build.log"; exit 1; }

rm -rf "$run"
"$build/bin/quickstart_train" examples/data/digits.csv "$run" &
training=$!
trap 'kill "$training" 2>/dev/null || true' EXIT
"$build/bin/quickstart_watch" "$run"
wait "$training"
trap - EXIT
echo "the trial is in $PWD/$run"
