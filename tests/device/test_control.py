"""What a script asks of the device beside its work."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from minispore import context, device, hal, runtime
from minispore import utils as tools
from minispore.utils import dryrun


@pytest.mark.parametrize("what", [runtime.MemPool, runtime.PluggableAllocator])
def test_what_orders_work_by_hand_says_what_to_do_instead(what: Callable[[], Any]) -> None:
    with pytest.raises(NotImplementedError, match=r"is not here\. Leave it out"):
        what()


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


def test_settings_without_effect_are_accepted() -> None:
    runtime.set_memory("10GB", "0.5GB", "60GB", "O1", "0GB")  # of a CPU
    runtime.launch_blocking()
    runtime.set_cpu_affinity(True, ["0-1"])
    runtime.set_kernel_launch_group(2, 8)


@pytest.mark.parametrize("size", ["0GB", "0.0GB", "1GB", "0.5GB"])
def test_huge_pages_may_be_none(size: str) -> None:
    runtime.set_memory(huge_page_reserve_size=size)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"max_size": 2}, TypeError, "max_size must be a str, got 2"),
        ({"huge_page_reserve_size": 0}, TypeError, "huge_page_reserve_size must be a str"),
        ({"huge_page_reserve_size": "-1GB"}, ValueError, "huge_page_reserve_size must be a size"),
        ({"increase_size": "0GB"}, ValueError, "increase_size must be a size"),
        ({"optimize_level": "O2"}, ValueError, "optimize_level"),
    ],
)
def test_memory_that_can_not_be_set_is_refused(arguments, error, text) -> None:
    with pytest.raises(error, match=text):
        runtime.set_memory(**arguments)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ((1,), TypeError, "enable_affinity must be a bool"),
        ((True, "0-1"), TypeError, "affinity_cpu_list must be a list"),
        ((True, [1]), TypeError, "affinity_cpu_list must hold str"),
        ((True, ["0-1", "2"]), ValueError, "must hold ranges as '0-3', got '2'"),
        ((True, ["0-1", "2-"]), ValueError, "got '2-'"),
        ((True, None, [0]), TypeError, "module_to_cpu_dict must be a dict"),
    ],
)
def test_an_affinity_that_is_none_is_refused(arguments, error, text) -> None:
    with pytest.raises(error, match=text):
        runtime.set_cpu_affinity(*arguments)


@pytest.mark.parametrize(
    "arguments",
    [(False,), (True, ["0-1", "10-12"]), (True, {"0": ["0-1"]}), (True, None, {"a": [0]})],
)
def test_set_cpu_affinity_accepts_its_argument_forms(arguments) -> None:
    assert runtime.set_cpu_affinity(*arguments) is None


@pytest.mark.parametrize("number", [0, -1])
def test_threads_that_launch_are_one_or_more(number: int) -> None:
    runtime.dispatch_threads_num(1)
    with pytest.raises(ValueError):
        runtime.dispatch_threads_num(number)
    runtime.set_kernel_launch_group(1, 1)
    with pytest.raises(ValueError):
        runtime.set_kernel_launch_group(number, 8)
    with pytest.raises(ValueError):
        runtime.set_kernel_launch_group(1, number)


def test_kernel_launch_group_defaults_to_two_threads_and_eight_groups() -> None:
    parameters = inspect.signature(runtime.set_kernel_launch_group).parameters
    assert [p.default for p in parameters.values()] == [2, 8]


# -- memory, by kind -------------------------------------------------------------------------------


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> device.Device:
    """A device of its own: 1024 bytes in use, 1536 at the peak."""
    context.set_context(device_target="Ascend", device_id=321)
    pool = device.current().memory
    parameters = pool.allocate("parameters", 1024, "weight")
    pool.free(pool.allocate("workspace", 512))
    yield device.current()
    pool.free(parameters)


def test_memory_stats_has_the_keys_of_mindspore(used: device.Device) -> None:
    stats = runtime.memory_stats()
    pool = {"block_unit_size": 512, "block_counts": 1}
    assert stats == {
        "total_reserved_memory": 1024,
        "total_allocated_memory": 1024,
        "total_idle_memory": 0,
        "total_eager_free_memory": 0,
        "max_reserved_memory": 1536,
        "max_allocated_memory": 1536,
        "common_mem_pool_stats": pool,
        "persistent_mem_pool_stats": {**pool, "block_counts": 0},
        "blocks_info": {"weight": 1024},
    }


def test_max_memory_functions_return_bytes(used: device.Device) -> None:
    assert runtime.max_memory_allocated() == runtime.max_memory_reserved() == 1536


def test_the_summary_tells_each_kind(used: device.Device) -> None:
    rows = [line.split() for line in runtime.memory_summary().splitlines()]
    assert rows[:2] == [["kind", "now", "peak"], ["all", "1024", "1536"]]
    assert ["parameters", "1024", "1024"] in rows
    assert ["workspace", "0", "512"] in rows
    assert {len(line) for line in runtime.memory_summary().splitlines()} == {50}


def test_peaks_of_each_kind_begin_anew(used: device.Device) -> None:
    runtime.reset_peak_memory_stats()
    rows = [line.split() for line in runtime.memory_summary().splitlines()]
    assert ["all", "1024", "1024"] in rows
    assert ["workspace", "0", "0"] in rows


# -- what there is ---------------------------------------------------------------------------------


def test_device_count_is_one_for_cpu_and_gpu_and_eight_for_ascend() -> None:
    assert [hal.device_count(t) for t in ("CPU", "GPU", "Ascend")] == [1, 1, 8]
    context.set_context(device_target="CPU")
    assert hal.device_count() == 1
    context.set_context(device_target="Ascend")
    assert hal.device_count() == 8


def test_a_device_has_the_name_of_its_model() -> None:
    context.set_context(device_target="CPU")
    assert hal.get_device_name(0) == "CPU"
    assert hal.get_device_name(1, "Ascend") == device.device_spec("Ascend").name != "CPU"
    with pytest.raises(ValueError):
        hal.get_device_name(-1)
    with pytest.raises(ValueError, match="device_target"):
        hal.get_device_name(0, "TPU")


def test_the_device_of_the_context_is_the_one_that_is_initialized() -> None:
    context.set_context(device_target="CPU")
    assert hal.is_initialized("CPU") and not hal.is_initialized("Ascend")
    assert hal.is_available("GPU") and not hal.is_available("TPU")


def test_groups_that_threads_do_not_share_evenly_are_refused() -> None:
    with pytest.raises(ValueError, match="must be a multiple of thread_num"):
        runtime.set_kernel_launch_group(2, 3)


def test_dryrun_mock_returns_the_mock_value_only_in_simulation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert (dryrun.mock(1, 2), dryrun.mock(0, max, 3, 4)) == (2, 4)
    monkeypatch.setenv("MS_SIMULATION_LEVEL", "1")
    assert dryrun.mock(1, 2) == 1


def test_dryrun_mock_requires_a_value() -> None:
    with pytest.raises(TypeError, match="args must hold a value"):
        dryrun.mock(1)


def test_memory_and_launch_defaults_are_those_of_mindspore() -> None:
    runtime.set_kernel_launch_group()
    context.set_context(device_target="Ascend")
    runtime.set_memory()
    assert context.get_context("max_device_memory") == 1024.0


def test_a_simulated_device_finds_nothing_wrong_with_itself() -> None:
    tools.sdc_detect_start()
    assert tools.get_sdc_detect_result() is False
    with pytest.raises(RuntimeError, match="needs an Ascend"):
        tools.stress_detect()


def test_memory_is_that_of_the_contexts_device() -> None:
    current, other = ("CPU", "GPU") if device.current().target == "CPU" else ("Ascend", "CPU")
    assert hal.memory_allocated(current) == hal.memory_allocated()
    with pytest.raises(ValueError, match="device_target must be the context's"):
        hal.memory_stats(device_target=other)
