"""loupe.hpp is every header without third parties, src.hpp every body; both are written by check.py --write."""
from layers import MAY_INCLUDE


def by_layer(tree, names):
    folders = list(MAY_INCLUDE)
    key = lambda name: (folders.index(f) if (f := tree.headers[name].folder) in folders else len(folders), name)
    return sorted(names, key=key)


def expected(tree):
    """{path: text} of the two umbrellas."""
    core = by_layer(tree, tree.core())
    lines = lambda suffix: "".join(f'#include "{name}"\n' for name in core if name.endswith(suffix))
    return {
        "include/loupe/loupe.hpp":
            "#pragma once\n/// @file\n/// All of loupe that needs the standard library only. "
            "Written by tests/house/check.py --write.\n\n" + lines(".hpp"),
        "include/loupe/src.hpp":
            "#pragma once\n/// @file\n/// Every function body, for programs built with `LOUPE_SEPARATE_COMPILATION`: "
            "one unit includes this file.\n/// Written by tests/house/check.py --write.\n\n"
            "#ifndef LOUPE_SEPARATE_COMPILATION\n"
            '#error "loupe/src.hpp is for LOUPE_SEPARATE_COMPILATION: otherwise the headers suffice"\n'
            "#endif\n\n" + lines(".ipp"),
    }


def write(tree):
    for path, text in expected(tree).items():
        (tree.root / path).write_text(text, encoding="utf-8")


def violations(tree):
    for path, text in expected(tree).items():
        file = tree.root / path
        present = file.read_text(encoding="utf-8") if file.exists() else ""
        if present != text:
            differing = sorted(set(present.splitlines()) ^ set(text.splitlines()))
            yield f"{path}: run tests/house/check.py --write ({', '.join(differing) or 'order'})"
