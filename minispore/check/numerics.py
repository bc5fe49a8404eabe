"""Check the arrays of each op: float64 products, float16 overflows, and the source of NaNs."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from minispore.check.cut import Training
from minispore.check.listen import listen_to_devices
from minispore.check.sinks import RawFinding, locate
from minispore.core import interpreter
from minispore.device.model.roles import get_matmul_kind
from minispore.device.model.spec import DeviceSpec
from minispore.device.runtime import Listener
from minispore.execution import overflow
from minispore.graph.blocks import BoundNode
from minispore.graph.compiler import compiler
from minispore.graph.ir import Graph
from minispore.graph.trace import EAGER_EVALUATOR, user_frame
from minispore.ir.operator import Operator
from minispore.nn.optim.optimizer import Optimizer
from minispore.nn.wrap.cell_wrapper import TrainOneStepCell
from minispore.nn.wrap.loss_scale import TrainOneStepWithLossScaleCell

#: Op that makes a NaN or an infinity -> what to write instead.
_WAYS_OUT = {
    **dict.fromkeys(("Log", "Log1p"), "ops.log(ops.maximum(x, 1e-6))"),
    **dict.fromkeys(("Sqrt", "Rsqrt"), "ops.sqrt(ops.maximum(x, 1e-6))"),
    **dict.fromkeys(("Div", "RealDiv", "Reciprocal"), "x / ops.maximum(y, 1e-6)"),
}
_SMALLER_VALUES = "# smaller values: a norm before it, smaller weights, a lower learning rate"
_FLOAT32 = "x = x.astype(ms.float32)"

_GRADIENT_SCOPE = "Gradients"  # prefix of the scope of a derivative's ops


class NumericsMonitor(Listener):
    """Checks the arrays of each op that runs, in graphs and op by op.

    Attributes:
        matches: the number of violations by rule, line and op.
        op_count: the number of ops that ran.
        infinity: the line and the op that last made an infinity from finite numbers.
    """

    def __init__(self, spec: DeviceSpec) -> None:
        self.spec = spec
        self.infinity: tuple[str, str] | None = None
        self.matches: Counter[tuple[str, str, str]] = Counter()
        self.op_count = 0
        self.has_nan_loss = False  # whether a program returned a loss that is NaN

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Check all ops inside the ``with`` block, including those of programs, for overflows and
        NaNs.
        """
        compiler.observer_factories.append(self._make_observer)
        with listen_to_devices(self):
            try:
                yield
            finally:
                compiler.observer_factories.remove(self._make_observer)

    # -- events ------------------------------------------------------------------------------------

    def _make_observer(self, entry: Any, graph: Graph, cells: Any) -> _ProgramObserver:
        """Return an observer for a new program. Called by the compiler."""
        return _ProgramObserver(self)

    def on_execute(self, prim: Operator, arrays: Any, out: Any, took_ns: int) -> None:
        """Check an op that ran eagerly, outside of a program."""
        if interpreter.current() is EAGER_EVALUATOR:  # the program will run it, too
            return
        outs = out if isinstance(out, list | tuple) else [out]
        frame = user_frame()
        line = f"{frame.f_code.co_filename}:{frame.f_lineno}"
        origin = interpreter.origin()
        check = _OpCheck(self, prim, line, origin[0] if origin else "", list(arrays), outs)
        check.before()
        check.after()

    def on_answer(self, arrays: Any) -> None:
        """Record a NaN loss, if the first output of a program is a scalar and NaN."""
        loss = arrays[0] if arrays else None
        if isinstance(loss, np.ndarray) and loss.size == 1 and loss.dtype.kind == "f":
            self.has_nan_loss = self.has_nan_loss or math.isnan(loss.item())


class _ProgramObserver:
    """The observer of one program; see :class:`minispore.graph.program.Observer`."""

    def __init__(self, numerics: NumericsMonitor) -> None:
        self._numerics = numerics

    def observe_run(self) -> _ProgramObserver:
        """Return the observer itself, since each op is checked separately."""
        return self

    def end(self) -> None:
        """Do nothing at the end of a run."""

    def make_calls_around(self, bound: BoundNode) -> tuple[Callable[[], None], Callable[[], None]]:
        """Return the checks of the inputs and of the outputs of one node."""
        node = bound.node
        check = _OpCheck(self._numerics, node.prim, node.line, node.scope, bound.args, bound.outs)
        return check.before, check.after


