"""What a script asks of the device beside its work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from minispore import context, device, hal, runtime
from minispore.utils import dryrun


@pytest.mark.parametrize(
    "what", [runtime.Stream, runtime.StreamCtx, runtime.Event, runtime.MemPool]
)
def test_what_orders_work_by_hand_says_what_to_do_instead(what: Callable[[], Any]) -> None:
    with pytest.raises(NotImplementedError, match=r"is not here\. Leave it out"):
        what()


@pytest.mark.parametrize("ask", [runtime.current_stream, hal.default_stream])
def test_streams_are_refused_where_they_are_asked_for(ask: Callable[[], Any]) -> None:
    with pytest.raises(NotImplementedError, match="Stream: is not here"):
        ask()


def test_memory_in_use_is_that_of_the_device() -> None:
    block = device.current().memory.allocate("parameters", 512)
    try:
        assert runtime.memory_allocated() == device.current().memory.current
        assert runtime.memory_stats()["total_allocated_memory"] == runtime.memory_reserved()
    finally:
        device.current().memory.free(block)


def test_peaks_begin_anew_at_what_is_in_use() -> None:
    pool = device.current().memory
    pool.free(pool.allocate("parameters", 512))
    runtime.reset_peak_memory_stats()
    assert hal.max_memory_allocated() == hal.memory_allocated()


@pytest.mark.parametrize("size", ["0GB", "2", "2MB", "-1GB", ".GB"])
def test_a_size_of_memory_that_is_none_is_refused(size: str) -> None:
    with pytest.raises(ValueError, match="init_size must be a size such as '2GB'"):
        runtime.set_memory(init_size=size)


def test_a_limit_of_memory_is_the_context_s() -> None:
    context.set_context(device_target="Ascend")
    runtime.set_memory("10GB", "0.5GB", "6.5GB", "O1", "0GB")
    assert context.get_context("max_device_memory") == 6.5


def test_settings_that_change_nothing_are_taken() -> None:
    runtime.set_memory("10GB", "0.5GB", "60GB", "O1", "0GB")  # of a CPU
    runtime.launch_blocking()
    runtime.set_cpu_affinity(True, ["0-1"])
    runtime.set_kernel_launch_group(2, 8)


def test_groups_that_threads_do_not_share_evenly_are_refused() -> None:
    with pytest.raises(ValueError, match="must be a multiple of thread_num"):
        runtime.set_kernel_launch_group(2, 3)


def test_a_rehearsal_answers_a_branch_by_the_value_that_was_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert (dryrun.mock(1, 2), dryrun.mock(0, max, 3, 4)) == (2, 4)
    monkeypatch.setenv("MS_SIMULATION_LEVEL", "1")
    assert dryrun.mock(1, 2) == 1


def test_a_value_to_mock_must_be_given() -> None:
    with pytest.raises(TypeError, match="args must hold a value"):
        dryrun.mock(1)
