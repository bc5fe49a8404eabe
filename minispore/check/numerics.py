"""What numbers show: products in float64, float16 that overflows, where a NaN is from."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from minispore.check.cut import Training
from minispore.check.listen import listening
from minispore.check.sinks import Told, place
from minispore.core import interpreter, overflow
from minispore.core.primitive import Primitive
from minispore.device.runtime import Listener
from minispore.graph.blocks import Bound
from minispore.graph.compiler import compiler
from minispore.graph.ir import Graph
from minispore.graph.trace import ANSWERING, user_frame
from minispore.nn.optim.optimizer import Optimizer
from minispore.nn.wrap.cell_wrapper import TrainOneStepCell
from minispore.nn.wrap.loss_scale import TrainOneStepWithLossScaleCell

_TRAINS = "Gradients"  # how the scope of a derivative's ops begins


class Numerics(Listener):
    """Looks at each op that runs, in either mode.

    Attributes:
        seen: how often which rule was broken, by rule, line, op.
        ops: how many ops ran.
    """

    def __init__(self) -> None:
        self.seen: Counter[tuple[str, str, str]] = Counter()
        self.ops = 0
        self.lost = False  # a program gave a loss that is no number

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Look at what runs in the ``with`` block."""
        compiler.observations.append(self._observe)
        with listening(self):
            try:
                yield
            finally:
                compiler.observations.remove(self._observe)

    # -- who tells ---------------------------------------------------------------------------------

    def _observe(self, entry: Any, graph: Graph, cells: Any) -> _Looks:
        return _Looks(self)

    def executed(self, prim: Primitive, arrays: Any, out: Any, took_ns: int) -> None:
        if interpreter.interpreter() is ANSWERING:  # the program will run it, too
            return
        outs = out if isinstance(out, list | tuple) else [out]
        frame = user_frame()
        line = f"{frame.f_code.co_filename}:{frame.f_lineno}"
        origin = interpreter.origin()
        look = _Look(self, prim, line, origin[0] if origin else "", list(arrays), outs)
        look.before()
        look.after()

    def answered(self, arrays: Any) -> None:
        first = arrays[0] if arrays else None
        if isinstance(first, np.ndarray) and first.size == 1 and first.dtype.kind == "f":
            self.lost = self.lost or math.isnan(first.item())


class _Looks:
    """The observer of one program; see :class:`minispore.graph.program.Observer`."""

    def __init__(self, numerics: Numerics) -> None:
        self._numerics = numerics

    def begin(self) -> None:
        """Nothing: each op is looked at by itself."""

    def end(self) -> None:
        """Nothing."""

    def look(self, bound: Bound) -> tuple[Callable[[], None], Callable[[], None]]:
        node = bound.node
        found = _Look(self._numerics, node.prim, node.line, node.scope, bound.args, bound.outs)
        return found.before, found.after


class _Look:
    """One op that runs."""

    def __init__(
        self, numerics: Numerics, prim: Primitive, line: str, scope: str, args: Any, outs: Any
    ) -> None:
        self._numerics, self._prim, self._line, self._scope = numerics, prim, line, scope
        self._args, self._outs = args, [a for a in outs if isinstance(a, np.ndarray)]
        self._flag = overflow.Flag()
        self._flag.clear()
        self._over = overflow.Look(self._flag, args, self._outs)

    def before(self) -> None:
        self._over.before()

    def after(self) -> None:
        self._over.after()
        self._numerics.ops += 1
        kinds = {a.dtype for a in self._args if isinstance(a, np.ndarray)}
        if self._prim.multiplies and np.dtype(np.float64) in kinds:
            self._note("float64-product")
        if not self._flag.read() or self._scope.startswith(_TRAINS):
            return
        if any(np.isnan(a).any() for a in self._outs if a.dtype.kind == "f"):
            self._note("nan")
        elif self._prim.name != "Cast" and any(a.dtype == np.float16 for a in self._outs):
            self._note("float16-overflow")

    def _note(self, rule: str) -> None:
        self._numerics.seen[rule, self._line, self._prim.name] += 1


def numbers(
    trainings: list[Training], numerics: Numerics, files: Sequence[str]
) -> tuple[list[str], list[Told]]:
    """The lines of the section, and what is to be found fault with.

    Args:
        trainings: what the script trains.
        numerics: what its ops showed.
        files: the script's files: of a graph's ops only their names are known.
    """
    by_name = {os.path.basename(file): file for file in files}
    lines = [f"{numerics.ops:,} ops were looked at as they ran"]
    told: list[Told] = []
    shown = set()
    for (rule, line, op), count in numerics.seen.items():
        if rule == "nan" and (not numerics.lost or "nan" in shown):
            continue  # a NaN that does not reach the loss is often meant
        shown.add(rule)
        file, _, number = line.rpartition(":")
        times = f"{count} times" if count > 1 else "once"
        told.append((rule, by_name.get(file, file), int(number or 0), f"{op}, {times}"))
    for training in trainings:
        lines += _scales(training, told)
    for name, what in (("float16-overflow", "overflow of float16"), ("nan", "NaN in a loss")):
        if name not in shown:
            lines.append(f"no {what} was seen")
    return lines, told


def _scales(training: Training, told: list[Told]) -> Iterator[str]:
    step = getattr(training.model, "train_network", None)
    optimizer = getattr(step, "optimizer", None)
    if not isinstance(optimizer, Optimizer):
        return
    if type(step) is TrainOneStepWithLossScaleCell:
        scale, wanted = float(step.scale_sense.asnumpy()), 1.0
    elif type(step) is TrainOneStepCell:
        scale = wanted = float(step.sens)
    else:
        return
    if optimizer.loss_scale == wanted:
        if scale != 1:
            where = place(training.file, training.line)
            yield f"{where}: the loss is scaled by {scale:g}, and the gradients back"
        return
    kind = type(optimizer).__name__
    told.append(
        (
            "loss-scale",
            training.file,
            training.line,
            f"{kind} has loss_scale={optimizer.loss_scale:g}, {wanted:g} would be right",
        )
    )


__all__ = ["Numerics", "numbers"]
