"""``ds.config``: settings of all datasets. Each takes effect at the next iterator."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields, replace
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np

from minispore.dataset import check
from minispore.dataset.debug import PrintMetaDataHook
from minispore.errors import did_you_mean
from minispore.execution import random
from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.foundation.files import check_regular_file, parse_json

DEFAULT_SEED = 5489  # what get_seed returns if none was set: the Mersenne twister's default


class ErrorSamplesMode(IntEnum):
    """How ``map`` treats a row on which it fails: raise, replace it by another row, or skip it."""

    RETURN = 0
    REPLACE = 1
    SKIP = 2


@dataclass(frozen=True)
class Settings:
    """The values of all settings; :func:`load` reads the same names from a JSON file."""

    seed: int | None = None
    num_parallel_workers: int | None = None
    prefetch_size: int = 16
    error_samples_mode: ErrorSamplesMode = ErrorSamplesMode.RETURN
    multiprocessing_start_method: str = "fork"
    multiprocessing_timeout_interval: int = 300
    callback_timeout: int = 60
    do_copy: bool = False
    parallel_convert: bool = False
    # Except for the debug mode and its hooks, these are only stored, without effect: the engine
    # makes these decisions itself.
    auto_num_workers: bool = False
    auto_offload: bool = False
    autotune_interval: int = 0
    debug_mode: bool = False
    debug_hooks: tuple[Any, ...] = ()
    dynamic_shape: bool = False
    enable_autotune: bool = False
    enable_shared_mem: bool = True
    enable_watchdog: bool = True
    fast_recovery: bool = True
    monitor_sampling_interval: int = 1000
    numa_enable: bool = False
    sending_batches: int = 0
    video_backend: str = "CPU"


_settings = Settings()

# The stream of transforms that are called outside a pipeline, by the seed and the global stream at
# its start: a later mindspore.set_seed replaces the global stream, and so starts a new one.
_call_streams: dict[tuple[int, np.random.Generator], np.random.Generator] = {}


def settings() -> Settings:
    """Return the current settings, an immutable record."""
    return _settings


def restore(saved: Settings) -> None:
    """Set all settings back to what :func:`settings` returned."""
    global _settings
    _settings = saved


def _update_settings(**changes: Any) -> None:
    """Replace some of the settings."""
    restore(replace(_settings, **changes))


def set_seed(seed: int) -> None:
    """Seed shuffles, random transforms, ``random`` and ``np.random``.

    New iterators then yield identical rows, and calls of transforms draw identical numbers.

    Args:
        seed (int): from 0 to 2**32 - 1.

    Raises:
        TypeError, ValueError: ``seed`` is not an int, or out of range.
    """
    _update_settings(seed=check.int_setting("set_seed", "seed", seed, 0, 2**32 - 1))
    _call_streams.clear()
    random.seed_python(seed)


def get_seed() -> int:
    """Return the seed set by ``set_seed``, else by ``mindspore.set_seed``, else 5489."""
    seed = effective_seed()
    return DEFAULT_SEED if seed is None else seed


def effective_seed() -> int | None:
    """Return the seed of the next iterator; None means a random seed.

    In debug mode the seed is 1 if none is set.
    """
    seed = random.get_seed() if _settings.seed is None else _settings.seed
    return 1 if _settings.debug_mode and seed in (None, DEFAULT_SEED) else seed


def get_call_stream() -> np.random.Generator:
    """Return the stream from which a transform draws that is called outside a pipeline.

    It is the global stream, or after ``set_seed`` one that begins with that seed.
    """
    global_stream = random.generator()
    if _settings.seed is None:
        return global_stream
    key = _settings.seed, global_stream
    if key not in _call_streams:
        _call_streams.clear()
        _call_streams[key] = np.random.default_rng(_settings.seed)
    return _call_streams[key]


def set_num_parallel_workers(num: int) -> None:
    """Set the number of workers of operations without ``num_parallel_workers``."""
    _update_settings(
        num_parallel_workers=check.int_setting(
            "set_num_parallel_workers", "num", num, 1, check.MAX_WORKERS
        )
    )


def get_num_parallel_workers() -> int:
    """Return the number of workers that was set, else the number of processors, at most 8."""
    return _settings.num_parallel_workers or min(8, os.cpu_count() or 1)


def set_prefetch_size(size: int) -> None:
    """Set how many rows (batches, after ``batch``) a pipeline prefetches."""
    _update_settings(prefetch_size=check.int_setting("set_prefetch_size", "size", size, 1))


def get_prefetch_size() -> int:
    """Return the number of rows (batches, after ``batch``) that a pipeline prefetches."""
    return _settings.prefetch_size


def set_error_samples_mode(error_samples_mode: ErrorSamplesMode) -> None:
    """Set how ``map`` treats a row on which it fails: see :class:`ErrorSamplesMode`.

    Raises:
        TypeError: ``error_samples_mode`` is not an ErrorSamplesMode.
    """
    if not isinstance(error_samples_mode, ErrorSamplesMode):
        raise TypeError(
            "set_error_samples_mode: error_samples_mode must be an ErrorSamplesMode, got "
            f"{error_samples_mode!r}."
        )
    _update_settings(error_samples_mode=error_samples_mode)


def get_error_samples_mode() -> ErrorSamplesMode:
    """Return how ``map`` treats a row on which it fails."""
    return _settings.error_samples_mode


def set_multiprocessing_start_method(start_method: str = "fork") -> None:
    """Set how worker processes start: ``"fork"`` or ``"spawn"`` (for importable functions).

    Raises:
        ValueError: ``start_method`` is neither of them.
    """
    if start_method not in ("fork", "spawn"):
        raise ValueError(
            "set_multiprocessing_start_method: start_method must be 'fork' or 'spawn', got "
            f"{start_method!r}."
        )
    _update_settings(multiprocessing_start_method=start_method)


def get_multiprocessing_start_method() -> str:
    """Return the start method of worker processes, ``"fork"`` or ``"spawn"``."""
    return _settings.multiprocessing_start_method


def set_multiprocessing_timeout_interval(interval: int) -> None:
    """Set after how many seconds without a row from a worker process a warning is logged."""
    _update_settings(
        multiprocessing_timeout_interval=check.int_setting(
            "set_multiprocessing_timeout_interval", "interval", interval, 1
        )
    )


def get_multiprocessing_timeout_interval() -> int:
    """Return the seconds without a row from a worker process that cause a warning."""
    return _settings.multiprocessing_timeout_interval


def set_callback_timeout(timeout: int) -> None:
    """Set how many seconds ``sync_wait`` and ``WaitedDSCallback`` wait."""
    _update_settings(
        callback_timeout=check.int_setting("set_callback_timeout", "timeout", timeout, 1)
    )


def get_callback_timeout() -> int:
    """Return how many seconds ``sync_wait`` and ``WaitedDSCallback`` wait."""
    return _settings.callback_timeout


def set_iterator_mode(do_copy: bool = False, parallel_convert: bool = False) -> None:
    """Set whether a ``DatasetHelper`` or a training without sink copies its batches (``do_copy``).

    ``create_tuple_iterator`` and ``create_dict_iterator`` have an argument for it.
    ``parallel_convert`` has no effect.
    """
    _update_settings(
        do_copy=check.boolean("set_iterator_mode", "do_copy", do_copy),
        parallel_convert=check.boolean("set_iterator_mode", "parallel_convert", parallel_convert),
    )


def get_iterator_mode() -> dict[str, bool]:
    """Return ``do_copy`` and ``parallel_convert`` as stored by ``set_iterator_mode``."""
    return {"do_copy": _settings.do_copy, "parallel_convert": _settings.parallel_convert}


# -- settings without effect -----------------------------------------------------------------------


def set_monitor_sampling_interval(interval: int) -> None:
    """Store the profiler's sampling interval, in milliseconds; it has no effect."""
    _update_settings(
        monitor_sampling_interval=check.int_setting(
            "set_monitor_sampling_interval", "interval", interval, 1
        )
    )


