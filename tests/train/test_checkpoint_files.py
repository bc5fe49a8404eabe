"""The files of ModelCheckpoint: their names, their number, their times, what is in them."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from minispore import Tensor, context
from minispore.train import (
    CheckpointConfig,
    LambdaCallback,
    ModelCheckpoint,
    load_checkpoint,
)
from minispore.train.callback import checkpoint
from minispore.train.callback.checkpoint import CheckpointManager, _find_unused_prefix
from minispore.train.files import checkpoint_file
from minispore.train.files.async_saving import wait_for_saves
from tests.train.nets import GRAPH, PYNATIVE, numbers, regression, trainer


def names(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir() if p.suffix in (".ckpt", ".safetensors"))


def touch(folder: Path, *files: str, at: float | None = None) -> None:
    for k, name in enumerate(files):
        (folder / name).write_bytes(b"")
        if at is not None:
            os.utime(folder / name, (at + k, at + k))


# -- names -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("there", "prefix"),
    [
        ([], "net"),
        (["net-1_1.ckpt"], "net_1"),
        (["net-1_1.safetensors"], "net_1"),
        (["net_1-1_1.ckpt"], "net_2"),
        (["net_7-1_1.ckpt", "net-1_1.ckpt"], "net_8"),
        (["net_7-1_1.ckpt", "net_3-1_1.ckpt"], "net_8"),
        (["net-1_1.txt", "net_3-1_1.json"], "net"),  # no checkpoints
        (["other-1_1.ckpt", "my-net-1_1.ckpt"], "net"),  # of another prefix
        (["network-1_1.ckpt"], "net"),
        (["net_a-1_1.ckpt"], "net"),
        (["net7-1_1.ckpt"], "net"),
        (["net_-1_1.ckpt"], "net"),
        (["net-1_1_breakpoint.ckpt"], "net"),  # of an exception
    ],
)
def test_a_prefix_of_earlier_files_gets_a_number(
    there: list[str], prefix: str, tmp_path: Path
) -> None:
    touch(tmp_path, *there)
    assert _find_unused_prefix(str(tmp_path), "net") == prefix


@pytest.mark.parametrize(
    ("there", "name"),
    [
        ([], "net-1_2_breakpoint.ckpt"),
        (["net-1_1.ckpt"], "net-1_2_breakpoint.ckpt"),
        (["net-5_1_breakpoint.ckpt"], "net_1-1_2_breakpoint.ckpt"),
        (["net_4-5_1_breakpoint.ckpt"], "net_5-1_2_breakpoint.ckpt"),
    ],
)
def test_a_file_of_an_exception_has_a_name_that_is_free(
    there: list[str], name: str, tmp_path: Path
) -> None:
    touch(tmp_path, *there)

    def fail(run_context: Any) -> None:
        if run_context.original_args().cur_step_num == 2:
            raise KeyError("stop")

    config = CheckpointConfig(save_checkpoint_steps=100, exception_save=True)
    saver = ModelCheckpoint("net", str(tmp_path), config)
    with pytest.raises(KeyError):
        trainer().train(3, regression(3), [saver, LambdaCallback(on_train_step_end=fail)])
    assert names(tmp_path) == sorted([*there, name])
    assert "moments.weight" in load_checkpoint(str(tmp_path / name))


def test_an_exception_before_the_first_epoch_is_of_epoch_0(tmp_path: Path) -> None:
    def fail(run_context: Any) -> None:
        raise KeyError("stop")

    saver = ModelCheckpoint("net", str(tmp_path), CheckpointConfig(exception_save=True))
    with pytest.raises(KeyError):
        trainer().train(3, regression(3), [saver, LambdaCallback(on_train_begin=fail)])
    (name,) = names(tmp_path)
    assert name.startswith("net-0_")


def test_an_exception_in_a_format_of_choice(tmp_path: Path) -> None:
    def fail(run_context: Any) -> None:
        raise KeyError("stop")

    config = CheckpointConfig(exception_save=True, format="safetensors", save_checkpoint_steps=9)
    saver = ModelCheckpoint("net", str(tmp_path), config)
    with pytest.raises(KeyError):
        trainer().train(1, regression(3), [saver, LambdaCallback(on_train_step_end=fail)])
    assert names(tmp_path) == ["net-1_1_breakpoint.safetensors"]


def test_checkpoints_without_arguments_are_named_ckp_in_the_working_folder(
    tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    saver = ModelCheckpoint()
    assert saver.latest_ckpt_file_name == ""
    trainer().train(1, regression(7), saver)
    assert names(tmp_path) == [f"CKP-1_{k}.ckpt" for k in (3, 4, 5, 6, 7)]  # every step, five kept
    assert saver.latest_ckpt_file_name == str(tmp_path / "CKP-1_7.ckpt")


def test_an_existing_or_missing_checkpoint_folder_is_accepted(tmp_path: Path) -> None:
    for _ in range(2):
        ModelCheckpoint("net", str(tmp_path / "a" / "b"))
    assert (tmp_path / "a" / "b").is_dir()


@pytest.mark.parametrize("prefix", [3, "a/b"])
def test_a_function_of_names_gives_plain_names(prefix: Any, tmp_path: Path) -> None:
    saver = ModelCheckpoint(lambda params: prefix, str(tmp_path))
    with pytest.raises(ValueError, match="ModelCheckpoint: prefix must be a str without '/'"):
        trainer().train(1, regression(1), saver)


def test_the_graph_has_the_name_of_the_first_step(tmp_path: Path) -> None:
    context.set_context(mode=GRAPH)
    saver = ModelCheckpoint(lambda params: f"at{params.cur_step_num}", str(tmp_path))
    trainer().train(1, regression(3), saver)
    assert [p.name for p in tmp_path.glob("*.meta")] == ["at1-graph.meta"]


# -- how many --------------------------------------------------------------------------------------


def write_files(manager: CheckpointManager, folder: Path, *files: str) -> None:
    """Write files as a training does whose checkpoints a manager keeps."""
    touch(folder, *files)
    for name in files:
        manager.record_file(str(folder / name))
    manager.update_ckpoint_filelist(str(folder), "net")


def test_a_manager_counts_the_files_that_it_recorded_and_sees_those_of_others(
    tmp_path: Path,
) -> None:
    mine = ["net-10_2.ckpt", "net-1_1.ckpt"]
    others = [
        "net-1_1.safetensors", "net_1-1_1.ckpt", "other-1_1.ckpt", "net-1_1_breakpoint.ckpt",
        "net-a.ckpt", "net.ckpt",
    ]  # fmt: skip
    touch(tmp_path, *others, "net-7_1.ckpt")
    manager = CheckpointManager()
    assert manager.ckpoint_num == 0
    write_files(manager, tmp_path, *mine)
    assert [os.path.basename(f) for f in manager.ckpoint_filelist] == mine
    assert manager.ckpoint_num == 2
    assert manager.foreign_files == [str(tmp_path / "net-7_1.ckpt")]


@pytest.mark.parametrize("at", [None, 1000, 1e10], ids=["as written", "past", "future"])
def test_the_file_that_was_written_first_goes_first_whatever_the_times_say(
    at: float | None, tmp_path: Path
) -> None:
    manager = CheckpointManager()
    write_files(manager, tmp_path, "net-1_8.ckpt", "net-1_9.ckpt", "net-1_10.ckpt")
    touch(tmp_path, "net-1_10.ckpt", "net-1_9.ckpt", "net-1_8.ckpt", at=at)
    write_files(manager, tmp_path, "net-1_8.ckpt")  # again, so that it is the newest
    remaining = []
    for _ in range(3):
        manager.remove_oldest_ckpoint_file()
        remaining.append(names(tmp_path))
    assert remaining == [["net-1_10.ckpt", "net-1_8.ckpt"], ["net-1_8.ckpt"], []]
    assert manager.ckpoint_filelist == []


@pytest.mark.parametrize(
    ("ages", "kept"),
    [
        ([30, 20, 10], [30]),  # all of the last minute: the oldest stays
        ([70, 61, 10], [10, 61, 70]),
        ([61, 60, 30, 10], [30, 60, 61]),  # 60 s are a minute ago
        ([121, 119, 90, 30], [30, 119, 121, 90]),
        ([59.9, 59.8], [59.9]),
        ([], []),
    ],
)
def test_the_oldest_file_of_each_period_remains(
    ages: list[float], kept: list[float], tmp_path: Path, monkeypatch: Any
) -> None:
    now, manager = 10_000.0, CheckpointManager()
    for age in ages:
        monkeypatch.setattr(checkpoint.time, "monotonic", lambda age=age: now - age)
        write_files(manager, tmp_path, f"net-{age}.ckpt")
    manager.keep_one_ckpoint_per_minutes(1, now)
    assert names(tmp_path) == sorted(f"net-{age}.ckpt" for age in kept)


def test_a_file_that_somebody_removed_is_forgotten_without_a_warning(tmp_path: Path) -> None:
    manager = CheckpointManager()
    write_files(manager, tmp_path, "net-1_1.ckpt", "net-1_2.ckpt")
    (tmp_path / "net-1_1.ckpt").unlink()
    manager.remove_ckpoint_file(str(tmp_path / "net-1_1.ckpt"))
    assert manager.ckpoint_filelist == [str(tmp_path / "net-1_2.ckpt")]
    (tmp_path / "net-1_2.ckpt").unlink()
    write_files(manager, tmp_path)
    assert manager.ckpoint_filelist == []


# -- the clock, and other programs -----------------------------------------------------------------


@pytest.mark.parametrize("jump_s", [-3600.0, 3600.0])
@pytest.mark.parametrize("period", [{"keep_checkpoint_max": 2}, {"keep_checkpoint_max": 0}])
def test_no_clock_that_is_set_costs_the_newest_files(
    jump_s: float, period: dict[str, int], tmp_path: Path, monkeypatch: Any
) -> None:
    """Each file gets the time of a wall clock that jumps at every second step."""
    now, write = [1e9], checkpoint_file.write

    def write_at_wall_time(path: str, *arguments: Any) -> None:
        write(path, *arguments)
        os.utime(path, (now[0], now[0]))
        now[0] += jump_s if path.endswith(("2.ckpt", "4.ckpt")) else -jump_s

    monkeypatch.setattr(checkpoint_file, "write", write_at_wall_time)
    monkeypatch.setattr(checkpoint.time, "time", lambda: now[0])
    config = CheckpointConfig(**period, keep_checkpoint_per_n_minutes=5)
    trainer().train(1, regression(6), ModelCheckpoint("net", str(tmp_path), config))
    oldest = 5 if period["keep_checkpoint_max"] else 1
    assert names(tmp_path) == [f"net-1_{oldest}.ckpt", "net-1_6.ckpt"]


def test_the_ten_th_file_is_not_older_than_the_eighth(tmp_path: Path, monkeypatch: Any) -> None:
    """A coarse file system gives all the same time."""
    write = checkpoint_file.write

    def write_at_same_time(path: str, *arguments: Any) -> None:
        write(path, *arguments)
        os.utime(path, (1e9, 1e9))

    monkeypatch.setattr(checkpoint_file, "write", write_at_same_time)
    saver = ModelCheckpoint("net", str(tmp_path), CheckpointConfig(keep_checkpoint_max=2))
    trainer().train(1, regression(11), saver)
    assert names(tmp_path) == ["net-1_10.ckpt", "net-1_11.ckpt"]


@pytest.mark.parametrize("async_save", [False, True])
def test_another_program_s_files_are_neither_counted_nor_removed_and_named_once(
    async_save: bool, tmp_path: Path
) -> None:
    config = CheckpointConfig(keep_checkpoint_max=2, async_save=async_save)
    saver = ModelCheckpoint("net", str(tmp_path), config)
    foreign = ["net-9_1.ckpt", "net-9_2.ckpt", "net-9_3.ckpt"]
    with pytest.warns(UserWarning, match=r"another program writes .*'net'.*net-9_1") as caught:
        trainer().train(
            1,
            regression(4),
            [saver, LambdaCallback(on_train_begin=lambda _: touch(tmp_path, *foreign, at=5e9))],
        )
    assert names(tmp_path) == ["net-1_3.ckpt", "net-1_4.ckpt", *foreign]
    assert len(caught) == 1


@pytest.mark.filterwarnings("ignore:ModelCheckpoint. another program writes")
@pytest.mark.parametrize("replaces", [False, True])
def test_a_file_that_another_program_removed_or_replaced_is_no_error(
    replaces: bool, tmp_path: Path
) -> None:
    def interfere(run_context: Any) -> None:
        path = tmp_path / f"net-1_{run_context.original_args().cur_step_num}.ckpt"
        if replaces:
            touch(tmp_path, "other")
            os.replace(tmp_path / "other", path)
        else:
            path.unlink()

    saver = ModelCheckpoint("net", str(tmp_path), CheckpointConfig(keep_checkpoint_max=1))
    trainer().train(1, regression(3), [saver, LambdaCallback(on_train_step_end=interfere)])
    assert names(tmp_path) == [f"net-1_{k}.ckpt" for k in (1, 2, 3) if replaces]


def test_a_file_that_goes_while_the_folder_is_read_is_no_error(
    tmp_path: Path, monkeypatch: Any
) -> None:
    manager, list_folder = CheckpointManager(), os.listdir
    write_files(manager, tmp_path, "net-1_1.ckpt")

    def list_and_remove(folder: str) -> list[str]:
        actual = list_folder(folder)
        (tmp_path / "net-1_1.ckpt").unlink()
        return actual

    monkeypatch.setattr(checkpoint.os, "listdir", list_and_remove)
    manager.update_ckpoint_filelist(str(tmp_path), "net")
    assert manager.ckpoint_filelist == []


@pytest.mark.parametrize(
    ("most", "kept"), [(1, [6]), (2, [5, 6]), (6, [1, 2, 3, 4, 5, 6]), (9, [1, 2, 3, 4, 5, 6])]
)
@pytest.mark.parametrize("async_save", [False, True])
def test_keep_checkpoint_max_limits_the_number_of_files(
    most: int, kept: list[int], async_save: bool, tmp_path: Path
) -> None:
    config = CheckpointConfig(keep_checkpoint_max=most, async_save=async_save)
    trainer().train(6, regression(1), ModelCheckpoint("net", str(tmp_path), config))
    assert names(tmp_path) == [f"net-{k}_1.ckpt" for k in kept]


def test_a_thread_s_files_are_never_more_than_one_too_many(tmp_path: Path) -> None:
    there: list[int] = []

    def look(run_context: Any) -> None:
        wait_for_saves()
        there.append(len(names(tmp_path)))

    config = CheckpointConfig(keep_checkpoint_max=2, async_save=True)
    saver = ModelCheckpoint("net", str(tmp_path), config)
    trainer().train(6, regression(1), [saver, LambdaCallback(on_train_step_end=look)])
    assert there == [1, 2, 3, 3, 3, 3]
    assert len(names(tmp_path)) == 2


def test_an_async_save_starts_with_at_most_keep_checkpoint_max_files(
    tmp_path: Path, monkeypatch: Any
) -> None:
    there: list[int] = []
    write = checkpoint_file.write

    def slowly(*arguments: Any) -> None:
        there.append(len(names(tmp_path)))
        time.sleep(0.05)
        write(*arguments)

    monkeypatch.setattr(checkpoint_file, "write", slowly)
    config = CheckpointConfig(keep_checkpoint_max=2, async_save=True)
    trainer().train(5, regression(1), ModelCheckpoint("net", str(tmp_path), config))
    assert there == [0, 1, 2, 2, 2]


def test_keep_per_n_minutes_removes_the_newer_files_of_a_period(
    tmp_path: Path, monkeypatch: Any
) -> None:
    """The first of each minute stays, and the last of all."""
    now = [1000.0]
    monkeypatch.setattr("minispore.train.callback.checkpoint.time.monotonic", lambda: now[0])
    config = CheckpointConfig(keep_checkpoint_max=0, keep_checkpoint_per_n_minutes=1)

    def later(run_context: Any) -> None:
        now[0] += 25

    saver = ModelCheckpoint("net", str(tmp_path), config)
    trainer().train(8, regression(1), [LambdaCallback(on_train_step_begin=later), saver])
    stored = names(tmp_path)
    assert "net-1_1.ckpt" in stored and "net-8_1.ckpt" in stored
    assert len(stored) < 8


# -- when ------------------------------------------------------------------------------------------


def test_a_reused_model_checkpoint_saves_in_each_training(tmp_path: Path) -> None:
    saver = ModelCheckpoint("net", str(tmp_path), CheckpointConfig(save_checkpoint_steps=2))
    for _ in range(2):
        trainer().train(1, regression(5), saver)
        assert names(tmp_path) == ["net-1_2.ckpt", "net-1_4.ckpt", "net-1_5.ckpt"]
        for path in tmp_path.glob("*.ckpt"):
            path.unlink()


def test_a_training_that_goes_on_saves_where_it_would_have(tmp_path: Path) -> None:
    saver = ModelCheckpoint("net", str(tmp_path), CheckpointConfig(save_checkpoint_steps=4))
    trainer().train(1, regression(3), saver)
    trainer().train(3, regression(3), saver, initial_epoch=1)
    assert names(tmp_path) == ["net-1_3.ckpt", "net-3_1.ckpt", "net-3_3.ckpt"]


def test_seconds_count_from_the_last_file(tmp_path: Path, monkeypatch: Any) -> None:
    now = [1000.0]
    monkeypatch.setattr("minispore.train.callback.checkpoint.time.monotonic", lambda: now[0])
    config = CheckpointConfig(save_checkpoint_steps=None, save_checkpoint_seconds=10)
    saver = ModelCheckpoint("net", str(tmp_path), config)
    later = LambdaCallback(on_train_step_begin=lambda c: now.__setitem__(0, now[0] + 5))
    trainer().train(1, regression(7), [later, saver])  # 10 s are not more than 10 s
    assert names(tmp_path) == ["net-1_3.ckpt", "net-1_6.ckpt", "net-1_7.ckpt"]


@pytest.mark.parametrize(
    ("options", "policy"),
    [
        ({}, (1, None, 5, None)),
        ({"save_checkpoint_steps": 0, "save_checkpoint_seconds": 3}, (0, 3, 5, None)),
        ({"keep_checkpoint_max": 0, "keep_checkpoint_per_n_minutes": 3}, (1, None, 0, 3)),
        ({"keep_checkpoint_max": None}, (1, None, 1, 0)),
        ({"keep_checkpoint_max": 0, "keep_checkpoint_per_n_minutes": 0}, (1, None, 1, 0)),
        ({"save_checkpoint_steps": 7, "keep_checkpoint_max": 2}, (7, None, 2, None)),
    ],
)
def test_what_goes_first_when_and_how_many(options: Any, policy: Any) -> None:
    output = CheckpointConfig(**options).get_checkpoint_policy()
    assert output.pop("saved_network") is None
    assert tuple(output.values()) == policy


@pytest.mark.parametrize(
    "name",
    ["save_checkpoint_steps", "save_checkpoint_seconds", "keep_checkpoint_max",
     "keep_checkpoint_per_n_minutes"],
)  # fmt: skip
def test_numbers_are_counts(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} must be"):
        CheckpointConfig(**{name: -1})
    with pytest.raises(TypeError, match=f"{name} must be"):
        CheckpointConfig(**{name: 1.5})
    CheckpointConfig(**{name: 0})
    CheckpointConfig(**{name: None})


def test_a_misspelled_keyword_is_refused_and_other_keywords_are_accepted() -> None:
    with pytest.raises(TypeError, match=r"has no argument .keep_checkpoint_maxx.\. Did you mean"):
        CheckpointConfig(keep_checkpoint_maxx=1)
    assert CheckpointConfig(exotic=1).map_param_inc is False
    assert CheckpointConfig(incremental=True).map_param_inc is True


@pytest.mark.parametrize(
    "info",
    [["epoch_num", {"a": 1}], [{"a": 1.5, "b": True, "c": "x", "d": Tensor([1.0])}], [], None],
)
def test_append_info_is_stored_by_name(info: Any) -> None:
    output = CheckpointConfig(append_info=info).append_dict
    if not info:
        assert output is None
        return
    expected: dict[str, Any] = {"epoch_num": 0} if "epoch_num" in info else {}
    assert output == expected | info[-1]


@pytest.mark.parametrize("wrong", [{"a": None}, {1: 2}, {"a": (1,)}])
def test_what_can_not_be_appended(wrong: Any) -> None:
    with pytest.raises(TypeError, match="append_info must map str to int, float, bool, str or"):
        CheckpointConfig(append_info=[wrong])


def test_appended_epochs_and_steps_count_from_their_initial_values(tmp_path: Path) -> None:
    config = CheckpointConfig(append_info=["step_num", {"epoch_num": 10}])
    trainer().train(2, regression(2), ModelCheckpoint("net", str(tmp_path), config))
    params = load_checkpoint(str(tmp_path / "net-2_1.ckpt"))
    assert [int(params[k].asnumpy()) for k in ("epoch_num", "step_num")] == [12, 3]


@pytest.mark.parametrize("mode", [GRAPH, PYNATIVE])
@pytest.mark.parametrize("sink", [False, True])
def test_the_graph_is_saved_as_text_only_in_graph_mode(
    mode: int, sink: bool, tmp_path: Path
) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    trainer().train(1, regression(2), ModelCheckpoint("net", str(tmp_path)), dataset_sink_mode=sink)
    assert (tmp_path / "net-graph.meta").exists() == (mode == GRAPH)


@pytest.mark.parametrize("crc_check", [False, True])
def test_a_checksum_is_written_only_with_crc_check(crc_check: bool, tmp_path: Path) -> None:
    config = CheckpointConfig(crc_check=crc_check)
    trainer().train(1, regression(1), ModelCheckpoint("net", str(tmp_path), config))
    assert (b"crc_num" in (tmp_path / "net-1_1.ckpt").read_bytes()[-20:]) == crc_check


def test_a_key_of_no_length_is_refused() -> None:
    with pytest.raises(ValueError, match="enc_key must have 16 or 24 or 32 bytes"):
        CheckpointConfig(enc_key=b"short")
    with pytest.raises(TypeError, match="enc_mode must be a str"):
        CheckpointConfig(enc_mode=1)  # type: ignore[arg-type]


def test_a_checkpoint_that_another_rank_writes_is_not_written_locally(tmp_path: Path) -> None:
    saver = ModelCheckpoint("net", str(tmp_path))
    (tmp_path / ".net-1_2.ckpt.0123abcd.tmp").write_text("half, of the rank that writes")
    original = saver.on_train_begin

    def begin_on_silent_rank(run_context: Any) -> None:
        saver._another_rank_writes_ = True
        original(run_context)

    saver.on_train_begin = begin_on_silent_rank  # type: ignore[method-assign]
    context.set_context(mode=GRAPH)
    trainer().train(1, regression(2), saver)
    assert os.listdir(tmp_path) == [".net-1_2.ckpt.0123abcd.tmp"]


def test_of_a_network_without_a_loss_its_numbers_are_saved(tmp_path: Path) -> None:
    from minispore.train import Model
    from tests.train.nets import Log

    Model(Log(1)).train(1, numbers(2), ModelCheckpoint("net", str(tmp_path)))
    params = load_checkpoint(str(tmp_path / "net-1_2.ckpt"))
    assert params["calls"].asnumpy() == 2
    assert params["log"].asnumpy().dtype == np.float32
