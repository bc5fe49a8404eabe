"""Masks over frequencies or time steps of a spectrogram.

Source: D. S. Park et al., SpecAugment (2019).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minispore.dataset.audio.base import (
    AudioTransform,
    RandomAudioTransform,
    as_float,
    flag,
    integer,
    natural,
    natural_real,
    positive,
    real,
)
from minispore.dataset.transforms.base import Transform, draw_uniforms, scale_to_int
from minispore.ir.value import Spec

__all__ = ["FrequencyMasking", "MaskAlongAxis", "MaskAlongAxisIID", "TimeMasking"]

_AXIS_NAMES = {1: "frequency", 2: "time"}


class MaskAlongAxis(AudioTransform):
    """Replace a range of frequencies or time steps by a value, in float32 or float64.

    Args:
        mask_start (int): the first index.
        mask_width (int): the number of frequencies or time steps.
        axis (int): 1 for frequencies, 2 for time steps.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range.
        RuntimeError: the row is not (..., freq, time), or the mask extends beyond it.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> audio.MaskAlongAxis(1, 2, 0.0, 2)(np.ones((1, 4), np.float32)).tolist()
        [[1.0, 0.0, 0.0, 1.0]]
    """

    mask_start: int
    mask_width: int
    mask_value: float
    axis: int

    axes, shape = 2, "<..., freq, time>"
    rules = {
        "mask_start": natural,
        "mask_width": positive,
        "mask_value": real(),
        "axis": integer(1, 2),
    }

    def transform_waves(self, x: np.ndarray) -> np.ndarray:
        """Return a copy with the range filled; raise RuntimeError if it extends beyond the axis."""
        stop = self.mask_start + self.mask_width
        length = x.shape[self.axis - 3]
        if stop > length:
            rule = f"be no more than the length of the masked dimension {length}"
            raise self.make_error("the sum of 'mask_start' and 'mask_width'", rule, stop)
        out, masked = x.copy(), slice(self.mask_start, stop)
        out[(..., masked) if self.axis == 2 else (..., masked, slice(None))] = self.mask_value
        return out


class _Mask(Transform):
    """A mask that may have width 0; drawn by the random masks."""

    start: int
    width: int
    value: float
    axis: int

    def transform_batch(self, x: np.ndarray) -> np.ndarray:
        """Return a copy of the block, in float32 or float64, with the range filled."""
        if not self.width:
            return as_float(x).astype(np.float64 if x.dtype == np.float64 else np.float32)
        return MaskAlongAxis(self.start, self.width, self.value, self.axis).transform_batch(x)


class _Masking(RandomAudioTransform):
    """Base of random masks: a subclass defines ``get_mask_axis`` and ``get_width_limit``."""

    axes, shape = 2, "<..., freq, time>"

    def get_width_limit(self) -> tuple[str, int]:
        """Return the name and the value of the argument that limits the width of the mask.

        A subclass must override it; by default it raises TypeError.
        """
        raise TypeError(f"{self.name}: must define max_width.")

    def get_mask_axis(self) -> int:
        """Return the axis that is masked: 1 for frequencies, 2 for time steps.

        A subclass must override it; by default it raises TypeError.
        """
        raise TypeError(f"{self.name}: must define mask_axis.")

    def check_spec(self, spec: Spec) -> None:
        """Raise RuntimeError unless the spec is a spectrogram's that holds the widest mask."""
        super().check_spec(spec)
        name, limit = self.get_width_limit()
        length = spec.shape[self.get_mask_axis() - 3]
        if limit > length:
            axis_name = _AXIS_NAMES[self.get_mask_axis()]
            rule = f"be less than or equal to the length of {axis_name} dimension {length}"
            raise self.make_error(name, rule, limit)

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        width, start = rng.random(2).tolist()
        return [self._draw_mask(width, start, specs[0].shape[self.get_mask_axis() - 3])]

    def _draw_mask(self, width: float, start: float, length: int) -> Transform:
        """Return the mask for two uniform numbers in [0, 1), which give its width and start.

        ``length`` is the length of the masked axis.
        """
        mask_width = scale_to_int(width, 0, self.get_width_limit()[1])
        return self._make_mask(scale_to_int(start, 0, length - mask_width), mask_width)

    def _make_mask(self, start: int, width: int) -> Transform:
        """Return the transform that sets ``width`` values of the masked axis from ``start`` on."""
        value: float = self.mask_value  # type: ignore[attr-defined]
        return _Mask(start, width, value, self.get_mask_axis())

    def transform_block(
        self, columns: tuple[np.ndarray, ...], rngs: Sequence[np.random.Generator]
    ) -> np.ndarray:
        """Mask each row by two numbers of its own generator, drawn for all rows at once."""
        (x,) = columns
        self.check_spec(Spec(x.shape[1:], x.dtype))
        length = x.shape[self.get_mask_axis() - 3]
        masks = [self._draw_mask(w, s, length) for w, s in draw_uniforms(rngs, 2).tolist()]
        return np.stack([mask.transform_batch(row[None])[0] for mask, row in zip(masks, x)])


