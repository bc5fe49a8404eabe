"""Faults on purpose."""

from __future__ import annotations

import pytest

from minispore.device import faults
from minispore.device.cpu import CPU
from minispore.errors import DeviceError, DeviceMemoryError


def test_without_a_fault_everything_comes_through() -> None:
    assert list(faults.iterate_with_faults([1, 2, 3])) == [1, 2, 3]


def test_a_slow_batch_waits_before_that_batch_only() -> None:
    waits: list[float] = []
    with faults.slow_batch(2, 0.5):
        assert list(faults.iterate_with_faults("abc", wait=waits.append)) == ["a", "b", "c"]
    assert waits == [0.5]


def test_a_producer_stops_after_so_many_batches() -> None:
    with faults.producer_stops(after=2):
        assert list(faults.iterate_with_faults("abc")) == ["a", "b"]
        assert list(faults.iterate_with_faults("abc")) == ["a", "b"]  # each run counts for itself


def test_a_producer_raises_in_place_of_a_batch() -> None:
    outputs = []
    with faults.producer_raises(at=3, error=KeyError("x")), pytest.raises(KeyError):
        for item in faults.iterate_with_faults("abc"):
            outputs.append(item)
    assert outputs == ["a", "b"]


@pytest.mark.parametrize(
    ("fault", "error"),
    [(faults.out_of_memory, DeviceMemoryError), (faults.device_lost, DeviceError)],
)
def test_a_device_fails_at_a_step(fault, error) -> None:
    device = CPU()
    with fault(step=2):
        device.begin_step()
        with pytest.raises(error, match="step 2"):
            device.begin_step()
        device.begin_step()


def test_a_fault_of_the_device_is_none_of_the_pipeline_s() -> None:
    with faults.device_lost(step=1):
        assert list(faults.iterate_with_faults("abc")) == ["a", "b", "c"]
    device = CPU()
    with faults.producer_stops(after=1):
        device.begin_step()
        device.begin_step()


def test_a_producer_fault_names_its_batch_by_default() -> None:
    with faults.producer_raises(at=2), pytest.raises(RuntimeError, match="batch 2 failed"):
        list(faults.iterate_with_faults("abc"))


def test_a_fault_ends_with_its_block_also_on_an_exception() -> None:
    with pytest.raises(ZeroDivisionError), faults.device_lost(step=1):
        raise ZeroDivisionError
    assert faults.injected == ()


def test_faults_nest() -> None:
    with faults.producer_stops(after=2), faults.producer_stops(after=1):
        assert list(faults.iterate_with_faults("abc")) == ["a"]
    assert faults.injected == ()


def test_the_source_is_closed_when_the_reader_leaves() -> None:
    closed = []

    def source():
        try:
            yield 1
            yield 2
        finally:
            closed.append(True)

    values = source()  # so that it is closed, not only forgotten
    reader = faults.iterate_with_faults(values)
    next(reader)
    reader.close()
    assert closed == [True]
