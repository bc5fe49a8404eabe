"""What a script asks of the device beside its work: memory in use, waiting, what there is.

The memory is that of the simulated device, as :func:`minispore.device.current` counts it. Nothing
runs in the background, so there is nothing to wait for.
"""

from __future__ import annotations

import re
from typing import Any

from minispore import checks, context, device

_SIZE = re.compile(r"(?:[1-9]\d*(?:\.\d*)?|0\.\d*[1-9]\d*)GB")


# -- memory ---------------------------------------------------------------------------------------


def set_memory(
    init_size: str = "2GB",
    increase_size: str = "2GB",
    max_size: str = "1024GB",
    optimize_level: str = "O0",
    huge_page_reserve_size: str = "0GB",
) -> None:
    """Limit the memory of an Ascend or GPU, as ``set_context(max_device_memory=max_size)`` does.

    How it grows is checked alone: it is what a plan needs, from the beginning.

    Args:
        init_size (str): taken at the start, such as ``"2GB"``.
        increase_size (str): taken at a time later on.
        max_size (str): taken at most.
        optimize_level (str): ``"O0"`` or ``"O1"``.
        huge_page_reserve_size (str): kept for huge pages; may be ``"0GB"``.

    Raises:
        TypeError: a size is no str.
        ValueError: it is no such size, or the level is another.

    >>> context.set_context(device_target="Ascend")
    >>> set_memory(max_size="8GB")
    >>> context.get_context("max_device_memory")
    8.0
    """
    sizes = {"init_size": init_size, "increase_size": increase_size, "max_size": max_size}
    for name, size in (*sizes.items(), ("huge_page_reserve_size", huge_page_reserve_size)):
        if not isinstance(size, str):
            raise TypeError(f"set_memory: {name} must be a str, got {checks.shown(size)}.")
        none = name == "huge_page_reserve_size" and re.fullmatch(r"0(\.0*)?GB", size)
        if not none and not _SIZE.fullmatch(size):
            raise ValueError(f"set_memory: {name} must be a size such as '2GB', got {size!r}.")
    checks.one_of("set_memory", "optimize_level", optimize_level, ("O0", "O1"))
    if device.current().target != "CPU":
        context.set_context(max_device_memory=max_size)


def memory_allocated(device_target: str | None = None) -> int:
    """The bytes in use on the device.

    Args:
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``; the context's by default.

    Returns:
        int

    >>> memory_allocated() <= max_memory_allocated()
    True
    """
    _asked("memory_allocated", device_target)
    return device.current().memory.current


def max_memory_allocated(device_target: str | None = None) -> int:
    """The most bytes that were in use on the device.

    Args:
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``; the context's by default.

    Returns:
        int

    >>> max_memory_allocated() >= memory_allocated()
    True
    """
    _asked("max_memory_allocated", device_target)
    return device.current().memory.peak


def memory_reserved(device_target: str | None = None) -> int:
    """The bytes taken of the device: those in use, for nothing is kept beside them.

    Args:
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``; the context's by default.

    Returns:
        int

    >>> memory_reserved() == memory_allocated()
    True
    """
    return memory_allocated(device_target)


def max_memory_reserved(device_target: str | None = None) -> int:
    """The most bytes that were taken of the device.

    Args:
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``; the context's by default.

    Returns:
        int

    >>> max_memory_reserved() == max_memory_allocated()
    True
    """
    return max_memory_allocated(device_target)


def memory_stats(device_target: str | None = None) -> dict[str, Any]:
    """What is in use and was, in bytes, under the names of MindSpore's record.

    Args:
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``; the context's by default.

    >>> sorted(memory_stats())[:2]
    ['blocks_info', 'common_mem_pool_stats']
    """
    _asked("memory_stats", device_target)
    used, pool = memory_allocated(), device.current().memory
    kind = {"block_unit_size": int(pool.spec.memory_block_bytes), "block_counts": len(pool.blocks)}
    return {
        "total_reserved_memory": used,
        "total_allocated_memory": used,
        "total_idle_memory": 0,
        "total_eager_free_memory": 0,
        "max_reserved_memory": pool.peak,
        "max_allocated_memory": pool.peak,
        "common_mem_pool_stats": dict(kind),
        "persistent_mem_pool_stats": {**kind, "block_counts": 0},
        "blocks_info": {block.label: block.nbytes for block in pool.blocks},
    }


def memory_summary(device_target: str | None = None) -> str:
    """What is in use, kind by kind, as a table.

    Args:
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``; the context's by default.

    >>> print(memory_summary().splitlines()[0].split())
    ['kind', 'now', 'peak']
    """
    _asked("memory_summary", device_target)
    pool = device.current().memory
    rows = [("kind", "now", "peak"), ("all", f"{pool.current}", f"{pool.peak}")]
    rows += [(k, f"{n}", f"{pool.peak_by_kind[k]}") for k, n in pool.current_by_kind.items()]
    return "\n".join(f"{kind:16} {now:>16} {peak:>16}" for kind, now, peak in rows)


def reset_peak_memory_stats(device_target: str | None = None) -> None:
    """Let the peaks begin anew, at what is in use.

    Args:
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``; the context's by default.

    >>> reset_peak_memory_stats()
    >>> max_memory_allocated() == memory_allocated()
    True
    """
    _asked("reset_peak_memory_stats", device_target)
    pool = device.current().memory
    pool.peak, pool.peak_by_kind = pool.current, dict(pool.current_by_kind)