class _OpCheck:
    """The check of one op: ``before`` reads its inputs before the run, ``after`` its outputs."""

    def __init__(
        self,
        numerics: NumericsMonitor,
        prim: Operator,
        line: str,
        scope: str,
        args: Any,
        outs: Any,
    ) -> None:
        self._numerics, self._prim, self._line, self._scope = numerics, prim, line, scope
        self._args, self._outs = args, [a for a in outs if isinstance(a, np.ndarray)]
        self._overflow_flag = overflow.Flag()
        self._overflow_flag.clear()
        self._overflow_check = overflow.OverflowCheck(self._overflow_flag, args, self._outs)

    def before(self) -> None:
        """Record the non-finite values of the inputs, before the op runs."""
        self._overflow_check.before()

    def after(self) -> None:
        """Count the op and the rules that it violates; overflow in a backward pass is ignored."""
        self._overflow_check.after()
        self._numerics.op_count += 1
        self._check_product_dtypes()
        if not self._overflow_flag.read() or self._scope.startswith(_GRADIENT_SCOPE):
            return
        monitor = self._numerics
        has_nan = any(np.isnan(a).any() for a in self._outs if a.dtype.kind == "f")
        is_product = bool(get_matmul_kind(self._prim.name))
        has_float16 = any(a.dtype == np.float16 for a in self._outs)
        if has_nan and self._overflow_check.had_infinite_input and monitor.infinity is not None:
            line, op = monitor.infinity  # it made the infinity that became a NaN
            monitor.matches["nan", line, op] += 1
        elif has_nan and not (is_product and has_float16):
            self._count_match("nan")
        elif has_float16:  # in a product, infinities of both signs may sum to a NaN
            self._count_match("float16-overflow")
        if not has_nan:
            monitor.infinity = self._line, self._prim.name

    def _check_product_dtypes(self) -> None:
        """Count a product with a dtype that the device's matrix unit does not support."""
        if not get_matmul_kind(self._prim.name):
            return
        dtypes = {a.dtype for a in self._args if isinstance(a, np.ndarray)}
        if np.dtype(np.float64) in dtypes:
            self._count_match("float64-product")
        spec = self._numerics.spec
        takes_bfloat16 = spec.target != "Ascend" or bool(spec.cube_macs_float32)
        is_complex = spec.target == "Ascend" and any(d.kind == "c" for d in dtypes)
        if is_complex or (not takes_bfloat16 and any(d.name == "bfloat16" for d in dtypes)):
            self._count_match("product-dtype")

    def _count_match(self, rule: str) -> None:
        """Count a violation of ``rule`` by the op."""
        self._numerics.matches[rule, self._line, self._prim.name] += 1


def summarize_numerics(
    trainings: list[Training], numerics: NumericsMonitor, files: Sequence[str]
) -> tuple[list[str], list[RawFinding]]:
    """Return the lines of the report's section about numerics, and its raw findings.

    A NaN is a finding only if a loss was NaN, and only the first NaN.

    Args:
        trainings: the trainings of the script.
        numerics: the overflows and NaNs of the ops that ran.
        files: the paths of the script's files, since ops of a graph know only file names.
    """
    paths_by_name = {os.path.basename(file): file for file in files}
    lines = [f"{numerics.op_count:,} ops were looked at as they ran"]
    raw_findings: list[RawFinding] = []
    reported_rules = set()
    for (rule, line, op), count in numerics.matches.items():
        if rule == "nan" and (not numerics.has_nan_loss or "nan" in reported_rules):
            continue  # a NaN that does not reach the loss is often intended
        reported_rules.add(rule)
        file, _, line_number = line.rpartition(":")
        times = f"{count} times" if count > 1 else "once"
        raw_findings.append(
            (
                rule,
                paths_by_name.get(file, file),
                int(line_number or 0),
                f"{op}, {times}",
                _find_way_out(rule, op),
            )
        )
    for training in trainings:
        loss_scales = _read_loss_scales(training)
        if loss_scales is not None and not loss_scales.is_compensated:
            raw_findings.append(_make_loss_scale_finding(training, loss_scales))
        elif loss_scales is not None and loss_scales.of_loss != 1:
            location, scale = locate(training.file, training.line), loss_scales.of_loss
            lines.append(f"{location}: the loss is scaled by {scale:,.10g}, and the gradients back")
            if scale < loss_scales.at_first:
                lines.append(
                    f"{location}: that scale was {loss_scales.at_first:,.10g} at first. Steps "
                    "whose scaled gradients overflowed lowered it, and updated nothing"
                )
    if "float16-overflow" not in reported_rules:
        lines.append("no overflow of float16 was seen in an op of the forward pass")
    if "nan" not in reported_rules:
        lines.append("no NaN in a loss was seen")
    return lines, raw_findings


def _find_way_out(rule: str, op: str) -> str:
    """Return the code to write instead of ``op``; "" if the rule's own lines apply."""
    if rule == "float16-overflow":
        return "" if op == "Exp" else _FLOAT32
    return _WAYS_OUT.get(op, _SMALLER_VALUES) if rule == "nan" else ""


class _LossScales(NamedTuple):
    """The loss scale of a training, and the scale by which the optimizer divides gradients."""

    at_first: float  # of the loss at the start of the training
    of_loss: float
    required: float  # of the optimizer; 1 if the step itself divides by the scale
    of_optimizer: float
    optimizer: str  # its class

    @property
    def is_compensated(self) -> bool:
        """Whether the optimizer divides gradients by the scale that the step leaves to it."""
        return self.of_optimizer == self.required


def _read_loss_scales(training: Training) -> _LossScales | None:
    """Return the loss scales of a training; None for a user's own step."""
    step = getattr(training.model, "train_network", None)
    optimizer = getattr(step, "optimizer", None)
    if not isinstance(optimizer, Optimizer):
        return None
    if type(step) is TrainOneStepWithLossScaleCell:
        scale, required = float(step.scale_sense.asnumpy()), 1.0
        first_scale = float(getattr(step.loss_scaling_manager, "loss_scale_value", scale))
    elif type(step) is TrainOneStepCell:
        first_scale = scale = required = float(step.sens)
    else:
        return None
    return _LossScales(first_scale, scale, required, optimizer.loss_scale, type(optimizer).__name__)


def _make_loss_scale_finding(training: Training, scales: _LossScales) -> RawFinding:
    """Return the finding about a loss scale by which the optimizer does not divide."""
    message = (
        f"{scales.optimizer} has loss_scale={scales.of_optimizer:g}, {scales.required:g} would be "
        "right"
    )
    return "loss-scale", training.file, training.line, message


__all__ = ["NumericsMonitor", "summarize_numerics"]
