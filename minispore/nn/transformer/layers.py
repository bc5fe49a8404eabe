"""Basic layers of the Transformer, and argument checks that user scripts import."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from minispore import ops
from minispore.core.initializer import initializer
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn.cell import Cell
from minispore.nn.layer.activation import get_activation
from minispore.nn.transformer.op_parallel_config import default_dpmp_config

FLOATS = (mstype.float32, mstype.float16)


# -- checks ----------------------------------------------------------------------------------------


def _args_type_validator_check(*type_args: Any, **type_kwargs: Any) -> Callable[[Any], Any]:
    """Return a decorator that calls each argument's check with its value and name."""

    def decorate(function: Any) -> Any:
        """Wrap a function so that the checks run before each call."""
        signature = inspect.signature(function)
        rules = signature.bind_partial(*type_args, **type_kwargs).arguments
        rules = rules.get("kwargs", rules)

        @functools.wraps(function)
        def check_and_call(*args: Any, **kwargs: Any) -> Any:
            """Check the arguments that have a check, then call the function."""
            arguments = signature.bind(*args, **kwargs).arguments
            for name, value in arguments.get("kwargs", arguments).items():
                if name in rules:
                    rules[name](value, name)
            return function(*args, **kwargs)

        return check_and_call

    return decorate


def _valid_type_checks(types: Any, class_name: str) -> Callable[[Any, str], None]:
    """Return a check that an argument's type is one of ``types``."""

    def check(value: Any, name: str) -> None:
        """Check that the type of ``value`` is exactly one of ``types``, not a subclass.

        Raises:
            TypeError: it is not one of them.
        """
        if type(value) not in types:
            allowed = " or ".join(t.__name__ for t in types)
            raise TypeError(
                checks.format_error(class_name, name, f"be a {allowed}", checks.format_value(value))
            )

    return check


def _valid_value_checks(types: Any, class_name: str) -> Callable[[Any, str], None]:
    """Return a check that a dtype argument is one of ``types``."""

    def check(value: Any, name: str) -> None:
        """Check that ``value`` is one of ``types``.

        Raises:
            TypeError: it is not one of them.
        """
        if value not in types:
            allowed = " or ".join(map(str, types))
            raise TypeError(
                checks.format_error(class_name, name, f"be {allowed}", checks.format_value(value))
            )

    return check


def _check_input_dtype(input_dtype: Any, param_name: str, allow_dtypes: Any, cls_name: str) -> None:
    """Check that an input's dtype is one of ``allow_dtypes``.

    Raises:
        TypeError: the dtype is not one of them.
    """
    if input_dtype not in allow_dtypes:
        allowed = " or ".join(map(str, allow_dtypes))
        raise TypeError(
            checks.format_error(cls_name, param_name, f"be of {allowed}", str(input_dtype))
        )


def _check_input_shape(input_shape: Any, param_name: str, func_name: str, target_len: Any) -> bool:
    """Check that a shape has ``target_len`` axes: an int or a list of allowed ints.

    Returns True.

    Raises:
        ValueError: the shape has a different number of axes.
    """
    counts = target_len if isinstance(target_len, list) else [target_len]
    if len(input_shape) not in counts:
        rule = f"have {' or '.join(map(str, counts))} axes"
        raise ValueError(
            checks.format_error(func_name, param_name, rule, f"shape {tuple(input_shape)}")
        )
    return True


def _check_shape_equal(
    input_shape: Any, param_name: str, func_name: str, target_shape: Any
) -> bool:
    """Check that a shape is ``target_shape``, or one of a list of allowed shapes; return True.

    Raises:
        ValueError: it is a different shape.
    """
    allowed = target_shape if isinstance(target_shape[0], list) else [target_shape]
    if list(input_shape) not in allowed:
        rule = f"have the shape {' or '.join(str(tuple(s)) for s in allowed)}"
        raise ValueError(checks.format_error(func_name, param_name, rule, f"{tuple(input_shape)}"))
    return True


