#!/usr/bin/env python3
"""Measures what including loupe costs a compiler, over an empty unit, and writes it as Google Benchmark would.

    measure.py RESULTS.json

User time of g++ -O0 (or of the compiler in CXX): each unit of this folder in turns with empty.cpp, medians of the rounds.
"""
import json
import os
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parents[1] / "include"
ROUNDS = 9
# unit: what it shows, and the seconds that it may take.
PROMISES = {
    "probe.cpp": ("compiling probe.hpp", 0.2),
    "hook.cpp": ("compiling capture/hook.hpp", 0.45),
    "local_hook.cpp": ("compiling a hook for spans with local storage", 1.2),
}


def seconds(unit):
    """User time of one compilation."""
    compiler = os.environ.get("CXX", "g++").split()
    command = [*compiler, "-std=c++23", "-O0", "-I", str(INCLUDE), "-c", str(HERE / unit), "-o", os.devnull]
    child = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)
    if status:
        sys.exit(f"{unit} does not compile")
    return usage.ru_utime


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    benchmarks = []
    for unit, (name, limit) in PROMISES.items():
        rounds = [(seconds(unit), seconds("empty.cpp")) for _ in range(ROUNDS + 1)][1:]
        cost = statistics.median(full - empty for full, empty in rounds)
        benchmarks.append({"name": name, "label": "s", "measured": cost, "limit": limit, "ratio": cost / limit, "at_most": 1,
                           "empty_unit": statistics.median(empty for _, empty in rounds)})
    pathlib.Path(sys.argv[1]).write_text(json.dumps({"benchmarks": benchmarks}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
