"""Resize, Rescale, Normalize, HWC2CHW and ToTensor, and one pass that fuses several of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from numbers import Number
from typing import Any, ClassVar, NamedTuple

import numpy as np

from minispore.dataset import check
from minispore.dataset.transforms import arguments
from minispore.dataset.transforms.array import TypeCast
from minispore.dataset.transforms.base import Transform, apply_transforms
from minispore.dataset.vision.enums import Inter
from minispore.dataset.vision.support.image import ImageTransform, check_numbers, make_shape_error
from minispore.dataset.vision.support.pillow import get_pillow_resampling
from minispore.dataset.vision.support.resample import iterate_resized_chunks, resize_images

FLOAT32 = np.dtype(np.float32)


def scale_and_add(
    x: np.ndarray, scale: Any, shift: Any, out: np.ndarray | None = None
) -> np.ndarray:
    """Return x * scale + shift in float32, written to ``out`` if given.

    A bool counts as the byte that stores it, 1 or 255.
    """
    out = np.empty(x.shape, FLOAT32) if out is None else out
    out[...] = x.view(np.uint8) if x.dtype == np.bool_ else x  # a black and white image has 255
    out *= np.asarray(scale, FLOAT32)
    if np.any(shift):
        out += np.asarray(shift, FLOAT32)
    return out


def scale_images(
    images: np.ndarray, scale: np.ndarray, shift: np.ndarray, out: np.ndarray, to_chw: bool
) -> None:
    """Write images * scale + shift to ``out``, which is (N, C, H, W) with ``to_chw``.

    ``images`` are (N, H, W, C); scale and shift have one element, or one for each channel.
    """
    if to_chw:
        scale, shift = scale.reshape(-1, 1, 1), shift.reshape(-1, 1, 1)
        scale_and_add(images.transpose(0, 3, 1, 2), scale, shift, out)
        return
    count, height, width, channels = images.shape
    if scale.size > 1:  # NumPy's inner loops over rows are longer than loops over pixels
        scale, shift = np.tile(scale, width), np.tile(shift, width)
    rows = (count, height, width * channels)
    scale_and_add(images.reshape(rows), scale, shift, out.reshape(rows))


class Resize(ImageTransform):
    """Resize images to a height and width by interpolation.

    Results are equal to OpenCV's, and for PIL images to Pillow's.

    Args:
        size (Union[int, Sequence[int]]): (height, width); an int is the length of the shorter side,
            and the aspect ratio is kept.
        interpolation (Inter): LINEAR, NEAREST, CUBIC, AREA or PILCUBIC; ANTIALIAS for PIL images
            only. Default: ``LINEAR``.

    Raises:
        TypeError: ``size`` does not consist of ints, or ``interpolation`` is not an Inter.
        ValueError: ``size`` is not positive.

    Shape:
        (H, W[, C]) -> (H', W'[, C]), dtype kept.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.Resize((4, 2))(np.array([[0, 100], [100, 200]], np.uint8)).tolist()
        [[0, 100], [25, 125], [75, 175], [100, 200]]
    """

    antialias_error: ClassVar[type[Exception]] = TypeError  # error for ANTIALIAS with arrays

    size: Any
    interpolation: Inter = Inter.LINEAR

    def check(self) -> None:
        """Check the arguments, and store ``size``; raise KeyError if ``interpolation`` is None."""
        if self.interpolation is None:
            detail = "Interpolation should not be None."
            raise KeyError(f"Resize: interpolation must be a member of Inter, got None. {detail}")
        self.normalise(size=arguments.resize_size(self, "size", self.size))
        arguments.member(self, "interpolation", self.interpolation, Inter)

    def compute_output_size(self, height: int, width: int) -> tuple[int, int]:
        """Return (height, width) of the resized image, from the size of the image."""
        if not isinstance(self.size, int):
            return self.size
        if height < width:
            return self.size, width * self.size // height
        return height * self.size // width, self.size

    def iterate_chunks(self, images: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        """Check the images, and return an iterator of slices of the block and their resized values.

        The values are rounded but in any dtype, and may be overwritten by the next chunk. Errors
        are those of ``transform_pixels``.
        """
        self._check_images(images)
        size = self.compute_output_size(*images.shape[1:3])
        return iterate_resized_chunks(images, size, self.interpolation)

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        """Resize the images.

        Raises:
            RuntimeError: the interpolation does not support their dtype or channel count.
            TypeError: the interpolation is ANTIALIAS, unless ``antialias_error`` is another.
        """
        self._check_images(images)
        size = self.compute_output_size(*images.shape[1:3])
        return resize_images(images, size, self.interpolation)

    def _check_images(self, images: np.ndarray) -> None:
        """Raise if the interpolation does not support the dtype or channel count of the images.

        The error is ``antialias_error`` for ANTIALIAS, else RuntimeError.
        """
        if self.interpolation is Inter.ANTIALIAS:
            raise self.antialias_error(
                f"{self.name}: interpolation must not be ANTIALIAS for arrays: "
                "img should be PIL image. Got <class 'numpy.ndarray'>. "
                "Use Inter.PILCUBIC, or put ToPIL() before it."
            )
        if self.interpolation is Inter.PILCUBIC and images.dtype != np.uint8:
            raise RuntimeError(
                f"{self.name}: image must be uint8 for PILCUBIC, got {images.dtype}. "
                "Use Inter.CUBIC."
            )
        channels = images.shape[-1]
        if self.interpolation is Inter.PILCUBIC and channels != 3:
            raise RuntimeError(
                f"{self.name}: image must have three channels for PILCUBIC, got {channels}. Use "
                "Inter.CUBIC."
            )
        height, width = self.compute_output_size(*images.shape[1:3])
        shrinks = height < images.shape[1] and width < images.shape[2]
        if self.interpolation is Inter.AREA and shrinks and channels > 4:
            raise RuntimeError(
                f"{self.name}: image must have at most four channels to be made smaller by AREA, "
                f"got {channels}. Use Inter.LINEAR."
            )

    def transform_pil(self, image: Any) -> Any:
        height, width = self.compute_output_size(image.height, image.width)
        return image.resize((width, height), get_pillow_resampling(self.name, self.interpolation))

    def fuse(self, following: Transform) -> Transform | None:
        return fuse_transforms(self, following)


class Rescale(ImageTransform):
    """x * rescale + shift, in float32.

    Args:
        rescale (float): factor.
        shift (float): offset, added after scaling.

    Raises:
        TypeError: an argument is not a number.
        RuntimeError: ``rescale`` is negative.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.Rescale(0.5, -1.0)(np.array([[0, 4]], np.uint8))
        array([[-1.,  1.]], dtype=float32)
    """

    rescale: float
    shift: float
    keeps_pil: ClassVar[bool] = False

    def check(self) -> None:
        """Check that both arguments are numbers; raise RuntimeError for a negative ``rescale``."""
        most = arguments.EXACT_FLOAT32_INTEGER
        arguments.number(self, "rescale", self.rescale, -most, most, kinds=(Number,))
        arguments.number(self, "shift", self.shift, -most, most, kinds=(Number,))
        if self.rescale < 0:
            hint = "rescale must be greater than or equal to 0."
            raise RuntimeError(
                arguments.format_error(self, "rescale", "not be negative", self.rescale, hint)
            )

    def transform_batch(self, images: np.ndarray) -> np.ndarray:
        check_numbers(self, images)
        return scale_and_add(images, self.rescale, self.shift)

    def fuse(self, following: Transform) -> Transform | None:
        return fuse_transforms(self, following)


class Normalize(ImageTransform):
    """(x - mean) / std for each channel, in float32.

    Args:
        mean (sequence): mean of each channel, in [0, 255]; a warning is given for a single mean.
        std (sequence): standard deviation of each channel, in (0, 255].
        is_hwc (bool): whether images are (H, W, C), else (C, H, W). Default: ``True``.

    Raises:
        TypeError: ``mean`` or ``std`` is no list or tuple of numbers, or ``is_hwc`` is not a bool.
        ValueError: a value is out of range, or the lengths differ.
        RuntimeError: images have a wrong number of channels.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.Normalize([1.0, 2.0], [2.0, 4.0])(np.array([[[3, 4]]], np.uint8))
        array([[[1. , 0.5]]], dtype=float32)
    """

    mean: Any
    std: Any
    is_hwc: bool = True
    keeps_pil: ClassVar[bool] = False

    def check(self) -> None:
        """Check the arguments, and store ``mean`` and ``std`` as tuples."""
        check_normalization(self)

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        return normalize_images(self, images)

    def fuse(self, following: Transform) -> Transform | None:
        return fuse_transforms(self, following)


class NormalizePad(ImageTransform):
    """Normalize, and append a channel of zeros.

    Args:
        mean (sequence): as for Normalize.
        std (sequence): as for Normalize.
        dtype (str): "float32" or "float16". Default: ``"float32"``.
        is_hwc (bool): as for Normalize. Default: ``True``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a value is out of range, or the lengths differ.
        RuntimeError: images have a wrong number of channels, or are neither (H, W, C)
            nor gray (H, W), which counts as one channel.

    Shape:
        (H, W, C) -> (H, W, C + 1), (H, W) -> (H, W, 2), or (C, H, W) -> (C + 1, H, W).

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.NormalizePad([1.0, 2.0], [2.0, 4.0])(np.array([[[3, 4]]], np.uint8)).tolist()
        [[[1.0, 0.5, 0.0]]]
    """

    mean: Any
    std: Any
    dtype: str = "float32"
    is_hwc: bool = True
    keeps_pil: ClassVar[bool] = False

    def check(self) -> None:
        """Check and store the arguments of Normalize; ``dtype`` must be float32 or float16."""
        check_normalization(self)
        if not isinstance(self.dtype, str):
            hint = "dtype should be string."
            raise TypeError(arguments.format_error(self, "dtype", "be a str", self.dtype, hint))
        if self.dtype not in ("float32", "float16"):
            rule = 'be "float32" or "float16"'
            hint = "dtype only supports float32 or float16."
            raise ValueError(arguments.format_error(self, "dtype", rule, self.dtype, hint))

    def transform_batch(self, images: np.ndarray) -> np.ndarray:
        """Normalise and pad the images; raise RuntimeError for a wrong number of axes."""
        if not self.is_hwc and images.ndim != 4:
            raise make_shape_error(self, "(C, H, W)", images)
        if images.ndim not in (3, 4):
            raise make_shape_error(self, "(H, W) or (H, W, C)", images)
        return super().transform_batch(images)

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        """Normalise the images, append a channel of zeros, and cast to ``dtype``."""
        pads = [(0, 0)] * 4
        pads[3 if self.is_hwc else 1] = (0, 1)
        return np.pad(normalize_images(self, images), pads).astype(self.dtype, copy=False)


def check_normalization(transform: Normalize | NormalizePad) -> None:
    """Check the arguments that Normalize and NormalizePad share; store mean and std as tuples.

    Raises:
        TypeError, ValueError: an argument has a wrong type or is out of range.
    """
    mean = arguments.sequence(transform, "mean", transform.mean)
    std = arguments.sequence(transform, "std", transform.std)
    if len(mean) != len(std):
        lengths, hint = (len(mean), len(std)), "Length of mean and std must be equal."
        rule = "have the same length"
        raise ValueError(arguments.format_error(transform, "mean and std", rule, lengths, hint))
    mean = arguments.number_sequence(transform, "mean", mean, 0, 255)
    std = arguments.number_sequence(transform, "std", std, 0, 255, "(]")
    if not mean:
        raise ValueError(arguments.format_error(transform, "mean", "not be empty", mean))
    transform.normalise(mean=mean, std=std)
    check.boolean(transform, "is_hwc", transform.is_hwc)


def compute_scale_and_shift(transform: Normalize | NormalizePad) -> tuple[np.ndarray, np.ndarray]:
    """Return float64 scale and shift, by channel: (x - mean) / std = x * scale + shift."""
    scale = 1 / np.asarray(transform.std, np.float64)
    return scale, -np.asarray(transform.mean, np.float64) * scale


def warn_about_single_mean(transform: Normalize | NormalizePad, channels: int) -> None:
    """Warn if one mean is used for several channels.

    MindSpore allows it, but it is often a mistake.
    """
    if len(transform.mean) == 1 and channels > 1:
        warnings.warn(
            f"{transform.name}: mean and std have one element, which serves all {channels} "
            "channels of the image. Give one for each channel.",
            stacklevel=2,
        )


def normalize_images(transform: Normalize | NormalizePad, images: np.ndarray) -> np.ndarray:
    """Return (x - mean) / std of images in float32; (N, H, W, C) with ``is_hwc``, or (N, C, H, W).

    Warns if one mean is used for several channels. NormalizePad appends its channel of zeros to the
    result, and converts it to its dtype.

    Raises:
        RuntimeError: the images and the mean have different numbers of channels.
    """
    channels = images.shape[3 if transform.is_hwc else 1]
    if len(transform.mean) not in (1, channels):
        raise RuntimeError(
            f"{transform.name}: image must have as many channels as mean has elements "
            f"({len(transform.mean)}), got {channels}: the number of channels does not match the "
            "size of mean and std vectors. Check is_hwc and the layout of the image."
        )
    warn_about_single_mean(transform, channels)
    scale, shift = compute_scale_and_shift(transform)
    if not transform.is_hwc:
        return scale_and_add(images, scale.reshape(-1, 1, 1), shift.reshape(-1, 1, 1))
    out = np.empty(images.shape, FLOAT32)
    scale_images(images, scale, shift, out, to_chw=False)
    return out


class HWC2CHW(ImageTransform):
    """Transpose (H, W, C) to (C, H, W); (H, W) is unchanged.

    Raises:
        RuntimeError: the image has neither 2 nor 3 dimensions.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.HWC2CHW()(np.zeros((32, 30, 3))).shape
        (3, 32, 30)
    """

    keeps_pil: ClassVar[bool] = False

    def transform_batch(self, images: np.ndarray) -> np.ndarray:
        """Return a copy with the channels first; raise RuntimeError for a wrong number of axes."""
        if images.ndim == 3:
            return images.copy()
        if images.ndim != 4:
            raise make_shape_error(self, "(H, W, C) or (H, W)", images)
        return np.ascontiguousarray(images.transpose(0, 3, 1, 2))

    def fuse(self, following: Transform) -> Transform | None:
        return fuse_transforms(self, following)


class ToTensor(ImageTransform):
    """x / 255 as (C, H, W), for an array or a PIL image.

    Args:
        output_type: data type of the result. Default: ``numpy.float32``.

    Raises:
        TypeError: ``output_type`` does not name a data type.
        RuntimeError: the image has neither 2 nor 3 dimensions.

    Shape:
        (H, W, C) -> (C, H, W); (H, W) -> (1, H, W).

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.ToTensor()(np.full((1, 2), 255, np.uint8))
        array([[[1., 1.]]], dtype=float32)
    """

    output_type: Any = FLOAT32
    keeps_pil: ClassVar[bool] = False

    def check(self) -> None:
        """Check ``output_type``, and store it as a NumPy dtype."""
        self.normalise(output_type=arguments.data_type(self, "output_type", self.output_type))

    def transform_batch(self, images: np.ndarray) -> np.ndarray:
        """Return x / 255 as ``output_type``, channels first; bools count as 0 and 1.

        Raises:
            RuntimeError: the images have a wrong number of axes, or wide integers or no numbers.
        """
        check_numbers(self, images)
        images = images[..., None] if images.ndim == 3 else images
        if images.ndim != 4:
            raise make_shape_error(self, "(H, W, C) or (H, W)", images)
        if images.dtype in (np.int64, np.uint32, np.uint64):
            raise RuntimeError(
                f"ToTensor: image must not be {images.dtype}, which is no type of pixels. Cast it "
                "to uint8 or float32 before. ToTensor: Input includes unsupported data type in "
                "[uint32, int64, uint64, string, bytes]."
            )
        images = (images != 0).view(np.uint8) if images.dtype == np.bool_ else images
        out = scale_and_add(images.transpose(0, 3, 1, 2), 1 / 255, 0)
        return out.astype(self.output_type, copy=False)

    def fuse(self, following: Transform) -> Transform | None:
        return fuse_transforms(self, following)


class PixelPipeline(NamedTuple):
    """One pass over the pixels: resize, x * scale + shift, HWC -> CHW."""

    resize: Resize | None
    scale: np.ndarray  # () or (C,), float64
    shift: np.ndarray
    to_chw: bool


def combine_steps(steps: tuple[Transform, ...]) -> PixelPipeline | None:
    """Combine the steps into one pass over a block (N, H, W, C); None if that is impossible.

    A pass has at most one Resize, which comes first, and gives float32.
    """
    resize, to_chw, is_float = None, False, False
    scale, shift = np.ones(()), np.zeros(())
    for i, step in enumerate(steps):
        factor: Any = 1.0
        offset: Any = 0.0
        if isinstance(step, Resize) and i == 0:
            resize = step
            continue
        if isinstance(step, Rescale):
            factor, offset = step.rescale, step.shift
        elif isinstance(step, Normalize) and step.is_hwc is not to_chw:
            factor, offset = compute_scale_and_shift(step)
        elif isinstance(step, ToTensor) and step.output_type == FLOAT32 and not to_chw:
            factor, to_chw = 1 / 255, True
        elif isinstance(step, HWC2CHW) and not to_chw:
            to_chw = True
            continue
        elif not (isinstance(step, TypeCast) and step.data_type == FLOAT32 and is_float):
            return None
        if not _can_broadcast_channels(scale, factor):
            return None
        scale, shift, is_float = scale * factor, shift * factor + offset, True
    return PixelPipeline(resize, scale, shift, to_chw) if is_float else None


def _can_broadcast_channels(a: Any, b: Any) -> bool:
    """Whether both have the same number of channels, or one of them applies to any number."""
    return np.size(a) == 1 or np.size(b) == 1 or np.size(a) == np.size(b)


def fuse_transforms(first: Transform, following: Transform) -> Transform | None:
    """Return one transform that does both in one pass over the block, or None if impossible."""
    first_steps = first.steps if isinstance(first, _FusedPixelTransforms) else (first,)
    steps = (*first_steps, following)
    return None if combine_steps(steps) is None else _FusedPixelTransforms(steps)


class _FusedPixelTransforms(ImageTransform):
    """Several pixel transforms that run as one pass; made by ``fuse``."""

    steps: tuple[Transform, ...]

    @property
    def name(self) -> str:  # type: ignore[override]
        return "+".join(step.name for step in self.steps)

    def transform_batch(self, images: np.ndarray) -> np.ndarray:
        """Run the steps as one pass over the pixels, or one by one if the images do not fit it.

        The results, warnings and errors are those of the steps.
        """
        plan = combine_steps(self.steps)
        is_plain = images.ndim == 4 and 0 not in images.shape[1:] and images.dtype != np.bool_
        if plan is None or not is_plain or plan.scale.size not in (1, images.shape[3]):
            for step in self.steps:  # a different layout, or an error: each step handles it
                images = step.transform_batch(images)
            return images
        check_numbers(self, images)
        count, height, width, channels = images.shape
        for step in self.steps:
            if isinstance(step, Normalize):
                warn_about_single_mean(step, channels)
        if plan.resize is not None:
            height, width = plan.resize.compute_output_size(height, width)
        shape = (channels, height, width) if plan.to_chw else (height, width, channels)
        out = np.empty((count, *shape), FLOAT32)
        chunks: Iterable[tuple[slice, np.ndarray]] = [(slice(None), images)]
        if plan.resize is not None:
            chunks = plan.resize.iterate_chunks(images)
        for chunk, values in chunks:
            scale_images(values, plan.scale, plan.shift, out[chunk], plan.to_chw)
        return out

    def transform_pil(self, image: Any) -> Any:
        return apply_transforms(self.steps, (image,), None)

    def fuse(self, following: Transform) -> Transform | None:
        return fuse_transforms(self, following)
