"""The intermediate representation: nodes in program order over values that are written once.

State is functional inside a graph: a Parameter enters as a value, each primitive that mutates it
makes a new value, and ``updates`` says which value each Parameter holds in the end. Passes
therefore need not consider effects on Parameters; the planner turns updates into in-place ones
again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from minispore.core.parameter import Parameter
from minispore.ir.node import Node
from minispore.ir.operator import Operator
from minispore.ir.value import Value


@dataclass(frozen=True)
class Guard:
    """An answer that a graph relies on: the result of ``bool()`` or ``int()`` of a value during a
    trace.
    """

    value: Value
    question: str  # "bool()" or "index"
    expected: bool | int
    position: int  # the number of nodes that were bound before the question
    line: str


@dataclass(eq=False)
class Graph:
    """A traced function: its nodes in program order, inputs, outputs, state, updates and guards."""

    inputs: list[Value] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    outputs: list[Value] = field(default_factory=list)
    # The value of each Parameter at the start,
    state: dict[Parameter, Value] = field(default_factory=dict)
    updates: dict[Parameter, Value] = field(default_factory=dict)  # and at the end, if it changes
    guards: list[Guard] = field(default_factory=list)
    # Strides of the inputs that are not in C order: they decide the order in which sums add.
    input_strides: dict[Value, tuple[int, ...]] = field(default_factory=dict)
    # The call of a fused op that an op belonged to when it was traced, by the op's first output.
    fused_calls: dict[Value, str] = field(default_factory=dict)

    def results(self) -> list[Value]:
        """Return all values that must be computed: outputs, new states and guards."""
        return [*self.outputs, *self.updates.values(), *(g.value for g in self.guards)]

    def replace_nodes(self, nodes: list[Node], renames: dict[Value, Value]) -> Graph:
        """Return a graph of ``nodes`` with the inputs and state of this graph, and its results
        replaced by ``renames``.

        The nodes must already read the replacing values. ``fused_calls`` is left out.
        """

        def resolve(v: Value) -> Value:
            """Return the value that replaces ``v`` in the end, through a chain of renames."""
            while v in renames:
                v = renames[v]
            return v

        return Graph(
            self.inputs,
            nodes,
            [resolve(v) for v in self.outputs],
            self.state,
            {p: resolve(v) for p, v in self.updates.items()},
            [
                Guard(resolve(g.value), g.question, g.expected, g.position, g.line)
                for g in self.guards
            ],
            self.input_strides,
        )

    def count_uses(self) -> dict[Value, int]:
        """Return the number of uses of each value, by nodes and as a result."""
        count: dict[Value, int] = {}
        for node in self.nodes:
            for a in node.args:
                if a.__class__ is Value:
                    count[a] = count.get(a, 0) + 1
        for v in self.results():
            count[v] = count.get(v, 0) + 1
        return count

    def producers(self) -> dict[Value, Node]:
        """Return the node that makes each value; inputs, constants and initial states have none."""
        return {o: node for node in self.nodes for o in node.outputs}


Rule = Callable[[Node, dict[Value, Node]], Any]


def rewrite(graph: Graph, *rules: tuple[type[Operator], Rule], until_stable: bool = False) -> Graph:
    """Apply to each node, in order, the first of ``rules`` that does not return None; return the
    new graph.

    ``(op, rule)`` applies to the nodes of ``op`` and its subclasses. ``rule(node, producers)`` gets
    the node with its inputs already renamed. It returns None (it does not apply), a Value or tuple
    of Values that replace the node's outputs, or a list of nodes that replace the node. Then the
    outputs of the last node replace the node's outputs, or the Values at the end of the list do.

    Args:
        graph: the graph, which is not changed.
        rules: pairs of a primitive class and its rewrite rule.
        until_stable: repeat until no rule applies any more.
    """
    rules_by_class: dict[type[Operator], list[Rule]] = {}
    while True:
        result, changed = _apply_rules_once(graph, rules, rules_by_class)
        if not (until_stable and changed):
            return result
        graph = result


def _apply_rules_once(
    graph: Graph,
    rules: tuple[tuple[type[Operator], Rule], ...],
    rules_by_class: dict[type[Operator], list[Rule]],
) -> tuple[Graph, bool]:
    """Apply ``rules`` in one pass over the nodes; return the new graph and whether any rule
    applied.

    ``rules_by_class`` caches which rules apply to a primitive class.
    """
    renames: dict[Value, Value] = {}
    nodes: list[Node] = []
    producers: dict[Value, Node] = {}
    changed = False

    def append_node(node: Node) -> None:
        """Append a node, and note it as the producer of its outputs."""
        nodes.append(node)
        for o in node.outputs:
            producers[o] = node

    # A rename leads to a value that no rule replaces any more, so one look-up is enough: rules
    # replace only the outputs of the node at hand, and new nodes are not visited.
    for old in graph.nodes:
        node = old
        if renames and not renames.keys().isdisjoint(old.inputs):
            args = tuple([renames.get(a, a) if a.__class__ is Value else a for a in old.args])
            node = Node(old.prim, args, old.outputs, old.scope, old.line)
        cls = type(node.prim)
        matching_rules = rules_by_class.get(cls)
        if matching_rules is None:
            matching_rules = rules_by_class[cls] = [
                rule for op, rule in rules if issubclass(cls, op)
            ]
        replacement = None
        for rule in matching_rules:
            replacement = rule(node, producers)
            if replacement is not None:
                break
        if replacement is None:
            append_node(node)
            continue
        changed = True
        if isinstance(replacement, list):
            *first_nodes, last = replacement
            for new_node in first_nodes:
                append_node(new_node)
            if isinstance(last, Node):
                append_node(last)
                last = last.outputs
            replacement = last
        if replacement.__class__ is Value:
            replacement = (replacement,)
        for old_output, value in zip(node.outputs, replacement, strict=True):
            if old_output is not value:
                renames[old_output] = renames.get(value, value)
    return graph.replace_nodes(nodes, renames), changed


def make_node_like(node: Node, prim: Operator, *args: Any) -> Node:
    """Return a new node of ``prim`` with the Cell and line of ``node``, its output specs inferred.

    ``args`` are Values and static arguments; the outputs are new values.
    """
    inferred = prim.infer(*[a.spec if a.__class__ is Value else a for a in args])
    specs = inferred if inferred.__class__ is tuple else (inferred,)
    return Node(prim, args, tuple([Value(s) for s in specs]), node.scope, node.line)
