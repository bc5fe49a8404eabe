"""Dataset classes of the user's own, with the methods that MindSpore's loop calls."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import minispore as ms
from minispore import Tensor, nn


class Rows:
    """Two batches in each pass; not one of mindspore.dataset."""

    def __init__(self) -> None:
        self.resets = 0

    def get_dataset_size(self) -> int:
        return 2

    def get_repeat_count(self) -> int:
        return 1

    def create_tuple_iterator(self, num_epochs: int = -1, do_copy: bool = True) -> Rows:
        return self

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        for value in (1.0, 2.0):
            yield Tensor([[value]]), Tensor([[value * 3.0]])

    def reset(self) -> None:
        self.resets += 1


@pytest.fixture
def model() -> ms.Model:
    net = nn.Dense(1, 1, "zeros", has_bias=False)
    return ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1), metrics={"mse"})


def test_a_model_trains_with_a_dataset_of_the_user(model: ms.Model) -> None:
    dataset = Rows()
    model.train(1, dataset, dataset_sink_mode=False)
    # w = 0 + 0.2 * 3 = 0.6, then 0.6 + 0.8 * (3 - 0.6) = 2.52.
    assert model.train_network.network.trainable_params()[0].asnumpy().item() == pytest.approx(2.52)
    assert dataset.resets == 1


@pytest.mark.parametrize("copies", [False, True])
def test_a_user_dataset_gets_do_copy_of_the_iterator_mode(model: ms.Model, copies) -> None:
    requests: list[bool] = []

    class Noting(Rows):
        def create_tuple_iterator(self, num_epochs: int = -1, do_copy: bool = True) -> Rows:
            requests.append(do_copy)
            return self

    ms.dataset.config.set_iterator_mode(do_copy=copies)
    model.train(1, Noting(), dataset_sink_mode=False)
    assert requests == [copies]


def test_a_user_dataset_is_iterated_once_for_each_epoch(model: ms.Model) -> None:
    steps: list[int] = []

    class Note(ms.Callback):
        def on_train_step_end(self, run_context) -> None:
            steps.append(run_context.original_args().cur_step_num)

    model.train(2, Rows(), callbacks=Note(), dataset_sink_mode=False)
    assert steps == [1, 2, 3, 4]


def test_a_model_is_evaluated_with_a_dataset_of_the_user(model: ms.Model) -> None:
    # Outputs are 0: the mean of 3 * 3 and 6 * 6.
    assert model.eval(Rows(), dataset_sink_mode=False)["mse"] == 22.5


def test_a_fit_takes_datasets_of_the_user(model: ms.Model) -> None:
    model.fit(1, Rows(), Rows(), dataset_sink_mode=False, valid_dataset_sink_mode=False)


def test_a_user_dataset_cannot_be_sunk(model: ms.Model) -> None:
    ms.set_context(device_target="Ascend")
    with pytest.raises(AttributeError, match="Set dataset_sink_mode=False"):
        model.train(1, Rows(), dataset_sink_mode=True)
    with pytest.raises(AttributeError, match="Set dataset_sink_mode=False"):
        model.eval(Rows(), dataset_sink_mode=True)
