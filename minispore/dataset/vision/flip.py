"""Mirror images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from minispore.dataset.transforms.base import Transform, draw_uniforms
from minispore.dataset.vision.support.image import AppliedWithProbability, ImageTransform
from minispore.dataset.vision.support.pillow import import_pillow
from minispore.ir.value import Spec


class HorizontalFlip(ImageTransform):
    """y[h, w] = x[h, W - 1 - w].

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.HorizontalFlip()(np.array([[1, 2, 3]], np.uint8)).tolist()
        [[3, 2, 1]]
    """

    makes_arrays = True

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        out = np.empty_like(images)
        for channel in range(images.shape[3]):  # NumPy's inner loop then runs along a row
            out[..., channel] = images[:, :, ::-1, channel]
        return out

    def transform_pil(self, image: Any) -> Any:
        return image.transpose(import_pillow(self.name).Transpose.FLIP_LEFT_RIGHT)


class VerticalFlip(ImageTransform):
    """y[h, w] = x[H - 1 - h, w].

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.VerticalFlip()(np.array([[1], [2]], np.uint8)).tolist()
        [[2], [1]]
    """

    makes_arrays = True

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        return images[:, ::-1].copy()

    def transform_pil(self, image: Any) -> Any:
        return image.transpose(import_pillow(self.name).Transpose.FLIP_TOP_BOTTOM)


class RandomHorizontalFlip(AppliedWithProbability):
    """Mirror left and right with probability ``prob``.

    Args:
        prob (float): probability, in [0, 1]. Default: ``0.5``.

    Raises:
        TypeError: ``prob`` is not a number.
        ValueError: ``prob`` is not in [0, 1].

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.RandomHorizontalFlip(1.0)(np.array([[1, 2, 3]], np.uint8)).tolist()
        [[3, 2, 1]]
    """

    accepts_several_columns = True
    fixed_transform: ClassVar[Transform] = HorizontalFlip()

    def transform_block(
        self, columns: tuple[np.ndarray, ...], rngs: Sequence[np.random.Generator]
    ) -> np.ndarray:
        """Return a copy of the block in which the drawn rows are flipped, all at once.

        Raises:
            RuntimeError: the block does not hold images.
        """
        (images,) = columns
        self.check_image(Spec(images.shape[1:], images.dtype))
        is_flipped = draw_uniforms(rngs, 1)[:, 0] < self.prob
        out = images.copy()
        if is_flipped.any():
            out[is_flipped] = self.fixed_transform.transform_batch(images[is_flipped])
        return out


class RandomVerticalFlip(RandomHorizontalFlip):
    """Mirror top and bottom with probability ``prob``.

    Args:
        prob (float): probability, in [0, 1]. Default: ``0.5``.

    Raises:
        TypeError: ``prob`` is not a number.
        ValueError: ``prob`` is not in [0, 1].

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.RandomVerticalFlip(1.0)(np.array([[1], [2]], np.uint8)).tolist()
        [[2], [1]]
    """

    fixed_transform: ClassVar[Transform] = VerticalFlip()
