"""Conversions of images: channels, gray, HSV, linear maps, PIL images and arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from minispore.dataset import check
from minispore.dataset.transforms import arguments
from minispore.dataset.transforms.array import TypeCast
from minispore.dataset.transforms.base import Transform
from minispore.dataset.vision.enums import ConvertMode
from minispore.dataset.vision.support.colour import (
    hsv_to_rgb_real,
    rgb_to_hsv_real,
    to_gray,
    to_pillow_gray,
)
from minispore.dataset.vision.support.image import (
    AppliedWithProbability,
    ImageTransform,
    is_pil,
    make_shape_error,
)
from minispore.dataset.vision.support.pillow import import_pillow
from minispore.ir.value import Spec

# Source channels in the order of the result; ALPHA means a new opaque channel.
ALPHA = -1
ORDER = {
    ConvertMode.COLOR_BGR2BGRA: (0, 1, 2, 3),
    ConvertMode.COLOR_BGRA2BGR: (0, 1, 2),
    ConvertMode.COLOR_BGR2RGBA: (2, 1, 0, 3),
    ConvertMode.COLOR_RGBA2BGR: (2, 1, 0),
    ConvertMode.COLOR_BGR2RGB: (2, 1, 0),
    ConvertMode.COLOR_BGRA2RGBA: (2, 1, 0, 3),
    ConvertMode.COLOR_GRAY2BGR: (0, 0, 0),
    ConvertMode.COLOR_GRAY2BGRA: (0, 0, 0, ALPHA),
}
TO_GRAY = {  # whether the source is in BGR order
    ConvertMode.COLOR_BGR2GRAY: True,
    ConvertMode.COLOR_RGB2GRAY: False,
    ConvertMode.COLOR_BGRA2GRAY: True,
    ConvertMode.COLOR_RGBA2GRAY: False,
}
FROM_GRAY = (ConvertMode.COLOR_GRAY2BGR, ConvertMode.COLOR_GRAY2BGRA)


class ConvertColor(ImageTransform):
    """Reorder, add or drop colour channels.

    Args:
        convert_mode (ConvertMode): the source and target orders.

    Raises:
        TypeError: ``convert_mode`` is not a ConvertMode.
        RuntimeError: the image does not have the source channels of the mode.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> swap = vision.ConvertColor(vision.ConvertMode.COLOR_RGB2BGR)
        >>> swap(np.array([[[1, 2, 3]]], np.uint8)).tolist()
        [[[3, 2, 1]]]
    """

    makes_arrays = True
    convert_mode: ConvertMode

    def check(self) -> None:
        arguments.member(self, "convert_mode", self.convert_mode, ConvertMode)

    def transform_batch(self, images: np.ndarray) -> np.ndarray:
        """Return the converted images, without a channel axis for a conversion to gray."""
        out = super().transform_batch(images)
        return out[..., 0] if self.convert_mode in TO_GRAY and images.ndim > 3 else out

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        """Reorder or repeat channels and add opaque alpha; raise RuntimeError for a wrong count."""
        mode, channels = self.convert_mode, images.shape[3]
        allowed: tuple[int, ...] = (1, 3, 4)
        if mode in FROM_GRAY:
            allowed = (1,)
        elif mode in TO_GRAY:
            allowed = (3, 4)
        if channels not in allowed:
            raise RuntimeError(
                f"ConvertColor: image must have {' or '.join(map(str, allowed))} channels "
                f"for {mode.name}, got {channels}."
            )
        if mode in TO_GRAY:
            return to_gray(images, bgr=TO_GRAY[mode])[..., None]
        if channels == 1:
            images = images.repeat(3, axis=3)
        order = ORDER[mode]
        out = np.empty((*images.shape[:3], len(order)), images.dtype)
        for target, source in enumerate(order):
            if source != ALPHA and source < images.shape[3]:
                out[..., target] = images[..., source]
            else:
                out[..., target] = np.array(_get_opaque(images.dtype)).astype(images.dtype)
        return out


def _get_opaque(dtype: np.dtype) -> int:
    """Return the value of an opaque alpha channel: 1 for floats, else 255 or 65535 for uint16."""
    if dtype.kind == "f":
        return 1
    return 65535 if dtype == np.uint16 else 255


class Grayscale(ImageTransform):
    """The luma of an RGB image.

    Args:
        num_output_channels (int): 1, or 3 for three equal channels. Default: ``1``.

    Raises:
        TypeError: ``num_output_channels`` is not an int.
        ValueError: ``num_output_channels`` is neither 1 nor 3.

    Shape:
        (H, W, 3) -> (H, W) or (H, W, 3).

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> image = vision.ToPIL()(np.array([[[200, 100, 0]]], np.uint8))
        >>> np.array(vision.Grayscale()(image)).tolist()
        [[118]]
    """

    in_python = True
    num_output_channels: int = 1

    def check(self) -> None:
        """Check that ``num_output_channels`` is 1 or 3."""
        if check.int32(self, "num_output_channels", self.num_output_channels) not in (1, 3):
            rule = "be 1 or 3"
            hint = "Number of channels of the output should be either 1 or 3."
            raise ValueError(
                arguments.format_error(
                    self, "num_output_channels", rule, self.num_output_channels, hint
                )
            )

    def transform_batch(self, images: np.ndarray) -> np.ndarray:
        """Return the luma of RGB or gray images, (N, H, W) or repeated to three channels.

        Raises:
            RuntimeError: the images are neither gray nor RGB.
        """
        if images.ndim >= 4 and images.shape[-1] == 3:
            images = to_pillow_gray(images)
        elif images.ndim >= 4 and images.shape[-1] == 1:
            images = images[..., 0]
        elif images.ndim != 3:
            raise make_shape_error(self, "(H, W) or (H, W, 3)", images)
        if self.num_output_channels == 1:
            return images.copy()
        return np.repeat(images[..., None], 3, -1)

    def transform_pil(self, image: Any) -> Any:
        out = image.convert("L")
        return out if self.num_output_channels == 1 else out.convert("RGB")


class RandomGrayscale(AppliedWithProbability):
    """Replace all channels by the luma, with probability ``prob``.

    Args:
        prob (float): probability, in [0, 1]. Default: ``0.1``.

    Raises:
        TypeError: ``prob`` is not a number.
        ValueError: ``prob`` is not in [0, 1].

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.RandomGrayscale(1.0)(np.array([[[200, 100, 0]]], np.uint8)).tolist()
        [[[118, 118, 118]]]
    """

    in_python = True

    prob: float = 0.1

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        """Return Grayscale with probability ``prob``, with three channels if the image has
        channels.
        """
        if rng.random() >= self.prob:
            return ()
        is_rgb = len(specs[0].shape) >= 3
        return (Grayscale(3 if is_rgb else 1),)

    def _transform_image(self, image: Any, rng: np.random.Generator) -> Any:
        """Return the transformed image; a changed PIL image is RGB unless its mode is L."""
        out = super()._transform_image(image, rng)
        return out if out is image or getattr(image, "mode", "L") == "L" else out.convert("RGB")


class _ColourSpaceTransform(Transform):
    """Base of colour space conversions of (H, W, 3), (N, H, W, 3), or channels-first images."""

    in_python = True
    refuses_bools: ClassVar[bool] = False

    is_hwc: bool = False

    def check(self) -> None:
        check.boolean(self, "is_hwc", self.is_hwc)

    def convert_colours(self, images: np.ndarray) -> np.ndarray:
        """Convert images (..., 3) to (..., 3); a subclass must override it, else it raises
        TypeError.
        """
        raise TypeError(f"{self.name}: must define convert_colours.")

    def transform_batch(self, images: np.ndarray) -> np.ndarray:
        """Return a copy of the images in the other colour space, in the same layout.

        Raises:
            TypeError: the images do not have three channels, or do not hold real numbers.
        """
        axis = -1 if self.is_hwc else -3
        if images.ndim not in (4, 5) or images.shape[axis] != 3:
            layout = "(H, W, 3)" if self.is_hwc else "(3, H, W)"
            shape = images.shape[1:]
            raise TypeError(f"{self.name}: image must be {layout} or a stack of it, got {shape}.")
        if images.dtype.kind == "c" or (images.dtype == np.bool_ and self.refuses_bools):
            raise TypeError(f"{self.name}: image must hold real numbers, got {images.dtype}.")
        return np.moveaxis(self.convert_colours(np.moveaxis(images, axis, -1)), -1, axis).copy()


class RgbToHsv(_ColourSpaceTransform):
    """Hue, saturation and value of RGB images, float64, hue and saturation in [0, 1].

    Args:
        is_hwc (bool): whether images are (H, W, C), else (C, H, W). Default: ``False``.

    Raises:
        TypeError: ``is_hwc`` is not a bool, or the image is not RGB.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.RgbToHsv(True)(np.array([[[0.0, 1.0, 1.0]]])).tolist()
        [[[0.5, 1.0, 1.0]]]
    """

    refuses_bools = True

    def convert_colours(self, images: np.ndarray) -> np.ndarray:
        return rgb_to_hsv_real(images)


class HsvToRgb(_ColourSpaceTransform):
    """RGB of images with hue, saturation and value in [0, 1], float64.

    Args:
        is_hwc (bool): whether images are (H, W, C), else (C, H, W). Default: ``False``.

    Raises:
        TypeError: ``is_hwc`` is not a bool, or the image does not have three channels.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.HsvToRgb(True)(np.array([[[0.5, 1.0, 1.0]]])).tolist()
        [[[0.0, 1.0, 1.0]]]
    """

    def convert_colours(self, images: np.ndarray) -> np.ndarray:
        hue, saturation, value = np.moveaxis(images.astype(np.float64), -1, 0)
        return hsv_to_rgb_real(hue * 6, saturation, value)


class RgbToBgr(_ColourSpaceTransform):
    """The channels in reverse order.

    Args:
        is_hwc (bool): whether images are (H, W, C), else (C, H, W). Default: ``False``.

    Raises:
        TypeError: ``is_hwc`` is not a bool, or the image does not have three channels.
    """

    def convert_colours(self, images: np.ndarray) -> np.ndarray:
        return images[..., ::-1]


def rgb_to_hsvs(np_rgb_imgs: np.ndarray, is_hwc: bool) -> np.ndarray:
    """Convert one or several RGB images in [0, 1] to float64 hue, saturation and value in [0, 1].

    Args:
        np_rgb_imgs (numpy.ndarray): (H, W, 3) or (N, H, W, 3); else (3, H, W) or (N, 3, H, W).
        is_hwc (bool): whether channels are last.
    """
    return RgbToHsv(is_hwc)(np_rgb_imgs)


def hsv_to_rgbs(np_hsv_imgs: np.ndarray, is_hwc: bool) -> np.ndarray:
    """Convert one or several HSV images to float64 RGB, see :func:`rgb_to_hsvs`."""
    return HsvToRgb(is_hwc)(np_hsv_imgs)


class LinearTransformation(Transform):
    """(x.ravel() - mean_vector) @ transformation_matrix in the shape of x: whitening.

    Args:
        transformation_matrix (numpy.ndarray): (D, D), where D is the size of x.
        mean_vector (numpy.ndarray): (D,).

    Raises:
        TypeError: an argument is not an array.
        ValueError: the matrix is not square, or the length of the vector or the size of x differs.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> whiten = vision.LinearTransformation(np.eye(2) * 3, np.ones(2))
        >>> whiten(np.array([[1.0, 2.0]])).tolist()
        [[0.0, 3.0]]
    """

    transformation_matrix: Any
    mean_vector: Any
    in_python = True
    __eq__ = object.__eq__  # the truth value of an array is ambiguous
    __hash__ = object.__hash__

    def check(self) -> None:
        """Check that the matrix is square, and that the vector has its length."""
        matrix, vector = self.transformation_matrix, self.mean_vector
        for name, value in (("transformation_matrix", matrix), ("mean_vector", vector)):
            if not isinstance(value, np.ndarray):
                raise arguments.wrong_type(self, name, "be a NumPy array", value, np.ndarray)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            rule = "be a square matrix"
            raise ValueError(
                arguments.format_error(self, "transformation_matrix", rule, matrix.shape)
            )
        if vector.shape != (len(matrix),):
            rule, hint = f"have the length {len(matrix)} of the matrix", "The lengths should match."
            raise ValueError(arguments.format_error(self, "mean_vector", rule, vector.shape, hint))

    def transform_batch(self, images: np.ndarray) -> np.ndarray:
        """Whiten each flattened image; raise ValueError if its size is wrong."""
        size = int(np.prod(images.shape[1:]))
        if size != len(self.mean_vector):
            raise ValueError(
                f"LinearTransformation: image must have {len(self.mean_vector)} elements, "
                f"got {size} of shape {images.shape[1:]}."
            )
        flat = images.reshape(len(images), size) - self.mean_vector
        return (flat @ self.transformation_matrix).reshape(images.shape)


class ToPIL(Transform):
    """An array (H, W) or (H, W, C) as a PIL image. Needs Pillow.

    Raises:
        ImportError: Pillow is not installed.
        TypeError: the input is not an array, or has a dtype that PIL images can't hold.
        ValueError: the array does not have 2 or 3 dimensions, or has more than 4 channels.

    Example:
        >>> from minispore.dataset import vision
        >>> vision.ToPIL()
        ToPIL()
    """

    in_python = True

    def convert_column(self, value: Any) -> Any:
        return value

    def transform_row(self, image: Any) -> Any:
        """Return an array as a PIL image, and a PIL image unchanged; see the class for errors."""
        if is_pil(image):
            return image
        if not isinstance(image, np.ndarray):
            raise TypeError(
                f"ToPIL: image should be of type numpy.ndarray or PIL.Image.Image, got "
                f"{type(image).__name__}."
            )
        if image.ndim not in (2, 3) or (image.ndim == 3 and image.shape[2] > 4):
            shape = image.shape
            raise ValueError(
                f"ToPIL: image must be (H, W) or (H, W, 1 to 4), got {shape}: the dimension of "
                "input image should be 2 or 3, the channel of input image should not exceed 4."
            )
        if image.ndim == 3 and image.shape[2] == 1:
            image = image[:, :, 0]
        if image.ndim == 3 and image.dtype != np.uint8:
            raise TypeError(
                f"ToPIL: image with several channels must be uint8, got {image.dtype}: the image "
                f"type {image.dtype} is not supported."
            )
        try:
            return import_pillow(self.name).fromarray(image)
        except TypeError:
            raise TypeError(f"ToPIL: image can't be of dtype {image.dtype}.") from None


class ToNumpy(ImageTransform):
    """A PIL image as an array (H, W) or (H, W, C).

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.ToNumpy()(np.array([[1, 2]], np.uint8)).tolist()
        [[1, 2]]
    """

    in_python = True
    is_python_only_in_mindspore = False
    keeps_pil: ClassVar[bool] = False

    def convert_column(self, value: Any) -> Any:
        return np.asarray(value)

    def transform_batch(self, images: np.ndarray) -> np.ndarray:
        return images.copy()


class ToType(TypeCast):
    """An alias of TypeCast.

    Args:
        data_type: a MindSpore or NumPy data type, or its name.

    Raises:
        TypeError: ``data_type`` does not name a data type.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.ToType(np.float32)(np.array([1, 2]))
        array([1., 2.], dtype=float32)
    """
