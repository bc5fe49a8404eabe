"""Mix the images and labels of a batch: columns are an image batch and one-hot labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from minispore.dataset import check
from minispore.dataset.transforms import arguments
from minispore.dataset.transforms.base import Columns, RandomTransform, Transform, draw_int
from minispore.dataset.vision.enums import ImageBatchFormat
from minispore.dataset.vision.support.colour import cast_saturated
from minispore.ir.value import Spec


def check_batch(transform: Transform, specs: Sequence[Spec]) -> None:
    """Raise RuntimeError unless the columns are a batch of images and one-hot labels for it."""
    if len(specs) != 2:
        raise RuntimeError(
            f"{transform.name}: must be given images and labels, got {len(specs)} columns. "
            "Set input_columns to both: input should have 2 columns (image and label)."
        )
    if specs[1].dtype.kind not in "uifb":
        raise RuntimeError(
            f"{transform.name}: labels must be numbers, got {specs[1].dtype}: invalid label type, "
            "label must be in a numeric type."
        )
    images, labels = specs[0].shape, specs[1].shape
    if len(images) != 4:
        raise RuntimeError(
            f"{transform.name}: images must be a batch (N, H, W, C) or (N, C, H, W), got {images}. "
            "Put batch() before the map."
        )
    if len(labels) not in (2, 3) or labels[0] != images[0]:
        reason = "input label is not in shape of <Batch,Class> or <Batch,Row,Class>"
        if len(labels) in (2, 3):
            reason = "the batch sizes of image and label must be the same"
        raise RuntimeError(
            f"{transform.name}: labels must be one-hot, (N, classes) or (N, labels, classes) with "
            f"the images' N = {images[0]}, got {labels}: {reason}. You may need to perform OneHot "
            "and Batch first."
        )


def mix_rows(columns: np.ndarray, others: np.ndarray, ratio: Any) -> np.ndarray:
    """Return columns * ratio + others * (1 - ratio) in floating point.

    ``ratio`` is one number, or one for each row.
    """
    ratio = np.reshape(ratio, (-1,) + (1,) * (columns.ndim - 1))
    return columns * ratio + others * (1 - ratio)


class _Blend(Transform):
    """Mixes row i with row ``order[i]``, weighted by 1 - ``ratio``; drawn by MixUpBatch."""

    order: tuple[int, ...]
    ratio: float

    def transform_row(self, *columns: np.ndarray) -> Columns:
        """Return the mixed images in their dtype, and the mixed labels in float32."""
        images, labels = columns
        order = np.array(self.order, np.intp)
        out = cast_saturated(mix_rows(images, images[order], self.ratio), images.dtype)
        labels = labels.astype(np.float32)
        return out, mix_rows(labels, labels[order], self.ratio).astype(np.float32)


class MixUpBatch(RandomTransform):
    """Mix each image of a batch with another image, and their labels in the same proportion.

    Args:
        alpha (float): parameter of the Beta distribution of the proportion, positive.
            Default: ``1.0``.

    Raises:
        TypeError: ``alpha`` is not a number.
        ValueError: ``alpha`` is not positive.
        RuntimeError: the columns are not a batch of images and one-hot labels.

    Shape:
        (N, H, W, C) or (N, C, H, W) and (N, classes) -> the same; labels become float32.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> mix = vision.MixUpBatch(alpha=0.2)
        >>> images, labels = mix(np.zeros((2, 8, 8, 3), np.uint8), np.eye(2))
        >>> images.dtype, labels.dtype
        (dtype('uint8'), dtype('float32'))
    """

    alpha: float = 1.0
    stackable: ClassVar[bool] = False

    def check(self) -> None:
        limit, kinds = arguments.FLOAT32_MAX, (int, float)
        arguments.number(self, "alpha", self.alpha, 0, limit, "(]", kinds=kinds)

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        """Draw an order of the rows and one ratio for the batch; raise RuntimeError for wrong
        columns.
        """
        check_batch(self, specs)
        ratio = rng.beta(self.alpha, self.alpha)
        return (_Blend(tuple(rng.permutation(specs[0].shape[0]).tolist()), ratio),)


class _Paste(Transform):
    """Pastes rectangles of other images over the images of a batch; drawn by CutMixBatch.

    ``pieces`` holds tuples (row, other row, top, bottom, left, right).
    """

    pieces: tuple[tuple[int, ...], ...]
    is_hwc: bool

    def transform_row(self, *columns: np.ndarray) -> Columns:
        """Paste the rectangles into a copy, and mix the labels by the rectangles' areas."""
        images, labels = columns
        out, mixed_labels = images.copy(), labels.astype(np.float32)
        source = images if self.is_hwc else images.transpose(0, 2, 3, 1)
        target = out if self.is_hwc else out.transpose(0, 2, 3, 1)
        for i, j, top, bottom, left, right in self.pieces:
            target[i, top:bottom, left:right] = source[j, top:bottom, left:right]
            ratio = 1 - (bottom - top) * (right - left) / (target.shape[1] * target.shape[2])
            mixed_labels[i] = ratio * labels[i] + (1 - ratio) * labels[j]
        return out, mixed_labels


