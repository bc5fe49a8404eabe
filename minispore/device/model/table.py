"""The cost table of ops: by attributes of their classes, or else by their names."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from minispore.core.primitive import Arithmetic
from minispore.device.model.records import OpRecord
from minispore.device.model.roles import get_matmul_kind, has_role
from minispore.ir.registry import registry


class OpCost(NamedTuple):
    """The cost of one op or kernel type in the device's model."""

    engine: str = "vector"  # vector, cube, fused (both), view, aicpu, hccl or free
    work: float = 1.0  # vector instructions per element of the largest operand
    on_maps: float = 0.0  # instructions per element of a feature map, if they differ
    reads: float = 1.0  # number of times that the inputs are read
    kernels: int = 1
    elementwise: bool = False  # can be fused into the kernel of its input
    gathers: bool = False  # reads only the elements that it outputs
    by_rows: bool = False  # copies rows one after another; of an array changed in place, only those
    adds_up: bool = False  # cores add partial sums to an output filled with zeros


#: Vector instructions per element of exp, log, sin and similar functions.
TRANSCENDENTAL = 8.0


def _repeat_cost(names: str, cost: OpCost) -> dict[str, OpCost]:
    """Return a dict with the same cost for each of the names, which are separated by spaces."""
    return dict.fromkeys(names.split(), cost)


#: Op name -> its cost, for ops whose class does not determine it.
TABLE: dict[str, OpCost] = {
    **_repeat_cost(
        """AccumulateNV2 Assign AssignAdd AssignSub BiasAdd BroadcastTo DropoutDoMask DropoutGrad
        Fill Ones OnesLike Zeros ZerosLike""",
        OpCost(elementwise=True),
    ),
    **_repeat_cost("FloorDiv HSigmoid HSwish", OpCost(work=8.0, elementwise=True)),
    "Dropout": OpCost(work=4.0, elementwise=True),
    **_repeat_cost("BatchNorm BatchNormTrain", OpCost(work=4.0, reads=2.0, kernels=2)),
    "BatchNormGrad": OpCost(work=6.0, reads=2.0, kernels=2),
    "LayerNorm": OpCost(work=6.0),
    "LayerNormGrad": OpCost(work=10.0, reads=2.0, kernels=2),
    **_repeat_cost("Softmax ShiftedSoftmax LogSoftmax", OpCost(work=12.0)),
    "SoftmaxGrad": OpCost(work=4.0),  # a product, its sum, a difference, a product
    "SoftmaxAndLog": OpCost(work=14.0),
    "SparseSoftmaxLossAndGrad": OpCost(work=18.0),
    "RmsNorm": OpCost(work=4.0),
    # Sums over rows or columns read everything once, and write little.
    "ReduceToShape": OpCost(),
    **_repeat_cost("ReduceAll ReduceAny ReduceMax ReduceMean ReduceMin ReduceSum", OpCost()),
    # Over the pixels of each channel, in steps: 49 to 163 in the profile of AlexNet.
    "BiasAddGrad": OpCost(on_maps=100.0, adds_up=True),
    "SearchSorted": OpCost(work=16.0),  # a comparison for each halving of 65,536 values
    # Ops that only copy: each element is read and written once.
    **_repeat_cost(
        "Concat MirrorPad Pad PadV3 ReverseV2 Roll Stack Tile Transpose Unstack OneHot", OpCost()
    ),
    # Updates: reads of weight, gradient and state, a few products and sums, one or two roots.
    **_repeat_cost("ApplyMomentum SGD ApplyGradientDescent", OpCost(work=4.0, elementwise=True)),
    **_repeat_cost(
        """AdamWeightDecay AdamNoUpdateParam ApplyAdaMax ApplyAdadelta ApplyAdagrad ApplyAdagradV2
        ApplyAdamWithAmsgrad ApplyCenteredRMSProp ApplyFtrl ApplyRMSProp FusedCastAdamWeightDecay
        ApplyProximalAdagrad""",
        OpCost(work=12.0, elementwise=True),
    ),
    **_repeat_cost(
        "FusedWeightScaleApplyMomentum ApplyKerasMomentum", OpCost(work=6.0, elementwise=True)
    ),
    **_repeat_cost(
        """ApplyAdagradDA ApplyAdamWithAmsgradV2 ApplyAddSign ApplyPowerSign
        ApplyProximalGradientDescent LARSUpdate""",
        OpCost(work=12.0, elementwise=True),
    ),
    # Sums of rows and columns, and the size of the update, before the update itself.
    **_repeat_cost("FusedAdaFactor FusedAdaFactorWithGlobalNorm", OpCost(work=16.0, reads=2.0)),
    **_repeat_cost(
        """FusedSparseFtrl FusedSparseLazyAdam FusedSparseProximalAdagrad SparseApplyAdadelta
        SparseApplyAdagrad SparseApplyAdagradDA SparseApplyAdagradV2 SparseApplyCenteredRMSProp
        SparseApplyFtrl SparseApplyFtrlV2 SparseApplyMomentum SparseApplyProximalAdagrad
        SparseApplyProximalGradientDescent SparseApplyRMSProp""",
        OpCost(work=12.0, by_rows=True),
    ),
    "FusedSparseAdam": OpCost(work=12.0),  # the moments of all other rows decay
    **_repeat_cost(
        "BCEWithLogitsLoss BinaryCrossEntropy SigmoidCrossEntropyWithLogits",
        OpCost(work=2 * TRANSCENDENTAL),
    ),
    **_repeat_cost(
        "SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits", OpCost(work=14.0)
    ),
    **_repeat_cost("AvgPool AvgPoolGrad", OpCost(work=9.0)),
    # Overlapping windows: 41 to 64 and 91 to 316 in the profile of AlexNet.
    "MaxPool": OpCost(work=42.0),
    "MaxPoolGrad": OpCost(work=130.0, reads=2.0, adds_up=True),
    **_repeat_cost("GatherD GetItem Slice Split StridedSlice", OpCost(gathers=True)),
    **_repeat_cost(
        "EmbeddingLookup Gather GatherNd GatherValidRows SparseGatherV2",
        OpCost(gathers=True, by_rows=True),
    ),
    **_repeat_cost(
        """IndexAdd ScatterAdd ScatterDiv ScatterMax ScatterMin ScatterMul ScatterNd ScatterNdAdd
        ScatterNdDiv ScatterNdMax ScatterNdMin ScatterNdMul ScatterNdSub ScatterSub
        TensorScatterAdd""",
        OpCost(work=4.0, by_rows=True),
    ),
    **_repeat_cost(
        "PutRows PutRowsInPlace PutTokens PutTokensInPlace ScatterNdUpdate ScatterUpdate",
        OpCost(by_rows=True),
    ),
    **_repeat_cost("GatherGrad UnsortedSegmentSum", OpCost(work=4.0, by_rows=True, adds_up=True)),
    # The schedule runs GetNext on the AI CPU; a moving average is part of the norm's kernel.
    **_repeat_cost("GetNext MovingAverage", OpCost("free")),
    **_repeat_cost("DType Rank Shape Size", OpCost("free")),  # known before the program runs
    **_repeat_cost(
        """DropoutGenMask NonZero Print RandomChoiceWithMask StandardNormal UniformReal Unique""",
        OpCost("aicpu"),
    ),
    **_repeat_cost("AllGather AllReduce AllReduceBegin Broadcast ReduceScatter", OpCost("hccl")),
    "AllReduceEnd": OpCost("free"),  # the wait of the optimizer
    "Adam": OpCost(work=12.0),
}

