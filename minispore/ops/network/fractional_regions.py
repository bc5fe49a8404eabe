"""Pools over regions of random size; the output has a given fraction of the input's size.

Source: Graham, https://arxiv.org/abs/1412.6071
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minispore.core.primitive import Cotangents, Primitive, VjpRule
from minispore.core.tensor import Tensor
from minispore.execution.random import generator, make_stream
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ir.value import Spec
from minispore.ops.index.scatter import tensor_scatter_elements
from minispore.ops.linalg.products import MatMulExt
from minispore.ops.random.draws import _Seeded
from minispore.ops.shape.cast_fill import zeros
from minispore.ops.shape.views import Reshape, Transpose
from minispore.ops.support.arguments import check_dtype, check_tensor_spec

INT64 = np.dtype(np.int64)


class _FractionalPoolBase(_Seeded):
    """Base of pools over regions of random size along H and W of (N, H, W, C)."""

    pooling_ratio: Any
    pseudo_random: bool = False
    overlapping: bool = False
    deterministic: bool = False
    seed: int = 0  # type: ignore[misc]
    seed2: int = 0  # type: ignore[misc]
    vjp_rule = VjpRule(partial=True, takes_tuples=True)

    def check(self) -> None:
        """Check the ratio and flags; seeds other than 0 require ``deterministic``."""
        super().check()
        ratio = self.pooling_ratio
        if not isinstance(ratio, tuple) or any(
            isinstance(r, bool) or not isinstance(r, int | float) for r in ratio
        ):
            raise TypeError(
                checks.format_error(self.name, "pooling_ratio", "hold numbers", f"{ratio!r}")
            )
        if len(ratio) != 4 or ratio[0] != 1 or ratio[3] != 1 or min(ratio) < 1:
            rule = "be (1, H, W, 1), with H and W of 1 or more"
            raise ValueError(checks.format_error(self.name, "pooling_ratio", rule, f"{ratio}"))
        for name in ("pseudo_random", "overlapping", "deterministic"):
            checks.boolean(self.name, name, getattr(self, name))
        if any(self.seeds) and not self.deterministic:
            rule = "be 0, as seed2, without deterministic"
            raise ValueError(checks.format_error(self.name, "seed", rule, f"{self.seeds}"))

    def has_private_streams(self) -> bool:
        """Return False: with ``deterministic``, each call restarts the random stream of the
        seeds.
        """
        return False

    @property
    def stream(self) -> np.random.Generator:
        """A new random stream from the seeds with ``deterministic``, else the global stream."""
        return make_stream(self.seed, self.seed2) if self.deterministic else generator()

    def infer(self, x: Spec) -> tuple[Spec, Spec, Spec]:
        """Return the specs of the output and of the int64 bounds of rows and columns.

        Raises:
            TypeError: x is of another dtype than float32, float64, int32 and int64.
            ValueError: x is not a non-empty 4-d tensor, or a ratio exceeds the size of x.
        """
        allowed = ("float32", "float64", "int32", "int64")
        check_dtype(self.name, check_tensor_spec(self.name, x, "x"), "x", *allowed)
        if x.ndim != 4 or 0 in x.shape:
            rule = "be (N, H, W, C), with no length of 0"
            raise ValueError(checks.format_error(self.name, "x", rule, f"{x}"))
        height, width = (int(n / r) for n, r in zip(x.shape[1:3], self.pooling_ratio[1:3]))
        if not height or not width:
            rule = f"be at most {x.shape[1:3]}, the size of x"
            raise ValueError(
                checks.format_error(self.name, "pooling_ratio", rule, f"{self.pooling_ratio}")
            )
        output = Spec((x.shape[0], height, width, x.shape[3]), x.dtype)
        return output, Spec((height + 1,), INT64), Spec((width + 1,), INT64)

    def draw_region_bounds(self, stream: np.random.Generator, n: int, m: int) -> np.ndarray:
        """Return the m + 1 ascending bounds, from 0 to n, that divide n elements into m regions.

        They are drawn from ``stream``, unless m divides n: then all regions are equal and nothing
        is drawn.
        """
        base_size, remainder = divmod(n, m)
        if not remainder:
            return np.arange(m + 1) * base_size
        if self.pseudo_random:
            alpha = n / m
            # The limit of u leaves each region base_size or base_size + 1 elements.
            limit = min((base_size + 2) / alpha - 1, (n + 1 - base_size) / alpha - (m - 1))
            u = stream.random() * limit
            inner_bounds = [math.ceil(alpha * (i + u)) for i in range(1, m)]
            return np.array([1, *inner_bounds, n + 1]) - 1
        sizes = np.full(m, base_size)
        sizes[:remainder] += 1
        return np.concatenate([[0], stream.permutation(sizes).cumsum()])

    def kernel(self, x: np.ndarray, *, out: tuple[np.ndarray, ...]) -> None:
        """Draw the bounds of rows and columns and write them, and the reduced regions."""
        y, rows, columns = out
        stream = self.stream
        rows[...] = self.draw_region_bounds(stream, x.shape[1], y.shape[1])
        columns[...] = self.draw_region_bounds(stream, x.shape[2], y.shape[2])
        for i, row_span in enumerate(make_region_slices(rows, self.overlapping)):
            for j, column_span in enumerate(make_region_slices(columns, self.overlapping)):
                y[:, i, j] = self.reduce_region(x[:, row_span, column_span])

    def reduce_region(self, region: np.ndarray) -> np.ndarray:
        """Return the result (N, C) of one region (N, h, w, C); subclasses override this."""
        raise NotImplementedError


def make_region_slices(bounds: np.ndarray, overlapping: bool) -> list[slice]:
    """Return the slice of each region between consecutive ``bounds``.

    With ``overlapping`` it includes the first element of the next region.
    """
    ends = bounds[1:] + overlapping
    ends[-1] = bounds[-1]
    return [slice(int(a), int(b)) for a, b in zip(bounds[:-1], ends, strict=True)]


class FractionalMaxPool(_FractionalPoolBase):
    """The maximum of each of H/ratio times W/ratio regions of random size.

    Args:
        pooling_ratio: (1, H, W, 1): the ratios of the height and width of x to those of the output.
        pseudo_random: draw a single number that determines all regions of an axis; else draw a
            random order of region sizes.
        overlapping: neighbouring regions share the element at their border.
        deterministic: draw the same numbers in each call, from ``seed`` and ``seed2``.
        seed, seed2: the seeds; must be 0 without ``deterministic``.
        x (Tensor): float32, float64, int32 or int64 (N, H, W, C).

    Returns:
        ``(elements, rows, columns)``: the maxima, and the bounds of the regions along H and W:
        where each begins, and the end of the last.

    >>> x = Tensor(np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1))
    >>> y, rows, _ = FractionalMaxPool([1.0, 2.0, 2.0, 1.0])(x)
    >>> print(y.asnumpy().ravel(), rows)
    [ 5.  7. 13. 15.] [0 2 4]
    """

    def reduce_region(self, region: np.ndarray) -> np.ndarray:
        """Return the maximum for each image and channel."""
        maxima: np.ndarray = region.max((1, 2))
        return maxima

    def vjp(self, x: Tensor, *, out: Any, dout: Any) -> Cotangents:
        """Return the gradient function of x, which reads the bounds that were drawn; None without a
        gradient of the elements.
        """
        if dout[0] is None:
            return (None,)

        def compute_dx() -> Tensor:
            """Add the gradient of each region to the region's maximum in x."""
            n, c = x.shape[0], x.shape[3]
            to_nchw = (0, 3, 1, 2)
            indices = Reshape()(RegionArgmax(self.overlapping)(x, *out[1:]), (n * c, -1))
            updates = Reshape()(Transpose()(dout[0], to_nchw), (n * c, -1))
            zero_grad = zeros((n * c, math.prod(x.shape[1:3])), x.dtype)
            dx_nchw = tensor_scatter_elements(zero_grad, indices, updates, 1, "add")
            dx_nchw = Reshape()(dx_nchw, (n, c, *x.shape[1:3]))
            return Transpose()(dx_nchw, (0, 2, 3, 1))

        return (compute_dx,)


