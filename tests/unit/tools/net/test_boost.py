#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/net/boost.py: channels, filters and splits against slow definitions in NumPy, properties of AdaBoost, and the program on a made pack.

Exits 77 where PyTorch, NumPy or OpenCV for Python is absent.
"""
import contextlib
import csv
import io
import json
import math
import os
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "tools/net"))
sys.dont_write_bytecode = True

try:
    import cv2
    import numpy as np
    import torch

    import boost
    import pack
    import train
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

torch.set_num_threads(1)


# --- slow definitions ---


def slow_luv(red, green, blue):
    x = 0.430574 * red + 0.341550 * green + 0.178325 * blue
    y = 0.222015 * red + 0.706655 * green + 0.071330 * blue
    z = 0.020183 * red + 0.129553 * green + 0.939180 * blue
    light = 116 * y ** (1 / 3) - 16 if y > 216 / 24389 else 24389 / 27 * y
    if x + 15 * y + 3 * z == 0:
        return 0.0, 88 / 270, 134 / 270
    u, v = 4 * x / (x + 15 * y + 3 * z), 9 * y / (x + 15 * y + 3 * z)
    return light / 270, (13 * light * (u - 0.197833) + 88) / 270, (13 * light * (v - 0.468331) + 134) / 270


def slow_smoothed(plane, radius):
    """Both ways at once, value by value."""
    rows, columns = plane.shape
    inside = lambda i, size: -1 - i if i < 0 else 2 * size - 1 - i if i >= size else i
    out = np.zeros_like(plane)
    for y in range(rows):
        for x in range(columns):
            for v in range(-radius, radius + 1):
                for u in range(-radius, radius + 1):
                    share = (radius + 1 - abs(v)) * (radius + 1 - abs(u)) / (radius + 1) ** 4
                    out[y, x] += share * plane[inside(y + v, rows), inside(x + u, columns)]
    return out


def slow_slope(plane, y, x, down, right):
    rows, columns = plane.shape
    y0, y1 = max(y - down, 0), min(y + down, rows - 1)
    x0, x1 = max(x - right, 0), min(x + right, columns - 1)
    return (plane[y1, x1] - plane[y0, x0]) / (y1 - y0 + x1 - x0)


def slow_channels(crop, shrink, smooth):
    """Of planes x rows x columns of 0..255."""
    planes, rows, columns = crop.shape
    colours = crop / 255
    if planes == 3:
        pixels = [[slow_luv(*colours[:, y, x]) for x in range(columns)] for y in range(rows)]
        colours = np.array(pixels).transpose(2, 0, 1)
    colours = np.stack([slow_smoothed(plane, smooth) for plane in colours])
    magnitude, angle = np.zeros((rows, columns)), np.zeros((rows, columns))
    for y in range(rows):
        for x in range(columns):
            steepest = max(((slow_slope(plane, y, x, 0, 1), slow_slope(plane, y, x, 1, 0)) for plane in colours), key=lambda g: g[0] ** 2 + g[1] ** 2)
            magnitude[y, x] = math.hypot(*steepest)
            angle[y, x] = math.atan2(steepest[1], steepest[0]) % math.pi
    magnitude = magnitude / (slow_smoothed(magnitude, 5) + 0.005)
    oriented = np.zeros((6, rows, columns))
    for y in range(rows):
        for x in range(columns):
            place = angle[y, x] / (math.pi / 6)
            lower = math.floor(place)
            oriented[lower % 6, y, x] += magnitude[y, x] * (1 - (place - lower))
            oriented[(lower + 1) % 6, y, x] += magnitude[y, x] * (place - lower)
    out = []
    for plane in [*colours, magnitude, *oriented]:
        blocks = np.array([[plane[y:y + shrink, x:x + shrink].mean() for x in range(0, columns, shrink)] for y in range(0, rows, shrink)])
        out.append(slow_smoothed(blocks, 1))
    return np.stack(out)


def slow_patches(maps):
    """Of crops x planes x rows x columns, for each plane: patches x 25."""
    count, planes, rows, columns = maps.shape
    return [np.array([maps[n, plane, y:y + 5, x:x + 5].flatten() for n in range(count) for y in range(rows - 4) for x in range(columns - 4)])
            for plane in range(planes)]


def slow_split(rows, label, weight):
    """The first feature and step of least error, over all of them, one after the other."""
    best = (math.inf, 0, 0)
    for feature, values in enumerate(rows):
        for step in range(255):
            left = values <= step
            error = weight[left & (label == 0)].sum() + weight[~left & (label == 1)].sum()
            error = min(error, weight.sum() - error)
            if error < best[0] - 1e-12:
                best = (error, feature, step)
    return best


def slow_score(trees, column):
    total = 0.0
    for features, steps, votes in trees.parts:
        node = 0
        for level in range(trees.depth):
            at = (1 << level) - 1 + node
            node = 2 * node + int(column[features[at]] > steps[at])
        total += float(votes[node])
    return total


def random_crops(count, planes, rows, columns, seed):
    """Blocks and noise, some of it grey."""
    random = np.random.default_rng(seed)
    blocks = random.integers(0, 200, (count, planes, -(-rows // 5), -(-columns // 5)))
    crops = blocks.repeat(5, 2).repeat(5, 3)[:, :, :rows, :columns] + random.integers(0, 56, (count, planes, rows, columns))
    crops[0] = crops[0].mean(0)
    return crops.astype(np.uint8)


# --- tests ---


class Channels(unittest.TestCase):
    def test_they_are_the_definitions(self):
        for planes, shrink, smooth in ((3, 4, 1), (3, 2, 0), (1, 2, 1)):
            with self.subTest(planes=planes, shrink=shrink, smooth=smooth):
                crops = random_crops(3, planes, 16, 20, planes + shrink)
                crops[1, :, 4:12, 4:12] = 0  # black, and no gradient
                found = boost.channels(torch.from_numpy(crops), shrink, smooth).numpy()
                expected = np.stack([slow_channels(crop.astype(float), shrink, smooth) for crop in crops])
                self.assertEqual(found.shape, (3, planes + 7, 16 // shrink, 20 // shrink))
                np.testing.assert_allclose(found, expected, atol=2e-4)
                self.assertGreater(expected.std(axis=(0, 2, 3)).min(), 1e-3)  # or nothing would have been compared

    def test_white_and_grey_have_no_colour(self):
        for grey in (0.1, 1.0):
            light, u, v = boost.luv(torch.full((1, 3, 1, 1), grey)).flatten().tolist()
            self.assertAlmostEqual(light, (116 * grey ** (1 / 3) - 16) / 270, 5)
            self.assertAlmostEqual(u, 88 / 270, 4)
            self.assertAlmostEqual(v, 134 / 270, 4)

    def test_an_upright_edge_is_of_the_first_orientation(self):
        crop = torch.zeros((1, 1, 16, 16), dtype=torch.uint8)
        crop[..., 8:] = 200
        found = boost.channels(crop, 2, 0)[0]
        torch.testing.assert_close(found[2], found[1])
        self.assertGreater(float(found[1].max()), 1)
        self.assertEqual(float(found[3:].max()), 0)


class Filters(unittest.TestCase):
    def setUp(self):
        maps = boost.channels(torch.from_numpy(random_crops(4, 3, 24, 28, 7)), 2, 0)
        sums = [boost.patch_sums(part) for part in maps.split(3)]
        self.maps = maps.numpy().astype(float)
        self.filters = boost.decorrelating_filters(*(a + b for a, b in zip(*sums))).numpy()

    def test_they_are_eigenvectors_of_the_covariance(self):
        self.assertEqual(self.filters.shape, (10, 4, 5, 5))
        for plane, patches in enumerate(slow_patches(self.maps)):
            values, vectors = np.linalg.eigh(np.cov(patches.T, bias=True))
            self.assertGreater(np.diff(values[-5:]).min() / values[-1], 1e-5)  # else they are not one each
            for number in range(4):
                expected, found = vectors[:, -1 - number], self.filters[plane, number].flatten()
                self.assertAlmostEqual(abs(expected @ found), 1, 5, f"channel {plane}, filter {number}")

    def test_they_decorrelate(self):
        for plane, patches in enumerate(slow_patches(self.maps)):
            before = np.corrcoef(patches[:, [0, 1, 5, 6]].T)
            after = np.cov((patches @ self.filters[plane].reshape(4, 25).T).T)
            spread = np.sqrt(np.diag(after))
            apart = ~np.eye(4, dtype=bool)
            self.assertGreater(np.abs(before[apart]).max(), 0.3)
            self.assertLess(np.abs(after / np.outer(spread, spread))[apart].max(), 1e-4)
            self.assertTrue((np.diff(spread) < 0).all())

    def test_filtering_and_halving(self):
        found = boost.decorrelated(torch.from_numpy(self.maps), torch.from_numpy(self.filters)).numpy()
        self.assertEqual(found.shape, (4, 40, 6, 7))
        padded = np.pad(self.maps, ((0, 0), (0, 0), (2, 2), (2, 2)), mode="edge")
        for crop, plane, number, y, x in ((0, 0, 0, 0, 0), (1, 3, 2, 5, 6), (2, 9, 3, 2, 4), (3, 6, 1, 3, 0)):
            places = [(2 * y + v, 2 * x + u) for v in (0, 1) for u in (0, 1)]
            expected = np.mean([(padded[crop, plane, v:v + 5, u:u + 5] * self.filters[plane, number]).sum() for v, u in places])
            self.assertAlmostEqual(found[crop, 4 * plane + number, y, x], expected, 9)


class Windows(unittest.TestCase):
    def test_moved_and_mirrored(self):
        crops = random_crops(3, 3, 128, 72, 3)
        found = boost.windows(torch.from_numpy(crops), torch.tensor([0, 3, -30]), torch.tensor([0, -2, 1]), torch.tensor([False, False, True]), 48, 96).numpy()
        np.testing.assert_array_equal(found[0], crops[0, :, 16:112, 12:60])
        np.testing.assert_array_equal(found[1], crops[1, :, 14:110, 15:63])
        wide = np.pad(crops[2, :, :, ::-1], ((0, 0), (0, 0), (30, 30)), mode="edge")
        np.testing.assert_array_equal(found[2], wide[:, 17:113, 12:60])

    def test_they_are_what_a_network_sees(self):
        crops = torch.from_numpy(random_crops(2, 3, 128, 72, 4))
        one, none = torch.ones(2), torch.zeros(2)
        seen = train.viewed(crops.float(), one, none, none, none > 1, one * 1000)
        self.assertTrue(torch.equal(boost.windows(crops, *boost.as_they_are(2, "cpu")[0], 48, 96), torch.round(seen).to(torch.uint8)))

    def test_features_are_of_the_middle_of_the_channels(self):
        crops = torch.from_numpy(random_crops(5, 3, 128, 72, 5))
        copies = boost.as_they_are(5, "cpu")
        for kind, count in (("acf", 10 * 12 * 24), ("ldcf", 40 * 12 * 24)):
            features = boost.Features(kind, (48, 96), boost.DEFAULTS[kind]["shrink"], boost.DEFAULTS[kind]["smooth"])
            features.fit(crops, copies, 2)
            values = features.values(crops, *copies[0])
            self.assertEqual(values.shape, (5, count))
            steps = features.steps(crops, copies, 2)
            self.assertEqual(steps.shape, (count, 5))
            back = features.low[:, None] + features.step[:, None] * steps
            self.assertTrue(((back - values.T).abs() <= 0.501 * features.step[:, None] + 1e-6).all())
        # A change outside the crop and its rim is not seen; one inside is.
        outside, inside = crops.clone(), crops.clone()
        outside[:, :, :8] ^= 255
        outside[:, :, :, :4] ^= 255
        inside[:, :, 60:64, 30:34] ^= 255
        self.assertTrue(torch.equal(features.steps(outside, copies, 2), steps))
        self.assertFalse(torch.equal(features.steps(inside, copies, 2), steps))


def random_rows(features, crops, seed):
    """Steps, labels that depend on some of them, and weights."""
    random = np.random.default_rng(seed)
    rows = np.minimum(random.gamma(2, 30, (features, crops)), 255).astype(np.uint8)
    rows[0] = 0
    label = (rows[1].astype(int) + rows[2] + random.integers(0, 80, crops) > 160).astype(int)
    return rows, label, random.random(crops) ** 4 + 1e-4


class Splits(unittest.TestCase):
    def test_histograms_are_sums_of_weights(self):
        rows, label, weight = random_rows(7, 300, 1)
        node = np.random.default_rng(2).integers(0, 4, 300)
        for most in (1 << 20, 700):  # all features at once, or two
            found = boost.histograms(*map(torch.from_numpy, (rows, node, label, weight)), 4, most).numpy()
            expected = np.zeros((7, 4, 2, 256))
            for feature in range(7):
                for crop in range(300):
                    expected[feature, node[crop], label[crop], rows[feature, crop]] += weight[crop]
            np.testing.assert_allclose(found, expected, rtol=1e-12)

    def test_the_best_is_that_of_a_search_through_all(self):
        for seed in range(4):
            rows, label, weight = random_rows(9, 200, seed)
            node = np.random.default_rng(seed).integers(0, 3, 200)
            sums = boost.histograms(*map(torch.from_numpy, (rows, node, label, weight)), 4)
            row, step, error, splits = (part.tolist() for part in boost.best_splits(sums))
            for number in range(3):
                one = node == number
                expected = slow_split(rows[:, one], label[one], weight[one])
                self.assertAlmostEqual(error[number], expected[0], 9)
                self.assertEqual((row[number], step[number]), expected[1:])
                self.assertTrue(splits[number])
            self.assertFalse(splits[3])  # nobody is there

    def test_what_cannot_be_told_apart_is_not_split(self):
        rows = torch.full((3, 20), 77, dtype=torch.uint8)
        label = torch.arange(20) % 2
        features, steps, votes, leaf = boost.grown(rows, label, torch.full((20,), 0.05), 2, 1.0, True, torch.Generator().manual_seed(1))
        self.assertEqual(steps.tolist(), [255] * 3)
        self.assertEqual(leaf.tolist(), [0] * 20)
        self.assertAlmostEqual(float(votes[0]), 0, 5)


class Boosting(unittest.TestCase):
    def boosted(self, rows, label, weight, count, depth, real, share=1.0):
        trees = boost.Trees(depth)
        states = list(boost.boosted(torch.from_numpy(rows), torch.from_numpy(label), torch.from_numpy(weight).float(), trees, count, share, real,
                                    torch.Generator().manual_seed(1)))
        self.assertEqual(len(states), len(trees))
        return trees, states

    def test_scores_are_sums_of_votes(self):
        rows, label, weight = random_rows(12, 150, 5)
        trees, _ = self.boosted(rows, label, weight, 6, 3, True)
        expected = [slow_score(trees, column) for column in rows.T]
        self.assertGreater(np.std(expected), 0.5)
        for most in (1 << 20, 200):
            np.testing.assert_allclose(trees.scores(torch.from_numpy(rows), 0, most).numpy(), expected, atol=1e-5)
        rest = trees.scores(torch.from_numpy(rows), 4) + boost.tree_scores([p[:4] for p in trees.joined()], 3, torch.from_numpy(rows))
        np.testing.assert_allclose(rest.numpy(), expected, atol=1e-5)

    def test_new_weights_make_the_last_tree_worthless(self):
        # What AdaBoost is: discrete, the last tree is wrong by half of the new weight; real, either label has half of each leaf's.
        rows, label, weight = random_rows(12, 400, 6)
        sign = 2 * label - 1
        for real in (False, True):
            trees, states = self.boosted(rows, label, weight, 5, 2, real, 0.5)
            score = trees.scores(torch.from_numpy(rows)).numpy().astype(float)
            new = weight / weight.sum() * np.exp(-sign * score)
            self.assertAlmostEqual(float(states[-1]["loss"]), math.log(new.sum()), 4)
            self.assertAlmostEqual(float(states[-1]["wrong"]), (weight / weight.sum())[sign * score <= 0].sum(), 5)
            last = trees.scores(torch.from_numpy(rows), 4).numpy()
            if not real:
                self.assertAlmostEqual(new[sign * last < 0].sum() / new.sum(), 0.5, 4)
            for vote in np.unique(last) if real else ():
                if abs(vote) < boost.MOST_VOTE - 1e-3:
                    one = last == vote
                    self.assertAlmostEqual(new[one & (label == 1)].sum() / new[one].sum(), 0.5, 3)

    def test_trees_of_depth_2_learn_what_depends_on_two_features(self):
        random = np.random.default_rng(8)
        rows = random.integers(0, 256, (8, 1200)).astype(np.uint8)
        label = ((rows[2] > 120) ^ (rows[5] > 140)).astype(int)
        part = slice(0, 600)
        wrong = {}
        for depth in (1, 2):
            trees, _ = self.boosted(rows[:, part], label[part], np.ones(600), 40, depth, False)
            score = trees.scores(torch.from_numpy(rows[:, 600:])).numpy()
            wrong[depth] = ((score > 0) != label[600:]).mean()
        self.assertGreater(wrong[1], 0.3)
        self.assertLess(wrong[2], 0.05)

    def test_parameters_are_those_of_nodes_that_split(self):
        trees = boost.Trees(2)
        trees.add(torch.tensor([4, 1, 1]), torch.tensor([9, 255, 3]), torch.zeros(4))
        trees.add(torch.tensor([0, 0, 0]), torch.tensor([255, 255, 255]), torch.zeros(4))
        self.assertEqual(trees.parameters(), 2 * 2 + 3 + 1)


def made_crop(person, random):
    """Noise; a person is a light upright bar in the middle, anything else one that lies."""
    picture = random.integers(60, 120, (128, 72, 3))
    if person:
        picture[36:92, 28:44] += 90
    else:
        picture[56:72, 10:62] += 90
    return picture.astype(np.uint8)


def write_pack(folder, rows, random):
    """rows: label, fold, source, what is shown, score."""
    data, table = b"", []
    for label, fold, source, person, score in rows:
        done, coded = cv2.imencode(".webp", made_crop(person, random), [cv2.IMWRITE_WEBP_QUALITY, 90])
        assert done
        table.append([len(data), len(coded), label, 0, 0, 0, 80, score, fold, source, "", 0])
        data += coded.tobytes()
    pathlib.Path(folder, "crops.bin").write_bytes(data)
    with open(os.path.join(folder, "crops.csv"), "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([pack.COLUMNS, *table])


class Program(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        random = np.random.default_rng(11)
        truth = [(label, fold, source, label == 1, f"{random.random():.3f}")
                 for fold in (0, 1) for source in ("day", "night") for label in (0, 1) for _ in range(22)]
        # To be left out: badly placed ones that look like anything else, and others with people whom the truth lacks.
        near = [(-1, 1, "day", False, "0.9")] * 60
        unlabelled = [(0, 1, "night", True, "0.9")] * 60
        write_pack(self.folder, truth + near + unlabelled, random)
        self.listed = os.path.join(self.folder, "unlabelled.txt")
        first = len(truth) + len(near)
        pathlib.Path(self.listed).write_text(train.identity(self.folder) + "\n" + "".join(f"{first + i} 5.00\n" for i in range(60)), encoding="utf-8")

    def run_program(self, *words):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            boost.main(["--pack", self.folder, "--times", "3", "--share", "0.25", *words])
        return [json.loads(line) for line in out.getvalue().splitlines() if line.startswith("{")]

    def test_it_tells_apart_and_is_judged_as_a_network(self):
        for kind in ("acf", "ldcf"):
            with self.subTest(kind):
                lines = self.run_program("--kind", kind, "--fold", "0", "--trees", "6", "--report", "4", "--leave-out", self.listed)
                self.assertEqual([line.get("step") for line in lines], [4, 6, None])
                for line in lines[:2]:
                    for figures in (line, line["day"], line["night"]):
                        self.assertEqual(figures["trees"], {"area": 1.0, "missed_0.1": 0.0, "missed_0.01": 0.0, "missed_0.001": 0.0})
                        self.assertLess(figures["cascade"]["area"], 0.9)
                loaded = train.Pack(self.folder, False, "cpu")
                held = (loaded.fold == 0).numpy()
                self.assertEqual(lines[0]["cascade"], train.judge(loaded.label.numpy()[held], loaded.score[held]))
                self.assertEqual(lines[2]["tree_count"], 6)
                self.assertGreater(lines[2]["ms_per_crop_of_30"], 0)
                self.assertGreater(lines[2]["memory_mb"], 0)
                self.assertEqual(lines[2]["features"], {"acf": 2880, "ldcf": 11520}[kind])

    def test_listed_crops_are_left_out(self):
        wrong = [self.run_program("--kind", "acf", "--trees", "1", "--fold", "0", *words)[0]["wrong"] for words in ((), ("--leave-out", self.listed))]
        self.assertGreater(wrong[0], 0.1)
        self.assertEqual(wrong[1], 0)

    def test_the_seed_decides(self):
        words = ("--kind", "acf", "--trees", "3", "--report", "1", "--share", "0.01", "--shifts", "1", "--crops", "60", "--grey")
        losses = [[line.get("loss") for line in self.run_program(*words, "--seed", seed)] for seed in ("1", "1", "2")]
        self.assertEqual(losses[0], losses[1])
        self.assertNotEqual(losses[0], losses[2])

    def test_bad_options_are_refused(self):
        for words in (("--kind", "ldcf", "--view", "46x96"), ("--kind", "acf", "--depth", "0"), ("--kind", "acf", "--share", "0"), ("--kind", "hog")):
            with self.subTest(words), contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit) as stopped:
                self.run_program(*words)
            self.assertEqual(stopped.exception.code, 2)


if __name__ == "__main__":
    sys.exit(0 if unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result.wasSuccessful() else 1)
