"""The tape of a gradient: the nodes that depend on watched values, and one walker back over them.

The walker binds the vjp of each node through the current interpreter. Under Pynative that computes
the gradient; under a Tracer it extends the graph; under an outer tape it is recorded and can be
differentiated again. A tape is in program order, so walking it backwards is a topological order and
nothing recurses.

A Parameter is a leaf, whatever is assigned to it: each read of it counts for its gradient, and none
flows from a read into what was assigned before. Two reads may be of two contents, so the tape knows
them by the Parameter whose content they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from minispore.core import interpreter as interp
from minispore.core.kernels.saved import Saved, looking
from minispore.core.parameter import Parameter
from minispore.core.primitive import Primitive
from minispore.core.rows import RowGradient
from minispore.core.tensor import Tensor, call, wrap
from minispore.core.value import Node, Value


class Tape:
    """The nodes that depend on watched values, in program order."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.saved = Saved()
        self._reached: set[Value] = set()
        self.beside: set[Value] = set()  # inputs of the function that nobody asked by
        self._leaves: dict[Parameter, Value] = {}
        self._reads: dict[Value, Value] = {}  # a content of a watched Parameter -> its leaf

    def watch(self, value: Value) -> Value:
        """Record what is computed from ``value``; returns the value to ask the gradient of."""
        value = interp.interpreter().lift((value,))[0]
        self._reached.add(value)
        if value.param is not None:
            self._leaves[value.param] = value
        return value

    def record(self, prim: Primitive, args: tuple[Any, ...], outputs: tuple[Value, ...]) -> None:
        reached = self._reached
        if prim.__class__.vjp is Primitive.vjp:  # nothing flows back through it
            return
        for a in args:
            if a.__class__ is Value and (
                a in reached or (a.param is not None and self._is_read(a))
            ):
                node = Node(prim, args, outputs, *interp.interpreter().where())
                packing = interp.state().packing
                self.nodes.append(node if packing is None else packing(node))
                reached.update(outputs)
                return

    def reaches(self, value: Value) -> bool:
        """Whether a gradient may come to ``value``."""
        return value in self._reached or (value.param is not None and self._is_read(value))

    def shows(self, value: Value) -> bool:
        """Whether a hook may be told of a gradient of ``value``: also where only a gradient by
        another input was asked for.
        """
        return value in self.beside or self.reaches(value)

    def _is_read(self, content: Value) -> bool:
        """Whether ``content`` is what a watched Parameter holds since an assignment."""
        leaf = self._leaves.get(content.param)  # type: ignore[arg-type]
        if leaf is None:
            return False
        self._reached.add(content)
        self._reads[content] = leaf
        return True

    def backward(self, seeds: Iterable[tuple[Value, Tensor]]) -> dict[Value, Tensor]:
        """Cotangents of the watched values, from those of the outputs."""
        grads: dict[Value, Tensor] = {}
        for value, seed in seeds:
            value = interp.interpreter().lift((value,))[0]
            if self.reaches(value):
                self._accumulate(grads, value, seed)
        if interp.tracing():
            self._walk(grads, self._spread_credited)
        else:
            with interp.derived_from(None), looking(self.saved):
                self._walk(grads, self._spread)
        return grads

    def _walk(self, grads: dict[Value, Tensor], spread: Callable[..., None]) -> None:
        state = interp.state()
        outer, state.last = state.last, []
        try:
            with interp.deriving():
                for node in reversed(self.nodes):
                    douts = [grads.pop(o, None) for o in node.outputs]
                    if any(d is not None for d in douts):
                        spread(grads, node, douts)
            for call_it in state.last:
                call_it()
        finally:
            state.last = outer

    def _spread_credited(self, grads: Any, node: Node, douts: Any) -> None:
        with interp.derived_from(node):
            self._spread(grads, node, douts)

    def _spread(self, grads: dict[Value, Tensor], node: Node, douts: list[Tensor | None]) -> None:
        """Add the cotangents of a node's inputs to ``grads``."""
        for arg, cot in zip(node.args, cotangents(node, douts), strict=False):
            if cot is None or arg.__class__ is not Value:
                continue
            if not self.reaches(arg):
                continue
            if not isinstance(cot, Tensor):
                cot = cot()  # a thunk: made only because somebody wants it
                if cot is None:
                    continue
            self._accumulate(grads, arg, cot)

    def _accumulate(self, grads: dict[Value, Tensor], value: Value, cot: Tensor) -> None:
        value = self._reads.get(value, value)
        had = grads.get(value)
        if had is not None:
            rows = isinstance(had, RowGradient) and isinstance(cot, RowGradient)
            cot = had.joined(cot) if rows else call("Add", had, cot)  # type: ignore[attr-defined]
        grads[value] = cot


def cotangents(node: Any, douts: list[Tensor | None]) -> Sequence[Any]:
    """The cotangents of a node's arguments: Tensors, functions that make them, or None. Inside
    :func:`interpreter.deriving`, and so are those functions called.
    """
    state = interp.state()
    if node.__class__ is not Node:  # its tensors are packed
        state.deriving = False
        node = node.unpacked()
    prim = node.prim
    state.deriving = not prim.written
    if not prim.partial:
        douts = [
            d if d is not None else call("ZerosLike", wrap(o))
            for d, o in zip(douts, node.outputs, strict=True)
        ]
    args = [wrap(a) if a.__class__ is Value else a for a in node.args]
    outs = tuple([wrap(o) for o in node.outputs])
    single = len(outs) == 1 and not getattr(prim, "multi", False)
    turned = not prim.hermitian and any(o.spec.dtype.kind == "c" for o in node.outputs)
    if turned:
        douts = [None if d is None else _conjugate(d) for d in douts]
    cots = prim.vjp(
        *args, out=outs[0] if single else outs, dout=douts[0] if single else tuple(douts)
    )
    return [_conjugated(c) for c in cots] if turned else cots


def _conjugated(cot: Any) -> Any:
    """A cotangent conjugated, or a function that makes one, or None."""
    return cot if cot is None else lambda: _conjugate(cot if isinstance(cot, Tensor) else cot())


def _conjugate(cot: Any) -> Any:
    return None if cot is None else call("Conj", cot)  # a real one is its own


__all__ = ["Tape", "cotangents"]
