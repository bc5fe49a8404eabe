"""What scripts look for in the refusals of MindSpore 2.10 stands in ours, too."""

import numpy as np
import pytest

from minispore.dataset import transforms, vision

RANGE = "is not within the required interval of"
NUMBER = "[<class 'int'>, <class 'float'>]"

WORDS = [
    # A number out of range is named, or it is not.
    ("vision.AdjustBrightness(-1)", f"Input brightness_factor {RANGE} [0, 16777216]."),
    ("vision.AdjustGamma(-1)", f"Input {RANGE} [0, 16777216]."),
    ("vision.AdjustSharpness(-1)", f"Input {RANGE} [0, 16777216]."),
    ("vision.Affine(1, (2, 0), 1, 0)", f"Input translate[0] {RANGE} [-1.0, 1.0]."),
    ("vision.Affine(1, (0, 0), 0, 0)", "Input scale must be greater than 0."),
    ("vision.AutoContrast(50)", f"Input cutoff {RANGE} [0, 50)."),
    (
        "vision.BoundingBoxAugment(vision.RandomHorizontalFlip(), 2)",
        f"Input ratio {RANGE} [0.0, 1.0].",
    ),
    ("vision.CutMixBatch(vision.ImageBatchFormat.NHWC, 0)", f"Input {RANGE} (0, 16777216]."),
    ("vision.RandAugment(-1)", f"Input num_ops {RANGE} [0, 16777216]."),
    ("vision.RandAugment(2, 31)", f"Input magnitude {RANGE} [0, 31)."),
    ("vision.RandomAffine(-1)", f"Input degrees {RANGE} [0, 16777216]."),
    ("vision.RandomAffine(1, (0, 2))", f"Input translate at 1 {RANGE} [-1.0, 1.0]."),
    ("vision.RandomAffine(1, scale=(0, 0))", "Input scale[1] must be greater than 0."),
    ("vision.RandomColorAdjust(-1)", "The input value of brightness cannot be negative."),
    ("vision.RandomResizedCrop(2, ratio=(-1, 1))", f"Input ratio[0] {RANGE} (0, 16777216]."),
    ("vision.Resize(0)", f"Input {RANGE} [1, 16777216]."),
    ("vision.Resize((0, 1))", f"Input size at dim 0 {RANGE} [1, 2147483647]."),
    ("vision.Pad(-1)", f"Input padding {RANGE} [0, 2147483647]."),
    ("vision.Pad((1, -1))", f"Input pad_value {RANGE} [0, 2147483647]."),
    ("vision.Pad(1, 256)", f"Input fill_value {RANGE} [0, 255]."),
    ("transforms.OneHot(0)", "Input must be greater than 0."),
    ("transforms.PadEnd([-1])", f"Input {RANGE} [1, 9223372036854775807]."),
    # A wrong type is told with all that would do.
    ("vision.AdjustHue(np.float32(0.1))", "but got <class 'numpy.float32'>."),
    ("vision.AdjustHue(True)", "with value True is not of type (<class 'float'>, <class 'int'>)"),
    ("vision.Affine('a', (0, 0), 1, 0)", f"Argument degrees with value a is not of type {NUMBER}"),
    ("vision.AutoContrast(ignore='a')", "[<class 'list'>, <class 'tuple'>, <class 'int'>]"),
    (
        "vision.Crop(1, 2)",
        "Argument coordinates with value 1 is not of type [<class 'list'>, <class",
    ),
    ("vision.Normalize(['a'], [1])", f"Argument mean[0] with value a is not of type {NUMBER}"),
    ("vision.Pad('a')", "[<class 'tuple'>, <class 'list'>, <class 'numbers.Number'>]"),
    (
        "vision.RandomPerspective(prob=1)",
        "Argument prob with value 1 is not of type [<class 'float'>]",
    ),
    (
        "vision.RandomSolarize([1, 2])",
        "Argument threshold with value [1, 2] is not of type [<class",
    ),
    (
        "transforms.Compose(1)",
        "Argument transforms list with value 1 is not of type [<class 'list'>]",
    ),
    (
        "transforms.Concatenate(append=1)",
        "Argument append with value 1 is not of type [<class 'numpy",
    ),
    (
        "transforms.Slice([[1]])",
        "Argument slice_option[0] with value [1] is not of type [<class 'int'>",
    ),
    # So is a wrong length, or a wrong order.
    ("vision.Affine(1, (0,), 1, 0)", "The length of translate should be 2."),
    (
        "vision.CenterCrop((1, 2, 3))",
        "Size should be a single integer or a list/tuple (h, w) of length 2.",
    ),
    ("vision.GaussianBlur(3, (1, 2, 3))", "a single number or a list/tuple of length 2"),
    ("vision.GaussianBlur((3, 2))", "Input kernel_size[1] is not an odd value"),
    ("vision.Normalize([1], [1, 2])", "Length of mean and std must be equal."),
    ("vision.Pad((1, 2, 3))", "The size of the padding list or tuple should be 2 or 4."),
    ("vision.PadToSize((1, 2, 3))", "The size must be a sequence of length 2."),
    ("vision.Perspective([1], [1])", "start_points should be a list or tuple of length 4."),
    ("vision.RandomAffine((1,))", "If degrees is a sequence, the length must be 2."),
    ("vision.RandomAffine(1, shear=(1, 2, 3))", "shear must be of length 2 or 4."),
    ("vision.RandomAffine(1, scale=(2, 1))", "scale[1] must be equal to or greater than scale[0]."),
    ("vision.RandomColor((1,))", "degrees must be a sequence with length 2."),
    ("vision.RandomColorAdjust((2, 1))", "brightness value should be in (min,max) format."),
    ("vision.RandomPosterize((1, 2, 3))", "a list/tuple (min, max) of length 2."),
    ("vision.Solarize((2, 1))", "threshold must be in order of (min, max)."),
]


@pytest.mark.parametrize(("expression", "words"), WORDS, ids=[w[0] for w in WORDS])
def test_a_refusal_says_what_scripts_look_for(expression, words):
    with pytest.raises((TypeError, ValueError)) as caught:
        eval(expression, {"vision": vision, "transforms": transforms, "np": np})
    assert words in str(caught.value)


@pytest.mark.parametrize("shear", [True, np.float32(0.5), np.int32(3)])
def test_what_may_be_any_number_may_be_one_of_numpy(shear):
    image = np.zeros((4, 4, 3), np.uint8)
    assert vision.Affine(0, (0, 0), 1, shear)(image).shape == image.shape


def test_a_random_shift_may_go_from_more_to_less():
    image = np.zeros((4, 4, 3), np.uint8)
    assert vision.RandomAffine(0, translate=(0.2, 0.1))(image).shape == image.shape


def test_pad_end_leaves_a_single_value_unchanged():
    assert transforms.PadEnd([100], 1)(np.array(3)).shape == ()
