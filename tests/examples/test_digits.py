"""The digits that the example draws when it has no MNIST."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import digits


def draw_arrays(count: int, seed: int = 0, split: int = 0) -> tuple[np.ndarray, np.ndarray]:
    images, labels = zip(*digits.draw(count, seed=seed, split=split), strict=True)
    return np.concatenate(images), np.concatenate(labels)


def test_images_are_mnist_shaped_grey_levels() -> None:
    images, labels = draw_arrays(1200)
    assert images.shape == (1200, 28, 28) and images.dtype == np.uint8
    assert labels.shape == (1200,) and set(labels) == set(range(10))


def test_the_same_seed_draws_the_same_digits() -> None:
    for one, two in zip(draw_arrays(100, seed=3), draw_arrays(100, seed=3), strict=True):
        assert np.array_equal(one, two)


def test_another_seed_or_split_draws_other_digits() -> None:
    base = draw_arrays(100)[0]
    assert not np.array_equal(base, draw_arrays(100, seed=1)[0])
    assert not np.array_equal(base, draw_arrays(100, split=1)[0])


def test_no_two_images_are_alike() -> None:
    images, _ = draw_arrays(1000)
    assert len(np.unique(images.reshape(1000, -1), axis=0)) == 1000


def test_a_larger_set_begins_with_the_smaller_one() -> None:
    assert np.array_equal(draw_arrays(2000)[0][:1000], draw_arrays(1000)[0])


def test_paper_is_dark_and_ink_is_bright_and_in_the_middle() -> None:
    images, _ = draw_arrays(1000)
    bright = images > 128
    assert np.median(images) == 0
    assert bright.any(axis=(1, 2)).all()
    frame = bright.copy()
    frame[:, 2:-2, 2:-2] = False
    assert frame.sum() < 0.01 * bright.sum()


@given(st.integers(2, 12), st.integers(2, 72))
def test_the_spline_goes_through_its_knots_and_keeps_lines_straight(
    knots: int, points: int
) -> None:
    basis = digits._make_spline_basis(knots, points)
    assert np.allclose(basis.sum(axis=1), 1, atol=1e-5)  # a moved glyph is the glyph, moved
    assert np.allclose(basis @ np.arange(knots), np.linspace(0, knots - 1, points), atol=1e-4)
    assert np.allclose(basis[[0, -1]], np.eye(knots)[[0, -1]], atol=1e-5)


def test_a_closed_stroke_goes_on_over_its_start() -> None:
    (stroke,) = digits._parse_strokes("1,2 3,4 5,6 o")
    assert stroke == [[1, 2], [3, 4], [5, 6], [1, 2], [3, 4]]