def empty_cache() -> None:
    """Give back what is taken and not in use: nothing is.

    >>> empty_cache()
    >>> memory_reserved() == memory_allocated()
    True
    """


# -- running --------------------------------------------------------------------------------------


def launch_blocking() -> None:
    """Wait for each op before the next is launched; it is always so here.

    >>> launch_blocking()
    """


def synchronize() -> None:
    """Wait for the device; each op is done when it returns.

    >>> synchronize()
    """


def dispatch_threads_num(threads_num: int) -> None:
    """Check a number of threads; the threads of an op are ``device_context.cpu``'s.

    Args:
        threads_num (int): 1 or more.

    Raises:
        TypeError, ValueError: it is not.

    >>> dispatch_threads_num(2)
    """
    checks.integer("dispatch_threads_num", "threads_num", threads_num, 1)


def set_kernel_launch_group(thread_num: int = 2, kernel_group_num: int = 8) -> None:
    """Check how kernels are to be launched in groups; they are launched one by one.

    Args:
        thread_num (int): threads that launch.
        kernel_group_num (int): groups; a multiple of ``thread_num``.

    Raises:
        TypeError, ValueError: they are not.

    >>> set_kernel_launch_group(thread_num=2, kernel_group_num=8)
    """
    who = "set_kernel_launch_group"
    checks.integer(who, "thread_num", thread_num, 1)
    checks.integer(who, "kernel_group_num", kernel_group_num, 1)
    if kernel_group_num % thread_num:
        raise ValueError(
            f"{who}: kernel_group_num must be a multiple of thread_num, got {kernel_group_num} "
            f"and {thread_num}."
        )


def set_cpu_affinity(
    enable_affinity: bool,
    affinity_cpu_list: list[str] | None = None,
    module_to_cpu_dict: dict[str, list[int]] | None = None,
    bind_file: str | None = None,
) -> None:
    """Check which cores threads are to stay on; they stay where the system puts them.

    Args:
        enable_affinity (bool): whether.
        affinity_cpu_list (list): ranges such as ``"0-3"``.
        module_to_cpu_dict (dict): numbers of the list's cores, by the part of MindSpore.
        bind_file (str): a file that says so.

    Raises:
        TypeError: an argument of another type.
        ValueError: a range that is none.

    >>> set_cpu_affinity(True, ["0-3"])
    """
    who = "set_cpu_affinity"
    if not isinstance(enable_affinity, bool):
        raise TypeError(f"{who}: enable_affinity must be a bool, got {enable_affinity!r}.")
    if affinity_cpu_list is not None and not isinstance(affinity_cpu_list, list | dict):
        raise TypeError(f"{who}: affinity_cpu_list must be a list, got {affinity_cpu_list!r}.")
    for cores in affinity_cpu_list if isinstance(affinity_cpu_list, list) else ():
        if not isinstance(cores, str):
            raise TypeError(f"{who}: affinity_cpu_list must hold str, got {cores!r}.")
        if not re.fullmatch(r"\d+-\d+", cores):
            raise ValueError(f"{who}: affinity_cpu_list must hold ranges as '0-3', got {cores!r}.")
    if module_to_cpu_dict is not None and not isinstance(module_to_cpu_dict, dict):
        raise TypeError(f"{who}: module_to_cpu_dict must be a dict, got {module_to_cpu_dict!r}.")


# -- what there is --------------------------------------------------------------------------------


def _kind(who: str, device_target: str | None) -> type[device.Device]:
    if device_target is None:
        return type(device.current())
    checks.one_of(who, "device_target", device_target, tuple(device.TARGETS))
    return device.TARGETS[device_target]


def _asked(who: str, device_target: str | None) -> None:
    """Memory is counted for the device of the context."""
    if (kind := _kind(who, device_target)) is not type(device.current()):
        raise ValueError(
            f"{who}: device_target must be the context's, {device.current().target!r}, got "
            f"{kind.target!r}. Choose it by set_context(device_target={kind.target!r})."
        )


def is_available(device_target: str) -> bool:
    """Whether there is such a device: a CPU, and simulated GPUs and Ascends.

    Args:
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``; of any other there is none.

    >>> is_available("Ascend"), is_available("TPU")
    (True, False)
    """
    return device_target in device.TARGETS


def is_initialized(device_target: str) -> bool:
    """Whether it is the context's device.

    Args:
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``.

    Returns:
        bool

    >>> is_initialized(context.get_context("device_target"))
    True
    """
    return device.current().target == device_target


def device_count(device_target: str | None = None) -> int:
    """How many there are: one CPU or GPU; of simulated Ascends as many as have a number, told as 8.

    Args:
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``; the context's by default.

    >>> device_count("CPU"), device_count("Ascend")
    (1, 8)
    """
    return 8 if _kind("device_count", device_target).numbered else 1


def get_device_name(device_id: int, device_target: str | None = None) -> str:
    """The model of a device.

    Args:
        device_id (int): its number.
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``; the context's by default.

    >>> get_device_name(0, "CPU")
    'CPU'
    """
    checks.integer("get_device_name", "device_id", device_id, 0)
    target = _kind("get_device_name", device_target).target
    return "CPU" if target == "CPU" else device.device_spec(target).name


reset_max_memory_allocated = reset_peak_memory_stats
reset_max_memory_reserved = reset_peak_memory_stats
