"""Max pools with randomly placed windows, one for each element of a given output size."""

from __future__ import annotations

import itertools
import math
from typing import Any, ClassVar

import numpy as np

from minispore.core.primitive import Cotangents, Primitive, VjpRule
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir.value import Spec
from minispore.ops.elementwise.bases import REAL, check_dtype_kind
from minispore.ops.index.scatter import tensor_scatter_elements
from minispore.ops.network.unpool import check_each_axis
from minispore.ops.random.draws import rand
from minispore.ops.shape.cast_fill import zeros
from minispore.ops.shape.views import ExpandDims, Reshape
from minispore.ops.support.arguments import FLOAT_KINDS, check_tensors

INT64 = np.dtype(np.int64)


class FractionalMaxPoolWithFixedKsize(Primitive):
    """The maximum of each window, ignoring NaN, and its index in the channel.

    The ``m`` windows of length ``k`` over ``n`` elements are (n - k) / (m - 1) apart on average. A
    random number in [0, 1) for each channel and axis determines where they start.

    Args:
        ksize: the size of the windows, an int or two.
        output_shape: the number of windows along H and W, an int or two.
        data_format: "NCHW".
        input_x: (N, C, H, W).
        random_samples: (N, C, 2), numbers in [0, 1): along W, along H.

    Returns:
        ``(elements, indices)``, both (N, C, *output_shape).

    Source: Graham, https://arxiv.org/abs/1412.6071

    >>> x = Tensor([[[[1.0, 5.0, 2.0, 3.0]]]])
    >>> y, at = FractionalMaxPoolWithFixedKsize((1, 2), (1, 2))(x, Tensor([[[0.5, 0.5]]]))
    >>> print(y, at)
    [[[[5. 3.]]]] [[[[1 3]]]]
    """

    ksize: Any
    output_shape: Any
    data_format: str = "NCHW"
    axes: ClassVar[int] = 2
    formats: ClassVar[tuple[str, ...]] = ("NCHW",)
    order: ClassVar[tuple[int, ...]] = (1, 0)  # index of the random number of each axis
    vjp_rule = VjpRule(partial=True)

    def check(self) -> None:
        """Check the format, and normalise ``ksize`` and ``output_shape`` to one positive int per
        axis.
        """
        self.normalise(
            ksize=check_each_axis(self.name, "ksize", self.ksize, self.axes, 1),
            output_shape=check_each_axis(
                self.name, "output_shape", self.output_shape, self.axes, 1
            ),
        )
        checks.one_of(self.name, "data_format", self.data_format, self.formats)

    def infer(self, input_x: Spec, random_samples: Spec) -> tuple[Spec, Spec]:
        """Return the specs of the maxima and of the int64 indices.

        Raises:
            TypeError: the input is not real, or the samples are not floats.
            ValueError: the shape of an input is wrong, or the windows do not fit into ``input_x``.
        """
        check_dtype_kind(self.name, input_x, REAL, "input_x")
        check_dtype_kind(self.name, random_samples, FLOAT_KINDS, "random_samples")
        if input_x.ndim != self.axes + 2:
            raise ValueError(f"{self.name}: input_x must have {self.axes + 2} axes, got {input_x}.")
        expected = (*input_x.shape[:2], self.axes)
        if random_samples.shape != expected:
            raise ValueError(
                f"{self.name}: random_samples must have the shape {expected}, got {random_samples}."
            )
        for n, k, m in zip(input_x.shape[2:], self.ksize, self.output_shape, strict=True):
            if k + m - 1 > n:
                raise ValueError(
                    f"{self.name}: ksize + output_shape - 1 must be <= the axis of input_x, got "
                    f"{k} + {m} - 1 for {n}."
                )
        shape = (*input_x.shape[:2], *self.output_shape)
        return Spec(shape, input_x.dtype), Spec(shape, INT64)

    def _compute_window_starts(self, draws: np.ndarray, sizes: tuple[int, ...]) -> list[np.ndarray]:
        """Return the first index of each window of one channel, for each axis; the last window ends
        at the end.

        ``draws`` holds the channel's random numbers, one per axis.
        """
        starts = []
        for n, k, m, draw_index in zip(
            sizes, self.ksize, self.output_shape, self.order, strict=True
        ):
            step = np.float32((n - k) / (m - 1)) if m > 1 else np.float32(0)
            u = np.float32(draws[draw_index])
            scaled_starts = (np.arange(m, dtype=np.float32) + u) * step
            axis_starts = scaled_starts.astype(np.int64) - int(u * step)
            axis_starts[-1] = n - k
            starts.append(axis_starts)
        return starts

    def kernel(
        self, input_x: np.ndarray, random_samples: np.ndarray, *, out: tuple[np.ndarray, np.ndarray]
    ) -> None:
        """Write the maximum of each window of each channel, and the maximum's flat index in the
        channel.

        NaN counts as -inf; among equal elements the first in row-major order wins.
        """
        y, indices = out
        sizes = input_x.shape[2:]
        flat_indices = np.arange(math.prod(sizes)).reshape(sizes)
        for n, c in np.ndindex(*input_x.shape[:2]):
            channel = input_x[n, c]
            if channel.dtype.kind == "f":  # NaN is never the maximum
                channel = np.where(np.isnan(channel), -np.inf, channel)
            starts = self._compute_window_starts(random_samples[n, c], sizes)
            offsets = itertools.product(*map(range, self.ksize))
            corners = [
                np.ix_(*[b + o for b, o in zip(starts, offset, strict=True)]) for offset in offsets
            ]
            elements = np.stack([channel[corner] for corner in corners])
            argmax = np.expand_dims(elements.argmax(0), 0)
            y[n, c] = np.take_along_axis(elements, argmax, 0)[0]
            element_indices = np.stack([flat_indices[corner] for corner in corners])
            indices[n, c] = np.take_along_axis(element_indices, argmax, 0)[0]

    def vjp(self, input_x: Tensor, random_samples: Tensor, *, out: Any, dout: Any) -> Cotangents:
        if dout[0] is None:
            return None, None
        return lambda: self._scatter_grad(input_x.shape, out[1], dout[0]), None

    def _scatter_grad(self, shape: tuple[int, ...], indices: Tensor, dout: Tensor) -> Tensor:
        """Return the gradient of the input: each output's gradient added to the element that was
        its maximum.
        """
        rows = (math.prod(shape[:2]), -1)
        zero_grad = zeros((rows[0], math.prod(shape[2:])), dout.dtype)
        index_rows, updates = Reshape()(indices, rows), Reshape()(dout, rows)
        return Reshape()(tensor_scatter_elements(zero_grad, index_rows, updates, 1, "add"), shape)


