"""What convolutions read side by side is copied so that it can be, and stays what it is."""

from __future__ import annotations

import numpy as np
import pytest

from minispore.ops.steps.columns import avoid_cache_conflicts, has_cache_conflicts


@pytest.mark.parametrize(
    ("shape", "copied"),
    [
        ((4, 16, 32, 32), True),  # many elements
        ((2, 40000), True),
        ((32, 1, 32, 32), True),  # a whole number of pages apart
        ((32, 6, 14, 14), False),
        ((1, 1 << 17), False),
    ],
)
def test_images_can_be_read_side_by_side(shape: tuple[int, ...], copied: bool) -> None:
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    seen = avoid_cache_conflicts(x)
    assert np.array_equal(seen, x)
    assert not has_cache_conflicts(seen)
    assert np.may_share_memory(seen, x) != copied


def test_large_image_batches_are_stored_with_the_batch_innermost() -> None:
    assert avoid_cache_conflicts(np.zeros((8, 3, 64, 64), np.float32)).strides[0] == 4
