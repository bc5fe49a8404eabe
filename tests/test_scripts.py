"""What public MindSpore projects take from paths of MindSpore that no page of it names."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import minispore
import minispore.dataset as ds
from minispore import Parameter, Tensor
from minispore._c_expression.amp import AmpLevel, create_amp_strategy
from minispore.common import initializer as initializers
from minispore.common.api import _function_forbid_reuse
from minispore.common.seed import _get_graph_seed
from minispore.dataset import vision
from minispore.parallel import _cost_model_context as costs
from minispore.train.serialization import _load_dismatch_prefix_params, _update_param

SAME = [
    ("train.model", "ParallelMode", minispore.ParallelMode),
    ("train.serialization", "context", minispore.context),
    ("train.serialization", "merge_sliced_parameter", minispore.merge_sliced_parameter),
    ("train.serialization", "build_searched_strategy", minispore.build_searched_strategy),
    ("train.serialization", "load_distributed_checkpoint", minispore.load_distributed_checkpoint),
    ("dataset", "context", minispore.context),
    ("ops.composite", "batch_dot", minispore.ops.batch_dot),
    ("dataset.core.validator_helpers", "INT32_MAX", 2**31 - 1),
    ("mint", "functional", minispore.mint.nn.functional),
    ("mint", "Tensor", Tensor),
    ("mint.nn", "Cell", minispore.nn.Cell),
    ("nn.layer.basic", "Dense", minispore.nn.Dense),
    ("ops.function.nn_func", "conv_transpose2d", minispore.mint.nn.functional.conv_transpose2d),
    ("experimental.optim.optimizer", "Optimizer", minispore.experimental.optim.Optimizer),
    ("common", "_Function", minispore.nn.function._Function),
    ("common._grad_function", "_Function", minispore.nn.function._Function),
    ("_c_expression.security", "enable_security", minispore.version.enable_security),
]


@pytest.mark.parametrize(("path", "name", "thing"), SAME)
def test_a_name_is_also_where_scripts_take_it_from(path, name, thing):
    actual = getattr(importlib.import_module(f"minispore.{path}"), name)
    assert actual is thing or actual == thing


def test_op_seeds_of_one_name_differ_and_restart_with_set_seed():
    for _ in range(2):  # what MindSpore 2.10 gives
        minispore.set_seed(5)
        assert [_get_graph_seed(0, "x") for _ in range(3)] == [
            (5, 0),
            (5, 533697028),
            (5, 1067394056),
        ]
        assert _get_graph_seed(3, "x") == (5, 3)
        assert _get_graph_seed(0, "y") == (5, 0)


def test_a_registered_initializer_is_available_by_name(monkeypatch):
    monkeypatch.setattr(
        "minispore.core.initializer.base._INITIALIZER_ALIAS", dict(initializers._INITIALIZER_ALIAS)
    )

    @initializers._register("threes")
    class Threes(initializers.Initializer):
        def _initialize(self, arr):
            initializers._assignment(arr, 3)

    assert initializers.initializer("threes", [2]).init_data().asnumpy().tolist() == [3.0, 3.0]


def test_update_param_takes_the_value_of_a_checkpoint_with_its_last_axes_of_one():
    mine = Parameter(Tensor(np.zeros((2, 1), np.float32)), name="w")
    _update_param(mine, Parameter(Tensor(np.ones((2, 1, 1, 1), np.float32)), name="w"), True)
    assert mine.asnumpy().tolist() == [[1.0], [1.0]]


def test_parameters_under_a_prefix_are_loaded_and_removed_from_the_list():
    net = minispore.nn.Dense(1, 1)
    saved = {f"net.{p.name}": Parameter(p + 5, name=f"net.{p.name}") for p in net.get_parameters()}
    expected = [p.asnumpy().item() for p in saved.values()]
    missing = ["weight", "bias", "other"]
    _load_dismatch_prefix_params(net, saved, missing, False)
    assert missing == ["other"]
    assert [p.asnumpy().item() for p in net.get_parameters()] == expected


def test_the_mode_is_the_context_s():
    assert minispore.context._get_mode() == minispore.get_context("mode")


def test_a_function_that_forbids_reuse_is_itself():
    assert _function_forbid_reuse(test_the_mode_is_the_context_s) is test_the_mode_is_the_context_s
    with pytest.raises(TypeError, match="func must be a function, got 1"):
        _function_forbid_reuse(1)


def test_a_strategy_of_precision_is_refused_with_what_to_call():
    assert [level.value for level in AmpLevel] == [0, 1, 2, 3, 4]
    with pytest.raises(NotImplementedError, match="auto_mixed_precision"):
        create_amp_strategy(AmpLevel.AmpO3, minispore.float16, [], [])


def test_update_param_refuses_another_shape():
    mine = Parameter(Tensor([0.0]), name="w")
    with pytest.raises(RuntimeError, match="shape"):
        _update_param(mine, Parameter(Tensor([1.0, 2.0]), name="w"), False)


def test_a_transform_accepts_an_implementation():
    flip = vision.HorizontalFlip()
    flip.implementation = ds.Implementation.C
    assert [i.value for i in ds.Implementation] == [0, 1]
    assert flip(np.array([[[1], [2]]], np.uint8)).tolist() == [[[2], [1]]]


def test_an_argument_of_a_transform_still_can_not_be_changed():
    with pytest.raises(AttributeError, match="can't be changed"):
        vision.Pad(1).padding = 2


def test_cost_model_settings_are_stored_until_they_are_reset():
    costs.set_cost_model_context(device_memory_capacity=32.0 * 2**30, costmodel_gamma=0.5)
    costs._set_multi_subgraphs()
    assert costs.get_cost_model_context("costmodel_gamma") == 0.5
    assert costs._get_multi_subgraphs()
    costs.reset_cost_model_context()
    assert costs.get_cost_model_context("device_memory_capacity") == 16.0 * 2**30
    assert not costs._get_multi_subgraphs()


def test_costs_of_the_search_are_floats():
    with pytest.raises(TypeError, match="float"):
        costs.set_cost_model_context(costmodel_alpha=3)
