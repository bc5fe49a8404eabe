"""What a History keeps, and who calls callbacks with what."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore.dataset as ds
from minispore import Model, Tensor, nn
from minispore.train import (
    History,
    LambdaCallback,
    RunContext,
)
from minispore.train.callback.base import CallbackManager, InternalCallbackParam, handle_loss
from tests.train.nets import Trace

# -- History ---------------------------------------------------------------------------------------


def test_a_history_is_a_table_of_its_epochs() -> None:
    history = History()
    history.history = {"net_output": [0.5, 1234567.0], "acc": [0.25]}
    assert str(history) == "\n".join(
        [
            "epoch         loss   acc",
            "    1          0.5  0.25",
            "    2  1.23457e+06      ",
        ]
    )


def test_a_history_shows_what_is_no_number_as_it_is() -> None:
    history = History()
    history.history = {"net_output": ["text"], "f1": [np.array([1, 2])]}
    assert str(history).splitlines()[1].split() == ["1", "text", "[1", "2]"]
    assert str(History()) == "History: no epoch yet"


@pytest.mark.parametrize(
    ("outputs", "kept"),
    [
        (Tensor([1.0, 2.0]), 1.5),
        ((Tensor([2.0, 4.0]), Tensor(1.0)), 3.0),
        ([Tensor(2.0)], 2.0),
        ((), ()),
        ("text", "text"),
        ((1.0, Tensor(2.0)), (1.0, Tensor(2.0))),
    ],
)
def test_a_history_keeps_the_mean_of_the_first_output(outputs: Any, kept: Any) -> None:
    history = History()
    params = InternalCallbackParam(net_outputs=outputs, cur_epoch_num=4, metrics=None)
    history.epoch_end(RunContext(params))  # begun or not
    history.epoch_end(RunContext(InternalCallbackParam(net_outputs=outputs)))
    assert history.epoch == {"epoch": [4, 1]}
    assert repr(history.history) == repr({"net_output": [kept, kept]})


def test_a_drawing_of_one_number_has_one_plot(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    history = History()
    history.history = {"net_output": [3.0, 2.0]}
    (loss,) = history.plot(str(tmp_path / "a.svg")).axes
    assert loss.get_xlabel() == "epoch"


def test_a_drawing_has_a_plot_for_each_number(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    history = History()
    with pytest.raises(ValueError, match="an epoch must have ended with a number, got none"):
        history.plot()
    history.history = {"f1": [np.array([1, 2])], "net_output": [3.0, 2.0], "acc": [0.5, 1]}
    drawing = history.plot(str(tmp_path / "a.svg"))
    loss, acc = drawing.axes
    assert [loss.get_ylabel(), acc.get_ylabel()] == ["loss", "acc"]
    assert [loss.get_xlabel(), acc.get_xlabel()] == ["", "epoch"]
    assert loss.get_shared_x_axes().joined(loss, acc)
    for axes, values in ((loss, [3.0, 2.0]), (acc, [0.5, 1])):
        (line,) = axes.get_lines()
        assert (list(line.get_xdata()), list(line.get_ydata())) == ([1, 2], values)
        assert line.get_marker() == "o"
        assert axes.get_xgridlines()[0].get_visible()
    assert drawing.get_figheight() == pytest.approx(2 * 2.2 + 0.6)
    assert all(tick == int(tick) for tick in acc.get_xticks())
    assert (tmp_path / "a.svg").exists()


# -- the manager -----------------------------------------------------------------------------------


def test_a_manager_knows_which_event_is_under_way() -> None:
    seen = []

    class Look(Trace):
        def on_train_begin(self, run_context: Any) -> None:
            seen.append((manager.event, manager.index))

    manager = CallbackManager([Look(), Trace(), Look()])
    assert (manager.event, manager.index) == ("", -1)
    manager.call("on_train_begin", RunContext(InternalCallbackParam(cur_step_num=0)), completed={0})
    assert seen == [("on_train_begin", 2)]
    assert manager.event == ""


@pytest.mark.parametrize(
    ("outputs", "loss"),
    [
        (Tensor([1.0, 3.0]), 2.0),
        ((Tensor(5.0), Tensor(1.0)), 5.0),
        ([Tensor(5.0)], 5.0),
        ((1.0, Tensor(2.0)), None),
        ((), None),
        (3, 3),
    ],
)
def test_the_loss_is_the_first_tensor_of_the_outputs(outputs: Any, loss: Any) -> None:
    actual = handle_loss(outputs)
    assert actual is outputs if loss is None else float(actual) == loss


def test_a_field_can_be_removed_once_or_twice() -> None:
    params = InternalCallbackParam(mine=1)
    del params.mine
    del params.mine
    assert params == {}


def test_a_hook_that_is_no_function_is_refused_by_its_name() -> None:
    with pytest.raises(TypeError, match="LambdaCallback: on_eval_end must be a function, got 3"):
        LambdaCallback(on_eval_end=3)  # type: ignore[arg-type]


def test_fit_returns_a_history_of_its_epochs() -> None:
    x, y = np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)
    data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(2)
    network = nn.Dense(2, 1)
    model = Model(network, nn.MSELoss(), nn.SGD(network.trainable_params(), 0.1), metrics={"mae"})
    history = model.fit(3, data, data)
    assert {name: len(values) for name, values in history.history.items()} == {
        "net_output": 3,
        "mae": 3,
    }
    assert str(history).split()[:2] == ["epoch", "loss"]


def test_fit_returns_the_history_of_the_callbacks() -> None:
    x = np.ones((4, 2), np.float32)
    data = ds.NumpySlicesDataset((x, x[:, :1]), ["x", "y"]).batch(2)
    network, history = nn.Dense(2, 1), History()
    model = Model(network, nn.MSELoss(), nn.SGD(network.trainable_params(), 0.1))
    assert model.fit(1, data, callbacks=[history]) is history
