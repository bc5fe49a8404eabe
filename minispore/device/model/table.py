"""How each op is priced: by what its class says of it, or by its name where the device has
more to it.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from minispore.core.registry import registry
from minispore.device.model.records import OpRecord


class OpCost(NamedTuple):
    """How the cost model sees one op."""

    engine: str = "vector"  # vector, cube, view, aicpu, hccl or free
    work: float = 1.0  # vector instructions per element of the largest operand
    on_maps: float = 0.0  # the same where that is a feature map, if it differs
    reads: float = 1.0  # how often the inputs are read
    kernels: int = 1
    elementwise: bool = False  # may ride in the kernel that makes its input
    gathers: bool = False  # reads only the rows that it hands out
    by_rows: bool = False  # a copy for each row that an index names, one after another
    adds_up: bool = False  # partial sums of cores: the output is filled with zeros before


#: Vector instructions for one element of exp, log, sin and their like.
TRANSCENDENTAL = 8.0


def _same(names: str, cost: OpCost) -> dict[str, OpCost]:
    return dict.fromkeys(names.split(), cost)


#: Op name -> how it is priced, where its class does not say it.
TABLE: dict[str, OpCost] = {
    **_same(
        """AccumulateNV2 Assign AssignAdd AssignSub BiasAdd BroadcastTo DropoutDoMask DropoutGrad
        Fill OnesLike ZerosLike""",
        OpCost(elementwise=True),
    ),
    **_same("FloorDiv HSigmoid HSwish", OpCost(work=8.0, elementwise=True)),
    "Dropout": OpCost(work=4.0, elementwise=True),
    **_same("BatchNorm BatchNormTrain", OpCost(work=4.0, reads=2.0, kernels=2)),
    "BatchNormGrad": OpCost(work=6.0, reads=2.0, kernels=2),
    "LayerNorm": OpCost(work=6.0),
    "LayerNormGrad": OpCost(work=10.0, reads=2.0, kernels=2),
    **_same("Softmax LoweredSoftmax LogSoftmax", OpCost(work=12.0)),
    "SoftmaxGrad": OpCost(work=4.0, reads=2.0),  # a product, its sum, a difference, a product
    "SoftmaxAndLog": OpCost(work=14.0),
    "SparseSoftmaxLossAndGrad": OpCost(work=18.0),
    "RmsNorm": OpCost(work=4.0),
    # Sums over rows or columns read everything once, and write little.
    "ReduceToShape": OpCost(),
    **_same("ReduceAll ReduceAny ReduceMax ReduceMean ReduceMin ReduceSum", OpCost()),
    # Over the pixels of each channel, in steps: from the profile's AlexNet, 49 to 163.
    "BiasAddGrad": OpCost(on_maps=100.0, adds_up=True),
    # What only moves: each element is read and written once.
    **_same(
        "Concat MirrorPad Pad PadV3 ReverseV2 Roll Stack Tile Transpose Unstack OneHot", OpCost()
    ),
    # Updates: reads of weight, gradient and state, a few products and sums, one or two roots.
    **_same("ApplyMomentum SGD ApplyGradientDescent", OpCost(work=4.0, elementwise=True)),
    **_same(
        """AdamWeightDecay AdamNoUpdateParam ApplyAdaMax ApplyAdadelta ApplyAdagrad ApplyAdagradV2
        ApplyAdamWithAmsgrad ApplyCenteredRMSProp ApplyFtrl ApplyRMSProp FusedCastAdamWeightDecay
        ApplyProximalAdagrad""",
        OpCost(work=12.0, elementwise=True),
    ),
    **_same("FusedWeightScaleApplyMomentum ApplyKerasMomentum", OpCost(work=6.0, elementwise=True)),
    **_same(
        "BCEWithLogitsLoss BinaryCrossEntropy SigmoidCrossEntropyWithLogits",
        OpCost(work=2 * TRANSCENDENTAL),
    ),
    **_same("SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits", OpCost(work=14.0)),
    **_same("AvgPool AvgPoolGrad", OpCost(work=9.0)),
    # Windows that overlap: from the profile's AlexNet, 41 to 64 and 91 to 316.
    "MaxPool": OpCost(work=42.0),
    "MaxPoolGrad": OpCost(work=130.0, reads=2.0, adds_up=True),
    **_same("GatherD GetItem Slice Split StridedSlice", OpCost(gathers=True)),
    **_same("EmbeddingLookup Gather GatherNd", OpCost(gathers=True, by_rows=True)),
    **_same("ScatterAdd ScatterNd TensorScatterAdd", OpCost(work=4.0, by_rows=True)),
    **_same("GatherGrad UnsortedSegmentSum", OpCost(work=4.0, by_rows=True, adds_up=True)),
    # The schedule puts GetNext on the AI CPU; a moving average is part of the norm's kernel.
    **_same("GetNext MovingAverage", OpCost("free")),
    **_same("DType Rank Shape Size", OpCost("free")),  # known before the program runs
    **_same(
        """DropoutGenMask NonZero Print RandomChoiceWithMask StandardNormal UniformReal Unique""",
        OpCost("aicpu"),
    ),
    **_same("AllGather AllReduce AllReduceBegin Broadcast ReduceScatter", OpCost("hccl")),
    "AllReduceEnd": OpCost("free"),  # the wait of the optimizer
    "Adam": OpCost(work=12.0),
}

#: Kernels of the device that are no op here.
KERNELS: dict[str, OpCost] = {
    "TransData": OpCost(),
    "MemSet": OpCost(),
    "Lamb": OpCost(work=24.0, reads=2.0, kernels=6),
}


def cost_of(record: OpRecord) -> OpCost:
    """How ``record`` is priced."""
    return price(record.name)


@cache
def price(name: str) -> OpCost:
    """How the op or kernel ``name`` is priced: by default as one pass of vector instructions."""
    found = _known(name)
    if found is not None:
        return found
    op = registry.get(name)
    return OpCost(elementwise=op is not None and bool(op.reuse))


def priced_by_default(name: str) -> bool:
    """Whether nothing is known of the op ``name`` but the size of its arrays.

    >>> priced_by_default("CTCLoss"), priced_by_default("MatMul")
    (True, False)
    """
    return _known(name) is None


def _known(name: str) -> OpCost | None:
    found = TABLE.get(name) or KERNELS.get(name)
    op = registry.get(name)
    if found is not None or op is None:
        return found
    if op.renames:
        return OpCost("view")
    if op.multiplies:
        return OpCost("cube")
    if op.pointwise:
        return OpCost(work=TRANSCENDENTAL if op.transcendental else 1.0, elementwise=True)
    return None
