# ruff: noqa: RUF009 -- setting() makes a dataclass field, as field() does
"""The context: one frozen record of settings, replaced as a whole by ``set_context``.

Rooms above read ``context.current().mode``; a room that must follow a change subscribes.
"""

from __future__ import annotations

import json
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
from minispore.context.servers import get_ps_context as get_ps_context
from minispore.context.servers import reset_ps_context as reset_ps_context
from minispore.context.servers import set_ps_context as set_ps_context
from minispore.context.settings import (
    Check,
    keep,
    new_file,
    new_folder,
    one_of,
    options,
    setting,
    within,
    without_effect,
)
from minispore.described import describe as _describe
from minispore.errors import did_you_mean

GRAPH_MODE = 0
PYNATIVE_MODE = 1
STRICT, COMPATIBLE, LAX = 0, 1, 2  # jit_syntax_level
RELEASE, DEBUG = 0, 1  # debug_level
DEFAULT_OP_TIMEOUT_S = 900  # MindSpore 2.10's own


# -- checks of single settings --------------------------------------------------------------------


def _mode(what: str, value: Any) -> int:
    if value not in (GRAPH_MODE, PYNATIVE_MODE):
        raise ValueError(f"{what} must be GRAPH_MODE (0) or PYNATIVE_MODE (1), got {value!r}.")
    return int(value)


def _target(what: str, value: Any) -> str:
    if value == "Davinci":
        warnings.warn(f"{what} 'Davinci' is an old name of 'Ascend'.", stacklevel=5)
        value = "Ascend"
    return one_of("CPU", "GPU", "Ascend")(what, value)


def _save_graphs(what: str, value: Any) -> int:
    return one_of(0, 1, 2, 3)(what, 2 if value is True else int(keep(what, value)))


def _gigabytes(low: float) -> Check:
    def check(what: str, value: Any) -> float:
        number = re.fullmatch(r"(\d+(?:\.\d+)?)GB", keep(what, value))
        if number is None or float(number[1]) < low or float(number[1]) == 0:
            least = f" and at least {low:g}GB" if low else ""
            raise ValueError(f"{what} must be a size such as '3.5GB'{least}, got {value!r}.")
        return float(number[1])

    return check


