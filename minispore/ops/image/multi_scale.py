"""Multi-scale deformable attention: values read at learned points of several feature maps."""

from __future__ import annotations

import itertools
from typing import Any

from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ir import dtype as mstype
from minispore.ops.elementwise.arithmetic import Add, Mul, Sub
from minispore.ops.elementwise.compare import GreaterEqual, Less, LogicalAnd
from minispore.ops.elementwise.extremes import Maximum, Minimum
from minispore.ops.elementwise.rounding import Floor
from minispore.ops.index.gather import Gather
from minispore.ops.index.select import Select
from minispore.ops.linalg.products import BatchMatMul
from minispore.ops.shape.cast_fill import Cast, StopGradient
from minispore.ops.shape.views import Reshape, Transpose
from minispore.ops.support.arguments import check_tensors

_NAME = "multi_scale_deformable_attn_function"


def multi_scale_deformable_attn_function(
    value: Tensor, shape: Tensor, offset: Tensor, locations: Tensor, weight: Tensor
) -> Tensor:
    """Return the weighted sum of values at ``locations`` of the feature maps, for each query and
    head.

    Values between the centres of cells are interpolated, and values outside a map are zeros. The
    computation is in float32.

    Args:
        value: the cells of all maps, in row-major order, one map after the other: (N, cells, heads,
            width), of float16 or float32; the width is a multiple of 8.
        shape: height and width of each map, (maps, 2), of int32 or int64.
        offset: the index of the first cell of each map, (maps,), of int32 or int64.
        locations: x and y of each point, from 0 at the left or upper border to 1 at the opposite
            one: (N, queries, heads, maps, points, 2), of float16 or float32.
        weight: (N, queries, heads, maps, points), of float16 or float32.

    Returns:
        (N, queries, heads * width), of the dtype of ``value``.

    Raises:
        TypeError: an argument is not a Tensor.
        ValueError: the shapes do not fit.
        RuntimeError: a dtype or the width is wrong; a cell is outside ``value``.

    Source: Zhu et al. (Deformable DETR), https://arxiv.org/abs/2010.04159

    >>> value = Tensor([[[[1.0] * 8], [[2.0] * 8]]])  # a map of one row and two cells
    >>> between, whole = Tensor([[[[[[0.5, 0.5]]]]]]), Tensor([[[[[1.0]]]]])
    >>> made = multi_scale_deformable_attn_function(
    ...     value, Tensor([[1, 2]]), Tensor([0]), between, whole
    ... )
    >>> print(made)
    [[[1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5]]]
    """
    _check_inputs(value, shape, offset, locations, weight)
    # values: (N, heads, cells, width); positions, fractions and factors: (N, heads, queries, maps,
    # points). Each point reads the four cells around it, one after another.
    n, _, heads, width = value.shape
    _, queries, _, maps, points, _ = locations.shape
    values = Transpose()(Cast()(value, mstype.float32), (0, 2, 1, 3))
    operands = (Cast()(x, mstype.float32) for x in (locations, weight))
    points_by_head, weights_by_head = (
        Transpose()(x, (0, 2, 1, 3, 4, 5)[: x.ndim]) for x in operands
    )
    offsets = Reshape()(Cast()(offset, mstype.int32), (maps, 1))
    sizes = [Reshape()(shape[:, i], (maps, 1)) for i in (0, 1)]
    lengths = [Cast()(size, mstype.float32) for size in sizes]
    positions = [Sub()(Mul()(points_by_head[..., 1 - i], lengths[i]), 0.5) for i in (0, 1)]  # y, x
    lower = [StopGradient()(Floor()(position)) for position in positions]
    fractions = [Sub()(position, low) for position, low in zip(positions, lower, strict=True)]
    output: Any = None
    for corner in itertools.product((0, 1), repeat=2):
        factor, row_column, inside = weights_by_head, [], None
        for length, low, fraction, is_upper in zip(lengths, lower, fractions, corner, strict=True):
            cell = Add()(low, float(is_upper))
            factor = Mul()(factor, fraction if is_upper else Sub()(1.0, fraction))
            is_valid = LogicalAnd()(GreaterEqual()(cell, 0.0), Less()(cell, length))
            inside = is_valid if inside is None else LogicalAnd()(inside, is_valid)
            clamped = Maximum()(Minimum()(cell, Sub()(length, 1.0)), 0.0)
            row_column.append(Cast()(clamped, mstype.int32))
        row, column = row_column
        index = Mul()(row, Cast()(sizes[1], mstype.int32))
        index = Add()(Add()(index, column), offsets)
        index = Reshape()(index, (n, heads, queries * maps * points))
        samples = Gather(2)(values, index, 2)
        samples = Reshape()(samples, (n, heads, queries, maps * points, width))
        factor = Select()(inside, factor, 0.0)
        factor = Reshape()(factor, (n, heads, queries, 1, maps * points))
        term = BatchMatMul()(factor, samples)
        output = term if output is None else Add()(output, term)
    output = Transpose()(Reshape()(output, (n, heads, queries, width)), (0, 2, 1, 3))
    return Cast()(Reshape()(output, (n, queries, heads * width)), value.dtype)


def _check_inputs(
    value: Tensor, shape: Tensor, offset: Tensor, locations: Tensor, weight: Tensor
) -> None:
    """Raise RuntimeError for a wrong dtype or width, ValueError for a shape that does not fit, and
    TypeError for an input that is not a Tensor.
    """
    floats, ints = (mstype.float16, mstype.float32), (mstype.int32, mstype.int64)
    inputs = {
        "value": (value, floats), "shape": (shape, ints), "offset": (offset, ints),
        "locations": (locations, floats), "weight": (weight, floats),
    }  # fmt: skip
    check_tensors(_NAME, **{name: x for name, (x, _) in inputs.items()})
    for name, (x, allowed) in inputs.items():
        if x.dtype not in allowed:
            rule = f"be of {allowed[0]} or {allowed[1]}"
            raise RuntimeError(checks.format_error(_NAME, name, rule, str(x.dtype)))
    maps = shape.shape[:1]
    ranks_match = value.ndim == 4 and locations.ndim == 6
    point_shape = locations.shape[:5] if ranks_match else ()
    for name, rule, is_valid in (
        ("value", "have 4 axes, and locations 6", ranks_match),
        ("shape", "be (maps, 2)", shape.shape == (*maps, 2)),
        ("offset", f"be {maps}, one a map", offset.shape == maps),
        ("locations", "be (N, queries, heads, maps, points, 2), as value and shape have it",
         ranks_match
         and (point_shape[0], *point_shape[2:4]) == (*value.shape[::2], *maps)
         and locations.shape[5] == 2),
        ("weight", f"be {point_shape}, as locations", weight.shape == point_shape),
    ):  # fmt: skip
        if not is_valid:
            description = f"shape {inputs[name][0].shape}"
            raise ValueError(checks.format_error(_NAME, name, rule, description))
    if value.shape[3] % 8:
        rule = "have a width that is a multiple of 8"
        raise RuntimeError(checks.format_error(_NAME, "value", rule, f"{value.shape[3]}"))


__all__ = ["multi_scale_deformable_attn_function"]

attach_docstrings("minispore.ops", __name__)
