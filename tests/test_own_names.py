"""Attributes that users' classes may have: none of ours stands in their way.

What a base class has beside MindSpore's is written with an underscore at its end, which nobody else
does: a user's ``self.update = ...`` or ``def order(self)`` then means what it means there.
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore as ms
import minispore.dataset as ds
from minispore import Tensor, nn, train
from minispore.foundation.foreign_names import MissingName
from tests.golden.bases import bases, names

FACTS: dict[str, str] = json.loads((Path(__file__).parent / "golden/attributes.json").read_text())

# Names that MindSpore 2.10 lacks and that are there all the same.
KNOWN = {
    # Functions of `ops`, which other versions of MindSpore have as methods.
    "Tensor": "exp2 gelu hardsigmoid hardswish leaky_relu log_softmax mv prelu relu relu6 silu",
    "SequentialCell": "insert",  # as of a CellList
    "LossBase": "reduction",  # what the losses of MindSpore keep under this name
    "Optimizer": "grad_centralization_flags",  # in MindSpore only with groups
    "Callback": "resumes",  # our own: read of the class, so an instance may have any
}
# Where a tensor keeps what it is: nobody hangs private attributes of these names on one.
TENSORS = (
    "_get_content _get_printable _hooks _pending_init _read_content _to_python_scalar _value _view "
    "_views _write_in_place"
)
PARAMETERS = "_aliasing_value _deferred_init _in_place_binding _name storage_format"
KNOWN["Tensor"] += f" {TENSORS}"
KNOWN["Parameter"] = f"{KNOWN['Tensor']} {PARAMETERS}"
OURS = bases(ms)


@pytest.mark.parametrize("base", FACTS)
def test_no_name_of_ours_stands_in_the_way_of_a_users_class(base: str) -> None:
    more = {n for n in names(OURS[base]) - {*FACTS[base].split()} if not n.endswith("_")}
    more = {
        n for n in more if not isinstance(inspect.getattr_static(OURS[base], n, None), MissingName)
    }
    assert more == {*KNOWN.get(base, "").split()}


def test_a_tensor_takes_attributes_of_names_that_pytorch_has() -> None:
    parameter = ms.Parameter(Tensor([1.0]))
    parameter.grad = Tensor([2.0])
    assert float(parameter.grad) == 2.0
    assert not hasattr(Tensor([1.0]), "grad")


@pytest.fixture(params=[ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
def mode(request: pytest.FixtureRequest) -> None:
    ms.set_context(mode=request.param)


def test_a_cell_with_attributes_of_any_name(mode: None) -> None:
    class Net(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.graph_key, self._record, self._apart = 2.0, 3.0, 5.0
            self.place = nn.Dense(2, 1, weight_init="ones", has_bias=False)
            self._own_hooks = ms.Parameter(Tensor([1.0, 2.0]))

        def plain_call(self, x: Tensor) -> Tensor:
            return x * self.graph_key

        def _check_inputs(self, x: Tensor) -> Tensor:
            return self.plain_call(x) * self._record

        def construct(self, x: Tensor) -> Tensor:
            return self.place(self._check_inputs(x) * self._apart + self._own_hooks)

    net = Net()
    assert net(Tensor([[1.0, 1.0]])).tolist() == [[63.0]]
    net.graph_key = 4.0
    assert net(Tensor([[1.0, 1.0]])).tolist() == [[123.0]]
    assert {"place.weight", "_own_hooks"} == {*net.parameters_dict()}
    assert net.register_forward_hook(lambda cell, given, out: out * 2) is not None
    assert net(Tensor([[1.0, 1.0]])).tolist() == [[246.0]]


def test_an_optimizer_with_attributes_of_any_name(mode: None) -> None:
    class Slow(nn.Momentum):
        def update(self) -> float:
            return self.owners

        def __init__(self, weights: Any) -> None:
            super().__init__(weights, 1.0, 0.5)
            self.owners, self.prepared, self.before_updates = 3.0, "yes", None

    weight = ms.Parameter(Tensor([2.0]), name="w")
    optimizer = Slow([weight])
    optimizer((Tensor([0.5]),))
    assert weight.tolist() == [1.5] and optimizer.update() == 3.0


def test_metrics_samplers_and_callbacks_with_attributes_of_any_name() -> None:
    class Count(nn.Accuracy):
        def clear(self) -> None:
            super().clear()
            self._counted, self._arrays = 0, []

    count = Count("classification")
    count.update(Tensor([[0.0, 1.0]]), Tensor([1], ms.int32))
    assert count.eval() == 1.0

    class Order(ds.Sampler):
        def __init__(self) -> None:
            super().__init__()
            self.order, self._order, self.of_classes, self.bound = [2, 0], "any", True, 7

        def size(self) -> int:
            return len(self.order)

        def begun(self) -> bool:
            return True

        def __iter__(self) -> Any:
            return iter(self.order)

    data = ds.NumpySlicesDataset(np.arange(3), ["x"], sampler=Order())
    assert [int(x) for (x,) in data.create_tuple_iterator(output_numpy=True)] == [2, 0]

    class Tell(train.Callback):
        def __init__(self) -> None:
            self.reports, self.tells, self.resumes, self.told_elsewhere = [], 3, 4, 5

        def on_train_step_end(self, run_context: Any) -> None:
            self.reports.append(run_context.original_args().cur_step_num)

    tell = Tell()
    rows = ds.NumpySlicesDataset((np.ones((2, 1), "f"), np.ones((2, 1), "f")), ["x", "y"]).batch(1)
    network = nn.Dense(1, 1)
    model = ms.Model(network, nn.MSELoss(), nn.SGD(network.trainable_params(), 0.1))
    model.train(1, rows, [tell], dataset_sink_mode=False)
    assert tell.reports == [1, 2]


def test_an_initializer_and_a_parameter_with_attributes_of_any_name() -> None:
    class Sevens(ms.common.initializer.Initializer):
        make = "by hand"

        def _initialize(self, arr: Any) -> None:
            arr[:] = 7

    weight = ms.Parameter(ms.common.initializer.initializer(Sevens(), (2,), ms.float32))
    weight.kept_by, weight.reclaim, weight.unnamed, weight.set_value = 1, 2, 3, 4
    assert (weight + 1).tolist() == [8, 8]
    ms.ops.assign(weight, Tensor([1.0, 2.0]))
    assert weight.tolist() == [1, 2]
