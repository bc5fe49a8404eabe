"""What random transforms draw: ranges, rates and distributions, all from fixed seeds.

A rate over n draws may be off by four standard deviations, a distribution by the Kolmogorov-Smirnov
distance that one sample in ten thousand exceeds, 2.2 / sqrt(n).
"""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from minispore.dataset import transforms, vision
from minispore.dataset.vision import policy
from minispore.execution import random
from minispore.ir.value import Spec

DRAWS = 2000
RGB = Spec((40, 60, 3), np.dtype(np.uint8))
IMAGE = np.random.default_rng(0).integers(0, 256, RGB.shape, dtype=np.uint8)


def choices(transform, spec=RGB, count=DRAWS):
    """What the transform chooses for ``count`` rows."""
    return [
        transform.choose_transforms(np.random.default_rng([5, row]), spec) for row in range(count)
    ]


def assert_rate(hits, probability, count=DRAWS):
    assert abs(hits / count - probability) <= 4 * math.sqrt(probability * (1 - probability) / count)


def assert_uniform(values, low, high):
    """Evenly spread over [low, high]."""
    values = np.sort(values)
    assert values[0] >= low and values[-1] <= high
    expected = (values - low) / (high - low)
    steps = np.arange(len(values) + 1) / len(values)
    distance = max(np.abs(expected - steps[1:]).max(), np.abs(expected - steps[:-1]).max())
    assert distance < 2.2 / math.sqrt(len(values))


def assert_all_as_likely(values, possible):
    """Each of the possible values, about as often as any other."""
    counts = Counter(values)
    assert set(counts) == set(possible)
    for count in counts.values():
        assert_rate(count, 1 / len(possible), len(values))


BY_CHANCE = [
    lambda p: vision.RandomHorizontalFlip(p),
    lambda p: vision.RandomVerticalFlip(p),
    lambda p: vision.RandomGrayscale(p),
    lambda p: vision.RandomInvert(p),
    lambda p: vision.RandomEqualize(p),
    lambda p: vision.RandomAutoContrast(prob=p),
    lambda p: vision.RandomAdjustSharpness(0.5, p),
    lambda p: vision.RandomPerspective(prob=p),
    lambda p: transforms.RandomApply([vision.Invert()], p),
]


@pytest.mark.parametrize("make", BY_CHANCE, ids=[make(0.5).name for make in BY_CHANCE])
def test_prob_is_how_often_something_happens(make):
    assert not any(choices(make(0.0)))
    assert all(choices(make(1.0)))
    assert_rate(sum(map(bool, choices(make(0.3)))), 0.3)


def test_random_crop_takes_every_place_as_often():
    crop = vision.RandomCrop((38, 59))
    places = [chosen[-1].coordinates for chosen in choices(crop)]
    assert_all_as_likely(places, list(itertools.product(range(3), range(2))))


def test_random_crop_pads_first():
    (pad, crop), *_ = choices(vision.RandomCrop((44, 60), (0, 2), fill_value=(1, 2, 3)))
    assert pad == vision.Pad((0, 2), (1, 2, 3))
    assert crop.size == (44, 60) and crop.coordinates == (0, 0)


def test_random_crop_pads_a_small_image_on_both_sides_by_all_that_is_missing():
    image = np.ones((1, 1), np.uint8)
    crop = vision.RandomCrop(2, pad_if_needed=True)
    results = [crop.transform_row(image, rng=np.random.default_rng(i)).ravel() for i in range(400)]
    where = [int(result.argmax()) for result in results]
    assert all(result.sum() == 1 for result in results)
    assert_all_as_likely(where, range(4))


def test_random_resized_crop_draws_area_and_logarithm_of_the_aspect_ratio_uniformly():
    crop = vision.RandomResizedCrop(8, (0.2, 0.45), (0.5, 2.0))
    big = Spec((6000, 6000, 3), np.dtype(np.uint8))
    pieces = [chosen[0] for chosen in choices(crop, big)]
    areas = np.array([p.height * p.width for p in pieces]) / 6000**2
    aspects = np.array([p.width / p.height for p in pieces])
    assert_uniform(areas, 0.2 - 1e-3, 0.45 + 1e-3)
    assert_uniform(np.log(aspects), math.log(0.5) - 1e-2, math.log(2.0) + 1e-2)
    assert all(p.top + p.height <= 6000 and p.left + p.width <= 6000 for p in pieces)
    assert all(p.size == (8, 8) for p in pieces)


