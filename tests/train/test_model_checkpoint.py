"""ModelCheckpoint: when it writes, what, and what it leaves."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minispore import context, nn, ops
from minispore.core.tensor import Tensor
from minispore.ir import runtime as seam
from minispore.train import (
    Callback,
    CheckpointConfig,
    LambdaCallback,
    Model,
    ModelCheckpoint,
    RunContext,
    load_checkpoint,
    save_checkpoint,
)
from minispore.train.callback import _InternalCallbackParam, checkpoint
from minispore.train.files import checkpoint_file
from minispore.train.files.async_saving import wait_for_saves
from tests.train.nets import (
    GRAPH,
    PYNATIVE,
    Params,
    devices,
    epochs,
    modes,
    numbers,
    regression,
    sizes,
    trainer,
    weights_of,
)
from tests.train.test_checkpoints import FORMATS

# -- ModelCheckpoint -------------------------------------------------------------------------------


def names_in(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir() if p.suffix == ".ckpt")


class Weights(Callback):
    """Keeps the weights at every step_end, by step number."""

    def __init__(self, model: Any) -> None:
        self.model, self.by_step = model, {}

    def on_train_step_end(self, run_context: RunContext) -> None:
        self.by_step[run_context.original_args().cur_step_num] = weights_of(self.model)


def saved_weights(model: Any, path: Path) -> list[Any]:
    params = load_checkpoint(str(path))
    return [params[p.name].asnumpy().tolist() for p in model.train_network.get_parameters()]


@given(
    size=sizes,
    epoch=epochs,
    sink_size=st.integers(1, 5),
    every=st.integers(1, 12),
    most=st.integers(1, 4),
    dev=devices,
)
def test_p31_in_a_sink_checkpoints_come_at_multiples(
    size, epoch, sink_size, every, most, dev, tmp_path_factory
) -> None:
    folder = tmp_path_factory.mktemp("ckpt")
    context.set_context(mode=GRAPH, device_target=dev)
    config = CheckpointConfig(save_checkpoint_steps=every, keep_checkpoint_max=most)
    model = trainer()
    weights = Weights(model)
    saver = ModelCheckpoint("net", str(folder), config)
    model.train(
        epoch,
        regression(size),
        [weights, saver],
        dataset_sink_mode=True,
        sink_size=sink_size,
    )
    stride = math.ceil(every / sink_size)
    due = sorted({k for k in range(1, epoch + 1) if k % stride == 0} | {epoch})
    stored = due[-most:]
    assert names_in(folder) == sorted(f"net-{k}_{sink_size}.ckpt" for k in stored)
    for k in stored:
        path = folder / f"net-{k}_{sink_size}.ckpt"
        assert saved_weights(model, path) == weights.by_step[k * sink_size]
    assert saver.latest_ckpt_file_name == str(folder / f"net-{epoch}_{sink_size}.ckpt")


@given(size=sizes, epoch=epochs, every=st.integers(1, 9), most=st.integers(1, 4), mode=modes)
def test_p32_without_sink_checkpoints_come_every_so_many_steps(
    size, epoch, every, most, mode, tmp_path_factory
) -> None:
    folder = tmp_path_factory.mktemp("ckpt")
    context.set_context(mode=mode)
    config = CheckpointConfig(save_checkpoint_steps=every, keep_checkpoint_max=most)
    model = trainer()
    weights = Weights(model)
    model.train(epoch, regression(size), [weights, ModelCheckpoint("net", str(folder), config)])
    total = epoch * size
    due = sorted({*range(every, total + 1, every), total})
    by_name = {f"net-{(g - 1) // size + 1}_{(g - 1) % size + 1}.ckpt": g for g in due[-most:]}
    assert names_in(folder) == sorted(by_name)
    for name, g in by_name.items():
        assert saved_weights(model, folder / name) == weights.by_step[g]


def test_the_prefix_of_an_earlier_run_is_not_reused(tmp_path) -> None:
    for expected_name in ("net-1_1.ckpt", "net_1-1_1.ckpt", "net_2-1_1.ckpt"):
        trainer().train(1, regression(1), ModelCheckpoint("net", str(tmp_path)))
        assert expected_name in names_in(tmp_path)


@pytest.mark.parametrize(
    "others",
    [[f"a{i}-1_1.ckpt" for i in range(30)], [f"net-{i}_1_breakpoint.ckpt" for i in range(30)]],
)
def test_an_earlier_run_is_detected_among_many_files(others, tmp_path) -> None:
    for name in [*others[:15], "net-1_1.ckpt", *others[15:]]:
        (tmp_path / name).touch()
    trainer().train(1, regression(1), ModelCheckpoint("net", str(tmp_path)))
    assert "net_1-1_1.ckpt" in names_in(tmp_path)


def test_files_of_another_name_or_kind_are_neither_an_earlier_run_s_nor_removed(tmp_path) -> None:
    others = ["net-1_1.txt", "net-best.ckpt", "not-1_1.ckpt", "of-1_1.ckpt"]
    for name in others[:1] + others[2:]:
        (tmp_path / name).touch()
    saver = ModelCheckpoint("net", str(tmp_path), CheckpointConfig(keep_checkpoint_max=1))
    assert saver.latest_ckpt_file_name == ""
    (tmp_path / others[1]).touch()
    trainer().train(1, regression(3), saver)
    assert {path.name for path in tmp_path.iterdir()} == {*others, "net-1_3.ckpt"}
    assert saver.latest_ckpt_file_name == str(tmp_path / "net-1_3.ckpt")


def test_epoch_and_step_are_appended(tmp_path) -> None:
    config = CheckpointConfig(append_info=["epoch_num", "step_num", {"rate": 0.5}])
    trainer().train(2, regression(2), ModelCheckpoint("net", str(tmp_path), config))
    params = load_checkpoint(str(tmp_path / "net-2_1.ckpt"))
    assert [float(params[k].asnumpy()) for k in ("epoch_num", "step_num", "rate")] == [2, 3, 0.5]


def test_names_and_folders_may_be_functions(tmp_path) -> None:
    saver = ModelCheckpoint(
        lambda params: f"at{params.cur_step_num}",
        lambda params: str(tmp_path / f"epoch{params.cur_epoch_num}"),
    )
    trainer().train(2, regression(1), saver)
    assert names_in(tmp_path / "epoch1") == ["at1.ckpt"]
    assert names_in(tmp_path / "epoch2") == ["at2.ckpt"]


def test_another_network_can_be_saved(tmp_path) -> None:
    other = nn.Dense(2, 2)
    config = CheckpointConfig(saved_network=other)
    trainer().train(1, regression(1), ModelCheckpoint("net", str(tmp_path), config))
    assert load_checkpoint(str(tmp_path / "net-1_1.ckpt"))["weight"].shape == (2, 2)


def test_save_checkpoint_seconds_applies_when_steps_are_zero(tmp_path, monkeypatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("minispore.train.callback.checkpoint.time.monotonic", lambda: now[0])
    config = CheckpointConfig(save_checkpoint_steps=0, save_checkpoint_seconds=10)
    saver = ModelCheckpoint("net", str(tmp_path), config)
    later = LambdaCallback(on_train_step_begin=lambda c: now.__setitem__(0, now[0] + 6))
    trainer().train(1, regression(5), [later, saver])
    assert names_in(tmp_path) == ["net-1_2.ckpt", "net-1_4.ckpt", "net-1_5.ckpt"]


@pytest.mark.parametrize("async_save", [False, True])
def test_only_keep_checkpoint_max_files_remain_after_a_training(async_save, tmp_path) -> None:
    config = CheckpointConfig(keep_checkpoint_max=2, async_save=async_save)
    trainer().train(1, regression(4), ModelCheckpoint("net", str(tmp_path), config))
    assert names_in(tmp_path) == ["net-1_3.ckpt", "net-1_4.ckpt"]


@pytest.mark.parametrize("async_save", [False, True])
def test_keep_per_n_minutes_leaves_the_first_and_last_file(async_save, tmp_path) -> None:
    config = CheckpointConfig(
        keep_checkpoint_max=0, keep_checkpoint_per_n_minutes=1, async_save=async_save
    )
    saver = ModelCheckpoint("net", str(tmp_path), config)
    trainer().train(1, regression(4), saver)
    assert names_in(tmp_path) == ["net-1_1.ckpt", "net-1_4.ckpt"]


def test_a_second_training_is_saved_at_the_steps_of_the_first(tmp_path) -> None:
    saver = ModelCheckpoint("net", str(tmp_path), CheckpointConfig(save_checkpoint_steps=2))
    for _ in range(2):
        trainer().train(1, regression(5), saver)
        assert names_in(tmp_path) == ["net-1_2.ckpt", "net-1_4.ckpt", "net-1_5.ckpt"]
        for file in tmp_path.iterdir():
            file.unlink()


def test_a_training_from_a_later_epoch_on_is_saved_after_as_many_steps(tmp_path) -> None:
    saver = ModelCheckpoint("net", str(tmp_path), CheckpointConfig(save_checkpoint_steps=3))
    trainer().train(2, regression(5), saver, initial_epoch=1)
    assert names_in(tmp_path) == ["net-2_3.ckpt", "net-2_5.ckpt"]


@pytest.mark.parametrize("format", list(FORMATS))
@pytest.mark.parametrize("async_save", [False, True, "process"])
def test_formats_and_threads(tmp_path, format, async_save) -> None:
    config = CheckpointConfig(format=format, async_save=async_save, crc_check=True)
    trainer().train(1, regression(2), ModelCheckpoint("net", str(tmp_path), config))
    params = load_checkpoint(str(tmp_path / f"net-1_2.{format}"), format=format, crc_check=True)
    assert "moments.weight" in params


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"save_checkpoint_steps": -1}, ValueError),
        ({"save_checkpoint_seconds": -1}, ValueError),
        ({"keep_checkpoint_max": 1.5}, TypeError),
        (
            {
                "save_checkpoint_steps": 0,
                "save_checkpoint_seconds": 0,
                "keep_checkpoint_max": 0,
                "keep_checkpoint_per_n_minutes": 0,
            },
            ValueError,
        ),
        ({"append_info": "epoch_num"}, TypeError),
        ({"append_info": ["epoch"]}, ValueError),
        ({"append_info": [1]}, TypeError),
        ({"append_info": [{}, {}]}, TypeError),
        ({"append_info": [{"a": [1]}]}, TypeError),
        ({"saved_network": 1}, TypeError),
        ({"integrated_save": 1}, TypeError),
        ({"async_save": "x"}, ValueError),
        ({"exception_save": 1}, TypeError),
        ({"remove_redundancy": 1}, TypeError),
        ({"format": "pt"}, ValueError),
    ],
)
def test_arguments_of_a_checkpoint_config(options, error) -> None:
    with pytest.raises(error):
        CheckpointConfig(**options)


def test_the_policy_of_a_config() -> None:
    config = CheckpointConfig(save_checkpoint_seconds=9, keep_checkpoint_per_n_minutes=9)
    assert config.save_checkpoint_seconds is None  # steps go first
    assert config.keep_checkpoint_per_n_minutes is None  # so does the maximum
    assert CheckpointConfig(keep_checkpoint_max=0).keep_checkpoint_max == 1
    assert config.get_checkpoint_policy()["save_checkpoint_steps"] == 1


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"prefix": 1}, ValueError),
        ({"prefix": "a/b"}, ValueError),
        ({"directory": 1}, TypeError),
        ({"directory": ""}, ValueError),
        ({"directory": " "}, ValueError),
        ({"config": {}}, TypeError),
    ],
)
def test_arguments_of_model_checkpoint(options, error, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error):
        ModelCheckpoint(**options)


def test_a_file_that_can_not_be_removed_is_a_warning(tmp_path) -> None:
    saver = ModelCheckpoint("net", str(tmp_path), CheckpointConfig(keep_checkpoint_max=1))
    with pytest.warns(UserWarning, match="can't remove"):
        saver._manager.remove_ckpoint_file(str(tmp_path))


@pytest.mark.parametrize(
    "options", [{}, {"dataset_sink_mode": True}, {"sink_size": 1, "dataset_sink_mode": True}]
)
def test_in_graph_mode_the_graph_is_saved_once_and_compiled_once(
    options, tmp_path, monkeypatch
) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    model, data, written = trainer(), regression(2), []
    before, write = seam.compiler.compiles, checkpoint.write_text
    monkeypatch.setattr(checkpoint, "write_text", lambda *a: written.append(a[0]) or write(*a))
    model.train(2, data, ModelCheckpoint("net", str(tmp_path)), **options)
    assert seam.compiler.compiles == before + 1
    assert written == [str(tmp_path / "net-graph.meta")]
    assert "ApplyMomentum" in (tmp_path / "net-graph.meta").read_text()
    context.set_context(mode=PYNATIVE)
    trainer().train(1, regression(1), ModelCheckpoint("other", str(tmp_path)))
    assert not (tmp_path / "other-graph.meta").exists()


@pytest.mark.parametrize(("mode", "runs"), [(GRAPH, True), (GRAPH, False), (PYNATIVE, True)])
def test_a_custom_loop_saves_the_graph_that_ran(mode, runs, tmp_path) -> None:
    context.set_context(mode=mode)
    net = nn.Dense(3, 2)
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
    params = _InternalCallbackParam()
    params.train_network, params.epoch_num, params.batch_num = step, 1, 2
    saver = ModelCheckpoint("net", str(tmp_path), CheckpointConfig(save_checkpoint_steps=1))
    saver.begin(RunContext(params))
    for params.cur_step_num in (1, 2):
        params.cur_epoch_num = 1
        if runs:
            step(Tensor(np.ones((4, 3), np.float32)), Tensor(np.ones((4, 2), np.float32)))
        saver.step_end(RunContext(params))
    graph = ["net-graph.meta"] * (runs and mode == GRAPH)
    assert sorted(os.listdir(tmp_path)) == ["net-1_1.ckpt", "net-1_2.ckpt", *graph]


class OpByOp(nn.Cell):
    """A network that can't be one graph: a shape in it depends on values."""

    def construct(self, x: Tensor) -> Tensor:
        return ops.nonzero(x).sum() * 1.0


