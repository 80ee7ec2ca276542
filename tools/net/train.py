#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the network that looks at a detector's candidates again, from a pack (tools/net/pack.py).

    python3 tools/net/train.py teacher --pack pack --fold 0 --seed 1 --out teacher-0.pt
    python3 tools/net/train.py small --pack pack --fold 0 --seed 1 --teacher teacher-0.pt --out small-0.pt
    python3 tools/net/train.py unlabelled --pack pack teacher-0.pt teacher-1.pt --out unlabelled.txt   # for --leave-out
    python3 tools/net/train.py export small-0.pt --out small-0.json         # for kerblab model look-again

Needs PyTorch and OpenCV-Python; a GPU makes it minutes instead of hours. Nothing else of the project needs this program. The seed
decides what is drawn by chance; sums on a GPU still differ in the last digits from run to run.
"""
import argparse
import csv
import hashlib
import json
import math
import os
import sys
import time

import cv2
import numpy as np
import torch
import torch.nn.functional as F

from people_net import HEIGHT, LEVELS, PERSON, WIDTH, Small, Teacher, load, normalised

SHARES = {1: 0.45, 0: 0.45, -1: 0.1}  # of what is drawn, by label: people, others, badly placed ones (tools/net/pack.py)
PLACE_WEIGHT = 8.0  # offsets are learnt in eighths of a height, so that they weigh as much as the score


class Pack:
    """All crops of a pack, decoded, with what is known of each."""

    def __init__(self, path, grey, device):
        with open(os.path.join(path, "crops.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        data = np.fromfile(os.path.join(path, "crops.bin"), np.uint8)
        crops = None
        for i, row in enumerate(rows):
            start, size = int(row["start"]), int(row["size"])
            crop = cv2.imdecode(data[start:start + size], cv2.IMREAD_COLOR)
            if crop is None:
                sys.exit(f"train.py: {path}: crop {i} cannot be read")
            crop = cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY)[:, :, None] if grey else crop[:, :, ::-1]
            if crops is None:
                crops = np.empty((len(rows), *crop.shape), np.uint8)
            crops[i] = crop
        self.crops = torch.from_numpy(crops).permute(0, 3, 1, 2).contiguous().to(device)
        self.label = torch.tensor([int(r["label"]) for r in rows], dtype=torch.float32, device=device)
        self.place = torch.tensor([[float(r["dx"]), float(r["dy"]), float(r["dh"])] for r in rows], device=device)
        self.fold = torch.tensor([int(r["fold"]) for r in rows], device=device)
        names = sorted({r["source"] for r in rows})
        self.sources = names
        self.source = torch.tensor([names.index(r["source"]) for r in rows], device=device)
        self.score = np.array([float(r["score"]) for r in rows])
        kinds = sorted({r["kind"] for r in rows})
        self.kinds = kinds
        self.kind = torch.tensor([kinds.index(r["kind"]) for r in rows], device=device)


def sampling_weights(pack, chosen):
    """By label as SHARES says; within each, a source (and a kind of thing) by the root of its size."""
    weight = torch.zeros_like(pack.label)
    for value, share in SHARES.items():
        one = chosen & (pack.label == value)
        for source in pack.source[one].unique():
            for kind in pack.kind[one & (pack.source == source)].unique():
                group = one & (pack.source == source) & (pack.kind == kind)
                weight[group] = 1 / math.sqrt(int(group.sum()))
        weight[one] *= share / weight[one].sum().clamp(min=1e-12)
    return weight


def uniform(count, low, high, generator):
    return torch.rand(count, generator=generator, device=generator.device) * (high - low) + low


def viewed(crops, scale, dx, dy, mirror, rim):
    """What the network sees of a pack's crops: scaled, moved (pixels of the crop), mirrored, with at most `rim` pixels beside the person."""
    count, _, height, width = crops.shape
    y = (torch.arange(HEIGHT, device=crops.device) + 0.5 - HEIGHT / 2)[None, :, None] * scale[:, None, None] + dy[:, None, None]
    x = (torch.arange(WIDTH, device=crops.device) + 0.5 - WIDTH / 2)[None, None, :] * scale[:, None, None]
    x = x * torch.where(mirror, -1.0, 1.0)[:, None, None] + dx[:, None, None]
    rim = rim[:, None, None]
    x, y = torch.maximum(torch.minimum(x, 16 + rim), -16 - rim), torch.maximum(torch.minimum(y, PERSON / 2 + rim), -PERSON / 2 - rim)
    grid = torch.stack([(x / (width / 2)).expand(count, HEIGHT, WIDTH), (y / (height / 2)).expand(count, HEIGHT, WIDTH)], -1)
    return F.grid_sample(crops, grid, mode="bilinear", padding_mode="border", align_corners=False)