def test_random_resized_crop_falls_back_to_the_largest_piece_in_the_middle():
    too_tall = vision.RandomResizedCrop(8, (1.0, 1.0), (0.5, 0.5))
    assert choices(too_tall, count=1)[0][0] == vision.ResizedCrop(0, 20, 40, 20, 8)
    too_wide = vision.RandomResizedCrop(8, (1.0, 1.0), (3.0, 3.0))
    assert choices(too_wide, count=1)[0][0] == vision.ResizedCrop(10, 0, 20, 60, 8)


def test_random_resize_draws_one_of_four_interpolations():
    kinds = [chosen[0].interpolation for chosen in choices(vision.RandomResize(5))]
    inter = vision.Inter
    assert_all_as_likely(kinds, [inter.LINEAR, inter.NEAREST, inter.CUBIC, inter.AREA])


@pytest.mark.parametrize(("degrees", "low", "high"), [(30, -30, 30), ((-10, 50), -10, 50)])
def test_random_rotation_draws_the_angle_uniformly(degrees, low, high):
    angles = [chosen[0].degrees for chosen in choices(vision.RandomRotation(degrees))]
    assert_uniform(angles, low, high)


def test_random_affine_draws_all_its_numbers_uniformly():
    affine = vision.RandomAffine(20, (-0.1, 0.2, 0.3, 0.4), (0.5, 1.5), (1, 2, 3, 4))
    samples = [chosen[0] for chosen in choices(affine)]
    assert_uniform([a.degrees for a in samples], -20, 20)
    assert_uniform([a.translate[0] for a in samples], -0.1, 0.2)
    assert_uniform([a.translate[1] for a in samples], 0.3, 0.4)
    assert_uniform([a.scale for a in samples], 0.5, 1.5)
    assert_uniform([a.shear[0] for a in samples], 1, 2)
    assert_uniform([a.shear[1] for a in samples], 3, 4)


def test_one_shear_is_for_both_directions_along_x():
    assert vision.RandomAffine(0, shear=5).shear == (-5, 5, 0.0, 0.0)


def test_random_perspective_moves_corners_inwards_by_half_the_distortion():
    ends = np.array(
        [chosen[0].end_points for chosen in choices(vision.RandomPerspective(0.5, 1.0))]
    )
    x, y = ends[..., 0], ends[..., 1]
    assert set(x[:, 0]) == set(x[:, 3]) == set(range(16))  # 60 / 2 * 0.5 to the right
    assert set(x[:, 1]) == set(x[:, 2]) == set(range(44, 60))
    assert set(y[:, 0]) == set(y[:, 1]) == set(range(11))  # 40 / 2 * 0.5 downwards
    assert set(y[:, 2]) == set(y[:, 3]) == set(range(29, 40))


def test_random_color_adjust_draws_each_factor_uniformly_and_the_order_too():
    adjust = vision.RandomColorAdjust(0.4, (0.5, 2.0), 1.5, 0.1)
    chosen = choices(adjust)
    by_name = {t.name: [] for t in chosen[0]}
    for transform in itertools.chain(*chosen):
        by_name[transform.name].append(getattr(transform, next(iter(transform.fields))))
    assert_uniform(by_name["AdjustBrightness"], 0.6, 1.4)
    assert_uniform(by_name["AdjustContrast"], 0.5, 2.0)
    assert_uniform(by_name["AdjustSaturation"], 0.0, 2.5)
    assert_uniform(by_name["AdjustHue"], -0.1, 0.1)
    orders = [tuple(t.name for t in row) for row in chosen]
    assert_all_as_likely(orders, list(itertools.permutations(by_name)))


def test_random_color_adjust_leaves_out_what_changes_nothing():
    assert not any(choices(vision.RandomColorAdjust()))
    assert {t.name for t in choices(vision.RandomColorAdjust(hue=0.1))[0]} == {"AdjustHue"}


