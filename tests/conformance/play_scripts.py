#!/usr/bin/env python3
"""Plays the scripts of a folder and holds what the reader sees against what each script expects.

    play_scripts.py --player CMD --reader CMD SCRIPT_DIR

A script is a hook script (tests/data/fixtures/README.md) with one more member, "expect": a part of the document that
the reader must print. Of an object only the members that "expect" names are looked at, a list must be the same
throughout. Where smdebug's answer was not recorded, that answer was worked out from semantics.md; "about" says why.
Exit status 0 if all agree.
"""
import argparse
import json
import math
import pathlib
import shlex
import subprocess
import sys
import tempfile


def differences(path, expected, got):
    """Lines that say where the document is not as expected."""
    if isinstance(expected, dict):
        if not isinstance(got, dict):
            yield f"{path}: expected an object, got {json.dumps(got)[:200]}"
            return
        for key, value in expected.items():
            if key not in got:
                yield f"{path}.{key}: absent"
            else:
                yield from differences(f"{path}.{key}", value, got[key])
    elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        for number, (one, other) in enumerate(zip(expected, got)):
            yield from differences(f"{path}[{number}]", one, other)
    elif isinstance(expected, float) and isinstance(got, (int, float)) and not isinstance(got, bool):
        if not math.isclose(expected, got, rel_tol=1e-5, abs_tol=1e-9):
            yield f"{path}: expected {expected}, got {got}"
    elif expected != got:
        yield f"{path}: expected {json.dumps(expected)[:600]}, got {json.dumps(got)[:600]}"


def play(script, player, reader):
    """What is wrong with a script's trial; nothing if all is well."""
    with tempfile.TemporaryDirectory(prefix="loupe_script_") as folder:
        trial = pathlib.Path(folder) / "trial"
        played = subprocess.run([*player, script, trial], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                timeout=60)
        if played.returncode:
            return [f"the player failed: {played.stdout}"]
        read = subprocess.run([*reader, trial], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60,
                              env={"SMDEBUG_TRAINING_END_DELAY_REFRESH": "0", "SMDEBUG_MISSING_EVENT_FILE_RETRY_LIMIT": "0"})
        if read.returncode:
            return [f"the reader failed: {read.stderr}"]
        return list(differences("document", json.loads(script.read_text(encoding="utf-8"))["expect"], json.loads(read.stdout)))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--player", required=True, type=shlex.split)
    arguments.add_argument("--reader", required=True, type=shlex.split)
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--only", nargs="*")
    options = arguments.parse_args()
    failed = 0
    scripts = sorted(options.folder.glob("*.json"))
    for script in scripts:
        if options.only and script.stem not in options.only:
            continue
        wrong = play(script, options.player, options.reader)
        failed += bool(wrong)
        print(f"{'FAILED' if wrong else 'ok    '} {script.stem}")
        for line in wrong:
            print(f"    {line}")
    print(f"{len(scripts) - failed} passed, {failed} failed")
    return 1 if failed or not scripts else 0


if __name__ == "__main__":
    sys.exit(main())
