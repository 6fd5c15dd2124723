#!/bin/bash
# A misuse must not compile, and the compiler must say why in a sentence.
#
#   check.sh CASE.cpp COMPILER [FLAG ...]
#
# The case's first line is "// expect: REGEX" (extended). As it stands the case must compile; with LOUPE_MUST_FAIL
# defined it must not, and a line of the diagnostics must match. So a case can't rot into failing for another reason.
set -uo pipefail
case=$1
shift
expected=$(sed -n '1s|^// expect: ||p' "$case")
if [ -z "$expected" ]; then
  echo "$case: the first line must be '// expect: REGEX'"
  exit 1
fi
if ! said=$("$@" -fsyntax-only -Wall -Wextra -Werror "$case" 2>&1); then
  printf '%s: the right use must compile\n%s\n' "$case" "$said"
  exit 1
fi
if said=$("$@" -fsyntax-only -DLOUPE_MUST_FAIL "$case" 2>&1); then
  printf '%s: the wrong use compiles\n' "$case"
  exit 1
fi
if ! grep -Eq -- "$expected" <<<"$said"; then
  printf '%s: the diagnostics say nothing of "%s"\n%s\n' "$case" "$expected" "$said"
  exit 1
fi
