"""Bad arguments and bad rows are refused by MindSpore's type of exception, by name."""

from __future__ import annotations

import numpy as np
import pytest

from minispore.dataset import audio, transforms, vision
from tests.transforms.audio_refusals import AUDIO_ARGUMENTS
from tests.transforms.samples import SAMPLES

Inter, Border = vision.Inter, vision.Border
RGB = np.zeros((8, 9, 3), np.uint8)

ARGUMENTS = [
    (TypeError, "vision.AdjustBrightness('1')", "brightness_factor must be a number, got '1'"),
    (ValueError, "vision.AdjustBrightness(-1)", "brightness_factor must be in [0,"),
    (ValueError, "vision.AdjustContrast(-0.1)", "contrast_factor"),
    (ValueError, "vision.AdjustGamma(-1)", "gamma"),
    (TypeError, "vision.AdjustGamma(1, None)", "gain"),
    (ValueError, "vision.AdjustHue(0.6)", "hue_factor must be in [-0.5, 0.5], got 0.6"),
    (TypeError, "vision.AdjustSaturation(True)", "saturation_factor"),
    (ValueError, "vision.AdjustSharpness(-1)", "sharpness_factor"),
    (ValueError, "vision.Affine(181, (0, 0), 1, 0)", "degrees"),
    (ValueError, "vision.Affine(0, (2, 0), 1, 0)", "translate[0]"),
    (ValueError, "vision.Affine(0, (0, 0), 0, 0)", "scale"),
    (TypeError, "vision.Affine(0, (0, 0), 1, (1, 2, 3))", "shear must have 2 elements"),
    (TypeError, "vision.AutoAugment('imagenet')", "policy must be a member of AutoAugmentPolicy"),
    (ValueError, "vision.AutoContrast(50)", "cutoff must be in [0, 50"),
    (ValueError, "vision.AutoContrast(0.0, 256)", "ignore"),
    (TypeError, "vision.BoundingBoxAugment(3)", "transform must be a transform"),
    (ValueError, "vision.BoundingBoxAugment(vision.Invert(), 2)", "ratio"),
    (ValueError, "vision.CenterCrop(0)", "size[0]"),
    (TypeError, "vision.CenterCrop((1, 2, 3))", "size must be an int or (height, width)"),
    (TypeError, "vision.ConvertColor(4)", "convert_mode"),
    (ValueError, "vision.Crop((-1, 0), 3)", "coordinates[0]"),
    (TypeError, "vision.Crop(1, 3)", "coordinates must be (top, left)"),
    (TypeError, "vision.CutMixBatch('NHWC')", "image_batch_format"),
    (ValueError, "vision.CutMixBatch(vision.ImageBatchFormat.NHWC, 0.0)", "alpha"),
    (ValueError, "vision.CutOut(0)", "length"),
    (TypeError, "vision.CutOut(1.5)", "length"),
    (TypeError, "vision.Decode(1)", "to_pil must be a bool, got 1"),
    (ValueError, "vision.Erase(-1, 0, 1, 1)", "top"),
    (TypeError, "vision.Erase(0, 0, 1, 1, [1, 2, 3])", "value"),
    (TypeError, "vision.FiveCrop('a')", "size"),
    (ValueError, "vision.GaussianBlur(4)", "kernel_size must be odd, got 4"),
    (ValueError, "vision.GaussianBlur(3, -1)", "sigma"),
    (ValueError, "vision.Grayscale(2)", "num_output_channels must be 1 or 3, got 2"),
    (TypeError, "vision.HsvToRgb(1)", "is_hwc"),
    (ValueError, "vision.LinearTransformation(np.ones((2, 3)), np.ones(2))", "square"),
    (ValueError, "vision.LinearTransformation(np.ones((2, 2)), np.ones(3))", "mean_vector"),
    (ValueError, "vision.MixUp(0, 1.0)", "batch_size"),
    (ValueError, "vision.MixUpBatch(0)", "alpha"),
    (ValueError, "vision.Normalize([1.0], [0.0])", "std[0] must be in (0, 255], got 0.0"),
    (ValueError, "vision.Normalize([256.0], [1.0])", "mean[0]"),
    (ValueError, "vision.Normalize([1.0, 2.0], [1.0])", "mean and std must have the same length"),
    (TypeError, "vision.Normalize(1.0, 1.0)", "mean must be a list or tuple"),
    (TypeError, "vision.Normalize([1.0], [1.0], 1)", "is_hwc"),
    (ValueError, "vision.NormalizePad([1.0], [1.0], 'float64')", "dtype"),
    (ValueError, "vision.Pad(-1)", "padding"),
    (ValueError, "vision.Pad((1, 2, 3))", "padding must have 2 or 4 elements"),
    (TypeError, "vision.Pad(1, [1, 2, 3])", "fill_value"),
    (ValueError, "vision.Pad(1, 256)", "fill_value"),
    (TypeError, "vision.Pad(1, 0, 'edge')", "padding_mode must be a member of Border"),
    (ValueError, "vision.PadToSize(0)", "size"),
    (TypeError, "vision.Perspective([[0, 0]] * 3, [[0, 0]] * 4)", "start_points"),
    (ValueError, "vision.Posterize(9)", "bits"),
    (ValueError, "vision.RandAugment(2, 31)", "magnitude must be in [0, 31), got 31"),
    (ValueError, "vision.RandomAdjustSharpness(1.0, 2)", "prob"),
    (ValueError, "vision.RandomAffine(-1)", "degrees"),
    (ValueError, "vision.RandomAffine(1, (0, 2))", "translate[1]"),
    (ValueError, "vision.RandomAffine(1, None, (2, 1))", "scale"),
    (TypeError, "vision.RandomAffine(1, None, None, (1, 2, 3))", "shear"),
    (TypeError, "vision.RandomColor(1)", "degrees"),
    (ValueError, "vision.RandomColor((2, 1))", "degrees must be (min, max)"),
    (ValueError, "vision.RandomColorAdjust(brightness=-1)", "brightness"),
    (ValueError, "vision.RandomColorAdjust(hue=0.6)", "hue"),
    (ValueError, "vision.RandomCrop(5, -1)", "padding"),
    (TypeError, "vision.RandomCrop(5, pad_if_needed=1)", "pad_if_needed"),
    (ValueError, "vision.RandomCropDecodeResize(0)", "size"),
    (ValueError, "vision.RandomEqualize(1.5)", "prob"),
    (ValueError, "vision.RandomErasing(value=(1, 2))", "value"),
    (ValueError, "vision.RandomErasing(value='white')", "value"),
    (ValueError, "vision.RandomErasing(ratio=(0, 1))", "ratio[0]"),
    (TypeError, "vision.RandomHorizontalFlip('a')", "prob"),
    (ValueError, "vision.RandomLighting(-1)", "alpha"),
    (ValueError, "vision.RandomPosterize((0, 8))", "bits"),
    (ValueError, "vision.RandomResizedCrop(5, (1.0, 0.5))", "scale"),
    (ValueError, "vision.RandomResizedCrop(5, ratio=(0, 1))", "ratio"),
    (ValueError, "vision.RandomResizedCrop(5, max_attempts=0)", "max_attempts"),
    (ValueError, "vision.RandomRotation((2, 1))", "degrees"),
    (ValueError, "vision.RandomRotation(1, center=[1, 2])", "center must be a tuple"),
    (TypeError, "vision.RandomSelectSubpolicy(())", "policy must be a list"),
    (ValueError, "vision.RandomSelectSubpolicy([[]])", "policy[0] must not be empty"),
    (TypeError, "vision.RandomSelectSubpolicy([[vision.Invert()]])", "policy[0][0]"),
    (ValueError, "vision.RandomSelectSubpolicy([[(vision.Invert(), 2)]])", "policy[0][0]"),
    (TypeError, "vision.RandomSolarize([0, 1])", "threshold must be a tuple"),
    (TypeError, "vision.Rescale(None, 0)", "rescale"),
    (KeyError, "vision.Resize(5, None)", "interpolation"),
    (TypeError, "vision.Resize(5, 2)", "interpolation must be a member of Inter, got 2"),
    (ValueError, "vision.ResizedCrop(0, 0, 0, 1, 5)", "height"),
    (TypeError, "vision.Rotate('a')", "degrees"),
    (ValueError, "vision.SlicePatches(0)", "num_height"),
    (ValueError, "vision.Solarize((2, 1))", "threshold"),
    (TypeError, "vision.TenCrop(5, 1)", "use_vertical_flip"),
    (TypeError, "vision.ToTensor('no type')", "output_type must name a data type"),
    (ValueError, "vision.TrivialAugmentWide(1)", "num_magnitude_bins"),
    (ValueError, "vision.UniformAugment([vision.Invert()], 2)", "num_ops must not exceed"),
    (TypeError, "transforms.Compose((vision.Invert(),))", "transforms must be a list"),
    (ValueError, "transforms.Compose([])", "transforms must not be empty"),
    (
        TypeError,
        "transforms.Compose([3])",
        "transforms[0] must be a transform or a Python function",
    ),
    (
        ValueError,
        "transforms.Compose([vision.Invert])",
        "transforms[0] must be a transform, not its",
    ),
    (TypeError, "transforms.Concatenate(0, [1])", "prepend"),
    (ValueError, "transforms.Concatenate(1)", "axis"),
    (ValueError, "transforms.Concatenate(0, np.ones((1, 1)))", "prepend"),
    (TypeError, "transforms.Fill([1])", "fill_value"),
    (TypeError, "transforms.Mask(2, 1)", "operator must be a member of Relational"),
    (TypeError, "transforms.Mask(transforms.Relational.EQ, [1])", "constant"),
    (ValueError, "transforms.OneHot(0)", "num_classes"),
    (ValueError, "transforms.OneHot(3, 1.5)", "smoothing_rate"),
    (TypeError, "transforms.PadEnd(3)", "pad_shape must be a list"),
    (ValueError, "transforms.PadEnd([0])", "pad_shape[0]"),
    (ValueError, "transforms.RandomApply([vision.Invert()], 2)", "prob"),
    (ValueError, "transforms.RandomChoice([])", "transforms"),
    (TypeError, "transforms.RandomOrder(3)", "transforms"),
    (TypeError, "transforms.Slice('a')", "slices[0] must be an int, a list of ints, a slice"),
    (TypeError, "transforms.TypeCast(None)", "data_type must name a data type"),
    *AUDIO_ARGUMENTS,
]
# No arguments, or those of another transform.
NOTHING_TO_GET_WRONG = set(
    """Angle Duplicate Equalize HWC2CHW HorizontalFlip Invert RandomAutoContrast RandomGrayscale
    RandomInvert RandomPerspective RandomResize RandomSharpness RandomVerticalFlip RgbToHsv ToNumpy
    ToType Unique VerticalFlip RandomCropWithBBox RandomHorizontalFlipWithBBox RandomResizeWithBBox
    RandomResizedCropWithBBox RandomVerticalFlipWithBBox ResizeWithBBox""".split()  # noqa: SIM905 - so many names read better in a row
)


