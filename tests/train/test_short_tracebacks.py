"""A traceback shows the user's frames, and one of the framework between two of them."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import minispore as ms
import minispore.dataset as ds
from minispore import Tensor, nn, ops
from minispore.foundation.tracebacks import shorten_traceback

PACKAGE = str(Path(ms.__file__).parent)
MODES = pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])


class Net(nn.Cell):
    """A network whose second layer has another width."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Dense(2, 8)
        self.second = nn.Dense(7, 1)

    def construct(self, x: Tensor) -> Tensor:
        return self.second(self.first(x))


def train() -> None:
    net = Net()
    model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    rows = np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)
    model.train(1, ds.NumpySlicesDataset(rows, ["x", "y"]).batch(4))


def call() -> None:
    Net()(ops.ones((1, 2)))


def differentiate() -> None:
    net = Net()
    ms.value_and_grad(lambda x: net(x).sum(), 0)(ops.ones((1, 2)))


def call_jitted() -> None:
    net = Net()
    ms.jit(lambda x: net(x))(ops.ones((1, 2)))


PROGRAMS = pytest.mark.parametrize("program", [train, call, differentiate, call_jitted])


def list_owners(program: Callable[[], None]) -> str:
    """Whose the frames of the error are, outermost first: ``u`` the user's, ``m`` minispore's."""
    with pytest.raises(ValueError, match="in_channels=7") as caught:
        program()
    assert caught.value.__context__ is None
    frames = traceback.extract_tb(caught.value.__traceback__)
    return "".join("m" if f.filename.startswith(PACKAGE) else "u" for f in frames)


@MODES
@PROGRAMS
def test_no_more_than_three_frames_of_the_framework_are_together(
    program: Callable[[], None], mode: int
) -> None:
    ms.set_context(mode=mode)
    assert "mmmm" not in list_owners(program)


@MODES
def test_a_training_shows_one_frame_between_those_of_the_user(mode: int) -> None:
    ms.set_context(mode=mode)
    assert list_owners(train) == "uumum"


@MODES
def test_the_last_line_is_the_path_of_the_layer(mode: int) -> None:
    ms.set_context(mode=mode)
    with pytest.raises(ValueError) as caught:
        call()
    assert traceback.format_exception(caught.value)[-1] == "in Net.second (Dense)\n"


@MODES
@PROGRAMS
def test_the_environment_asks_for_all_frames(
    program: Callable[[], None], mode: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ms.set_context(mode=mode)
    monkeypatch.setenv("MINISPORE_FULL_TRACEBACK", "1")
    assert list_owners(program).count("m") > 4


def test_a_cause_is_shortened_too() -> None:
    def raise_from_cause() -> None:
        try:
            train()
        except ValueError as exc:
            raise KeyError("wrapped") from exc

    with pytest.raises(KeyError) as caught:
        raise_from_cause()
    shorten_traceback(caught.value)
    assert caught.value.__cause__ is not None
    assert len(traceback.extract_tb(caught.value.__cause__.__traceback__)) == 5