def augmented(crops, place, generator):
    """Crops as other cameras, lights and candidates would have given them, and where the person is in them now."""
    count = len(crops)
    scale = torch.exp(uniform(count, -0.16, 0.16, generator))
    dx, dy = uniform(count, -5, 5, generator), uniform(count, -7, 7, generator)
    mirror = uniform(count, 0, 1, generator) < 0.5
    # Some without their surroundings: at the edge of a picture, or cut out narrowly (as some sources are).
    rim = torch.where(uniform(count, 0, 1, generator) < 0.25, uniform(count, 0, 12, generator), torch.full_like(dx, 1000.0))
    x = crops.float()
    small = uniform(count, 0, 1, generator) < 0.3  # far away: few pixels
    if small.any():
        factor = 0.35 + 0.55 * torch.rand((), generator=generator, device=generator.device).item()
        low = F.interpolate(x[small], scale_factor=factor, mode="area")
        x[small] = F.interpolate(low, size=x.shape[2:], mode="bilinear", align_corners=False)
    x = viewed(x, scale, dx, dy, mirror, rim)
    gamma = torch.exp(uniform(count, -0.6, 0.6, generator))[:, None, None, None]
    x = 255 * torch.pow((x / 255).clamp(1e-4, 1), gamma)
    if x.shape[1] == 3:
        tint = torch.exp((torch.rand((count, 3), generator=generator, device=generator.device) - 0.5) * 0.4)
        x = x * tint[:, :, None, None]
        colour = torch.where(uniform(count, 0, 1, generator) < 0.15, torch.zeros_like(dx), uniform(count, 0.5, 1.3, generator))[:, None, None, None]
        grey = x.mean(1, keepdim=True)
        x = grey + (x - grey) * colour
    noise = (uniform(count, 0, 1, generator) ** 3 * 16)[:, None, None, None]
    dark = torch.where(uniform(count, 0, 1, generator) < 0.25, uniform(count, 0.08, 0.6, generator), torch.ones_like(dx))[:, None, None, None]
    x = torch.round((x * dark + noise * dark.sqrt() * torch.randn(x.shape, generator=generator, device=x.device)).clamp(0, 255))
    # Something in front: a car, a bin, somebody's bag.
    hide = torch.nonzero(uniform(count, 0, 1, generator) < 0.15).flatten()
    if len(hide) > 1:
        other = hide[torch.randperm(len(hide), generator=generator, device=generator.device)]
        top = int(HEIGHT * (0.62 + 0.25 * torch.rand((), generator=generator, device=generator.device).item()))
        x[hide, :, top:] = x[other, :, top:].clone()
    moved = torch.stack([torch.where(mirror, -1.0, 1.0) * (place[:, 0] * PERSON - dx) / scale / PERSON,
                         (place[:, 1] * PERSON - dy) / scale / PERSON, (place[:, 2] + 1) / scale - 1], 1)
    return normalised(x), moved


def outputs(net, crops, batch=2048):
    """Of crops as the product cuts them."""
    parts = []
    with torch.no_grad():
        for part in crops.split(batch):
            one = torch.ones(len(part), device=part.device)
            none = torch.zeros_like(one)
            parts.append(net(normalised(torch.round(viewed(part.float(), one, none, none, none > 1, one * 1000)))).float())
    return torch.cat(parts)


