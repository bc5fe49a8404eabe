"""Tensors over memory that other objects own."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import checks
from minispore.core import dtype as mstype
from minispore.core import tensor as tensors
from minispore.described import describe


def frombuffer(buffer: Any, dtype: Any, count: int = -1, offset: int = 0) -> tensors.Tensor:
    """A tensor of one axis over the memory of ``buffer``, not a copy: what is written there later
    shows in it. What is written into the tensor stays its own.

    Args:
        buffer (Union[bytearray, bytes, memoryview, numpy.ndarray]): whose memory it is; what can't
            be written is copied.
        dtype (mindspore.dtype): of the elements.
        count (int): how many; -1 for all that are there.
        offset (int): bytes before the first.

    Returns:
        Tensor

    Raises:
        RuntimeError: there is no such memory, too little of it, or not a whole number of elements.

    >>> import minispore as ms
    >>> data = bytearray([1, 2, 3, 4])
    >>> print(ms.frombuffer(data, dtype=ms.uint8, offset=1))
    [2 3 4]
    """
    who = "frombuffer"
    if not isinstance(dtype, mstype.DType):
        rule = "be a data type of MindSpore's"
        raise RuntimeError(checks.text(who, "dtype", rule, checks.shown(dtype)))
    checks.integer(who, "count", count)
    checks.integer(who, "offset", offset)
    try:
        memory = memoryview(buffer)
    except TypeError:
        rule = "have memory that can be shared"
        raise RuntimeError(checks.text(who, "buffer", rule, checks.shown(buffer))) from None
    there, each = memory.nbytes, mstype.to_numpy(dtype).itemsize
    if not there or not count or count < -1:
        rule = "be -1, or above 0 for a buffer that is not empty"
        raise RuntimeError(checks.text(who, "count", rule, f"{count} for {there} bytes"))
    if not 0 <= offset < there:
        raise RuntimeError(checks.text(who, "offset", f"be in [0, {there})", f"{offset}"))
    rest = there - offset
    if count == -1 and rest % each:
        rule = f"leave whole elements of {each} bytes"
        raise RuntimeError(checks.text(who, "offset", rule, f"{rest} bytes"))
    if count * each > rest:
        raise RuntimeError(checks.text(who, "count", f"be at most {rest // each}", f"{count}"))
    array = np.frombuffer(memory, mstype.to_numpy(dtype), count, offset)
    return tensors.Tensor.from_numpy(array if array.flags.writeable else array.copy())


__all__ = ["frombuffer"]

describe("minispore", __name__)
