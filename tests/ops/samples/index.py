"""Samples of indexing, gathers, scatters, segments, choices and masks."""

from __future__ import annotations

import numpy as np

import minispore as ms
from minispore import ops as P
from minispore.ir.registry import registry
from minispore.ops.index.embedding import GatherValidRows
from minispore.ops.index.gather import GatherDGrad, GatherGrad
from minispore.ops.index.slice_update import MaskedScatterGrad
from minispore.ops.index.subscript import to_numpy_index
from tests.ops.samples import bad, bools, floats, ints, positive, sample

INT64 = np.int64
ALL = ("slice", None, None, None)


# -- x[index] -------------------------------------------------------------------------------------

GetItem, GetItemGrad, SetItem = P.GetItem(), registry["GetItemGrad"](), P.SetItem()
INDICES: list = [
    ((("slice", 1, None, None), "ellipsis"),),
    ((("slice", None, None, -1), -1, "newaxis"),),
    (("ellipsis", ("slice", None, None, 2)),),
    (("tensor",), np.array([2, 0, 0], INT64)),
    ((ALL, "tensor", ALL), np.array([[0], [-1]], INT64)),
    (("tensor", ALL, "tensor"), np.array([0, 2], INT64), np.array([1, 1], INT64)),
    ((("bool", True), 0),),
    ((("bool", True),),),
    ((ALL, ALL),),
    ((ALL, ALL, -3),),
    ((ALL, ALL, ("slice", 1, -1, None)),),
    ((("slice", -2, None, None),),),
    ((("slice", None, -1, None), ALL),),
    ((("slice", None, None, 2),),),
    ((ALL, "newaxis"),),
]
for parts, *tensors in INDICES:
    sample(GetItem, floats(3, 2, 4), parts, *tensors)
    picked = floats(3, 2, 4)[to_numpy_index(parts, tuple(tensors))]
    sample(GetItemGrad, floats(*picked.shape), (3, 2, 4), parts, *tensors)
    if parts != ("tensor",):  # where an index repeats, one of the values wins
        sample(SetItem, floats(3, 2, 4), floats(*picked.shape, seed=1), parts, *tensors)
sample(SetItem, floats(3, 4), floats(), (ALL, 1))
sample(SetItem, floats(3, 4), floats(1, 4), (0,))
sample(SetItem, floats(3, 4), floats(1), (0, 1))
sample(SetItem, floats(3, 4), 2, (("slice", 0, 2, None),))
sample(SetItem, floats(3, 4), floats(), ("tensor",), bools(3, 4))
sample(P.GetItemByMask(), floats(3, 4), ("tensor",), bools(3, 4))
bad(lambda: ms.Tensor([1, 2])[2], match="must fit int64[2]", error=IndexError, name="GetItem")

# -- gathers --------------------------------------------------------------------------------------

sample(P.Gather(), floats(4, 3), ints(2, 2, high=4), 0)
sample(P.SparseGatherV2(), floats(4, 3), ints(2, 2, high=4), 0)
sample(P.SparseGatherV2(), floats(2, 4, 3), np.array([3, -1, 0], INT64), 1)
sample(GatherValidRows(), floats(4, 3), ints(2, 2, high=4), 0)
sample(P.Gather(), floats(2, 4, 3), np.array([3, -1, 0], INT64), 1)
sample(P.Gather(), floats(4, 3), ints(high=3), -1)
sample(P.Gather(1), floats(2, 4, 3), ints(2, 3, high=4), 1)
sample(P.Gather(1), floats(2, 3, 4), ints(2, 3, high=4), 2)
sample(GatherGrad(), floats(2, 2, 3), ints(2, 2, high=4), 0, (4, 3))
sample(GatherGrad(1), floats(2, 3, 3), ints(2, 3, high=4), 1, (2, 4, 3))
bad(P.SparseGatherV2(), floats(3), floats(2), 0, match="an integer tensor", error=TypeError)
bad(P.Gather(), floats(3), floats(2), 0, match="must be an integer tensor", error=TypeError)
bad(P.Gather(), floats(3), np.array([3]), 0, match=r"in [-3, 3), got 3", error=RuntimeError)
bad(P.Gather(), floats(3), ints(2), 1, match=r"axis must be in [-1, 1)")
sample(P.GatherD(), floats(3, 4), 1, ints(3, 2, high=4, dtype=INT64))
sample(P.GatherD(), floats(3, 4), -2, ints(5, 4, high=3))
sample(GatherDGrad(), floats(3, 2), 1, ints(3, 2, high=4), (3, 4))
bad(P.GatherD(), floats(3, 4), 1, ints(4, 2), match="lengths within it")
sample(P.GatherNd(), floats(3, 4, 2), ints(2, 2, high=3))
sample(P.GatherNd(), floats(3, 4), ints(2, 5, 1, high=3))
bad(P.GatherNd(), floats(3), ints(2, 2), match="at most 1 coordinates")
bad(P.GatherNd(), floats(3), np.array([[-1]]), match=r"in [0, 3)", error=RuntimeError)
sample(P.ScatterNd(), ints(4, 1, high=3), floats(4, 2), (3, 2))
sample(P.ScatterNd(), ints(4, 2, high=3), floats(4), (3, 3))
bad(P.ScatterNd(), ints(4, 1), floats(3), (5,), match="updates must have shape (4,)")

# -- scatters -------------------------------------------------------------------------------------

