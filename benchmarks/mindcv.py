"""Networks of MindCV's benchmark table as Models: ImageNet, Momentum, float16 with a loss scale.

They are written from the papers' tables; weights are zeros, since an estimate looks at shapes
alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.models import ModelWithShapes, _make_classifier, _make_conv, _make_dense
from minispore import nn, ops


def _make_conv_unit(
    c_in: int, c_out: int, kernel: int = 3, stride: int = 1, group: int = 1, act: Any = nn.ReLU
) -> nn.SequentialCell:
    """Make a convolution with its normalisation and activation."""
    cells = [_make_conv(c_in, c_out, kernel, stride, group=group), nn.BatchNorm2d(c_out)]
    return nn.SequentialCell(cells if act is None else [*cells, act()])


def _make_headed_classifier(
    cells: Sequence[nn.Cell], width: int, batch: int, size: int = 224
) -> ModelWithShapes:
    """Make a classifier of 1,000 classes: ``cells``, a mean over each channel, and a dense
    layer.
    """
    network = nn.SequentialCell([*cells, _GlobalMean(), _make_dense(width, 1000)])
    return _make_classifier(network, (batch, 3, size, size))


class _GlobalMean(nn.Cell):
    def construct(self, x: Any) -> Any:
        return x.mean((2, 3))


class _Residual(nn.Cell):
    """A residual block: x + body(x), with a shortcut where the shape changes."""

    def __init__(self, body: nn.Cell, shortcut: nn.Cell | None = None, act: Any = None) -> None:
        super().__init__()
        self.body, self.shortcut = body, shortcut
        self.act = None if act is None else act()

    def construct(self, x: Any) -> Any:
        y = self.body(x) + (x if self.shortcut is None else self.shortcut(x))
        return y if self.act is None else self.act(y)


class _Branches(nn.Cell):
    """The outputs of several branches, concatenated along the channels."""

    def __init__(self, branches: Sequence[nn.Cell], keeps_input: bool = False) -> None:
        super().__init__()
        self.branches, self.keeps_input = nn.CellList(branches), keeps_input

    def construct(self, x: Any) -> Any:
        outputs = tuple(branch(x) for branch in self.branches)
        return ops.concat((x, *outputs) if self.keeps_input else outputs, 1)


# -- networks --------------------------------------------------------------------------------------


def vgg(repeats: Sequence[int], batch: int = 32) -> ModelWithShapes:
    """Make a VGG with ``repeats`` convolutions in each stage."""
    cells: list[nn.Cell] = []
    c_in = 3
    for width, repeat in zip((64, 128, 256, 512, 512), repeats, strict=True):
        for _ in range(repeat):
            cells += [_make_conv(c_in, width, 3, has_bias=True, bias_init="zeros"), nn.ReLU()]
            c_in = width
        cells.append(nn.MaxPool2d(2, 2))
    cells += [nn.Flatten(), _make_dense(25088, 4096), nn.ReLU(), nn.Dropout(p=0.5)]
    cells += [_make_dense(4096, 4096), nn.ReLU(), nn.Dropout(p=0.5), _make_dense(4096, 1000)]
    return _make_classifier(nn.SequentialCell(cells), (batch, 3, 224, 224))


def vgg13() -> ModelWithShapes:
    return vgg((2, 2, 2, 2, 2))


def vgg19() -> ModelWithShapes:
    return vgg((2, 2, 4, 4, 4))


def densenet121(batch: int = 32) -> ModelWithShapes:
    """Make DenseNet-121, growth 32."""
    cells: list[nn.Cell] = [_make_conv_unit(3, 64, 7, 2), nn.MaxPool2d(3, 2, "same")]
    width = 64
    for repeat in (6, 12, 24, 16):
        for _ in range(repeat):
            layer = nn.SequentialCell(
                [
                    nn.BatchNorm2d(width),
                    nn.ReLU(),
                    _make_conv_unit(width, 128, 1),
                    _make_conv(128, 32, 3),
                ]
            )
            cells.append(_Branches([layer], keeps_input=True))
            width += 32
        cells += [nn.BatchNorm2d(width), nn.ReLU()]
        if repeat != 16:
            cells += [_make_conv(width, width // 2, 1), nn.AvgPool2d(2, 2)]
            width //= 2
    return _make_headed_classifier(cells, width, batch)


def resnext50(batch: int = 32) -> ModelWithShapes:
    """Make ResNeXt-50, 32 groups of 4."""
    cells: list[nn.Cell] = [_make_conv_unit(3, 64, 7, 2), nn.MaxPool2d(3, 2, "same")]
    c_in = 64
    for stage, repeat in enumerate((3, 4, 6, 3)):
        width, c_out = 128 << stage, 256 << stage
        for block in range(repeat):
            stride = 2 if stage and not block else 1
            body = nn.SequentialCell(
                [
                    _make_conv_unit(c_in, width, 1),
                    _make_conv_unit(width, width, 3, stride, group=32),
                    _make_conv_unit(width, c_out, 1, act=None),
                ]
            )
            shortcut = None if block else _make_conv_unit(c_in, c_out, 1, stride, act=None)
            cells.append(_Residual(body, shortcut, nn.ReLU))
            c_in = c_out
    return _make_headed_classifier(cells, c_in, batch)


def resnetv2_50(batch: int = 32) -> ModelWithShapes:
    """Make ResNet-50 with norms and activations in front of the convolutions."""
    cells: list[nn.Cell] = [_make_conv(3, 64, 7, 2), nn.MaxPool2d(3, 2, "same")]
    c_in = 64
    for stage, repeat in enumerate((3, 4, 6, 3)):
        width, c_out = 64 << stage, 256 << stage
        for block in range(repeat):
            stride = 2 if stage and not block else 1
            body: list[nn.Cell] = []
            for before, after, kernel, step in (
                (c_in, width, 1, 1), (width, width, 3, stride), (width, c_out, 1, 1),
            ):  # fmt: skip
                body += [nn.BatchNorm2d(before), nn.ReLU(), _make_conv(before, after, kernel, step)]
            shortcut = None if block else _make_conv(c_in, c_out, 1, stride)
            cells.append(_Residual(nn.SequentialCell(body), shortcut))
            c_in = c_out
    return _make_headed_classifier([*cells, nn.BatchNorm2d(c_in), nn.ReLU()], c_in, batch)


def xception(batch: int = 32) -> ModelWithShapes:
    """Make Xception for 299 x 299 images."""

    def make_separable(c_in: int, c_out: int, has_relu: bool = True) -> list[nn.Cell]:
        convs = [
            _make_conv(c_in, c_in, 3, group=c_in),
            _make_conv(c_in, c_out, 1),
            nn.BatchNorm2d(c_out),
        ]
        return [nn.ReLU(), *convs] if has_relu else convs

    cells: list[nn.Cell] = [_make_conv_unit(3, 32, 3, 2), _make_conv_unit(32, 64)]
    c_in = 64
    for c_out in (128, 256, 728):
        body = [*make_separable(c_in, c_out, c_in != 64), *make_separable(c_out, c_out)]
        body.append(nn.MaxPool2d(3, 2, "same"))
        cells.append(
            _Residual(nn.SequentialCell(body), _make_conv_unit(c_in, c_out, 1, 2, act=None))
        )
        c_in = c_out
    for _ in range(8):
        cells.append(
            _Residual(nn.SequentialCell([c for _ in range(3) for c in make_separable(728, 728)]))
        )
    body = [*make_separable(728, 728), *make_separable(728, 1024), nn.MaxPool2d(3, 2, "same")]
    cells.append(_Residual(nn.SequentialCell(body), _make_conv_unit(728, 1024, 1, 2, act=None)))
    cells += [
        *make_separable(1024, 1536, False),
        nn.ReLU(),
        *make_separable(1536, 2048, False),
        nn.ReLU(),
    ]
    return _make_headed_classifier(cells, 2048, batch, 299)


class _ConvNextBlock(nn.Cell):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.depthwise = _make_conv(width, width, 7, group=width, has_bias=True, bias_init="zeros")
        self.norm, self.gelu = nn.LayerNorm((width,)), nn.GELU()
        self.up, self.down = _make_dense(width, 4 * width), _make_dense(4 * width, width)

    def construct(self, x: Any) -> Any:
        y = self.depthwise(x).transpose(0, 2, 3, 1)
        y = self.down(self.gelu(self.up(self.norm(y))))
        return x + y.transpose(0, 3, 1, 2)


def convnext_tiny(batch: int = 16) -> ModelWithShapes:
    """Make ConvNeXt-T."""
    cells: list[nn.Cell] = []
    c_in, kernel = 3, 4
    for width, repeat in ((96, 3), (192, 3), (384, 9), (768, 3)):
        cells += [_make_conv(c_in, width, kernel, kernel, has_bias=True, bias_init="zeros")]
        cells += [_ConvNextBlock(width) for _ in range(repeat)]
        c_in, kernel = width, 2
    return _make_headed_classifier(cells, c_in, batch)
