"""Optimizer: parameter groups, learning rates, weight decay, loss scale and the step counter."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from minispore import ops
from minispore.core.parameter import Parameter, ParameterTuple
from minispore.core.row_gradient import apply_to_rows
from minispore.core.tensor import Tensor
from minispore.errors import did_you_mean, warn
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn import check
from minispore.nn.cell import Cell
from minispore.nn.layer.container import CellList
from minispore.nn.optim.group import Group, parse_groups
from minispore.nn.optim.rates import (
    _ConstantLR,
    _is_constant,
    _ListLR,
    _make_rate,
    _make_rate_state,
    _scale_decay,
)
from minispore.nn.optim.sharding import (
    ALL_RANKS,
    ShardedParameters,
    assign_owners,
    broadcast_updates,
)
from minispore.nn.optim.state import add_weight_decay, subtract_mean
from minispore.ops.control.collective import WORLD
from minispore.ops.support import transport

Gradients = tuple[Tensor, ...]


class Optimizer(Cell):
    """Base of all optimizers.

    A subclass defines ``construct(gradients)``; those of minispore define ``_update_param_``, the
    update of one parameter.

    Args:
        learning_rate: a number; a list, tuple or Tensor with one number per step; or a
            LearningRateSchedule.
        parameters: Parameters, or groups: dicts with the keys ``params``, ``lr``, ``weight_decay``
            and ``grad_centralization``, and optionally a dict with ``order_params``.
        weight_decay: a number, or a Cell that computes it from the step. It applies to all
            parameters of a group that sets one; without groups, to all parameters except those
            named ``*beta*`` or ``*gamma*``.
        loss_scale: the factor by which the loss was multiplied; gradients are divided by it.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: there are no parameters, or a number is out of range.
        KeyError: a group has an unknown key.
        RuntimeError: a parameter is in two groups.
    """

    _support_parallel_optimizer = False
    _rate_count_: int | None = None  # the number of steps with learning rates, if limited
    _untracked_attributes_ = Cell._untracked_attributes_ | {"_target", "_unique"}

    def __init__(
        self, learning_rate: Any, parameters: Any, weight_decay: Any = 0.0, loss_scale: float = 1.0
    ) -> None:
        super().__init__(auto_prefix=False)
        name = type(self).__name__
        groups, self.is_group = parse_groups(name, parameters)
        self.is_group_params_ordered = self.is_group and any(
            "order_params" in group for group in parameters
        )
        self.loss_scale = checks.number(name, "loss_scale", loss_scale, 0.0, closed="(]")
        self.need_scale = self.loss_scale != 1.0
        self.reciprocal_scale = Tensor(1.0 / self.loss_scale, mstype.float32)
        self.global_step = Parameter(Tensor(np.zeros(1, np.int32)), name="global_step")
        self._set_learning_rate_(name, learning_rate, groups)
        self.parameters = ParameterTuple(p for g in groups for p in g.members)
        self._parameters = ShardedParameters(self.parameters)
        if type(self).construct is Optimizer.construct:
            self._parameters.owners = assign_owners(self.parameters)
        self._set_weight_decay_(name, weight_decay, groups)
        self.grad_centralization_flags = tuple(
            g.grad_centralization for g in groups for _ in g.members
        )
        self.param_length = len(self._parameters)
        local_owners = (ALL_RANKS, transport.current.rank(WORLD))
        self.optim_filter = (
            tuple(owner in local_owners for owner in self._owners_) or (True,) * self.param_length
        )
        self.use_parallel = not all(owner == ALL_RANKS for owner in self._owners_)
        self._target = "CPU"
        self._unique = True
        # Subclasses in users' scripts call these.
        self.map_, self.map_reverse = ops.Map(), ops.Map(None, reverse=True)
        self.hyper_map, self.hyper_map_reverse = ops.HyperMap(), ops.HyperMap(None, reverse=True)
        self.assignadd = ops.AssignAdd()
        self.global_step_increase_tensor = Tensor(np.ones(1, np.int32))

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "lr" and type(self).__module__.startswith("minispore."):
            warn(f"{type(self).__name__}: lr has no effect. Set learning_rate.")
        super().__setattr__(name, value)

    # -- learning rate ----------------------------------------------------------------------------

    def _set_learning_rate_(self, name: str, learning_rate: Any, groups: list[Group]) -> None:
        """Set ``learning_rate``, ``is_group_lr`` and ``dynamic_lr`` from the argument and the
        groups.

        If groups have rates, ``learning_rate`` holds one state per parameter. Lists of rates also
        set ``_rate_count_``, the number of steps that they cover.

        Raises:
            ValueError: lists of rates per step differ in length.
        """
        default = self._make_rate_(name, learning_rate)
        rates = [default if g.lr is None else self._make_rate_(name, g.lr) for g in groups]
        lengths = {r.size for r in (default, *rates) if isinstance(r, Tensor) and r.ndim == 1}
        if len(lengths) > 1:
            raise ValueError(
                f"{name}: learning rates given per step must have the same length, got "
                f"{sorted(lengths)}."
            )
        self._rate_count_ = next(iter(lengths), None)
        self.is_group_lr = any(g.lr is not None for g in groups)
        used_rates = (default, *rates) if self.is_group_lr else (default,)
        self.dynamic_lr = any(not _is_constant(r) for r in used_rates)
        if not self.is_group_lr:
            self.learning_rate = _make_rate_state(default, "learning_rate", as_cell=False)
            return
        shared = _make_rate_state(default, "learning_rate", self.dynamic_lr)
        group_states: dict[int, Any] = {}  # by group number, since order_params may split a group
        states = []
        for group, rate in zip(groups, rates, strict=True):
            number = group.number
            if group.lr is not None and number not in group_states:
                group_states[number] = _make_rate_state(
                    rate, f"learning_rate_group_{number}", self.dynamic_lr
                )
            states += [group_states.get(number, shared)] * len(group.members)
        if self.dynamic_lr:
            self.learning_rate = CellList(states, auto_prefix=False)
        else:
            self.learning_rate = ParameterTuple(states)

    def _make_rate_(self, name: str, learning_rate: Any) -> Any:
        """Preprocess a learning rate by ``_preprocess_single_lr``, which users' subclasses may
        override; return it as a Tensor or schedule, or None if that returns None.
        """
        rate = self._preprocess_single_lr(learning_rate)
        return None if rate is None else _make_rate(name, rate)

    def _preprocess_single_lr(self, learning_rate: Any) -> Any:
        """Check a learning rate and return it as a Tensor or schedule.

        A subclass that computes the rate of a step itself may return None.

        Raises:
            TypeError: it is not a number, list, Tensor or schedule.
        """
        return _make_rate(type(self).__name__, learning_rate)

    def get_lr(self) -> Any:
        """Return the learning rate of the next step; with groups, a tuple of one per parameter."""
        if not self.dynamic_lr:
            return self.learning_rate
        if self.is_group_lr:
            return tuple(ops.reshape(rate(self.global_step), ()) for rate in self.learning_rate)
        return ops.reshape(self.learning_rate(self.global_step), ())

    def _is_dynamic_lr_or_weight_decay(self) -> bool:
        """Whether a learning rate or weight decay is a schedule; users' scripts call it."""
        return self.dynamic_lr or self.dynamic_weight_decay

    def get_lr_parameter(self, param: Parameter | list[Parameter]) -> Any:
        """Return the Parameter or schedule that holds the learning rate of ``param``.

        Returns:
            A list of these if ``param`` is a list.

        Raises:
            TypeError: ``param`` is not a Parameter.
            ValueError: the optimizer does not have the Parameter.
        """
        states = []
        for p in param if isinstance(param, list) else [param]:
            if not isinstance(p, Parameter):
                raise TypeError(
                    f"{type(self).__name__}: param must be a Parameter, got "
                    f"{checks.format_value(p)}."
                )
            index = next((i for i, member in enumerate(self._parameters) if member is p), None)
            if index is None:
                raise ValueError(
                    f"{type(self).__name__}: param must be one of the optimizer's, got {p.name!r}."
                )
            rate = self.learning_rate[index] if self.is_group_lr else self.learning_rate
            states.append(rate.learning_rate if isinstance(rate, _ConstantLR | _ListLR) else rate)
        return states if isinstance(param, list) else states[0]

    # -- weight decay -----------------------------------------------------------------------------

    def _set_weight_decay_(self, name: str, weight_decay: Any, groups: list[Group]) -> None:
        """Set ``weight_decay`` (times the loss scale), and flags that say for which parameters it
        applies and whether it is a schedule.

        Without groups, parameters named beta or gamma do not decay.
        """
        default = _scale_decay(name, weight_decay, self.loss_scale)
        decays = []
        for group in groups:
            decay = default
            if group.weight_decay is not None:
                decay = _scale_decay(name, group.weight_decay, self.loss_scale)
            decays += [decay] * len(group.members)
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
        """Return the weight decay of the next step, times the loss scale; with groups, a tuple of
        one per parameter.
        """
        if self.is_group:
            return tuple(
                d(self.global_step) if isinstance(d, Cell) else d for d in self.weight_decay
            )
        return (
            self.weight_decay(self.global_step) if self.dynamic_weight_decay else self.weight_decay
        )

    def _decay_per_param_(self) -> tuple[Any, ...]:
        """Return the weight decay of each parameter, times the loss scale; None for parameters that
        do not decay.
        """
        if not self.exec_weight_decay:
            return (None,) * self.param_length
        decay = self.get_weight_decay()
        decays = decay if isinstance(decay, tuple) else (decay,) * self.param_length
        return tuple(d if flag else None for d, flag in zip(decays, self.decay_flags, strict=True))

    # -- gradients --------------------------------------------------------------------------------

    def decay_weight(self, gradients: Gradients) -> Gradients:
        """Return gradient + weight_decay * loss_scale * parameter for parameters that decay.

        Other gradients are unchanged. In row gradients, only the looked-up rows decay, once per
        lookup. :meth:`scale_grad` then divides the sums by the loss scale.
        """
        if not self.exec_weight_decay:
            return gradients
        return tuple(
            g if d is None else add_weight_decay(g, p, ops.cast(d, p.dtype))
            for g, p, d in zip(gradients, self._parameters, self._decay_per_param_(), strict=True)
        )

    def gradients_centralization(self, gradients: Gradients) -> Gradients:
        """Return gradient - its mean over all axes but the first, in groups with centralization.

        As in MindSpore, only if the length of the second axis is a multiple of 16.
        """
        if not any(self.grad_centralization_flags):
            return gradients
        return tuple(
            apply_to_rows(subtract_mean, g) if flag and g.ndim > 1 and g.shape[1] % 16 == 0 else g
            for g, flag in zip(gradients, self.grad_centralization_flags, strict=True)
        )

    def scale_grad(self, gradients: Gradients) -> Gradients:
        """Return gradient / loss_scale."""
        if not self.need_scale:
            return gradients
        return tuple(g * ops.cast(self.reciprocal_scale, g.dtype) for g in gradients)

    def flatten_gradients(self, gradients: Gradients) -> Gradients:
        """Return the gradients unchanged: parameters are not stored in one flat array."""
        return gradients

    def _grad_sparse_indices_deduplicate(self, gradients: Gradients) -> Gradients:
        """Return the gradients unchanged, for optimizers in users' scripts.

        The row updates themselves add up rows that occur more than once.
        """
        return gradients

    def _check_gradients_(self, gradients: Any) -> Gradients:
        """Check that each parameter has a gradient of its shape and return them as a tuple.

        Called before anything is changed.

        Raises:
            ValueError: the number or a shape differs.
            TypeError: a gradient is not a Tensor.
        """
        name = type(self).__name__
        if not isinstance(gradients, tuple | list) or len(gradients) != self.param_length:
            is_sequence = isinstance(gradients, tuple | list)
            got = len(gradients) if is_sequence else checks.format_value(gradients)
            raise ValueError(
                f"{name}: gradients must be a tuple of {self.param_length} tensors, got {got}."
            )
        for g, p in zip(gradients, self._parameters, strict=True):
            if check.check_tensor(name, f"the gradient of {p.name!r}", g).shape != p.shape:
                raise ValueError(
                    f"{name}: the gradient of {p.name!r} must have the shape {p.shape}, got "
                    f"{g.shape}."
                )
        return tuple(gradients)

    # -- the step ---------------------------------------------------------------------------------

    def construct(self, gradients: Gradients) -> tuple[bool, ...]:
        """Check the gradients, count the step, update the parameters and broadcast sharded ones.

        Returns:
            True for each parameter.
        """
        gradients = self._prepare_gradients_(self._check_gradients_(gradients))
        lr = self.get_lr()
        rates = lr if self.is_group_lr else (lr,) * self.param_length
        ops.assign_add(self.global_step, 1)
        shared = self._prepare_step_()
        for i, (rate, p, g) in enumerate(zip(rates, self._parameters, gradients, strict=True)):
            if self.optim_filter[i]:
                self._update_param_(i, rate, p, g, shared)
        return self.broadcast_params((True,) * self.param_length)

    @property
    def _owners_(self) -> tuple[int, ...]:
        """For each parameter, the only rank that updates it, or -1 if all ranks do."""
        return self._parameters.owners

    def _prepare_gradients_(self, gradients: Gradients) -> Any:
        """Return the gradients for the updates, after weight decay, centralization and loss scale.

        Called before the step is counted, since schedules take the number of completed steps.
        """
        return self.scale_grad(self.gradients_centralization(self.decay_weight(gradients)))

    def _prepare_step_(self) -> Any:
        """Compute, once per step, the values that all updates share; subclasses may override it."""
        return None

    def _update_param_(
        self, i: int, lr: Tensor, parameter: Parameter, gradient: Tensor, shared: Any
    ) -> None:
        """Update the i-th parameter; subclasses override it.

        Args:
            i: the index of the parameter.
            lr: its learning rate.
            parameter: the parameter.
            gradient: its item of ``_prepare_gradients_``.
            shared: the result of ``_prepare_step_``.
        """
        raise AttributeError(
            f"{type(self).__name__}: must define construct(self, gradients), which updates "
            "self.parameters."
        )

    # -- settings of MindSpore's optimizers ---------------------------------------------------

    @property
    def unique(self) -> bool:
        """Accepted for compatibility: whether the indices of sparse gradients are unique."""
        return self._unique

    @unique.setter
    def unique(self, value: bool) -> None:
        self._unique = checks.boolean(type(self).__name__, "unique", value)

    @property
    def target(self) -> str:
        """Accepted for compatibility: the device on which sparse updates run."""
        return self._target

    @target.setter
    def target(self, value: str) -> None:
        targets = ("CPU", "Ascend", "GPU")
        self._target = checks.one_of(
            type(self).__name__,
            "target",
            checks.string(type(self).__name__, "target", value),
            targets,
        )

    def _set_base_target(self, value: str) -> None:
        """Set ``target``; setters of users' subclasses call this."""
        Optimizer.target.__set__(self, value)  # type: ignore[attr-defined]

    def broadcast_params(self, optim_result: Any) -> Any:
        """Exchange parameters that single ranks update: send this rank's, and assign those of other
        ranks. Return ``optim_result``.
        """
        broadcast_updates(self._parameters, self._owners_)
        return optim_result


def opt_init_args_register(fn: Callable[..., None]) -> Callable[..., None]:
    """Decorate ``__init__`` so that it stores its arguments.

    They are stored as the attributes ``init_params``, ``init_learning_rate`` and ``init_args``.

    Raises:
        TypeError: (when an optimizer is created) an argument is missing or unknown.
    """

    @functools.wraps(fn)
    def init_and_store_args(self: Any, *args: Any, **kwargs: Any) -> None:
        """Run ``__init__``, then store its arguments; suggest a name for a wrong keyword."""
        try:
            bound = inspect.signature(fn).bind(self, *args, **kwargs)
        except TypeError as exc:
            parameter_names = list(inspect.signature(fn).parameters)
            unknown_names = [k for k in kwargs if k not in parameter_names]
            hints = [did_you_mean(k, parameter_names) for k in unknown_names]
            hint = next(filter(None, hints), "")
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

    return init_and_store_args


__all__ = ["Optimizer", "opt_init_args_register"]
