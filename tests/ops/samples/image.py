"""Samples of resizing, sampling at points, sliding blocks, boxes and colours."""

from __future__ import annotations

import numpy as np

from minispore import ops as P
from minispore.ops.image.position_sensitive import PSROIPooling, PSROIPoolingGrad
from minispore.ops.image.roi_align import ROIAlignGrad
from minispore.ops.linalg.vector_products import WeightedSums
from tests.ops.samples import bad, floats, ints, positive, sample

IMAGE = floats(1, 2, 3, 4)
for flags in ((False, False), (True, False), (False, True)):
    sample(P.ResizeNearestNeighbor((5, 3), *flags), IMAGE)
    sample(P.ResizeNearestNeighborV2(*flags), IMAGE, (2, 6))
    sample(P.ResizeBilinear((5, 3), *flags), IMAGE)
    sample(P.ResizeBilinearV2(*flags), IMAGE, (2, 6))
    sample(P.ResizeBicubic(*flags), IMAGE, (5, 3))
WEIGHTS = np.array([[1, 0], [0.5, 0.5], [0, -1]], np.float32)
sample(WeightedSums(0), WEIGHTS, floats(2, 2, 4), wrt=(1,))
sample(WeightedSums(0, True), WEIGHTS, floats(3, 4), wrt=(1,))
sample(WeightedSums(1), floats(2, 4, 3), WEIGHTS, wrt=(0,))
sample(WeightedSums(1, True), floats(4, 2), WEIGHTS, wrt=(0,))
bad(WeightedSums(1, True), floats(4, 3), WEIGHTS, match="inner lengths")
for op in (P.ResizeNearestNeighbor((5, 3)), P.ResizeBilinear((5, 3))):
    bad(op, floats(3, 4), match="must have 4 axes")
for op in (P.ResizeNearestNeighborV2(), P.ResizeBilinearV2(), P.ResizeBicubic(), P.ResizeArea()):
    bad(op, IMAGE, (2, 3, 4), match="size must hold 2 lengths")
sample(P.ResizeArea(), floats(1, 4, 6, 2), (2, 4))
sample(P.ResizeLinear1D(), floats(1, 2, 4), (7,))
sample(P.ResizeLinear1D("half_pixel"), floats(1, 2, 4), (3,))
bad(P.ResizeLinear1D(), IMAGE, (3,), match="must have 3 axes")
VOLUME = floats(1, 1, 2, 2, 3)
sample(P.UpsampleNearest3D(), VOLUME, (3, 4, 5))
sample(P.UpsampleTrilinear3D(), VOLUME, None, (2.0, 1.5, 1.0))
sample(P.UpsampleTrilinear3D(True), VOLUME, (3, 4, 5))
for op in (P.UpsampleNearest3D(), P.UpsampleTrilinear3D()):
    bad(op, VOLUME, match="exactly one of output_size and scales")

for padding in ("zeros", "border", "reflection"):
    for corners in (False, True):
        points = floats(1, 2, 3, 2, low=-0.9, high=0.9)
        op = P.GridSampler2D("bilinear", padding, corners)
        sample(op, IMAGE, points, second=False, why_not="kinks")
        sample(P.GridSampler2D("nearest", padding, corners), IMAGE, points, wrt=(0,))
points = floats(1, 2, 1, 2, 3, low=-0.9, high=0.9)
sample(P.GridSampler3D(), VOLUME, points, second=False, why_not="kinks")
bad(P.GridSampler2D(), IMAGE, floats(1, 2, 3, 3), match="grid be (N, ..., 2)")
bad(P.GridSampler3D(), VOLUME, floats(2, 1, 1, 1, 3), match="the same N")
bad(lambda: P.GridSampler2D("cubic"), match="interpolation_mode must be", name="GridSampler2D")
sample(P.AffineGrid(), floats(2, 2, 3), (2, 1, 3, 4))
sample(P.AffineGrid(True), floats(1, 3, 4), (1, 1, 2, 2, 3))
bad(P.AffineGrid(), floats(1, 2, 2), (1, 1, 2, 2), match="theta must have shape (1, 2, 3)")
BOXES, WHICH = np.float32([[0.1, 0.2, 0.85, 0.9], [0.3, -0.4, 0.7, 1.3]]), np.int32([0, 0])
for how in ("bilinear", "nearest", "bilinear_v2"):
    sample(P.CropAndResize(how, 0.5), floats(1, 3, 4, 2), BOXES, WHICH, (2, 3), wrt=(0,))
bad(P.CropAndResize(), IMAGE, floats(2, 3), WHICH, (2, 2), match="boxes (B, 4)")

