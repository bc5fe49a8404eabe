"""Image ops that crop windows, scale and translate, or draw random boxes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minispore.core.primitive import VjpRule
from minispore.core.tensor import Tensor
from minispore.execution.random import generator, make_stream
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import FLOAT32, REAL, check_dtype_kind
from minispore.ops.linalg.vector_products import WeightedSums
from minispore.ops.random.draws import _Draw, _Seeded
from minispore.ops.shape.cast_fill import Cast
from minispore.ops.shape.views import Reshape
from minispore.ops.support.arguments import check_dtype, check_shape, check_tensor_spec, to_static
from minispore.ops.support.derive import _Composite


class ExtractGlimpse(_Draw):
    """A window of each image; elements outside the image are filled with ``noise``.

    Args:
        centered: offsets count from the middle of the image, in units of half its size (without
            ``normalized`` in half pixels).
        normalized: offsets are fractions of the image's size, else pixels.
        uniform_noise: may be set only if ``noise`` is "uniform".
        noise: "uniform" in [-1, 1), "gaussian" with mean 10 and standard deviation 0.5, or "zero".
        x (Tensor): float32 (N, H, W, C).
        size (Tensor): int32 (2,), height and width of the window; or a tuple.
        offsets (Tensor): float32 (N, 2): y and x of each window's centre.

    Returns:
        Tensor, float32 (N, height, width, C).

    >>> x = Tensor(np.arange(9, dtype=np.float32).reshape(1, 3, 3, 1))
    >>> made = ExtractGlimpse(False, False, False, "zero")(x, (2, 2), Tensor([[3.0, 2.0]]))
    >>> print(made[0, :, :, 0])
    [[7. 8.]
     [0. 0.]]
    """

    centered: bool = True
    normalized: bool = True
    uniform_noise: bool = True
    noise: str = "uniform"
    seed = seed2 = 0

    def check(self) -> None:
        for name in ("centered", "normalized", "uniform_noise"):
            checks.boolean(self.name, name, getattr(self, name))
        checks.one_of(self.name, "noise", self.noise, ("uniform", "gaussian", "zero"))
        if self.uniform_noise and self.noise != "uniform":
            rule = "be 'uniform' with uniform_noise"
            raise ValueError(checks.format_error(self.name, "noise", rule, f"{self.noise!r}"))

    def __call__(self, x: Tensor, size: Any, offsets: Tensor) -> Tensor:
        return super().__call__(x, to_static(size), offsets)

    def infer(self, x: Spec, size: Any, offsets: Spec) -> Spec:
        """Return the spec (N, *size, C); raise unless x is float32 (N, H, W, C) and offsets (N,
        2).
        """
        check_dtype(self.name, check_tensor_spec(self.name, x, "x"), "x", "float32")
        check_dtype(
            self.name, check_tensor_spec(self.name, offsets, "offsets"), "offsets", "float32"
        )
        if x.ndim != 4:
            raise ValueError(
                checks.format_error(self.name, "x", "have 4 axes, (N, H, W, C)", f"{x}")
            )
        if len(check_shape(self.name, size, "size", 1)) != 2:
            raise ValueError(checks.format_error(self.name, "size", "hold 2 lengths", f"{size}"))
        if offsets.shape != (x.shape[0], 2):
            rule = f"have the shape {(x.shape[0], 2)}"
            raise ValueError(checks.format_error(self.name, "offsets", rule, f"{offsets}"))
        return Spec((x.shape[0], *size, x.shape[3]), FLOAT32)

    def kernel(self, x: np.ndarray, size: Any, offsets: np.ndarray, *, out: np.ndarray) -> None:
        """Fill the output with the noise, random or zeros, and copy the part of each window that is
        inside its image.
        """
        image_size = np.array(x.shape[1:3], np.float32)
        centre = offsets * image_size if self.normalized else offsets
        centre = centre / 2 + image_size / 2 if self.centered else centre
        corners = np.trunc(centre - np.array(size, np.float32) / 2).astype(int)
        if self.noise == "uniform":
            out[...] = self.stream.uniform(-1, 1, out.shape)
        elif self.noise == "gaussian":
            out[...] = self.stream.normal(10, 0.5, out.shape)
        else:
            out.fill(0)
        # The visible part is [low, high) in the image, and [begin, end) in the window.
        for window, image, corner in zip(out, x, corners, strict=True):
            low = np.clip(corner, 0, x.shape[1:3])
            high = np.clip(corner + size, low, x.shape[1:3])
            begin, end = low - corner, high - corner
            if (high > low).all():
                visible = image[low[0] : high[0], low[1] : high[1]]
                window[begin[0] : end[0], begin[1] : end[1]] = visible


def _make_lanczos(radius: int) -> tuple[float, Callable[[np.ndarray], np.ndarray]]:
    """Return the radius and the kernel function of the Lanczos filter, for distances >= 0."""
    return radius, lambda d: np.where(d <= radius, np.sinc(d) * np.sinc(d / radius), 0)


def _evaluate_keys_cubic(d: np.ndarray) -> np.ndarray:
    """Evaluate Keys' cubic kernel at distances ``d`` >= 0."""
    outer = ((-0.5 * d + 2.5) * d - 4) * d + 2
    return np.where(d < 1, ((1.5 * d - 2.5) * d) * d + 1, np.where(d < 2, outer, 0))


