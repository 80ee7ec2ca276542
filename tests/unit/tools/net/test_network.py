#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exported networks: what the product computes of a JSON file is what its definition says, bit for bit; and what the trainer meant.

usage: test_network.py [--network FILE.json]... [COMMAND...]    (COMMAND runs network_scores, which looks at candidates as the product does)

--network: a network of train.py to compare too. The definition (gpu/net/network.hpp, crop.hpp, second_look.hpp) is written down here in whole
numbers with NumPy, without a line of the product's or the trainer's; crops are those of tools/net/crop.py, which test_pack.py compares with the
product's. Where PyTorch is installed, train.py exports a network, and its own forward pass is compared too; elsewhere that part says that it
is skipped.

Exits 77 where NumPy or the command is absent.
"""
import argparse
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "tools/net"))
sys.dont_write_bytecode = True

try:
    import numpy as np
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-numpy)")
    sys.exit(77)
try:
    import torch

    import people_net
    import train
except ImportError as error:
    torch, NO_TRAINER = None, f"the trainer needs PyTorch and OpenCV for Python: {error}"
else:
    NO_TRAINER = ""

import crop

parser = argparse.ArgumentParser()
parser.add_argument("--network", action="append", default=[])
parser.add_argument("command", nargs="*")
OPTIONS = parser.parse_args()
if not OPTIONS.command:
    print("skipped: no network_scores: this build has no tools/import")
    sys.exit(77)

LEVELS = 127


# --- the definition ---


def levels_of(samples):
    """normalise_crop(): what the first layer gets of a crop of height x width x planes bytes. Float arithmetic, each operation rounded."""
    planes = samples.shape[2]
    pixels = samples.shape[0] * samples.shape[1]
    sums = samples.astype(np.int64).sum(axis=2)
    total, squares = sums.sum(), (sums * sums).sum()
    as_float = lambda whole: np.asarray(whole, np.int64).astype(np.float32)  # rounded once: not by way of a double
    mean = as_float(total) / as_float(pixels)
    variance = as_float(pixels * squares - total * total) / as_float(pixels * pixels)
    spread = np.maximum(np.sqrt(variance), np.float32(3 * planes))
    gain = np.float32(24) / spread
    values = np.rint((as_float(planes * samples.astype(np.int64)) - mean) * gain)
    assert values.dtype == np.float32
    return np.clip(values.astype(np.int64) + 64, 0, LEVELS)


def products_of(layer, values):
    """`factor * sum` of a layer, of the height x width x inputs values before it."""
    width, height, stride, pad = (layer[key] for key in ("kernel_width", "kernel_height", "stride", "padding"))
    weights = np.array(layer["weights"], np.int64).reshape(layer["outputs"], height, width, layer["inputs"])
    padded = np.pad(values, ((pad, pad), (pad, pad), (0, 0)))
    rows, columns = (padded.shape[0] - height) // stride + 1, (padded.shape[1] - width) // stride + 1
    sums = np.zeros((rows, columns, layer["outputs"]), np.int64) + np.array(layer["bias"], np.int64)
    for v in range(height):
        for u in range(width):
            under = padded[v : v + stride * (rows - 1) + 1 : stride, u : u + stride * (columns - 1) + 1 : stride]
            sums += under @ weights[:, v, u].T
    assert np.abs(sums).max() < 1 << 31  # else the product's 32 bits would not hold them
    products = sums.astype(np.float32) * np.array(layer["factor"], np.float64).astype(np.float32)
    assert products.dtype == np.float32
    return products


def results_of(network, values, between=None):
    """The last layer's four numbers. `between`: gets the values between layers."""
    for layer in network["layers"]:
        products = products_of(layer, values)
        values = np.clip(np.rint(products), 0, LEVELS).astype(np.int64)
        if between is not None and layer is not network["layers"][-1]:
            between.append(values)
    assert products.shape == (1, 1, 4)
    return products[0, 0]


def corrected(box, results):
    """SecondLook::look(): the corrected box and the score. Floats, one operation at a time."""
    one = np.ones(1, np.float32)  # arrays, as NumPy's single numbers have rules of their own
    x, y, w, h = (value * one for value in box)
    right, down = (np.clip(value * one, -one, one) * h for value in results[1:3])
    growth = np.clip(one + results[3], one / 4, one * 4)
    half = one / 2
    wide, tall = w * growth, h * growth
    return np.concatenate([x + w * half + right - wide * half, y + h * half + down - tall * half, wide, tall, results[0] * one])


