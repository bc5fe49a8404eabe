"""Transforms that crop images and put borders around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from minispore.dataset import check
from minispore.dataset.transforms import arguments
from minispore.dataset.transforms.base import Transform, draw_uniforms, make_spec, scale_to_int
from minispore.dataset.vision.enums import Border
from minispore.dataset.vision.support.colour import cast_saturated
from minispore.dataset.vision.support.image import (
    ImageTransform,
    RandomImageTransform,
    apply_to_blocks,
    image_size,
    image_size_of,
)
from minispore.dataset.vision.support.pillow import add_pil_border
from minispore.ir.value import Spec

Padding = tuple[int, int, int, int]  # left, top, right, bottom


def add_border(
    images: np.ndarray, padding: Padding, fill: Sequence[int], border: Border
) -> np.ndarray:
    """Return a copy of images (N, H, W, C) with a border, in the same dtype.

    Images that are not RGB use only the first fill value, which matters for a constant border.
    """
    left, top, right, bottom = padding
    count, height, width, channels = images.shape
    if border is not Border.CONSTANT:
        pads = ((0, 0), (top, bottom), (left, right), (0, 0))
        return np.pad(images, pads, mode=border.value)
    shape = (count, top + height + bottom, left + width + right, channels)
    values = cast_saturated(np.array(fill), images.dtype)
    out = np.full(shape, values[0])
    if channels == 3 and len(set(fill)) > 1:
        out[...] = values
    out[:, top : top + height, left : left + width] = images
    return out


class Pad(ImageTransform):
    """Add a border to the image.

    Args:
        padding (Union[int, Sequence[int]]): width of the border: one int for all sides, (left and
            right, top and bottom), or (left, top, right, bottom).
        fill_value (Union[int, tuple]): value of a constant border, for all channels or (R, G, B).
            Default: ``0``.
        padding_mode (Border): CONSTANT, EDGE, REFLECT or SYMMETRIC. Default: ``Border.CONSTANT``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``padding`` is negative or not 1, 2 or 4 ints, or a fill is not in [0, 255].

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.Pad((1, 0), 9)(np.array([[1, 2]], np.uint8)).tolist()
        [[9, 1, 2, 9]]
    """

    channels = (1, 3)
    bool_to_uint8 = True

    padding: Any
    fill_value: Any = 0
    padding_mode: Border = Border.CONSTANT

    def check(self) -> None:
        """Check the arguments, and store ``padding`` as four ints, ``fill_value`` as three."""
        self.normalise(
            padding=arguments.padding(self, "padding", self.padding),
            fill_value=arguments.fill_value(self, "fill_value", self.fill_value),
        )
        arguments.member(self, "padding_mode", self.padding_mode, Border)

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        return add_border(images, self.padding, self.fill_value, self.padding_mode)

    def transform_pil(self, image: Any) -> Any:
        mode = self.padding_mode.value
        return add_pil_border(self.name, image, self.padding, self.fill_value, mode)


class PadToSize(ImageTransform):
    """Pad the image with a border to a given size.

    Args:
        size (Union[int, Sequence[int]]): (height, width) of the result, or one int for both.
        offset (Union[int, Sequence[int]]): width of the border at (top, left), or one int for both.
            Default: ``None``, the image is centred.
        fill_value (Union[int, tuple]): value of a constant border. Default: ``0``.
        padding_mode (Border): kind of border. Default: ``Border.CONSTANT``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``size`` is not positive, or ``offset`` is negative.
        RuntimeError: the image and its offset are larger than ``size``.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.PadToSize((1, 4))(np.array([[1, 2]], np.uint8)).tolist()
        [[0, 1, 2, 0]]
    """

    channels = (1, 3)
    bool_to_uint8 = True
    makes_arrays = True

    size: Any
    offset: Any = None
    fill_value: Any = 0
    padding_mode: Border = Border.CONSTANT

    def check(self) -> None:
        """Check the arguments, and store ``size`` and ``offset`` (unless None) as pairs."""
        offset = self.offset
        if isinstance(offset, int) and not isinstance(offset, bool):
            offset = (offset, offset)
        if offset is not None:
            kinds, hint = (int, list, tuple), "The offset must be empty or a sequence of length 2."
            pair = arguments.sequence(self, "offset", offset, kinds=kinds)
            if len(pair) not in (0, 2):
                raise ValueError(
                    arguments.format_error(self, "offset", "have 2 elements", pair, hint)
                )
            offset = tuple(check.int32(self, f"offset{i}", v, 0) for i, v in enumerate(pair))
        size = self.size
        if isinstance(size, int):
            size = (check.int32(self, "size", size, 1),) * 2
        kinds, hint = (int, list, tuple), "The size must be a sequence of length 2."
        size = arguments.sequence(self, "size", size, kinds=kinds)
        if len(size) != 2:
            raise ValueError(arguments.format_error(self, "size", "have 2 elements", size, hint))
        self.normalise(
            size=tuple(check.int32(self, f"size{i}", v, 1) for i, v in enumerate(size)),
            offset=offset or None,
            fill_value=arguments.fill_value(self, "fill_value", self.fill_value),
        )
        arguments.member(self, "padding_mode", self.padding_mode, Border)

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        """Add the border; raise RuntimeError if image and offset exceed ``size``."""
        height, width = images.shape[1:3]
        missing_rows, missing_columns = self.size[0] - height, self.size[1] - width
        if self.offset:
            top, left = self.offset
        else:
            top, left = max(missing_rows, 0) // 2, max(missing_columns, 0) // 2
        bottom, right = missing_rows - top, missing_columns - left
        if min(bottom, right) < 0:
            raise RuntimeError(
                f"PadToSize: image and offset must fit into the size {self.size}, "
                f"got an image of {images.shape[1:3]} at offset {(top, left)}."
            )
        return add_border(images, (left, top, right, bottom), self.fill_value, self.padding_mode)


class Crop(ImageTransform):
    """x[top : top + height, left : left + width].

    Args:
        coordinates (Sequence[int]): (top, left).
        size (Union[int, Sequence[int]]): (height, width), or one int for both.

    Raises:
        TypeError: ``coordinates`` or ``size`` does not consist of ints.
        ValueError: ``coordinates`` are negative, or ``size`` is not positive.
        RuntimeError: the crop extends beyond the image.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.Crop((0, 1), (1, 2))(np.array([[1, 2, 3]], np.uint8)).tolist()
        [[2, 3]]
    """

    makes_arrays = True

    coordinates: Any
    size: Any

    def check(self) -> None:
        """Check the arguments, and store ``coordinates`` and ``size`` as pairs."""
        pair = self.coordinates
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            hint = "Coordinates should be a list/tuple (y, x) of length 2."
            rule = "be (top, left)"
            raise arguments.wrong_type(self, "coordinates", rule, pair, list, tuple, hint=hint)
        top, left = (check.int32(self, f"coordinates[{i}]", v, 0) for i, v in enumerate(pair))
        self.normalise(coordinates=(top, left), size=arguments.size(self, "size", self.size))

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        """Copy the rectangle; raise RuntimeError if it extends beyond the image."""
        (top, left), (height, width) = self.coordinates, self.size
        if top + height > images.shape[1] or left + width > images.shape[2]:
            raise RuntimeError(
                f"Crop: the piece must lie in the image of {images.shape[1:3]}, "
                f"got coordinates {self.coordinates} and size {self.size}."
            )
        return images[:, top : top + height, left : left + width].copy()

    def transform_pil(self, image: Any) -> Any:
        (top, left), (height, width) = self.coordinates, self.size
        return image.crop((left, top, left + width, top + height))


class CenterCrop(ImageTransform):
    """The centre of the image; a smaller image is padded with zeros.

    Args:
        size (Union[int, Sequence[int]]): (height, width), or one int for both.

    Raises:
        TypeError: ``size`` does not consist of ints.
        ValueError: ``size`` is not positive.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.CenterCrop(2)(np.arange(16, dtype=np.uint8).reshape(4, 4)).tolist()
        [[5, 6], [9, 10]]
    """

    size: Any

    def check(self) -> None:
        """Check ``size``, and store it as (height, width)."""
        self.normalise(size=arguments.size(self, "size", self.size))

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        """Crop the centre, with zeros around a smaller image.

        Raises:
            RuntimeError: a side of the crop exceeds four times the image's.
        """
        # An odd pixel of padding is added at the top and left; an odd pixel to crop is removed at
        # the bottom and right.
        available, crop_size = images.shape[1:3], self.size
        starts = [(length - target) // 2 for length, target in zip(available, crop_size)]
        if min(starts) < 0 and any(w - n > 3 * n for n, w in zip(available, crop_size)):
            raise RuntimeError(
                f"CenterCrop: size must not exceed four times the image, got {crop_size} for an "
                f"image of {available}: padding size cannot be more than 3 times of the original "
                "image size."
            )
        return _crop_with_zeros(images, starts, self.size)

    def transform_batch(self, images: np.ndarray) -> np.ndarray:
        """Crop the images; if a border is needed, bools become uint8.

        Raises:
            RuntimeError: a border is needed, and there are not 1 or 3 channels.
        """
        shape = images.shape[1:]
        if len(shape) > 1 and any(n < target for n, target in zip(image_size_of(shape), self.size)):
            Pad((0, 0)).check_channels(shape)  # the image gets a border
            images = images.view(np.uint8) if images.dtype == np.bool_ else images
        return super().transform_batch(images)

    def transform_pil(self, image: Any) -> Any:
        """Return the centre of the image; outside of the image it is black."""
        height, width = self.size
        left, top = round((image.width - width) / 2), round((image.height - height) / 2)
        return image.crop((left, top, left + width, top + height))


def _crop_with_zeros(images: np.ndarray, starts: Sequence[int], size: Sequence[int]) -> np.ndarray:
    """Return ``size`` pixels from ``starts`` on of each image, zero outside of the image."""
    out = np.zeros((len(images), *size, images.shape[3]), images.dtype)
    inner, outer = [], []
    for start, length, available in zip(starts, size, images.shape[1:3]):
        low, high = max(start, 0), min(start + length, available)
        outer.append(slice(low - start, high - start))
        inner.append(slice(low, high))
    out[:, outer[0], outer[1]] = images[:, inner[0], inner[1]]
    return out


class RandomCrop(RandomImageTransform):
    """A crop at a random position of the image, after an optional border.

    Args:
        size (Union[int, Sequence[int]]): (height, width) of the crop, or one int for both.
        padding (Union[int, Sequence[int]]): border, as for Pad. Default: ``None``, no border.
        pad_if_needed (bool): whether an image that is too small is padded to the crop size.
            Default: ``False``.
        fill_value (Union[int, tuple]): value of a constant border. Default: ``0``.
        padding_mode (Border): kind of border. Default: ``Border.CONSTANT``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range.
        RuntimeError: the crop is larger than the image with its border.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.RandomCrop(32, padding=4)(np.zeros((32, 32, 3), np.uint8)).shape
        (32, 32, 3)
    """

    channels = (1, 3)
    accepts_several_columns = True

    size: Any
    padding: Any = None
    pad_if_needed: bool = False
    fill_value: Any = 0
    padding_mode: Border = Border.CONSTANT

    def check(self) -> None:
        """Check the arguments, and store sizes, paddings and fill values as tuples."""
        padding = 0 if self.padding is None else self.padding
        self.normalise(
            size=arguments.size(self, "size", self.size),
            padding=arguments.padding(self, "padding", padding),
            fill_value=arguments.fill_value(self, "fill_value", self.fill_value),
        )
        check.boolean(self, "pad_if_needed", self.pad_if_needed)
        arguments.member(self, "padding_mode", self.padding_mode, Border)

    def _transform_image(self, image: Any, rng: np.random.Generator) -> Any:
        """Crop an array or PIL image; raise ValueError if the PIL image is too small."""
        if not isinstance(image, np.ndarray):
            self.compute_border(*image_size(make_spec(image)), ValueError)
        return super()._transform_image(image, rng)

    def compute_border(
        self, height: int, width: int, error: type[Exception] = RuntimeError
    ) -> Padding:
        """Return (left, top, right, bottom) of the border for an image of this size.

        Raises:
            ``error``: The crop is larger than the padded image, without ``pad_if_needed``.
        """
        left, top, right, bottom = self.padding
        padded_size = (top + height + bottom, left + width + right)
        missing_rows = max(0, self.size[0] - padded_size[0])
        missing_columns = max(0, self.size[1] - padded_size[1])
        if self.pad_if_needed:  # as in MindSpore, each side gets the entire missing size
            return (
                left + missing_columns,
                top + missing_rows,
                right + missing_columns,
                bottom + missing_rows,
            )
        if missing_rows or missing_columns:
            raise error(
                f"RandomCrop: size must not exceed the image with its padding, got {self.size} "
                f"for an image of {(height, width)}. Use pad_if_needed=True or Resize first. "
                f"Crop size {self.size} is larger than input image size {padded_size}."
            )
        return left, top, right, bottom

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        """Draw the corner of a Crop; a Pad comes first if a border is needed, or bools become
        uint8.

        Raises:
            RuntimeError: the crop is larger than the image with its border.
        """
        height, width = image_size(specs[0])
        left, top, right, bottom = border = self.compute_border(height, width)
        free = (top + height + bottom - self.size[0], left + width + right - self.size[1])
        corner = [scale_to_int(u, 0, n) for u, n in zip(rng.random(2).tolist(), free)]
        crop = Crop(corner, self.size)
        if not any(border) and specs[0].dtype != np.bool_:
            return (crop,)
        return (Pad(border, self.fill_value, self.padding_mode), crop)

    def transform_block(
        self, columns: tuple[np.ndarray, ...], rngs: Sequence[np.random.Generator]
    ) -> np.ndarray:
        """Crop all rows of a block at once, with the same draws as row by row."""
        return apply_to_blocks(self, columns[0], lambda images: self._crop_block(images, rngs))

    def _crop_block(self, images: np.ndarray, rngs: Sequence[np.random.Generator]) -> np.ndarray:
        """Crop each image (N, H, W, C) at a random position; the images of a stack share it.

        There is one generator for each stack. Bools become uint8.
        """
        images = images.view(np.uint8) if images.dtype == np.bool_ else images
        border = self.compute_border(*images.shape[1:3])
        if any(border):
            images = add_border(images, border, self.fill_value, self.padding_mode)
        windows = sliding_window_view(images, (*self.size, images.shape[3]), axis=(1, 2, 3))
        corners = (draw_uniforms(rngs, 2) * windows.shape[1:3]).astype(np.intp)
        stack = len(images) // len(rngs)  # images of a stack share a position
        top, left = corners.repeat(stack, axis=0).T
        return windows[np.arange(len(images)), top, left, 0]
