# ruff: noqa: RUF009 -- setting() makes a dataclass field, as field() does
"""The context: a frozen record of settings, which ``set_context`` replaces by a changed copy.

Code in higher layers reads ``context.current().mode``; a module that must react to changes
subscribes.
"""

from __future__ import annotations

import os
import re
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from minispore.context import settings
from minispore.context.parallel import AutoParallelContext as AutoParallelContext
from minispore.context.parallel import ParallelMode as ParallelMode
from minispore.context.parallel import get_auto_parallel_context as get_auto_parallel_context
from minispore.context.parallel import reset_auto_parallel_context as reset_auto_parallel_context
from minispore.context.parallel import set_auto_parallel_context as set_auto_parallel_context
from minispore.context.parameter_servers import get_ps_context as get_ps_context
from minispore.context.parameter_servers import reset_ps_context as reset_ps_context
from minispore.context.parameter_servers import set_ps_context as set_ps_context
from minispore.context.settings import (
    Check,
    bounds,
    deprecated_setting,
    ensure_folder,
    one_of,
    options_dict,
    require_value,
    resolve_new_file,
    setting,
)
from minispore.errors import did_you_mean
from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.foundation.files import parse_json

GRAPH_MODE = 0
PYNATIVE_MODE = 1
STRICT, COMPATIBLE, LAX = 0, 1, 2  # jit_syntax_level
RELEASE, DEBUG = 0, 1  # debug_level
DEFAULT_OP_TIMEOUT_S = 900  # as in MindSpore 2.10


# -- checks of single settings --------------------------------------------------------------------


def _check_mode(label: str, value: Any) -> int:
    """Return the mode, 0 or 1, as an int; raise a ValueError for another value."""
    if value not in (GRAPH_MODE, PYNATIVE_MODE):
        raise ValueError(f"{label} must be GRAPH_MODE (0) or PYNATIVE_MODE (1), got {value!r}.")
    return int(value)


def _check_target(label: str, value: Any) -> str:
    """Return a known device target, or raise a ValueError; "Davinci" becomes "Ascend", with a
    warning.
    """
    if value == "Davinci":
        warnings.warn(f"{label} 'Davinci' is an old name of 'Ascend'.", stacklevel=5)
        value = "Ascend"
    return one_of("CPU", "GPU", "Ascend")(label, value)


def _check_save_graphs(label: str, value: Any) -> int:
    """Return the level 0 to 3 for ``save_graphs``, where True is 2; raise a ValueError for any
    other.
    """
    return one_of(0, 1, 2, 3)(label, 2 if value is True else int(require_value(label, value)))


def _make_gigabytes_check(low: float) -> Check:
    """Return a check that a size such as "3.5GB" is at least ``low``; it is stored in GB."""

    def check_gigabytes(label: str, value: Any) -> float:
        """Return the number before "GB"; raise a ValueError for any other text or a size that is
        too small.
        """
        number = re.fullmatch(r"(\d+(?:\.\d+)?)GB", require_value(label, value))
        if number is None or float(number[1]) < low or float(number[1]) == 0:
            minimum = f" and at least {low:g}GB" if low else ""
            raise ValueError(f"{label} must be a size such as '3.5GB'{minimum}, got {value!r}.")
        return float(number[1])

    return check_gigabytes


def _check_profiling(label: str, value: Any) -> bool:
    """Return ``value``; raise a RuntimeError, as MindSpore does, unless it is a bool."""
    if not isinstance(value, bool):
        raise RuntimeError(f"{label} must be a bool, got {value!r} ({type(value).__name__}).")
    return value


def _check_result_path(label: str, value: Any) -> str:
    """Return ``value``; raise a ValueError unless it is a readable and writable folder."""
    if not os.path.isdir(value) or not os.access(value, os.R_OK | os.W_OK):
        raise ValueError(f"{label} must be an existing folder to read and write, got {value!r}.")
    return value


_TRACES = ("training_trace", "task_trace", "op_trace", "aicpu_trace")
_AI_CORE_METRICS = (
    "ArithmeticUtilization", "PipeUtilization", "Memory", "MemoryL0", "ResourceConflictRatio",
)  # fmt: skip
_PROFILING_OPTIONS: dict[str, Check] = {
    "result_path": _check_result_path,
    **dict.fromkeys(_TRACES, one_of("on", "off")),
    "fp_point": require_value,
    "bp_point": require_value,
    "ai_core_metrics": one_of(*_AI_CORE_METRICS),
}


