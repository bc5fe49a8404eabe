"""What asks for THOR is told what to do."""

from __future__ import annotations

import pytest

from minispore import Model, nn
from minispore.nn.optim import thor
from minispore.train.train_thor import ConvertModelUtils, ConvertNetUtils


def test_thor_says_which_optimizers_are_there() -> None:
    net = nn.Dense(2, 2)
    with pytest.raises(NotImplementedError, match=r"thor: is not here. Train with nn.Momentum"):
        thor(net, 0.1, 0.03, 0.9)
    with pytest.raises(NotImplementedError, match=r"Train with Model and nn.Momentum"):
        ConvertModelUtils().convert_to_thor_model(Model(net), network=net)
    with pytest.raises(NotImplementedError, match=r"Train with Model and nn.Momentum"):
        ConvertNetUtils().convert_to_thor_net(net)
