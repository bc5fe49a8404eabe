"""Device queries and settings of ``mindspore.runtime`` and ``mindspore.hal``.

The memory is that of the simulated device, as :func:`minispore.device.current` counts it. Nothing
runs in the background, so there is nothing to wait for.
"""

from __future__ import annotations

import re
from typing import Any

from minispore import context, device
from minispore.foundation import checks

_SIZE_PATTERN = re.compile(r"(?:[1-9]\d*(?:\.\d*)?|0\.\d*[1-9]\d*)GB")


# -- memory ---------------------------------------------------------------------------------------


def set_memory(
    init_size: str = "2GB",
    increase_size: str = "2GB",
    max_size: str = "1024GB",
    optimize_level: str = "O0",
    huge_page_reserve_size: str = "0GB",
) -> None:
    """Limit the memory of an Ascend or GPU, as ``set_context(max_device_memory=max_size)`` does.

    The other sizes are only checked: the memory in use is always the memory that the plans need.

    Args:
        init_size (str): reserved at the start, such as ``"2GB"``.
        increase_size (str): the increment by which the reserved memory grows.
        max_size (str): the maximum that may be reserved.
        optimize_level (str): ``"O0"`` or ``"O1"``.
        huge_page_reserve_size (str): kept for huge pages; may be ``"0GB"``.

    Raises:
        TypeError: a size is not a str.
        ValueError: a size or the level is not valid.

    >>> context.set_context(device_target="Ascend")
    >>> set_memory(max_size="8GB")
    >>> context.get_context("max_device_memory")
    8.0
    """
    sizes = {"init_size": init_size, "increase_size": increase_size, "max_size": max_size}
    for name, size in (*sizes.items(), ("huge_page_reserve_size", huge_page_reserve_size)):
        if not isinstance(size, str):
            raise TypeError(f"set_memory: {name} must be a str, got {checks.format_value(size)}.")
        is_zero = name == "huge_page_reserve_size" and re.fullmatch(r"0(\.0*)?GB", size)
        if not is_zero and not _SIZE_PATTERN.fullmatch(size):
            raise ValueError(f"set_memory: {name} must be a size such as '2GB', got {size!r}.")
    checks.one_of("set_memory", "optimize_level", optimize_level, ("O0", "O1"))
    if device.current().target != "CPU":
        context.set_context(max_device_memory=max_size)


def memory_allocated(device_target: str | None = None) -> int:
    """Return the bytes in use on the device.

    Args:
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``; the context's by default.

    Returns:
        int

    >>> memory_allocated() <= max_memory_allocated()
    True
    """
    _check_is_current_target("memory_allocated", device_target)
    return device.current().memory.current


def max_memory_allocated(device_target: str | None = None) -> int:
    """Return the peak number of bytes in use on the device.

    Args:
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``; the context's by default.

    Returns:
        int

    >>> max_memory_allocated() >= memory_allocated()
    True
    """
    _check_is_current_target("max_memory_allocated", device_target)
    return device.current().memory.peak


def memory_reserved(device_target: str | None = None) -> int:
    """Return the bytes reserved on the device: the bytes in use, since no more is reserved.

    Args:
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``; the context's by default.

    Returns:
        int

    >>> memory_reserved() == memory_allocated()
    True
    """
    return memory_allocated(device_target)


def max_memory_reserved(device_target: str | None = None) -> int:
    """Return the peak number of bytes reserved on the device.

    Args:
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``; the context's by default.

    Returns:
        int

    >>> max_memory_reserved() == max_memory_allocated()
    True
    """
    return max_memory_allocated(device_target)


def memory_stats(device_target: str | None = None) -> dict[str, Any]:
    """Return the current and peak memory of the device in bytes, under MindSpore's keys.

    Args:
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``; the context's by default.

    >>> sorted(memory_stats())[:2]
    ['blocks_info', 'common_mem_pool_stats']
    """
    _check_is_current_target("memory_stats", device_target)
    allocated, pool = memory_allocated(), device.current().memory
    pool_stats = {
        "block_unit_size": int(pool.spec.memory_block_bytes),
        "block_counts": len(pool.blocks),
    }
    return {
        "total_reserved_memory": allocated,
        "total_allocated_memory": allocated,
        "total_idle_memory": 0,
        "total_eager_free_memory": 0,
        "max_reserved_memory": pool.peak,
        "max_allocated_memory": pool.peak,
        "common_mem_pool_stats": dict(pool_stats),
        "persistent_mem_pool_stats": {**pool_stats, "block_counts": 0},
        "blocks_info": {block.label: block.nbytes for block in pool.blocks},
    }


def memory_summary(device_target: str | None = None) -> str:
    """Return a table of the memory in use and its peak, with one line per kind.

    Args:
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``; the context's by default.

    >>> print(memory_summary().splitlines()[0].split())
    ['kind', 'now', 'peak']
    """
    _check_is_current_target("memory_summary", device_target)
    pool = device.current().memory
    rows = [("kind", "now", "peak"), ("all", f"{pool.current}", f"{pool.peak}")]
    rows += [(k, f"{n}", f"{pool.peak_by_kind[k]}") for k, n in pool.current_by_kind.items()]
    return "\n".join(f"{kind:16} {now:>16} {peak:>16}" for kind, now, peak in rows)


def reset_peak_memory_stats(device_target: str | None = None) -> None:
    """Reset the peak memory to the memory in use.

    Args:
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``; the context's by default.

    >>> reset_peak_memory_stats()
    >>> max_memory_allocated() == memory_allocated()
    True
    """
    _check_is_current_target("reset_peak_memory_stats", device_target)
    pool = device.current().memory
    pool.peak, pool.peak_by_kind = pool.current, dict(pool.current_by_kind)