def _check_profiling_options(label: str, value: Any) -> str:
    """Return profiling options as given, after checking them: a JSON object or the older "a:b".

    Raises:
        TypeError: it is not a str.
        ValueError: the format is invalid, or it has an unknown name or value.
    """
    if not isinstance(value, str):
        raise TypeError(f"{label} must be a str, got {value!r} ({type(value).__name__}).")
    if not value.lstrip().startswith("{"):  # the oldest form, "training_trace:op_trace"
        for trace in value.split(":"):
            one_of(*_TRACES)(label, trace)
        return value
    try:
        parsed = parse_json(value)
    except ValueError as exc:
        raise ValueError(f"{label} must be a JSON object, got {value!r}: {exc}.") from exc
    for name, option in parsed.items():
        if name not in _PROFILING_OPTIONS:
            close = did_you_mean(name, _PROFILING_OPTIONS)
            raise ValueError(f"{label} has no option {name!r}.{close}")
        _PROFILING_OPTIONS[name](f"{label}[{name!r}]", option)
    return value


_ASCEND_CONFIG = options_dict(
    precision_mode=[
        "force_fp16", "allow_fp32_to_fp16", "allow_mix_precision", "must_keep_origin_dtype",
        "force_fp32", "allow_fp32_to_bf16", "allow_mix_precision_fp16", "allow_mix_precision_bf16",
    ],
    jit_compile=[True, False],
    atomic_clean_policy=[0, 1],
    matmul_allow_hf32=[True, False],
    conv_allow_hf32=[True, False],
    exception_dump=["0", "1", "2"],
    op_debug_option=["oom"],
    op_precision_mode=str,
    ge_options=dict,
    topo_order=dict,
    hccl_watchdog=bool,
    host_scheduling_max_threshold=int,
    parallel_speed_up_json_path=object,
)  # fmt: skip
_GPU_CONFIG = options_dict(
    conv_fprop_algo=[
        "normal", "performance", "implicit_gemm", "precomp_gemm", "gemm", "direct", "fft",
        "fft_tiling", "winograd", "winograd_nonfused",
    ],
    conv_dgrad_algo=[
        "normal", "performance", "algo_0", "algo_1", "fft", "fft_tiling", "winograd",
        "winograd_nonfused",
    ],
    conv_wgrad_algo=[
        "normal", "performance", "algo_0", "algo_1", "fft", "algo_3", "fft_tiling",
        "winograd_nonfused",
    ],
    conv_allow_tf32=[True, False],
    matmul_allow_tf32=[True, False],
)  # fmt: skip
_JIT_CONFIG = options_dict(jit_level=["O0", "O1", "O2"], infer_boost=["on", "off"])
_FUSION = deprecated_setting("Fusion is part of every compile.")
_SINK = deprecated_setting("Use Model.train(dataset_sink_mode=...).")
_CACHE = deprecated_setting("Use enable_compile_cache.")
_ASCEND, _GPU, _NPU_OR_GPU = ("Ascend",), ("GPU",), ("Ascend", "GPU")


