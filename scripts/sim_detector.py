#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A detector trained on photographs alone, on rendered streets and on real ones, side by side: docs/results/simulator-detector.md.

    python3 scripts/sim_detector.py --kerblab build/host/bin/kerblab --data ../shared/data --work /tmp/streets

Renders docs/results/simulator-detector/streets.toml into WORK, searches both with the same settings, and writes the tables and
the raw figures. Pictures and figures that WORK holds already are used again.
"""
import argparse
import json
import math
import os
import subprocess
import sys

HERE = "docs/results/simulator-detector"
PAGE = "docs/results/simulator-detector.md"
THRESHOLD, MIN_HEIGHT, MIN_VISIBLE, EVERY = 6.6, 48, 0.4, 45
BINS = [(48, 64), (64, 96), (96, 160), (160, 320)]
REAL = [
    ("KITTI-17", "video/KITTI-17/img1", "video/KITTI-17", None),
    ("MOT16-13, half size", "video/MOT16-13_half_1-120/img1", "video/MOT16-13_half_1-120", None),
    ("ETH-Sunnyday", "video/ETH-Sunnyday_1-150/img1", "video/ETH-Sunnyday_1-150", None),
    ("TUD-Stadtmitte", "video/TUD-Stadtmitte_1-120/img1", "video/TUD-Stadtmitte_1-120", None),
    ("INRIA, half of the test", "ped_test/inria_test_A", "ped_test/gt_inria_test_A.csv", "ped_test/neg_inria"),
    ("Fudan", "ped_test/fudan", "ped_test/gt_fudan.csv", None),
]
RENDERED = [("car", "from a car, 1280 × 720"), ("walk", "on foot, 640 × 480"), ("stand", "standing, longer lens, 640 × 480")]
EMPTY = "empty"


def judge(args, name, images, truth, negatives):
    """What kerblab eval says of one set of pictures, from WORK where it is known."""
    path = os.path.join(args.work, "eval", name.replace(" ", "-").replace(",", "") + ".json")
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        command = [args.kerblab, "eval", "detector", "--model", args.model, "--no-work", "--backend", "cpu"]
        command += ["--min-height", str(MIN_HEIGHT), "--truth-min-visible", str(MIN_VISIBLE), "--at", str(THRESHOLD)]
        for option, values in [("--images", images), ("--truth", truth), ("--negatives", negatives)]:
            for value in values:
                command += [option, value]
        subprocess.run(command + ["--json", path], check=True, stdout=subprocess.DEVNULL)
    with open(path) as file:
        whole = json.load(file)
    one = whole["detectors"][0]
    out = {"pictures": whole["pictures"], "people": whole["people"], "ignored": whole["ignored"], "fppi": one["at_threshold"][0]["fppi"], "bins": []}
    for low, high in BINS:
        row = next(b for b in one["by_height"] if b["from"] == low and b["to"] == high)
        missed = next(m["people"] for m in row["missed"] if m.get("threshold") == THRESHOLD)
        out["bins"].append([row["people"], missed])
    return out


def pool(sets):
    """People of all sets together; false positives of a picture of all sets, and the least and the most."""
    bins = [[sum(s["bins"][i][k] for s in sets) for k in range(2)] for i in range(len(BINS))]
    pictures = sum(s["pictures"] for s in sets)
    return {"pictures": pictures, "people": sum(s["people"] for s in sets), "bins": bins, "fppi": sum(s["fppi"] * s["pictures"] for s in sets) / pictures}


def rate(people, missed):
    return f"{100 * missed / people:.0f} % of {people}" if people else "–"


def line(name, s, bold=False):
    cells = [name, str(s["pictures"]), *(rate(*b) for b in s["bins"]), f"{s['fppi']:.2f}"]
    return "| " + " | ".join(f"**{c}**" if bold else c for c in cells) + " |\n"


def verdict(real, rendered):
    """Differences in points, with the width of chance (two standard deviations of both shares)."""
    out = "| | " + " | ".join(f"{a} to {b}" for a, b in BINS) + " |\n|---|" + "---|" * len(BINS) + "\n"
    cells = []
    for (n, m), (k, l) in zip(real["bins"], rendered["bins"]):
        if not n or not k:
            cells.append("–")
            continue
        p, q = m / n, l / k
        chance = 2 * math.sqrt(p * (1 - p) / n + q * (1 - q) / k)
        cells.append(f"{100 * (q - p):+.0f} (± {100 * chance:.0f})")
    return out + "| rendered − real, points | " + " | ".join(cells) + " |\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kerblab", default="build/host/bin/kerblab")
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--model", default="models/inria.kwm")
    parser.add_argument("--work", required=True, help="folder for pictures and what was measured on them")
    parser.add_argument("--threads", default="2")
    args = parser.parse_args()
    pictures = os.path.join(args.work, "pictures")
    if not os.path.isdir(pictures):
        part = pictures + ".part"
        subprocess.run(["rm", "-rf", part], check=True)
        subprocess.run([args.kerblab, "sim", "render", f"{HERE}/streets.toml", "--out", part, "--boxes", "--every", str(EVERY), "--threads", args.threads], check=True)
        os.rename(part, pictures)
    runs = sorted(os.listdir(pictures))
    of = lambda group: [r for r in runs if r.startswith(group + "-")]
    here = lambda path: os.path.join(args.data, path)
    real = {n: judge(args, "real-" + n, [here(i)], [here(t)], [here(e)] if e else []) for n, i, t, e in REAL}
    rendered = {}
    for group, title in RENDERED:
        names = of(group)
        rendered[title] = judge(args, "rendered-" + group, [f"{pictures}/{r}/img1" for r in names], [f"{pictures}/{r}" for r in names], [])
    # Nobody is in these: an eval needs somebody, so one street with people goes with them and its false positives are taken off.
    first = of(RENDERED[0][0])[0]
    alone = judge(args, "rendered-one", [f"{pictures}/{first}/img1"], [f"{pictures}/{first}"], [])
    both = judge(args, "rendered-empty", [f"{pictures}/{first}/img1"], [f"{pictures}/{first}"], [f"{pictures}/{r}/img1" for r in of(EMPTY)])
    count = both["pictures"] - alone["pictures"]
    empty = (both["fppi"] * both["pictures"] - alone["fppi"] * alone["pictures"]) / count
    all_real, all_rendered = pool(list(real.values())), pool(list(rendered.values()))

    head = "| | pictures | " + " | ".join(f"{a} to {b} px" for a, b in BINS) + " | false positives an image |\n|---|" + "---|" * (len(BINS) + 2) + "\n"
    text = head
    for name, s in real.items():
        text += line(name, s)
    text += line("real, together", all_real, True)
    for name, s in rendered.items():
        text += line("rendered " + name, s)
    text += line("rendered, together", all_rendered, True)
    text += f"| rendered, nobody there, 1280 × 720 | {count} | " + "| " * len(BINS) + f"{empty:.2f} |\n\n"
    text += verdict(all_real, all_rendered)
    begin, end = "<!-- tables: begin (made by scripts/sim_detector.py) -->\n", "<!-- tables: end -->\n"
    with open(PAGE) as file:
        page = file.read()
    before, rest = page.split(begin)
    _, after = rest.split(end)
    with open(PAGE, "w") as file:
        file.write(before + begin + "\n" + text + "\n" + end + after)
    with open(f"{HERE}/figures.json", "w") as file:
        json.dump({"threshold": THRESHOLD, "min_height": MIN_HEIGHT, "min_visible": MIN_VISIBLE, "bins": BINS, "real": real, "rendered": rendered,
                   "empty": {"pictures": count, "fppi": empty}}, file, indent=1)
        file.write("\n")
    print(text)


if __name__ == "__main__":
    sys.exit(main())