def _profiling(what: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise RuntimeError(f"{what} must be a bool, got {value!r} ({type(value).__name__}).")
    return value


def _result_path(what: str, value: Any) -> str:
    if not os.path.isdir(value) or not os.access(value, os.R_OK | os.W_OK):
        raise ValueError(f"{what} must be an existing folder to read and write, got {value!r}.")
    return value


_TRACES = ("training_trace", "task_trace", "op_trace", "aicpu_trace")
_AI_CORE_METRICS = (
    "ArithmeticUtilization", "PipeUtilization", "Memory", "MemoryL0", "ResourceConflictRatio",
)  # fmt: skip
_PROFILING_OPTIONS: dict[str, Check] = {
    "result_path": _result_path,
    **dict.fromkeys(_TRACES, one_of("on", "off")),
    "fp_point": keep,
    "bp_point": keep,
    "ai_core_metrics": one_of(*_AI_CORE_METRICS),
}


def _profiling_options(what: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a str, got {value!r} ({type(value).__name__}).")
    if not value.lstrip().startswith("{"):  # the oldest form, "training_trace:op_trace"
        for trace in value.split(":"):
            one_of(*_TRACES)(what, trace)
        return value
    try:
        given = json.loads(value)
    except ValueError as exc:
        raise ValueError(f"{what} must be a JSON object, got {value!r}: {exc}.") from exc
    for name, option in given.items():
        if name not in _PROFILING_OPTIONS:
            close = did_you_mean(name, _PROFILING_OPTIONS)
            raise ValueError(f"{what} has no option {name!r}.{close}")
        _PROFILING_OPTIONS[name](f"{what}[{name!r}]", option)
    return value


_ASCEND_CONFIG = options(
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
_GPU_CONFIG = options(
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
_JIT_CONFIG = options(jit_level=["O0", "O1", "O2"], infer_boost=["on", "off"])
_FUSION = without_effect("Fusion is part of every compile.")
_SINK = without_effect("Use Model.train(dataset_sink_mode=...).")
_CACHE = without_effect("Use enable_compile_cache.")
_ASCEND, _GPU, _CARD = ("Ascend",), ("GPU",), ("Ascend", "GPU")


# -- the record -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Context:
    """All settings of ``set_context``, as they are stored."""

    mode: int = setting(PYNATIVE_MODE, int, _mode)
    device_target: str = setting("CPU", str, _target)
    device_id: int = setting(0, int, within(0, 4095), ("Ascend",), waits=True)
    save_graphs: int = setting(0, (bool, int), _save_graphs)
    save_graphs_path: str = setting(".", str, new_folder)
    enable_profiling: bool = setting(False, (), _profiling)
    profiling_options: str = setting("training_trace", (), _profiling_options)

    op_timeout: float = setting(DEFAULT_OP_TIMEOUT_S, (int, float), within(0))  # 0: no limit
    # ours: the largest m of Winograd's F(m, 3) by which 3x3 convolutions are computed; 0: none
    conv_winograd: int = setting(4, int, one_of(0, 2, 4))
    print_recompiles: bool = setting(False, bool)  # ours: say on stderr why a graph is new
    max_call_depth: int = setting(1000, int, within(1))
    pynative_synchronize: bool = setting(False, bool)
    deterministic: str = setting("OFF", str, one_of("ON", "OFF"))
    runtime_num_threads: int = setting(0, int, within(0))
    inter_op_parallel_num: int = setting(0, int, within(0))
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
    aoe_config: dict[str, Any] = setting({}, dict, options(job_type=["1", "2"]))
    precompile_only: bool = setting(False, bool)
    grad_for_scalar: bool = setting(False, bool)

    # What only some targets look at; elsewhere it is ignored with a warning.
    enable_reduce_precision: bool = setting(True, bool, keep, _ASCEND)
    print_file_path: str = setting("", str, new_file, _ASCEND)
    enable_dump: bool = setting(False, bool, keep, _ASCEND)
    save_dump_path: str = setting(".", str, keep, _ASCEND)
    variable_memory_max_size: float = setting(0.0, str, _gigabytes(0), _ASCEND)  # in GB
    graph_memory_max_size: float = setting(0.0, str, _gigabytes(0), _ASCEND)  # in GB
    ascend_config: dict[str, Any] = setting({}, dict, _ASCEND_CONFIG, _ASCEND)
    max_device_memory: float = setting(1024.0, str, _gigabytes(0), _CARD)  # in GB
    mempool_block_size: float = setting(1.0, str, _gigabytes(1), _CARD)  # in GB
    gpu_config: dict[str, Any] = setting({}, dict, _GPU_CONFIG, _GPU)
    disable_format_transform: bool = setting(False, bool, keep, _GPU)

    # What old scripts set.
    enable_graph_kernel: bool = setting(False, bool, _FUSION)
    graph_kernel_flags: str = setting("", str, _FUSION)
    enable_auto_mixed_precision: bool = setting(
        False, bool, without_effect("Use Model(amp_level=...).")
    )
    enable_sparse: bool = setting(False, bool, without_effect("Sparse tensors need no switch."))
    enable_mem_reuse: bool = setting(True, bool, without_effect("Memory is always reused."))
    enable_hccl: bool = setting(False, bool, without_effect("Call communication.init()."))
    auto_tune_mode: str = setting("NO_TUNE", str, without_effect("There is nothing to tune."))
    env_config_path: str = setting("", str, without_effect("Set the settings themselves."))
    enable_task_sink: bool = setting(True, bool, _SINK)
    enable_loop_sink: bool = setting(False, bool, _SINK)
    save_compile_cache: bool = setting(False, bool, _CACHE)
    load_compile_cache: bool = setting(False, bool, _CACHE)


#: What is set before the others, whose rules ask for it, and after them, since it starts something.
_TURN = {"device_target": 0, "enable_profiling": 2}
_current = Context()
_subscribers: list[Callable[[Context, Context], None]] = []


def current() -> Context:
    """The record in force."""
    return _current


def restore(record: Context) -> None:
    """Put a record that :func:`current` gave back into force."""
    global _current
    old, _current = _current, record
    if record != old:
        for follow in _subscribers:
            follow(old, record)


def subscribe(follow: Callable[[Context, Context], None]) -> None:
    """Call ``follow(old, new)`` after each change of the context."""
    _subscribers.append(follow)


@contextmanager
def following(follow: Callable[[Context, Context], None]) -> Iterator[None]:
    """Call ``follow(old, new)`` after each change within the ``with`` block."""
    _subscribers.append(follow)
    try:
        yield
    finally:
        _subscribers.remove(follow)


def set_context(**kwargs: Any) -> None:
    """Change settings by name.

    All types are checked before anything changes. Then ``device_target`` is set, then the others in
    the order given, ``enable_profiling`` last; a value out of range leaves those before it set.

    Args:
        mode: GRAPH_MODE (0) or PYNATIVE_MODE (1, the default).
        device_target: "CPU", "GPU" or "Ascend".
        device_id: 0 to 4095, of an Ascend; elsewhere there is one device. Can be switched
            at any time.
        save_graphs: 0 to 3 (True is 2): write each stage of a compile as ``.ir`` and ``.dot``.
        save_graphs_path: the folder for them, made when missing.
        op_timeout: seconds that GetNext waits for a batch; fractions count, 0 is no limit.
        kwargs: any other field of :class:`Context`. Those that steer real hardware are only kept.

    Raises:
        TypeError: a value is of a type that its setting does not take.
        ValueError: an unknown name, or a value out of its range.

    >>> set_context(mode=PYNATIVE_MODE, device_id=0)
    >>> get_context("mode")
    1
    """
    settings.check_types(_current, kwargs, "set_context")
    ordered = dict(sorted(kwargs.items(), key=lambda item: _TURN.get(item[0], 1)))
    reached = [_current]
    try:
        reached += settings.changed(_current, ordered, "set_context")
    finally:
        restore(reached[-1])
        if "mode" in kwargs:
            _here.op_by_op = False


class _Here(threading.local):
    """Of this thread: whether it runs a function of GRAPH_MODE op by op."""

    op_by_op = False


_here = _Here()


@contextmanager
def op_by_op() -> Iterator[None]:
    """In the ``with`` block a function that no graph can hold runs as in PYNATIVE_MODE, and
    ``get_context("mode")`` says so: it gets the answer that it has there, and so the same result.
    """
    before, _here.op_by_op = _here.op_by_op, True
    try:
        yield
    finally:
        _here.op_by_op = before


def get_context(attr_key: str) -> Any:
    """One setting by name; ``mode`` is PYNATIVE_MODE in what runs op by op.

    Raises:
        TypeError: the name is not a str.
        ValueError: there is no such setting.
    """
    if not isinstance(attr_key, str):
        raise TypeError(f"get_context: attr_key must be a str, got {attr_key!r}.")
    settings.find(_current, attr_key, "get_context")
    if attr_key == "mode" and _here.op_by_op:
        return PYNATIVE_MODE
    return getattr(_current, attr_key)


def set_device(device_target: str, device_id: int | None = None) -> None:
    """Choose the device: ``set_context(device_target=..., device_id=...)``."""
    set_context(device_target=device_target, device_id=0 if device_id is None else device_id)


def set_deterministic(deterministic: bool) -> None:
    """Ask for kernels that give the same result every time; those of NumPy do."""
    if not isinstance(deterministic, bool):
        raise TypeError(f"set_deterministic: deterministic must be a bool, got {deterministic!r}.")
    set_context(deterministic="ON" if deterministic else "OFF")


def set_recursion_limit(recursion_limit: int = 1000) -> None:
    """Set ``max_call_depth``."""
    set_context(max_call_depth=recursion_limit)


def _get_mode() -> int:
    """The ``mode`` of the context."""
    return get_context("mode")


def get_jit_config() -> dict[str, Any]:
    """The ``jit_config`` of the context."""
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
