#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/net/pack.py and crop.py: crops against the definition pixel by pixel and against the product's, made labels, made recipes.

usage: test_pack.py [COMMAND...]    (COMMAND runs crop_samples, which cuts a crop as the product does)

Exits 77 where a test was skipped, as NumPy, OpenCV for Python or the command is absent.
"""
import contextlib
import csv
import io
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "tools/net"))
sys.dont_write_bytecode = True

try:
    import numpy as np
    import tomllib  # Python 3.11
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-numpy)")
    sys.exit(77)
try:
    import cv2
except ImportError:
    cv2 = None

import crop
import pack

NEEDS_CV2 = unittest.skipIf(cv2 is None, "no cv2 for this Python (Debian: python3-opencv)")
CROP_SAMPLES = sys.argv[1:]


def slow_crop(picture, shape, box):
    """gpu/net/crop.hpp, word by word: one pixel, one sample at a time, in whole numbers."""
    x, y, w, h = (float(np.float32(v)) for v in box)
    step = max(1024, min(1 << 24, int(np.rint(h / shape.person_height * 65536))))
    left = int(np.rint((x + w / 2) * 65536)) - step * shape.width // 2
    top = int(np.rint((y + h / 2) * 65536)) - step * shape.height // 2
    taps = min(16, max(1, math.ceil(step / 65536)))
    rows, columns, planes = picture.shape

    def samples(start, i, side):
        out = []
        for j in range(taps):
            p = start + ((2 * (i * taps + j) + 1) * step) // (2 * taps) - 32768
            f = (p >> 8) & 255
            out += [(min(max(p >> 16, 0), side - 1), 256 - f), (min(max((p >> 16) + 1, 0), side - 1), f)]
        return out

    whole = (256 * taps) ** 2
    out = np.zeros((shape.height, shape.width, planes), np.uint8)
    for row in range(shape.height):
        for column in range(shape.width):
            sums = [whole // 2] * planes
            for cy, wy in samples(top, row, rows):
                for cx, wx in samples(left, column, columns):
                    for plane in range(planes):
                        sums[plane] += wx * wy * int(picture[cy, cx, plane])
            out[row, column] = [s // whole for s in sums]
    return out


def random_picture(width, height, seed):
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


# Inside, smaller and larger than in the crop, over each edge, beside the picture, in fractions of a pixel.
BOXES = [(20, 10, 26.24, 64), (3.3, 5.7, 9.9, 23.4), (10.25, 4.5, 40, 97.3), (-30, -50, 60, 130.1), (70, 60, 41, 100), (200, 10, 41, 70), (5, 5, 3, 0.5),
         (30, 20, 200, 700)]


class Crops(unittest.TestCase):
    def test_a_crop_is_the_definition_bit_for_bit(self):
        shape = crop.Shape(12, 20, 10)  # smaller than the product's: the slow version is slow
        picture = random_picture(97, 83, 1)
        for box in BOXES:
            actual = crop.cut_crop(picture, shape, crop.place_crop(shape, box))
            self.assertEqual(slow_crop(picture, shape, box).tolist(), actual.tolist(), box)

    def test_a_crop_of_the_same_size_is_the_picture(self):
        picture = random_picture(200, 200, 2)
        box = (80.0, 70.0, 26.0, 64.0)  # the middle is at 93, 102
        actual = crop.cut_crop(picture, crop.PACKED, crop.place_crop(crop.PACKED, box))
        self.assertTrue((actual == picture[38:166, 57:129]).all())

    def test_beyond_the_picture_its_last_pixels_are_repeated(self):
        picture = random_picture(50, 50, 3)
        actual = crop.cut_crop(picture, crop.PACKED, crop.place_crop(crop.PACKED, (-113.0, -200.0, 26.0, 64.0)))
        self.assertTrue((actual == picture[0, 0]).all())

    def test_boxes_are_floats_as_a_detection_has_them(self):
        place = crop.place_crop(crop.PACKED, (40000.3, 7.0, 0.0, 64.0))  # the nearest float is 40000.30078125
        self.assertEqual((place.left, place.top, place.step, place.taps), (2621459712 - 36 * 65536, 39 * 65536 - 64 * 65536, 65536, 1))

    @unittest.skipUnless(CROP_SAMPLES, "no crop_samples: this build has no gpu/net")
    def test_a_crop_is_the_products_bit_for_bit(self):
        with tempfile.TemporaryDirectory() as folder:
            raw, out = os.path.join(folder, "in"), os.path.join(folder, "out")
            for number, (width, height) in enumerate([(640, 480), (97, 83), (1, 1)]):
                picture = random_picture(width, height, number)
                pathlib.Path(raw).write_bytes(picture.transpose(2, 0, 1).tobytes())
                for box in [*BOXES, (300.1, 100.7, 90, 333.3), (100, -400, 500, 1100)]:
                    for shape in (crop.PACKED, crop.Shape(48, 96, 64)):
                        words = [raw, width, height, shape.width, shape.height, shape.person_height, *box, out]
                        subprocess.run([*CROP_SAMPLES, *map(str, words)], check=True)
                        theirs = np.frombuffer(pathlib.Path(out).read_bytes(), np.uint8).reshape(3, shape.height, shape.width)
                        ours = crop.cut_crop(picture, shape, crop.place_crop(shape, box))
                        self.assertTrue((ours == theirs.transpose(1, 2, 0)).all(), (width, height, box, shape))


def detection(x, y, h, score, label, **more):
    return {"x": x, "y": y, "w": 0.41 * h, "h": h, "score": score, "label": label, **more}


def false_one(x, score, thing=None, overlap=0.0, ignored_share=0.0, h=60.0):
    return detection(x, 10.0, h, score, "false", thing=thing, overlap=overlap, ignored_share=ignored_share)


def label_line(image="a.png", people=(), things=(), detections=(), **more):
    line = {"set": "s", "model": "m", "image": image, "width": 200, "height": 150, "ignored": []}
    return {**line, "people": list(people), "things": list(things), "detections": list(detections), **more}


def person(x, y, w, h):
    return {"x": x, "y": y, "w": w, "h": h, "found": None}


def thing(x, kind, overlap=0.0, ignored=False, h=60.0):
    return {"x": x, "y": 0.0, "w": 20.0, "h": h, "class": kind, "overlap": overlap, "ignored": ignored}


def source(**keys):
    return {**{key: rule[0] for key, rule in pack.SOURCE_KEYS.items()}, "name": "s", "quality": 88, **keys}


def taken(line, **keys):
    return pack.samples_of_line(line, source(**keys), -1, np.random.default_rng(1))


class Choosing(unittest.TestCase):
    def test_people_and_their_candidates_have_offsets(self):
        line = label_line(people=[person(100, 50, 40, 100)], detections=[detection(90.0, 30.0, 80.0, 2.5, "person", truth=0, overlap=0.6)])
        themselves, candidate = taken(line)
        self.assertEqual((themselves.label, themselves.offset, themselves.box), (1, (0, 0, 0), (100, 50, 40, 100)))
        self.assertTrue(math.isnan(themselves.score))
        self.assertEqual((candidate.label, candidate.score), (1, 2.5))
        # Middles: 120, 100 and 90 + 16.4, 70.
        for expected, actual in zip((13.6 / 80, 30 / 80, 0.25), candidate.offset):
            self.assertAlmostEqual(expected, actual, 12)

    def test_a_duplicate_belongs_to_its_person(self):
        line = label_line(people=[person(0, 0, 40, 100), person(100, 0, 41, 100)],
                          detections=[detection(100.0, 10.0, 100.0, 1, "duplicate", truth=1, overlap=0.8)])
        (sample,) = taken(line, people=False)
        self.assertEqual(sample.label, 1)
        self.assertAlmostEqual(sample.offset[1], -0.1)
        self.assertAlmostEqual(sample.offset[0], 0)

    def test_only_what_is_clearly_nobody_is_false(self):
        line = label_line(people=[person(10, 10, 25, 60)],
                          detections=[false_one(0.0, 5, "bin"), {**false_one(1.0, 4, overlap=0.24), "truth": 0},
                                      {**false_one(2.0, 3, overlap=0.25), "truth": 0}, false_one(3.0, 2, ignored_share=0.31),
                                      detection(4.0, 0.0, 60.0, 1, "ignored")])
        self.assertEqual([(s.box[0], s.label, s.kind) for s in taken(line, people=False, near=False)], [(0, 0, "bin"), (1, 0, "")])

    def test_badly_placed_ones_tell_where_the_person_is(self):
        line = label_line(people=[person(0, 0, 41, 100), person(100, 0, 41, 100)],
                          detections=[detection(100.0, 30.0, 80.0, 3, "false", thing="car", overlap=0.45, ignored_share=0.0, truth=1),
                                      detection(0.0, 0.0, 70.0, 2, "false", thing=None, overlap=0.3, ignored_share=0.0, truth=0),
                                      detection(0.0, 20.0, 90.0, 1, "false", thing=None, overlap=0.4, ignored_share=0.3, truth=0)])
        (sample,) = taken(line, people=False)  # of the second the height is off by 100 / 70 - 1 > 0.4
        self.assertEqual((sample.label, sample.group, sample.kind), (-1, pack.BESIDE, ""))
        for expected, actual in zip(((120.5 - 116.4) / 80, -20 / 80, 0.25), sample.offset):
            self.assertAlmostEqual(expected, actual, 12)

    def test_small_and_misshapen_ones_are_left_out(self):
        line = label_line(people=[person(0, 0, 10, 23), person(50, 0, 10, 60), person(80, 0, 50, 60), person(120, 0, 24, 60)],
                          detections=[false_one(0.0, 1, h=23.9), false_one(9.0, 1, h=24.0)], things=[thing(1.0, "bin", h=20.0)])
        self.assertEqual([s.box[0] for s in taken(line, things=["*"])], [120, 9])

    def test_things_are_taken_by_name_where_nobody_is_near(self):
        things = [thing(0.0, "bin"), thing(1.0, "pole"), thing(2.0, "bin", overlap=0.11), thing(3.0, "bin", ignored=True), thing(4.0, "sign")]
        line = label_line(things=things)
        self.assertEqual([], taken(line))
        self.assertEqual([(s.box[0], s.label, s.kind) for s in taken(line, things=["bin", "sign"])], [(0, 0, "bin"), (4, 0, "sign")])
        self.assertEqual(3, len(taken(line, things=["*"])))

    def test_of_many_in_a_picture_the_better_half_and_some_of_the_others(self):
        line = label_line(detections=[false_one(float(i), i % 50 + i / 1000) for i in range(100)])
        samples = taken(line, most_per_picture=11)
        scores = [s.score for s in samples]
        best = sorted((d["score"] for d in line["detections"]), reverse=True)
        self.assertEqual(scores[:6], best[:6])
        self.assertEqual(len(samples), 11)
        self.assertEqual(len(set(scores)), 11)
        self.assertNotEqual(scores[6:], best[6:11])
        self.assertEqual(samples, taken(line, most_per_picture=11))

    def test_the_truth_of_a_picture_is_taken_once_and_every_detectors_candidates(self):
        line = label_line(people=[person(100, 50, 40, 100)], things=[thing(0.0, "bin")], detections=[false_one(9.0, 1)])
        with tempfile.TemporaryDirectory() as folder:
            text = json.dumps(line) + "\n" + json.dumps({**line, "model": "other"}) + "\n"
            pathlib.Path(folder, "l.jsonl").write_text(text, encoding="utf-8")
            samples = pack.samples_of_labels(source(labels=["l.jsonl"], things=["*"]), folder, np.random.default_rng(1))
        self.assertEqual([s.group for s in samples], [pack.PEOPLE, pack.NOTHING, "bin", pack.NOTHING])

    def test_kinds_are_limited(self):
        samples = [pack.Sample("a", (i, 0, 1, 1), 0, kind="pole" if i % 2 else "") for i in range(40)]
        kept = pack.limited(samples, {"pole": 3, pack.NOTHING: 5}, np.random.default_rng(1))
        self.assertEqual([sum(s.kind == kind for s in kept) for kind in ("pole", "")], [3, 5])
        self.assertEqual(kept, sorted(kept, key=lambda s: s.box[0]))
        self.assertEqual(samples, pack.limited(samples, {"bin": 0}, np.random.default_rng(1)))


class Folder(unittest.TestCase):
    """The program, in a folder of its own."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def write(self, name, text):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def write_lines(self, name, *lines):
        self.write(name, "".join(json.dumps(line) + "\n" for line in lines))

    def run_pack(self, recipe, *words):
        self.write("recipe.toml", recipe)
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = pack.main(["--recipe", str(self.path / "recipe.toml"), "--data", str(self.path), "--work", str(self.path),
                              "--out", str(self.path / "out"), *words])
        return code, out.getvalue(), err.getvalue()

    def expect_bad(self, recipe, part):
        code, _, err = self.run_pack(recipe)
        self.assertEqual((code, err.count("\n")), (2, 1), err)
        self.assertIn(part, err)
        self.assertFalse((self.path / "out").exists())

    def rows(self):
        with open(self.path / "out/crops.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


class Recipes(Folder):
    def test_what_is_wrong_is_one_line(self):
        good = '[[source]]\nname = "a"\nlabels = ["l.jsonl"]\n'
        for recipe, part in [
            ("", "needs a table [[source]]"),
            ("seed = ", "recipe.toml: "),
            ("sed = 1\n" + good, "unknown key 'sed'"),
            ("most_mb = 0\n" + good, "most_mb must be a number greater than 0"),
            (good + "qualty = 3", "source 1 (a): unknown key 'qualty'; known are name, quality"),
            (good + "quality = 101", "quality must be a whole number, 1..100"),
            (good + "people = 1", "people must be true or false"),
            (good + "most = { bin = -1 }", "most must be a table of whole numbers"),
            (good + "repeat = { bin = 0 }", "repeat must be a table of whole numbers of at least 1"),
            (good + "least_aspect = 0.8", "least_aspect must not be greater"),
            (good + "person = 3", "person is not for a source of labels"),
            (good + 'crops = "c"', "needs either labels or crops"),
            (good + good, "source 2 (a): name must differ"),
            ('[[source]]\nlabels = ["l.jsonl"]', "source 1: name must be given"),
            ('[[source]]\nname = "c"\ncrops = "c"', "person must be given"),
            (good, "l.jsonl: No such file"),
        ]:
            with self.subTest(part):
                self.expect_bad(recipe, part)

    def test_damaged_labels_and_folds_are_one_line(self):
        good = '[[source]]\nname = "a"\nlabels = ["l.jsonl"]\n'
        self.write("l.jsonl", "{\n")
        self.expect_bad(good, "l.jsonl:1: not JSON")
        self.write("l.jsonl", '\n{"image": "a.png", "detections": []}\n')
        self.expect_bad(good, 'l.jsonl:2: no "set"')
        self.write_lines("l.jsonl", label_line(detections=[detection(0, 0, 60, 1, "person", truth=0, overlap=1)]))
        self.expect_bad(good, "l.jsonl:1: damaged label line")
        self.write_lines("l.jsonl", label_line())
        self.expect_bad(good, "source a: nothing is left")
        self.expect_bad(good + 'sets = ["s", "t"]', "source a: its labels have no set 't'")
        self.expect_bad(good + 'models = ["m", "n"]', "source a: its labels have no model 'n'")
        self.write("0.txt", "a.png\n")
        self.write("1.txt", "b.png\na.png\n")
        self.expect_bad(good + 'folds = ["0.txt", "1.txt"]', "1.txt: a.png is also in part 0")
        self.expect_bad(good + 'folds = ["2.txt"]', "2.txt: No such file")

    def test_the_recipe_of_the_repository_is_good(self):
        recipe = pack.read_recipe(str(ROOT / "models/training/pack.toml"))
        self.assertTrue(recipe["source"])
        self.assertLessEqual(recipe["most_mb"], 50)


@NEEDS_CV2
class Packs(Folder):
    def picture(self, name, seed=1, width=200, height=150):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        small = random_picture(width // 20, height // 20, seed)  # smooth, as WebP keeps it
        cv2.imwrite(str(path), cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC))
        return str(path)

    def crop(self, row):
        data = (self.path / "out/crops.bin").read_bytes()[int(row["start"]) : int(row["start"]) + int(row["size"])]
        return cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)

    def test_a_pack_holds_what_the_labels_say(self):
        one, two, three = (self.picture(f"p/{name}.png", seed) for seed, name in enumerate("abc"))
        line = label_line(one, people=[person(100, 20, 40, 100)],
                          detections=[detection(95.0, 30.0, 80.0, 2.5, "person", truth=0, overlap=0.6), false_one(10.0, 1.25, "bin")],
                          things=[thing(30.0, "pole")])
        self.write_lines("l.jsonl", line, {**line, "model": "other"}, label_line(two, detections=[false_one(20.0, 7)]),
                         label_line(three, detections=[false_one(20.0, 7)]), label_line(three, set="other", detections=[false_one(20.0, 7)]))
        self.picture("crops/x.png", 5, 64, 128)
        self.write("0.txt", "b.png\n")
        self.write("1.txt", "a.png\n")
        code, out, err = self.run_pack('seed = 3\n[[source]]\nname = "street"\nlabels = ["l.jsonl"]\nsets = ["s"]\nmodels = ["m"]\n'
                                       'folds = ["0.txt", "1.txt"]\nthings = ["pole"]\nrepeat = { bin = 2, people = 1 }\n'
                                       '[[source]]\nname = "alone"\ncrops = "crops"\nperson = 96\n')
        self.assertEqual((code, err), (0, ""))
        rows = self.rows()
        facts = [(row["label"], row["kind"], row["fold"], row["source"], row["picture"], row["score"], row["height"]) for row in rows]
        self.assertEqual(facts, [
            ("1", "", "1", "street", "0", "nan", "100"), ("1", "", "1", "street", "0", "2.5", "80"), ("0", "bin", "1", "street", "0", "1.25", "60"),
            ("0", "bin", "1", "street", "0", "1.25", "60"), ("0", "pole", "1", "street", "0", "nan", "60"),
            ("0", "", "0", "street", "1", "7", "60"), ("1", "", "-1", "alone", "2", "nan", "96")])
        self.assertEqual(list(rows[0]), pack.COLUMNS)
        self.assertEqual((rows[2]["start"], rows[2]["size"]), (rows[3]["start"], rows[3]["size"]))  # stored once
        self.assertEqual([float(rows[1][key]) for key in ("dx", "dy", "dh")], [0.1075, 0, 0.25])
        self.assertEqual((self.path / "out/pictures.txt").read_text().splitlines(), [one, two, str(self.path / "crops/x.png")])
        picture = cv2.imread(one)
        for row, box in ((rows[0], (100, 20, 40, 100)), (rows[1], (95, 30, 0.41 * 80, 80)), (rows[4], (30, 0, 20, 60))):
            expected = crop.cut_crop(picture, crop.PACKED, crop.place_crop(crop.PACKED, box)).astype(int)
            actual = self.crop(row)
            self.assertEqual(actual.shape, (128, 72, 3))
            self.assertLess(abs(actual - expected).mean(), 4)
        for part in ("street", "bin 2", "pole 1", "nothing 1", "7 rows"):
            self.assertIn(part, out)
        size = sum(file.stat().st_size for file in (self.path / "out").iterdir())
        self.assertEqual(sorted(os.listdir(self.path / "out")), ["crops.bin", "crops.csv", "pictures.txt"])
        self.assertLess(size, 1e6)

    def test_the_same_recipe_gives_the_same_bytes_and_another_seed_others(self):
        one = self.picture("a.png")
        self.write_lines("l.jsonl", label_line(one, detections=[false_one(float(i), i) for i in range(30)]))
        recipe = 'seed = {}\n[[source]]\nname = "a"\nlabels = ["l.jsonl"]\nmost_per_picture = 6\n'
        packs = []
        for seed in (1, 1, 2):
            self.assertEqual(self.run_pack(recipe.format(seed))[0], 0)
            packs.append([(self.path / "out" / name).read_bytes() for name in ("crops.bin", "crops.csv")])
        self.assertEqual(packs[0], packs[1])
        self.assertNotEqual(packs[0][1], packs[2][1])

    def test_a_pack_that_is_too_large_is_refused_and_nothing_is_written(self):
        one = self.picture("a.png")
        self.write_lines("l.jsonl", label_line(one, people=[person(100, 20, 40, 100)]))
        self.expect_bad('most_mb = 0.0001\n[[source]]\nname = "a"\nlabels = ["l.jsonl"]\n', "is more than most_mb = 0.0001")

    def test_pictures_that_cannot_be_read_are_one_line(self):
        self.write("a.png", "no picture")
        self.write_lines("l.jsonl", label_line(str(self.path / "a.png"), people=[person(100, 20, 40, 100)]))
        self.expect_bad('[[source]]\nname = "a"\nlabels = ["l.jsonl"]\n', "a.png: cannot be read")
        self.expect_bad('[[source]]\nname = "a"\ncrops = "none"\nperson = 9\n', "none: No such file")

    def test_every_nth_picture_and_lower_quality_make_it_smaller(self):
        self.write_lines("l.jsonl", *(label_line(self.picture(f"{i}.png", i), people=[person(100, 20, 40, 100)]) for i in range(6)))
        recipe = '[[source]]\nname = "a"\nlabels = ["l.jsonl"]\n'
        self.assertEqual(self.run_pack(recipe)[0], 0)
        before = self.rows()
        self.assertEqual(self.run_pack(recipe + "every = 3\nquality = 30\n")[0], 0)
        after = self.rows()
        self.assertEqual((len(before), len(after)), (6, 2))
        self.assertLess(int(after[0]["size"]), int(before[0]["size"]))


class Help(unittest.TestCase):
    def test_help_has_an_example_and_every_key(self):
        done = subprocess.run([sys.executable, str(ROOT / "tools/net/pack.py"), "--help"], capture_output=True, text=True, check=True)
        self.assertIn("python3 tools/net/pack.py --recipe", done.stdout)
        for key in [*pack.RECIPE_KEYS, *pack.SOURCE_KEYS]:
            self.assertIn(f"  {key} = ", done.stdout)


if __name__ == "__main__":
    result = unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result
    sys.exit(1 if not result.wasSuccessful() else 77 if result.skipped else 0)
