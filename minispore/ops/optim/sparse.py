"""Optimizer updates of the rows at ``indices``; the gradient has one row per index.

A repeated index takes one step per occurrence, in order. The fused updates, FusedSparseAdam and
:class:`SparseApplyAdagrad` instead sum its gradients and take a single step. They also ignore
indices outside the variable, for which the other updates raise a ValueError.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from minispore.ops.elementwise.bases import check_dtype_kind
from minispore.ops.optim.adam import Adam
from minispore.ops.optim.adaptive import ApplyAdadelta, ApplyAdagradV2, ApplyRMSProp
from minispore.ops.optim.gradient import ApplyProximalAdagrad, compute_ftrl_step
from minispore.ops.optim.updates import _Update, check_rate, split_by_occurrence, sum_duplicate_rows
from minispore.ops.support.arguments import (
    FLOAT_KINDS,
    check_dtype,
    check_dtype_fits,
    check_tensor_spec,
)


class _SparseUpdate(_Update):
    """Base of updates of selected rows, whose indices are the last input.

    ``compute_rows(*states, *rates, gradient)`` returns the new rows of the states.
    """

    index_dtypes: ClassVar[tuple[str, ...]] = ("int32", "int64")  # the allowed dtypes of indices
    fused: ClassVar[bool] = False  # whether gradients of the same row are summed before the step

    def infer(self, *args: Any) -> Any:
        """Return the specs of the states.

        Raises:
            TypeError: an input is of a wrong dtype, or the gradient does not fit into the
                variable's dtype.
            ValueError: a state has another shape than the variable, the gradient does not have one
                row of the variable's shape for each index, or a rate is not one number.
        """
        var = check_dtype_kind(self.name, args[0], FLOAT_KINDS, "var")
        grad = check_tensor_spec(self.name, args[self.gradient], "grad")
        indices = check_dtype(self.name, args[-1], "indices", *self.index_dtypes)
        for i in self.mutates:
            if check_tensor_spec(self.name, args[i], f"input {i}").shape != var.shape:
                raise ValueError(
                    f"{self.name}: input {i} must have the shape of the variable {var.shape}, "
                    f"got {args[i].shape}."
                )
        if indices.ndim != 1 or grad.shape != (indices.size, *var.shape[1:]):
            raise ValueError(
                f"{self.name}: grad must hold one row of the variable {var.shape} for each index, "
                f"got {grad} and {indices}."
            )
        check_dtype_fits(self.name, var, grad, "the gradient")
        for i in range(len(self.mutates), self.gradient):
            check_rate(self.name, args[i], i)
        return tuple(args[i] for i in self.mutates)

    def compute_rows(self, *args: Any) -> tuple[Any, ...]:
        """Return the new rows of each state, computed from the old rows, the rates and the
        gradient.

        Subclasses override it; this base raises a TypeError.
        """
        raise TypeError(f"{self.name}: defines no step.")

    def kernel(self, *args: Any, out: Any) -> None:
        """Copy the states to ``out`` and update their rows there.

        Gradients of repeated indices are summed if ``fused``, else applied one after another.

        Raises:
            ValueError: an index is outside the variable; with ``fused`` such an index is ignored
                instead.
        """
        n = len(self.mutates)
        states, rates, grad, indices = args[:n], args[n:-2], args[-2], args[-1]
        if self.fused:
            indices, grad = sum_duplicate_rows(*_drop_out_of_range(indices, grad, len(states[0])))
        if indices.size and not (indices.min() >= 0 and indices.max() < len(states[0])):
            raise ValueError(
                f"{self.name}: indices must be in [0, {len(states[0])}), got {indices.min()} to "
                f"{indices.max()}."
            )
        for destination, state in zip(out, states, strict=True):
            np.copyto(destination, state)
        for positions in split_by_occurrence(indices):
            row_indices = indices[positions]
            new_rows = self.compute_rows(
                *[destination[row_indices] for destination in out], *rates, grad[positions]
            )
            for destination, new in zip(out, new_rows, strict=True):
                destination[row_indices] = new


def _drop_out_of_range(
    indices: np.ndarray, grad: np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices in [0, count) and their rows of ``grad``."""
    is_in_range = (indices >= 0) & (indices < count)
    return (indices, grad) if is_in_range.all() else (indices[is_in_range], grad[is_in_range])


