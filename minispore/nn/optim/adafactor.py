"""Adafactor: Adam that stores the second moments of a matrix as one row and one column."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from minispore import ops
from minispore.core.parameter import Parameter, ParameterTuple
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn.optim.optimizer import Gradients, Optimizer, opt_init_args_register


class AdaFactor(Optimizer):
    """u = g / sqrt(v');  u = u / max(1, RMS(u) / clip_threshold);  parameter -= lr' * u.

    v' of a matrix is R C / mean(R), where R and C are moving averages of the means of g**2 + eps[0]
    over rows and over columns; in step t, the weight of the new mean is t**-decay_rate. lr' is the
    learning rate, times max(eps[1], RMS(parameter)) with ``scale_parameter``.

    Args:
        params: Parameters or groups of them, see :class:`Optimizer`.
        learning_rate: see :class:`Optimizer`; None for min(1e-2, 1 / sqrt(t)). A schedule disables
            ``scale_parameter``.
        eps: two numbers: the one added to g**2, and the minimum scale of a parameter.
        clip_threshold: the largest RMS of u.
        decay_rate: in (0, 1).
        beta1: the decay rate of the moving average of steps; 0 or None for no such average.
        weight_decay: in [0, 1); multiplied by lr' * parameter and subtracted.
        scale_parameter: whether larger parameters make larger steps.
        relative_step: whether the learning rate is computed from t; then ``learning_rate`` must be
            None.
        warmup_init: whether that learning rate starts at 1e-6 * t.
        compression: store the second moments of vectors as float16.
        loss_scale: has no effect: the steps do not depend on the gradients' scale.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a number is out of range, arguments contradict each other, or there are no
            parameters.

    Source: Shazeer and Stern 2018.

    >>> from minispore import nn
    >>> w = Parameter(Tensor([[1.0, 2.0], [3.0, 4.0]]), name="w")
    >>> optimizer = nn.AdaFactor([w], learning_rate=0.1, beta1=0.0, scale_parameter=False,
    ...                          relative_step=False)
    >>> optimizer((Tensor([[1.0, 1.0], [-1.0, 1.0]]),))
    (True,)
    >>> print(w.asnumpy().round(4))
    [[0.9 1.9]
     [3.1 3.9]]
    """

    _support_parallel_optimizer = True

    @opt_init_args_register
    def __init__(
        self,
        params: Any,
        learning_rate: Any = None,
        eps: tuple[float, float] = (1e-30, 1e-3),
        clip_threshold: float = 1.0,
        decay_rate: float = 0.8,
        beta1: float | None = 0.9,
        weight_decay: float = 0.0,
        scale_parameter: bool = True,
        relative_step: bool = True,
        warmup_init: bool = False,
        compression: bool = False,
        loss_scale: float = 1.0,
    ) -> None:
        name = "AdaFactor"
        self.relative_step = checks.boolean(name, "relative_step", relative_step)
        self.warmup_init = checks.boolean(name, "warmup_init", warmup_init)
        if (learning_rate is None) != relative_step:
            raise ValueError(
                f"{name}: learning_rate must be None with relative_step=True and given without "
                f"it, got {checks.format_value(learning_rate)} and relative_step={relative_step}."
            )
        if warmup_init and not relative_step:
            raise ValueError(f"{name}: warmup_init must be False unless relative_step is True.")
        # Without loss_scale, since this decay is not part of the gradients that it divides.
        super().__init__(0.0 if learning_rate is None else learning_rate, params, weight_decay)
        self.loss_scale = checks.number(name, "loss_scale", loss_scale, 0.0, closed="(]")
        if not isinstance(eps, list | tuple):
            raise TypeError(
                f"{name}: eps must be a tuple of two floats, got {checks.format_value(eps)}."
            )
        if len(eps) != 2:
            raise ValueError(f"{name}: eps must be two floats, got {eps!r}.")
        for value in eps:
            checks.number(name, "eps", checks.instance(name, "eps", value, float), 0.0)
        checks.instance(name, "clip_threshold", clip_threshold, float)
        checks.instance(name, "decay_rate", decay_rate, float)
        beta1 = 0.0 if beta1 is None else checks.number(name, "beta1", beta1, 0.0)
        self.eps = tuple(eps)
        self.clip_threshold = checks.number(name, "clip_threshold", clip_threshold, 0.0)
        self.decay_rate = checks.number(name, "decay_rate", decay_rate, 0.0, 1.0, "()")
        self.beta1 = beta1
        checks.floating(name, "weight_decay", weight_decay, 0.0, 1.0, "[)")
        self.compression = checks.boolean(name, "compression", compression)
        is_number = learning_rate is None or isinstance(learning_rate, float | int)
        self.scale_parameter = checks.boolean(name, "scale_parameter", scale_parameter)
        if scale_parameter and not is_number:
            _log.warning("AdaFactor: a schedule of learning rates leaves scale_parameter out.")
            self.scale_parameter = False
        self.use_first_moment = beta1 > 0
        self._set_moments()
        self.step = Parameter(Tensor(np.zeros(1, np.float32)), name="afactor_step")
        self.fused_ada_factor = ops.FusedAdaFactor(
            self.scale_parameter, self.use_first_moment, self.exec_weight_decay
        )

    def _set_moments(self) -> None:
        """Create the moments: a row and a column for each matrix, all squares for other shapes.

        Unused moments are Parameters of shape (1,) or ().
        """
        rows, columns, squares = [], [], []
        for p in self._parameters:
            is_matrix = p.ndim > 1
            square_dtype = mstype.float16 if self.compression and not is_matrix else p.dtype
            rows.append(_make_zeros("row_", p, p.shape[:-1] if is_matrix else (1,), p.dtype))
            columns.append(
                _make_zeros("col_", p, (*p.shape[:-2], p.shape[-1]) if is_matrix else (1,), p.dtype)
            )
            squares.append(_make_zeros("", p, (1,) if is_matrix else p.shape, square_dtype))
        if self.use_first_moment:
            self.exp_avg = self._parameters.clone("exp_avg", init="zeros")
        else:
            self.exp_avg = ParameterTuple([Parameter(Tensor(0.0))] * len(rows))
        self.exp_avg_sq_row, self.exp_avg_sq_col = ParameterTuple(rows), ParameterTuple(columns)
        self.exp_avg_sq = ParameterTuple(squares)

    def _prepare_gradients_(self, gradients: Gradients) -> Any:
        """Return pairs of a gradient and its weight decay, which the update applies itself."""
        decay = self.get_weight_decay()
        decays = decay if self.is_group else (decay,) * self.param_length
        return tuple(zip(gradients, decays, strict=True))

    def _prepare_step_(self) -> Any:
        """Count the step; return beta2 and, with ``relative_step``, the learning rate."""
        step = ops.reshape(ops.assign_add(self.step, 1.0), ())
        beta2 = 1.0 - ops.pow(step, -self.decay_rate)
        if not self.relative_step:
            return beta2, None
        max_rate = 1e-6 * step if self.warmup_init else Tensor(1e-2)
        return beta2, ops.minimum(max_rate, 1.0 / ops.sqrt(step))

    def _update_param_(
        self, i: int, lr: Tensor, parameter: Parameter, gradient: Any, shared: Any
    ) -> None:
        """Update the second moments, the parameter and, with beta1, the first moment by one op."""
        beta2, relative_rate = shared
        gradient, decay = gradient
        self.fused_ada_factor(
            self.eps, self.clip_threshold, self.beta1, beta2, decay,
            lr if relative_rate is None else relative_rate, gradient, parameter, self.exp_avg[i],
            self.exp_avg_sq_row[i], self.exp_avg_sq_col[i], self.exp_avg_sq[i],
        )  # fmt: skip


def _make_zeros(infix: str, param: Parameter, shape: tuple[int, ...], dtype: Any) -> Parameter:
    """Return a Parameter of zeros, named after ``param`` like the second moments."""
    zeros = Tensor(np.zeros(shape, mstype.to_numpy(dtype)))
    return Parameter(zeros, name=f"exp_avg_sq_{infix}{param.name}")


_log = logging.getLogger(__name__)

__all__ = ["AdaFactor"]
