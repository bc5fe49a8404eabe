"""A session records the steps that its schedule chooses, and leaves nothing open."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from enum import Enum
from pathlib import Path

import numpy as np
import pytest

from minispore import Tensor, context, device, nn, profiler
from minispore.dataset.pipeline import feed
from minispore.profiler import (
    AicoreMetrics,
    Profiler,
    ProfilerActivity,
    ProfilerLevel,
    _ExperimentalConfig,
    mstx,
    profile,
    schedule,
    tensorboard_trace_handler,
)
from minispore.profiler import profiler as room
from minispore.profiler.schedule import ProfilerAction
from tests.profiler.conftest import Net, train
from tests.profiler.test_files import rows
from tests.profiler.test_schedule import REAL

GRAPH, PYNATIVE = context.GRAPH_MODE, context.PYNATIVE_MODE
FILES = "ASCEND_PROFILER_OUTPUT"
NONE, WARM_UP, RECORD, SAVE = ProfilerAction


def small_step() -> Callable[[], Tensor]:
    """One training step, called by hand."""
    net = Net()
    loss = nn.WithLossCell(net, nn.MSELoss())
    cell = nn.TrainOneStepCell(loss, nn.SGD(net.trainable_params(), 0.1)).set_train()
    x, y = Tensor(np.ones((4, 6), np.float32)), Tensor(np.ones((4, 3), np.float32))
    return lambda: cell(x, y)


def recordings(folder: Path) -> list[Path]:
    return sorted(folder.glob("*_ascend_ms"))


@pytest.fixture
def nobody_listens():
    yield
    assert room._active is None
    assert device.current().listeners == ()
    assert feed.feed_watchers == []


@pytest.mark.parametrize("mode", [GRAPH, PYNATIVE])
@pytest.mark.parametrize("target", ["Ascend", "CPU"])
def test_each_cycle_has_a_folder_with_the_files_of_its_steps(
    mode: int, target: str, tmp_path: Path, nobody_listens
) -> None:
    context.set_context(mode=mode, device_target=target)
    chosen = schedule(wait=1, warmup=1, active=2, repeat=2, skip_first=1)
    trained = 0
    with profile(schedule=chosen, on_trace_ready=tensorboard_trace_handler(str(tmp_path))) as prof:
        for _ in range(12):
            train(sink=False, epochs=1)  # 4 steps
            trained += 1
            prof.step()
            written = len(recordings(tmp_path))
            assert written == (trained >= 5) + (trained >= 9)
    assert prof.step_num == 12
    for result in recordings(tmp_path):
        files = result / FILES
        assert (files / "report.html").stat().st_size > 1000
        steps = rows(files / "step_trace_time.csv")
        assert [row["Step"] for row in steps] == [*"12345678"]
        message = json.loads((result / "profiler_info_0.json").read_text(encoding="utf-8"))
        assert message["profiler_parameters"]["activities"] == ["CPU", "NPU"]


def test_a_folder_is_named_by_its_worker_or_the_host(tmp_path: Path, nobody_listens) -> None:
    for worker in (None, "first"):
        with profile(on_trace_ready=tensorboard_trace_handler(str(tmp_path), worker)):
            pass
    names = [path.name for path in recordings(tmp_path)]
    assert len(names) == 2
    assert [name.startswith("first_") for name in names].count(True) == 1


def test_without_a_handler_the_files_are_written_into_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nobody_listens
) -> None:
    monkeypatch.chdir(tmp_path)
    step = small_step()
    with profile():
        step()
    (actual,) = recordings(tmp_path / "data")
    assert (actual / FILES / "report.html").exists()
    room.analyse(str(tmp_path / "data"))
    room.analyse(str(actual))
    with pytest.raises(ValueError, match="analyse: profiler_path must have recordings"):
        room.analyse(str(tmp_path))


def actions_of(
    actions: list[ProfilerAction], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[int, int]:
    """How often ``on_trace_ready`` was called, and how many recordings were written."""
    monkeypatch.chdir(tmp_path)
    ready = []
    with profile(schedule=lambda step: actions[step], on_trace_ready=ready.append) as prof:
        for _ in actions[1:]:
            prof.step()
    return len(ready), len(recordings(tmp_path / "data"))


def test_a_cycle_of_one_step_follows_another(tmp_path, monkeypatch, nobody_listens) -> None:
    assert actions_of([SAVE, SAVE, NONE], tmp_path, monkeypatch) == (2, 2)
    with pytest.warns(UserWarning, match="stop.. came in a step of RECORD_AND_SAVE"):
        assert actions_of([WARM_UP, RECORD, SAVE], tmp_path, monkeypatch) == (1, 3)


@pytest.mark.parametrize(
    "actions, message, ready, written",
    [
        ([WARM_UP, NONE], "NONE after WARM_UP", 0, 0),
        ([RECORD, NONE], "NONE after RECORD", 0, 1),
        ([RECORD, WARM_UP, SAVE, NONE], "WARM_UP after RECORD", 1, 2),
        ([NONE, WARM_UP], r"stop\(\) came in a step of WARM_UP", 0, 0),
        ([NONE, RECORD], r"stop\(\) came in a step of RECORD", 1, 1),
    ],
)
def test_a_cycle_without_an_end_warns(
    actions, message, ready, written, tmp_path, monkeypatch, nobody_listens
) -> None:
    with pytest.warns(UserWarning, match=message):
        assert actions_of(actions, tmp_path, monkeypatch) == (ready, written)


def test_a_body_that_raises_leaves_nothing_open(tmp_path: Path, nobody_listens) -> None:
    handler = tensorboard_trace_handler(str(tmp_path))
    step = small_step()
    with pytest.raises(ZeroDivisionError), profile(on_trace_ready=handler):
        step()
        raise ZeroDivisionError
    assert len(recordings(tmp_path)) == 1


def test_a_handler_that_raises_leaves_nothing_open(nobody_listens) -> None:
    def broken(recording: object) -> None:
        raise OSError("no room")

    with (
        pytest.raises(OSError, match="no room"),
        profile(schedule=lambda step: SAVE, on_trace_ready=broken) as prof,
    ):
        prof.step()


def test_a_schedule_of_other_values_raises_before_anything_starts(nobody_listens) -> None:
    with pytest.raises(TypeError, match="schedule must return a ProfilerAction, got 2 for step 0"):
        profile(schedule=lambda step: 2)


def test_two_recordings_at_once_raise(tmp_path: Path, nobody_listens) -> None:
    whole = Profiler(output_path=str(tmp_path))
    with pytest.raises(RuntimeError, match="only one may be at work"):
        profile()
    whole.stop()


def test_starts_and_stops_out_of_turn_warn(tmp_path: Path, nobody_listens) -> None:
    prof = profile(start_profile=False, on_trace_ready=tensorboard_trace_handler(str(tmp_path)))
    for call in (prof.stop, prof.step):
        with pytest.warns(UserWarning, match="but it is not at work. Nothing is done"):
            call()
    prof.start()
    with pytest.warns(UserWarning, match="at work already"):
        prof.start()
    prof.stop()
    assert prof.step_num == 0


def test_a_profile_that_nobody_holds_ends(tmp_path: Path, nobody_listens) -> None:
    prof = profile(on_trace_ready=tensorboard_trace_handler(str(tmp_path)))
    with pytest.warns(UserWarning, match="when nobody held the profile"):
        del prof
        gc.collect()
    assert len(recordings(tmp_path)) == 1


def test_metadata_is_written_with_the_next_recording(tmp_path: Path, nobody_listens) -> None:
    with profile(on_trace_ready=tensorboard_trace_handler(str(tmp_path))) as prof:
        prof.add_metadata("name", "first")
        prof.add_metadata_json("rates", "[0.1, 0.2]")
        with pytest.warns(UserWarning, match="value must be JSON, got '{'"):
            prof.add_metadata_json("bad", "{")
        with pytest.warns(UserWarning, match="key and value must be str"):
            prof.add_metadata("count", 3)  # type: ignore[arg-type]
        with pytest.warns(UserWarning, match="key must be new, got 'name'"):
            prof.add_metadata("name", "second")
    (actual,) = recordings(tmp_path)
    text = (actual / "profiler_metadata.json").read_text(encoding="utf-8")
    assert json.loads(text) == {"name": "second", "rates": [0.1, 0.2]}


# -- arguments ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(REAL["enums"].keys() - {"ProfilerAction"}))
def test_words_have_mindspores_values(name: str) -> None:
    kind: type[Enum] = getattr(profiler, name)
    assert {member.name: member.value for member in kind} == REAL["enums"][name]


LEVEL1 = _ExperimentalConfig(profiler_level=ProfilerLevel.Level1)


@pytest.mark.parametrize(
    "value, message, name, taken",
    [
        ({"activities": "CPU"}, "must be a list of ProfilerActivity", "activities", ["CPU", "NPU"]),
        ({"with_stack": 1}, "with_stack must be a bool, got 1", "with_stack", False),
        ({"experimental_config": 3}, "must be an _ExperimentalConfig", "l2_cache", False),
        ({"experimental_config": LEVEL1}, "Level1 has metrics", "aic_metrics", "PipeUtilization"),
        ({"pcie": True}, "Use sys_interconnection", "pcie", True),
        ({"schedule": 3}, "schedule must be callable, got 3", "mstx", False),
        (
            {"record_shapes": True, "activities": [ProfilerActivity.NPU]},
            "the activities are without CPU",
            "record_shapes",
            False,
        ),
        (
            {"experimental_config": _ExperimentalConfig(aic_metrics=AicoreMetrics.Memory)},
            "Level0 has no metrics",
            "aic_metrics",
            "None",
        ),
        (
            {"experimental_config": _ExperimentalConfig(profiler_level=ProfilerLevel.LevelNone)},
            "LevelNone wants mstx=True",
            "profiler_level",
            "Level0",
        ),
        (
            {"experimental_config": _ExperimentalConfig(mstx_domain_include=["a"])},
            "it wants mstx=True",
            "mstx_domain_include",
            [],
        ),
    ],
)
def test_a_bad_argument_is_replaced_with_a_warning(value, message, name, taken) -> None:
    with pytest.warns(UserWarning, match=message):
        prof = profile(start_profile=False, **value)
    assert prof._settings.to_dict()[name] == taken


def test_bad_arguments_of_the_handler_are_replaced_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="dir_name must be a str that names a folder, got 3"):
        assert tensorboard_trace_handler(3).dir_name is None  # type: ignore[arg-type]
    with pytest.warns(UserWarning, match="worker_name must be a str that names a file"):
        assert tensorboard_trace_handler("out", "x" * 226).worker_name is None
    with pytest.warns(UserWarning, match="async_mode must be a bool, got 1"):
        tensorboard_trace_handler("out", async_mode=1)  # type: ignore[arg-type]


def test_activities_select_host_or_device_files(tmp_path: Path, nobody_listens) -> None:
    for worker, activity in {"host": ProfilerActivity.CPU, "chip": ProfilerActivity.NPU}.items():
        handler = tensorboard_trace_handler(str(tmp_path), worker)
        with profile(activities=[activity], on_trace_ready=handler):
            train(epochs=1)
    chip, host = recordings(tmp_path)
    assert not list((chip / FILES).glob("wall_*"))
    assert list((chip / FILES).glob("kernel_details.csv"))
    assert list((host / FILES).glob("wall_*"))
    assert not list((host / FILES).glob("kernel_details.csv"))


# -- marks ----------------------------------------------------------------------------------------


def test_only_marks_of_included_domains_are_written(tmp_path: Path, nobody_listens) -> None:
    before = mstx.range_start("before")
    config = _ExperimentalConfig(mstx=True, mstx_domain_exclude=["quiet"])
    handler = tensorboard_trace_handler(str(tmp_path))
    with profile(experimental_config=config, on_trace_ready=handler):
        number = mstx.range_start("loading", domain="data")
        mstx.mark("here")
        mstx.mark("nowhere", domain="quiet")
        mstx.range_end(number, "data")
        mstx.range_end(before)
    assert before == 0
    (actual,) = recordings(tmp_path)
    loading, instant = rows(actual / FILES / "wall_marks_0.csv")
    assert (loading["Message"], loading["Domain"]) == ("loading", "data")
    assert (instant["Message"], instant["Duration(us)"]) == ("here", "0.0")
    assert float(loading["Duration(us)"]) > 0


def test_marks_are_checked() -> None:
    with pytest.warns(UserWarning, match=r"mstx.mark: message must be a str .* got ''"):
        mstx.mark("")
    with pytest.warns(UserWarning, match=r"mstx.range_start: stream must be None"):
        assert mstx.range_start("x", stream=1) == 0
    with pytest.warns(UserWarning, match=r"mstx.range_end: range_id must be what .* got -1"):
        mstx.range_end(-1)
    with pytest.warns(UserWarning, match=r"mstx.mark: domain must be a str .* got None"):
        mstx.mark("x", domain=None)  # type: ignore[arg-type]