class FusedSparseAdam(_SparseUpdate):
    """:class:`Adam` with a gradient of 0 for all other rows, whose moments therefore also decay.

    Gradients of a repeated index are summed; indices outside the variable are ignored.

    Inputs: var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad, indices (int32).
        Updates var, m and v in place and returns them.

    Args:
        use_locking: ignored; accepted for compatibility with MindSpore.
        use_nesterov: use Nesterov's look-ahead.

    >>> import minispore as ms
    >>> from minispore import Tensor
    >>> w, m, v = (Tensor(np.full((2, 1), x, np.float32)) for x in (1, 0, 0))
    >>> rates = (0.5, 0.5, 0.1, 0.5, 0.5, 0.0)
    >>> grad, rows = Tensor([[4.0]]), Tensor([1], ms.int32)
    >>> made = FusedSparseAdam()(w, m, v, *rates[:5], 1e-9, grad, rows)
    >>> print(made[0].asnumpy().round(4).ravel())
    [1.  0.9]
    """

    use_locking: bool = False
    use_nesterov: bool = False
    index_dtypes = ("int32",)
    mutates = (0, 1, 2)
    returns = 3
    gradient = 9

    def kernel(self, *args: Any, out: Any) -> None:
        """Sum the rows' gradients into a dense gradient, ignoring indices out of range, and apply
        Adam to all rows.
        """
        indices, grad = _drop_out_of_range(args[-1], args[-2], len(args[0]))
        dense_grad = np.zeros_like(args[0])
        np.add.at(dense_grad, indices, grad)
        Adam(False, self.use_nesterov).kernel(*args[:-2], dense_grad, out=out)


class FusedSparseLazyAdam(_SparseUpdate):
    """:class:`Adam` for the rows at ``indices``; other rows do not change.

    Gradients of a repeated index are summed; indices outside the variable are ignored.

    Inputs: var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad, indices (int32).
        Updates var, m and v in place and returns them.

    Args:
        use_locking: ignored; accepted for compatibility with MindSpore.
        use_nesterov: use Nesterov's look-ahead.

    >>> import minispore as ms
    >>> from minispore import Tensor
    >>> w, m, v = (Tensor(np.full((2, 1), x, np.float32)) for x in (1, 0, 0))
    >>> rates = (0.5, 0.5, 0.1, 0.5, 0.5, 0.0)
    >>> made = FusedSparseLazyAdam()(w, m, v, *rates, Tensor([[4.0]]), Tensor([1], ms.int32))
    >>> print(made[0].asnumpy().round(4).ravel())
    [1.  0.9]
    """

    use_locking: bool = False
    use_nesterov: bool = False
    index_dtypes = ("int32",)
    fused = True
    mutates = (0, 1, 2)
    returns = 3
    gradient = 9

    def compute_rows(self, *args: Any) -> tuple[Any, ...]:
        """Return the new rows of var, m and v."""
        outputs = tuple(np.empty_like(s) for s in args[:3])
        Adam(False, self.use_nesterov).kernel(*args, out=outputs)
        return outputs


class FusedSparseFtrl(_SparseUpdate):
    """FTRL for the rows at ``indices``, as one step for each row.

    Gradients of a repeated index are summed; indices outside the variable are ignored.

    Inputs: var, accum, linear, grad, indices (int32). Updates var, accum and linear in place and
        returns them.

    Args:
        lr: learning rate, > 0.
        l1: L1 penalty, >= 0.
        l2: L2 penalty, >= 0.
        lr_power: exponent of the decay of the rate, <= 0.
        use_locking: ignored; accepted for compatibility with MindSpore.

    >>> import minispore as ms
    >>> from minispore import Tensor
    >>> w, a, linear = (Tensor(np.full((2, 1), x, np.float32)) for x in (0, 1, 0))
    >>> op = FusedSparseFtrl(0.1, 0.0, 0.0, -0.5)
    >>> print(op(w, a, linear, Tensor([[0.0]]), Tensor([1], ms.int32))[0].asnumpy().ravel() + 0)
    [0. 0.]
    """

    lr: float
    l1: float
    l2: float
    lr_power: float
    use_locking: bool = False
    index_dtypes: ClassVar[tuple[str, ...]] = ("int32",)
    fused = True
    mutates = (0, 1, 2)
    returns = 3
    gradient = 3

    def check(self) -> None:
        """Check that the rates are in range; raise a ValueError otherwise."""
        super().check()
        for name, is_in_range in (("lr", self.lr > 0), ("l1", self.l1 >= 0), ("l2", self.l2 >= 0),
                           ("lr_power", self.lr_power <= 0)):  # fmt: skip
            if not is_in_range:
                raise ValueError(f"{self.name}: {name} is out of range, got {getattr(self, name)}.")

    def compute_rows(self, var: Any, accum: Any, linear: Any, grad: Any) -> tuple[Any, ...]:
        """Return the new rows of var, accum and linear."""
        return compute_ftrl_step(
            var, accum, linear, grad, self.lr, self.l1, self.l2, 0.0, self.lr_power
        )


