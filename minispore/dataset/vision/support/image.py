"""Base classes of image transforms: they take HWC arrays, and PIL images if Pillow is installed.

Arrays may be (H, W), (H, W, C), or a stack (..., H, W, C). A subclass receives only blocks (N, H,
W, C) in ``transform_pixels``. It transforms PIL images in ``transform_pil``, or sets
``makes_arrays`` if MindSpore's transform returns arrays only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from minispore.dataset.transforms import arguments
from minispore.dataset.transforms.base import Columns, RandomTransform, Transform, make_spec
from minispore.dataset.vision.enums import Inter
from minispore.dataset.vision.support.pillow import import_pillow
from minispore.ir.value import Spec

# Error message for users' own transforms of PIL images; {} is the type of the argument.
augment_error_message = (
    "image must be a PIL image, got {}. Put Decode(to_pil=True) or ToPIL() first."
)


def is_pil(value: Any) -> bool:
    """Whether ``value`` is a PIL image; works without Pillow.

    >>> is_pil(np.zeros((2, 2, 3), np.uint8))
    False
    """
    return any(c.__module__ == "PIL.Image" and c.__name__ == "Image" for c in type(value).__mro__)


def hwc_to_chw(img: Any) -> np.ndarray:
    """Return a copy of an (H, W, C) array as (C, H, W), or an (H, W) array itself.

    Raises:
        TypeError: ``img`` is not an array (H, W, C) or (H, W).

    Example:
        >>> hwc_to_chw(np.zeros((4, 5, 3))).shape
        (3, 4, 5)
    """
    if not is_numpy(img) or img.ndim not in (2, 3):
        raise TypeError(
            "hwc_to_chw: img must be an array (H, W, C) or (H, W), got "
            f"{img.shape if is_numpy(img) else type(img).__name__}."
        )
    return img if img.ndim == 2 else img.transpose(2, 0, 1).copy()


def is_numpy(value: Any) -> bool:
    """Whether ``value`` is a NumPy array.

    Example:
        >>> is_numpy(np.zeros(3))
        True
    """
    return isinstance(value, np.ndarray)


class _ImageTransformBase(Transform):
    """Base of deterministic and random image transforms, with their common checks."""

    noun = "image"
    makes_arrays: ClassVar[bool] = False  # returns an array even for a PIL image
    channels: ClassVar[tuple[int, ...]] = ()  # allowed channel counts of arrays; () allows any
    takes_gray: ClassVar[bool] = True  # accepts arrays without a channel axis

    @property
    def is_python_only_in_mindspore(self) -> bool:
        """Whether MindSpore has the transform in Python only, as for an argument
        ``Inter.ANTIALIAS``.
        """
        return self.in_python or any(getattr(self, f) is Inter.ANTIALIAS for f in self.fields)

    def check_channels(self, shape: tuple[int, ...]) -> None:
        """Raise RuntimeError if a shape's last axis is not one of ``channels``, if any are
        declared.

        An (H, W) shape needs ``takes_gray``; shorter shapes are accepted.
        """
        if not self.channels or len(shape) < 2:
            return
        is_supported = shape[-1] in self.channels if len(shape) > 2 else self.takes_gray
        if not is_supported:
            gray = "have the shape (H, W, 1) or (H, W, 3)" if 1 in self.channels else ""
            what = "dimension" if len(shape) == 2 else "channel"
            raise RuntimeError(
                f"{self.name}: image must {gray or 'be RGB, (H, W, 3)'}, got {shape}: the {what} "
                "of image tensor does not match the requirement of operator."
            )

    def convert_column(self, value: Any) -> Any:
        """Return an array or PIL image, as an array if ``makes_arrays``; else raise TypeError."""
        if not isinstance(value, np.ndarray) and not is_pil(value):
            raise TypeError(
                f"{self.name}: image must be a NumPy array or a PIL image, "
                f"got {type(value).__name__}. Decode() makes an array of an encoded image. Input "
                f"should be NumPy or PIL image, got {type(value)}."
            )
        return np.asarray(value) if self.makes_arrays else value

    def device(self, device_target: str = "CPU") -> Self:
        """Accept MindSpore's choice of a device, which has no effect, and return the transform
        itself.

        Raises:
            ValueError: the device is neither ``"CPU"`` nor ``"Ascend"``.
        """
        if device_target not in ("CPU", "Ascend"):
            raise ValueError(
                f"{self.name}: device_target must be 'CPU' or 'Ascend', got {device_target!r}."
            )
        return self


UNSUPPORTED = "Currently unsupported data type: [uint32, int64, uint64, string]"
CHUNK_ELEMENTS = 1 << 20  # blocks are split into chunks of this many values to limit memory


class ImageTransform(_ImageTransformBase):
    """Base of transforms of one image column: a subclass defines ``transform_pixels``."""

    keeps_pil: ClassVar[bool] = True  # a PIL image gives a PIL image
    bool_to_uint8: ClassVar[bool] = False  # bool input gives uint8 output

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        """Transform a block: (N, H, W, C) -> (N, H', W', C').

        A subclass must override it; by default it raises TypeError.
        """
        raise TypeError(f"{self.name}: must define pixels.")

    def transform_pil(self, image: Any) -> Any:
        """Return the transformed PIL image, or an array if ``keeps_pil`` is False.

        By default its array is transformed, with any number of channels. Raise ImportError if a PIL
        image is made without Pillow.
        """
        array = np.asarray(image)
        if self.makes_arrays or not self.channels:
            out = super().transform_row(array)
        else:  # Pillow takes any number of channels
            out = apply_to_blocks(self, array[None], self._transform_in_chunks)[0]
        return import_pillow(self.name).fromarray(out) if self.keeps_pil else out

    def transform_batch(self, images: np.ndarray) -> np.ndarray:
        """Transform a block of images of any rank; see ``apply_to_blocks``.

        Bools become uint8 with ``bool_to_uint8``.

        Raises:
            RuntimeError: the channel count is not supported, or the block does not hold images.
        """
        self.check_channels(images.shape[1:])
        if self.bool_to_uint8 and images.dtype == np.bool_:
            images = images.view(np.uint8)
        return apply_to_blocks(self, images, self._transform_in_chunks)

    def _transform_in_chunks(self, images: np.ndarray) -> np.ndarray:
        """Call ``transform_pixels`` on a few images (N, H, W, C) at a time, to limit memory.

        A chunk has at most ``CHUNK_ELEMENTS`` values, or one image.
        """
        step = max(1, CHUNK_ELEMENTS // max(1, math.prod(images.shape[1:])))
        first_chunk = self.transform_pixels(images[:step])
        if len(images) <= step:
            return first_chunk
        output = np.empty((len(images), *first_chunk.shape[1:]), first_chunk.dtype)
        output[:step] = first_chunk
        for start in range(step, len(images), step):
            output[start : start + step] = self.transform_pixels(images[start : start + step])
        return output

    def transform_row(self, image: Any) -> Any:
        """Return the transformed array or PIL image."""
        return (
            super().transform_row(image)
            if isinstance(image, np.ndarray)
            else self.transform_pil(image)
        )


class RandomImageTransform(RandomTransform, _ImageTransformBase):
    """Base of random transforms of an image column.

    If a row has several columns, such as an image and its mask, all get the same random change.
    """

    accepts_several_columns: ClassVar[bool] = False

    def transform_row(self, *images: Any, rng: np.random.Generator) -> Columns:  # type: ignore[override]
        """Transform an image; several columns, where allowed, get the same random choices.

        Several columns are converted to arrays.

        Raises:
            RuntimeError: there are several columns without ``accepts_several_columns``.
        """
        if len(images) == 1:
            return self._transform_image(images[0], rng)
        if not self.accepts_several_columns:
            raise RuntimeError(
                f"{self.name}: must be given one image, got {len(images)}. Check input_columns. "
                "The op is OneToOne, can only accept one tensor as input."
            )
        state, out = rng.bit_generator.state, []
        for image in map(np.asarray, images):
            rng.bit_generator.state = state  # the same transforms for each column
            out.append(self._transform_image(image, rng))
        return tuple(out)

    def _transform_image(self, image: Any, rng: np.random.Generator) -> Any:
        """Apply the transforms that ``choose_transforms`` draws to one array or PIL image.

        Raises:
            RuntimeError: the array is not an image, or its channel count is not supported.
        """
        spec = make_spec(image)
        if isinstance(image, np.ndarray):
            self.check_channels(spec.shape)
        chosen: Sequence[Any] = self.choose_transforms(rng, spec)
        if not chosen:
            self.check_image(spec)
        for t in chosen:
            image = t.transform_row(image, rng=rng) if t.random else t.transform_row(image)
        return image

    def check_image(self, spec: Spec) -> None:
        """Raise RuntimeError unless the spec is that of an image, of numbers with at least two
        axes.

        It is called where no transform is drawn that would check the image.
        """
        if spec.dtype.kind not in "uifb":
            raise RuntimeError(
                f"{self.name}: image must hold numbers, got {spec.dtype}: the data type of image "
                f"tensor does not match the requirement of operator. {UNSUPPORTED}"
            )
        if len(spec.shape) < 2:
            raise RuntimeError(
                f"{self.name}: image must have the shape (H, W) or (H, W, C), got {spec.shape}: "
                "the image tensor should have at least two dimensions, but the input tensor is not "
                "in shape of <H,W> or <H,W,C>. You may need to perform Decode first."
            )

    def transform_batch(  # type: ignore[override]
        self, *columns: Any, rngs: Sequence[np.random.Generator]
    ) -> Columns:
        """Transform the block; several columns are transformed row by row.

        Raises:
            RuntimeError: the first column's channel count is not supported.
        """
        self.check_channels(columns[0].shape[1:])
        if len(columns) > 1 and rngs:
            return RandomTransform.transform_block(self, columns, rngs)
        return super().transform_batch(*columns, rngs=rngs)


class AppliedWithProbability(RandomImageTransform):
    """Base of transforms that apply ``fixed_transform`` with probability ``prob``."""

    prob: float = 0.5
    fixed_transform: ClassVar[Transform]

    def check(self) -> None:
        arguments.probability(self, "prob", self.prob)

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        return (self.fixed_transform,) if rng.random() < self.prob else ()


def image_size(spec: Spec) -> tuple[int, int]:
    """Return (H, W) of an image (H, W), (H, W, C) or (..., H, W, C).

    Raises:
        RuntimeError: The spec has fewer than two axes.
    """
    if len(spec.shape) < 2:
        raise RuntimeError(
            f"image: must have the shape (H, W) or (H, W, C), got {spec.shape}. Put Decode() "
            "before the transform."
        )
    return image_size_of(spec.shape)


def image_size_of(shape: tuple[int, ...]) -> tuple[int, int]:
    """Return (H, W) of the shape of an image or of a stack of images."""
    height, width = shape[:2] if len(shape) <= 3 else shape[-3:-1]
    return height, width


def check_numbers(transform: Transform, images: np.ndarray) -> None:
    """Raise RuntimeError unless the images hold real numbers."""
    if images.dtype.kind not in "uifb":
        raise RuntimeError(
            f"{transform.name}: image must hold numbers, got {images.dtype}: its data type does "
            f"not match the requirement of operator. {UNSUPPORTED}"
        )


def make_shape_error(transform: Transform, expected: str, images: np.ndarray) -> RuntimeError:
    """Return, but do not raise, the RuntimeError for images that do not have the ``expected``
    shape.

    ``images`` is a block, whose first axis is not part of an image's shape. A row of bytes gets a
    hint at Decode.
    """
    is_encoded = images.ndim == 2 and images.dtype == np.uint8
    hint = " Put Decode() before it: you may need to perform Decode first." if is_encoded else ""
    detail = ""
    if images.ndim < 3:
        detail = ": the image tensor should have at least two dimensions, but the"
        detail += " input tensor is not in shape of <H,W> or <H,W,C>"
    elif images.ndim > 4:
        detail = ": the input tensor is not in shape of <H,W> or <H,W,C>"
    return RuntimeError(
        f"{transform.name}: image must have the shape {expected}, got "
        f"{images.shape[1:]}{detail}.{hint}"
    )


def apply_to_blocks(
    transform: Transform, images: np.ndarray, pixels: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Apply ``pixels``, a function of blocks (N, H, W, C), to a block of images of any rank.

    For the call, gray images get a channel axis, which a result of one channel loses again, and the
    leading axes of stacks are flattened into N. ``transform`` is the one that errors name.

    Raises:
        RuntimeError: The images are empty, not numbers, or have fewer than two axes.
    """
    check_numbers(transform, images)
    if 0 in images.shape[1:]:
        raise RuntimeError(f"{transform.name}: image must not be empty, got {images.shape[1:]}.")
    if images.ndim == 4:
        return pixels(images)
    if images.ndim == 3:
        out = pixels(images[..., None])
        return out[..., 0] if out.shape[-1] == 1 else out
    if images.ndim < 3:
        raise make_shape_error(transform, "(H, W) or (H, W, C)", images)
    out = pixels(images.reshape(-1, *images.shape[-3:]))
    return out.reshape(*images.shape[:-3], *out.shape[1:])
