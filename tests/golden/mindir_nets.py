"""Define networks that minispore and MindSpore both build from one text."""

from __future__ import annotations

from typing import Any

import numpy as np


def _make_numbers(*shape: int) -> np.ndarray:
    """Make fixed numbers in [-1, 1], different everywhere."""
    n = np.arange(np.prod(shape, dtype=int), dtype=np.float32)
    return np.sin(n * 1.7 + 0.3).reshape(shape).astype(np.float32)


def networks(ms: Any) -> dict[str, tuple[Any, list[np.ndarray]]]:
    """Return each network with its inputs, in inference, with fixed parameters."""
    nn, ops = ms.nn, ms.ops

    class LeNet(nn.Cell):
        def __init__(self):
            super().__init__()
            self.conv1 = nn.Conv2d(1, 4, 5, pad_mode="valid")
            self.conv2 = nn.Conv2d(4, 6, 5, pad_mode="valid", has_bias=True)
            self.relu = nn.ReLU()
            self.pool = nn.MaxPool2d(kernel_size=2, stride=2)
            self.flatten = nn.Flatten()
            self.fc1 = nn.Dense(6 * 4 * 4, 24)
            self.dropout = nn.Dropout(p=0.5)
            self.fc2 = nn.Dense(24, 10)

        def construct(self, x):
            x = self.pool(self.relu(self.conv1(x)))
            x = self.pool(self.relu(self.conv2(x)))
            x = self.relu(self.fc1(self.flatten(x)))
            return self.fc2(self.dropout(x))

    class MLP(nn.Cell):
        def __init__(self):
            super().__init__()
            self.body = nn.SequentialCell(
                nn.Dense(6, 8, activation="tanh"), nn.Dense(8, 8), nn.GELU(), nn.LayerNorm((8,))
            )
            self.head = nn.Dense(8, 3, has_bias=False)

        def construct(self, x):
            logits = self.head(self.body(x))
            return ops.Softmax(-1)(logits), ops.Argmax(1)(logits)

    class Block(nn.Cell):
        def __init__(self, inner, outer, stride):
            super().__init__()
            self.conv1 = nn.Conv2d(inner, outer, 3, stride, pad_mode="pad", padding=1)
            self.bn1 = nn.BatchNorm2d(outer)
            self.conv2 = nn.Conv2d(outer, outer, 3, 1, pad_mode="same")
            self.bn2 = nn.BatchNorm2d(outer)
            self.down = nn.Conv2d(inner, outer, 1, stride)
            self.relu = nn.ReLU()

        def construct(self, x):
            y = self.relu(self.bn1(self.conv1(x)))
            return self.relu(self.bn2(self.conv2(y)) + self.down(x))

    class ResNet(nn.Cell):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 4, 7, 2, pad_mode="pad", padding=3)
            self.bn = nn.BatchNorm2d(4)
            self.pool = nn.MaxPool2d(kernel_size=3, stride=2, pad_mode="same")
            self.layer1 = Block(4, 4, 1)
            self.layer2 = Block(4, 8, 2)
            self.mean = ops.ReduceMean(keep_dims=True)
            self.flatten = nn.Flatten()
            self.fc = nn.Dense(8, 5)

        def construct(self, x):
            x = self.pool(ops.relu(self.bn(self.conv(x))))
            x = self.layer2(self.layer1(x))
            return self.fc(self.flatten(self.mean(x, (2, 3))))

    class Shapes(nn.Cell):
        def construct(self, x, y):
            both = ops.concat((x, y), 1)
            turned = ops.transpose(both.reshape(2, 2, -1), (0, 2, 1))
            rows = ops.stack((x, y))
            part = x[:, 1:] * 2.0 - y[:, :2] / 4.0
            low, high = ops.split(both, 3, 1)
            last = x[:, -1]
            return turned, rows[0], (part, ops.sqrt(ops.abs(low + high))), ops.tile(last, (2, 2))

    class Embedded(nn.Cell):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(7, 4)

        def construct(self, i):
            e = self.table(i)
            attention = ops.BatchMatMul(transpose_b=True)(e, e)
            return ops.cast(ops.ReduceSum()(attention, -1) > 0.0, ms.int32)

    class InPlace(nn.Cell):
        def construct(self, x, y):
            a = x * 2.0
            a += y
            a -= 1.0
            a *= y
            a /= 3.0
            return a

    class Assigned(nn.Cell):
        def construct(self, x):
            a = x * 1.0
            a[0] = 5.0
            a[:, 1] = x[:, 0]
            a[1:, ::2] = x[:2, :2]
            a[..., 3] = 7
            return a

    class Records(nn.Cell):
        """Ops that keep their attributes in a record of their own."""

        def __init__(self):
            super().__init__()
            self.across = nn.Conv2dTranspose(1, 2, 3, 2, pad_mode="pad", padding=1)
            self.deep = nn.Conv3d(1, 2, (1, 2, 3), (1, 2, 1), dilation=(1, 1, 2), pad_mode="valid")
            self.grouped = nn.Conv2d(
                2, 4, (3, 2), (1, 2), pad_mode="pad", padding=(1, 2, 1, 0), dilation=(2, 1), group=2
            )
            self.pool = nn.MaxPool2d((3, 2), (2, 1), pad_mode="pad", padding=1)

        def construct(self, x):
            wide = self.grouped(ops.concat((x, x * 2.0), 1))
            deep = self.deep(ops.expand_dims(x, 2))
            rows = ops.unstack(wide, 1)
            values, places = ops.TopK(sorted=True)(x, 3)
            low, order = ops.Sort(axis=-1, descending=True)(x)
            blocks = ops.DepthToSpace(2)(ops.SpaceToDepth(2)(x))
            padded = ops.Pad(((0, 0), (0, 0), (1, 2), (0, 1)))(x)
            curves = ops.Mish()(x) + ops.Softplus()(x) + ops.SeLU()(x) + ops.Softsign()(x)
            return (
                self.across(x), deep, ops.stack(rows[:3], -1), self.pool(x), values, places,
                low, order, blocks, padded, curves, ops.IsNan()(x),
            )  # fmt: skip

    class More(nn.Cell):
        """Ops that are written by other ones, and further records."""

        def construct(self, x):
            whole = ops.cast(x * 9.0, ms.int32)
            rows, columns = ops.meshgrid(x[0], x[1, :3], indexing="ij")
            square = ops.matmul(x, ops.transpose(x, (1, 0))) + ops.eye(3, 3, ms.float32)
            places = ops.cast(ops.abs(whole) % 4, ms.int64)
            labels = places[:, 0]
            chances = ops.sigmoid(x)
            losses = (
                ops.smooth_l1_loss(x, chances, 0.5), ops.binary_cross_entropy(chances, chances),
                ops.nll_loss(ops.log_softmax(x, 1), labels), ops.cross_entropy(x, labels),
            )  # fmt: skip
            return (
                ops.clamp(x, -0.25, 0.5), ops.tril(x), ops.hypot(x, x + 1.0), rows + columns,
                ops.bitwise_and(whole, whole + 1), ops.bitwise_or(whole, whole + 1),
                ops.bitwise_xor(whole, whole + 3), ops.norm(x, dim=1), ops.norm(x, 1, dim=0),
                ops.norm(x, 3.0, dim=1, keepdim=True), ops.norm(x, float("inf"), dim=1),
                ops.pad(ops.reshape(x, (1, 3, 4)), (2, 1), mode="reflect"),
                ops.cosine_similarity(x, x + 1.0), ops.heaviside(x, x * 0.0 + 0.5),
                ops.inverse(square), ops.tensor_scatter_elements(x, places, x * 2.0, 1),
                *losses,
            )  # fmt: skip

    class Recurrent(nn.Cell):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(3, 4, num_layers=2, bidirectional=True, batch_first=True)

        def construct(self, x):
            return self.lstm(x)

    options = {
        "lenet": (LeNet(), [_make_numbers(2, 1, 28, 28)]),
        "mlp": (MLP(), [_make_numbers(3, 6)]),
        "resnet": (ResNet(), [_make_numbers(1, 3, 24, 24)]),
        "shapes": (Shapes(), [_make_numbers(2, 3), _make_numbers(3, 2).T.copy()]),
        "inplace": (InPlace(), [_make_numbers(2, 3), _make_numbers(3, 2).T.copy()]),
        "assigned": (Assigned(), [_make_numbers(3, 4)]),
        "records": (Records(), [_make_numbers(1, 1, 4, 6)]),
        "more": (More(), [_make_numbers(3, 4)]),
        "lstm": (Recurrent(), [_make_numbers(2, 5, 3)]),
        "embedded": (Embedded(), [np.array([[1, 5, 0], [6, 6, 2]], np.int32)]),
    }
    for net, _ in options.values():
        net.set_train(False)
        for p in net.get_parameters():
            content = _make_numbers(*p.shape) / np.float32(2)
            if p.name.endswith("variance"):
                content = np.abs(content) + np.float32(0.5)
            p.set_data(ms.Tensor(content))
    return options


def flat(out: Any) -> list[np.ndarray]:
    """Return the arrays in a network's answer, in order."""
    if isinstance(out, tuple | list):
        return [array for part in out for array in flat(part)]
    return [out.asnumpy()]
