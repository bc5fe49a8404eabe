"""What asks for THOR is told what to do."""

from __future__ import annotations

import pytest

import minispore as ms
from minispore import Model, nn, train
from minispore.nn.optim import thor
from minispore.train.train_thor import ConvertModelUtils, ConvertNetUtils


def test_thor_names_the_available_optimizers() -> None:
    net = nn.Dense(2, 2)
    with pytest.raises(NotImplementedError, match=r"thor: is not here. Train with nn.Momentum"):
        thor(net, 0.1, 0.03, 0.9)
    with pytest.raises(NotImplementedError, match=r"Train with Model and nn.Momentum"):
        ConvertModelUtils().convert_to_thor_model(Model(net), network=net)
    with pytest.raises(NotImplementedError, match=r"Train with Model and nn.Momentum"):
        ConvertNetUtils().convert_to_thor_net(net)


@pytest.mark.parametrize(
    "name",
    [
        "ConvertModelUtils", "ConvertNetUtils", "build_searched_strategy", "ckpt_to_safetensors",
        "load_checkpoint_async", "load_distributed_checkpoint", "merge_sliced_parameter",
        "restore_group_info_list", "safetensors_to_ckpt",
    ],
)  # fmt: skip
def test_what_few_trainings_ask_for_is_at_both_of_mindspores_paths(name: str) -> None:
    assert getattr(train, name) is getattr(ms, name)
