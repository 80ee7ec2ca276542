#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the built-in picture of the detector's self-test: a person of the proving ground, drawn by kerblab.

    scripts/self_test_picture.py --kerblab build/host/bin/kerblab > firmware/vision/known_person_picture.inc

One line for each row, one hexadecimal digit for each pixel: 16 grey values, 0 is black.
"""
import argparse
import csv
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

RUN = "euroncap/CPNA-25-30kmh"
FROM_S = "1.8"
WIDTH, HEIGHT = 96, 144  # of the picture; the person is two thirds of its height


def read_png(path):
    """Rows of grey values of an 8-bit PNG without interlacing."""
    data, at, width, channels, packed = path.read_bytes(), 8, 0, 0, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, _, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            channels = {0: 1, 2: 3, 6: 4}[colour]
            if depth != 8 or interlaced:
                sys.exit(f"{path}: not an 8-bit picture without interlacing")
        packed += body if kind == b"IDAT" else b""
        at += 12 + size
    raw, stride = zlib.decompress(packed), width * channels
    before, rows = bytes(stride), []
    for start in range(0, len(raw), stride + 1):
        how, line = raw[start], bytearray(raw[start + 1:start + 1 + stride])
        for i in range(stride):
            left = line[i - channels] if i >= channels else 0
            up, corner = before[i], before[i - channels] if i >= channels else 0
            guess = left + up - corner
            paeth = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
            line[i] = (line[i] + (0, left, up, (left + up) // 2, paeth)[how]) & 255
        before = bytes(line)
        grey = [before[i:i + channels][:3] for i in range(0, stride, channels)]
        rows.append([p[0] if len(p) == 1 else (299 * p[0] + 587 * p[1] + 114 * p[2] + 500) // 1000 for p in grey])
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kerblab", default="build/host/bin/kerblab")
    kerblab = parser.parse_args().kerblab
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([kerblab, "sim", "render", "--run", RUN, "--from", FROM_S, "--frames", "1", "--truth", "--boxes",
                        "--out", folder], check=True, stdout=subprocess.DEVNULL)
        truth = next(pathlib.Path(folder).rglob("truth.csv"))
        with truth.open(encoding="utf-8", newline="") as lines:
            person = next(csv.DictReader(lines))
        rows = read_png(next(truth.parent.rglob("000001.png")))
    middle_x = float(person["x"]) + float(person["w"]) / 2
    middle_y = float(person["y"]) + float(person["h"]) / 2
    left, top = round(middle_x - WIDTH / 2), round(middle_y - HEIGHT / 2)
    print("// Made by scripts/self_test_picture.py. The person:",
          *(round(float(person[k]) - o, 1) for k, o in (("x", left), ("y", top), ("w", 0), ("h", 0))))
    for row in rows[top:top + HEIGHT]:
        print('"' + "".join(f"{min(15, (v + 8) // 17):x}" for v in row[left:left + WIDTH]) + '"')


if __name__ == "__main__":
    main()
