"""Optimizer: parameters in groups, where each group is a dict with its own settings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np

from minispore import ops
from minispore.core.parameter import Parameter, ParameterTuple
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn.cell import Cell
from minispore.nn.optim.state import get_state_dtype


class Optimizer(Cell):
    """Base of the optimizers with PyTorch-like groups.

    A subclass defines ``construct(gradients)``; those of minispore define ``_update_param_``, the
    update of one parameter.

    Args:
        params: Parameters, or dicts with ``params`` and their own settings.
        defaults: the settings that groups do not override.

    Raises:
        TypeError: ``params`` contains something other than Parameters, or a setting has the wrong
            type.
        ValueError: there are no parameters, one is in two groups, or a number is out of range.

    ``param_groups`` holds the groups; ``group["lr"]`` is the Parameter of its learning rate, and
    the parameters of group g are ``parameters[group_start_id[g]:group_start_id[g + 1]]``. A
    compiled optimizer ignores later changes of a group's other settings, as in MindSpore.
    """

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        super().__init__(auto_prefix=False)
        name = type(self).__name__
        if params is None:
            raise ValueError(f"{name}: params must be Parameters or dicts of them, got None.")
        if isinstance(params, Parameter | str) or not isinstance(params, Iterable):
            raise TypeError(
                f"{name}: params must be Parameters or dicts of them, got "
                f"{checks.format_value(params)}."
            )
        items = list(params)
        if not items:
            raise ValueError(f"{name}: params must hold at least one Parameter, got none.")
        self.defaults = defaults
        self.state: dict[Any, Any] = defaultdict(dict)  # for subclasses in scripts
        self.param_groups: list[dict[str, Any]] = []
        self.lrs: list[Parameter] = []
        self.group_start_id = [0]
        self.parameters = ParameterTuple(())
        for group in items if isinstance(items[0], dict) else [{"params": items}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group: a dict with ``params`` and the settings that differ from the defaults.

        Raises:
            TypeError: ``param_group`` is not such a dict, or ``params`` is a set or not Parameters.
            ValueError: a Parameter is already in a group, or an option is out of range.
        """
        name, number = type(self).__name__, len(self.param_groups)
        if not isinstance(param_group, dict) or "params" not in param_group:
            raise TypeError(
                f"{name}: a group must be a dict with params, got "
                f"{checks.format_value(param_group)}."
            )
        group_params = param_group["params"]
        if isinstance(group_params, set):
            raise TypeError(f"{name}: params of a group must be in an order, got a set.")
        members = [group_params] if isinstance(group_params, Parameter) else list(group_params)
        for p in members:
            if not isinstance(p, Parameter):
                raise TypeError(f"{name}: params must be Parameters, got {checks.format_value(p)}.")
            if any(p is member for member in self.parameters):
                raise ValueError(f"{name}: {p.name!r} must be in one group, got it in two.")
        group = {**param_group, "params": members}
        for key, value in self.defaults.items():
            group.setdefault(key, value)
        decay = group.get("weight_decay", 0.0)
        group["weight_decay"] = float(checks.number(name, "weight_decay", decay, 0.0))
        group["lr"] = _make_rate_param(name, group.get("lr"), f"learning_rate_group_{number}")
        self.parameters = ParameterTuple((*self.parameters, *members))
        self.param_groups.append(group)
        self.lrs.append(group["lr"])
        self.group_start_id.append(len(self.parameters))

    def construct(self, gradients: Any) -> bool:
        """Update the parameters of all groups and return True; raise ValueError for a wrong number
        of gradients.
        """
        if len(gradients) != len(self.parameters):
            raise ValueError(
                f"{type(self).__name__}: gradients must be {len(self.parameters)} tensors, "
                f"got {len(gradients)}."
            )
        self._prepare_step_()
        for number, group in enumerate(self.param_groups):
            maximizes = "maximize" in self.defaults and group["maximize"]
            for i, p in enumerate(group["params"], self.group_start_id[number]):
                gradient = -gradients[i] if maximizes else gradients[i]
                self._update_param_(i, group, _to_tensor(group["lr"]), p, gradient)
        return True

    def _prepare_step_(self) -> None:
        """Update the state that all parameters share, once per step; subclasses may override it."""

    def _update_param_(
        self, i: int, group: dict[str, Any], lr: Any, parameter: Parameter, gradient: Tensor
    ) -> None:
        """Update the i-th parameter by its gradient (negated with ``maximize``); subclasses
        override it.
        """
        raise AttributeError(f"{type(self).__name__}: defines neither construct nor update.")

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {number}")
            for key in sorted(group.keys() - {"params"}):
                value = group[key]
                setting = value.value() if isinstance(value, Parameter) else value
                lines.append(f"    {key}: {setting}")
        return "\n".join([*lines, ")"])


