"""The example that compares four ways to feed a device."""

from __future__ import annotations

from pathlib import Path

import pytest

import mnist_files
import sinks


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    folder = tmp_path_factory.mktemp("digits")
    mnist_files.generate(Path(folder), counts={"train": 192, "t10k": 32})
    return [sinks.train_in_way(way, str(folder)) for way in sinks.WAYS]


def column(rows: list[list[str]], number: int) -> list[str]:
    return [row[number] for row in rows]


def test_all_ways_end_in_the_same_weights(rows: list[list[str]]) -> None:
    assert len(set(column(rows, 6))) == 1


def test_only_the_loop_on_the_device_saves_interactions(rows: list[list[str]]) -> None:
    assert column(rows, 3) == ["6", "6", "6", "1"]


def test_the_host_hears_of_each_step_but_in_the_loop_on_the_device(rows: list[list[str]]) -> None:
    assert column(rows, 4) == ["6", "6", "6", "1"]


def test_only_a_sunk_graph_has_no_kernels_sent_by_the_host(rows: list[list[str]]) -> None:
    kernels = column(rows, 1)
    assert kernels[3] == "0" and "0" not in kernels[:3]


def test_a_graph_is_started_at_each_step_but_in_the_loop_on_the_device(
    rows: list[list[str]],
) -> None:
    assert column(rows, 2) == ["0", "6", "0", "1"]


def test_the_table_has_a_row_for_each_way(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        sinks, "train_in_way", lambda way, folder: [way.name, "1", "2", "3", "4", "5 s", "abc"]
    )
    sinks.main([])
    printed = capsys.readouterr().out.splitlines()
    assert [line[:24].strip() for line in printed] == ["", *(way.name for way in sinks.WAYS)]
