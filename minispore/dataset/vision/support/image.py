"""ImageTransform: a transform of images as HWC arrays, and of PIL images where Pillow is installed.

Arrays may be (H, W), (H, W, C), or a stack (..., H, W, C). A subclass sees only blocks (N, H, W, C)
in ``pixels``. What becomes of a PIL image, the transform says in ``pil``, or in ``makes_arrays``
where MindSpore's knows arrays alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from minispore.core.value import Spec
from minispore.dataset.transforms import arguments
from minispore.dataset.transforms.base import Columns, RandomTransform, Transform, make_spec
from minispore.dataset.vision.enums import Inter
from minispore.dataset.vision.support.pillow import pillow

# What users' own transforms of PIL images say; {} is the type that they got.
augment_error_message = (
    "image must be a PIL image, got {}. Put Decode(to_pil=True) or ToPIL() first."
)


def is_pil(value: Any) -> bool:
    """Whether ``value`` is a PIL image. Needs no Pillow to tell.

    >>> is_pil(np.zeros((2, 2, 3), np.uint8))
    False
    """
    return any(c.__module__ == "PIL.Image" and c.__name__ == "Image" for c in type(value).__mro__)


def hwc_to_chw(img: Any) -> np.ndarray:
    """An array with its channels first, for transforms of scripts; one without channels as it is.

    Raises:
        TypeError: ``img`` is no array (H, W, C) or (H, W).

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


class _OfImages(Transform):
    """What deterministic and random image transforms have in common."""

    noun = "image"
    makes_arrays: ClassVar[bool] = False  # of PIL images, too
    channels: ClassVar[tuple[int, ...]] = ()  # how many an array may have; () for any number
    takes_gray: ClassVar[bool] = True  # arrays without an axis of channels

    @property
    def only_python(self) -> bool:
        return self.in_python or any(getattr(self, f) is Inter.ANTIALIAS for f in self.fields)

    def check_channels(self, shape: tuple[int, ...]) -> None:
        """An array of this shape must have as many channels as MindSpore's kernel takes."""
        if not self.channels or len(shape) < 2:
            return
        if shape[-1] not in self.channels if len(shape) > 2 else not self.takes_gray:
            gray = "have the shape (H, W, 1) or (H, W, 3)" if 1 in self.channels else ""
            what = "dimension" if len(shape) == 2 else "channel"
            raise RuntimeError(
                f"{self.name}: image must {gray or 'be RGB, (H, W, 3)'}, got {shape}: the {what} "
                "of image tensor does not match the requirement of operator."
            )

    def column(self, value: Any) -> Any:
        if not isinstance(value, np.ndarray) and not is_pil(value):
            raise TypeError(
                f"{self.name}: image must be a NumPy array or a PIL image, "
                f"got {type(value).__name__}. Decode() makes an array of an encoded image. Input "
                f"should be NumPy or PIL image, got {type(value)}."
            )
        return np.asarray(value) if self.makes_arrays else value

    def device(self, device_target: str = "CPU") -> Self:
        """Accept MindSpore's choice of a device for this transform; there is one,
        so nothing changes."""
        if device_target not in ("CPU", "Ascend"):
            raise ValueError(
                f"{self.name}: device_target must be 'CPU' or 'Ascend', got {device_target!r}."
            )
        return self


UNSUPPORTED = "Currently unsupported data type: [uint32, int64, uint64, string]"
PART_ELEMENTS = 1 << 20  # a block is worked on in parts of so many values, for memory's sake


