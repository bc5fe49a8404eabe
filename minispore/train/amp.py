"""Mixed precision: casts of Cells and ops to low precision, and the training step around them.

Levels O2 and O3 cast Cell by Cell, through ``Cell.to_float``; level "auto" casts op by op: while
the network runs, a policy casts the inputs of each op. O1 casts listed Cells, and listed ops
outside them.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Collection
from typing import Any

from minispore import context
from minispore.core import interpreter
from minispore.core.primitive import Primitive
from minispore.core.tree import map_tensors
from minispore.errors import warn
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.operator import Operator
from minispore.ir.registry import registry
from minispore.ir.value import Value
from minispore.nn.cell import Cell
from minispore.nn.layer import conv, dense, normalization, rnn_cells
from minispore.nn.optim.optimizer import Optimizer
from minispore.nn.wrap.cell_wrapper import TrainOneStepCell, WithLossCell
from minispore.nn.wrap.loss_scale import TrainOneStepWithLossScaleCell
from minispore.ops.shape.cast_fill import Cast
from minispore.train.loss_scale import (
    DynamicLossScaleManager,
    LossScaleManager,
)

LEVELS = ("O0", "O1", "O2", "O3", "auto")
_LOW_PRECISION_DTYPES = (mstype.float16, mstype.bfloat16)

#: The Cells that compute in low precision at O1, and the ops that do so outside these Cells.
_WHITE_CELLS = (
    "Conv1d", "Conv2d", "Conv3d", "Conv1dTranspose", "Conv2dTranspose", "Conv3dTranspose", "Dense",
    "LSTMCell", "RNNCell", "GRUCell",
)  # fmt: skip
_WHITE_OPS = (
    "Conv2D", "Conv3D", "Conv2DTranspose", "Conv3DTranspose", "Conv2DBackpropInput", "MatMul",
    "BatchMatMul", "PReLU", "ReLU", "Ger",
)  # fmt: skip
_BLACK_CELLS = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LayerNorm")

#: The lists of level "auto": ops whose inputs are cast to low precision, to float32, to their
#: widest dtype.
AUTO_WHITE = (
    "Conv2D", "Conv3D", "Conv2DTranspose", "Conv3DTranspose", "Conv3DBackpropInput", "MatMul",
    "MatMulExt", "BatchMatMul", "PReLU", "Einsum", "Dense",
)  # fmt: skip
AUTO_BLACK = (
    "Pow", "ACos", "Asin", "Cosh", "Erfinv", "Exp", "Expm1", "Log", "Log1p",
    "Reciprocal", "Rsqrt", "Sinh", "Tan", "Softplus", "LayerNorm", "BatchNorm", "BatchNormInfer",
    "BatchNormTrain", "KLDivLoss", "SmoothL1Loss", "MultilabelMarginLoss", "SoftMarginLoss",
    "TripletMarginLoss",
    "MultiMarginLoss", "BCEWithLogitsLoss", "Pdist", "Cdist", "Renorm", "ReduceProd", "Softmax",
    "LogSoftmax", "CumProd", "CumSum", "NLLLoss", "SoftmaxCrossEntropyWithLogits",
    "SparseSoftmaxCrossEntropyWithLogits",
)  # fmt: skip
AUTO_PROMOTE = (
    "Addcdiv", "Addcmul", "Cross", "GridSampler2D", "GridSampler3D", "BiasAdd", "AddN",
    "Concat", "LSTMSequence", "GRUSequence",
)  # fmt: skip


def get_white_list() -> list[type]:
    """Return a new list of the classes of Cells and ops that level O1 computes in low precision."""
    return _find_cell_classes(_WHITE_CELLS) + [registry[name] for name in _WHITE_OPS]


def get_black_list() -> list[type]:
    """Return a new list of the normalization Cell classes that should keep full precision.

    It is a base for ``black_list`` of :func:`custom_mixed_precision`.
    """
    return _find_cell_classes(_BLACK_CELLS)


def _find_cell_classes(names: Collection[str]) -> list[type]:
    """Return the classes of convolutions, dense and normalization layers and RNN cells with these
    names; other names are left out.
    """
    modules = (conv, dense, normalization, rnn_cells)
    return [getattr(module, name) for name in names for module in modules if hasattr(module, name)]


def __getattr__(name: str) -> list[type]:
    """Return ``AMP_WHITE_LIST`` or ``AMP_BLACK_LIST``, creating it at first use.

    Raises:
        AttributeError: ``name`` is neither.
    """
    getters = {"AMP_BLACK_LIST": get_black_list, "AMP_WHITE_LIST": get_white_list}
    if name not in getters:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    return globals().setdefault(name, getters[name]())


# -- casting op by op ------------------------------------------------------------------------------


class CastPolicy:
    """The policy that casts the inputs of each op, by the op's name.

    Args:
        low: ops whose inputs are cast to ``dtype``.
        full: ops whose inputs are cast to float32.
        widest: ops whose inputs are cast to the widest float dtype among them.
        dtype: the low precision.
        restore: whether outputs of the ops in ``low`` are cast back to float32.
    """

    def __init__(
        self,
        low: Collection[str],
        full: Collection[str] = (),
        widest: Collection[str] = (),
        dtype: mstype.DType = mstype.float16,
        restore: bool = False,
    ) -> None:
        self.low_ops = frozenset(low)
        self.full_ops = frozenset(full)
        self.widest_ops = frozenset(widest)
        self.dtype, self.restores_float32 = dtype, restore

    def __call__(self, prim: Operator, args: tuple[Any, ...]) -> Any:
        """Run an op on its inputs, cast as the policy requires. Called by the interpreter for each
        op.
        """
        with interpreter.overriding_bind(None):
            is_low = prim.name in self.low_ops
            if is_low:
                args = tuple([_cast_float(a, self.dtype) for a in args])
            elif prim.name in self.full_ops:
                args = tuple([_cast_float(a, mstype.float32) for a in args])
            elif prim.name in self.widest_ops:
                floats = [a.spec.dtype for a in args if _is_float(a)]
                widest_dtype = max(floats, key=lambda d: d.itemsize, default=None)
                if widest_dtype is not None:
                    args = tuple([_cast_float(a, mstype.from_numpy(widest_dtype)) for a in args])
            output = interpreter.bind(prim, args)
            if not (is_low and self.restores_float32):
                return output
            if isinstance(output, Value):
                return _cast_float(output, mstype.float32)
            return tuple([_cast_float(element, mstype.float32) for element in output])


def _is_float(arg: Any) -> bool:
    """Whether an argument is a Value of a floating-point dtype."""
    return isinstance(arg, Value) and mstype.from_numpy(arg.spec.dtype).kind == "f"


def _cast_float(arg: Any, dtype: mstype.DType) -> Any:
    """Cast a float tensor to ``dtype``; anything else is returned unchanged."""
    if not _is_float(arg) or mstype.from_numpy(arg.spec.dtype) is dtype:
        return arg
    return interpreter.bind(Cast(), (arg, dtype))


def _apply_policy_to_function(
    policy: CastPolicy | None, function: Callable[..., Any], casts_output: bool = False
) -> Callable[..., Any]:
    """Wrap a function so that its ops run under a cast policy (None for no policy).

    With ``casts_output``, float tensors that it returns are cast to float32.
    """

    @functools.wraps(function)
    def call_with_policy(*args: Any, **kwargs: Any) -> Any:
        """Call the function under the policy, and cast its output if requested."""
        with interpreter.overriding_bind(policy):
            output = function(*args, **kwargs)
            return _cast_floats(output) if casts_output else output

    return call_with_policy


def _apply_policy(network: Any, policy: CastPolicy) -> Any:
    """Return a function wrapped in a cast policy, or a Cell whose construct is wrapped in place."""
    if not isinstance(network, Cell):
        return _apply_policy_to_function(policy, network)
    construct = type(network).construct
    network.construct = types.MethodType(_apply_policy_to_function(policy, construct), network)  # type: ignore[method-assign]
    return network


# -- networks --------------------------------------------------------------------------------------


class _OutputTo(Cell):
    """A Cell that casts the float tensors in the output of ``backbone`` to one dtype."""

    def __init__(self, backbone: Cell, dtype: mstype.DType = mstype.float32) -> None:
        super().__init__(auto_prefix=False, flags=backbone.get_flags())
        self._backbone, self._dtype = backbone, dtype

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        """Run the Cell and cast the float tensors of its output."""
        return _cast_floats(self._backbone(*args, **kwargs), self._dtype)


class _WithFloat32Loss(Cell):
    """A Cell that computes ``loss_fn(float32(backbone(data)), float32(label))``."""

    def __init__(self, backbone: Cell, loss_fn: Any) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self._loss_fn = loss_fn

    def construct(self, data: Any, label: Any) -> Any:
        """Return the loss in float32."""
        return self._loss_fn(_cast_floats(self._backbone(data)), _cast_floats(label))


def _cast_floats(value: Any, dtype: mstype.DType = mstype.float32) -> Any:
    """Cast each float tensor of a nested value to ``dtype``."""
    return map_tensors(lambda t: Cast()(t, dtype) if t.dtype.kind == "f" else t, value)


def _check_network(api_name: str, network: Any, dtype: Any) -> None:
    """Raise TypeError unless ``network`` is a Cell, and ValueError unless ``dtype`` is float16 or
    bfloat16.
    """
    checks.instance(api_name, "network", network, Cell)
    _check_low_precision(api_name, dtype)


def _check_low_precision(api_name: str, dtype: Any) -> None:
    """Raise ValueError unless ``dtype`` is float16 or bfloat16."""
    if dtype not in _LOW_PRECISION_DTYPES:
        raise ValueError(f"{api_name}: dtype must be float16 or bfloat16, got {dtype!r}.")


def auto_mixed_precision(
    network: Any, amp_level: str = "O0", dtype: mstype.DType = mstype.float16
) -> Any:
    """Return the network changed to compute in low precision where the level allows it.

    A Cell is changed in place; at "O2" and "O3" the result is a new Cell around it.

    Args:
        network: a Cell; with "auto" also a function.
        amp_level: "O0": unchanged. "O1": Cells and ops of :func:`get_white_list`. "O2",
            "O3": all Cells; normalization layers keep float32 Parameters, and the network outputs
            float32. "auto": op by op, by ``AUTO_WHITE``, ``AUTO_BLACK`` and ``AUTO_PROMOTE``.
        dtype: float16 or bfloat16.

    Raises:
        TypeError: ``network`` is not a Cell.
        ValueError: ``amp_level`` or ``dtype`` has none of these values.
    """
    api_name = "auto_mixed_precision"
    if amp_level == "auto" and isinstance(network, types.FunctionType | types.MethodType):
        _check_low_precision(api_name, dtype)
    else:
        _check_network(api_name, network, dtype)
    if amp_level not in LEVELS:
        raise ValueError(
            f"{api_name}: amp_level must be one of {', '.join(LEVELS)}, got {amp_level!r}."
        )
    if amp_level == "O1":
        return _auto_mixed_precision_rewrite(network, dtype, white_list=get_white_list())
    if amp_level == "auto":
        return _apply_policy(network, CastPolicy(AUTO_WHITE, AUTO_BLACK, AUTO_PROMOTE, dtype))
    if amp_level in ("O2", "O3"):
        return _OutputTo(network.to_float(dtype))
    return network


def custom_mixed_precision(
    network: Cell,
    *,
    white_list: list[type] | None = None,
    black_list: list[type] | None = None,
    dtype: mstype.DType = mstype.float16,
) -> Cell:
    """Return the network changed to compute a white list, or all but a black list, in ``dtype``.

    The network is changed in place; with a black list the result is a new Cell around it, which
    outputs float32.

    Args:
        network: the network.
        white_list: Cells and ops to compute in low precision.
        black_list: Cells to compute in full precision.
        dtype: float16 or bfloat16.

    Raises:
        TypeError: ``network`` is not a Cell, or a list is not a list of classes.
        ValueError: not exactly one list is given, or ``dtype`` has another value.
    """
    api_name = "custom_mixed_precision"
    _check_network(api_name, network, dtype)
    if (white_list is None) == (black_list is None):
        raise ValueError(
            f"{api_name}: one of white_list and black_list must be given, and not both."
        )
    if black_list is not None:
        _check_class_list(api_name, "black_list", black_list, Cell)
        return _OutputTo(_auto_black_list(network, black_list, dtype))
    assert white_list is not None
    _check_class_list(api_name, "white_list", white_list, Cell, Primitive)
    return _auto_mixed_precision_rewrite(network, dtype, white_list=white_list)


def _auto_black_list(
    network: Cell, black_list: Collection[type], dtype: mstype.DType = mstype.float16
) -> Cell:
    """Let all Cells inside ``network`` except those in ``black_list`` compute in ``dtype``.

    Changes ``network`` in place; the outputs of black-listed Cells are cast to ``dtype``.
    """
    network.to_float(dtype)
    for name, cell in network.name_cells().items():
        if isinstance(cell, tuple(black_list)):
            full_precision_cell = cell.to_float(mstype.float32)
            network.insert_child_to_cell(name, _OutputTo(full_precision_cell, dtype))
        elif cell is not network:
            _auto_black_list(cell, black_list, dtype)
    return network


def _auto_mixed_precision_rewrite(
    network: Cell,
    dtype: mstype.DType,
    *,
    white_list: list[type] | None = None,
    black_list: list[type] | None = None,
) -> Cell:
    """Change ``network`` in place to compute a white list, or all but a black list, in ``dtype``.

    Returns:
        The network; with a black list, the Cell around it from :func:`custom_mixed_precision`.
    """
    if white_list is None:
        return custom_mixed_precision(network, black_list=black_list, dtype=dtype)
    _set_low_precision(network, white_list, dtype)
    ops = [cls.name for cls in white_list if issubclass(cls, Primitive)]
    return _apply_policy(network, CastPolicy(ops, dtype=dtype, restore=True)) if ops else network


def _set_low_precision(network: Cell, cell_classes: list[type], dtype: mstype.DType) -> None:
    """Let Cells of exactly these classes inside ``network`` compute in ``dtype``.

    Changes the Cells in place; their outputs are cast back to float32, and no cast policy applies
    inside them.
    """
    for cell in network.name_cells().values():
        if type(cell) not in cell_classes:
            _set_low_precision(cell, cell_classes, dtype)
            continue
        construct = types.MethodType(type(cell).construct, cell.to_float(dtype))
        cell.construct = _apply_policy_to_function(None, construct, casts_output=True)  # type: ignore[method-assign]


def _check_class_list(api_name: str, name: str, classes: Any, *base_classes: type) -> None:
    """Check that ``classes`` is a list of subclasses of ``base_classes``.

    Raises:
        TypeError: it is not a list, or an element is not such a subclass.
    """
    checks.instance(api_name, name, classes, list)
    for cls in classes:
        if not (isinstance(cls, type) and issubclass(cls, base_classes)):
            raise TypeError(
                f"{api_name}: {name} must hold classes of Cell or Primitive, got {cls!r}."
            )


# -- the training step -----------------------------------------------------------------------------

# For each level: the dtype of the network, and whether the loss is scaled.
_LEVEL_CONFIGS: dict[str, tuple[mstype.DType, bool]] = {
    "O0": (mstype.float32, False),
    "O1": (mstype.float32, False),
    "O2": (mstype.float16, True),
    "O3": (mstype.float16, False),
    "auto": (mstype.float32, False),
}


def build_train_network(
    network: Cell,
    optimizer: Any,
    loss_fn: Any = None,
    level: str = "O0",
    boost_level: str = "O0",
    **kwargs: Any,
) -> Cell:
    """Return a Cell for one training step in the precision of ``level``, in training mode.

    Args:
        network: the network; without a ``loss_fn`` it must return the loss.
        optimizer: updates the weights.
        loss_fn: maps the network's output and the labels to the loss.
        level: see :func:`auto_mixed_precision`; "O2" scales the loss dynamically.
        boost_level: "O0", "O1" or "O2"; accepted for compatibility, has no effect.
        kwargs: ``cast_model_type`` and ``loss_scale_manager`` override the settings of the level;
            ``keep_batchnorm_fp32`` is only checked.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument has an invalid value, or the device can't scale the loss that way.
    """
    api_name = "build_train_network"
    checks.instance(api_name, "optimizer", optimizer, Optimizer)
    checks.instance(api_name, "level", level, str)
    if level not in LEVELS:
        raise ValueError(f"{api_name}: level must be one of {', '.join(LEVELS)}, got {level!r}.")
    if boost_level not in LEVELS[:3]:
        raise ValueError(
            f"{api_name}: boost_level must be 'O0', 'O1' or 'O2', got {boost_level!r}."
        )
    model_dtype, scales_loss = _LEVEL_CONFIGS[level]
    model_dtype = kwargs.pop("cast_model_type", model_dtype)
    if model_dtype not in (mstype.float16, mstype.float32):
        raise TypeError(
            f"{api_name}: cast_model_type must be float16 or float32, got {model_dtype!r}."
        )
    checks.boolean(api_name, "keep_batchnorm_fp32", kwargs.pop("keep_batchnorm_fp32", True))
    manager = kwargs.pop("loss_scale_manager", DynamicLossScaleManager() if scales_loss else None)
    checks.instance(api_name, "loss_scale_manager", manager, LossScaleManager, or_none=True)
    if kwargs:
        raise ValueError(f"{api_name}: got the unknown keyword {next(iter(kwargs))!r}.")
    if model_dtype is mstype.float16:
        network.to_float(mstype.float16)
    elif level in ("O1", "auto"):
        network = auto_mixed_precision(network, level)
    if loss_fn is not None:
        has_low_precision = model_dtype is mstype.float16 or level == "auto"
        network = (_WithFloat32Loss if has_low_precision else WithLossCell)(network, loss_fn)
    if manager is None:
        return TrainOneStepCell(network, optimizer).set_train()
    update_cell = manager.get_update_cell()
    _warn_of_mismatched_scale(api_name, manager, optimizer, optimizer_unscales=update_cell is None)
    if update_cell is None:
        return TrainOneStepCell(network, optimizer, manager.get_loss_scale()).set_train()
    if context.get_context("device_target") == "CPU":
        raise ValueError(
            f"{api_name}: loss_scale_manager must be None or FixedLossScaleManager("
            "drop_overflow_update=False) on CPU, got one that drops updates."
        )
    return TrainOneStepWithLossScaleCell(network, optimizer, update_cell).set_train()


def _warn_of_mismatched_scale(
    api_name: str, manager: LossScaleManager, optimizer: Optimizer, optimizer_unscales: bool
) -> None:
    """Warn if the factor by which the optimizer divides gradients is not the expected one.

    Expected is the loss scale, or 1 if the training step divides by the loss scale itself.
    """
    expected = manager.get_loss_scale() if optimizer_unscales else 1.0
    if optimizer.loss_scale != expected:
        optimizer_name = type(optimizer).__name__
        warn(
            f"{api_name}: loss_scale of {optimizer_name} must be {expected:g} beside this "
            f"loss_scale_manager, got {optimizer.loss_scale:g}: each update is "
            f"{expected / optimizer.loss_scale:g} times as large as it should be. Make it "
            f"{optimizer_name}(..., loss_scale={expected:g}).",
        )


__all__ = [
    "auto_mixed_precision",
    "build_train_network",
    "custom_mixed_precision",
    "get_black_list",
    "get_white_list",
]
