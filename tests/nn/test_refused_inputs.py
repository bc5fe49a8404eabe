"""What layers refuse has MindSpore's type of error, whatever else is wrong with the call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn, ops


def ones(*shape: int, dtype: Any = ms.float32) -> Tensor:
    return Tensor(np.ones(shape), dtype)


IMAGES, HALF = ones(2, 3, 16, 16), ones(2, 3, 16, 16, dtype=ms.float16)


@pytest.mark.parametrize(
    "layer", [nn.SSIM(), nn.MSSSIM(1.0, (0.5, 0.5), 3), nn.PSNR()], ids=lambda c: type(c).__name__
)
def test_two_images_have_one_dtype_and_one_shape(layer: nn.Cell) -> None:
    with pytest.raises(TypeError, match="must have the same dtype"):
        layer(IMAGES, HALF)
    with pytest.raises(TypeError, match="must have the same dtype"):  # and not the same shape
        layer(IMAGES, ones(2, 3, 8, 8, dtype=ms.float16))
    with pytest.raises(ValueError, match="must have the same shape"):
        layer(IMAGES, ones(2, 3, 8, 8))


@pytest.mark.parametrize("dtype", [ms.float64, ms.int32, ms.uint8])
def test_ssim_is_of_half_and_single_floats(dtype: Any) -> None:
    with pytest.raises(TypeError, match="img1 must be of Float16 or Float32"):
        nn.SSIM()(ones(2, 3, 16, 16, dtype=dtype), ones(2, 3, 16, 16, dtype=dtype))


def test_the_axes_of_fields_come_before_their_dtypes() -> None:
    lookup = nn.MultiFieldEmbeddingLookup(20, 8, 3)
    wrong = ones(8, 20, dtype=ms.int16)
    with pytest.raises(ValueError, match="input_values must have 2 axes"):
        lookup(wrong, ones(8), wrong)
    with pytest.raises(TypeError, match="input_indices must be of Int32 or Int64"):
        lookup(wrong, ones(8, 20), wrong)


def test_the_layer_pad_knows_four_axes() -> None:
    pairs = ((0, 0),) * 4 + ((1, 0),)
    with pytest.raises(ValueError, match="4 pairs at most, got 5"):
        nn.Pad(pairs)
    assert ops.Pad(pairs)(ones(1, 1, 1, 1, 2)).shape == (1, 1, 1, 1, 3)


def test_fold_accepts_separate_or_joined_channel_axes() -> None:
    blocks = Tensor(np.random.default_rng(0).normal(size=(2, 3, 4, 4)).astype(np.float32))
    size = Tensor([3, 3], ms.int32)
    separate, together = ops.fold(blocks, size, 2), ops.fold(blocks.reshape((2, 12, 4)), size, 2)
    assert separate.shape == (2, 3, 3, 3)
    np.testing.assert_array_equal(separate.asnumpy(), together.asnumpy())
    with pytest.raises(ValueError, match=r"\(N, C, 2\*2, blocks\)"):
        ops.fold(ones(2, 3, 5, 4), size, 2)


def test_volumes_are_pooled_with_places_as_in_mindspore() -> None:
    """The numbers are MindSpore 2.10's."""
    x = Tensor(np.random.RandomState(0).randint(0, 9, (1, 1, 3, 3, 4)), ms.float32)
    how: dict[str, Any] = {"pad_mode": "pad", "padding": 1, "dilation": 2, "return_indices": True}
    y, where = nn.MaxPool3d(2, 1, **how)(x)
    outer = [[17, 16, 17, 18], [21, 12, 15, 14], [17, 16, 17, 18]]
    assert where.tolist() == [[[outer, [[29, 4, 29, 6], [9, 34, 11, 34], [29, 4, 29, 6]], outer]]]
    flat, at = x.asnumpy().ravel(), where.asnumpy()
    np.testing.assert_array_equal(flat[at], y.asnumpy())
    plain, output = ops.max_pool3d(x, 2, 1, 1, 2), ops.max_pool3d(x, 2, 1, 1, 2, False, True)
    np.testing.assert_array_equal(plain.asnumpy(), y.asnumpy())
    np.testing.assert_array_equal(output[1].asnumpy(), at)
    assert [t.shape for t in nn.MaxPool3d(2, **how)(x[0])] == [(1, 3, 3, 4)] * 2
    for wrong in ({"return_indices": True}, {"dilation": 2}):
        with pytest.raises(ValueError, match="pad_mode must be 'pad' where"):
            nn.MaxPool3d(2, 1, **wrong)