def _check_input_shape_value(
    input_shape: Any, dim: int, param_name: str, cls_name: str, target_value: int
) -> bool:
    """Check that a shape has the length ``target_value`` along axis ``dim``; return True.

    Raises:
        ValueError: the length differs.
    """
    if input_shape[dim] != target_value:
        rule = f"have {target_value} along axis {dim}"
        raise ValueError(
            checks.format_error(cls_name, param_name, rule, f"shape {tuple(input_shape)}")
        )
    return True


def _check_shape_equal_without_batch(
    input_shape: Any, param_name: str, func_name: str, target_shape: Any
) -> bool:
    """Check that an input is (batch, length, hidden) or (batch * length, hidden); return True.

    The length of a 3-d input is not checked.

    Raises:
        ValueError: ``input_shape`` does not fit ``target_shape``, [length, hidden].
    """
    length, hidden = target_shape
    is_flattened = len(input_shape) == 2 and input_shape[0] > 0 and input_shape[0] % length == 0
    if input_shape[-1] != hidden or not (is_flattened or len(input_shape) == 3):
        rule = f"have the shape (batch, {length}, {hidden}) or (batch * {length}, {hidden})"
        raise ValueError(checks.format_error(func_name, param_name, rule, f"{tuple(input_shape)}"))
    return True


class _LayerInputCheck:
    """The shape checks of this module under the names of MindSpore 2.x."""

    check_shape_length = staticmethod(_check_input_shape)
    check_shape_equal = staticmethod(_check_shape_equal)
    check_shape_value_on_axis = staticmethod(_check_input_shape_value)
    check_shape_equal_without_batch = staticmethod(_check_shape_equal_without_batch)


def _check_past_none_input_none(
    use_past: bool,
    param_name: str,
    func_name: str,
    default_value: Any,
    is_tensor: bool,
    is_default: bool,
) -> bool:
    """Check that an input is a Tensor with ``use_past``, or its default without it; return True.

    ``is_tensor`` and ``is_default`` tell what was passed.

    Raises:
        TypeError: the input is neither.
    """
    is_allowed = is_tensor if use_past else is_default
    if is_allowed:
        return True
    rule = "be a Tensor with use_past" if use_past else f"be {default_value} without use_past"
    raise TypeError(
        checks.format_error(func_name, param_name, rule, "a Tensor" if is_tensor else "none")
    )


def check_mask(api_name: str, name: str, mask: Any, *shape: int) -> None:
    """Check that ``mask`` is None or a float mask (batch, *shape).

    Raises:
        TypeError, ValueError: its dtype or its shape is wrong.
    """
    if mask is not None:
        _check_shape_equal(mask.shape, name, api_name, [mask.shape[0], *shape])
        _check_input_dtype(mask.dtype, name, FLOATS, api_name)


def check_dropout_rate(api_name: Any, name: str, value: Any) -> float:
    """Check that ``value``, the probability of zero, is in [0, 1) and return it."""
    return checks.number(api_name, name, value, 0, 1, closed="[)")


def check_divisible(api_name: Any, name: str, value: int, divisor_name: str, divisor: int) -> None:
    """Check that ``divisor`` divides ``value``; raises ValueError."""
    if value % divisor != 0:
        raise ValueError(
            checks.format_error(
                api_name, name, f"be a multiple of {divisor_name} ({divisor})", str(value)
            )
        )


# -- layers ----------------------------------------------------------------------------------------


class _LayerNorm(Cell):
    """(x - mean) / sqrt(variance + eps) gamma + beta, over the last axis."""

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        param_init_type: Any = mstype.float32,
        is_self_defined: bool = False,
    ) -> None:
        super().__init__()
        _check_input_dtype(param_init_type, "param_init_type", FLOATS, type(self).__name__)
        self.gamma = Parameter(initializer("ones", normalized_shape, param_init_type), "gamma")
        self.beta = Parameter(initializer("zeros", normalized_shape, param_init_type), "beta")
        self.layer_norm = ops.LayerNorm(begin_norm_axis=-1, begin_params_axis=-1, epsilon=eps)

    def construct(self, x: Tensor) -> Tensor:
        return self.layer_norm(x, self.gamma, self.beta)[0]


