"""Each op of the registry on a device: what it overwrites, where its arrays lie, what it costs."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

from minispore import Tensor
from minispore.device.model.cost import program_cost
from minispore.device.model.memory import plan_memory
from minispore.device.model.predict import trace_step
from minispore.device.model.records import records_of
from minispore.device.model.spec import device_spec
from minispore.device.model.step import make_step
from minispore.ir.value import Spec
from tests.ops.samples import SAMPLES, Sample, load, tensors

load()
TRACED = [s for result in SAMPLES.values() for s in result if not s.op.dynamic]


@pytest.mark.parametrize("s", TRACED, ids=str)
def test_every_op_has_its_place_and_its_price(s: Sample) -> None:
    at = [i for i, a in enumerate(s.args) if isinstance(a, np.ndarray)]

    def f(*xs: Tensor) -> Any:
        args = tensors(s.args)
        for i, x in zip(at, xs, strict=True):
            args[i] = x
        return s.op(*args)

    with np.errstate(all="ignore"), warnings.catch_warnings():
        graph = trace_step(f, [Spec(s.args[i].shape, s.args[i].dtype) for i in at])
    step = make_step(graph)
    for node, record in zip(graph.nodes, records_of(graph), strict=True):
        inputs = [node.args[i] for i in node.prim.mutates]
        assert [record.inputs[i].key for i in record.mutates] == inputs
    for name in ("Ascend910", "A100"):
        spec = device_spec(name)
        plan = plan_memory(step.records, spec, batch=step.batch)
        assert 0 <= plan.peak <= plan.capacity
        cost = program_cost(step.records, spec, batch=step.batch, results=step.results)
        assert all(0 < k.us < math.inf for k in cost.kernels)
