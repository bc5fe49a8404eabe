"""Sharpen and blur images."""

from __future__ import annotations

from numbers import Number
from typing import Any

import numpy as np

from minispore.dataset.transforms import arguments
from minispore.dataset.vision.support.colour import blended, saturated
from minispore.dataset.vision.support.image import ImageTransform
from minispore.dataset.vision.support.pillow import enhanced

FACTOR_MAX = arguments.EXACT_FLOAT32_INTEGER
BAND_ELEMENTS = 1 << 17  # filtered at a time


class AdjustSharpness(ImageTransform):
    """x * sharpness_factor + smooth(x) * (1 - sharpness_factor).

    smooth(x) is the mean of a pixel, taken five times, and its eight neighbours; the outermost
    pixels stay.

    Args:
        sharpness_factor (float): 0 gives a smooth image, 1 the image, not negative.

    Raises:
        TypeError: ``sharpness_factor`` is not a number.
        ValueError: ``sharpness_factor`` is negative.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> dot = np.pad(np.array([[130]], np.uint8), 1)
        >>> vision.AdjustSharpness(0.0)(dot).tolist()
        [[0, 0, 0], [0, 50, 0], [0, 0, 0]]
    """

    counts_bools = True
    makes_arrays = True

    sharpness_factor: float

    def check(self) -> None:
        factor = self.sharpness_factor
        arguments.number(self, "sharpness_factor", factor, 0, FACTOR_MAX, mindspore_name="")

    def pixels(self, images: np.ndarray) -> np.ndarray:
        smooth = images.copy()
        if min(images.shape[1:3]) > 2:
            x = images.astype(np.float32)
            columns = x[:, :, :-2] + x[:, :, 1:-1] + x[:, :, 2:]
            total = columns[:, :-2] + columns[:, 1:-1] + columns[:, 2:] + 4 * x[:, 1:-1, 1:-1]
            smooth[:, 1:-1, 1:-1] = saturated(total / 13, images.dtype)
        factor = np.float32(self.sharpness_factor)
        return blended(images, factor, smooth, 1 - factor)

    def pil(self, image: Any) -> Any:
        return enhanced(self.name, "Sharpness", image, self.sharpness_factor)


class GaussianBlur(ImageTransform):
    """Smooth with a Gaussian kernel; the image is mirrored at its edges.

    Args:
        kernel_size (Union[int, Sequence[int]]): odd (width, height) of the kernel, or one for both.
        sigma (Union[float, Sequence[float]]): standard deviations along x and y, where 0 is for
            0.3 * ((size - 1) * 0.5 - 1) + 0.8 of the kernel's; one for both, where 0 is for that of
            the width. Default: ``None``, 0 for both.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: a size is even or not positive, or a deviation negative.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.GaussianBlur((3, 1), 1.0)(np.array([[0, 0, 100, 0, 0]], np.uint8)).tolist()
        [[0, 27, 45, 27, 0]]
    """

    counts_bools = True
    makes_arrays = True

    kernel_size: Any
    sigma: Any = None

    def check(self) -> None:
        sizes = arguments.size(self, "kernel_size", self.kernel_size, "kernel_size")
        for i, size in enumerate(sizes):
            if size % 2 == 0:
                name = "kernel_size" if isinstance(self.kernel_size, int) else f"kernel_size[{i}]"
                hint = f"Input {name} is not an odd value: a kernel has a middle."
                raise ValueError(
                    arguments.format_error(self, "kernel_size", "be odd", self.kernel_size, hint)
                )
        sigma = 0 if self.sigma is None else self.sigma
        self.normalise(_of_width=isinstance(sigma, Number) and not sigma)
        if isinstance(sigma, Number):
            sigma = (sigma, sigma)
        hint = "Sigma should be a single number or a list/tuple of length 2 for width and height."
        sigma = arguments.sequence(self, "sigma", sigma, (2,), hint, (Number, list, tuple))
        sigma = arguments.number_sequence(
            self, "sigma", sigma, 0, FACTOR_MAX, "[]", "sigma", (Number,)
        )
        self.normalise(kernel_size=sizes, sigma=sigma)

    def pixels(self, images: np.ndarray) -> np.ndarray:
        sigma = self.sigma
        if self._of_width:  # type: ignore[attr-defined]
            sigma = (usual_sigma(self.kernel_size[0]),) * 2
        across, down = (gaussian(n, s) for n, s in zip(self.kernel_size, sigma))
        if images.dtype != np.uint8:
            values = _filtered(_filtered(images.astype(np.float64), across, 2), down, 1)
            return saturated(values, images.dtype)
        return _filtered_bytes(images, _in_256ths(across), _in_256ths(down))


