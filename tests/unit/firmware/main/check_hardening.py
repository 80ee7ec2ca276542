#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails unless every program given is hardened, as `readelf` sees it: position-independent, with canaries on the stack
and checked calls of the C library, with relocations bound at the start and read-only from then on, without an
executable stack, and without a run path that is relative or has an empty part (the current directory).

usage: check_hardening.py PROGRAM...
       check_hardening.py --self-test     finds each fault in a listing that has it
"""
import re
import subprocess
import sys


def faults(listing: str) -> list[str]:
    """What is wrong with the program that `readelf -hldW --dyn-syms` listed."""
    found = []
    if not re.search(r"^\s*Type:\s+DYN\b", listing, re.M) or not re.search(r"\bINTERP\b", listing):
        found.append("not a position-independent executable")
    if not re.search(r"\bGNU_RELRO\b", listing):
        found.append("no GNU_RELRO")
    if not re.search(r"\(BIND_NOW\)|\(FLAGS\).*BIND_NOW|\(FLAGS_1\).*\bNOW\b", listing):
        found.append("symbols are bound late: no BIND_NOW")
    if "__stack_chk_fail" not in listing:
        found.append("no stack protector: __stack_chk_fail is not used")
    if not re.search(r"\b__\w+_chk\b", listing.replace("__stack_chk", "")):
        found.append("no _FORTIFY_SOURCE: no checked call such as __memcpy_chk")
    stack = re.search(r"\bGNU_STACK\b.*?\s(R?W?E?)\s+0x[0-9a-f]+$", listing, re.M)
    if not stack or "E" in stack.group(1):
        found.append("an executable stack")
    for path in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", listing):
        for part in path.split(":"):
            if not part.startswith(("/", "$ORIGIN")):
                found.append(f"run path [{path}] searches '{part or 'the current directory'}'")
    return found


GOOD = """
  Type:                              DYN (Position-Independent Executable file)
  INTERP         0x000238 0x0000000000000238 0x0000000000000238 0x00001b 0x00001b R   0x1
  GNU_STACK      0x000000 0x0000000000000000 0x0000000000000000 0x000000 0x000000 RW  0x10
  GNU_RELRO      0x00fd90 0x000000000001fd90 0x000000000001fd90 0x000270 0x000270 R   0x1
 0x000000000000001e (FLAGS)              BIND_NOW
 0x000000000000001d (RUNPATH)            Library runpath: [/usr/local/cuda/lib64]
     5: 0000000000000000     0 FUNC    GLOBAL DEFAULT  UND __stack_chk_fail@GLIBC_2.17 (2)
     6: 0000000000000000     0 FUNC    GLOBAL DEFAULT  UND __snprintf_chk@GLIBC_2.17 (2)
"""


def self_test() -> int:
    changes = [("DYN", "EXEC"), ("GNU_RELRO", "LOAD"), ("BIND_NOW", "TEXTREL"), ("__stack_chk_fail", "abort"),
               ("__snprintf_chk", "snprintf"), (" RW  ", " RWE "), ("/lib64]", "/lib64:]"), ("[/usr", "[usr")]
    missed = [f"{a} -> {b}" for a, b in changes if len(faults(GOOD.replace(a, b))) != 1]
    print(f"{len(changes)} faults, not found: {missed}; in a good program: {faults(GOOD)}")
    return 1 if missed or faults(GOOD) else 0


def main() -> int:
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    failed = self_test()
    for program in sys.argv[1:]:
        listing = subprocess.run(["readelf", "-hldW", "--dyn-syms", program], capture_output=True, text=True, check=True)
        wrong = faults(listing.stdout)
        print(f"{program}: {'; '.join(wrong) or 'hardened'}")
        failed |= bool(wrong)
    return int(failed or len(sys.argv) < 2)


if __name__ == "__main__":
    sys.exit(main())