def get_monitor_sampling_interval() -> int:
    """Return the profiler's sampling interval, in milliseconds."""
    return _settings.monitor_sampling_interval


def set_autotune_interval(interval: int) -> None:
    """Store the interval of autotune, in steps; it has no effect."""
    _update_settings(
        autotune_interval=check.int_setting("set_autotune_interval", "interval", interval, 0)
    )


def get_autotune_interval() -> int:
    """Return the interval of autotune, in steps."""
    return _settings.autotune_interval


def set_enable_autotune(enable: bool, filepath_prefix: str | None = None) -> None:
    """Accept MindSpore's switch for tuning; the engine chooses its block sizes itself.

    Raises:
        TypeError: ``enable`` is not a bool, or ``filepath_prefix`` not a str.
        RuntimeError: ``filepath_prefix`` is empty.
    """
    op = "set_enable_autotune"
    if filepath_prefix is not None and not check.string(op, "filepath_prefix", filepath_prefix):
        raise RuntimeError(f"{op}: filepath_prefix must not be empty, got ''.")
    _update_settings(enable_autotune=check.bool_setting(op, "enable", enable))


def get_enable_autotune() -> bool:
    """Whether autotune was requested."""
    return _settings.enable_autotune


def set_auto_num_workers(enable: bool) -> None:
    """Accept MindSpore's switch for choosing worker counts; it has no effect."""
    _update_settings(auto_num_workers=check.bool_setting("set_auto_num_workers", "enable", enable))


