"""A file is named after its concept: unique base names, so that messages and the single header are unambiguous."""
import collections
import re

# Every folder has its declarations and, where it has one, its concept; an adapter is named after its library.
SHARED = {"fwd", "concept", "xtensor"}


def violations(tree):
    places = collections.defaultdict(list)
    for name in tree.headers:
        base, suffix = name.rsplit("/", 1)[1].rsplit(".", 1)
        if tree.headers[name].folder:  # the entry headers, in include/loupe itself, are named after what they open
            places[(base, suffix)].append(name)
        if not re.fullmatch(r"[a-z0-9_]+", base):
            yield f"{name}: file names are snake_case"
        owners = [h[:-4] for h in tree.headers if h.endswith(".hpp")]
        if suffix == "ipp" and not any(f"{name[:-4]}_".startswith(f"{owner}_") for owner in owners):
            yield f"{name}: no header declares its bodies: name it after one, or with more words behind the header's"
    for (base, suffix), names in places.items():
        if len(names) > 1 and base not in SHARED:
            yield f"{' and '.join(names)} share a base name: rename all but one after what each is"
