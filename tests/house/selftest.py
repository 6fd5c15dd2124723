#!/usr/bin/env python3
"""Plants one fault for each rule in a small tree, and expects the check to name it."""
import importlib
import pathlib
import sys
import tempfile

from tree import Tree

SOUND = {
    "include/loupe/probe.hpp": '#pragma once\n#include "loupe/capture/hook_ref.hpp"\n',
    "include/loupe/hook.hpp": '#pragma once\n#include "loupe/capture/hook_ref.hpp"\n',
    "include/loupe/base/config.hpp": "#pragma once\n#include <version>\n",
    "include/loupe/base/shape.hpp": '#pragma once\n#include "loupe/base/config.hpp"\n#include "loupe/base/shape.ipp"\n',
    "include/loupe/base/shape.ipp": '#include "loupe/base/shape.hpp"\n',
    "include/loupe/capture/hook_ref.hpp": '#pragma once\n#include "loupe/base/shape.hpp"\n',
    "include/loupe/select/plan.hpp": "#pragma once\n",
    "include/loupe/frameworks/eigen.hpp": "#pragma once\n#include <Eigen/Dense>\n",
    "tests/base/shape_test.cpp": '#include "loupe/base/shape.hpp"\n',
    "tests/capture/hook_ref_test.cpp": '#include "loupe/capture/hook_ref.hpp"\n',
    "tests/select/plan_test.cpp": '#include "loupe/select/plan.hpp"\n',
    "tests/frameworks/eigen_test.cpp": '#include "loupe/frameworks/eigen.hpp"\n',
}
# check: [(file, its text instead, what the check must say)]
FAULTS = {
    "layers": [
        ("include/loupe/base/shape.hpp", '#pragma once\n#include "loupe/capture/hook_ref.hpp"\n',
         "loupe/base/shape.hpp: base/ may not include loupe/capture/hook_ref.hpp"),
        ("include/loupe/base/shape.hpp", '#pragma once\n#include "config.hpp"\n', 'not "config.hpp"'),
        ("include/loupe/attic/old.hpp", "#pragma once\n", "the folder attic stands in no layer"),
    ],
    "umbrella": [
        ("include/loupe/loupe.hpp", "#pragma once\n", '#include "loupe/base/shape.hpp"'),
        ("include/loupe/src.hpp", "#pragma once\n", '#include "loupe/base/shape.ipp"'),
    ],
    "names": [
        ("include/loupe/trial/shape.hpp", "#pragma once\n", "share a base name"),
        ("include/loupe/base/Text.hpp", "#pragma once\n", "snake_case"),
        ("include/loupe/base/text.ipp", "", "no header declares its bodies"),
    ],
    "mirror": [
        ("include/loupe/base/text.hpp", "#pragma once\n", "no tests/base/text_test.cpp"),
        ("tests/base/shape_test.cpp", "#include <vector>\n", "the first include must be loupe/base/shape.hpp"),
    ],
    "texts": [
        ("include/loupe/base/shape.ipp", "//\n" * 401, "401 lines"),
        ("include/loupe/base/shape.ipp", "// TO" + "DO\n", "shape.ipp:1"),
        ("include/loupe/base/shape.hpp", "#pragma once\n#define SHAPE\n", "macro SHAPE lacks the prefix"),
        ("include/loupe/base/shape.hpp", "// Shapes.\n#pragma once\n", "first line"),
    ],
    "budgets": [
        ("include/loupe/base/shape.hpp", "#pragma once\n#include <memory>\n", "pulls in <memory> in c++20"),
        ("include/loupe/capture/hook_ref.hpp", "#pragma once\n" + "int x();\n" * 6000, "the budget is 6000"),
        ("include/loupe/capture/hook_ref.hpp", "#pragma once\n#include <iostream>\n", "includes <iostream>"),
        ("include/loupe/hook.hpp", '#pragma once\n#include "loupe/select/plan.hpp"\n',
         "pulls in loupe/select/plan.hpp"),
    ],
}


def found_in(files, check):
    """What a check says of a tree of these files, the umbrellas being written first."""
    umbrella = importlib.import_module("umbrella")
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = pathlib.Path(root) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for name, text in umbrella.expected(Tree(root)).items():
            if name not in files:
                (pathlib.Path(root) / name).write_text(text, encoding="utf-8")
        return list(importlib.import_module(check).violations(Tree(root)))


def main():
    failures = []
    for check, faults in FAULTS.items():
        if said := found_in(SOUND, check):
            failures.append(f"{check} finds fault with a sound tree: {said}")
        for file, text, message in faults:
            said = found_in({**SOUND, file: text}, check)
            if not any(message in line for line in said):
                failures.append(f"{check} does not say '{message}' of a faulty {file}, but {said}")
    for failure in failures:
        print(failure)
    print(f"{sum(map(len, FAULTS.values()))} planted faults, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