def empty_cache() -> None:
    """Release unused reserved memory; does nothing, since there is none.

    >>> empty_cache()
    >>> memory_reserved() == memory_allocated()
    True
    """


# -- running --------------------------------------------------------------------------------------


def launch_blocking() -> None:
    """Wait for each op before the next is launched; does nothing, since ops always run so.

    >>> launch_blocking()
    """


def synchronize() -> None:
    """Wait for the device; does nothing, since each op is done when it returns.

    >>> synchronize()
    """


def dispatch_threads_num(threads_num: int) -> None:
    """Check a number of dispatch threads; no other effect.

    Args:
        threads_num (int): 1 or more.

    Raises:
        TypeError, ValueError: the number is not valid.

    >>> dispatch_threads_num(2)
    """
    checks.integer("dispatch_threads_num", "threads_num", threads_num, 1)


def set_kernel_launch_group(thread_num: int = 2, kernel_group_num: int = 8) -> None:
    """Check a grouping of kernel launches; no other effect.

    Args:
        thread_num (int): threads that launch kernels.
        kernel_group_num (int): groups; a multiple of ``thread_num``.

    Raises:
        TypeError, ValueError: a number is not valid.

    >>> set_kernel_launch_group(thread_num=2, kernel_group_num=8)
    """
    api_name = "set_kernel_launch_group"
    checks.integer(api_name, "thread_num", thread_num, 1)
    checks.integer(api_name, "kernel_group_num", kernel_group_num, 1)
    if kernel_group_num % thread_num:
        raise ValueError(
            f"{api_name}: kernel_group_num must be a multiple of thread_num, got "
            f"{kernel_group_num} and {thread_num}."
        )


def set_cpu_affinity(
    enable_affinity: bool,
    affinity_cpu_list: list[str] | None = None,
    module_to_cpu_dict: dict[str, list[int]] | None = None,
    bind_file: str | None = None,
) -> None:
    """Check a CPU affinity; no other effect.

    Args:
        enable_affinity (bool): whether threads are bound to cores.
        affinity_cpu_list (list): ranges such as ``"0-3"``.
        module_to_cpu_dict (dict): indices into the list of cores, by module of MindSpore.
        bind_file (str): a file with the affinity.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a range is not valid.

    >>> set_cpu_affinity(True, ["0-3"])
    """
    api_name = "set_cpu_affinity"
    if not isinstance(enable_affinity, bool):
        raise TypeError(f"{api_name}: enable_affinity must be a bool, got {enable_affinity!r}.")
    if affinity_cpu_list is not None and not isinstance(affinity_cpu_list, list | dict):
        raise TypeError(f"{api_name}: affinity_cpu_list must be a list, got {affinity_cpu_list!r}.")
    for core_range in affinity_cpu_list if isinstance(affinity_cpu_list, list) else ():
        if not isinstance(core_range, str):
            raise TypeError(f"{api_name}: affinity_cpu_list must hold str, got {core_range!r}.")
        if not re.fullmatch(r"\d+-\d+", core_range):
            raise ValueError(
                f"{api_name}: affinity_cpu_list must hold ranges as '0-3', got {core_range!r}."
            )
    if module_to_cpu_dict is not None and not isinstance(module_to_cpu_dict, dict):
        raise TypeError(
            f"{api_name}: module_to_cpu_dict must be a dict, got {module_to_cpu_dict!r}."
        )


# -- devices --------------------------------------------------------------------------------


def _get_device_class(api_name: str, device_target: str | None) -> type[device.Device]:
    """Return the Device class of a target, by default that of the current device.

    Raises:
        ValueError: there is no such target; the error begins with ``api_name``.
    """
    if device_target is None:
        return type(device.current())
    checks.one_of(api_name, "device_target", device_target, tuple(device.TARGETS))
    return device.TARGETS[device_target]


def _check_is_current_target(api_name: str, device_target: str | None) -> None:
    """Raise ValueError unless the target is the context's, the only one whose memory is counted."""
    if (device_class := _get_device_class(api_name, device_target)) is not type(device.current()):
        raise ValueError(
            f"{api_name}: device_target must be the context's, {device.current().target!r}, got "
            f"{device_class.target!r}. Choose it by "
            f"set_context(device_target={device_class.target!r})."
        )


def is_available(device_target: str) -> bool:
    """Whether a device target exists: a CPU, and simulated GPUs and Ascends.

    Args:
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``; returns False for any other.

    >>> is_available("Ascend"), is_available("TPU")
    (True, False)
    """
    return device_target in device.TARGETS


def is_initialized(device_target: str) -> bool:
    """Whether a device target is the context's.

    Args:
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``.

    Returns:
        bool

    >>> is_initialized(context.get_context("device_target"))
    True
    """
    return device.current().target == device_target


def device_count(device_target: str | None = None) -> int:
    """Return the number of devices of a target: one CPU or GPU, 8 simulated Ascends.

    Args:
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``; the context's by default.

    >>> device_count("CPU"), device_count("Ascend")
    (1, 8)
    """
    return 8 if _get_device_class("device_count", device_target).numbered else 1


def get_device_name(device_id: int, device_target: str | None = None) -> str:
    """Return the model name of a device.

    Args:
        device_id (int): its number.
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``; the context's by default.

    >>> get_device_name(0, "CPU")
    'CPU'
    """
    checks.integer("get_device_name", "device_id", device_id, 0)
    target = _get_device_class("get_device_name", device_target).target
    return "CPU" if target == "CPU" else device.device_spec(target).name


reset_max_memory_allocated = reset_peak_memory_stats
reset_max_memory_reserved = reset_peak_memory_stats
