"""Change colours: brightness, contrast, saturation, hue, levels."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from minispore.dataset import check
from minispore.dataset.transforms import arguments
from minispore.dataset.vision.support.colour import (
    apply_lookup_tables,
    blend_images,
    cast_saturated,
    compute_histograms,
    hsv_to_rgb,
    hsv_to_rgb_real,
    invert_colours,
    rgb_to_hsv,
    rgb_to_hsv_real,
    to_gray,
)
from minispore.dataset.vision.support.image import ImageTransform
from minispore.dataset.vision.support.pillow import enhance_image, get_pillow_operation, rotate_hue

FACTOR_MAX = arguments.EXACT_FLOAT32_INTEGER


class RGBTransform(ImageTransform):
    """Base of transforms of RGB images."""

    channels = (3,)
    takes_gray = False


class LevelTransform(ImageTransform):
    """Base of transforms that map uint8 levels with a look-up table."""

    dtypes_viewed_as_uint8: ClassVar[tuple[Any, ...]] = (np.bool_,)  # dtypes whose bytes are levels

    def transform_batch(self, images: np.ndarray) -> np.ndarray:
        """Transform a block of uint8 images, or of a dtype viewed as uint8; else raise
        RuntimeError.
        """
        images = images.view(np.uint8) if images.dtype in self.dtypes_viewed_as_uint8 else images
        if images.dtype != np.uint8:
            raise RuntimeError(f"{self.name}: image must be uint8, got {images.dtype}.")
        return super().transform_batch(images)


class AdjustBrightness(ImageTransform):
    """x * brightness_factor.

    Args:
        brightness_factor (float): not negative; 0 gives black, 1 the original image.

    Raises:
        TypeError: ``brightness_factor`` is not a number.
        ValueError: ``brightness_factor`` is negative.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.AdjustBrightness(1.5)(np.array([[10, 200]], np.uint8)).tolist()
        [[15, 255]]
    """

    channels = (1, 3)
    brightness_factor: float

    def check(self) -> None:
        arguments.number(self, "brightness_factor", self.brightness_factor, 0, FACTOR_MAX)

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        float_dtype = np.result_type(images.dtype, np.float32)  # float64 for int32 and float64
        factor = np.float32(self.brightness_factor).astype(float_dtype)
        return cast_saturated(images.astype(float_dtype) * factor, images.dtype)

    def transform_pil(self, image: Any) -> Any:
        return enhance_image(self.name, "Brightness", image, self.brightness_factor)


class AdjustContrast(RGBTransform):
    """x * contrast_factor + m * (1 - contrast_factor), where m is the mean gray of the image.

    Args:
        contrast_factor (float): not negative; 0 gives gray, 1 the original image.

    Raises:
        TypeError: ``contrast_factor`` is not a number.
        ValueError: ``contrast_factor`` is negative.
        RuntimeError: the image is not RGB.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.AdjustContrast(0.5)(np.array([[[0, 0, 0], [200, 200, 200]]], np.uint8)).tolist()
        [[[50, 50, 50], [150, 150, 150]]]
    """

    contrast_factor: float

    def check(self) -> None:
        arguments.number(self, "contrast_factor", self.contrast_factor, 0, FACTOR_MAX)

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        """Blend each image with the mean of its luma, which is rounded for integers."""
        if not images.size:
            return images
        mean = to_gray(images).mean((1, 2), dtype=np.float64, keepdims=True)[..., None]
        if images.dtype.kind != "f":
            mean = np.rint(mean)
        factor = np.float32(self.contrast_factor)
        shift = mean.astype(np.float32) * (1 - factor)
        return cast_saturated(images.astype(np.float32) * factor + shift, images.dtype)

    def transform_pil(self, image: Any) -> Any:
        return enhance_image(self.name, "Contrast", image, self.contrast_factor)


class AdjustSaturation(RGBTransform):
    """x * saturation_factor + gray(x) * (1 - saturation_factor).

    Args:
        saturation_factor (float): not negative; 0 gives a gray image, 1 the original image.

    Raises:
        TypeError: ``saturation_factor`` is not a number.
        ValueError: ``saturation_factor`` is negative.
        RuntimeError: the image is not RGB.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.AdjustSaturation(0.0)(np.array([[[200, 100, 0]]], np.uint8)).tolist()
        [[[119, 119, 119]]]
    """

    saturation_factor: float

    def check(self) -> None:
        factor = self.saturation_factor
        arguments.number(self, "saturation_factor", factor, 0, FACTOR_MAX, mindspore_name="")

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        factor = np.float32(self.saturation_factor)
        return blend_images(to_gray(images)[..., None], 1 - factor, images, factor)

    def transform_pil(self, image: Any) -> Any:
        return enhance_image(self.name, "Color", image, self.saturation_factor)


class AdjustHue(RGBTransform):
    """Rotate the hues by ``hue_factor``.

    Args:
        hue_factor (float): fraction of the full hue circle, in [-0.5, 0.5].

    Raises:
        TypeError: ``hue_factor`` is not a number.
        ValueError: ``hue_factor`` is not in [-0.5, 0.5].
        RuntimeError: the image is not RGB.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.AdjustHue(0.5)(np.array([[[200, 100, 0]]], np.uint8)).tolist()
        [[[0, 103, 200]]]
    """

    hue_factor: float

    def check(self) -> None:
        arguments.number(self, "hue_factor", self.hue_factor, -0.5, 0.5)

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        """Rotate the hues; uint8 images use 256 hue steps, others real numbers."""
        if images.dtype == np.uint8:
            hue, saturation, value = rgb_to_hsv(images)
            return hsv_to_rgb((hue + int(self.hue_factor * 255)) & 0xFF, saturation, value)
        hue, saturation, value = np.moveaxis(rgb_to_hsv_real(images), -1, 0)
        rotated = (hue + self.hue_factor) % 1 * 6
        return cast_saturated(hsv_to_rgb_real(rotated, saturation, value), images.dtype)

    def transform_pil(self, image: Any) -> Any:
        return rotate_hue(self.name, image, int(self.hue_factor * 255))


class AdjustGamma(ImageTransform):
    """255 * gain * (x / 255) ** gamma for integers, (x * gain) ** gamma in [0, 1] for floats.

    Args:
        gamma (float): exponent, not negative.
        gain (float): factor. Default: ``1``.

    Raises:
        TypeError: ``gamma`` or ``gain`` is not a number.
        ValueError: ``gamma`` is negative.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.AdjustGamma(2.0)(np.array([[0, 128, 255]], np.uint8)).tolist()
        [[0, 64, 255]]
    """

    channels = (1, 3)
    gamma: float
    gain: float = 1

    def check(self) -> None:
        arguments.number(self, "gamma", self.gamma, 0, FACTOR_MAX, mindspore_name="")
        arguments.number(self, "gain", self.gain, -FACTOR_MAX, FACTOR_MAX, mindspore_name="")

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        """Apply the curve, with a look-up table for uint8; floats become float32 in [0, 1]."""
        if images.dtype.kind == "f":
            with np.errstate(invalid="ignore"):  # roots of negative numbers are NaN
                bright = images.astype(np.float32) * np.float32(self.gain)
                return np.clip(bright ** np.float32(self.gamma), 0, 1)
        levels = np.arange(256) if images.dtype == np.uint8 else images
        out = cast_saturated(self._compute_curve(levels), images.dtype)
        return out if levels is images else out[images]

    def _compute_curve(self, levels: np.ndarray) -> np.ndarray:
        """Return 255 * gain * (levels / 255) ** gamma as float64, truncated to whole numbers."""
        # Below 256, so that 255 stays 255 when the result is truncated.
        return np.trunc((256 - 1e-3) * self.gain * (levels / 255) ** self.gamma)

    def transform_pil(self, image: Any) -> Any:
        """Apply the curve to an image of one or three bands; return any other image unchanged."""
        bands = len(image.getbands())
        if bands not in (1, 3):
            return image  # MindSpore leaves images with an alpha channel unchanged
        return image.point(self._compute_curve(np.arange(256)).astype(int).tolist() * bands)


class AutoContrast(LevelTransform):
    """Stretch the levels of each channel to the full range from 0 to 255.

    Args:
        cutoff (float): percentage of the lightest and of the darkest pixels to ignore, in [0, 50).
            Default: ``0.0``.
        ignore (Union[int, Sequence[int]]): levels to ignore. Default: ``None``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``cutoff`` is not in [0, 50), or a level not in [0, 255].
        RuntimeError: the image is not uint8.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.AutoContrast()(np.array([[100, 110, 120]], np.uint8)).tolist()
        [[0, 127, 255]]
    """

    channels = (1, 3)

    cutoff: float = 0.0
    ignore: Any = None

    def check(self) -> None:
        """Check the arguments, and store ``ignore`` as a tuple."""
        arguments.number(self, "cutoff", self.cutoff, 0, 50, "[)", kinds=(int, float))
        ignore = () if self.ignore is None else self.ignore
        if isinstance(ignore, int) and not isinstance(ignore, bool):
            ignore = (ignore,)
        levels = arguments.sequence(self, "ignore", ignore, kinds=(list, tuple, int))
        self.normalise(ignore=tuple(check.integer(self, "ignore", v, 0, 255) for v in levels))

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        """Stretch each channel's levels to 0 to 255, ignoring ``cutoff`` percent at each end.

        The percentage is truncated to an int; a channel with fewer than two levels left is
        unchanged.
        """
        counts = compute_histograms(images)
        counts[..., list(self.ignore)] = 0
        cutoff_count = counts.sum(-1, keepdims=True) * int(self.cutoff) // 100
        counts_below, counts_above = counts.cumsum(-1), counts[..., ::-1].cumsum(-1)[..., ::-1]
        is_retained = (counts_below > cutoff_count) & (counts_above > cutoff_count) & (counts > 0)
        low, high = is_retained.argmax(-1), 255 - is_retained[..., ::-1].argmax(-1)
        levels = np.arange(256, dtype=np.float32)
        scale = np.float32(255) / np.maximum(high - low, 1)[..., None].astype(np.float32)
        lowest = low[..., None].astype(np.float32)
        tables = np.clip(levels * scale - lowest * scale, 0, 255).astype(np.uint8)
        tables[high <= low] = levels
        return apply_lookup_tables(tables, images)

    def transform_pil(self, image: Any) -> Any:
        stretch = get_pillow_operation(self.name, "autocontrast")
        return stretch(image, self.cutoff, list(self.ignore) or None)


class Equalize(LevelTransform):
    """Equalize the histogram of each channel.

    Raises:
        RuntimeError: the image is not uint8.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.Equalize()(np.array([[100, 110, 120]], np.uint8)).tolist()
        [[0, 128, 255]]
    """

    channels = (1, 3)

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        """Map each channel by its cumulative histogram; a channel with one level is unchanged."""
        counts = compute_histograms(images)
        darkest_count = np.take_along_axis(counts, (counts > 0).argmax(-1)[..., None], -1)
        lighter_count = counts.sum(-1, keepdims=True) - darkest_count
        scale = np.float32(255) / np.maximum(lighter_count, 1).astype(np.float32)
        cumulative = np.maximum(counts.cumsum(-1) - darkest_count, 0).astype(np.float32)
        tables = cast_saturated(cumulative * scale, images.dtype)
        tables[lighter_count[..., 0] == 0] = np.arange(256)  # a channel of one level is unchanged
        return apply_lookup_tables(tables, images)

    def transform_pil(self, image: Any) -> Any:
        return get_pillow_operation(self.name, "equalize")(image)


class Invert(RGBTransform):
    """255 - x.

    Raises:
        RuntimeError: the image is not RGB.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.Invert()(np.array([[[200, 100, 0]]], np.uint8)).tolist()
        [[[55, 155, 255]]]
    """

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        return invert_colours(images)

    def transform_pil(self, image: Any) -> Any:
        return get_pillow_operation(self.name, "invert")(image)


class Posterize(LevelTransform):
    """Keep the highest ``bits`` bits of each level.

    Args:
        bits (int): number of bits, in [0, 8].

    Raises:
        TypeError: ``bits`` is not an int.
        ValueError: ``bits`` is not in [0, 8].
        RuntimeError: the image is not uint8.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.Posterize(1)(np.array([[100, 200]], np.uint8)).tolist()
        [[0, 128]]
    """

    makes_arrays = True
    dtypes_viewed_as_uint8 = (np.bool_, np.int8)

    bits: int

    def check(self) -> None:
        check.integer(self, "bits", self.bits, 0, 8)

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        return images & np.uint8(0xFF << (8 - self.bits) & 0xFF)


class Solarize(ImageTransform):
    """255 - x where threshold[0] <= x <= threshold[1], else x.

    Args:
        threshold (Union[float, Sequence[float]]): (min, max) in [0, 255]; one number, or two equal
            numbers, means all levels from that number on.

    Raises:
        TypeError: ``threshold`` does not consist of numbers.
        ValueError: a number is not in [0, 255], or the minimum is larger than the maximum.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.Solarize((60, 200))(np.array([[50, 100, 250]], np.uint8)).tolist()
        [[50, 155, 250]]
    """

    channels = (1, 3)
    makes_arrays = True

    threshold: Any

    def check(self) -> None:
        """Check ``threshold``, and store it as a pair; see the class for errors."""
        threshold = self.threshold
        if isinstance(threshold, int | float) and not isinstance(threshold, bool):
            threshold = (threshold, threshold)
        kinds = (float, int, list, tuple)
        threshold = arguments.sequence(self, "threshold", threshold, kinds=kinds)
        hint = "threshold must be a single number or sequence of two numbers."
        order = "threshold must be in order of (min, max)."
        threshold = arguments.interval(
            self, "threshold", threshold, 0, 255, hint=hint, order=order, kinds=(float, int)
        )
        self.normalise(threshold=threshold)

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        low, high = self.threshold
        is_inverted = images >= low if low == high else (images >= low) & (images <= high)
        return np.where(is_inverted, invert_colours(images), images)
