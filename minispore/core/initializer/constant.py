"""Initializers without random numbers."""

from __future__ import annotations

import numpy as np

from minispore.core.initializer.base import Initializer, _check_ndim, _register


@_register("zeros")
class Zero(Initializer):
    """Initializer that fills an array with 0."""

    def _initialize(self, arr: np.ndarray) -> None:
        arr.fill(0)


@_register("ones")
class One(Initializer):
    """Initializer that fills an array with 1."""

    def _initialize(self, arr: np.ndarray) -> None:
        arr.fill(1)


@_register()
class Identity(Initializer):
    """Initializer that fills an array with the identity matrix.

    Raises:
        ValueError: the shape does not have 2 axes.
    """

    def _initialize(self, arr: np.ndarray) -> None:
        _check_ndim("Identity", arr, (2,))
        arr[...] = np.eye(*arr.shape)


@_register()
class Dirac(Initializer):
    """Initializer of a convolution that copies its input.

    The centre of the kernel is 1 from each input channel to the output channel of the same index;
    all else is 0.

    Args:
        groups: groups of the convolution; each one gets its own identity.

    Raises:
        ValueError: the shape does not have 3, 4 or 5 axes, or ``groups`` does not divide the first
            axis.
    """

    def __init__(self, groups: int = 1) -> None:
        super().__init__(groups=groups)
        self.groups = groups

    def _initialize(self, arr: np.ndarray) -> None:
        """Fill a convolution weight (out, in, *kernel).

        Raises:
            ValueError: there are not 3 to 5 axes, or ``groups`` does not divide the first axis.
        """
        _check_ndim("Dirac", arr, (3, 4, 5))
        if arr.shape[0] % self.groups:
            raise ValueError(
                f"Dirac: groups must divide the first axis of {arr.shape}, got {self.groups}."
            )
        arr.fill(0)
        per_group = arr.shape[0] // self.groups
        centre = tuple(k // 2 for k in arr.shape[2:])
        for group in range(self.groups):
            for channel in range(min(per_group, arr.shape[1])):
                arr[(group * per_group + channel, channel, *centre)] = 1
