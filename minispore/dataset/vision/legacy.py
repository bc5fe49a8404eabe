"""Constructors of MindSpore 1.x transforms whose arguments have changed, for alias modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minispore.dataset.vision.convert import ConvertColor, ToType
from minispore.dataset.vision.decode import Decode
from minispore.dataset.vision.enums import ConvertMode
from minispore.dataset.vision.erase import CutOut
from minispore.dataset.vision.pixel import Normalize, NormalizePad


def c_decode(rgb: bool = True) -> Decode:
    """Return a Decode to an RGB array.

    Raises:
        TypeError: ``rgb`` is not a bool.
        ValueError: ``rgb`` is False, which MindSpore does not support either.
    """
    if not isinstance(rgb, bool):
        raise TypeError(f"Decode: rgb must be a bool, got {rgb!r}.")
    if not rgb:
        raise ValueError(
            "Decode: rgb must be True, got False. Swap the channels with ConvertColor."
        )
    return Decode()


def c_rgb_to_bgr() -> ConvertColor:
    """Return a transform that swaps red and blue of (H, W, 3)."""
    return ConvertColor(ConvertMode.COLOR_RGB2BGR)


def py_cut_out(length: int, num_patches: int = 1) -> CutOut:
    """Return a CutOut of images (C, H, W)."""
    return CutOut(length, num_patches, is_hwc=False)


def py_decode() -> Decode:
    """Return a Decode to a PIL image."""
    return Decode(to_pil=True)


def py_normalize(mean: Sequence[float], std: Sequence[float]) -> Normalize:
    """Return a Normalize of images (C, H, W)."""
    return Normalize(mean, std, is_hwc=False)


def py_normalize_pad(
    mean: Sequence[float], std: Sequence[float], dtype: str = "float32"
) -> NormalizePad:
    """Return a NormalizePad of images (C, H, W)."""
    return NormalizePad(mean, std, dtype, is_hwc=False)


def py_to_type(output_type: Any) -> ToType:
    """Return a ToType; ``output_type`` is the old name of its argument."""
    return ToType(output_type)
