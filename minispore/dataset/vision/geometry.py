"""Rotate, shear and distort images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Number
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.transforms import arguments
from minispore.dataset.transforms.base import Transform
from minispore.dataset.vision.enums import Inter
from minispore.dataset.vision.support.image import ImageTransform, RandomImageTransform
from minispore.dataset.vision.support.pillow import get_pillow_resampling, import_pillow
from minispore.dataset.vision.support.warp import (
    compute_rotated_size,
    make_affine_matrix,
    make_rotation_matrix,
    warp_affine,
)
from minispore.foundation import checks
from minispore.ir.value import Spec

ARRAY_INTERPOLATIONS = (Inter.NEAREST, Inter.LINEAR, Inter.CUBIC, Inter.AREA)  # AREA means LINEAR


def check_interpolation(transform: Transform, name: str, value: Inter, images: np.ndarray) -> None:
    """Raise RuntimeError if arrays can't be warped with this interpolation.

    CUBIC needs at most four channels. ``name`` is the argument to name in the error.
    """
    if value not in ARRAY_INTERPOLATIONS:
        raise RuntimeError(
            f"{transform.name}: {name} must be NEAREST, LINEAR, CUBIC or AREA for arrays, "
            f"got {value.name}, an Invalid InterpolationMode."
        )
    if value is Inter.CUBIC and images.shape[-1] > 4:
        raise RuntimeError(
            f"{transform.name}: {name} must not be CUBIC for an image of {images.shape[-1]} "
            "channels, its interpolation can not be CUBIC when image channel is greater than 4."
        )


def format_pil_only_error(transform: Transform, name: str) -> str:
    """Return the error message for ANTIALIAS with an array."""
    return (
        f"{transform.name}: {name} must not be ANTIALIAS for arrays: img should be PIL image. Got "
        "<class 'numpy.ndarray'>. Put ToPIL() before it."
    )


def make_channel_fill(fill: Sequence[int], channels: int) -> Any:
    """Return a list of one fill value per channel: ``fill``, three values, and a 0 repeated, as in
    OpenCV.
    """
    return [(*fill, 0)[channel % 4] for channel in range(channels)]


def choose_pil_fill(fill: tuple[int, ...], image: Any) -> Any:
    """Return Pillow's fill value: all three values for RGB and palette images, else the first."""
    return fill if len(image.getbands()) > 2 or image.mode == "P" else fill[0]


class Rotate(ImageTransform):
    """Rotate the image counterclockwise.

    Args:
        degrees (Union[int, float]): angle.
        resample (Inter): NEAREST, LINEAR, CUBIC or AREA. Default: ``Inter.NEAREST``.
        expand (bool): whether the result is large enough for the entire rotated image, else it
            has the size of the image. Default: ``False``.
        center (tuple): (x, y) of the point to rotate around. Default: ``None``, the centre.
        fill_value (Union[int, tuple]): value of pixels from outside of the image; a tuple is in
            the order (B, G, R) for arrays, as in MindSpore. Default: ``0``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range.
        RuntimeError: ``resample`` is for PIL images only.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.Rotate(90, expand=True)(np.array([[1, 2, 3]], np.uint8)).tolist()
        [[3], [2], [1]]
    """

    makes_arrays = True

    degrees: float
    resample: Inter = Inter.NEAREST
    expand: bool = False
    center: Any = None
    fill_value: Any = 0

    def check(self) -> None:
        """Check the arguments, and store ``fill_value`` as three ints."""
        limit = arguments.EXACT_FLOAT32_INTEGER
        arguments.number(self, "degrees", self.degrees, -limit, limit)
        check_rotation(self)

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        """Warp the images; with ``expand`` to a size that holds the entire rotated image, bools as
        uint8.

        Raises:
            RuntimeError: the interpolation does not support the images.
        """
        check_interpolation(self, "resample", self.resample, images)
        height, width, channels = images.shape[1:]
        matrix = make_rotation_matrix(
            self.center or ((width - 1) / 2, (height - 1) / 2), self.degrees
        )
        if self.expand:
            images = images.view(np.uint8) if images.dtype == np.bool_ else images  # as MindSpore
            rotated_height, rotated_width = compute_rotated_size(height, width, self.degrees)
            matrix[:, 2] += (rotated_width / 2 - width / 2, rotated_height / 2 - height / 2)
            height, width = round(rotated_height), round(rotated_width)
        fill = make_channel_fill(self.fill_value[::-1], channels)
        return warp_affine(images, matrix, (height, width), self.resample, fill)

    def transform_pil(self, image: Any) -> Any:
        fill = choose_pil_fill(self.fill_value, image)
        mode = get_pillow_resampling(self.name, self.resample)
        return image.rotate(self.degrees, mode, self.expand, self.center, fillcolor=fill)


