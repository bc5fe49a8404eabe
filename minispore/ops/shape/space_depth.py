"""Ops that move elements between space, depth and batch by splitting, permuting and merging
axes.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from minispore.core.primitive import Cotangents, Primitive
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.shape.views import Reshape, Transpose
from minispore.ops.support.arguments import check_shape, check_tensor_spec, check_tensors
from minispore.ops.support.derive import _Composite


class _Shuffle(Primitive):
    """Base of ops that permute elements: ``x.reshape(split).transpose(order).reshape(shape)``."""

    def plan_shuffle(self, shape: tuple[int, ...]) -> tuple[Any, Any, tuple[int, ...]]:
        """Return ``split``, ``order`` and the output shape for an input of ``shape``; overridden by
        each subclass.
        """
        raise TypeError(f"{self.name}: has no plan.")

    def make_inverse(self) -> Primitive:
        """Return the inverse op, whose output is the gradient; raise TypeError unless
        overridden.
        """
        raise TypeError(f"{self.name}: can't be undone.")

    def infer(self, x: Spec) -> Spec:
        """Return the spec of the shuffled x; raise ValueError if its shape does not fit."""
        return Spec(self.plan_shuffle(check_tensor_spec(self.name, x).shape)[2], x.dtype)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        split, order, _ = self.plan_shuffle(x.shape)
        out[...] = x.reshape(split).transpose(order).reshape(out.shape)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: self.make_inverse()(dout),)

    def divide_length(self, shape: tuple[int, ...], axis: int, divisor: int) -> int:
        """Return ``shape[axis] // divisor``.

        Raises:
            ValueError: the shape does not have 4 axes, or the division leaves a remainder.
        """
        if len(shape) != 4:
            raise ValueError(f"{self.name}: input must have 4 axes (N, C, H, W), got {shape}.")
        if shape[axis] % divisor:
            raise ValueError(
                f"{self.name}: the length of axis {axis} must be divisible by {divisor}, got "
                f"{shape}."
            )
        return shape[axis] // divisor


class DepthToSpace(_Shuffle):
    """Blocks of channels become blocks of pixels.  (N, C*b*b, H, W) -> (N, C, H*b, W*b).

    >>> DepthToSpace(2)(Tensor(np.zeros((1, 12, 1, 1)))).shape
    (1, 3, 2, 2)
    """

    block_size: int

    def check(self) -> None:
        """Raise a TypeError or ValueError unless ``block_size`` is an int of at least 2."""
        checks.integer(self.name, "block_size", self.block_size, 2)

    def plan_shuffle(self, shape: tuple[int, ...]) -> tuple[Any, Any, tuple[int, ...]]:
        """Split the channels into a block and C, and move the block's axes behind height and width.

        Raises a ValueError unless there are 4 axes, and C is divisible by the square of the block
        size.
        """
        b, c = self.block_size, self.divide_length(shape, 1, self.block_size**2)
        n, _, h, w = shape
        return (n, b, b, c, h, w), (0, 3, 4, 1, 5, 2), (n, c, h * b, w * b)

    def make_inverse(self) -> Primitive:
        """Return the SpaceToDepth of the same block size."""
        return SpaceToDepth(self.block_size)


class SpaceToDepth(_Shuffle):
    """Blocks of pixels become blocks of channels.  (N, C, H*b, W*b) -> (N, C*b*b, H, W).

    >>> SpaceToDepth(2)(Tensor(np.zeros((1, 3, 2, 2)))).shape
    (1, 12, 1, 1)
    """

    block_size: int

    def check(self) -> None:
        """Raise a TypeError or ValueError unless ``block_size`` is an int of at least 2."""
        checks.integer(self.name, "block_size", self.block_size, 2)

    def plan_shuffle(self, shape: tuple[int, ...]) -> tuple[Any, Any, tuple[int, ...]]:
        """Split height and width into blocks, and move the blocks' axes before the channels.

        Raises a ValueError unless there are 4 axes, and both are divisible by the block size.
        """
        b = self.block_size
        h, w = self.divide_length(shape, 2, b), self.divide_length(shape, 3, b)
        n, c = shape[:2]
        return (n, c, h, b, w, b), (0, 3, 5, 1, 2, 4), (n, c * b * b, h, w)

    def make_inverse(self) -> Primitive:
        """Return the DepthToSpace of the same block size."""
        return DepthToSpace(self.block_size)


class ChannelShuffle(_Shuffle):
    """Interleaves the channels of ``group`` groups.  x: (N, C, H, W, ...), C divisible by group.

    >>> print(ChannelShuffle(2)(Tensor([[[[1]], [[2]], [[3]], [[4]]]])).reshape(-1))
    [1 3 2 4]
    """

    group: int

    def check(self) -> None:
        """Raise a TypeError or ValueError unless ``group`` is an int of at least 1."""
        checks.integer(self.name, "group", self.group, 1)

    def plan_shuffle(self, shape: tuple[int, ...]) -> tuple[Any, Any, tuple[int, ...]]:
        """Split the channels into groups and swap both axes; raise ValueError if group does not
        divide them.
        """
        if len(shape) < 4 or shape[1] % self.group:
            raise ValueError(
                f"{self.name}: input must be (N, C, H, W, ...) with C divisible by group = "
                f"{self.group}, got {shape}."
            )
        n, c, *sizes = shape
        split = (n, self.group, c // self.group, prod(sizes))
        return split, (0, 2, 1, 3), shape

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function of x: the shuffle of C / group groups is the inverse."""
        return (lambda: ChannelShuffle(x.shape[1] // self.group)(dout),)


class SpaceToBatchND(Primitive):
    """Pads space with zeros, and moves the positions within its blocks to the batch axis.

    Shape: (N, ..., S1, ..., SM) -> (N*b1*...*bM, ..., S1/b1, ..., SM/bM), where S includes padding.

    >>> print(SpaceToBatchND((2,), ((0, 0),))(Tensor([[1, 2, 3, 4]])))
    [[1 3]
     [2 4]]
    """

    block_shape: Any
    paddings: Any

    def check(self) -> None:
        """Check ``block_shape`` and ``paddings``, and set ``block_shape`` as a tuple with one
        length for each pair.
        """
        block = _check_pairs(self.name, self.block_shape, self.paddings, "paddings")
        self.normalise(block_shape=block)

    def _compute_padded_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the padded shape of an input of ``shape``; raise ValueError if it has too few
        axes.
        """
        m = len(self.block_shape)
        if len(shape) <= m:
            raise ValueError(f"{self.name}: input must have more than {m} axes, got {shape}.")
        return (
            *shape[:-m],
            *[d + a + b for d, (a, b) in zip(shape[-m:], self.paddings, strict=True)],
        )

    def infer(self, x: Spec) -> Spec:
        """Return the spec; raise ValueError unless the blocks divide the padded space."""
        m = len(self.block_shape)
        padded = self._compute_padded_shape(check_tensor_spec(self.name, x).shape)
        for d, b in zip(padded[-m:], self.block_shape, strict=True):
            if d % b:
                raise ValueError(
                    f"{self.name}: padded space must be divisible by block_shape "
                    f"{self.block_shape}, got {padded[-m:]}."
                )
        space = [d // b for d, b in zip(padded[-m:], self.block_shape, strict=True)]
        return Spec((padded[0] * prod(self.block_shape), *padded[1:-m], *space), x.dtype)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Pad x, split each spatial axis into blocks, and move the positions in a block before the
        batch.
        """
        m, block = len(self.block_shape), self.block_shape
        padded = np.zeros(self._compute_padded_shape(x.shape), x.dtype)
        interior: Any = [
            slice(a, a + d) for d, (a, _) in zip(x.shape[-m:], self.paddings, strict=True)
        ]
        padded[(..., *interior)] = x
        # (N, ..., s1*b1, ..., sM*bM) -> (N, ..., s1, b1, ..., sM, bM)
        #                             -> (b1, ..., bM, N, ..., s1, ..., sM)
        leading = x.ndim - m
        split = [n for d, b in zip(padded.shape[-m:], block, strict=True) for n in (d // b, b)]
        block_axes = [leading + 2 * i + 1 for i in range(m)]
        space_axes = [leading + 2 * i for i in range(m)]
        order = (*block_axes, *range(leading), *space_axes)
        out[...] = padded.reshape((*x.shape[:leading], *split)).transpose(order).reshape(out.shape)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: BatchToSpaceND(self.block_shape, self.paddings)(dout),)


class BatchToSpaceND(Primitive):
    """Moves the batch axis into blocks of space, and crops space: the inverse of SpaceToBatchND.

    Shape: (N*b1*...*bM, ..., S1, ..., SM) -> (N, ..., S1*b1, ..., SM*bM), less the ``crops``.

    >>> print(BatchToSpaceND((2,), ((0, 0),))(Tensor([[1, 3], [2, 4]])))
    [[1 2 3 4]]
    """

    block_shape: Any
    crops: Any

    def check(self) -> None:
        """Check ``block_shape`` and ``crops``, and set ``block_shape`` as a tuple with one length
        for each pair.
        """
        block = _check_pairs(self.name, self.block_shape, self.crops, "crops")
        self.normalise(block_shape=block)

    def infer(self, x: Spec) -> Spec:
        """Return the spec; raise ValueError unless the block divides the batch and the crops leave
        elements.
        """
        m, count = len(self.block_shape), prod(self.block_shape)
        if check_tensor_spec(self.name, x).ndim <= m or x.shape[0] % count:
            raise ValueError(
                f"{self.name}: input must have more than {m} axes and a batch divisible by "
                f"{count}, got {x}."
            )
        space = [
            d * b - lo - hi
            for d, b, (lo, hi) in zip(x.shape[-m:], self.block_shape, self.crops, strict=True)
        ]
        if min(space) < 0:
            raise ValueError(f"{self.name}: crops must leave something, got {self.crops} for {x}.")
        return Spec((x.shape[0] // count, *x.shape[1:-m], *space), x.dtype)

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        """Split the batch into positions in the block, move each behind its spatial axis, and
        crop.
        """
        m, block = len(self.block_shape), self.block_shape
        middle, space = x.shape[1 : x.ndim - m], x.shape[-m:]
        n, leading = out.shape[0], x.ndim - m
        split = x.reshape((*block, n, *middle, *space))
        order = list(range(m, m + leading))
        for i in range(m):
            order += [m + leading + i, i]
        full_sizes = [d * b for d, b in zip(space, block, strict=True)]
        uncropped = split.transpose(order).reshape((n, *middle, *full_sizes))
        interior: Any = [
            slice(a, a + d) for d, (a, _) in zip(out.shape[-m:], self.crops, strict=True)
        ]
        out[...] = uncropped[(..., *interior)]

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: SpaceToBatchND(self.block_shape, self.crops)(dout),)


def _check_pairs(api_name: str, block_shape: Any, pairs: Any, name: str) -> tuple[int, ...]:
    """Return ``block_shape`` as a tuple; an int is repeated for each of ``pairs``, the op's
    ``name``.

    Raises:
        TypeError: a number is not an int.
        ValueError: ``pairs`` does not hold one pair of ints of at least 0 for each length of the
            block, or a length is below 1.
    """
    block = check_shape(api_name, block_shape, "block_shape", 1)
    if isinstance(block_shape, int) and isinstance(pairs, tuple):
        block *= max(1, len(pairs))
    if (
        not isinstance(pairs, tuple)
        or len(pairs) != len(block)
        or any(not isinstance(p, tuple) or len(p) != 2 for p in pairs)
    ):
        raise ValueError(f"{api_name}: {name} must be {len(block)} pairs of ints, got {pairs}.")
    for p in pairs:
        check_shape(api_name, p, name)
    return block


class SpaceToBatch(_Composite):
    """Blocks of pixels become batches.  (N, C, H, W) -> (N*b*b, C, H/b, W/b), where H and W include
    padding.

    >>> SpaceToBatch(2, ((0, 0), (0, 0)))(Tensor(np.zeros((1, 3, 4, 4)))).shape
    (4, 3, 2, 2)
    """

    block_size: int
    paddings: Any

    def check(self) -> None:
        """Raise a TypeError or ValueError unless ``block_size`` is an int of at least 2."""
        checks.integer(self.name, "block_size", self.block_size, 2)

    def __call__(self, input_x: Tensor) -> Tensor:
        """Apply :class:`SpaceToBatchND` with square blocks to the last two axes."""
        return SpaceToBatchND((self.block_size,) * 2, self.paddings)(input_x)


class BatchToSpace(_Composite):
    """Batches become blocks of pixels.  (N*b*b, C, H, W) -> (N, C, H*b, W*b), less the ``crops``.

    >>> BatchToSpace(2, ((0, 0), (0, 0)))(Tensor(np.zeros((4, 3, 2, 2)))).shape
    (1, 3, 4, 4)
    """

    block_size: int
    crops: Any

    def check(self) -> None:
        """Raise a TypeError or ValueError unless ``block_size`` is an int of at least 2."""
        checks.integer(self.name, "block_size", self.block_size, 2)

    def __call__(self, input_x: Tensor) -> Tensor:
        """Apply :class:`BatchToSpaceND` with square blocks to the last two axes."""
        return BatchToSpaceND((self.block_size,) * 2, self.crops)(input_x)


# -- functions ------------------------------------------------------------------------------------


def channel_shuffle(x: Tensor, groups: int) -> Tensor:
    """Interleave the channels of ``groups`` groups: channel j of group i moves to j * groups + i.

    ``x`` is (N, C, H, W, ...), with C divisible by ``groups``.
    """
    return ChannelShuffle(groups)(x)


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Move channels into space: (..., C*r*r, H, W) -> (..., C, H*r, W*r).

    Raises ValueError unless r * r, with r = ``upscale_factor``, divides the channels.

    >>> pixel_shuffle(Tensor(np.zeros((1, 8, 2, 3))), 2).shape
    (1, 2, 4, 6)
    """
    check_tensors("pixel_shuffle", input=input)
    r = checks.integer("pixel_shuffle", "upscale_factor", upscale_factor, 1)
    if input.ndim < 3 or input.shape[-3] % (r * r):
        raise ValueError(
            f"pixel_shuffle: input must be (..., C*{r}*{r}, H, W), got shape {input.shape}."
        )
    *leading, c, h, w = input.shape
    k = len(leading)
    split = Reshape()(input, (*leading, c // (r * r), r, r, h, w))
    order = (*range(k), k, k + 3, k + 1, k + 4, k + 2)
    return Reshape()(Transpose()(split, order), (*leading, c // (r * r), h * r, w * r))


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Move space into channels: (..., C, H*r, W*r) -> (..., C*r*r, H, W).

    Raises ValueError unless r = ``downscale_factor`` divides height and width.

    >>> pixel_unshuffle(Tensor(np.zeros((1, 2, 4, 6))), 2).shape
    (1, 8, 2, 3)
    """
    check_tensors("pixel_unshuffle", input=input)
    r = checks.integer("pixel_unshuffle", "downscale_factor", downscale_factor, 1)
    if input.ndim < 3 or input.shape[-2] % r or input.shape[-1] % r:
        raise ValueError(
            f"pixel_unshuffle: input must be (..., C, H*{r}, W*{r}), got shape {input.shape}."
        )
    *leading, c, h, w = input.shape
    k = len(leading)
    split = Reshape()(input, (*leading, c, h // r, r, w // r, r))
    order = (*range(k), k, k + 2, k + 4, k + 1, k + 3)
    return Reshape()(Transpose()(split, order), (*leading, c * r * r, h // r, w // r))


def batch_to_space_nd(input_x: Tensor, block_shape: Any, crops: Any) -> Tensor:
    """Move the batch axis into blocks of space and crop the result.

    (N*b1*...*bM, ..., S1, ..., SM) -> (N, ..., S1*b1, ..., SM*bM), less the ``crops``, a pair
    (before, after) for each spatial axis.
    """
    return BatchToSpaceND(block_shape, crops)(input_x)


def space_to_batch_nd(input_x: Tensor, block_size: Any, paddings: Any) -> Tensor:
    """Pad space with zeros, and move the positions within its blocks to the batch axis.

    (N, ..., S1, ..., SM) -> (N*b1*...*bM, ..., S1/b1, ..., SM/bM), where S includes the
    ``paddings``, a pair (before, after) for each spatial axis.
    """
    return SpaceToBatchND(block_size, paddings)(input_x)


__all__ = [
    "BatchToSpace",
    "BatchToSpaceND",
    "ChannelShuffle",
    "DepthToSpace",
    "SpaceToBatch",
    "SpaceToBatchND",
    "SpaceToDepth",
    "batch_to_space_nd",
    "channel_shuffle",
    "pixel_shuffle",
    "pixel_unshuffle",
    "space_to_batch_nd",
]
