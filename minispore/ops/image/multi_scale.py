"""Values read at points of several feature maps, as attention that learns where to look does."""

from __future__ import annotations

import itertools
from typing import Any

from minispore.core import dtype as mstype
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ops.elementwise.arithmetic import Add, Mul, Sub
from minispore.ops.elementwise.compare import GreaterEqual, Less, LogicalAnd
from minispore.ops.elementwise.extremes import Maximum, Minimum
from minispore.ops.elementwise.rounding import Floor
from minispore.ops.index.gather import Gather
from minispore.ops.index.select import Select
from minispore.ops.linalg.products import BatchMatMul
from minispore.ops.shape.views import Reshape, Transpose
from minispore.ops.shape.whole import Cast, StopGradient
from minispore.ops.support.arguments import check_tensors

_NAME = "multi_scale_deformable_attn_function"


def multi_scale_deformable_attn_function(
    value: Tensor, shape: Tensor, offset: Tensor, locations: Tensor, weight: Tensor
) -> Tensor:
    """For each query and head, the sum of ``weight`` times what lies at ``locations`` of the maps.

    Between the centres of cells it is interpolated, and beyond the border there are zeros. It
    computes in float32.

    Args:
        value: the cells of all maps, row by row and map after map: (N, cells, heads, width), of
            float16 or float32; the width is a multiple of 8.
        shape: height and width of each map, (maps, 2), of int32 or int64.
        offset: which cell is the first of each map, (maps,), of int32 or int64.
        locations: x and y of each point, from 0 at the left and upper border to 1 at the others:
            (N, queries, heads, maps, points, 2), of float16 or float32.
        weight: (N, queries, heads, maps, points), of float16 or float32.

    Returns:
        (N, queries, heads * width), of the dtype of ``value``.

    Raises:
        TypeError: an argument is no Tensor.
        ValueError: shapes that do not fit.
        RuntimeError: another dtype or width; a cell beyond ``value``.

    Source: Zhu et al. (Deformable DETR), https://arxiv.org/abs/2010.04159

    >>> value = Tensor([[[[1.0] * 8], [[2.0] * 8]]])  # a map of one row and two cells
    >>> between, whole = Tensor([[[[[[0.5, 0.5]]]]]]), Tensor([[[[[1.0]]]]])
    >>> made = multi_scale_deformable_attn_function(
    ...     value, Tensor([[1, 2]]), Tensor([0]), between, whole
    ... )
    >>> print(made)
    [[[1.5 1.5 1.5 1.5 1.5 1.5 1.5 1.5]]]
    """
    _check(value, shape, offset, locations, weight)
    n, _, heads, width = value.shape
    _, queries, _, maps, points, _ = locations.shape
    read = Transpose()(Cast()(value, mstype.float32), (0, 2, 1, 3))
    given = (Cast()(x, mstype.float32) for x in (locations, weight))
    at, share = (Transpose()(x, (0, 2, 1, 3, 4, 5)[: x.ndim]) for x in given)
    first = Reshape()(Cast()(offset, mstype.int32), (maps, 1))
    sizes = [Reshape()(shape[:, i], (maps, 1)) for i in (0, 1)]
    sides = [Cast()(size, mstype.float32) for size in sizes]
    places = [Sub()(Mul()(at[..., 1 - i], sides[i]), 0.5) for i in (0, 1)]  # y, x
    below = [StopGradient()(Floor()(place)) for place in places]
    parts = [Sub()(place, low) for place, low in zip(places, below, strict=True)]
    made: Any = None
    for corner in itertools.product((0, 1), repeat=2):
        factor, row_column, inside = share, [], None
        for side, low, part, up in zip(sides, below, parts, corner, strict=True):
            cell = Add()(low, float(up))
            factor = Mul()(factor, part if up else Sub()(1.0, part))
            here = LogicalAnd()(GreaterEqual()(cell, 0.0), Less()(cell, side))
            inside = here if inside is None else LogicalAnd()(inside, here)
            near = Maximum()(Minimum()(cell, Sub()(side, 1.0)), 0.0)
            row_column.append(Cast()(near, mstype.int32))
        row, column = row_column
        index = Mul()(row, Cast()(sizes[1], mstype.int32))
        index = Add()(Add()(index, column), first)
        index = Reshape()(index, (n, heads, queries * maps * points))
        found = Gather(2)(read, index, 2)
        found = Reshape()(found, (n, heads, queries, maps * points, width))
        factor = Select()(inside, factor, 0.0)
        factor = Reshape()(factor, (n, heads, queries, 1, maps * points))
        part_made = BatchMatMul()(factor, found)
        made = part_made if made is None else Add()(made, part_made)
    made = Transpose()(Reshape()(made, (n, heads, queries, width)), (0, 2, 1, 3))
    return Cast()(Reshape()(made, (n, queries, heads * width)), value.dtype)


def _check(value: Tensor, shape: Tensor, offset: Tensor, locations: Tensor, weight: Tensor) -> None:
    floats, ints = (mstype.float16, mstype.float32), (mstype.int32, mstype.int64)
    given = {
        "value": (value, floats), "shape": (shape, ints), "offset": (offset, ints),
        "locations": (locations, floats), "weight": (weight, floats),
    }  # fmt: skip
    check_tensors(_NAME, **{name: x for name, (x, _) in given.items()})
    for name, (x, known) in given.items():
        if x.dtype not in known:
            rule = f"be of {known[0]} or {known[1]}"
            raise RuntimeError(checks.format_error(_NAME, name, rule, str(x.dtype)))
    maps = shape.shape[:1]
    fits = value.ndim == 4 and locations.ndim == 6
    lead = locations.shape[:5] if fits else ()
    for name, rule, good in (
        ("value", "have 4 axes, and locations 6", fits),
        ("shape", "be (maps, 2)", shape.shape == (*maps, 2)),
        ("offset", f"be {maps}, one a map", offset.shape == maps),
        ("locations", "be (N, queries, heads, maps, points, 2), as value and shape have it",
         fits and (lead[0], lead[2], lead[3]) == (*value.shape[::2], *maps)
         and locations.shape[5] == 2),
        ("weight", f"be {lead}, as locations", weight.shape == lead),
    ):  # fmt: skip
        if not good:
            said = f"shape {given[name][0].shape}"
            raise ValueError(checks.format_error(_NAME, name, rule, said))
    if value.shape[3] % 8:
        rule = "have a width that is a multiple of 8"
        raise RuntimeError(checks.format_error(_NAME, "value", rule, f"{value.shape[3]}"))


__all__ = ["multi_scale_deformable_attn_function"]

attach_docstrings("minispore.ops", __name__)
