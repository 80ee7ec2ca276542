#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the tables of speed into docs/results/flow.md, from what the benchmarks wrote.

    build/cuda/bin/bench_flow cuda 101 > docs/results/flow/h200.jsonl
    kerblab bench flow --backend cpu --threads 2 --repeat 5 --json docs/results/flow/neoverse-n1.json
    python3 scripts/flow_tables.py docs/results/flow/h200.jsonl docs/results/flow/neoverse-n1.json docs/results/flow.md
"""
import json
import sys

SIZES = [(1280, 720, 1), (1280, 720, 0.25), (1280, 720, 0.04), (640, 384, 1), (1920, 1080, 1), (3840, 2160, 1)]
METHODS = ["lk", "lk, checked", "ncc", "ssd", "sad", "points", "product"]
# An H200: bytes a second, and lanes times clock (132 multiprocessors of 128, 1.98 GHz).
BANDWIDTH, OPERATIONS = 4.8e12, 132 * 128 * 1.98e9
# Bytes a second and lanes times clock of boards, none of which was measured.
BOARDS = [("Orin Nano 8 GB", 8, 0.625e9, 68e9), ("Orin NX 16 GB", 8, 0.918e9, 102.4e9), ("AGX Orin 64 GB", 16, 1.3e9, 204.8e9)]


def size_of(row):
    return row["width"], row["height"], row.get("wanted", 1)


def named(size):
    width, height, wanted = size
    if wanted == 1:
        return f"{width} × {height}"
    return f"… {100 * wanted:.0f} % of pixels (mask)"


def table(head, rows):
    return "\n".join("| " + " | ".join(r) + " |" for r in [head, ["---"] * len(head), *rows]) + "\n"


def times(rows, head, backend, methods):
    ms = {(size_of(r), r["method"]): r["median_ms"] for r in rows if r["backend"] == backend}
    present = [m for m in methods if any(key[1] == m for key in ms)]
    cell = lambda size, m: f"{ms[size, m]:.3f}" if (size, m) in ms else "–"
    return table([head, *present], [[named(s), *(cell(s, m) for m in present)] for s in SIZES if any((s, m) in ms for m in present)])


def limits(rows, work):
    """Parts of the card's limits, of the dense methods on the device."""
    out = []
    for size in [(1280, 720, 1), (3840, 2160, 1)]:
        for method in ["lk", "ncc"]:
            bytes_, operations = work[method]
            pixels = size[0] * size[1]
            ms = next(r["median_ms"] for r in rows if size_of(r) == size and r["method"] == method and r["backend"] == "cuda, on device")
            gb, top = bytes_ * pixels * 1e-6 / ms, operations * pixels * 1e-9 / ms
            out.append([method, named(size), f"{gb:.0f} GB/s, {gb * 1e11 / BANDWIDTH:.1f} %", f"{top:.1f} · 10¹² a second, {top * 1e14 / OPERATIONS:.0f} %"])
    return table(["", "", "bytes at the least, part of 4.8 TB/s", "operations, part of 33 · 10¹² a second"], out)


def work_of(report):
    """Bytes and operations a pixel: as the benchmark counts them."""
    work = {}
    for r in report["results"]:
        if "gb_per_s" in r and "gop_per_s" in r:
            per_pixel = 1e6 * r["ms"]["median"] / (r["width"] * r["height"])
            work[r["method"]] = (r["gb_per_s"] * per_pixel, r["gop_per_s"] * per_pixel)
    return work


def boards(rows, work):
    """From the largest picture, where the card is full, by multiprocessors and clock; and the least that bytes and operations take."""
    out = []
    for name, processors, clock, bandwidth in BOARDS:
        line = [name, f"{processors}, {clock / 1e9:.3g} GHz, {bandwidth / 1e9:.0f} GB/s"]
        for method in ["lk", "ncc"]:
            big = next(r for r in rows if size_of(r) == (3840, 2160, 1) and r["method"] == method and r["backend"] == "cuda, on device")
            pixels = 1280 * 720
            scaled = big["median_ms"] * pixels / (3840 * 2160) * (132 * 1.98e9) / (processors * clock)
            bytes_, operations = work[method]
            line.append(f"{scaled:.1f} ms")
            line.append(f"{1000 * bytes_ * pixels / bandwidth:.1f}, {1000 * operations * pixels / (processors * 128 * clock):.1f} ms")
        out.append(line)
    return table(["board", "multiprocessors, clock, memory", "lk, 1280 × 720", "its bytes, operations alone", "ncc, 1280 × 720", "its bytes, operations alone"], out)


def cpu(report):
    rows = [dict(r, median_ms=r["ms"]["median"]) for r in report["results"]]
    rivals = [m for m in dict.fromkeys(r["method"] for r in rows) if m not in METHODS]
    ms = {(size_of(r), r["method"]): r["median_ms"] for r in rows}
    whole = (1280, 720, 1)
    faster = [[m, f"{ms[whole, m]:.1f}", f"{ms[whole, rivals[0]] / ms[whole, m]:.2f}"] for m in [*METHODS, *rivals] if (whole, m) in ms]
    masks = [[named((1280, 720, w)), *(f"{100 * ms[(1280, 720, w), m] / ms[whole, m]:.0f} %" for m in METHODS[:5])] for w in (0.25, 0.04)]
    machine = report["machine"]
    note = f"{machine['threads']} threads, OpenCV {machine['opencv']}, load before the start {machine['load_before']:.1f}.\n\n"
    return (note + table(["1280 × 720", "ms", f"times as fast as {rivals[0]}"], faster) + "\n" +
            table(["time with a mask, of that without", *METHODS[:5]], masks) + "\n" +
            times(rows, "ms", "cpu", METHODS))


def put(text, name, content):
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
    head, rest = text.split(begin)
    return head + begin + "\n" + content + "\n" + end + rest.split(end)[1]


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    with open(sys.argv[1]) as file:
        rows = [json.loads(line) for line in file if "median_ms" in line]
    with open(sys.argv[2]) as file:
        report = json.load(file)
    if wrong := [r for r in rows if r["equals_cpu"] is False]:
        sys.exit(f"not the CPU's result: {wrong[0]}")
    with open(sys.argv[3]) as file:
        page = file.read()
    page = put(page, "device", times(rows, "ms, pictures and field on the device", "cuda, on device", METHODS))
    page = put(page, "host", times(rows, "ms, pictures and field in host memory", "cuda", METHODS))
    page = put(page, "limits", limits(rows, work_of(report)))
    page = put(page, "boards", boards(rows, work_of(report)))
    page = put(page, "cpu", cpu(report))
    with open(sys.argv[3], "w") as file:
        file.write(page)


if __name__ == "__main__":
    main()
