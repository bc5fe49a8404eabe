"""SampledSoftmaxLoss: softmax over the true classes and a few sampled ones."""

from __future__ import annotations

from typing import Any

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn.loss.base import LossBase


class SampledSoftmaxLoss(LossBase):
    """The cross entropy of each row's true classes against a few sampled classes.

    The logit of a class is ``weights[class] . logits + biases[class] - log(its expected count)``;
    each true class has the weight ``1 / num_true``.

    Args:
        num_sampled (int): the number of classes that are drawn.
        num_classes (int): the number of all classes.
        num_true (int, optional): the number of true classes in each row. Default: ``1``.
        sampled_values (Union[list, tuple], optional): the result of a candidate sampler: the drawn
            classes, and the expected counts of the true and the drawn classes. Default: ``None``,
            classes are drawn uniformly.
        remove_accidental_hits (bool, optional): never draw a true class. Default: ``True``.
        seed (int, optional): the seed of the draw. Default: ``0``.
        reduction (str, optional): ``"none"``, ``"mean"`` or ``"sum"``. Default: ``"none"``.

    Raises:
        TypeError: an argument has the wrong type; when called: labels are not int32 or int64.
        ValueError: an argument is out of range; when called: the shapes do not match.

    Shape: weights (C, dim); biases (C,); labels (N, num_true) of int32 or int64; logits (N, dim).

    >>> drawn = Tensor([2, 0], mstype.int32), Tensor([[0.5]]), Tensor([0.5, 0.5])
    >>> loss = SampledSoftmaxLoss(2, 3, sampled_values=drawn)
    >>> weights, biases = Tensor([[1.0], [1.0], [1.0]]), Tensor([0.0, 0.0, 0.0])
    >>> print(loss(weights, biases, Tensor([[1]], mstype.int32), Tensor([[1.0]])))
    [1.0986123]
    """

    def __init__(
        self,
        num_sampled: int,
        num_classes: int,
        num_true: int = 1,
        sampled_values: Any = None,
        remove_accidental_hits: bool = True,
        seed: int = 0,
        reduction: str = "none",
    ) -> None:
        super().__init__(reduction)
        name = "SampledSoftmaxLoss"
        self.num_true = checks.integer(name, "num_true", num_true, 1)
        self.num_sampled = checks.integer(name, "num_sampled", num_sampled, 1)
        self.num_classes = checks.integer(name, "num_classes", num_classes, 1)
        self.seed = checks.integer(name, "seed", seed, 0)
        self.remove_accidental_hits = checks.boolean(
            name, "remove_accidental_hits", remove_accidental_hits
        )
        for argument, count in (("num_sampled", num_sampled), ("num_true", num_true)):
            if count > num_classes:
                raise ValueError(
                    f"{name}: {argument} must be at most num_classes, got {count} > {num_classes}."
                )
        if sampled_values is not None and not isinstance(sampled_values, list | tuple):
            raise TypeError(
                f"{name}: sampled_values must be a list or tuple, got "
                f"{checks.format_value(sampled_values)}."
            )
        if sampled_values is not None and len(sampled_values) != 3:
            raise ValueError(
                f"{name}: sampled_values must be 3 Tensors (the drawn classes, the expected counts "
                f"of the true and of the drawn ones), got {len(sampled_values)}."
            )
        self.sampled_values = sampled_values
        self.sampler = ops.UniformCandidateSampler(
            num_true, num_sampled, True, num_classes, seed, remove_accidental_hits
        )

    def construct(self, weights: Tensor, biases: Tensor, labels: Tensor, logits: Tensor) -> Tensor:
        """Return the loss of each row, the mean over its true classes corrected for the sampling,
        reduced over the rows. Labels (N,) hold one true class each.
        """
        self._check_tensors_(weights=weights, biases=biases, labels=labels, logits=logits)
        if labels.dtype not in (mstype.int32, mstype.int64):
            raise TypeError(
                f"SampledSoftmaxLoss: labels must be int32 or int64, got {labels.dtype}. Cast them."
            )
        if labels.ndim == 1:
            labels = ops.expand_dims(labels, 1)
        if labels.ndim != 2 or labels.shape != (logits.shape[0], self.num_true):
            raise ValueError(
                f"SampledSoftmaxLoss: labels must be (N, num_true) = "
                f"{(logits.shape[0], self.num_true)}, got shape {labels.shape}."
            )
        sampled, true_count, sampled_count = self.sampled_values or self.sampler(labels)
        true_logits = (ops.gather(weights, labels, 0) * ops.expand_dims(logits, 1)).sum(-1)
        true_logits = true_logits + ops.gather(biases, labels, 0) - ops.log(true_count)
        sampled_weights = ops.gather(weights, sampled, 0)
        sampled_logits = ops.matmul(logits, ops.transpose(sampled_weights, (1, 0)))
        sampled_logits = sampled_logits + ops.gather(biases, sampled, 0) - ops.log(sampled_count)
        log_probs = ops.log_softmax(ops.concat((true_logits, sampled_logits), 1), 1)
        return self.get_loss(-log_probs[:, : self.num_true].mean(axis=1))


__all__ = ["SampledSoftmaxLoss"]
