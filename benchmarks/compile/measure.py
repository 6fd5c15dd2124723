#!/usr/bin/env python3
"""Measures what including loupe costs a compiler, over an empty unit, and writes it as Google Benchmark would.

    measure.py RESULTS.json

User time of g++ -O0 (or of the compiler in CXX): each unit of this folder in turns with empty.cpp. The lowest of the
rounds counts: other work on the machine can only add to a compiler's time.
"""
import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parents[1] / "include"
ROUNDS = 7
APART = ["-DLOUPE_SEPARATE_COMPILATION"]
# What it shows, unit, options, and the seconds that it may take.
PROMISES = [
    ("compiling probe.hpp", "probe.cpp", [], 0.2),
    ("compiling capture/hook.hpp", "hook.cpp", [], 0.45),
    ("compiling a hook for spans with local storage", "local_hook.cpp", [], 1.2),
    ("the same with loupe's bodies compiled apart", "local_hook.cpp", APART, 1.2),
]


def seconds(unit, options=()):
    """User time of one compilation."""
    compiler = os.environ.get("CXX", "g++").split()
    command = [*compiler, "-std=c++23", "-O0", *options, "-I", str(INCLUDE), "-c", str(HERE / unit), "-o", os.devnull]
    child = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)
    if status:
        sys.exit(f"{unit} does not compile")
    return usage.ru_utime


def cost(unit, options):
    """What a unit takes more than an empty one, and all rounds of both."""
    rounds = [(seconds(unit, options), seconds("empty.cpp")) for _ in range(ROUNDS)]
    lowest = min(full for full, _ in rounds) - min(empty for _, empty in rounds)
    return lowest, rounds


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    benchmarks = []
    for name, unit, options, limit in PROMISES:
        lowest, rounds = cost(unit, options)
        benchmarks.append({"name": name, "label": "s", "measured": lowest, "limit": limit, "ratio": lowest / limit,
                           "at_most": 1, "rounds": rounds})
    pathlib.Path(sys.argv[1]).write_text(json.dumps({"benchmarks": benchmarks}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
