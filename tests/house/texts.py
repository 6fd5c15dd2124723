"""Files stay short, and say what is, not what is to come."""
import re

LINES = 400
FORBIDDEN = re.compile(r"\b(TODO|FIXME|XXX|HACK|for now|work in progress|coming soon|not yet implemented)\b")
MACROS = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(?!LOUPE_)(\w+)", re.MULTILINE)


def violations(tree):
    for path in tree.sources("include", "tests", "examples", "benchmarks", "single_include"):
        where = path.relative_to(tree.root).as_posix()
        if where in ("single_include/loupe/loupe.hpp", "single_include/loupe/probe.hpp", "tests/house/texts.py"):
            continue
        text = path.read_text(encoding="utf-8")
        if text.count("\n") > LINES:
            yield f"{where}: {text.count(chr(10))} lines, more than {LINES}: one concept a file"
        for number, line in enumerate(text.splitlines(), 1):
            if found := FORBIDDEN.search(line):
                yield f"{where}:{number}: '{found.group()}'"
    for path in tree.sources(".", suffixes=(".md",)):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if found := FORBIDDEN.search(line):
                yield f"{path.relative_to(tree.root)}:{number}: '{found.group()}'"
    for header in tree.headers.values():
        if not header.text.startswith("#pragma once\n") and header.name.endswith(".hpp"):
            yield f"{header.name}: the first line must be #pragma once"
        for macro in MACROS.findall(header.text):
            yield f"{header.name}: macro {macro} lacks the prefix LOUPE_"
