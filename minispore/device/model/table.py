"""How each op is priced, by its name."""

from __future__ import annotations

from typing import NamedTuple

from minispore.device.model.records import VIEWS, OpRecord


class OpCost(NamedTuple):
    """How the cost model sees one op name."""

    engine: str = "vector"  # vector, cube, view, aicpu, hccl or free
    work: float = 1.0  # vector instructions per element of the largest operand
    reads: float = 1.0  # how often the inputs are read
    kernels: int = 1
    elementwise: bool = False  # may ride in the kernel that makes its input
    gathers: bool = False  # reads only the rows that it hands out


def _same(names: str, cost: OpCost) -> dict[str, OpCost]:
    return dict.fromkeys(names.split(), cost)


#: Op name -> how it is priced; a name that is not here is a vector op that moves each operand once.
TABLE: dict[str, OpCost] = {
    **_same(
        """Conv2D Conv2DTranspose Conv2DBackpropInput Conv2DBackpropFilter DepthwiseConv2dNative
        Conv3D Conv3DTranspose Conv3DBackpropInput Conv3DBackpropFilter
        MatMul BatchMatMul MatMulExt Dense""",
        OpCost("cube"),
    ),
    **_same(
        """Abs AccumulateNV2 Add AddN Assign AssignAdd AssignSub BiasAdd BroadcastTo Cast Div
        DropoutDoMask
        DropoutGrad Equal Fill Greater GreaterEqual LeakyReLU Less LessEqual LogicalAnd LogicalNot
        LogicalOr Maximum Minimum Mul Neg NotEqual OnesLike ReLU ReLU6 ReLU6Grad RealDiv Reciprocal
        Relu6Grad
        ReluGrad Rsqrt Select Sign Sqrt Square Sub TensorAdd ZerosLike""",
        OpCost(elementwise=True),
    ),
    **_same(
        """Cos Elu EluGrad Erf Exp FastGeLU FloorDiv GeLU GeLUGrad HSigmoid HSwish HSwishGrad Log
        Mish Pow SiLU Sigmoid SigmoidGrad Sin Softplus SoftplusGrad Swish Tanh TanhGrad""",
        OpCost(work=8.0, elementwise=True),
    ),
    "TransData": OpCost(),
    "Dropout": OpCost(work=4.0, elementwise=True),
    **_same("BatchNorm BatchNormTrain", OpCost(work=4.0, reads=2.0, kernels=2)),
    "BatchNormGrad": OpCost(work=6.0, reads=2.0, kernels=2),
    "LayerNorm": OpCost(work=6.0),
    "LayerNormGrad": OpCost(work=10.0, reads=2.0, kernels=2),
    "Softmax": OpCost(work=12.0),
    "LogSoftmax": OpCost(work=12.0),
    "SoftmaxCrossEntropyWithLogits": OpCost(work=14.0),
    "SparseSoftmaxCrossEntropyWithLogits": OpCost(work=14.0),
    "MaxPool": OpCost(work=9.0),
    "MaxPoolGrad": OpCost(work=18.0, reads=2.0),
    "AvgPool": OpCost(work=9.0),
    "AvgPoolGrad": OpCost(work=9.0),
    **_same(
        """EmbeddingLookup Gather GatherD GatherNd GatherV2 GetItem Slice SparseGatherV2 Split
        StridedSlice""",
        OpCost(gathers=True),
    ),
    **_same("ScatterAdd ScatterNd TensorScatterAdd UnsortedSegmentSum", OpCost(work=4.0)),
    **dict.fromkeys(VIEWS, OpCost("view")),
    # The schedule puts GetNext on the AI CPU; a moving average is part of the norm's kernel.
    **_same("GetNext MovingAverage", OpCost("free")),
    **_same("DType Rank Shape Size", OpCost("free")),  # known before the program runs
    **_same(
        """DropoutGenMask NonZero Print RandomChoiceWithMask RandomNormal RandomUniform
        StandardNormal UniformReal Unique""",
        OpCost("aicpu"),
    ),
    **_same("AllGather AllReduce AllToAll Broadcast ReduceScatter", OpCost("hccl")),
    "Adam": OpCost(work=12.0),
    "Lamb": OpCost(work=24.0, reads=2.0, kernels=6),
}


def cost_of(record: OpRecord) -> OpCost:
    """How ``record`` is priced."""
    found = TABLE.get(record.name)
    return OpCost(elementwise=record.in_place) if found is None else found