sample(P.Im2Col((2, 1), 1, (1, 2), (1, 0)), IMAGE)
bad(P.Im2Col(5), IMAGE, match="a block must fit")
sample(P.Col2Im(2, 1, 1, 2), floats(1, 2, 4, 6), (3, 4))
bad(P.Col2Im(2), floats(1, 2, 4, 5), (3, 4), match="must hold 6 blocks")
sample(P.ExtractImagePatches((1, 1, 2, 2), (1, 1, 1, 2), (1, 1, 1, 1)), IMAGE)
sample(P.ExtractImagePatches((1, 1, 2, 2), (1, 1, 2, 2), (1, 1, 1, 1), "same"), IMAGE)
bad(
    lambda: P.ExtractImagePatches((2, 2), (1, 1), (1, 1)),
    match="ksizes must be (1, 1,",
    name="ExtractImagePatches",
)

VOLUME = np.arange(48, dtype=np.float32).reshape(1, 2, 2, 3, 4) / 8
sample(P.ExtractVolumePatches(2, 1, "valid"), VOLUME)
sample(P.ExtractVolumePatches((1, 1, 2, 1, 3), (1, 1, 2, 2, 2), "SAME"), VOLUME)
bad(P.ExtractVolumePatches(3, 1, "VALID"), VOLUME, match="a block must fit")
bad(lambda: P.ExtractVolumePatches(2, 1, "full"), match="padding must", name="ExtractVolumePatches")

FLAT = "MindSpore has no gradient of it"
A = np.float32([[0, 0, 9, 9], [5, 5, 14, 14], [20, 20, 22, 24]])
G = np.float32([[0, 0, 9, 9], [4, 4, 10, 12], [21, 19, 22, 22]])
for mode in ("iou", "iof"):
    sample(P.IOU(mode), A, G[:2], wrt=(), why_not=FLAT)
bad(P.IOU(), A, ints(3, 4), match="must be a float tensor", error=TypeError)
sample(P.BoundingBoxEncode((0.1,) * 4, (0.5,) * 4), A, G, wrt=(), why_not=FLAT)
bad(P.BoundingBoxEncode(), A, G[:2], match="must have the shape")
sample(P.BoundingBoxDecode((20, 20)), A, G * 0.1, wrt=(), why_not=FLAT)
bad(P.BoundingBoxDecode((20, 20)), A, G[:2], match="must have the shape")
sample(P.CheckValid(), A, np.float32([20, 20, 1]), wrt=(), why_not=FLAT)
_CORNERS = [[0, 0, 254, 254], [0, 0, 255, 9], [1, 2, 9, 9]]
for _whole in (np.uint8, np.int16):  # the image is 255 high and wide
    sample(P.CheckValid(), _whole(_CORNERS), _whole([51, 51, 5]), wrt=(), why_not=FLAT)
for _other in (np.int32, np.float64):
    bad(P.CheckValid(), _other(_CORNERS), np.float32([9, 9, 1]), match="bboxes", error=TypeError)
    bad(P.CheckValid(), A, _other([9, 9, 1]), match="img_metas must be", error=TypeError)
bad(P.CheckValid(), A, np.int16([9, 9, 1]), match="must both be floats or", error=TypeError)
bad(P.CheckValid(), A, floats(2), match="must hold 3 numbers")
sample(P.NMSWithMask(0.1), np.c_[A, np.float32([0.5, 0.9, 0.7])], wrt=(), why_not=FLAT)
bad(P.NMSWithMask(), A, match="must have shape (N, 5)")
sample(P.NonMaxSuppressionV3(), A, np.float32([0.5, 0.9, 0.7]), 2, 0.1, 0.0, wrt=(), why_not=FLAT)
bad(P.NonMaxSuppressionV3(), A, floats(2), 2, 0.1, 0.0, match="scores (N,)")
ROIS = np.float32([[0, 0.2, 0.3, 3, 2.5], [0, -2, -3, 1, 9]])
for num in (2, 0, -1):
    for end in (1, 0):
        sample(P.ROIAlign(2, 2, 0.9, num, end), IMAGE, ROIS, wrt=(0,))
sample(ROIAlignGrad(2, 2, 0.9), floats(2, 2, 2, 2), ROIS, IMAGE.shape, wrt=(0,))
bad(P.ROIAlign(2, 2, 1.0), IMAGE, floats(2, 4), match="must have shape (N, 5)")

COLOURS = positive(2, 2, 3) / 2
sample(P.RGBToHSV(), COLOURS, wrt=(), why_not=FLAT)
sample(P.HSVToRGB(), COLOURS[None], wrt=(), why_not=FLAT)
sample(P.AdjustHue(), COLOURS, 0.3, wrt=(), why_not=FLAT)
sample(P.AdjustSaturation(), COLOURS, 1.5, wrt=(), why_not=FLAT)
bad(P.RGBToHSV(), floats(2, 2, 2), match="must hold 3 channels")
bad(P.HSVToRGB(), floats(1, 2, 2, 2), match="must hold 3 channels")
bad(P.HSVToRGB(), COLOURS, match="must have the axes (N, H, W, 3)")
for op in (P.AdjustHue(), P.AdjustSaturation()):
    bad(op, floats(2, 2, 2), 0.5, match="must hold 3 channels")

