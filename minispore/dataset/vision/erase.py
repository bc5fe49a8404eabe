"""Transforms that erase rectangles of images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.transforms import arguments
from minispore.dataset.transforms.base import Transform, draw_int
from minispore.dataset.vision.adjust import RGBTransform
from minispore.dataset.vision.support.colour import cast_saturated
from minispore.dataset.vision.support.image import RandomImageTransform
from minispore.ir.value import Spec


class Erase(RGBTransform):
    """Fill a rectangle with a value.

    Args:
        top (int): first row.
        left (int): first column.
        height (int): number of rows; the rectangle is clipped at the edge of the image.
        width (int): number of columns.
        value (Union[int, float, tuple]): value for all channels or (R, G, B), in [0, 255].
            Default: ``0.0``.
        inplace (bool): accepted; the input is never changed. Default: ``False``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range.
        RuntimeError: the image is not RGB, or is smaller than the rectangle.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.Erase(0, 1, 1, 1, 9)(np.zeros((1, 3, 3), np.uint8))[..., 0].tolist()
        [[0, 9, 0]]
    """

    makes_arrays = True

    top: int
    left: int
    height: int
    width: int
    value: Any = 0.0
    inplace: bool = False

    def check(self) -> None:
        """Check the arguments, and store ``value`` as three numbers."""
        for name, low in (("top", 0), ("left", 0), ("height", 1), ("width", 1)):
            check.int32(self, name, getattr(self, name), low)
        value = self.value
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = (value,) * 3
        if not isinstance(value, tuple) or len(value) != 3:
            rule = "be a number or a 3-tuple"
            hint = "value should be a single integer/float or a 3-tuple."
            raise arguments.wrong_type(self, "value", rule, value, float, int, tuple, hint=hint)
        value = arguments.number_sequence(self, "value", value, 0, 255, kinds=(float, int))
        self.normalise(value=value)
        check.boolean(self, "inplace", self.inplace)

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        """Fill the rectangle of a copy; raise RuntimeError if it is larger than the image."""
        out, size = images.copy(), images.shape[1:3]
        if self.height > size[0] or self.width > size[1]:
            raise RuntimeError(
                f"Erase: height and width must not exceed the image of {size}, got "
                f"{(self.height, self.width)}: box size is too large for image erase."
            )
        rows = slice(self.top, self.top + self.height)
        value = cast_saturated(np.array(self.value), images.dtype)
        out[:, rows, self.left : self.left + self.width] = value
        return out


class _Patch(Transform):
    """Pastes ``values`` over a rectangle of an image (C, H, W); drawn by RandomErasing."""

    top: int
    left: int
    values: Any  # (C or 1, h, w)

    __eq__ = object.__eq__  # the truth value of an array is ambiguous
    __hash__ = object.__hash__

    def transform_batch(self, images: np.ndarray) -> np.ndarray:
        """Return a copy with ``values`` pasted at (``top``, ``left``)."""
        height, width = self.values.shape[1:]
        out = images.copy()
        rows = slice(self.top, self.top + height)
        out[:, :, rows, self.left : self.left + width] = self.values
        return out


class RandomErasing(RandomImageTransform):
    """Erase a random rectangle of an image (C, H, W) with probability ``prob``.

    Args:
        prob (float): probability, in [0, 1]. Default: ``0.5``.
        scale (Sequence[float]): (min, max) of the area, as a fraction of the image's.
            Default: ``(0.02, 0.33)``.
        ratio (Sequence[float]): (min, max) of width / height. Default: ``(0.3, 3.3)``.
        value (Union[int, str, Sequence[int]]): value for all channels, or for each of three, in
            [0, 255], or "random" for normally distributed values. Default: ``0``.
        inplace (bool): accepted; the input is never changed. Default: ``False``.
        max_attempts (int): how often to try to draw a fitting rectangle before the image is left
            unchanged. Default: ``10``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range, or the image is not (C, H, W).

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.RandomErasing(1.0, value=1)(np.zeros((3, 32, 32), np.float32)).max().item()
        1.0
    """

    in_python = True

    prob: float = 0.5
    scale: Any = (0.02, 0.33)
    ratio: Any = (0.3, 3.3)
    value: Any = 0
    inplace: bool = False
    max_attempts: int = 10

    def check(self) -> None:
        """Check the arguments, and store ``scale``, ``ratio`` and ``value`` in normal form."""
        arguments.probability(self, "prob", self.prob)
        bound = arguments.EXACT_FLOAT32_INTEGER
        for name, closed in (("scale", "[]"), ("ratio", "(]")):
            pair = getattr(self, name)
            hint = f"{name} should be a list or tuple of length 2."
            pair = arguments.interval(
                self, name, pair, 0, bound, closed, "", hint, kinds=(float, int)
            )
            self.normalise(**{name: pair})
        arguments.number(self, "scale[1]", self.scale[1], 0, arguments.FLOAT32_MAX, "(]")
        self.normalise(value=self._check_value())
        check.boolean(self, "inplace", self.inplace)
        check.integer(self, "max_attempts", self.max_attempts, 1, bound, "")

    def _check_value(self) -> Any:
        """Return ``value`` checked: "random", one int, or a tuple of three ints.

        Raises:
            TypeError, ValueError: ``value`` is none of them.
        """
        value = self.value
        rule = 'be an int, three ints or "random"'
        if not isinstance(value, int | list | tuple | str) or isinstance(value, bool):
            raise arguments.wrong_type(self, "value", rule, value, int, list, tuple, str)
        if isinstance(value, int):
            return check.integer(self, "value", value, 0, 255, "")
        if value != "random" and (isinstance(value, str) or len(value) != 3):
            hint = "It is a single value, or a string 'random', or a sequence of 3 elements."
            raise ValueError(arguments.format_error(self, "value", rule, value, hint))
        if isinstance(value, str):
            return value
        return tuple(
            check.integer(self, f"value[{i}]", v, 0, 255, "value") for i, v in enumerate(value)
        )

    def convert_column(self, value: Any) -> Any:
        return value

    def check_image(self, spec: Spec) -> None:
        """Accept any image: it is returned unchanged unless a rectangle is erased."""

    def _transform_image(self, image: Any, rng: np.random.Generator) -> Any:
        """Transform the image; with ``prob`` 1 raise TypeError unless it is an array."""
        if self.prob == 1 and not isinstance(image, np.ndarray):
            raise TypeError(
                f"RandomErasing: image must be a NumPy array, got {type(image).__name__}. Put "
                "ToTensor() before it."
            )
        return super()._transform_image(image, rng)

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        """Return the transform that erases a random rectangle, or () with probability 1 - ``prob``.

        Also return () if none of ``max_attempts`` rectangles is smaller than the image.

        Raises:
            ValueError: the image is not (C, H, W).
        """
        shape = specs[0].shape
        if rng.random() >= self.prob:
            return ()
        if len(shape) != 3:
            raise ValueError(
                f"RandomErasing: image must be (C, H, W), got {shape}. Put HWC2CHW() before it."
            )
        channels, height, width = shape
        for _ in range(self.max_attempts):
            area = height * width * rng.uniform(*self.scale)
            aspect = rng.uniform(*self.ratio)
            erased_width = round(math.sqrt(area * aspect))
            erased_height = round(erased_width / aspect)
            if erased_height < height and erased_width < width:
                top = draw_int(rng, 0, height - erased_height)
                left = draw_int(rng, 0, width - erased_width)
                values = self._make_values(rng, (channels, erased_height, erased_width))
                return (_Patch(top, left, values),)
        return ()

    def _make_values(self, rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
        """Return the values that fill an erased rectangle ``shape``, (channels, height, width).

        A single value for all channels has shape (1, height, width); random values are float64.
        """
        if self.value == "random":
            return rng.standard_normal(shape)
        values = np.reshape(self.value, (-1, 1, 1))
        return np.broadcast_to(values, (len(values), *shape[1:]))


class _Holes(Transform):
    """Zeroes rectangles (top, bottom, left, right) of an image; drawn by CutOut."""

    holes: tuple[tuple[int, int, int, int], ...]
    is_hwc: bool

    def transform_batch(self, images: np.ndarray) -> np.ndarray:
        """Return a copy with zeros in the rectangles."""
        out = images.copy()
        planes = out if self.is_hwc else out.transpose(0, 2, 3, 1)
        for top, bottom, left, right in self.holes:
            planes[:, top:bottom, left:right] = 0
        return out


class CutOut(RandomImageTransform):
    """Set squares at random positions to zero; they may extend beyond the edge.

    Args:
        length (int): side of each square.
        num_patches (int): number of squares. Default: ``1``.
        is_hwc (bool): whether images are (H, W, C), else (C, H, W). Default: ``True``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``length`` or ``num_patches`` is not positive.
        RuntimeError: the image does not have three dimensions, or is smaller than a square.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.CutOut(4)(np.ones((8, 8, 3), np.uint8)).shape
        (8, 8, 3)
    """

    makes_arrays = True

    length: int
    num_patches: int = 1
    is_hwc: bool = True

    def check(self) -> None:
        for name in ("length", "num_patches"):
            limit = arguments.EXACT_FLOAT32_INTEGER
            check.integer(self, name, getattr(self, name), 1, limit, mindspore_name="")
        check.boolean(self, "is_hwc", self.is_hwc)

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        """Draw the squares; raise RuntimeError if they are larger than the image."""
        shape = specs[0].shape
        if len(shape) != 3:
            raise RuntimeError(f"CutOut: image must have three dimensions, got the shape {shape}.")
        size = shape[:2] if self.is_hwc else shape[1:]
        if self.length > min(size):
            raise RuntimeError(
                f"CutOut: length must not exceed the image of {size}, got {self.length}: the box "
                "size is too large for image erase."
            )
        holes = tuple(self._draw_hole(rng, size) for _ in range(self.num_patches))
        return (_Holes(holes, self.is_hwc),)

    def _draw_hole(
        self, rng: np.random.Generator, size: Sequence[int]
    ) -> tuple[int, int, int, int]:
        """Draw a square (top, bottom, left, right), which may be partly outside of the image."""
        top, left = (draw_int(rng, -self.length, n) for n in size)
        return max(top, 0), top + self.length, max(left, 0), left + self.length