def get_auto_num_workers() -> bool:
    """Whether the automatic choice of worker counts was requested."""
    return _settings.auto_num_workers


def set_enable_shared_mem(enable: bool) -> None:
    """Accept MindSpore's switch; worker processes always pass arrays through shared memory."""
    _update_settings(
        enable_shared_mem=check.bool_setting("set_enable_shared_mem", "enable", enable)
    )


def get_enable_shared_mem() -> bool:
    """Whether shared memory was requested."""
    return _settings.enable_shared_mem


def set_numa_enable(numa_enable: bool) -> None:
    """Accept MindSpore's switch for binding memory to a NUMA node; it has no effect."""
    _update_settings(numa_enable=check.bool_setting("set_numa_enable", "numa_enable", numa_enable))


def get_numa_enable() -> bool:
    """Whether NUMA binding was requested."""
    return _settings.numa_enable


def set_enable_watchdog(enable: bool) -> None:
    """Accept MindSpore's switch; dead worker processes are always detected."""
    _update_settings(enable_watchdog=check.bool_setting("set_enable_watchdog", "enable", enable))


def get_enable_watchdog() -> bool:
    """Whether the watchdog was requested."""
    return _settings.enable_watchdog


def set_auto_offload(offload: bool) -> None:
    """Accept MindSpore's switch for moving transforms to the device; they still run on the host."""
    _update_settings(auto_offload=check.bool_setting("set_auto_offload", "offload", offload))


def get_auto_offload() -> bool:
    """Whether offload was requested."""
    return _settings.auto_offload


def set_dynamic_shape(is_dynamic: bool) -> None:
    """Accept MindSpore's switch for batches of varying shape, which are always allowed."""
    _update_settings(
        dynamic_shape=check.bool_setting("set_dynamic_shape", "is_dynamic", is_dynamic)
    )


def get_dynamic_shape() -> bool:
    """Whether batches of varying shape were announced."""
    return _settings.dynamic_shape


def set_fast_recovery(fast_recovery: bool) -> None:
    """Accept MindSpore's switch; resuming from a saved state is always fast."""
    _update_settings(
        fast_recovery=check.bool_setting("set_fast_recovery", "fast_recovery", fast_recovery)
    )


def get_fast_recovery() -> bool:
    """Whether fast recovery was requested."""
    return _settings.fast_recovery


