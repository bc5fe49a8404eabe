"""Rotary position embedding, which runs on every target; MindSpore supports it only on Ascend."""

from __future__ import annotations

import numpy as np

from minispore.core import interpreter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ops.index.gather import Gather
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.shape.join import Concat
from minispore.ops.shape.views import Reshape
from minispore.ops.support.arguments import check_dtype, check_tensors


def rotary_position_embedding(x: Tensor, cos: Tensor, sin: Tensor, mode: int = 0) -> Tensor:
    """Return x * cos + rotated * sin, where ``rotated`` is x with each pair (a, b) replaced by (-b,
    a).

    The computation is in float32; the result has the shape and dtype of x.

    Args:
        x: (B, N, S, D) with an even D, or B, N and S in a different order.
        cos: a 4-d tensor that broadcasts to the shape of x.
        sin: like ``cos``.
        mode: 0: the pairs are elements i and i + D / 2; 1: elements 2 i and 2 i + 1.

    Raises:
        TypeError: an input is not a Tensor of float16, bfloat16 or float32.
        ValueError: the shapes do not fit, or the mode is neither 0 nor 1.

    Source: Su et al., https://arxiv.org/abs/2104.09864

    >>> x, one = Tensor([[[[1.0, 2.0]]]]), Tensor([[[[1.0, 1.0]]]])
    >>> print(rotary_position_embedding(x, one * 0, one))
    [[[[-2.  1.]]]]
    """
    name = "rotary_position_embedding"
    check_tensors(name, x=x, cos=cos, sin=sin)
    for argument, tensor in (("x", x), ("cos", cos), ("sin", sin)):
        check_dtype(name, tensor, argument, "float16", "bfloat16", "float32")
        fits = len(tensor.shape) == 4 and tensor.shape[3] == x.shape[-1] and not x.shape[-1] % 2
        if not fits or any(n not in (1, m) for n, m in zip(tensor.shape, x.shape, strict=True)):
            raise ValueError(
                f"{name}: {argument} must have 4 axes, the last one even, that broadcast to those "
                f"of x, got {tensor.shape} for {x.shape}."
            )
    if checks.integer(name, "mode", mode) not in (0, 1):
        raise ValueError(f"{name}: mode must be 0 or 1, got {mode}.")
    with interpreter.entering_fused_call("RotaryPositionEmbedding"):
        widened, cos, sin = (Cast()(t, mstype.float32) for t in (x, cos, sin))
        pairs = (2, -1) if mode == 0 else (-1, 2)
        pair_axis = 3 if mode == 0 else 4
        split = Reshape()(widened, (*x.shape[:3], *pairs))
        a, b = (Gather()(split, Tensor(np.array([i], np.int32)), pair_axis) for i in (0, 1))
        rotated = Reshape()(Concat(pair_axis)((-b, a)), x.shape)
        return Cast()(widened * cos + rotated * sin, x.dtype)


__all__ = ["rotary_position_embedding"]
