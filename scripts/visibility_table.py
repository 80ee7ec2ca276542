#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The measured view beside the distances at which people are found.

usage: visibility_table.py FOUND.jsonl VIEW.jsonl PICTURES

PICTURES has the folders of kerblab sim render --boxes, whose names end in -dMETRES; FOUND.jsonl is kerblab detect's, and
VIEW.jsonl kerblab visibility's, both of their pictures. Prints a Markdown table: for each scene up to which distance
ahead of the bumper the person is found in every picture, where they are first missed, and the measured view.
"""
import collections
import csv
import json
import os
import re
import sys

LEAST_OVERLAP = 0.4  # of box and truth, over their union


def overlap(a, b):
    w = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    h = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    both = max(w, 0) * max(h, 0)
    return both / (a[2] * a[3] + b[2] * b[3] - both)


def name_of(image):
    return image.split(os.sep)[-3]


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return {name_of(line["image"]): line for line in map(json.loads, file)}


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    found, views = read_lines(sys.argv[1]), read_lines(sys.argv[2])
    scenes = collections.defaultdict(list)  # (ahead of the bumper, found, view, its reason)
    for name, line in found.items():
        with open(os.path.join(sys.argv[3], name, "truth.csv"), encoding="utf-8") as file:
            truth = next(csv.DictReader(file))
        box = [float(truth[key]) for key in ("x", "y", "w", "h")]
        hit = any(overlap(box, [d["x"], d["y"], d["w"], d["h"]]) >= LEAST_OVERLAP for d in line["detections"])
        view = views[name]
        scenes[re.sub(r"-d\d+$", "", name)].append((float(truth["ahead_m"]), hit, view["distance_m"], view["limit"]))
    print("| scene | found up to, m | first missed, m | measured view, m | by |")
    print("|---|---|---|---|---|")
    for scene, rows in sorted(scenes.items()):
        rows.sort()
        missed = next((row[0] for row in rows if not row[1] and any(r[1] for r in rows if r[0] < row[0])), None)
        if not any(row[1] for row in rows):
            missed = rows[0][0]
        seen = [row[0] for row in rows if row[1] and (missed is None or row[0] < missed)]
        distances = sorted(row[2] for row in rows)
        print(f"| {scene} | {max(seen):.1f} |" if seen else f"| {scene} | – |",
              f"{missed:.1f} |" if missed is not None else "– |",
              f"{distances[len(distances) // 2]:.1f} ({distances[0]:.1f} to {distances[-1]:.1f}) |",
              f"{collections.Counter(row[3] for row in rows).most_common(1)[0][0]} |")


if __name__ == "__main__":
    main()
