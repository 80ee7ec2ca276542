#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy over the product's C++ sources, and over a file again only when it, something
it includes, its compile command or .clang-tidy has changed.

Files that are compiled alike are read several at a time, as one source that includes them: most of
clang-tidy's time goes into headers, and they are then read once. Where they do not compile together,
they are read in two parts, and so on down to the single file. A file with findings is read again
alone, and that decides: with its neighbours' sources in view the analyzer follows other paths, and
which neighbours a file has depends on what is new. Where more than three have them, the finding is
in a header: then one is read again for all.

usage: tidy.py [--build build/tidy] [--jobs N] [--batch N] [--limit SECONDS] [--since COMMIT] [--share N] [--all] [FILE...]

Prints a line for what was read and a closing line `N passed, N failed`; exit code 1 when a
file fails. Tests are left out unless --all is given or they are named. With --limit nothing is
begun after so many seconds but what had findings, towards the end fewer files are read at a time, the product is read
before the tools, and a line says how many files were left. With --since only what changed since that commit is read, and
with --share one in N of the rest, another one each day. Where nothing has been built, what a file includes is read out
of it.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = r"(hal|drivers|gpu|firmware|tools)/.*\.[ch]pp$"  # .clang-tidy's HeaderFilterRegex, and sources


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


class Includes:
    """The headers of ours that a file includes, each file read once: for a folder where nothing was built."""

    LINE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)

    def __init__(self) -> None:
        self.known: dict[str, list[str]] = {}

    def direct(self, path: str) -> list[str]:
        if path not in self.known:
            names = self.LINE.findall(pathlib.Path(path).read_text(errors="replace"))
            self.known[path] = [str(ROOT / name) for name in names if (ROOT / name).is_file()]
        return self.known[path]

    def of(self, path: str) -> set[str]:
        found: set[str] = set()
        ahead = [path]
        while ahead:
            new = [header for header in self.direct(ahead.pop()) if header not in found]
            found.update(new)
            ahead += new
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


def ours(path: str) -> bool:
    inside = pathlib.Path(path)
    return inside.is_relative_to(ROOT) and inside.relative_to(ROOT).parts[0] not in ("build", ".deps")


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


def flags_of(entry: dict) -> list[str]:
    """How the file is compiled, less what names it, its object and a compiler's precompiled header."""
    words = entry.get("arguments") or shlex.split(entry["command"])
    first = next(i for i, word in enumerate(words) if word.startswith("-"))
    flags: list[str] = []
    rest = iter(words[first:])
    for word in rest:
        if word in ("-o", "-c", "-MF", "-MT", "-MQ"):
            next(rest, None)
        elif word == "-include":
            header = next(rest, "")
            if "cmake_pch" not in header:
                flags += [word, header]
        elif word not in ("-MD", "-MMD", "-Winvalid-pch"):
            flags.append(word)
    return flags


def changed_since(commit: str) -> set[str]:
    """Paths from the top: what differs from that commit, and what is new and not ignored."""
    git = ["git", "-C", str(ROOT), "-c", f"safe.directory={ROOT}"]
    paths: set[str] = set()
    for words in (["diff", "--name-only", "--no-renames", commit], ["ls-files", "-o", "--exclude-standard"]):
        done = subprocess.run(git + words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"git {' '.join(words)}: {done.stderr.strip()}")
        paths.update(done.stdout.splitlines())
    return paths


def choice(includes: dict[str, set[str]], since: str | None, share: int | None, today: int) -> set[str]:
    """Of the sources, given with the headers of ours that each includes: those that changed; for a changed header its
    own source and one other; and one in `share` of all, another one each day. All, where neither is asked for."""
    if not since and not share:
        return set(includes)
    chosen: set[str] = set()
    if since:
        changed = {str(ROOT / path) for path in changed_since(since)}
        chosen |= changed & includes.keys()
        for header in changed:
            users = sorted(path for path, headers in includes.items() if header in headers)
            own = [path for path in users if pathlib.Path(path).with_suffix(".hpp") == pathlib.Path(header)]
            if not chosen.intersection(users) or own:
                chosen.update(own + users[:1])
    if share:
        chosen |= {p for p in includes if zlib.crc32(os.path.relpath(p, ROOT).encode()) % share == today % share}
    return chosen


def today() -> int:
    return int(time.time()) // 86400


