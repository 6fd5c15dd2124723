"""Tests mirror the headers: loupe/base/shape.hpp has tests/base/shape_test.cpp, whose first include it is."""
from tree import INCLUDE, code_of

# Headers without a test of their own, and why.
EXCEPT = {
    "loupe/base/config.hpp": "tests/abi",
    "loupe/base/element_type_of.hpp": "the light half of element_type.hpp",
    "loupe/base/exceptions.hpp": "error_policy_test: each kind of error is thrown as a type of its own",
    "loupe/capture/configuration.hpp": "hook_test: a configuration is what a hook makes of it",
    "loupe/capture/idle_recorder.hpp": "hook_test: a hook that stands aside",
    "loupe/capture/quirks.hpp": "tests/conformance: smdebug's own answers",
    "loupe/capture/recorder.hpp": "an interface; hook_test",
    "loupe/capture/recorder_factory.hpp": "hook_test",
    "loupe/capture/recorder_parts.hpp": "hook_test",
    "loupe/reduce/number_reader.hpp": "numpy_definitions_test",
    "loupe/reduce/pairwise_sum.hpp": "numpy_definitions_test",
    "loupe/reduce/partial_values.hpp": "fused_test",
    "loupe/reduce/spectral_norm.hpp": "numpy_definitions_test",
    "loupe/select/pattern_compiler.hpp": "the light half of any_pattern.hpp",
    "loupe/reduce/contraction.hpp": "two macros; dispatch_test compares the instruction sets",
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