def check_rotation(rotate: Rotate | RandomRotation) -> None:
    """Check the arguments that Rotate and RandomRotation share; store ``fill_value`` as three ints.

    Raises:
        TypeError, ValueError: an argument has a wrong type or is out of range.
    """
    arguments.member(rotate, "resample", rotate.resample, Inter)
    check.boolean(rotate, "expand", rotate.expand)
    if rotate.center is not None:
        if not isinstance(rotate.center, tuple) or len(rotate.center) != 2:
            raise ValueError(
                arguments.format_error(rotate, "center", "be a tuple (x, y)", rotate.center)
                + " Value center needs to be a 2-tuple."
            )
        for i, value in enumerate(rotate.center):
            low, high = -checks.INT32_MAX - 1, checks.INT32_MAX
            kinds = (int, float)
            arguments.number(rotate, f"center[{i}]", value, low, high, "[]", "center", kinds)
    fill = arguments.fill_value(rotate, "fill_value", rotate.fill_value)
    rotate.normalise(fill_value=fill)


class RandomRotation(RandomImageTransform):
    """Rotate the image by an angle that is drawn uniformly.

    Args:
        degrees (Union[int, float, Sequence]): (min, max), or one number for (-degrees, degrees).
        resample (Inter): as for Rotate. Default: ``Inter.NEAREST``.
        expand (bool): as for Rotate. Default: ``False``.
        center (tuple): as for Rotate. Default: ``None``.
        fill_value (Union[int, tuple]): as for Rotate. Default: ``0``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.RandomRotation((90, 90), expand=True)(np.array([[1, 2, 3]], np.uint8)).tolist()
        [[3], [2], [1]]
    """

    degrees: Any
    resample: Inter = Inter.NEAREST
    expand: bool = False
    center: Any = None
    fill_value: Any = 0

    def check(self) -> None:
        """Check the arguments, and store ``degrees`` as (min, max) and ``fill_value`` as three
        ints.
        """
        self.normalise(degrees=normalise_degrees(self, "degrees", self.degrees))
        check_rotation(self)

    @property
    def is_batched(self) -> bool:
        return not self.expand

    def _transform_image(self, image: Any, rng: np.random.Generator) -> Any:
        """Rotate the image; raise TypeError for an array with ANTIALIAS."""
        if self.resample is Inter.ANTIALIAS and isinstance(image, np.ndarray):
            raise TypeError(format_pil_only_error(self, "resample"))
        return super()._transform_image(image, rng)

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        angle = rng.uniform(*self.degrees)
        return (Rotate(angle, self.resample, self.expand, self.center, self.fill_value),)


def normalise_degrees(transform: Transform, name: str, value: Any) -> tuple[float, float]:
    """Return (min, max) from a pair or from one number, which means (-number, number).

    Raises:
        TypeError: ``value`` is neither a number nor a pair of numbers.
        ValueError: a number is out of range, or the pair out of order.
    """
    limit = arguments.EXACT_FLOAT32_INTEGER
    if isinstance(value, int | float) and not isinstance(value, bool):
        arguments.number(transform, name, value, 0, limit)
        return -value, value
    if not isinstance(value, list | tuple):
        rule = "be a number or (min, max)"
        raise arguments.wrong_type(transform, name, rule, value, int, float, list, tuple)
    hint = f"If {name} is a sequence, the length must be 2."
    low, high = arguments.interval(transform, name, value, -limit, limit, "[]", "{name}", hint)
    return low, high


