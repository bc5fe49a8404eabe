"""``frombuffer``: a tensor over the memory of a Python object."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore.core import tensor as tensors
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ir import dtype as mstype


def frombuffer(buffer: Any, dtype: Any, count: int = -1, offset: int = 0) -> tensors.Tensor:
    """Return a 1-D tensor that shares the memory of ``buffer``, so later writes to the buffer are
    visible in it.

    Writes to the tensor do not change the buffer.

    Args:
        buffer (Union[bytearray, bytes, memoryview, numpy.ndarray]): the object that owns the
            memory; read-only memory is copied.
        dtype (mindspore.dtype): dtype of the elements.
        count (int): number of elements; -1 for all.
        offset (int): number of bytes before the first element.

    Returns:
        Tensor

    Raises:
        RuntimeError: ``dtype`` is not a data type; ``buffer`` has no memory to share, is empty or
            ends with a partial element; or ``count`` or ``offset`` is out of range.
        TypeError: ``count`` or ``offset`` is not an int.

    >>> import minispore as ms
    >>> data = bytearray([1, 2, 3, 4])
    >>> print(ms.frombuffer(data, dtype=ms.uint8, offset=1))
    [2 3 4]
    """
    api_name = "frombuffer"
    if not isinstance(dtype, mstype.DType):
        rule = "be a data type of MindSpore's"
        raise RuntimeError(checks.format_error(api_name, "dtype", rule, checks.format_value(dtype)))
    checks.integer(api_name, "count", count)
    checks.integer(api_name, "offset", offset)
    try:
        memory = memoryview(buffer)
    except TypeError:
        rule = "have memory that can be shared"
        raise RuntimeError(
            checks.format_error(api_name, "buffer", rule, checks.format_value(buffer))
        ) from None
    available, itemsize = memory.nbytes, mstype.to_numpy(dtype).itemsize
    if not available or not count or count < -1:
        rule = "be -1, or above 0 for a buffer that is not empty"
        raise RuntimeError(
            checks.format_error(api_name, "count", rule, f"{count} for {available} bytes")
        )
    if not 0 <= offset < available:
        raise RuntimeError(
            checks.format_error(api_name, "offset", f"be in [0, {available})", f"{offset}")
        )
    remaining = available - offset
    if count == -1 and remaining % itemsize:
        rule = f"leave whole elements of {itemsize} bytes"
        raise RuntimeError(checks.format_error(api_name, "offset", rule, f"{remaining} bytes"))
    if count * itemsize > remaining:
        raise RuntimeError(
            checks.format_error(
                api_name, "count", f"be at most {remaining // itemsize}", f"{count}"
            )
        )
    array = np.frombuffer(memory, mstype.to_numpy(dtype), count, offset)
    return tensors.Tensor.from_numpy(array if array.flags.writeable else array.copy())


__all__ = ["frombuffer"]

attach_docstrings("minispore", __name__)
