#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs labelled crops into a folder small enough to carry to a machine that has a GPU but not the pictures.

    kerblab eval detector --model first.kwm --sets sets.toml --data ../shared/data --labels build/net/labels.jsonl
    python3 tools/net/pack.py --recipe models/training/pack.toml --data ../shared/data --work build/net --out build/net/pack

Who is a person and what a detection is, is read from the label files; nothing is matched here (docs/kerblab.md#labels). Needs NumPy and
OpenCV for Python (Debian: python3-numpy, python3-opencv).

A crop is 72 x 128 pixels around a box whose person is 64 pixels high in the middle: what a network sees (48 x 96), and room to move it in
training. It is cut as gpu/net/crop.hpp says, then stored as WebP. In a crop are
  label 1   people of the truth, and detections of them ("person", "duplicate")
  label 0   false detections that overlap people by less than 0.25 and regions to ignore by less than 0.3, and labelled things with nobody near
  label -1  false detections that overlap somebody by 0.25 and more, and whose person's middle and height differ by less than 0.4 of their own
            height: badly placed. Where the person is can be learnt from them

OUT holds
  crops.bin     the WebP pictures, one after the other
  crops.csv     a row each: start,size (bytes in crops.bin), label, dx,dy,dh, height, score, fold, source, kind, picture
  pictures.txt  the paths of the pictures; the first line is picture 0
dx, dy: how far right of and below the crop's middle the person's is, in heights of the crop's person; dh: the person's height over that of
the crop's person, less 1. height: of the crop's person in the picture, pixels. score: of the detection; nan where the crop is of the truth.
fold: the part that the picture is in; -1: in none. kind: class of the thing in a crop with label 0; empty where nothing is labelled.
"""
import argparse
import collections
import csv
import dataclasses
import io
import json
import math
import os
import pathlib
import sys
import tomllib

try:
    import numpy as np

    import crop
except ImportError:
    np = crop = None  # said by main(), after --help
try:
    import cv2
except ImportError:
    cv2 = None  # said when the first picture is read: choosing needs none

ASPECT = 0.41  # of the box around the person in a crop of one person
NEAR = 0.25  # a false detection that overlaps a person by this or more is badly placed
FAR_OFF = 0.4  # but not so badly: the person's middle and height differ by less of the detection's height
APART = 0.3  # a false detection lies in no region to ignore by this or more
THING_APART = 0.1  # a thing overlaps no person by more
COLUMNS = "start,size,label,dx,dy,dh,height,score,fold,source,kind,picture".split(",")
NOTHING, PEOPLE, BESIDE = "nothing", "people", "near"  # in `most` and `repeat`, beside classes of things

RECIPE_HELP = """\
recipe (TOML; paths of labels and folds begin at --work, of crops at --data, of pictures where kerblab was started):
  seed = 1              of what is drawn by chance
  quality = 88          of the WebP pictures, 1..100
  most_mb = 50          a larger pack is refused
  [[source]]
  name = "msrs-night"   in the table and in crops.csv
  labels = ["a.jsonl"]  files of kerblab eval detector --labels
  sets = ["night"]      only lines of these sets; default: all
  models = ["first"]    only lines of these detectors; default: all
  folds = ["0.txt", "1.txt"]  lists of file names, part 0 first; pictures in no list are left out. Default: all pictures, fold -1
  people = true         take the people of the truth themselves
  candidates = true     take detections of people, with their offsets
  near = true           take badly placed detections of people, with their offsets
  negatives = true      take false detections
  things = ["bin"]      take labelled things of these classes with nobody near; ["*"]: of all classes
  least_height = 24     pixels in the picture, of everything taken
  least_aspect = 0.2    width over height of the people of the truth themselves
  most_aspect = 0.7
  most_per_picture = 40 detections: the better half by score, the others by chance
  every = 1             take every Nth picture
  quality = 88          instead of that of the recipe
  most = { nothing = 5000, pole = 300 }  at most so many crops: false ones on a class, on nothing labelled, people, near; by chance
  repeat = { bin = 3 }  so many rows for a crop; its bytes are stored once
or, instead of labels and what follows from them:
  crops = "market/img"  a folder of pictures with one person each, in the middle
  person = 128          their height, pixels
"""


class BadInput(Exception):
    """What is wrong, in one line."""


# --- the recipe ---


def is_count(value, least=0):
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def is_text(value):
    return isinstance(value, str) and value != ""


def is_texts(value):
    return isinstance(value, list) and value != [] and all(map(is_text, value))


def is_counts(least):
    return lambda value: isinstance(value, dict) and all(is_count(count, least) for count in value.values())


TEXT, TEXTS = (is_text, "a text"), (is_texts, "a list of texts")
FLAG, SIZE = (lambda v: isinstance(v, bool), "true or false"), (lambda v: is_number(v) and v >= 0, "a number of at least 0")
WHOLE = (lambda v: is_count(v, 1), "a whole number of at least 1")
QUALITY = (lambda v: is_count(v, 1) and v <= 100, "a whole number, 1..100")
# key: default, rule, the kind of source it is for
RECIPE_KEYS = {"seed": (1, (is_count, "a whole number of at least 0")), "quality": (88, QUALITY),
               "most_mb": (50, (lambda v: is_number(v) and v > 0, "a number greater than 0"))}
SOURCE_KEYS = {
    "name": (None, TEXT, "both"), "quality": (None, QUALITY, "both"), "every": (1, WHOLE, "both"),
    "most": ({}, (is_counts(0), "a table of whole numbers of at least 0"), "both"),
    "repeat": ({}, (is_counts(1), "a table of whole numbers of at least 1"), "both"),
    "crops": (None, TEXT, "crops"), "person": (None, (lambda v: is_number(v) and v > 0, "a number greater than 0"), "crops"),
    "labels": (None, TEXTS, "labels"), "sets": (None, TEXTS, "labels"), "models": (None, TEXTS, "labels"), "folds": (None, TEXTS, "labels"),
    "people": (True, FLAG, "labels"), "candidates": (True, FLAG, "labels"), "near": (True, FLAG, "labels"),
    "negatives": (True, FLAG, "labels"), "things": ([], TEXTS, "labels"),
    "least_height": (24, SIZE, "labels"), "least_aspect": (0.2, SIZE, "labels"), "most_aspect": (0.7, SIZE, "labels"),
    "most_per_picture": (40, WHOLE, "labels"),
}


def checked(table, keys, where):
    """The table with all defaults, or BadInput for the first key that is wrong."""
    for key, value in table.items():
        if key not in keys:
            raise BadInput(f"{where}: unknown key '{key}'; known are {', '.join(keys)}")
        holds, words = keys[key][1]
        if not holds(value):
            raise BadInput(f"{where}: {key} must be {words}")
    return {key: table.get(key, rule[0]) for key, rule in keys.items()}


def read_recipe(path):
    """The recipe with all defaults, its sources under "source"."""
    try:
        with open(path, "rb") as file:
            tree = tomllib.load(file)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: {error}") from None
    sources = tree.pop("source", [])
    recipe = checked(tree, RECIPE_KEYS, path)
    if not isinstance(sources, list) or not sources or not all(isinstance(source, dict) for source in sources):
        raise BadInput(f"{path}: needs a table [[source]] at least")
    recipe["source"] = []
    for number, table in enumerate(sources, 1):
        name = table.get("name")
        where = f"{path}: source {number}" + (f" ({name})" if is_text(name) else "")
        source = checked(table, SOURCE_KEYS, where)
        if name is None:
            raise BadInput(f"{where}: name must be given")
        if any(name == other["name"] for other in recipe["source"]):
            raise BadInput(f"{where}: name must differ from those of other sources")
        if ("labels" in table) == ("crops" in table):
            raise BadInput(f"{where}: needs either labels or crops")
        kind = "labels" if "labels" in table else "crops"
        for key in table:
            if SOURCE_KEYS[key][2] not in ("both", kind):
                raise BadInput(f"{where}: {key} is not for a source of {kind}")
        if kind == "crops" and "person" not in table:
            raise BadInput(f"{where}: person must be given, the height of the people in pixels")
        if source["least_aspect"] > source["most_aspect"]:
            raise BadInput(f"{where}: least_aspect must not be greater than most_aspect")
        source["quality"] = source["quality"] or recipe["quality"]
        recipe["source"].append(source)
    return recipe


# --- choosing ---


@dataclasses.dataclass(frozen=True)
class Sample:
    """A crop that is to be cut."""

    picture: str  # its path
    box: tuple  # x, y, w, h of the crop's person
    label: int
    offset: tuple = (0.0, 0.0, 0.0)
    score: float = math.nan
    fold: int = -1
    kind: str = ""

    @property
    def group(self):
        """What `most` and `repeat` call it."""
        return {1: PEOPLE, 0: self.kind or NOTHING, -1: BESIDE}[self.label]


def box_of(item):
    return tuple(float(item[key]) for key in "xywh")


def offset_of(box, person):
    """Where a person is, seen from the crop around a box."""
    x, y, w, h = box
    px, py, pw, ph = person
    return (px + pw / 2 - x - w / 2) / h, (py + ph / 2 - y - h / 2) / h, ph / h - 1


def samples_of_line(line, source, fold, random):
    """What is taken of one picture, as the labels of one detector have it."""
    least = source["least_height"]
    picture = line["image"]
    people = [box_of(person) for person in line["people"]]
    samples = []
    if source["people"]:
        for box in people:
            if box[3] >= least and source["least_aspect"] <= box[2] / box[3] <= source["most_aspect"]:
                samples.append(Sample(picture, box, 1, fold=fold))
    found = []
    for item in line["detections"]:
        box, label, score = box_of(item), item["label"], float(item["score"])
        if box[3] < least:
            continue
        if label in ("person", "duplicate") and source["candidates"]:
            found.append(Sample(picture, box, 1, offset_of(box, people[item["truth"]]), score, fold))
        elif label == "false" and item["overlap"] >= NEAR:
            offset = offset_of(box, people[item["truth"]])
            if source["near"] and item["ignored_share"] < APART and max(map(abs, offset)) < FAR_OFF:
                found.append(Sample(picture, box, -1, offset, score, fold))
        elif label == "false" and source["negatives"] and item["ignored_share"] < APART:
            found.append(Sample(picture, box, 0, score=score, fold=fold, kind=item["thing"] or ""))
    found.sort(key=lambda sample: -sample.score)
    most = source["most_per_picture"]
    if len(found) > most:
        best, rest = found[: most - most // 2], found[most - most // 2 :]
        found = best + [rest[i] for i in sorted(random.choice(len(rest), most - len(best), replace=False))]
    samples += found
    for item in line["things"]:
        wanted = item["class"] in source["things"] or "*" in source["things"]
        if wanted and item["h"] >= least and item["overlap"] <= THING_APART and not item["ignored"]:
            samples.append(Sample(picture, box_of(item), 0, fold=fold, kind=item["class"]))
    return samples


def read_labels(path):
    """The lines of a label file."""
    keys = ("set", "model", "image", "people", "things", "detections")
    try:
        with open(path, encoding="utf-8") as file:
            for number, text in enumerate(file, 1):
                if not text.strip():
                    continue
                try:
                    line = json.loads(text)
                except ValueError:
                    raise BadInput(f"{path}:{number}: not JSON") from None
                missing = [key for key in keys if not isinstance(line, dict) or key not in line]
                if missing:
                    raise BadInput(f"{path}:{number}: no \"{missing[0]}\": expected a line of kerblab eval detector --labels")
                yield number, line
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def read_folds(source, work):
    """The part of each file name, or None where all are taken."""
    if source["folds"] is None:
        return None
    folds = {}
    for part, name in enumerate(source["folds"]):
        path = os.path.join(work, name)
        try:
            with open(path, encoding="utf-8") as file:
                for line in filter(None, map(str.strip, file)):
                    if folds.setdefault(line, part) != part:
                        raise BadInput(f"{path}: {line} is also in part {folds[line]}")
        except OSError as error:
            raise BadInput(f"{path}: {error.strerror}") from None
    return folds


def samples_of_labels(source, work, random):
    folds = read_folds(source, work)
    samples, pictures, truth = [], {}, set()
    seen = {"set": set(), "model": set()}
    for name in source["labels"]:
        path = os.path.join(work, name)
        for number, line in read_labels(path):
            for key, names in seen.items():
                names.add(line[key])
            if (source["sets"] and line["set"] not in source["sets"]) or (source["models"] and line["model"] not in source["models"]):
                continue
            picture = line["image"]
            fold = -1 if folds is None else folds.get(os.path.basename(picture))
            if fold is None or pictures.setdefault(picture, len(pictures)) % source["every"]:
                continue
            try:
                found = samples_of_line(line, source, fold, random)
            except (KeyError, TypeError, ValueError, IndexError, AttributeError, ZeroDivisionError) as error:
                raise BadInput(f"{path}:{number}: damaged label line ({type(error).__name__}: {error})") from None
            for sample in found:
                if math.isnan(sample.score):  # of the truth: once, however many detectors and sets tell it
                    if (sample.picture, sample.box) in truth:
                        continue
                    truth.add((sample.picture, sample.box))
                samples.append(sample)
    for key, names in seen.items():
        for name in source[key + "s"] or []:
            if name not in names:
                raise BadInput(f"source {source['name']}: its labels have no {key} '{name}'")
    return samples


def samples_of_crops(source, data, size_of):
    """`size_of`: width and height of a picture."""
    folder = os.path.join(data, source["crops"])
    try:
        names = sorted(name for name in os.listdir(folder) if name.lower().endswith((".jpg", ".jpeg", ".png", ".ppm", ".bmp")))
    except OSError as error:
        raise BadInput(f"{folder}: {error.strerror}") from None
    if not names:
        raise BadInput(f"{folder}: no picture in the folder")
    samples, h = [], float(source["person"])
    for name in names[:: source["every"]]:
        path = os.path.join(folder, name)
        width, height = size_of(path)
        samples.append(Sample(path, ((width - ASPECT * h) / 2, (height - h) / 2, ASPECT * h, h), 1))
    return samples


def limited(samples, most, random):
    """No more of each group than `most` says, by chance; their order stays."""
    groups = collections.defaultdict(list)
    for number, sample in enumerate(samples):
        groups[sample.group].append(number)
    kept = set()
    for group, numbers in groups.items():
        limit = most.get(group, len(numbers))
        chosen = numbers if len(numbers) <= limit else random.choice(numbers, limit, replace=False)
        kept.update(int(number) for number in chosen)
    return [sample for number, sample in enumerate(samples) if number in kept]


# --- cutting and writing ---


class Pack:
    """Crops as WebP, and their rows."""

    def __init__(self):
        self.data, self.rows, self.pictures = io.BytesIO(), [], {}

    def add(self, data, sample, source, repeat):
        start = self.data.tell()
        self.data.write(data)
        picture = self.pictures.setdefault(sample.picture, len(self.pictures))
        row = [start, len(data), sample.label, *(f"{value:.6g}" for value in sample.offset), f"{sample.box[3]:g}",
               f"{sample.score:.9g}", sample.fold, source, sample.kind, picture]
        self.rows += [row] * repeat

    def files(self):
        table = io.StringIO()
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(self.rows)
        paths = "".join(path + "\n" for path in self.pictures)
        return {"crops.bin": self.data.getvalue(), "crops.csv": table.getvalue().encode(), "pictures.txt": paths.encode()}


def read_picture(path):
    if cv2 is None:
        raise BadInput("needs OpenCV for Python (Debian: python3-opencv)")
    picture = cv2.imread(path, cv2.IMREAD_COLOR)
    if picture is None:
        raise BadInput(f"{path}: cannot be read as a picture")
    return picture


def webp_of(picture, box, quality):
    cut = crop.cut_crop(picture, crop.PACKED, crop.place_crop(crop.PACKED, box))
    done, data = cv2.imencode(".webp", cut, [cv2.IMWRITE_WEBP_QUALITY, quality])
    if not done:
        raise BadInput("a crop could not be written as WebP")
    return data.tobytes()


def add_source(pack, source, samples):
    """Cuts the samples, picture by picture."""
    by_picture = collections.defaultdict(list)
    for sample in samples:
        by_picture[sample.picture].append(sample)
    for path, group in by_picture.items():
        picture = read_picture(path)
        for sample in group:
            pack.add(webp_of(picture, sample.box, source["quality"]), sample, source["name"], source["repeat"].get(sample.group, 1))


def summary(pack):
    """A line for each source: pictures, people, badly placed detections of people, false ones by kind, megabytes."""
    rows = collections.defaultdict(lambda: [set(), collections.Counter(), collections.Counter(), {}])
    for start, size, label, *_, source, kind, picture in pack.rows:
        row = rows[source]
        row[0].add(picture)
        row[3][start] = size
        row[1][label] += 1
        if label == 0:
            row[2][kind or NOTHING] += 1
    width = max([6, *map(len, rows)])
    lines = [f"{'source':{width}} {'pictures':>8} {'people':>7} {'near':>7} {'false':>7} {'MB':>6}  false ones by kind"]
    for name, (pictures, labels, kinds, sizes) in rows.items():
        named = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
        lines.append(f"{name:{width}} {len(pictures):8} {labels[1]:7} {labels[-1]:7} {kinds.total():7} {sum(sizes.values()) / 1e6:6.1f}  {named}".rstrip())
    return "\n".join(lines)


def write_folder(out, files):
    """All files, each complete or not at all."""
    folder = pathlib.Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            (folder / f".{name}.part").write_bytes(data)
        for name in files:
            os.replace(folder / f".{name}.part", folder / name)
    except OSError as error:
        raise BadInput(f"{out}: {error.strerror}") from None


def pack_all(recipe, data, work, out):
    pack = Pack()
    for source in recipe["source"]:
        random = np.random.default_rng([recipe["seed"], *source["name"].encode()])  # a source does not change the next
        if source["crops"] is not None:
            samples = samples_of_crops(source, data, lambda path: read_picture(path).shape[1::-1])
        else:
            samples = samples_of_labels(source, work, random)
        if not samples:
            raise BadInput(f"source {source['name']}: nothing is left to take by its keys")
        add_source(pack, source, limited(samples, source["most"], random))
    files = pack.files()
    size = sum(map(len, files.values()))
    print(summary(pack))
    print(f"all: {len(pack.rows)} rows, {size / 1e6:.1f} MB")
    if size > recipe["most_mb"] * 1e6:
        raise BadInput(f"{size / 1e6:.1f} MB is more than most_mb = {recipe['most_mb']:g}: take fewer crops, or a lower quality")
    write_folder(out, files)


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__, epilog=RECIPE_HELP, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recipe", required=True, help="TOML file of sources, see below")
    parser.add_argument("--data", default=".", help="folder that the paths of crops begin at (default: here)")
    parser.add_argument("--work", default=".", help="folder that the paths of labels and folds begin at (default: here)")
    parser.add_argument("--out", required=True, help="folder for the pack")
    options = parser.parse_args(words)
    try:
        if np is None:
            raise BadInput("needs NumPy (Debian: python3-numpy)")
        pack_all(read_recipe(options.recipe), options.data, options.work, options.out)
    except BadInput as error:
        print(f"pack.py: error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
