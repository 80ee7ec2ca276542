#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains boosted trees on a pack (tools/net/pack.py) and judges them as train.py judges networks: what scoring candidates again is worth without one.

    python3 tools/net/boost.py --kind acf --pack pack --fold 0 --seed 1
    python3 tools/net/boost.py --kind ldcf --pack pack --fold 0 --seed 1

acf   aggregated channels: P. Dollar, R. Appel, S. Belongie, P. Perona, "Fast Feature Pyramids for Object Detection", PAMI 2014. L, U, V, the
      gradient's normalised magnitude and six orientations, smoothed, averaged over blocks and smoothed again; AdaBoost of trees of depth 2.
ldcf  locally decorrelated channels: W. Nam, P. Dollar, J. H. Han, "Local Decorrelation for Improved Pedestrian Detection", NIPS 2014. Each channel
      of smaller blocks is filtered with the first four eigenvectors of the covariance of its 5 x 5 blocks, averaged over all crops that are trained
      on, and halved; real AdaBoost, depth 5.

Channels come from the crop and a rim of 8 pixels around it, as in the papers, where they come from the whole image. Unlike there, negatives are those of
the pack (its hard ones), crops weigh at the start what train.py draws them by, and nodes of one level choose from the same share of the features.
Trees only order candidates: they place no boxes, and the product does not run them. So nothing is saved. Lines are JSON, as those of train.py.

Needs PyTorch and OpenCV-Python. The seed decides what is drawn by chance; sums on a GPU still differ in the last digits from run to run.
"""
import argparse
import json
import math
import resource
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

from people_net import HEIGHT, WIDTH
from train import Pack, compared, left_out, sampling_weights

ORIENTATIONS = 6
NORMALISING_RADIUS, NORMALISING_CONSTANT = 5, 0.005  # of the gradient's magnitude
FILTER, FILTERS = 5, 4  # blocks a side, and filters for each channel
RIM = 8  # pixels around the crop that channels are computed of
BINS = 256  # steps of a feature
PURE, LEAST_WEIGHT = 1e-3, 0.01  # a node with less than this of one label, or with less of all weight, is not split
MOST_VOTE, MOST_ALPHA = 4.0, 5.0
DEFAULTS = {"acf": {"depth": 2, "shrink": 4, "smooth": 1, "real": False}, "ldcf": {"depth": 5, "shrink": 2, "smooth": 0, "real": True}}
TIMED = 30  # crops at a time where time is measured, as tools/bench/net_bench.cpp


# --- channels ---


def smoothed(x, radius):
    """By a triangle (1 2 1 for a radius of 1) down and across. Beyond its ends a plane goes on as in a mirror that stands there."""
    for dim in (2, 3) if radius > 0 else ():
        size = x.shape[dim]
        wide = torch.cat([x.narrow(dim, 0, radius).flip(dim), x, x.narrow(dim, size - radius, radius).flip(dim)], dim)
        x = wide.narrow(dim, radius, size) * ((radius + 1) / (radius + 1) ** 2)
        for i in range(radius):
            x.add_(wide.narrow(dim, i, size), alpha=(i + 1) / (radius + 1) ** 2)
            x.add_(wide.narrow(dim, 2 * radius - i, size), alpha=(i + 1) / (radius + 1) ** 2)
    return x


def luv(crops):
    """N x 3 x H x W of R, G, B in 0..1 as CIE L, U, V, scaled to about 0..1. Without gamma, as in the papers' program."""
    red, green, blue = crops.unbind(1)
    x = 0.430574 * red + 0.341550 * green + 0.178325 * blue
    y = 0.222015 * red + 0.706655 * green + 0.071330 * blue
    z = 0.020183 * red + 0.129553 * green + 0.939180 * blue
    light = torch.where(y > (6 / 29) ** 3, 116 * y.clamp(min=1e-9) ** (1 / 3) - 16, (29 / 3) ** 3 * y)
    total = x + 15 * y + 3 * z
    part = torch.where(total > 0, 1 / total.clamp(min=1e-12), torch.zeros_like(total))
    u = 13 * light * (4 * x * part - 0.197833)
    v = 13 * light * (9 * y * part - 0.468331)
    return torch.stack([light, u + 88, v + 134], 1) / 270


