#!/usr/bin/env python3
"""Prints the promises among results of Google Benchmark, each beside its limit.

    table.py [--json FILE] RESULTS.json ...

A promise is a benchmark with the counters measured, limit, ratio and at_most or at_least (see ratio.hpp); its label is
the unit. The others are listed below the promises. Exit status 1 if a promise was missed or a benchmark failed.
"""
import argparse
import json
import pathlib
import sys

SCALES = {"s": [(1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")], "B": [(2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (1, "B")]}
SECONDS = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


def amount(number, unit):
    """The number with three digits and a handy unit."""
    for scale, name in SCALES.get(unit, []):
        if abs(number) >= scale:
            return f"{number / scale:.3g} {name}"
    return f"{number:.3g} {unit}".strip()


class Row:
    def __init__(self, source, benchmark):
        self.name = benchmark.get("run_name", benchmark["name"]).split("/iterations:")[0].removesuffix("/manual_time")
        self.source = source
        self.error = benchmark.get("error_message")
        self.at_least = "at_least" in benchmark
        self.is_promise = self.at_least or "at_most" in benchmark
        self.unit = benchmark.get("label", "") if self.is_promise else "s"
        self.measured = benchmark.get("measured", benchmark.get("real_time", 0) * SECONDS[benchmark.get("time_unit", "ns")])
        self.limit = benchmark.get("limit")
        self.ratio = benchmark.get("ratio")
        self.required = benchmark.get("at_least" if self.at_least else "at_most")

    @property
    def is_kept(self):
        if self.error is not None:
            return False
        if not self.is_promise:
            return True
        return self.ratio >= self.required if self.at_least else self.ratio <= self.required

    def cells(self):
        if self.error is not None:
            return [self.name, self.error, "", "", "", "FAILED"]
        if not self.is_promise:
            return [self.name, amount(self.measured, self.unit), "", "", "", ""]
        return [self.name, amount(self.measured, self.unit), amount(self.limit, self.unit), f"{self.ratio:.2f}",
                f"{'>=' if self.at_least else '<='} {self.required:g}", "ok" if self.is_kept else "MISSED"]

    def record(self):
        keys = "name source unit measured limit ratio required at_least error".split()
        return {**{key: getattr(self, key) for key in keys}, "kept": self.is_kept}


def show(rows):
    lines = [["promise", "measured", "limit", "ratio", "required", ""]]
    lines += [row.cells() for row in rows if row.is_promise or row.error is not None]
    lines += [row.cells() for row in rows if not row.is_promise and row.error is None]
    widths = [max(len(line[column]) for line in lines) for column in range(6)]
    for line in lines:
        cells = [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:5], widths[1:5])), line[5]]
        print("  ".join(cells).rstrip())


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--json", type=pathlib.Path, metavar="FILE")
    arguments.add_argument("results", type=pathlib.Path, nargs="+")
    options = arguments.parse_args()
    raw = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in options.results}
    rows = [Row(source, benchmark) for source, result in raw.items() for benchmark in result["benchmarks"]]
    show(rows)
    missed = [row for row in rows if not row.is_kept]
    kept = sum(row.is_promise and row.is_kept for row in rows)
    print(f"\n{kept} promises kept, {len(missed)} missed")
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        document = {"promises": [row.record() for row in rows if row.is_promise or row.error is not None], "raw": raw}
        options.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
