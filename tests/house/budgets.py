"""What an include costs, in preprocessed lines: seconds are noise. And what the light entry headers must not pull in."""
import os
import re
import subprocess

# Preprocessed lines that a header may cost.
BUDGETS = {
    "loupe/probe.hpp": 14000,
    "loupe/capture/hook.hpp": 31000,
}
HEAVY = "memory functional chrono atomic mutex thread string iostream filesystem regex".split()
# Nobody includes these, but for a pattern engine and the bodies behind it.
NEVER = {
    "regex": re.compile(r"^loupe/select/.*\.ipp$|^loupe/select/\w*regex\w*\.hpp$"),
    "iostream": re.compile(r"(?!)"),
}


def preprocessed(tree, header, standard):
    command = [*os.environ.get("CXX", "g++").split(), f"-std={standard}", "-E", "-x", "c++", "-I",
               str(tree.root / "include"), "-"]
    done = subprocess.run(command, input=f'#include "{header}"\n', capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(next((line for line in done.stderr.splitlines() if "error:" in line), done.stderr))
    return done.stdout


def violations(tree):
    for name in sorted(BUDGETS.keys() & tree.headers.keys()):
        for standard in ("c++20", "c++23"):
            try:
                text = preprocessed(tree, name, standard)
            except RuntimeError as error:
                yield f"{name} in {standard}: {error}"
                continue
            lines = text.count("\n")
            if lines > BUDGETS[name]:
                yield f"{name}: {lines} preprocessed lines in {standard}, the budget is {BUDGETS[name]}"
            pulled = set(re.findall(r'^# 1 "[^"]*/c\+\+/\d+/(\w+)"', text, re.MULTILINE))
            for heavy in pulled & set(HEAVY):
                yield f"{name}: pulls in <{heavy}> in {standard}"
    for header in tree.headers.values():
        for never, exempt in NEVER.items():
            if never in header.foreign and not exempt.match(header.name):
                yield f"{header.name}: includes <{never}>"
