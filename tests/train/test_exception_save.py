"""ModelCheckpoint of a training that ends in an exception."""

from __future__ import annotations

import pytest

from minispore import context
from minispore.train import (
    Callback,
    CheckpointConfig,
    LambdaCallback,
    ModelCheckpoint,
    RunContext,
    load_checkpoint,
)
from tests.train.nets import GRAPH, PYNATIVE, regression, trainer
from tests.train.test_model_checkpoint import names_in


def test_exception_save_writes_a_breakpoint_checkpoint(tmp_path) -> None:
    def fail(run_context: RunContext) -> None:
        if run_context.original_args().cur_step_num == 5:
            raise KeyError("stop")

    for saved in (False, True):
        config = CheckpointConfig(save_checkpoint_steps=100, exception_save=saved)
        callbacks = [
            ModelCheckpoint("net", str(tmp_path), config),
            LambdaCallback(on_train_step_end=fail),
        ]
        with pytest.raises(KeyError):
            trainer().train(3, regression(3), callbacks)
    assert names_in(tmp_path) == ["net-2_2_breakpoint.ckpt"]


def test_an_exception_before_the_first_epoch_has_a_checkpoint_of_epoch_0(tmp_path) -> None:
    def fail(run_context: RunContext) -> None:
        raise KeyError("stop")

    config = CheckpointConfig(exception_save=True, append_info=["epoch_num"])
    callbacks = [ModelCheckpoint("net", str(tmp_path), config), LambdaCallback(on_train_begin=fail)]
    with pytest.raises(KeyError):
        trainer().train(3, regression(3), callbacks)
    (name,) = names_in(tmp_path)
    assert name == "net-0_0_breakpoint.ckpt"
    assert load_checkpoint(str(tmp_path / name))["epoch_num"].asnumpy() == 0


@pytest.mark.parametrize(("mode", "sink"), [(GRAPH, False), (GRAPH, True), (PYNATIVE, True)])
@pytest.mark.parametrize(
    ("event", "name"),
    [
        ("on_train_epoch_begin", "net-2_0_breakpoint.ckpt"),
        ("on_eval_begin", "net-1_3_breakpoint.ckpt"),
        ("on_eval_step_end", "net-1_3_breakpoint.ckpt"),
        ("on_train_epoch_end", "net-1_3_breakpoint.ckpt"),
    ],
)
def test_an_exception_between_two_steps_is_saved_as_of_the_last(
    event, name, mode, sink, tmp_path
) -> None:
    context.set_context(mode=mode, device_target="Ascend")

    def fail(run_context: RunContext) -> None:
        if event != "on_train_epoch_begin" or run_context.original_args().cur_epoch_num == 2:
            raise KeyError("stop")

    config = CheckpointConfig(
        100, exception_save=True, async_save=True, append_info=["epoch_num", "step_num"]
    )
    failing = type("Failing", (Callback,), {event: lambda self, run_context: fail(run_context)})
    callbacks = [ModelCheckpoint("net", str(tmp_path), config), failing()]
    with pytest.raises(KeyError):
        trainer(metrics={"mse"}).fit(
            2, regression(3), regression(2), callbacks=callbacks, dataset_sink_mode=sink
        )
    assert names_in(tmp_path) == [name]  # whole at once, whatever async_save says
    params = load_checkpoint(str(tmp_path / name))
    epoch = 2 if event == "on_train_epoch_begin" else 1
    numbers_in = [params[k].asnumpy().item() for k in ("epoch_num", "step_num", "global_step")]
    assert numbers_in == [epoch, 3, 3]


def test_a_checkpoint_subclass_saves_an_exception_after_an_evaluation_in_fit(tmp_path) -> None:
    class Saver(ModelCheckpoint):
        pass

    def fail(run_context: RunContext) -> None:
        if run_context.original_args().cur_epoch_num == 2:
            raise KeyError("stop")

    saver = Saver("net", str(tmp_path), CheckpointConfig(0, 1000, exception_save=True))
    with pytest.raises(KeyError):
        trainer(metrics={"mse"}).fit(
            2,
            regression(3),
            regression(2),
            callbacks=[saver, LambdaCallback(on_train_step_begin=fail)],
        )
    assert "net-2_1_breakpoint.ckpt" in names_in(tmp_path)
