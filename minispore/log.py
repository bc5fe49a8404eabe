"""The logger that scripts write to: ``from mindspore import log as logger``.

Five severities, one line each on stderr::

    [WARNING] ME(4711:139872,MainProcess):2024-05-01-10:30:00.123.456 [train.py:12] low memory

MindSpore's environment variables determine what is written and where; they are read once, on first
use. ``GLOG_v``: the lowest severity, 0 (debug) to 4 (critical), 2 by default. ``GLOG_logtostderr``:
0 writes to files in ``GLOG_log_dir`` (``rank_0/logs``), which roll over at ``logger_maxBytes``;
``logger_backupCount`` files are kept. Then only messages of ``GLOG_stderrthreshold`` and above also
go to stderr.

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

from minispore.foundation.docstrings import attach_docstrings as _describe

_SEVERITIES = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL)
_LINE = (
    "[%(levelname)s] ME(%(process)d:%(thread)d,%(processName)s):%(asctime)s "
    "[%(filepath)s:%(lineno)d] %(message)s"
)
_PACKAGE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class _Config:
    """The checked settings of the environment variables."""

    level: int = logging.WARNING
    folder: str = ""  # the folder of the files; empty: everything goes to stderr
    max_bytes: int = 50 << 20
    backups: int = 30
    stderr_level: int = logging.WARNING

    @classmethod
    def read(cls) -> _Config:
        """Return the settings in the environment variables.

        Raises:
            ValueError: a variable has an invalid value.
        """
        level = _read_severity("GLOG_v")
        stderr_level = _read_severity("GLOG_stderrthreshold")
        to_stderr = _read_variable("GLOG_logtostderr", "1")
        if to_stderr not in ("0", "1"):
            raise ValueError(f"log: GLOG_logtostderr must be 0 or 1, got {to_stderr!r}.")
        if to_stderr == "1":
            return cls(level)
        folder = _read_variable("GLOG_log_dir", "")
        if not folder:
            raise ValueError(
                "log: GLOG_log_dir must be set where GLOG_logtostderr is 0. Name a folder."
            )
        max_bytes = _read_count("logger_maxBytes", cls.max_bytes)
        backups = _read_count("logger_backupCount", cls.backups)
        return cls(level, folder, max_bytes, backups, stderr_level)


def _read_variable(name: str, default: str) -> str:
    """Return an environment variable without spaces, or ``default`` if it is empty."""
    return os.environ.get(name, "").strip() or default


def _read_severity(name: str) -> int:
    """Return the logging level of the severity, 0 to 4, in a variable; raise a ValueError for any
    other.
    """
    value = _read_variable(name, "2")
    if value not in ("0", "1", "2", "3", "4"):
        raise ValueError(
            f"log: {name} must be 0 (debug), 1 (info), 2 (warning), 3 (error) or 4 (critical), "
            f"got {value!r}."
        )
    return _SEVERITIES[int(value)]


def _read_count(name: str, default: int) -> int:
    """Return the whole number in a variable; raise a ValueError for any other text."""
    value = _read_variable(name, str(default))
    if not value.isdigit():
        raise ValueError(f"log: {name} must be a whole number, got {value!r}.")
    return int(value)


class _Formatter(logging.Formatter):
    """MindSpore's line format: time in microseconds; files of this package by relative path."""

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:
        """Return the record's time, by default with microseconds: ``...-10:30:00.123.456``."""
        seconds = time.strftime(datefmt or "%Y-%m-%d-%H:%M:%S", self.converter(record.created))
        micros = int(record.created * 1e6) % 1_000_000
        return seconds if datefmt else f"{seconds}.{micros // 1000:03d}.{micros % 1000:03d}"

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record; also set the record's attribute ``filepath``."""
        path = Path(record.pathname)
        is_ours = path.is_relative_to(_PACKAGE)
        record.filepath = str(path.relative_to(_PACKAGE.parent)) if is_ours else record.pathname
        return super().format(record)


def _find_rank() -> str:
    """Return the rank of this process from its launcher's variables, "0" by default."""
    names = ("RANK_ID", "OMPI_COMM_WORLD_RANK", "MS_NODE_ID")
    return next((os.environ[name] for name in names if os.environ.get(name)), "0")


