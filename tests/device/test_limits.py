"""What a device is asked for itself, and how many of its cores work may take."""

from __future__ import annotations

import pytest

import minispore as ms
from minispore import hal, runtime


def test_a_simulated_device_tells_its_model_and_its_memory() -> None:
    properties = hal.get_device_properties(0, "Ascend")
    assert properties.name == hal.get_device_name(0, "Ascend")
    assert 0 < properties.free_memory <= properties.total_memory == 32 * 2**30
    assert hal.get_device_properties(0, "CPU") is None


def test_only_gpus_have_a_capability() -> None:
    assert hal.get_device_capability(0, "GPU") == (7, 0)
    assert hal.get_device_capability(0, "Ascend") is None
    assert (hal.get_arch_list("CPU"), hal.get_arch_list("GPU")) == (None, "sm_70 sm_80")


def test_the_current_device_is_the_contexts() -> None:
    ms.set_context(device_target="Ascend", device_id=3)
    assert tuple(ms.get_current_device()) == ("Ascend", 3)


def test_a_stream_uses_the_limits_of_its_device_until_it_sets_others() -> None:
    ms.set_context(device_target="Ascend")
    stream = runtime.Stream()
    runtime.set_device_limit(0, 8, 16)
    assert runtime.get_stream_limit(stream) == {"cube_core_num": 8, "vector_core_num": 16}
    with runtime.StreamLimitCtx(stream, 4):
        assert runtime.get_stream_limit(stream) == {"cube_core_num": 4, "vector_core_num": 16}
    runtime.set_stream_limit(stream, vector_num=2)
    assert runtime.get_stream_limit(stream) == {"cube_core_num": 8, "vector_core_num": 2}
    runtime.reset_stream_limit(stream)
    assert runtime.get_stream_limit(stream) == runtime.get_device_limit(0)


def test_device_limits_cannot_exceed_the_number_of_cores() -> None:
    ms.set_context(device_target="Ascend")
    with pytest.raises(ValueError, match="cube_num must be -1, or from 1 to 32, got 33"):
        runtime.set_device_limit(0, 33)
    with pytest.raises(ValueError, match="vector_num must be -1, or from 1 to 32, got 0"):
        runtime.set_device_limit(0, 8, 0)


def test_a_cpu_has_no_limits() -> None:
    ms.set_context(device_target="CPU")
    with pytest.raises(RuntimeError, match="device_target must be 'Ascend', got 'CPU'"):
        runtime.get_device_limit(0)
    with pytest.raises(TypeError, match="stream must be"):
        runtime.get_stream_limit(0)  # type: ignore[arg-type]
