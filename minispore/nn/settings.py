"""Settings of a Cell besides its layers: declared inputs, graph options, scope names."""

from __future__ import annotations

import inspect
from typing import Any

from minispore import context
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.errors import warn
from minispore.foundation import checks
from minispore.graph.dynamic import Declared
from minispore.nn.check import check_recompute_options
from minispore.nn.state import CellState


class _DeclaredInputs(Declared):
    """The inputs that ``Cell.set_inputs`` declared: all of them, or some by name."""

    def __init__(
        self,
        cell_name: str,
        signature: inspect.Signature,
        inputs: tuple[Any, ...],
        named: dict[str, Any],
    ) -> None:
        super().__init__(f"{cell_name}.set_inputs", "construct", signature, named)
        self._inputs = inputs

    def expected_by_name(self) -> dict[str, Any]:
        """The declared inputs, by the names of construct's arguments.

        Raises:
            TypeError: these are not the inputs of construct.
        """
        if self._expected:
            return self._expected
        try:
            return self._signature.bind(*self._inputs).arguments
        except TypeError as exc:
            raise TypeError(
                f"{self._api_name}: inputs must be those of construct: {exc}."
            ) from None

    def ordered_inputs(self) -> tuple[Any, ...]:
        """Return the declared inputs in order of the signature; None for undeclared ones."""
        if not self._expected:
            return self._inputs
        return tuple([self._expected.get(name) for name in self._signature.parameters])

    def _get_required_class(self, x: Tensor) -> type:
        return Parameter if isinstance(x, Parameter) else Tensor


class CellSettings(CellState):
    """Base of Cell that stores settings: pipeline stage, jit config, inputs, scope names."""

    @property
    def cls_name(self) -> str:
        """The name of the class."""
        return type(self).__name__

    @property
    def pipeline_stage(self) -> int:
        """The stage that the Cell belongs to; there is one device, so it changes nothing."""
        return self._record_.stage

    @pipeline_stage.setter
    def pipeline_stage(self, value: int) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"{type(self).__name__}: pipeline_stage must be an int, got {value!r}.")
        if value < 0:
            raise ValueError(f"{type(self).__name__}: pipeline_stage must be >= 0, got {value}.")
        self._record_.stage = value

    @property
    def jit_config_dict(self) -> dict[str, Any]:
        """The options that :meth:`set_jit_config` stored."""
        return self._record_.jit_config

    def set_jit_config(self, jit_config: Any) -> None:
        """Keep the options of a JitConfig; the first one wins."""
        if not self._record_.jit_config:
            self._record_.jit_config = jit_config.jit_config_dict
            self._note_change_()

    def set_inputs(self, *inputs: Any, **kwargs: Any) -> None:
        """Declare all inputs, or those that are named; None stands for an axis that varies. In
        GRAPH_MODE a call of the Cell itself compares its inputs with them: what differs is warned
        of, since MindSpore refuses it there, and refused under ``jit_syntax_level=STRICT``.

        Raises:
            ValueError: both positional and keyword inputs, or construct has no such input; when
                called under STRICT: a shape or number that was not declared.
            TypeError: when called under STRICT: another kind or dtype, or other inputs were
                declared than construct has.
        """
        if inputs and kwargs:
            raise ValueError(
                f"{type(self).__name__}.set_inputs: inputs must be all positional or all keyword."
            )
        signature = inspect.signature(self.construct)
        self._record_.inputs = _DeclaredInputs(type(self).__name__, signature, inputs, kwargs)

    def get_inputs(self) -> tuple[Any, ...] | None:
        """Return the inputs that :meth:`set_inputs` declared, with None for inputs not named."""
        declared = self._record_.inputs
        return None if declared is None else declared.ordered_inputs()

    def _check_inputs_(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Check the inputs of a call against those that ``set_inputs`` declared, if any.

        A mismatch is a warning unless the syntax level is STRICT.

        Raises:
            TypeError, ValueError: an input does not fit, in STRICT.
        """
        if self._record_.inputs is None:
            return
        try:
            self._record_.inputs.check(args, kwargs)
        except (TypeError, ValueError) as error:
            if context.current().jit_syntax_level == context.STRICT:
                raise
            warn(f"{error} MindSpore refuses that in GRAPH_MODE.")

    def update_cell_type(self, cell_type: str) -> None:
        """Store a name for the type of Cell (``"second-order"``), which some optimizers read."""
        self.cell_type = cell_type

    def set_broadcast_flag(self, mode: bool = True) -> Any:
        """Set the flag ``broadcast_flag`` on this Cell and all below it."""
        return self.add_flags_recursive(broadcast_flag=mode)

    def set_boost(self, boost_type: str) -> Any:
        """Set the flag ``less_bn`` on this Cell and all below it.

        Raises:
            ValueError: ``boost_type`` is not ``"less_bn"``.
        """
        if boost_type != "less_bn":
            raise ValueError(
                f"{type(self).__name__}.set_boost: boost_type must be 'less_bn', got "
                f"{boost_type!r}."
            )
        return self.add_flags_recursive(less_bn=True)

    # -- names in the network ---------------------------------------------------------------------

    def generate_scope(self) -> None:
        """Name each unnamed Cell below this one by its place,
        ``Default/<attribute>-<class>/...``.
        """
        self._name_scopes_("Default")

    def _name_scopes_(self, prefix: str) -> None:
        """Give each Cell below this one that has no scope name the scope ``prefix/attribute-
        class``.
        """
        with_class = context.current().reserve_class_name_in_scope
        for attribute, cell in self.name_cells().items():
            scope = f"{prefix}/{attribute}" + (f"-{type(cell).__name__}" if with_class else "")
            if cell._record_.scope is None:
                cell._record_.scope = scope
            cell._name_scopes_(scope)

    def get_scope(self) -> str | None:
        """Return the name that :meth:`generate_scope` of a Cell above has given; None
        before.
        """
        return self._record_.scope

    # -- accepted for compatibility ----------------------------------------------------------------

    def recompute(self, **kwargs: Any) -> None:
        """Accepted for compatibility: the memory planner decides which values stay in memory."""
        check_recompute_options(f"{type(self).__name__}.recompute", kwargs)

    def shard(
        self, in_strategy: Any, out_strategy: Any = None, parameter_plan: Any = None, **kwargs: Any
    ) -> None:
        """Accepted for compatibility where there is one rank.

        Raises:
            RuntimeError: there are several ranks, in a mode that splits networks.
        """
        context.parallel.note_shard_call(f"{type(self).__name__}.shard")

    def offload(self, backward_prefetch: Any = "Auto") -> None:
        """Accepted for compatibility: everything is in host memory already."""
        checks.prefetch(f"{type(self).__name__}.offload", backward_prefetch)

    def set_data_parallel(self) -> None:
        """Accepted for compatibility: no strategy is searched for."""


__all__ = ["CellSettings"]
