"""What scripts ask about a parallel run."""

from __future__ import annotations

import pytest

from minispore import communication, parallel
from minispore.context import set_auto_parallel_context
from minispore.parallel import _utils
from minispore.parallel._auto_parallel_context import auto_parallel_context


def test_a_non_parallel_run_has_one_device_whatever_is_set() -> None:
    set_auto_parallel_context(device_num=8, global_rank=3)
    assert (_utils._get_parallel_mode(), _utils._get_device_num()) == ("stand_alone", 1)
    assert (_utils._get_global_rank(), _utils._get_gradients_mean()) == (0, False)


def test_a_parallel_run_has_as_many_devices_as_are_set() -> None:
    set_auto_parallel_context(
        device_num=8,
        global_rank=3,
        parallel_mode="data_parallel",
        gradients_mean=True,
        pipeline_stages=2,
    )
    assert (_utils._get_device_num(), _utils._get_global_rank()) == (8, 3)
    assert (_utils._get_stage_device_num(), _utils._get_gradients_mean()) == (4, True)
    assert _utils._is_in_data_parallel_mode() and not _utils._is_in_auto_parallel_mode()


def test_in_parallel_with_nothing_set_the_ranks_count() -> None:
    communication.init()
    try:
        set_auto_parallel_context(parallel_mode="semi_auto_parallel")
        assert (_utils._get_device_num(), _utils._get_global_rank()) == (1, 0)
        assert _utils._is_in_auto_parallel_mode()
    finally:
        communication.release()


def test_the_defaults_are_mindspores() -> None:
    # as MindSpore 2.10 answers before anything is set
    assert _utils._get_pipeline_stages() == 1
    assert _utils._get_enable_parallel_optimizer() is False
    assert _utils._is_sharding_propagation() is False
    assert parallel.get_algo_parameters("fully_use_devices") is False


def test_propagation_is_a_search_mode_too() -> None:
    set_auto_parallel_context(search_mode="sharding_propagation")
    assert _utils._is_sharding_propagation()


def test_the_context_has_a_method_for_each_setting() -> None:
    context = auto_parallel_context()
    assert context is auto_parallel_context()
    context.set_device_num(4)
    assert context.get_device_num() == 4 and context.get_device_num_is_set()
    assert context.get_strategy_search_mode() == "recursive_programming"
    context.reset()
    assert context.get_device_num() == 1 and not context.get_device_num_is_set()


def test_a_setting_that_does_not_exist_is_an_attribute_error_with_a_guess() -> None:
    with pytest.raises(AttributeError, match="Did you mean 'get_device_num'"):
        auto_parallel_context().get_device_nums()


def test_algo_parameters_are_stored_and_reset() -> None:
    parallel.set_algo_parameters(tensor_slice_align_size=8, fully_use_devices=True)
    try:
        assert parallel.get_algo_parameters("tensor_slice_align_size") == 8
    finally:
        parallel.reset_algo_parameters()
    assert parallel.get_algo_parameters("tensor_slice_align_size") == 16


def test_an_algo_parameter_out_of_range_changes_nothing() -> None:
    with pytest.raises(ValueError, match="tensor_slice_align_size"):
        parallel.set_algo_parameters(fully_use_devices=True, tensor_slice_align_size=2000)
    assert parallel.get_algo_parameters("fully_use_devices") is False


def test_an_unknown_algo_parameter_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="fully_use_device"):
        parallel.set_algo_parameters(fully_use_device=True)
    with pytest.raises(ValueError, match="cost"):
        parallel.get_algo_parameters("cost")
