"""Settings of a device's ops as functions, in place of the dicts of
``set_context(ascend_config=..., gpu_config=...)``.
"""

from __future__ import annotations

from typing import Any

from minispore import context


def _check_bool(api_name: str, value: Any) -> None:
    """Raise a TypeError unless ``value`` is a bool."""
    if not isinstance(value, bool):
        raise TypeError(
            f"{api_name}: value must be a bool, got {value!r} ({type(value).__name__})."
        )


def _check_count(api_name: str, argument: str, value: Any, least: int) -> None:
    """Check that an argument is an int of at least ``least`` that fits int32.

    Raises:
        TypeError: it is not an int.
        ValueError: it is out of range.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        type_name = type(value).__name__
        raise TypeError(f"{api_name}: {argument} must be an int, got {value!r} ({type_name}).")
    if not least <= value < 2**31:
        raise ValueError(
            f"{api_name}: {argument} must be at least {least} and fit int32, got {value}."
        )


def threads_num(num: int) -> None:
    """Set the number of threads that an op may use on a CPU.

    Args:
        num (int): 1 or more.

    Raises:
        TypeError, ValueError: it is not an int >= 1.
    """
    _check_count("threads_num", "num", num, 1)
    context.set_context(runtime_num_threads=num)


def precision_mode(mode: str) -> None:
    """Set ``precision_mode`` of an Ascend, see ``ascend_config`` of :func:`set_context`.

    Args:
        mode (str): one of its modes.

    Raises:
        TypeError, ValueError: it is not one of these.
    """
    context.set_context(ascend_config={"precision_mode": mode})


def op_precision_mode(path: str) -> None:
    """Set the file with the precision of each op on an Ascend; it has no effect in minispore.

    Args:
        path (str): the file.

    Raises:
        TypeError: it is not a str.
    """
    context.set_context(ascend_config={"op_precision_mode": path})


def matmul_allow_hf32(value: bool) -> None:
    """Set whether products on an Ascend may round to hfloat32; it has no effect in minispore.

    Args:
        value (bool): whether.

    Raises:
        TypeError: it is not a bool.
    """
    _check_bool("matmul_allow_hf32", value)
    context.set_context(ascend_config={"matmul_allow_hf32": value})


def conv_allow_hf32(value: bool) -> None:
    """Set whether convolutions on an Ascend may round to hfloat32; it has no effect in minispore.

    Args:
        value (bool): whether.

    Raises:
        TypeError: it is not a bool.
    """
    _check_bool("conv_allow_hf32", value)
    context.set_context(ascend_config={"conv_allow_hf32": value})


def matmul_allow_tf32(value: bool) -> None:
    """Set whether products on a GPU may round to TensorFloat-32; it has no effect in minispore.

    Args:
        value (bool): whether.

    Raises:
        TypeError: it is not a bool.
    """
    _check_bool("matmul_allow_tf32", value)
    context.set_context(gpu_config={"matmul_allow_tf32": value})


def conv_allow_tf32(value: bool) -> None:
    """Set whether convolutions on a GPU may round to TensorFloat-32; it has no effect in minispore.

    Args:
        value (bool): whether.

    Raises:
        TypeError: it is not a bool.
    """
    _check_bool("conv_allow_tf32", value)
    context.set_context(gpu_config={"conv_allow_tf32": value})


def conv_fprop_algo(mode: str) -> None:
    """Set the algorithm of convolutions on a GPU; it has no effect in minispore.

    Args:
        mode (str): one of those of ``gpu_config`` of :func:`set_context`.

    Raises:
        TypeError, ValueError: it is not one of these.
    """
    context.set_context(gpu_config={"conv_fprop_algo": mode})


def conv_dgrad_algo(mode: str) -> None:
    """Set the algorithm of the gradients of convolutions by their inputs on a GPU; it has no effect
    in minispore.

    Args:
        mode (str): one of those of ``gpu_config`` of :func:`set_context`.

    Raises:
        TypeError, ValueError: it is not one of these.
    """
    context.set_context(gpu_config={"conv_dgrad_algo": mode})


def conv_wgrad_algo(mode: str) -> None:
    """Set the algorithm of the gradients of convolutions by their weights on a GPU; it has no
    effect in minispore.

    Args:
        mode (str): one of those of ``gpu_config`` of :func:`set_context`.

    Raises:
        TypeError, ValueError: it is not one of these.
    """
    context.set_context(gpu_config={"conv_wgrad_algo": mode})


def op_compile(value: bool) -> None:
    """Set whether an Ascend compiles its ops at run time instead of using precompiled ones; it has
    no effect in minispore.

    Args:
        value (bool): whether.

    Raises:
        TypeError: it is not a bool.
    """
    _check_bool("op_compile", value)
    context.set_context(ascend_config={"jit_compile": value})


def aoe_tune_mode(tune_mode: str) -> None:
    """Set how the ops of an Ascend are tuned; it has no effect in minispore.

    Args:
        tune_mode (str): ``"online"`` or ``"offline"``.

    Raises:
        TypeError, ValueError: it is not one of these.
    """
    context.set_context(aoe_tune_mode=tune_mode)


def aoe_job_type(config: str) -> None:
    """Set the kind of tuning; it has no effect in minispore.

    Args:
        config (str): ``"1"``: subgraphs, ``"2"``: ops.

    Raises:
        TypeError, ValueError: it is not one of these.
    """
    context.set_context(aoe_config={"job_type": config})


def aclnn_cache(enable_global_cache: bool = False, cache_queue_length: int = 10000) -> None:
    """Check the settings of an Ascend's cache of prepared op calls; it has no effect in minispore.

    Args:
        enable_global_cache (bool): whether all graphs share the cache.
        cache_queue_length (int): the number of cached calls, 0 or more.

    Raises:
        TypeError, ValueError: an argument has the wrong type or value.
    """
    _check_bool("aclnn_cache", enable_global_cache)
    _check_count("aclnn_cache", "cache_queue_length", cache_queue_length, 0)


def execute_timeout(op_timeout: int) -> None:
    """Set ``op_timeout``, see :func:`set_context`.

    Args:
        op_timeout (int): seconds; 0 is no limit.

    Raises:
        TypeError: it is not an int.
        ValueError: it is negative.
    """
    _check_count("execute_timeout", "op_timeout", op_timeout, 0)
    context.set_context(op_timeout=op_timeout)


def debug_option(option_value: str) -> None:
    """Set which errors an Ascend checks for while its ops run; it has no effect in minispore.

    Args:
        option_value (str): ``"oom"``: access to memory outside an op's own.

    Raises:
        TypeError, ValueError: it is not that value.
    """
    context.set_context(ascend_config={"op_debug_option": option_value})


_ACLINIT: dict[str, Any] = {
    "max_opqueue_num": str,
    "err_msg_mode": ["0", "1"],
    "dump": [{"dump_scene": "lite_exception"}, {"dump_scene": "lite_exception:disable"}],
}


def aclinit_config(config: dict[str, Any]) -> None:
    """Check the settings for the initialization of an Ascend; it has no effect in minispore.

    Args:
        config (dict): ``max_opqueue_num``, a number as str; ``err_msg_mode``, ``"0"`` or ``"1"``;
            and ``dump``, ``{"dump_scene": "lite_exception"}``, optionally with the suffix
            ``:disable``.

    Raises:
        TypeError, ValueError: a key or value is invalid.
    """
    if not isinstance(config, dict):
        raise TypeError(f"aclinit_config: config must be a dict, got {config!r}.")
    for key, value in config.items():
        if key not in _ACLINIT:
            raise ValueError(f"aclinit_config: a key must be one of {[*_ACLINIT]}, got {key!r}.")
        allowed = _ACLINIT[key]
        if isinstance(allowed, list) and value not in allowed:
            raise ValueError(f"aclinit_config: {key} must be one of {allowed}, got {value!r}.")
        if allowed is str and not isinstance(value, str):
            raise TypeError(f"aclinit_config: {key} must be a str, got {value!r}.")
