"""Trainings on many ranks, predicted: what must hold whatever the numbers are."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import models
from minispore import Model, nn, ops
from minispore.device import ParallelPlan, Shapes, estimate, memory_report, parallel_plan
from minispore.device.model.parallel.pipeline import bubble
from minispore.device.model.parallel.sharding import COLUMN, ROW, WHOLE, shard
from minispore.device.model.predict import training_step
from minispore.nn.utils import no_init_parameters

POWERS = st.integers(0, 6).map(lambda n: 2**n)


@cache
def bert() -> models.ModelWithShapes:
    with no_init_parameters():
        return models.bert(32, layers=4, width=128, heads=8, optimizer=nn.Adam, words=1024)


@cache
def plan(**numbers: Any) -> ParallelPlan:
    return parallel_plan(*bert(), **numbers)


def two_products() -> tuple[Model, Shapes]:
    net = nn.SequentialCell([nn.Dense(64, 256), nn.ReLU(), nn.Dense(256, 32)])
    model = Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.1, 0.9))
    return model, Shapes([((16, 64), np.float32), ((16, 32), np.float32)])


# -- one rank is what it was -----------------------------------------------------------------------


def test_one_rank_takes_what_the_estimate_says() -> None:
    single = estimate(*bert(), data_us=0).cost.device_us
    assert plan().step_us == pytest.approx(single, rel=1e-6)


def test_one_rank_needs_what_the_memory_report_says() -> None:
    report = memory_report(*bert())
    channel = report.peak_by_kind["channel"]
    assert plan().peak == pytest.approx(report.peak - channel, rel=0.02)


def test_the_static_memory_of_one_rank_is_exact() -> None:
    report, mine = memory_report(*bert()).peak_by_kind, plan().stages[0].memory
    for kind in ("parameters", "optimizer state"):
        assert mine[kind] == report[kind]


# -- laws ------------------------------------------------------------------------------------------


@given(st.integers(1, 64), st.integers(1, 512))
def test_the_bubble_is_what_is_published(stages: int, micro_batches: int) -> None:
    share = bubble(stages, micro_batches)
    assert share == (stages - 1) / (micro_batches + stages - 1)
    assert 0 <= share < 1


@settings(deadline=None, max_examples=15)
@given(st.sampled_from([1, 2, 4]), st.sampled_from([1, 2, 4, 8]))
def test_a_pipeline_takes_as_long_as_its_slowest_stage_and_its_bubble(stages, micro) -> None:
    actual = plan(stages=stages, micro_batches=micro)
    busy = micro * max(s.micro_us for s in actual.stages)
    assert actual.pipeline_us * (1 - actual.bubble) == pytest.approx(busy)


@settings(deadline=None, max_examples=20)
@given(POWERS, st.sampled_from([1, 2, 3]), st.sampled_from([1, 2]), st.sampled_from([1, 2]))
def test_more_ranks_never_need_more_memory_each_where_they_share(
    data, zero, tensor, stages
) -> None:
    options = {"zero": zero, "tensor": tensor, "stages": stages, "micro_batches": stages}
    assert plan(data=2 * data, **options).peak <= plan(data=data, **options).peak


@settings(deadline=None, max_examples=20)
@given(POWERS, st.sampled_from([0, 1, 2]))
def test_sharing_more_never_needs_more_memory(data: int, zero: int) -> None:
    assert plan(data=data, zero=zero + 1).peak <= plan(data=data, zero=zero).peak


@pytest.mark.parametrize("tensor", [1, 2, 4])
def test_splitting_products_further_never_needs_more_memory(tensor: int) -> None:
    assert plan(tensor=2 * tensor).peak <= plan(tensor=tensor).peak


@settings(deadline=None, max_examples=20)
@given(POWERS, st.integers(0, 3), st.sampled_from([1, 2]), st.booleans())
def test_what_shows_of_communication_is_never_more_than_all_of_it(
    data, zero, tensor, again
) -> None:
    actual = plan(data=data, zero=zero, tensor=tensor, recompute=again)
    assert 0 <= actual.exposed_us <= actual.all_reduce_us <= actual.communication_us


@settings(deadline=None, max_examples=20)
@given(POWERS, st.integers(0, 2))
def test_more_data_parallel_ranks_never_make_a_step_much_shorter(data: int, zero: int) -> None:
    """Only ZeRO takes anything away: the updates that other ranks do."""
    one, many = plan(zero=zero), plan(data=data, zero=zero)
    assert many.step_us >= one.step_us - one.stages[0].update_us
    assert many.rows == data * one.rows


def test_zero_1_and_2_move_what_an_all_reduce_does() -> None:
    assert plan(data=8).all_reduce_us == plan(data=8, zero=2).all_reduce_us


def test_zero_3_communicates_one_and_a_half_times_as_much() -> None:
    assert plan(data=8, zero=3).all_reduce_us == pytest.approx(1.5 * plan(data=8).all_reduce_us)


def test_optimizer_state_is_shared_exactly() -> None:
    one, eight = (plan(data=d, zero=1).stages[0].memory["optimizer state"] for d in (1, 8))
    assert eight == -(-one // 8)


@pytest.mark.parametrize("stages", [2, 4])
def test_the_stages_have_all_parameters_between_them(stages: int) -> None:
    """The table of words is on the first stage and, since the output reads it too, the last."""
    whole = plan().stages[0].memory["parameters"]
    parts = sum(s.memory["parameters"] for s in plan(stages=stages, micro_batches=4).stages)
    assert whole <= parts <= whole + 4 * 1024 * 128


def test_the_stages_have_all_kernels_between_them() -> None:
    actual = plan(stages=4, micro_batches=4)
    assert all(s.kernels > 50 for s in actual.stages)


def test_the_first_stage_holds_the_most_micro_batches() -> None:
    values = [s.memory["activations"] for s in plan(stages=4, micro_batches=8).stages[:3]]
    assert values == sorted(values, reverse=True)


def test_recomputing_trades_time_for_memory() -> None:
    stored, second = plan(), plan(recompute=True)
    assert second.peak < stored.peak
    forward = stored.stages[0].forward_us
    assert second.step_us == pytest.approx(stored.step_us + forward)


# -- products over ranks ---------------------------------------------------------------------------


def test_a_block_is_split_by_columns_then_rows_with_one_all_reduce() -> None:
    """Dense(64, 256), ReLU, Dense(256, 32): the sum of the second is all that is exchanged."""
    step = training_step(*two_products())
    sharded = shard(step.records, 2)
    forward = [
        sharded.records[e.op_index]
        for e in sharded.exchanges
        if sharded.records[e.op_index].kind == "forward"
    ]
    assert [(r.name, r.outputs[0].shape) for r in forward] == [("BiasAdd", (16, 32))]
    weights = {
        r.inputs[1].shape for r in sharded.records if r.name == "MatMul" and r.inputs[1].param
    }
    assert {(128, 64), (32, 128)} <= weights


def test_each_layer_of_a_transformer_exchanges_twice_forward() -> None:
    step = training_step(*bert())
    sharded = shard(step.records, 4)
    layers = [
        sharded.records[e.op_index].scope
        for e in sharded.exchanges
        if sharded.records[e.op_index].kind == "forward" and e.op == "AllReduce"
    ]
    assert [s.split("network.")[-1] for s in layers] == [
        *(f"{i}.{part}" for i in range(4) for part in ("attention.out", "down")),
        "loss",
    ]


def test_each_layer_of_a_transformer_exchanges_twice_backward() -> None:
    """What three products of one input send back is added up before ranks exchange it."""
    sharded = shard(training_step(*bert()).records, 4)
    scopes = [sharded.records[e.op_index].scope for e in sharded.exchanges if e.kind == "backward"]
    assert [sum(f".{i}." in scope for scope in scopes) for i in range(3)] == [2, 2, 2]


def test_a_split_sum_that_leaves_the_step_is_exchanged() -> None:
    net = nn.SequentialCell([nn.Dense(64, 256), nn.ReLU(), nn.Dense(256, 64, has_bias=False)])
    sharded = shard(training_step(net, Shapes([((16, 64), np.float32)])).records, 2)
    assert [e.op for e in sharded.exchanges] == ["AllReduce"]


def test_a_loss_over_split_words_exchanges_two_numbers_a_row() -> None:
    sharded = shard(training_step(*bert()).records, 4)
    sums = [e for e in sharded.exchanges if "CrossEntropy" in sharded.records[e.op_index].name]
    rows = sharded.records[sums[0].op_index].inputs[0].shape[0]
    assert [(e.op, e.nbytes) for e in sums] == [("AllReduce", 2 * 4 * rows)] * len(sums)


def test_moments_are_split_with_their_weight() -> None:
    one, two = plan().stages[0].memory, plan(tensor=2).stages[0].memory
    for kind in ("parameters", "optimizer state"):
        assert two[kind] < 0.6 * one[kind]


@pytest.mark.parametrize(
    ("strategy", "shape", "exchanged"),
    [
        (COLUMN, (128, 64), 0),
        (ROW, (256, 32), 1),
        (WHOLE, (256, 64), 0),
        (((1, 1), (2, 1)), (128, 64), 0),  # a weight that lies (outputs, inputs)
        (((1, 2), (1, 2)), (256, 32), 1),
        (((2, 1), (1, 1)), (256, 64), 0),
    ],
)
def test_a_strategy_says_how_a_product_is_split(strategy, shape, exchanged) -> None:
    net = nn.SequentialCell([nn.Dense(64, 256)])
    model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
    batch = Shapes([((16, 64), np.float32), ((16, 256), np.float32)])
    sharded = shard(training_step(model, batch).records, 2, {"*.0": strategy})
    product = next(r for r in sharded.records if r.name == "MatMul")
    assert product.inputs[1].shape == shape
    sums = [e for e in sharded.exchanges if e.kind == "forward" and e.op == "AllReduce"]
    assert len(sums) == exchanged


@pytest.mark.parametrize("bad", ["diagonal", ((1, 1),), ((1, 1), (3, 1)), ((1,), (1,))])
def test_a_strategy_that_says_nothing_is_refused(bad: Any) -> None:
    with pytest.raises(ValueError, match="strategies"):
        parallel_plan(*two_products(), tensor=2, strategies={"*": bad})


def attention(heads: int, *, is_fused: bool) -> tuple[Model, Shapes]:
    """A block of attention with heads of 16, from three products or from one."""

    class Block(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            width = 16 * heads
            self.products = nn.CellList(
                [nn.Dense(width, 3 * width)]
                if is_fused
                else [nn.Dense(width, width) for _ in range(3)]
            )
            self.out = nn.Dense(width, width)

        def construct(self, x):
            rows, words, width = x.shape
            if is_fused:
                shape = (rows, words, 3, heads, 16)
                q, k, v = self.products[0](x).reshape(shape).transpose(2, 0, 3, 1, 4)
            else:
                shape = (rows, words, heads, 16)
                q, k, v = (p(x).reshape(shape).transpose(0, 2, 1, 3) for p in self.products)
            scores = ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)))
            mixed = ops.matmul(scores, v).transpose(0, 2, 1, 3)
            return self.out(mixed.reshape(rows, words, width))

    net = Block()
    model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
    return model, Shapes([((2, 8, 16 * heads), np.float32)] * 2)


@pytest.mark.parametrize("is_fused", [False, True])
def test_heads_are_split_with_one_all_reduce_forward(is_fused: bool) -> None:
    sharded = shard(training_step(*attention(4, is_fused=is_fused)).records, 4)
    forward = [e.op for e in sharded.exchanges if sharded.records[e.op_index].kind == "forward"]
    assert forward == ["AllReduce"]


@pytest.mark.parametrize("is_fused", [False, True])
def test_ranks_that_do_not_divide_the_heads_are_refused(is_fused: bool) -> None:
    with pytest.raises(ValueError, match=r"tensor must divide one of .*5\], into which Reshape"):
        parallel_plan(*attention(5, is_fused=is_fused), tensor=8)


def test_ranks_that_divide_no_weight_are_refused_with_what_divides() -> None:
    with pytest.raises(ValueError, match=r"got 5 for weights of .* Use 1, 2, 4"):
        parallel_plan(*two_products(), tensor=5)


def test_a_strategy_for_a_weight_that_the_ranks_do_not_divide_is_refused() -> None:
    with pytest.raises(ValueError, match="tensor must divide the 256 columns"):
        parallel_plan(*two_products(), tensor=3, strategies={"*.0": COLUMN})


# -- arguments and words ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"data": 0}, ValueError, "data must be at least 1"),
        ({"data": 1.0}, TypeError, "data must be an int"),
        ({"tensor": True}, TypeError, "tensor must be an int"),
        ({"data": 512, "tensor": 8, "stages": 2}, ValueError, "at most 4096"),
        ({"zero": 4}, ValueError, "zero must be 0, 1, 2 or 3"),
        ({"micro_batches": 5}, ValueError, "must divide"),
    ],
)
def test_numbers_that_can_not_be_are_refused(options, error, text) -> None:
    with pytest.raises(error, match=text):
        parallel_plan(*two_products(), **options)


def test_4096_ranks_are_planned() -> None:
    actual = plan(data=512, tensor=4, stages=2, micro_batches=4, zero=2)
    assert actual.ranks == 4096


def test_the_plan_tells_each_rank_s_memory_in_the_words_of_dryrun() -> None:
    text = str(plan(data=2, stages=2, micro_batches=4))
    assert "Device MOC memory size: 32768M" in text
    assert "ranks 0 to 1: Used peak memory usage (without fragments): " in text
    assert "ranks 2 to 3: Used peak memory usage (without fragments): " in text
    assert "bubble 20.0%" in text


def test_a_plan_that_does_not_fit_says_so() -> None:
    small = replace(plan(), spec=plan().spec.replace(memory_bytes=1 << 24))
    assert not small.fits
    assert "Out of Memory!!!" in str(small)
