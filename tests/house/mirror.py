"""Tests mirror the headers: loupe/base/shape.hpp has tests/base/shape_test.cpp, whose first include it is."""
from tree import INCLUDE, code_of

# Headers without a test of their own, and why.
EXCEPT = {
    "loupe/base/config.hpp": "tests/abi",
}


def violations(tree):
    for name in tree.headers:
        if not name.endswith(".hpp") or name.endswith("/fwd.hpp") or name in EXCEPT:
            continue
        if not tree.headers[name].folder:  # entry headers only include; odr.cpp uses them
            continue
        test = tree.root / "tests" / (name.removeprefix("loupe/").removesuffix(".hpp") + "_test.cpp")
        if not test.exists():
            yield f"{name}: no {test.relative_to(tree.root)}"
            continue
        includes = INCLUDE.findall(code_of(test.read_text(encoding="utf-8")))
        if not includes or includes[0][1] != name:
            yield f"{test.relative_to(tree.root)}: the first include must be {name}"
    for name in EXCEPT:
        if name not in tree.headers:
            yield f"tests/house/mirror.py: there is no {name}"