def shape_of(network):
    return crop.Shape(*(network["crop"][key] for key in ("width", "height", "person_height")))


def crop_of(network, picture, box):
    shape = shape_of(network)
    return crop.cut_crop(picture, shape, crop.place_crop(shape, tuple(map(float, box))))


# --- the product ---


def product_results(network, picture, boxes):
    """Corrected boxes and scores by gpu/net, from a JSON file by tools/import."""
    with tempfile.TemporaryDirectory() as folder:
        name = lambda part: os.path.join(folder, part)
        pathlib.Path(name("network.json")).write_text(json.dumps(network), encoding="utf-8")
        pathlib.Path(name("picture")).write_bytes(picture.transpose(2, 0, 1).tobytes())
        pathlib.Path(name("boxes")).write_bytes(boxes.astype(np.float32).tobytes())
        words = [name("network.json"), name("picture"), picture.shape[1], picture.shape[0], name("boxes"), name("out")]
        subprocess.run([*OPTIONS.command, *map(str, words)], check=True)
        return np.fromfile(name("out"), np.float32).reshape(len(boxes), 5)


# --- networks, pictures ---


def made_network(crop_sides, planes, person, layers, seed, weights=None, bias=None, factor=None):
    """With random weights. layers: (outputs, kernel width, kernel height, stride, padding); the other functions draw a layer's numbers, or None:
    such that values of all sizes come, and many at either end."""
    random = np.random.default_rng(seed)
    out, inputs = [], planes
    for outputs, width, height, stride, padding in layers:
        count = width * height * inputs
        usual = np.sqrt(count) * 73 * 60
        draw = {
            "weights": weights or (lambda n: random.integers(-127, 128, n)),
            "bias": bias or (lambda n: (random.random(n) - 0.3) * usual),
            "factor": factor or (lambda n: (0.5 + random.random(n)) * 64 / usual),
        }
        out.append({"inputs": inputs, "outputs": outputs, "kernel_width": width, "kernel_height": height, "stride": stride, "padding": padding,
                    "weights": [int(w) for w in draw["weights"](outputs * count)], "bias": [int(b) for b in draw["bias"](outputs)],
                    "factor": [float(np.float32(f)) for f in draw["factor"](outputs)]})
        inputs = outputs
    # Scores of a few; corrections that are small, and some that are cut.
    out[-1]["factor"] = [float(np.float32(f * most)) for f, most in zip(out[-1]["factor"], (1 / 8, 1 / 200, 1 / 32, 1 / 40))]
    return {"crop": {"width": crop_sides[0], "height": crop_sides[1], "planes": planes, "person_height": person}, "layers": out}


def exported_layers(width):
    """As train.py's small network has them."""
    w = width
    return [(w, 3, 3, 2, 1), (2 * w, 3, 3, 2, 1), (2 * w, 3, 3, 1, 1), (4 * w, 3, 3, 2, 1), (4 * w, 3, 3, 1, 1), (6 * w, 3, 3, 2, 1), (6 * w, 3, 3, 1, 1),
            (8 * w, 3, 6, 1, 0), (4, 1, 1, 1, 0)]


def made_networks():
    random = np.random.default_rng(9)
    return {
        "as exported": made_network((48, 96), 3, 64, exported_layers(4), 1),
        "as exported, grey": made_network((48, 96), 1, 64, exported_layers(5), 2),
        "sides, strides and padding that differ": made_network((20, 28), 3, 17, [(5, 3, 5, 2, 2), (7, 4, 2, 1, 1), (3, 1, 1, 3, 0), (4, 4, 5, 1, 0)], 3),
        "one layer": made_network((6, 8), 1, 5, [(4, 6, 8, 1, 0)], 4),
        "halves, which are rounded to even": made_network(
            (12, 16), 1, 10, [(6, 3, 3, 2, 1), (8, 2, 2, 1, 0), (4, 5, 7, 1, 0)], 5, weights=lambda n: random.integers(-1, 2, n),
            bias=lambda n: random.integers(-20, 20, n), factor=lambda n: random.choice([0.5, 0.25], n)),
        "sums that a float rounds": with_large_bias(made_network((12, 16), 3, 10, [(6, 3, 3, 2, 1), (8, 2, 2, 1, 0), (4, 5, 7, 1, 0)], 6))}


def with_large_bias(network):
    """Results of over 2^26, where floats are 8 apart."""
    network["layers"][-1]["bias"] = [(1 << 26) + number for number in (1, 4, 12, 1001)]
    return network


