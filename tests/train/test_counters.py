"""Who starts what: the device's counters hold what the table of docs/machine.md says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minispore import Tensor, context, device, nn
from minispore.device import Shapes, device_spec, estimate
from minispore.device.counters import Counters
from minispore.errors import DeviceMemoryError
from minispore.train import FixedLossScaleManager, Model
from tests.train.nets import GRAPH, PYNATIVE, devices, epochs, modes, regression, sizes, trainer

PAGE = Path(__file__).resolve().parents[2] / "docs" / "machine.md"
COUNTS = {
    "interactions": "interactions",
    "program launches": "program_launches",
    "kernel launches": "kernel_launches",
    "H2D copies": "h2d_copies",
    "batches sent": "batches_sent",
    "D2H copies": "d2h_copies",
}


class Case(NamedTuple):
    """A row of the table, for one target."""

    target: str
    mode: int
    sink: bool
    formulas: dict[str, str]


def table() -> list[Case]:
    """The rows of the page's table."""
    text = PAGE.read_text(encoding="utf-8")
    lines = re.search(r"<!-- starts -->\n(.*?)<!-- end -->", text, re.DOTALL)[1].splitlines()
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [
        Case(
            target,
            {"GRAPH": GRAPH, "PYNATIVE": PYNATIVE}[mode],
            sink == "yes",
            dict(zip(head[3:], counts, strict=True)),
        )
        for targets, mode, sink, *counts in rows
        for target in targets.split(", ")
    ]


def shapes() -> Shapes:
    """What the batches of ``regression`` look like."""
    return Shapes([((2, 3), np.float32), ((2, 1), np.float32)])


def ops_of_a_step() -> int:
    """What one step runs in PYNATIVE_MODE, op by op."""
    saved = context.current()
    context.set_context(mode=PYNATIVE, device_target="CPU")
    counters = device.current().counters
    before = counters.kernel_launches
    trainer().train_network(Tensor(np.ones((2, 3), np.float32)), Tensor(np.ones((2, 1), "f4")))
    context.restore(saved)
    return counters.kernel_launches - before


def counted(model: Model, data: Any, epoch: int, **options: Any) -> Counters:
    """What the device of the context counts while ``model`` trains."""
    counters = device.current().counters
    counters.reset()
    model.train(epoch, data, **options)
    return counters.snapshot()


@given(
    case=st.sampled_from(table()), epoch=epochs, size=sizes, sink_size=st.integers(1, 7),
)  # fmt: skip
def test_the_counters_are_what_the_table_says(case, epoch, size, sink_size) -> None:
    context.set_context(mode=case.mode, device_target=case.target)
    variables = {"E": epoch, "D": size, "S": sink_size, "P": ops_of_a_step(), "C": 2, "R": 1}
    variables["K"] = estimate(trainer(), shapes(), data_us=0).cost.launches
    sink = {"dataset_sink_mode": case.sink, "sink_size": sink_size}
    measured = counted(trainer(), regression(size), epoch, **sink)
    expected = {name: eval(formula, {}, variables) for name, formula in case.formulas.items()}
    assert {name: getattr(measured, COUNTS[name]) for name in expected} == expected


@given(epoch=epochs, size=sizes, sink_size=st.integers(1, 7), dev=devices, sink=st.booleans())
def test_an_estimate_counts_what_the_device_does(epoch, size, sink_size, dev, sink) -> None:
    context.set_context(mode=GRAPH, device_target=dev)
    manager = FixedLossScaleManager(8.0, drop_overflow_update=False)
    model = trainer(loss_scale=8.0, loss_scale_manager=manager)
    steps = epoch * sink_size if sink else epoch * size
    actual = counted(model, regression(size), epoch, dataset_sink_mode=sink, sink_size=sink_size)
    way = device_spec(dev).best_sink if sink else "none"
    text = estimate(model, Shapes(shapes().columns, steps), sink_size=sink_size, data_us=0)
    counts = text[way].counts
    assert counts.interactions == actual.interactions
    assert counts.program_launches == actual.program_launches
    assert counts.kernel_launches == actual.kernel_launches
    assert counts.h2d_bytes == actual.h2d_bytes + actual.bytes_sent
    assert (counts.d2h_copies, counts.d2h_bytes) == (actual.d2h_copies, actual.d2h_bytes)


@given(mode=modes, dev=devices, size=sizes)
def test_an_evaluation_in_a_sink_is_started_step_by_step(mode, dev, size) -> None:
    context.set_context(mode=mode, device_target=dev)
    counters = device.current().counters
    counters.reset()
    trainer(metrics={"mse"}).eval(regression(size), dataset_sink_mode=True)
    assert counters.interactions == counters.steps == size
    assert counters.program_launches == (size if mode == GRAPH else 0)
    assert (counters.kernel_launches == 0) == (mode == GRAPH and dev == "Ascend")


# -- a program belongs to its device ---------------------------------------------------------------


def test_a_cell_compiled_for_another_device_is_checked_for_memory_by_the_next() -> None:
    context.set_context(mode=GRAPH, device_target="CPU")
    net, x = nn.Dense(4096, 4), Tensor(np.ones((64, 4096), np.float32))
    net(x)
    context.set_context(device_target="Ascend", max_device_memory="0.001GB")
    with pytest.raises(DeviceMemoryError, match="Out of Memory!!!"):
        net(x)


def test_a_cell_refused_by_one_device_runs_on_another() -> None:
    context.set_context(mode=GRAPH, device_target="CPU")
    net, x = nn.Dense(4096, 4), Tensor(np.ones((64, 4096), np.float32))
    output = net(x).asnumpy()
    context.set_context(device_target="Ascend", max_device_memory="0.001GB")
    with pytest.raises(DeviceMemoryError):
        net(x)
    context.set_context(device_target="CPU")
    np.testing.assert_array_equal(net(x).asnumpy(), output)


def test_a_device_holds_the_memory_of_the_program_that_came_last() -> None:
    context.set_context(mode=GRAPH, device_target="GPU")
    net, x = nn.Dense(64, 4), Tensor(np.ones((2, 64), np.float32))
    net(x)
    values = device.current().memory.current
    context.set_context(device_target="Ascend")
    net(x)
    assert device.current().memory.current == values
