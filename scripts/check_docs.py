#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the Markdown pages: lines of at most 120 characters (tables, code and the addresses of links apart), and links that lead to files of this repository that are there, and to headings that are there. In tables with a last column `shown by`, each row names tests, suites, or checks of the emulated board that there are.

usage: check_docs.py [FILE...]     all pages, without FILE
       check_docs.py --self-test

Prints what is wrong, a line each, and a closing line `N passed, N failed`: pages. Exit code 1 when one fails.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LONGEST = 120
LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
REFERENCE = re.compile(r"^\s*\[[^\]]+\]:\s+(\S+)")


def pages() -> list[pathlib.Path]:
    git = ["git", "-C", str(ROOT), "-c", f"safe.directory={ROOT}", "ls-files", "-co", "--exclude-standard", "*.md"]
    done = subprocess.run(git, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return sorted({ROOT / line for line in done.stdout.splitlines() if (ROOT / line).is_file()})
    return sorted(p for p in ROOT.rglob("*.md") if not {"build", ".deps"} & set(p.relative_to(ROOT).parts))


def anchors(text: str) -> set[str]:
    """What headings are called in addresses, as GitHub makes them."""
    found: dict[str, int] = {}
    names = set(re.findall(r'<a (?:id|name)="([^"]+)"', text))
    for line in outside_code(text):
        heading = re.match(r"#{1,6}\s+(.*?)\s*#*$", line[1])
        if heading:
            plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).replace("`", "")
            name = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
            count = found.get(name, 0)
            found[name] = count + 1
            names.add(f"{name}-{count}" if count else name)
    return names


def outside_code(text: str) -> list[tuple[int, str]]:
    lines, fence = [], ""
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and not fence:
            fence = mark.group(1)
        elif mark and mark.group(1).startswith(fence):
            fence = ""
        elif not fence:
            lines.append((number, line))
    return lines


def faults(page: pathlib.Path) -> list[str]:
    text = page.read_text()
    wrong = []
    for number, line in outside_code(text):
        length = len(re.sub(r"\]\([^)]*\)|https?://\S+", "", line))
        if length > LONGEST and not line.lstrip().startswith("|"):
            wrong.append(f"{number}: {length} characters, at most {LONGEST}")
        bare = re.sub(r"`[^`]*`", "", line)
        for target in LINK.findall(bare) + REFERENCE.findall(bare):
            if re.match(r"[a-z][a-z+.-]*:", target):  # https:, mailto:
                continue
            name, _, heading = target.partition("#")
            there = (page.parent / name).resolve() if name else page
            if name.startswith("/"):
                there = ROOT / name.lstrip("/")
            if not there.exists():
                wrong.append(f"{number}: link to {target}: no such file")
            elif heading and there.suffix == ".md" and heading.lower() not in anchors(there.read_text()):
                wrong.append(f"{number}: link to {target}: no such heading")
    return wrong


def known_tests() -> set[str]:
    """The names of all unit tests, of the simulator's suites as `suite NAME`, and of the emulated board's checks as `board NAME`."""
    found = {f"suite {path.stem}" for path in (ROOT / "tools/simulator/suites").glob("*.toml")} | {"suite hours"}
    for path in (ROOT / "tests").rglob("*.cpp"):
        found.update(re.findall(r"^TEST\(\s*(\w+)\s*\)", path.read_text(), re.M))
    for path in (ROOT / "tests/board").glob("*.cpp"):
        found.update(f"board {name}" for name in re.findall(r'"([\w ,:^\'-]+)"', path.read_text()))
    return found


def unshown(text: str, known: set[str]) -> list[str]:
    """Rows of tables with a last column `shown by` that name no test, or one that does not exist."""
    wrong, shows = [], False
    for number, line in outside_code(text):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|"):
            shows = False
        elif cells[-1] == "shown by":
            shows = True
        elif shows and not set(line) <= set("|- "):
            of = re.findall(r"(suite |board )`([^`]+)`|`(\w+)`", cells[-1])
            named = [kind + name if kind else test for kind, name, test in of]
            if not named:
                wrong.append(f"{number}: names no test")
            wrong += [f"{number}: no such test: {name}" for name in named if name not in known]
    return wrong


def self_test() -> int:
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.md"
        long = "word " * 30
        good = f"# A page: `x`\n[here](#a-page-x) [it](page.md#a-page-x) [out](https://a.b/)\n| {long} |\n```\n{long}\n```\n"
        cases = [(good, 0), (good + long, 1), (good + "[a](none.md)", 1), (good + "[a](page.md#none)", 1),
                 (good + "`[a](none.md)`", 0), (good + f"{long[:100]} [a](page.md#a-page-x) [b](page.md)", 0)]
        missed = []
        for text, expected in cases:
            page.write_text(text)
            if len(faults(page)) != expected:
                missed.append((text[-40:], faults(page)))
    table = "| what | shown by |\n|---|---|\n| a | {} |\n"
    for cell, expected in [("`t`", 0), ("`t`, suite `s`", 0), ("`none`", 1), ("suite `t`", 1), ("", 1),
                           ("board `b: c d`", 0), ("board `none`", 1), ("`t`, board `t`", 1)]:
        found = unshown(table.format(cell), {"t", "suite s", "board b: c d"})
        if len(found) != expected:
            missed.append((cell, found))
    if missed:
        print(f"check_docs.py: self-test: {missed}")
    return 1 if missed else 0


def main() -> int:
    if self_test():
        return 1
    if sys.argv[1:] == ["--self-test"]:
        return 0
    chosen = [pathlib.Path(name).resolve() for name in sys.argv[1:]] or pages()
    failed, known = 0, known_tests()
    for page in chosen:
        wrong = faults(page) + unshown(page.read_text(), known)
        failed += bool(wrong)
        for line in wrong:
            print(f"FAIL {page.relative_to(ROOT)}:{line}")
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