class SparseApplyFtrl(FusedSparseFtrl):
    """FTRL for the rows at ``indices``, with one step for each occurrence of an index.

    The arguments are those of :class:`FusedSparseFtrl`. An index outside the variable raises a
    ValueError.

    Inputs: var, accum, linear, grad, indices. Updates var, accum and linear in place and returns
        them.

    >>> from minispore import Tensor
    >>> w, a, linear = (Tensor(np.full((2, 1), x, np.float32)) for x in (0, 1, 0))
    >>> op = SparseApplyFtrl(0.1, 0.0, 0.0, -0.5)
    >>> print(op(w, a, linear, Tensor([[0.0]]), Tensor([1]))[0].asnumpy().ravel() + 0)
    [0. 0.]
    """

    index_dtypes = _SparseUpdate.index_dtypes
    fused = False


class SparseApplyFtrlV2(_SparseUpdate):
    """FTRL for the rows at ``indices``, with a penalty ``l2_shrinkage`` on the gradient.

    Inputs: var, accum, linear, grad, indices (int32). Updates var, accum and linear in place and
        returns them.

    Args:
        lr: learning rate.
        l1: L1 penalty.
        l2: L2 penalty.
        l2_shrinkage: penalty added to the gradient only.
        lr_power: exponent of the decay of the rate.
        use_locking: ignored; accepted for compatibility with MindSpore.

    >>> import minispore as ms
    >>> from minispore import Tensor
    >>> w, a, linear = (Tensor(np.full((2, 1), x, np.float32)) for x in (0, 1, 0))
    >>> op = SparseApplyFtrlV2(0.1, 0.0, 0.0, 0.0, -0.5)
    >>> print(op(w, a, linear, Tensor([[0.0]]), Tensor([1], ms.int32))[0].asnumpy().ravel() + 0)
    [0. 0.]
    """

    lr: float
    l1: float
    l2: float
    l2_shrinkage: float
    lr_power: float
    use_locking: bool = False
    index_dtypes = ("int32",)
    mutates = (0, 1, 2)
    returns = 3
    gradient = 3

    def compute_rows(self, var: Any, accum: Any, linear: Any, grad: Any) -> tuple[Any, ...]:
        """Return the new rows of var, accum and linear."""
        rates = (self.lr, self.l1, self.l2, self.l2_shrinkage, self.lr_power)
        return compute_ftrl_step(var, accum, linear, grad, *rates)


class FusedSparseProximalAdagrad(_SparseUpdate):
    """:class:`ApplyProximalAdagrad` for the rows at ``indices``, as one step for each row.

    Gradients of a repeated index are summed; indices outside the variable are ignored.

    Inputs: var, accum, lr, l1, l2, grad, indices. Updates var and accum in place and returns them.

    Args:
        use_locking: ignored; accepted for compatibility with MindSpore.

    >>> from minispore import Tensor
    >>> w, a = (Tensor(np.full((2, 1), x, np.float32)) for x in (1, 0))
    >>> op = FusedSparseProximalAdagrad()
    >>> print(op(w, a, 0.5, 0.0, 0.0, Tensor([[4.0]]), Tensor([1]))[0].asnumpy().ravel())
    [1.  0.5]
    """

    use_locking: bool = False
    fused = True
    mutates = (0, 1)
    returns = 2
    gradient = 5

    def compute_rows(self, *args: Any) -> tuple[Any, ...]:
        """Return the new rows of var and accum."""
        return ApplyProximalAdagrad().compute_step(*args)


class SparseApplyProximalAdagrad(FusedSparseProximalAdagrad):
    """:class:`ApplyProximalAdagrad` for the rows at ``indices``, with one step for each occurrence.

    An index outside the variable raises a ValueError.

    Inputs: var, accum, lr, l1, l2, grad, indices. Updates var and accum in place and returns them.

    >>> from minispore import Tensor
    >>> w, a = (Tensor(np.full((2, 1), x, np.float32)) for x in (1, 0))
    >>> op = SparseApplyProximalAdagrad()
    >>> print(op(w, a, 0.5, 0.0, 0.0, Tensor([[4.0]]), Tensor([1]))[0].asnumpy().ravel())
    [1.  0.5]
    """

    fused = False


class SparseApplyAdagrad(_SparseUpdate):
    """accum += gradient^2; var -= lr * gradient / sqrt(accum), for the rows at ``indices``.

    Gradients of a repeated index are summed; indices outside the variable are ignored.

    Inputs: var, accum, grad, indices. Updates var and accum in place and returns them.

    Args:
        lr: learning rate.
        update_slots: False leaves accum unchanged.
        use_locking: ignored; accepted for compatibility with MindSpore.

    >>> from minispore import Tensor
    >>> w, a = (Tensor(np.full((2, 1), x, np.float32)) for x in (1, 0))
    >>> print(SparseApplyAdagrad(0.5)(w, a, Tensor([[4.0]]), Tensor([1]))[0].asnumpy().ravel())
    [1.  0.5]
    """

    lr: float
    update_slots: bool = True
    use_locking: bool = False
    fused = True
    mutates = (0, 1)
    returns = 2
    gradient = 2

    def compute_rows(self, var: Any, accum: Any, grad: Any) -> tuple[Any, ...]:
        """Return the new rows of var and accum."""
        return ApplyAdagradV2(0.0, self.update_slots).compute_step(var, accum, self.lr, grad)


