"""Training with a scaled loss, which skips steps with overflowing gradients."""

from __future__ import annotations

from typing import Any

from minispore import context, ops
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.core.tree import tensors_in
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn import check
from minispore.nn.cell import Cell
from minispore.nn.wrap.cell_wrapper import TrainOneStepCell
from minispore.ops.support.arguments import check_arithmetic_operands

# The functions below have MindSpore's names, since scripts with custom training steps import them.
# The last two are for steps that accumulate gradients over pipeline stages.
_grad_scale = ops.MultitypeFuncGraph("grad_scale")
_grad_overflow = ops.MultitypeFuncGraph("_grad_overflow")
grad_scale = ops.MultitypeFuncGraph("grad_scale")
shard_grad_scale = ops.MultitypeFuncGraph("shard_grad_scale")


@_grad_scale.register("Tensor", "Tensor")
def tensor_grad_scale(scale: Tensor, grad: Tensor) -> Tensor:
    """Return grad / scale."""
    return grad * ops.cast(ops.reciprocal(scale), grad.dtype)


@_grad_overflow.register("Tensor")
def _tensor_grad_overflow(grad: Tensor) -> Tensor:
    """Return 1.0 if an element of grad is infinite or NaN, else 0.0; shape (1,)."""
    finite = ops.ReduceAll()(ops.isfinite(grad), ())
    return ops.reshape(1.0 - ops.cast(finite, mstype.float32), (1,))


@grad_scale.register("Tensor", "Tensor", "Tensor")
def _summed_grad_scale(scale: Tensor, grad: Tensor, accu_grad: Parameter) -> Tensor:
    """Return accu_grad / scale after grad is computed; reset accu_grad to 0."""
    return _scale_and_reset(scale, ops.depend(accu_grad, grad), accu_grad)


@shard_grad_scale.register("Tensor", "Tensor", "Tensor")
def _shard_grad_scale(scale: Tensor, grad: Tensor, accu_grad: Parameter) -> Tensor:
    """Return grad / scale; reset accu_grad to 0."""
    return _scale_and_reset(scale, grad, accu_grad)


def _scale_and_reset(scale: Tensor, total: Tensor, accu_grad: Parameter) -> Tensor:
    """Return total / scale and reset accu_grad to 0."""
    scaled = total * ops.reciprocal(scale)
    return ops.depend(scaled, ops.assign(accu_grad, ops.zeros_like(accu_grad)))


class DynamicLossScaleUpdateCell(Cell):
    """A Cell that divides the scale on overflow and multiplies it after ``scale_window`` steps
    without one.

    Args:
        loss_scale_value: the initial scale.
        scale_factor: the divisor and multiplier of the scale.
        scale_window: the number of steps after which it grows.

    Inputs: the scale (a Parameter, updated in place), whether the step overflowed. Returns the
    latter.

    >>> scale = Parameter(Tensor(1024.0), name="scale")
    >>> update = DynamicLossScaleUpdateCell(1024.0, 2, 1000)
    >>> print(update(scale, Tensor(True)), scale.asnumpy())
    True 512.0
    """

    def __init__(self, loss_scale_value: float, scale_factor: float, scale_window: int) -> None:
        super().__init__()
        name = "DynamicLossScaleUpdateCell"
        self.loss_scale_value = checks.number(name, "loss_scale_value", loss_scale_value)
        self.scale_factor = checks.number(name, "scale_factor", scale_factor, 0.0, closed="(]")
        self.scale_window = checks.integer(name, "scale_window", scale_window)
        self.cur_iter = Parameter(Tensor(1, mstype.int32), name="current_iterator_step")
        self.last_overflow_iter = Parameter(
            Tensor(0, mstype.int32), name="last_overflow_iterator_step"
        )

    def get_loss_scale(self) -> float:
        """Return the initial scale."""
        return self.loss_scale_value

    def construct(self, loss_scale: Parameter, overflow: Tensor) -> Tensor:
        """Assign the next scale (at least 1 after an overflow) to ``loss_scale``, count the step,
        and return ``overflow``.
        """
        check_arithmetic_operands("DynamicLossScaleUpdateCell", loss_scale=loss_scale)
        lower = ops.maximum(loss_scale * (1 / self.scale_factor), 1.0)
        scale = ops.select(overflow, lower, loss_scale)
        is_due = self.cur_iter - self.last_overflow_iter >= self.scale_window
        last_change = ops.select(
            ops.logical_or(overflow, is_due), self.cur_iter, self.last_overflow_iter
        )
        grows = ops.logical_and(is_due, ops.logical_not(overflow))
        ops.assign(self.last_overflow_iter, last_change)
        ops.assign(loss_scale, ops.select(grows, scale * self.scale_factor, scale))
        ops.assign_add(self.cur_iter, 1)
        return overflow