def judge(label, score):
    """Area under the ROC curve, and the share of people missed where one other candidate in 10, 100, 1000 passes."""
    if not (label == 1).any() or not (label == 0).any():
        return None
    order = np.argsort(-score, kind="stable")
    found, wrong = np.cumsum(label[order] == 1), np.cumsum(label[order] == 0)
    area = float(np.sum(np.diff(np.concatenate([[0], wrong])) * found) / (found[-1] * wrong[-1]))
    missed = {rate: 1 - float(found[max(0, np.searchsorted(wrong, rate * wrong[-1], side="right") - 1)]) / float(found[-1]) for rate in (0.1, 0.01, 0.001)}
    return {"area": round(area, 5), **{f"missed_{rate}": round(value, 4) for rate, value in missed.items()}}


def compared(pack, held, scores, name):
    """Figures of the cascade's candidates among the held crops, ordered by these scores (called `name`) and by the cascade's: of all, and by source."""
    label, source, score = pack.label[held].cpu().numpy(), pack.source[held].cpu().numpy(), pack.score[held.cpu().numpy()]
    found = ~np.isnan(score)  # candidates of the cascade
    line = {name: judge(label[found], scores[found]), "cascade": judge(label[found], score[found])}
    for number in np.unique(source[found]):
        one = found & (source == number)
        if min((label[one] == 1).sum(), (label[one] == 0).sum()) >= 20:
            line[pack.sources[number]] = {name: judge(label[one], scores[one]), "cascade": judge(label[one], score[one])}
    return line


def judged(pack, held, net):
    out = outputs(net, pack.crops[held]).cpu().numpy()
    line = compared(pack, held, out[:, 0], "network")
    label, found = pack.label[held].cpu().numpy(), ~np.isnan(pack.score[held.cpu().numpy()])
    for name, person in (("place", (label == 1) & found), ("near", label == -1)):
        if person.any():
            wanted = pack.place[held].cpu().numpy()[person]
            line[name + "_error"] = [round(float(v), 4) for v in np.median(np.abs(out[person, 1:] / PLACE_WEIGHT - wanted), axis=0)]
            line[name + "_error_before"] = [round(float(v), 4) for v in np.median(np.abs(wanted), axis=0)]
    return line


def left_out(path, pack_path, count):
    """Which of a pack's crops are in a file of unlabelled()."""
    chosen = np.zeros(count, bool)
    if path:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        if not lines or lines[0] != identity(pack_path):
            sys.exit(f"train.py: {path}: is of another pack")
        chosen[[int(line.split()[0]) for line in lines[1:]]] = True
    return torch.from_numpy(chosen)


def identity(pack_path):
    """Tells one pack from another: the first line of a file about its crops."""
    with open(os.path.join(pack_path, "crops.csv"), "rb") as file:
        return f"# of the pack {hashlib.sha256(file.read()).hexdigest()[:16]}"