class FractionalMaxPool3DWithFixedKsize(FractionalMaxPoolWithFixedKsize):
    """The maximum of each window of a volume, and its index in the channel.

    See :class:`FractionalMaxPoolWithFixedKsize`.

    Args:
        ksize: the size of the windows, an int or three.
        output_shape: the number of windows along D, H and W, an int or three.
        data_format: "NCDHW".
        input_x: (N, C, D, H, W).
        random_samples: (N, C, 3), numbers in [0, 1): along D, H and W.

    Returns:
        ``(elements, indices)``, both (N, C, *output_shape).

    >>> x = Tensor([[[[[1.0, 5.0, 2.0, 3.0]]]]])
    >>> draws = Tensor([[[0.5, 0.5, 0.5]]])
    >>> print(FractionalMaxPool3DWithFixedKsize((1, 1, 2), (1, 1, 2))(x, draws)[0])
    [[[[[5. 3.]]]]]
    """

    data_format: str = "NCDHW"
    axes = 3
    formats = ("NCDHW",)
    order = (0, 1, 2)


def _pool_fractional_maxima(
    op: str,
    pool: type[FractionalMaxPoolWithFixedKsize],
    input: Tensor,
    kernel_size: Any,
    size_or_ratio: tuple[Any, Any],
    return_indices: bool,
    samples: Tensor | None,
) -> Any:
    """Check the arguments of a fractional pool and run the op ``pool``; return maxima, or maxima
    and indices.

    Args:
        op: the public name, with which errors begin.
        pool: the class of the op.
        input: (N, C, *spatial) or (C, *spatial).
        kernel_size: the size of the windows.
        size_or_ratio: the output size and the output ratio; the latter is used if the size is None.
        return_indices: also return the indices.
        samples: random numbers; None draws them from the global stream.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: neither size nor ratio is given, or the ratio or the windows do not fit.
    """
    output_size, ratio = size_or_ratio
    if output_size is None and ratio is None:
        raise ValueError(f"{op}: output_size or output_ratio must be given, got neither.")
    checks.boolean(op, "return_indices", return_indices)
    images = input if input.ndim != pool.axes + 1 else ExpandDims()(input, 0)
    if output_size is None:
        ratios = ratio if isinstance(ratio, tuple | list) else (ratio,) * pool.axes
        is_fraction = all(0 < checks.number(op, "output_ratio", r) < 1 for r in ratios)
        if len(ratios) != pool.axes or not is_fraction:
            raise ValueError(
                f"{op}: output_ratio must be {pool.axes} numbers in (0, 1), got {ratio!r}."
            )
        output_size = tuple(int(n * r) for n, r in zip(images.shape[2:], ratios, strict=False))
    if samples is None:
        samples = rand(*images.shape[:2], pool.axes)
    outputs = pool(kernel_size, output_size)(images, samples)
    if input.ndim == pool.axes + 1:
        outputs = tuple([Reshape()(output, output.shape[1:]) for output in outputs])
    return outputs if return_indices else outputs[0]


