"""Transforms of images with their bounding boxes: columns are an image and boxes (n, 4 or more).

The first four features of a box are x, y, width and height in pixels; others are unchanged. A PIL
image is transformed as its array, and the result is an array.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from minispore.dataset.transforms import arguments
from minispore.dataset.transforms.base import (
    Columns,
    RandomTransform,
    Transform,
    apply_transforms,
    make_spec,
)
from minispore.dataset.vision.crop import Crop, Pad, RandomCrop
from minispore.dataset.vision.flip import (
    HorizontalFlip,
    RandomHorizontalFlip,
    RandomVerticalFlip,
    VerticalFlip,
)
from minispore.dataset.vision.pixel import Resize
from minispore.dataset.vision.resized_crop import RandomResize, RandomResizedCrop, ResizedCrop
from minispore.dataset.vision.support.image import RandomImageTransform, image_size


def check_boxes(transform: Transform, columns: Sequence[Any]) -> tuple[Any, np.ndarray]:
    """Return (image, boxes), with the boxes copied, and a PIL image as an array.

    Raises:
        RuntimeError: there are not exactly two columns, the boxes are not float32 (n, 4 or more),
            or one is not within the image.
    """
    if len(columns) != 2:
        raise RuntimeError(
            f"{transform.name}: must be given an image and its boxes, got {len(columns)} columns. "
            "Set input_columns to both."
        )
    image, boxes = columns[0], np.asarray(columns[1])
    if not isinstance(image, np.ndarray):
        image = np.array(image)  # a copy: np.asarray of a PIL image can't be written to
    if boxes.ndim != 2 or boxes.shape[1] < 4 or boxes.dtype != np.float32:
        description = f"{boxes.dtype} of shape {boxes.shape}"
        raise RuntimeError(
            f"{transform.name}: boxes must be (n, 4 or more) of float32, got {description}. A box "
            "has at least 4 features."
        )
    boxes = boxes.astype(np.float32)
    height, width = image_size(make_spec(image))
    ends = boxes[:, :2] + boxes[:, 2:4]
    negative = (boxes[:, :2] < 0).any()
    if negative or (ends > (width, height)).any():
        reason = "a negative value" if negative else "bounding boxes is out of bounds of the image"
        raise RuntimeError(
            f"{transform.name}: boxes must lie in the image of {(height, width)}, got "
            f"{boxes.tolist()}: {reason}."
        )
    return image, boxes


def transform_boxes(boxes: np.ndarray, step: Transform, height: int, width: int) -> np.ndarray:
    """Return a copy of the boxes of a (height, width) image after one deterministic transform of
    it.

    Raises:
        TypeError: The transform is not supported for boxes.
    """
    boxes = boxes.copy()
    if isinstance(step, Pad):
        left, top, _, _ = step.padding
        boxes[:, :2] += (left, top)
    elif isinstance(step, HorizontalFlip):
        boxes[:, 0] = width - boxes[:, 0] - boxes[:, 2]
    elif isinstance(step, VerticalFlip):
        boxes[:, 1] = height - boxes[:, 1] - boxes[:, 3]
    elif isinstance(step, Crop):
        boxes = crop_boxes(boxes, *step.coordinates, *step.size)
    elif isinstance(step, Resize):
        new_height, new_width = step.compute_output_size(height, width)
        boxes[:, :4] *= np.array([new_width / width, new_height / height] * 2, np.float32)
    elif isinstance(step, ResizedCrop):
        boxes = crop_boxes(boxes, step.top, step.left, step.height, step.width)
        boxes = transform_boxes(boxes, step.resize, step.height, step.width)
    else:
        raise TypeError(f"{step.name}: it is not known how boxes move.")
    return boxes


def crop_boxes(boxes: np.ndarray, top: int, left: int, height: int, width: int) -> np.ndarray:
    """Return the boxes clipped to a rectangle of the image, and relative to its corner.

    Boxes outside of it are dropped; one box of zeros is returned if none is left.
    """
    ends = np.minimum(boxes[:, :2] + boxes[:, 2:4], (left + width, top + height))
    starts = np.maximum(boxes[:, :2], (left, top))
    boxes = boxes.copy()
    boxes[:, :2], boxes[:, 2:4] = starts - (left, top), ends - starts
    nonempty = boxes[(boxes[:, 2:4] > 0).all(1)]
    return nonempty if len(nonempty) else np.zeros((1, boxes.shape[1]), boxes.dtype)


def transform_image_and_boxes(image: Any, boxes: np.ndarray, steps: Sequence[Transform]) -> Columns:
    """Apply deterministic transforms to an image and its boxes, and return both.

    Raises:
        TypeError: a transform is not supported for boxes.
    """
    for step in steps:
        boxes = transform_boxes(boxes, step, *image_size(make_spec(image)))
        image = step.transform_row(image)
    return image, boxes


class _RandomBBoxMixin(RandomImageTransform):
    """Mixin for random image transforms that applies the drawn transforms to the boxes too."""

    stackable: ClassVar[bool] = False  # the number of boxes may change

    def transform_row(self, *columns: Any, rng: np.random.Generator) -> Columns:  # type: ignore[override]
        """Return the image and its boxes, both changed by the same drawn transforms.

        Raises:
            RuntimeError: the columns are not an image and float32 boxes within it.
        """
        image, boxes = check_boxes(self, columns)
        return transform_image_and_boxes(
            image, boxes, self.choose_transforms(rng, make_spec(image))
        )


class ResizeWithBBox(Resize):
    """Resize of an image and its boxes.

    Args:
        size (Union[int, Sequence[int]]): as for Resize.
        interpolation (Inter): as for Resize. Default: ``Inter.LINEAR``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``size`` is not positive.
        RuntimeError: the boxes are not (n, 4 or more), or are not within the image.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> boxes = np.array([[3, 1, 3, 2]], np.float32)
        >>> image, boxes = vision.ResizeWithBBox((8, 3))(np.zeros((4, 9, 3), np.uint8), boxes)
        >>> boxes.tolist()
        [[1.0, 2.0, 1.0, 4.0]]
    """

    antialias_error = RuntimeError

    @property
    def is_batched(self) -> bool:
        return False

    def transform_row(self, *columns: Any) -> Columns:
        """Return the resized image and its boxes.

        Raises:
            RuntimeError: the columns are not an image and float32 boxes within it, or the
                interpolation does not support the image.
        """
        image, boxes = check_boxes(self, columns)
        self._check_images(np.atleast_3d(image)[None])
        return transform_image_and_boxes(image, boxes, [Resize(self.size, self.interpolation)])

    def fuse(self, following: Transform) -> None:
        return None


class RandomCropWithBBox(_RandomBBoxMixin, RandomCrop):
    """RandomCrop of an image and its boxes; boxes outside of the crop are dropped.

    Args:
        size (Union[int, Sequence[int]]): as for RandomCrop.
        padding (Union[int, Sequence[int]]): as for RandomCrop. Default: ``None``.
        pad_if_needed (bool): as for RandomCrop. Default: ``False``.
        fill_value (Union[int, tuple]): as for RandomCrop. Default: ``0``.
        padding_mode (Border): as for RandomCrop. Default: ``Border.CONSTANT``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range.
        RuntimeError: the boxes are not (n, 4 or more), or are not within the image.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> crop = vision.RandomCropWithBBox((1, 3), padding=(1, 0))
        >>> image, boxes = crop(np.zeros((1, 1, 3), np.uint8), np.array([[0, 0, 1, 1]], np.float32))
        >>> boxes.tolist()
        [[1.0, 0.0, 1.0, 1.0]]
    """


class RandomHorizontalFlipWithBBox(_RandomBBoxMixin, RandomHorizontalFlip):
    """RandomHorizontalFlip of an image and its boxes.

    Args:
        prob (float): probability, in [0, 1]. Default: ``0.5``.

    Raises:
        TypeError: ``prob`` is not a number.
        ValueError: ``prob`` is not in [0, 1].
        RuntimeError: the boxes are not (n, 4 or more), or are not within the image.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> flip = vision.RandomHorizontalFlipWithBBox(1.0)
        >>> image, boxes = flip(np.zeros((4, 9, 3), np.uint8), np.array([[1, 0, 2, 4]], np.float32))
        >>> boxes.tolist()
        [[6.0, 0.0, 2.0, 4.0]]
    """


class RandomVerticalFlipWithBBox(_RandomBBoxMixin, RandomVerticalFlip):
    """RandomVerticalFlip of an image and its boxes.

    Args:
        prob (float): probability, in [0, 1]. Default: ``0.5``.

    Raises:
        TypeError: ``prob`` is not a number.
        ValueError: ``prob`` is not in [0, 1].
        RuntimeError: the boxes are not (n, 4 or more), or are not within the image.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> flip = vision.RandomVerticalFlipWithBBox(1.0)
        >>> image, boxes = flip(np.zeros((4, 9, 3), np.uint8), np.array([[1, 0, 2, 1]], np.float32))
        >>> boxes.tolist()
        [[1.0, 3.0, 2.0, 1.0]]
    """


class RandomResizedCropWithBBox(_RandomBBoxMixin, RandomResizedCrop):
    """RandomResizedCrop of an image and its boxes; boxes outside of the crop are dropped.

    Args:
        size (Union[int, Sequence[int]]): as for RandomResizedCrop.
        scale (Sequence[float]): as for RandomResizedCrop. Default: ``(0.08, 1.0)``.
        ratio (Sequence[float]): as for RandomResizedCrop. Default: ``(3 / 4, 4 / 3)``.
        interpolation (Inter): as for Resize. Default: ``Inter.BILINEAR``.
        max_attempts (int): as for RandomResizedCrop. Default: ``10``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range.
        RuntimeError: the boxes are not (n, 4 or more), or are not within the image.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> boxes = np.array([[3, 1, 3, 2]], np.float32)
        >>> crop = vision.RandomResizedCropWithBBox(8)
        >>> image, boxes = crop(np.zeros((32, 30, 3), np.uint8), boxes)
        >>> image.shape
        (8, 8, 3)
    """


class RandomResizeWithBBox(_RandomBBoxMixin, RandomResize):
    """RandomResize of an image and its boxes.

    Args:
        size (Union[int, Sequence[int]]): as for Resize.

    Raises:
        TypeError: ``size`` does not consist of ints.
        ValueError: ``size`` is not positive.
        RuntimeError: the boxes are not (n, 4 or more), or are not within the image.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> boxes = np.array([[3, 1, 3, 2]], np.float32)
        >>> image, boxes = vision.RandomResizeWithBBox((8, 3))(np.zeros((4, 9, 3), np.uint8), boxes)
        >>> boxes.tolist()
        [[1.0, 2.0, 1.0, 4.0]]
    """


class BoundingBoxAugment(RandomTransform):
    """Apply a transform to the image inside of each box that is drawn, one box at a time.

    Args:
        transform (TensorOperation): an image transform.
        ratio (float): probability of each box, in [0, 1]. Default: ``0.3``.

    Raises:
        TypeError: ``transform`` is not a transform, or ``ratio`` is not a number.
        ValueError: ``ratio`` is not in [0, 1].
        RuntimeError: the boxes are not (n, 4 or more), or are not within the image.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> augment = vision.BoundingBoxAugment(vision.Invert(), ratio=1.0)
        >>> boxes = np.array([[1, 0, 2, 1]], np.float32)
        >>> image, _ = augment(np.zeros((3, 3, 3), np.uint8), boxes)
        >>> image[..., 0].tolist()
        [[0, 255, 255], [0, 0, 0], [0, 0, 0]]
    """

    transform: Any
    ratio: float = 0.3
    stackable: ClassVar[bool] = False

    def check(self) -> None:
        if not isinstance(self.transform, Transform):
            rule = "be a transform of minispore.dataset.vision"
            raise arguments.wrong_type(self, "transform", rule, self.transform, Transform)
        arguments.probability(self, "ratio", self.ratio)

    def transform_row(self, *columns: Any, rng: np.random.Generator) -> Columns:  # type: ignore[override]
        """Return a copy of the image with the insides of the drawn boxes transformed, and the
        boxes.

        A transformed inside is resized to its box; the boxes are unchanged.

        Raises:
            RuntimeError: the columns are not an image and float32 boxes within it.
        """
        image, boxes = check_boxes(self, columns)
        out = image.copy()
        for box in boxes[rng.random(len(boxes)) < self.ratio]:
            left, top, width, height = box[:4].astype(int)
            region = (slice(top, top + height), slice(left, left + width))
            if width and height:
                patch = apply_transforms([self.transform], (out[region],), rng)
                out[region] = Resize((int(height), int(width))).transform_row(patch)
        return out, boxes
