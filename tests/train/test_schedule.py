"""explain_schedule foretells a training, and the ledger tells of it afterwards."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minispore.dataset as ds
from minispore import context, device
from minispore.dataset.iterator import Batch
from minispore.train import LossMonitor, Model, explain_schedule
from minispore.train.ledger import BatchLedger
from tests.train.nets import GRAPH, Log, Trace, dataset_seed, modes, numbers, printed

everything = given(
    size=st.integers(1, 5),
    count=st.integers(1, 4),
    first=st.integers(0, 3),
    sink_size=st.one_of(st.just(-1), st.integers(1, 7)),
    sink=st.booleans(),
    every=st.integers(0, 9),
    every_step=st.booleans(),
    mode=modes,
    target=st.sampled_from(["CPU", "GPU", "Ascend"]),
)


@everything
@pytest.mark.filterwarnings("ignore:.*can't be sunk to CPU", "ignore:.*prints no loss")
def test_what_is_foretold_happens(
    size, count, first, sink_size, sink, every, every_step, mode, target
) -> None:
    context.set_context(mode=mode, device_target=target)
    plan = explain_schedule(
        first + count,
        size,
        sink_size,
        sink,
        initial_epoch=first,
        per_print_times=every,
        every_step=every_step,
        batch_size=2,
    )
    trace, net = Trace(), Log(1)
    model = Model(net)
    ledger = model.batch_ledger()
    counters = device.current().counters
    counters.reset()
    lines = printed(
        lambda: model.train(
            first + count,
            numbers(size),
            [trace, LossMonitor(every, every_step)],
            dataset_sink_mode=sink,
            sink_size=sink_size,
            initial_epoch=first,
        )
    )
    assert int(net.calls.asnumpy()) == plan.steps == len(ledger)
    assert model.batch_num == plan.batch_num
    assert len(trace.of("step_end")) == plan.turns
    assert counters.interactions == plan.interactions
    assert trace.of("step_end") == [(e.epoch, s) for e in plan.epochs for s in e.step_ends]
    assert [line.partition(",")[0] for line in lines] == plan.printed
    selected = [(e.pass_number, e.number_in_pass) for e in ledger.entries]
    per_epoch = plan.batch_num
    assert [e.first_batch for e in plan.epochs] == selected[::per_epoch]
    assert [e.last_batch for e in plan.epochs] == selected[per_epoch - 1 :: per_epoch]
    assert len({p for p, _ in selected}) == plan.passes
    assert (size - 1 - selected[-1][1]) == plan.unused_batches
    assert plan.unused_rows == 2 * plan.unused_batches


def test_explain_schedule_reproduces_the_numbers_of_the_guide() -> None:
    plan = explain_schedule(10, 1875, 1000, mode=GRAPH, device_target="Ascend", batch_size=32)
    assert (plan.steps, plan.passes, plan.interactions) == (10_000, 6, 10)
    assert plan.printed == [f"epoch: {k} step: 1000" for k in range(1, 11)]
    assert plan.unused_batches == 6 * 1875 - 10_000
    assert plan.epochs[1].first_batch == (0, 1000)
    assert plan.epochs[1].last_batch == (1, 124)
    row = ["2", "0:1000", "to", "1:124", "2000", "epoch:", "2", "step:", "1000"]
    assert row in [line.split() for line in str(plan).splitlines()]


def test_each_step_s_line_is_foretold_once() -> None:
    plan = explain_schedule(2, 3, device_target="CPU", per_print_times=1)
    assert plan.printed == [f"epoch: {k} step: {n}" for k in (1, 2) for n in (1, 2, 3)]


def test_it_reads_well() -> None:
    text = str(explain_schedule(20, 4, 3, device_target="CPU", per_print_times=2, batch_size=8))
    assert text.startswith("no sink (asked for, but CPU has no device queue), PYNATIVE mode on CPU")
    assert "epochs      1..20, 4 steps each" in text
    assert "and 8 more epochs" in text
    assert "2 lines" in text
    short = str(explain_schedule(1, 4, 3, device_target="GPU", mode=1, per_print_times=0))
    assert "1 batches of the last are not used" in short
    assert short.splitlines()[-1].split() == [
        "1",
        "0:0",
        "to",
        "0:2",
        "1,",
        "2,",
        "...,",
        "3",
        "nothing",
    ]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"epoch": 0}, ValueError),
        ({"epoch": 1.0}, TypeError),
        ({"dataset_size": 0}, ValueError),
        ({"sink_size": 0}, ValueError),
        ({"sink_size": True}, TypeError),
        ({"dataset_sink_mode": 1}, TypeError),
        ({"initial_epoch": 1}, ValueError),
        ({"per_print_times": -1}, ValueError),
        ({"device_target": "TPU"}, ValueError),
    ],
)
def test_arguments_of_explain_schedule(options, error) -> None:
    (name,) = options
    with pytest.raises(error, match=f"explain_schedule: {name} must"):
        explain_schedule(**{"epoch": 1, "dataset_size": 1, **options})


# -- the ledger ------------------------------------------------------------------------------------


@given(
    size=st.integers(1, 5),
    epoch=st.integers(1, 4),
    sink_size=st.one_of(st.just(-1), st.integers(1, 7)),
    sink=st.booleans(),
    mode=modes,
)
def test_the_ledger_knows_the_rows_of_every_step(size, epoch, sink_size, sink, mode) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    steps = epoch * (size if sink_size == -1 or not sink else sink_size)
    net = Log(steps)
    model = Model(net)
    ledger = model.batch_ledger()
    model.train(epoch, numbers(size), dataset_sink_mode=sink, sink_size=sink_size)
    assert model.batch_ledger() is ledger
    used = np.ravel(net.batches()).astype(int)
    assert [int(r) for e in ledger.entries for r in np.ravel(e.rows)] == used.tolist()
    rows, counts = np.unique(used, return_counts=True)
    assert ledger.row_counts() == dict(zip(rows.tolist(), counts.tolist(), strict=True))
    assert ledger.never_used() == sorted(set(range(2 * size)) - set(used.tolist()))
    assert sum(ledger.passes.values()) == steps


def test_batches_of_a_pass_of_unknown_length_are_numbered_as_they_came() -> None:
    ledger = BatchLedger()
    ledger.record(Batch((), number=7, pass_number=2, rows=None))
    assert [(e.pass_number, e.number_in_pass) for e in ledger.entries] == [(2, 7)]


def test_the_ledger_reads_well() -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    model = Model(Log(1))
    ledger = model.batch_ledger()
    model.train(1, numbers(4, shuffle=False), dataset_sink_mode=True, sink_size=3)
    assert str(ledger).splitlines() == [
        "batches used: 3",
        "  pass 0: 3 of 4",
        "source rows used: 6, each once",
        "source rows never used: 2 of 8: [6, 7]",
    ]
    model.train(2, numbers(4, shuffle=False), dataset_sink_mode=True, sink_size=3)
    assert str(ledger).splitlines() == [
        "batches used: 6",
        "  pass 0: 4 of 4",
        "  pass 1: 2 of 4",
        "source rows used: 8, each 1 to 2 times",
        "source rows never used: 0 of 8",
    ]


def test_rows_that_a_sampler_leaves_out_are_never_used() -> None:
    rows = {"x": np.arange(6, dtype=np.float32)}
    data = ds.NumpySlicesDataset(rows, sampler=ds.SubsetSampler([4, 1])).batch(1)
    model = Model(Log(1, 1))
    ledger = model.batch_ledger()
    model.train(1, data)
    assert ledger.row_counts() == {1: 1, 4: 1}
    assert ledger.never_used() == [0, 2, 3, 5]


def test_without_a_ledger_no_batches_are_recorded() -> None:
    model = Model(Log(1))
    model.train(1, numbers(2))
    assert len(model.batch_ledger()) == 0


def test_a_source_whose_rows_can_not_be_counted_has_no_never() -> None:
    data = ds.zip((numbers(2), numbers(2).rename("x", "y")))
    model = Model(Log(1))
    ledger = model.batch_ledger()
    ledger.start_training(data, 2)
    assert ledger.source_rows is None
    assert ledger.never_used() == []
    assert ledger.row_counts() == {}
    assert "never" not in str(ledger)


def test_printing_a_plan_is_plain_text(capsys) -> None:
    with dataset_seed(None):
        print(explain_schedule(1, 1), file=io.StringIO())
    print(explain_schedule(1, 1))
    assert "epochs      1..1, 1 steps each" in capsys.readouterr().out
