"""What a compile tells of itself: files of its stages, a table of their times."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from minispore import Tensor, context, nn
from minispore.graph._parse import compile_config
from minispore.graph.passes import PIPELINE


@pytest.fixture
def net() -> nn.Cell:
    """A Dense in GRAPH_MODE, compiled."""
    context.set_context(mode=context.GRAPH_MODE)
    dense = nn.Dense(3, 2)
    dense(ones())
    return dense


def ones() -> Tensor:
    return Tensor(np.ones((2, 3), np.float32))


def suffixes(folder: Path) -> set[str]:
    return {path.suffix for path in folder.iterdir()}


def test_a_cell_compiled_before_save_graphs_was_set_writes_at_its_next_call(net, tmp_path) -> None:
    context.set_context(save_graphs=True, save_graphs_path=str(tmp_path))
    net(ones())
    assert suffixes(tmp_path) == {".ir", ".dot"}


def test_it_writes_the_same_files_as_if_it_had_been_set(net, tmp_path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    context.set_context(save_graphs=True, save_graphs_path=str(before))
    fresh = nn.Dense(3, 2)
    fresh(ones())
    context.set_context(save_graphs_path=str(after))
    net(ones())
    named = [sorted(re.sub(r"\d{4}", "", p.name) for p in d.iterdir()) for d in (before, after)]
    assert named[0] == named[1]


def test_a_cell_writes_once_for_each_folder(net, tmp_path) -> None:
    context.set_context(save_graphs=True, save_graphs_path=str(tmp_path))
    net(ones())
    written = sorted(tmp_path.iterdir())
    net(ones())
    assert sorted(tmp_path.iterdir()) == written


@pytest.mark.parametrize("level", ["0", "1", "2", "3"])
def test_the_environment_says_what_is_written_and_where(level, tmp_path, monkeypatch) -> None:
    settings = {"save_graphs": 2, "save_graphs_path": str(tmp_path / "settings")}
    context.set_context(mode=context.GRAPH_MODE, **settings)
    nn.Dense(3, 2)(ones())
    of_settings = len(list((tmp_path / "settings").iterdir()))
    monkeypatch.setenv("MS_DEV_SAVE_GRAPHS", level)
    monkeypatch.setenv("MS_DEV_SAVE_GRAPHS_PATH", str(tmp_path / "environment"))
    net = nn.Dense(3, 2)
    net(ones())
    net(ones())
    results = list((tmp_path / "environment").glob("*"))
    assert len(results) == {"0": 0, "1": 5}.get(level, of_settings)
    assert len(list((tmp_path / "settings").iterdir())) == of_settings


def test_the_environment_names_the_stages_that_are_written(tmp_path, monkeypatch) -> None:
    context.set_context(mode=context.GRAPH_MODE)
    monkeypatch.setenv("MS_DEV_SAVE_GRAPHS", "1")
    monkeypatch.setenv("MS_DEV_SAVE_GRAPHS_PATH", str(tmp_path))
    monkeypatch.setenv("MS_DEV_DUMP_IR_PASSES", "_validate")
    nn.Dense(3, 2)(ones())
    assert len(list(tmp_path.glob("*_validate_Dense*.ir"))) == 1
    assert len(list(tmp_path.iterdir())) == 2  # with the picture


def test_a_level_that_is_none_is_refused(monkeypatch) -> None:
    context.set_context(mode=context.GRAPH_MODE)
    monkeypatch.setenv("MS_DEV_SAVE_GRAPHS", "yes")
    with pytest.raises(ValueError, match="MS_DEV_SAVE_GRAPHS: must be 0, 1, 2 or 3, got 'yes'"):
        nn.Dense(3, 2)(ones())


@pytest.fixture
def compile_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_config, "COMPILE_PROFILE", 1)


def test_compile_profile_prints_the_stage_times(net, compile_profile, capsys) -> None:
    nn.Dense(3, 2)(ones())
    lines = capsys.readouterr().out.splitlines()
    number = r"[\d.e-]+"
    assert re.fullmatch(rf"TotalTime = {number}, \[5\]", lines[0])
    assert re.fullmatch(rf"\[trace\]: {number}", lines[1])
    assert re.fullmatch(rf"\[optimize\]: {number}, \[{len(PIPELINE)}\]", lines[3])
    assert re.fullmatch(rf"\[validate\]: {number}", lines[-2])
    assert len(lines) == 6 + len(PIPELINE)


def test_a_cached_compile_prints_no_times(net, compile_profile, capsys) -> None:
    net(ones())
    assert capsys.readouterr().out == ""


def test_the_total_of_the_times_is_the_sum_of_its_stages(net, compile_profile, capsys) -> None:
    nn.Dense(3, 2)(ones())
    lines = capsys.readouterr().out.splitlines()
    stages = [float(line.split(": ")[1].split(",")[0]) for line in lines if line[0] == "["]
    assert sum(stages) == pytest.approx(float(re.split("[=,]", lines[0])[1]), rel=1e-4)
