"""Names that projects take from ``ops`` for what has another one here: methods as functions."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Generator, Tensor, mint, ops

MODES = pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])


@MODES
@pytest.mark.parametrize(
    "name, arguments, expected",
    [
        ("clamp_", (0.0, 1.0), [0, 0.25, 1]),
        ("clamp_", (Tensor(0.5), None), [0.5, 0.5, 2]),
        ("erfinv_", (), None),
        ("inplace_sigmoid", (), None),
        ("tanh_", (), np.tanh([-1, 0.25, 2])),
        ("zero_", (), [0, 0, 0]),
        ("put_", (Tensor([2]), Tensor([9.0])), [-1, 0.25, 9]),
        ("put_", (Tensor([2, 2]), Tensor([9.0, 1.0]), True), [-1, 0.25, 12]),
        ("normal_", (3.0, 0.0), [3, 3, 3]),
        ("uniform_", (5, 5), [5, 5, 5]),
        ("random_", (4, 5), [4, 4, 4]),
        ("bernoulli_", (1.0,), [1, 1, 1]),
    ],
)
def test_a_tensor_is_changed_and_returned(
    mode: int, name: str, arguments: Any, expected: Any
) -> None:
    ms.set_context(mode=mode)
    x = Tensor([-1.0, 0.25, 2.0])
    if name == "erfinv_":
        x, expected = ops.erf(x), [-1, 0.25, 2]
    if name == "inplace_sigmoid":
        expected = 1 / (1 + np.exp([1, -0.25, -2]))
    output = getattr(ops, name)(x, *arguments)
    assert output is x
    np.testing.assert_allclose(x.asnumpy(), expected, rtol=1e-5)
    with pytest.raises(TypeError, match="input must be a Tensor"):
        getattr(ops, name)([1.0], *arguments)


DRAWS = [ops.uniform_, ops.normal_, ops.exponential_, ops.bernoulli_, ops.random_, Tensor.bernoulli]


@pytest.mark.parametrize("draw", DRAWS, ids=lambda draw: draw.__name__)
def test_draws_come_from_the_generator_that_is_passed(draw: Callable[..., Tensor]) -> None:
    first = draw(Tensor([0.5] * 64), generator=Generator().manual_seed(5)).asnumpy()
    mint.rand(3)  # of the common stream, which says nothing here
    second = draw(Tensor([0.5] * 64), generator=Generator().manual_seed(5)).asnumpy()
    other = draw(Tensor([0.5] * 64), generator=Generator().manual_seed(6)).asnumpy()
    assert (first == second).all()
    assert (first != other).any()
    with pytest.raises(TypeError, match=r"Tensor\.\w+: generator must be a Generator, got 5"):
        draw(Tensor([0.5]), generator=5)


@MODES
def test_no_gradient_goes_through_what_was_stopped(mode: int) -> None:
    ms.set_context(mode=mode)
    x, y = Tensor([[0.5, 0.6], [1.2, 1.3]]), Tensor([[0.01, 0.3], [0.1, 0.2]])

    def net(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        first, second = ops.matmul(x, y), ops.matmul(x, y)
        assert ops.stop_gradient_(second) is None
        return first, second

    expected = np.tile(y.asnumpy().sum(1), (2, 1))
    np.testing.assert_allclose(ms.grad(net)(x, y).asnumpy(), expected, rtol=1e-6)
    with pytest.raises(TypeError, match="input must be a Tensor"):
        ops.stop_gradient_(1)


def test_a_copy_shares_nothing() -> None:
    x = Tensor([1.0, 2.0])
    output = ops.deepcopy(x)
    output.add_(1)
    x.mul_(0)
    assert (x.asnumpy().tolist(), output.asnumpy().tolist()) == ([0, 0], [2, 3])
    with pytest.raises(TypeError, match="input_x must be a Tensor"):
        ops.deepcopy([3])


def test_the_type_of_a_tensor() -> None:
    assert ops.typeof(Tensor([1.0])) == ms.TensorType(ms.float32)
    with pytest.raises(TypeError, match="x must be a Tensor"):
        ops.typeof(1)


def test_a_transposed_convolution_of_volumes_knows_its_sizes_by_its_weight() -> None:
    rng = np.random.default_rng(0)
    x, w = (Tensor(rng.standard_normal(s), ms.float32) for s in ((2, 4, 3, 3, 3), (4, 1, 2, 3, 2)))
    output = ops.conv3d_transpose(x, w, "pad", 1, 2, 1, 1, 1)
    op = ops.Conv3DTranspose(4, 1, (2, 3, 2), 1, "pad", 1, 2, 1, 1, 1)
    assert (output.asnumpy() == op(x, w).asnumpy()).all()
    assert ops.conv3d_transpose(x, w).shape == (2, 1, 4, 5, 4)
    with pytest.raises(ValueError, match="weight must have 5 axes"):
        ops.conv3d_transpose(x, w[0])


def test_other_spellings() -> None:
    x, y = Tensor([7.0, -7.0]), Tensor([2.0, 2.0])
    assert ops.floordiv(x, y).asnumpy().tolist() == [3, -4]
    assert ops.floormod(x, y).asnumpy().tolist() == [1, 1]
    assert ops.reshape_(x, (2, 1)).shape == (2, 1)
    assert ops.shape_(x) == (2,)
    assert ops.isnan_ext(Tensor([1.0, float("nan")])).asnumpy().tolist() == [False, True]
    assert ops.diff_ext(Tensor([2.0, 3.0, 7.0])).asnumpy().tolist() == [1, 4]
    assert ops.float_power_ext(x, 2.0).dtype == ms.float64
    assert float(ops.mse_loss_ext(x, y)) == (25 + 81) / 2
    assert float(ops.einsum_ext("i,i->", x, y)) == 0


PLACES = {
    "ops": "bernoulli_ clamp_ conv3d_transpose deepcopy typeof zero_",
    "ops.functional": "stop_gradient_ put_ fused_infer_attention_score typeof",
    "ops.function": "random_ rotated_iou ring_attention_update",
    "ops.function.array_func": "deepcopy reshape_ shape_ zero_",
    "ops.function.clip_func": "clamp_",
    "ops.function.grad.grad_func": "stop_gradient_",
    "ops.function.math_func": "bernoulli_ erfinv_ floordiv tanh_ rotated_iou bernoulli_ext "
    "multi_scale_deformable_attn_function",
    "ops.function.nn_func": "conv3d_transpose inplace_sigmoid conv_transpose2d "
    "incre_flash_attention prompt_flash_attention speed_fusion_attention ring_attention_update",
    "ops.function.random_func": "exponential_ normal_ random_ uniform_",
    "ops.auto_generate": "put_ zero_ conv_transpose2d reshape_and_cache kv_cache_scatter_update "
    "apply_rotary_pos_emb_ PromptFlashAttention IncreFlashAttention KVCacheScatterUpdate",
    "ops.auto_generate.gen_ops_prim": "FusedInferAttentionScore ReshapeAndCache PagedAttention",
    "ops.operations": "PagedAttention PagedAttentionMask ReshapeAndCache ApplyRotaryPosEmb",
    "ops.operations.nn_ops": "PromptFlashAttention IncreFlashAttention PagedAttention",
}


@pytest.mark.parametrize("path", PLACES)
def test_names_are_where_mindspore_has_them(path: str) -> None:
    module = importlib.import_module(f"minispore.{path}")
    for name in PLACES[path].split():
        assert callable(getattr(module, name))
        assert name in dir(module)


@pytest.mark.parametrize("path", ["ops", "ops.functional", "ops.function"])
def test_ops_exports_names_that_mint_documents(path: str) -> None:
    module = importlib.import_module(f"minispore.{path}")
    assert module.mse_loss_ext is mint.nn.functional.mse_loss
    assert module.baddbmm_ext is mint.baddbmm
    assert module.conv_transpose2d is mint.nn.functional.conv_transpose2d


def test_a_look_at_what_mint_documents_does_not_show_it_at_ops() -> None:
    printed = dir(ops)
    assert ops.baddbmm_ext is importlib.import_module("minispore.mint.ext").baddbmm_ext
    assert dir(ops) == printed
