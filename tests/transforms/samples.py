"""One sample of each transform: the arguments it is made with, and the columns it is given."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from minispore.dataset import audio, transforms, vision
from minispore.dataset.transforms.base import Transform
from tests.transforms.audio_samples import AUDIO_SAMPLES


class Sample(NamedTuple):
    """A transform, and a stack of rows for each of its columns."""

    transform: Transform
    columns: tuple[np.ndarray, ...]


ROWS = 7
_RNG = np.random.default_rng(3)
RGB = _RNG.integers(0, 256, (ROWS, 12, 14, 3), dtype=np.uint8)
GRAY = _RNG.integers(0, 256, (ROWS, 12, 14), dtype=np.uint8)
FLOAT = _RNG.random((ROWS, 12, 14, 3), dtype=np.float32)
CHW = _RNG.random((ROWS, 3, 12, 14), dtype=np.float32)
BATCHES = _RNG.integers(0, 256, (ROWS, 4, 8, 6, 3), dtype=np.uint8)
ONE_HOT = np.broadcast_to(np.eye(4, dtype=np.int32), (ROWS, 4, 4)).copy()
BOXES = np.broadcast_to(np.array([[1, 2, 5, 6], [4, 3, 8, 7]], np.float32), (ROWS, 2, 4)).copy()
VECTORS = _RNG.integers(-5, 6, (ROWS, 6))
LABELS = _RNG.integers(0, 5, ROWS)

POINTS = [[0, 0], [13, 0], [13, 11], [0, 11]], [[1, 2], [11, 0], [13, 10], [2, 9]]
POLICY = [[(vision.HorizontalFlip(), 0.5), (vision.Invert(), 0.5)], [(vision.Posterize(4), 1)]]
SEVERAL = [vision.HorizontalFlip(), vision.Invert(), vision.AdjustBrightness(0.5)]

IMAGE_SAMPLES = {
    vision.AdjustBrightness: (1.5,),
    vision.AdjustContrast: (1.5,),
    vision.AdjustGamma: (0.7, 1.1),
    vision.AdjustHue: (0.2,),
    vision.AdjustSaturation: (1.5,),
    vision.AdjustSharpness: (1.5,),
    vision.Affine: (10.0, (0.1, -0.2), 1.2, (5.0, 3.0), vision.Inter.LINEAR, 7),
    vision.AutoAugment: (vision.AutoAugmentPolicy.CIFAR10,),
    vision.AutoContrast: (5.0, [3]),
    vision.CenterCrop: ((8, 20),),
    vision.ConvertColor: (vision.ConvertMode.COLOR_RGB2BGRA,),
    vision.Crop: ((1, 2), (5, 6)),
    vision.CutOut: (5, 2),
    vision.Equalize: (),
    vision.Erase: (1, 2, 3, 4, (7, 8, 9)),
    vision.FiveCrop: (5,),
    vision.GaussianBlur: ((3, 5), 1.5),
    vision.Grayscale: (3,),
    vision.HWC2CHW: (),
    vision.HorizontalFlip: (),
    vision.HsvToRgb: (True,),
    vision.Invert: (),
    vision.LinearTransformation: (np.eye(12 * 14 * 3) * 2, np.ones(12 * 14 * 3)),
    vision.Normalize: ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]),
    vision.NormalizePad: ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0], "float16"),
    vision.Pad: ((1, 2), (7, 8, 9)),
    vision.PadToSize: ((20, 15),),
    vision.Perspective: (*POINTS, vision.Inter.LINEAR),
    vision.Posterize: (3,),
    vision.RandAugment: (3, 20),
    vision.RandomAdjustSharpness: (1.5,),
    vision.RandomAffine: (20, (-0.1, 0.1), (0.8, 1.2), 10),
    vision.RandomAutoContrast: (5.0, [3]),
    vision.RandomColor: (),
    vision.RandomColorAdjust: (0.4, 0.4, 0.4, 0.1),
    vision.RandomCrop: ((10, 11), (1, 2)),
    vision.RandomEqualize: (),
    vision.RandomGrayscale: (0.5,),
    vision.RandomHorizontalFlip: (),
    vision.RandomInvert: (),
    vision.RandomLighting: (0.5,),
    vision.RandomPerspective: (),
    vision.RandomPosterize: ((1, 8),),
    vision.RandomResize: ((9, 10),),
    vision.RandomResizedCrop: ((9, 10),),
    vision.RandomRotation: (30, vision.Inter.LINEAR),
    vision.RandomSelectSubpolicy: (POLICY,),
    vision.RandomSharpness: (),
    vision.RandomSolarize: (),
    vision.RandomVerticalFlip: (),
    vision.Rescale: (1 / 255, -0.5),
    vision.Resize: ((9, 17),),
    vision.ResizedCrop: (1, 2, 8, 9, (5, 6)),
    vision.RgbToHsv: (True,),
    vision.Rotate: (30, vision.Inter.CUBIC, True),
    vision.SlicePatches: (2, 3),
    vision.Solarize: ((10, 100),),
    vision.TenCrop: (5, True),
    vision.ToNumpy: (),
    vision.ToTensor: (),
    vision.ToType: ("float32",),
    vision.TrivialAugmentWide: (),
    vision.UniformAugment: (SEVERAL, 2),
    vision.VerticalFlip: (),
}
OTHER_SAMPLES = {
    vision.CutMixBatch: ((vision.ImageBatchFormat.NHWC,), (BATCHES, ONE_HOT)),
    vision.MixUp: ((4, 0.5), (BATCHES, ONE_HOT)),
    vision.MixUpBatch: ((0.5,), (BATCHES, ONE_HOT)),
    vision.BoundingBoxAugment: ((vision.Invert(), 0.5), (RGB, BOXES)),
    vision.RandomCropWithBBox: ((8, (1, 2)), (RGB, BOXES)),
    vision.RandomErasing: ((), (CHW,)),
    vision.RandomHorizontalFlipWithBBox: ((), (RGB, BOXES)),
    vision.RandomResizeWithBBox: (((9, 10),), (RGB, BOXES)),
    vision.RandomResizedCropWithBBox: (((9, 10),), (RGB, BOXES)),
    vision.RandomVerticalFlipWithBBox: ((), (RGB, BOXES)),
    vision.ResizeWithBBox: (((9, 10),), (RGB, BOXES)),
    transforms.Compose: (([vision.RandomCrop(8), vision.ToTensor()],), (RGB,)),
    transforms.Concatenate: ((0, np.array([9]), np.array([8, 7])), (VECTORS,)),
    transforms.Duplicate: ((), (VECTORS,)),
    transforms.Fill: ((3,), (VECTORS,)),
    transforms.Mask: ((transforms.Relational.GT, 1), (VECTORS,)),
    transforms.OneHot: ((5, 0.1), (LABELS,)),
    transforms.PadEnd: (([8], -1), (VECTORS,)),
    transforms.RandomApply: ((SEVERAL,), (RGB,)),
    transforms.RandomChoice: ((SEVERAL,), (RGB,)),
    transforms.RandomOrder: ((SEVERAL,), (RGB,)),
    transforms.Slice: (([0, 2],), (VECTORS,)),
    transforms.TypeCast: (("float16",), (VECTORS,)),
    transforms.Unique: ((), (VECTORS.reshape(ROWS, 2, 3),)),
    **AUDIO_SAMPLES,
}
# These take bytes of images or give PIL images; tests/transforms/test_decode.py tries them.
WITHOUT_SAMPLE = {vision.Decode, vision.RandomCropDecodeResize, vision.ToPIL}


def public_transforms() -> set[type[Transform]]:
    """Every transform that the packages export."""
    rooms = (audio, vision, transforms)
    exported = [getattr(room, name) for room in rooms for name in room.__all__]
    return {thing for thing in exported if isinstance(thing, type) and issubclass(thing, Transform)}


SAMPLES = {
    **{kind: Sample(kind(*args), (RGB,)) for kind, args in IMAGE_SAMPLES.items()},
    **{kind: Sample(kind(*args), columns) for kind, (args, columns) in OTHER_SAMPLES.items()},
}