def _make_logger(config: _Config) -> logging.Logger:
    """Return this process's logger with only the handlers that ``config`` describes.

    Also creates the folder of its files, if there is one.
    """
    name = f"mindspore.log.{os.getpid()}"
    logger = logging.getLogger(f"ME.{name}")
    logger.setLevel(config.level)
    logger.propagate = False  # not to the user's root logger
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()
    stderr_handler = logging.StreamHandler(sys.stderr)
    stderr_handler.name = "StreamHandler"
    handlers: list[logging.Handler] = [stderr_handler]
    if config.folder:
        folder = Path(config.folder).resolve() / f"rank_{_find_rank()}" / "logs"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file_handler = RotatingFileHandler(
            folder / name,
            maxBytes=config.max_bytes,
            backupCount=config.backups,
            encoding="utf-8",
            delay=True,
        )
        file_handler.name = "FileHandler"
        stderr_handler.setLevel(config.stderr_level)
        handlers.insert(0, file_handler)
    for handler in handlers:
        handler.setFormatter(_Formatter(_LINE))
        logger.addHandler(handler)
    return logger


@dataclass
class _State:
    """The logger of the process, created on first use."""

    logger: logging.Logger | None = None
    config: _Config = _Config()


_state = _State()
_setup_lock = threading.Lock()


def _get_logger() -> logging.Logger:
    """Return the logger; the first call creates it from the environment variables.

    Raises:
        ValueError: an environment variable has an invalid value.
    """
    with _setup_lock:
        if _state.logger is None:
            config = _Config.read()
            _state.logger, _state.config = _make_logger(config), config
        return _state.logger


def _write_record(severity: int, msg: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Write a message with the line of the caller of :func:`info` or a similar function."""
    kwargs["stacklevel"] = kwargs.get("stacklevel", 1) + 2  # skip this function and info()
    _get_logger().log(severity, msg, *args, **kwargs)


def debug(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Write ``msg % args`` as DEBUG."""
    _write_record(logging.DEBUG, msg, args, kwargs)


def info(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Write ``msg % args`` as INFO."""
    _write_record(logging.INFO, msg, args, kwargs)


def warning(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Write ``msg % args`` as WARNING."""
    _write_record(logging.WARNING, msg, args, kwargs)


def error(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Write ``msg % args`` as ERROR."""
    _write_record(logging.ERROR, msg, args, kwargs)


def critical(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Write ``msg % args`` as CRITICAL."""
    _write_record(logging.CRITICAL, msg, args, kwargs)


def get_level() -> str:
    """Return the lowest severity written: "0" (debug) to "4" (critical).

    >>> get_level()
    '2'
    """
    level = _get_logger().getEffectiveLevel()
    return str(max(i for i, severity in enumerate(_SEVERITIES) if severity <= max(level, 10)))


def get_log_config() -> dict[str, Any]:
    """Return the settings of the logger, by the names of the environment variables.

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
    """Decorator: a function's warnings through ``logger`` appear once for each ``key``, or never.

    Args:
        logger: an object with the method ``warning``, such as this module.
        key: identifies the warning.
        no_warning: suppress the first warning, too.
    """

    is_logged: dict[Any, bool] = {}  # shared by all instances, as in MindSpore

    def __init__(self, logger: Any, key: Any, no_warning: bool = False) -> None:
        self.logger, self.key, self.no_warning = logger, key, no_warning

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return ``func``, wrapped so that it warns only the first time."""

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            """Call ``func``; unless it is the first call, with ``logger.warning`` silenced."""
            if not hasattr(self.logger, "warning"):
                return func(*args, **kwargs)
            original_warning = self.logger.warning
            if self.no_warning or self.key in self.is_logged:
                self.logger.warning = lambda *_args, **_kwargs: None
            else:
                self.is_logged[self.key] = True
            try:
                return func(*args, **kwargs)
            finally:
                self.logger.warning = original_warning

        return wrapper


__all__ = ["critical", "debug", "error", "get_level", "get_log_config", "info", "warning"]

_describe(__name__)
