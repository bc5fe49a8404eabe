"""Roles of ops on a device: work of its matrix unit, ops on feature maps, and views."""

from __future__ import annotations

from functools import cache

from minispore.ir.registry import registry

#: Role -> ops; a subclass of one of them has the same role.
ROLES: dict[str, str] = {
    # Work of the matrix unit.
    "product": """MatMul MatMulExt Dense GroupedOuter GroupedRows GRUSequence GRUSequenceGrad
        LSTMSequence LSTMSequenceGrad LSTMSequenceWeights""",
    "groups of rows": "GroupedRows",  # each group by its own matrix
    "convolution": "Conv2D",
    "input gradient": "Conv2DBackpropInput",
    "weight gradient": "Conv2DBackpropFilter",
    # Inputs or outputs are (N, C, *spatial).
    "feature maps": """AvgPool AvgPoolGrad BatchNorm BatchNormGrad BatchNormInfer BatchNormTrain
        Conv2D Conv2DBackpropFilter Conv2DBackpropInput MaxPool MaxPoolGrad MaxPoolGradGrad
        MaxPoolWithArgmax MaxPoolWithArgmaxV2 PReLU ResizeArea ResizeBicubic ResizeBilinear
        ResizeBilinearV2 ResizeLinear1D ResizeNearestNeighbor ResizeNearestNeighborV2
        UpsampleNearest3D UpsampleTrilinear3D""",
    # The output is the first input, perhaps reshaped.
    "view": "ExpandDims Flatten Identity Reshape Squeeze StopGradient",
}
_MATMUL_KINDS = ("product", "convolution", "input gradient", "weight gradient")


@cache
def has_role(name: str, role: str) -> bool:
    """Whether op ``name``, or one of its base classes, has the role; False for unknown ops."""
    bases = registry[name].__mro__ if name in registry else ()
    return not {c.__name__ for c in bases}.isdisjoint(ROLES[role].split())


def get_matmul_kind(name: str) -> str:
    """Return the kind of matrix unit work of op ``name``, such as "product"; "" if it has none."""
    return next((kind for kind in _MATMUL_KINDS if has_role(name, kind)), "")
