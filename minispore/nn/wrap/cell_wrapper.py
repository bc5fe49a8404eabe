"""Wrappers: Cells that add a loss, gradients or an optimizer to a network."""

from __future__ import annotations

from functools import partial
from types import FunctionType, MethodType
from typing import Any

from minispore import context, ops
from minispore.context import ParallelMode
from minispore.core.autograd import GradOperation, value_and_grad
from minispore.core.parameter import Parameter, ParameterTuple
from minispore.core.tensor import Tensor
from minispore.core.tree import map_tensors, tensors_in
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn import check
from minispore.nn.cell import Cell
from minispore.nn.layer.basic import Identity
from minispore.nn.loss.base import LossBase
from minispore.nn.wrap.grad_reducer import DistributedGradReducer, warn_if_setting_changed
from minispore.ops.control.collective import WORLD
from minispore.ops.support import transport


class WithLossCell(Cell):
    """A Cell that computes ``loss_fn(backbone(data), label)``.

    >>> from minispore import nn
    >>> net = WithLossCell(nn.ReLU(), nn.MSELoss())
    >>> print(net(Tensor([-1.0, 2.0]), Tensor([0.0, 1.0])))
    0.5
    """

    def __init__(self, backbone: Cell, loss_fn: Any) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self._loss_fn = check.check_callable(type(self).__name__, "loss_fn", loss_fn)

    def construct(self, data: Any, label: Any, *others: Any) -> Any:
        """Return the loss; raise TypeError if there are more inputs than data and label."""
        if others:
            raise TypeError(
                f"{type(self).__name__}: inputs must be data and label, got {2 + len(others)} of "
                "them. Give the dataset two columns, or write a Cell that computes the loss of all."
            )
        return self._loss_fn(self._backbone(data), label)

    @property
    def backbone_network(self) -> Cell:
        """The network without the loss."""
        return self._backbone


class WithEvalCell(Cell):
    """A Cell that returns (loss_fn(outputs, label), outputs, label), where outputs = network(data).

    Args:
        network: the network.
        loss_fn: the loss.
        add_cast_fp32: whether to compute the loss in float32.

    Raises:
        TypeError: ``add_cast_fp32`` is not a bool.
    """

    def __init__(self, network: Cell, loss_fn: Any, add_cast_fp32: bool = False) -> None:
        super().__init__(auto_prefix=False)
        self._network = network
        self._loss_fn = loss_fn
        self.add_cast_fp32 = checks.boolean("WithEvalCell", "add_cast_fp32", add_cast_fp32)

    def construct(self, data: Any, label: Any) -> tuple[Any, Any, Any]:
        outputs = self._network(data)
        if self.add_cast_fp32:
            label, outputs = _as_float32(label), _as_float32(outputs)
        return self._loss_fn(outputs, label), outputs, label


def _as_float32(tree: Any) -> Any:
    """Return ``tree`` with its float tensors cast to float32."""
    return map_tensors(lambda t: ops.cast(t, mstype.float32) if t.dtype.kind == "f" else t, tree)


class WithGradCell(Cell):
    """A Cell that computes the gradients of the loss by the trainable parameters, in training mode.

    Args:
        network: the network; it must return the loss if there is no ``loss_fn``.
        loss_fn: the loss.
        sens: the cotangent of the loss; ones by default.
    """

    def __init__(self, network: Cell, loss_fn: Any = None, sens: Any = None) -> None:
        super().__init__(auto_prefix=False)
        self.network = network
        self.loss_fn = loss_fn
        self.weights = ParameterTuple(network.trainable_params())
        self.sens = sens
        self.grad = GradOperation(get_by_list=True, sens_param=sens is not None)
        self.network_with_loss = network if loss_fn is None else WithLossCell(network, loss_fn)
        self.network_with_loss.set_train()

    def construct(self, *inputs: Any) -> tuple[Tensor, ...]:
        """Return the gradients of the loss by the trainable parameters, one for each."""
        if self.sens is not None:
            inputs = (*inputs, self.sens)
        return self.grad(self.network_with_loss, self.weights)(*inputs)


