"""Optimizer: what all optimizers share: groups, learning rates, weight decay, loss scale,
the step counter.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from minispore import ops
from minispore.core import dtype as mstype
from minispore.core.parameter import Parameter, ParameterTuple
from minispore.core.row_gradient import apply_to_rows
from minispore.core.tensor import Tensor
from minispore.errors import did_you_mean
from minispore.foundation import checks
from minispore.nn import check
from minispore.nn.cell import Cell
from minispore.nn.layer.container import CellList
from minispore.nn.optim.group import Group, groups_of
from minispore.nn.optim.rates import _as_state, _Constant, _decay, _is_constant, _PerStep, _rate
from minispore.nn.optim.shares import ALL, SharedOut, hand_on, owners
from minispore.nn.optim.state import centralised, decayed
from minispore.ops.control.collective import WORLD
from minispore.ops.support import transport

Gradients = tuple[Tensor, ...]


class Optimizer(Cell):
    """Base of all optimizers.

    A subclass defines ``update(i, lr, parameter, gradient, shared)``, the step of the i-th
    parameter; or ``construct(gradients)`` as a whole.

    Args:
        learning_rate: a number; a list, tuple or Tensor of one number for each step;
            or a LearningRateSchedule.
        parameters: Parameters, or dicts with the keys ``params``, ``lr``, ``weight_decay`` and
            ``grad_centralization`` of groups, and perhaps one dict with ``order_params``.
        weight_decay: a number or Cell from the step to it. It is applied to all parameters of a
            group that has one;
            without groups to all but those named ``*beta*`` or ``*gamma*``.
        loss_scale: what the loss was multiplied by; gradients are divided by it.

    Raises:
        TypeError: an argument of a wrong type.
        ValueError: no parameters, or a number out of range.
        KeyError: a group with an unknown key.
        RuntimeError: a parameter that is in two groups.
    """

    _support_parallel_optimizer = False
    _apart_ = Cell._apart_ | {"_target", "_unique"}

    def __init__(
        self, learning_rate: Any, parameters: Any, weight_decay: Any = 0.0, loss_scale: float = 1.0
    ) -> None:
        super().__init__(auto_prefix=False)
        name = type(self).__name__
        groups, self.is_group = groups_of(name, parameters)
        self.is_group_params_ordered = self.is_group and any(
            "order_params" in group for group in parameters
        )
        self.loss_scale = checks.number(name, "loss_scale", loss_scale, 0.0, closed="(]")
        self.need_scale = self.loss_scale != 1.0
        self.reciprocal_scale = Tensor(1.0 / self.loss_scale, mstype.float32)
        self.global_step = Parameter(Tensor(np.zeros(1, np.int32)), name="global_step")
        self._set_learning_rate_(name, learning_rate, groups)
        self.parameters = ParameterTuple(p for g in groups for p in g.members)
        self._parameters = SharedOut(self.parameters)
        if type(self).construct is Optimizer.construct:
            self._parameters.owners = owners(self.parameters)
        self._set_weight_decay_(name, weight_decay, groups)
        self.grad_centralization_flags = tuple(
            g.grad_centralization for g in groups for _ in g.members
        )
        self.param_length = len(self._parameters)
        here = (ALL, transport.current.rank(WORLD))
        self.optim_filter = tuple(o in here for o in self._owners_) or (True,) * self.param_length
        self.use_parallel = not all(o == ALL for o in self._owners_)
        self._target = "CPU"
        self._unique = True
        # Subclasses in scripts call these.
        self.map_, self.map_reverse = ops.Map(), ops.Map(None, True)
        self.hyper_map, self.hyper_map_reverse = ops.HyperMap(), ops.HyperMap(None, True)
        self.assignadd = ops.AssignAdd()
        self.global_step_increase_tensor = Tensor(np.ones(1, np.int32))

    # -- learning rate ----------------------------------------------------------------------------

    def _set_learning_rate_(self, name: str, learning_rate: Any, groups: list[Group]) -> None:
        default = self._rate_(name, learning_rate)
        rates = [default if g.lr is None else self._rate_(name, g.lr) for g in groups]
        lengths = {r.size for r in (default, *rates) if isinstance(r, Tensor) and r.ndim == 1}
        if len(lengths) > 1:
            raise ValueError(
                f"{name}: learning rates given per step must have the same length, got "
                f"{sorted(lengths)}."
            )
        self.is_group_lr = any(g.lr is not None for g in groups)
        given = (default, *rates) if self.is_group_lr else (default,)
        self.dynamic_lr = any(not _is_constant(r) for r in given)
        if not self.is_group_lr:
            self.learning_rate = _as_state(default, "learning_rate", as_cell=False)
            return
        shared = _as_state(default, "learning_rate", self.dynamic_lr)
        own: dict[int, Any] = {}  # order_params may deal the parameters of a group to several
        states = []
        for group, rate in zip(groups, rates, strict=True):
            number = group.number
            if group.lr is not None and number not in own:
                own[number] = _as_state(rate, f"learning_rate_group_{number}", self.dynamic_lr)
            states += [own.get(number, shared)] * len(group.members)
        if self.dynamic_lr:
            self.learning_rate = CellList(states, auto_prefix=False)
        else:
            self.learning_rate = ParameterTuple(states)

    def _rate_(self, name: str, learning_rate: Any) -> Any:
        rate = self._preprocess_single_lr(learning_rate)
        return None if rate is None else _rate(name, rate)

    def _preprocess_single_lr(self, learning_rate: Any) -> Any:
        """A learning rate as it is given, or TypeError. A subclass may give None instead, and then
        tells the rate of a step itself.
        """
        return _rate(type(self).__name__, learning_rate)

    def get_lr(self) -> Any:
        """The learning rate of the next step; a tuple of one for each parameter if groups have
        their own.
        """
        if not self.dynamic_lr:
            return self.learning_rate
        if self.is_group_lr:
            return tuple(ops.reshape(rate(self.global_step), ()) for rate in self.learning_rate)
        return ops.reshape(self.learning_rate(self.global_step), ())

    def _is_dynamic_lr_or_weight_decay(self) -> bool:
        """Whether a rate or a decay is a schedule; scripts count their steps if so."""
        return self.dynamic_lr or self.dynamic_weight_decay

    def get_lr_parameter(self, param: Parameter | list[Parameter]) -> Any:
        """The Parameter (or schedule) that holds the learning rate of ``param``, or a list of them
        for a list.

        Raises:
            TypeError: no Parameter.
            ValueError: a Parameter that the optimizer does not have.
        """
        found = []
        for p in param if isinstance(param, list) else [param]:
            if not isinstance(p, Parameter):
                raise TypeError(
                    f"{type(self).__name__}: param must be a Parameter, got "
                    f"{checks.format_value(p)}."
                )
            index = next((i for i, own in enumerate(self._parameters) if own is p), None)
            if index is None:
                raise ValueError(
                    f"{type(self).__name__}: param must be one of the optimizer's, got {p.name!r}."
                )
            rate = self.learning_rate[index] if self.is_group_lr else self.learning_rate
            found.append(rate.learning_rate if isinstance(rate, _Constant | _PerStep) else rate)
        return found if isinstance(param, list) else found[0]

    # -- weight decay -----------------------------------------------------------------------------

    def _set_weight_decay_(self, name: str, weight_decay: Any, groups: list[Group]) -> None:
        default = _decay(name, weight_decay, self.loss_scale)
        decays = []
        for group in groups:
            own = (
                default
                if group.weight_decay is None
                else _decay(name, group.weight_decay, self.loss_scale)
            )
            decays += [own] * len(group.members)
        if self.is_group:
            self.dynamic_decay_flags: Any = tuple(isinstance(d, Cell) for d in decays)
            self.decay_flags = tuple(isinstance(d, Cell) or d > 0 for d in decays)
            self.exec_weight_decay = any(self.decay_flags)
            self.weight_decay: Any = tuple(
                d if isinstance(d, Cell) else Tensor(d, mstype.float32) for d in decays
            )
            self.dynamic_weight_decay = any(self.dynamic_decay_flags)
        else:
            self.dynamic_weight_decay = self.dynamic_decay_flags = isinstance(default, Cell)
            self.decay_flags = tuple(
                "beta" not in p.name and "gamma" not in p.name for p in self._parameters
            )
            self.exec_weight_decay = isinstance(default, Cell) or default > 0
            self.weight_decay = (
                default if isinstance(default, Cell) else Tensor(default, mstype.float32)
            )

    def get_weight_decay(self) -> Any:
        """The weight decay of the next step; one for each parameter if there are groups."""
        if self.is_group:
            return tuple(
                d(self.global_step) if isinstance(d, Cell) else d for d in self.weight_decay
            )
        return (
            self.weight_decay(self.global_step) if self.dynamic_weight_decay else self.weight_decay
        )

    def _decay_of_each_(self) -> tuple[Any, ...]:
        """The weight decay of each parameter, None where there is none."""
        if not self.exec_weight_decay:
            return (None,) * self.param_length
        decay = self.get_weight_decay()
        each = decay if isinstance(decay, tuple) else (decay,) * self.param_length
        return tuple(d if flag else None for d, flag in zip(each, self.decay_flags, strict=True))

    # -- gradients --------------------------------------------------------------------------------

    def decay_weight(self, gradients: Gradients) -> Gradients:
        """gradient + weight_decay * parameter, where there is a weight decay; of rows that were
        looked up those alone, as often as they were.
        """
        if not self.exec_weight_decay:
            return gradients
        return tuple(
            g if d is None else decayed(g, p, ops.cast(d, p.dtype))
            for g, p, d in zip(gradients, self._parameters, self._decay_of_each_(), strict=True)
        )

    def gradients_centralization(self, gradients: Gradients) -> Gradients:
        """gradient - its mean over all axes but the first, in groups that ask for it.

        As in MindSpore, only where the length of the second axis is a multiple of 16.
        """
        if not any(self.grad_centralization_flags):
            return gradients
        return tuple(
            apply_to_rows(centralised, g) if flag and g.ndim > 1 and g.shape[1] % 16 == 0 else g
            for g, flag in zip(gradients, self.grad_centralization_flags, strict=True)
        )

    def scale_grad(self, gradients: Gradients) -> Gradients:
        """gradient / loss_scale."""
        if not self.need_scale:
            return gradients
        return tuple(g * ops.cast(self.reciprocal_scale, g.dtype) for g in gradients)

    def flatten_gradients(self, gradients: Gradients) -> Gradients:
        """The gradients themselves: parameters are not kept in one flat array."""
        return gradients

    def _grad_sparse_indices_deduplicate(self, gradients: Gradients) -> Gradients:
        """The gradients themselves: what steps rows adds up those that come twice. For optimizers
        of scripts.
        """
        return gradients

    def _checked_gradients_(self, gradients: Any) -> Gradients:
        """One gradient of the right shape for each parameter, or an error before
        anything has changed.
        """
        name = type(self).__name__
        if not isinstance(gradients, tuple | list) or len(gradients) != self.param_length:
            got = (
                len(gradients)
                if isinstance(gradients, tuple | list)
                else checks.format_value(gradients)
            )
            raise ValueError(
                f"{name}: gradients must be a tuple of {self.param_length} tensors, got {got}."
            )
        for g, p in zip(gradients, self._parameters, strict=True):
            if check.a_tensor(name, f"the gradient of {p.name!r}", g).shape != p.shape:
                raise ValueError(
                    f"{name}: the gradient of {p.name!r} must have the shape {p.shape}, got "
                    f"{g.shape}."
                )
        return tuple(gradients)

    # -- the step ---------------------------------------------------------------------------------

    def construct(self, gradients: Gradients) -> tuple[bool, ...]:
        gradients = self._prepared_(self._checked_gradients_(gradients))
        lr = self.get_lr()
        rates = lr if self.is_group_lr else (lr,) * self.param_length
        ops.assign_add(self.global_step, 1)
        shared = self._before_updates_()
        for i, (rate, p, g) in enumerate(zip(rates, self._parameters, gradients, strict=True)):
            if self.optim_filter[i]:
                self._update_(i, rate, p, g, shared)
        return self.broadcast_params((True,) * self.param_length)

    @property
    def _owners_(self) -> tuple[int, ...]:
        """The rank that alone updates each parameter, or -1 where all do."""
        return self._parameters.owners

    def _prepared_(self, gradients: Gradients) -> Any:
        """The gradients with weight decay, centralised and unscaled: what ``update`` gets of each.

        It runs before the step is counted, as schedules of rates and decays want it.
        """
        return self.scale_grad(self.gradients_centralization(self.decay_weight(gradients)))

    def _before_updates_(self) -> Any:
        """What happens once in each step; returns what the updates of all parameters
        share. For subclasses.
        """
        return None

    def _update_(
        self, i: int, lr: Tensor, parameter: Parameter, gradient: Tensor, shared: Any
    ) -> None:
        """The step of the i-th parameter; for subclasses."""
        raise AttributeError(
            f"{type(self).__name__}: must define construct(self, gradients), or update(...) as "
            "Momentum does."
        )

    # -- what MindSpore's optimizers can be told ---------------------------------------------------

    @property
    def unique(self) -> bool:
        """Kept for MindSpore's sake: whether sparse gradients have no index twice."""
        return self._unique

    @unique.setter
    def unique(self, value: bool) -> None:
        self._unique = checks.boolean(type(self).__name__, "unique", value)

    @property
    def target(self) -> str:
        """Kept for MindSpore's sake: where sparse updates run."""
        return self._target

    @target.setter
    def target(self, value: str) -> None:
        known = ("CPU", "Ascend", "GPU")
        self._target = checks.one_of(
            type(self).__name__,
            "target",
            checks.string(type(self).__name__, "target", value),
            known,
        )

    def _set_base_target(self, value: str) -> None:
        """Set ``target``; a setter that a script puts in its place calls this."""
        Optimizer.target.__set__(self, value)  # type: ignore[attr-defined]

    def broadcast_params(self, optim_result: Any) -> Any:
        """Hand the parameters that this rank alone updates to the others; ``optim_result``."""
        hand_on(self._parameters, self._owners_)
        return optim_result