def add_choice(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--since", metavar="COMMIT", help="only what changed since then")
    parser.add_argument("--share", type=int, metavar="N", help="and one in N of the rest, by the day")


FINDING = re.compile(r"^(/[^:\n]+):\d+:\d+: (?:error|warning): ", re.MULTILINE)


def findings(output: str) -> bool:
    """Whether it was read to the end: sources that do not get along say nothing about themselves."""
    return bool(FINDING.search(output)) and "[clang-diagnostic-error" not in output


class Batch:
    """Files that one run of clang-tidy reads, and how they are compiled."""

    def __init__(self, paths: list[str], flags: list[str], headers: dict[str, set[str]]) -> None:
        self.paths = paths
        self.flags = flags
        self.left: list[str] = []  # for lack of time
        self.alike: list[str] = []  # not read, but judged as what is
        self.headers = headers  # of ours, by the file that includes them

    def singly(self, paths: list[str]) -> list["Batch"]:
        """Those of its files that are to be read alone to judge these."""
        singles = [Batch([path], self.flags, self.headers) for path in paths]
        if len(singles) > 3:
            singles[0].alike = paths[1:]
            del singles[1:]
        return singles

    def halves(self) -> list["Batch"]:
        return [Batch(self.paths[i::2], self.flags, self.headers) for i in (0, 1)]

    def at_fault(self, output: str) -> list[str]:
        """Those with findings, in themselves or in what they include; all, where that cannot be told."""
        found = set(FINDING.findall(output))
        return [p for p in self.paths if found & {p, *self.headers[p]}] or self.paths

    def source(self, folder: pathlib.Path) -> str:
        if len(self.paths) == 1:
            return self.paths[0]
        # The analyzer follows paths through included sources only under this name.
        name = hashlib.sha256("\0".join(self.paths).encode()).hexdigest()[:16]
        path = folder / f"UnifiedSource-{name}.cpp"
        path.write_text("".join(f'#include "{p}"  // NOLINT(bugprone-suspicious-include)\n' for p in self.paths))
        return str(path)


NAME = re.compile(  # what a line at the margin declares: a type, a constant or a function
    r"^(?=\S)(?:(?:struct|class|enum class|enum|union) (\w+)|using (\w+) =|#define (\w+)"
    r"|#include <(?:net|linux)/(if\.h)>"  # of these two a source can have one
    r"|(?!return|if|for|while|#|//|using|namespace|template|friend|else|case)[\w:<>*&,\[\] ]*?[ *&](\w+) ?(?:[({=;]|\[))"
)


class Names:
    """What a file of ours declares at namespace scope, as far as a line tells; each file read once."""

    def __init__(self) -> None:
        self.known: dict[str, set[str]] = {}

    def of(self, path: str) -> set[str]:
        if path not in self.known:
            found = map(NAME.match, pathlib.Path(path).read_text(errors="replace").splitlines())
            self.known[path] = {next(filter(None, match.groups())) for match in found if match}
        return self.known[path]


class Draft:
    """A batch that is being put together from files that get along with each other."""

    def __init__(self, flags: list[str]) -> None:
        self.batch = Batch([], flags, {})
        self.headers: dict[str, set[str]] = {}  # and what each declares
        self.taken: set[str] = set()            # by the sources

    def takes(self, path: str, headers: set[str], names: Names) -> bool:
        own = names.of(path)
        others = set().union(self.taken, *(n for h, n in self.headers.items() if h not in headers))
        new = set().union(*(names.of(h) for h in headers if h not in self.headers))
        return not own & others and not new & self.taken

    def add(self, path: str, headers: set[str], names: Names) -> None:
        self.batch.paths.append(path)
        self.batch.headers[path] = headers
        self.taken |= names.of(path)
        self.headers.update({h: names.of(h) for h in headers})


def in_batches(files: list[tuple[str, list[str], set[str]]], size: int) -> list[Batch]:
    """Files compiled alike, neighbours together, at most `size` at a time; none that declares what
    another one, or a header only the other one includes, declares too."""
    names = Names()
    drafts: dict[tuple[str, ...], list[Draft]] = {}
    for path, flags, headers in sorted(files):
        alike = drafts.setdefault(tuple(f for f in flags if not re.match(r"-[OWgf]", f)), [])
        fits = (d for d in alike if len(d.batch.paths) < size and d.takes(path, headers, names))
        draft = next(fits, None)
        if not draft:
            draft = Draft(flags)
            alike.append(draft)
        draft.add(path, headers, names)
    batches = [draft.batch for several in drafts.values() for draft in several]
    tool = str(ROOT / "tools") + os.sep
    return sorted(batches, key=lambda batch: (batch.paths[0].startswith(tool), -len(batch.paths)))


LEFT = -1000  # instead of a status: not begun, for lack of time


class Pace:
    """Seconds a file takes, by the slowest batch so far: what still fits in before the deadline."""

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self.seconds = 12.0  # a batch of twelve has taken more than two minutes

    def room(self) -> int:
        left = self.deadline - time.monotonic()
        return sys.maxsize if left == float("inf") else max(0 if left < 0 else 1, int(left / self.seconds))

    def took(self, files: int, seconds: float) -> None:
        self.seconds = max(self.seconds, seconds / files)


def tidy(batch: Batch, folder: pathlib.Path, pace: Pace) -> tuple[int, str, float]:
    """Reads the batch, or as much of it as there is time for: the rest goes to batch.left."""
    begin = time.monotonic()
    room = pace.room()
    batch.paths, batch.left = batch.paths[:room], batch.paths[room:]
    if not batch.paths:
        return LEFT, "", 0.0
    command = ["clang-tidy", "--quiet", "--warnings-as-errors=*", f"--header-filter={SOURCES}",
               batch.source(folder), "--", *batch.flags, "-Wno-unknown-warning-option"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    output = done.stdout.strip()
    if done.returncode != 0 and not output:
        output = done.stderr.strip()
    pace.took(len(batch.paths), time.monotonic() - begin)
    return done.returncode, output, time.monotonic() - begin


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", default=str(ROOT / "build/tidy"), type=pathlib.Path)
    parser.add_argument("--jobs", default=os.cpu_count() or 1, type=int)
    parser.add_argument("--batch", default=12, type=int, help="files read at a time; 1: each alone")
    parser.add_argument("--limit", type=float, metavar="SECONDS", help="begin nothing after this time")
    parser.add_argument("--all", action="store_true", help="the tests too")
    add_choice(parser)
    parser.add_argument("files", nargs="*", help="only these, as paths from the top")
    arguments = parser.parse_args()
    build = arguments.build.resolve()

    version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True).stdout
    cache = ROOT / "build/tidy-cache"
    cache.mkdir(parents=True, exist_ok=True)
    dependencies = ninja_dependencies(build)
    digests = Digests()
    includes = Includes()

    work: dict[str, pathlib.Path] = {}
    files: list[tuple[str, list[str], set[str]]] = []
    known = 0
    for entry in entries(build):
        if not wanted(entry, arguments.all, set(arguments.files)) or entry["file"] in work:
            continue
        path = entry["file"]
        words = entry.get("arguments") or shlex.split(entry["command"])
        key = hashlib.sha256(version + digests.of(str(ROOT / ".clang-tidy")) + "\0".join(words).encode())
        output = entry.get("output") or (words[words.index("-o") + 1] if "-o" in words else "")
        made_from = dependencies.get(output)
        for used in [path, *(made_from or sorted(includes.of(path)))]:
            key.update(used.encode() + digests.of(used))
        stamp = cache / key.hexdigest()
        if stamp.exists():
            known += 1
            stamp.touch()
        else:
            work[path] = stamp
            headers = {h for h in map(os.path.normpath, made_from or includes.of(path)) if h != path and ours(h)}
            files.append((path, flags_of(entry), headers))

    chosen = choice({path: headers for path, _, headers in files}, arguments.since, arguments.share, today())
    not_chosen = len(files) - len(chosen)
    files = [file for file in files if file[0] in chosen]
    work = {path: stamp for path, stamp in work.items() if path in chosen}

    failed = done = left = 0
    pace = Pace(time.monotonic() + arguments.limit if arguments.limit else float("inf"))
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool, \
            tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        start = lambda batch, pace=pace: (pool.submit(tidy, batch, pathlib.Path(folder), pace), batch)
        running = dict(map(start, in_batches(files, max(1, arguments.batch))))
        while running:
            ready, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in ready:
                batch = running.pop(future)
                status, output, seconds = future.result()
                left += len(batch.left)
                if status == LEFT:
                    continue
                if status and len(batch.paths) > 1 and not findings(output):
                    running.update(map(start, batch.halves()))
                    continue
                bad = batch.at_fault(output) + batch.alike if status else []
                good = [path for path in batch.paths + batch.alike if path not in bad]
                if len(batch.paths) > 1:  # nothing is called bad unless it is so alone, whatever the time
                    running.update(start(single, Pace(float("inf"))) for single in batch.singly(bad))
                    bad = []
                for verdict, paths in (("FAIL", bad), ("ok  ", good)):
                    done += len(paths)
                    names = " ".join(os.path.relpath(path, ROOT) for path in paths)
                    if paths:
                        print(f"({done}/{len(work)}) {verdict} {names} ({seconds:.1f} s)", flush=True)
                if bad:
                    failed += len(bad)
                    print(output, flush=True)
                for path in good:
                    work[path].touch()
    for stamp in cache.iterdir():  # what no longer matches anything
        if time.time() - stamp.stat().st_mtime > 30 * 86400:
            stamp.unlink()
    if known:
        print(f"{known} files have not changed since they passed")
    if not_chosen:
        print(f"{not_chosen} files were not chosen: they have not changed"
              f"{' since ' + arguments.since[:12] if arguments.since else ''}, and are another day's share")
    if left:
        print(f"{left} files were left: {arguments.limit:.0f} s had gone by")
    print(f"{known + len(work) - left - failed} passed, {failed} failed")
    return 1 if failed or known + len(work) + not_chosen == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
