"""What a gradient keeps of the computation, packed and unpacked by the user's functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minispore.core import interpreter, tape
from minispore.core.autograd import CustomVjp
from minispore.core.tensor import Tensor, wrap
from minispore.core.value import Node, Value
from minispore.graph.trace import Tracer, Untraceable


class saved_tensors_hooks:
    """Inside the ``with`` block, ``pack_hook`` is given each tensor that an op keeps for its
    gradient, and what it returns is kept; ``unpack_hook`` makes a tensor of that, with which the
    gradient computes. What a graph would compute inside of it runs op by op.

    Args:
        pack_hook (Callable): takes a tensor.
        unpack_hook (Callable): takes what ``pack_hook`` returned, gives a tensor.

    Raises:
        RuntimeError: in the gradient: ``unpack_hook`` returned no Tensor.

    >>> from minispore import grad
    >>> def in_half(x):
    ...     with saved_tensors_hooks(lambda t: t.asnumpy() / 2, lambda kept: Tensor(kept)):
    ...         return x * x
    >>> print(grad(in_half)(Tensor([1.0, 4.0])))
    [1. 4.]
    """

    def __init__(self, pack_hook: Callable[..., Any], unpack_hook: Callable[..., Any]) -> None:
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook
        self._outer: list[Any] = []

    def __enter__(self) -> None:
        interpreter.interpreter().on_untraceable("saved_tensors_hooks")
        state = interpreter.state()
        self._outer.append(state.pack_node)
        state.pack_node = self._packed

    def __exit__(self, *exc: Any) -> None:
        interpreter.state().pack_node = self._outer.pop()

    def around(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """``fn``, called inside of the block."""

        def within(*args: Any, **kwargs: Any) -> Any:
            with self:
                return fn(*args, **kwargs)

        return within

    def _packed(self, node: Node) -> Node:
        if isinstance(node.prim, CustomVjp) or not node.prim.pure:
            return node  # its gradient is the user's own
        state, needed = interpreter.state(), _needed(node)
        state.pack_node = None
        try:
            with interpreter.recording_on(()):
                tensors = [*node.args, *node.outputs]
                kept = {at: self.pack_hook(wrap(tensors[at])) for at in needed}
        finally:
            state.pack_node = self._packed
        return _PackedNode(node, kept, self.unpack_hook)


class _PackedNode(Node):
    """A node whose gradient computes with what was kept of its tensors."""

    __slots__ = ("_kept", "_unpack")

    def __init__(self, node: Node, kept: dict[int, Any], unpack: Callable[..., Any]) -> None:
        super().__init__(node.prim, node.args, node.outputs, node.scope, node.line)
        self._kept, self._unpack = kept, unpack

    def unpacked(self) -> Node:
        """The node with the tensors that the user's function makes."""
        made, count = [*self.args, *self.outputs], len(self.args)
        for at, kept in self._kept.items():
            tensor = self._unpack(kept)
            if not isinstance(tensor, Tensor):
                raise RuntimeError(
                    f"saved_tensors_hooks: unpack_hook must return a Tensor, got {tensor!r}."
                )
            made[at] = tensor.value_
        return Node(self.prim, tuple(made[:count]), tuple(made[count:]))


def _needed(node: Node) -> list[int]:
    """Which arguments and outputs of ``node`` its gradient computes with, by their places: the
    derivative is traced, and what nothing of it depends on is left out.
    """
    given = [*node.args, *node.outputs]
    places = [at for at, value in enumerate(given) if value.__class__ is Value]
    reached = [any(t.reaches(given[at]) for t in interpreter.tapes()) for at in places]
    tracer, stands = Tracer(), list(given)
    for at in places:
        stands[at] = tracer.add_input(given[at].spec, None)
    count = len(node.args)
    copy = Node(node.prim, tuple(stands[:count]), tuple(stands[count:]))
    try:
        with interpreter.using_interpreter(tracer), interpreter.deriving():
            douts: list[Any] = [wrap(tracer.add_input(o.spec, None)) for o in node.outputs]
            cots = dict(enumerate(tape.compute_cotangents(copy, douts)))
            live = set()
            for at, wanted in zip(places, reached, strict=True):
                cot = cots.get(at) if wanted and at < count else None
                cot = cot if cot is None or isinstance(cot, Tensor) else cot()
                if cot is not None:
                    live.add(cot.value_)
    except Untraceable:  # it asks for values, so it may need all
        return places
    for step in reversed(tracer.graph.nodes):
        if not live.isdisjoint(step.outputs):
            live.update(step.inputs)
    return [at for at in places if stands[at] in live]


__all__ = ["saved_tensors_hooks"]