@pytest.mark.parametrize(
    ("transform", "factor"),
    [(vision.RandomColor, "saturation_factor"), (vision.RandomSharpness, "sharpness_factor")],
)
def test_degrees_are_the_range_of_the_factor(transform, factor):
    factors = [getattr(chosen[0], factor) for chosen in choices(transform((0.5, 1.7)))]
    assert_uniform(factors, 0.5, 1.7)


def test_random_posterize_draws_the_bits():
    bits = [chosen[0].bits for chosen in choices(vision.RandomPosterize((3, 6)))]
    assert_all_as_likely(bits, range(3, 7))


def test_random_solarize_draws_two_thresholds_and_puts_them_in_order():
    samples = [chosen[0].threshold for chosen in choices(vision.RandomSolarize((10, 12)))]
    counts = Counter(samples)
    assert set(counts) == {(a, b) for a in (10, 11, 12) for b in range(a, 13)}
    assert_rate(counts[10, 12], 2 / 9)  # drawn as 10, 12 or as 12, 10
    assert_rate(counts[11, 11], 1 / 9)


def test_random_lighting_adds_one_colour_of_the_expected_deviation():
    image = np.full((4, 5, 3), 128, np.float32)
    lighting = vision.RandomLighting(0.5)
    shifts = np.array(
        [
            lighting.transform_row(image, rng=np.random.default_rng([5, i])) - 128
            for i in range(DRAWS)
        ]
    )
    assert np.ptp(shifts, axis=(1, 2)).max() == 0
    # sqrt((55.46 * 0.5675)**2 + (4.794 * 0.7192)**2 + (1.148 * 0.4009)**2) / 2, and likewise
    np.testing.assert_allclose(shifts[:, 0, 0].std(0), [15.8, 16.1, 16.3], rtol=0.05)
    np.testing.assert_allclose(shifts[:, 0, 0].mean(0), 0, atol=1.5)


def test_cut_out_puts_squares_anywhere_even_over_the_edge():
    holes = [chosen[0].holes for chosen in choices(vision.CutOut(10, 2))]
    assert all(len(row) == 2 for row in holes)
    tops = [bottom - 10 for row in holes for _, bottom, _, _ in row]
    assert set(tops) == set(range(-10, 41))
    assert_uniform(np.array(tops) + np.random.default_rng(0).random(len(tops)), -10, 41)
    image = np.ones((12, 12, 1), np.uint8)
    zeros = [12 * 12 - vision.CutOut(10)(image).sum() for _ in range(50)]
    assert max(zeros) <= 100 and min(zeros) < 100


def test_cut_out_of_channels_first_cuts_all_channels():
    image = np.ones((3, 6, 6), np.uint8)
    out = vision.CutOut(6, 50, is_hwc=False)(image)
    assert (out == out[0]).all() and out.min() == 0


CHW = Spec((3, 40, 60), np.dtype(np.float32))


def test_random_erasing_draws_area_and_aspect_ratio_in_their_ranges():
    erasing = vision.RandomErasing(1.0, (0.1, 0.2), (0.5, 2.0))
    patches = [chosen[0] for chosen in choices(erasing, Spec((3, 2000, 3000), CHW.dtype))]
    sizes = np.array([p.values.shape[1:] for p in patches])
    assert_uniform(sizes.prod(1) / 6e6, 0.1 - 1e-3, 0.2 + 1e-3)
    assert_uniform(sizes[:, 1] / sizes[:, 0], 0.5 - 1e-2, 2.0 + 1e-2)


def test_random_erasing_happens_by_chance_and_not_at_all_where_nothing_fits():
    assert_rate(sum(map(bool, choices(vision.RandomErasing(0.3), CHW))), 0.3)
    assert not any(choices(vision.RandomErasing(1.0, (1.0, 1.0), (1.0, 1.0)), CHW))


def test_random_erasing_pastes_its_value_and_nothing_else():
    image = np.full(CHW.shape, 0.5, np.float32)
    out = vision.RandomErasing(1.0, value=(1, 2, 3))(image)
    for channel, value in zip(out, (1, 2, 3)):
        assert set(np.unique(channel)) == {0.5, value}


