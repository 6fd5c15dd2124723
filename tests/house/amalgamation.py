"""The committed single headers are what single_include/amalgamate.py makes of the headers."""
import importlib.util
import pathlib


def amalgamate():
    path = pathlib.Path(__file__).resolve().parents[2] / "single_include/amalgamate.py"
    spec = importlib.util.spec_from_file_location("amalgamate", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write(tree):
    for path, _, wanted in amalgamate().outdated(tree.root):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted, encoding="utf-8", newline="\n")


def violations(tree):
    try:
        for path, _, _ in amalgamate().outdated(tree.root):
            yield f"{path.relative_to(tree.root)}: run tests/house/check.py --write"
    except SystemExit as refusal:
        yield str(refusal)
