"""Transforms that return several crops of one image: corners and centre, or a grid."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from minispore.dataset import check
from minispore.dataset.transforms import arguments
from minispore.dataset.transforms.base import Columns, Transform, as_columns
from minispore.dataset.vision.crop import CenterCrop, Crop
from minispore.dataset.vision.enums import SliceMode
from minispore.dataset.vision.flip import HorizontalFlip, VerticalFlip
from minispore.dataset.vision.support.image import ImageTransform, image_size, make_shape_error
from minispore.ir.value import Spec


class FiveCrop(ImageTransform):
    """Crop the corners and centre: (top left, top right, bottom left, bottom right, centre).

    Args:
        size (Union[int, Sequence[int]]): (height, width) of each piece, or one int for both.

    Raises:
        TypeError: ``size`` does not consist of ints.
        ValueError: ``size`` is not positive, or the piece is larger than the image.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> image = np.arange(9, dtype=np.uint8).reshape(3, 3)
        >>> [np.array(crop).tolist() for crop in vision.FiveCrop(1)(vision.ToPIL()(image))]
        [[[0]], [[2]], [[6]], [[8]], [[4]]]
    """

    in_python = True

    size: Any

    def check(self) -> None:
        """Check ``size``, and store it as (height, width)."""
        self.normalise(size=arguments.size(self, "size", self.size))

    def make_crops(self, height: int, width: int) -> list[Transform]:
        """Return the five transforms that crop an image of this size, each a Crop or CenterCrop.

        Raises:
            ValueError: The crop is larger than the image.
        """
        bottom, right = height - self.size[0], width - self.size[1]
        if min(bottom, right) < 0:
            raise ValueError(
                f"{self.name}: size must not exceed the image, got {self.size} "
                f"for an image of {(height, width)}: crop size is larger than input image size."
            )
        corners = [(0, 0), (0, right), (bottom, 0), (bottom, right)]
        return [*(Crop(corner, self.size) for corner in corners), CenterCrop(self.size)]

    def transform_batch(self, images: np.ndarray) -> Columns:
        """Return the five crops of a block of images; raise ValueError if they exceed the image."""
        height, width = image_size(Spec(images.shape[1:], images.dtype))
        return as_columns([crop.transform_batch(images) for crop in self.make_crops(height, width)])

    def transform_pil(self, image: Any) -> Any:
        return as_columns(
            [crop.transform_row(image) for crop in self.make_crops(image.height, image.width)]
        )


class TenCrop(FiveCrop):
    """FiveCrop of the image, then of its mirror image.

    Args:
        size (Union[int, Sequence[int]]): (height, width) of each piece, or one int for both.
        use_vertical_flip (bool): whether to mirror top and bottom, else left and right.
            Default: ``False``.

    Raises:
        TypeError: ``size`` does not consist of ints, or ``use_vertical_flip`` is not a bool.
        ValueError: ``size`` is not positive, or the piece is larger than the image.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> len(vision.TenCrop(2)(vision.ToPIL()(np.zeros((4, 5, 3), np.uint8))))
        10
    """

    size: Any
    use_vertical_flip: bool = False

    def check(self) -> None:
        super().check()
        check.boolean(self, "use_vertical_flip", self.use_vertical_flip)

    @property
    def flip(self) -> Transform:
        """The transform that mirrors the image."""
        return VerticalFlip() if self.use_vertical_flip else HorizontalFlip()

    def transform_batch(self, images: np.ndarray) -> Columns:
        """Return the five crops of the images, then those of their mirror images."""
        return (
            *super().transform_batch(images),
            *super().transform_batch(self.flip.transform_batch(images)),
        )

    def transform_pil(self, image: Any) -> Any:
        return (
            *super().transform_pil(image),
            *super().transform_pil(self.flip.transform_row(image)),
        )


class SlicePatches(ImageTransform):
    """Cut the image into a grid of pieces, ordered from left to right, then from top to bottom.

    Args:
        num_height (int): number of rows. Default: ``1``.
        num_width (int): number of columns. Default: ``1``.
        slice_mode (SliceMode): PAD pads the image to a multiple of the grid, DROP cuts the rest.
            Default: ``SliceMode.PAD``.
        fill_value (int): padding value, in [0, 255]. Default: ``0``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range.
        RuntimeError: the grid is larger than the image.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> [patch.tolist() for patch in vision.SlicePatches(1, 2)(np.array([[1, 2, 3]], np.uint8))]
        [[[1, 2]], [[3, 0]]]
    """

    num_height: int = 1
    num_width: int = 1
    slice_mode: SliceMode = SliceMode.PAD
    fill_value: int = 0
    keeps_pil: ClassVar[bool] = False

    def check(self) -> None:
        check.int32(self, "num_height", self.num_height, 1)
        check.int32(self, "num_width", self.num_width, 1)
        arguments.member(self, "slice_mode", self.slice_mode, SliceMode)
        check.integer(self, "fill_value", self.fill_value, 0, 255)

    def transform_batch(self, images: np.ndarray) -> Columns:
        """Return the pieces, row by row, of the image padded or cut to a multiple of the grid.

        Raises:
            RuntimeError: the images are not (H, W) or (H, W, C), or smaller than the grid.
        """
        if images.ndim not in (3, 4):
            raise make_shape_error(self, "(H, W) or (H, W, C)", images)
        images = images.view(np.uint8) if images.dtype == np.bool_ else images
        height, width = images.shape[1:3]
        if self.num_height > height or self.num_width > width:
            raise RuntimeError(
                f"SlicePatches: num_height and num_width must not exceed the image of "
                f"{(height, width)}, got {(self.num_height, self.num_width)}."
            )
        if self.slice_mode is SliceMode.PAD:
            missing_rows, missing_columns = -height % self.num_height, -width % self.num_width
            pads = ((0, 0), (0, missing_rows), (0, missing_columns), (0, 0))[: images.ndim]
            images = np.pad(images, pads, constant_values=self.fill_value)
        patch_height = images.shape[1] // self.num_height
        patch_width = images.shape[2] // self.num_width
        patches = []
        for top in range(0, self.num_height * patch_height, patch_height):
            rows = images[:, top : top + patch_height]
            for left in range(0, self.num_width * patch_width, patch_width):
                patches.append(rows[:, :, left : left + patch_width].copy())
        return as_columns(patches)
