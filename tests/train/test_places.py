"""What is in a checkpoint: the place of its training, and what else was to be saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minispore import Parameter, Tensor, device
from minispore.train import (
    CheckpointConfig,
    LambdaCallback,
    ModelCheckpoint,
    load_checkpoint,
    load_param_into_net,
    save_checkpoint,
)
from minispore.train.resume import Resumption, _pack_value, _unpack_value
from tests.train.nets import dense, regression, trainer

# -- places ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [True, 3, 0.5, "text", None, (1, [2, "a"], {"b": (None,)}), [], (), {}, {"k": {"l": False}}],
)
def test_what_a_callback_keeps_comes_back_in_its_kind(value: Any) -> None:
    arrays: list[np.ndarray] = []
    assert repr(_unpack_value(_pack_value(value, arrays), arrays)) == repr(value)
    assert arrays == []


@pytest.mark.parametrize("value", [Tensor([1.0, 2.0]), np.arange(3), np.float64(0.5)])
def test_arrays_come_back_as_tensors_or_arrays(value: Any) -> None:
    arrays: list[np.ndarray] = [np.zeros(1)]
    actual = _unpack_value(_pack_value({"a": (value,)}, arrays), arrays)["a"][0]
    assert isinstance(actual, Tensor) == isinstance(value, Tensor)
    assert np.asarray(actual).tolist() == np.asarray(value).tolist()
    assert len(arrays) == 2


def place(folder: Path, steps: int, event_at: str, **options: Any) -> Resumption:
    saver = ModelCheckpoint("a", str(folder), CheckpointConfig(**options))
    model = trainer()
    model.train(2, regression(3), saver)
    return Resumption("who", str(folder / f"a-{(steps - 1) // 3 + 1}_{(steps - 1) % 3 + 1}.ckpt"))


@pytest.mark.parametrize(("step", "epochs"), [(2, [0, 1]), (3, [0, 1]), (4, [1]), (5, [1])])
def test_the_epochs_that_are_left_begin_with_the_one_under_way(
    step: int, epochs: list[int], tmp_path: Path
) -> None:
    actual = place(tmp_path, step, "on_train_step_end", keep_checkpoint_max=9)
    assert actual.step == step
    assert list(actual.remaining_epochs(2)) == epochs  # that of step 3 has still to be ended
    assert actual.is_interrupted_in("on_train_step_end", 6)
    assert not actual.is_interrupted_in("on_train_epoch_end", 6) and not actual.is_interrupted_in(
        "on_train_end", 6
    )


def test_on_train_end_sees_the_last_epoch_after_resuming_at_the_end(tmp_path: Path) -> None:
    saver = ModelCheckpoint("a", str(tmp_path), CheckpointConfig(save_checkpoint_steps=99))
    seen: list[Any] = []

    def look(run_context: Any) -> None:
        params = run_context.original_args()
        seen.append((params.cur_epoch_num, params.cur_step_num))

    trainer().train(2, regression(3), [saver, LambdaCallback(on_train_end=look)])
    file = str(tmp_path / "a-2_3.ckpt")
    second = [ModelCheckpoint("b", str(tmp_path)), LambdaCallback(on_train_end=look)]
    trainer().train(2, regression(3), second, resume_from=file)
    assert seen == [(2, 6), (2, 6)]


def test_the_place_of_another_version_is_refused(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("minispore.train.resume._VERSION", 2)
    saver = ModelCheckpoint("a", str(tmp_path))
    trainer().train(1, regression(1), saver)
    monkeypatch.undo()
    with pytest.raises(ValueError, match=r"its place can't be read: .*it has version 2"):
        trainer().train(1, regression(1), resume_from=str(tmp_path / "a-1_1.ckpt"))


# -- checkpoints -----------------------------------------------------------------------------------


def test_a_dict_of_anything_that_is_an_array_is_saved(tmp_path: Path) -> None:
    things = {
        "a": Tensor([1.0]),
        "b": np.arange(2),
        "c": "text",
        "d": Parameter(Tensor(3), name="z"),
    }
    save_checkpoint(things, str(tmp_path / "f"))
    params = load_checkpoint(str(tmp_path / "f.ckpt"))
    assert list(params) == list(things)
    assert params["b"].asnumpy().tolist() == [0, 1] and params["c"] == "text"


@pytest.mark.parametrize("value", [True, 3, 0.5, "text", Tensor([1.0, 2.0])])
def test_what_is_appended_is_loaded(value: Any, tmp_path: Path) -> None:
    save_checkpoint(dense(), str(tmp_path / "f"), append_dict={"more": value})
    params = load_checkpoint(str(tmp_path / "f.ckpt"))["more"]
    expected = value.asnumpy() if isinstance(value, Tensor) else value
    assert (params if isinstance(params, str) else params.asnumpy().tolist()) == (
        expected if isinstance(expected, str) else np.asarray(expected).tolist()
    )


def test_a_dry_run_writes_no_checkpoint(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setattr(device.dryrun, "read_level", lambda: 1)
    save_checkpoint(dense(), str(tmp_path / "f"))
    assert not list(tmp_path.iterdir())
    assert capsys.readouterr().out.startswith(f"DryRun: {tmp_path / 'f.ckpt'} is not written")


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"specify_prefix": "a"}, ["a.x", "a.y"]),
        ({"specify_prefix": ["a.x", "b"]}, ["a.x", "b.x"]),
        ({"filter_prefix": "a"}, ["b.x", "c"]),
        ({"filter_prefix": ("a", "c")}, ["b.x"]),
        ({"specify_prefix": ("a", "b"), "filter_prefix": "a.x"}, ["a.y", "b.x"]),
        ({"choice_func": lambda name: name.endswith("x")}, ["a.x", "b.x"]),
        ({"choice_func": lambda name: False, "specify_prefix": "c"}, ["c"]),  # the prefix counts
        ({}, ["a.x", "a.y", "b.x", "c"]),
    ],
)
def test_what_is_loaded_can_be_chosen(options: Any, names: list[str], tmp_path: Path) -> None:
    things = {name: Tensor([1.0]) for name in ("a.x", "a.y", "b.x", "c")}
    save_checkpoint(things, str(tmp_path / "f"))
    assert list(load_checkpoint(str(tmp_path / "f.ckpt"), **options)) == names


@pytest.mark.parametrize("prefix", ["", [""], [], [1], 3])
@pytest.mark.parametrize("name", ["specify_prefix", "filter_prefix"])
def test_a_prefix_is_a_text_that_is_not_empty(name: str, prefix: Any, tmp_path: Path) -> None:
    save_checkpoint(dense(), str(tmp_path / "f"))
    with pytest.raises((TypeError, ValueError), match=f"{name} must"):
        load_checkpoint(str(tmp_path / "f.ckpt"), **{name: prefix})


def test_parameters_loaded_under_a_prefix_are_reported_as_unused() -> None:
    net = dense()
    prefixed = {f"network.{p.name}": Parameter(p, name=p.name) for p in net.get_parameters()}
    prefixed["network.weight"].set_data(Tensor([[7.0, 8.0, 9.0]]))
    missing, unused = load_param_into_net(net, prefixed)
    assert (missing, unused) == ([], list(prefixed))
    assert net.weight.asnumpy().tolist() == [[7, 8, 9]]


def test_prefixed_and_plain_names_load_together() -> None:
    net = dense()
    weight = Parameter(Tensor([[7.0, 8.0, 9.0]]), name="weight")
    bias = Parameter(Tensor([5.0]), name="bias")
    missing, unused = load_param_into_net(net, {"weight": weight, "net.bias": bias})
    assert (missing, unused) == ([], ["net.bias"])
    assert net.bias.asnumpy().tolist() == [5]
