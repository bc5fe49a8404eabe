"""Make tests/golden/image_inputs.json: run this with a Python that has the real MindSpore.

For each transform of images and each kind of input: the type, shape and mode of what comes out, or
the type of the error. The test asks the same of ours.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).parent / "image_inputs.json"
SIZES = {
    "hw": (8, 10),
    "hw1": (8, 10, 1),
    "hw2": (8, 10, 2),
    "hw3": (8, 10, 3),
    "hw4": (8, 10, 4),
    "hw5": (8, 10, 5),
    "chw": (3, 8, 10),
    "stack": (2, 8, 10, 3),
    "deep": (2, 2, 8, 10, 3),
    "line": (9,),
    "none": (),
    "empty": (0, 10, 3),
}
TYPES = [
    *("bool", "int8", "uint16", "int16", "int32", "int64", "uint32", "uint64"),
    *("float16", "float32", "float64"),
]
POINTS = "[[0, 0], [9, 0], [9, 7], [0, 7]], [[1, 1], [9, 0], [8, 7], [0, 6]]"
TRANSFORMS = [
    "AdjustBrightness(1.5)",
    "AdjustContrast(1.5)",
    "AdjustGamma(0.7)",
    "AdjustHue(0.2)",
    "AdjustSaturation(1.5)",
    "AdjustSharpness(1.5)",
    "Affine(10.0, (0.1, -0.2), 1.2, (5.0, 3.0))",
    "AutoAugment()",
    "AutoContrast()",
    "CenterCrop(5)",
    "CenterCrop(20)",
    "ConvertColor(vision.ConvertMode.COLOR_RGB2BGR)",
    "ConvertColor(vision.ConvertMode.COLOR_GRAY2RGB)",
    "Crop((1, 2), (3, 4))",
    "CutOut(3)",
    "CutOut(3, 1, False)",
    "Equalize()",
    "Erase(1, 2, 3, 4)",
    "FiveCrop(3)",
    "GaussianBlur(3)",
    "Grayscale(3)",
    "HWC2CHW()",
    "HorizontalFlip()",
    "HsvToRgb(True)",
    "HsvToRgb(False)",
    "Invert()",
    "Normalize([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])",
    "Normalize([1.0, 2.0, 3.0], [4.0, 5.0, 6.0], False)",
    "NormalizePad([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])",
    "NormalizePad([1.0, 2.0, 3.0], [4.0, 5.0, 6.0], 'float16', False)",
    "Pad(2)",
    "Pad(2, 0, vision.Border.EDGE)",
    "PadToSize(20)",
    f"Perspective({POINTS})",
    "Posterize(3)",
    "Posterize(8)",
    "RandAugment()",
    "RandomAdjustSharpness(1.5, 1.0)",
    "RandomAdjustSharpness(1.5, 0.0)",
    "RandomAffine((10, 10))",
    "RandomAutoContrast(prob=1.0)",
    "RandomAutoContrast(prob=0.0)",
    "RandomColor((0.5, 0.5))",
    "RandomColor((1, 1))",
    "RandomColorAdjust((0.5, 0.5))",
    "RandomColorAdjust()",
    "RandomCrop(5)",
    "RandomCrop(5, 1)",
    "RandomEqualize(1.0)",
    "RandomEqualize(0.0)",
    "RandomErasing(0.0)",
    "RandomErasing(1.0)",
    "RandomGrayscale(1.0)",
    "RandomGrayscale(0.0)",
    "RandomHorizontalFlip(1.0)",
    "RandomHorizontalFlip(0.0)",
    "RandomInvert(1.0)",
    "RandomInvert(0.0)",
    "RandomLighting(0.1)",
    "RandomPerspective(prob=1.0)",
    "RandomPerspective(prob=0.0)",
    "RandomPosterize((3, 3))",
    "RandomResize((5, 6))",
    "RandomResizedCrop(5)",
    "RandomRotation((20, 20))",
    "RandomSelectSubpolicy([[(vision.VerticalFlip(), 1.0)]])",
    "RandomSharpness((1.5, 1.5))",
    "RandomSharpness((1, 1))",
    "RandomSolarize((9, 9))",
    "RandomVerticalFlip(1.0)",
    "RandomVerticalFlip(0.0)",
    "Rescale(2.0, 1.0)",
    "Resize(5)",
    "Resize((5, 6), vision.Inter.CUBIC)",
    "Resize((5, 6), vision.Inter.AREA)",
    "Resize((5, 6), vision.Inter.PILCUBIC)",
    "ResizedCrop(1, 2, 3, 4, 5)",
    "RgbToHsv(True)",
    "RgbToHsv(False)",
    "Rotate(20)",
    "Rotate(90)",
    "SlicePatches(2, 2)",
    "Solarize(9)",
    "TenCrop(3)",
    "ToNumpy()",
    "ToPIL()",
    "ToTensor()",
    "ToType('float32')",
    "TrivialAugmentWide()",
    "VerticalFlip()",
    "Decode()",
    "Decode(True)",
]


def inputs(image: Any) -> dict[str, tuple[Any, ...]]:
    """Each kind of input; ``image`` is the module PIL.Image."""
    rng = np.random.default_rng(3)
    outputs_by_name: dict[str, tuple[Any, ...]] = {
        name: (rng.integers(0, 256, size).astype(np.uint8),) for name, size in SIZES.items()
    }
    low = rng.integers(0, 2, (8, 10, 3))
    outputs_by_name |= {kind: (low.astype(kind),) for kind in TYPES}
    outputs_by_name |= {"text": (np.array(["a", "b"]),), "complex": (low.astype(complex),)}
    outputs_by_name |= {"unit": (rng.random((8, 10, 3)).astype(np.float32),)}
    outputs_by_name |= {"unit chw": (rng.random((3, 8, 10)).astype(np.float32),)}
    for mode in ("L", "RGB", "RGBA"):
        size = (8, 10) if mode == "L" else (8, 10, len(mode))
        outputs_by_name["pil " + mode] = (
            image.fromarray(rng.integers(0, 256, size).astype(np.uint8)),
        )
    outputs_by_name |= {
        "two": outputs_by_name["hw3"] * 2,
        "nothing": (),
        "list": ([1, 2],),
        "None": (None,),
    }
    return outputs_by_name | {"bytes": (b"ab",), "object": (np.array([1, None]),)}


def outcome(operation: Any, row: tuple[Any, ...]) -> str:
    """Return in short what an operation makes of an input."""
    try:
        out = operation(*row)
    except Exception as error:
        return type(error).__name__
    return describe_result(out)


def describe_result(out: Any) -> str:
    """Return type and shape of a result."""
    if isinstance(out, tuple | list):
        return " ".join(map(describe_result, out))
    if hasattr(out, "getbands"):
        return f"pil {out.mode} {out.size[1]}x{out.size[0]}"
    return f"{out.dtype} {'x'.join(map(str, out.shape))}" if hasattr(out, "dtype") else repr(out)


if __name__ == "__main__":
    from mindspore.dataset import vision
    from PIL import Image

    outcomes = {}
    for expression in TRANSFORMS:
        operation = eval("vision." + expression, {"vision": vision})
        outcomes[expression] = {k: outcome(operation, row) for k, row in inputs(Image).items()}
    FILE.write_text(json.dumps(outcomes, indent=0))
    os._exit(0)
