"""Random colour changes: each draws a transform of ``vision.adjust`` for each row."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Number
from typing import Any, ClassVar

import numpy as np

from minispore.dataset import check
from minispore.dataset.transforms import arguments
from minispore.dataset.transforms.base import Transform, draw_int
from minispore.dataset.vision.adjust import (
    FACTOR_MAX,
    AdjustBrightness,
    AdjustContrast,
    AdjustHue,
    AdjustSaturation,
    AutoContrast,
    Equalize,
    Invert,
    Posterize,
    RGBTransform,
    Solarize,
)
from minispore.dataset.vision.smooth import AdjustSharpness
from minispore.dataset.vision.support.colour import cast_saturated
from minispore.dataset.vision.support.image import AppliedWithProbability, RandomImageTransform
from minispore.ir.value import Spec

ADJUSTMENTS = {
    "brightness": AdjustBrightness,
    "contrast": AdjustContrast,
    "saturation": AdjustSaturation,
    "hue": AdjustHue,
}


class RandomColorAdjust(RandomImageTransform):
    """Adjust brightness, contrast, saturation and hue by uniform random factors, in random order.

    Args:
        brightness (Union[float, Sequence[float]]): (min, max) of the factor; one number b means
            (max(0, 1 - b), 1 + b). Default: ``(1, 1)``.
        contrast (Union[float, Sequence[float]]): likewise. Default: ``(1, 1)``.
        saturation (Union[float, Sequence[float]]): likewise. Default: ``(1, 1)``.
        hue (Union[float, Sequence[float]]): (min, max) in [-0.5, 0.5]; one number h means
            (-h, h). Default: ``(0, 0)``.

    Raises:
        TypeError: an argument is neither a number nor a pair of numbers.
        ValueError: a number is out of range, or a minimum is larger than its maximum.
        RuntimeError: the image is not RGB.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> darken = vision.RandomColorAdjust(brightness=(0.5, 0.5))
        >>> darken(np.array([[[200, 100, 0]]], np.uint8)).tolist()
        [[[100, 50, 0]]]
    """

    channels = (3,)
    takes_gray = False
    brightness: Any = (1, 1)
    contrast: Any = (1, 1)
    saturation: Any = (1, 1)
    hue: Any = (0, 0)

    def check(self) -> None:
        """Check the arguments, and store each as a pair (min, max)."""
        for name in ("brightness", "contrast", "saturation"):
            self.normalise(**{name: self._normalise_range(name, 1, 0, FACTOR_MAX)})
        self.normalise(hue=self._normalise_range("hue", 0, -0.5, 0.5))

    def _normalise_range(self, name: str, centre: int, low: float, high: float) -> tuple:
        """Return (min, max) of the argument ``name``, a number or a pair.

        A number b means (centre - b, centre + b), not below ``low`` unless the centre is 0.

        Raises:
            TypeError, ValueError: The argument is neither, or is out of range.
        """
        value = getattr(self, name)
        if isinstance(value, int | float | np.generic):
            value = float(value) if isinstance(value, bool | np.generic) else value
            if not value >= 0:
                hint = f"The input value of {name} cannot be negative."
                raise ValueError(arguments.format_error(self, name, "not be negative", value, hint))
            value = (max(low, centre - value), centre + value) if centre else (-value, value)
        if not isinstance(value, list | tuple):
            rule = "be a number or (min, max)"
            raise arguments.wrong_type(self, name, rule, value, Number, list, tuple)
        hint = f"If {name} is a sequence, the length must be 2."
        order = f"{name} value should be in (min,max) format. Got {value}."
        return arguments.interval(self, name, value, low, high, "[]", "", hint, order)

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        """Draw a factor for each adjustment whose range is not the default, and their order."""
        adjustments = [
            adjust(rng.uniform(*getattr(self, name)))
            for name, adjust in ADJUSTMENTS.items()
            if getattr(self, name) != ((0, 0) if name == "hue" else (1, 1))
        ]
        return [adjustments[i] for i in rng.permutation(len(adjustments))]


class RandomFactor(RandomImageTransform):
    """Base of transforms by a factor that is drawn uniformly from ``degrees``."""

    degrees: Any = (0.1, 1.9)
    adjust: ClassVar[Any]

    def check(self) -> None:
        """Check that ``degrees`` is an ordered pair of factors, and store it as a tuple."""
        degrees = self.degrees
        if not isinstance(degrees, list | tuple):
            rule = "be a list or tuple (min, max)"
            hint = "degrees must be either a tuple or a list."
            raise TypeError(arguments.format_error(self, "degrees", rule, degrees, hint))
        if len(degrees) != 2:
            hint = "degrees must be a sequence with length 2."
            raise ValueError(
                arguments.format_error(self, "degrees", "have 2 elements", degrees, hint)
            )
        degrees = arguments.interval(self, "degrees", degrees, 0, FACTOR_MAX, mindspore_name="")
        self.normalise(degrees=degrees)

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        return (self.adjust(rng.uniform(*self.degrees)),)


class RandomColor(RandomFactor):
    """AdjustSaturation by a factor that is drawn uniformly.

    Args:
        degrees (Sequence[float]): (min, max) of the factor, not negative. Default: ``(0.1, 1.9)``.

    Raises:
        TypeError: ``degrees`` is not a list or tuple of numbers.
        ValueError: ``degrees`` is not two numbers in order, or is negative.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.RandomColor((0.0, 0.0))(np.array([[[200, 100, 0]]], np.uint8)).tolist()
        [[[119, 119, 119]]]
    """

    adjust: ClassVar[Any] = AdjustSaturation


class RandomSharpness(RandomFactor):
    """AdjustSharpness by a factor that is drawn uniformly.

    Args:
        degrees (Sequence[float]): (min, max) of the factor, not negative. Default: ``(0.1, 1.9)``.

    Raises:
        TypeError: ``degrees`` is not a list or tuple of numbers.
        ValueError: ``degrees`` is not two numbers in order, or is negative.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.RandomSharpness((1.0, 1.0))(np.array([[1, 2]], np.uint8)).tolist()
        [[1, 2]]
    """

    adjust: ClassVar[Any] = AdjustSharpness


class RandomPosterize(RandomImageTransform):
    """Posterize to a number of bits that is drawn uniformly.

    Args:
        bits (Union[int, Sequence[int]]): (min, max) in [1, 8], or one number for both.
            Default: ``(8, 8)``.

    Raises:
        TypeError: ``bits`` is neither an int nor a pair of ints.
        ValueError: ``bits`` is not in [1, 8], or not in order.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.RandomPosterize((1, 1))(np.array([[100, 200]], np.uint8)).tolist()
        [[0, 128]]
    """

    makes_arrays = True
    bits: Any = (8, 8)

    def check(self) -> None:
        """Check ``bits``, and store it as a pair (min, max)."""
        bits = self.bits
        if isinstance(bits, int) and not isinstance(bits, bool):
            bits = (bits, bits)
        hint = "Size of bits should be a single integer or a list/tuple (min, max) of length 2."
        for value in arguments.sequence(self, "bits", bits, (2,), hint, (list, tuple, int)):
            check.integer(self, "bits", value, 1, 8, mindspore_name="")
        self.normalise(bits=arguments.interval(self, "bits", bits))

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        return (Posterize(draw_int(rng, *self.bits)),)


class RandomSolarize(RandomImageTransform):
    """Solarize between two thresholds that are drawn uniformly.

    Args:
        threshold (tuple): (min, max) of both thresholds, ints in [0, 255]. Default: ``(0, 255)``.

    Raises:
        TypeError: ``threshold`` is not a tuple of ints.
        ValueError: ``threshold`` is not two ints in [0, 255] in order.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.RandomSolarize((100, 100))(np.array([[50, 100, 200]], np.uint8)).tolist()
        [[50, 155, 55]]
    """

    channels = (1, 3)
    makes_arrays = True

    threshold: Any = (0, 255)

    def check(self) -> None:
        """Check that ``threshold`` is a tuple of two levels in order."""
        pair = self.threshold
        if not isinstance(pair, tuple):
            rule = "be a tuple (min, max)"
            raise arguments.wrong_type(self, "threshold", rule, pair, tuple)
        if len(pair) != 2:
            hint = "threshold must be a sequence of two numbers."
            raise ValueError(
                arguments.format_error(self, "threshold", "have 2 elements", pair, hint)
            )
        for i, value in enumerate(pair):
            check.integer(self, f"threshold[{i}]", value, 0, 255, mindspore_name="")
        order = "threshold must be in min max format numbers."
        arguments.interval(self, "threshold", pair, order=order)

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        ends = draw_int(rng, *self.threshold), draw_int(rng, *self.threshold)
        return (Solarize(sorted(ends)),)


class RandomAdjustSharpness(RandomImageTransform):
    """AdjustSharpness with probability ``prob``.

    Args:
        degree (float): factor, not negative.
        prob (float): probability, in [0, 1]. Default: ``0.5``.

    Raises:
        TypeError: an argument is not a number.
        ValueError: ``degree`` is negative, or ``prob`` not in [0, 1].

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.RandomAdjustSharpness(1.0, prob=1.0)(np.array([[1, 2]], np.uint8)).tolist()
        [[1, 2]]
    """

    makes_arrays = True

    degree: float
    prob: float = 0.5

    def check(self) -> None:
        arguments.number(self, "degree", self.degree, 0, FACTOR_MAX)
        arguments.probability(self, "prob", self.prob)

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        return (AdjustSharpness(self.degree),) if rng.random() < self.prob else ()


class RandomAutoContrast(RandomImageTransform):
    """AutoContrast with probability ``prob``.

    Args:
        cutoff (float): as for AutoContrast. Default: ``0.0``.
        ignore (Union[int, Sequence[int]]): as for AutoContrast. Default: ``None``.
        prob (float): probability, in [0, 1]. Default: ``0.5``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.RandomAutoContrast(prob=1.0)(np.array([[100, 110, 120]], np.uint8)).tolist()
        [[0, 127, 255]]
    """

    channels = (3,)
    makes_arrays = True

    cutoff: float = 0.0
    ignore: Any = None
    prob: float = 0.5

    def check(self) -> None:
        """Check the arguments, and store ``ignore`` as a tuple."""
        self.normalise(ignore=AutoContrast(self.cutoff, self.ignore).ignore)
        arguments.probability(self, "prob", self.prob)

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        return (AutoContrast(self.cutoff, self.ignore),) if rng.random() < self.prob else ()


class RandomEqualize(AppliedWithProbability):
    """Equalize with probability ``prob``.

    Args:
        prob (float): probability, in [0, 1]. Default: ``0.5``.

    Raises:
        TypeError: ``prob`` is not a number.
        ValueError: ``prob`` is not in [0, 1].

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.RandomEqualize(1.0)(np.array([[100, 110, 120]], np.uint8)).tolist()
        [[0, 128, 255]]
    """

    channels = (1, 3)
    makes_arrays = True

    fixed_transform: ClassVar[Transform] = Equalize()


class RandomInvert(AppliedWithProbability):
    """Invert with probability ``prob``.

    Args:
        prob (float): probability, in [0, 1]. Default: ``0.5``.

    Raises:
        TypeError: ``prob`` is not a number.
        ValueError: ``prob`` is not in [0, 1].

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.RandomInvert(1.0)(np.array([[[200, 100, 0]]], np.uint8)).tolist()
        [[[55, 155, 255]]]
    """

    channels = (3,)
    takes_gray = False
    makes_arrays = True

    fixed_transform: ClassVar[Transform] = Invert()


class _AddColor(RGBTransform):
    """Adds ``shift`` to each channel and clips; drawn by RandomLighting."""

    shift: tuple[float, ...]

    def transform_pil(self, image: Any) -> Any:
        return super().transform_pil(image.convert("RGB"))

    def transform_pixels(self, images: np.ndarray) -> np.ndarray:
        """Add the shift; integers are truncated and clipped, floats keep their dtype unclipped."""
        total = images + np.array(self.shift)
        if images.dtype.kind == "f":
            return total.astype(images.dtype)
        return cast_saturated(np.trunc(total), images.dtype)


# Eigenvectors of the colours of ImageNet's images, each scaled by its eigenvalue (AlexNet).
LIGHTING = np.array(
    [
        [55.46 * -0.5675, 4.794 * 0.7192, 1.148 * 0.4009],
        [55.46 * -0.5808, 4.794 * -0.0045, 1.148 * -0.8140],
        [55.46 * -0.5836, 4.794 * -0.6948, 1.148 * 0.4203],
    ]
)


class RandomLighting(RandomImageTransform):
    """Add a random colour along the principal components of natural images' colours (AlexNet).

    Args:
        alpha (float): standard deviation along each component, not negative. Default: ``0.05``.

    Raises:
        TypeError: ``alpha`` is not a number.
        ValueError: ``alpha`` is negative.
        RuntimeError: the image is not RGB.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.RandomLighting(0.0)(np.array([[[200, 100, 0]]], np.uint8)).tolist()
        [[[200, 100, 0]]]
    """

    alpha: float = 0.05

    def check(self) -> None:
        arguments.number(self, "alpha", self.alpha, 0, FACTOR_MAX)

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        return (_AddColor(tuple(LIGHTING @ rng.normal(0, self.alpha, 3))),)