class ImageTransform(_OfImages):
    """Base of transforms of one image column: a subclass defines ``pixels``."""

    keeps_pil: ClassVar[bool] = True  # a PIL image stays one
    counts_bools: ClassVar[bool] = False  # False and True are 0 and 1 in what comes out

    def pixels(self, images: np.ndarray) -> np.ndarray:
        """(N, H, W, C) -> (N, H', W', C')."""
        raise TypeError(f"{self.name}: must define pixels.")

    def pil(self, image: Any) -> Any:
        """The transform of a PIL image."""
        array = np.asarray(image)
        if self.makes_arrays or not self.channels:
            out = super().row(array)
        else:  # Pillow takes any number of channels
            out = with_channels(self, array[None], self._in_parts)[0]
        return pillow(self.name).fromarray(out) if self.keeps_pil else out

    def batch(self, images: np.ndarray) -> np.ndarray:
        self.check_channels(images.shape[1:])
        if self.counts_bools and images.dtype == np.bool_:
            images = images.view(np.uint8)
        return with_channels(self, images, self._in_parts)

    def _in_parts(self, images: np.ndarray) -> np.ndarray:
        step = max(1, PART_ELEMENTS // max(1, math.prod(images.shape[1:])))
        out = self.pixels(images[:step])
        if len(images) <= step:
            return out
        whole = np.empty((len(images), *out.shape[1:]), out.dtype)
        whole[:step] = out
        for start in range(step, len(images), step):
            whole[start : start + step] = self.pixels(images[start : start + step])
        return whole

    def row(self, image: Any) -> Any:
        return super().row(image) if isinstance(image, np.ndarray) else self.pil(image)


class RandomImageTransform(RandomTransform, _OfImages):
    """Base of random transforms of an image column; where several may come, such as an image and
    its mask, all go through the same.
    """

    several: ClassVar[bool] = False  # columns may come, as in MindSpore

    def row(self, *images: Any, rng: np.random.Generator) -> Columns:  # type: ignore[override]
        if len(images) == 1:
            return self._changed(images[0], rng)
        if not self.several:
            raise RuntimeError(
                f"{self.name}: must be given one image, got {len(images)}. Check input_columns. "
                "The op is OneToOne, can only accept one tensor as input."
            )
        start, out = rng.bit_generator.state, []
        for image in map(np.asarray, images):
            rng.bit_generator.state = start
            out.append(self._changed(image, rng))
        return tuple(out)

    def _changed(self, image: Any, rng: np.random.Generator) -> Any:
        """What was chosen takes a PIL image as it is, whatever a user's would make of it."""
        spec = make_spec(image)
        if isinstance(image, np.ndarray):
            self.check_channels(spec.shape)
        chosen: Sequence[Any] = self.choose(rng, spec)
        if not chosen:
            self.look_at(spec)
        for t in chosen:
            image = t.row(image, rng=rng) if t.random else t.row(image)
        return image

    def look_at(self, spec: Spec) -> None:
        """What is no image is refused, also where nothing is done to it."""
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

    def batch(  # type: ignore[override]
        self, *columns: Any, rngs: Sequence[np.random.Generator]
    ) -> Columns:
        self.check_channels(columns[0].shape[1:])
        if len(columns) > 1 and rngs:
            return RandomTransform.block(self, columns, rngs)
        return super().batch(*columns, rngs=rngs)


class ByChance(RandomImageTransform):
    """Base of transforms that do one thing with probability ``prob``, else nothing."""

    prob: float = 0.5
    change: ClassVar[Transform]

    def check(self) -> None:
        arguments.probability(self, "prob", self.prob)

    def choose(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        return (self.change,) if rng.random() < self.prob else ()


def image_size(spec: Spec) -> tuple[int, int]:
    """(H, W) of an image (H, W), (H, W, C) or (..., H, W, C)."""
    if len(spec.shape) < 2:
        raise RuntimeError(
            f"image: must have the shape (H, W) or (H, W, C), got {spec.shape}. Put Decode() "
            "before the transform."
        )
    return image_size_of(spec.shape)


def image_size_of(shape: tuple[int, ...]) -> tuple[int, int]:
    """(H, W) of the shape of an image or a stack."""
    height, width = shape[:2] if len(shape) <= 3 else shape[-3:-1]
    return height, width


def check_numbers(owner: Transform, images: np.ndarray) -> None:
    """Images must hold real numbers."""
    if images.dtype.kind not in "uifb":
        raise RuntimeError(
            f"{owner.name}: image must hold numbers, got {images.dtype}: its data type does not "
            f"match the requirement of operator. {UNSUPPORTED}"
        )


def wrong_shape(owner: Transform, wanted: str, images: np.ndarray) -> RuntimeError:
    """The error for a block of images of another shape than ``wanted``."""
    encoded = images.ndim == 2 and images.dtype == np.uint8
    hint = " Put Decode() before it: you may need to perform Decode first." if encoded else ""
    told = ""
    if images.ndim < 3:
        told = ": the image tensor should have at least two dimensions, but the"
        told += " input tensor is not in shape of <H,W> or <H,W,C>"
    elif images.ndim > 4:
        told = ": the input tensor is not in shape of <H,W> or <H,W,C>"
    return RuntimeError(
        f"{owner.name}: image must have the shape {wanted}, got {images.shape[1:]}{told}.{hint}"
    )


def with_channels(
    owner: Transform, images: np.ndarray, pixels: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """``pixels`` of a block of images of any rank: gray ones get a channel for the while, stacks
    lie flat."""
    check_numbers(owner, images)
    if 0 in images.shape[1:]:
        raise RuntimeError(f"{owner.name}: image must not be empty, got {images.shape[1:]}.")
    if images.ndim == 4:
        return pixels(images)
    if images.ndim == 3:
        out = pixels(images[..., None])
        return out[..., 0] if out.shape[-1] == 1 else out
    if images.ndim < 3:
        raise wrong_shape(owner, "(H, W) or (H, W, C)", images)
    out = pixels(images.reshape(-1, *images.shape[-3:]))
    return out.reshape(*images.shape[:-3], *out.shape[1:])