class Affine(ImageTransform):
    """Shear, rotate clockwise and scale the image around its centre, then shift it.

    Args:
        degrees (float): angle, in [-180, 180].
        translate (Sequence[float]): shift to the right and downwards as fractions of width and
            height, in [-1, 1].
        scale (float): factor, positive.
        shear (Union[float, Sequence[float]]): angles along x and y, in [-180, 180]; a single angle
            is along x.
        resample (Inter): NEAREST, LINEAR, CUBIC or AREA. Default: ``Inter.NEAREST``.
        fill_value (Union[int, tuple]): value of pixels from outside of the image. Default: ``0``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range.
        RuntimeError: ``resample`` is for PIL images only.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.Affine(0.0, (0.5, 0.0), 1.0, 0.0)(np.array([[1, 2, 3, 4]], np.uint8)).tolist()
        [[0, 0, 1, 2]]
    """

    makes_arrays = True

    degrees: float
    translate: Any
    scale: float
    shear: Any
    resample: Inter = Inter.NEAREST
    fill_value: Any = 0

    def check(self) -> None:
        """Check the arguments, and store ``translate``, ``shear`` and ``fill_value`` as tuples."""
        arguments.number(self, "degrees", self.degrees, -180, 180, kinds=(int, float))
        limit = arguments.FLOAT32_MAX
        arguments.number(self, "scale", self.scale, 0, limit, "(]", kinds=(int, float))
        translate = arguments.sequence(self, "translate", self.translate, (2,))
        shear = self.shear
        if isinstance(shear, Number):
            shear = arguments.number(self, "shear", shear, -180, 180, kinds=(Number,))
            shear = (float(shear), 0.0)
        shear = arguments.sequence(self, "shear", shear, (2,), kinds=(Number, tuple, list))
        self.normalise(
            translate=arguments.number_sequence(self, "translate", translate, -1.0, 1.0),
            shear=arguments.number_sequence(self, "shear", shear, -180, 180),
            fill_value=arguments.fill_value(self, "fill_value", self.fill_value),
        )
        arguments.member(self, "resample", self.resample, Inter)

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        """Warp the images around their centre by one affine matrix.

        Raises:
            RuntimeError: the interpolation does not support the images.
        """
        check_interpolation(self, "resample", self.resample, images)
        height, width, channels = images.shape[1:]
        shift = (self.translate[0] * width, self.translate[1] * height)
        centre = ((width - 1) / 2, (height - 1) / 2)
        matrix = make_affine_matrix(centre, self.degrees, shift, self.scale, self.shear)
        fill = make_channel_fill(self.fill_value, channels)
        return warp_affine(images, matrix, (height, width), self.resample, fill)

    def transform_pil(self, image: Any) -> Any:
        """Transform the image with Pillow, with the coefficients computed as in MindSpore."""
        angle, *shear = (math.radians(v) for v in (self.degrees, *self.shear))
        ax, ay = angle + shear[0], angle + shear[1]
        cos_x, sin_x, cos_y, sin_y = math.cos(ax), math.sin(ax), math.cos(ay), math.sin(ay)
        scale = 1 / self.scale / (cos_x * cos_y + sin_x * sin_y)
        x, y = image.width * 0.5 + 0.5, image.height * 0.5 + 0.5
        offset_x = -x - round(image.width * self.translate[0])
        offset_y = -y - round(image.height * self.translate[1])
        rows = [(scale * cos_x, scale * sin_x, x), (scale * -sin_y, scale * cos_y, y)]
        # The order of the sum matters: it decides ties between two pixels.
        coefficients = [(a, b, a * offset_x + b * offset_y + centre) for a, b, centre in rows]
        return image.transform(
            image.size,
            import_pillow(self.name).Transform.AFFINE,
            [*coefficients[0], *coefficients[1]],
            get_pillow_resampling(self.name, self.resample),
            fillcolor=choose_pil_fill(self.fill_value, image),
        )


