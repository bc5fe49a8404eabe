"""Sliding blocks of images as columns (im2col), and columns as images (col2im).

im2col is a gather, and col2im is the gradient of that gather.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ops.index.gather import Gather, GatherGrad
from minispore.ops.shape.join import Concat, Pad, Slice
from minispore.ops.shape.views import Reshape, Transpose
from minispore.ops.support.arguments import check_shape, check_tensors, to_static
from minispore.ops.support.derive import _Composite


def _normalise_pair(api_name: str, value: Any, name: str, minimum: int) -> tuple[int, int]:
    """Return one or two ints as a pair; raise ValueError for more."""
    lengths = check_shape(api_name, to_static(value), name, minimum)
    if len(lengths) not in (1, 2):
        raise ValueError(f"{api_name}: {name} must be one or two ints, got {lengths}.")
    return (lengths[0], lengths[-1])


@lru_cache(maxsize=128)
def _compute_block_indices(
    size: tuple[int, int],
    kernel: tuple[int, int],
    stride: tuple[int, int],
    dilation: tuple[int, int],
) -> tuple[np.ndarray, tuple[int, int]]:
    """Return the flat indices (KH*KW, OH*OW) of the elements of each block in an (H, W) image,
    and (OH, OW).
    """
    out = tuple(
        (n - d * (k - 1) - 1) // s + 1
        for n, k, s, d in zip(size, kernel, stride, dilation, strict=True)
    )
    if min(out) < 1:
        raise ValueError(f"unfold: a block must fit the padded image {size}, got kernel {kernel}.")
    axis_indices = [
        np.arange(k)[:, None] * d + np.arange(o) * s
        for k, d, s, o in zip(kernel, dilation, stride, out, strict=True)
    ]
    indices = axis_indices[0][:, None, :, None] * size[1] + axis_indices[1][None, :, None, :]
    return indices.reshape(kernel[0] * kernel[1], out[0] * out[1]), (out[0], out[1])


def _extract_blocks(
    api_name: str, x: Tensor, kernel: Any, dilation: Any, padding: Any, stride: Any
) -> Tensor:
    """Extract sliding blocks: (N, C, H, W) -> (N, C, KH*KW, OH*OW)."""
    if x.ndim != 4:
        raise ValueError(f"{api_name}: input must have 4 axes (N, C, H, W), got shape {x.shape}.")
    p = _normalise_pair(api_name, padding, "padding", 0)
    size = (x.shape[2] + 2 * p[0], x.shape[3] + 2 * p[1])
    indices, _ = _compute_block_indices(
        size,
        _normalise_pair(api_name, kernel, "kernel_size", 1),
        _normalise_pair(api_name, stride, "stride", 1),
        _normalise_pair(api_name, dilation, "dilation", 1),
    )
    if any(p):
        x = Pad(((0, 0), (0, 0), (p[0], p[0]), (p[1], p[1])))(x)
    return Gather()(Reshape()(x, (*x.shape[:2], -1)), Tensor(indices), 2)


def _add_blocks(
    api_name: str, x: Tensor, output: Any, kernel: Any, dilation: Any, padding: Any, stride: Any
) -> Tensor:
    """Add blocks to an image: (N, C, KH*KW, OH*OW) -> (N, C, H, W); overlaps are summed."""
    output_size = _normalise_pair(api_name, output, "output_size", 1)
    p = _normalise_pair(api_name, padding, "padding", 0)
    size = (output_size[0] + 2 * p[0], output_size[1] + 2 * p[1])
    indices, _ = _compute_block_indices(
        size,
        _normalise_pair(api_name, kernel, "kernel_size", 1),
        _normalise_pair(api_name, stride, "stride", 1),
        _normalise_pair(api_name, dilation, "dilation", 1),
    )
    n, c = x.shape[:2]
    if x.shape[2:] != indices.shape:
        raise ValueError(
            f"{api_name}: input must hold {indices.shape[1]} blocks of {indices.shape[0]} "
            f"elements, got shape {x.shape}."
        )
    padded = GatherGrad(0)(x, Tensor(indices), 2, (n, c, size[0] * size[1]))
    image = Reshape()(padded, (n, c, *size))
    return Slice()(image, (0, 0, *p), (n, c, *output_size)) if any(p) else image


class Im2Col(_Composite):
    """Sliding blocks of an image as columns: (N, C, H, W) -> (N, C, KH*KW, OH*OW).

    >>> print(Im2Col(2)(Tensor([[[[1, 2, 3], [4, 5, 6]]]])))
    [[[[1 2]
       [2 3]
       [4 5]
       [5 6]]]]
    """

    ksizes: Any
    strides: Any = 1
    dilations: Any = 1
    pads: Any = 0

    def __call__(self, x: Tensor) -> Tensor:
        return _extract_blocks(self.name, x, self.ksizes, self.dilations, self.pads, self.strides)


class Col2Im(_Composite):
    """Columns (N, C, KH*KW, OH*OW) as an image (N, C, *output_size); overlaps are summed.

    >>> import minispore as ms
    >>> columns = Im2Col(2)(Tensor([[[[1, 2, 3], [4, 5, 6]]]]))
    >>> print(Col2Im(2)(columns, Tensor([2, 3], ms.int32)))
    [[[[ 1  4  3]
       [ 4 10  6]]]]
    """

    kernel_size: Any
    dilation: Any = 1
    padding: Any = 0
    stride: Any = 1

    def __call__(self, x: Tensor, output_size: Any) -> Tensor:
        if x.ndim != 4:
            raise ValueError(f"{self.name}: x must have 4 axes, got shape {x.shape}.")
        return _add_blocks(
            self.name, x, output_size, self.kernel_size, self.dilation, self.padding, self.stride
        )


class ExtractImagePatches(_Composite):
    """Sliding blocks of an image as channels: (N, C, H, W) -> (N, KH*KW*C, OH, OW).

    Args:
        ksizes: (1, 1, KH, KW).
        strides: (1, 1, SH, SW).
        rates: (1, 1, DH, DW), the steps between the elements of a block.
        padding: "valid", or "same" for ceil(H / SH) x ceil(W / SW) blocks.

    >>> one = (1, 1, 1, 1)
    >>> ExtractImagePatches((1, 1, 2, 2), one, one)(Tensor(np.zeros((1, 3, 4, 5)))).shape
    (1, 12, 3, 4)
    """

    ksizes: Any
    strides: Any
    rates: Any
    padding: str = "valid"

    def check(self) -> None:
        """Check that the sizes are (1, 1, height, width), and the padding "valid" or "same"."""
        for name in ("ksizes", "strides", "rates"):
            value = getattr(self, name)
            if not isinstance(value, tuple) or len(value) != 4 or value[:2] != (1, 1):
                raise ValueError(f"{self.name}: {name} must be (1, 1, height, width), got {value}.")
            for n in value:
                checks.integer(self.name, name, n, 1)
        if self.padding.lower() not in ("valid", "same"):
            raise ValueError(
                f"{self.name}: padding must be 'valid' or 'same', got {self.padding!r}."
            )

    def __call__(self, input_x: Tensor) -> Tensor:
        """Pad x if ``padding`` is "same", extract its blocks, and move block positions before the
        channels.
        """
        x, kernel, stride, rate = input_x, self.ksizes[2:], self.strides[2:], self.rates[2:]
        if self.padding.lower() == "same":
            paddings: list[tuple[int, int]] = [(0, 0), (0, 0)]
            for n, k, s, r in zip(x.shape[2:], kernel, stride, rate, strict=True):
                total = max((-(-n // s) - 1) * s + r * (k - 1) + 1 - n, 0)
                paddings.append((total // 2, total - total // 2))
            x = Pad(tuple(paddings))(x)
        blocks = _extract_blocks(self.name, x, kernel, rate, 0, stride)  # (N, C, K, L)
        n, c, k, _ = blocks.shape
        _, out = _compute_block_indices(x.shape[2:], kernel, stride, rate)
        return Reshape()(Transpose()(blocks, (0, 2, 1, 3)), (n, k * c, *out))


class ExtractVolumePatches(_Composite):
    """Sliding blocks of a volume as channels: (N, C, D, H, W) -> (N, KD*KH*KW*C, OD, OH, OW).

    Args:
        kernel_size: an int, three ints, or (1, 1, KD, KH, KW).
        strides: the distance between blocks, in the same forms.
        padding: "valid", or "same" for ceil(D / SD) x ... blocks, with zeros around the volume.

    >>> ExtractVolumePatches(2, 1, "valid")(Tensor(np.zeros((1, 3, 4, 5, 6)))).shape
    (1, 24, 3, 4, 5)
    """

    kernel_size: Any
    strides: Any
    padding: str

    def check(self) -> None:
        """Check the sizes and the padding, and normalise each size to three ints."""
        for name in ("kernel_size", "strides"):
            sizes = check_shape(self.name, getattr(self, name), name, 1)
            if len(sizes) not in (1, 3, 5) or sizes[:-3] not in ((), (1, 1)):
                raise ValueError(f"{self.name}: {name} must be one or three ints, got {sizes}.")
            self.normalise(**{name: sizes[-3:] if len(sizes) > 1 else sizes * 3})
        if self.padding.lower() not in ("valid", "same"):
            raise ValueError(
                f"{self.name}: padding must be 'valid' or 'same', got {self.padding!r}."
            )

    def __call__(self, input_x: Tensor) -> Tensor:
        """Pad x if ``padding`` is "same", and concatenate its strided slices, one per block
        position.
        """
        x = input_x
        if x.ndim != 5:
            raise ValueError(f"{self.name}: input_x must have 5 axes, got shape {x.shape}.")
        sizes = [*zip(x.shape[2:], self.kernel_size, self.strides, strict=True)]
        if self.padding.lower() == "same":
            totals = [max((-(-n // s) - 1) * s + k - n, 0) for n, k, s in sizes]
            x = Pad(((0, 0), (0, 0), *((t // 2, t - t // 2) for t in totals)))(x)
            sizes = [(n + t, k, s) for (n, k, s), t in zip(sizes, totals, strict=True)]
        if any(n < k for n, k, _ in sizes):
            raise ValueError(f"{self.name}: a block must fit into the volume, got {x.shape}.")
        offsets = product(*(range(k) for _, k, _ in sizes))
        return Concat(1)(tuple(x[(..., *self._make_slices(offset, sizes))] for offset in offsets))

    def _make_slices(self, offset: Any, sizes: Any) -> Any:
        """Return a slice for each axis of D, H and W; together they take the element at ``offset``
        of each block. ``sizes`` holds (length, kernel, stride) of each axis.
        """
        return (slice(i, n - k + i + 1, s) for i, (n, k, s) in zip(offset, sizes, strict=True))


# -- functions ------------------------------------------------------------------------------------


def unfold(
    input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """Return sliding blocks of an image as columns: (N, C, H, W) -> (N, C*KH*KW, OH*OW).

    >>> unfold(Tensor(np.zeros((1, 3, 4, 5))), 2).shape
    (1, 12, 12)
    """
    check_tensors("unfold", input=input)
    blocks = _extract_blocks("unfold", input, kernel_size, dilation, padding, stride)
    n, c, k, count = blocks.shape
    return Reshape()(blocks, (n, c * k, count))


def fold(
    input: Tensor,
    output_size: Any,
    kernel_size: Any,
    dilation: Any = 1,
    padding: Any = 0,
    stride: Any = 1,
) -> Tensor:
    """Return columns as an image (N, C, *output_size); overlaps are summed.

    The columns are (N, C*KH*KW, OH*OW) or (N, C, KH*KW, OH*OW).

    >>> import minispore as ms
    >>> size = Tensor([2, 3], ms.int32)
    >>> fold(Tensor(np.ones((1, 4, 2), np.float32)), size, 2).reshape(2, 3).tolist()
    [[1.0, 2.0, 1.0], [1.0, 2.0, 1.0]]
    """
    check_tensors("fold", input=input)
    kh, kw = _normalise_pair("fold", kernel_size, "kernel_size", 1)
    shape = input.shape
    if len(shape) == 4 and shape[2] == kh * kw:
        blocks = input
    elif len(shape) == 3 and shape[1] % (kh * kw) == 0:
        blocks = Reshape()(input, (shape[0], shape[1] // (kh * kw), kh * kw, shape[2]))
    else:
        raise ValueError(
            f"fold: input must be (N, C*{kh}*{kw}, blocks) or (N, C, {kh}*{kw}, blocks), got shape "
            f"{shape}."
        )
    return _add_blocks("fold", blocks, output_size, kernel_size, dilation, padding, stride)


@method("col2im")
def col2im(
    input_x: Tensor,
    output_size: Any,
    kernel_size: Any,
    dilation: Any,
    padding_value: Any,
    stride: Any,
) -> Tensor:
    """Return columns (N, C, KH*KW, OH*OW) as an image; overlaps are summed."""
    return Col2Im(kernel_size, dilation, padding_value, stride)(input_x, output_size)


method("fold")(fold)
method("unfold")(unfold)

__all__ = [
    "Col2Im",
    "ExtractImagePatches",
    "ExtractVolumePatches",
    "Im2Col",
    "col2im",
    "fold",
    "unfold",
]
