"""Perspective transforms: map one quadrilateral to another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.transforms import arguments
from minispore.dataset.transforms.base import Transform, draw_int
from minispore.dataset.vision.enums import Inter
from minispore.dataset.vision.geometry import check_interpolation, format_pil_only_error
from minispore.dataset.vision.support.image import ImageTransform, RandomImageTransform, image_size
from minispore.dataset.vision.support.pillow import get_pillow_resampling, import_pillow
from minispore.dataset.vision.support.warp import (
    make_perspective_matrix,
    solve_perspective,
    warp_perspective,
)
from minispore.ir.value import Spec


def _solve_least_squares(rows: np.ndarray, right_side: np.ndarray) -> np.ndarray:
    return np.linalg.lstsq(rows, right_side, rcond=None)[0]


class Perspective(ImageTransform):
    """Distort the image so that four points are mapped to four other points.

    Args:
        start_points (Sequence[Sequence[int]]): four points (x, y): top left, top right, bottom
            right and bottom left of a quadrilateral.
        end_points (Sequence[Sequence[int]]): the points to which they are mapped.
        interpolation (Inter): NEAREST, LINEAR, CUBIC or AREA; ANTIALIAS for PIL
            images. Default: ``Inter.BILINEAR``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a coordinate is not a 32-bit integer.
        RuntimeError: in a run on arrays: three of the points are collinear, or ``interpolation`` is
            not supported.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> mirror = [[0, 0], [2, 0], [2, 2], [0, 2]], [[2, 0], [0, 0], [0, 2], [2, 2]]
        >>> vision.Perspective(*mirror)(np.array([[1, 2, 3]], np.uint8)).tolist()
        [[3, 2, 1]]
    """

    bool_to_uint8 = True

    start_points: Any
    end_points: Any
    interpolation: Inter = Inter.BILINEAR

    def check(self) -> None:
        """Check the arguments, and store the points as tuples."""
        self.normalise(
            start_points=self._check_points("start_points"),
            end_points=self._check_points("end_points"),
        )
        arguments.member(self, "interpolation", self.interpolation, Inter)

    def _check_points(self, name: str) -> tuple:
        """Return the argument ``name`` as a tuple of four points of ints.

        Raises:
            TypeError, ValueError: the argument is not four points (x, y).
        """
        points = getattr(self, name)
        if not isinstance(points, list | tuple) or len(points) != 4:
            rule, hint = "be four points (x, y)", f"{name} should be a list or tuple of length 4."
            raise arguments.wrong_type(self, name, rule, points, list, tuple, hint=hint)
        for i, point in enumerate(points):
            rule, hint = "be a point (x, y)", f"{name}[{i}] should be a list or tuple of length 2."
            if not isinstance(point, list | tuple) or len(point) != 2:
                point_name = f"{name}[{i}]"
                raise arguments.wrong_type(self, point_name, rule, point, list, tuple, hint=hint)
        return tuple(
            tuple(check.int32(self, f"{name}[{i}]", v) for v in point)
            for i, point in enumerate(points)
        )

    def make_matrix(self, start: tuple, end: tuple) -> np.ndarray:
        """Return the (3, 3) matrix that maps the start points to the end points.

        Raises:
            RuntimeError: the matrix is singular.
        """
        try:
            return make_perspective_matrix(start, end)
        except np.linalg.LinAlgError:
            raise RuntimeError(
                f"{self.name}: no three of the points may be on one line, "
                f"got {self.start_points} and {self.end_points}."
            ) from None

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        """Warp the images; PILCUBIC counts as LINEAR.

        Raises:
            TypeError: the interpolation is ANTIALIAS.
            RuntimeError: CUBIC does not support the channel count, or three points are collinear.
        """
        inter = self.interpolation
        if inter is Inter.ANTIALIAS:
            raise TypeError(format_pil_only_error(self, "interpolation"))
        inter = Inter.LINEAR if inter is Inter.PILCUBIC else inter  # as in MindSpore
        check_interpolation(self, "interpolation", inter, images)
        matrix = self.make_matrix(self.start_points, self.end_points)
        return warp_perspective(images, matrix, inter, 0)

    def transform_pil(self, image: Any) -> Any:
        """Warp the image with Pillow, by the perspective from end to start points."""
        coefficients = solve_perspective(self.end_points, self.start_points, _solve_least_squares)
        mode = get_pillow_resampling(self.name, self.interpolation)
        return image.transform(
            image.size, import_pillow(self.name).Transform.PERSPECTIVE, coefficients.tolist(), mode
        )


class RandomPerspective(RandomImageTransform):
    """Perspective with each corner moved inwards by a random number of pixels.

    Args:
        distortion_scale (float): maximum distance, as a fraction of half the image, in [0, 1].
            Default: ``0.5``.
        prob (float): probability that the image is distorted. Default: ``0.5``.
        interpolation (Inter): as for Perspective. Default: ``Inter.BICUBIC``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``distortion_scale`` or ``prob`` is not in [0, 1].

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> image = vision.ToPIL()(np.zeros((32, 30, 3), np.uint8))
        >>> np.array(vision.RandomPerspective(prob=1.0)(image)).shape
        (32, 30, 3)
    """

    in_python = True

    distortion_scale: float = 0.5
    prob: float = 0.5
    interpolation: Inter = Inter.BICUBIC

    def check(self) -> None:
        for name in ("distortion_scale", "prob"):
            value = check.instance(self, name, getattr(self, name), float)
            arguments.probability(self, name, value)
        arguments.member(self, "interpolation", self.interpolation, Inter)

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        """Draw a Perspective that moves corners inwards, or () with probability 1 - ``prob``."""
        if rng.random() >= self.prob:
            return ()
        height, width = image_size(specs[0])
        max_x_shift, max_y_shift = (int(n / 2 * self.distortion_scale) for n in (width, height))
        left, right = (0, max_x_shift), (width - max_x_shift - 1, width - 1)
        top, bottom = (0, max_y_shift), (height - max_y_shift - 1, height - 1)
        corners = ((left, top), (right, top), (right, bottom), (left, bottom))
        end = [(draw_int(rng, *x), draw_int(rng, *y)) for x, y in corners]
        start = [(x[i], y[j]) for (x, y), (i, j) in zip(corners, ((0, 0), (1, 0), (1, 1), (0, 1)))]
        return (Perspective(start, end, self.interpolation),)
