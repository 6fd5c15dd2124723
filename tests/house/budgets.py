"""What an include costs, in preprocessed lines: seconds are noise. And what the light entry headers must not pull in."""
import os
import re
import subprocess

APART = "-DLOUPE_SEPARATE_COMPILATION"
# Header, options, and the preprocessed lines that it may cost with them.
BUDGETS = [
    ("loupe/probe.hpp", [], 6000),
    ("loupe/capture/hook.hpp", [], 30500),
    ("loupe/hook.hpp", [APART], 39000),
]
HEAVY = ("memory functional chrono atomic mutex condition_variable thread string iostream filesystem regex algorithm "
         "cmath map").split()
# Nor may these come in where bodies are compiled apart: what is behind the hook is out of its users' sight.
HIDDEN = ["loupe/capture/step_recorder.hpp", "loupe/select/plan.hpp", "loupe/reduce/kernel.hpp",
          "loupe/reduce/dispatch.hpp"]
# Nobody includes these, but for a pattern engine and the bodies behind it.
NEVER = {
    "regex": re.compile(r"^loupe/select/.*\.ipp$|^loupe/select/\w*regex\w*\.hpp$"),
    "iostream": re.compile(r"(?!)"),
}


def preprocessed(tree, header, standard, options):
    command = [*os.environ.get("CXX", "g++").split(), f"-std={standard}", *options, "-E", "-x", "c++", "-I",
               str(tree.root / "include"), "-"]
    done = subprocess.run(command, input=f'#include "{header}"\n', capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(next((line for line in done.stderr.splitlines() if "error:" in line), done.stderr))
    return done.stdout


def violations(tree):
    for name, options, budget in BUDGETS:
        if name not in tree.headers:
            continue
        for standard in ("c++20", "c++23"):
            try:
                text = preprocessed(tree, name, standard, options)
            except RuntimeError as error:
                yield f"{name} in {standard}: {error}"
                continue
            lines = text.count("\n")
            if lines > budget:
                yield f"{name}: {lines} preprocessed lines in {standard}, the budget is {budget}"
            pulled = set(re.findall(r'^# 1 "[^"]*/c\+\+/\d+/(\w+)"', text, re.MULTILINE))
            for heavy in pulled & set(HEAVY):
                yield f"{name}: pulls in <{heavy}> in {standard}"
            for hidden in HIDDEN if APART in options else []:
                if f'/{hidden}"' in text:
                    yield f"{name}: pulls in {hidden} where bodies are compiled apart"
    for header in tree.headers.values():
        for never, exempt in NEVER.items():
            if never in header.foreign and not exempt.match(header.name):
                yield f"{header.name}: includes <{never}>"
