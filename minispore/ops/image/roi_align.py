"""ROIAlign: regions of a feature map, resampled to one size."""

from __future__ import annotations

from math import floor
from typing import Any

import numpy as np

from minispore.core.primitive import Cotangents, Primitive
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import check_dtype_kind
from minispore.ops.image.detection import _check_boxes
from minispore.ops.linalg.vector_products import compute_weighted_sums
from minispore.ops.support.arguments import FLOAT_KINDS


class ROIAlign(Primitive):
    """Features pooled over regions, at points between the pixels.

    Args:
        pooled_height, pooled_width: the number of cells of each region along H and W.
        spatial_scale: the factor from the regions' coordinates to the features' coordinates.
        sample_num: points per cell and axis; if not positive, the length of a cell rounded down, at
            least 1.
        roi_end_mode: 1: a region ends one past its last coordinate; 0: at its last coordinate.

    features: (N, C, H, W), rois: (R, 5) of (image index, x1, y1, x2, y2) -> (R, C, ph, pw).

    Source: He et al., Mask R-CNN (2017).

    >>> x = Tensor(np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4))
    >>> print(ROIAlign(1, 1, 1.0, 1)(x, Tensor([[0.0, 0.0, 0.0, 2.0, 2.0]])))
    [[[[7.5]]]]
    """

    pooled_height: int
    pooled_width: int
    spatial_scale: float
    sample_num: int = 2
    roi_end_mode: int = 1

    def check(self) -> None:
        checks.integer(self.name, "pooled_height", self.pooled_height, 1)
        checks.integer(self.name, "pooled_width", self.pooled_width, 1)
        checks.integer(self.name, "sample_num", self.sample_num)
        if self.roi_end_mode not in (0, 1):
            raise ValueError(f"{self.name}: roi_end_mode must be 0 or 1, got {self.roi_end_mode}.")

    def infer(self, features: Spec, rois: Spec) -> Spec:
        if check_dtype_kind(self.name, features, FLOAT_KINDS, "features").ndim != 4:
            raise ValueError(f"{self.name}: features must be (N, C, H, W), got {features}.")
        _check_boxes(self.name, rois, "rois", 5)
        shape = (rois.shape[0], features.shape[1], self.pooled_height, self.pooled_width)
        return Spec(shape, features.dtype)

    def compute_weights(
        self, roi: np.ndarray, height: int, width: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the weights (ph, H) and (pw, W) of the feature rows and columns in each cell.

        The bilinear weight of a point is the product of a weight along y and a weight along x, and
        so is its mean over a cell. A point outside along either axis counts as zero.
        """
        x1, y1, x2, y2 = (float(v) for v in roi[1:5])
        s, end = self.spatial_scale, self.roi_end_mode
        tables = []
        for low, high, cells, n in (
            (y1, y2, self.pooled_height, height),
            (x1, x2, self.pooled_width, width),
        ):
            begin, size = low * s, (high + end) * s - low * s
            if end == 0:
                size = max(size, 1.0)
            cell = size / cells
            points = self.sample_num if self.sample_num > 0 else max(floor(cell), 1)
            # The centres of equal parts of each cell; up to 1 outside they read the edge elements.
            position = begin + cell * ((np.arange(cells * points) + 0.5) / points)
            table = np.zeros((cells, n))
            is_valid = (position >= -1.0) & (position <= n)
            position = np.clip(position, 0, n - 1)
            lower = np.minimum(np.floor(position).astype(int), n - 1)
            rows = np.arange(cells * points) // points
            fraction = position - lower
            np.add.at(table, (rows, lower), np.where(is_valid, 1 - fraction, 0) / points)
            np.add.at(
                table,
                (rows, np.minimum(lower + 1, n - 1)),
                np.where(is_valid, fraction, 0) / points,
            )
            tables.append(table)
        return tables[0], tables[1]

    def kernel(self, features: np.ndarray, rois: np.ndarray, *, out: np.ndarray) -> None:
        """Pool the rows, then the columns of each region by weight matrices; raise for an invalid
        image index.
        """
        n, _, h, w = features.shape
        for r, roi in enumerate(rois):
            image = int(roi[0])
            if not 0 <= image < n:
                raise ValueError(f"{self.name}: rois must name images in [0, {n}), got {image}.")
            rows, columns = self.compute_weights(roi, h, w)
            pooled_rows = compute_weighted_sums(0, rows, features[image])  # (ph, H) @ (C, H, W)
            out[r] = compute_weighted_sums(1, pooled_rows, columns.T)

    def vjp(self, features: Tensor, rois: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        fields = tuple(getattr(self, f) for f in self.fields)
        return (lambda: ROIAlignGrad(*fields)(dout, rois, features.shape),)


class ROIAlignGrad(Primitive):
    """The gradient of ROIAlign with respect to the features, of ``shape``.

    >>> roi = Tensor([[0.0, 0.0, 0.0, 1.0, 1.0]])
    >>> print(ROIAlignGrad(1, 1, 1.0, 1)(Tensor([[[[4.0]]]]), roi, (1, 1, 2, 2))[0, 0])
    [[0. 0.]
     [0. 4.]]
    """

    pooled_height: int
    pooled_width: int
    spatial_scale: float
    sample_num: int = 2
    roi_end_mode: int = 1

    def infer(self, dout: Spec, rois: Spec, shape: Any) -> Spec:
        return Spec(shape, check_dtype_kind(self.name, dout, FLOAT_KINDS, "dout").dtype)

    def _make_forward_op(self) -> ROIAlign:
        """Create the ROIAlign with the same attributes."""
        return ROIAlign(*[getattr(self, f) for f in self.fields])

    def kernel(self, dout: np.ndarray, rois: np.ndarray, shape: Any, *, out: np.ndarray) -> None:
        """Multiply by the transposed weights of each region, and add the result to the gradient of
        its image.
        """
        forward = self._make_forward_op()
        out.fill(0)
        for d, roi in zip(dout, rois, strict=True):
            rows, columns = forward.compute_weights(roi, *shape[2:])
            row_grads = compute_weighted_sums(0, rows.T, d)
            out[int(roi[0])] += compute_weighted_sums(1, row_grads, columns).astype(out.dtype)

    def vjp(self, d: Tensor, rois: Tensor, shape: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: self._make_forward_op()(dout, rois),)


__all__ = [
    "ROIAlign",
]