class ForwardValueAndGrad(Cell):
    """A Cell that computes the network's value and its gradients.

    Args:
        network: a Cell or function.
        weights: parameters to differentiate by.
        get_all: differentiate by all inputs rather than only the first.
        get_by_list: differentiate by ``weights``.
        sens_param: the last input is the cotangent of the output.

    Raises:
        TypeError: an argument has the wrong type.
    """

    def __init__(
        self,
        network: Any,
        weights: Any = None,
        get_all: bool = False,
        get_by_list: bool = False,
        sens_param: bool = False,
    ) -> None:
        super().__init__(auto_prefix=False)
        name = "ForwardValueAndGrad"
        if not isinstance(network, Cell | FunctionType | MethodType):
            got, rule = checks.format_value(network), "be a Cell or a function"
            raise TypeError(checks.format_error(name, "network", rule, got))
        self.get_all = checks.boolean(name, "get_all", get_all)
        self.get_by_list = checks.boolean(name, "get_by_list", get_by_list)
        if get_by_list and not isinstance(weights, tuple | list):
            raise TypeError(
                f"{name}: weights must be a list of Parameters with get_by_list, got "
                f"{checks.format_value(weights)}."
            )
        self.network = network
        self.weights = weights
        self.sens_param = sens_param
        self.grad = GradOperation(get_all, get_by_list, sens_param)

    def construct(self, *inputs: Any) -> tuple[Any, Any]:
        """Return the network's value and its gradients."""
        value: Any = None

        def forward(*args: Any) -> Any:
            nonlocal value
            value = self.network(*args)
            return value

        grads = self.grad(forward, self.weights)(*inputs)
        return value, grads


