"""Each pass alone: what it rewrites, and that it keeps every bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Parameter, Tensor, nn, ops
from minispore.core import interpreter
from minispore.core.tensor import wrap
from minispore.core.tree import tensors_in
from minispore.graph import passes
from minispore.graph.compiler import optimise
from minispore.graph.ir import Graph, make_node_like
from minispore.graph.program import Program
from minispore.graph.trace import Tracer, finish_graph
from minispore.graph.verify import InvalidGraph, verify
from minispore.ir.node import Node
from minispore.ir.value import Spec, Value
from minispore.ops.control.bucket import AllReduceBegin, AllReduceEnd
from minispore.ops.network.softmax import ShiftedSoftmax


def traced(f: Callable[..., Any], *arrays: np.ndarray) -> Graph:
    tracer = Tracer()
    boxes = [wrap(tracer.add_input(Spec(a.shape, a.dtype), a)) for a in arrays]
    with interpreter.using_interpreter(tracer):
        return finish_graph(tracer, [t.value_ for t in tensors_in(f(*boxes))])


def names(graph: Graph) -> list[str]:
    return [n.prim.name for n in graph.nodes]


def same(before: Graph, after: Graph, *arrays: np.ndarray) -> None:
    """Both graphs are valid and compute the same bits."""
    verify(before)
    verify(after)
    one = [a.copy() for a in Program(before).run(list(arrays))]
    two = [a.copy() for a in Program(after).run(list(arrays))]
    assert [a.tobytes() for a in one] == [a.tobytes() for a in two]


X = np.array([1.5, -2.0, 3.0], np.float32)


# -- cleaning -------------------------------------------------------------------------------------


def test_dead_code_drops_what_nobody_reads_and_keeps_effects() -> None:
    p = Parameter(Tensor([1.0]), name="p")

    def f(x: Tensor) -> Tensor:
        x * 3.0
        ops.assign(p, p + 1.0)
        return x + 1.0

    graph = passes.dead_code(traced(f, X))
    assert names(graph) == ["Add", "Assign", "Add"]


def test_dead_code_forgets_parameters_that_nobody_reads() -> None:
    p = Parameter(Tensor([1.0]), name="p")
    graph = traced(lambda x: (p * 2.0, x)[1], X)
    assert list(graph.state) == [p]
    assert not passes.dead_code(graph).state


def test_common_subexpressions_are_computed_once() -> None:
    graph = traced(lambda x: (x + 1.0) * (x + 1.0), X)
    after = passes.common_subexpressions(graph)
    assert names(after) == ["Add", "Mul"]
    same(graph, after, X)


def test_equal_numbers_of_different_types_are_not_common() -> None:
    graph = traced(lambda x: (x == 1, x == 1.0), np.array([1], np.int32))
    assert names(passes.common_subexpressions(graph)) == ["Equal", "Cast", "Equal"]


def test_random_draws_are_never_merged_or_dropped() -> None:
    def f(x: Tensor) -> Tensor:
        ops.Dropout(0.5)(x)
        return ops.Dropout(0.5)(x)[0] + ops.Dropout(0.5)(x)[0]

    graph = passes.dead_code(passes.common_subexpressions(traced(f, X)))
    assert names(graph).count("Dropout") == 3


def test_constants_are_folded() -> None:
    graph = traced(lambda x: x * (Tensor([2.0]) + 1.0), X)
    after = passes.dead_code(passes.fold_constants(graph))
    assert names(after) == ["Mul"]
    same(graph, after, X)


def test_large_constants_are_not_folded() -> None:
    graph = traced(lambda x: ops.BroadcastTo((300, 300))(Tensor([2.0])) + 1.0, X)
    assert "Add" in names(passes.fold_constants(graph))


# -- algebra --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "f, left",
    [
        (lambda x: x * 1.0, []),
        (lambda x: 1.0 * x, []),
        (lambda x: x / 1.0, []),
        (lambda x: x**1, []),
        (lambda x: ops.neg(ops.neg(x)), []),
        (lambda x: ops.cast(x, ms.float32), []),
        (lambda x: ops.reshape(x, (3,)), []),
        (lambda x: ops.reshape(ops.reshape(x, (3, 1)), (1, 3)), ["Reshape", "Reshape"]),
        (lambda x: ops.reshape(x, (3, 1)).T.T, ["Reshape"]),
        (lambda x: ops.stop_gradient(x) + 0.5, ["Add"]),
        (lambda x: x * ops.ones_like(x), []),
    ],
)
def test_identities_vanish(f: Callable[[Tensor], Tensor], left: list[str]) -> None:
    graph = traced(f, X)
    after = passes.dead_code(passes.simplify(graph))
    assert names(after) == left
    same(graph, after, X)


@pytest.mark.parametrize(
    "f, kept",
    [
        (lambda x: x * 2.0, "Mul"),
        (lambda x: x + 0.0, "Add"),  # -0.0 + 0.0 is 0.0
        (lambda x: x * ops.ones((2, 3), ms.float32), "Mul"),  # broadcasts
        (lambda x: ops.cast(x, ms.float16), "Cast"),
    ],
)
def test_what_only_looks_like_an_identity_stays(f: Callable[[Tensor], Tensor], kept: str) -> None:
    assert kept in names(passes.simplify(traced(f, X)))


# -- convolutions ---------------------------------------------------------------------------------


def conv_step(c: int, f: int, size: int, k: int, **attributes: Any) -> tuple[Graph, np.ndarray]:
    """Loss and gradients of pool(relu(conv(x))) by x and the weight."""
    rng = np.random.default_rng(0)
    w = Parameter(Tensor(rng.standard_normal((f, c, k, k)).astype(np.float32)), name="w")
    x = rng.standard_normal((16, c, size, size)).astype(np.float32)

    def forward(x: Tensor) -> Tensor:
        y = ops.Conv2D(f, k, **attributes)(x, w)
        return (ops.MaxPool(2, 2)(ops.ReLU()(y)) ** 2).sum()

    return traced(ms.value_and_grad(forward, 0, (w,)), x), x


def test_forward_and_filter_gradient_share_their_columns() -> None:
    graph, x = conv_step(8, 32, 9, 3, stride=2)
    after = passes.dead_code(passes.common_subexpressions(passes.lower(graph)))
    assert names(after).count("Columns") == 1
    assert names(after).count("Flat") == 1
    same(graph, after, x)


def test_a_skinny_convolution_is_lowered_to_planes() -> None:
    graph, x = conv_step(1, 6, 12, 5)
    after = passes.dead_code(passes.common_subexpressions(passes.lower(graph)))
    assert names(after).count("PlaneRows") == 1
    assert names(after).count("Toeplitz") == 2  # one is turned, for the gradient of the input
    same(graph, after, x)


@pytest.mark.parametrize("attributes", [{}, {"pad_mode": "same"}, {"pad_mode": "pad", "pad": 2}])
def test_relu_moves_after_the_pool_and_images_stay_planes(attributes: dict) -> None:
    graph, x = conv_step(1, 6, 12, 5, **attributes)
    after = passes.dead_code(passes.relu_after_pool(passes.simplify(graph)))
    assert names(after)[:3] == ["Conv2D", "MaxPool", "ReLU"]
    lowered = passes.common_subexpressions(passes.lower(after))
    met = passes.dead_code(passes.common_subexpressions(passes.meet_planes(lowered)))
    assert "PlaneMaxPool" in names(met) and "PlaneMaxPoolGrad" in names(met)
    assert not any(n in names(met) for n in ("MaxPool", "MaxPoolGrad"))
    one = [a.copy() for a in Program(graph).run([x])]
    two = Program(met).run([x])
    assert all(np.array_equal(a, b) for a, b in zip(one, two))  # a zero may change its sign


def test_a_convolution_with_bias_relu_and_pool_is_one_group_of_planes() -> None:
    rng = np.random.default_rng(0)
    w = Parameter(Tensor(rng.standard_normal((6, 1, 5, 5)).astype(np.float32)), name="w")
    b = Parameter(Tensor(rng.standard_normal(6).astype(np.float32)), name="b")
    x = rng.standard_normal((16, 1, 12, 12)).astype(np.float32)

    def forward(x: Tensor) -> Tensor:
        y = ops.BiasAdd()(ops.Conv2D(6, 5)(x, w), b)
        return (ops.MaxPool(2, 2)(ops.ReLU()(y)) ** 2).sum()

    graph = traced(ms.value_and_grad(forward, None, (w, b)), x)
    after = optimise(graph)
    assert {"PlaneGemm", "PlaneMaxPool", "PlaneMaxPoolGrad"} <= set(names(after))
    assert not {"BiasAdd", "MaxPool", "MaxPoolGrad"} & set(names(after))
    one = [a.copy() for a in Program(graph).run([x])]
    assert all(np.array_equal(p, q) for p, q in zip(one, Program(after).run([x])))


def test_a_relu_that_others_read_stays_before_the_pool() -> None:
    def f(x: Tensor) -> tuple:
        r = ops.ReLU()(x)
        return ops.MaxPool(2, 2)(r), r

    x = np.random.default_rng(0).standard_normal((1, 1, 4, 4)).astype(np.float32)
    assert names(passes.dead_code(passes.relu_after_pool(traced(f, x)))) == ["ReLU", "MaxPool"]


# -- the verifier ---------------------------------------------------------------------------------


def test_the_verifier_finds_a_value_that_is_never_computed() -> None:
    graph = traced(lambda x: x + 1.0, X)
    graph.outputs = [Value(Spec((3,), X.dtype))]
    with pytest.raises(InvalidGraph, match="never computed"):
        verify(graph)


def test_the_verifier_finds_a_read_before_the_write() -> None:
    graph = traced(lambda x: (x + 1.0) * 2.0, X)
    graph.nodes.reverse()
    with pytest.raises(InvalidGraph, match="nothing wrote before"):
        verify(graph)


def test_the_verifier_finds_a_wrong_spec() -> None:
    graph = traced(lambda x: x + 1.0, X)
    wrong = Value(Spec((4,), X.dtype))
    node = graph.nodes[0]
    graph.nodes[0] = Node(node.prim, node.args, (wrong,))
    graph.outputs = [wrong]
    with pytest.raises(InvalidGraph, match="is said to give"):
        verify(graph)


def test_the_verifier_finds_a_value_written_twice() -> None:
    graph = traced(lambda x: x + 1.0, X)
    graph.nodes.append(graph.nodes[0])
    with pytest.raises(InvalidGraph, match="written already"):
        verify(graph)


def test_a_new_node_keeps_the_source_line_of_the_old_one() -> None:
    graph = traced(lambda x: x + 1.0, X)
    node_like = make_node_like(graph.nodes[0], ops.Neg(), graph.inputs[0])
    assert node_like.line == graph.nodes[0].line and node_like.line.startswith("test_passes.py:")


def test_modes_agree_on_a_network_with_everything() -> None:
    from minispore.graph import check_modes

    ms.set_seed(0)
    net = nn.SequentialCell(
        nn.Conv2d(3, 8, 3, pad_mode="same"), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2, 2),
        nn.Conv2d(8, 8, 3, group=8, pad_mode="same"), nn.Conv2d(8, 12, 1), nn.Tanh(),
        nn.AvgPool2d(2, 2), nn.Flatten(), nn.Dense(12 * 4, 10),
    )  # fmt: skip
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, loss), nn.Adam(net.trainable_params(), learning_rate=0.01)
    )
    step.set_train()
    rng = np.random.default_rng(1)
    x = Tensor(rng.standard_normal((4, 3, 8, 8)).astype(np.float32))
    y = Tensor(np.array([1, 2, 3, 9], np.int32))
    agreed = check_modes(step, x, y)
    assert agreed, str(agreed)


class Between(nn.Cell):
    """An activation between a convolution in planes and what follows it."""

    def __init__(self, activation: Any, then: str) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, has_bias=True)
        self.activation, self.then = activation, then
        self.second = nn.Conv2d(8, 4, 3) if then == "conv" else nn.MaxPool2d(2, 2)

    def construct(self, x: Tensor, weights: Tensor) -> Tensor:
        y = self.activation(self.first(x))
        y = y if self.then == "sum" else self.second(y)
        return y.reshape((x.shape[0], -1)).sum() if self.then == "pool" else (y * weights).sum()


ACTIVATIONS = [
    ops.relu, ops.tanh, ops.sigmoid, ops.silu, ops.gelu, ops.softsign, ops.elu, ops.selu,
    ops.hardswish, ops.mish, ops.abs, lambda x: x * ops.sigmoid(x) + 1,
    lambda x: ops.where(x > 0, x, x * 0.1), lambda x: (x.astype(ms.float64) + x).astype(ms.float32),
    lambda x: x + x.max(axis=(2, 3), keepdims=True),
]  # fmt: skip


@pytest.mark.parametrize("then", ["sum", "conv", "pool"])
@pytest.mark.parametrize("activation", ACTIVATIONS, ids=lambda f: f.__name__)
def test_modes_agree_to_the_last_bit_whatever_follows_a_convolution(
    activation: Any, then: str
) -> None:
    """Images as planes lie otherwise than without; sums over them must go the same way round."""
    ms.set_seed(1)
    net, rng = Between(activation, then), np.random.default_rng(0)
    x = Tensor(rng.standard_normal((16, 3, 12, 12)).astype(np.float32))
    channels = {"conv": 4}.get(then, 8)
    weights = Tensor(rng.standard_normal((16, channels, 12, 12)).astype(np.float32))
    both = ms.value_and_grad(net, 0, net.trainable_params())
    got = ms.jit(lambda x, w: both(x, w))(x, weights)
    assert [t.asnumpy().tobytes() for t in tensors_in(got)] == [
        t.asnumpy().tobytes() for t in tensors_in(both(x, weights))
    ]


def test_a_folded_broadcast_constant_keeps_the_memory_order() -> None:
    """The gradient of a sum is one number, repeated; what it is multiplied by says how it lies."""
    x = Tensor(np.random.default_rng(0).standard_normal((16, 10)).astype(np.float32))

    def f(x: Tensor) -> Tensor:
        return ms.grad(lambda y: (y * y).sum())(ops.transpose(x, (1, 0))).sum(axis=1)

    assert ms.jit(f)(x).asnumpy().tobytes() == f(x).asnumpy().tobytes()


# -- fusion ---------------------------------------------------------------------------------------


def test_a_cross_entropy_and_its_gradient_become_one_op() -> None:
    rng = np.random.default_rng(0)
    logits = rng.standard_normal((4, 3)).astype(np.float32)
    labels = np.array([0, 2, 1, 1], np.int32)
    loss = ops.SparseSoftmaxCrossEntropyWithLogits()
    graph = traced(lambda z, y: ms.value_and_grad(loss)(z, y), logits, labels)
    after = passes.dead_code(passes.fuse_pairs(passes.simplify(graph)))
    assert names(after) == ["SparseSoftmaxLossAndGrad"]
    same(graph, after, logits, labels)


def test_a_loss_without_its_gradient_stays() -> None:
    loss = ops.SparseSoftmaxCrossEntropyWithLogits()
    graph = traced(loss, np.zeros((4, 3), np.float32), np.zeros(4, np.int32))
    assert names(passes.fuse_pairs(graph)) == ["SparseSoftmaxCrossEntropyWithLogits"]


def test_the_logarithm_of_a_softmax_and_its_gradient_become_one_op() -> None:
    x = np.random.default_rng(0).standard_normal((4, 3, 50)).astype(np.float32)
    graph = traced(lambda x: ms.value_and_grad(lambda x: ops.log_softmax(x, 2).sum())(x), x)
    assert {"ShiftedSoftmax", "LogSoftmax"} <= set(names(graph))
    after = passes.fuse_pairs(graph)
    assert names(after).count("SoftmaxAndLog") == 1
    assert not {"ShiftedSoftmax", "LogSoftmax"} & set(names(after))
    same(graph, after, x)
    separate = traced(lambda x: (ShiftedSoftmax(1)(x), ops.log_softmax(x, 2)), x)
    assert names(passes.fuse_pairs(separate)) == ["ShiftedSoftmax", "LogSoftmax"]


_PARTS: dict[str, Callable[[Tensor], tuple[Tensor, ...]]] = {
    "ints": lambda x: (x[0], x[1], x[2]),
    "slices, with a gap": lambda x: (x[:, 3:], x[:, :2]),
    "from the end": lambda x: (x[-1:], x[0], x[1, ...]),
    "of the last axis": lambda x: (x[..., 1:], x[..., 0]),
    "that meet": lambda x: (x[:2], x[1:]),
    "of two axes": lambda x: (x[0], x[:, 0]),
    "some that meet": lambda x: (x[1:], x[1], x[0]),
    "steps": lambda x: (x[:, ::2], x[:, 1::2]),
    "alone": lambda x: (x[1],),
}


@pytest.mark.parametrize("special", [0.0, -0.0, np.nan])
@pytest.mark.parametrize("parts", _PARTS)
def test_what_parts_give_back_has_the_same_bits(parts: str, special: float) -> None:
    x = np.random.default_rng(0).standard_normal((3, 4, 2)).astype(np.float32)
    x[:, 0] = special

    def gradient(x: Any) -> Any:
        return ms.grad(lambda x: sum((p * p * p).sum() for p in _PARTS[parts](x)))(x)

    in_graph = ms.jit(gradient)(ms.Tensor(x)).asnumpy()
    assert in_graph.tobytes() == gradient(ms.Tensor(x)).asnumpy().tobytes()


@pytest.mark.parametrize("perm", [(0, 1, 2), (1, 0, 2), (2, 0, 1)])
@pytest.mark.parametrize(
    "index", [np.s_[:, -1], np.s_[1:3], np.s_[..., 0], np.s_[::2, 1:], np.s_[::-1]]
)
def test_what_a_slice_of_a_slice_gives_back_has_the_same_bits(perm, index) -> None:
    x = ms.Tensor(np.random.default_rng(0).standard_normal((5, 6, 7)).astype(np.float32))

    def loss(x):
        z = x[1:].transpose(perm)[index]
        return (z * z).sum()

    gradients = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        gradients.append(ms.jit(ms.grad(loss))(x).asnumpy().tobytes())
    assert gradients[0] == gradients[1] == ms.ops.grad(loss)(x).asnumpy().tobytes()


@pytest.mark.parametrize("op", [ops.GeLU(), ops.SiLU()])
def test_the_gate_of_an_activation_and_of_its_gradient_is_computed_once(op: Any) -> None:
    x = np.random.default_rng(0).standard_normal((4, 50)).astype(np.float32)
    gate = op.gate.__name__
    graph = traced(lambda x: ms.value_and_grad(lambda x: op(x).sum())(x), x)
    assert sorted(set(names(graph)) & {op.name, gate}) == sorted([op.name, gate])
    after = passes.common_subexpressions(passes.share_gates(graph))
    assert names(after).count(gate) == 1
    assert op.name not in names(after)
    same(graph, after, x)
    single = traced(op, x)
    assert names(passes.share_gates(single)) == [op.name]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("op", [ops.gelu, ops.silu, ops.log_softmax])
def test_a_value_and_its_gradient_have_one_result_in_both_modes(op: Any, dtype: type) -> None:
    x = ms.Tensor((np.random.default_rng(0).standard_normal((40, 50)) * 3).astype(dtype))
    both = ms.value_and_grad(lambda x: (op(x) * x).sum())
    eager, graph = both(x), ms.jit(both)(x)
    for a, b in zip(eager, graph, strict=True):
        assert a.asnumpy().tobytes() == b.asnumpy().tobytes()


@pytest.mark.parametrize(("left", "right"), [(True, False), (False, True), (True, True)])
def test_a_transposed_operand_costs_no_call(left: bool, right: bool) -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((5, 5)).astype(np.float32) for _ in range(2))
    graph = traced(lambda x, y: ops.MatMul()(x.T if left else x, y.T if right else y), a, b)
    program = Program(graph)
    assert [n.prim.name for n in program.nodes] == ["MatMul"]
    expected = (a.T if left else a) @ (b.T if right else b)
    assert np.allclose(program.run([a, b])[0], expected, atol=1e-5)


# -- early ----------------------------------------------------------------------------------------


def test_all_reduce_begins_after_its_last_input_and_keeps_its_order() -> None:
    def f(x: Tensor) -> Any:
        first = x * 2.0
        second = ops.exp(first)
        third = ops.sin(second)
        like = (("float32", x.shape),)
        tickets = [AllReduceBegin("float32")((t,)) for t in (second, first)]
        return third, [AllReduceEnd(like)(t) for t in tickets]

    graph = traced(f, X)
    early = passes.begin_early(graph)
    begin, end = "AllReduceBegin", "AllReduceEnd"
    assert names(graph) == ["Mul", "Exp", "Sin", begin, begin, end, end]
    assert names(early) == ["Mul", "Exp", begin, begin, "Sin", end, end]
    same(graph, early, X)


def test_a_graph_without_an_early_op_stays_as_it_is() -> None:
    graph = traced(lambda x: x * 2.0, X)
    assert passes.begin_early(graph) is graph
