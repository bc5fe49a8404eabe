"""What MindSpore's ops refuse on every device is refused here, with its type of error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minispore as ms
import minispore.numpy as mnp
from minispore import Parameter, Tensor, mint, nn, ops
from minispore.mint.nn import functional as F

_X = Tensor([[1.0, 2.0], [3.0, 4.0]])
_V = Tensor([1.0, 2.0])
_LONG = Tensor([1])  # int64, as Python's ints become
_INT = Tensor([1], ms.int32)


def _image() -> Tensor:
    return Tensor(np.ones((1, 2, 2, 1), np.float32))


def _states(n: int) -> list[Parameter]:
    return [Parameter(Tensor(np.ones((2, 1), np.float32)), name=f"s{i}") for i in range(n)]


_ROW = Tensor([[4.0]])
_RATES = (0.5, 0.5, 0.1, 0.5, 0.5, 1e-9)
_ACTS = Tensor(np.zeros((1, 1, 2, 2), np.float32))
_PLACE = Tensor([[0, 0]])

# the name of the argument, what takes int32, and the call with a tensor of integers
INT32: list[tuple[str, Callable[[Tensor], Any]]] = [
    ("box_index", lambda i: ops.CropAndResize()(_image(), Tensor([[0.0] * 4]), i - i, (1, 3))),
    ("sequence_length", lambda i: ops.CTCGreedyDecoder()(Tensor([[[9.0, 0.0]]]), i)),
    ("labels_values", lambda i: ops.CTCLoss()(Tensor([[[9.0, 0.0]]]), _PLACE, i - i, _INT)),
    ("index", lambda i: ops.IndexFill()(_X, 1, i, 9.0)),
    ("indices", lambda i: ops.IndexAdd(0)(_states(1)[0], i, _ROW)),
    ("target", lambda i: ops.MultilabelMarginLoss()(_X, Tensor([[0, -1]] * 2, i.dtype))),
    ("labels", lambda i: ops.RNNTLoss()(_ACTS, i.reshape(1, 1), _INT, _INT)),
    ("indices", lambda i: ops.FusedSparseAdam()(*_states(3), *_RATES, _ROW, i)),
    ("indices", lambda i: ops.FusedSparseLazyAdam()(*_states(3), *_RATES, _ROW, i)),
    ("indices", lambda i: ops.FusedSparseFtrl(0.1, 0.0, 0.0, -0.5)(*_states(3), _ROW, i)),
    ("indices", lambda i: ops.SparseApplyFtrlV2(0.1, 0.0, 0.0, 0.0, -0.5)(*_states(3), _ROW, i)),
    ("LU_pivots", lambda i: ops.LuSolve()(_ROW, _ROW, i)),
    ("array", lambda i: ops.Bincount()(i, 2, Tensor([1.0]))),
]


@pytest.mark.parametrize(("name", "call"), INT32)
def test_int64_is_refused_where_int32_is_required(name: str, call: Callable[[Tensor], Any]) -> None:
    call(_INT)
    with pytest.raises(TypeError, match=f"{name} must be a Tensor of int32, got .*(?i:int64)"):
        call(_LONG)


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ValueError, lambda: ops.addbmm(_V, _V, _V)),
        (ValueError, lambda: ops.addmv(_V, _V, _V)),
        (ValueError, lambda: ops.mv(_V, _V)),
        (ValueError, lambda: ops.hsplit(_V, 2)),
        (ValueError, lambda: ops.repeat_elements(Tensor(np.ones((1,) * 8)), 2, -1)),
        (ValueError, lambda: ops.lrn(_X)),
        (ValueError, lambda: ops.ChannelShuffle(2)(Tensor([[[1], [2]]]))),
        (ValueError, lambda: ops.HSVToRGB()(Tensor([0.5, 0.5, 0.5]))),
        (ValueError, lambda: ops.TruncatedNormal()(Tensor([5]))),
        (ValueError, lambda: mint.bmm(_X, _X)),
        (RuntimeError, lambda: mint.baddbmm(_X, _X, _X)),
        (ValueError, lambda: F.batch_norm(_V, _V, _V)),
    ],
)
def test_a_wrong_number_of_axes_is_refused(error: type, call: Callable[[], Any]) -> None:
    with pytest.raises(error, match="must"):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: ops.flip(_X, 0),
        lambda: _X.flip(0),
        lambda: ops.hstack(_X),
        lambda: ops.vstack(_X),
        lambda: ops.row_stack(_X),
        lambda: ops.dstack(_X),
        lambda: ops.column_stack(_X),
        lambda: ops.vsplit(_X, _LONG),
        lambda: ops.threshold(_X, _V, 7.0),
        lambda: ops.gumbel_softmax(Tensor([1, 2])),
        lambda: ops.hinge_embedding_loss(_V, Tensor([1, -1])),
        lambda: nn.HingeEmbeddingLoss()(_V, Tensor([1, -1])),
        lambda: ops.renorm(_X, 2.0, 0, 1.0),
        lambda: ops.FillDiagonal(9),
        lambda: mnp.tri(2, 3, 0.5),
        lambda: ops.approximate_equal(_X, _X, 1),
    ],
)
def test_an_argument_of_another_type_is_a_type_error(call: Callable[[], Any]) -> None:
    with pytest.raises(TypeError, match="must"):
        call()


def test_bucketize_as_an_op_counts_a_boundary_to_the_interval_above_it() -> None:
    x = Tensor([1.0, 3.0, 0.9, 3.1, 2.0])
    assert ops.Bucketize([1.0, 3.0])(x).asnumpy().tolist() == [1, 2, 0, 2, 1]
    assert ops.bucketize(x, [1.0, 3.0]).asnumpy().tolist() == [0, 1, 0, 2, 1]
    assert ops.bucketize(x, [1.0, 3.0], right=True).asnumpy().tolist() == [1, 2, 0, 2, 1]


def test_gamma_samples_have_the_broadcast_shape_of_all_arguments() -> None:
    alpha, beta = Tensor([[3.0, 4.0], [5.0, 6.0]]), Tensor([1.0])
    assert ops.gamma((3, 1, 2), alpha, beta).shape == (3, 2, 2)
    with pytest.raises(ValueError):
        ops.gamma((3,), Tensor([1.0, 2.0]), beta)


def test_conv3d_transpose_finds_its_size_by_itself_as_in_mindspore() -> None:
    x = Tensor(np.ones((1, 2, 3, 4, 5), np.float32))
    w = Tensor(np.arange(72, dtype=np.float32).reshape(2, 3, 2, 3, 2))

    def of(**attributes: Any) -> tuple[float, ...]:
        output = ops.Conv3DTranspose(2, 3, (2, 3, 2), **attributes)(x, w).asnumpy().astype(float)
        return *output.shape, output.sum(), (output.ravel() * np.arange(output.size)).sum()

    # shape, sum and sum by places of MindSpore 2.10's results
    for attributes, expected in (
        ({}, (1, 3, 4, 6, 6, 153360, 38294640)),
        ({"stride": 2}, (1, 3, 6, 9, 10, 153360, 143449200)),
        ({"pad_mode": "same", "stride": 2}, (1, 3, 6, 8, 10, 139860, 116528760)),
        (
            {"pad_mode": "pad", "pad": 1, "stride": 3, "output_padding": (2, 1, 0)},
            (1, 3, 8, 11, 12, 95784, 169942928),
        ),
    ):
        np.testing.assert_allclose(of(**attributes), expected, rtol=1e-7)
    with pytest.raises(ValueError, match="output_padding must be 0"):
        of(output_padding=1)
    with pytest.raises(ValueError, match="dilation must be 1 along the depth"):
        of(dilation=2)


@pytest.mark.parametrize("call", [ops.clamp, ops.clip, mint.clamp, Tensor.clamp, Tensor.clip])
@pytest.mark.parametrize("among", [(_X, 1, True), (_X, True), (_X, None, Tensor(True))])
def test_true_and_false_bound_nothing(call: Callable[..., Any], among: Any) -> None:
    with pytest.raises(ValueError, match=r"clamp: m.. must not be bool"):
        call(*among)
    with pytest.raises(ValueError, match="clamp: input must not be bool"):
        call(_X > 2, 0, 1)
    with pytest.raises(ValueError, match="at least one of 'min' or 'max' must not be None"):
        call(_X)


@pytest.mark.parametrize("largest", [1, 0, None, "no"])
def test_which_elements_topk_takes_is_a_bool(largest: Any) -> None:
    with pytest.raises(TypeError, match="topk: largest must be a bool"):
        ops.topk(_V, 1, largest=largest)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("target_lengths", lambda: _align_one(_LONG, Tensor([1.5]))),
        ("target_lengths", lambda: _align_one(_LONG, (1.5,))),
        ("input_lengths", lambda: _align_one(Tensor([True]), _LONG)),
        ("a", lambda: ops.polygamma(1.5, _V)),
        ("ddof", lambda: ops.std(_X, None, 0.5)),
        ("ddof", lambda: ops.var_mean(_X, None, 0.5)),
        ("ddof", lambda: _X.var(ddof=0.5)),
        ("ddof", lambda: mnp.std(_X, ddof=0.5)),
        ("pad_num", lambda: ops.unique_with_pad(_LONG, -1.5)),
        ("divisor_override", lambda: ops.avg_pool2d(_ACTS, 2, divisor_override=2.5)),
        ("divisor_override", lambda: ops.avg_pool3d(_ACTS.expand_dims(0), 1, divisor_override=2.5)),
        ("divisor_override", lambda: ops.AvgPool3D(divisor_override=True)),
    ],
)
def test_a_count_with_a_fraction_is_refused_rather_than_cut(
    name: str, call: Callable[[], Any]
) -> None:
    with pytest.raises(TypeError, match=name):
        call()


def _align_one(input_lengths: Any, target_lengths: Any) -> Any:
    log_probs = Tensor(np.log(np.full((1, 1, 2), 0.5, np.float32)))
    return ops.ctc_loss(log_probs, Tensor([[1]]), input_lengths, target_lengths)


def test_lengths_of_ctc_loss_may_be_a_tuple_of_ints() -> None:
    np.testing.assert_allclose(_align_one((1,), (1,))[0].asnumpy(), np.log(2), rtol=1e-6)


@pytest.mark.parametrize(
    "call",
    [
        lambda number: ops.hardshrink(_X, number),
        lambda number: ops.softshrink(_X, number),
        lambda number: F.softshrink(_X, number),
        lambda number: mint.nn.Softshrink(number)(_X),
        lambda number: mint.nn.Hardshrink(number)(_X),
        lambda number: nn.HShrink(number)(_X),
        lambda number: ms.grad(ops.softshrink)(_X, number),
        lambda number: ms.grad(ops.hardshrink)(_X, number),
        lambda number: ops.isclose(_X, _V, number, 0.5),
        lambda number: ops.isclose(_X, _V, 0.5, number),
    ],
)
def test_true_and_false_count_as_one_and_zero(call: Callable[[Any], Tensor]) -> None:
    for flag in (True, False):
        np.testing.assert_array_equal(call(flag).asnumpy(), call(float(flag)).asnumpy())
