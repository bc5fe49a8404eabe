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