@pytest.mark.parametrize(("error", "expression", "text"), ARGUMENTS, ids=[a[1] for a in ARGUMENTS])
def test_a_bad_argument_is_refused_by_name(error, expression, text):
    names = {"audio": audio, "vision": vision, "transforms": transforms, "np": np}
    with pytest.raises(error) as caught:
        eval(expression, names)
    message = str(caught.value.args[0])
    assert message.startswith(expression.split("(")[0].split(".")[1] + ": ")
    assert text in message


def test_every_transform_with_arguments_has_a_refusal_case():
    tried = {expression.split("(")[0].split(".")[1] for _, expression, _ in ARGUMENTS}
    assert {kind.__name__ for kind in SAMPLES} - tried == NOTHING_TO_GET_WRONG


def test_an_unknown_keyword_suggests_a_similar_one():
    with pytest.raises(TypeError, match="has no argument 'interpolaton'\\. Did you mean 'interpol"):
        vision.Resize(5, interpolaton=Inter.LINEAR)


def test_a_missing_argument_is_named():
    with pytest.raises(TypeError, match="Rescale: argument 'shift' must be given"):
        vision.Rescale(1.0)


@pytest.mark.parametrize("thing", [[1, 2], 3, "image.png", np.float32(3)])
def test_what_is_no_image_is_refused(thing):
    with pytest.raises(TypeError, match="Resize: image must be a NumPy array or a PIL image"):
        vision.Resize(5)(thing)


