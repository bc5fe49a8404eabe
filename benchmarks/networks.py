"""Training steps of published networks as lists of op records: shapes only, no data and no weights.

A :class:`Step` is a small tape. Each method appends what MindSpore's front end would have in its
graph for one layer, and remembers how to append its gradient; :meth:`Step.train` plays those back
and adds the optimizer.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minispore.device.model.records import BACKWARD, FORWARD, OPTIMIZER, Operand, OpRecord

HALF, SINGLE, INT32 = np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.int32)
Tape = Callable[[], None]


class Step:
    """The ops of one training step; ``dtype`` is what activations are kept in."""

    def __init__(self, dtype: np.dtype = HALF) -> None:
        self.dtype = dtype
        self.records: list[OpRecord] = []
        self.params: list[Operand] = []
        self.batch: list[Operand] = []
        self._grads: dict[Any, Operand] = {}
        self._param_grads: dict[Any, Operand] = {}
        self._tape: list[Tape] = []
        self._kind = FORWARD
        self._number = itertools.count()
        self._constants: set[Any] = set()

    # -- the grammar ------------------------------------------------------------------------------

    def new(self, shape: Sequence[int], dtype: np.dtype | None = None) -> Operand:
        return Operand(next(self._number), tuple(shape), dtype or self.dtype)

    def feed(self, shape: Sequence[int], dtype: np.dtype | None = None) -> Operand:
        """A column of the batch."""
        column = self.new(shape, dtype)
        self.batch.append(column)
        self._constants.add(column.key)
        return column

    def parameter(self, shape: Sequence[int]) -> Operand:
        """A float32 parameter."""
        p = self.new(shape, SINGLE)._replace(param=True)
        self.params.append(p)
        return p

    def op(
        self,
        name: str,
        inputs: Sequence[Operand],
        shape: Sequence[int],
        dtype: np.dtype | None = None,
        **attrs: Any,
    ) -> Operand:
        return self.ops(name, inputs, [self.new(shape, dtype)], **attrs)[0]

    def ops(
        self, name: str, inputs: Sequence[Operand], outputs: Sequence[Operand], **attrs: Any
    ) -> Sequence[Operand]:
        """An op with several outputs."""
        self.records.append(OpRecord(name, tuple(inputs), tuple(outputs), attrs, self._kind))
        return outputs

    def weight(self, p: Operand) -> Operand:
        """The parameter in the dtype of the activations; its gradient comes back as float32."""
        if self.dtype == SINGLE:
            return p
        half = self.op("Cast", [p], p.shape)

        def back() -> None:
            self.give(p, self.op("Cast", [self._grads[half.key]], p.shape, SINGLE))

        self._tape.append(back)
        return half

    def give(self, x: Operand, dx: Operand) -> None:
        """Add ``dx`` to the gradient of ``x``."""
        if x.key in self._constants:
            return
        store = self._param_grads if x.param else self._grads
        old = store.get(x.key)
        store[x.key] = dx if old is None else self.op("AddN", [old, dx], x.shape, dx.dtype)

    def grad(self, x: Operand) -> Operand:
        return self._grads[x.key]

    # -- layers -----------------------------------------------------------------------------------

    def conv(
        self,
        x: Operand,
        c_out: int,
        k: int | tuple[int, int],
        stride: int = 1,
        *,
        pad: str = "same",
        group: int = 1,
        bias: bool = False,
    ) -> Operand:
        kh, kw = (k, k) if isinstance(k, int) else k
        n, c, h, w = x.shape
        oh, ow = (
            (-(-h // stride), -(-w // stride))
            if pad == "same"
            else ((h - kh) // stride + 1, (w - kw) // stride + 1)
        )
        p = self.parameter((c_out, c // group, kh, kw))
        weight = self.weight(p)
        y = self.op("Conv2D", [x, weight], (n, c_out, oh, ow), group=group)

        def back() -> None:
            dy = self.grad(y)
            self.give(
                weight,
                self.op("Conv2DBackpropFilter", [dy, x], p.shape, SINGLE, group=group)
                if self.dtype == SINGLE
                else self.op("Conv2DBackpropFilter", [dy, x], p.shape, group=group),
            )
            if x.key not in self._constants:
                self.give(x, self.op("Conv2DBackpropInput", [dy, weight], x.shape, group=group))

        self._tape.append(back)
        return self.bias(y, c_out) if bias else y

    def bias(self, x: Operand, features: int) -> Operand:
        b = self.parameter((features,))
        y = self.op("BiasAdd", [x, self.weight(b)], x.shape)
        half = self.records[-1].inputs[1]

        def back() -> None:
            dy = self.grad(y)
            self.give(half, self.op("BiasAddGrad", [dy], (features,)))
            self.give(x, dy)

        self._tape.append(back)
        return y

    def batch_norm(self, x: Operand) -> Operand:
        c = x.shape[1]
        gamma, beta = self.parameter((c,)), self.parameter((c,))
        mean, variance = (self.new((c,), SINGLE)._replace(param=True) for _ in range(2))
        y = self.op("BatchNorm", [x, gamma, beta, mean, variance], x.shape)

        def back() -> None:
            self._norm_grad("BatchNormGrad", x, y, gamma, beta)

        self._tape.append(back)
        return y

    def layer_norm(self, x: Operand) -> Operand:
        c = x.shape[-1]
        gamma, beta = self.parameter((c,)), self.parameter((c,))
        y = self.op("LayerNorm", [x, gamma, beta], x.shape)

        def back() -> None:
            self._norm_grad("LayerNormGrad", x, y, gamma, beta)

        self._tape.append(back)
        return y

    def _norm_grad(self, name: str, x: Operand, y: Operand, gamma: Operand, beta: Operand) -> None:
        made = [self.new(x.shape), self.new(gamma.shape, SINGLE), self.new(beta.shape, SINGLE)]
        self.ops(name, [self.grad(y), x, gamma], made)
        for of, grad in zip((x, gamma, beta), made, strict=True):
            self.give(of, grad)

    def map(self, name: str, x: Operand, grad_name: str | None = None) -> Operand:
        """An elementwise op whose gradient reads its own output (or input) and the cotangent."""
        y = self.op(name, [x], x.shape)
        self._tape.append(
            lambda: self.give(x, self.op(grad_name or name + "Grad", [self.grad(y), y], x.shape))
        )
        return y

    def relu(self, x: Operand) -> Operand:
        return self.map("ReLU", x, "ReluGrad")

    def relu6(self, x: Operand) -> Operand:
        return self.map("ReLU6", x, "Relu6Grad")

    def dropout(self, x: Operand) -> Operand:
        mask = self.new((x.size // 8,), np.dtype(np.uint8))
        y = self.op("Dropout", [x], x.shape)
        self._tape.append(
            lambda: self.give(x, self.op("DropoutGrad", [self.grad(y), mask], x.shape))
        )
        return y

    def add(self, a: Operand, b: Operand) -> Operand:
        y = self.op("Add", [a, b], a.shape)

        def back() -> None:
            dy = self.grad(y)
            self.give(a, dy)
            self.give(b, dy)

        self._tape.append(back)
        return y

    def pool(self, name: str, x: Operand, k: int, stride: int, *, same: bool = False) -> Operand:
        n, c, h, w = x.shape
        oh, ow = (
            (-(-h // stride), -(-w // stride))
            if same
            else ((h - k) // stride + 1, (w - k) // stride + 1)
        )
        y = self.op(name, [x], (n, c, oh, ow), kernel_size=k, strides=stride)
        self._tape.append(
            lambda: self.give(x, self.op(name + "Grad", [x, y, self.grad(y)], x.shape))
        )
        return y

    def mean(self, x: Operand) -> Operand:
        """The global average pool: (N, C, H, W) -> (N, C)."""
        y = self.op("ReduceMean", [x], x.shape[:2])
        self._tape.append(lambda: self.give(x, self.op("Mul", [self.grad(y)], x.shape)))
        return y

    def concat(self, parts: Sequence[Operand], axis: int = 1) -> Operand:
        shape = list(parts[0].shape)
        shape[axis] = sum(p.shape[axis] for p in parts)
        y = self.op("Concat", parts, shape)

        def back() -> None:
            dy = self.grad(y)
            for p in parts:
                self.give(p, self.op("Slice", [dy], p.shape))

        self._tape.append(back)
        return y

    def reshape(self, x: Operand, shape: Sequence[int]) -> Operand:
        y = self.op("Reshape", [x], shape, x.dtype)
        self._tape.append(
            lambda: self.give(x, self.op("Reshape", [self.grad(y)], x.shape, x.dtype))
        )
        return y

    def transpose(self, x: Operand, shape: Sequence[int]) -> Operand:
        y = self.op("Transpose", [x], shape)
        self._tape.append(lambda: self.give(x, self.op("Transpose", [self.grad(y)], x.shape)))
        return y

    def dense(self, x: Operand, features: int, *, bias: bool = True) -> Operand:
        rows, c = math.prod(x.shape[:-1]), x.shape[-1]
        p = self.parameter((features, c))
        weight = self.weight(p)
        y = self.op("MatMul", [x, weight], (rows, features), transpose_b=True)

        def back() -> None:
            dy = self.grad(y)
            self.give(weight, self.op("MatMul", [dy, x], p.shape, transpose_a=True))
            self.give(x, self.op("MatMul", [dy, weight], x.shape))

        self._tape.append(back)
        return self.bias(y, features) if bias else y

    def matmul(self, a: Operand, b: Operand, shape: Sequence[int]) -> Operand:
        """A product of two activations: (..., M, K) by (..., K, N)."""
        y = self.op("BatchMatMul", [a, b], shape)

        def back() -> None:
            dy = self.grad(y)
            self.give(a, self.op("BatchMatMul", [dy, b], a.shape))
            self.give(b, self.op("BatchMatMul", [dy, a], b.shape, transpose_a=True))

        self._tape.append(back)
        return y

    def embedding(self, ids: Operand, vocabulary: int, features: int) -> Operand:
        table = self.parameter((vocabulary, features))
        y = self.op("Gather", [table, ids], (*ids.shape, features), SINGLE)
        half = self.op("Cast", [y], y.shape)

        def back() -> None:
            dy = self.op("Cast", [self.grad(half)], y.shape, SINGLE)
            self.give(table, self.op("UnsortedSegmentSum", [dy, ids], table.shape, SINGLE))

        self._tape.append(back)
        return half

    def cross_entropy(self, logits: Operand) -> Operand:
        labels = self.feed(logits.shape[:1], INT32)
        one_hot = self.op("OneHot", [labels], logits.shape, SINGLE)
        wide = self.op("Cast", [logits], logits.shape, SINGLE)
        loss = self.op("SoftmaxCrossEntropyWithLogits", [wide, one_hot], logits.shape[:1], SINGLE)
        mean = self.op("ReduceMean", [loss], (), SINGLE)

        def back() -> None:
            scale = self.op("Mul", [mean, wide], logits.shape, SINGLE)
            self.give(logits, self.op("Cast", [scale], logits.shape))

        self._tape.append(back)
        return mean

    # -- the end ----------------------------------------------------------------------------------

    def train(self, optimizer: str = "Momentum") -> Step:
        """Append the gradients of everything, last first, and one update for each parameter."""
        self._kind = BACKWARD
        for back in reversed(self._tape):
            back()
        self._kind = OPTIMIZER
        slots = {"Momentum": 1, "SGD": 1, "Adam": 2, "Lamb": 2, "ApplyFtrl": 2}[optimizer]
        name = "ApplyMomentum" if optimizer == "Momentum" else optimizer
        for p in self.params:
            state = [self.new(p.shape, SINGLE)._replace(param=True) for _ in range(slots)]
            grad = self._param_grads.get(p.key) or self._grads[p.key]
            outs = tuple(self.new(p.shape, SINGLE) for _ in range(1 + slots))
            self.records.append(OpRecord(name, (p, *state, grad), outs, {}, OPTIMIZER))
        return self


# -- networks -------------------------------------------------------------------------------------


def lenet(batch: int = 32) -> Step:
    """LeNet-5 for 32 x 32 grey images, float32 as in MindSpore's own example."""
    s = Step(SINGLE)
    x = s.feed((batch, 1, 32, 32))
    x = s.pool("MaxPool", s.relu(s.conv(x, 6, 5, pad="valid")), 2, 2)
    x = s.pool("MaxPool", s.relu(s.conv(x, 16, 5, pad="valid")), 2, 2)
    x = s.reshape(x, (batch, 400))
    x = s.relu(s.dense(x, 120))
    x = s.relu(s.dense(x, 84))
    s.cross_entropy(s.dense(x, 10))
    return s.train()