class TrainOneStepCell(Cell):
    """One training step: loss, gradients, update; returns the loss.

    Args:
        network: a Cell that returns the loss.
        optimizer: updates its parameters.
        sens: the cotangent of the loss, a nonzero number; 1 by default.
        return_grad: return ``(loss, {parameter name: gradient})``.

    Raises:
        TypeError: ``network`` is not a Cell; when called: the network does not return a Tensor.
        ValueError: ``sens`` is 0.
    """

    def __init__(
        self, network: Cell, optimizer: Any, sens: Any = None, return_grad: bool = False
    ) -> None:
        super().__init__(auto_prefix=False)
        name = type(self).__name__
        if not isinstance(network, Cell):
            raise TypeError(f"{name}: network must be a Cell, got {checks.format_value(network)}.")
        if not isinstance(getattr(optimizer, "parameters", None), ParameterTuple):
            got = checks.format_value(optimizer)
            raise TypeError(checks.format_error(name, "optimizer", "be an Optimizer", got))
        if sens is not None and sens == 0:
            raise ValueError(f"{name}: sens must not be 0, got {sens!r}.")
        self.network = network
        self.network.set_grad()
        self.optimizer = optimizer
        self.weights = optimizer.parameters
        self.sense_flag = sens is not None
        self.sens = 1.0 if sens is None else sens
        self.return_grad = checks.boolean(name, "return_grad", return_grad)
        # Subclasses in users' scripts call these.
        self.grad = GradOperation(get_by_list=True, sens_param=True)
        self.grad_no_sens = GradOperation(get_by_list=True)
        self.parallel_mode = mode = context.get_auto_parallel_context("parallel_mode")
        context.parallel.check_plan(name, starts_training=True)
        self.reducer_flag = mode != ParallelMode.STAND_ALONE
        # The ranks train as one network over all rows: loss and gradients are means over the ranks.
        splits_network = mode in context.parallel.SPLITTING_MODES
        self._averages_over_ranks_ = splits_network and transport.current.size(WORLD) > 1
        if self._averages_over_ranks_:
            self._check_mean_losses_(name)
        can_shard = type(self) is TrainOneStepCell and not return_grad  # others need all grads
        owners = getattr(optimizer, "_owners_", ()) if can_shard else ()
        make_reducer = partial(
            DistributedGradReducer, self.weights, self._averages_over_ranks_ or None, owners=owners
        )
        self.grad_reducer: Cell = make_reducer() if self.reducer_flag else Identity()

    def _check_mean_losses_(self, name: str) -> None:
        """Check that losses among the network's children are means, which averaging over ranks
        requires.

        Raises:
            RuntimeError: a loss has reduction='sum', and not every rank has the full batch.
        """
        if context.get_auto_parallel_context("dataset_strategy") == "full_batch":
            return
        for cell in self.network.cells():
            if isinstance(cell, LossBase) and not cell.average:
                raise RuntimeError(
                    f"{name}: the loss must be a mean over rows in mode {self.parallel_mode!r} on "
                    f"several ranks, got {type(cell).__name__} with reduction='sum'. Use "
                    "parallel_mode='data_parallel' with gradients_mean=False, which sums."
                )

    def construct(self, *inputs: Any) -> Any:
        """Run one step; return the loss, and with ``return_grad`` also the gradients by name."""
        loss, grads = self._loss_and_grads_(*inputs)
        grads = self.grad_reducer(grads)
        loss = self._average_loss_(loss)
        self.optimizer(grads)
        if self.return_grad:
            return loss, {p.name: g for p, g in zip(self.weights, grads, strict=True)}
        return loss

    def _average_loss_(self, loss: Any) -> Any:
        """Return the loss, averaged over the ranks if they train as one network."""
        if not self._averages_over_ranks_ or not isinstance(loss, Tensor):
            return loss
        return ops.AllReduce()(loss) / transport.current.size(WORLD)

    def _loss_and_grads_(self, *inputs: Any, sens: Any = None) -> tuple[Any, tuple[Tensor, ...]]:
        """Return the network's loss and the gradients of the weights.

        Warns if the parallel mode has changed since the Cell was created.

        Args:
            sens: the cotangent of the loss, :attr:`sens` by default.
        """
        warn_if_setting_changed(self, "parallel_mode", self.parallel_mode)
        sens = self.sens if sens is None and self.sense_flag else sens
        if sens is None:
            return value_and_grad(self._call_network_, None, self.weights)(*inputs)
        loss: Any = None

        def forward(*args: Any) -> Any:
            """Call the network, store its loss and return its first output times ``sens``."""
            nonlocal loss
            loss = self._call_network_(*args)
            first_output = tensors_in(loss)[0]
            return ops.cast(sens, first_output.dtype) * first_output

        grads = self.grad_no_sens(forward, self.weights)(*inputs)
        return loss, grads

    def _call_network_(self, *inputs: Any) -> Any:
        """Call the network and return its outputs; the first is the loss.

        Raises:
            TypeError: it did not return a tensor, so there is nothing to differentiate.
        """
        loss = self.network(*inputs)
        if not tensors_in(loss):
            api_name = type(self).__name__
            raise TypeError(f"{api_name}: network must return its loss, a Tensor, got {loss!r}.")
        return loss


class GetNextSingleOp(Cell):
    """A Cell that returns the next batch of a device queue.

    Args:
        dataset_types: the data type of each column.
        dataset_shapes: the shape of each column.
        queue_name: the queue.
    """

    def __init__(self, dataset_types: Any, dataset_shapes: Any, queue_name: str) -> None:
        super().__init__()
        self.get_next = ops.GetNext(dataset_types, dataset_shapes, len(dataset_types), queue_name)

    def construct(self) -> tuple[Tensor, ...]:
        return self.get_next()


class ParameterUpdate(Cell):
    """A Cell that sets a Parameter to x and returns x.

    Raises:
        TypeError: ``param`` is not a Parameter.
    """

    def __init__(self, param: Parameter) -> None:
        super().__init__(auto_prefix=False)
        if not isinstance(param, Parameter):
            raise TypeError(
                f"ParameterUpdate: param must be a Parameter, got {checks.format_value(param)}."
            )
        self._param = param

    def construct(self, x: Tensor) -> Tensor:
        ops.assign(self._param, x)
        return x


