#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cuts the street pictures into four parts, such that no street, drive, city or person is in two of them.

    python3 scripts/street_folds.py --data ../shared/data --out build/folds

Writes for each part K = 0..3:
    SET-K.txt       file names of the set's pictures in this part, for `list` of a file of sets (kerblab eval detector --sets)
    pictures-K.txt  paths of all pictures outside of it: what a model is trained on that is judged on part K (kerblab train --negatives @FILE)
and pictures.txt, all of them. SET is one of msrs-day, msrs-night, camvid, cityscapes, exdark.

MSRS is cut at numbers, as pictures with neighbouring numbers show the same place, and the pictures next to a cut are in no part;
CamVid at times of its drives; Cityscapes by city; ExDark, single photographs, by name.
"""
import argparse
import os
import sys
import zlib

FOLDS = 4
# First number, last number, part. The pictures come in runs of a drive each, by day and by night.
MSRS = [
    (1, 50, 0), (257, 340, 0), (341, 435, 1), (451, 572, 2), (646, 720, 1), (721, 796, 2), (962, 1010, 3), (1011, 1058, 0),
    (1198, 1240, 1), (1241, 1285, 2), (1286, 1329, 3), (1427, 1545, 3),
]
MSRS_GAP = 3  # numbers on either side of a cut between two parts
# First and last number of a drive's part.
CAMVID = {"0001TP": [(0, 7575, 0), (7576, 99999, 1)], "0016E5": [(0, 4900, 2), (4901, 99999, 3)]}


def ranged(number, ranges, gap=0):
    """The part of a number, or None beside a cut."""
    for first, last, part in ranges:
        if first <= number <= last:
            for other_first, other_last, other in ranges:
                if other != part and (0 < other_first - number <= gap or 0 < number - other_last <= gap):
                    return None
            return part
    return None


def part_of(name, source, cities):
    stem = os.path.splitext(name)[0]
    if source == "msrs":
        return ranged(int(stem[:5]), MSRS, MSRS_GAP)
    if source == "camvid":
        drive, number = stem.split("_")
        return ranged(int(number), CAMVID[drive])
    if source == "cityscapes":
        return cities.index(stem.split("_")[0]) % FOLDS
    return zlib.crc32(stem.encode()) % FOLDS


def pictures(folder):
    return sorted(name for name in os.listdir(folder) if name.lower().endswith((".jpg", ".png")))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", required=True, help="folder with streets/ in it")
    parser.add_argument("--out", required=True, help="folder for the lists")
    options = parser.parse_args()
    streets = os.path.join(options.data, "streets")
    folders = {"msrs": "msrs/vi", "camvid": "camvid/img", "cityscapes": "cityscapes512/img", "exdark": "exdark/img"}
    lists, paths = {}, []
    for source, below in folders.items():
        folder = os.path.join(streets, below)
        if not os.path.isdir(folder):
            sys.exit(f"street_folds.py: {folder}: no such folder")
        names = pictures(folder)
        cities = sorted({name.split("_")[0] for name in names})
        for name in names:
            part = part_of(name, source, cities)
            paths.append((part, os.path.join(folder, name)))
            if part is None:
                continue
            kind = source
            if source == "msrs":
                kind += "-night" if name[5] == "N" else "-day"
            lists.setdefault((kind, part), []).append(name)
    os.makedirs(options.out, exist_ok=True)

    def write(name, lines):
        with open(os.path.join(options.out, name), "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in lines))

    for (kind, part), names in lists.items():
        write(f"{kind}-{part}.txt", names)
    for part in range(FOLDS):
        write(f"pictures-{part}.txt", [path for other, path in paths if other not in (part, None)])
    write("pictures.txt", [path for _, path in paths])
    for kind in sorted({kind for kind, _ in lists}):
        print(f"{kind:12}", *(len(lists.get((kind, part), [])) for part in range(FOLDS)))


if __name__ == "__main__":
    main()