class MaskAlongAxisIID(_Masking):
    """Replace a random range of frequencies or time steps by a value, drawn for each row.

    Args:
        mask_param (int): the maximum width of the range.
        axis (int): 1 for frequencies, 2 for time steps.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is out of range.
        RuntimeError: the row is not (..., freq, time), or shorter than ``mask_param``.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> masked = audio.MaskAlongAxisIID(2, 0.0, 2)(np.ones((1, 4), np.float32))
        >>> bool(masked.sum() >= 2)
        True
    """

    mask_param: int
    mask_value: float
    axis: int

    rules = {"mask_param": natural, "mask_value": real(), "axis": integer(1, 2)}

    def get_width_limit(self) -> tuple[str, int]:
        return "mask_param", self.mask_param

    def get_mask_axis(self) -> int:
        return self.axis


class _FixedMasking(_Masking):
    """Base of masks with a fixed start, or with ``iid_masks`` a random start."""

    def choose_transforms(self, rng: np.random.Generator, *specs: Spec) -> Sequence[Transform]:
        """Return the fixed mask without drawing, or with ``iid_masks`` a random one."""
        if self._get_fixed_start() is None:
            return super().choose_transforms(rng, *specs)
        return [self._draw_mask(0.0, 0.0, 0)]

    def _draw_mask(self, width: float, start: float, length: int) -> Transform:
        """Return the fixed mask, of the widest width, or with ``iid_masks`` a random one."""
        fixed_start = self._get_fixed_start()
        if fixed_start is None:
            return super()._draw_mask(width, start, length)
        return self._make_mask(fixed_start, self.get_width_limit()[1])

    def _get_fixed_start(self) -> int | None:
        """Return the start of the mask, or None if it is random."""
        fields: Any = self
        return None if fields.iid_masks else fields.mask_start


_RULES = {"iid_masks": flag, "mask_start": natural, "mask_value": natural_real}


class FrequencyMasking(_FixedMasking):
    """Replace a range of frequencies by a value.

    Args:
        iid_masks (bool): whether the mask is at a random position, drawn for each row.
        freq_mask_param (int): the width of the mask; with ``iid_masks`` the maximum width.
        mask_start (int): the first index, without ``iid_masks``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is negative.
        RuntimeError: the row is not (..., freq, time), or the mask extends beyond it.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> spec = np.ones((3, 2), np.float32)
        >>> audio.FrequencyMasking(freq_mask_param=1, mask_start=1)(spec).tolist()
        [[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]]
    """

    iid_masks: bool = False
    freq_mask_param: int = 0
    mask_start: int = 0
    mask_value: float = 0.0

    rules = {**_RULES, "freq_mask_param": natural}

    def get_width_limit(self) -> tuple[str, int]:
        return "freq_mask_param", self.freq_mask_param

    def get_mask_axis(self) -> int:
        return 1


class TimeMasking(_FixedMasking):
    """Replace a range of time steps by a value.

    Args:
        iid_masks (bool): whether the mask is at a random position, drawn for each row.
        time_mask_param (int): the width of the mask; with ``iid_masks`` the maximum width.
        mask_start (int): the first index, without ``iid_masks``.

    Raises:
        TypeError: an argument has a wrong type.
        ValueError: a number is negative.
        RuntimeError: the row is not (..., freq, time), or the mask extends beyond it.

    Example:
        >>> import numpy as np
        >>> from minispore.dataset import audio
        >>> audio.TimeMasking(time_mask_param=2)(np.ones((1, 4), np.float32)).tolist()
        [[0.0, 0.0, 1.0, 1.0]]
    """

    iid_masks: bool = False
    time_mask_param: int = 0
    mask_start: int = 0
    mask_value: float = 0.0

    rules = {**_RULES, "time_mask_param": natural}

    def get_width_limit(self) -> tuple[str, int]:
        return "time_mask_param", self.time_mask_param

    def get_mask_axis(self) -> int:
        return 2
