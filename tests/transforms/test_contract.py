"""What the engine relies on, for every transform."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from minispore.dataset import transforms, vision
from minispore.dataset.pipeline.random import RowGenerators
from minispore.dataset.transforms.base import as_tuple, make_spec
from minispore.dataset.transforms.compose import fuse_operations
from minispore.ir.value import Spec
from tests.transforms.samples import (
    CHW,
    FLOAT,
    GRAY,
    IMAGE_SAMPLES,
    LABELS,
    OTHER_SAMPLES,
    RGB,
    ROWS,
    SAMPLES,
    WITHOUT_SAMPLE,
    public_transforms,
)

pytestmark = pytest.mark.filterwarnings("ignore:Normalize. mean and std have one element")


def samples(expected=lambda transform: True):
    """Parametrize a test over the transforms that are wanted."""
    chosen = [sample for sample in SAMPLES.values() if expected(sample.transform)]
    return pytest.mark.parametrize("sample", chosen, ids=[s.transform.name for s in chosen])


ARGUMENTS = {**IMAGE_SAMPLES, **{kind: args for kind, (args, _) in OTHER_SAMPLES.items()}}


def generators(count=ROWS):
    return [np.random.default_rng([11, row]) for row in range(count)]


def rows_of(sample, rngs=None):
    """The result for each row, one row at a time."""
    transform = sample.transform
    rngs = rngs or generators()
    keyed = [{"rng": rng} if transform.random else {} for rng in rngs]
    return [as_tuple(transform.transform_row(*row, **k)) for k, *row in zip(keyed, *sample.columns)]


def batch_of(transform, columns, rngs=None):
    keyed = {"rngs": rngs or generators()} if transform.random else {}
    return as_tuple(transform.transform_batch(*columns, **keyed))


def assert_equal_columns(columns, rows):
    for column, expected in zip(columns, zip(*rows), strict=True):
        np.testing.assert_array_equal(column, np.stack(expected))


def test_every_transform_has_a_sample():
    assert public_transforms() - WITHOUT_SAMPLE == set(SAMPLES)


@samples()
def test_a_transform_is_a_value(sample):
    kind = type(sample.transform)
    second = kind(*ARGUMENTS[kind])
    holds_array = any(isinstance(value, np.ndarray) for value in vars(second).values())
    assert second == second and hash(second) == hash(second)
    assert holds_array or (second == sample.transform and hash(second) == hash(sample.transform))
    assert repr(second).startswith(kind.__name__ + "(")
    with pytest.raises(AttributeError):
        second.anything = 1


@samples(lambda transform: transform.is_batched)
def test_a_block_is_what_its_rows_are(sample):
    assert_equal_columns(batch_of(sample.transform, sample.columns), rows_of(sample))


@samples(lambda transform: transform.random and transform.is_batched)
def test_draws_for_all_rows_at_once_are_those_of_each_row(sample):
    key, numbers = np.array([5, 6], np.uint64), np.arange(ROWS)
    together = batch_of(sample.transform, sample.columns, RowGenerators(key, numbers, 2))
    singly = RowGenerators(key, numbers, 2)
    assert_equal_columns(together, rows_of(sample, [singly[i] for i in range(ROWS)]))


@samples()
def test_inputs_stay_as_they_were(sample):
    before = [column.copy() for column in sample.columns]
    rows_of(sample)
    if sample.transform.is_batched:
        batch_of(sample.transform, sample.columns)
    for column, copy in zip(sample.columns, before):
        np.testing.assert_array_equal(column, copy)


@samples(lambda transform: not transform.random)
def test_a_result_shares_no_memory_with_its_input(sample):
    for row, out in zip(zip(*sample.columns), rows_of(sample)):
        assert not any(np.shares_memory(a, b) for a, b in itertools.product(row, out))


@samples()
def test_infer_tells_shape_and_dtype_of_the_result(sample):
    reference = sample.transform.infer(*[Spec(c.shape[1:], c.dtype) for c in sample.columns])
    if reference is None:
        assert not sample.transform.is_batched
        return
    for row in rows_of(sample):
        assert tuple(make_spec(column) for column in row) == reference


@samples(lambda transform: transform.is_batched)
def test_an_empty_block_stays_empty(sample):
    none = [column[:0] for column in sample.columns]
    keyed = {"rngs": ()} if sample.transform.random else {}
    assert all(len(c) == 0 for c in as_tuple(sample.transform.transform_batch(*none, **keyed)))


@samples(lambda transform: transform.random)
def test_a_random_transform_repeats_itself_with_the_same_generators(sample):
    first, second = (itertools.chain(*rows_of(sample)) for _ in range(2))
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)


PIXEL_STEPS = [
    vision.Resize((9, 10)),
    vision.Rescale(1 / 255, -0.5),
    vision.Normalize([0.1, 0.2, 0.3], [0.4, 0.5, 0.6]),
    vision.Normalize([0.1, 0.2, 0.3], [0.4, 0.5, 0.6], False),
    vision.Normalize([0.5], [0.25]),
    vision.HWC2CHW(),
    vision.ToTensor(),
    transforms.TypeCast("float32"),
]


@pytest.mark.parametrize("length", [2, 3])
@pytest.mark.parametrize("images", [RGB, GRAY, FLOAT, CHW], ids=["rgb", "gray", "float", "chw"])
def test_a_fused_run_does_what_its_steps_do_or_fails_where_they_fail(images, length):
    for steps in itertools.permutations(PIXEL_STEPS, length):
        chain = fuse_operations(steps)
        try:
            expected = images
            for step in steps:
                expected = step.transform_batch(expected)
        except RuntimeError:
            with pytest.raises(RuntimeError):
                for step in chain:
                    images = step.transform_batch(images)
            continue
        out = images
        for step in chain:
            out = step.transform_batch(out)
        assert out.dtype == expected.dtype
        np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-5)


def test_any_number_of_rescales_is_one():
    chain = fuse_operations([vision.Rescale(2.0, 1.0)] * 5)
    assert len(chain) == 1
    np.testing.assert_allclose(chain[0].transform_batch(np.ones((1, 2, 2, 3), np.float32)), 63.0)


def test_a_compose_is_fused_with_what_is_around_it():
    inner = transforms.Compose([vision.Rescale(2.0, 0.0), vision.HWC2CHW()])
    assert len(fuse_operations([vision.Resize((9, 10)), inner])) == 1


def test_a_label_of_a_column_of_scalars_is_a_row_without_axes():
    assert transforms.OneHot(5).transform_row(LABELS[0]).shape == (5,)