class CutMixBatch(RandomTransform):
    """Paste a piece of another image of the batch into each, and mix labels by the areas.

    Args:
        image_batch_format (ImageBatchFormat): NHWC or NCHW.
        alpha (float): parameter of the Beta distribution of the remaining area, positive.
            Default: ``1.0``.
        prob (float): probability for each image, in [0, 1]. Default: ``1.0``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``alpha`` is not positive, or ``prob`` not in [0, 1].
        RuntimeError: the columns are not a batch of images and one-hot labels.

    Shape:
        (N, H, W, C) or (N, C, H, W) and (N, classes) -> the same; labels become float32.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> mix = vision.CutMixBatch(vision.ImageBatchFormat.NHWC)
        >>> images, labels = mix(np.zeros((2, 8, 8, 3), np.uint8), np.eye(2))
        >>> images.shape, labels.dtype
        ((2, 8, 8, 3), dtype('float32'))
    """

    image_batch_format: ImageBatchFormat
    alpha: float = 1.0
    prob: float = 1.0
    stackable: ClassVar[bool] = False

    def check(self) -> None:
        """Check the layout and the ranges of ``alpha`` and ``prob``."""
        arguments.member(self, "image_batch_format", self.image_batch_format, ImageBatchFormat)
        limit = arguments.EXACT_FLOAT32_INTEGER
        kinds = (int, float)
        arguments.number(self, "alpha", self.alpha, 0, limit, "(]", "", kinds)
        arguments.number(self, "prob", self.prob, 0, 1, kinds=kinds)

    @property
    def is_hwc(self) -> bool:
        return self.image_batch_format is ImageBatchFormat.NHWC

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        """Draw a partner for each image and, with probability ``prob``, a rectangle of it.

        Raises:
            RuntimeError: the columns are not a batch of images and one-hot labels, or the images do
                not have 1 or 3 channels.
        """
        check_batch(self, specs)
        count, *shape = specs[0].shape
        channels, size = (shape[2], shape[:2]) if self.is_hwc else (shape[0], shape[1:])
        if channels not in (1, 3):
            raise RuntimeError(
                f"CutMixBatch: images must have 1 or 3 channels, got {channels} "
                f"for {self.image_batch_format.name}: input image is not in channel of 1 or 3. "
                "Check image_batch_format."
            )
        others = rng.permutation(count).tolist()
        pieces = tuple(
            (i, j, *self._draw_rectangle(rng, size))
            for i, j in enumerate(others)
            if rng.random() < self.prob
        )
        return (_Paste(pieces, self.is_hwc),)

    def _draw_rectangle(self, rng: np.random.Generator, size: Sequence[int]) -> list[int]:
        """Draw (top, bottom, left, right) of a rectangle around a random point, clipped to the
        image.

        Its area is drawn from the Beta distribution.
        """
        side = np.sqrt(1 - rng.beta(self.alpha, self.alpha))
        edges = []
        for length in size:
            centre, half = draw_int(rng, 0, length - 1), int(length * side) // 2
            edges += [max(0, centre - half), min(length, centre + half)]
        return edges


class MixUp(RandomTransform):
    """Mix each image of a batch with the next image, or with the result of the previous batch.

    Args:
        batch_size (int): number of images in a batch.
        alpha (float): parameter of the Beta distribution of the proportion, positive.
        is_single (bool): True mixes image i with image i + 1 of its batch, False with image i of
            the previous call's result; the first batch is unchanged. Default: ``True``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``batch_size`` or ``alpha`` is not positive.
        RuntimeError: the columns are not a batch of ``batch_size`` images and one-hot labels.

    Shape:
        (N, H, W, C) or (N, C, H, W) and (N, classes) -> the same, float64.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> mix = vision.MixUp(batch_size=2, alpha=0.2)
        >>> images, labels = mix(np.zeros((2, 8, 8, 3)), np.eye(2))
        >>> labels.sum(axis=1).tolist()
        [1.0, 1.0]
    """

    batch_size: int
    alpha: float
    is_single: bool = True
    is_python_only_in_mindspore = True
    last: ClassVar[tuple | None] = None  # the result of the previous call
    stackable: ClassVar[bool] = False

    def check(self) -> None:
        check.integer(self, "batch_size", self.batch_size, 1, arguments.EXACT_FLOAT32_INTEGER, "")
        limit, kinds = arguments.FLOAT32_MAX, (int, float)
        arguments.number(self, "alpha", self.alpha, 0, limit, "(]", kinds=kinds)
        check.boolean(self, "is_single", self.is_single)

    def transform_row(self, *columns: Any, rng: np.random.Generator) -> Columns:  # type: ignore[override]
        """Mix the batch with itself rolled by one, or with ``last``, where the result is stored.

        Without ``is_single`` the first batch is unchanged.

        Raises:
            RuntimeError: the columns are not ``batch_size`` images and one-hot labels.
        """
        check_batch(self, [Spec(column.shape, column.dtype) for column in columns])
        if len(columns[0]) != self.batch_size:
            raise RuntimeError(
                f"MixUp: images must be a batch of {self.batch_size}, got {len(columns[0])}. "
                "Set batch_size to that of batch(), with drop_remainder=True."
            )
        ratios = rng.beta(self.alpha, self.alpha, self.batch_size)
        if self.is_single:
            others = tuple(np.roll(column, -1, axis=0) for column in columns)
        elif self.last is None:
            ratios, others = np.ones(self.batch_size), columns
        else:
            others = self.last
        out = tuple(mix_rows(column, other, ratios) for column, other in zip(columns, others))
        self.normalise(last=out)  # for the next call
        return out
