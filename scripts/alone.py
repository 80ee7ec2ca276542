#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows that each source includes what it uses: reads it with the compiler, alone (-fsyntax-only), as the folder BUILD
would compile it. Our builds compile the sources of a library together, and tests with headers that were read before.

usage: alone.py [--build build/tidy] [--jobs N] [--limit SECONDS] [--since COMMIT] [--share N] [FILE...]

Prints what fails and a closing line `N passed, N failed`; exit code 1 when a file fails. --since and --share choose among
the files as tidy.py does; --limit begins none after that time. Which come first changes from day to day.
"""
import argparse
import concurrent.futures
import os
import pathlib
import shlex
import subprocess
import sys
import time
import zlib

import tidy


def read(entry: dict, deadline: float) -> tuple[str, int | None, str]:
    """The file, the compiler's status and what it said; no status, where the time is over."""
    if time.monotonic() > deadline:
        return entry["file"], None, ""
    words = entry.get("arguments") or shlex.split(entry["command"])
    compiler = next(word for word in words if not word.endswith("ccache"))
    command = [compiler, *tidy.flags_of(entry), "-O0", "-fsyntax-only", "-U_FORTIFY_SOURCE", entry["file"]]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=entry["directory"])
    return entry["file"], done.returncode, done.stderr


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", default=str(tidy.ROOT / "build/tidy"), type=pathlib.Path)
    parser.add_argument("--jobs", default=os.cpu_count() or 1, type=int)
    parser.add_argument("--limit", type=float, default=float("inf"), metavar="SECONDS", help="begin nothing after this")
    tidy.add_choice(parser)
    parser.add_argument("files", nargs="*", help="only these, as paths from the top")
    arguments = parser.parse_args()
    named = set(arguments.files)
    found = {entry["file"]: entry for entry in tidy.entries(arguments.build.resolve())
             if tidy.wanted(entry, True, named)}
    includes = tidy.Includes()
    chosen = tidy.choice({path: includes.of(path) for path in found}, arguments.since, arguments.share, tidy.today())
    order = sorted(chosen, key=lambda path: zlib.crc32(f"{tidy.today()} {os.path.relpath(path, tidy.ROOT)}".encode()))
    deadline = time.monotonic() + arguments.limit
    failed = left = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for path, status, output in pool.map(lambda path: read(found[path], deadline), order):
            left += status is None
            if status:
                failed += 1
                print(f"FAIL {os.path.relpath(path, tidy.ROOT)}\n{output}", flush=True)
    if len(found) > len(chosen):
        print(f"{len(found) - len(chosen)} files were not chosen: they have not changed, and are another day's share")
    if left:
        print(f"{left} files were left: {arguments.limit:.0f} s had gone by")
    print(f"{len(chosen) - failed - left} passed, {failed} failed")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main())
