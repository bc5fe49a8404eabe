"""Candidate samplers, which draw classes for a sampled softmax."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import FLOAT32, check_dtype_kind
from minispore.ops.random.draws import _Draw
from minispore.ops.random.sampling import _sample_categories


class _CandidateSampler(_Draw):
    """Base of ops that sample class indices with the probabilities of ``compute_probability``.

    The outputs are ``(sampled classes (num_sampled,), expected counts of the true classes, expected
    counts of the sampled classes)``; the counts are float32.
    """

    num_true: ClassVar[int]
    num_sampled: ClassVar[int]
    unique: ClassVar[bool]
    range_max: ClassVar[int]
    remove_accidental_hits: ClassVar[bool] = False
    seed2: ClassVar[int] = 0

    def check(self) -> None:
        """Check that the numbers are ints in range and ``unique`` a bool.

        Raises:
            TypeError: an attribute is of a wrong type.
            ValueError: a number is too small, or with ``unique`` num_sampled exceeds range_max.
        """
        for name in ("num_true", "num_sampled", "range_max"):
            checks.integer(self.name, name, getattr(self, name), 1)
        checks.boolean(self.name, "unique", self.unique)
        checks.integer(self.name, "seed", self.seed, 0)
        if self.unique and self.num_sampled > self.range_max:
            raise ValueError(
                f"{self.name}: num_sampled must be <= range_max to be unique, got "
                f"{self.num_sampled} > {self.range_max}."
            )

    def infer(self, true_classes: Spec) -> tuple[Spec, Spec, Spec]:
        """Return the specs of the sampled classes, and of the float32 expected counts of true and
        sampled classes; raise unless there are ``num_true`` columns.
        """
        check_dtype_kind(self.name, true_classes, "iu", "true_classes")
        if not true_classes.ndim or true_classes.shape[-1] != self.num_true:
            raise ValueError(
                f"{self.name}: true_classes must have num_true = {self.num_true} columns, got "
                f"{true_classes}."
            )
        sample_shape = (self.num_sampled,)
        return (
            Spec(sample_shape, true_classes.dtype),
            Spec(true_classes.shape, FLOAT32),
            Spec(sample_shape, FLOAT32),
        )

    def compute_probability(self, classes: np.ndarray) -> np.ndarray:
        """Return the probability of each of ``classes`` (an int array of any shape) in one draw;
        overridden by subclasses.
        """
        raise TypeError(f"{self.name}: defines no probability.")

    def kernel(
        self, true_classes: np.ndarray, *, out: tuple[np.ndarray, np.ndarray, np.ndarray]
    ) -> None:
        """Draw classes, and compute the expected count of each true and sampled class in the
        sample.

        With ``unique`` the expected count is the probability that the class is in the sample.

        Raises:
            ValueError: ``unique`` is set, and fewer than ``num_sampled`` classes have a positive
                probability.
        """
        sampled, true_count, sampled_count = out
        probabilities = self.compute_probability(np.arange(self.range_max))
        if self.remove_accidental_hits:
            probabilities[true_classes[(true_classes >= 0) & (true_classes < self.range_max)]] = 0
        if self.unique and np.count_nonzero(probabilities) < self.num_sampled:
            raise ValueError(
                f"{self.name}: num_sampled must be <= the classes that are left, got "
                f"{self.num_sampled} > {np.count_nonzero(probabilities)}."
            )
        sampled[...] = _sample_categories(
            self.stream, probabilities, self.num_sampled, not self.unique
        )
        draw_count = self._estimate_draw_count(probabilities) if self.unique else self.num_sampled
        for classes, count in ((true_classes, true_count), (sampled, sampled_count)):
            class_probabilities = self.compute_probability(classes)
            if self.unique:
                count[...] = -np.expm1(
                    draw_count * np.log1p(-np.minimum(class_probabilities, 1 - 1e-12))
                )
            else:
                count[...] = class_probabilities * draw_count

    def _estimate_draw_count(self, probabilities: np.ndarray) -> float:
        """Return the number of draws with replacement that give ``num_sampled`` distinct classes on
        average.

        It is a float, found by bisection and at most about 1e9. If all classes are wanted, half a
        class less is the target, since the mean only tends to their number.
        """
        low = high = float(self.num_sampled)
        # After k draws, 1 - e^(k log_misses) is the probability that each class is in the sample;
        # the limit keeps the logarithm finite if one class has the probability 1.
        log_misses = np.log1p(-np.minimum(probabilities / probabilities.sum(), 1 - 1e-12))
        target = min(self.num_sampled, len(probabilities) - 0.5)
        while -np.expm1(high * log_misses).sum() < target and high < 1e9:
            high *= 2
        for _ in range(60):
            middle = (low + high) / 2
            is_enough = -np.expm1(middle * log_misses).sum() >= target
            low, high = (low, middle) if is_enough else (middle, high)
        return high


class UniformCandidateSampler(_CandidateSampler):
    """Class indices drawn uniformly from [0, range_max).

    Args:
        num_true: number of true classes per row.
        num_sampled: number of classes to draw.
        unique: draw each class at most once.
        range_max: the number of classes.
        seed: 0 for the global stream.
        remove_accidental_hits: do not draw true classes.

    Returns:
        ``(sampled, expected count of each true class, expected count of each sampled one)``

    >>> sampled, _, _ = UniformCandidateSampler(1, 3, True, 3)(Tensor([[1]]))
    >>> print(np.sort(sampled.asnumpy()))
    [0 1 2]
    """

    num_true: int  # type: ignore[misc]
    num_sampled: int  # type: ignore[misc]
    unique: bool  # type: ignore[misc]
    range_max: int  # type: ignore[misc]
    seed: int = 0  # type: ignore[misc]
    remove_accidental_hits: bool = False  # type: ignore[misc]

    def compute_probability(self, classes: np.ndarray) -> np.ndarray:
        """Return 1 / range_max for each class."""
        return np.full(classes.shape, 1 / self.range_max)


class LogUniformCandidateSampler(_CandidateSampler):
    """Class indices drawn with P(k) = log((k + 2) / (k + 1)) / log(range_max + 1).

    The arguments and the outputs are those of :class:`UniformCandidateSampler`. The op object has a
    private stream, even with seed 0.

    >>> sampled, _, _ = LogUniformCandidateSampler(1, 3, True, 3)(Tensor([[1]]))
    >>> print(np.sort(sampled.asnumpy()))
    [0 1 2]
    """

    num_true: int = 1  # type: ignore[misc]
    num_sampled: int = 5  # type: ignore[misc]
    unique: bool = True  # type: ignore[misc]
    range_max: int = 5  # type: ignore[misc]
    seed: int = 0  # type: ignore[misc]

    def has_private_streams(self) -> bool:
        """Return True: the op has a private stream even with seed 0."""
        return True

    def compute_probability(self, classes: np.ndarray) -> np.ndarray:
        k = classes.astype(np.float64)
        return np.log((k + 2) / (k + 1)) / np.log(self.range_max + 1)


def uniform_candidate_sampler(
    true_classes: Tensor,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int = 0,
    remove_accidental_hits: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    """Draw ``num_sampled`` class indices uniformly from [0, range_max), without repetition if
    ``unique``.

    Returns:
        ``(sampled classes, expected counts of the true classes, expected counts of the sampled
            classes)``
    """
    sampler = UniformCandidateSampler(
        num_true, num_sampled, unique, range_max, seed, remove_accidental_hits
    )
    return sampler(true_classes)


def log_uniform_candidate_sampler(
    true_classes: Tensor,
    num_true: int = 1,
    num_sampled: int = 5,
    unique: bool = True,
    range_max: int = 5,
    seed: int = 0,
) -> tuple[Tensor, Tensor, Tensor]:
    """Draw ``num_sampled`` class indices with P(k) = log((k + 2) / (k + 1)) / log(range_max + 1).

    Each call creates an op whose stream depends only on ``seed``, so all calls draw the same
    numbers.

    Returns:
        ``(sampled classes, expected counts of the true classes, expected counts of the sampled
            classes)``
    """
    sampler = LogUniformCandidateSampler(num_true, num_sampled, unique, range_max, seed)
    return sampler(true_classes)


__all__ = [
    "LogUniformCandidateSampler",
    "UniformCandidateSampler",
    "log_uniform_candidate_sampler",
    "uniform_candidate_sampler",
]