# -- the record -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Context:
    """All settings of ``set_context``, as they are stored."""

    mode: int = setting(PYNATIVE_MODE, int, _check_mode)
    device_target: str = setting("CPU", str, _check_target)
    device_id: int = setting(0, int, bounds(0, 4095), ("Ascend",), is_deferred=True)
    save_graphs: int = setting(0, (bool, int), _check_save_graphs)
    save_graphs_path: str = setting(".", str, ensure_folder)
    enable_profiling: bool = setting(False, (), _check_profiling)
    profiling_options: str = setting("training_trace", (), _check_profiling_options)

    op_timeout: float = setting(DEFAULT_OP_TIMEOUT_S, (int, float), bounds(0))  # 0: no limit
    # minispore only: the largest m of Winograd's F(m, 3) for 3x3 convolutions; 0: none
    conv_winograd: int = setting(4, int, one_of(0, 2, 4))
    print_recompiles: bool = setting(False, bool)  # minispore only: say why a graph is new
    max_call_depth: int = setting(1000, int, bounds(1))
    pynative_synchronize: bool = setting(False, bool)
    deterministic: str = setting("OFF", str, one_of("ON", "OFF"))
    runtime_num_threads: int = setting(0, int, bounds(0))
    inter_op_parallel_num: int = setting(0, int, bounds(0))
    jit_syntax_level: int = setting(LAX, int, one_of(STRICT, COMPATIBLE, LAX))
    jit_config: dict[str, Any] = setting({}, dict, _JIT_CONFIG)
    jit_level: str = setting("", str, one_of("", "O0", "O1", "O2", "O3"))  # all run the same passes
    debug_level: int = setting(RELEASE, int, one_of(RELEASE, DEBUG))
    memory_optimize_level: str = setting("O0", str, one_of("O0", "O1"))
    exec_order: str = setting("bfs", str, one_of("bfs", "dfs"))
    check_bprop: bool = setting(False, bool)
    enable_compile_cache: bool = setting(False, bool)
    compile_cache_path: str = setting("", str)
    reserve_class_name_in_scope: bool = setting(True, bool)
    support_binary: bool = setting(False, bool)
    aoe_tune_mode: str = setting("", str, one_of("online", "offline"))
    aoe_config: dict[str, Any] = setting({}, dict, options_dict(job_type=["1", "2"]))
    precompile_only: bool = setting(False, bool)
    grad_for_scalar: bool = setting(False, bool)

    # Settings of particular targets; set for another target, they are ignored with a warning.
    enable_reduce_precision: bool = setting(True, bool, require_value, _ASCEND)
    print_file_path: str = setting("", str, resolve_new_file, _ASCEND)
    enable_dump: bool = setting(False, bool, require_value, _ASCEND)
    save_dump_path: str = setting(".", str, require_value, _ASCEND)
    variable_memory_max_size: float = setting(0.0, str, _make_gigabytes_check(0), _ASCEND)  # in GB
    graph_memory_max_size: float = setting(0.0, str, _make_gigabytes_check(0), _ASCEND)  # in GB
    ascend_config: dict[str, Any] = setting({}, dict, _ASCEND_CONFIG, _ASCEND)
    max_device_memory: float = setting(1024.0, str, _make_gigabytes_check(0), _NPU_OR_GPU)  # in GB
    mempool_block_size: float = setting(1.0, str, _make_gigabytes_check(1), _NPU_OR_GPU)  # in GB
    gpu_config: dict[str, Any] = setting({}, dict, _GPU_CONFIG, _GPU)
    disable_format_transform: bool = setting(False, bool, require_value, _GPU)

    # Settings for old scripts.
    enable_graph_kernel: bool = setting(False, bool, _FUSION)
    graph_kernel_flags: str = setting("", str, _FUSION)
    enable_auto_mixed_precision: bool = setting(
        False, bool, deprecated_setting("Use Model(amp_level=...).")
    )
    enable_sparse: bool = setting(False, bool, deprecated_setting("Sparse tensors need no switch."))
    enable_mem_reuse: bool = setting(True, bool, deprecated_setting("Memory is always reused."))
    enable_hccl: bool = setting(False, bool, deprecated_setting("Call communication.init()."))
    auto_tune_mode: str = setting("NO_TUNE", str, deprecated_setting("There is nothing to tune."))
    env_config_path: str = setting("", str, deprecated_setting("Set the settings themselves."))
    enable_task_sink: bool = setting(True, bool, _SINK)
    enable_loop_sink: bool = setting(False, bool, _SINK)
    save_compile_cache: bool = setting(False, bool, _CACHE)
    load_compile_cache: bool = setting(False, bool, _CACHE)


#: Settings applied before the others (0), since their rules read them, or after the others (2).
_APPLY_ORDER = {"device_target": 0, "enable_profiling": 2}
_current = Context()
_subscribers: list[Callable[[Context, Context], None]] = []


def current() -> Context:
    """Return the current context, an immutable record."""
    return _current


def is_syntax_strict() -> bool:
    """Whether graphs must follow the strict syntax.

    ``MS_DEV_JIT_SYNTAX_LEVEL`` takes precedence over ``jit_syntax_level``; levels below 2 are
    strict.
    """
    level = os.environ.get("MS_DEV_JIT_SYNTAX_LEVEL")
    return level in ("0", "1") if level else current().jit_syntax_level == STRICT


def restore(record: Context) -> None:
    """Make ``record`` the current context; if it differs, call subscribers with the old and the new
    one.
    """
    global _current
    previous, _current = _current, record
    if record != previous:
        for callback in _subscribers:
            callback(previous, record)


def subscribe(callback: Callable[[Context, Context], None]) -> None:
    """Call ``callback(old, new)`` after each change of the context.

    Args:
        callback: a function of the previous and the new record.
    """
    _subscribers.append(callback)


@contextmanager
def subscribed(callback: Callable[[Context, Context], None]) -> Iterator[None]:
    """Call ``callback(old, new)`` after each change within the ``with`` block."""
    _subscribers.append(callback)
    try:
        yield
    finally:
        _subscribers.remove(callback)


