"""Optimizer: parameters in groups, each group a dict of its own settings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np

from minispore import ops
from minispore.core import dtype as mstype
from minispore.core.parameter import Parameter, ParameterTuple
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.nn.cell import Cell
from minispore.nn.optim.state import exact


class Optimizer(Cell):
    """Base of the optimizers with groups.

    A subclass defines ``construct(gradients)``, or ``update(i, group, lr, parameter, gradient)``,
    the step of the i-th parameter.

    Args:
        params: Parameters, or dicts with ``params`` and settings of their own.
        defaults: the settings of groups that do not say otherwise.

    Raises:
        TypeError: something else than Parameters, or a setting of a wrong type.
        ValueError: no parameters, one in two groups, or a number out of range.

    ``param_groups`` holds the groups; ``group["lr"]`` is the Parameter of its learning rate, and
    the parameters of group g are ``parameters[group_start_id[g]:group_start_id[g + 1]]``. Once
    compiled, an optimizer keeps the other settings of a group as they were, as in MindSpore.
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
        given = list(params)
        if not given:
            raise ValueError(f"{name}: params must hold at least one Parameter, got none.")
        self.defaults = defaults
        self.state: dict[Any, Any] = defaultdict(dict)  # for subclasses in scripts
        self.param_groups: list[dict[str, Any]] = []
        self.lrs: list[Parameter] = []
        self.group_start_id = [0]
        self.parameters = ParameterTuple(())
        for group in given if isinstance(given[0], dict) else [{"params": given}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group: a dict with ``params`` and what differs from the defaults."""
        name, number = type(self).__name__, len(self.param_groups)
        if not isinstance(param_group, dict) or "params" not in param_group:
            raise TypeError(
                f"{name}: a group must be a dict with params, got "
                f"{checks.format_value(param_group)}."
            )
        given = param_group["params"]
        if isinstance(given, set):
            raise TypeError(f"{name}: params of a group must be in an order, got a set.")
        members = [given] if isinstance(given, Parameter) else list(given)
        for p in members:
            if not isinstance(p, Parameter):
                raise TypeError(f"{name}: params must be Parameters, got {checks.format_value(p)}.")
            if any(p is own for own in self.parameters):
                raise ValueError(f"{name}: {p.name!r} must be in one group, got it in two.")
        group = {**param_group, "params": members}
        for key, value in self.defaults.items():
            group.setdefault(key, value)
        decay = group.get("weight_decay", 0.0)
        group["weight_decay"] = float(checks.number(name, "weight_decay", decay, 0.0))
        group["lr"] = _rate(name, group.get("lr"), f"learning_rate_group_{number}")
        self.parameters = ParameterTuple((*self.parameters, *members))
        self.param_groups.append(group)
        self.lrs.append(group["lr"])
        self.group_start_id.append(len(self.parameters))

    def construct(self, gradients: Any) -> bool:
        if len(gradients) != len(self.parameters):
            raise ValueError(
                f"{type(self).__name__}: gradients must be {len(self.parameters)} tensors, "
                f"got {len(gradients)}."
            )
        self._before_updates_()
        for number, group in enumerate(self.param_groups):
            first = self.group_start_id[number]
            for i, p in enumerate(group["params"], first):
                climbs = "maximize" in self.defaults and group["maximize"]
                gradient = -gradients[i] if climbs else gradients[i]
                self._update_(i, group, _in_force(group["lr"]), p, gradient)
        return True

    def _before_updates_(self) -> None:
        """What comes before the parameters' own steps."""

    def _update_(
        self, i: int, group: dict[str, Any], lr: Any, parameter: Parameter, gradient: Tensor
    ) -> None:
        """The step of the i-th parameter."""
        raise AttributeError(f"{type(self).__name__}: defines neither construct nor update.")

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {number}")
            for key in sorted(group.keys() - {"params"}):
                value = group[key]
                shown = value.value() if isinstance(value, Parameter) else value
                lines.append(f"    {key}: {shown}")
        return "\n".join([*lines, ")"])


class Counting(Optimizer):
    """An Optimizer that counts its steps in ``step_t``, from 1 on."""

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        super().__init__(params, defaults)
        step = Tensor(np.zeros((), np.int32))
        self.step_t = Parameter(step, name="step_t")

    def _before_updates_(self) -> None:
        ops.assign_add(self.step_t, Tensor(1, mstype.int32))

    def _count_last_(self) -> None:
        """Have ``step_t`` behind the rest of the state, as MindSpore's checkpoints have it."""
        step = self.step_t
        del self.step_t
        self.step_t = step

    def step_beside(self, parameter: Parameter) -> Tensor:
        """The number of the step, for powers of it."""
        return ops.cast(self.step_t, exact(parameter))


def decayed(group: dict[str, Any], parameter: Parameter, gradient: Tensor) -> Tensor:
    """The gradient with the group's weight decay."""
    decay = group["weight_decay"]
    return gradient + parameter * decay if decay else gradient


def numbers(prefix: str, value: float, beside: ParameterTuple) -> ParameterTuple:
    """A number for each parameter, in float32."""
    return ParameterTuple(
        Parameter(Tensor(value, mstype.float32), name=f"{prefix}_{p.name}", requires_grad=False)
        for p in beside
    )


def above_zero(owner: str, lr: Any) -> Any:
    """A learning rate that moves: a number or a Tensor above 0."""
    if isinstance(lr, Tensor) and not lr.ndim:
        checks.number(owner, "lr", float(lr), 0.0, closed="(]")
    elif not isinstance(lr, Tensor):
        checks.number(owner, "lr", lr, 0.0, closed="(]")
    return lr


def pair(owner: str, name: str, given: Any) -> tuple[Any, Any]:
    """Two numbers, for the two that a setting holds."""
    if not isinstance(given, tuple | list):
        raise TypeError(f"{owner}: {name} must be two numbers, got {checks.format_value(given)}.")
    if len(given) != 2:
        raise ValueError(f"{owner}: {name} must be two numbers, got {given!r}.")
    return given[0], given[1]


def decays(owner: str, betas: Any) -> tuple[float, float]:
    """The decays of two moving averages, each in [0, 1)."""
    first, second = pair(owner, "betas", betas)
    return (
        checks.floating(owner, "betas[0]", first, 0.0, 1.0, "[)"),
        checks.floating(owner, "betas[1]", second, 0.0, 1.0, "[)"),
    )


def _rate(owner: str, lr: Any, name: str) -> Parameter:
    """A learning rate as a Parameter."""
    if isinstance(lr, Tensor):
        if lr.ndim:
            raise ValueError(f"{owner}: lr must be a number, got shape {lr.shape}.")
        return Parameter(Tensor(float(lr), mstype.float32), name=name)
    number = float(checks.number(owner, "lr", lr, 0.0))
    return Parameter(Tensor(number, mstype.float32), name=name)


def _in_force(lr: Any) -> Any:
    """A rate that a script put into a group by hand may be a number."""
    return lr if isinstance(lr, Tensor) else Tensor(lr, mstype.float32)


__all__ = ["Counting", "Optimizer", "above_zero", "decayed", "decays", "numbers", "pair"]
