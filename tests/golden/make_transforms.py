"""Make tests/golden/transforms/*.npz: run this with a Python that has the real MindSpore.

Each array is named by what made it: ``<expression> @ <input>``, where the expression is a transform
of MindSpore and the input another array of the file. The test evaluates the same text with ours.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent / "transforms"


def inputs() -> dict[str, np.ndarray]:
    """Small images and vectors that every kind of transform can be tried on."""
    rng = np.random.default_rng(7)
    smooth = rng.normal(120, 40, (12, 14, 3)).clip(0, 255).astype(np.uint8)
    rgb = rng.integers(0, 256, (13, 17, 3), dtype=np.uint8)
    return {
        "rgb": rgb,
        "gray": rgb[:, :, 0].copy(),
        "gray1": rgb[:, :, :1].copy(),
        "rgba": rng.integers(0, 256, (6, 7, 4), dtype=np.uint8),
        "float": rgb[:7, :8].astype(np.float32),
        "unit": rng.random((5, 6, 3)).astype(np.float32),
        "chw": rng.random((3, 5, 6)).astype(np.float32),
        "u16": rng.integers(0, 65536, (9, 8, 3)).astype(np.uint16),
        "smooth": smooth,
        "stack": rng.integers(0, 256, (2, 6, 7, 3), dtype=np.uint8),
        "boxes": np.array([[5, 6, 8, 4], [3, 2, 6, 9], [0, 0, 17, 13]], np.float32),
        "label": np.array(2, np.int32),
        "labels": np.array([[1], [0], [3]], np.int64),
        "vector": np.array([1, 2, 3], np.int32),
        "real": np.array([-1.5, 300.7, 2.5, 3.5, -0.5], np.float64),
        "matrix": np.arange(6, dtype=np.float32).reshape(2, 3),
        "text": np.array(["a", "bb"]),
    }


POINTS = "[[0, 0], [16, 0], [16, 12], [0, 12]], [[1, 1], [15, 0], [16, 11], [2, 10]]"

SIZES = ["(7, 9)", "(26, 20)", "(12, 5)", "(18, 21)", "(20, 9)", "9", "(13, 17)"]
RESIZE = [
    f"vision.Resize({s}, vision.Inter.{i})"
    for s in SIZES
    for i in ("NEAREST", "LINEAR", "CUBIC", "AREA")
]
WARPS = [
    f"vision.{call}, vision.Inter.{i}, {more})"
    for call, more in [
        ("Rotate(30", "fill_value=(7, 8, 9)"),
        ("Rotate(-100.5", "True, fill_value=3"),
        ("Rotate(10", "center=(3, 4)"),
        ("Affine(15.0, (0.13, -0.2), 0.8, (10.0, 20.0)", "fill_value=(7, 8, 9)"),
        ("Affine(-40, (0, 0), 1.3, 15", "fill_value=0"),
    ]
    for i in ("NEAREST", "LINEAR", "CUBIC", "AREA")
] + [f"vision.Perspective({POINTS}, vision.Inter.{i})" for i in ("NEAREST", "LINEAR", "CUBIC")]
COLOUR = [
    "vision.AdjustBrightness(0.3)",
    "vision.AdjustBrightness(1.7)",
    "vision.AdjustContrast(0.3)",
    "vision.AdjustContrast(1.7)",
    "vision.AdjustContrast(0)",
    "vision.AdjustSaturation(0.3)",
    "vision.AdjustSaturation(1.7)",
    "vision.AdjustHue(0.1)",
    "vision.AdjustHue(-0.3)",
    "vision.AdjustHue(0)",
    "vision.AdjustSharpness(0.3)",
    "vision.AdjustSharpness(1.7)",
    "vision.AdjustGamma(0.5)",
    "vision.AdjustGamma(2.2, 1.3)",
    "vision.AutoContrast()",
    "vision.AutoContrast(20.5, [100, 120])",
    "vision.AutoContrast(10.0, 3)",
    "vision.Equalize()",
    "vision.Invert()",
    "vision.Posterize(3)",
    "vision.Posterize(0)",
    "vision.Solarize((10, 100))",
    "vision.Solarize(128.5)",
    "vision.GaussianBlur(3)",
    "vision.GaussianBlur(7, 1.5)",
    "vision.GaussianBlur((3, 5), (1.0, 2.0))",
    "vision.RandomColor((0.6, 0.6))",
    "vision.RandomSharpness((1.7, 1.7))",
    "vision.RandomAdjustSharpness(0.5, 1.0)",
    "vision.RandomColorAdjust((1.2, 1.2))",
    "vision.RandomColorAdjust(contrast=(0.4, 0.4))",
    "vision.RandomColorAdjust(saturation=(0.4, 0.4))",
    "vision.RandomColorAdjust((1, 1), (1, 1), (1, 1), hue=(0.2, 0.2))",
    "vision.RandomPosterize((2, 2))",
    "vision.RandomSolarize((100, 100))",
    "vision.RandomAutoContrast(10.0, [3], 1.0)",
    "vision.RandomEqualize(1.0)",
    "vision.RandomInvert(1.0)",
]
SHAPE = [
    "vision.CenterCrop(5)",
    "vision.CenterCrop((20, 4))",
    "vision.CenterCrop((16, 20))",
    "vision.Crop((1, 2), (3, 4))",
    "vision.Pad(2, 7)",
    "vision.Pad((1, 2), (7, 8, 9))",
    "vision.Pad([1, 2, 3, 4], padding_mode=vision.Border.EDGE)",
    "vision.Pad([1, 2, 3, 4], padding_mode=vision.Border.REFLECT)",
    "vision.Pad([1, 2, 3, 4], padding_mode=vision.Border.SYMMETRIC)",
    "vision.PadToSize((20, 22))",
    "vision.PadToSize(21, (1, 3), (7, 8, 9))",
    "vision.HorizontalFlip()",
    "vision.VerticalFlip()",
    "vision.RandomHorizontalFlip(1.0)",
    "vision.RandomVerticalFlip(1.0)",
    "vision.RandomCrop((17, 21), 2)",
    "vision.SlicePatches(2, 3)",
    "vision.SlicePatches(2, 3, vision.SliceMode.DROP)",
    "vision.ResizedCrop(1, 2, 8, 9, (5, 6))",
    "vision.ResizedCrop(1, 2, 8, 9, 12, vision.Inter.CUBIC)",
    "vision.RandomAffine((20, 20), (0.13, 0.13, 0.21, 0.21), (1.3, 1.3), (10, 10, 15, 15))",
    "vision.RandomAffine((20, 20), (0.13, 0.13), fill_value=(7, 8, 9))",
    "vision.RandomRotation((20, 20), vision.Inter.LINEAR, fill_value=(7, 8, 9))",
    "vision.HWC2CHW()",
    "vision.Rescale(1 / 255, -0.5)",
    "vision.ToTensor()",
    "vision.ToNumpy()",
]
NORMALISE = [
    "vision.Normalize([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])",
    "vision.Normalize([1.5], [4.0])",
    "vision.Erase(1, 2, 3, 4, (7, 8, 9))",
    "vision.Erase(10, 12, 10, 4, 5)",
]
CONVERT = [
    f"vision.ConvertColor(vision.ConvertMode.COLOR_{m})"
    for m in (
        *("BGR2BGRA", "BGRA2BGR", "BGR2RGBA", "RGBA2BGR", "BGR2RGB", "BGRA2RGBA"),
        *("BGR2GRAY", "RGB2GRAY", "BGRA2GRAY", "RGBA2GRAY"),
    )
]


def cases() -> list[tuple[str, str]]:
    """(expression, input) pairs."""
    return [
        *[(e, i) for e in RESIZE for i in ("rgb", "gray", "float")],
        *[
            (f"vision.Resize({s}, vision.Inter.{i})", "u16")
            for s in SIZES[:2]
            for i in ("LINEAR", "CUBIC")
        ],
        *[(f"vision.Resize({s}, vision.Inter.PILCUBIC)", "rgb") for s in SIZES],
        *[(e, i) for e in WARPS for i in ("rgb", "gray", "float")],
        # Where MindSpore's hue of float images is meant to be, there are values such as -1.9e15.
        *[
            (e, i)
            for e in COLOUR
            for i in ("rgb", "smooth", "float", "gray")
            if "ue" not in e or i != "float"
        ],
        ("vision.RandomResizedCrop((5, 6), (1.0, 1.0), (17 / 13, 17 / 13))", "rgb"),
        *[(e, i) for e in SHAPE for i in ("rgb", "gray", "gray1", "float", "stack")],
        *[(e, i) for e in NORMALISE for i in ("rgb", "float", "u16", "gray")],
        *[(e, i) for e in CONVERT for i in ("rgba", "rgb", "float")],
        *[
            (f"vision.ConvertColor(vision.ConvertMode.COLOR_{m})", "gray1")
            for m in ("GRAY2BGR", "GRAY2RGBA")
        ],
        ("vision.Normalize([0.1, 0.2, 0.3], [0.4, 0.5, 0.6], is_hwc=False)", "chw"),
        # With is_hwc, MindSpore puts the zeros behind the image instead of behind each pixel.
        ("vision.NormalizePad([0.1, 0.2, 0.3], [0.4, 0.5, 0.6], is_hwc=False)", "chw"),
        ("vision.NormalizePad([0.1, 0.2, 0.3], [0.4, 0.5, 0.6], 'float16', False)", "chw"),
        ("vision.ToTensor(np.float16)", "rgb"),
        ("vision.RgbToHsv(True)", "unit"),
        ("vision.RgbToHsv()", "chw"),
        ("vision.HsvToRgb(True)", "unit"),
        ("vision.HsvToRgb()", "chw"),
        ("vision.LinearTransformation(np.eye(90) * 2, np.ones(90))", "chw"),
        ("vision.AdjustGamma(2.2, 1.3)", "unit"),
        *[
            (f"vision.{e}", "rgb, boxes")
            for e in (
                "ResizeWithBBox((20, 9))",
                "RandomResizedCropWithBBox((5, 6), (1.0, 1.0), (17 / 13, 17 / 13))",
                "RandomHorizontalFlipWithBBox(1.0)",
                "RandomVerticalFlipWithBBox(1.0)",
                "RandomCropWithBBox((17, 21), 2)",
                "BoundingBoxAugment(vision.Posterize(2), 1.0)",
            )
        ],
        ("transforms.OneHot(4)", "label"),
        ("transforms.OneHot(4)", "labels"),
        ("transforms.OneHot(4, 0.3)", "label"),  # of several labels, MindSpore smooths but one
        *[(f"transforms.TypeCast(np.{t})", "real") for t in ("uint8", "int32", "float16", "bool_")],
        ("transforms.TypeCast('float32')", "vector"),
        ("transforms.Fill(1.7)", "vector"),
        ("transforms.Fill(-1)", "rgba"),
        ("transforms.Fill('x')", "text"),
        *[
            (f"transforms.Mask(transforms.Relational.{r}, 2)", "vector")
            for r in ("EQ", "NE", "GT", "GE", "LT", "LE")
        ],
        ("transforms.Mask(transforms.Relational.GT, 1.5)", "matrix"),
        ("transforms.Mask(transforms.Relational.GT, -1)", "rgba"),
        ("transforms.Mask(transforms.Relational.GT, 'a')", "text"),
        ("transforms.PadEnd([5], -1)", "vector"),
        ("transforms.PadEnd([2])", "vector"),
        ("transforms.PadEnd([3, 4], 9)", "matrix"),
        ("transforms.PadEnd([4], 'p')", "text"),
        ("transforms.Slice(1)", "vector"),
        ("transforms.Slice([2, 0, 0])", "vector"),
        ("transforms.Slice(slice(1, 9))", "vector"),
        ("transforms.Slice(slice(0, 1), [0, 2])", "matrix"),
        ("transforms.Slice(..., -1)", "matrix"),
        ("transforms.Slice([1])", "text"),
        (
            "transforms.Concatenate(0, np.array([9], np.int32), np.array([8, 7], np.int32))",
            "vector",
        ),
        ("transforms.Concatenate(append=np.array(['zzz']))", "text"),
        ("transforms.Duplicate()", "vector"),
        ("transforms.Unique()", "rgba"),
    ]


PIL_CASES = [
    *[
        f"vision.Resize({s}, vision.Inter.{i})"
        for s in ("(7, 9)", "(18, 21)", "9")
        for i in ("NEAREST", "LINEAR", "CUBIC", "ANTIALIAS")
    ],
    "vision.CenterCrop(5)",
    "vision.CenterCrop((20, 4))",
    "vision.Pad((1, 2), (7, 8, 9))",
    "vision.Pad(2, padding_mode=vision.Border.REFLECT)",
    "vision.RandomCrop((17, 21), 2)",
    "vision.RandomHorizontalFlip(1.0)",
    "vision.RandomVerticalFlip(1.0)",
    "vision.AdjustBrightness(0.3)",
    "vision.AdjustContrast(1.7)",
    "vision.AdjustSaturation(1.7)",
    "vision.AdjustHue(0.1)",
    "vision.AdjustGamma(2.2, 1.3)",
    "vision.AutoContrast(10.0)",
    "vision.Equalize()",
    "vision.Invert()",
    "vision.RandomColor((0.6, 0.6))",
    "vision.RandomSharpness((1.7, 1.7))",
    "vision.RandomResizedCrop((5, 6), (1.0, 1.0), (17 / 13, 17 / 13))",
    "vision.RandomRotation((20, 20), vision.Inter.LINEAR, fill_value=(7, 8, 9))",
    "vision.RandomAffine((20, 20), scale=(1.3, 1.3), shear=(10, 10, 15, 15))",
    "vision.Perspective("
    "[[0, 0], [16, 1], [15, 12], [1, 11]], [[1, 2], [13, 0], [16, 11], [3, 10]])",
    "vision.Grayscale(1)",
    "vision.Grayscale(3)",
    "vision.ToTensor()",
    "vision.Rescale(1 / 255, -0.5)",
    "vision.RandomGrayscale(1.0)",
    "vision.FiveCrop(5)",
    "vision.TenCrop(5, True)",
]


def main() -> None:
    import mindspore.dataset.transforms as transforms
    import mindspore.dataset.vision as vision
    from PIL import Image

    names = {"vision": vision, "transforms": transforms, "np": np}
    samples = inputs()
    for file, pairs in {
        "arrays": cases(),
        "pillow": [(e, "rgb") for e in PIL_CASES],
    }.items():
        arrays = {f"input/{name}": array for name, array in samples.items()}
        refused = []
        for expression, name in pairs:
            # A copy, because MindSpore writes to boxes.
            columns = [samples[part].copy() for part in name.split(", ")]
            if file == "pillow":
                columns = [Image.fromarray(column) for column in columns]
            try:
                out = eval(expression, names)(*columns)
            except (RuntimeError, TypeError, ValueError) as reason:
                refused.append((expression, name, str(reason)))
                continue
            columns = out if isinstance(out, tuple) else (out,)
            for i, column in enumerate(columns):
                arrays[f"{expression} @ {name} # {i}"] = np.asarray(column)
        FOLDER.mkdir(exist_ok=True)
        np.savez_compressed(FOLDER / f"{file}.npz", **arrays)
        print(f"{file}: {len(arrays)} arrays; not supported by MindSpore: {len(refused)}")
        for expression, name, _ in refused:
            print("   ", expression, "@", name)


if __name__ == "__main__":
    main()