def _evaluate_mitchell_cubic(d: np.ndarray) -> np.ndarray:
    """Evaluate the Mitchell-Netravali kernel at distances ``d`` >= 0."""
    inner = (7 / 6 * d - 2) * d * d + 8 / 9
    outer = ((-7 / 18 * d + 2) * d - 10 / 3) * d + 16 / 9
    return np.where(d < 1, inner, np.where(d < 2, outer, 0))


# Radius of each kernel, and its weight as a function of the distance.
KERNELS: dict[str, tuple[float, Callable[[np.ndarray], np.ndarray]]] = {
    "lanczos1": _make_lanczos(1),
    "lanczos3": _make_lanczos(3),
    "lanczos5": _make_lanczos(5),
    "gaussian": (1.5, lambda d: np.where(d < 1.5, np.exp(-2 * d * d), 0)),
    "box": (1.0, lambda d: np.where(d < 0.5, 1.0, np.where(d == 0.5, 0.5, 0))),
    "triangle": (1.0, lambda d: np.maximum(1 - d, 0)),
    "keyscubic": (2.0, _evaluate_keys_cubic),
    "mitchellcubic": (2.0, _evaluate_mitchell_cubic),
}


def make_span_weights(
    kernel_type: str, size: int, n: int, scale: float, shift: float, antialias: bool
) -> np.ndarray:
    """Return the weights (size, n) of ``n`` input elements in each of ``size`` output elements.

    The output is scaled by ``scale`` and shifted by ``shift`` along the axis, and resampled by the
    kernel ``kernel_type`` of KERNELS. The weights of an output element sum to 1; they are 0 if its
    centre is outside the input.
    """
    radius, kernel = KERNELS[kernel_type]
    step = np.float32(1) / np.float32(scale)
    stretch = max(step, np.float32(1)) if antialias else np.float32(1)
    table = np.zeros((size, n), np.float32)
    for i in range(size):
        centre = np.float32(i + 0.5) * step - step * np.float32(shift)
        if not 0 <= centre <= n:
            continue
        begin = min(max(math.ceil(centre - radius * stretch - 0.5), 0), n - 1)
        end = min(max(math.floor(centre + radius * stretch - 0.5), 0), n - 1) + 1
        weights = kernel(np.abs((np.arange(begin, end) + np.float32(0.5) - centre) / stretch))
        total = weights.sum()
        if abs(total) > 1000 * np.finfo(np.float32).tiny:
            table[i, begin:end] = weights / total
    return table


