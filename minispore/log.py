"""The logger that scripts write to: ``from mindspore import log as logger``.

Five severities, one line each on stderr::

    [WARNING] ME(4711:139872,MainProcess):2024-05-01-10:30:00.123.456 [train.py:12] low memory

MindSpore's environment variables say what is written and where; they are read once, at the first
use. ``GLOG_v``: the lowest severity, 0 (debug) to 4 (critical), 2 by default. ``GLOG_logtostderr``:
0 writes into files below ``GLOG_log_dir`` (``rank_0/logs``), which roll over at ``logger_maxBytes``
and of which ``logger_backupCount`` are kept; then only what reaches ``GLOG_stderrthreshold`` comes
on stderr, too.

Source: the page "Environment Variables" of MindSpore, section log.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

from minispore.described import describe as _describe

_SEVERITIES = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL)
_LINE = (
    "[%(levelname)s] ME(%(process)d:%(thread)d,%(processName)s):%(asctime)s "
    "[%(filepath)s:%(lineno)d] %(message)s"
)
_PACKAGE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class _Config:
    """What the environment says, checked."""

    level: int = logging.WARNING
    folder: str = ""  # where the files are; empty: everything goes to stderr
    max_bytes: int = 50 << 20
    backups: int = 30
    stderr_level: int = logging.WARNING

    @classmethod
    def read(cls) -> _Config:
        level = _severity("GLOG_v")
        stderr_level = _severity("GLOG_stderrthreshold")
        where = _variable("GLOG_logtostderr", "1")
        if where not in ("0", "1"):
            raise ValueError(f"log: GLOG_logtostderr must be 0 or 1, got {where!r}.")
        if where == "1":
            return cls(level)
        folder = _variable("GLOG_log_dir", "")
        if not folder:
            raise ValueError(
                "log: GLOG_log_dir must be set where GLOG_logtostderr is 0. Name a folder."
            )
        max_bytes = _count("logger_maxBytes", cls.max_bytes)
        backups = _count("logger_backupCount", cls.backups)
        return cls(level, folder, max_bytes, backups, stderr_level)


def _variable(name: str, default: str) -> str:
    return os.environ.get(name, "").strip() or default


def _severity(name: str) -> int:
    value = _variable(name, "2")
    if value not in ("0", "1", "2", "3", "4"):
        raise ValueError(
            f"log: {name} must be 0 (debug), 1 (info), 2 (warning), 3 (error) or 4 (critical), "
            f"got {value!r}."
        )
    return _SEVERITIES[int(value)]


def _count(name: str, default: int) -> int:
    value = _variable(name, str(default))
    if not value.isdigit():
        raise ValueError(f"log: {name} must be a whole number, got {value!r}.")
    return int(value)


class _Formatter(logging.Formatter):
    """MindSpore's line: time with milli- and microseconds, our own files by their path in here."""

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:
        seconds = time.strftime(datefmt or "%Y-%m-%d-%H:%M:%S", self.converter(record.created))
        micros = int(record.created * 1e6) % 1_000_000
        return seconds if datefmt else f"{seconds}.{micros // 1000:03d}.{micros % 1000:03d}"

    def format(self, record: logging.LogRecord) -> str:
        path = Path(record.pathname)
        ours = path.is_relative_to(_PACKAGE)
        record.filepath = str(path.relative_to(_PACKAGE.parent)) if ours else record.pathname
        return super().format(record)


def _rank() -> str:
    """The number of this process among those of a job, as launchers tell it."""
    names = ("RANK_ID", "OMPI_COMM_WORLD_RANK", "MS_NODE_ID")
    return next((os.environ[name] for name in names if os.environ.get(name)), "0")