class RandomAffine(RandomImageTransform):
    """Affine with all parameters drawn uniformly.

    Args:
        degrees (Union[int, float, Sequence]): (min, max), or one number for (-degrees, degrees).
        translate (Sequence): (min x, max x, min y, max y) as fractions of width and height, in
            [-1, 1]; two numbers are for x. Default: ``None``, no shift.
        scale (Sequence): (min, max). Default: ``None``, no scaling.
        shear (Union[float, Sequence]): (min x, max x, min y, max y) in degrees; two numbers are for
            x, one number means (-shear, shear) along x. Default: ``None``, no shear.
        resample (Inter): as for Affine. Default: ``Inter.NEAREST``.
        fill_value (Union[int, tuple]): as for Affine. Default: ``0``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range, or a minimum is larger than its maximum.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.RandomAffine(15, translate=(-0.1, 0.1))(np.zeros((32, 30, 3), np.uint8)).shape
        (32, 30, 3)
    """

    degrees: Any
    translate: Any = None
    scale: Any = None
    shear: Any = None
    resample: Inter = Inter.NEAREST
    fill_value: Any = 0

    def check(self) -> None:
        """Check the arguments, and store ranges; None becomes the range of no change."""
        translate = (0.0, 0.0) if self.translate is None else self.translate
        scale = (1.0, 1.0) if self.scale is None else self.scale
        shear = (0.0, 0.0) if self.shear is None else self.shear
        fill = 0 if self.fill_value is None else self.fill_value
        self.normalise(
            degrees=normalise_degrees(self, "degrees", self.degrees),
            translate=self._check_translate(translate),
            scale=self._check_scale(scale),
            shear=self._check_shear(shear),
            fill_value=arguments.fill_value(self, "fill_value", fill),
        )
        arguments.member(self, "resample", self.resample, Inter)

    def _check_scale(self, value: Any) -> tuple:
        """Return the pair ``scale``; raise TypeError or ValueError if it is invalid."""
        value = arguments.sequence(self, "scale", value, kinds=(tuple, list))
        hint = "scale should be a list or tuple of length 2."
        order = "Input scale[1] must be equal to or greater than scale[0]."
        limit = arguments.EXACT_FLOAT32_INTEGER
        value = arguments.interval(self, "scale", value, 0, limit, "[]", "", hint, order)
        arguments.number(self, "scale[1]", value[1], 0, arguments.FLOAT32_MAX, "(]")
        return value

    def _check_translate(self, value: Any) -> tuple:
        """Return (min x, max x, min y, max y) from a pair or four numbers.

        Raises:
            TypeError, ValueError: the value is neither, or is out of range.
        """
        hint = "translate should be a list or tuple of length 2 or 4."
        value = arguments.sequence(self, "translate", value, (2, 4), hint)
        name_format = "{name} at {i}"
        value = arguments.number_sequence(self, "translate", value, -1.0, 1.0, "[]", name_format)
        return value if len(value) == 4 else (*value, 0.0, 0.0)

    def _check_shear(self, value: Any) -> tuple:
        """Return (min x, max x, min y, max y) from one number, a pair or four numbers.

        Raises:
            TypeError, ValueError: the value is none of them.
        """
        if isinstance(value, Number):
            limit = arguments.FLOAT32_MAX
            value = float(arguments.number(self, "shear", value, 0, limit, "(]", kinds=(Number,)))
            value = (-value, value)
        hint, kinds = "shear must be of length 2 or 4.", (Number, tuple, list)
        value = arguments.sequence(self, "shear", value, (2, 4), hint, kinds)
        order = "Input shear[1] must be equal to or greater than shear[0]"
        if len(value) == 2:
            return (*arguments.interval(self, "shear", value, order=f"{order}."), 0.0, 0.0)
        order += " and shear[3] must be equal to or greater than shear[2]."
        shear_x = arguments.interval(self, "shear", value[:2], order=order)
        return shear_x + arguments.interval(self, "shear", value[2:], order=order)

    def _transform_image(self, image: Any, rng: np.random.Generator) -> Any:
        """Transform the image; raise ValueError for an array with ANTIALIAS."""
        if self.resample is Inter.ANTIALIAS and isinstance(image, np.ndarray):
            raise ValueError(
                format_pil_only_error(self, "resample") + " Input image should be a Pillow image."
            )
        return super()._transform_image(image, rng)

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        """Draw angle, shift, scale and shear, and return one Affine with them."""
        angle = rng.uniform(*self.degrees)
        # MindSpore allows a minimum shift above the maximum.
        shift_x = rng.uniform(*sorted(self.translate[:2]))
        shift_y = rng.uniform(*sorted(self.translate[2:]))
        scale = max(rng.uniform(*self.scale), np.finfo(np.float32).tiny)
        shear_x, shear_y = rng.uniform(*self.shear[:2]), rng.uniform(*self.shear[2:])
        shear = (math.remainder(shear_x, 360), math.remainder(shear_y, 360))
        angle = math.remainder(angle, 360)
        return (Affine(angle, (shift_x, shift_y), scale, shear, self.resample, self.fill_value),)
