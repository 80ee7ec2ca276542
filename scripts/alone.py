#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows that each source includes what it uses: reads it with the compiler, alone (-fsyntax-only), as the folder BUILD
would compile it. Our builds compile the sources of a library together, and tests with headers that were read before.

usage: alone.py [--build build/tidy] [--jobs N] [--since COMMIT] [--share N] [FILE...]

Prints what fails and a closing line `N passed, N failed`; exit code 1 when a file fails. --since and --share choose among
the files as tidy.py does.
"""
import argparse
import concurrent.futures
import os
import pathlib
import shlex
import subprocess
import sys

import tidy


def read(entry: dict) -> tuple[str, int, str]:
    words = entry.get("arguments") or shlex.split(entry["command"])
    compiler = next(word for word in words if not word.endswith("ccache"))
    command = [compiler, *tidy.flags_of(entry), "-O0", "-fsyntax-only", "-U_FORTIFY_SOURCE", entry["file"]]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=entry["directory"])
    return entry["file"], done.returncode, done.stderr


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", default=str(tidy.ROOT / "build/tidy"), type=pathlib.Path)
    parser.add_argument("--jobs", default=os.cpu_count() or 1, type=int)
    tidy.add_choice(parser)
    parser.add_argument("files", nargs="*", help="only these, as paths from the top")
    arguments = parser.parse_args()
    named = set(arguments.files)
    found = {entry["file"]: entry for entry in tidy.entries(arguments.build.resolve())
             if tidy.wanted(entry, True, named)}
    includes = tidy.Includes()
    chosen = tidy.choice({path: includes.of(path) for path in found}, arguments.since, arguments.share, tidy.today())
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for path, status, output in pool.map(read, (found[path] for path in sorted(chosen))):
            if status:
                failed += 1
                print(f"FAIL {os.path.relpath(path, tidy.ROOT)}\n{output}", flush=True)
    if len(found) > len(chosen):
        print(f"{len(found) - len(chosen)} files were not chosen: they have not changed, and are another day's share")
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main())