# -- learning rates and decays as state --------------------------------------------------------


def opt_init_args_register(fn: Callable[..., None]) -> Callable[..., None]:
    """A decorator for ``__init__`` that keeps its arguments as ``init_params``,
    ``init_learning_rate``, ``init_args``.

    Raises:
        TypeError: (when an optimizer is made) an argument is missing, or there is none of its name.
    """

    @functools.wraps(fn)
    def wrapped(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            bound = inspect.signature(fn).bind(self, *args, **kwargs)
        except TypeError as exc:
            known = list(inspect.signature(fn).parameters)
            hint = next((h for k in kwargs if k not in known and (h := did_you_mean(k, known))), "")
            raise TypeError(f"{type(self).__name__}: {exc}.{hint}") from None
        fn(self, *args, **kwargs)
        bound.apply_defaults()
        arguments = {k: v for k, v in bound.arguments.items() if k != "self"}
        if "params" in arguments:
            self.init_params = {"params": arguments.pop("params")}
        if "optimizer" in arguments:
            self.init_params = {"params": arguments.pop("optimizer").init_params["params"]}
        if "learning_rate" in arguments:
            rate = arguments.pop("learning_rate")
            if isinstance(rate, Tensor):
                rate = rate.asnumpy().tolist()
            self.init_learning_rate = None if isinstance(rate, Cell) else rate
        self.init_args = arguments

    return wrapped


__all__ = ["Optimizer", "opt_init_args_register"]
