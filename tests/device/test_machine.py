"""Machines: each with a memory, streams and a time of its own."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from minispore.device.machine import Machine
from minispore.device.model.memory import plan_memory
from minispore.device.model.spec import device_spec
from minispore.errors import DeviceError, DeviceMemoryError
from tests.device.programs import program, small_step


def plan(machine: Machine, rows: int = 4):
    records, batch = small_step(rows)
    limit = machine.max_device_memory
    return plan_memory(records, machine.spec, batch=batch, max_device_memory=limit)


@pytest.mark.parametrize("device_id", [0, 1, 4095])
def test_device_ids_go_from_0_to_4095(device_id: int) -> None:
    assert Machine(device_id=device_id).device_id == device_id


@pytest.mark.parametrize("device_id", [-1, 4096])
def test_other_device_ids_are_refused(device_id: int) -> None:
    with pytest.raises(ValueError, match=r"in range \[0, 4095\]"):
        Machine(device_id=device_id)


def test_machines_share_neither_memory_nor_time() -> None:
    a, b = Machine(device_id=0), Machine(device_id=1)
    a.memory.allocate("parameters", 1)
    a.schedule(program(100), "loop").run(5, 5)
    assert b.memory.current == b.clock.host_us == 0


def test_reserve_memory_holds_the_plan_and_releases_it() -> None:
    machine = Machine()
    p = plan(machine)
    with machine.reserve_memory(p):
        assert machine.memory.current == p.peak
        assert machine.memory.current_by_kind == p.peak_by_kind
    assert machine.memory.current == 0


def test_a_plan_that_does_not_fit_reserves_nothing() -> None:
    machine = Machine(max_device_memory=1 << 20)
    with (
        pytest.raises(DeviceMemoryError, match="batch_size"),
        machine.reserve_memory(plan(machine, 8192)),
    ):
        raise AssertionError("never loaded")
    assert machine.memory.current == machine.memory.allocated_bytes == 0


def test_a_second_plan_that_does_not_fit_leaves_the_first_reserved() -> None:
    machine = Machine()
    p = plan(machine)
    machine.memory.max_device_memory = p.peak + 512
    with machine.reserve_memory(p):
        with pytest.raises(DeviceMemoryError), machine.reserve_memory(p):
            raise AssertionError("never loaded")
        assert machine.memory.current == p.peak
    assert machine.memory.current == 0


def test_memory_is_released_after_an_exception() -> None:
    machine = Machine()
    with pytest.raises(KeyError), machine.reserve_memory(plan(machine)):
        raise KeyError
    assert machine.memory.current == 0


@pytest.mark.parametrize("method", ["free", "allocate"])
@pytest.mark.parametrize("calls", range(3))
def test_ctrl_c_between_two_blocks_loses_none(method: str, calls: int, monkeypatch) -> None:
    machine = Machine()
    p = plan(machine)
    machine.replace_plan(p)
    count, call = itertools.count(), getattr(machine.memory, method)

    def interrupted(*args: Any) -> Any:
        if next(count) == calls:
            raise KeyboardInterrupt
        return call(*args)

    with monkeypatch.context() as patch:
        patch.setattr(machine.memory, method, interrupted)
        with pytest.raises(KeyboardInterrupt):
            machine.replace_plan(p)
    machine.replace_plan(p)
    assert machine.memory.current == p.peak
    assert machine.memory.current_by_kind == p.peak_by_kind


def test_a_run_without_recording_keeps_no_timeline() -> None:
    machine = Machine()
    machine.schedule(program(100), "loop").run(1000, 1000)
    assert machine.clock.timeline is None
    assert machine.clock.host_us > 100_000


def test_recording_keeps_what_runs_inside() -> None:
    machine = Machine()
    schedule = machine.schedule(program(100), "graph")
    schedule.run(1)
    with machine.record_timeline() as timeline:
        schedule.run(2)
    schedule.run(1)
    assert [r.step for r in timeline if r.name == "program"] == [2, 3]


def test_many_runs_on_one_machine_use_the_same_streams() -> None:
    machine = Machine()
    for _ in range(3000):  # more than a device has streams
        machine.schedule(program(1), "graph").run(1)
    assert len(machine.clock.streams) == 5


def test_a_way_that_the_target_does_not_have_is_refused() -> None:
    with pytest.raises(DeviceError, match="one that GPU has"):
        Machine(device_spec("GPU")).schedule(program(1), "loop")
