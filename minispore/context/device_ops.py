"""How the ops of a device compute, each setting as a function, in place of the dicts of
``set_context(ascend_config=..., gpu_config=...)``.
"""

from __future__ import annotations

from typing import Any

from minispore import context


def _boolean(who: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise TypeError(f"{who}: value must be a bool, got {value!r} ({type(value).__name__}).")


def _count(who: str, argument: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        kind = type(value).__name__
        raise TypeError(f"{who}: {argument} must be an int, got {value!r} ({kind}).")
    if not least <= value < 2**31:
        raise ValueError(f"{who}: {argument} must be at least {least} and fit int32, got {value}.")


def threads_num(num: int) -> None:
    """Set how many threads an op may use on a CPU.

    Args:
        num (int): 1 or more.

    Raises:
        TypeError, ValueError: it is not.
    """
    _count("threads_num", "num", num, 1)
    context.set_context(runtime_num_threads=num)


def precision_mode(mode: str) -> None:
    """Set ``precision_mode`` of an Ascend, see ``ascend_config`` of :func:`set_context`.

    Args:
        mode (str): one of its modes.

    Raises:
        TypeError, ValueError: it is none.
    """
    context.set_context(ascend_config={"precision_mode": mode})


def op_precision_mode(path: str) -> None:
    """Set the file that says for each op of an Ascend how exact it is; it changes nothing here.

    Args:
        path (str): the file.

    Raises:
        TypeError: it is no str.
    """
    context.set_context(ascend_config={"op_precision_mode": path})


def matmul_allow_hf32(value: bool) -> None:
    """Set whether products on an Ascend may round to hfloat32; they do not here.

    Args:
        value (bool): whether.

    Raises:
        TypeError: it is no bool.
    """
    _boolean("matmul_allow_hf32", value)
    context.set_context(ascend_config={"matmul_allow_hf32": value})


def conv_allow_hf32(value: bool) -> None:
    """Set whether convolutions on an Ascend may round to hfloat32; they do not here.

    Args:
        value (bool): whether.

    Raises:
        TypeError: it is no bool.
    """
    _boolean("conv_allow_hf32", value)
    context.set_context(ascend_config={"conv_allow_hf32": value})


def matmul_allow_tf32(value: bool) -> None:
    """Set whether products on a GPU may round to TensorFloat-32; they do not here.

    Args:
        value (bool): whether.

    Raises:
        TypeError: it is no bool.
    """
    _boolean("matmul_allow_tf32", value)
    context.set_context(gpu_config={"matmul_allow_tf32": value})


def conv_allow_tf32(value: bool) -> None:
    """Set whether convolutions on a GPU may round to TensorFloat-32; they do not here.

    Args:
        value (bool): whether.

    Raises:
        TypeError: it is no bool.
    """
    _boolean("conv_allow_tf32", value)
    context.set_context(gpu_config={"conv_allow_tf32": value})


def conv_fprop_algo(mode: str) -> None:
    """Set the algorithm of convolutions on a GPU; it changes nothing here.

    Args:
        mode (str): one of those of ``gpu_config`` of :func:`set_context`.

    Raises:
        TypeError, ValueError: it is none.
    """
    context.set_context(gpu_config={"conv_fprop_algo": mode})


def conv_dgrad_algo(mode: str) -> None:
    """Set the algorithm of the gradients of convolutions by their inputs on a GPU; it changes
    nothing here.

    Args:
        mode (str): one of those of ``gpu_config`` of :func:`set_context`.

    Raises:
        TypeError, ValueError: it is none.
    """
    context.set_context(gpu_config={"conv_dgrad_algo": mode})


def conv_wgrad_algo(mode: str) -> None:
    """Set the algorithm of the gradients of convolutions by their weights on a GPU; it changes
    nothing here.

    Args:
        mode (str): one of those of ``gpu_config`` of :func:`set_context`.

    Raises:
        TypeError, ValueError: it is none.
    """
    context.set_context(gpu_config={"conv_wgrad_algo": mode})


def op_compile(value: bool) -> None:
    """Set whether an Ascend compiles its ops as they come, rather than to take compiled ones; it
    changes nothing here.

    Args:
        value (bool): whether.

    Raises:
        TypeError: it is no bool.
    """
    _boolean("op_compile", value)
    context.set_context(ascend_config={"jit_compile": value})


def aoe_tune_mode(tune_mode: str) -> None:
    """Set how the ops of an Ascend are tuned; it changes nothing here.

    Args:
        tune_mode (str): ``"online"`` or ``"offline"``.

    Raises:
        TypeError, ValueError: it is none of them.
    """
    context.set_context(aoe_tune_mode=tune_mode)


def aoe_job_type(config: str) -> None:
    """Set what is tuned; it changes nothing here.

    Args:
        config (str): ``"1"``: parts of graphs, ``"2"``: ops.

    Raises:
        TypeError, ValueError: it is none of them.
    """
    context.set_context(aoe_config={"job_type": config})


def aclnn_cache(enable_global_cache: bool = False, cache_queue_length: int = 10000) -> None:
    """Set how an Ascend keeps prepared calls of ops; it changes nothing here.

    Args:
        enable_global_cache (bool): whether all graphs share them.
        cache_queue_length (int): how many it keeps, 0 or more.

    Raises:
        TypeError, ValueError: an argument of another kind.
    """
    _boolean("aclnn_cache", enable_global_cache)
    _count("aclnn_cache", "cache_queue_length", cache_queue_length, 0)


def execute_timeout(op_timeout: int) -> None:
    """Set ``op_timeout``, see :func:`set_context`.

    Args:
        op_timeout (int): seconds; 0 is no limit.

    Raises:
        TypeError, ValueError: it is not.
    """
    _count("execute_timeout", "op_timeout", op_timeout, 0)
    context.set_context(op_timeout=op_timeout)


def debug_option(option_value: str) -> None:
    """Set what an Ascend looks for while its ops run; it changes nothing here.

    Args:
        option_value (str): ``"oom"``: memory that is not an op's own.

    Raises:
        TypeError, ValueError: it is not.
    """
    context.set_context(ascend_config={"op_debug_option": option_value})


_ACLINIT: dict[str, Any] = {
    "max_opqueue_num": str,
    "err_msg_mode": ["0", "1"],
    "dump": [{"dump_scene": "lite_exception"}, {"dump_scene": "lite_exception:disable"}],
}


def aclinit_config(config: dict[str, Any]) -> None:
    """Set how an Ascend begins; it changes nothing here.

    Args:
        config (dict): ``max_opqueue_num``, a number as str, ``err_msg_mode``, ``"0"`` or ``"1"``,
            and ``dump``, ``{"dump_scene": "lite_exception"}`` or with ``:disable`` behind it.

    Raises:
        TypeError, ValueError: another key or value.
    """
    if not isinstance(config, dict):
        raise TypeError(f"aclinit_config: config must be a dict, got {config!r}.")
    for key, value in config.items():
        if key not in _ACLINIT:
            raise ValueError(f"aclinit_config: a key must be one of {[*_ACLINIT]}, got {key!r}.")
        wanted = _ACLINIT[key]
        if isinstance(wanted, list) and value not in wanted:
            raise ValueError(f"aclinit_config: {key} must be one of {wanted}, got {value!r}.")
        if wanted is str and not isinstance(value, str):
            raise TypeError(f"aclinit_config: {key} must be a str, got {value!r}.")
