"""Adafactor: Adam with a factored second moment."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import check_dtype_kind
from minispore.ops.optim.updates import _Update, check_rate
from minispore.ops.support.arguments import FLOAT_KINDS, check_number, check_tensor_spec


class FusedAdaFactor(_Update):
    """Adam that stores the second moment of a matrix as the means of its rows and columns.

    The update is divided by max(1, its root mean square / clip_threshold), and computed in
    float32.

    Inputs: epsilon (a pair: added to the squared gradient; least scale of the learning rate),
        clip_threshold, beta1, beta2, weight_decay, lr, gradient, weights, exp_avg, exp_avg_sq_row,
        exp_avg_sq_col, exp_avg_sq. Updates the last five in place and returns them.

    Args:
        enable_scale_parameter: scale the learning rate by the root mean square of the weights.
        enable_first_moment: step by the moving average of the updates.
        enable_weight_decay: decay the weights.

    Shape: for weights (..., R, C): row means (..., R) and column means (..., C); vectors use
        exp_avg_sq instead of both.

    Source: Shazeer & Stern, https://arxiv.org/abs/1804.04235

    >>> from minispore import Tensor
    >>> w, m, row, column, v = (Tensor(np.zeros(s, np.float32)) for s in (2, 2, (), (), 2))
    >>> rates = ((1e-30, 1e-3), 1.0, 0.0, 0.0, 0.0, 0.1)
    >>> op = FusedAdaFactor()
    >>> print(op(*rates, Tensor([4.0, -4.0]), w, m, row, column, v)[0].asnumpy().round(4))
    [-0.1  0.1]
    """

    enable_scale_parameter: bool = False
    enable_first_moment: bool = False
    enable_weight_decay: bool = False
    mutates = (7, 8, 9, 10, 11)
    returns = 5
    gradient = 6
    inputs: ClassVar[int] = 12

    def check(self) -> None:
        for name in self.fields:
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f"{self.name}: {name} must be a bool.")

    def infer(self, *args: Any) -> Any:
        """Return the specs of the variable and its four states.

        Raises:
            TypeError: the number of inputs or the type of one is wrong.
            ValueError: the gradient has another shape than the variable, or ``epsilon`` or a rate
                has a wrong number of elements.
        """
        if len(args) != self.inputs:
            raise TypeError(f"{self.name}: takes {self.inputs} inputs, got {len(args)}.")
        grad = args[6]
        param = check_dtype_kind(self.name, args[7], FLOAT_KINDS, "param")
        if check_tensor_spec(self.name, grad, "grad").shape != param.shape:
            raise ValueError(
                f"{self.name}: grad must have the shape of the variable {param.shape}, got {grad}."
            )
        check_dtype_kind(self.name, grad, FLOAT_KINDS, "grad")
        names = ("exp_avg", "exp_avg_sq_row", "exp_avg_sq_col", "exp_avg_sq")
        for name, state in zip(names, args[8:12], strict=True):
            check_tensor_spec(self.name, state, name)
        epsilons = args[0]
        count = epsilons.size if isinstance(epsilons, Spec) else np.size(epsilons)
        if count != 2:
            rule = "hold two numbers"
            raise ValueError(
                checks.format_error(self.name, "epsilon", rule, checks.format_value(epsilons))
            )
        for epsilon in epsilons if isinstance(epsilons, tuple) else ():
            check_number(self.name, epsilon, "epsilon")
        for i, rate in enumerate((*args[1:6], *args[12:]), 1):
            check_rate(self.name, rate, i)
        return tuple(args[7:12])

    def kernel(
        self, epsilon: Any, clip_threshold: Any, beta1: Any, beta2: Any, weight_decay: Any, lr: Any,
        grad: Any, param: Any, exp_avg: Any, row: Any, column: Any, square: Any,
        global_norm: Any = 1.0, *, out: Any,
    ) -> None:  # fmt: skip
        """Compute the step in float32 and write the new weights, exp_avg, row, column and square to
        ``out``.

        The second moment is ``row`` and ``column`` for weights of 2 or more axes, else ``square``;
        the unused ones keep their values.
        """
        epsilon1, epsilon2 = np.asarray(epsilon, np.float64).reshape(-1).tolist()
        g = np.asarray(grad, np.float32) / global_norm
        weights = np.asarray(param, np.float32)
        squared_grad = g * g + epsilon1
        if param.ndim >= 2:
            row = beta2 * row + (1 - beta2) * squared_grad.mean(-1)
            column = beta2 * column + (1 - beta2) * squared_grad.mean(-2)
            row_factor = row / row.mean(-1, keepdims=True)
            update = g / np.sqrt(row_factor[..., None] * column[..., None, :])
        else:
            square = beta2 * square + (1 - beta2) * squared_grad
            update = g / np.sqrt(square)
        update = update / np.maximum(1.0, _compute_root_mean_square(update) / clip_threshold)
        rate = lr
        if self.enable_scale_parameter:
            rate = lr * np.maximum(epsilon2, _compute_root_mean_square(weights))
        update = update * rate
        if self.enable_first_moment:
            exp_avg = update = beta1 * exp_avg + (1 - beta1) * update
        if self.enable_weight_decay:
            update = update + weight_decay * rate * weights
        new_values = (weights - update, exp_avg, row, column, square)
        for destination, value in zip(out, new_values, strict=True):
            np.copyto(destination, value, casting="same_kind")


def _compute_root_mean_square(x: np.ndarray) -> Any:
    """Return the square root of the mean of the squares of ``x``."""
    return np.sqrt(np.mean(np.square(x)))


class FusedAdaFactorWithGlobalNorm(FusedAdaFactor):
    """:class:`FusedAdaFactor` of the gradient divided by its global norm, the last input.

    >>> from minispore import Tensor
    >>> w, m, row, column, v = (Tensor(np.zeros(s, np.float32)) for s in (2, 2, (), (), 2))
    >>> rates = ((1e-30, 1e-3), 1.0, 0.0, 0.0, 0.0, 0.1)
    >>> made = FusedAdaFactorWithGlobalNorm()(*rates, Tensor([4.0, 8.0]), w, m, row, column, v, 2.0)
    >>> print(made[0].asnumpy().round(4))
    [-0.1 -0.1]
    """

    inputs = 13


__all__ = [
    "FusedAdaFactor",
    "FusedAdaFactorWithGlobalNorm",
]
