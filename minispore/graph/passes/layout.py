"""Layout: keep images as planes between the convolutions that want them so.

Lowering leaves ``FromPlanes`` behind each blocked convolution and ``ToPlanes`` before the next.
These rules move what lies between them to the other side, so that the two meet and vanish. Every
rule only changes where an element lies, never its value.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minispore.core import layout
from minispore.core.primitive import Primitive
from minispore.core.value import Node, Spec, Value
from minispore.graph.ir import Graph, like, rewrite
from minispore.graph.strides import Strides
from minispore.ops.elementwise.arithmetic import Add
from minispore.ops.elementwise.piecewise_activations import ReLU, ReluGrad
from minispore.ops.network.bias import BiasAdd
from minispore.ops.network.pool import MaxPool, MaxPoolGrad
from minispore.ops.shape.views import Reshape
from minispore.ops.steps import planes, pools


def relu_after_pool(graph: Graph) -> Graph:
    """MaxPool(ReLU(x)) -> ReLU(MaxPool(x)): a quarter of the work.

    Backward too: where the pool's maximum is positive it is x's own, and where it is not the slope
    of ReLU is 0, so ReluGrad(MaxPoolGrad(r, p, dy), r) = MaxPoolGrad(x, q, ReluGrad(dy, p)).
    """
    producers = graph.producers()
    readers: dict[Value, list[Node]] = {}
    for node in graph.nodes:
        for a in node.inputs:
            readers.setdefault(a, []).append(node)
    results = set(graph.results())
    swap: dict[Node, Node] = {}  # pool of a ReLU -> that ReLU
    for pool in graph.nodes:
        relu = producers.get(pool.args[0]) if isinstance(pool.prim, MaxPool) else None
        if relu is None or not isinstance(relu.prim, ReLU):
            continue
        middle = relu.outputs[0]
        grads = [n for n in readers[middle] if n is not pool]
        whole = all(
            (
                isinstance(n.prim, ReluGrad)
                and n.args[1] is middle
                and _is_pool_grad(producers.get(n.args[0]), middle, pool)
            )
            or (
                _is_pool_grad(n, middle, pool)
                and all(_is_relu_grad(r, middle) for r in readers.get(n.outputs[0], [n]))
            )
            for n in grads
        )
        if whole and middle not in results:
            swap[pool] = relu
    if not swap:
        return graph
    by_pool = {relu.outputs[0]: pool for pool, relu in swap.items()}
    before: dict[Value, Value] = {}  # pooled ReLU -> pooled x

    def pool_first(node: Node, producers: dict[Value, Node]) -> Any:
        relu = by_output.get(node.outputs[0])
        if relu is None:
            return None
        pool = like(node, node.prim, relu.args[0])
        act = like(node, relu.prim, pool.outputs[0])
        before[act.outputs[0]] = pool.outputs[0]
        return [pool, act]

    def grad_first(node: Node, producers: dict[Value, Node]) -> Any:
        pool_grad = producers.get(node.args[0])
        if node.args[1] not in by_pool or pool_grad is None:
            return None
        if not isinstance(pool_grad.prim, MaxPoolGrad):
            return None
        relu = swap[by_pool[node.args[1]]]
        _, pooled, dy = pool_grad.args
        masked = like(node, node.prim, dy, pooled)
        back = like(node, pool_grad.prim, relu.args[0], before[pooled], masked.outputs[0])
        return [masked, back]

    by_output = {pool.outputs[0]: relu for pool, relu in swap.items()}
    return rewrite(graph, (MaxPool, pool_first), (ReluGrad, grad_first))


def _is_pool_grad(node: Node | None, middle: Value, pool: Node) -> bool:
    return (
        node is not None
        and isinstance(node.prim, MaxPoolGrad)
        and node.args[0] is middle
        and node.args[1] is pool.outputs[0]
    )


def _is_relu_grad(node: Node, middle: Value) -> bool:
    return isinstance(node.prim, ReluGrad) and node.args[1] is middle


def meet_planes(graph: Graph) -> Graph:
    """Move pointwise ops and 2x2 pools from images to planes, and drop ToPlanes(FromPlanes(x))."""
    if not any(isinstance(n.prim, planes.FromPlanes) for n in graph.nodes):
        return graph
    return rewrite(
        graph,
        (planes.ToPlanes, _to_planes),
        (BiasAdd, _bias),
        (MaxPool, _pool),
        (MaxPoolGrad, _pool_grad),
        (Primitive, partial(_pointwise, Strides(graph).arrays)),
        again=True,
    )


def _planes_of(value: Any, producers: dict[Value, Node]) -> Value | None:
    """The planes that ``value`` was made of, if it is an uncropped FromPlanes."""
    made = producers.get(value) if value.__class__ is Value else None
    if made is None or not isinstance(made.prim, planes.FromPlanes) or made.prim.win is not None:
        return None
    return made.args[0]


def _to_planes(node: Node, producers: dict[Value, Node]) -> Any:
    """ToPlanes(FromPlanes(x)) = x, where neither pads and the number of planes agrees."""
    prim: Any = node.prim
    source, win = _planes_of(node.args[0], producers), prim.win
    fits = source is not None and source.spec.shape[1] == prim.b
    return source if fits and (win is None or win.padded == win.size) else None


def _pointwise(arrays: dict[Value, np.ndarray], node: Node, producers: dict[Value, Node]) -> Any:
    """f(FromPlanes(x), y) = FromPlanes(f(x, ToPlanes(y))), where all are of one shape or numbers.

    The result lies as it would have without planes, so that sums of it go the same way round.
    """
    made = node.outputs[0]
    if not node.prim.pointwise or made.spec.ndim != 4:
        return None
    whole = [a for a in node.inputs if a.spec.size != 1]
    found = {a: p for a in whole if (p := _planes_of(a, producers)) is not None}
    order = _order(arrays[made])
    if not found or order is None or any(a.spec.shape != made.spec.shape for a in whole):
        return None
    b = next(iter(found.values())).spec.shape[1]
    steps: list[Node] = []

    def of(a: Any) -> Any:
        if a.__class__ is not Value or a.spec.size == 1:
            return a
        if a in found and found[a].spec.shape[1] == b:
            return found[a]
        steps.append(like(node, planes.ToPlanes(b), a))
        return steps[-1].outputs[0]

    steps.append(like(node, node.prim, *[of(a) for a in node.args]))
    return [*steps, like(node, planes.FromPlanes(order=order), steps[-1].outputs[0])]


def _order(x: np.ndarray) -> str | None:
    """The memory order of ``x``, if it has one that FromPlanes can give."""
    rules = (layout.BATCH_LAST, layout.ROW_MAJOR)
    spec = Spec(x.shape, x.dtype)
    return next((r for r in rules if layout.strides(spec, r, ()) == x.strides), None)


def _bias(node: Node, producers: dict[Value, Node]) -> Any:
    """BiasAdd(FromPlanes(x), b) = FromPlanes(x + b), b as (C, 1, 1, 1, 1)."""
    if node.prim != BiasAdd():
        return None
    x = _planes_of(node.args[0], producers)
    if x is None:
        return None
    bias = like(node, Reshape(), node.args[1], (-1, 1, 1, 1, 1))
    made = like(node, Add(), x, bias.outputs[0])
    return [bias, made, like(node, planes.FromPlanes(), made.outputs[0])]


def _halves(prim: Any, x: Value) -> bool:
    """Whether a pool is 2x2 of stride 2 without padding, over planes that split evenly."""
    win = prim.over((x.spec.shape[2], x.spec.shape[3] * x.spec.shape[1]))
    even = x.spec.shape[1] % 2 == 0 and x.spec.shape[2] % 2 == 0
    return win.kernel == (2, 2) and win.tiles and win.padded == win.size and even


def _pool(node: Node, producers: dict[Value, Node]) -> Any:
    """MaxPool(FromPlanes(x)) = FromPlanes(PlanePool(x))."""
    x = _planes_of(node.args[0], producers)
    if x is None or not _halves(node.prim, x):
        return None
    made = like(node, pools.PlanePool(), x)
    return [made, like(node, planes.FromPlanes(), made.outputs[0])]


def _pool_grad(node: Node, producers: dict[Value, Node]) -> Any:
    """MaxPoolGrad(FromPlanes(x), FromPlanes(y), dy) = FromPlanes(PlanePoolGrad(x, y,
    ToPlanes(dy))).
    """
    x, y = _planes_of(node.args[0], producers), _planes_of(node.args[1], producers)
    if x is None or y is None or not _halves(node.prim, x):
        return None
    if y.spec.shape[1] * 2 != x.spec.shape[1]:
        return None
    dy = like(node, planes.ToPlanes(y.spec.shape[1]), node.args[2])
    made = like(node, pools.PlanePoolGrad(), x, y, dy.outputs[0])
    return [dy, made, like(node, planes.FromPlanes(), made.outputs[0])]