class _MicroBatchSum(Cell):
    """Base of Cells that return the sum of the network's outputs over equal parts of the batch."""

    def __init__(self, network: Cell, name: str, n_parts: Any) -> None:
        super().__init__(auto_prefix=False)
        api_name = type(self).__name__
        if not isinstance(network, Cell):
            raise TypeError(
                f"{api_name}: network must be a Cell, got {checks.format_value(network)}."
            )
        self.network = network
        self._n_parts = checks.integer(api_name, name, n_parts, 1)

    def construct(self, *inputs: Any) -> Any:
        """Return the sum of the network's outputs, called with one part of all inputs at a time."""
        outputs = [
            self.network(*[self._slice_batch(x, i) for x in inputs]) for i in range(self._n_parts)
        ]
        return sum(outputs[1:], outputs[0])

    def _slice_batch(self, x: Tensor, i: int) -> Tensor:
        """Return the i-th part of a batch; raise ValueError if the batch is not divisible."""
        n, n_parts = x.shape[0], self._n_parts
        if n % n_parts:
            raise ValueError(
                f"{type(self).__name__}: the batch must be divisible into {n_parts} parts, got "
                f"shape {x.shape}."
            )
        return x[n // n_parts * i : n // n_parts * (i + 1)]


class MicroBatchInterleaved(_MicroBatchSum):
    """A Cell that sums the network's outputs over ``interleave_num`` parts of the batch.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: ``interleave_num`` is below 1; when called: it does not divide the batch.
    """

    def __init__(self, network: Cell, interleave_num: int = 2) -> None:
        super().__init__(network, "interleave_num", interleave_num)
        self.interleave_num = interleave_num


class PipelineCell(_MicroBatchSum):
    """A Cell that sums the network's outputs over ``micro_size`` parts of the batch; there is one
    pipeline stage.

    Args:
        network: the network.
        micro_size: the number of parts.
        stage_config: the stage of each named Cell, stored as its ``pipeline_stage``.
        segment_config: MindSpore's split of stages into segments; accepted for compatibility, has
            no effect.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: ``micro_size`` is below 1; when called: it does not divide the batch.
        KeyError: ``stage_config`` names a Cell that does not exist.
    """

    def __init__(
        self,
        network: Cell,
        micro_size: int,
        stage_config: dict[str, int] | None = None,
        segment_config: Any = None,
    ) -> None:
        super().__init__(network, "micro_size", micro_size)
        self.micro_size = micro_size
        cells = dict(network.cells_and_names())
        for name, stage in (stage_config or {}).items():
            if name not in cells:
                raise KeyError(
                    f"PipelineCell: stage_config must name Cells of the network, got {name!r}."
                )
            cells[name].pipeline_stage = stage


class GradAccumulationCell(_MicroBatchSum):
    """A Cell that sums the network's outputs over ``micro_size`` parts of the batch.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: ``micro_size`` is below 1; when called: it does not divide the batch.
    """

    def __init__(self, network: Cell, micro_size: int) -> None:
        super().__init__(network, "micro_size", micro_size)
        self.micro_size = micro_size


class VirtualDatasetCellTriple(Cell):
    """A Cell that calls backbone(a, b, c): with one device the inputs are not split."""

    def __init__(self, backbone: Cell) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    def construct(self, *inputs: Any) -> Any:
        return self._backbone(*inputs)


_VirtualDatasetCell = VirtualDatasetCellTriple  # MindSpore's name for any number of inputs

__all__ = [
    "ForwardValueAndGrad",
    "GetNextSingleOp",
    "GradAccumulationCell",
    "MicroBatchInterleaved",
    "ParameterUpdate",
    "PipelineCell",
    "TrainOneStepCell",
    "VirtualDatasetCellTriple",
    "WithEvalCell",
    "WithGradCell",
    "WithLossCell",
]
