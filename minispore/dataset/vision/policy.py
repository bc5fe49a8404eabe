"""Augmentation policies: random choices of colour and geometry changes.

Source:
    AutoAugment, arXiv:1805.09501; RandAugment, arXiv:1909.13719; TrivialAugment, arXiv:2103.10158;
    UniformAugment, arXiv:2003.14348.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from minispore.dataset import check
from minispore.dataset.transforms import arguments
from minispore.dataset.transforms.base import RandomTransform, Transform, draw_int
from minispore.dataset.transforms.compose import are_chosen_in_python, as_transform
from minispore.dataset.vision.adjust import (
    AdjustBrightness,
    AdjustContrast,
    AdjustSaturation,
    AutoContrast,
    Equalize,
    Invert,
    Posterize,
    Solarize,
)
from minispore.dataset.vision.enums import AutoAugmentPolicy, Inter
from minispore.dataset.vision.geometry import ARRAY_INTERPOLATIONS, Affine, Rotate
from minispore.dataset.vision.smooth import AdjustSharpness
from minispore.dataset.vision.support.image import RandomImageTransform, image_size
from minispore.ir.value import Spec


class RandomSelectSubpolicy(RandomImageTransform):
    """Applies a random one of several lists, each operation in it with its probability.

    Args:
        policy (list): lists of (operation, probability) tuples.

    Raises:
        TypeError: ``policy`` is not a list of lists of tuples, or an operation is not a transform.
        ValueError: a list is empty, or a probability is not in [0, 1].

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> select = vision.RandomSelectSubpolicy([[(vision.Invert(), 1.0)]])
        >>> select(np.array([[[200, 100, 0]]], np.uint8)).tolist()
        [[[55, 155, 255]]]
    """

    makes_arrays = True

    policy: Any
    stackable: ClassVar[bool] = False

    def check(self) -> None:
        """Check each sub-policy, and store it as a tuple of (transform, probability)."""
        for i, subpolicy in enumerate(_check_nonempty_list(self, "policy", self.policy)):
            _check_nonempty_list(self, f"policy[{i}]", subpolicy)
        subpolicies = []
        for i, subpolicy in enumerate(self.policy):
            names = (f"policy[{i}][{j}]" for j in range(len(subpolicy)))
            subpolicies.append(tuple(map(self._check_operation, names, subpolicy)))
        self.normalise(policy=tuple(subpolicies))

    def _check_operation(self, name: str, step: Any) -> tuple[Transform, float]:
        """Return a pair of an operation, as a transform, and its probability, after checking both.

        Raises:
            TypeError, ValueError: ``step`` is not such a pair.
        """
        if not isinstance(step, tuple) or len(step) != 2:
            rule = "be a tuple (operation, probability)"
            raise TypeError(arguments.format_error(self, name, rule, step))
        (operation,) = arguments.operations(self, name, [step[0]], as_transform)
        return operation, arguments.probability(self, name, step[1])

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        subpolicy = self.policy[draw_int(rng, 0, len(self.policy) - 1)]
        return [operation for operation, prob in subpolicy if rng.random() < prob]


def _check_nonempty_list(transform: Transform, name: str, value: Any) -> list:
    """Check that ``value`` is a non-empty list, and return it.

    Raises:
        TypeError, ValueError: ``value`` is not a list, or is empty.
    """
    if not isinstance(value, list):
        raise arguments.wrong_type(transform, name, "be a list", value, list)
    if not value:
        hint = f"{name} can not be empty."
        raise ValueError(arguments.format_error(transform, name, "not be empty", value, hint))
    return value


class UniformAugment(RandomTransform):
    """Applies transforms that are drawn without repetition, each with probability 1/2.

    Args:
        transforms (Sequence): transforms to draw from.
        num_ops (int): the number of transforms to draw. Default: ``2``.

    Raises:
        TypeError: ``transforms`` is no list or tuple of transforms, or ``num_ops`` is not an int.
        ValueError: ``transforms`` is empty, or ``num_ops`` is not in [1, len(transforms)].

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> augment = vision.UniformAugment([vision.Invert(), vision.HorizontalFlip()], num_ops=1)
        >>> augment(np.zeros((4, 5, 3), np.uint8)).shape
        (4, 5, 3)
    """

    transforms: Any
    num_ops: int = 2
    stackable: ClassVar[bool] = False

    def check(self) -> None:
        """Check the arguments, and store functions as transforms."""
        operations = list(arguments.sequence(self, "transforms", self.transforms))
        transforms = arguments.operations(self, "transforms", operations, as_transform)
        self.normalise(transforms=transforms)
        check.positive(self, "num_ops", self.num_ops)
        if self.num_ops > len(transforms):
            rule = f"not exceed the number of transforms, {len(transforms)}"
            hint = "num_ops is greater than transforms list size."
            raise ValueError(arguments.format_error(self, "num_ops", rule, self.num_ops, hint))

    @property
    def is_python_only_in_mindspore(self) -> bool:
        return are_chosen_in_python(self.transforms)

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        indices = rng.permutation(len(self.transforms))[: self.num_ops]
        return [self.transforms[i] for i in indices if rng.random() < 0.5]


class MagnitudeRange(NamedTuple):
    """The maximum magnitude of each change; other strengths are linear between 0 and it."""

    shear: float  # tangent of the shear angle
    translate: tuple[float, float]  # fractions of width and height
    degrees: float
    factor: float  # distance from 1 of brightness, colour, contrast and sharpness
    bits: int  # bits that Posterize removes


SIGNED = ("ShearX", "ShearY", "TranslateX", "TranslateY", "Rotate") + (
    FACTORS := ("Brightness", "Color", "Contrast", "Sharpness")
)
ADJUST = dict(zip(FACTORS, (AdjustBrightness, AdjustSaturation, AdjustContrast, AdjustSharpness)))
RAND_AUGMENT = ("Identity", *SIGNED, "Posterize", "Solarize", "AutoContrast", "Equalize")


def make_change(
    name: str, strength: float, magnitudes: MagnitudeRange, inter: Inter, fill: Any
) -> Sequence[Transform]:
    """Return the transforms of a named change, none for ``"Identity"``.

    Args:
        name (str): the change, such as ``"Rotate"``.
        strength (float): in [0, 1], or in [-1, 1] for the changes in ``SIGNED``.
        magnitudes (MagnitudeRange): the magnitudes at strength 1.
        inter (Inter): interpolation of shifted images.
        fill (tuple): value of pixels from outside of the image.

    Raises:
        KeyError: there is no change of this name.
    """
    if name in ADJUST:
        return (ADJUST[name](1 + strength * magnitudes.factor),)
    if name == "Rotate":
        return (Rotate(strength * magnitudes.degrees, inter, fill_value=fill),)
    if name in ("ShearX", "ShearY"):
        angle = math.degrees(strength * magnitudes.shear)
        shear = (angle, 0.0) if name == "ShearX" else (0.0, angle)
        return (Affine(0.0, (0.0, 0.0), 1.0, shear, inter, fill),)
    if name in ("TranslateX", "TranslateY"):
        x, y = (max(-1.0, min(1.0, strength * fraction)) for fraction in magnitudes.translate)
        shift = (x, 0.0) if name == "TranslateX" else (0.0, y)
        return (Affine(0.0, shift, 1.0, (0.0, 0.0), inter, fill),)
    if name == "Posterize":
        return (Posterize(8 - round(strength * magnitudes.bits)),)
    if name == "Solarize":
        return (Solarize(255 * (1 - strength)),)
    if name == "Identity":
        return ()
    return ({"AutoContrast": AutoContrast, "Equalize": Equalize, "Invert": Invert}[name](),)


def _round_to_pixels(fraction: float, spec: Spec) -> tuple[float, float]:
    """Return a fraction of width and of height, rounded down to whole pixels."""
    height, width = image_size(spec)
    return int(fraction * width) / width, int(fraction * height) / height


POLICIES = {  # sub-policies: twice name, probability, and magnitude in ninths of the maximum
    AutoAugmentPolicy.IMAGENET: """
        Posterize .4 8 Rotate .6 9 | Solarize .6 5 AutoContrast .6 0 | Equalize .8 0 Equalize .6 0
        | Posterize .6 7 Posterize .6 6 | Equalize .4 0 Solarize .2 4 | Equalize .4 0 Rotate .8 8
        | Solarize .6 3 Equalize .6 0 | Posterize .8 5 Equalize 1 0 | Rotate .2 3 Solarize .6 8
        | Equalize .6 0 Posterize .4 6 | Rotate .8 8 Color .4 0 | Rotate .4 9 Equalize .6 0
        | Equalize 0 0 Equalize .8 0 | Invert .6 0 Equalize 1 0 | Color .6 4 Contrast 1 8
        | Rotate .8 8 Color 1 2 | Color .8 8 Solarize .8 7 | Sharpness .4 7 Invert .6 0
        | ShearX .6 5 Equalize 1 0 | Color .4 0 Equalize .6 0 | Equalize .4 0 Solarize .2 4
        | Solarize .6 5 AutoContrast .6 0 | Invert .6 0 Equalize 1 0 | Color .6 4 Contrast 1 8
        | Equalize .8 0 Equalize .6 0""",
    AutoAugmentPolicy.CIFAR10: """
        Invert .1 0 Contrast .2 6 | Rotate .7 2 TranslateX .3 9 | Sharpness .8 1 Sharpness .9 3
        | ShearY .5 8 TranslateY .7 9 | AutoContrast .5 0 Equalize .9 0 | ShearY .2 7 Posterize .3 7
        | Color .4 3 Brightness .6 7 | Sharpness .3 9 Brightness .7 9 | Equalize .6 0 Equalize .5 0
        | Contrast .6 7 Sharpness .6 5 | Color .7 7 TranslateX .5 8 | Equalize .3 0 AutoContrast .4
        0 | TranslateY .4 3 Sharpness .2 6 | Brightness .9 6 Color .2 8 | Solarize .5 2 Invert 0 0
        | Equalize .2 0 AutoContrast .6 0 | Equalize .2 0 Equalize .6 0 | Color .9 9 Equalize .6 0
        | AutoContrast .8 0 Solarize .2 8 | Brightness .1 3 Color .7 0
        | Solarize .4 5 AutoContrast .9 0 | TranslateY .9 9 TranslateY .7 9
        | AutoContrast .9 0 Solarize .8 3 | Equalize .8 0 Invert .1 0
        | TranslateY .7 9 AutoContrast .9 0""",
    AutoAugmentPolicy.SVHN: """
        ShearX .9 4 Invert .2 0 | ShearY .9 8 Invert .7 0 | Equalize .6 0 Solarize .6 6
        | Invert .9 0 Equalize .6 0 | Equalize .6 0 Rotate .9 3 | ShearX .9 4 AutoContrast .8 0
        | ShearY .9 8 Invert .4 0 | ShearY .9 5 Solarize .2 6 | Invert .9 0 AutoContrast .8 0
        | Equalize .6 0 Rotate .9 3 | ShearX .9 4 Solarize .3 3 | ShearY .8 8 Invert .7 0
        | Equalize .9 0 TranslateY .6 6 | Invert .9 0 Equalize .6 0 | Contrast .3 3 Rotate .8 4
        | Invert .8 0 TranslateY 0 2 | ShearY .7 6 Solarize .4 8 | Invert .6 0 Rotate .8 4
        | ShearY .3 7 TranslateX .9 3 | ShearX .1 6 Invert .6 0 | Solarize .7 2 TranslateY .6 7
        | ShearY .8 4 Invert .8 0 | ShearX .7 9 TranslateY .8 3 | ShearY .8 5 AutoContrast .7 0
        | ShearX .7 2 Invert .1 0""",
}


@lru_cache
def parse_subpolicies(
    policy: AutoAugmentPolicy,
) -> tuple[tuple[tuple[str, float, float], ...], ...]:
    """Parse each sub-policy into two tuples (name, probability, strength in [0, 1]); cached."""
    parsed = []
    for line in POLICIES[policy].split("|"):
        words = line.split()
        steps = (words[:3], words[3:])
        parsed.append(tuple((name, float(prob), int(ninths) / 9) for name, prob, ninths in steps))
    return tuple(parsed)


class AutoAugment(RandomImageTransform):
    """Applies a random one of the 25 sub-policies found to be best for a dataset.

    Args:
        policy (AutoAugmentPolicy): IMAGENET, CIFAR10 or SVHN. Default: ``IMAGENET``.
        interpolation (Inter): as for Rotate. Default: ``Inter.NEAREST``.
        fill_value (Union[int, tuple]): value of pixels from outside of the image. Default: ``0``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: ``fill_value`` is not in [0, 255].
        RuntimeError: ``interpolation`` is for PIL images only, or the image is not RGB.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.AutoAugment()(np.zeros((32, 32, 3), np.uint8)).shape
        (32, 32, 3)
    """

    channels = (3,)
    takes_gray = False
    makes_arrays = True

    policy: AutoAugmentPolicy = AutoAugmentPolicy.IMAGENET
    interpolation: Inter = Inter.NEAREST
    fill_value: Any = 0

    def check(self) -> None:
        """Check the arguments, and store ``fill_value`` as three ints; see the class for errors."""
        arguments.member(self, "policy", self.policy, AutoAugmentPolicy)
        check_common_arguments(self)

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        """Draw a sub-policy, and return the transforms of its changes, each drawn by its
        probability.
        """
        magnitudes = MagnitudeRange(0.3, _round_to_pixels(150 / 331, specs[0]), 30.0, 0.9, 4)
        candidates = parse_subpolicies(self.policy)
        chosen: list[Transform] = []
        for name, prob, strength in candidates[draw_int(rng, 0, len(candidates) - 1)]:
            if rng.random() < prob:
                chosen += draw_change(self, rng, name, strength, magnitudes)
        return chosen


class RandAugment(RandomImageTransform):
    """Applies several changes of equal strength, each drawn from fourteen.

    Args:
        num_ops (int): the number of changes. Default: ``2``.
        magnitude (int): strength, in [0, num_magnitude_bins). Default: ``9``.
        num_magnitude_bins (int): number of strengths, at least 2. Default: ``31``.
        interpolation (Inter): as for Rotate. Default: ``Inter.NEAREST``.
        fill_value (Union[int, tuple]): value of pixels from outside of the image. Default: ``0``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range.
        RuntimeError: ``interpolation`` is for PIL images only, or the image is not RGB.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.RandAugment(num_ops=2, magnitude=9)(np.zeros((32, 32, 3), np.uint8)).shape
        (32, 32, 3)
    """

    channels = (3,)
    takes_gray = False
    makes_arrays = True

    num_ops: int = 2
    magnitude: int = 9
    num_magnitude_bins: int = 31
    interpolation: Inter = Inter.NEAREST
    fill_value: Any = 0

    def check(self) -> None:
        """Check the arguments; ``magnitude`` must be below ``num_magnitude_bins``."""
        check.integer(self, "num_ops", self.num_ops, 0, arguments.EXACT_FLOAT32_INTEGER)
        bins = check_magnitude_bins(self)
        magnitude = check.instance(self, "magnitude", self.magnitude, int)
        arguments.number(self, "magnitude", magnitude, 0, bins, "[)")
        check_common_arguments(self)

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        """Draw ``num_ops`` changes, all with the strength set by ``magnitude``."""
        magnitudes = MagnitudeRange(0.3, _round_to_pixels(150 / 331, specs[0]), 30.0, 0.9, 4)
        strength = self.magnitude / (self.num_magnitude_bins - 1)
        chosen: list[Transform] = []
        for _ in range(self.num_ops):
            name = RAND_AUGMENT[draw_int(rng, 0, len(RAND_AUGMENT) - 1)]
            chosen += draw_change(self, rng, name, strength, magnitudes)
        return chosen


class TrivialAugmentWide(RandomImageTransform):
    """Applies one change of a random strength, drawn from fourteen.

    Args:
        num_magnitude_bins (int): number of strengths, at least 2. Default: ``31``.
        interpolation (Inter): as for Rotate. Default: ``Inter.NEAREST``.
        fill_value (Union[int, tuple]): value of pixels from outside of the image. Default: ``0``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range.
        RuntimeError: ``interpolation`` is for PIL images only, or the image is not RGB.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import vision
        >>> vision.TrivialAugmentWide()(np.zeros((32, 32, 3), np.uint8)).shape
        (32, 32, 3)
    """

    channels = (3,)
    takes_gray = False
    makes_arrays = True

    num_magnitude_bins: int = 31
    interpolation: Inter = Inter.NEAREST
    fill_value: Any = 0

    def check(self) -> None:
        """Check the arguments, and store ``fill_value`` as three ints; see the class for errors."""
        check_magnitude_bins(self)
        check_common_arguments(self)

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        """Draw one change and its strength."""
        height, width = image_size(specs[0])
        magnitudes = MagnitudeRange(0.99, (32 / width, 32 / height), 135.0, 0.99, 6)
        name = RAND_AUGMENT[draw_int(rng, 0, len(RAND_AUGMENT) - 1)]
        strongest = self.num_magnitude_bins - 1
        return draw_change(self, rng, name, draw_int(rng, 0, strongest) / strongest, magnitudes)


def check_magnitude_bins(augment: RandAugment | TrivialAugmentWide) -> int:
    """Return ``num_magnitude_bins``; raise TypeError or ValueError unless it is an int >= 2."""
    name, limit = "num_magnitude_bins", arguments.EXACT_FLOAT32_INTEGER
    return check.integer(augment, name, augment.num_magnitude_bins, 2, limit)


def check_common_arguments(augment: AutoAugment | RandAugment | TrivialAugmentWide) -> None:
    """Check interpolation and fill value; store ``fill_value`` as three ints.

    Raises:
        TypeError, ValueError: an argument has a wrong type or is out of range.
        RuntimeError: the interpolation is for PIL images only.
    """
    arguments.member(augment, "interpolation", augment.interpolation, Inter)
    if augment.interpolation not in ARRAY_INTERPOLATIONS:
        rule, hint = "be one for arrays", "Invalid InterpolationMode, check input value of enum."
        raise RuntimeError(
            arguments.format_error(augment, "interpolation", rule, augment.interpolation, hint)
        )
    fill = arguments.fill_value(augment, "fill_value", augment.fill_value)
    augment.normalise(fill_value=fill)


def draw_change(
    augment: AutoAugment | RandAugment | TrivialAugmentWide,
    rng: np.random.Generator,
    name: str,
    strength: float,
    magnitudes: MagnitudeRange,
) -> Sequence[Transform]:
    """Return the transforms of a named change; a change in ``SIGNED`` gets a random sign."""
    if name in SIGNED and rng.random() < 0.5:
        strength = -strength
    return make_change(name, strength, magnitudes, augment.interpolation, augment.fill_value)