ROWS = [
    (
        vision.Resize(5),
        np.zeros(3),
        "Resize: image must have the shape (H, W) or (H, W, C), got (3,)",
    ),
    (vision.Resize(5), np.array([["a"]]), "Resize: image must hold numbers, got <U1"),
    (vision.Resize(5), np.zeros((0, 3, 3)), "Resize: image must not be empty, got (0, 3, 3)"),
    (vision.Resize(5), np.zeros(9, np.uint8), "Put Decode() before it"),
    (vision.Resize(5, Inter.PILCUBIC), np.zeros((2, 2, 3)), "image must be uint8 for PILCUBIC"),
    (vision.Rescale(1, 0), np.array(["a"]), "Rescale: image must hold numbers, got <U1"),
    (vision.HWC2CHW(), np.zeros((2, 3, 4, 3)), "HWC2CHW: image must have the shape"),
    (vision.ToTensor(), np.zeros(3), "ToTensor: image must have the shape"),
    (
        vision.Normalize([1.0, 2.0], [1.0, 2.0]),
        RGB,
        "as many channels as mean has elements (2), got 3",
    ),
    (
        vision.AdjustContrast(1),
        RGB[..., 0],
        "AdjustContrast: image must be RGB, (H, W, 3), got (8, 9)",
    ),
    (vision.Invert(), RGB[..., :2], "Invert: image must be RGB"),
    (vision.Equalize(), RGB.astype(np.float32), "Equalize: image must be uint8, got float32"),
    (vision.Posterize(3), RGB.astype(np.int32), "Posterize: image must be uint8, got int32"),
    (vision.Crop((5, 5), 5), RGB, "Crop: the piece must lie in the image of (8, 9)"),
    (vision.ResizedCrop(5, 5, 5, 5, 3), RGB, "ResizedCrop: the piece must lie in the image"),
    (vision.RandomCrop(10), RGB, "RandomCrop: size must not exceed the image with its padding"),
    (vision.CutOut(10), RGB, "CutOut: length must not exceed the image of (8, 9), got 10"),
    (vision.PadToSize(5), RGB, "PadToSize: image and offset must fit into the size (5, 5)"),
    (vision.SlicePatches(9), RGB, "SlicePatches: num_height and num_width must not exceed"),
    (vision.ConvertColor(vision.ConvertMode.COLOR_RGB2GRAY), RGB[..., :1], "3 or 4 channels"),
    (
        vision.Rotate(3, Inter.PILCUBIC),
        RGB,
        "Rotate: resample must be NEAREST, LINEAR, CUBIC or AREA",
    ),
    (transforms.OneHot(3), np.array(3), "OneHot: label must be in [0, 3), got 3. Set num_classes"),
    (transforms.OneHot(3), np.array(-1), "OneHot: label must be in [0, 3), got -1"),
    (transforms.OneHot(3), np.array(1.5), "OneHot: label must be an integer"),
    (transforms.Fill("x"), np.array([1]), "Fill: fill_value must be text for a text column"),
    (
        transforms.PadEnd([5, 5]),
        np.array([1]),
        "PadEnd: pad_shape must have one length for each axis",
    ),
    (transforms.Slice(7), np.array([1]), "Slice: index must be in [-1, 1) on axis 0, got [7]"),
    (transforms.Slice(0, 0), np.array([1]), "Slice: must have at most one slice for each axis"),
    (transforms.Concatenate(), np.ones((2, 2)), "Concatenate: column must be one-dimensional"),
    (transforms.Concatenate(0, np.ones(1)), np.array([1]), "prepend must have the column's dtype"),
    (transforms.TypeCast("int32"), np.array(["1"]), "TypeCast: can't cast <U1 to int32"),
    (transforms.Unique(), np.array(["1"]), "Unique: must be given one column of numbers"),
]


