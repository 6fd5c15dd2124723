#!/usr/bin/env python3
"""Holds the tree to its own rules.

    check.py [--write] [--root DIR] [CHECK ...]

Without names all checks run. --write first brings the umbrella headers and the single header up to date.
Exit status 1 if any rule is broken.
"""
import argparse
import importlib
import pathlib
import sys

from tree import Tree

CHECKS = ["layers", "umbrella", "names", "mirror", "texts", "budgets", "amalgamation"]


def main():
    here = pathlib.Path(__file__).resolve().parent
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--write", action="store_true")
    arguments.add_argument("--root", default=here.parent.parent)
    arguments.add_argument("checks", nargs="*", default=CHECKS)
    options = arguments.parse_args()
    broken = 0
    if options.write:
        for name in ("umbrella", "amalgamation"):
            importlib.import_module(name).write(Tree(options.root))
    tree = Tree(options.root)
    for name in options.checks:
        check = importlib.import_module(name)
        found = sorted(set(check.violations(tree)))
        broken += len(found)
        print(f"{'FAILED' if found else 'ok    '} {name}: {check.__doc__.splitlines()[0]}")
        for line in found:
            print(f"    {line}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
