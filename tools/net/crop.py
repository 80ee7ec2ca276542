# SPDX-License-Identifier: Apache-2.0
"""Crops around candidates, by the integer definition of gpu/net/crop.hpp: the same bytes as cut_crop()."""
import dataclasses

import numpy as np

MAX_TAPS = 16
LEAST_STEP, MOST_STEP = 1024, 1 << 24


@dataclasses.dataclass(frozen=True)
class Shape:
    """CropShape: pixels of a crop, and the height of the person in its middle. Sides are even."""

    width: int
    height: int
    person_height: int


PACKED = Shape(width=72, height=128, person_height=64)  # what a network sees, and room to move it in training


@dataclasses.dataclass(frozen=True)
class Place:
    """CropPlace: the top left corner, and picture's pixels to one of the crop's, in 65536ths of a pixel."""

    left: int
    top: int
    step: int
    taps: int


def place_crop(shape: Shape, box: tuple[float, float, float, float]) -> Place:
    """The crop around a person's box x, y, w, h. The numbers are rounded to floats first, as a Detection has them."""
    x, y, w, h = (float(np.float32(value)) for value in box)
    step = min(max(round(h / shape.person_height * 65536), LEAST_STEP), MOST_STEP)  # round(): ties to even, as rint
    left = round((x + w / 2) * 65536) - step * shape.width // 2
    top = round((y + h / 2) * 65536) - step * shape.height // 2
    return Place(left, top, step, min(max(-(-step // 65536), 1), MAX_TAPS))


def axis_weights(start: int, step: int, taps: int, count: int, side: int) -> tuple[int, np.ndarray]:
    """The weights of one axis: for each of `count` pixels of the crop a row, over the picture's pixels first..first + columns.

    Weights of samples beyond the picture are those of its last pixels.
    """
    number = np.arange(count * taps, dtype=np.int64)
    place = start + ((2 * number + 1) * step) // (2 * taps) - 32768
    fraction = (place >> 8) & 255
    near = np.clip(place >> 16, 0, side - 1)
    far = np.clip((place >> 16) + 1, 0, side - 1)
    first = int(near.min())
    weights = np.zeros((count, int(far.max()) - first + 1))
    np.add.at(weights, (number // taps, near - first), 256 - fraction)
    np.add.at(weights, (number // taps, far - first), fraction)
    return first, weights


def cut_crop(picture: np.ndarray, shape: Shape, place: Place) -> np.ndarray:
    """The crop of a picture of height x width x planes bytes, as height x width x planes bytes."""
    first_x, weights_x = axis_weights(place.left, place.step, place.taps, shape.width, picture.shape[1])
    first_y, weights_y = axis_weights(place.top, place.step, place.taps, shape.height, picture.shape[0])
    part = picture[first_y : first_y + weights_y.shape[1], first_x : first_x + weights_x.shape[1]]
    # Whole numbers below 2^53: the sums are exact in doubles, in any order.
    planes = [weights_y @ part[:, :, plane].astype(np.float64) @ weights_x.T for plane in range(picture.shape[2])]
    whole = (256 * place.taps) ** 2
    return ((np.stack(planes, axis=2).astype(np.int64) + whole // 2) // whole).astype(np.uint8)
