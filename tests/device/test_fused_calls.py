"""Formulas that an Ascend has as one kernel are priced, and take memory, as one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import minispore as ms
from minispore import Parameter, Tensor, nn, ops
from minispore.device import Shapes, estimate
from minispore.device.model.cost import ProgramCost
from minispore.device.model.parallel.sharding import shard
from minispore.device.model.predict import training_step
from minispore.device.model.records import OpRecord
from minispore.device.model.spec import device_spec
from minispore.ops.transformer.grouped import GroupedMatmulV4

HALF = np.dtype(np.float16)


def attend_plainly(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = ops.matmul(q, k.swapaxes(-1, -2)) * 0.5
    return ops.matmul(ops.softmax(scores), v)


def attend_at_once(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return ops.flash_attention_score(q, k, v, q.shape[1], scalar_value=0.5, input_layout="BNSD")


def derive(fn: Callable[..., Tensor]) -> Callable[..., tuple[Tensor, ...]]:
    return ms.grad(fn, grad_position=(0, 1, 2))


def heads(rows: int, count: int, words: int, size: int) -> Shapes:
    return Shapes([((rows, count, words, size), HALF)] * 3)


def records(fn: Callable[..., object], batch: Shapes) -> list[OpRecord]:
    return list(training_step(fn, batch).records)


@settings(max_examples=15, deadline=None)
@given(
    st.integers(1, 4), st.sampled_from([1, 4, 12]), st.sampled_from([256, 1000, 4096]),
    st.sampled_from([64, 128]), st.booleans(), st.sampled_from(["Ascend910", "Ascend910B2"]),
)  # fmt: skip
def test_attention_at_once_is_never_slower_or_larger_than_its_formula(
    rows: int, count: int, words: int, size: int, is_derivative: bool, device: str
) -> None:
    batch, fns = heads(rows, count, words, size), (attend_at_once, attend_plainly)
    fused, plain = (
        estimate(derive(fn) if is_derivative else fn, batch, device=device, data_us=0) for fn in fns
    )
    assert fused.cost.device_us <= plain.cost.device_us
    assert fused.memory.peak <= plain.memory.peak


def test_attention_keeps_no_array_of_scores() -> None:
    op_records = records(derive(attend_at_once), heads(1, 2, 512, 64))
    assert max(o.size for r in op_records for o in (*r.inputs, *r.outputs)) == 2 * 512 * 64


def test_a_call_and_its_derivative_are_one_record_each() -> None:
    op_records = records(derive(attend_at_once), heads(1, 2, 512, 64))
    names = [r.name for r in op_records if r.parts]
    assert names == ["FlashAttentionScore", "FlashAttentionScoreGrad"]


def test_two_calls_on_one_line_are_two_records() -> None:
    def attend_twice(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return attend_at_once(attend_at_once(q, k, v), k, v)

    op_records = records(derive(attend_twice), heads(1, 2, 512, 64))
    assert sorted(r.name for r in op_records if r.parts) == [
        *["FlashAttentionScore"] * 2,
        *["FlashAttentionScoreGrad"] * 2,
    ]


def test_the_attention_gradient_recomputes_the_scores() -> None:
    """Forward are two products; backward the first of them, and two for each of them."""
    op_records = records(derive(attend_at_once), heads(1, 2, 512, 64))
    products = [[p.name for p in r.parts].count("BatchMatMul") for r in op_records if r.parts]
    assert products == [2, 5]


def test_a_call_that_another_op_can_not_reach_into_has_the_inputs_and_outputs_of_the_formula() -> (
    None
):
    op_records = records(attend_at_once, heads(1, 2, 512, 64))
    (call,) = (r for r in op_records if r.parts)
    assert [o.shape for o in call.outputs] == [(1, 2, 512, 64)]
    assert [o.shape for o in call.inputs[:3]] == [(1, 2, 512, 64)] * 3


class Normalize(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.gamma = Parameter(ops.ones((64,), ms.float32), name="gamma")

    def construct(self, x: Tensor) -> Tensor:
        return ops.rms_norm(x, self.gamma)[0]


def test_a_norm_is_one_kernel() -> None:
    batch = Shapes([((32, 64), np.float32)])
    assert estimate(Normalize(), batch, device="Ascend910", data_us=0).cost.launches == 1


def test_ranks_that_split_the_heads_share_the_work_of_attention() -> None:
    class Block(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.q, self.k, self.v, self.out = (nn.Dense(64, 64) for _ in range(4))

        def construct(self, x: Tensor) -> Tensor:
            q, k, v = self.q(x), self.k(x), self.v(x)
            return self.out(ops.flash_attention_score(q, k, v, 4, input_layout="BSH"))

    sharded = shard(records(Block(), Shapes([((2, 128, 64), np.float32)])), 4)
    assert [e.op for e in sharded.exchanges] == ["AllReduce"]
    assert [r.part_share for r in sharded.records if r.parts] == [0.25]


def test_a_derivative_keeps_only_the_inputs_that_it_reads() -> None:
    """Rotated positions are turned back by the sines and cosines alone."""

    def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        return ops.rotary_position_embedding(x, cos, sin)

    batch = Shapes([((1, 2, 16, 64), HALF), *[((1, 1, 16, 64), HALF)] * 2])
    op_records = records(ms.grad(rotate), batch)
    (backward,) = (r for r in op_records if r.name == "RotaryPositionEmbeddingGrad")
    assert sum(o.shape == (1, 2, 16, 64) for o in backward.inputs) == 1


def test_attention_keeps_a_maximum_and_a_sum_of_each_row_for_its_derivative() -> None:
    op_records = records(derive(attend_at_once), heads(1, 2, 512, 64))
    call, derivative = (r for r in op_records if r.parts)
    assert call.outputs[-1] == derivative.inputs[-1]
    assert call.outputs[-1].nbytes == 2 * 512 * 2 * 8 * 4


# -- grouped products ------------------------------------------------------------------------------


def multiply_groups(x: Tensor, weight: Tensor, ends: Tensor, *bias: Tensor) -> Tensor:
    options = {"group_list": ends, "split_item": 3, "group_type": 0}
    return GroupedMatmulV4()([x], [weight], list(bias) or None, **options)[0]


def price_groups(groups: int, rows: int, inner: int, columns: int, bias: bool) -> ProgramCost:
    batch = Shapes(
        [
            ((rows, inner), HALF), ((groups, inner, columns), HALF), ((groups,), np.int64),
            *[((groups, columns), HALF)] * bias,
        ]
    )  # fmt: skip
    return estimate(multiply_groups, batch, device="Ascend910B2", data_us=0).cost


@settings(max_examples=15, deadline=None)
@given(
    st.integers(1, 16), st.integers(1, 300), st.sampled_from([64, 500, 2048]),
    st.sampled_from([16, 100, 1024]), st.booleans(),
)  # fmt: skip
def test_a_grouped_product_takes_no_longer_than_one_product_after_another(
    groups: int, rows: int, inner: int, columns: int, bias: bool
) -> None:
    """And no less than its operations at the peak, or its arrays once through the memory."""
    spec = device_spec("Ascend910B2")
    (kernel,) = price_groups(groups, groups * rows, inner, columns, bias).kernels
    one = Shapes([((rows, inner), HALF), ((inner, columns), HALF)])
    product = estimate(ops.matmul, one, device=spec, data_us=0).cost
    assert kernel.cube_flops == groups * product.cube_flops
    if not bias:
        assert kernel.us <= groups * product.device_us
    flops = 2 * groups * rows * inner * columns
    nbytes = 2 * groups * (rows * (inner + columns) + inner * columns)
    assert kernel.us >= 1e6 * flops / spec.peak_cube_flops
    assert kernel.nbytes >= nbytes
    assert kernel.memory_us >= nbytes / max(spec.memory_gbs, spec.l2_gbs) / 1e3


def test_groups_of_one_row_take_a_tile_each() -> None:
    (kernel,) = price_groups(8, 8, 64, 32, bias=False).kernels
    assert kernel.cube_flops == 2 * 8 * 16 * 64 * 32


def test_the_bias_of_groups_is_added_in_their_kernel() -> None:
    plain, biased = (price_groups(8, 1024, 512, 256, bias) for bias in (False, True))
    assert (plain.launches, biased.launches) == (1, 1)
    assert biased.kernels[0].nbytes - plain.kernels[0].nbytes < 2**16
    assert not biased.sum_default_priced_types()


def test_ranks_gather_what_goes_into_a_grouped_product_with_a_bias() -> None:
    class Experts(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.dense = nn.Dense(64, 64)
            self.weight = Parameter(ops.zeros((4, 64, 32), ms.float32), name="weight")
            self.bias = Parameter(ops.zeros((4, 32), ms.float32), name="bias")

        def construct(self, x: Tensor, ends: Tensor) -> Tensor:
            return multiply_groups(self.dense(x), self.weight, ends, self.bias)

    batch = Shapes([((16, 64), np.float32), ((4,), np.int64)])
    sharded = shard(records(Experts(), batch), 4)
    (product,) = (r for r in sharded.records if r.parts)
    assert (16, 64) in [o.shape for o in product.inputs]
    assert [o.shape for o in product.outputs] == [(16, 32)]
    assert [e.op for e in sharded.exchanges] == ["AllGather"]
