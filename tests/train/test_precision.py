"""Mixed precision op by op, and the step that each level makes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, context, nn, ops
from minispore.core import interpreter
from minispore.train import amp
from minispore.train.amp import CastPolicy, build_train_network
from minispore.train.loss_scale import DynamicLossScaleManager, FixedLossScaleManager
from tests.train.nets import GRAPH, dense

X = np.float32([[1.5, 2.5], [3.5, 4.5]])


def under(rule: CastPolicy, function: Any, *args: Any) -> Any:
    with interpreter.overriding_bind(rule):
        return function(*args)


def of(*dtypes: Any) -> tuple[Tensor, ...]:
    return tuple([Tensor(X, dtype) for dtype in dtypes])


@pytest.mark.parametrize(
    ("dtypes", "expected"),
    [
        ((ms.float16, ms.float32), ms.float32),
        ((ms.float32, ms.float16), ms.float32),
        ((ms.float16, ms.float64), ms.float64),
        ((ms.float16, ms.float16), ms.float16),
        ((ms.int32, ms.int32), ms.int32),
    ],
)
def test_widest_input_dtype_is_chosen_for_promoted_ops(dtypes: Any, expected: Any) -> None:
    rule = CastPolicy((), (), ("Concat",))
    assert under(rule, ops.Concat(0), of(*dtypes)).dtype is expected


@pytest.mark.parametrize("dtype", [ms.float16, ms.float32, ms.int32])
def test_what_is_on_no_list_computes_as_it_is(dtype: Any) -> None:
    rule = CastPolicy(("MatMul",), ("Exp",), ("Concat",))
    assert under(rule, ops.square, *of(dtype)).dtype is dtype


@pytest.mark.parametrize(
    ("restore", "dtype", "expected"),
    [
        (False, ms.float16, ms.float16),
        (True, ms.float16, ms.float32),
        (False, ms.bfloat16, ms.bfloat16),
        (True, ms.bfloat16, ms.float32),
    ],
)
def test_low_precision_goes_in_and_out(restore: bool, dtype: Any, expected: Any) -> None:
    rule = CastPolicy(("MatMul",), dtype=dtype, restore=restore)
    x = Tensor(np.float32([[1 + 2**-12]]))
    got = under(rule, ops.MatMul(), x, Tensor(np.float32([[1.0]])))
    assert got.dtype is expected
    assert float(got.astype(ms.float32).asnumpy().item()) == 1.0  # of 1.000244


def test_each_output_of_a_low_op_comes_back() -> None:
    rule = CastPolicy(("Split",), restore=True)
    halves = under(rule, ops.Split(0, 2), Tensor(X))
    assert [h.dtype for h in halves] == [ms.float32] * 2
    numbers = under(rule, ops.Split(0, 2), Tensor(X, ms.int32))
    assert [h.dtype for h in numbers] == [ms.int32] * 2


def test_full_precision_is_float32() -> None:
    rule = CastPolicy((), ("Exp",))
    assert under(rule, ops.exp, *of(ms.float16)).dtype is ms.float32
    assert under(rule, ops.exp, *of(ms.float64)).dtype is ms.float32


def test_a_rule_ends_with_its_function() -> None:
    low = amp._apply_policy_to_function(CastPolicy(("MatMul",)), ops.MatMul())
    assert low(*of(ms.float32, ms.float32)).dtype is ms.float16
    assert ops.MatMul()(*of(ms.float32, ms.float32)).dtype is ms.float32


STEPS = {
    "O0": (nn.TrainOneStepCell, nn.WithLossCell, False),
    "O1": (nn.TrainOneStepCell, nn.WithLossCell, False),
    "O2": (nn.TrainOneStepWithLossScaleCell, amp._WithFloat32Loss, True),
    "O3": (nn.TrainOneStepCell, amp._WithFloat32Loss, True),
    "auto": (nn.TrainOneStepCell, amp._WithFloat32Loss, False),
}


@pytest.mark.parametrize("level", STEPS)
def test_each_level_chooses_the_train_step_and_loss_cells(level: str) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    net = dense()
    step = build_train_network(net, nn.SGD(net.trainable_params(), 0.1), nn.MSELoss(), level)
    kind, loss, half = STEPS[level]
    assert type(step) is kind and type(step.network) is loss
    assert (getattr(net, "fp16", False) or "fp16" in net.get_flags()) == half
    assert step.training
    assert (amp._LEVEL_CONFIGS[level][0] is ms.float16) == half


@pytest.mark.parametrize("level", STEPS)
def test_parameters_keep_their_names_at_each_level(level: str) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    net = dense()
    step = build_train_network(net, nn.SGD(net.trainable_params(), 0.1), nn.MSELoss(), level)
    assert {"weight", "bias"} <= {p.name for p in step.get_parameters()}
    low = amp.auto_mixed_precision(dense(), level)
    assert [p.name for p in low.get_parameters()] == ["weight", "bias"]


@pytest.mark.parametrize("level", STEPS)
def test_type_and_scale_of_a_level_are_mindspore_s(level: str) -> None:
    # mindspore/train/amp.py: cast_model_type, loss_scale_manager
    cast, scales = amp._LEVEL_CONFIGS[level]
    assert (cast is ms.float16, scales) == {
        "O0": (False, False),
        "O1": (False, False),
        "O2": (True, True),
        "O3": (True, False),
        "auto": (False, False),
    }[level]


@pytest.mark.parametrize("cast", [ms.float16, ms.float32])
@pytest.mark.parametrize("loss", [nn.MSELoss(), None])
def test_cast_model_type_wraps_only_a_separate_loss(cast: Any, loss: Any) -> None:
    net = dense()
    step = build_train_network(
        net, nn.SGD(net.trainable_params(), 0.1), loss, "O0", cast_model_type=cast
    )
    if loss is None:
        assert step.network is net
    else:
        assert type(step.network) is (
            amp._WithFloat32Loss if cast is ms.float16 else nn.WithLossCell
        )


@pytest.mark.parametrize(
    ("manager", "kind", "scale"),
    [
        (None, nn.TrainOneStepCell, 1.0),
        (FixedLossScaleManager(8.0, drop_overflow_update=False), nn.TrainOneStepCell, 8.0),
        (FixedLossScaleManager(8.0), nn.TrainOneStepWithLossScaleCell, None),
        (DynamicLossScaleManager(), nn.TrainOneStepWithLossScaleCell, None),
    ],
)
def test_a_manager_says_where_the_loss_is_scaled(manager: Any, kind: Any, scale: Any) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    net = dense()
    optimizer = nn.SGD(net.trainable_params(), 0.1, loss_scale=scale or 1.0)
    step = build_train_network(net, optimizer, nn.MSELoss(), loss_scale_manager=manager)
    assert type(step) is kind
    if scale is not None:
        assert step.sens == scale


@pytest.mark.parametrize("factor", [1.0, 4.0])
def test_a_loss_scale_that_the_optimizer_lacks_warns_with_the_factor(factor: float) -> None:
    net = dense()
    optimizer = nn.SGD(net.trainable_params(), 0.1, loss_scale=8.0 / factor)
    manager = FixedLossScaleManager(8.0, drop_overflow_update=False)
    if factor == 1.0:
        build_train_network(net, optimizer, nn.MSELoss(), loss_scale_manager=manager)
        return
    text = r"SGD must be 8 beside .*, got 2: each update is 4 times .* SGD\(\.\.\., loss_scale=8\)"
    with pytest.warns(UserWarning, match=text):
        build_train_network(net, optimizer, nn.MSELoss(), loss_scale_manager=manager)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"level": "O4"}, "level must be one of O0, O1, O2, O3, auto, got 'O4'"),
        ({"boost_level": "O3"}, "boost_level must be 'O0', 'O1' or 'O2', got 'O3'"),
        ({"boost_level": "auto"}, "boost_level must be"),
        ({"other": 1}, "got the unknown keyword 'other'"),
    ],
)
def test_build_train_network_refuses_bad_options(options: Any, text: str) -> None:
    net = dense()
    with pytest.raises(ValueError, match=text):
        build_train_network(net, nn.SGD(net.trainable_params(), 0.1), **options)


@pytest.mark.parametrize("boost_level", ["O0", "O1", "O2"])
def test_boost_levels_are_accepted(boost_level: str) -> None:
    net = dense()
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    assert build_train_network(net, optimizer, boost_level=boost_level).network is net


def test_a_list_of_cells_lowers_these_and_leaves_the_rest() -> None:
    net = nn.SequentialCell(nn.Dense(2, 2), nn.SequentialCell(nn.Dense(2, 2), nn.ReLU()))
    amp.custom_mixed_precision(net, white_list=[nn.Dense])
    assert net[0].get_flags()["fp16"] and net[1][0].get_flags()["fp16"]
    assert not net[1][1].get_flags() and not net[1].get_flags()
    assert net(Tensor(X)).dtype is ms.float32


@pytest.mark.parametrize("lists", [{}, {"white_list": [], "black_list": []}])
def test_custom_mixed_precision_requires_one_list(lists: Any) -> None:
    with pytest.raises(ValueError, match="one of white_list and black_list must be given"):
        amp.custom_mixed_precision(dense(), **lists)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("white_list", [int]), ("white_list", [1]), ("black_list", [ops.MatMul]), ("black_list", [1])],
)
def test_a_list_holds_classes(name: str, wrong: Any) -> None:
    with pytest.raises(TypeError, match=f"{name} must hold classes of Cell or Primitive"):
        amp.custom_mixed_precision(dense(), **{name: wrong})


@pytest.mark.parametrize("level", ["O2", "O3"])
def test_what_leaves_a_low_network_is_float32_and_numbers_stay(level: str) -> None:
    class Both(nn.Cell):
        def construct(self, x: Tensor) -> Any:
            return x * 2, ops.cast(x, ms.int32)

    low = amp.auto_mixed_precision(Both(), level)
    floats, numbers = low(Tensor(X))
    assert (floats.dtype, numbers.dtype) == (ms.float32, ms.int32)


@pytest.mark.parametrize("dtype", [ms.float32, ms.int8, "float16"])
def test_low_precision_is_float16_or_bfloat16(dtype: Any) -> None:
    for make in (amp.auto_mixed_precision, amp.custom_mixed_precision):
        with pytest.raises(ValueError, match="dtype must be float16 or bfloat16, got"):
            make(dense(), dtype=dtype)


def test_only_level_auto_lowers_a_function() -> None:
    with pytest.raises(TypeError, match="network must be a Cell"):
        amp.auto_mixed_precision(lambda x: x, "O1")
    low = amp.auto_mixed_precision(lambda x: ops.matmul(x, x), "auto")
    assert low(Tensor(X)).dtype in (ms.float16, ms.float32)


def test_no_word_on_batch_norms_leaves_them_to_the_level() -> None:
    net = dense()
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    model = ms.Model(net, nn.MSELoss(), optimizer, keep_batchnorm_fp32=None)
    assert type(model.train_network) is nn.TrainOneStepCell
    with pytest.raises(TypeError, match="keep_batchnorm_fp32 must be a bool, got None"):
        build_train_network(net, optimizer, keep_batchnorm_fp32=None)


def test_a_manager_bears_as_many_overflows_in_a_row_as_it_says() -> None:
    manager = DynamicLossScaleManager(8, 2, 2)
    assert manager.bad_step_max == 1000
    manager.bad_step_max = 2
    manager.update_loss_scale(True)
    manager.update_loss_scale(True)
    with pytest.raises(RuntimeError, match="3 steps in a row"):
        manager.update_loss_scale(True)
