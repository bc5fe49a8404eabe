"""Sliding windows: where a kernel of some size, stride, dilation and padding meets its input.

Shared by convolution and pooling. Spatial sizes are tuples of any length, so two and three
dimensions are one piece of code.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from minispore import checks
from minispore.core.value import Spec
from minispore.errors import ShapeError


class Window(NamedTuple):
    """A sliding window over an input of spatial size ``size``, padded by ``low`` and ``high``."""

    size: tuple[int, ...]
    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    low: tuple[int, ...]  # padding before the first element of each axis
    high: tuple[int, ...]  # padding after the last
    out: tuple[int, ...]  # how often the window fits

    @property
    def padded(self) -> tuple[int, ...]:
        """The input's spatial size with its padding."""
        if not (any(self.low) or any(self.high)):
            return self.size
        return tuple(a + s + b for a, s, b in zip(self.low, self.size, self.high))

    @property
    def tiles(self) -> bool:
        """Whether windows meet each input element exactly once."""
        return self.kernel == self.stride and self.padded == tuple(
            k * o for k, o in zip(self.kernel, self.out)
        )

    @property
    def interior(self) -> Any:
        """The input's own place within the padded input."""
        return tuple(slice(a, a + s) for a, s in zip(self.low, self.size))

    def taps(self) -> Iterator[tuple[Any, Any]]:
        """Each kernel position with the slices of the padded input that it meets,
        in row-major order.
        """
        for at in itertools.product(*[range(k) for k in self.kernel]):
            yield (
                at,
                tuple(
                    slice(i * d, i * d + (o - 1) * s + 1, s)
                    for i, d, s, o in zip(at, self.dilation, self.stride, self.out)
                ),
            )


@cache
def window(
    op: str,
    size: tuple[int, ...],
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    dilation: tuple[int, ...],
    pad_mode: str,
    pad: tuple[int, ...],
    ceil: bool = False,
) -> Window:
    """The window of an op over an input of spatial size ``size``.

    Args:
        op: the op's name, for errors.
        size: spatial size of the input.
        kernel, stride, dilation: one number per spatial axis.
        pad_mode: ``valid`` (none), ``same`` (as many outputs as ceil(size / stride)) or ``pad``.
        pad: with ``pad``, (before, after) for each axis, flat.
        ceil: round the number of outputs up.

    Raises:
        ValueError: the kernel does not fit into the padded input (AvgPool: also a RuntimeError).
    """
    low, high, out = [], [], []
    for i, (n, k, s, d) in enumerate(zip(size, kernel, stride, dilation)):
        reach = (k - 1) * d + 1
        before = after = 0
        if pad_mode == "same":
            total = max((-(-n // s) - 1) * s + reach - n, 0)
            before, after = total // 2, total - total // 2
        elif pad_mode == "pad":
            before, after = pad[2 * i], pad[2 * i + 1]
        room = n + before + after - reach
        count = (-(-room // s) if ceil else room // s) + 1
        if count < 1 or (room < 0 and not ceil):  # rounded up, a part of the first window may be in
            raise (ShapeError if op.startswith("AvgPool") else ValueError)(
                f"{op}: kernel_size must fit into the input, got a kernel that spans {reach} over "
                f"{n} elements padded by {before} and {after} (input {size}, kernel {kernel}). "
                "Use a smaller kernel or more padding."
            )
        if ceil and (count - 1) * s >= n + before:
            count -= 1  # a window that would start in the padding behind the input does not count
        low.append(before)
        high.append(max(after, (count - 1) * s + reach - n - before))
        out.append(count)
    return Window(size, kernel, stride, dilation, tuple(low), tuple(high), tuple(out))


def per_axis(
    op: str, name: str, value: int | tuple[int, ...], rank: int, least: int = 1
) -> tuple[int, ...]:
    """An int or tuple attribute as one int for each of ``rank`` axes.

    Accepts MindSpore's NCHW form with two leading ones as well.
    """
    if not isinstance(value, int | tuple | list):
        rule = f"be an int or a tuple of {rank} ints"
        raise TypeError(checks.text(op, name, rule, checks.shown(value)))
    given = (value,) * rank if isinstance(value, int) else tuple(value)
    if len(given) == rank + 2 and given[:2] == (1, 1):
        given = given[2:]
    if len(given) != rank or any(isinstance(v, bool) or not isinstance(v, int) for v in given):
        raise (ValueError if all(isinstance(v, int) for v in given) else TypeError)(
            f"{op}: {name} must be an int or a tuple of {rank} ints, got {value!r}."
        )
    if any(v < least for v in given):
        raise ValueError(f"{op}: {name} must be at least {least}, got {value!r}.")
    return given


def paddings(op: str, pad: int | tuple[int, ...], rank: int) -> tuple[int, ...]:
    """``pad`` as (before, after) of each axis, flat: an int, one per axis, or already both."""
    given = (pad,) * (2 * rank) if isinstance(pad, int) else tuple(pad)
    if len(given) == rank and rank != 2 * rank:
        given = tuple(p for p in given for _ in range(2))
    if len(given) != 2 * rank or any(isinstance(p, bool) or not isinstance(p, int) for p in given):
        raise (ValueError if all(isinstance(v, int) for v in given) else TypeError)(
            f"{op}: pad must be an int or a tuple of {2 * rank} ints, got {pad!r}."
        )
    if any(p < 0 for p in given):
        raise ValueError(f"{op}: pad must be at least 0, got {pad!r}.")
    return given


def check_rank(op: str, name: str, x: Spec, rank: int) -> None:
    """Raise unless ``x`` has the axes N, C and ``rank`` spatial ones."""
    if len(x.shape) != rank + 2:
        axes = "NC" + "DHW"[-rank:]
        raise ValueError(
            f"{op}: {name} must have {rank + 2} axes ({', '.join(axes)}), got {x}. "
            "Add or remove axes with ops.expand_dims or ops.squeeze."
        )


def batch_last(x: np.ndarray) -> np.ndarray:
    """View (N, C, *spatial) as (C, *spatial, N)."""
    return x.transpose(*range(1, x.ndim), 0)


def batch_first(x: np.ndarray) -> np.ndarray:
    """View (C, *spatial, N) as (N, C, *spatial)."""
    return x.transpose(x.ndim - 1, *range(x.ndim - 1))


def in_range(first: int, step: int, count: int, size: int) -> tuple[slice, slice]:
    """Of ``count`` elements, ``step`` apart from ``first`` on, those that are in range(size): which
    of them, and where that is.
    """
    begin = min(count, max(0, -(first // step)))
    end = max(begin, min(count, -((first - size) // step)))
    at = first + step * begin
    return slice(begin, end), slice(at, at + step * (end - begin), step)