class CountingOptimizer(Optimizer):
    """An Optimizer that counts its steps in ``step_t``, from 1 on."""

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        super().__init__(params, defaults)
        step = Tensor(np.zeros((), np.int32))
        self.step_t = Parameter(step, name="step_t")

    def _prepare_step_(self) -> None:
        ops.assign_add(self.step_t, Tensor(1, mstype.int32))

    def _move_counter_last_(self) -> None:
        """Move ``step_t`` behind the rest of the state, the order of MindSpore's checkpoints."""
        step = self.step_t
        del self.step_t
        self.step_t = step

    def cast_step(self, parameter: Parameter) -> Tensor:
        """Return the step number in the state dtype of ``parameter``."""
        return ops.cast(self.step_t, get_state_dtype(parameter))


def add_group_decay(group: dict[str, Any], parameter: Parameter, gradient: Tensor) -> Tensor:
    """Return the gradient plus the group's weight decay times the parameter."""
    decay = group["weight_decay"]
    return gradient + parameter * decay if decay else gradient


def make_scalars(prefix: str, value: float, params: ParameterTuple) -> ParameterTuple:
    """Return one float32 scalar Parameter of ``value`` for each parameter, named after it."""
    return ParameterTuple(
        Parameter(Tensor(value, mstype.float32), name=f"{prefix}_{p.name}", requires_grad=False)
        for p in params
    )


def check_positive_lr(api_name: str, lr: Any) -> Any:
    """Check that a learning rate, a number or 0-d Tensor, is above 0 and return it.

    Tensors with axes are returned unchecked: the optimizer rejects them.
    """
    if isinstance(lr, Tensor) and not lr.ndim:
        checks.number(api_name, "lr", float(lr), 0.0, closed="(]")
    elif not isinstance(lr, Tensor):
        checks.number(api_name, "lr", lr, 0.0, closed="(]")
    return lr


def check_pair(api_name: str, name: str, value: Any) -> tuple[Any, Any]:
    """Check that a setting is a tuple or list of two items and return them.

    Raises:
        TypeError, ValueError: it is something else.
    """
    if not isinstance(value, tuple | list):
        raise TypeError(
            f"{api_name}: {name} must be two numbers, got {checks.format_value(value)}."
        )
    if len(value) != 2:
        raise ValueError(f"{api_name}: {name} must be two numbers, got {value!r}.")
    return value[0], value[1]


def check_beta_pair(api_name: str, betas: Any) -> tuple[float, float]:
    """Check that ``betas`` are two floats in [0, 1) and return them."""
    first, second = check_pair(api_name, "betas", betas)
    return (
        checks.floating(api_name, "betas[0]", first, 0.0, 1.0, "[)"),
        checks.floating(api_name, "betas[1]", second, 0.0, 1.0, "[)"),
    )


def _make_rate_param(api_name: str, lr: Any, name: str) -> Parameter:
    """Return a learning rate as a float32 Parameter ``name``.

    Raises:
        TypeError, ValueError: it is not a number, or is negative.
    """
    if isinstance(lr, Tensor):
        if lr.ndim:
            raise ValueError(f"{api_name}: lr must be a number, got shape {lr.shape}.")
        return Parameter(Tensor(float(lr), mstype.float32), name=name)
    number = float(checks.number(api_name, "lr", lr, 0.0))
    return Parameter(Tensor(number, mstype.float32), name=name)


def _to_tensor(lr: Any) -> Any:
    """Return a learning rate as a Tensor, since a script may have put a number into a group."""
    return lr if isinstance(lr, Tensor) else Tensor(lr, mstype.float32)


__all__ = [
    "CountingOptimizer",
    "Optimizer",
    "add_group_decay",
    "check_beta_pair",
    "check_pair",
    "check_positive_lr",
    "make_scalars",
]
