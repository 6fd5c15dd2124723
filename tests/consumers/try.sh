#!/bin/bash
# Builds and runs one project of this folder.
#
#   try.sh CONSUMER BUILD_DIR GENERATOR COMPILER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
loupe=$(cd "$here/../.." && pwd)
consumer=$1 build=$2 generator=$3 compiler=$4
launcher=$(command -v ccache || true)

rm -rf "$build"
settings=(-G "$generator" "-DCMAKE_CXX_COMPILER=$compiler" "-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher"
          "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror")
if [ "$consumer" = find_package ]; then
  cmake -S "$loupe" -B "$build/loupe" "${settings[@]}" "-DCMAKE_INSTALL_PREFIX=$build/prefix" -DCMAKE_INSTALL_MESSAGE=NEVER
  cmake --build "$build/loupe"
  cmake --install "$build/loupe"
  settings+=("-DCMAKE_PREFIX_PATH=$build/prefix")
fi
cmake -S "$here/$consumer" -B "$build/program" "${settings[@]}" "-DLOUPE_SOURCE_DIR=$loupe"
cmake --build "$build/program"
for program in "$build"/program/bin/*; do
  "$program"
done
