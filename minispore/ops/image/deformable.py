"""Deformable convolution: each element of the window is read at a learned offset.

The op is composed of other ops, like :mod:`minispore.ops.image.grid_sample`, which give it
gradients of any order.
"""

from __future__ import annotations

import numpy as np

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.image.grid_sample import sample_at_positions
from minispore.ops.network.bias import BiasAdd
from minispore.ops.network.conv import Conv2D
from minispore.ops.shape.views import Reshape, Transpose
from minispore.ops.support.arguments import FLOAT_KINDS, check_tensors
from minispore.ops.support.derive import _Composite


class DeformableOffsets(_Composite):
    """The elements that the windows of a deformable convolution read, side by side.

    x (N, C, H, W) and offsets (N, 3 * groups * kh * kw, H', W') -> (N, C, H' * kh, W' * kw).
    ``offsets`` holds the offsets along W, then those along H, then the modulation factors.

    Args:
        strides: (1, 1, along H, along W).
        pads: zeros (above, below, left, right).
        ksize: (kh, kw).
        dilations: (1, 1, along H, along W).
        data_format: "NCHW".
        deformable_groups: the number of channel groups with separate offsets.
        modulated: must be True: ``offsets`` contains modulation factors.
        x: (N, C, H, W).
        offsets: the offsets and modulation factors, in the shape above.

    Source: Zhu et al., https://arxiv.org/abs/1811.11168

    >>> offsets = Tensor(np.concatenate([np.full((1, 1, 1, 2), v) for v in (0.5, 0.0, 2.0)], 1))
    >>> x = Tensor([[[[1.0, 2.0, 4.0]]]])
    >>> op = DeformableOffsets((1, 1, 1, 1), (0, 0, 0, -1), (1, 1))
    >>> print(op(x, offsets.astype(mstype.float32)))
    [[[[3. 6.]]]]
    """

    strides: tuple[int, ...]
    pads: tuple[int, ...]
    ksize: tuple[int, ...]
    dilations: tuple[int, ...] = (1, 1, 1, 1)
    data_format: str = "NCHW"
    deformable_groups: int = 1
    modulated: bool = True

    def check(self) -> None:
        """Check the length of each attribute, and that N and C are neither strided nor dilated."""
        for name, count in (("strides", 4), ("pads", 4), ("ksize", 2), ("dilations", 4)):
            sizes = getattr(self, name)
            if not isinstance(sizes, tuple):
                raise TypeError(f"{self.name}: {name} must be a tuple, got {sizes!r}.")
            if len(sizes) != count:
                raise ValueError(f"{self.name}: {name} must have {count} numbers, got {sizes!r}.")
            for number in sizes:
                checks.integer(self.name, name, number)
        for name in ("strides", "dilations"):
            if getattr(self, name)[:2] != (1, 1):
                raise ValueError(
                    f"{self.name}: {name} must begin with 1, 1 (for N and C), got "
                    f"{getattr(self, name)}."
                )
        if self.data_format != "NCHW":
            raise ValueError(f"{self.name}: data_format must be 'NCHW', got {self.data_format!r}.")
        checks.integer(self.name, "deformable_groups", self.deformable_groups, 1)
        if not checks.boolean(self.name, "modulated", self.modulated):
            raise ValueError(f"{self.name}: modulated must be True, got False.")

    def __call__(self, x: Tensor, offsets: Tensor) -> Tensor:
        """Sample x at the windows' positions plus offsets, and multiply by the modulation
        factors.
        """
        groups, (kh, kw) = self.deformable_groups, self.ksize
        h, w = self._infer_output_size(x, offsets)
        n, c = x.shape[:2]
        # Along the axis of 3: the offsets along W, those along H, the modulation factors.
        components = Reshape()(offsets, (n, 3, groups, kh, kw, h, w))
        dtype = mstype.to_numpy(offsets.dtype)
        window_rows = np.arange(kh)[:, None] * self.dilations[2] + np.arange(h) * self.strides[2]
        window_columns = np.arange(kw)[:, None] * self.dilations[3] + np.arange(w) * self.strides[3]
        rows = components[:, 1] + Tensor(
            (window_rows - self.pads[0]).reshape(kh, 1, h, 1).astype(dtype)
        )
        columns = components[:, 0] + Tensor(
            (window_columns - self.pads[2]).reshape(kw, 1, w).astype(dtype)
        )
        sample_shape = (n * groups, kh, kw, h, w)
        images = Reshape()(x, (n * groups, c // groups, *x.shape[2:]))
        samples = sample_at_positions(
            images, [Reshape()(rows, sample_shape), Reshape()(columns, sample_shape)]
        )
        samples = samples * Reshape()(components[:, 2], (n * groups, 1, kh, kw, h, w))
        return Reshape()(Transpose()(samples, (0, 1, 4, 2, 5, 3)), (n, c, h * kh, w * kw))

    def _infer_output_size(self, x: Tensor, offsets: Tensor) -> tuple[int, int]:
        """Return (H', W'); raise TypeError or ValueError if the inputs do not fit."""
        for name, t in (("x", x), ("offsets", offsets)):
            if not isinstance(t, Tensor) or mstype.to_numpy(t.dtype).kind not in FLOAT_KINDS:
                description = t.dtype if isinstance(t, Tensor) else repr(t)
                raise TypeError(
                    f"{self.name}: {name} must be a Tensor of floats, got {description}."
                )
            if t.ndim != 4:
                raise ValueError(f"{self.name}: {name} must have 4 axes, got shape {t.shape}.")
        if x.dtype is not offsets.dtype:
            raise TypeError(
                f"{self.name}: offsets must be of the dtype of x, got {offsets.dtype} for "
                f"{x.dtype}."
            )
        if x.shape[1] % self.deformable_groups:
            raise ValueError(
                f"{self.name}: the channels of x must be a multiple of deformable_groups "
                f"{self.deformable_groups}, got {x.shape[1]}."
            )
        h, w = (
            (n + low + high - d * (k - 1) - 1) // s + 1
            for n, low, high, d, k, s in zip(
                x.shape[2:], self.pads[::2], self.pads[1::2], self.dilations[2:],
                self.ksize, self.strides[2:], strict=True,
            )
        )  # fmt: skip
        expected = (x.shape[0], 3 * self.deformable_groups * self.ksize[0] * self.ksize[1], h, w)
        if offsets.shape != expected:
            raise ValueError(
                f"{self.name}: offsets must have the shape {expected}, got {offsets.shape}."
            )
        return h, w


def deformable_conv2d(
    x: Tensor,
    weight: Tensor,
    offsets: Tensor,
    kernel_size: tuple[int, int],
    strides: tuple[int, ...],
    padding: tuple[int, ...],
    bias: Tensor | None = None,
    dilations: tuple[int, ...] = (1, 1, 1, 1),
    groups: int = 1,
    deformable_groups: int = 1,
    modulated: bool = True,
) -> Tensor:
    """Return the convolution of the elements that :class:`DeformableOffsets` samples from ``x``.

    Args:
        x: (N, C, H, W).
        weight: (F, C / groups, kh, kw).
        offsets: (N, 3 * deformable_groups * kh * kw, H', W'): along W, along H, and factors.
        kernel_size: (kh, kw).
        strides: (1, 1, along H, along W).
        padding: zeros (above, below, left, right).
        bias: (F,), or None.
        dilations: (1, 1, along H, along W).
        groups: the number of groups of the convolution.
        deformable_groups: the number of channel groups with separate offsets.
        modulated: must be True: ``offsets`` contains modulation factors.

    Raises:
        TypeError: an argument is not a tuple, or a dtype is wrong.
        ValueError: a tuple has the wrong length, or the shapes do not fit.

    Source: Zhu et al., https://arxiv.org/abs/1811.11168

    >>> ones = Tensor(np.ones((1, 1, 3, 3), np.float32))
    >>> offsets = Tensor(np.zeros((1, 3 * 4, 2, 2), np.float32))
    >>> offsets[:, 8:] = 0.5
    >>> print(deformable_conv2d(ones, ones[..., :2, :2], offsets, (2, 2), (1,) * 4, (0,) * 4))
    [[[[2. 2.]
       [2. 2.]]]]
    """
    check_tensors("deformable_conv2d", x=x, weight=weight, offsets=offsets)
    samples = DeformableOffsets(
        strides, padding, kernel_size, dilations, "NCHW", deformable_groups, modulated
    )(x, offsets)
    size = tuple(kernel_size)
    output = Conv2D(weight.shape[0], size, pad_mode="valid", stride=size, group=groups)(
        samples, weight
    )
    return output if bias is None else BiasAdd()(output, bias)


__all__ = ["DeformableOffsets", "deformable_conv2d"]