def picture_of(width, height, planes, seed, most=255):
    """Blocks of any brightness and noise: crops of all scales have contrast."""
    random = np.random.default_rng(seed)
    picture = random.integers(0, 60, (height, width, planes))
    for side in (9, 31):
        small = random.integers(0, 100, (-(-height // side), -(-width // side), planes))
        picture = picture + np.repeat(np.repeat(small, side, axis=0), side, axis=1)[:height, :width]
    return np.minimum(picture * most // 255, 255).astype(np.uint8)


def boxes_in(width, height, count, seed):
    """Of all sizes, in the picture and over its edges, in fractions of a pixel."""
    random = np.random.default_rng(seed)
    h = height * 0.1 * 12 ** random.random(count)
    w = h * (0.3 + 0.3 * random.random(count))
    return np.stack([(width + 0.8 * w) * random.random(count) - 0.9 * w, (height + 0.8 * h) * random.random(count) - 0.9 * h, w, h], 1).astype(np.float32)


def bits(numbers):
    return np.ascontiguousarray(numbers, np.float32).view(np.uint32).tolist()


def with_output_first(network, output):
    """The same network, with this one of its four outputs as the score, which the product gives as it is."""
    changed = copy.deepcopy(network)
    last = changed["layers"][-1]
    rows = np.array(last["weights"]).reshape(4, -1)
    order = [output, *(i for i in range(4) if i != output)]
    last["weights"] = rows[order].flatten().tolist()
    for key in ("bias", "factor"):
        last[key] = [last[key][i] for i in order]
    return changed


class Comparison(unittest.TestCase):
    def compare(self, network, picture, boxes, what):
        """Every output of the network and every corrected box, bit for bit. Returns the results, and the values between layers."""
        between, results = [], []
        for box in boxes:
            results.append(results_of(network, levels_of(crop_of(network, picture, box)), between))
        expected = np.stack([corrected(box, result) for box, result in zip(boxes, results)])
        found = product_results(network, picture, boxes)
        self.assertEqual(bits(found), bits(expected), what)
        for output in range(4):
            found = product_results(with_output_first(network, output), picture, boxes)[:, 4]
            self.assertEqual(bits(found), bits([result[output] for result in results]), f"{what}: output {output}")
        return np.stack(results), between


class Product(Comparison):
    def test_the_product_computes_what_the_definition_says(self):
        for number, (what, network) in enumerate(made_networks().items()):
            with self.subTest(what):
                picture = picture_of(211, 163, network["crop"]["planes"], number)
                results, between = self.compare(network, picture, boxes_in(211, 163, 12, number), what)
                # Or nothing would have been compared.
                self.assertGreater(len(set(bits(results[:, 0]))), 9)
                for values in between:
                    self.assertTrue(((values > 0) & (values < LEVELS)).any())

    def test_flat_and_dark_pictures(self):
        network = made_networks()["as exported"]
        boxes = boxes_in(120, 90, 4, 7)
        for what, picture in {"black": np.zeros((90, 120, 3), np.uint8), "white": np.full((90, 120, 3), 255, np.uint8),
                              "dark": picture_of(120, 90, 3, 8, most=9)}.items():
            with self.subTest(what):
                self.compare(network, picture, boxes, what)

    def test_one_changed_number_is_noticed(self):
        network = made_networks()["sides, strides and padding that differ"]
        picture, boxes = picture_of(211, 163, 3, 1), boxes_in(211, 163, 40, 1)
        found = product_results(network, picture, boxes)
        samples = [levels_of(crop_of(network, picture, box)) for box in boxes]
        for number in range(len(network["layers"])):
            for key in ("weights", "bias", "factor"):
                changed = copy.deepcopy(network)
                numbers = changed["layers"][number][key]
                numbers[0] = {"weights": lambda n: n - 40 if n > 0 else n + 40, "bias": lambda n: n + 9000, "factor": lambda n: n * 1.2}[key](numbers[0])
                scores = [results_of(changed, values)[0] for values in samples]
                self.assertNotEqual(bits(scores), bits(found[:, 4]), f"layer {number}, {key}")

    @unittest.skipUnless(OPTIONS.network, "no --network")
    def test_networks_of_the_command_line(self):
        for path in OPTIONS.network:
            with self.subTest(path):
                network = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
                self.compare(network, picture_of(320, 240, network["crop"]["planes"], 3), boxes_in(320, 240, 20, 3), path)


@unittest.skipIf(torch is None, NO_TRAINER)
class Trainer(Comparison):
    """people_net.Small, saved as train.py saves it and exported by it."""

    def exported(self, planes, width, levels):
        """A network with statistics of its own and scales that fit these crops' levels: what train.py loads again, and the JSON."""
        torch.manual_seed(planes)
        net = people_net.Small(planes, width)
        with torch.no_grad(), tempfile.TemporaryDirectory() as folder:
            x = levels.float() / LEVELS
            net.eval()
            for layer in net.layers:
                y = layer.conv(x)
                layer.norm.running_mean.copy_(y.mean((0, 2, 3)) + 0.1 * torch.randn(y.shape[1]))
                layer.norm.running_var.copy_(y.var((0, 2, 3)) * (0.5 + torch.rand(y.shape[1])) + 1e-4)
                layer.norm.weight.copy_(0.5 + torch.rand(y.shape[1]))
                layer.norm.bias.copy_(0.5 * torch.randn(y.shape[1]))
                layer.scale.fill_(1e9)
                layer.scale.copy_(torch.quantile(layer(x).flatten()[:1000000], 0.995))
                x = layer(x)
            net.head.conv.weight.mul_(8)
            path, out = os.path.join(folder, "small.pt"), os.path.join(folder, "small.json")
            torch.save({"net": net.state_dict(), "kind": "small", "width": width, "planes": planes}, path)
            train.export(types.SimpleNamespace(net=path, out=out))
            return people_net.load(path, "cpu")[0], json.loads(pathlib.Path(out).read_text(encoding="utf-8"))

    def test_the_trainers_layers_are_the_products(self):
        for planes, width in ((3, 8), (1, 4)):
            with self.subTest(planes=planes):
                picture, boxes = picture_of(320, 240, planes, planes), boxes_in(320, 240, 48, planes)
                shape = {"crop": {"width": people_net.WIDTH, "height": people_net.HEIGHT, "person_height": people_net.PERSON}}
                crops = np.stack([crop_of(shape, picture, box) for box in boxes])
                levels = torch.from_numpy(np.stack([levels_of(one) for one in crops]).transpose(0, 3, 1, 2))
                net, network = self.exported(planes, width, levels)
                results, _ = self.compare(network, picture, boxes, "exported")
                # The contrast: floats in another order, so one level now and then.
                theirs = people_net.normalised(torch.from_numpy(crops.transpose(0, 3, 1, 2).copy()).float()) * LEVELS
                apart = (theirs - levels).abs()
                self.assertLess(float(apart.max()), 1.5)
                self.assertLess(float((apart > 0.5).double().mean()), 0.001)
                self.compare_layers(net.double(), network, levels)
                # All of them together: what differs by a level now and then adds up in a network that has learnt nothing.
                meant = net(levels.double() / LEVELS).detach().numpy()
                self.assertGreater(np.corrcoef(meant[:, 0], results[:, 0])[0, 1], 0.99)

    def compare_layers(self, net, network, levels):
        """Each of the trainer's layers, in doubles, of the same values as the exported one. Only the bias is rounded in the export, by half a
        unit of the sum at most: values are the same but for those that this carries over a half."""
        layers = [*net.layers, net.head]
        self.assertEqual(len(layers), len(network["layers"]))
        unit, compared = 1 / LEVELS, 0
        for layer, whole in zip(layers, network["layers"]):
            with torch.no_grad():
                meant = layer(levels.double() * unit).numpy().transpose(0, 2, 3, 1)
            products = np.stack([products_of(whole, one) for one in levels.numpy().transpose(0, 2, 3, 1)]).astype(np.float64)
            slack = 0.5 * np.array(whole["factor"]) + 1e-6 * (np.abs(products) + 1)
            if layer is net.head:
                meant = meant / np.array([1, *[train.PLACE_WEIGHT] * 3])
                self.assertTrue((np.abs(meant - products) <= slack).all())
                break
            unit = float(layer.scale) / LEVELS
            low, value, high = (np.clip(np.rint(number), 0, LEVELS) for number in (products - slack, products, products + slack))
            meant = np.rint(meant / unit)
            self.assertTrue(((low <= meant) & (meant <= high)).all())
            self.assertLess((low != high).mean(), 0.01)
            compared += ((value > 0) & (value < LEVELS)).sum()
            levels = torch.from_numpy(value.astype(np.int64).transpose(0, 3, 1, 2))
        self.assertGreater(compared, 10000)


if __name__ == "__main__":
    result = unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result
    for _, why in result.skipped:
        print(f"skipped: {why}")
    sys.exit(0 if result.wasSuccessful() else 1)
