"""How the ops of a device compute, each setting as a function, in place of the dicts of
``set_context(ascend_config=..., gpu_config=...)``.
"""

from __future__ import annotations

from typing import Any

from minispore import context


def _boolean(who: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise TypeError(f"{who}: value must be a bool, got {value!r} ({type(value).__name__}).")


def threads_num(num: int) -> None:
    """Set how many threads an op may use on a CPU.

    Args:
        num (int): 1 or more.

    Raises:
        TypeError, ValueError: it is not.
    """
    if isinstance(num, bool) or not isinstance(num, int):
        raise TypeError(f"threads_num: num must be an int, got {num!r} ({type(num).__name__}).")
    if not 1 <= num < 2**31:
        raise ValueError(f"threads_num: num must be at least 1 and fit int32, got {num}.")
    context.set_context(runtime_num_threads=num)


def precision_mode(mode: str) -> None:
    """Set ``precision_mode`` of an Ascend, see ``ascend_config`` of :func:`set_context`.

    Args:
        mode (str): one of its modes.

    Raises:
        TypeError, ValueError: it is none.
    """
    context.set_context(ascend_config={"precision_mode": mode})


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