def fractional_max_pool2d(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """Take the maximum of each window of ``kernel_size``, at random positions.

    Args:
        input: (N, C, H, W) or (C, H, W).
        kernel_size: the size of the windows, an int or two.
        output_size: the size of the output, an int or two; needed without ``output_ratio``.
        output_ratio: the ratio of the output's size to the input's, in (0, 1); used without
            ``output_size``.
        return_indices: also return the int64 flat index of each element in its channel.
        _random_samples: (N, C, 2), numbers in [0, 1); by default drawn from the global stream.

    Returns:
        The elements, or the elements and their indices.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: no size is given, or a window or shape does not fit.

    Source: Graham, https://arxiv.org/abs/1412.6071

    >>> print(fractional_max_pool2d(Tensor([[[1.0, 5.0, 2.0, 3.0]]]), (1, 2), (1, 2)))
    [[[5. 3.]]]
    """
    check_tensors("fractional_max_pool2d", input=input)
    size_or_ratio = output_size, output_ratio
    pool = FractionalMaxPoolWithFixedKsize
    return _pool_fractional_maxima(
        "fractional_max_pool2d",
        pool,
        input,
        kernel_size,
        size_or_ratio,
        return_indices,
        _random_samples,
    )


def fractional_max_pool3d(
    input: Tensor,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """Take the maximum of each window of ``kernel_size`` of a volume, at random positions.

    Args:
        input: (N, C, D, H, W) or (C, D, H, W).
        kernel_size: the size of the windows, an int or three.
        output_size: the size of the output, an int or three; needed without ``output_ratio``.
        output_ratio: the ratio of the output's size to the input's, in (0, 1); used without
            ``output_size``.
        return_indices: also return the int64 flat index of each element in its channel.
        _random_samples: (N, C, 3), numbers in [0, 1); by default drawn from the global stream.

    Returns:
        The elements, or the elements and their indices.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: no size is given, or a window or shape does not fit.

    >>> x = Tensor([[[[1.0, 5.0, 2.0, 3.0]]]])
    >>> print(fractional_max_pool3d(x, (1, 1, 2), (1, 1, 2)))
    [[[[5. 3.]]]]
    """
    check_tensors("fractional_max_pool3d", input=input)
    size_or_ratio = output_size, output_ratio
    pool = FractionalMaxPool3DWithFixedKsize
    return _pool_fractional_maxima(
        "fractional_max_pool3d",
        pool,
        input,
        kernel_size,
        size_or_ratio,
        return_indices,
        _random_samples,
    )


__all__ = [
    "FractionalMaxPool3DWithFixedKsize",
    "FractionalMaxPoolWithFixedKsize",
    "fractional_max_pool2d",
    "fractional_max_pool3d",
]
