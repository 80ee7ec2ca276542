#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws a crowd in a hall, seen from a cart: frames and truth in the folders of MOT's data.

Each person is a photograph of ../shared/data/streets/market_crops on an upright card of their size. People stand, walk
towards the cart or away from it, alone or in groups, and hide each other; the cart drives, turns and nods. Needs numpy
and OpenCV. The same seed gives the same people and ways.

    crowd_sequence.py OUT --seed 41 --people 80 --seconds 14 --fps 14 --speed 1.1
"""
import argparse
import math
import os

import cv2
import numpy as np

LEAST_VISIBLE = 0.35  # share of a person: whoever shows less is not judged
LEAST_HEIGHT = 56     # pixels: likewise


def options():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--people", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=12)
    parser.add_argument("--fps", type=float, default=14)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--speed", type=float, default=1.0, help="of the cart, m/s")
    parser.add_argument("--focal", type=float, default=510, help="pixels")
    parser.add_argument("--height", type=float, default=0.95, help="of the camera, m")
    parser.add_argument("--size", default="640x480")
    parser.add_argument("--length", type=float, default=40, help="of the hall, m")
    parser.add_argument("--width", type=float, default=12, help="of the hall, m")
    parser.add_argument("--stand", type=float, default=0.2, help="share of groups that stand")
    parser.add_argument("--wobble", type=float, default=1.0, help="factor on the cart's turning and nodding")
    parser.add_argument("--crops", default=os.path.join(here, "../../shared/data/streets/market_crops/img"))
    return parser.parse_args()


def texture(size, seed):
    random = np.random.default_rng(seed)
    out = np.zeros((size, size, 3), np.float32)
    for cells, weight in ((8, 40), (32, 30), (128, 25), (size // 2, 12)):
        grey = random.normal(size=(cells, cells, 1)).astype(np.float32) * weight
        colour = random.normal(size=(cells, cells, 3)).astype(np.float32) * weight * 0.3
        out += cv2.resize(grey + colour, (size, size), interpolation=cv2.INTER_CUBIC)
    return np.clip(0.45 * out + 120, 0, 255).astype(np.uint8)


def body_mask():
    """What of a photograph of 64x128 is the person, about."""
    rows, columns = np.mgrid[0:128, 0:64]
    half = np.interp(rows[:, 0] / 127, [0, .04, .12, .18, .25, .5, .75, 1], [4, 8, 9, 14, 19, 19, 16, 13])
    return np.clip((half[:, None] - np.abs(columns - 31.5)) / 2 + .5, 0, 1).astype(np.float32)


def crowd(o, random):
    photographs = {}
    for name in sorted(os.listdir(o.crops)):
        photographs.setdefault(name.split("_")[0], []).append(name)
    identities = list(photographs)
    random.shuffle(identities)
    people = []
    used = 0
    while len(people) < o.people:
        group = random.choice([1, 1, 2, 3])
        x, y = random.uniform(1.5, o.length), random.uniform(-o.width / 2, o.width / 2)
        way = random.choice([-1, 1])
        stands = random.random() < o.stand
        vx = 0 if stands else way * random.normal(1.25, .2)
        vy = 0 if stands else random.normal(0, .25)
        for k in range(group):
            names = photographs[identities[used % len(identities)]]
            used += 1
            image = cv2.imread(os.path.join(o.crops, names[random.integers(len(names))]))
            people.append({"x": x + random.normal(0, .35), "y": y + (k - (group - 1) / 2) * .65, "vx": vx, "vy": vy,
                           "height": random.normal(1.7, .08), "image": image, "phase": random.random() * 9})
    return people


def walk(o, people, dt, cart_x, cart_y):
    for p in people:
        p["x"] += p["vx"] * dt
        p["y"] += p["vy"] * dt
        if abs(p["y"]) > o.width / 2:
            p["vy"] = -p["vy"]
            p["y"] = np.clip(p["y"], -o.width / 2, o.width / 2)
    for p in people:  # they step aside for the cart and for each other
        ahead, beside = p["x"] - cart_x, p["y"] - cart_y
        if 0 < ahead < 2.5 and abs(beside) < .7:
            p["y"] += (1 if beside >= 0 else -1) * 1.2 * dt
        for q in people:
            if q is p:
                continue
            dx, dy = p["x"] - q["x"], p["y"] - q["y"]
            if 0 < math.hypot(dx, dy) < .5:
                p["y"] += .5 * dt * (1 if dy >= 0 else -1)


class Camera:
    def __init__(self, o):
        self.o = o
        self.width, self.high = map(int, o.size.split("x"))
        self.cx, self.cy = (self.width - 1) / 2, (self.high - 1) / 2
        self.u, self.v = np.meshgrid(np.arange(self.width, dtype=np.float32), np.arange(self.high, dtype=np.float32))
        self.floor, self.wall = texture(1024, o.seed * 7 + 1), texture(1024, o.seed * 7 + 2)
        self.mask = body_mask()
        self.x = self.y = self.yaw = self.pitch = 0.0

    def hall(self):
        """The empty hall: x forward, y left, z up; pitched upwards."""
        o = self.o
        rx, ry, rz = np.ones_like(self.u), -(self.u - self.cx) / o.focal, -(self.v - self.cy) / o.focal
        c, s = math.cos(self.pitch), math.sin(self.pitch)
        rx, rz = rx * c - rz * s, rx * s + rz * c
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        rx, ry = rx * c - ry * s, rx * s + ry * c
        least, side = 1e-6, o.width / 2 + 3
        to_floor = np.where(rz < -least, -o.height / np.minimum(rz, -least), 1e9)
        steep = np.abs(ry) > least
        to_side = np.where(steep, (np.where(ry > 0, side, -side) - self.y) / np.where(steep, ry, 1), 1e9)
        to_end = np.where(rx > least, (o.length + 25 - self.x) / np.maximum(rx, least), 1e9)
        far = np.minimum(np.minimum(to_floor, to_side), to_end)
        x, y, z = self.x + far * rx, self.y + far * ry, o.height + far * rz
        on_floor, at_end = to_floor <= far, to_end <= far
        column = (np.where(on_floor, x, np.where(at_end, y, x)) * 60 % 1024).astype(np.float32)
        row = (np.where(on_floor, y, z) * 60 % 1024).astype(np.float32)
        drawn = [cv2.remap(t, column, row, cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP) for t in (self.floor, self.wall)]
        image = np.where(on_floor[..., None], drawn[0], drawn[1]).astype(np.float32)
        return image * np.clip(1.1 - far / 90, .35, 1)[..., None]

    def project(self, ahead, left, up):
        c, s = math.cos(self.pitch), math.sin(self.pitch)
        up -= self.o.height
        depth, rise = ahead * c + up * s, -ahead * s + up * c
        return self.cx - self.o.focal * left / depth, self.cy - self.o.focal * rise / depth


def draw(camera, people, t):
    """The frame, and id, box and visible share of everyone in it."""
    image = camera.hall()
    c, s = math.cos(camera.yaw), math.sin(camera.yaw)
    order = []
    for k, p in enumerate(people):
        dx, dy = p["x"] - camera.x, p["y"] - camera.y
        ahead, left = dx * c + dy * s, -dx * s + dy * c
        if ahead < .9:
            continue
        bob = .015 * abs(math.sin(6 * (t + p["phase"]))) if p["vx"] else 0
        foot, head = camera.project(ahead, left, 0), camera.project(ahead, left, p["height"] + bob)
        order.append((ahead, k, (foot[0] + head[0]) / 2, head[1], foot[1]))
    order.sort(reverse=True)
    owner = np.zeros((camera.high, camera.width), np.int32)
    boxes = []
    for ahead, k, middle, top, foot in order:
        p = people[k]
        h = foot - top
        sways = 1 + .06 * math.sin(6 * (t + p["phase"])) if p["vx"] else 1
        card = h * .5 * sways
        x0, x1 = max(int(math.floor(middle - card / 2)), 0), min(int(math.ceil(middle + card / 2)) + 1, camera.width)
        y0, y1 = max(int(math.floor(top)), 0), min(int(math.ceil(foot)) + 1, camera.high)
        if x1 - x0 < 1 or y1 - y0 < 1 or h < 8:
            continue
        onto = np.float32([[card / 64, 0, middle - card / 2 - x0], [0, h / 128, top - y0]])
        source = cv2.GaussianBlur(p["image"], (0, 0), max(.01, 128 / h / 2 - .4)) if h < 110 else p["image"]
        size = (x1 - x0, y1 - y0)
        person = cv2.warpAffine(source, onto, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        share = cv2.warpAffine(camera.mask, onto, size, flags=cv2.INTER_LINEAR)
        light = np.clip(1.1 - ahead / 90, .35, 1)
        part = image[y0:y1, x0:x1]
        image[y0:y1, x0:x1] = part * (1 - share[..., None]) + light * person.astype(np.float32) * share[..., None]
        owner[y0:y1, x0:x1][share > .5] = k + 1
        boxes.append((k + 1, (middle - .205 * h, top, .41 * h, h), h * h * .5 * camera.mask.mean()))
    return image, [(k, box, (owner == k).sum() / max(whole, 1)) for k, box, whole in boxes]


def main():
    o = options()
    random = np.random.default_rng(o.seed)
    os.makedirs(f"{o.out}/img1", exist_ok=True)
    os.makedirs(f"{o.out}/gt", exist_ok=True)
    people = crowd(o, random)
    camera = Camera(o)
    phase = random.random(6) * 9
    dt = 1 / o.fps
    truth = []
    for frame in range(1, int(o.seconds * o.fps) + 1):
        t = frame * dt
        camera.yaw += o.wobble * (.06 * math.sin(.5 * t + phase[0]) + .03 * math.sin(2.3 * t + phase[1])) * dt
        camera.pitch = o.wobble * (.004 * math.sin(5 * t + phase[2]) + .003 * math.sin(11 * t + phase[3]))
        camera.x += o.speed * math.cos(camera.yaw) * dt
        camera.y += o.speed * math.sin(camera.yaw) * dt
        walk(o, people, dt, camera.x, camera.y)
        image, seen = draw(camera, people, t)
        for k, (x, y, w, h), visible in seen:
            if visible >= .05:
                judged = int(h >= LEAST_HEIGHT and visible > LEAST_VISIBLE)
                truth.append(f"{frame},{k},{x:.2f},{y:.2f},{w:.2f},{h:.2f},{judged},-1,-1,-1\n")
        image = cv2.GaussianBlur(image, (0, 0), .6) + random.normal(0, 2.5, image.shape)
        cv2.imwrite(f"{o.out}/img1/{frame:06d}.jpg", np.clip(image, 0, 255).astype(np.uint8),
                    [cv2.IMWRITE_JPEG_QUALITY, 92])
    with open(f"{o.out}/gt/gt.txt", "w", encoding="utf-8") as file:
        file.writelines(truth)


main()
