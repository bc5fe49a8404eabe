"""device_context: each setting of a device's ops as a function."""

from __future__ import annotations

import pytest

import minispore as ms
from minispore.device_context.cpu.op_tuning import threads_num


def test_settings_arrive_in_the_context():
    threads_num(3)
    assert ms.get_context("runtime_num_threads") == 3
    ms.set_context(device_target="Ascend")
    ms.device_context.ascend.op_precision.conv_allow_hf32(True)
    assert ms.context.current().ascend_config["conv_allow_hf32"] is True
    ms.set_context(device_target="GPU")
    ms.device_context.gpu.op_precision.conv_allow_tf32(False)
    assert ms.context.current().gpu_config["conv_allow_tf32"] is False


@pytest.mark.parametrize("wrong", [0, -1, "3", 1.5, True])
def test_a_number_of_threads_is_a_positive_int(wrong):
    with pytest.raises((TypeError, ValueError), match="num"):
        threads_num(wrong)


ASCEND = ms.device_context.ascend
SETTINGS = [
    (ASCEND.op_compile, True, "ascend_config", {"jit_compile": True}, 1),
    (ASCEND.op_precision_mode, "ops.ini", "ascend_config", {"op_precision_mode": "ops.ini"}, 1),
    (ASCEND.debug_option, "oom", "ascend_config", {"op_debug_option": "oom"}, "all"),
    (ASCEND.aoe_tune_mode, "online", "aoe_tune_mode", "online", "never"),
    (ASCEND.aoe_job_type, "1", "aoe_config", {"job_type": "1"}, "3"),
    (ASCEND.execute_timeout, 7, "op_timeout", 7, -1),
    (ms.device_context.gpu.conv_dgrad_algo, "fft", "gpu_config", {"conv_dgrad_algo": "fft"}, "a"),
    (ms.device_context.gpu.conv_wgrad_algo, "gemm", "gpu_config", None, "gemm"),
    (ms.device_context.gpu.conv_wgrad_algo, "fft", "gpu_config", {"conv_wgrad_algo": "fft"}, 1),
]


@pytest.mark.parametrize(("set_it", "value", "setting", "stored", "wrong"), SETTINGS)
def test_each_function_sets_what_it_says_and_refuses_what_is_none(
    set_it, value, setting, stored, wrong
):
    ms.set_context(device_target="GPU" if "gpu" in setting else "Ascend")
    with pytest.raises((TypeError, ValueError)):
        set_it(wrong)
    if stored is not None:
        set_it(value)
        actual = getattr(ms.context.current(), setting)
        assert actual == stored or actual.items() >= stored.items()


def test_how_an_ascend_begins_and_keeps_calls_is_checked():
    ASCEND.aclnn_cache(True, 0)
    ASCEND.aclinit_config({"max_opqueue_num": "20000", "err_msg_mode": "1"})
    ASCEND.aclinit_config({"dump": {"dump_scene": "lite_exception:disable"}})
    for wrong in ({"dump": "x"}, {"err_msg_mode": 1}, {"max_opqueue_num": 3}, {"other": 1}, 3):
        with pytest.raises((TypeError, ValueError), match="aclinit_config"):
            ASCEND.aclinit_config(wrong)
    for wrong in ((1, 0), (True, -1), (False, "3")):
        with pytest.raises((TypeError, ValueError), match="aclnn_cache"):
            ASCEND.aclnn_cache(*wrong)


def test_devices_of_each_kind_are_available():
    kinds = (ms.device_context.cpu, ms.device_context.gpu, ASCEND)
    assert [(k.device_count(), k.is_available()) for k in kinds] == [
        (1, True),
        (1, True),
        (8, True),
    ]