class FixedLossScaleUpdateCell(Cell):
    """A Cell with a loss scale that never changes.

    Args:
        loss_scale_value: the scale.

    Inputs: the scale, whether the step overflowed. Returns the latter.
    """

    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        self.loss_scale_value = checks.number(
            "FixedLossScaleUpdateCell", "loss_scale_value", loss_scale_value
        )

    def get_loss_scale(self) -> float:
        """Return the scale."""
        return self.loss_scale_value

    def construct(self, _: Any, overflow: Tensor) -> Tensor:
        return overflow


class TrainOneStepWithLossScaleCell(TrainOneStepCell):
    """One training step with a scaled loss; the update is skipped if a gradient overflows.

    Returns (loss, overflow, scale) when called.

    Args:
        network: a Cell that returns the loss.
        optimizer: updates its parameters.
        scale_sense: a Tensor of shape () or (1,), or a Cell that updates the scale, such as the two
            above.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: the Tensor has a different shape.
    """

    def __init__(self, network: Cell, optimizer: Any, scale_sense: Any) -> None:
        super().__init__(network, optimizer)
        name = type(self).__name__
        if isinstance(scale_sense, Cell):
            self.loss_scaling_manager: Any = scale_sense
            initial_scale = Tensor(scale_sense.get_loss_scale(), mstype.float32)
        elif isinstance(scale_sense, Tensor):
            if scale_sense.shape not in ((), (1,)):
                raise ValueError(
                    f"{name}: scale_sense must have the shape () or (1,), got {scale_sense.shape}."
                )
            self.loss_scaling_manager = None
            initial_scale = scale_sense
        else:
            raise TypeError(
                f"{name}: scale_sense must be a Tensor or a Cell, got "
                f"{checks.format_value(scale_sense)}."
            )
        self.scale_sense = Parameter(initial_scale, name="scale_sense")
        self.is_distributed = self.reducer_flag
        # Subclasses in scripts call these.
        self.hyper_map = ops.HyperMap()
        self.base = Tensor(1, mstype.float32)
        self.reduce_sum = ops.ReduceSum()
        self.less_equal = ops.LessEqual()
        self.logic_not = ops.LogicalNot()
        self.allreduce = ops.AllReduce()
        self.gpu_target = context.get_context("device_target") == "GPU"

    def construct(self, *inputs: Any) -> tuple[Any, Tensor, Tensor]:
        """Run one step, with no update if a gradient overflowed; return the loss, the overflow and
        the scale for the next step.
        """
        scale = self.scale_sense
        loss, grads = self._loss_and_grads_(*inputs, sens=scale)
        grads = tuple(tensor_grad_scale(scale, g) for g in grads)
        grads = self.grad_reducer(grads)
        overflow = self.get_overflow_status(None, grads)
        skip = self.process_loss_scale(overflow)
        if not skip:
            self.optimizer(grads)
        return self._average_loss_(loss), overflow, ops.identity(scale)

    def set_sense_scale(self, sens: Tensor) -> None:
        """Set the loss scale.

        Raises:
            TypeError: ``sens`` is not a Tensor.
        """
        self.scale_sense.set_data(check.check_tensor(type(self).__name__, "sens", sens))

    def start_overflow_check(self, pre_cond: Any, compute_input: Any) -> tuple[Tensor, Any]:
        """Return a dummy status for :meth:`get_overflow_status`, and ``compute_input``.

        MindSpore clears the device's overflow flag here.
        """
        return Tensor([0] * 8, mstype.int32), compute_input

    def get_overflow_status(self, status: Any, compute_output: Any) -> Tensor:
        """Whether a tensor in ``compute_output`` holds an infinity or NaN, on any rank."""
        finite = [ops.ReduceAll()(ops.isfinite(t), ()) for t in tensors_in(compute_output)]
        overflow = ops.logical_not(ops.ReduceAll()(ops.stack(finite), ()))
        if self.is_distributed:
            return ops.AllReduce("max")(ops.cast(overflow, mstype.float32)) > 0
        return overflow

    def process_loss_scale(self, overflow: Tensor) -> Tensor:
        """Update the scale by the loss-scaling manager, if any; return whether to skip the
        parameters' update.
        """
        if self.loss_scaling_manager is None:
            return overflow
        return self.loss_scaling_manager(self.scale_sense, overflow)


__all__ = [
    "DynamicLossScaleUpdateCell",
    "FixedLossScaleUpdateCell",
    "TrainOneStepWithLossScaleCell",
]
