#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy over the product's C++ sources, and over a file again only when it, something
it includes, its compile command or .clang-tidy has changed.

usage: tidy.py [--build build/host] [--jobs N] [--all] [FILE...]

Prints a line per file that was read and a closing line `N passed, N failed`; exit code 1 when a
file fails. Tests are left out unless --all is given or they are named.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def ninja_dependencies(build: pathlib.Path) -> dict[str, list[str]]:
    """What each object was made from, as the last build saw it."""
    text = subprocess.run(
        ["ninja", "-C", str(build), "-t", "deps"], capture_output=True, text=True, check=False
    ).stdout
    found: dict[str, list[str]] = {}
    target = None
    for line in text.splitlines():
        if line.startswith("    ") and target:
            found[target].append(os.path.join(build, line.strip()))
        elif ": #deps" in line:
            target = line.split(": #deps")[0]
            found[target] = []
    return found


class Digests:
    """Digests of files, each file read once."""

    def __init__(self) -> None:
        self.known: dict[str, bytes] = {}

    def of(self, path: str) -> bytes:
        if path not in self.known:
            try:
                self.known[path] = hashlib.sha256(pathlib.Path(path).read_bytes()).digest()
            except OSError:
                self.known[path] = b"missing"
        return self.known[path]


def entries(build: pathlib.Path) -> list[dict]:
    path = build / "compile_commands.json"
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError) as error:
        sys.exit(f"tidy.py: {path}: {error}; cmake --preset host writes it")


def wanted(entry: dict, everything: bool, named: set[str]) -> bool:
    path = pathlib.Path(entry["file"])
    if path.suffix != ".cpp" or not path.is_relative_to(ROOT):
        return False
    relative = path.relative_to(ROOT)
    if named:
        return str(relative) in named
    if relative.parts[0] in ("build", ".deps"):
        return False
    return everything or relative.parts[0] != "tests"


def tidy(build: pathlib.Path, path: str) -> tuple[int, str, float]:
    begin = time.monotonic()
    command = ["clang-tidy", "--quiet", "-p", str(build), "--warnings-as-errors=*",
               "--extra-arg=-Wno-unknown-warning-option", path]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    output = done.stdout.strip()
    if done.returncode != 0 and not output:
        output = done.stderr.strip()
    return done.returncode, output, time.monotonic() - begin


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", default=str(ROOT / "build/host"), type=pathlib.Path)
    parser.add_argument("--jobs", default=os.cpu_count() or 1, type=int)
    parser.add_argument("--all", action="store_true", help="the tests too")
    parser.add_argument("files", nargs="*", help="only these, as paths from the top")
    arguments = parser.parse_args()
    build = arguments.build.resolve()

    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    cache = ROOT / "build/tidy-cache"
    cache.mkdir(parents=True, exist_ok=True)
    dependencies = ninja_dependencies(build)
    digests = Digests()

    work: dict[str, pathlib.Path] = {}
    known = 0
    for entry in entries(build):
        if not wanted(entry, arguments.all, set(arguments.files)) or entry["file"] in work:
            continue
        path = entry["file"]
        words = entry.get("arguments") or shlex.split(entry["command"])
        key = hashlib.sha256(version + digests.of(str(ROOT / ".clang-tidy")) + "\0".join(words).encode())
        output = entry.get("output") or (words[words.index("-o") + 1] if "-o" in words else "")
        made_from = dependencies.get(output)
        for used in [path, *(made_from or [])]:
            key.update(used.encode() + digests.of(used))
        stamp = cache / key.hexdigest()
        if made_from and stamp.exists():
            known += 1
            stamp.touch()
        else:
            work[path] = stamp

    failed = done = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        running = {pool.submit(tidy, build, path): path for path in work}
        for future in concurrent.futures.as_completed(running):
            path = running[future]
            status, output, seconds = future.result()
            done += 1
            name = os.path.relpath(path, ROOT)
            print(f"({done}/{len(work)}) {'FAIL' if status else 'ok  '} {name} ({seconds:.1f} s)", flush=True)
            if status:
                failed += 1
                print(output, flush=True)
            else:
                work[path].touch()
    for stamp in cache.iterdir():  # what no longer matches anything
        if time.time() - stamp.stat().st_mtime > 30 * 86400:
            stamp.unlink()
    if known:
        print(f"{known} files have not changed since they passed")
    print(f"{known + len(work) - failed} passed, {failed} failed")
    return 1 if failed or known + len(work) == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