@pytest.mark.parametrize("sink", [False, True])
@pytest.mark.filterwarnings("ignore:GRAPH_MODE.*op by op")
def test_a_network_that_is_no_graph_is_trained_op_by_op_and_has_no_graph_file(
    sink, tmp_path
) -> None:
    context.set_context(mode=GRAPH, device_target="Ascend")
    saver, outputs = ModelCheckpoint("net", str(tmp_path)), Params("net_outputs")
    data = numbers(3, shuffle=False)
    Model(OpByOp()).train(1, data, [saver, outputs], dataset_sink_mode=sink)
    assert float(outputs.values[-1].asnumpy()) == 1.0  # of the last batch, [4, 5]
    assert not (tmp_path / "net-graph.meta").exists()


def test_the_oldest_file_is_removed_after_the_new_one_is_written(tmp_path, monkeypatch) -> None:
    file_counts = []
    write = checkpoint_file.write

    def look(*arguments: Any) -> None:
        file_counts.append(len(os.listdir(tmp_path)))
        write(*arguments)

    monkeypatch.setattr(checkpoint_file, "write", look)
    saver = ModelCheckpoint("a", str(tmp_path), CheckpointConfig(keep_checkpoint_max=1))
    trainer().train(1, regression(3), saver)
    assert file_counts == [0, 1, 1]
    assert os.listdir(tmp_path) == ["a-1_3.ckpt"]


