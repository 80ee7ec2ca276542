# SPDX-License-Identifier: Apache-2.0
"""The networks that train.py trains: a small one in whole numbers, which the product runs (gpu/net), and a large teacher for it."""
import torch
import torch.nn as nn
import torch.nn.functional as F

WIDTH, HEIGHT = 48, 96  # of what a network sees: gpu/net/network.hpp, CropShape
PERSON = 64  # height of the candidate's person there
LEVELS = 127  # largest value between layers
LEAST_SPREAD, SPREAD = 3.0, 24.0  # gpu/net/crop.hpp, normalise_crop


def normalised(crops):
    """normalise_crop() of gpu/net/crop.hpp: N x P x H x W samples of 0..255 to values of 0..1, in steps of 1 / 127."""
    planes = crops.shape[1]
    total = crops.sum(1, keepdim=True)
    mean = total.mean((2, 3), keepdim=True)
    spread = total.var((2, 3), keepdim=True, unbiased=False).sqrt().clamp(min=LEAST_SPREAD * planes)
    return torch.clamp(torch.round((planes * crops - mean) * (SPREAD / spread)) + 64, 0, LEVELS) / LEVELS


class _Rounded(torch.autograd.Function):
    """Rounds; the gradient passes as if it did not."""

    @staticmethod
    def forward(context, value):
        return torch.round(value)

    @staticmethod
    def backward(context, gradient):
        return gradient


class Layer(nn.Module):
    """A convolution, its statistics (batch normalisation), and a cut to 0..scale. Once `exact` is set: with the 8-bit weights and the steps of
    1 / 127 of `scale` that the product has."""

    def __init__(self, inputs, outputs, stride=1, size=3, padding=1, last=False):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, size, stride, padding, bias=last)
        self.norm = None if last else nn.BatchNorm2d(outputs)
        self.exact = False
        self.calls = 0
        self.register_buffer("scale", torch.tensor(4.0))

    def folded(self):
        """Weights and bias of the convolution with its statistics in them."""
        if self.norm is None:
            return self.conv.weight, self.conv.bias
        factor = self.norm.weight / torch.sqrt(self.norm.running_var + self.norm.eps)
        return self.conv.weight * factor[:, None, None, None], self.norm.bias - self.norm.running_mean * factor

    @staticmethod
    def step_of(weight):
        """What one unit of an 8-bit weight stands for, for each output."""
        return weight.abs().amax(dim=(1, 2, 3), keepdim=True).clamp(min=1e-8) / LEVELS

    def forward(self, x):
        if not self.exact:
            if self.norm is None:
                return self.conv(x)
            y = F.relu(self.norm(self.conv(x)))
            self.calls += 1
            if self.training and self.calls % 16 == 0:  # now and then: sorting is slow
                with torch.no_grad():
                    sample = y.detach().float().flatten()
                    top = torch.quantile(sample[:: max(1, sample.numel() // 100000)], 0.9998)
                    self.scale.lerp_(top.clamp(min=0.5), 0.2)
            return torch.minimum(y, self.scale)
        weight, bias = self.folded()
        step = self.step_of(weight)
        weight = _Rounded.apply(weight / step) * step
        y = F.conv2d(x, weight, bias, self.conv.stride, self.conv.padding)
        if self.norm is None:
            return y
        unit = self.scale / LEVELS
        return _Rounded.apply(torch.clamp(y / unit, 0, LEVELS)) * unit


class Small(nn.Module):
    """What the product runs. Score, and the person's place: gpu/net/network.hpp, Network."""

    def __init__(self, planes=3, width=16):
        super().__init__()
        w = width
        self.layers = nn.ModuleList([
            Layer(planes, w, 2), Layer(w, 2 * w, 2), Layer(2 * w, 2 * w), Layer(2 * w, 4 * w, 2), Layer(4 * w, 4 * w),
            Layer(4 * w, 6 * w, 2), Layer(6 * w, 6 * w), Layer(6 * w, 8 * w, size=(6, 3), padding=0)])
        self.dropout = nn.Dropout(0.2)
        self.head = Layer(8 * w, 4, size=1, padding=0, last=True)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(self.dropout(x)).flatten(1)

    def set_exact(self):
        """From now on with the product's rounding; the statistics stay as they are."""
        for layer in [*self.layers, self.head]:
            layer.exact = True

    def freeze_statistics(self):
        for layer in self.layers:
            layer.norm.eval()


class _Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.first_norm = nn.BatchNorm2d(outputs)
        self.second = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.second_norm = nn.BatchNorm2d(outputs)
        self.beside = None
        if stride != 1 or inputs != outputs:
            self.beside = nn.Sequential(nn.AvgPool2d(stride, ceil_mode=True), nn.Conv2d(inputs, outputs, 1, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = F.relu(self.first_norm(self.first(x)))
        y = self.second_norm(self.second(y))
        return F.relu(y + (x if self.beside is None else self.beside(x)))


class Teacher(nn.Module):
    """A residual network; with a width of 32 it has eleven times the products. Several of them, trained from different seeds, teach a small one."""

    def __init__(self, planes=3, width=48):
        super().__init__()
        w = width
        self.stem = nn.Sequential(nn.Conv2d(planes, w, 3, 1, 1, bias=False), nn.BatchNorm2d(w), nn.ReLU())
        self.blocks = nn.Sequential(_Block(w, w, 2), _Block(w, 2 * w, 2), _Block(2 * w, 2 * w, 1), _Block(2 * w, 4 * w, 2), _Block(4 * w, 4 * w, 1),
                                    _Block(4 * w, 6 * w, 2), _Block(6 * w, 6 * w, 1))
        self.dropout = nn.Dropout(0.4)
        self.head = nn.Linear(6 * w * 6 * 3, 4)
        nn.init.zeros_(self.head.bias)
        nn.init.normal_(self.head.weight, std=0.005)

    def forward(self, x):
        return self.head(self.dropout(self.blocks(self.stem(x)).flatten(1)))


def load(path, device):
    """A network as train.py saved it, and what was saved with it."""
    saved = torch.load(path, map_location=device, weights_only=True)
    net = (Teacher if saved["kind"] == "teacher" else Small)(saved["planes"], saved["width"]).to(device)
    net.load_state_dict(saved["net"])
    if saved["kind"] != "teacher":
        net.set_exact()
    net.eval()
    return net, saved