def test_random_erasing_draws_normal_values():
    erasing = vision.RandomErasing(1.0, (0.3, 0.3), (1.0, 1.0), "random")
    (patch,) = choices(erasing, Spec((3, 200, 200), CHW.dtype), count=1)[0]
    assert abs(patch.values.mean()) < 0.03 and abs(patch.values.std() - 1) < 0.03


def test_random_choice_takes_one_and_random_order_all():
    several = [vision.Invert(), vision.HorizontalFlip(), vision.Posterize(3)]
    assert_all_as_likely(
        [chosen[0] for chosen in choices(transforms.RandomChoice(several))], several
    )
    orders = [tuple(chosen) for chosen in choices(transforms.RandomOrder(several))]
    assert_all_as_likely(orders, list(itertools.permutations(several)))


def test_random_apply_applies_all_in_order():
    apply = transforms.RandomApply([lambda x: x + 1, lambda x: 2 * x], 1.0)
    assert apply(np.array([1])).tolist() == [4]


def test_random_select_subpolicy_takes_one_list_and_each_operation_by_its_probability():
    invert, flip, posterize = vision.Invert(), vision.HorizontalFlip(), vision.Posterize(3)
    select = vision.RandomSelectSubpolicy([[(invert, 0.5), (flip, 1)], [(posterize, 0.25)]])
    counts = Counter(tuple(chosen) for chosen in choices(select))
    assert_rate(counts[invert, flip], 0.25)
    assert_rate(counts[(flip,)], 0.25)
    assert_rate(counts[(posterize,)], 0.125)
    assert_rate(counts[()], 0.375)


def test_uniform_augment_applies_each_chosen_transform_at_random():
    several = [vision.Invert(), vision.HorizontalFlip(), vision.Posterize(3)]
    samples = choices(vision.UniformAugment(several, 2))
    assert_rate(sum(len(chosen) == 2 for chosen in samples), 0.25)
    assert_rate(sum(several[0] in chosen for chosen in samples), 1 / 3)
    assert all(len(set(chosen)) == len(chosen) for chosen in samples)


def test_every_auto_augment_policy_has_25_subpolicies_of_two_valid_steps():
    reference = {*policy.RAND_AUGMENT, "Invert"}
    for kind in vision.AutoAugmentPolicy:
        table = policy.parse_subpolicies(kind)
        assert len(table) == 25 and all(len(steps) == 2 for steps in table)
        for name, prob, strength in itertools.chain(*table):
            assert name in reference and 0 <= prob <= 1 and 0 <= strength <= 1


def test_auto_augment_goes_through_all_its_changes():
    seen = {
        t.name
        for kind in vision.AutoAugmentPolicy
        for chosen in choices(vision.AutoAugment(kind))
        for t in chosen
    }
    adjusted = {"AdjustBrightness", "AdjustContrast", "AdjustSaturation", "AdjustSharpness"}
    levels = {"AutoContrast", "Equalize", "Invert", "Posterize", "Solarize"}
    assert seen == adjusted | levels | {"Affine", "Rotate"}


def test_the_strength_of_a_change_is_a_part_of_the_strongest():
    space = policy.MagnitudeRange(0.3, (0.4, 0.5), 30.0, 0.9, 4)
    nearest = vision.Inter.NEAREST

    def change(name, strength):
        return policy.make_change(name, strength, space, nearest, 0)[0]

    assert change("Rotate", -0.5) == vision.Rotate(-15.0)
    assert change("Brightness", 1.0) == vision.AdjustBrightness(1.9)
    assert change("Posterize", 0.5) == vision.Posterize(6)
    assert change("Solarize", 0.2) == vision.Solarize(204.0)
    assert change("TranslateX", 0.5).translate == (0.2, 0.0)
    np.testing.assert_allclose(change("ShearY", 1.0).shear, (0.0, math.degrees(0.3)))


def test_rand_augment_draws_num_ops_changes():
    samples = choices(vision.RandAugment(3, 30))
    # Identity, one of fourteen, is no change at all.
    assert_rate(sum(len(chosen) == 3 for chosen in samples), (13 / 14) ** 3)
    assert max(map(len, samples)) == 3


def test_trivial_augment_draws_one_change_of_any_strength():
    samples = choices(vision.TrivialAugmentWide())
    assert max(map(len, samples)) == 1
    angles = {
        round(abs(t.degrees) / 135 * 30) for row in samples for t in row if t.name == "Rotate"
    }
    assert angles == set(range(31))