def slopes(x, dim):
    """Central differences; one-sided ones at the ends."""
    size = x.shape[dim]
    inner = (x.narrow(dim, 2, size - 2) - x.narrow(dim, 0, size - 2)) / 2
    first, last = x.narrow(dim, 1, 1) - x.narrow(dim, 0, 1), x.narrow(dim, size - 1, 1) - x.narrow(dim, size - 2, 1)
    return torch.cat([first, inner, last], dim)


def gradients(x):
    """Of the plane where it is largest: the normalised magnitude, and its shares of the orientations (of 0..180 degrees, each to the two nearest)."""
    right, down = slopes(x, 3), slopes(x, 2)
    square, largest = (right * right + down * down).max(1, keepdim=True)
    right, down = right.gather(1, largest), down.gather(1, largest)
    magnitude = square.sqrt()
    magnitude = magnitude / (smoothed(magnitude, NORMALISING_RADIUS) + NORMALISING_CONSTANT)
    angle = torch.remainder(torch.atan2(down, right), math.pi) * (ORIENTATIONS / math.pi)
    apart = (angle - torch.arange(ORIENTATIONS, device=x.device).view(1, -1, 1, 1)).abs()
    return magnitude, magnitude * (1 - torch.minimum(apart, ORIENTATIONS - apart)).clamp(min=0)


def channels(crops, shrink, smooth):
    """N x P x H x W samples of 0..255 to N x 10 (grey: 8) x H / shrink x W / shrink."""
    x = crops.float() / 255
    x = smoothed(luv(x) if x.shape[1] == 3 else x, smooth)
    return smoothed(F.avg_pool2d(torch.cat([x, *gradients(x)], 1), shrink), 1)


def patch_sums(maps):
    """For each channel: the sum over all 5 x 5 patches, of their products by pairs, and their count. In doubles."""
    count, planes = maps.shape[:2]
    patches = F.unfold(maps.transpose(0, 1).reshape(planes * count, 1, *maps.shape[2:]), FILTER)
    patches = patches.view(planes, count, FILTER * FILTER, -1).permute(0, 2, 1, 3).reshape(planes, FILTER * FILTER, -1).double()
    return patches.sum(2), patches @ patches.transpose(1, 2), patches.shape[2]


def decorrelating_filters(sums, products, count):
    """The eigenvectors of each channel's covariance with the largest eigenvalues: planes x FILTERS x 5 x 5."""
    mean = sums / count
    covariance = products / count - mean[:, :, None] * mean[:, None, :]
    _, vectors = torch.linalg.eigh(covariance)
    first = vectors.flip(2)[:, :, :FILTERS].transpose(1, 2)
    return first.reshape(-1, FILTERS, FILTER, FILTER)


