"""BleuScore: the quality of translations, by n-grams that they share with references."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from minispore.foundation import checks
from minispore.nn.metrics.metric import Metric, rearrange_inputs


class BleuScore(Metric):
    """exp(mean over n of log(share of n-grams found in a reference)), lowered for short candidates.

    Args:
        n_gram: the maximum n, 1 to 4.
        smooth: whether to add 1 to each count.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: ``n_gram`` is out of range.

    Source: Papineni et al. 2002.

    >>> candidate, reference = ["the", "cat", "sat"], ["the", "cat", "sat"]
    >>> print(BleuScore(n_gram=2)([candidate], [[reference]]))
    1.0
    """

    def __init__(self, n_gram: int = 4, smooth: bool = False) -> None:
        super().__init__()
        self.n_gram = checks.integer("BleuScore", "n_gram", n_gram)
        if not 1 <= n_gram <= 4:
            raise ValueError(f"BleuScore: n_gram must be in [1, 4], got {n_gram}.")
        self.smooth = checks.boolean("BleuScore", "smooth", smooth)
        self.clear()

    def clear(self) -> None:
        self._numerator = np.zeros(self.n_gram)
        self._denominator = np.zeros(self.n_gram)
        self._length = self._reference_length = 0
        self._is_update = False

    def _count_grams(self, words: Sequence[Any]) -> Counter[tuple[Any, ...]]:
        """Count the n-grams of a sentence, for n up to ``n_gram``."""
        return Counter(
            tuple(words[i : i + n])
            for n in range(1, self.n_gram + 1)
            for i in range(len(words) - n + 1)
        )

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add the lengths and n-grams of the candidates, and the n-grams that also occur in one of
        their references.
        """
        if len(inputs) != 2:
            raise ValueError(
                f"BleuScore.update: needs 2 inputs (candidates, references), got {len(inputs)}."
            )
        for sentences in inputs:
            if not isinstance(sentences, list | tuple):
                raise TypeError(
                    "BleuScore.update: candidates and references must be lists, "
                    f"got {checks.format_value(sentences)}."
                )
        if len(inputs[0]) != len(inputs[1]):
            raise ValueError(
                "BleuScore.update: candidates and references must have the same length, "
                f"got {[len(x) for x in inputs]}."
            )
        for candidate, references in zip(*inputs, strict=True):
            length = len(candidate)
            self._length += length
            # The brevity penalty compares with the reference whose length is nearest.
            nearest = min(references, key=lambda reference: abs(len(reference) - length))
            self._reference_length += len(nearest)
            reference_counts: Counter[tuple[Any, ...]] = Counter()
            for reference in references:
                reference_counts |= self._count_grams(reference)  # the maximum of each count
            for gram, count in self._count_grams(candidate).items():
                self._denominator[len(gram) - 1] += count
                self._numerator[len(gram) - 1] += min(count, reference_counts[gram])
        self._is_update = True

    def eval(self) -> float:
        """Return the score of all candidates; 0 if for some n no n-gram matches."""
        if not self._is_update:
            raise RuntimeError("BleuScore.eval: needs an update first, got none.")
        if self._numerator.min() == 0:
            return 0.0
        smoothing = 1 if self.smooth else 0
        shares = (self._numerator + smoothing) / (self._denominator + smoothing)
        is_short = self._length <= self._reference_length
        brevity = math.exp(1 - self._reference_length / self._length) if is_short else 1.0
        return brevity * math.exp(float(np.log(shares).mean()))


__all__ = ["BleuScore"]
