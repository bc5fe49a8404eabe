"""Max pools undone."""

from __future__ import annotations

import math
from typing import Any

from minispore import checks
from minispore.core.tensor import Tensor, call
from minispore.ops.index.scatter import tensor_scatter_elements
from minispore.ops.shape.whole import zeros
from minispore.ops.support.axes import static


def each(owner: str, name: str, value: Any, count: int, least: int) -> tuple[int, ...]:
    """An int, or one for each of ``count`` axes, as a tuple.

    Raises:
        ValueError: there are others than ``count``, or one below ``least``.
        TypeError: one is no int.
    """
    items = value if isinstance(value, tuple | list) else (value,) * count
    if len(items) != count:
        raise ValueError(f"{owner}: {name} must have {count} numbers, got {value!r}.")
    return tuple(checks.integer(owner, name, n, least) for n in items)


def unpooled(
    owner: str,
    axes: int,
    x: Tensor,
    indices: Tensor,
    window: tuple[Any, Any, Any],
    output_size: Any,
) -> Tensor:
    """Each element of ``x`` at the place in its channel that ``indices`` says, zeros elsewhere;
    ``window`` is kernel size, stride and padding of the pool.
    """
    for name, t in (("x", x), ("indices", indices)):
        if not isinstance(t, Tensor):
            raise TypeError(f"{owner}: {name} must be a Tensor, got {t!r} ({type(t).__name__}).")
    if x.ndim not in (axes + 1, axes + 2):
        raise ValueError(
            f"{owner}: x must have {axes + 1} or {axes + 2} axes, got shape {x.shape}."
        )
    if indices.shape != x.shape:
        raise ValueError(
            f"{owner}: indices must have the shape of x, got {indices.shape} and {x.shape}."
        )
    lead = x.shape[:-axes]
    sizes = _sizes(owner, x.shape[-axes:], _window(owner, axes, window), static(output_size))
    rows = (math.prod(lead), -1)
    empty = zeros((rows[0], math.prod(sizes)), x.dtype)
    filled = tensor_scatter_elements(
        empty, call("Reshape", indices, rows), call("Reshape", x, rows), 1
    )
    return call("Reshape", filled, (*lead, *sizes))


def _window(owner: str, axes: int, window: tuple[Any, Any, Any]) -> Any:
    kernel, stride, padding = window
    size = each(owner, "kernel_size", kernel, axes, 1)
    step = each(owner, "stride", 0 if stride is None else stride, axes, 0)
    return size, step if any(step) else size, each(owner, "padding", padding, axes, 0)


def _sizes(owner: str, sizes: tuple[int, ...], window: Any, wanted: Any) -> tuple[int, ...]:
    """The spatial axes of the output."""
    kernel, stride, padding = window
    made = tuple(
        (n - 1) * s - 2 * p + k for n, k, s, p in zip(sizes, kernel, stride, padding, strict=True)
    )
    if wanted is None or wanted == ():
        return made
    if not isinstance(wanted, tuple) or len(wanted) < len(made):
        raise ValueError(
            f"{owner}: output_size must be a tuple of at least {len(made)} ints, got {wanted!r}."
        )
    wanted = wanted[-len(made) :]
    if any(abs(w - m) > s for w, m, s in zip(wanted, made, stride, strict=True)):
        raise ValueError(f"{owner}: output_size must be within one stride of {made}, got {wanted}.")
    return wanted


def max_unpool1d(
    x: Tensor,
    indices: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    output_size: Any = None,
) -> Tensor:
    """Each element of ``x`` at the place that ``indices`` says, zeros elsewhere: a max pool undone.

    Args:
        x: (N, C, L) or (C, L).
        indices: of the pool, of the shape of x.
        kernel_size: the length of the pool's windows.
        stride: from one window to the next; None or 0 for ``kernel_size``.
        padding: what the pool added at each end.
        output_size: the shape, where the pool dropped a rest.

    Raises:
        TypeError: an argument of another type.
        ValueError: a number out of range, or shapes that do not fit.

    >>> from minispore import Tensor
    >>> print(max_unpool1d(Tensor([[5.0, 7.0]]), Tensor([[1, 2]]), 2))
    [[0. 5. 7. 0.]]
    """
    return unpooled("max_unpool1d", 1, x, indices, (kernel_size, stride, padding), output_size)


def max_unpool2d(
    x: Tensor,
    indices: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    output_size: Any = None,
) -> Tensor:
    """A max pool of images undone: each element at the place that ``indices`` says.

    Args:
        x: (N, C, H, W) or (C, H, W).
        indices: of the pool, of the shape of x.
        kernel_size: the pool's windows.
        stride: from one window to the next; None or 0 for ``kernel_size``.
        padding: what the pool added at each end.
        output_size: the shape, where the pool dropped a rest.

    Returns:
        The elements of x, zeros elsewhere.

    Raises:
        TypeError: an argument of another type.
        ValueError: a number out of range, or shapes that do not fit.

    >>> from minispore import Tensor
    >>> print(max_unpool2d(Tensor([[[7.0]]]), Tensor([[[3]]]), 2))
    [[[0. 0.]
      [0. 7.]]]
    """
    return unpooled("max_unpool2d", 2, x, indices, (kernel_size, stride, padding), output_size)


def max_unpool3d(
    x: Tensor,
    indices: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    output_size: Any = None,
) -> Tensor:
    """A max pool of volumes undone: each element at the place that ``indices`` says.

    Args:
        x: (N, C, D, H, W) or (C, D, H, W).
        indices: of the pool, of the shape of x.
        kernel_size: the pool's windows.
        stride: from one window to the next; None or 0 for ``kernel_size``.
        padding: what the pool added at each end.
        output_size: the shape, where the pool dropped a rest.

    Returns:
        The elements of x, zeros elsewhere.

    Raises:
        TypeError: an argument of another type.
        ValueError: a number out of range, or shapes that do not fit.

    >>> from minispore import Tensor
    >>> print(max_unpool3d(Tensor([[[[7.0]]]]), Tensor([[[[1]]]]), (1, 1, 2)))
    [[[[0. 7.]]]]
    """
    return unpooled("max_unpool3d", 3, x, indices, (kernel_size, stride, padding), output_size)


__all__ = ["max_unpool1d", "max_unpool2d", "max_unpool3d"]