class RegionArgmax(Primitive):
    """The flat index, within its channel, of the maximum of each region: (N, C, regions).

    Inputs: x (N, H, W, C), and the bounds of the regions along H and along W.
    """

    overlapping: bool

    def infer(self, x: Spec, rows: Spec, columns: Spec) -> Spec:
        return Spec((x.shape[0], x.shape[3], (rows.size - 1) * (columns.size - 1)), INT64)

    def kernel(
        self, x: np.ndarray, rows: np.ndarray, columns: np.ndarray, *, out: np.ndarray
    ) -> None:
        """Write the flat index of the first maximum of each region, in row-major order of the
        regions.
        """
        n, height, width, c = x.shape
        flat_indices = np.arange(height * width).reshape(height, width)
        region = 0
        for row_span in make_region_slices(rows, self.overlapping):
            for column_span in make_region_slices(columns, self.overlapping):
                elements = x[:, row_span, column_span].reshape(n, -1, c)
                region_indices = flat_indices[row_span, column_span].reshape(-1)
                out[:, :, region] = region_indices[elements.argmax(1)]
                region += 1


class FractionalAvgPool(_FractionalPoolBase):
    """The mean of each of H/ratio times W/ratio regions of random size.

    Args:
        pooling_ratio: (1, H, W, 1): the ratios of the height and width of x to those of the output.
        pseudo_random: draw a single number that determines all regions of an axis; else draw a
            random order of region sizes.
        overlapping: neighbouring regions share the element at their border.
        deterministic: draw the same numbers in each call, from ``seed`` and ``seed2``.
        seed, seed2: the seeds; must be 0 without ``deterministic``.
        x (Tensor): float32, float64, int32 or int64 (N, H, W, C).

    Returns:
        ``(means, rows, columns)``: the means, and the bounds of the regions along H and W: where
        each begins, and the end of the last.

    >>> x = Tensor(np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1))
    >>> y, rows, _ = FractionalAvgPool([1.0, 2.0, 2.0, 1.0])(x)
    >>> print(y.asnumpy().ravel(), rows)
    [ 2.5  4.5 10.5 12.5] [0 2 4]
    """

    def reduce_region(self, region: np.ndarray) -> np.ndarray:
        """Return the mean of the region, truncated for integers."""
        if region.dtype.kind == "f":
            mean: np.ndarray = region.mean((1, 2))
            return mean
        total = region.sum((1, 2))
        return np.trunc(total / math.prod(region.shape[1:3])).astype(region.dtype)

    def vjp(self, x: Tensor, *, out: Any, dout: Any) -> Cotangents:
        """Return the gradient function of x, which reads the bounds that were drawn; None without a
        gradient of the means.
        """
        if dout[0] is None:
            return (None,)

        def compute_dx() -> Tensor:
            """Spread the gradient of each region evenly over its elements of x."""
            height, width = x.shape[1:3]
            rows = RegionMeanWeights(self.overlapping, height, x.dtype)(out[1])
            columns = RegionMeanWeights(self.overlapping, width, x.dtype)(out[2])
            d = Transpose()(dout[0], (0, 3, 1, 2))
            dx_nchw = MatMulExt()(MatMulExt()(Transpose()(rows, (1, 0)), d), columns)
            return Transpose()(dx_nchw, (0, 2, 3, 1))

        return (compute_dx,)


class RegionMeanWeights(Primitive):
    """The weight of each element in the mean of each region: (regions, size), with 0 outside the
    region.

    The input is the bounds of the regions (regions + 1,).
    """

    overlapping: bool
    size: int
    dtype: Any

    def infer(self, bounds: Spec) -> Spec:
        dtype = np.dtype(str(self.dtype).lower())
        return Spec((bounds.size - 1, self.size), dtype)

    def kernel(self, bounds: np.ndarray, *, out: np.ndarray) -> None:
        out.fill(0)
        for weights, span in zip(out, make_region_slices(bounds, self.overlapping), strict=True):
            weights[span] = 1 / (span.stop - span.start)


__all__ = ["FractionalAvgPool", "FractionalMaxPool"]

attach_docstrings("minispore.ops", __name__)
