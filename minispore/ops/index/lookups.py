"""Mapping, filtering, matching and bit packing of integers, for embedding tables and samplers."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core.primitive import Primitive
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import check_dtype_kind
from minispore.ops.support.arguments import (
    check_dtype,
    check_indices,
    check_tensor_spec,
    check_tensors,
    to_static,
)

UINT8, INT32 = np.dtype(np.uint8), np.dtype(np.int32)


class MapUniform(Primitive):
    """Spreads keys over groups: key % group_num * per_group_size + key // group_num.

    Args:
        input (Tensor): integers, the keys.
        per_group_size (int): the capacity of a group, in keys.
        group_num (int): the number of groups.

    Returns:
        Tensor, of the shape and dtype of ``input``.

    >>> print(MapUniform()(Tensor([0, 1, 2, 3]), 8, 2))
    [0 8 1 9]
    """

    def __call__(self, input: Tensor, per_group_size: Any, group_num: Any) -> Tensor:
        size = checks.integer(self.name, "per_group_size", to_static(per_group_size), 1)
        return super().__call__(
            input, size, checks.integer(self.name, "group_num", to_static(group_num), 1)
        )

    def infer(self, keys: Spec, size: int, groups: int) -> Spec:
        return check_indices(self.name, keys, "input")

    def kernel(self, keys: np.ndarray, size: int, groups: int, *, out: np.ndarray) -> None:
        out[...] = keys % groups * size + keys // groups


class SubAndFilter(Primitive):
    """Subtracts ``offset`` from the numbers; returns the results in [0, max_num), and their
    positions.

    Args:
        input_x (Tensor): integers (n,).
        max_num (int): the exclusive upper bound of the results.
        offset (int): the number subtracted.

    Returns:
        ``(numbers, places)``, both of the length of the remaining numbers.

    >>> print(*SubAndFilter()(Tensor([1, 3, 8]), 5, 1))
    [0 2] [0 1]
    """

    dynamic = True

    def __call__(self, input_x: Tensor, max_num: Any, offset: Any) -> Any:
        check_tensors(self.name, input_x=input_x)
        limit = checks.integer(self.name, "max_num", to_static(max_num))
        shift = checks.integer(self.name, "offset", to_static(offset))
        return super().__call__(input_x, limit, shift)

    def kernel(self, x: np.ndarray, limit: int, shift: int, *, out: Any = None) -> Any:
        """Return the numbers in range and their positions, both in the dtype of x."""
        if check_indices(self.name, Spec(x.shape, x.dtype), "input_x").ndim != 1:
            raise ValueError(
                checks.format_error(self.name, "input_x", "have 1 axis", f"shape {x.shape}")
            )
        shifted = x - np.array(shift, x.dtype)
        positions = np.flatnonzero((shifted >= 0) & (shifted < limit))
        return shifted[positions], positions.astype(x.dtype)


class ComputeAccidentalHits(Primitive):
    """Finds sampled classes that are also true classes.

    Each hit has its row, its index in the sample and a weight of -3.4e38, which excludes the class
    from a softmax.

    Args:
        num_true: the number of true classes per row.
        true_classes (Tensor): int32 or int64 (N, num_true).
        sampled_candidates (Tensor): int32 or int64 (M,).

    Returns:
        ``(rows, places, weights)``, int32, int64 and float32.

    >>> hits = ComputeAccidentalHits(1)(Tensor(np.array([[3], [7]])), Tensor(np.array([7, 3, 5])))
    >>> print(hits[0], hits[1])
    [0 1] [1 0]
    """

    num_true: int = 1
    dynamic = True

    def check(self) -> None:
        checks.integer(self.name, "num_true", self.num_true, 1)

    def __call__(self, true_classes: Tensor, sampled_candidates: Tensor) -> Any:
        check_tensors(self.name, true_classes=true_classes, sampled_candidates=sampled_candidates)
        return super().__call__(true_classes, sampled_candidates)

    def kernel(self, true: np.ndarray, sampled: np.ndarray, *, out: Any = None) -> Any:
        """Return rows, positions in the sample and weights (all the lowest float32) of the hits;
        their number depends on the data.
        """
        for name, x in (("true_classes", true), ("sampled_candidates", sampled)):
            check_dtype(self.name, Spec(x.shape, x.dtype), name, "int32", "int64")
        if true.ndim != 2 or true.shape[1] != self.num_true or sampled.ndim != 1:
            raise ValueError(
                f"{self.name}: true_classes must be (N, {self.num_true}) and sampled_candidates "
                f"(M,), got shapes {true.shape} and {sampled.shape}."
            )
        rows, _, positions = np.nonzero(true[:, :, None] == sampled)
        weights = np.full(len(rows), -np.finfo(np.float32).max, np.float32)
        return rows.astype(np.int32), positions.astype(np.int64), weights


class CompareAndBitpack(Primitive):
    """Packs the bits of x > threshold into bytes, the first of eight in the highest bit.

    Args:
        x (Tensor): bool, integers or floats (..., 8 N).
        threshold (Tensor): 0-d, of the same dtype.

    Returns:
        Tensor, uint8 (..., N).

    >>> print(CompareAndBitpack()(Tensor([1, 2, 3, 4, 5, 6, 7, 8]), Tensor(3)))
    [31]
    """

    def infer(self, x: Spec, threshold: Spec) -> Spec:
        """Return the uint8 spec with an eighth of the last axis; raise unless 8 divides that axis
        and threshold fits x.
        """
        check_dtype_kind(self.name, x, "bif", "x")
        if not x.ndim or x.shape[-1] % 8:
            rule = "have a last axis that 8 divides"
            raise ValueError(checks.format_error(self.name, "x", rule, f"{x}"))
        if check_tensor_spec(self.name, threshold, "threshold").dtype != x.dtype:
            rule = f"be of the dtype {x.dtype} of x"
            raise TypeError(checks.format_error(self.name, "threshold", rule, f"{threshold}"))
        if threshold.ndim:
            raise ValueError(
                checks.format_error(self.name, "threshold", "have no axes", f"{threshold}")
            )
        return Spec((*x.shape[:-1], x.shape[-1] // 8), UINT8)

    def kernel(self, x: np.ndarray, threshold: np.ndarray, *, out: np.ndarray) -> None:
        out[...] = np.packbits(x > threshold, -1)


class NoRepeatNGram(Primitive):
    """The scores of the next word, without words that would repeat an n-gram of ``ngram_size``
    words.

    The scores of such words become the lowest float32 number, or that of a narrower dtype.

    Args:
        ngram_size: the number of words in an n-gram.
        state_seq (Tensor): int32 (N, beams, words), the words so far.
        log_probs (Tensor): float (N, beams, vocabulary).

    Returns:
        Tensor, with the shape and dtype of ``log_probs``.

    >>> print(NoRepeatNGram(2)(Tensor([[[1, 2, 1]]]), Tensor([[[0.5, 0.5, 0.5]]])) > 0)
    [[[ True  True False]]]
    """

    ngram_size: int = 1

    def check(self) -> None:
        checks.integer(self.name, "ngram_size", self.ngram_size, 1)

    def infer(self, state_seq: Spec, log_probs: Spec) -> Spec:
        """Return the spec of ``log_probs``; raise unless both are (N, beams, ...) and hold at least
        ``ngram_size`` words.
        """
        check_indices(self.name, state_seq, "state_seq")
        check_dtype_kind(self.name, log_probs, "f", "log_probs")
        if state_seq.ndim != 3 or log_probs.ndim != 3 or log_probs.shape[:2] != state_seq.shape[:2]:
            raise ValueError(
                f"{self.name}: state_seq must be (N, beams, words) and log_probs (N, beams, "
                f"vocabulary), got {state_seq} and {log_probs}."
            )
        if self.ngram_size > state_seq.shape[2]:
            rule = f"be at most {state_seq.shape[2]}, the words of state_seq"
            raise ValueError(
                checks.format_error(self.name, "ngram_size", rule, f"{self.ngram_size}")
            )
        return log_probs

    def kernel(self, state_seq: np.ndarray, log_probs: np.ndarray, *, out: np.ndarray) -> None:
        """Find earlier n-grams that begin with the last words, and exclude the word that ends
        each.
        """
        np.copyto(out, log_probs)
        n = self.ngram_size
        lowest = max(float(np.finfo(np.float32).min), float(np.finfo(out.dtype).min))
        grams = np.lib.stride_tricks.sliding_window_view(state_seq, n, 2)
        context = state_seq[:, :, None, state_seq.shape[2] - n + 1 :]
        is_repeat = (grams[..., : n - 1] == context).all(-1)
        for position in zip(*np.nonzero(is_repeat), strict=True):
            word = grams[position][-1]
            if not 0 <= word < out.shape[2]:
                rule = f"hold numbers in [0, {out.shape[2]})"
                raise ValueError(checks.format_error(self.name, "state_seq", rule, f"{word}"))
            out[(*position[:2], word)] = lowest


__all__ = [
    "CompareAndBitpack",
    "ComputeAccidentalHits",
    "MapUniform",
    "NoRepeatNGram",
    "SubAndFilter",
]

attach_docstrings("minispore.ops", __name__)