for wrong, match in (
    ({"strides": (2, 1, 1, 1)}, "strides must begin with 1, 1"),
    ({"pads": (0, 0)}, "pads must have 4 numbers"),
    ({"modulated": False}, "modulated must be True"),
    ({"data_format": "NHWC"}, "data_format must be 'NCHW'"),
    ({"deformable_groups": 0}, "deformable_groups must be >= 1"),
):
    given = {"strides": (1, 1, 1, 1), "pads": (0, 0, 0, 0), "ksize": (2, 2), **wrong}
    bad(lambda given=given: P.DeformableOffsets(**given), match=match, name="DeformableOffsets")
moved = P.DeformableOffsets((1, 1, 1, 1), (1, 0, 0, 0), (2, 2))
sample(moved, IMAGE, floats(1, 12, 3, 3, low=0.1, high=0.4))
bad(moved, IMAGE, floats(1, 12, 3, 2), match="offsets must have the shape (1, 12, 3, 3)")
bad(moved, IMAGE[0], floats(1, 12, 3, 2), match="x must have 4 axes")
bad(moved, IMAGE.astype(np.int32), floats(1, 12, 3, 3), match="x must be a Tensor of floats",
    error=TypeError)  # fmt: skip

small = np.float32([[0.2, 0.1]])
for flags in ((True, True), (False, False)):
    op = P.ExtractGlimpse(*flags, False, "zero")
    sample(op, floats(1, 5, 4, 2), (2, 3), small, wrt=(), why_not=FLAT)
sample(P.ExtractGlimpse(noise="uniform"), floats(1, 2, 2, 1), (4, 4), small, wrt=(), why_not=FLAT)
bad(P.ExtractGlimpse(), floats(1, 5, 4, 2), (2, 3, 1), small, match="size must hold 2 lengths")
half, single = (0.5, 1.5), "it gives float32; tests/ops/test_golden_rare.py has its slope"
sample(
    P.ScaleAndTranslate("triangle"),
    floats(1, 4, 3, 2),
    (2, 4),
    half,
    (0.0, 0.1),
    wrt=(),
    why_not=single,
)
sample(
    P.ScaleAndTranslate("lanczos3", False),
    floats(2, 4, 3, 1),
    (2, 4),
    half,
    half,
    wrt=(),
    why_not=single,
)
bad(P.ScaleAndTranslate(), floats(4, 3, 2), (2, 4), half, half, match="must have 4 axes")
box, drawn = np.float32([[[0.2, 0.2, 0.7, 0.7]]]), P.SampleDistortedBoundingBoxV2
sample(drawn(), np.int32([64, 48, 3]), box, np.float32([0.1]), wrt=(), why_not=FLAT)
bad(drawn(), np.int32([64, 48, 3]), box[:, :0], np.float32([0.1]), match="must hold a box")

overlapped = np.float32([[[[0.1, 0.2, 0.5, 0.6]], [[0.1, 0.2, 0.5, 0.62]], [[0.6, 0.6, 1.2, 0.9]]]])
graded, limits = np.float32([[[0.9, 0.1], [0.8, 0.7], [0.3, 0.6]]]), (3, 4, 0.5, 0.2)
combined = P.CombinedNonMaxSuppression
sample(combined(), overlapped, graded, *limits, wrt=(), why_not=FLAT)
sample(combined(True, False), overlapped, graded, 1, 9, 0.5, 0.2, wrt=(), why_not=FLAT)
bad(combined(), overlapped, graded, 0, *limits[1:], match="max_output_size_per_class must be >= 1")
overlaps, order = np.float32([[1, 0.6, 0.1], [0.6, 1, 0.2], [0.1, 0.2, 1]]), np.float32([3, 9, 5])
suppression = P.NonMaxSuppressionWithOverlaps()
sample(suppression, overlaps, order, 3, 0.5, 0.1, wrt=(), why_not=FLAT)
bad(suppression, overlaps, order[:2], 3, 0.5, 0.1, match="overlaps must be (N, N)")
region = np.float32([[[0, 0], [0, 2], [0, 1], [8, 5], [9, 6]]])
sample(PSROIPooling(0.5, 2, 2), floats(1, 8, 5, 5), region, wrt=(0,))
bad(PSROIPooling(0.5, 2, 1), floats(1, 8, 5, 5), region, match="features must be (N, 4, H, W)")
sample(PSROIPoolingGrad(0.5, 2, 2), floats(2, 2, 2, 2), region, (1, 8, 5, 5), wrt=(0,))