def _set_up(config: _Config) -> logging.Logger:
    """The logger that writes as ``config`` says."""
    name = f"mindspore.log.{os.getpid()}"
    logger = logging.getLogger(f"ME.{name}")
    logger.setLevel(config.level)
    logger.propagate = False  # what the user's root logger does is the user's
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()
    console = logging.StreamHandler(sys.stderr)
    console.name = "StreamHandler"
    handlers: list[logging.Handler] = [console]
    if config.folder:
        folder = Path(config.folder).resolve() / f"rank_{_rank()}" / "logs"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = RotatingFileHandler(
            folder / name,
            maxBytes=config.max_bytes,
            backupCount=config.backups,
            encoding="utf-8",
            delay=True,
        )
        file.name = "FileHandler"
        console.setLevel(config.stderr_level)
        handlers.insert(0, file)
    for handler in handlers:
        handler.setFormatter(_Formatter(_LINE))
        logger.addHandler(handler)
    return logger


@dataclass
class _State:
    """The one logger of the process, made at first use."""

    logger: logging.Logger | None = None
    config: _Config = _Config()


_state = _State()
_first_use = threading.Lock()


def _get_logger() -> logging.Logger:
    """The logger, set up by the environment at the first call.

    Raises:
        ValueError: an environment variable holds no value of its kind.
    """
    with _first_use:
        if _state.logger is None:
            config = _Config.read()
            _state.logger, _state.config = _set_up(config), config
        return _state.logger


def _write(severity: int, msg: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    kwargs["stacklevel"] = kwargs.get("stacklevel", 1) + 2  # the line names who called us
    _get_logger().log(severity, msg, *args, **kwargs)


def debug(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Write ``msg % args`` as DEBUG."""
    _write(logging.DEBUG, msg, args, kwargs)


def info(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Write ``msg % args`` as INFO."""
    _write(logging.INFO, msg, args, kwargs)


def warning(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Write ``msg % args`` as WARNING."""
    _write(logging.WARNING, msg, args, kwargs)


def error(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Write ``msg % args`` as ERROR."""
    _write(logging.ERROR, msg, args, kwargs)


def critical(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Write ``msg % args`` as CRITICAL."""
    _write(logging.CRITICAL, msg, args, kwargs)


def get_level() -> str:
    """The lowest severity that is written: "0" (debug) to "4" (critical).

    >>> get_level()
    '2'
    """
    level = _get_logger().getEffectiveLevel()
    return str(max(i for i, severity in enumerate(_SEVERITIES) if severity <= max(level, 10)))


def get_log_config() -> dict[str, Any]:
    """What the logger was set up with, by the names of the environment variables.

    >>> get_log_config()
    {'GLOG_v': '2', 'GLOG_logtostderr': '1'}
    """
    level, config = get_level(), _state.config
    if not config.folder:
        return {"GLOG_v": level, "GLOG_logtostderr": "1"}
    (file,) = [h for h in _get_logger().handlers if isinstance(h, RotatingFileHandler)]
    return {
        "GLOG_v": level,
        "GLOG_logtostderr": "0",
        "GLOG_log_dir": str(Path(file.baseFilename).parent),
        "logger_maxBytes": config.max_bytes,
        "logger_backupCount": config.backups,
        "GLOG_stderrthreshold": str(_SEVERITIES.index(config.stderr_level)),
    }


class _LogActionOnce:
    """Let what a function warns of through ``logger`` come once for each ``key``, or never.

    Args:
        logger: what has the method ``warning``, such as this module.
        key: what the warning is about.
        no_warning: keep silent the first time, too.
    """

    is_logged: dict[Any, bool] = {}  # shared by all, as in MindSpore

    def __init__(self, logger: Any, key: Any, no_warning: bool = False) -> None:
        self.logger, self.key, self.no_warning = logger, key, no_warning

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        def once(*args: Any, **kwargs: Any) -> Any:
            if not hasattr(self.logger, "warning"):
                return func(*args, **kwargs)
            spoken = self.logger.warning
            if self.no_warning or self.key in self.is_logged:
                self.logger.warning = lambda *_args, **_kwargs: None
            else:
                self.is_logged[self.key] = True
            try:
                return func(*args, **kwargs)
            finally:
                self.logger.warning = spoken

        return once


__all__ = ["critical", "debug", "error", "get_level", "get_log_config", "info", "warning"]

_describe(__name__)
