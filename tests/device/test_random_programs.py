"""Random programs on the model of a device: effects without outputs, outputs that nobody reads."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import minispore as ms
from minispore import Parameter, Tensor, ops
from minispore.device import Shapes, parallel_plan
from minispore.device.model.cost import program_cost
from minispore.device.model.fragments import compute_peak_with_fragments
from minispore.device.model.memory import plan_memory
from minispore.device.model.predict import estimate_step, trace_step
from minispore.device.model.schedule import WAYS, Schedule
from minispore.device.model.spec import device_spec
from minispore.device.model.step import make_step
from minispore.device.model.stream import StreamClock
from minispore.device.model.table import get_record_cost
from minispore.ir.value import Spec

INSERTED = ("Cast", "TransData", "MemSet")  # kernels of the device's own
SQUARE = Spec((4, 4), np.dtype(np.float32))


def make_effect(*inputs: Spec) -> Any:
    """An op without outputs, as a debugging function is."""
    dtypes, shapes = [ms.float32] * len(inputs), [spec.shape for spec in inputs]
    return ops.PyFunc(lambda *arrays: None, dtypes, shapes, [], [])


def convolve(x: Tensor, p: Parameter) -> Tensor:
    """A feature map among matrices."""
    return ops.conv2d(x.reshape(1, 4, 2, 2), p.reshape(4, 4, 1, 1)).reshape(4, 4)


#: What a statement does to the values so far; it returns new values, none for an effect alone.
STATEMENTS: dict[str, Callable[[Tensor, Tensor, Parameter], Any]] = {
    "exp": lambda x, y, p: [ops.exp(x)],
    "add": lambda x, y, p: [x + y],
    "mul": lambda x, y, p: [x * p],
    "view": lambda x, y, p: [x.reshape(-1).reshape(4, 4)],
    "transpose": lambda x, y, p: [x.T],
    "matmul": lambda x, y, p: [ops.matmul(x, y)],
    "product": lambda x, y, p: [ops.matmul(x, p)],
    "split": lambda x, y, p: [ops.concat(ops.split(x, 2)[:1] * 2)],
    "sum": lambda x, y, p: [x + x.sum()],
    "cast": lambda x, y, p: [x.astype(ms.float16).astype(ms.float32)],
    "scalar": lambda x, y, p: [x * ops.sqrt(y.sum() + 1.0)],
    "top": lambda x, y, p: [ops.topk(x, 4)[0]],
    "unread": lambda x, y, p: [ops.topk(x, 2)][1:],
    "draw": lambda x, y, p: [ops.dropout(x, 0.5)],
    "assign": lambda x, y, p: [ops.assign(p, x)],
    "update": lambda x, y, p: [ops.assign_sub(p, x * 0.1)][1:],
    "print": lambda x, y, p: [ops.Print()(x)][1:],
    "effect": lambda x, y, p: list(make_effect(SQUARE)((x,))),
    "effect alone": lambda x, y, p: list(make_effect()(())),
    "image": lambda x, y, p: [ops.relu(x.reshape(1, 1, 4, 4)).reshape(4, 4)],
    "conv": lambda x, y, p: [
        ops.conv2d(x.reshape(1, 4, 2, 2), p.reshape(4, 4, 1, 1)).reshape(4, 4)
    ],
}
statements = st.lists(
    st.tuples(st.sampled_from(sorted(STATEMENTS)), st.integers(0, 99), st.integers(0, 99)),
    max_size=12,
)


@st.composite
def programs(draw: Any) -> Callable[[Tensor], Any]:
    """A step: statements, the gradient of such, and statements of an optimizer."""
    before, loss, update = draw(statements), draw(statements), draw(statements)
    has_gradient, returns = draw(st.booleans()), draw(st.integers(0, 2))

    def run(code: Any, values: list[Any], p: Parameter) -> list[Any]:
        for name, i, j in code:
            x, y = values[i % len(values)], values[j % len(values)]
            values = [*values, *STATEMENTS[name](x, y, p)]
        return values

    p = Parameter(Tensor(np.ones((4, 4), np.float32)), name="p")

    def step(x: Tensor) -> Any:
        values = run(before, [x], p)
        if has_gradient:
            function = ms.value_and_grad(lambda t: run(loss, [t], p)[-1].sum(), 0, [p])
            value, (dx, (dp,)) = function(values[-1])
            values = run(update, [value + x, dx, dp], p)
        return tuple(values[len(values) - returns :])

    return step


devices = st.sampled_from(["Ascend910", "Ascend310P3", "A100", "CPU"])


@given(programs(), devices)
def test_every_op_has_one_kernel_and_every_kernel_a_time(step: Any, device: str) -> None:
    traced, spec = make_step(trace_step(step, [SQUARE])), device_spec(device)
    cost = program_cost(traced.records, spec, batch=traced.batch, results=traced.results)
    assert all(0 < k.us < math.inf for k in cost.kernels)
    engines = {r.name: get_record_cost(r).engine for r in traced.records}
    computed = Counter(op for k in cost.kernels for op in k.ops)
    priced = Counter(r.name for r in traced.records if engines[r.name] not in ("free", "view"))
    assert priced <= computed
    inserted = {*INSERTED, *(name for name, engine in engines.items() if engine == "view")}
    assert (computed - priced).keys() <= inserted
    assert list(cost.op_kernels) == sorted(cost.op_kernels)
    assert len(cost.op_kernels) == len(traced.records)


@given(programs(), devices)
def test_memory_is_planned_for_every_op(step: Any, device: str) -> None:
    traced, spec = make_step(trace_step(step, [SQUARE])), device_spec(device)
    plan = plan_memory(traced.records, spec, batch=traced.batch)
    assert 0 <= plan.peak <= compute_peak_with_fragments(plan)
    assert all(0 <= life.first <= life.last for life in plan.lifetimes)


@given(programs(), devices, st.integers(1, 3))
def test_no_way_is_slower_than_the_one_before(step: Any, device: str, sink_size: int) -> None:
    traced = make_step(trace_step(step, [SQUARE]))
    estimate = estimate_step(traced, device_spec(device), 5, sink_size, 1.0)
    times = [estimate[way].step_us for way in reversed(WAYS)]
    assert times == sorted(times)
    assert str(estimate)


@given(programs(), st.sampled_from(WAYS))
def test_no_two_tasks_of_a_lane_overlap(step: Any, way: str) -> None:
    traced, spec = make_step(trace_step(step, [SQUARE])), device_spec("Ascend910")
    clock = StreamClock(spec)
    Schedule(clock, program_cost(traced.records, spec, batch=traced.batch), way, detail=2).run(3, 2)
    assert clock.timeline is not None
    assert not clock.timeline.overlaps()


@given(programs(), st.sampled_from([1, 2, 4]), st.sampled_from([1, 2]))
def test_every_program_is_planned_for_many_ranks(step: Any, tensor: int, stages: int) -> None:
    """Those without a product that the ranks can split are refused."""
    batch = Shapes([((4, 4), np.float32)])
    try:
        plan = parallel_plan(step, batch, tensor=tensor, stages=stages)
    except ValueError as error:
        assert tensor > 1
        assert "tensor must divide" in str(error)
        return
    assert 0 <= plan.step_us < math.inf
