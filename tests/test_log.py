"""MindSpore's logger: its lines, its environment variables, its files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from minispore import log

VARIABLES = (
    "GLOG_v",
    "GLOG_logtostderr",
    "GLOG_log_dir",
    "GLOG_stderrthreshold",
    "logger_maxBytes",
    "logger_backupCount",
    "RANK_ID",
    "OMPI_COMM_WORLD_RANK",
    "MS_NODE_ID",
)


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A logger that was not yet used, and an environment that says nothing."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(log._state, "logger", None)
    monkeypatch.setattr(log._state, "config", log._Config())
    yield
    for handler in log._get_logger().handlers:
        handler.close()


def test_a_warning_is_one_line_of_mindspores_format(capsys) -> None:
    log.warning("rate %s is %.1f", "lr", 0.5)
    line = capsys.readouterr().err
    assert re.fullmatch(
        r"\[WARNING\] ME\(\d+:\d+,MainProcess\):\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d\.\d{3}\.\d{3} "
        rf"\[{re.escape(__file__)}:\d+\] rate lr is 0\.5\n",
        line,
    )


def test_the_line_names_the_caller_also_through_the_logger_itself(capsys) -> None:
    log._get_logger().error("lost")
    assert f"[{__file__}:" in capsys.readouterr().err


def test_below_warning_nothing_is_written_by_default(capsys) -> None:
    log.debug("d")
    log.info("i")
    assert capsys.readouterr().err == "" and log.get_level() == "2"


def test_glog_v_sets_the_lowest_severity(capsys, monkeypatch) -> None:
    monkeypatch.setenv("GLOG_v", "3")
    log.warning("w")
    log.error("e")
    log.critical("c")
    written = capsys.readouterr().err.splitlines()
    assert [line.split()[0] for line in written] == ["[ERROR]", "[CRITICAL]"]
    assert log.get_level() == "3"


@pytest.mark.parametrize("name", ["GLOG_v", "GLOG_stderrthreshold"])
def test_a_severity_that_is_none_is_a_value_error(monkeypatch, name: str) -> None:
    with monkeypatch.context() as m:
        m.setenv(name, "5")
        with pytest.raises(ValueError, match=f"{name} must be 0"):
            log.get_level()


def test_files_need_a_folder(monkeypatch) -> None:
    with monkeypatch.context() as m:
        m.setenv("GLOG_logtostderr", "0")
        with pytest.raises(ValueError, match="GLOG_log_dir must be set"):
            log.info("x")


def test_a_file_gets_all_and_stderr_what_reaches_the_threshold(
    capsys, monkeypatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GLOG_v", "1")
    monkeypatch.setenv("GLOG_logtostderr", "0")
    monkeypatch.setenv("GLOG_log_dir", str(tmp_path))
    monkeypatch.setenv("GLOG_stderrthreshold", "3")
    monkeypatch.setenv("logger_maxBytes", "5242880")
    monkeypatch.setenv("logger_backupCount", "10")
    monkeypatch.setenv("RANK_ID", "1")
    log.info("first")
    log.error("second")
    (file,) = (tmp_path / "rank_1" / "logs").glob("mindspore.log.*")
    assert [line.split()[-1] for line in file.read_text().splitlines()] == ["first", "second"]
    assert capsys.readouterr().err.count("\n") == 1
    assert log.get_log_config() == {
        "GLOG_v": "1",
        "GLOG_logtostderr": "0",
        "GLOG_log_dir": str(tmp_path / "rank_1" / "logs"),
        "logger_maxBytes": 5242880,
        "logger_backupCount": 10,
        "GLOG_stderrthreshold": "3",
    }


def test_an_action_warns_once_for_each_key() -> None:
    messages: list[str] = []
    logger = SimpleNamespace(warning=messages.append)
    key = object()

    @log._LogActionOnce(logger, key)
    def act() -> int:
        logger.warning("old name")
        return 1

    assert (act(), act(), messages) == (1, 1, ["old name"])
    assert logger.warning == messages.append