UNIQUE = np.array([[2], [0]], INT64)
STRAIGHT = "as in MindSpore it passes straight through, see tests/ops/test_mutation.py"
for name in ("Update", "Add", "Sub", "Mul", "Div", "Max", "Min"):
    op = registry[f"TensorScatter{name}"]()
    sample(op, floats(3, 2), UNIQUE, positive(2, 2, seed=1))
    sample(op, floats(3, 2), np.array([[2, 1], [0, 0]], INT64), positive(2, seed=1))
    bad(op, floats(3, 2), UNIQUE, floats(2, 3), match="updates must have shape (2, 2)")
    bad(op, floats(3, 2), UNIQUE, ints(2, 2), match="must be of the input's dtype", error=TypeError)
    for op in (registry[f"Scatter{name}"](), registry[f"ScatterNd{name}"]()):
        at = UNIQUE if "Nd" in op.name else UNIQUE[:, 0]
        if op.how in op.passes_gradient:
            sample(op, floats(3, 2), at, positive(2, 2, seed=1), wrt=(), why_not=STRAIGHT)
        else:
            sample(op, floats(3, 2), at, positive(2, 2, seed=1))
        bad(op, floats(3, 2), at, floats(2, 3), match="updates must have shape (2, 2)")
        bad(op, floats(2, 2), at, floats(2, 2), match=r"in [0, 2), got 2", error=RuntimeError)
TWICE = np.array([[1], [1], [0]], INT64)
for op in (P.TensorScatterAdd(), P.TensorScatterSub(), P.TensorScatterMax(), P.TensorScatterMin()):
    sample(op, floats(3, 2), TWICE, floats(3, 2, seed=1))
for how in ("none", "add", "mul", "max", "min"):
    op = P.TensorScatterElements(1, how)
    sample(op, floats(2, 4), np.array([[0, 3], [2, 1]], INT64), floats(2, 2, seed=1))
sample(P.ScatterAddWithAxis(1), floats(2, 4), ints(2, 3, high=4), floats(2, 3))
for op in (P.TensorScatterElements(), P.ScatterAddWithAxis()):
    bad(op, floats(2, 4), ints(2, 5), floats(2, 5), match="lengths within it")
bad(
    lambda: P.TensorScatterElements(0, "no"),
    match="reduction must be one of",
    name="TensorScatterElements",
)
sample(P.IndexAdd(1), floats(2, 4), np.array([1, 3, 1], np.int32), floats(2, 3, seed=1))
bad(P.IndexAdd(0), floats(2, 4), ints(2), floats(2, 3), match="updates must have shape (2, 4)")

# -- places ---------------------------------------------------------------------------------------

sample(P.IndexFill(), floats(3, 4), 1, np.int32([0, 2]), 7.0)
sample(P.IndexFill(), floats(3, 4), 0, np.int32([0, -1]), floats())
bad(P.IndexFill(), floats(3), 1, ints(1), 7.0, match=r"dim must be in [-1, 1)")
for op in (P.InplaceAdd((2, 0)), P.InplaceSub((2, 0)), P.InplaceUpdate((2, 0))):
    sample(op, floats(3, 2), floats(2, 2, seed=1))
    bad(op, floats(2, 2), floats(2, 2), match="indices must be below 2")
MASK = np.array([[True, False, True], [False, True, True]])
sample(P.MaskedScatter(), floats(2, 3), MASK, floats(5, seed=1))
sample(MaskedScatterGrad(), floats(2, 3), MASK, (5,))
bad(P.MaskedScatter(), floats(2, 3), MASK, floats(3), match="an element for each of the 4")
bad(P.MaskedScatter(), floats(2, 2), MASK, floats(5), match="mask must broadcast")

# -- segments -------------------------------------------------------------------------------------

for name in ("Sum", "Max", "Min", "Prod"):
    op = registry[f"UnsortedSegment{name}"]()
    sample(op, floats(4, 3), np.array([1, 0, -1, 1], INT64), 2)
    sample(op, positive(2, 3), np.array([[1, 0, 1], [0, 0, 1]], np.int32), 2)
    if name in ("Sum", "Prod"):  # an empty segment holds the lowest number of all
        sample(op, floats(2, 3), np.array([2, 0], INT64), 4)
    bad(op, floats(4, 3), ints(3), 4, match="must begin that of input_x")
    bad(op, floats(2), np.array([0, 5]), 4, match="must be below num_segments", error=RuntimeError)

# -- choices --------------------------------------------------------------------------------------

sample(P.Select(), bools(2, 3), floats(2, 3), floats(2, 3, seed=1))
sample(P.Select(), bools(2, 3), floats(3), 2.0)
sample(P.Select(), bools(2, 1), 1, floats(3))
bad(P.Select(), bools(2), floats(3), floats(3), match="must broadcast")
sample(P.MaskedFill(), floats(2, 3), bools(2, 3), 0.5)
sample(P.MaskedFill(), floats(2, 3), bools(3), floats())
bad(P.MaskedFill(), floats(2), ints(2), 1.0, match="mask must be a bool tensor", error=TypeError)
bad(P.MaskedFill(), floats(2), bools(2), floats(2), match="value must be a number or hold one")
sample(P.MaskedSelect(), floats(2, 3), bools(2, 3))
sample(P.MaskedSelect(), floats(2, 3), bools(3))
bad(P.MaskedSelect(), floats(2), ints(2), match="mask must be a bool tensor", error=TypeError)
sample(P.OneHot(), ints(2, 3, high=4), 4, floats(), floats(seed=1))
sample(P.OneHot(0), np.array([0, 5, -1]), 4, floats(), floats(seed=1))
bad(P.OneHot(), floats(2), 3, 1.0, 0.0, match="must be an integer tensor", error=TypeError)
bad(P.OneHot(), ints(2), -1, 1.0, 0.0, match="depth must be >= 0")