def alexnet(batch: int = 32, classes: int = 10) -> Step:
    """AlexNet for 227 x 227 images, float32."""
    s = Step(SINGLE)
    x = s.feed((batch, 3, 227, 227))
    x = s.pool("MaxPool", s.relu(s.conv(x, 64, 11, 4, pad="valid", bias=True)), 3, 2)
    x = s.pool("MaxPool", s.relu(s.conv(x, 128, 5, bias=True)), 3, 2)
    x = s.relu(s.conv(x, 192, 3, bias=True))
    x = s.relu(s.conv(x, 256, 3, bias=True))
    x = s.pool("MaxPool", s.relu(s.conv(x, 256, 3, bias=True)), 3, 2)
    x = s.reshape(x, (batch, 256 * 6 * 6))
    x = s.dropout(s.relu(s.dense(x, 4096)))
    x = s.dropout(s.relu(s.dense(x, 4096)))
    s.cross_entropy(s.dense(x, classes))
    return s.train()


def vgg16(batch: int = 32, classes: int = 1000) -> Step:
    """VGG-16 for 224 x 224 images, float16."""
    s = Step()
    x = s.feed((batch, 3, 224, 224))
    for width, repeat in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        for _ in range(repeat):
            x = s.relu(s.conv(x, width, 3, bias=True))
        x = s.pool("MaxPool", x, 2, 2)
    x = s.reshape(x, (batch, 512 * 7 * 7))
    x = s.dropout(s.relu(s.dense(x, 4096)))
    x = s.dropout(s.relu(s.dense(x, 4096)))
    s.cross_entropy(s.dense(x, classes))
    return s.train()