def mixing_rows(transform, rows=6, count=400):
    """Images with their row number in each pixel and one-hot labels, mixed ``count`` times."""
    images = np.broadcast_to(np.arange(rows)[:, None, None, None], (rows, 8, 10, 3))
    images = images.astype(np.float32)
    labels = np.eye(rows, dtype=np.int32)
    return [
        transform.transform_row(images, labels, rng=np.random.default_rng([5, i]))
        for i in range(count)
    ]


def test_mix_up_batch_mixes_images_and_labels_in_one_proportion():
    parts = []
    for images, labels in mixing_rows(vision.MixUpBatch(0.5)):
        assert labels.dtype == np.float32
        np.testing.assert_allclose(images[:, 0, 0, 0], labels @ np.arange(6), rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(labels.sum(1), 1, rtol=1e-6)
        parts.append(labels[0, 0])
    moved = [part for part in parts if part < 1]
    # Beta(a, a) has the mean 1/2 and the variance 1 / (4 * (2 * a + 1)).
    assert abs(np.mean(moved) - 0.5) < 0.08 and abs(np.var(moved) - 1 / 8) < 0.03


def test_mix_up_batch_rounds_integers():
    images = np.stack([np.zeros((2, 2, 3), np.uint8), np.full((2, 2, 3), 255, np.uint8)])
    rng = np.random.default_rng(4)
    out, labels = vision.MixUpBatch(1.0).transform_row(images, np.eye(2, dtype=np.int32), rng=rng)
    assert out.dtype == np.uint8
    assert out[0, 0, 0, 0] == round(255 * float(labels[0, 1]))


def test_cut_mix_batch_mixes_labels_by_the_area_that_it_pastes():
    areas = []
    for images, labels in mixing_rows(vision.CutMixBatch(vision.ImageBatchFormat.NHWC)):
        for row in range(6):
            pasted = images[row, :, :, 0] != row
            areas.append(pasted.mean())
            np.testing.assert_allclose(labels[row, row], 1 - areas[-1], rtol=1e-5)
            np.testing.assert_allclose(labels[row].sum(), 1, rtol=1e-6)
    assert max(areas) > 0.5 and min(areas) == 0.0


def test_cut_mix_batch_pastes_rectangles_with_channels_first_too():
    transform = vision.CutMixBatch(vision.ImageBatchFormat.NCHW, prob=0.5)
    images = np.random.default_rng(0).random((5, 3, 8, 9))
    out, _ = transform.transform_row(images, np.eye(5), rng=np.random.default_rng(1))
    changed = (out != images).any(1)
    for mask in changed:
        rows, columns = mask.any(1), mask.any(0)
        np.testing.assert_array_equal(mask, rows[:, None] & columns)


def test_mix_up_takes_the_next_image_of_the_batch():
    images, labels = mixing_rows(vision.MixUp(6, 0.5), count=1)[0]
    assert images.dtype == labels.dtype == np.float64
    for row in range(6):
        assert set(np.nonzero(labels[row])[0]) <= {row, (row + 1) % 6}
    np.testing.assert_allclose(images[:, 0, 0, 0], labels @ np.arange(6))


def test_mix_up_of_several_batches_mixes_with_the_one_before():
    transform = vision.MixUp(2, 0.5, is_single=False)
    zeros, ones = np.zeros((2, 3, 3, 1)), np.ones((2, 3, 3, 1))
    labels = np.eye(2)
    rng = np.random.default_rng(0)
    first, _ = transform.transform_row(zeros, labels, rng=rng)
    np.testing.assert_array_equal(first, zeros)
    second, _ = transform.transform_row(ones, labels, rng=rng)
    assert ((second > 0) & (second < 1)).all()


def test_a_call_draws_from_the_global_stream():
    state = random.get_state()
    flip = vision.RandomHorizontalFlip()
    try:
        random.set_seed(3)
        first = [flip(IMAGE).tobytes() for _ in range(10)]
        random.set_seed(3)
        assert [flip(IMAGE).tobytes() for _ in range(10)] == first
    finally:
        random.set_state(state)
