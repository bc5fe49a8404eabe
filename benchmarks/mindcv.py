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
        outputs = tuple(branch(x) for branch in self.branches)
        return ops.concat((x, *outputs) if self.keeps_input else outputs, 1)


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