def _full(monkeypatch) -> None:
    def fail(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint_file, "write", fail)


def test_a_save_by_a_thread_that_fails_is_raised_by_the_next(tmp_path, monkeypatch) -> None:
    _full(monkeypatch)
    save_checkpoint(nn.Dense(1, 1), str(tmp_path / "a"), async_save=True)
    with pytest.raises(OSError, match="No space") as caught:
        save_checkpoint(nn.Dense(1, 1), str(tmp_path / "b"), async_save=True)
    assert "a.ckpt" in caught.value.__notes__[0]
    wait_for_saves()  # it is raised once


def test_a_save_by_a_thread_that_fails_is_raised_when_the_training_ends(
    tmp_path, monkeypatch
) -> None:
    _full(monkeypatch)
    config = CheckpointConfig(save_checkpoint_steps=100, async_save=True)
    with pytest.raises(OSError, match="No space"):
        trainer().train(1, regression(2), ModelCheckpoint("a", str(tmp_path), config))


def test_a_failed_async_save_is_reported_when_python_exits(tmp_path) -> None:
    code = (
        "import os, minispore as ms\n"
        "from minispore import nn\n"
        f"os.mkdir({str(tmp_path / 'a')!r})\n"
        f"path = {str(tmp_path / 'a' / 'b.ckpt')!r}\n"
        f"os.rmdir({str(tmp_path / 'a')!r})\n"
        "ms.save_checkpoint(nn.Dense(1, 1), path, async_save=True)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "FileNotFoundError" in ended.stderr and "b.ckpt" in ended.stderr


def test_drafts_of_a_killed_training_are_removed_by_the_next(tmp_path) -> None:
    (tmp_path / ".a-1_2.ckpt.0123abcd.tmp").write_text("half")
    trainer().train(1, regression(1), ModelCheckpoint("a", str(tmp_path)))
    assert os.listdir(tmp_path) == ["a-1_1.ckpt"]


def test_a_checkpoint_with_a_name_function_removes_no_temporary_files(tmp_path) -> None:
    other = tmp_path / ".a-1_2.ckpt.0123abcd.tmp"
    other.write_text("half")
    trainer().train(1, regression(1), ModelCheckpoint(lambda params: "b", str(tmp_path)))
    assert sorted(os.listdir(tmp_path)) == [other.name, "b.ckpt"]


def test_the_record_knows_the_latest_file(tmp_path) -> None:
    seen = []
    look = LambdaCallback(
        on_train_end=lambda c: seen.append(
            (c.original_args().last_save_ckpt_step, c.original_args().latest_ckpt_file)
        )
    )
    trainer().train(1, regression(2), [ModelCheckpoint("net", str(tmp_path)), look])
    assert seen == [(2, str(tmp_path / "net-1_2.ckpt"))]


@pytest.mark.parametrize("suffix", ["ckpt", "safetensors"])
def test_checkpoints_need_only_the_standard_library(suffix: str, tmp_path: Path) -> None:
    program = (
        "import sys, minispore as ms\n"
        f"path, kind = sys.argv[1], {suffix!r}\n"
        "saved = [{'name': 'w', 'data': ms.Tensor([1.0])}]\n"
        "ms.save_checkpoint(saved, path, format=kind)\n"
        "ms.load_checkpoint(path, format=kind)\n"
        "print(*{'google', 'safetensors'} & {m.partition('.')[0] for m in sys.modules})\n"
    )
    path = str(tmp_path / f"net.{suffix}")
    run = [sys.executable, "-c", program, path]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout.split() == []


def test_complex_arrays_are_refused_in_safetensors(tmp_path) -> None:
    weights = [{"name": "c", "data": Tensor(np.ones(2, np.complex64))}]
    with pytest.raises(TypeError, match="reads no complex arrays from this format"):
        save_checkpoint(weights, str(tmp_path / "a"), format="safetensors")
    assert os.listdir(tmp_path) == []
    save_checkpoint(weights, str(tmp_path / "a"))
    assert load_checkpoint(str(tmp_path / "a.ckpt"))["c"].asnumpy().dtype == np.complex64


def test_empty_arrays_are_saved_and_loaded(tmp_path) -> None:
    save_checkpoint({"e": Tensor(np.zeros(0, np.float32))}, str(tmp_path / "a"))
    assert load_checkpoint(str(tmp_path / "a.ckpt"))["e"].shape == (0,)


def test_without_steps_and_seconds_nothing_is_saved(tmp_path):
    config = CheckpointConfig(save_checkpoint_steps=None, save_checkpoint_seconds=0)
    saves = ModelCheckpoint(directory=str(tmp_path), config=config)
    trainer().train(2, regression(3), callbacks=saves)
    assert list(tmp_path.iterdir()) == []
