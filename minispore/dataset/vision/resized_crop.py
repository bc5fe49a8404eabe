"""Crop and resize images, also at a random position or with a random interpolation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.transforms import arguments
from minispore.dataset.transforms.base import Transform, draw_int
from minispore.dataset.vision.enums import Inter
from minispore.dataset.vision.pixel import Resize
from minispore.dataset.vision.support.image import ImageTransform, RandomImageTransform, image_size
from minispore.ir.value import Spec


class ResizedCrop(ImageTransform):
    """Resize(size, interpolation) of x[top : top + height, left : left + width].

    Args:
        top (int): first row of the crop.
        left (int): first column of the crop.
        height (int): number of rows of the crop.
        width (int): number of columns of the crop.
        size (Union[int, Sequence[int]]): (height, width) of the result, or one int for both.
        interpolation (Inter): as for Resize. Default: ``Inter.BILINEAR``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range.
        RuntimeError: in a run on arrays: the crop extends beyond the image, or ``interpolation`` is
            ANTIALIAS.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.ResizedCrop(0, 1, 1, 2, (1, 4))(np.array([[9, 0, 100, 9]], np.uint8)).tolist()
        [[0, 25, 75, 100]]
    """

    makes_arrays = True

    top: int
    left: int
    height: int
    width: int
    size: Any
    interpolation: Inter = Inter.BILINEAR

    def check(self) -> None:
        """Check the arguments, and store ``size`` as (height, width)."""
        for name, low in (("top", 0), ("left", 0), ("height", 1), ("width", 1)):
            check.int32(self, name, getattr(self, name), low)
        self.normalise(size=arguments.size(self, "size", self.size))
        arguments.member(self, "interpolation", self.interpolation, Inter)

    @property
    def resize(self) -> Resize:
        """The Resize that is applied to the cropped rectangle."""
        return Resize(self.size, self.interpolation)

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        """Resize the rectangle; raise RuntimeError for ANTIALIAS or a crop beyond the image."""
        if self.interpolation is Inter.ANTIALIAS:
            raise RuntimeError("ResizedCrop: interpolation must not be ANTIALIAS. Use PILCUBIC.")
        bottom, right = self.top + self.height, self.left + self.width
        if bottom > images.shape[1] or right > images.shape[2]:
            raise RuntimeError(
                f"ResizedCrop: the piece must lie in the image of {images.shape[1:3]}, "
                f"got rows {self.top} to {bottom} and columns {self.left} to {right}."
            )
        return self.resize.transform_pixels(images[:, self.top : bottom, self.left : right])

    def transform_pil(self, image: Any) -> Any:
        """Resize the rectangle; outside of the image it is black."""
        box = (self.left, self.top, self.left + self.width, self.top + self.height)
        return self.resize.transform_pil(image.crop(box))


class RandomResizedCrop(RandomImageTransform):
    """A crop of random area, aspect ratio and position, resized.

    Args:
        size (Union[int, Sequence[int]]): (height, width) of the result, or one int for both.
        scale (Sequence[float]): (min, max) of the area, as a fraction of the image's.
            Default: ``(0.08, 1.0)``.
        ratio (Sequence[float]): (min, max) of width / height. Default: ``(3 / 4, 4 / 3)``.
        interpolation (Inter): as for Resize. Default: ``Inter.BILINEAR``.
        max_attempts (int): how often to try to draw a fitting crop before the largest crop in the
            centre is used. Default: ``10``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range, or a minimum is larger than its maximum.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.RandomResizedCrop(8, scale=(0.2, 1.0))(np.zeros((32, 30, 3), np.uint8)).shape
        (8, 8, 3)
    """

    accepts_several_columns = True

    size: Any
    scale: Any = (0.08, 1.0)
    ratio: Any = (3.0 / 4.0, 4.0 / 3.0)
    interpolation: Inter = Inter.BILINEAR
    max_attempts: int = 10

    def check(self) -> None:
        """Check the arguments, and store ``size``, ``scale`` and ``ratio`` as pairs."""
        scale = self._check_interval("scale", "[]", "")
        ratio = self._check_interval("ratio", "(]", "{name}[{i}]")
        arguments.number(self, "scale[1]", scale[1], 0, arguments.FLOAT32_MAX, "(]")
        self.normalise(size=arguments.size(self, "size", self.size), scale=scale, ratio=ratio)
        arguments.member(self, "interpolation", self.interpolation, Inter)
        check.int32(self, "max_attempts", self.max_attempts, 1)

    def _check_interval(self, name: str, closed: str, name_format: str) -> tuple:
        """Check and return the argument ``name``, a pair in order.

        Raises:
            TypeError, ValueError: the argument is not such a pair, or is out of range.
        """
        value = arguments.sequence(self, name, getattr(self, name), kinds=(tuple, list))
        hint = f"{name} should be a list/tuple of length 2."
        limit = arguments.EXACT_FLOAT32_INTEGER
        return arguments.interval(
            self, name, value, 0, limit, closed, name_format, hint, kinds=(float, int)
        )

    def draw_rectangle(
        self, rng: np.random.Generator, height: int, width: int
    ) -> tuple[int, int, int, int]:
        """Draw (top, left, height, width) of the rectangle to crop from a (height, width) image.

        If no attempt fits, it is the largest rectangle in the centre whose aspect ratio is allowed.
        """
        low, high = (math.log(r) for r in self.ratio)
        for _ in range(self.max_attempts):
            area = height * width * rng.uniform(*self.scale)
            aspect = math.exp(rng.uniform(low, high))
            crop_width = round(math.sqrt(area * aspect))
            crop_height = round(math.sqrt(area / aspect))
            if 0 < crop_width <= width and 0 < crop_height <= height:
                top = draw_int(rng, 0, height - crop_height)
                left = draw_int(rng, 0, width - crop_width)
                return top, left, crop_height, crop_width
        crop_width, crop_height = width, height
        if width / height < self.ratio[0]:
            crop_height = max(1, round(width / self.ratio[0]))
        elif width / height > self.ratio[1]:
            crop_width = max(1, round(height * self.ratio[1]))
        return (height - crop_height) // 2, (width - crop_width) // 2, crop_height, crop_width

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        rectangle = self.draw_rectangle(rng, *image_size(specs[0]))
        return (ResizedCrop(*rectangle, self.size, self.interpolation),)


class RandomResize(RandomImageTransform):
    """Resize with an interpolation drawn from LINEAR, NEAREST, CUBIC and AREA.

    Args:
        size (Union[int, Sequence[int]]): as for Resize.

    Raises:
        TypeError: ``size`` does not consist of ints.
        ValueError: ``size`` is not positive.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.RandomResize((5, 6))(np.zeros((32, 30, 3), np.uint8)).shape
        (5, 6, 3)
    """

    accepts_several_columns = True
    makes_arrays = True

    size: Any

    def check(self) -> None:
        """Check ``size`` as :class:`Resize` does, and store it in that class's form."""
        self.normalise(size=Resize(self.size).size)

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        interpolations = (Inter.LINEAR, Inter.NEAREST, Inter.CUBIC, Inter.AREA)
        return (Resize(self.size, interpolations[draw_int(rng, 0, len(interpolations) - 1)]),)
