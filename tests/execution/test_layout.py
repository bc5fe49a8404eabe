"""A new array lies as its rule says, and both modes ask the same rule."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from minispore.execution import layout
from minispore.ir.value import Spec


@st.composite
def arrays(draw: Any) -> np.ndarray:
    """An array of up to four axes, transposed, sliced, reversed or broadcast."""
    shape = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    values = np.zeros([2 * n for n in shape], np.float32)
    selected = values[
        tuple(slice(None, None, draw(st.sampled_from([1, 2, -1, -2]))) for _ in shape)
    ]
    seen = selected.transpose(draw(st.permutations(range(len(shape)))))
    return np.broadcast_to(seen[:1], seen.shape) if draw(st.booleans()) else seen


@given(arrays(), st.sampled_from([layout.ROW_MAJOR, layout.LIKE_INPUT, layout.BATCH_LAST]))
def test_allocated_strides_equal_the_planned_strides(like: np.ndarray, rule: str) -> None:
    spec = Spec(like.shape, np.dtype(np.float64))
    assert layout.empty(spec, rule, (like,)).strides == layout.compute_strides(spec, rule, (like,))


def test_an_axis_of_length_1_keeps_its_place_where_it_grows() -> None:
    """Else a sum over what is broadcast has another order in a program than op by op."""
    like = np.zeros((2, 2, 2), np.float32)[:1].transpose(0, 2, 1)
    for n in (1, 2, 3):
        spec = Spec((n, 2, 2), like.dtype)
        output = layout.empty(spec, layout.LIKE_INPUT, (like,))
        assert output.strides == layout.compute_strides(spec, layout.LIKE_INPUT, (like,))


@given(arrays(), st.integers(2, 4))
def test_of_another_shape_it_keeps_the_axis_order(like: np.ndarray, n: int) -> None:
    spec = Spec((n, *like.shape[1:]), np.dtype(np.float32))
    output = layout.empty(spec, layout.LIKE_INPUT, (like,))
    assert output.shape == spec.shape
    assert output.strides == layout.compute_strides(spec, layout.LIKE_INPUT, (like,))


def test_a_repeated_array_leaves_the_order_to_one_that_has_one() -> None:
    """The gradient of a mean, times an image that lies with the batch innermost."""
    gradient = np.broadcast_to(np.float32(1), (2, 3, 4, 5))
    image = layout.empty(Spec((2, 3, 4, 5), np.dtype(np.float32)), layout.BATCH_LAST)
    output = layout.empty(Spec((2, 3, 4, 5), image.dtype), layout.LIKE_INPUT, (gradient, image))
    assert output.strides == image.strides
