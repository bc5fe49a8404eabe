"""Image layers: resizing, pixel shuffling and similarity measures."""

from __future__ import annotations

from typing import Any

import numpy as np

from minispore import ops
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.nn import check
from minispore.nn.cell import Cell
from minispore.nn.layer.container import CellList
from minispore.nn.layer.conv import Conv2d
from minispore.nn.layer.pooling import AvgPool2d
from minispore.ops.support.arguments import check_tensors, to_static


class PixelShuffle(Cell):
    """(..., C r^2, H, W) -> (..., C, H r, W r): channels become pixels.

    Source: Shi et al. 2016.
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = checks.integer("PixelShuffle", "upscale_factor", upscale_factor, 1)

    def construct(self, input: Tensor) -> Tensor:
        """Move channels to pixels; raise ValueError unless r^2 divides the channels."""
        r = self.upscale_factor
        if check.check_tensor("PixelShuffle", "input", input).ndim < 3 or input.shape[-3] % (r * r):
            raise ValueError(
                f"PixelShuffle: axis -3 of input must be divisible by {r * r}, got shape "
                f"{input.shape}."
            )
        *lead, c, h, w = input.shape
        n = len(lead)
        input = ops.reshape(input, (*lead, c // (r * r), r, r, h, w))
        input = ops.transpose(input, (*range(n + 1), n + 3, n + 1, n + 4, n + 2))
        return ops.reshape(input, (*lead, c // (r * r), h * r, w * r))


class PixelUnshuffle(Cell):
    """(..., C, H r, W r) -> (..., C r^2, H, W): pixels become channels."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = checks.integer(
            "PixelUnshuffle", "downscale_factor", downscale_factor, 1
        )

    def construct(self, input: Tensor) -> Tensor:
        """Move pixels to channels; raise ValueError unless r divides height and width."""
        r = self.downscale_factor
        if (
            check.check_tensor("PixelUnshuffle", "input", input).ndim < 3
            or input.shape[-2] % r
            or input.shape[-1] % r
        ):
            rule, received = f"have two last axes divisible by {r}", f"shape {input.shape}"
            raise ValueError(checks.format_error("PixelUnshuffle", "input", rule, received))
        *lead, c, h, w = input.shape
        n = len(lead)
        input = ops.reshape(input, (*lead, c, h // r, r, w // r, r))
        input = ops.transpose(input, (*range(n + 1), n + 2, n + 4, n + 1, n + 3))
        return ops.reshape(input, (*lead, c * r * r, h // r, w // r))


class ChannelShuffle(Cell):
    """x (N, C, ...) with the channels of ``groups`` groups interleaved."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = checks.integer("ChannelShuffle", "groups", groups, 1)

    def construct(self, x: Tensor) -> Tensor:
        """Interleave the channels; raise ValueError unless the groups divide them."""
        check_tensors("ChannelShuffle", x=x)
        n, c = x.shape[:2]
        if c % self.groups:
            received = f"{self.groups} for shape {x.shape}"
            raise ValueError(
                checks.format_error("ChannelShuffle", "groups", "divide axis 1 of x", received)
            )
        shuffled = ops.transpose(
            ops.reshape(x, (n, self.groups, c // self.groups, -1)), (0, 2, 1, 3)
        )
        return ops.reshape(shuffled, x.shape)


class Unfold(Cell):
    """The sliding blocks of an image as channels: (N, C, H, W) -> (N, KH * KW * C, OH, OW).

    Args:
        ksizes: ``[1, KH, KW, 1]``, the size of the blocks.
        strides: ``[1, SH, SW, 1]``, from one block to the next.
        rates: ``[1, DH, DW, 1]``, from one pixel of a block to the next.
        padding: ``"valid"``, or ``"same"`` for one block per stride, with zeros around the image.

    Raises:
        TypeError: an argument is not a tuple or list.
        ValueError: a number is not above 0, or not 1 where 1 is required.
    """

    def __init__(self, ksizes: Any, strides: Any, rates: Any, padding: str = "valid") -> None:
        super().__init__()
        sizes = [
            self._check_sizes(name, value)
            for name, value in (("ksizes", ksizes), ("strides", strides), ("rates", rates))
        ]
        self.extract_image_patches = ops.ExtractImagePatches(*sizes, padding)

    @staticmethod
    def _check_sizes(name: str, value: Any) -> tuple[int, int, int, int]:
        """Check an argument [1, row, col, 1] and return it as a tuple.

        Raises:
            TypeError, ValueError: it does not have this form.
        """
        if not isinstance(value, tuple | list):
            raise TypeError(
                f"Unfold: {name} must be a tuple or list, got {checks.format_value(value)}."
            )
        if len(value) != 4 or value[0] != 1 or value[3] != 1:
            raise ValueError(f"Unfold: {name} must be [1, row, col, 1], got {value}.")
        row, col = (checks.integer("Unfold", name, n, 1) for n in value[1:3])
        return 1, 1, row, col

    def construct(self, input_x: Tensor) -> Tensor:
        return self.extract_image_patches(input_x)


class CentralCrop(Cell):
    """The middle of an image (..., H, W): ``central_fraction`` of its height and width."""

    def __init__(self, central_fraction: float) -> None:
        super().__init__()
        if not isinstance(central_fraction, float):
            raise TypeError(
                "CentralCrop: central_fraction must be a float, got "
                f"{checks.format_value(central_fraction)}."
            )
        self.central_fraction = checks.number(
            "CentralCrop", "central_fraction", central_fraction, 0.0, 1.0, "(]"
        )

    def construct(self, image: Tensor) -> Tensor:
        """Return images (C, H, W) or (N, C, H, W), cropped equally on opposite sides to
        ``central_fraction`` of their height and width.
        """
        check.check_ndim("CentralCrop", "image", image, 3, 4)
        h, w = image.shape[-2:]
        top = int((h - h * self.central_fraction) / 2)
        left = int((w - w * self.central_fraction) / 2)
        return image[..., top : h - top, left : w - left]


class ImageGradients(Cell):
    """(dy, dx): the next pixel minus each pixel, downwards and to the right; 0 at the edge.

    Shape: images (N, C, H, W).
    """

    def construct(self, images: Tensor) -> tuple[Tensor, Tensor]:
        """Return (dy, dx), the differences to the pixels below and on the right, 0 at the edge."""
        check.check_ndim("ImageGradients", "images", images, 4)
        dy = images[:, :, 1:] - images[:, :, :-1]
        dx = images[:, :, :, 1:] - images[:, :, :, :-1]
        pad_bottom = ops.Pad(((0, 0), (0, 0), (0, 1), (0, 0)))
        pad_right = ops.Pad(((0, 0), (0, 0), (0, 0), (0, 1)))
        return pad_bottom(dy), pad_right(dx)


class Upsample(Cell):
    """x enlarged by interpolation.

    Args:
        size: the output's spatial size.
        scale_factor: the ratio of the output's size to that of x; an alternative to ``size``.
        mode: ``"nearest"``, ``"linear"``, ``"bilinear"``, ``"bicubic"``,
            ``"trilinear"`` or ``"area"``.
        align_corners: whether the corner pixels of input and output are aligned.
        recompute_scale_factor: compute the scale from the output's size.
    """

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size, self.scale_factor, self.mode = size, scale_factor, mode
        self.align_corners, self.recompute_scale_factor = align_corners, recompute_scale_factor

    def construct(self, x: Tensor) -> Tensor:
        return ops.interpolate(
            x,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            self.recompute_scale_factor,
        )


class ResizeBilinear(Cell):
    """x (N, C, H, W) resized to ``size`` (height, width) or by ``scale_factor``, bilinearly."""

    def __init__(self, half_pixel_centers: bool = False) -> None:
        super().__init__()
        self.half_pixel_centers = checks.boolean(
            "ResizeBilinear", "half_pixel_centers", half_pixel_centers
        )

    def construct(
        self,
        x: Tensor,
        size: Any = None,
        scale_factor: int | None = None,
        align_corners: bool = False,
    ) -> Tensor:
        """Resize x by ``size`` or ``scale_factor``; raise ValueError unless exactly one is
        given.
        """
        check.check_ndim("ResizeBilinear", "x", x, 4)
        if (size is None) == (scale_factor is None):
            raise ValueError(
                f"ResizeBilinear: needs either size or scale_factor, got {size!r} and "
                f"{scale_factor!r}."
            )
        if size is None:
            factor = checks.integer("ResizeBilinear", "scale_factor", scale_factor, 1)
            size = tuple(n * factor for n in x.shape[2:])
        size = checks.instance("ResizeBilinear", "size", to_static(size), tuple)
        checks.integers("ResizeBilinear", "size", size, 2)
        return ops.ResizeBilinear(size, align_corners, self.half_pixel_centers)(x)


# -- similarity ---------------------------------------------------------------------------------


def _prepare_images(api_name: str, img1: Any, img2: Any) -> tuple[Tensor, Tensor]:
    """Check that two batches of images match and return them as float32, integers in [0, 1].

    Raises:
        TypeError: one is not a Tensor, or the dtypes differ.
        ValueError: one does not have the shape (N, C, H, W), or the shapes differ.
    """
    check.check_ndim(api_name, "img1", img1, 4)
    check.check_ndim(api_name, "img2", img2, 4)
    for attribute, error_class in (("dtype", TypeError), ("shape", ValueError)):
        if getattr(img1, attribute) != getattr(img2, attribute):
            raise error_class(
                f"{api_name}: img1 and img2 must have the same {attribute}, got "
                f"{checks.format_value(img1)} and "
                f"{checks.format_value(img2)}."
            )
    scale = 1 / _get_white_value(img1)
    a, b = ops.cast(img1, mstype.float32), ops.cast(img2, mstype.float32)
    return (a, b) if scale == 1 else (a * scale, b * scale)


def _get_white_value(img: Tensor) -> float:
    """Return the value of a white pixel in the image's dtype: the largest integer, or 1 for
    floats.
    """
    return float(np.iinfo(mstype.to_numpy(img.dtype)).max) if img.dtype.kind in "iu" else 1.0


class PSNR(Cell):
    """10 log10(max_val**2 / mean squared error) of each image.  (N, C, H, W) twice -> (N,)."""

    def __init__(self, max_val: float = 1.0) -> None:
        super().__init__()
        self.max_val = checks.number("PSNR", "max_val", max_val, 0.0, closed="(]")

    def construct(self, img1: Tensor, img2: Tensor) -> Tensor:
        """Return the ratio of each image in decibels; integer images are scaled to [0, 1]."""
        check_tensors("PSNR", img1=img1, img2=img2)
        limit = self.max_val / _get_white_value(img1)
        a, b = _prepare_images("PSNR", img1, img2)
        mse = ops.ReduceMean()(ops.square(a - b), (1, 2, 3))
        return ops.log(limit**2 / mse) * (10 / float(np.log(10)))


class _Similarity(Cell):
    """Base of SSIM and MSSSIM: local means and covariances under a Gaussian window."""

    def __init__(
        self, max_val: float, filter_size: int, filter_sigma: float, k1: float, k2: float
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.max_val = checks.number(name, "max_val", max_val, 0.0, closed="(]")
        self.filter_size = checks.integer(name, "filter_size", filter_size, 1)
        self.filter_sigma = checks.number(name, "filter_sigma", filter_sigma, 0.0, closed="(]")
        self.k1 = checks.number(name, "k1", k1)
        self.k2 = checks.number(name, "k2", k2)
        offsets = np.arange(-filter_size // 2 + 1, filter_size // 2 + 1, dtype=np.float64)
        gaussian = np.exp(-(offsets[:, None] ** 2 + offsets[None] ** 2) / (2 * filter_sigma**2))
        self._window = Tensor((gaussian / gaussian.sum()).astype(np.float32)[None, None])

    def _make_blur(self) -> Conv2d:
        """Return a convolution with the Gaussian window as its weight, which is not trainable."""
        blur = Conv2d(1, 1, self.filter_size, pad_mode="valid", weight_init=self._window)
        blur.weight.requires_grad = False
        return blur

    def _compare_images(
        self, a: Tensor, b: Tensor, limit: float, blur: Cell
    ) -> tuple[Tensor, Tensor]:
        """Return the mean similarity and mean contrast-structure of each channel, both (N, C).

        ``limit`` is the largest value in the images a and b, and ``blur`` computes local means.

        Raises:
            ValueError: the images are smaller than the window.
        """
        n, c, h, w = a.shape
        if min(h, w) < self.filter_size:
            rule = f"be at least filter_size={self.filter_size} high and wide"
            raise ValueError(
                checks.format_error(type(self).__name__, "images", rule, f"shape {a.shape}")
            )

        def compute_local_mean(x: Tensor) -> Tensor:
            return blur(ops.reshape(x, (n * c, 1, h, w)))

        c1, c2 = (self.k1 * limit) ** 2, (self.k2 * limit) ** 2
        mu_a, mu_b = compute_local_mean(a), compute_local_mean(b)
        var_a = compute_local_mean(a * a) - mu_a * mu_a
        var_b = compute_local_mean(b * b) - mu_b * mu_b
        covariance = compute_local_mean(a * b) - mu_a * mu_b
        contrast = (2 * covariance + c2) / (var_a + var_b + c2)
        similarity = (2 * mu_a * mu_b + c1) / (mu_a * mu_a + mu_b * mu_b + c1) * contrast
        mean = ops.ReduceMean()
        return tuple(ops.reshape(mean(x, (1, 2, 3)), (n, c)) for x in (similarity, contrast))  # type: ignore[return-value]


class SSIM(_Similarity):
    """The structural similarity of each pair of images.  img1, img2: (N, C, H, W) -> (N,).

    Args:
        max_val: the largest value in the images.
        filter_size: the size of the Gaussian window.
        filter_sigma: the standard deviation of the Gaussian window.
        k1: stabilises the comparison of means, to avoid 0 / 0.
        k2: stabilises the comparison of variances, to avoid 0 / 0.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument is out of range; when called: the images do not fit.

    Source: Wang et al. 2004.
    """

    def __init__(
        self,
        max_val: float = 1.0,
        filter_size: int = 11,
        filter_sigma: float = 1.5,
        k1: float = 0.01,
        k2: float = 0.03,
    ) -> None:
        super().__init__(max_val, filter_size, filter_sigma, k1, k2)
        self.conv = self._make_blur()

    def construct(self, img1: Tensor, img2: Tensor) -> Tensor:
        """Return the similarity of each pair, averaged over channels, in float32; raise TypeError
        unless the images are float16 or float32.
        """
        if check.check_tensor("SSIM", "img1", img1).dtype not in (mstype.float16, mstype.float32):
            received = str(img1.dtype)
            raise TypeError(
                checks.format_error(
                    "SSIM", "img1", "be of Float16 or Float32", received, "Cast it."
                )
            )
        limit = self.max_val / _get_white_value(img1)
        similarity, _ = self._compare_images(*_prepare_images("SSIM", img1, img2), limit, self.conv)
        return ops.ReduceMean()(similarity, -1)


class MSSSIM(_Similarity):
    """The structural similarity of each pair of images over several scales.

    Args:
        power_factors: the weight of each scale, the finest first.

    The other arguments are those of :class:`SSIM`.

    Shape: img1, img2 (N, C, H, W) -> (N,).

    Source: Wang, Simoncelli & Bovik 2003.
    """

    def __init__(
        self,
        max_val: float = 1.0,
        power_factors: Any = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
        filter_size: int = 11,
        filter_sigma: float = 1.5,
        k1: float = 0.01,
        k2: float = 0.03,
    ) -> None:
        super().__init__(max_val, filter_size, filter_sigma, k1, k2)
        if not isinstance(power_factors, tuple | list):
            received = checks.format_value(power_factors)
            raise TypeError(
                checks.format_error("MSSSIM", "power_factors", "be a tuple or list", received)
            )
        self.power_factors = tuple(power_factors)
        self.multi_convs_list = CellList([self._make_blur() for _ in self.power_factors])
        self._halve = AvgPool2d(2, 2)

    def construct(self, img1: Tensor, img2: Tensor) -> Tensor:
        """Return the similarity of each pair: the product of the contrasts of all scales but the
        last and the similarity of the last, each raised to its power, averaged over channels.

        Each scale has half the height and width of the one before.
        """
        check_tensors("MSSSIM", img1=img1, img2=img2)
        limit = self.max_val / _get_white_value(img1)
        a, b = _prepare_images("MSSSIM", img1, img2)
        product: Any = 1.0
        for scale, (power, blur) in enumerate(zip(self.power_factors, self.multi_convs_list), 1):
            similarity, contrast = self._compare_images(a, b, limit, blur)
            is_last = scale == len(self.power_factors)
            product = product * ops.pow(ops.relu(similarity if is_last else contrast), power)
            if not is_last:
                a, b = self._halve(a), self._halve(b)
        return ops.ReduceMean()(product, -1)


__all__ = [
    "MSSSIM",
    "PSNR",
    "SSIM",
    "CentralCrop",
    "ChannelShuffle",
    "ImageGradients",
    "PixelShuffle",
    "PixelUnshuffle",
    "ResizeBilinear",
    "Unfold",
    "Upsample",
]