@pytest.mark.parametrize(("transform", "row", "text"), ROWS, ids=[r[2][:40] for r in ROWS])
def test_a_row_that_does_not_fit_is_refused_by_name(transform, row, text):
    with pytest.raises(RuntimeError) as caught:
        transform(row)
    assert text in str(caught.value)


def test_antialias_is_for_pil_images_and_says_what_arrays_take():
    with pytest.raises(TypeError, match=r"Use Inter.PILCUBIC, or put ToPIL\(\) before it"):
        vision.Resize(5, Inter.ANTIALIAS)(RGB)


def test_five_crops_of_a_small_image_are_refused_by_name():
    with pytest.raises(
        ValueError, match=r"FiveCrop: size must not exceed the image, got \(10, 10\)"
    ):
        vision.FiveCrop(10)(RGB)


def test_random_erasing_says_that_it_wants_channels_first():
    with pytest.raises(ValueError, match=r"RandomErasing: image must be \(C, H, W\), got \(8, 9\)"):
        vision.RandomErasing(1.0)(RGB[..., 0])


def test_batch_mixers_say_what_must_come_before_them():
    with pytest.raises(RuntimeError, match=r"Put batch\(\) before the map"):
        vision.MixUpBatch()(RGB, np.zeros(3))
    with pytest.raises(RuntimeError, match=r"labels must be one-hot"):
        vision.MixUpBatch()(RGB[None], np.zeros(1))
    with pytest.raises(RuntimeError, match="must be given images and labels, got 1 columns"):
        vision.MixUpBatch()(RGB[None])


def test_a_device_is_accepted_by_name():
    resize = vision.Resize(5)
    assert resize.device("Ascend") is resize
    with pytest.raises(ValueError, match="device_target must be 'CPU' or 'Ascend', got 'GPU'"):
        resize.device("GPU")


def test_perspective_refuses_three_collinear_points():
    line = [[0, 0], [1, 1], [2, 2], [0, 5]]
    with pytest.raises(RuntimeError, match="Perspective: no three of the points"):
        vision.Perspective(line, line)(RGB)
