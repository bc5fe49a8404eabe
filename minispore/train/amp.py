"""Mixed precision: what computes in float16, and the training step around it.

Level O2 and O3 work Cell by Cell, through ``Cell.to_float``; "auto" op by op: while the network
runs, every op is bound by a rule that casts its inputs. O1 lowers Cells, and ops between them.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Collection
from typing import Any

from minispore import context
from minispore.core import dtype as mstype
from minispore.core import interpreter
from minispore.core.primitive import Primitive
from minispore.core.registry import registry
from minispore.core.tree import map_tensors
from minispore.core.value import Value
from minispore.errors import warn
from minispore.foundation import checks
from minispore.nn.cell import Cell
from minispore.nn.layer import conv, dense, normalization, rnn_cells
from minispore.nn.optim.optimizer import Optimizer
from minispore.nn.wrap.cell_wrapper import TrainOneStepCell, WithLossCell
from minispore.nn.wrap.loss_scale import TrainOneStepWithLossScaleCell
from minispore.ops.shape.whole import Cast
from minispore.train.loss_scale import (
    DynamicLossScaleManager,
    LossScaleManager,
)

LEVELS = ("O0", "O1", "O2", "O3", "auto")
_LOW = (mstype.float16, mstype.bfloat16)

#: What computes in low precision at O1: Cells, and ops that are not in one of them.
_WHITE_CELLS = (
    "Conv1d", "Conv2d", "Conv3d", "Conv1dTranspose", "Conv2dTranspose", "Conv3dTranspose", "Dense",
    "LSTMCell", "RNNCell", "GRUCell",
)  # fmt: skip
_WHITE_OPS = (
    "Conv2D", "Conv3D", "Conv2DTranspose", "Conv3DTranspose", "Conv2DBackpropInput", "MatMul",
    "BatchMatMul", "PReLU", "ReLU", "Ger",
)  # fmt: skip
_BLACK_CELLS = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LayerNorm")

#: The lists of level "auto": inputs to low precision, to full precision, to the widest of them.
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
    """A copy of the Cells and ops that level O1 computes in low precision."""
    return _cells(_WHITE_CELLS) + [registry[name] for name in _WHITE_OPS]


def get_black_list() -> list[type]:
    """A copy of the Cells that level O2 computes in full precision."""
    return _cells(_BLACK_CELLS)


def _cells(names: Collection[str]) -> list[type]:
    rooms = (conv, dense, normalization, rnn_cells)
    return [getattr(room, name) for name in names for room in rooms if hasattr(room, name)]


def __getattr__(name: str) -> list[type]:  # a list is made at the first look at it
    made = {"AMP_BLACK_LIST": get_black_list, "AMP_WHITE_LIST": get_white_list}
    if name not in made:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    return globals().setdefault(name, made[name]())


# -- binding by a rule -----------------------------------------------------------------------------


class Precision:
    """The rule for ops: who gets its inputs in which type.

    Args:
        low: ops whose inputs are cast to ``dtype``.
        full: ops whose inputs are cast to float32.
        widest: ops whose inputs are cast to the widest float among them.
        dtype: the low precision.
        restore: whether outputs of ``low`` ops are cast back to float32.
    """

    def __init__(
        self,
        low: Collection[str],
        full: Collection[str] = (),
        widest: Collection[str] = (),
        dtype: mstype.DType = mstype.float16,
        restore: bool = False,
    ) -> None:
        self.low, self.full, self.widest = frozenset(low), frozenset(full), frozenset(widest)
        self.dtype, self.restore = dtype, restore

    def __call__(self, prim: Primitive, args: tuple[Any, ...]) -> Any:
        with interpreter.overriding_bind(None):
            low = prim.name in self.low
            if low:
                args = tuple([_cast(a, self.dtype) for a in args])
            elif prim.name in self.full:
                args = tuple([_cast(a, mstype.float32) for a in args])
            elif prim.name in self.widest:
                floats = [a.spec.dtype for a in args if _is_float(a)]
                wide = max(floats, key=lambda d: d.itemsize, default=None)
                if wide is not None:
                    args = tuple([_cast(a, mstype.from_numpy(wide)) for a in args])
            out = interpreter.bind(prim, args)
            if not (low and self.restore):
                return out
            if isinstance(out, Value):
                return _cast(out, mstype.float32)
            return tuple([_cast(o, mstype.float32) for o in out])


def _is_float(arg: Any) -> bool:
    return isinstance(arg, Value) and mstype.from_numpy(arg.spec.dtype).kind == "f"


def _cast(arg: Any, dtype: mstype.DType) -> Any:
    if not _is_float(arg) or mstype.from_numpy(arg.spec.dtype) is dtype:
        return arg
    return interpreter.bind(Cast(), (arg, dtype))


def _bound_by(
    rule: Precision | None, function: Callable[..., Any], restore: bool = False
) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        with interpreter.overriding_bind(rule):
            out = function(*args, **kwargs)
            return _floats_to(out) if restore else out

    return wrapped


def _apply_rule(network: Any, rule: Precision) -> Any:
    if not isinstance(network, Cell):
        return _bound_by(rule, network)
    plain = type(network).construct
    network.construct = types.MethodType(_bound_by(rule, plain), network)  # type: ignore[method-assign]
    return network


# -- networks --------------------------------------------------------------------------------------


class _OutputTo(Cell):
    """dtype(backbone(...)): what leaves a Cell goes on in one precision."""

    def __init__(self, backbone: Cell, dtype: mstype.DType = mstype.float32) -> None:
        super().__init__(auto_prefix=False, flags=backbone.get_flags())
        self._backbone, self._dtype = backbone, dtype

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        return _floats_to(self._backbone(*args, **kwargs), self._dtype)


class _WithFloat32Loss(Cell):
    """loss_fn(float32(backbone(data)), float32(label))."""

    def __init__(self, backbone: Cell, loss_fn: Any) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self._loss_fn = loss_fn

    def construct(self, data: Any, label: Any) -> Any:
        return self._loss_fn(_floats_to(self._backbone(data)), _floats_to(label))


def _floats_to(value: Any, dtype: mstype.DType = mstype.float32) -> Any:
    return map_tensors(lambda t: Cast()(t, dtype) if t.dtype.kind == "f" else t, value)


def _check_network(who: str, network: Any, dtype: Any) -> None:
    checks.instance(who, "network", network, Cell)
    if dtype not in _LOW:
        raise ValueError(f"{who}: dtype must be float16 or bfloat16, got {dtype!r}.")


def auto_mixed_precision(
    network: Any, amp_level: str = "O0", dtype: mstype.DType = mstype.float16
) -> Any:
    """The network, computing in low precision where it does no harm; its outputs are float32.

    Args:
        network: a Cell; with "auto" also a function.
        amp_level: "O0": as it is. "O1": what :func:`get_white_list` says is low. "O2": all but what
            :func:`get_black_list` says. "O3": all. "auto": op by op, by three lists.
        dtype: float16 or bfloat16.

    Raises:
        TypeError: ``network`` is no Cell.
        ValueError: ``amp_level`` or ``dtype`` is none of these.
    """
    who = "auto_mixed_precision"
    if not (amp_level == "auto" and isinstance(network, types.FunctionType | types.MethodType)):
        _check_network(who, network, dtype)
    if amp_level not in LEVELS:
        raise ValueError(f"{who}: amp_level must be one of {', '.join(LEVELS)}, got {amp_level!r}.")
    if amp_level == "O1":
        return _auto_mixed_precision_rewrite(network, dtype, white_list=get_white_list())
    if amp_level == "auto":
        return _apply_rule(network, Precision(AUTO_WHITE, AUTO_BLACK, AUTO_PROMOTE, dtype))
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
    """The network, computing in low precision what a list names, or all but what a list names.

    Args:
        network: the network.
        white_list: Cells and ops to compute in low precision.
        black_list: Cells to compute in full precision.
        dtype: float16 or bfloat16.

    Raises:
        TypeError: ``network`` is no Cell, or a list is no list of classes.
        ValueError: not exactly one list, or another ``dtype``.
    """
    who = "custom_mixed_precision"
    _check_network(who, network, dtype)
    if (white_list is None) == (black_list is None):
        raise ValueError(f"{who}: one of white_list and black_list must be given, and not both.")
    if black_list is not None:
        _check_list(who, "black_list", black_list, Cell)
        return _OutputTo(_auto_black_list(network, black_list, dtype))
    assert white_list is not None
    _check_list(who, "white_list", white_list, Cell, Primitive)
    return _auto_mixed_precision_rewrite(network, dtype, white_list=white_list)


def _auto_black_list(
    network: Cell, black_list: Collection[type], dtype: mstype.DType = mstype.float16
) -> Cell:
    """All but what is listed below ``network`` computes in ``dtype``, as what it gives is, too."""
    network.to_float(dtype)
    for name, cell in network.name_cells().items():
        if isinstance(cell, tuple(black_list)):
            full = cell.to_float(mstype.float32)
            network.insert_child_to_cell(name, _OutputTo(full, dtype))
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
    """One list: what computes in ``dtype`` alone, or what alone does not."""
    if white_list is None:
        return custom_mixed_precision(network, black_list=black_list, dtype=dtype)
    _lower_below(network, white_list, dtype)
    ops = [kind.name for kind in white_list if issubclass(kind, Primitive)]
    return _apply_rule(network, Precision(ops, dtype=dtype, restore=True)) if ops else network


def _lower_below(network: Cell, kinds: list[type], dtype: mstype.DType) -> None:
    """Cells of these very classes below ``network`` compute in ``dtype`` and give float32."""
    for cell in network.name_cells().values():
        if type(cell) not in kinds:
            _lower_below(cell, kinds, dtype)
            continue
        plain = types.MethodType(type(cell).construct, cell.to_float(dtype))
        cell.construct = _bound_by(None, plain, restore=True)  # type: ignore[method-assign]


def _check_list(who: str, name: str, given: Any, *kinds: type) -> None:
    checks.instance(who, name, given, list)
    for kind in given:
        if not (isinstance(kind, type) and issubclass(kind, kinds)):
            raise TypeError(f"{who}: {name} must hold classes of Cell or Primitive, got {kind!r}.")


# -- the training step -----------------------------------------------------------------------------

_CONFIG: dict[str, tuple[mstype.DType, bool]] = {  # what it casts to, whether it scales the loss
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
    """One training step, in the precision of ``level``, already in training mode.

    Args:
        network: the network; it must return its loss itself if there is no ``loss_fn``.
        optimizer: updates the weights.
        loss_fn: from the network's output and the labels to the loss.
        level: see :func:`auto_mixed_precision`; "O2" scales the loss dynamically.
        boost_level: "O0", "O1" or "O2"; kept for MindSpore's sake.
        kwargs: ``cast_model_type``, ``keep_batchnorm_fp32``, ``loss_scale_manager`` in place of
            what the level says.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: one has a value that can't be, or the device can't scale the loss that way.
    """
    who = "build_train_network"
    checks.instance(who, "optimizer", optimizer, Optimizer)
    checks.instance(who, "level", level, str)
    if level not in LEVELS:
        raise ValueError(f"{who}: level must be one of {', '.join(LEVELS)}, got {level!r}.")
    if boost_level not in LEVELS[:3]:
        raise ValueError(f"{who}: boost_level must be 'O0', 'O1' or 'O2', got {boost_level!r}.")
    cast, scales = _CONFIG[level]
    cast = kwargs.pop("cast_model_type", cast)
    if cast not in (mstype.float16, mstype.float32):
        raise TypeError(f"{who}: cast_model_type must be float16 or float32, got {cast!r}.")
    checks.boolean(who, "keep_batchnorm_fp32", kwargs.pop("keep_batchnorm_fp32", True))
    manager = kwargs.pop("loss_scale_manager", DynamicLossScaleManager() if scales else None)
    checks.instance(who, "loss_scale_manager", manager, LossScaleManager, or_none=True)
    if kwargs:
        raise ValueError(f"{who}: got the unknown keyword {next(iter(kwargs))!r}.")
    if cast is mstype.float16:
        network.to_float(mstype.float16)
    elif level in ("O1", "auto"):
        network = auto_mixed_precision(network, level)
    if loss_fn is not None:
        low = cast is mstype.float16 or level == "auto"
        network = (_WithFloat32Loss if low else WithLossCell)(network, loss_fn)
    if manager is None:
        return TrainOneStepCell(network, optimizer).set_train()
    update = manager.get_update_cell()
    _warn_of_other_scale(who, manager, optimizer, in_optimizer=update is None)
    if update is None:
        return TrainOneStepCell(network, optimizer, manager.get_loss_scale()).set_train()
    if context.get_context("device_target") == "CPU":
        raise ValueError(
            f"{who}: loss_scale_manager must be None or FixedLossScaleManager("
            "drop_overflow_update=False) on CPU, got one that drops updates."
        )
    return TrainOneStepWithLossScaleCell(network, optimizer, update).set_train()


def _warn_of_other_scale(
    who: str, manager: LossScaleManager, optimizer: Optimizer, in_optimizer: bool
) -> None:
    """Say that gradients come out too large or too small: they are divided by another number than
    the loss was multiplied by.
    """
    wanted = manager.get_loss_scale() if in_optimizer else 1.0
    if optimizer.loss_scale != wanted:
        kind = type(optimizer).__name__
        warn(
            f"{who}: loss_scale of {kind} must be {wanted:g} beside this loss_scale_manager, got "
            f"{optimizer.loss_scale:g}: each update is {wanted / optimizer.loss_scale:g} times as "
            f"large as it should be. Make it {kind}(..., loss_scale={wanted:g}).",
        )


__all__ = [
    "auto_mixed_precision",
    "build_train_network",
    "custom_mixed_precision",
    "get_black_list",
    "get_white_list",
]