def set_context(**kwargs: Any) -> None:
    """Change settings by name.

    All types are checked before anything changes. Then ``device_target`` is set, then the others in
    the order given, ``enable_profiling`` last; if a value is out of range, the settings before it
    stay changed.

    Args:
        mode: GRAPH_MODE (0) or PYNATIVE_MODE (1, the default).
        device_target: "CPU", "GPU" or "Ascend".
        device_id: 0 to 4095, for an Ascend; other targets have one device. Can be changed at any
            time.
        save_graphs: 0 to 3 (True is 2): write each compilation stage as ``.ir`` and ``.dot``.
        save_graphs_path: the folder for these files, made if missing.
        op_timeout: seconds that GetNext waits for a batch, possibly fractional; 0 is no limit.
        kwargs: any other field of :class:`Context`. Settings of real hardware are only stored.

    Raises:
        TypeError: a value has a type that its setting does not accept.
        ValueError: a name is unknown, or a value is out of range.

    >>> set_context(mode=PYNATIVE_MODE, device_id=0)
    >>> get_context("mode")
    1
    """
    settings.check_types(_current, kwargs, "set_context")
    ordered = dict(sorted(kwargs.items(), key=lambda item: _APPLY_ORDER.get(item[0], 1)))
    records = [_current]
    try:
        records += settings.apply_settings(_current, ordered, "set_context")
    finally:
        restore(records[-1])
        if "mode" in kwargs:
            _thread_state.op_by_op = False


class _ThreadState(threading.local):
    """Whether this thread runs a function op by op in GRAPH_MODE."""

    op_by_op = False


_thread_state = _ThreadState()


@contextmanager
def op_by_op() -> Iterator[None]:
    """Let ``get_context("mode")`` return PYNATIVE_MODE inside the ``with`` block.

    It is used in GRAPH_MODE for a function that no graph can contain, which runs op by op with the
    same result as in PYNATIVE_MODE. ``current().mode`` stays GRAPH_MODE.
    """
    previous, _thread_state.op_by_op = _thread_state.op_by_op, True
    try:
        yield
    finally:
        _thread_state.op_by_op = previous


def get_context(attr_key: str) -> Any:
    """Return one setting by name; ``mode`` is PYNATIVE_MODE in code that runs op by op.

    Raises:
        TypeError: the name is not a str.
        ValueError: there is no such setting.
    """
    if not isinstance(attr_key, str):
        raise TypeError(f"get_context: attr_key must be a str, got {attr_key!r}.")
    settings.get_rule(_current, attr_key, "get_context")
    if attr_key == "mode" and _thread_state.op_by_op:
        return PYNATIVE_MODE
    return getattr(_current, attr_key)


def set_device(device_target: str, device_id: int | None = None) -> None:
    """Select the device, like ``set_context(device_target=..., device_id=...)``."""
    set_context(device_target=device_target, device_id=0 if device_id is None else device_id)


def set_deterministic(deterministic: bool) -> None:
    """Set ``deterministic`` of the context: kernels give the same result in each run, as NumPy's
    always do.

    Raises:
        TypeError: ``deterministic`` is not a bool.
    """
    if not isinstance(deterministic, bool):
        raise TypeError(f"set_deterministic: deterministic must be a bool, got {deterministic!r}.")
    set_context(deterministic="ON" if deterministic else "OFF")


def set_recursion_limit(recursion_limit: int = 1000) -> None:
    """Set ``max_call_depth`` of the context."""
    set_context(max_call_depth=recursion_limit)


def _get_mode() -> int:
    """Return the ``mode`` of the context; PYNATIVE_MODE in code that runs op by op."""
    return get_context("mode")


def get_jit_config() -> dict[str, Any]:
    """Return the ``jit_config`` of the context."""
    return _current.jit_config


__all__ = [
    "COMPATIBLE",
    "DEBUG",
    "GRAPH_MODE",
    "LAX",
    "PYNATIVE_MODE",
    "RELEASE",
    "STRICT",
    "AutoParallelContext",
    "Context",
    "ParallelMode",
    "current",
    "get_auto_parallel_context",
    "get_context",
    "get_jit_config",
    "reset_auto_parallel_context",
    "restore",
    "set_auto_parallel_context",
    "set_context",
    "set_deterministic",
    "set_device",
    "set_recursion_limit",
    "subscribe",
]

_describe(__name__)
