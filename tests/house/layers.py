"""Folders are layers: an include goes to its own folder or to one above it, never downward, never sideways."""

# folder: what it may include besides itself. The umbrellas in include/loupe itself are checked by umbrella.py.
BASE = ["base"]
SERVICES = [*BASE, "wire", "reduce", "storage", "ranks"]
CHOICES = [*SERVICES, "select", "format"]
ENDS = [*CHOICES, "capture", "trial"]
TOOLS = [*ENDS, "rules", "checkpoint", "profile", "exchange", "frameworks", "net"]
MAY_INCLUDE = {
    "base": [],
    "wire": BASE,
    "reduce": BASE,
    "storage": BASE,
    "ranks": BASE,
    "select": SERVICES,
    "format": [*SERVICES, "select"],
    "capture": CHOICES,
    "trial": CHOICES,
    "rules": ENDS,
    "exchange": ENDS,
    "checkpoint": [*ENDS, "exchange"],
    "profile": [*ENDS, "rules"],
    "frameworks": ENDS,
    "net": [*ENDS, "exchange", "rules"],
    "sagemaker": TOOLS,
    "report": TOOLS,
    "cli": [*TOOLS, "sagemaker", "report"],
}


def violations(tree):
    for header in tree.headers.values():
        for other in header.own:
            if not other.startswith("loupe/"):
                yield f'{header.name}: write "loupe/folder/file.hpp", not "{other}"'
            elif other not in tree.headers:
                yield f"{header.name}: there is no {other}"
        if not header.folder:
            continue
        if header.folder not in MAY_INCLUDE:
            yield f"{header.name}: the folder {header.folder} stands in no layer"
            continue
        allowed = {header.folder, *MAY_INCLUDE[header.folder]}
        for other in header.own:
            if other in tree.headers and tree.headers[other].folder not in allowed:
                yield f"{header.name}: {header.folder}/ may not include {other}"
