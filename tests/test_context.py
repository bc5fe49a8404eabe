"""The context: what can be set, what is refused, and what a refused call leaves behind."""

from __future__ import annotations

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minispore import context
from minispore.context import get_context, parallel, set_context


@pytest.fixture(autouse=True)
def same_context_after():
    """Both records are put back."""
    saved, saved_parallel = context.current(), parallel.current()
    yield
    context.restore(saved)
    parallel.restore(saved_parallel)


# -- what is set ---------------------------------------------------------------------------------


@given(st.integers(-5, 5000))
def test_a_device_id_can_be_set_exactly_from_0_to_4095(device_id: int) -> None:
    set_context(device_target="Ascend")
    if 0 <= device_id <= 4095:
        set_context(device_id=device_id)
        assert get_context("device_id") == device_id
    else:
        with pytest.raises(ValueError, match=r"must be in range \[0, 4095\]"):
            set_context(device_id=device_id)


@given(
    mode=st.sampled_from([0, 1]),
    device_target=st.sampled_from(["CPU", "GPU", "Ascend"]),
    max_call_depth=st.integers(1, 4095),
)
def test_get_context_returns_what_was_set(mode, device_target, max_call_depth) -> None:
    set_context(mode=mode, device_target=device_target, max_call_depth=max_call_depth)
    assert get_context("mode") == mode
    assert get_context("device_target") == device_target
    assert get_context("max_call_depth") == max_call_depth


@pytest.mark.parametrize("target", ["CPU", "GPU"])
def test_a_device_id_has_no_effect_but_on_an_ascend_and_says_so(target: str) -> None:
    set_context(device_target=target)
    with pytest.warns(UserWarning, match=f"device_id is for Ascend; on {target} it has no effect"):
        set_context(device_id=3)
    assert get_context("device_id") == 3  # kept for when the target changes


def test_save_graphs_path_is_created_and_stored(tmp_path) -> None:
    path = tmp_path / "deep" / "graphs"
    set_context(save_graphs_path=str(path))
    assert path.is_dir()
    assert get_context("save_graphs_path") == os.path.realpath(path)


def test_a_type_error_changes_nothing() -> None:
    before = context.current()
    with pytest.raises(TypeError, match="mode must be of type int, got '0'"):
        set_context(device_target="GPU", device_id=3, mode="0")
    assert context.current() == before


def test_a_value_error_keeps_what_came_before_it() -> None:
    with pytest.raises(ValueError, match="device_id"):
        set_context(mode=0, device_id=4096, save_graphs=1)
    assert get_context("mode") == 0
    assert get_context("device_id") == 0
    assert get_context("save_graphs") == 0


# -- names ----------------------------------------------------------------------------------------


def test_an_unknown_key_is_a_value_error_that_knows_the_close_one() -> None:
    with pytest.raises(ValueError, match=r"'devise_target' is not recognized!.*'device_target'"):
        set_context(devise_target="CPU")


def test_types_of_valid_keys_are_checked_before_unknown_keys() -> None:
    with pytest.raises(TypeError):
        set_context(nonsense=1, mode="x")


def test_get_context_refuses_unknown_keys_and_non_strings() -> None:
    with pytest.raises(ValueError):
        get_context("nonsense")
    with pytest.raises(TypeError):
        get_context(1)  # type: ignore[arg-type]


def test_positional_arguments_are_a_type_error() -> None:
    with pytest.raises(TypeError):
        set_context(1)  # type: ignore[call-arg]


# -- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"mode": 2}, ValueError),
        ({"mode": None}, ValueError),
        ({"mode": 1.0}, TypeError),
        ({"device_target": "cpu"}, ValueError),
        ({"device_target": 1}, TypeError),
        ({"device_id": 1.5}, TypeError),
        ({"device_id": "1"}, TypeError),
        ({"save_graphs": 4}, ValueError),
        ({"save_graphs": "1"}, TypeError),
        ({"save_graphs_path": ""}, ValueError),
        ({"save_graphs_path": 1}, TypeError),
        ({"max_call_depth": 0}, ValueError),
        ({"deterministic": "on"}, ValueError),
        ({"op_timeout": -1}, ValueError),
        ({"op_timeout": "1"}, TypeError),
        ({"runtime_num_threads": -1}, ValueError),
        ({"inter_op_parallel_num": -1}, ValueError),
        ({"jit_syntax_level": 3}, ValueError),
        ({"jit_config": {"jit_level": "O3"}}, ValueError),
        ({"jit_config": {"level": "O0"}}, ValueError),
        ({"memory_optimize_level": "O2"}, ValueError),
        ({"debug_level": 2}, ValueError),
        ({"check_bprop": 1}, TypeError),
        ({"enable_profiling": 1}, RuntimeError),
        ({"profiling_options": 1}, TypeError),
        ({"profiling_options": "everything"}, ValueError),
        ({"profiling_options": "{bad json"}, ValueError),
        ({"profiling_options": '{"training_trace": "yes"}'}, ValueError),
        ({"profiling_options": '{"result_path": "/no/such/folder"}'}, ValueError),
        ({"profiling_options": '{"ai_core_metrics": "Speed"}'}, ValueError),
        ({"profiling_options": '{"trace": "on"}'}, ValueError),
        ({"aoe_tune_mode": "sometimes"}, ValueError),
    ],
)
def test_bad_values_are_refused(settings, error) -> None:
    with pytest.raises(error):
        set_context(**settings)


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        ({"mode": True}, 1),
        ({"save_graphs": True}, 2),
        ({"save_graphs": False}, 0),
        ({"save_graphs": 3}, 3),
        ({"max_call_depth": True}, 1),
        ({"op_timeout": 0.25}, 0.25),
        ({"op_timeout": 900}, 900),
        ({"jit_config": {"jit_level": "O1"}}, {"jit_level": "O1"}),
        ({"profiling_options": "training_trace:op_trace"}, "training_trace:op_trace"),
        ({"deterministic": "ON"}, "ON"),
    ],
)
def test_good_values_are_stored(value, stored) -> None:
    set_context(**value)
    (key,) = value
    assert get_context(key) == stored
    assert type(get_context(key)) is type(stored)