class ScaleAndTranslate(_Composite):
    """Images scaled by ``scale``, then shifted by ``translation``, and resampled with a kernel.

    Args:
        kernel_type: "lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic"
            or "mitchellcubic".
        antialias: widen the kernel if the images become smaller.
        images (Tensor): (N, H, W, C).
        size (Tensor): int32 (2,), height and width of the result.
        scale (Tensor): float32 (2,), above 0.
        translation (Tensor): float32 (2,).

    Returns:
        Tensor, float32 (N, height, width, C).

    >>> x = Tensor(np.arange(4, dtype=np.float32).reshape(1, 1, 4, 1))
    >>> one, half = Tensor([1.0, 0.5]), Tensor([0.0, 0.0])
    >>> print(ScaleAndTranslate("box")(x, Tensor([1, 2]), one, half).asnumpy().ravel())
    [0.5 2.5]
    """

    kernel_type: str = "lanczos3"
    antialias: bool = True

    def check(self) -> None:
        checks.one_of(self.name, "kernel_type", self.kernel_type, tuple(KERNELS))
        checks.boolean(self.name, "antialias", self.antialias)

    def __call__(self, images: Tensor, size: Any, scale: Any, translation: Any) -> Tensor:
        """Resample rows, then columns by weight matrices, in float32 or float64; the output is
        float32.
        """
        check_dtype_kind(self.name, images.value_.spec, REAL, "images")
        if images.ndim != 4:
            rule = "have 4 axes, (N, H, W, C)"
            raise ValueError(
                checks.format_error(self.name, "images", rule, f"shape {images.shape}")
            )
        lengths = check_shape(self.name, to_static(size), "size", 1)
        numbers = {
            "size": lengths,
            "scale": to_static(scale),
            "translation": to_static(translation),
        }
        for name, numbers_of_name in numbers.items():
            if not isinstance(numbers_of_name, tuple) or len(numbers_of_name) != 2:
                raise ValueError(
                    checks.format_error(self.name, name, "hold 2 numbers", f"{numbers_of_name}")
                )
        if min(numbers["scale"]) <= 0:
            rule = "hold numbers above 0"
            raise ValueError(checks.format_error(self.name, "scale", rule, f"{numbers['scale']}"))
        n, height, width, channels = images.shape
        rows, columns = (
            Tensor(make_span_weights(self.kernel_type, *axis, self.antialias))
            for axis in zip(lengths, (height, width), numbers["scale"], numbers["translation"])
        )
        x = images if images.dtype is mstype.float64 else Cast()(images, mstype.float32)
        if x.dtype is mstype.float64:
            rows, columns = (Cast()(w, x.dtype) for w in (rows, columns))
        flat = Reshape()(x, (n, height, width * channels))
        resized_rows = Reshape()(WeightedSums(0)(rows, flat), (n * lengths[0], width, channels))
        output = Reshape()(WeightedSums(0)(columns, resized_rows), (n, *lengths, channels))
        return Cast()(output, mstype.float32)


