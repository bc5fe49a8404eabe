"""How the ops of a device compute, each setting as a function, in place of the dicts of
``set_context(ascend_config=..., gpu_config=...)``.
"""

from __future__ import annotations

from minispore import checks, context


def threads_num(num: int) -> None:
    """Set how many threads an op may use on a CPU.

    Args:
        num (int): 1 or more.

    Raises:
        TypeError, ValueError: it is not.
    """
    context.set_context(runtime_num_threads=checks.int32("threads_num", "num", num, 1))


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
    checks.boolean("matmul_allow_hf32", "value", value)
    context.set_context(ascend_config={"matmul_allow_hf32": value})


def conv_allow_hf32(value: bool) -> None:
    """Set whether convolutions on an Ascend may round to hfloat32; they do not here.

    Args:
        value (bool): whether.

    Raises:
        TypeError: it is no bool.
    """
    checks.boolean("conv_allow_hf32", "value", value)
    context.set_context(ascend_config={"conv_allow_hf32": value})


def matmul_allow_tf32(value: bool) -> None:
    """Set whether products on a GPU may round to TensorFloat-32; they do not here.

    Args:
        value (bool): whether.

    Raises:
        TypeError: it is no bool.
    """
    checks.boolean("matmul_allow_tf32", "value", value)
    context.set_context(gpu_config={"matmul_allow_tf32": value})


def conv_allow_tf32(value: bool) -> None:
    """Set whether convolutions on a GPU may round to TensorFloat-32; they do not here.

    Args:
        value (bool): whether.

    Raises:
        TypeError: it is no bool.
    """
    checks.boolean("conv_allow_tf32", "value", value)
    context.set_context(gpu_config={"conv_allow_tf32": value})


def conv_fprop_algo(mode: str) -> None:
    """Set the algorithm of convolutions on a GPU; it changes nothing here.

    Args:
        mode (str): one of those of ``gpu_config`` of :func:`set_context`.

    Raises:
        TypeError, ValueError: it is none.
    """
    context.set_context(gpu_config={"conv_fprop_algo": mode})