def set_debug_mode(debug_mode_flag: bool, debug_hook_list: list | None = None) -> None:
    """Set whether pipelines run row by row in the caller's thread, so that breakpoints work.

    In this mode a row that fails raises, and the seed is 1 if none is set.

    Args:
        debug_mode_flag (bool): whether to enable debug mode.
        debug_hook_list (list, optional): ``ds.debug.DebugHook`` objects, called before the first
            operation of a map and after each. Default: ``None``, one that prints types.

    Raises:
        TypeError: an argument has a wrong type.
    """
    check.bool_setting("set_debug_mode", "debug_mode_flag", debug_mode_flag)
    hooks = [PrintMetaDataHook()] if debug_hook_list is None else debug_hook_list
    if not isinstance(hooks, list):
        mismatch = check.type_mismatch_text("debug_hook_list", hooks, list)
        problem = f"must be a list, got {hooks!r}. {mismatch}"
        raise TypeError(f"set_debug_mode: debug_hook_list {problem}")
    for hook in hooks:
        if not callable(hook):
            problem = f"got {hook!r}. All items in debug_hook_list should be of type DebugHook."
            raise TypeError(f"set_debug_mode: debug_hook_list must hold DebugHooks, {problem}")
    _update_settings(debug_mode=debug_mode_flag, debug_hooks=tuple(hooks))


def get_debug_mode() -> bool:
    """Whether pipelines run without worker threads and prefetch."""
    return _settings.debug_mode


def set_sending_batches(batch_num: int) -> None:
    """Store the number of batches that a sink epoch sends before it waits; it has no effect."""
    _update_settings(
        sending_batches=check.int_setting("set_sending_batches", "batch_num", batch_num, 0)
    )


def set_video_backend(backend: str) -> None:
    """Store the name of the video backend; only ``"CPU"`` is accepted.

    Raises:
        ValueError: ``backend`` is not ``"CPU"``.
    """
    if backend != "CPU":
        raise ValueError(f"set_video_backend: backend must be 'CPU', got {backend!r}.")
    _update_settings(video_backend=backend)


def get_video_backend() -> str:
    """Return the name of the video backend."""
    return _settings.video_backend


def load(file: str) -> None:
    """Read settings from a JSON file: ``{"seed": 1, "numParallelWorkers": 4, "prefetch_size": 8}``.

    If a value is invalid, no setting changes.

    Raises:
        RuntimeError: the file can't be read, is not a JSON object or names an unknown setting.
    """
    names = [field.name for field in fields(Settings) if f"set_{field.name}" in globals()]
    setters = {name: globals()[f"set_{name}"] for name in names}
    try:
        entries = parse_json(Path(check_regular_file(file)).read_text(encoding="utf-8"))
    except (OSError, ValueError) as exc:
        raise RuntimeError(
            f"config.load: file must be a readable JSON file, got {file!r}. {exc}"
        ) from exc
    if not isinstance(entries, dict):
        raise RuntimeError(f"config.load: file must hold a JSON object, got {entries!r}.")
    values_by_name = {_to_snake_case(key): value for key, value in entries.items()}
    for name in values_by_name:
        if name not in setters:
            raise RuntimeError(
                f"config.load: there is no setting {name!r}.{did_you_mean(name, setters)}"
            )
    previous = settings()
    try:
        for name, value in values_by_name.items():
            setters[name](value)
    except Exception:
        restore(previous)
        raise


def _to_snake_case(name: str) -> str:
    """Convert a camel-case name: ``numParallelWorkers`` -> ``num_parallel_workers``."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")


__all__ = [
    "ErrorSamplesMode", "get_auto_num_workers", "get_auto_offload", "get_autotune_interval",
    "get_callback_timeout", "get_debug_mode", "get_dynamic_shape", "get_enable_autotune",
    "get_enable_shared_mem", "get_enable_watchdog", "get_error_samples_mode", "get_fast_recovery",
    "get_iterator_mode", "get_monitor_sampling_interval", "get_multiprocessing_start_method",
    "get_multiprocessing_timeout_interval", "get_num_parallel_workers", "get_numa_enable",
    "get_prefetch_size", "get_seed", "get_video_backend", "load", "set_auto_num_workers",
    "set_auto_offload", "set_autotune_interval", "set_callback_timeout", "set_debug_mode",
    "set_dynamic_shape", "set_enable_autotune", "set_enable_shared_mem", "set_enable_watchdog",
    "set_error_samples_mode", "set_fast_recovery", "set_iterator_mode",
    "set_monitor_sampling_interval", "set_multiprocessing_start_method",
    "set_multiprocessing_timeout_interval", "set_num_parallel_workers", "set_numa_enable",
    "set_prefetch_size", "set_seed", "set_sending_batches", "set_video_backend",
]  # fmt: skip

_describe(__name__)