class SampleDistortedBoundingBoxV2(_Seeded):
    """A random box, for cropping an image, that covers enough of an object.

    Args:
        seed, seed2: the seeds; if either is not 0, each call draws the same box.
        aspect_ratio_range: the range of width over height.
        area_range: the range of the box's area as a fraction of the image.
        max_attempts: the number of draws after which the box is the entire image.
        use_image_if_no_bounding_boxes: without boxes, treat the entire image as the object.
        image_size (Tensor): (3,), height, width and channels.
        bounding_boxes (Tensor): float32 (1, N, 4), (y1, x1, y2, x2) as fractions of the image.
        min_object_covered (Tensor): float32 (1,), the fraction of an object that the box must
            cover.

    Returns:
        ``(begin, size, box)``: the origin and the size of the box, (3,) each, and the box as
        fractions of the image, float32 (1, 1, 4).

    >>> box = Tensor([[[0.0, 0.0, 1.0, 1.0]]])
    >>> op = SampleDistortedBoundingBoxV2(area_range=(1.0, 1.0), aspect_ratio_range=(1.0, 1.0))
    >>> print(op(Tensor([8, 8, 3]), box, Tensor([0.5]))[1])
    [ 8  8 -1]
    """

    seed: int = 0  # type: ignore[misc]
    seed2: int = 0  # type: ignore[misc]
    aspect_ratio_range: Any = (0.75, 1.33)
    area_range: Any = (0.05, 1.0)
    max_attempts: int = 100
    use_image_if_no_bounding_boxes: bool = False
    vjp_rule = VjpRule(takes_tuples=True)

    def check(self) -> None:
        """Check the seeds, both ranges, ``max_attempts`` and the flag."""
        super().check()
        for name, limit in (("aspect_ratio_range", np.inf), ("area_range", 1)):
            bounds = getattr(self, name)
            if not isinstance(bounds, tuple) or len(bounds) != 2:
                raise ValueError(
                    checks.format_error(self.name, name, "hold 2 numbers", f"{bounds!r}")
                )
            low, high = (checks.number(self.name, name, p) for p in bounds)
            if not 0 < low <= high <= limit:
                raise ValueError(
                    checks.format_error(self.name, name, "grow within (0, 1]", f"{bounds}")
                )
        checks.integer(self.name, "max_attempts", self.max_attempts, 1)
        flag = self.use_image_if_no_bounding_boxes
        checks.boolean(self.name, "use_image_if_no_bounding_boxes", flag)

    def has_private_streams(self) -> bool:
        """Return False: the op keeps no random streams, so equal seeds always draw the same box."""
        return False

    @property
    def stream(self) -> np.random.Generator:
        """A new random stream from the seeds for each call, or the global stream if they are 0."""
        return make_stream(*self.seeds) if any(self.seeds) else generator()

    def infer(
        self, image_size: Spec, bounding_boxes: Spec, min_object_covered: Spec
    ) -> tuple[Spec, Spec, Spec]:
        """Return the specs of the box's origin, its size, and the box (1, 1, 4) in fractions of the
        image.
        """
        boxes, covered = bounding_boxes, min_object_covered
        if check_dtype_kind(self.name, image_size, "iu", "image_size").shape != (3,):
            rule = "hold 3 numbers"
            raise ValueError(checks.format_error(self.name, "image_size", rule, f"{image_size}"))
        check_dtype_kind(self.name, boxes, "f", "bounding_boxes")
        if boxes.ndim != 3 or boxes.shape[2] != 4:
            rule = "have the shape (1, N, 4)"
            raise ValueError(checks.format_error(self.name, "bounding_boxes", rule, f"{boxes}"))
        if check_dtype_kind(self.name, covered, "f", "min_object_covered").shape != (1,):
            rule = "hold 1 number"
            raise ValueError(
                checks.format_error(self.name, "min_object_covered", rule, f"{covered}")
            )
        if not boxes.size and not self.use_image_if_no_bounding_boxes:
            rule = "hold a box without use_image_if_no_bounding_boxes"
            raise ValueError(checks.format_error(self.name, "bounding_boxes", rule, f"{boxes}"))
        return image_size, image_size, Spec((1, 1, 4), FLOAT32)

    def kernel(self, image: np.ndarray, boxes: np.ndarray, covered: Any, *, out: Any) -> None:
        """Draw a box, and write its origin, size and fractions.

        If no attempt succeeds, the box is the entire image.
        """
        height, width = (int(n) for n in image[:2])
        min_covered = float(covered[0])
        if not 0 <= min_covered <= 1:
            rule = "be in [0, 1]"
            raise ValueError(
                checks.format_error(self.name, "min_object_covered", rule, f"{min_covered}")
            )
        full_box = np.array([0, 0, height, width])
        objects = boxes.reshape(-1, 4) * np.array([height, width] * 2)
        box = self._draw_box(
            height, width, objects if len(objects) else full_box[None], min_covered
        )
        box = full_box if box is None else box
        out[0][...] = [box[0], box[1], 0]
        out[1][...] = [box[2] - box[0], box[3] - box[1], -1]
        out[2][...] = (box / np.array([height, width] * 2)).reshape(1, 1, 4)

    def _draw_box(self, height: int, width: int, objects: np.ndarray, min_covered: float) -> Any:
        """Return the first drawn box (y1, x1, y2, x2), in pixels, that covers the fraction
        ``min_covered`` of an object; None after ``max_attempts``.
        """
        low, high = (p * height * width for p in self.area_range)
        for _ in range(self.max_attempts):
            ratio = self.stream.uniform(*self.aspect_ratio_range)
            min_height = round(math.sqrt(low / ratio))
            # The last bound is the greatest height whose width, rounded, fits the image.
            max_height = min(
                round(math.sqrt(high / ratio)),
                height,
                math.floor((width + 0.5 - 1e-7) / ratio),
            )
            if max_height < 1 or min_height > max_height:
                continue
            box_height = int(self.stream.integers(min_height, max_height + 1))
            box_width = min(round(box_height * ratio), width)
            if not low <= box_height * box_width <= high or not (box_height and box_width):
                continue
            y = int(self.stream.integers(0, height - box_height + 1))
            x = int(self.stream.integers(0, width - box_width + 1))
            box = np.array([y, x, y + box_height, x + box_width])
            common = np.minimum(objects[:, 2:], box[2:]) - np.maximum(objects[:, :2], box[:2])
            area = np.prod(objects[:, 2:] - objects[:, :2], 1)
            if (np.prod(np.maximum(common, 0), 1) >= min_covered * area).any():
                return box
        return None


__all__ = ["ExtractGlimpse", "SampleDistortedBoundingBoxV2", "ScaleAndTranslate"]

attach_docstrings("minispore.ops", __name__)
