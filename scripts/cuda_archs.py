#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists the GPU architectures of the CUDA code inside an ELF file, one a line: sm_87, or
compute_87 for PTX.

usage: cuda_archs.py [--expect 87,110] FILE

nvcc puts its code as "fat binaries" into the section .nv_fatbin: each a header, then entries, each
with a header that names the kind (PTX or machine code) and the architecture. Needs no CUDA tools.
With --expect, exits 1 unless FILE has machine code for every architecture named.
"""
import argparse
import struct
import sys

FATBIN_MAGIC = 0xBA55ED50
KIND_PTX, KIND_ELF = 1, 2


def section(data: bytes, wanted: str) -> bytes:
    """The contents of one section of a 64-bit little-endian ELF file, or nothing."""
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError("not a 64-bit little-endian ELF file")
    (table,) = struct.unpack_from("<Q", data, 0x28)
    entry_size, count, names_index = struct.unpack_from("<HHH", data, 0x3A)
    headers = []
    for index in range(count):
        name, _, _, _, offset, size = struct.unpack_from("<IIQQQQ", data, table + index * entry_size)
        headers.append((name, offset, size))
    names = headers[names_index][1]
    for name, offset, size in headers:
        begin = names + name
        if data[begin : data.index(b"\0", begin)].decode() == wanted:
            return data[offset : offset + size]
    return b""


def architectures(fatbin: bytes) -> set[tuple[int, int]]:
    """(kind, architecture) of every entry of every fat binary."""
    found = set()
    at = 0
    while at + 16 <= len(fatbin):
        magic, _, header_size, size = struct.unpack_from("<IHHQ", fatbin, at)
        if magic != FATBIN_MAGIC:  # padding between two of them
            at += 8
            continue
        entry, end = at + header_size, at + header_size + size
        if header_size < 16 or end > len(fatbin):
            raise ValueError(f".nv_fatbin: a fat binary at {at} reaches past the section's end")
        while entry + 32 <= end:
            kind, _, entry_header, payload = struct.unpack_from("<HHIQ", fatbin, entry)
            (arch,) = struct.unpack_from("<I", fatbin, entry + 28)
            if entry_header < 32 or entry + entry_header + payload > end:
                raise ValueError(f".nv_fatbin: an entry at {entry} reaches past its fat binary's end")
            found.add((kind, arch))
            entry += entry_header + payload
        at = end
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--expect", metavar="N,N", help="exit 1 unless there is machine code for each")
    parser.add_argument("file")
    arguments = parser.parse_args()
    try:
        expected = [int(word) for word in (arguments.expect or "").split(",") if word]
        with open(arguments.file, "rb") as file:
            found = architectures(section(file.read(), ".nv_fatbin"))
    except (OSError, ValueError, struct.error) as error:
        print(f"cuda_archs.py: {arguments.file}: {error}", file=sys.stderr)
        return 2
    for kind, arch in sorted(found, key=lambda item: (item[0] != KIND_ELF, item[1])):
        print({KIND_ELF: "sm_", KIND_PTX: "compute_"}.get(kind, f"kind{kind}_") + str(arch))
    missing = [arch for arch in expected if (KIND_ELF, arch) not in found]
    if missing:
        names = " ".join(f"sm_{arch}" for arch in missing)
        print(f"cuda_archs.py: {arguments.file}: no code for {names}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
