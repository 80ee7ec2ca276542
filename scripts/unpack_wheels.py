#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Unpacks NVIDIA's CUDA wheels into a folder that looks like a CUDA toolkit.

usage: unpack_wheels.py FOLDER WHEEL...

What a wheel holds under nvidia/cu13/ (bin, include, lib, nvvm) goes into FOLDER; programs are made
executable and libX.so beside each libX.so.N, both of which a wheel cannot carry.
"""
import os
import pathlib
import re
import sys
import zipfile

PREFIX = re.compile(r"^nvidia/cu\d+/(?!\.metadata/)(.+[^/])$")


def unpack(folder: pathlib.Path, wheel: str) -> int:
    count = 0
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            match = PREFIX.match(name)
            if not match:
                continue
            path = folder / match.group(1)
            if not path.resolve().is_relative_to(folder.resolve()):
                raise SystemExit(f"unpack_wheels.py: {wheel}: {name} would leave {folder}")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.read(name))
            if path.read_bytes()[:4] == b"\x7fELF" and path.parent.name == "bin":
                path.chmod(0o755)
            count += 1
    return count


def main(arguments: list[str]) -> int:
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    folder = pathlib.Path(arguments[0])
    for wheel in arguments[1:]:
        if unpack(folder, wheel) == 0:
            print(f"unpack_wheels.py: {wheel}: nothing under nvidia/cu*/ in it", file=sys.stderr)
            return 1
    for library in (folder / "lib").glob("lib*.so.*"):
        link = library.with_name(library.name.split(".so.")[0] + ".so")
        if not link.exists():
            os.symlink(library.name, link)
    # nvcc and CMake also look for lib64, as in an installed toolkit.
    if not (folder / "lib64").exists():
        os.symlink("lib", folder / "lib64")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