def unlabelled(options):
    """The truth of real streets lacks people: behind a guardrail, before a car, far away. Crops without a person, by the truth, to which a network
    that has not seen the picture gives a high score are listed with it, to be left out of training: most show people."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    pack = Pack(options.pack, options.grey, device)
    score = torch.full_like(pack.label, -math.inf)
    for path in options.nets:
        net, saved = load(path, device)
        if saved["fold"] < 0:
            sys.exit(f"train.py: {path}: was trained on all parts (--fold -1)")
        asked = torch.nonzero((pack.fold == saved["fold"]) & (pack.label == 0)).flatten()
        if len(asked):
            score[asked] = torch.maximum(score[asked], outputs(net, pack.crops[asked], 512)[:, 0])
    listed = sorted(torch.nonzero(score >= options.least).flatten().tolist(), key=lambda i: -float(score[i]))
    text = "".join([identity(options.pack) + "\n", *(f"{i} {float(score[i]):.2f}\n" for i in listed)])
    with open(options.out + ".part", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(options.out + ".part", options.out)
    print(f"{len(listed)} of {int((score > -math.inf).sum())} crops without a person are listed")
    if options.sheet:
        shown = pack.crops[listed[:options.shown]].permute(0, 2, 3, 1).cpu().numpy()
        columns = 20
        rows = [np.concatenate([*shown[i:i + columns], *[np.zeros_like(shown[0])] * max(0, columns - len(shown[i:i + columns]))], 1)
                for i in range(0, len(shown), columns)]
        if rows:
            cv2.imwrite(options.sheet, np.concatenate(rows)[:, :, ::-1])


def train(options):
    if options.kind == "small" and not 0 <= options.exact_steps < options.steps:
        sys.exit("train.py: --exact-steps must be less than --steps")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(options.seed)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = True
    generator = torch.Generator(device=device).manual_seed(options.seed)
    begin = time.time()
    pack = Pack(options.pack, options.grey, device)
    print(f"{len(pack.label)} crops decoded in {time.time() - begin:.1f} s on {device}", flush=True)
    held = pack.fold == options.fold if options.fold >= 0 else torch.zeros_like(pack.fold, dtype=torch.bool)
    weight = sampling_weights(pack, ~held & ~left_out(options.leave_out, options.pack, len(held)).to(device))
    teacher = options.kind == "teacher"
    planes = pack.crops.shape[1]
    net = (Teacher if teacher else Small)(planes, options.width).to(device, memory_format=torch.channels_last)
    teachers = [load(path, device)[0] for path in options.teacher]
    decayed = [p for p in net.parameters() if p.dim() > 1]
    others = [p for p in net.parameters() if p.dim() <= 1]
    optimiser = torch.optim.AdamW([{"params": decayed, "weight_decay": options.decay}, {"params": others, "weight_decay": 0}], lr=options.rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, options.rate, total_steps=options.steps, pct_start=0.05)
    total, counted = torch.zeros((), device=device), 0
    for step in range(options.steps):
        exact = not teacher and step >= options.steps - options.exact_steps
        if exact and step == options.steps - options.exact_steps:
            net.set_exact()
            torch.backends.cudnn.allow_tf32 = False  # whole numbers up to 24 bits, as the product's sums
        net.train()
        if exact:
            net.freeze_statistics()
        chosen = torch.multinomial(weight, options.batch, replacement=True, generator=generator)
        x, place = augmented(pack.crops[chosen], pack.place[chosen], generator)
        x = x.contiguous(memory_format=torch.channels_last)
        label = pack.label[chosen]
        with torch.autocast(device, torch.bfloat16, enabled=teacher and device == "cuda"):
            out = net(x)
        out = out.float()
        person = label != 0  # somebody is there; but whether one who is badly placed should score, nobody knows
        known = label >= 0
        place = place * PLACE_WEIGHT
        if teachers:
            with torch.no_grad(), torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                taught = torch.stack([t(x).float() for t in teachers]).mean(0)
            place = torch.where(person[:, None], 0.5 * place + 0.5 * taught[:, 1:], place)
        # No smoothing of labels: it makes all sure ones score alike, and then their order is chance.
        loss = F.binary_cross_entropy_with_logits(out[known, 0], label[known])
        if teachers:  # their score itself, not the probability, which says little of the order of sure ones
            loss = 0.2 * loss + 0.5 * F.smooth_l1_loss(out[:, 0], taught[:, 0].clamp(-12, 12))
        loss = loss + 0.5 * (F.smooth_l1_loss(out[:, 1:], place, beta=0.3, reduction="none").mean(1) * person).sum() / person.sum().clamp(min=1)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5)
        optimiser.step()
        schedule.step()
        total += loss.detach()
        counted += 1
        if (step + 1) % options.report == 0 or step + 1 == options.steps:
            net.eval()
            line = {"step": step + 1, "loss": round(float(total) / counted, 4), "seconds": round(time.time() - begin, 1)}
            total.zero_()
            counted = 0
            if held.any():
                line.update(judged(pack, held, net))
            print(json.dumps(line), flush=True)
    saved = {"net": net.state_dict(), "kind": options.kind, "width": options.width, "planes": planes, "seed": options.seed, "fold": options.fold,
             "steps": options.steps}
    torch.save(saved, options.out + ".part")
    os.replace(options.out + ".part", options.out)


def exported(net, planes):
    """The network in whole numbers, as gpu/net/network.hpp has it."""
    layers = []
    unit = 1 / LEVELS  # what one level of a layer's input stands for
    for layer in [*net.layers, net.head]:
        weight, bias = (t.detach().double().cpu() for t in layer.folded())
        step = layer.step_of(weight)
        whole = torch.round(weight / step).to(torch.int32)
        step = step.flatten()
        after = float(layer.scale) / LEVELS
        factor = step * unit / after if layer.norm is not None else step * unit * torch.tensor([1, *[1 / PLACE_WEIGHT] * 3])
        layers.append({
            "inputs": layer.conv.in_channels, "outputs": layer.conv.out_channels, "kernel_width": layer.conv.kernel_size[1],
            "kernel_height": layer.conv.kernel_size[0], "stride": layer.conv.stride[0], "padding": layer.conv.padding[0],
            "weights": whole.permute(0, 2, 3, 1).flatten().tolist(), "bias": torch.round(bias / (step * unit)).to(torch.int64).tolist(),
            "factor": [float(np.float32(f)) for f in factor]})
        unit = after
    return {"crop": {"width": WIDTH, "height": HEIGHT, "planes": planes, "person_height": PERSON}, "layers": layers}


def export(options):
    net, saved = load(options.net, "cpu")
    if saved["kind"] != "small":
        sys.exit(f"train.py: {options.net}: only small networks are exported")
    with open(options.out + ".part", "w", encoding="utf-8") as file:
        json.dump(exported(net, saved["planes"]), file)
    os.replace(options.out + ".part", options.out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], epilog=__doc__.split("\n", 2)[2], formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="kind", required=True)
    for kind, width, steps, rate, decay in (("small", 16, 16000, 3e-3, 0.02), ("teacher", 48, 8000, 1.5e-3, 0.1)):
        one = commands.add_parser(kind, help=f"train a {kind} network", formatter_class=argparse.ArgumentDefaultsHelpFormatter)
        one.add_argument("--pack", required=True, help="folder of pack.py")
        one.add_argument("--out", required=True, help="output file")
        one.add_argument("--fold", type=int, default=-1, help="part to hold out and to judge on; -1: none")
        one.add_argument("--seed", type=int, default=1)
        one.add_argument("--width", type=int, default=width, help="channels of the first layer")
        one.add_argument("--steps", type=int, default=steps)
        one.add_argument("--exact-steps", type=int, default=4000, help="the last steps: with the product's rounding (small only)")
        one.add_argument("--batch", type=int, default=512)
        one.add_argument("--rate", type=float, default=rate, help="greatest learning rate")
        one.add_argument("--decay", type=float, default=decay, help="weight decay")
        one.add_argument("--grey", action="store_true", help="for cameras without colour")
        one.add_argument("--teacher", nargs="*", default=[], help="trained teachers, to learn from them too")
        one.add_argument("--leave-out", default="", help="file of train.py unlabelled: crops to leave out")
        one.add_argument("--report", type=int, default=2000, help="steps between two lines of figures")
        one.set_defaults(run=train)
    one = commands.add_parser("unlabelled", help="list crops without a person, by the truth, that networks which have not seen them take for people",
                              formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    one.add_argument("nets", nargs="+", help="as trained, each with a part held out")
    one.add_argument("--pack", required=True, help="folder of pack.py")
    one.add_argument("--out", required=True, help="output file: a line for each, number and score")
    one.add_argument("--least", type=float, default=3.0, help="lowest score of what is listed")
    one.add_argument("--grey", action="store_true", help="for cameras without colour")
    one.add_argument("--sheet", default="", help="also draw the first of them into this PNG")
    one.add_argument("--shown", type=int, default=200, help="how many")
    one.set_defaults(run=unlabelled)
    one = commands.add_parser("export", help="write a small network for kerblab model look-again")
    one.add_argument("net", help="as trained")
    one.add_argument("--out", required=True, help="output file, JSON")
    one.set_defaults(run=export)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
