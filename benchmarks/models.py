"""The published networks as Models: public API, optimizer, loss scale, precision.

They are written as MindSpore's model zoo writes them, from the papers' tables; weights are zeros,
since an estimate looks at shapes alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from minispore import Parameter, nn, ops
from minispore.core.initializer import TruncatedNormal, initializer
from minispore.device import Shapes
from minispore.ir import dtype as mstype
from minispore.train import FixedLossScaleManager, Model

ZEROS = {"weight_init": "zeros", "bias_init": "zeros"}
LOSS_SCALE = 1024.0


class ModelWithShapes(NamedTuple):
    """A Model, and the shapes of its batches."""

    model: Model
    data: Shapes


def _make_classifier(
    network: nn.Cell, image: tuple[int, ...], level: str = "O2"
) -> ModelWithShapes:
    """Make a Model with Momentum and weight decay, in float16 with a loss scale unless
    ``level`` is "O0".
    """
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    images = Shapes([(image, np.float32), ((image[0],), np.int32)], size=1000)
    weights = network.trainable_params()
    if level == "O0":
        return ModelWithShapes(Model(network, loss, nn.Momentum(weights, 0.01, 0.9)), images)
    manager = FixedLossScaleManager(LOSS_SCALE, drop_overflow_update=False)
    optimizer = nn.Momentum(weights, 0.1, 0.9, weight_decay=1e-4, loss_scale=LOSS_SCALE)
    half = {"amp_level": level, "keep_batchnorm_fp32": False, "loss_scale_manager": manager}
    return ModelWithShapes(Model(network, loss, optimizer, **half), images)


def _make_conv(*sizes: int, **options: Any) -> nn.Conv2d:
    return nn.Conv2d(*sizes, **{"weight_init": "zeros", **options})


def _make_dense(c_in: int, c_out: int, **options: Any) -> nn.Dense:
    return nn.Dense(c_in, c_out, **ZEROS, **options)


# -- images ----------------------------------------------------------------------------------------


def lenet(batch: int = 32) -> ModelWithShapes:
    """Make LeNet-5, float32."""
    valid = {"pad_mode": "valid"}
    network = nn.SequentialCell(
        [
            *(_make_conv(1, 6, 5, **valid), nn.ReLU(), nn.MaxPool2d(2, 2)),
            *(_make_conv(6, 16, 5, **valid), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten()),
            *(
                _make_dense(400, 120),
                nn.ReLU(),
                _make_dense(120, 84),
                nn.ReLU(),
                _make_dense(84, 10),
            ),
        ]
    )
    return _make_classifier(network, (batch, 1, 32, 32), "O0")


def alexnet(batch: int = 32, classes: int = 10) -> ModelWithShapes:
    """Make AlexNet for 227 x 227 images."""
    bias = {"has_bias": True, "bias_init": "zeros"}
    network = nn.SequentialCell(
        [
            *(_make_conv(3, 64, 11, 4, pad_mode="valid", **bias), nn.ReLU(), nn.MaxPool2d(3, 2)),
            *(_make_conv(64, 128, 5, **bias), nn.ReLU(), nn.MaxPool2d(3, 2)),
            *(
                _make_conv(128, 192, 3, **bias),
                nn.ReLU(),
                _make_conv(192, 256, 3, **bias),
                nn.ReLU(),
            ),
            *(_make_conv(256, 256, 3, **bias), nn.ReLU(), nn.MaxPool2d(3, 2), nn.Flatten()),
            *(_make_dense(9216, 4096), nn.ReLU(), nn.Dropout(p=0.35)),
            *(_make_dense(4096, 4096), nn.ReLU(), nn.Dropout(p=0.35), _make_dense(4096, classes)),
        ]
    )
    return _make_classifier(network, (batch, 3, 227, 227))


def vgg16(batch: int = 32, classes: int = 1000) -> ModelWithShapes:
    """Make VGG-16."""
    cells: list[nn.Cell] = []
    c_in = 3
    for width, repeat in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        for _ in range(repeat):
            cells += [_make_conv(c_in, width, 3), nn.ReLU()]
            c_in = width
        cells.append(nn.MaxPool2d(2, 2))
    cells += [nn.Flatten(), _make_dense(25088, 4096), nn.ReLU(), nn.Dropout(p=0.5)]
    cells += [_make_dense(4096, 4096), nn.ReLU(), nn.Dropout(p=0.5), _make_dense(4096, classes)]
    return _make_classifier(nn.SequentialCell(cells), (batch, 3, 224, 224))


class Bottleneck(nn.Cell):
    """A block of 1 x 1, 3 x 3 and 1 x 1 convolutions and a shortcut; the 3 x 3 one has the
    stride.
    """

    def __init__(self, c_in: int, width: int, stride: int) -> None:
        super().__init__()
        self.body = nn.SequentialCell(
            [
                *(_make_conv(c_in, width, 1), nn.BatchNorm2d(width), nn.ReLU()),
                *(_make_conv(width, width, 3, stride), nn.BatchNorm2d(width), nn.ReLU()),
                *(_make_conv(width, 4 * width, 1), nn.BatchNorm2d(4 * width)),
            ]
        )
        self.shortcut = None
        if stride > 1 or c_in != 4 * width:
            convolution = _make_conv(c_in, 4 * width, 1, stride)
            self.shortcut = nn.SequentialCell([convolution, nn.BatchNorm2d(4 * width)])
        self.relu = nn.ReLU()

    def construct(self, x: Any) -> Any:
        return self.relu(self.body(x) + (x if self.shortcut is None else self.shortcut(x)))


def resnet(
    batch: int, blocks: tuple[int, ...] = (3, 4, 6, 3), classes: int = 1000
) -> ModelWithShapes:
    """Make a ResNet with bottleneck blocks; (3, 4, 6, 3) is ResNet-50."""
    cells = [_make_conv(3, 64, 7, 2), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, "same")]
    c_in = 64
    for stage, repeat in enumerate(blocks):
        for block in range(repeat):
            cells.append(Bottleneck(c_in, 64 << stage, 2 if stage and not block else 1))
            c_in = 256 << stage
    cells += [nn.AvgPool2d(7), nn.Flatten(), _make_dense(c_in, classes)]
    return _make_classifier(nn.SequentialCell(cells), (batch, 3, 224, 224))


# -- BERT ------------------------------------------------------------------------------------------


class Attention(nn.Cell):
    """Attention of several heads: softmax(q k' / sqrt(d) + mask) v."""

    def __init__(self, width: int, heads: int, sequence: int) -> None:
        super().__init__()
        self.shape = (-1, sequence, heads, width // heads)
        self.width, self.scale = width, (width // heads) ** -0.5
        self.q, self.k, self.v, self.out = (_make_dense(width, width) for _ in range(4))
        self.scores = ops.BatchMatMul(transpose_b=True)
        self.weighted = ops.BatchMatMul()
        self.softmax, self.dropout = nn.Softmax(), nn.Dropout(p=0.1)

    def construct(self, x: Any, mask: Any) -> Any:
        q, k, v = (
            dense(x).reshape(self.shape).transpose((0, 2, 1, 3))
            for dense in (self.q, self.k, self.v)
        )
        scores = self.scores(q, k) * self.scale + mask
        actual = self.weighted(self.dropout(self.softmax(scores)), v)
        return self.out(actual.transpose((0, 2, 1, 3)).reshape((-1, self.width)))


class Block(nn.Cell):
    """A transformer block: attention and two products, each with a shortcut and a norm."""

    def __init__(self, width: int, heads: int, sequence: int) -> None:
        super().__init__()
        self.attention = Attention(width, heads, sequence)
        self.norm_a, self.norm_b = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        self.up, self.down = _make_dense(width, 4 * width), _make_dense(4 * width, width)
        self.gelu, self.dropout = nn.GELU(), nn.Dropout(p=0.1)

    def construct(self, x: Any, mask: Any) -> Any:
        x = self.norm_a(x + self.dropout(self.attention(x, mask)))
        return self.norm_b(x + self.dropout(self.down(self.gelu(self.up(x)))))


class Bert(nn.Cell):
    """The loss of masked words over an encoder; products and the values between them in float16."""

    def __init__(self, layers: int, width: int, heads: int, sequence: int, words: int) -> None:
        super().__init__()
        normal = TruncatedNormal(0.02)
        self.table = Parameter(initializer(normal, (words, width)), name="table")
        self.position = Parameter(initializer(normal, (sequence, width)), name="position")
        self.norm, self.dropout = nn.LayerNorm((width,)), nn.Dropout(p=0.1)
        self.blocks = nn.CellList([Block(width, heads, sequence) for _ in range(layers)])
        self.blocks.to_float(mstype.float16)
        self.head, self.head_norm = (
            _make_dense(width, width, activation="gelu"),
            nn.LayerNorm((width,)),
        )
        self.head.to_float(mstype.float16)
        self.width, self.sequence = width, sequence
        self.loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")

    def construct(self, ids: Any, mask: Any, positions: Any, labels: Any) -> Any:
        x = ops.gather(self.table, ids, 0) + self.position
        x = self.dropout(self.norm(x)).reshape((-1, self.width)).astype(mstype.float16)
        mask = mask.astype(mstype.float16)
        for block in self.blocks:
            x = block(x, mask)
        masked = self.head_norm(self.head(ops.gather(x, positions, 0)))
        table = self.table.astype(mstype.float16)
        logits = ops.matmul(masked.astype(mstype.float16), ops.transpose(table, (1, 0)))
        return self.loss(logits.astype(mstype.float32), labels)


def bert(
    batch: int,
    layers: int,
    width: int,
    heads: int,
    optimizer: Callable[..., Any] = nn.AdamWeightDecay,
    sequence: int = 128,
    words: int = 21128,
    predictions: int = 20,
) -> ModelWithShapes:
    """Make BERT pre-training on masked words."""
    network = Bert(layers, width, heads, sequence, words)
    masked = (batch * predictions,)
    columns = [
        *(((batch, sequence), np.int32), ((batch, 1, 1, sequence), np.float32)),
        *((masked, np.int32), (masked, np.int32)),
    ]
    model = Model(network, optimizer=optimizer(network.trainable_params(), 1e-4))
    return ModelWithShapes(model, Shapes(columns, size=1000))
