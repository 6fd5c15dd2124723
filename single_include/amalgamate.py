#!/usr/bin/env python3
"""Joins the headers that need the standard library only into single_include/loupe/loupe.hpp and probe.hpp.

    amalgamate.py            writes both files
    amalgamate.py --check    exit status 1 if they are not up to date

The output depends on the headers alone. Each file keeps a guard of its own, so both single headers may be included
in one unit. Adapters of third-party libraries are not joined: they need include/.
"""
import argparse
import difflib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENTRIES = ["loupe/loupe.hpp", "loupe/probe.hpp"]

OWN = re.compile(r'#\s*include\s*"(loupe/[^"]+)"')
FOREIGN = re.compile(r"#\s*include\s*(<[^>]+>)")
# A single header has its bodies inside, so the switch around a body's include goes away.
BODY = re.compile(r'#ifndef LOUPE_SEPARATE_COMPILATION\n((?:#include "loupe/[^"]+\.ipp"\n)+)#endif\n')

HEAD = """\
// loupe {version}: {entry} with everything it includes, in one file.
// SPDX-License-Identifier: Apache-2.0
// Written by single_include/amalgamate.py from include/loupe: change the headers there.
#pragma once

#if defined(LOUPE_SEPARATE_COMPILATION)
#error "the single header has its bodies inside: build with include/ for LOUPE_SEPARATE_COMPILATION"
#endif

{foreign}
"""


class Amalgamation:
    def __init__(self, include):
        self.include = include
        self.done = set()
        self.foreign = set()
        self.lines = []

    def add(self, name):
        if not (self.include / name).exists():
            raise SystemExit(f"amalgamate.py: there is no {name}")
        self.done.add(name)
        guard = "LOUPE_SINGLE_" + re.sub(r"\W", "_", name.removeprefix("loupe/")).upper()
        text = BODY.sub(r"\1", (self.include / name).read_text(encoding="utf-8"))
        self.lines += [f"// ---- {name}", f"#ifndef {guard}", f"#define {guard}"]
        depth = 0
        for line in text.splitlines():
            code = line.strip()
            if re.match(r"#\s*if", code):
                depth += 1
            elif re.match(r"#\s*endif", code):
                depth -= 1
            if own := OWN.match(code):
                if own[1] not in self.done:
                    if depth and own[1].endswith(".hpp"):
                        raise SystemExit(f"{name}: a single header can't follow the condition around {own[1]}")
                    self.add(own[1])
            elif (foreign := FOREIGN.match(code)) and depth == 0:
                self.foreign.add(foreign[1])
            elif code != "#pragma once":
                self.lines.append(line)
        self.lines.append(f"#endif  // {guard}")


def version(include):
    config = (include / "loupe/base/config.hpp").read_text(encoding="utf-8")
    return ".".join(re.search(rf"define LOUPE_VERSION_{part} (\d+)", config)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def amalgamate(root, entry):
    """The text of one single header."""
    joined = Amalgamation(root / "include")
    joined.add(entry)
    foreign = "\n".join(f"#include {name}" for name in sorted(joined.foreign))
    text = HEAD.format(version=version(root / "include"), entry=entry, foreign=foreign) + "\n".join(joined.lines) + "\n"
    return re.sub(r"\n{3,}", "\n\n", text)


def outdated(root):
    """(path, present text, wanted text) of each file that isn't up to date."""
    for entry in (e for e in ENTRIES if (root / "include" / e).exists()):
        path = root / "single_include" / entry
        present = path.read_text(encoding="utf-8") if path.exists() else ""
        wanted = amalgamate(root, entry)
        if present != wanted:
            yield path, present, wanted


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--check", action="store_true")
    options = arguments.parse_args()
    status = 0
    for path, present, wanted in outdated(ROOT):
        if options.check:
            status = 1
            sys.stdout.writelines(list(difflib.unified_diff(
                present.splitlines(True), wanted.splitlines(True), str(path), "wanted"))[:40])
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted, encoding="utf-8", newline="\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