def resnet(batch: int, blocks: Sequence[int] = (3, 4, 6, 3), classes: int = 1000) -> Step:
    """ResNet with bottleneck blocks (v1.5: the stride is in the 3 x 3 convolution), float16."""
    s = Step()
    x = s.feed((batch, 3, 224, 224))
    x = s.pool("MaxPool", s.relu(s.batch_norm(s.conv(x, 64, 7, 2))), 3, 2, same=True)
    for stage, repeat in enumerate(blocks):
        width = 64 << stage
        for block in range(repeat):
            stride = 2 if stage and not block else 1
            y = s.relu(s.batch_norm(s.conv(x, width, 1)))
            y = s.relu(s.batch_norm(s.conv(y, width, 3, stride)))
            y = s.batch_norm(s.conv(y, 4 * width, 1))
            shortcut = x if block else s.batch_norm(s.conv(x, 4 * width, 1, stride))
            x = s.relu(s.add(y, shortcut))
    s.cross_entropy(s.dense(s.mean(x), classes))
    return s.train()


def bert(
    batch: int,
    layers: int,
    width: int,
    heads: int,
    sequence: int = 128,
    vocabulary: int = 21128,
    predictions: int = 20,
) -> Step:
    """BERT pre-training: masked words and next sentence, float16, Lamb."""
    s = Step()
    tokens, depth = batch * sequence, width // heads
    ids, types = (s.feed((tokens,), INT32) for _ in range(2))
    s.feed((batch, sequence), INT32)
    x = s.add(s.embedding(ids, vocabulary, width), s.embedding(types, 2, width))
    x = s.dropout(s.layer_norm(x))
    mask = s.new((batch, 1, sequence, sequence))
    s._constants.add(mask.key)
    split, joined = (batch, heads, sequence, depth), (tokens, width)
    for _ in range(layers):
        q, k, v = (s.transpose(s.dense(x, width), split) for _ in range(3))
        scores = s.matmul(q, k, (batch, heads, sequence, sequence))
        scores = s.add(s.map("Mul", scores, "Mul"), mask)
        scores = s.dropout(s.map("Softmax", scores, "SoftmaxGrad"))
        context = s.transpose(s.matmul(scores, v, split), joined)
        x = s.layer_norm(s.add(x, s.dropout(s.dense(context, width))))
        y = s.dense(s.map("GeLU", s.dense(x, 4 * width)), width)
        x = s.layer_norm(s.add(x, s.dropout(y)))
    positions = s.feed((batch * predictions,), INT32)
    chosen = s.op("Gather", [x, positions], (batch * predictions, width))
    s._tape.append(
        lambda: s.give(x, s.op("UnsortedSegmentSum", [s.grad(chosen), positions], x.shape))
    )
    y = s.layer_norm(s.map("GeLU", s.dense(chosen, width)))
    s.cross_entropy(s.dense(y, vocabulary))
    return s.train("Lamb")