def usual_sigma(size: int) -> float:
    """The standard deviation for a kernel of this size."""
    return 0.3 * ((size - 1) * 0.5 - 1) + 0.8


def gaussian(size: int, sigma: float) -> np.ndarray:
    """Weights of a Gaussian, adding up to 1."""
    sigma = sigma or usual_sigma(size)
    at = np.arange(size) - (size - 1) / 2
    weights = np.exp(-at * at / (2 * sigma * sigma))
    return weights / weights.sum()


def _in_256ths(weights: np.ndarray) -> np.ndarray:
    """A symmetric kernel in integers that add up to 256: each error goes to the next weight."""
    out, error = np.zeros(len(weights), np.int64), 0.0
    for i in range(len(weights) // 2):
        wanted = weights[i] * 256 + error
        out[i] = out[-1 - i] = round(wanted)
        error = wanted - out[i]
    out[len(weights) // 2] = 256 - out.sum()
    return out


def _filtered(x: np.ndarray, kernel: np.ndarray, axis: int) -> np.ndarray:
    """The correlation along one axis."""
    wide = np.moveaxis(x.take(_mirrored(x.shape[axis], kernel), axis), axis, 0)
    size = x.shape[axis]
    out = sum(wide[i : i + size] * weight for i, weight in enumerate(kernel))
    return np.moveaxis(np.asarray(out), 0, axis)


def _mirrored(size: int, kernel: np.ndarray) -> np.ndarray:
    """The indices of an axis, and those that the kernel reads beyond its ends."""
    mode = "reflect" if size > 1 else "edge"
    return np.pad(np.arange(size), len(kernel) // 2, mode=mode)  # type: ignore[call-overload]


def _filtered_bytes(images: np.ndarray, across: np.ndarray, down: np.ndarray) -> np.ndarray:
    """Along rows, then along columns, by symmetric kernels in 256ths, and rounded.

    Some rows at a time, which stay in a core's cache; after the first pass 16 bits hold a value.
    """
    count, height, width, channels = images.shape
    out = np.empty_like(images)
    rows_at, columns_at = _mirrored(height, down), _mirrored(width, across)
    step, reach = max(1, BAND_ELEMENTS // (width * channels)), len(down) - 1
    half = len(across) // 2
    for image, made in zip(images, out.reshape(count, height, width * channels)):
        for begin in range(0, height, step):
            rows = rows_at[begin : begin + step + reach]
            wide = np.empty((len(rows), len(columns_at), channels), np.uint8)
            wide[:, half : half + width] = image[rows]
            for i in (*range(half), *range(half + width, len(columns_at))):
                wide[:, i] = image[rows, columns_at[i]]
            flat = wide.reshape(len(rows), -1)
            run, there = width * channels, len(rows) - reach
            shifted = [flat[:, i * channels :][:, :run] for i in range(len(across))]
            levels = _weighted(shifted, across, np.uint16)
            total = _weighted([levels[i : i + there] for i in range(len(down))], down, np.uint32)
            total += 1 << 15
            total >>= 16
            made[begin : begin + step] = total
    return out


def _weighted(parts: list[np.ndarray], kernel: np.ndarray, kind: type) -> np.ndarray:
    """The sum of ``parts`` times a symmetric kernel: two of them at once."""
    middle = len(kernel) // 2
    total = np.multiply(parts[middle], kind(kernel[middle]), dtype=kind)
    for i in range(middle):
        pair = np.add(parts[i], parts[-1 - i], dtype=kind)
        pair *= kind(kernel[i])
        total += pair
    return total