class SparseApplyAdagradV2(_SparseUpdate):
    """accum += gradient^2; var -= lr * gradient / sqrt(accum + epsilon), for rows at ``indices``.

    A repeated index takes one step for each occurrence.

    Inputs: var, accum, grad, indices. Updates var and accum in place and returns them.

    Args:
        lr: learning rate.
        epsilon: keeps the divisor positive.
        use_locking: ignored; accepted for compatibility with MindSpore.
        update_slots: False leaves accum unchanged.

    >>> from minispore import Tensor
    >>> w, a = (Tensor(np.full((2, 1), x, np.float32)) for x in (1, 0))
    >>> op = SparseApplyAdagradV2(0.5, 1e-9)
    >>> print(op(w, a, Tensor([[4.0]]), Tensor([1]))[0].asnumpy().ravel())
    [1.  0.5]
    """

    lr: float
    epsilon: float
    use_locking: bool = False
    update_slots: bool = True
    mutates = (0, 1)
    returns = 2
    gradient = 2

    def compute_rows(self, var: Any, accum: Any, grad: Any) -> tuple[Any, ...]:
        """Return the new rows of var and accum."""
        if self.update_slots:
            accum = accum + grad * grad
        return var - self.lr * grad / np.sqrt(accum + self.epsilon), accum


class SparseApplyAdadelta(_SparseUpdate):
    """:class:`ApplyAdadelta` for the rows at ``indices``.

    Inputs: var, accum, accum_update, lr, rho, grad, indices. Updates the first three in place and
        returns them.

    Args:
        epsilon: keeps the divisor positive.
        use_locking: ignored; accepted for compatibility with MindSpore.

    >>> from minispore import Tensor
    >>> w, a, u = (Tensor(np.full((2, 1), x, np.float32)) for x in (1, 0, 0))
    >>> op = SparseApplyAdadelta(1.0)
    >>> print(op(w, a, u, 1.0, 0.0, Tensor([[0.0], [0.0]]), Tensor([0, 1]))[0].asnumpy().ravel())
    [1. 1.]
    """

    epsilon: float
    use_locking: bool = False
    mutates = (0, 1, 2)
    returns = 3
    gradient = 5

    def compute_rows(
        self, var: Any, accum: Any, accum_update: Any, lr: Any, rho: Any, grad: Any
    ) -> tuple[Any, ...]:
        """Return the new rows of var, accum and accum_update."""
        return ApplyAdadelta().compute_step(var, accum, accum_update, lr, rho, self.epsilon, grad)


class SparseApplyRMSProp(_SparseUpdate):
    """:class:`ApplyRMSProp` for the rows at ``indices``; a gradient of 0 keeps the mean square.

    Inputs: var, mean_square, moment, lr, grad, indices. Updates the first three in place and
        returns them.

    Args:
        rho: decay of the mean square.
        momentum: momentum of the steps.
        epsilon: keeps the divisor positive.
        use_locking: ignored; accepted for compatibility with MindSpore.

    >>> from minispore import Tensor
    >>> w, s, m = (Tensor(np.full((2, 1), x, np.float32)) for x in (1, 0, 0))
    >>> op = SparseApplyRMSProp(0.0, 0.5, 1e-9)
    >>> print(op(w, s, m, 0.5, Tensor([[4.0], [4.0]]), Tensor([0, 1]))[0].asnumpy().ravel())
    [0.5 0.5]
    """

    rho: float
    momentum: float
    epsilon: float
    use_locking: bool = False
    mutates = (0, 1, 2)
    returns = 3
    gradient = 4

    def compute_rows(
        self, var: Any, mean_square: Any, moment: Any, lr: Any, grad: Any
    ) -> tuple[Any, ...]:
        """Return the new rows of var, mean_square and moment; elements with a gradient of 0 keep
        their mean_square.
        """
        rates = (self.rho, self.momentum, self.epsilon)
        var, new_mean_square, moment = ApplyRMSProp().compute_step(
            var, mean_square, moment, lr, grad, *rates
        )
        return var, np.where(grad, new_mean_square, mean_square), moment


__all__ = [
    "FusedSparseAdam",
    "FusedSparseFtrl",
    "FusedSparseLazyAdam",
    "FusedSparseProximalAdagrad",
    "SparseApplyAdadelta",
    "SparseApplyAdagrad",
    "SparseApplyAdagradV2",
    "SparseApplyFtrl",
    "SparseApplyFtrlV2",
    "SparseApplyProximalAdagrad",
    "SparseApplyRMSProp",
]
