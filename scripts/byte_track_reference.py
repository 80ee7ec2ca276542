#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ByteTrack's association, written a second time: numpy for the filter, SciPy for the assignment. Judges kerblab's own:
    kerblab track --sequence SEQ --method bytetrack --detections D.txt --high 4.5 --out ours.txt
    byte_track_reference.py D.txt 4.5 ours.txt       # prints the number of boxes and the largest difference
Fails (exit code 1) where a box or an id differs by more than the 0.005 pixels that the file is rounded to."""
import sys
from collections import defaultdict

import numpy as np
from scipy.optimize import linear_sum_assignment


def overlap(a, b):
    w = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    h = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    common = w * h if w > 0 and h > 0 else 0.0
    return common / (a[2] * a[3] + b[2] * b[3] - common)


class Tracklet:
    F = np.eye(8) + np.diag(np.ones(4), 4)
    H = np.eye(4, 8)

    def __init__(self, box):
        x, y, w, h = box
        self.x = np.array([x + w / 2, y + h / 2, w / h, h, 0, 0, 0, 0])
        self.p = np.diag(np.square([h / 10, h / 10, 1e-2, h / 10, h / 16, h / 16, 1e-5, h / 16]))
        self.lost = 0
        self.tentative = True
        self.id = 0

    def predict(self):
        if self.lost:
            self.x[7] = 0
        h = self.x[3]
        q = np.diag(np.square([h / 20, h / 20, 1e-2, h / 20, h / 160, h / 160, 1e-5, h / 160]))
        self.x = self.F @ self.x
        self.p = self.F @ self.p @ self.F.T + q
        self.lost += 1

    def update(self, box):
        x, y, w, h = box
        z = np.array([x + w / 2, y + h / 2, w / h, h])
        r = np.diag(np.square([self.x[3] / 20, self.x[3] / 20, 1e-1, self.x[3] / 20]))
        s = self.H @ self.p @ self.H.T + r
        k = self.p @ self.H.T @ np.linalg.inv(s)
        self.x = self.x + k @ (z - self.H @ self.x)
        left = np.eye(8) - k @ self.H
        self.p = left @ self.p @ left.T + k @ r @ k.T
        self.lost = 0

    def box(self):
        h = self.x[3]
        w = self.x[2] * h
        return (self.x[0] - w / 2, self.x[1] - h / 2, w, h)


def associate(tracks, boxes, least):
    """Returns the boxes that are left."""
    if not tracks or not boxes:
        return boxes
    worth = np.array([[overlap(b, t.box()) for t in tracks] for b in boxes])
    worth[worth < least] = 0
    used = set()
    for i, j in zip(*linear_sum_assignment(-worth)):
        if worth[i, j] > 0:
            tracks[j].update(boxes[i])
            used.add(i)
    return [b for i, b in enumerate(boxes) if i not in used]


def main():
    detections, high = sys.argv[1], float(sys.argv[2])
    frames = defaultdict(list)
    for line in open(detections, encoding="utf-8"):
        v = [float(x) for x in line.split(",")]
        frames[int(v[0])].append((v[6], v[2:6]))
    ours = {}
    for line in open(sys.argv[3], encoding="utf-8"):
        v = [float(x) for x in line.split(",")]
        ours[int(v[0]), int(v[1])] = v[2:6]
    tracks, count, theirs = [], 0, {}
    for frame in range(1, max(frames) + 1):
        found = sorted(frames[frame], key=lambda d: -d[0])
        sure = [(s, b) for s, b in found if s >= high]
        score_of = {id(b): s for s, b in sure}
        for t in tracks:
            t.predict()
        left = associate([t for t in tracks if not t.tentative], [b for _, b in sure], 0.2)
        associate([t for t in tracks if not t.tentative and t.lost == 1], [b for s, b in found if s < high], 0.5)
        left = associate([t for t in tracks if t.tentative], left, 0.3)
        tracks = [t for t in tracks if (t.lost == 0 if t.tentative else t.lost <= 30)]
        for t in tracks:
            t.tentative = False
        for b in left:
            if score_of[id(b)] >= high + 0.5:
                count += 1
                t = Tracklet(b)
                t.id, t.tentative = count, frame != 1
                tracks.append(t)
        for t in tracks:
            if not t.tentative and t.lost == 0:
                theirs[frame, t.id] = t.box()
    if set(ours) != set(theirs):
        sys.exit(f"{len(set(ours) ^ set(theirs))} boxes of {len(theirs)} are in one of the files only")
    worst = max((abs(a - b) for k in ours for a, b in zip(ours[k], theirs[k])), default=0)
    print(f"{len(ours)} boxes of {len({k[1] for k in ours})} tracks, largest difference {worst:.4f} pixels")
    sys.exit(int(worst > 0.0051))


main()
