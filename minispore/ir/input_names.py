"""The names of operators' inputs, for calls with inputs by name."""

from __future__ import annotations

from typing import Any

# MindSpore's names for the inputs of ops that accept inputs by name. An op that defines
# ``__call__`` has them in its signature.
_INPUT_NAMES = {
    "input": """
        ACos Abs Acosh Angle ArgMaxWithValue ArgMinWithValue Asin Asinh Atan Atanh
        BroadcastTo Ceil Conj Cos Cosh Cummax Cummin Diag Erf Erfc Erfinv Exp Expm1 Floor
        GeLU Geqrf HShrink HSigmoid HSwish IsFinite IsInf Log Log1p LogMatrixDeterminant
        LogicalNot Logit MatrixDeterminant MatrixExp NanToNum Neg NonZero ReLU Real
        Reciprocal ReverseV2 Roll Rsqrt Sigmoid Sign Sin Sinc Sinh SoftShrink Softmax Square
        Squeeze Svd Tanh Trace Triu Trunc UniqueConsecutive
    """,
    "input_x": "Argmax Cholesky Elu Flatten Identity Split",
    "inputs": "Meshgrid",
    "tensors": "Concat",
    "logits": "LogSoftmax",
    "x": "Argmin AvgPool CeLU Dropout Eig FastGeLU OnesLike Qr ReLU6 Sqrt ZerosLike",
    "file input_x": "TensorDump",
    "input decimals": "Round",
    "input exponent": "Pow",
    "input mask": "MaskedSelect",
    "input mat2": "MatMul",
    "input other": """
        Add Atan2 Div Equal FloorDiv Gcd Greater GreaterEqual IsClose Less LessEqual
        LogicalXor Maximum Minimum Mul NextAfter NotEqual Xlogy
    """,
    "input target": "SoftMarginLoss",
    "input weight": "PReLU",
    "input_x bias": "BiasAdd",
    "input_x indices": "GatherNd",
    "input_x input_y": "RightShift",
    "prediction target": "SmoothL1Loss",
    "real imag": "Complex",
    "x y": "BatchMatMul FloorMod LogicalAnd LogicalOr RealDiv",
    "x1 x2": "LeftShift",
    "a b x": "Betainc",
    "condition input other": "Select",
    "data indices updates": "TensorScatterElements",
    "input end weight": "Lerp LerpScalar",
    "input mask source": "MaskedScatter",
    "input_x gamma beta": "LayerNorm",
    "input_x indices updates": "TensorScatterAdd",
    "input_x mask value": "MaskedFill",
    "logits labels weight": "NLLLoss",
    "n m dtype": "Eye",
    "input tensor1 tensor2 value": "Addcdiv Addcmul",
    "var m v lr beta1 beta2 epsilon decay gradient": "AdamWeightDecay",
}


def get_input_names(api_name: str) -> tuple[str, ...]:
    """Return the names of an op's inputs; () if they can be given only by position."""
    return next(
        (tuple(n.split()) for n, ops in _INPUT_NAMES.items() if api_name in ops.split()), ()
    )


def order_inputs(api_name: str, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    """Return the inputs of an op in positional order, including those given by name.

    Raises:
        TypeError: a name is unknown, an input is given twice, or an earlier input is missing.
    """
    names = get_input_names(api_name)
    if not names:
        raise TypeError(
            f"{api_name}: inputs must be given by position, got {next(iter(named))!r} by name. "
            "Leave out the names."
        )
    inputs = dict(zip(names, args, strict=False))
    for name, value in named.items():
        if name not in names:
            raise TypeError(f"{api_name}: has no input {name!r}. It has {', '.join(names)}.")
        if name in inputs or len(args) > len(names):
            raise TypeError(f"{api_name}: {name} must be given once, got it by position, too.")
        inputs[name] = value
    for name in names[: len(inputs)]:
        if name not in inputs:
            raise TypeError(f"{api_name}: missing input {name!r}.")
    return tuple([inputs[name] for name in names if name in inputs])