def test_profiling_options_take_the_json_of_the_guide(tmp_path) -> None:
    options = json.dumps({"result_path": str(tmp_path), "training_trace": "on"})
    set_context(enable_profiling=False, profiling_options=options)
    assert get_context("profiling_options") == options


def test_davinci_is_ascend() -> None:
    with pytest.warns(UserWarning, match="old name"):
        set_context(device_target="Davinci")
    assert get_context("device_target") == "Ascend"


def test_the_target_is_set_before_what_belongs_to_it() -> None:
    set_context(max_device_memory="3.5GB", device_target="Ascend")
    assert get_context("max_device_memory") == 3.5


def test_a_setting_of_another_target_is_ignored_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="is for Ascend and GPU; on CPU it is ignored"):
        set_context(max_device_memory="nonsense")
    assert get_context("max_device_memory") == 1024.0


@pytest.mark.parametrize("size", ["2", "2MB", "0GB", "-1GB", "GB"])
def test_a_size_is_a_number_and_gb(size: str) -> None:
    set_context(device_target="Ascend")
    with pytest.raises(ValueError, match="must be a size such as"):
        set_context(max_device_memory=size)


def test_old_switches_are_accepted_with_a_deprecation_warning() -> None:
    with pytest.warns(DeprecationWarning, match="Fusion is part of every compile"):
        set_context(enable_graph_kernel=True)
    assert get_context("enable_graph_kernel") is True


def test_followers_see_each_change_once() -> None:
    seen = []
    context.subscribe(lambda old, new: seen.append((old.device_id, new.device_id)))
    set_context(device_target="Ascend", device_id=5, mode=0)
    set_context(device_id=5)
    context._subscribers.pop()
    assert seen == [(0, 5)]


def test_set_device_sets_target_and_id() -> None:
    context.set_device("Ascend", 6)
    assert (get_context("device_target"), get_context("device_id")) == ("Ascend", 6)


# -- auto parallel --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"foo": 1}, ValueError),
        ({"device_num": 0}, ValueError),
        ({"device_num": "a"}, TypeError),
        ({"global_rank": 4096}, ValueError),
        ({"parallel_mode": "x"}, ValueError),
        ({"search_mode": "x"}, ValueError),
        ({"dataset_strategy": "x"}, ValueError),
        ({"dataset_strategy": 1}, TypeError),
        ({"all_reduce_fusion_config": [2, 1]}, ValueError),
        ({"all_reduce_fusion_config": ["a"]}, TypeError),
        ({"pipeline_stages": 0}, ValueError),
        ({"comm_fusion": {"x": 1}}, KeyError),
        ({"full_batch": 1}, TypeError),
        ({"parallel_optimizer_config": {"a": 1}}, ValueError),
    ],
)
def test_bad_parallel_settings_are_refused(settings, error) -> None:
    with pytest.raises(error):
        context.set_auto_parallel_context(**settings)


def test_parallel_settings_are_stored_and_reset() -> None:
    context.set_auto_parallel_context(
        parallel_mode=context.ParallelMode.DATA_PARALLEL, device_num=4097, mirror_mean=True
    )
    assert context.get_auto_parallel_context("parallel_mode") == "data_parallel"
    assert context.get_auto_parallel_context("device_num") == 4097
    assert context.get_auto_parallel_context("gradients_mean") is True
    context.reset_auto_parallel_context()
    assert context.get_auto_parallel_context("device_num") == 1


def test_a_parallel_setting_before_a_bad_one_stays() -> None:
    with pytest.raises(ValueError):
        context.set_auto_parallel_context(global_rank=1, device_num=0)
    assert context.get_auto_parallel_context("global_rank") == 1


def test_the_search_mode_has_two_names() -> None:
    context.set_auto_parallel_context(auto_parallel_search_mode="dynamic_programming")
    assert context.get_auto_parallel_context("search_mode") == "dynamic_programming"


def test_parts_of_comm_fusion_merge_with_the_defaults() -> None:
    context.set_auto_parallel_context(comm_fusion={"openstate": False})
    fusion = context.get_auto_parallel_context("comm_fusion")
    assert fusion["openstate"] is False
    assert fusion["allreduce"] == {"mode": "auto", "config": None}


def test_an_unknown_parallel_setting_is_refused_by_get() -> None:
    with pytest.raises(ValueError, match="not recognized"):
        context.get_auto_parallel_context("foo")


def test_op_timeout_defaults_to_that_of_mindspore() -> None:
    assert context.Context().op_timeout == 900
