"""Networks of MindCV's benchmark table as Models: ImageNet, Momentum, float16 with a loss scale.

They are written from the papers' tables; weights are zeros, since an estimate looks at shapes
alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.models import Trained, _classifier, _conv, _dense
from minispore import nn, ops


def _unit(
    c_in: int, c_out: int, kernel: int = 3, stride: int = 1, group: int = 1, act: Any = nn.ReLU
) -> nn.SequentialCell:
    """A convolution, its normalisation and what follows it."""
    cells = [_conv(c_in, c_out, kernel, stride, group=group), nn.BatchNorm2d(c_out)]
    return nn.SequentialCell(cells if act is None else [*cells, act()])


def _head(cells: Sequence[nn.Cell], width: int, batch: int, size: int = 224) -> Trained:
    """The classifier of 1,000 classes behind ``cells``."""
    network = nn.SequentialCell([*cells, _GlobalMean(), _dense(width, 1000)])
    return _classifier(network, (batch, 3, size, size))


class _GlobalMean(nn.Cell):
    def construct(self, x: Any) -> Any:
        return x.mean((2, 3))


class _Residual(nn.Cell):
    """x + body(x), with a shortcut where the shape changes."""

    def __init__(self, body: nn.Cell, shortcut: nn.Cell | None = None, act: Any = None) -> None:
        super().__init__()
        self.body, self.shortcut = body, shortcut
        self.act = None if act is None else act()

    def construct(self, x: Any) -> Any:
        y = self.body(x) + (x if self.shortcut is None else self.shortcut(x))
        return y if self.act is None else self.act(y)


class _Branches(nn.Cell):
    """The channels of several branches, one after another."""

    def __init__(self, branches: Sequence[nn.Cell], keeps_input: bool = False) -> None:
        super().__init__()
        self.branches, self.keeps_input = nn.CellList(branches), keeps_input

    def construct(self, x: Any) -> Any:
        found = tuple(branch(x) for branch in self.branches)
        return ops.concat((x, *found) if self.keeps_input else found, 1)


class _Squeeze(nn.Cell):
    """Squeeze and excitation."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.down, self.up = _conv(width, hidden, 1), _conv(hidden, width, 1)
        self.relu, self.sigmoid = nn.ReLU(), nn.Sigmoid()

    def construct(self, x: Any) -> Any:
        scale = self.up(self.relu(self.down(x.mean((2, 3), keep_dims=True))))
        return x * self.sigmoid(scale)


# -- networks --------------------------------------------------------------------------------------


def vgg(repeats: Sequence[int], batch: int = 32) -> Trained:
    """VGG with so many convolutions in each stage."""
    cells: list[nn.Cell] = []
    c_in = 3
    for width, repeat in zip((64, 128, 256, 512, 512), repeats, strict=True):
        for _ in range(repeat):
            cells += [_conv(c_in, width, 3, has_bias=True, bias_init="zeros"), nn.ReLU()]
            c_in = width
        cells.append(nn.MaxPool2d(2, 2))
    cells += [nn.Flatten(), _dense(25088, 4096), nn.ReLU(), nn.Dropout(p=0.5)]
    cells += [_dense(4096, 4096), nn.ReLU(), nn.Dropout(p=0.5), _dense(4096, 1000)]
    return _classifier(nn.SequentialCell(cells), (batch, 3, 224, 224))


def vgg13() -> Trained:
    return vgg((2, 2, 2, 2, 2))


def vgg19() -> Trained:
    return vgg((2, 2, 4, 4, 4))


