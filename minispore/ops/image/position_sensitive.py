"""PSROIPooling: means over the cells of regions, with separate channels for each cell."""

from __future__ import annotations

from math import ceil, floor
from typing import Any

import numpy as np

from minispore.core.primitive import Cotangents, Primitive
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import check_dtype_kind, choose_sum_dtype


class PSROIPooling(Primitive):
    """The mean of each cell of each region.

    Channel d of cell (i, j) is read from channel d G G + i G + j of the features. Corners are
    rounded; the last row and column of the features are never read.

    Args:
        spatial_scale: the factor from the regions' coordinates to the features' coordinates.
        group_size: G, the number of cells of a region along each axis.
        output_dim: D, the number of output channels.
        features (Tensor): float16 or float32 (N, D G G, H, W).
        rois (Tensor): float (B, 5, R), rows of image, x1, y1, x2, y2.

    Returns:
        Tensor, (B R, D, G, G).

    Source: Dai et al., R-FCN (2016).

    >>> x = Tensor(np.arange(36, dtype=np.float32).reshape(1, 4, 3, 3))
    >>> roi = Tensor([[[0.0], [0.0], [0.0], [2.0], [2.0]]])
    >>> print(PSROIPooling(1.0, 2, 1)(x, roi)[0, 0])
    [[ 0. 10.]
     [21. 31.]]
    """

    spatial_scale: float
    group_size: int
    output_dim: int

    def check(self) -> None:
        """Check that the scale is not negative, and that group size and channels are at least 1."""
        checks.floating(self.name, "spatial_scale", self.spatial_scale)
        if self.spatial_scale < 0:
            rule = "not be negative"
            raise ValueError(
                checks.format_error(self.name, "spatial_scale", rule, f"{self.spatial_scale}")
            )
        checks.integer(self.name, "group_size", self.group_size, 1)
        checks.integer(self.name, "output_dim", self.output_dim, 1)

    def infer(self, features: Spec, rois: Spec) -> Spec:
        """Return the spec (regions, output_dim, G, G); raise unless the channels are output_dim *
        G^2.
        """
        channels = self.output_dim * self.group_size**2
        check_dtype_kind(self.name, features, "f", "features")
        if features.ndim != 4 or features.shape[1] != channels:
            rule = f"be (N, {channels}, H, W), with output_dim * group_size ** 2 channels"
            raise ValueError(checks.format_error(self.name, "features", rule, f"{features}"))
        check_dtype_kind(self.name, rois, "f", "rois")
        if rois.ndim != 3 or rois.shape[1] != 5:
            raise ValueError(checks.format_error(self.name, "rois", "be (B, 5, R)", f"{rois}"))
        cells = (self.group_size, self.group_size)
        count = rois.shape[0] * rois.shape[2]
        return Spec((count, self.output_dim, *cells), features.dtype)

    def iterate_cells(self, rois: np.ndarray, shape: tuple[int, ...]) -> Any:
        """Yield (region, image, i, j, rows, columns) of each cell (i, j) that is not empty.

        Rows and columns are slices of features of ``shape``. Raises ValueError for a region of an
        image that does not exist.
        """
        n, _, height, width = shape
        table = np.moveaxis(rois, 1, 2).reshape(-1, 5).astype(np.float32)
        scale = np.float32(self.spatial_scale)
        for r, (image, *corners) in enumerate(table):
            if not 0 <= image < n:
                raise ValueError(f"{self.name}: rois must name images in [0, {n}), got {image}.")
            left, top, right, bottom = (floor(np.float32(c) * scale + 0.5) for c in corners)
            slices_by_axis = []
            for low, high, size in ((top, bottom, height), (left, right, width)):
                cell = np.float32(max(high - low, 0.1)) / np.float32(self.group_size)
                slices_by_axis.append(
                    [
                        slice(
                            min(max(floor(low + k * cell), 0), size - 1),
                            min(max(ceil(low + (k + 1) * cell), 0), size - 1),
                        )
                        for k in range(self.group_size)
                    ]
                )
            for i, rows in enumerate(slices_by_axis[0]):
                for j, columns in enumerate(slices_by_axis[1]):
                    if rows.stop > rows.start and columns.stop > columns.start:
                        yield r, int(image), i, j, rows, columns

    def kernel(self, features: np.ndarray, rois: np.ndarray, *, out: np.ndarray) -> None:
        """Write the mean of each cell, and 0 for empty cells."""
        out.fill(0)
        n, _, height, width = features.shape
        group = self.group_size
        features_by_cell = features.reshape(n, self.output_dim, group, group, height, width)
        for r, image, i, j, rows, columns in self.iterate_cells(rois, features.shape):
            cell_values = features_by_cell[image, :, i, j, rows, columns]
            out[r, :, i, j] = cell_values.mean((1, 2), dtype=choose_sum_dtype(cell_values.dtype))

    def vjp(self, features: Tensor, rois: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        fields = tuple(getattr(self, f) for f in self.fields)
        return (lambda: PSROIPoolingGrad(*fields)(dout, rois, features.shape),)


class PSROIPoolingGrad(Primitive):
    """The gradient of PSROIPooling with respect to the features, of ``shape``.

    >>> roi = Tensor([[[0.0], [0.0], [0.0], [2.0], [2.0]]])
    >>> print(PSROIPoolingGrad(1.0, 1, 1)(Tensor([[[[4.0]]]]), roi, (1, 1, 3, 3))[0, 0])
    [[1. 1. 0.]
     [1. 1. 0.]
     [0. 0. 0.]]
    """

    spatial_scale: float
    group_size: int
    output_dim: int

    def infer(self, dout: Spec, rois: Spec, shape: Any) -> Spec:
        return Spec(shape, check_dtype_kind(self.name, dout, "f", "dout").dtype)

    def _make_forward_op(self) -> PSROIPooling:
        """Create the PSROIPooling with the same attributes."""
        return PSROIPooling(*[getattr(self, f) for f in self.fields])

    def kernel(self, dout: np.ndarray, rois: np.ndarray, shape: Any, *, out: np.ndarray) -> None:
        """Spread the gradient of each cell evenly over its elements; overlapping regions are
        summed.
        """
        n, _, height, width = shape
        group = self.group_size
        total = np.zeros((n, self.output_dim, group, group, height, width), dout.dtype)
        for r, image, i, j, rows, columns in self._make_forward_op().iterate_cells(rois, shape):
            area = (rows.stop - rows.start) * (columns.stop - columns.start)
            total[image, :, i, j, rows, columns] += dout[r, :, i, j, None, None] / area
        out[...] = total.reshape(shape)

    def vjp(self, d: Tensor, rois: Tensor, shape: Any, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: self._make_forward_op()(dout, rois),)


__all__ = ["PSROIPooling"]