#: Kernels of the device without an op in minispore.
KERNELS: dict[str, OpCost] = {
    "TransData": OpCost(),
    "MemSet": OpCost(),
    "Lamb": OpCost(work=24.0, reads=2.0, kernels=6),
}


def get_record_cost(record: OpRecord) -> OpCost:
    """Return the cost of a record's op; a record with parts has the engine "fused"."""
    return OpCost("fused") if record.parts else get_op_cost(record.name)


@cache
def get_op_cost(name: str) -> OpCost:
    """Return the cost of an op or kernel type; cached.

    By default, if neither the table nor the op's class determines it, it is one pass of vector
    instructions.
    """
    cost = _find_op_cost(name)
    if cost is not None:
        return cost
    op = registry.get(name)
    return OpCost(elementwise=op is not None and bool(op.reuse))


def is_priced_by_default(name: str) -> bool:
    """Whether neither the table nor the op's class has its cost, so only the size of its arrays
    matters.

    >>> is_priced_by_default("CTCLoss"), is_priced_by_default("MatMul")
    (True, False)
    """
    return _find_op_cost(name) is None


def _find_op_cost(name: str) -> OpCost | None:
    """Return the cost from the table, or from attributes of the op's class; None if neither has
    one.
    """
    cost = TABLE.get(name) or KERNELS.get(name)
    op = registry.get(name)
    if cost is not None or op is None:
        return cost
    if has_role(name, "view"):
        return OpCost("view")
    if get_matmul_kind(name):
        return OpCost("cube")
    if op.pointwise:
        is_transcendental = op.arithmetic is Arithmetic.TRANSCENDENTAL
        return OpCost(work=TRANSCENDENTAL if is_transcendental else 1.0, elementwise=True)
    return None
