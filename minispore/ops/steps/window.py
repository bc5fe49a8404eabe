"""Sliding windows: the positions at which a kernel of some size, stride, dilation and padding meets
its input.

Used by convolution and pooling. Spatial sizes are tuples of any length, so 2-d and 3-d ops share
one implementation.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from minispore.errors import ShapeError
from minispore.foundation import checks
from minispore.ir.value import Spec


class Window(NamedTuple):
    """A sliding window over an input of spatial size ``size``, padded by ``low`` and ``high``.

    Made by :func:`compute_window`.
    """

    size: tuple[int, ...]
    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    low: tuple[int, ...]  # padding before the first element of each axis
    high: tuple[int, ...]  # padding after the last
    out: tuple[int, ...]  # the number of windows along each axis

    @property
    def padded(self) -> tuple[int, ...]:
        """The spatial size of the input with its padding."""
        if not (any(self.low) or any(self.high)):
            return self.size
        return tuple(a + s + b for a, s, b in zip(self.low, self.size, self.high))

    @property
    def is_partition(self) -> bool:
        """Whether each element of the padded input is in exactly one window."""
        return self.kernel == self.stride and self.padded == tuple(
            k * o for k, o in zip(self.kernel, self.out)
        )

    @property
    def interior(self) -> Any:
        """The slices of the padded input that hold the input itself."""
        return tuple(slice(a, a + s) for a, s in zip(self.low, self.size))

    def taps(self) -> Iterator[tuple[Any, Any]]:
        """Yield each position in the kernel with the slices, a stride apart, of the padded input
        that it covers.

        Positions are in row-major order.
        """
        for tap in itertools.product(*[range(k) for k in self.kernel]):
            yield (
                tap,
                tuple(
                    slice(i * d, i * d + (o - 1) * s + 1, s)
                    for i, d, s, o in zip(tap, self.dilation, self.stride, self.out)
                ),
            )


@cache
def compute_window(
    api_name: str,
    size: tuple[int, ...],
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    dilation: tuple[int, ...],
    pad_mode: str,
    pad: tuple[int, ...],
    ceil: bool = False,
) -> Window:
    """Return the window of an op over an input of spatial size ``size``.

    Args:
        api_name: the op's public name, with which error messages begin.
        size: spatial size of the input.
        kernel, stride, dilation: one int per spatial axis.
        pad_mode: ``valid`` (no padding), ``same`` (ceil(size / stride) outputs) or ``pad``.
        pad: with ``pad``, (before, after) for each axis, as one flat tuple.
        ceil: round the number of outputs up, but drop a last window that would start in the padding
            after the input. ``high`` of the result is then large enough for the last window.

    Raises:
        ValueError: the kernel does not fit into the padded input (AvgPool: also a RuntimeError).
    """
    low, high, out = [], [], []
    for i, (n, k, s, d) in enumerate(zip(size, kernel, stride, dilation)):
        span = (k - 1) * d + 1
        before = after = 0
        if pad_mode == "same":
            total = max((-(-n // s) - 1) * s + span - n, 0)
            before, after = total // 2, total - total // 2
        elif pad_mode == "pad":
            before, after = pad[2 * i], pad[2 * i + 1]
        space = n + before + after - span
        count = (-(-space // s) if ceil else space // s) + 1
        # If the number of outputs is rounded up, the first window need not fit entirely.
        if count < 1 or (space < 0 and not ceil):
            raise (ShapeError if api_name.startswith("AvgPool") else ValueError)(
                f"{api_name}: kernel_size must fit into the input, got a kernel that spans {span} "
                f"over {n} elements padded by {before} and {after} (input {size}, kernel "
                f"{kernel}). Use a smaller kernel or more padding."
            )
        if ceil and (count - 1) * s >= n + before:
            count -= 1  # a window that would start in the padding after the input does not count
        low.append(before)
        high.append(max(after, (count - 1) * s + span - n - before))
        out.append(count)
    return Window(size, kernel, stride, dilation, tuple(low), tuple(high), tuple(out))


def normalise_per_axis(
    api_name: str, name: str, value: int | tuple[int, ...], rank: int, minimum: int = 1
) -> tuple[int, ...]:
    """Return an int, tuple or list as a tuple of one int for each of ``rank`` axes.

    Also accepts MindSpore's NCHW form, ``rank + 2`` ints of which the first two are 1.

    Raises:
        TypeError: ``value`` is neither an int nor a tuple of ints.
        ValueError: its length is wrong, or an int is below ``minimum``.
    """
    if not isinstance(value, int | tuple | list):
        rule = f"be an int or a tuple of {rank} ints"
        raise TypeError(checks.format_error(api_name, name, rule, checks.format_value(value)))
    values = (value,) * rank if isinstance(value, int) else tuple(value)
    if len(values) == rank + 2 and values[:2] == (1, 1):
        values = values[2:]
    if len(values) != rank or any(isinstance(v, bool) or not isinstance(v, int) for v in values):
        raise (ValueError if all(isinstance(v, int) for v in values) else TypeError)(
            f"{api_name}: {name} must be an int or a tuple of {rank} ints, got {value!r}."
        )
    if any(v < minimum for v in values):
        raise ValueError(f"{api_name}: {name} must be at least {minimum}, got {value!r}.")
    return values


def normalise_padding(api_name: str, pad: int | tuple[int, ...], rank: int) -> tuple[int, ...]:
    """Return ``pad`` as one flat tuple of (before, after) for each axis.

    ``pad`` is an int, a tuple with one int per axis, or already in that form.

    Raises:
        TypeError: it contains anything but ints.
        ValueError: its length is wrong, or an int is negative.
    """
    values = (pad,) * (2 * rank) if isinstance(pad, int) else tuple(pad)
    if len(values) == rank:
        values = tuple(p for p in values for _ in range(2))
    if len(values) != 2 * rank or any(
        isinstance(p, bool) or not isinstance(p, int) for p in values
    ):
        raise (ValueError if all(isinstance(v, int) for v in values) else TypeError)(
            f"{api_name}: pad must be an int or a tuple of {2 * rank} ints, got {pad!r}."
        )
    if any(p < 0 for p in values):
        raise ValueError(f"{api_name}: pad must be at least 0, got {pad!r}.")
    return values


def check_rank(api_name: str, name: str, x: Spec, rank: int) -> None:
    """Check that ``x`` has the axes N and C and ``rank`` spatial axes.

    Raises:
        ValueError: ``x`` has more or fewer axes.
    """
    if len(x.shape) != rank + 2:
        axes = "NC" + "DHW"[-rank:]
        raise ValueError(
            f"{api_name}: {name} must have {rank + 2} axes ({', '.join(axes)}), got {x}. "
            "Add or remove axes with ops.expand_dims or ops.squeeze."
        )


def move_batch_last(x: np.ndarray) -> np.ndarray:
    """View (N, C, *spatial) as (C, *spatial, N)."""
    return x.transpose(*range(1, x.ndim), 0)


def move_batch_first(x: np.ndarray) -> np.ndarray:
    """View (C, *spatial, N) as (N, C, *spatial)."""
    return x.transpose(x.ndim - 1, *range(x.ndim - 1))


def clip_range(first: int, step: int, count: int, size: int) -> tuple[slice, slice]:
    """Clip the positions ``first + step * i``, for i below ``count``, to range(size).

    Returns:
        The slice of those i whose positions are inside the range, and the slice of these positions;
        both are empty if there are none.
    """
    begin = min(count, max(0, -(first // step)))
    end = max(begin, min(count, -((first - size) // step)))
    start = first + step * begin
    return slice(begin, end), slice(start, start + step * (end - begin), step)