class _Linear(Cell):
    """activation(x W + b), computed in ``compute_dtype`` and returned in the dtype of x."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        has_bias: bool = True,
        activation: Any = None,
        transpose_b: bool = True,
        expert_num: int = 1,
        outer_batch: int = 1,
        expert_group_size: int | None = None,
        param_init_type: Any = mstype.float32,
        compute_dtype: Any = mstype.float16,
    ) -> None:
        super().__init__()
        api_name = "Linear"
        self.in_channels = checks.integer(api_name, "in_channels", in_channels, 1)
        self.out_channels = checks.integer(api_name, "out_channels", out_channels, 1)
        checks.integer(api_name, "expert_num", expert_num, 1, 1)
        for name, dtype in (("param_init_type", param_init_type), ("compute_dtype", compute_dtype)):
            _check_input_dtype(dtype, name, FLOATS, api_name)
        transpose_b = checks.boolean(api_name, "transpose_b", transpose_b)
        shape = [out_channels, in_channels] if transpose_b else [in_channels, out_channels]
        self.weight = Parameter(initializer(weight_init, shape, param_init_type), "weight")
        self.has_bias = checks.boolean(api_name, "has_bias", has_bias)
        self.bias = None
        if has_bias:
            self.bias = Parameter(initializer(bias_init, [out_channels], param_init_type), "bias")
        self.matmul = ops.MatMul(transpose_b=transpose_b)
        self.activation = _make_activation(api_name, "activation", activation)
        self.dtype = compute_dtype

    def construct(self, x: Tensor) -> Tensor:
        """Apply the layer to the last axis; the result has the dtype of x."""
        rows = ops.cast(ops.reshape(x, (-1, self.in_channels)), self.dtype)
        out = self.matmul(rows, ops.cast(self.weight, self.dtype))
        if self.bias is not None:
            out = out + ops.cast(self.bias, self.dtype)
        if self.activation is not None:
            out = self.activation(out)
        return ops.reshape(ops.cast(out, x.dtype), (*x.shape[:-1], self.out_channels))


def _make_activation(api_name: str, name: str, activation: Any) -> Any:
    """Return a new activation Cell from its name or class; None for None.

    Raises:
        TypeError: it is neither a name nor a Cell class.
    """
    if activation is None or isinstance(activation, str):
        return get_activation(activation) if activation else None
    if not (isinstance(activation, type) and issubclass(activation, Cell)):
        rule = "be the name or the class of an activation"
        raise TypeError(checks.format_error(api_name, name, rule, checks.format_value(activation)))
    return activation()


class FixedSparseAttention(Cell):
    """Attention to nearby blocks and a few distant blocks, which only Ascend 910 supports.

    Args:
        batch_size: sequences in a batch.
        num_heads: number of heads.
        size_per_head: length of a head's vectors.
        block_size: tokens in a block.
        seq_length: tokens in a sequence.
        num_different_global_patterns: number of patterns of distant blocks.
        parallel_config: how the computation would be sharded over devices.

    Raises:
        RuntimeError: always; the message names the alternative.

    >>> from minispore import nn
    >>> try:
    ...     nn.transformer.FixedSparseAttention(2, 8, 64, 64)
    ... except RuntimeError as error:
    ...     print(error)
    FixedSparseAttention: needs kernels of Ascend 910. Use MultiHeadAttention with a mask.
    """

    def __init__(
        self,
        batch_size: int,
        num_heads: int,
        size_per_head: int,
        block_size: int,
        seq_length: int = 1024,
        num_different_global_patterns: int = 4,
        parallel_config: Any = default_dpmp_config,
    ) -> None:
        raise RuntimeError(
            "FixedSparseAttention: needs kernels of Ascend 910. Use MultiHeadAttention with a mask."
        )


__all__ = ["FixedSparseAttention"]
