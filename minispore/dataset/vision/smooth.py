"""Sharpen and blur images."""

from __future__ import annotations

from numbers import Number
from typing import Any

import numpy as np

from minispore.dataset.transforms import arguments
from minispore.dataset.vision.support.colour import blend_images, cast_saturated
from minispore.dataset.vision.support.image import ImageTransform
from minispore.dataset.vision.support.pillow import enhance_image

FACTOR_MAX = arguments.EXACT_FLOAT32_INTEGER
BAND_ELEMENTS = 1 << 17  # number of values filtered at a time


class AdjustSharpness(ImageTransform):
    """x * sharpness_factor + smooth(x) * (1 - sharpness_factor).

    smooth(x) is the weighted mean of a pixel (weight 5) and its eight neighbours (weight 1); edge
    pixels are unchanged.

    Args:
        sharpness_factor (float): not negative; 0 gives a smooth image, 1 the original image.

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

    bool_to_uint8 = True
    makes_arrays = True

    sharpness_factor: float

    def check(self) -> None:
        factor = self.sharpness_factor
        arguments.number(self, "sharpness_factor", factor, 0, FACTOR_MAX, mindspore_name="")

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        """Blend the images with a copy that is smoothed except at the edges.

        An image of fewer than three rows or columns is all edge.
        """
        smooth = images.copy()
        if min(images.shape[1:3]) > 2:
            x = images.astype(np.float32)
            columns = x[:, :, :-2] + x[:, :, 1:-1] + x[:, :, 2:]
            total = columns[:, :-2] + columns[:, 1:-1] + columns[:, 2:] + 4 * x[:, 1:-1, 1:-1]
            smooth[:, 1:-1, 1:-1] = cast_saturated(total / 13, images.dtype)
        factor = np.float32(self.sharpness_factor)
        return blend_images(images, factor, smooth, 1 - factor)

    def transform_pil(self, image: Any) -> Any:
        return enhance_image(self.name, "Sharpness", image, self.sharpness_factor)


class GaussianBlur(ImageTransform):
    """Smooth with a Gaussian kernel; the image is mirrored at its edges.

    Args:
        kernel_size (Union[int, Sequence[int]]): odd (width, height) of the kernel, or one int for
            both.
        sigma (Union[float, Sequence[float]]): standard deviations along x and y; 0 means
            0.3 * ((size - 1) * 0.5 - 1) + 0.8 with the kernel size of the axis; one number for
            both, where 0 uses the kernel width for both. Default: ``None``, 0 for both.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a size is even or not positive, or a deviation is negative.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.GaussianBlur((3, 1), 1.0)(np.array([[0, 0, 100, 0, 0]], np.uint8)).tolist()
        [[0, 27, 45, 27, 0]]
    """

    bool_to_uint8 = True
    makes_arrays = True

    kernel_size: Any
    sigma: Any = None

    def check(self) -> None:
        """Check and store the arguments as pairs, except for one ``sigma`` of 0, stored as 0.

        See the class for errors.
        """
        sizes = arguments.size(self, "kernel_size", self.kernel_size, "kernel_size")
        for i, size in enumerate(sizes):
            if size % 2 == 0:
                name = "kernel_size" if isinstance(self.kernel_size, int) else f"kernel_size[{i}]"
                hint = f"Input {name} is not an odd value: a kernel has a middle."
                raise ValueError(
                    arguments.format_error(self, "kernel_size", "be odd", self.kernel_size, hint)
                )
        sigma = 0 if self.sigma is None else self.sigma
        shares_width_sigma = isinstance(sigma, Number) and not sigma
        if isinstance(sigma, Number):
            sigma = (sigma, sigma)
        hint = "Sigma should be a single number or a list/tuple of length 2 for width and height."
        sigma = arguments.sequence(self, "sigma", sigma, (2,), hint, (Number, list, tuple))
        sigma = arguments.number_sequence(
            self, "sigma", sigma, 0, FACTOR_MAX, "[]", "sigma", (Number,)
        )
        self.normalise(kernel_size=sizes, sigma=0 if shares_width_sigma else sigma)

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        """Filter along rows, then columns, with integer kernels for uint8 images."""
        sigma = self.sigma or (compute_default_sigma(self.kernel_size[0]),) * 2
        row_kernel = make_gaussian_kernel(self.kernel_size[0], sigma[0])
        column_kernel = make_gaussian_kernel(self.kernel_size[1], sigma[1])
        if images.dtype != np.uint8:
            filtered_rows = _correlate_axis(images.astype(np.float64), row_kernel, 2)
            return cast_saturated(_correlate_axis(filtered_rows, column_kernel, 1), images.dtype)
        return _filter_bytes(images, _quantize_kernel(row_kernel), _quantize_kernel(column_kernel))


def compute_default_sigma(size: int) -> float:
    """Return the default standard deviation for a kernel of this size."""
    return 0.3 * ((size - 1) * 0.5 - 1) + 0.8


def make_gaussian_kernel(size: int, sigma: float) -> np.ndarray:
    """Return the weights of a Gaussian kernel, which sum to 1; sigma 0 means the default."""
    sigma = sigma or compute_default_sigma(size)
    distance = np.arange(size) - (size - 1) / 2
    weights = np.exp(-distance * distance / (2 * sigma * sigma))
    return weights / weights.sum()


def _quantize_kernel(weights: np.ndarray) -> np.ndarray:
    """Convert a symmetric kernel of odd length to integers that sum to 256."""
    out, error = np.zeros(len(weights), np.int64), 0.0
    for i in range(len(weights) // 2):
        exact = weights[i] * 256 + error
        out[i] = out[-1 - i] = round(exact)
        error = exact - out[i]
    out[len(weights) // 2] = 256 - out.sum()
    return out


def _correlate_axis(x: np.ndarray, kernel: np.ndarray, axis: int) -> np.ndarray:
    """Return the correlation of ``x`` with a kernel along one axis, mirrored at the ends."""
    padded = np.moveaxis(x.take(_make_mirrored_indices(x.shape[axis], kernel), axis), axis, 0)
    size = x.shape[axis]
    out = sum(padded[i : i + size] * weight for i, weight in enumerate(kernel))
    return np.moveaxis(np.asarray(out), 0, axis)


def _make_mirrored_indices(size: int, kernel: np.ndarray) -> np.ndarray:
    """Return the indices of an axis, mirrored where the kernel reads beyond its ends.

    The ends themselves are not repeated, except on an axis of length 1.
    """
    mode = "reflect" if size > 1 else "edge"
    return np.pad(np.arange(size), len(kernel) // 2, mode=mode)  # type: ignore[call-overload]


def _filter_bytes(
    images: np.ndarray, row_kernel: np.ndarray, column_kernel: np.ndarray
) -> np.ndarray:
    """Filter uint8 images along rows, then columns, by symmetric kernels in 1/256, and round.

    Images are (N, H, W, C). Works on bands of rows that fit into a core's cache; after the first
    pass a value has 16 bits.
    """
    count, height, width, channels = images.shape
    out = np.empty_like(images)
    row_indices = _make_mirrored_indices(height, column_kernel)
    column_indices = _make_mirrored_indices(width, row_kernel)
    step = max(1, BAND_ELEMENTS // (width * channels))
    overlap = len(column_kernel) - 1
    half = len(row_kernel) // 2
    for image, filtered in zip(images, out.reshape(count, height, width * channels)):
        for begin in range(0, height, step):
            rows = row_indices[begin : begin + step + overlap]
            padded = np.empty((len(rows), len(column_indices), channels), np.uint8)
            padded[:, half : half + width] = image[rows]
            for i in (*range(half), *range(half + width, len(column_indices))):
                padded[:, i] = image[rows, column_indices[i]]
            flat = padded.reshape(len(rows), -1)
            row_size, row_count = width * channels, len(rows) - overlap
            shifted = [flat[:, i * channels :][:, :row_size] for i in range(len(row_kernel))]
            sums = _sum_symmetric(shifted, row_kernel, np.uint16)
            shifted = [sums[i : i + row_count] for i in range(len(column_kernel))]
            total = _sum_symmetric(shifted, column_kernel, np.uint32)
            total += 1 << 15
            total >>= 16
            filtered[begin : begin + step] = total
    return out


def _sum_symmetric(terms: list[np.ndarray], kernel: np.ndarray, dtype: type) -> np.ndarray:
    """Return the sum of ``terms`` times a symmetric kernel in ``dtype``.

    Terms of equal weight are added first.
    """
    middle = len(kernel) // 2
    total = np.multiply(terms[middle], dtype(kernel[middle]), dtype=dtype)
    for i in range(middle):
        pair = np.add(terms[i], terms[-1 - i], dtype=dtype)
        pair *= dtype(kernel[i])
        total += pair
    return total