def densenet121(batch: int = 32) -> Trained:
    """DenseNet-121, growth 32."""
    cells: list[nn.Cell] = [_unit(3, 64, 7, 2), nn.MaxPool2d(3, 2, "same")]
    width = 64
    for repeat in (6, 12, 24, 16):
        for _ in range(repeat):
            layer = nn.SequentialCell(
                [nn.BatchNorm2d(width), nn.ReLU(), _unit(width, 128, 1), _conv(128, 32, 3)]
            )
            cells.append(_Branches([layer], keeps_input=True))
            width += 32
        cells += [nn.BatchNorm2d(width), nn.ReLU()]
        if repeat != 16:
            cells += [_conv(width, width // 2, 1), nn.AvgPool2d(2, 2)]
            width //= 2
    return _head(cells, width, batch)


def googlenet(batch: int = 32) -> Trained:
    """GoogLeNet without its auxiliary classifiers."""

    def conv(c_in: int, c_out: int, kernel: int, stride: int = 1) -> nn.SequentialCell:
        return nn.SequentialCell([_conv(c_in, c_out, kernel, stride), nn.ReLU()])

    cells: list[nn.Cell] = [conv(3, 64, 7, 2), nn.MaxPool2d(3, 2, "same"), conv(64, 64, 1)]
    cells += [conv(64, 192, 3), nn.MaxPool2d(3, 2, "same")]
    width = 192
    table = (
        *((64, 96, 128, 16, 32, 32), (128, 128, 192, 32, 96, 64), None),
        *((192, 96, 208, 16, 48, 64), (160, 112, 224, 24, 64, 64), (128, 128, 256, 24, 64, 64)),
        *((112, 144, 288, 32, 64, 64), (256, 160, 320, 32, 128, 128), None),
        *((256, 160, 320, 32, 128, 128), (384, 192, 384, 48, 128, 128)),
    )
    for row in table:
        if row is None:
            cells.append(nn.MaxPool2d(3, 2, "same"))
            continue
        a, b1, b, c1, c, d = row
        branches = [
            conv(width, a, 1),
            nn.SequentialCell([conv(width, b1, 1), conv(b1, b, 3)]),
            nn.SequentialCell([conv(width, c1, 1), conv(c1, c, 3)]),
            nn.SequentialCell([nn.MaxPool2d(3, 1, "same"), conv(width, d, 1)]),
        ]
        cells.append(_Branches(branches))
        width = a + b + c + d
    return _head(cells, width, batch)


def resnext50(batch: int = 32) -> Trained:
    """ResNeXt-50, 32 groups of 4."""
    cells: list[nn.Cell] = [_unit(3, 64, 7, 2), nn.MaxPool2d(3, 2, "same")]
    c_in = 64
    for stage, repeat in enumerate((3, 4, 6, 3)):
        width, c_out = 128 << stage, 256 << stage
        for block in range(repeat):
            stride = 2 if stage and not block else 1
            body = nn.SequentialCell(
                [
                    _unit(c_in, width, 1),
                    _unit(width, width, 3, stride, group=32),
                    _unit(width, c_out, 1, act=None),
                ]
            )
            shortcut = None if block else _unit(c_in, c_out, 1, stride, act=None)
            cells.append(_Residual(body, shortcut, nn.ReLU))
            c_in = c_out
    return _head(cells, c_in, batch)


def resnetv2_50(batch: int = 32) -> Trained:
    """ResNet-50 whose norms and activations stand before the convolutions."""
    cells: list[nn.Cell] = [_conv(3, 64, 7, 2), nn.MaxPool2d(3, 2, "same")]
    c_in = 64
    for stage, repeat in enumerate((3, 4, 6, 3)):
        width, c_out = 64 << stage, 256 << stage
        for block in range(repeat):
            stride = 2 if stage and not block else 1
            body: list[nn.Cell] = []
            for before, after, kernel, step in (
                (c_in, width, 1, 1), (width, width, 3, stride), (width, c_out, 1, 1),
            ):  # fmt: skip
                body += [nn.BatchNorm2d(before), nn.ReLU(), _conv(before, after, kernel, step)]
            shortcut = None if block else _conv(c_in, c_out, 1, stride)
            cells.append(_Residual(nn.SequentialCell(body), shortcut))
            c_in = c_out
    return _head([*cells, nn.BatchNorm2d(c_in), nn.ReLU()], c_in, batch)


def mobilenet_v2(batch: int = 256, share: float = 0.75) -> Trained:
    """MobileNetV2, with a share of its channels."""
    c_in = int(32 * share)
    cells: list[nn.Cell] = [_unit(3, c_in, 3, 2, act=nn.ReLU6)]
    for expand, width, repeat, stride in (
        *((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2)),
        *((6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)),
    ):
        for block in range(repeat):
            c_out, step = int(width * share), stride if not block else 1
            cells.append(_inverted(c_in, c_out, expand, 3, step, nn.ReLU6))
            c_in = c_out
    cells.append(_unit(c_in, 1280, 1, act=nn.ReLU6))
    return _head(cells, 1280, batch)


def _inverted(
    c_in: int, c_out: int, expand: int, kernel: int, stride: int, act: Any, squeeze: int = 0
) -> nn.Cell:
    """A wide depthwise convolution between two narrow 1 x 1 ones."""
    width = c_in * expand
    body: list[nn.Cell] = [] if expand == 1 else [_unit(c_in, width, 1, act=act)]
    body.append(_unit(width, width, kernel, stride, group=width, act=act))
    if squeeze:
        body.append(_Squeeze(width, squeeze))
    body.append(_unit(width, c_out, 1, act=None))
    cell = nn.SequentialCell(body)
    return _Residual(cell) if stride == 1 and c_in == c_out else cell


def efficientnet_b0(batch: int = 128) -> Trained:
    """EfficientNet-B0."""
    cells: list[nn.Cell] = [_unit(3, 32, 3, 2, act=nn.SiLU)]
    c_in = 32
    for expand, width, repeat, stride, kernel in (
        *((1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3)),
        *((6, 112, 3, 1, 5), (6, 192, 4, 2, 5), (6, 320, 1, 1, 3)),
    ):
        for block in range(repeat):
            step = stride if not block else 1
            cells.append(_inverted(c_in, width, expand, kernel, step, nn.SiLU, max(1, c_in // 4)))
            c_in = width
    cells.append(_unit(c_in, 1280, 1, act=nn.SiLU))
    return _head(cells, 1280, batch)


def xception(batch: int = 32) -> Trained:
    """Xception, for 299 x 299 images."""

    def separable(c_in: int, c_out: int, has_relu: bool = True) -> list[nn.Cell]:
        convs = [_conv(c_in, c_in, 3, group=c_in), _conv(c_in, c_out, 1), nn.BatchNorm2d(c_out)]
        return [nn.ReLU(), *convs] if has_relu else convs

    cells: list[nn.Cell] = [_unit(3, 32, 3, 2), _unit(32, 64)]
    c_in = 64
    for c_out in (128, 256, 728):
        body = [*separable(c_in, c_out, c_in != 64), *separable(c_out, c_out)]
        body.append(nn.MaxPool2d(3, 2, "same"))
        cells.append(_Residual(nn.SequentialCell(body), _unit(c_in, c_out, 1, 2, act=None)))
        c_in = c_out
    for _ in range(8):
        cells.append(
            _Residual(nn.SequentialCell([c for _ in range(3) for c in separable(728, 728)]))
        )
    body = [*separable(728, 728), *separable(728, 1024), nn.MaxPool2d(3, 2, "same")]
    cells.append(_Residual(nn.SequentialCell(body), _unit(728, 1024, 1, 2, act=None)))
    cells += [*separable(1024, 1536, False), nn.ReLU(), *separable(1536, 2048, False), nn.ReLU()]
    return _head(cells, 2048, batch, 299)


class _ConvNextBlock(nn.Cell):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.depthwise = _conv(width, width, 7, group=width, has_bias=True, bias_init="zeros")
        self.norm, self.gelu = nn.LayerNorm((width,)), nn.GELU()
        self.up, self.down = _dense(width, 4 * width), _dense(4 * width, width)

    def construct(self, x: Any) -> Any:
        y = self.depthwise(x).transpose(0, 2, 3, 1)
        y = self.down(self.gelu(self.up(self.norm(y))))
        return x + y.transpose(0, 3, 1, 2)


def convnext_tiny(batch: int = 16) -> Trained:
    """ConvNeXt-T."""
    cells: list[nn.Cell] = []
    c_in, kernel = 3, 4
    for width, repeat in ((96, 3), (192, 3), (384, 9), (768, 3)):
        cells += [_conv(c_in, width, kernel, kernel, has_bias=True, bias_init="zeros")]
        cells += [_ConvNextBlock(width) for _ in range(repeat)]
        c_in, kernel = width, 2
    return _head(cells, c_in, batch)


class _PoolMixer(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.pool = nn.AvgPool2d(3, 1, "same")

    def construct(self, x: Any) -> Any:
        return self.pool(x) - x


def poolformer_s12(batch: int = 128) -> Trained:
    """PoolFormer-S12."""
    cells: list[nn.Cell] = []
    c_in, kernel, stride = 3, 7, 4
    for width, repeat in ((64, 2), (128, 2), (320, 6), (512, 2)):
        cells.append(_conv(c_in, width, kernel, stride, has_bias=True, bias_init="zeros"))
        for _ in range(repeat):
            cells.append(_Residual(nn.SequentialCell([nn.GroupNorm(1, width), _PoolMixer()])))
            up, down = _conv(width, 4 * width, 1), _conv(4 * width, width, 1)
            mlp = [nn.GroupNorm(1, width), up, nn.GELU(), down]
            cells.append(_Residual(nn.SequentialCell(mlp)))
        c_in, kernel, stride = width, 3, 2
    return _head(cells, c_in, batch)