def decorrelated(maps, filters):
    """Every channel by each of its filters, halved: the mean of 2 x 2 places of a filter of 5 x 5 is one of 6 x 6, at every other place."""
    planes = maps.shape[1]
    halving = sum(F.pad(filters, [right, 1 - right, down, 1 - down]) for right in (0, 1) for down in (0, 1)) / 4
    padded = F.pad(maps, [FILTER // 2] * 4, mode="replicate")
    return F.conv2d(padded, halving.to(maps).reshape(planes * FILTERS, 1, FILTER + 1, FILTER + 1), stride=2, groups=planes)


# --- features ---


def windows(crops, dx, dy, mirror, width, height):
    """The middle width x height of a pack's crops, moved by whole pixels and mirrored; beyond a crop its last pixels."""
    down, across = crops.shape[2:]
    y = torch.arange(height, device=crops.device) + (down - height) // 2
    x = torch.arange(width, device=crops.device) + (across - width) // 2
    x = x + dx[:, None]
    x = torch.where(mirror[:, None], across - 1 - x, x).clamp(0, across - 1)
    y = (y + dy[:, None]).clamp(0, down - 1)
    number = torch.arange(len(crops), device=crops.device)[:, None, None, None]
    plane = torch.arange(crops.shape[1], device=crops.device)[None, :, None, None]
    return crops[number, plane, y[:, None, :, None], x[:, None, None, :]]


class Features:
    """From crops to the numbers that trees compare. `view`: width and height of what is seen of a crop."""

    def __init__(self, kind, view, shrink, smooth):
        self.kind, self.view, self.shrink, self.smooth = kind, view, shrink, smooth
        self.filters = self.low = self.step = None

    def maps(self, crops, dx, dy, mirror):
        width, height = self.view
        return channels(windows(crops, dx, dy, mirror, width + 2 * RIM, height + 2 * RIM), self.shrink, self.smooth)

    def values(self, crops, dx, dy, mirror):
        maps, rim = self.maps(crops, dx, dy, mirror), RIM // self.shrink
        if self.kind == "ldcf":
            maps, rim = decorrelated(maps, self.filters), rim // 2
        return maps[:, :, rim:-rim, rim:-rim].flatten(1)

    def fit(self, crops, copies, batch):
        """Learns the filters, and the range of every feature, from crops and the copies of them that trees will be trained on."""
        if self.kind == "ldcf":
            total = None
            for part, *placed in batches(crops, copies[:1], batch):
                sums = patch_sums(self.maps(part, *placed))
                total = sums if total is None else [a + b for a, b in zip(total, sums)]
            self.filters = decorrelating_filters(*total).float()
        low = high = None
        for part, *placed in batches(crops, copies, batch):
            values = self.values(part, *placed)
            least, most = values.amin(0), values.amax(0)
            low, high = (least, most) if low is None else (torch.minimum(low, least), torch.maximum(high, most))
        self.low, self.step = low - 0.01, (high - low + 0.02) / (BINS - 1)

    def steps(self, crops, copies, batch):
        """Whole numbers of 0..255, a row for each feature and a column for each crop: all of the first copy, then all of the next."""
        out = torch.empty((len(self.low), len(crops) * len(copies)), dtype=torch.uint8, device=crops.device)
        begin = 0
        for part, *placed in batches(crops, copies, batch):
            whole = torch.round((self.values(part, *placed) - self.low) / self.step).clamp(0, BINS - 1).to(torch.uint8)
            out[:, begin:begin + len(part)] = whole.T
            begin += len(part)
        return out


def as_they_are(count, device):
    """The one copy of `count` crops that is neither moved nor mirrored."""
    none = torch.zeros(count, dtype=torch.long, device=device)
    return [(none, none, none > 0)]


def copies_of(count, mirror, shifts, shift, generator):
    """Copies to train on: as they are, mirrored, and `shifts` more that are moved by up to `shift` pixels and, by chance, mirrored."""
    device = generator.device
    copies = as_they_are(count, device)
    if mirror:
        none = copies[0][0]
        copies.append((none, none, none == 0))
    for _ in range(shifts):
        dx, dy = (torch.randint(-shift, shift + 1, (count,), generator=generator, device=device) for _ in range(2))
        copies.append((dx, dy, torch.rand(count, generator=generator, device=device) < (0.5 if mirror else 0)))
    return copies


def batches(crops, copies, batch):
    for copy in copies:
        for begin in range(0, len(crops), batch):
            yield crops[begin:begin + batch], *(part[begin:begin + batch] for part in copy)


# --- trees ---


def histograms(rows, node, label, weight, nodes, most=1 << 26):
    """The weight in each step of each feature: rows x nodes x 2 (label) x 256. rows: features x crops, in steps; node, label: of each crop."""
    # Neighbours add to different copies of a histogram: a GPU adds to one place one by one.
    copies = max(1, 16 // nodes) if rows.is_cuda else 1
    place = ((torch.arange(rows.shape[1], device=rows.device) % copies * nodes + node) * 2 + label) * BINS
    parts = []
    for part in rows.split(max(1, most // rows.shape[1])):
        sums = torch.zeros((len(part), copies * nodes * 2 * BINS), dtype=weight.dtype, device=rows.device)
        sums.scatter_add_(1, part + place, weight.expand(len(part), -1))
        parts.append(sums.view(len(part), copies, nodes, 2, BINS).sum(1))
    return torch.cat(parts)


def best_splits(sums):
    """Of histograms(), for each node: the row and the step where `at most this` or its contrary tells the labels apart with the least error (weight),
    that error, and whether both sides have any weight."""
    left = sums.cumsum(3)
    whole = left[..., -1:]
    left = left[..., :-1]
    error = left[:, :, 0] + whole[:, :, 1] - left[:, :, 1]
    error = torch.minimum(error, whole.sum(2) - error).transpose(0, 1).flatten(1)  # nodes x (rows, steps)
    at = error.argmin(1)  # the first of equal ones
    row, step = at // (BINS - 1), at % (BINS - 1)
    number = torch.arange(sums.shape[1], device=sums.device)
    low, both = left[row, number, :, step].sum(1), whole[row, number, :, 0].sum(1)
    return row, step, error[number, at], (low > 0) & (low < both)


def grown(rows, label, weight, depth, share, real, generator):
    """A tree (features and steps of its nodes, level by level; votes of its leaves), and each crop's leaf. Weights add up to 1. A crop goes right
    where its feature is above the step: never, at a node that is not split, whose step is 255."""
    crops = torch.arange(rows.shape[1], device=rows.device)
    node = torch.zeros_like(crops)
    features, steps = [], []
    for level in range(depth):
        nodes = 1 << level
        chosen = torch.randperm(len(rows), generator=generator, device=rows.device)[:max(1, int(len(rows) * share))]
        sums = histograms(rows[chosen], node, label, weight, nodes)
        row, step, _, splits = best_splits(sums)
        weights = sums[0].sum(2)  # nodes x labels
        total = weights.sum(1)
        splits &= (weights.amin(1) >= PURE * total) & (total >= LEAST_WEIGHT)
        features.append(chosen[row])
        steps.append(torch.where(splits, step, BINS - 1))
        node = 2 * node + (rows[features[-1][node], crops] > steps[-1][node])
    weights = torch.zeros((1 << depth) * 2, dtype=weight.dtype, device=rows.device).scatter_add_(0, node * 2 + label, weight).view(-1, 2)
    votes = (0.5 * torch.log((weights[:, 1] + 1e-12) / (weights[:, 0] + 1e-12))).clamp(-MOST_VOTE, MOST_VOTE)
    if not real:
        error = weights.amin(1).sum()
        votes = torch.where(votes > 0, 1.0, -1.0) * (0.5 * torch.log((1 - error) / error.clamp(min=1e-12))).clamp(-MOST_ALPHA, MOST_ALPHA)
    return torch.cat(features), torch.cat(steps), votes, node


class Trees:
    """Complete trees of one depth."""

    def __init__(self, depth):
        self.depth = depth
        self.parts = []  # of add()

    def __len__(self):
        return len(self.parts)

    def add(self, features, steps, votes):
        self.parts.append((features, steps, votes))

    def joined(self, begin=0):
        """From tree `begin` on, one after the other: features and steps, trees x nodes; votes, trees x leaves."""
        return [torch.stack(part) for part in zip(*self.parts[begin:])]

    def scores(self, rows, begin=0, most=1 << 24):
        """Sums of the votes of the trees from `begin` on, for every column of the rows."""
        return tree_scores(self.joined(begin), self.depth, rows, most)

    def parameters(self):
        """Feature and step of every node that splits, and the vote of every leaf that can be reached."""
        _, steps, _ = self.joined()
        splits = int((steps < BINS - 1).sum())
        return 2 * splits + splits + len(self)


def tree_scores(joined, depth, rows, most=1 << 24):
    """Of Trees.joined(): for every column of the rows."""
    count = rows.shape[1]
    total = torch.zeros(count, device=rows.device)
    crops = torch.arange(count, device=rows.device)
    for features, steps, votes in zip(*(part.split(max(1, most // count)) for part in joined)):
        node = torch.zeros((len(features), count), dtype=torch.long, device=rows.device)
        for level in range(depth):
            at = node + ((1 << level) - 1)
            node = 2 * node + (rows[features.gather(1, at), crops] > steps.gather(1, at))
        total += votes.gather(1, node).sum(0)
    return total


def boosted(rows, label, weight, trees, count, share, real, generator):
    """Adds `count` trees by AdaBoost, one at a time: yields how many there are. weight: of crops at the start; label: 0 or 1."""
    start = torch.log(weight / weight.sum())
    sign = 2.0 * label - 1
    score = torch.zeros_like(start)
    for _ in range(count):
        *tree, leaf = grown(rows, label, torch.softmax(start - sign * score, 0), trees.depth, share, real, generator)
        trees.add(*tree)
        score += tree[2][leaf]
        yield {"loss": torch.logsumexp(start - sign * score, 0), "wrong": (torch.softmax(start, 0) * (sign * score <= 0)).sum()}


# --- the program ---


def milliseconds(call, device, times):
    """Median of so many calls, after some for warming up."""
    taken = []
    for _ in range(times + max(3, times // 10)):
        if device == "cuda":
            torch.cuda.synchronize()
        begin = time.perf_counter()
        call()
        if device == "cuda":
            torch.cuda.synchronize()
        taken.append(1000 * (time.perf_counter() - begin))
    return float(np.median(taken[-times:]))


def memory_mb(device):
    """The most that was held: of the GPU's memory by tensors, or of this process."""
    return round((torch.cuda.max_memory_allocated() if device == "cuda" else 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) / 1e6, 1)


def cost(features, trees, crops, device, times):
    """Of scoring a crop in the device's memory, by this program: channels, features, trees."""
    joined = trees.joined()
    filters = 0 if features.filters is None else features.filters.numel()
    line = {"tree_count": len(trees), "features": len(features.low), "parameters": trees.parameters() + filters,
            "model_kb": round(sum(p.numel() * size for p, size in zip(joined, (4, 1, 4))) / 1000, 1), "device": device}
    for count in (1, TIMED, 1024) if device == "cuda" else (1, TIMED):
        some = crops[torch.arange(count, device=crops.device) % len(crops)]
        placed = as_they_are(count, crops.device)
        whole = milliseconds(lambda: tree_scores(joined, trees.depth, features.steps(some, placed, count)), device, times)
        rows = features.steps(some, placed, count)
        alone = milliseconds(lambda: tree_scores(joined, trees.depth, rows), device, times)
        line[f"ms_per_crop_of_{count}"] = round(whole / count, 5)
        line[f"ms_per_crop_of_{count}_trees_only"] = round(alone / count, 5)
    return line


def run(options):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    batch = options.batch or (512 if device == "cuda" else 16)
    torch.manual_seed(options.seed)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    generator = torch.Generator(device=device).manual_seed(options.seed)
    begin = time.time()
    pack = Pack(options.pack, options.grey, device)
    print(f"{len(pack.label)} crops decoded in {time.time() - begin:.1f} s on {device}", flush=True)
    held = pack.fold == options.fold if options.fold >= 0 else torch.zeros_like(pack.fold, dtype=torch.bool)
    usable = ~held & (pack.label >= 0) & ~left_out(options.leave_out, options.pack, len(held)).to(device)
    used = torch.nonzero(usable).flatten()
    if 0 < options.crops < len(used):
        used = used[torch.randperm(len(used), generator=generator, device=device)[:options.crops]].sort().values
        usable = torch.zeros_like(usable).index_fill_(0, used, True)
    weight = sampling_weights(pack, usable)[used]
    label = pack.label[used].long()
    if not (label == 0).any() or not (label == 1).any():
        sys.exit(f"boost.py: {options.pack}: nothing to tell apart: needs crops with and without a person")
    features = Features(options.kind, options.view, options.shrink, options.smooth)
    copies = copies_of(len(used), options.mirror, options.shifts, options.shift, generator)
    features.fit(pack.crops[used], copies, batch)
    rows = features.steps(pack.crops[used], copies, batch)
    label, weight = label.repeat(len(copies)), weight.repeat(len(copies))
    if held.any():
        held_rows = features.steps(pack.crops[held], as_they_are(int(held.sum()), device), batch)
        score = torch.zeros(held_rows.shape[1], device=device)
    print(f"{rows.shape[1]} crops ({len(copies)} copies), {len(rows)} features after {time.time() - begin:.1f} s", flush=True)
    trees, scored = Trees(options.depth), 0
    for state in boosted(rows, label, weight, trees, options.trees, options.share, options.real, generator):
        if len(trees) % options.report == 0 or len(trees) == options.trees:
            line = {"step": len(trees), **{key: float(f"{float(value):.5g}") for key, value in state.items()}, "seconds": round(time.time() - begin, 1)}
            if held.any():
                score += trees.scores(held_rows, scored)
                scored = len(trees)
                line.update(compared(pack, held, score.cpu().numpy(), "trees"))
            print(json.dumps(line), flush=True)
    trained = memory_mb(device)
    del rows
    print(json.dumps({"kind": options.kind, **cost(features, trees, pack.crops[used[:1024]], device, options.times), "memory_mb": trained}), flush=True)


def sides(text):
    width, height = (int(side) for side in text.split("x"))
    return width, height


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], epilog=__doc__.split("\n", 2)[2], formatter_class=argparse.RawDescriptionHelpFormatter)
    by_kind = {key: ", ".join(f"{kind} {values[key]}" for kind, values in DEFAULTS.items()) for key in DEFAULTS["acf"]}
    parser.add_argument("--kind", choices=sorted(DEFAULTS), required=True, help="of channels")
    parser.add_argument("--pack", required=True, help="folder of pack.py")
    parser.add_argument("--fold", type=int, default=-1, help="part to hold out and to judge on; -1: none (default)")
    parser.add_argument("--seed", type=int, default=1, help="default: 1")
    parser.add_argument("--trees", type=int, default=2048, help="default: 2048")
    parser.add_argument("--depth", type=int, help=f"of a tree (default: {by_kind['depth']})")
    parser.add_argument("--real", action=argparse.BooleanOptionalAction, help=f"real AdaBoost, or discrete (default: {by_kind['real']})")
    parser.add_argument("--shrink", type=int, choices=(1, 2, 4), help=f"pixels a side of a block (default: {by_kind['shrink']})")
    parser.add_argument("--smooth", type=int, metavar="RADIUS", help=f"smoothing in pixels, of the crop before anything else (default: {by_kind['smooth']})")
    parser.add_argument("--share", type=float, default=1 / 16, help="of the features, drawn for each level of a tree (default: 1/16)")
    parser.add_argument("--view", type=sides, default=(WIDTH, HEIGHT), metavar="WxH",
                        help=f"pixels that are seen of a crop (default: {WIDTH}x{HEIGHT}, as a network)")
    parser.add_argument("--mirror", action=argparse.BooleanOptionalAction, default=True, help="also train on mirrored crops (default: yes)")
    parser.add_argument("--shifts", type=int, default=0, help="further copies of each crop to train on, moved by chance (default: 0)")
    parser.add_argument("--shift", type=int, default=2, help="by at most so many pixels (default: 2)")
    parser.add_argument("--crops", type=int, default=0, help="train on so many of the pack's crops at most, by chance; 0: all (default)")
    parser.add_argument("--grey", action="store_true", help="for cameras without colour")
    parser.add_argument("--leave-out", default="", help="file of train.py unlabelled: crops to leave out")
    parser.add_argument("--report", type=int, default=256, help="trees between two lines of figures (default: 256)")
    parser.add_argument("--batch", type=int, help="crops whose channels are computed at a time (default: 512 on a GPU, 16 on a CPU)")
    parser.add_argument("--times", type=int, default=51, help="measurements of the time of a crop (default: 51)")
    options = parser.parse_args(words)
    for key, value in DEFAULTS[options.kind].items():
        if getattr(options, key) is None:
            setattr(options, key, value)
    block = options.shrink * (2 if options.kind == "ldcf" else 1)
    if min(options.view) <= 0 or any(side % block for side in options.view):
        parser.error(f"--view: sides must be multiples of {block}")
    if not (1 <= options.depth <= 8 and options.trees >= 1 and options.report >= 1 and 0 < options.share <= 1 and options.smooth >= 0 and options.shift >= 0):
        parser.error("--depth must be 1 to 8, --trees and --report at least 1, --share above 0 and at most 1, --smooth and --shift at least 0")
    run(options)


if __name__ == "__main__":
    main()
