"""Graph: nodes in program order over values that are written once.

State is functional inside a graph: a Parameter comes in as a value, each primitive that mutates it
makes a new value, and ``updates`` says which value each Parameter holds in the end. Passes
therefore never think about effects on Parameters; the planner puts updates back in place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from minispore.core.parameter import Parameter
from minispore.core.primitive import Primitive
from minispore.core.value import Node, Value


@dataclass(frozen=True)
class Guard:
    """A value that Python asked for while tracing, and the answer that the graph builds on."""

    value: Value
    kind: str  # "bool()" or "index"
    expected: bool | int
    position: int  # the number of nodes bound before it was asked
    line: str


@dataclass(eq=False)
class Graph:
    """A traced function."""

    inputs: list[Value] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    outputs: list[Value] = field(default_factory=list)
    state: dict[Parameter, Value] = field(default_factory=dict)  # what each Parameter holds first
    updates: dict[Parameter, Value] = field(default_factory=dict)  # and in the end, if changed
    guards: list[Guard] = field(default_factory=list)
    # Strides of the inputs that are not in C order: sums go over them as they lie.
    lies: dict[Value, tuple[int, ...]] = field(default_factory=dict)

    def results(self) -> list[Value]:
        """All values that must be computed: outputs, new states, guards."""
        return [*self.outputs, *self.updates.values(), *(g.value for g in self.guards)]

    def replaced(self, nodes: list[Node], new: dict[Value, Value]) -> Graph:
        """This graph with other nodes, and values renamed by ``new`` in results (nodes already use
        new names).
        """

        def name(v: Value) -> Value:
            while v in new:
                v = new[v]
            return v

        return Graph(
            self.inputs,
            nodes,
            [name(v) for v in self.outputs],
            self.state,
            {p: name(v) for p, v in self.updates.items()},
            [Guard(name(g.value), g.kind, g.expected, g.position, g.line) for g in self.guards],
            self.lies,
        )

    def uses(self) -> dict[Value, int]:
        """How often each value is used by nodes and results."""
        count: dict[Value, int] = {}
        for node in self.nodes:
            for a in node.args:
                if a.__class__ is Value:
                    count[a] = count.get(a, 0) + 1
        for v in self.results():
            count[v] = count.get(v, 0) + 1
        return count

    def producers(self) -> dict[Value, Node]:
        """The node that makes each value."""
        return {o: node for node in self.nodes for o in node.outputs}


Rule = Callable[[Node, dict[Value, Node]], Any]


def rewrite(graph: Graph, *rules: tuple[type[Primitive], Rule], again: bool = False) -> Graph:
    """Apply to each node in order the first of ``rules`` that has an answer.

    ``(op, rule)`` is for the nodes of ``op`` and its subclasses. ``rule(node, producers)`` sees the
    node with its inputs already renamed. It answers None (it does not fit), a Value or tuple of
    Values that replace its outputs, or a list of nodes in its place: the outputs of the last
    replace its outputs, or a Value at the end of the list does.

    Args:
        graph: the graph, which stays as it is.
        rules: which ops, and what becomes of them.
        again: go on until no rule fits any more.
    """
    for_op: dict[type[Primitive], list[Rule]] = {}
    while True:
        made, changed = _rewritten(graph, rules, for_op)
        if not (again and changed):
            return made
        graph = made


def _rewritten(
    graph: Graph,
    rules: tuple[tuple[type[Primitive], Rule], ...],
    for_op: dict[type[Primitive], list[Rule]],
) -> tuple[Graph, bool]:
    """``graph`` after one pass over its nodes, and whether a rule had an answer."""
    new: dict[Value, Value] = {}
    nodes: list[Node] = []
    producers: dict[Value, Node] = {}
    changed = False

    def keep(node: Node) -> None:
        nodes.append(node)
        for o in node.outputs:
            producers[o] = node

    for old in graph.nodes:
        node = old
        if new and not new.keys().isdisjoint(old.inputs):
            args = tuple([new.get(a, a) if a.__class__ is Value else a for a in old.args])
            node = Node(old.prim, args, old.outputs, old.scope, old.line)
        kind = type(node.prim)
        mine = for_op.get(kind)
        if mine is None:
            mine = for_op[kind] = [rule for op, rule in rules if issubclass(kind, op)]
        answer = None
        for rule in mine:
            answer = rule(node, producers)
            if answer is not None:
                break
        if answer is None:
            keep(node)
            continue
        changed = True
        if isinstance(answer, list):
            *steps, last = answer
            for n in steps:
                keep(n)
            if isinstance(last, Node):
                keep(last)
                last = last.outputs
            answer = last
        if answer.__class__ is Value:
            answer = (answer,)
        for o, a in zip(node.outputs, answer, strict=True):
            if o is not a:
                new[o] = new.get(a, a)
    return graph.replaced(nodes, new), changed


def like(node: Node, prim: Primitive, *args: Any) -> Node:
    """A node credited to the same Cell and line as ``node``, its output specs inferred."""
    from_infer = prim.infer(*[a.spec if a.__class__ is Value else a for a in args])
    specs = from_infer if from_infer.__class__ is tuple else (from_infer,)
    return Node(prim, args, tuple([Value(s) for s in specs]), node.scope, node.line)
