# Written by python -m tests.typing.stubs
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from minispore.core.tensor import Tensor

def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """Average each of ``output_size`` windows of ``input`` (N, C, L) or (C, L).

    Args:
        input (Tensor): floats, integers and bool.
        output_size (int or tuple of int): of the result; None keeps an axis as it is.

    Returns:
        Tensor of the dtype of ``input``."""
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """Average each of ``output_size`` windows of ``input`` (N, C, H, W) or (C, H, W).

    Args:
        input (Tensor): floats, integers and bool.
        output_size (int or tuple of int): of the result; None keeps an axis as it is.

    Returns:
        Tensor of the dtype of ``input``."""
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """Average each of ``output_size`` windows of ``input`` (N, C, D, H, W) or (C, D, H,
    W).

    Args:
        input (Tensor): floats, integers and bool.
        output_size (int or tuple of int): of the result; None keeps an axis as it is.

    Returns:
        Tensor of the dtype of ``input``."""
def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = ...) -> Any:
    """The largest element of each of ``output_size`` windows; optionally also its index.

    Args:
        input (Tensor): what is computed on.
        output_size (int or tuple of int): of the result; None keeps an axis as it is.
        return_indices (bool): whether the places come, too. Default: False.

    Returns:
        tuple of 2 Tensors, float32, int64."""
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = ...) -> Any:
    """Take the largest element of each of ``output_size`` windows, and its flat index if
    asked for.

    Args:
        input (Tensor): floats, integers and bool.
        output_size (int or tuple of int): of the result; None keeps an axis as it is.
        return_indices (bool): whether the places come, too. Default: False.

    Returns:
        Tensor of the dtype of ``input``."""
def avg_pool1d(input: Tensor, kernel_size: Any, stride: Any = ..., padding: Any = ..., ceil_mode: bool = ..., count_include_pad: bool = ...) -> Tensor:
    """The mean of each window of (N, C, L).

    Args:
        input (Tensor): floats.
        kernel_size (int or tuple of int): the window, one number or one for each axis.
        stride (int or tuple of int): how far the window moves from one output to the next. Default:
            None.
        padding (int or tuple of int): how much is added at each side, where the mode is "pad".
            Default: 0.
        ceil_mode (bool): whether a last window that reaches over the border counts. Default: False.
        count_include_pad (bool): whether added zeros count in a mean. Default: True.

    Returns:
        Tensor of the dtype of ``input``."""
def avg_pool2d(input: Tensor, kernel_size: Any, stride: Any = ..., padding: Any = ..., ceil_mode: bool = ..., count_include_pad: bool = ..., divisor_override: int | None = ...) -> Tensor:
    """The mean of each window of (N, C, H, W).

    Args:
        input (Tensor): floats.
        kernel_size (int or tuple of int): the window, one number or one for each axis.
        stride (int or tuple of int): how far the window moves from one output to the next. Default:
            None.
        padding (int or tuple of int): how much is added at each side, where the mode is "pad".
            Default: 0.
        ceil_mode (bool): whether a last window that reaches over the border counts. Default: False.
        count_include_pad (bool): whether added zeros count in a mean. Default: True.
        divisor_override (int): what sums are divided by; 0 or None takes the window's size.
            Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def avg_pool3d(input: Tensor, kernel_size: Any, stride: Any = ..., padding: Any = ..., ceil_mode: bool = ..., count_include_pad: bool = ..., divisor_override: int | None = ...) -> Tensor:
    """The mean of each window of (N, C, D, H, W).

    Args:
        input (Tensor): floats.
        kernel_size (int or tuple of int): the window, one number or one for each axis.
        stride (int or tuple of int): how far the window moves from one output to the next. Default:
            None.
        padding (int or tuple of int): how much is added at each side, where the mode is "pad".
            Default: 0.
        ceil_mode (bool): whether a last window that reaches over the border counts. Default: False.
        count_include_pad (bool): whether added zeros count in a mean. Default: True.
        divisor_override (int): what sums are divided by; 0 or None takes the window's size.
            Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def batch_norm(input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = ..., bias: Tensor | None = ..., training: bool = ..., momentum: float = ..., eps: float = ...) -> Tensor:
    """weight * (input - mean) / sqrt(variance + eps) + bias, for each channel of (N, C, ...).

    Args:
        input (Tensor): the batch; any dtype.
        running_mean (Tensor | None): the mean where not training; in training it moves towards that
            of the batch.
        running_var (Tensor | None): the same for the variance, which moves towards the unbiased
            one.
        weight (Tensor | None): of each channel; 1 by default.
        bias (Tensor | None): of each channel; 0 by default.
        training (bool): take mean and variance of the batch. Default: False.
        momentum (float): the part of the batch in the running statistics. Default: 0.1.
        eps (float): added to the variance. Default: 1e-05.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def binary_cross_entropy(input: Tensor, target: Tensor, weight: Any = ..., reduction: str = ...) -> Tensor:
    """The cross entropy of probabilities ``input`` and ``target``, reduced.

    Args:
        input (Tensor): floats.
        target (Tensor): what should come out.
        weight (Tensor): how much each element counts. Default: None.
        reduction (str): "mean", "sum" or "none": what is done with the losses of all elements.
            Default: 'mean'.

    Returns:
        Tensor of the dtype of ``input``."""
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Any = ..., reduction: str = ..., pos_weight: Any = ...) -> Tensor:
    """The cross entropy of sigmoid(input) and ``target``, reduced.

    Args:
        input (Tensor): floats.
        target (Tensor): what should come out.
        weight (Tensor): how much each element counts. Default: None.
        reduction (str): "mean", "sum" or "none": what is done with the losses of all elements.
            Default: 'mean'.
        pos_weight (Tensor): how much the ones count in each class. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: Any = ..., padding: Any = ..., dilation: Any = ..., groups: int = ...) -> Tensor:
    """Convolve (N, C, L) with (F, C/groups, K).

    Args:
        input (Tensor): floats and complex64.
        weight (Tensor): the weights.
        bias (Tensor): what is added to each output channel; None adds nothing. Default: None.
        stride (int or tuple of int): how far the window moves from one output to the next. Default:
            1.
        padding (int or tuple of int): how much is added at each side, where the mode is "pad".
            Default: 0.
        dilation (int or tuple of int): how far apart the elements of a window are. Default: 1.
        groups (int): into how many groups the channels are split. Default: 1.

    Returns:
        Tensor of the dtype of ``input``."""
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: Any = ..., padding: Any = ..., dilation: Any = ..., groups: int = ...) -> Tensor:
    """Convolve (N, C, H, W) with (F, C/groups, KH, KW).

    Args:
        input (Tensor): floats and complex64.
        weight (Tensor): the weights.
        bias (Tensor): what is added to each output channel; None adds nothing. Default: None.
        stride (int or tuple of int): how far the window moves from one output to the next. Default:
            1.
        padding (int or tuple of int): how much is added at each side, where the mode is "pad".
            Default: 0.
        dilation (int or tuple of int): how far apart the elements of a window are. Default: 1.
        groups (int): into how many groups the channels are split. Default: 1.

    Returns:
        Tensor of the dtype of ``input``."""
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: Any = ..., padding: Any = ..., dilation: Any = ..., groups: int = ...) -> Tensor:
    """Convolve (N, C, D, H, W) with (F, C/groups, KD, KH, KW).

    Args:
        input (Tensor): floats and complex64.
        weight (Tensor): the weights.
        bias (Tensor): what is added to each output channel; None adds nothing. Default: None.
        stride (int or tuple of int): how far the window moves from one output to the next. Default:
            1.
        padding (int or tuple of int): how much is added at each side, where the mode is "pad".
            Default: 0.
        dilation (int or tuple of int): how far apart the elements of a window are. Default: 1.
        groups (int): into how many groups the channels are split. Default: 1.

    Returns:
        Tensor of the dtype of ``input``."""
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = ..., stride: Any = ..., padding: Any = ..., output_padding: Any = ..., groups: int = ..., dilation: Any = ...) -> Tensor:
    """The gradient of ``conv2d`` with respect to its input, as a function of images.

    Args:
        input (Tensor): (N, C, H, W) or (C, H, W); floats and complex64.
        weight (Tensor): (C, F/groups, KH, KW).
        bias (Tensor | None): (F,). Default: None.
        stride: how far each element of the input moves the window. Default: 1.
        padding: what is cut off at each side of the output. Default: 0.
        output_padding: what is added at its bottom and right. Default: 0.
        groups (int): how many parts the channels fall into. Default: 1.
        dilation: the distance of the window's elements. Default: 1.

    Returns:
        Tensor of the dtype of ``input``."""
def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: float = ..., reduction: str = ...) -> Tensor:
    """1 - cosine where target is 1, max(0, cosine - margin) where it is -1, reduced.

    Args:
        input1 (Tensor): one of the two that are compared; floats, integers and bool.
        input2 (Tensor): one of the two that are compared.
        target (Tensor): 1 or -1.
        margin (float): how far apart the right and the wrong ones have to be. Default: 0.0.
        reduction (str): "mean", "sum" or "none": what is done with the losses of all elements.
            Default: 'mean'.

    Returns:
        Tensor of the dtype of ``input1``; float32 for integers and bool."""
def cross_entropy(input: Tensor, target: Tensor, weight: Any = ..., ignore_index: int = ..., reduction: str = ..., label_smoothing: float = ...) -> Tensor:
    """The cross entropy of softmax(input) and target: class numbers, or probabilities.

    Args:
        input (Tensor): scores, (C,), (N, C) or (N, C, d1, ...); floats.
        target (Tensor): class numbers (without the axis C), or probabilities in the shape of
            ``input``.
        weight: of each class, (C,). Default: None.
        ignore_index (int): this class number counts nothing. Default: -100.
        reduction (str): "mean", "sum" or "none". Default: 'mean'.
        label_smoothing (float): how much of the target is spread over all classes, in [0, 1].
            Default: 0.0.

    Returns:
        Tensor of the dtype of ``input``."""
def dropout(input: Tensor, p: float = ..., training: bool = ..., inplace: bool = ...) -> Tensor:
    """Each element zeroed with probability ``p``, the others divided by 1 - p.

    Args:
        input (Tensor): floats; any dtype.
        p (float): the probability of a zero, in [0, 1); of no account without ``training``.
            Default: 0.5.
        training (bool): False returns ``input`` itself. Default: True.
        inplace (bool): whether the result goes into the input itself. Default: False.

    Returns:
        Tensor of the dtype of ``input``."""
def dropout2d(input: Tensor, p: float = ..., training: bool = ..., inplace: bool = ...) -> Tensor:
    """Complete channels of (N, C, H, W) zeroed with probability ``p``, others divided by 1 - p.

    Args:
        input (Tensor): floats, integers and bool.
        p (float): the share that becomes zero. Default: 0.5.
        training (bool): whether it is a training, not an evaluation. Default: True.
        inplace (bool): whether the result goes into the input itself. Default: False.

    Returns:
        Tensor of the dtype of ``input``."""
def elu(input: Tensor, alpha: float = ..., inplace: bool = ...) -> Tensor:
    """``input`` where it is positive, else alpha * (exp(input) - 1).

    Args:
        input (Tensor): floats, integers and bool.
        alpha (number): the factor. Default: 1.0.
        inplace (bool): whether the result goes into the input itself. Default: False.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def elu_(input: Tensor, alpha: float = ...) -> Tensor:
    """Apply ``elu`` to ``input`` in place.

    Args:
        input (Tensor): floats, integers and bool.
        alpha (number): the factor. Default: 1.0.

    Returns:
        Tensor of the dtype of ``input``."""
def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = ..., max_norm: float | None = ..., norm_type: float = ..., scale_grad_by_freq: bool = ...) -> Tensor:
    """The rows ``input`` of ``weight``.

    Args:
        input (Tensor): integers.
        weight (Tensor): (rows, width); any dtype.
        padding_idx (int | None): a row that gets no gradient. Default: None.
        max_norm (float | None): rows that are used are first scaled down to this norm, in
            ``weight`` itself. Default: None.
        norm_type (float): p of that norm. Default: 2.0.
        scale_grad_by_freq (bool): divide a row's gradient by how often it is used. Default: False.

    Returns:
        Tensor of the dtype of ``weight``."""
def flatten(input: Tensor, start_dim: int = ..., end_dim: int = ...) -> Tensor:
    """``input`` with the axes from ``start_dim`` to ``end_dim`` as one.

    Args:
        input (Tensor): any dtype.
        start_dim (int): the first and the last of the axes that become one. Default: 0.
        end_dim (int): the first and the last of the axes that become one. Default: -1.

    Returns:
        Tensor of the dtype of ``input``."""
def fold(input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = ..., padding: Any = ..., stride: Any = ...) -> Tensor:
    """Columns (N, C*KH*KW, OH*OW) or (N, C, KH*KW, OH*OW) as an image (N, C, *output_size),
    overlaps added.

    Args:
        input (Tensor): any dtype.
        output_size (tuple of int): height and width of the images.
        kernel_size (int or tuple of int): the window, one number or one for each axis.
        dilation (int or tuple of int): how far apart the elements of a window are. Default: 1.
        padding (int or tuple of int): how much is added at each side, where the mode is "pad".
            Default: 0.
        stride (int or tuple of int): how far the window moves from one output to the next. Default:
            1.

    Returns:
        Tensor of the dtype of ``input``."""
def gelu(input: Tensor, *, approximate: str = ...) -> Tensor:
    """input * P(a standard normal number < input); "tanh" approximates.

    Args:
        input (Tensor): floats; floats, integers and bool.
        approximate (str): "none", or "tanh" for ``GeLU``. Default: 'none'.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def glu(input: Tensor, dim: int = ...) -> Tensor:
    """One half of ``input`` along ``dim`` times the sigmoid of the other.

    Args:
        input (Tensor): floats.
        dim (int): the axis along which it works; negative ones count from the last. Default: -1.

    Returns:
        Tensor of the dtype of ``input``."""
def grid_sample(input: Tensor, grid: Tensor, mode: str = ..., padding_mode: str = ..., align_corners: bool | None = ...) -> Tensor:
    """The image sampled at the coordinates in ``grid``, which range from -1 to 1.

    Args:
        input (Tensor): floats, integers and bool.
        grid (Tensor): for each pixel of the output where it comes from, from -1 to 1.
        mode (str): "bilinear", "nearest" or "bicubic". Default: 'bilinear'.
        padding_mode (str): what lies beyond the border: "zeros", "border" or "reflection". Default:
            'zeros'.
        align_corners (bool): whether the centres of the corner pixels stay where they are. Default:
            None.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def group_norm(input: Tensor, num_groups: int, weight: Any = ..., bias: Any = ..., eps: float = ...) -> Tensor:
    """Normalise each group of channels of each example, then scale and shift each channel.

    Args:
        input (Tensor): floats.
        num_groups (int): into how many groups the channels are split.
        weight (Tensor): the weights. Default: None.
        bias (Tensor): what is added to each output channel; None adds nothing. Default: None.
        eps (float): a small number that keeps the divisor from zero. Default: 1e-05.

    Returns:
        Tensor of the dtype of ``input``."""
def hardshrink(input: Tensor, lambd: float = ...) -> Tensor:
    """input where |input| > lambd, else 0.

    Args:
        input (Tensor): floats.
        lambd (float): half the width of the zone that becomes zero. Default: 0.5.

    Returns:
        Tensor of the dtype of ``input``."""
def hardsigmoid(input: Tensor) -> Tensor:
    """min(max(input + 3, 0), 6) / 6.

    Args:
        input (Tensor): floats, int32 and int64.

    Returns:
        Tensor of the dtype of ``input``."""
def hardswish(input: Tensor) -> Tensor:
    """input * min(max(input + 3, 0), 6) / 6.

    Args:
        input (Tensor): floats, int32 and int64.

    Returns:
        Tensor of the dtype of ``input``."""
def hardtanh(input: Tensor, min_val: float = ..., max_val: float = ..., inplace: bool = ...) -> Tensor:
    """``input`` limited to the range from ``min_val`` to ``max_val``.

    Args:
        input (Tensor): floats, integers and bool.
        min_val (float): the least. Default: -1.0.
        max_val (float): the greatest. Default: 1.0.
        inplace (bool): whether the result goes into the input itself. Default: False.

    Returns:
        Tensor of the dtype of ``input``."""
def hardtanh_(input: Tensor, min_val: float = ..., max_val: float = ...) -> Tensor:
    """Apply ``hardtanh`` to ``input`` in place.

    Args:
        input (Tensor): floats, integers and bool.
        min_val (float): the least. Default: -1.
        max_val (float): the greatest. Default: 1.

    Returns:
        Tensor of the dtype of ``input``."""
def interpolate(input: Tensor, size: Any = ..., scale_factor: Any = ..., mode: str = ..., align_corners: bool | None = ..., recompute_scale_factor: bool | None = ...) -> Tensor:
    """A batch of signals, images or volumes (N, C, ...), resized.

    Args:
        input (Tensor): 3, 4 or 5 axes; floats, integers and bool.
        size: the lengths of the space axes, or one for all. Default: None.
        scale_factor: what to multiply the lengths by instead. Default: None.
        mode (str): "nearest", "nearest-exact", "linear" (3 axes), "bilinear", "bicubic" (4),
            "trilinear" (5) or "area". Default: 'nearest'.
        align_corners (bool | None): corners stay corners (the linear and cubic modes). Default:
            None.
        recompute_scale_factor (bool | None): let the lengths say how far elements are apart, which
            ``scale_factor`` does otherwise. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def kl_div(input: Tensor, target: Tensor, reduction: str = ..., log_target: bool = ...) -> Tensor:
    """target * (log(target) - input), reduced; "mean" is the mean over all elements.

    Args:
        input (Tensor): log probabilities; any dtype.
        target (Tensor): probabilities, or with ``log_target`` their logarithms.
        reduction (str): "mean", "sum", "batchmean" (the sum by the length of the first axis) or
            "none". Default: 'mean'.
        log_target (bool): whether ``target`` holds logarithms. Default: False.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def l1_loss(input: Tensor, target: Tensor, reduction: str = ...) -> Tensor:
    """|input - target|, reduced.

    Args:
        input (Tensor): floats, integers and complex64.
        target (Tensor): what should come out.
        reduction (str): "mean", "sum" or "none": what is done with the losses of all elements.
            Default: 'mean'.

    Returns:
        Tensor of the dtype of ``input``."""
def layer_norm(input: Tensor, normalized_shape: Any, weight: Any = ..., bias: Any = ..., eps: float = ...) -> Tensor:
    """(input - mean) / sqrt(variance + epsilon) * normalized_shape + weight, over axes ``begin_norm_axis`` and on.

    ``LayerNorm`` of ``input`` over its last axes, those of ``normalized_shape``.

    Args:
        input (Tensor): floats.
        normalized_shape (tuple of int): the last axes, which are normalised together.
        weight (Tensor): the weights. Default: None.
        bias (Tensor): what is added to each output channel; None adds nothing. Default: None.
        eps (float): a small number that keeps the divisor from zero. Default: 1e-05.

    Returns:
        Tensor of the dtype of ``input``."""
def leaky_relu(input: Tensor, negative_slope: float = ...) -> Tensor:
    """``input`` where it is positive, else negative_slope * input.

    Args:
        input (Tensor): floats, integers and bool.
        negative_slope (float): the slope below zero. Default: 0.01.

    Returns:
        Tensor of the dtype of ``input``."""
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = ...) -> Tensor:
    """input @ weight.T + bias, on the last axis of ``input``.

    Args:
        input (Tensor): (..., channels in); floats, integers and complex64.
        weight (Tensor): (channels out, channels in).
        bias (Tensor): what is added to each output channel; None adds nothing. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def log_softmax(input: Tensor, dim: int | None = ..., *, dtype: Any = ...) -> Tensor:
    """log(softmax(input)) along ``dim``.

    Args:
        input (Tensor): floats.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def logsigmoid(input: Tensor) -> Tensor:
    """log(sigmoid(input)).

    Args:
        input (Tensor): floats.

    Returns:
        Tensor of the dtype of ``input``."""
def max_pool2d(input: Tensor, kernel_size: Any, stride: Any = ..., padding: Any = ..., dilation: Any = ..., ceil_mode: bool = ..., return_indices: bool = ...) -> Any:
    """The largest element of each window; optionally also its flat index.

    Args:
        input (Tensor): floats and integers.
        kernel_size (int or tuple of int): the window, one number or one for each axis.
        stride (int or tuple of int): how far the window moves from one output to the next. Default:
            None.
        padding (int or tuple of int): how much is added at each side, where the mode is "pad".
            Default: 0.
        dilation (int or tuple of int): how far apart the elements of a window are. Default: 1.
        ceil_mode (bool): whether a last window that reaches over the border counts. Default: False.
        return_indices (bool): whether the places come, too. Default: False.

    Returns:
        Tensor of the dtype of ``input``."""
def max_unpool2d(input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = ..., padding: Any = ..., output_size: Any = ...) -> Tensor:
    """The inverse of a max pool: each element at its index in ``indices``, zeros elsewhere.

    Args:
        input (Tensor): any dtype.
        indices (Tensor): whole numbers that say where.
        kernel_size (int or tuple of int): the window, one number or one for each axis.
        stride (int or tuple of int): how far the window moves from one output to the next. Default:
            None.
        padding (int or tuple of int): how much is added at each side, where the mode is "pad".
            Default: 0.
        output_size (int or tuple of int): of the result; None keeps an axis as it is. Default:
            None.

    Returns:
        Tensor of the dtype of ``input``."""
def mish(input: Tensor) -> Tensor:
    """input * tanh(softplus(input)).

    Args:
        input (Tensor): floats.

    Returns:
        Tensor of the dtype of ``input``."""
def mse_loss(input: Tensor, target: Tensor, reduction: str = ...) -> Tensor:
    """(input - target)^2, reduced.

    Args:
        input (Tensor): floats, integers and complex64.
        target (Tensor): what should come out.
        reduction (str): "mean", "sum" or "none": what is done with the losses of all elements.
            Default: 'mean'.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers."""
def nll_loss(input: Tensor, target: Tensor, weight: Any = ..., ignore_index: int = ..., reduction: str = ...) -> Tensor:
    """-weight[target] * input[target], reduced.

    Args:
        input (Tensor): floats.
        target (Tensor): class numbers, (), (N,) or (N, d1, ...).
        weight: of each class, (C,). Default: None.
        ignore_index (int): this target counts nothing. Default: -100.
        reduction (str): "mean", "sum" or "none". Default: 'mean'.

    Returns:
        Tensor of the dtype of ``input``."""
def normalize(input: Tensor, p: float = ..., dim: int = ..., eps: float = ...) -> Tensor:
    """``input`` divided by its p-norm along ``dim``, or by ``eps`` if that is larger.

    Args:
        input (Tensor): floats, integers and bool.
        p (float): the power of the norm. Default: 2.0.
        dim (int): the axis along which it works; negative ones count from the last. Default: 1.
        eps (float): a small number that keeps the divisor from zero. Default: 1e-12.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def one_hot(tensor: Tensor, num_classes: int = ...) -> Tensor:
    """The one-hot encoding of class numbers (int64).

    Args:
        tensor (Tensor): class numbers; integers.
        num_classes (int): how many classes there are; -1 counts up to the greatest number. Default:
            -1.

    Returns:
        Tensor, int64."""
def pad(input: Tensor, pad: Any, mode: str = ..., value: Any = ...) -> Tensor:
    """``input`` with a border: (before, after) for the last axis, then for the one before it.

    Args:
        input (Tensor): any dtype.
        pad (int or tuple of int): how much is added before and after, axis by axis.
        mode (str): "constant", "reflect" (mirrored), "replicate" (the edge repeated) or "circular".
            Default: 'constant'.
        value: what the border holds in mode "constant": 0 unless told otherwise. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """(N, C * r * r, H, W) -> (N, C, H * r, W * r).

    Args:
        input (Tensor): any dtype.
        upscale_factor (int): how many rows, and columns, become channels or come from them.

    Returns:
        Tensor of the dtype of ``input``."""
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """input where input > 0, else weight * input, with one weight per channel (axis 1) or a single one.

    Args:
        input (Tensor): floats.
        weight (Tensor): the slope below zero: one, or one for each channel.

    Returns:
        Tensor of the dtype of ``input``."""
def relu(input: Tensor, inplace: bool = ...) -> Tensor:
    """max(input, 0). The slope at 0 is 0.

    ``ReLU`` of ``input``; with ``inplace`` also written to ``input``.

    Args:
        input (Tensor): floats, integers and bool.
        inplace (bool): whether the result goes into the input itself. Default: False.

    Returns:
        Tensor of the dtype of ``input``."""
def relu6(input: Tensor, inplace: bool = ...) -> Tensor:
    """min(max(input, 0), 6).

    Args:
        input (Tensor): floats and integers.
        inplace (bool): whether the result goes into the input itself. Default: False.

    Returns:
        Tensor of the dtype of ``input``."""
def relu_(input: Tensor) -> Tensor:
    """Set ``input`` to max(input, 0), in place.

    Args:
        input (Tensor): floats, integers and bool.

    Returns:
        Tensor of the dtype of ``input``."""
def selu(input: Tensor) -> Tensor:
    """The scaled exponential linear unit.

    Args:
        input (Tensor): floats and int32.

    Returns:
        Tensor of the dtype of ``input``."""
def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-input)); integers as float32.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def sigmoid_(input: Tensor) -> Tensor:
    """Set ``input`` to sigmoid(input), in place.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``."""
def silu(input: Tensor, inplace: bool = ...) -> Tensor:
    """input * sigmoid(input).

    Args:
        input (Tensor): floats.
        inplace (bool): whether the result goes into the input itself. Default: False.

    Returns:
        Tensor of the dtype of ``input``."""
def smooth_l1_loss(input: Tensor, target: Tensor, reduction: str = ..., beta: float = ...) -> Tensor:
    """d^2 / (2 beta) where d = |input - target| < beta, else d - beta / 2, reduced.

    Args:
        input (Tensor): floats.
        target (Tensor): what should come out.
        reduction (str): "mean", "sum" or "none": what is done with the losses of all elements.
            Default: 'mean'.
        beta (number): the factor of the first operand. Default: 1.0.

    Returns:
        Tensor of the dtype of ``input``."""
def soft_margin_loss(input: Tensor, target: Tensor, reduction: str = ...) -> Tensor:
    """log(1 + e^(-target * input)), target -1 or 1.

    Args:
        input (Tensor): floats.
        target (Tensor): what should come out.
        reduction (str): "mean", "sum" or "none". Default: 'mean'.

    Returns:
        Tensor of the dtype of ``input``."""
def softmax(input: Tensor, dim: int | None = ..., dtype: Any = ...) -> Tensor:
    """exp(input) / sum(exp(input)) along ``dim``.

    Args:
        input (Tensor): floats.
        dim (int): the axis along which it works; negative ones count from the last. Default: None.
        dtype (dtype): of the result, such as ``ms.float32``; None takes the input's, or the usual
            one where there is none. Default: None.

    Returns:
        Tensor of the dtype of ``input``."""
def softplus(input: Tensor, beta: float = ..., threshold: float = ...) -> Tensor:
    """Compute log(1 + e^(beta * input)) / beta; input itself where beta * input >
    threshold.

    Args:
        input (Tensor): floats.
        beta (number): the factor of the first operand. Default: 1.
        threshold (float): the bound. Default: 20.

    Returns:
        Tensor of the dtype of ``input``."""
def softshrink(input: Tensor, lambd: float = ...) -> Tensor:
    """sign(input) * max(|input| - lambd, 0), for lambd >= 0.

    Args:
        input (Tensor): floats.
        lambd (float): half the width of the zone that becomes zero. Default: 0.5.

    Returns:
        Tensor of the dtype of ``input``."""
def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent of ``input``; integers as float32.

    Args:
        input (Tensor): any dtype.

    Returns:
        Tensor of the dtype of ``input``; float32 for integers and bool."""
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = ...) -> Tensor:
    """``input`` where it is greater than ``threshold``, else ``value``.

    Args:
        input (Tensor): floats, integers and bool.
        threshold (float): the bound.
        value (float): what replaces the elements that are not above the bound.
        inplace (bool): whether the result goes into the input itself. Default: False.

    Returns:
        Tensor of the dtype of ``input``."""
def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """Apply ``threshold`` to ``input`` in place.

    Args:
        input (Tensor): floats, integers and bool.
        threshold (float): the bound.
        value (float): what replaces the elements that are not above the bound.

    Returns:
        Tensor of the dtype of ``input``."""
def unfold(input: Tensor, kernel_size: Any, dilation: Any = ..., padding: Any = ..., stride: Any = ...) -> Tensor:
    """Sliding blocks of an image as columns: (N, C, H, W) -> (N, C*KH*KW, OH*OW).

    Args:
        input (Tensor): any dtype.
        kernel_size (int or tuple of int): the window, one number or one for each axis.
        dilation (int or tuple of int): how far apart the elements of a window are. Default: 1.
        padding (int or tuple of int): how much is added at each side, where the mode is "pad".
            Default: 0.
        stride (int or tuple of int): how far the window moves from one output to the next. Default:
            1.

    Returns:
        Tensor of the dtype of ``input``."""
def upsample(input: Tensor, size: Any = ..., scale_factor: Any = ..., mode: str = ..., align_corners: bool | None = ...) -> Tensor:
    """The same as ``interpolate``.

    Args:
        input (Tensor): floats, integers and bool.
        size (tuple of int): of the output's pictures. Default: None.
        scale_factor (float or tuple of float): how many times larger. Default: None.
        mode (str): "nearest", "linear", "bilinear", "bicubic", "trilinear" or "area". Default:
            'nearest'.
        align_corners (bool): whether the centres of the corner pixels stay where they are. Default:
            None.

    Returns:
        Tensor of the dtype of ``input``."""

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose2d",
    "cosine_embedding_loss",
    "cross_entropy",
    "dropout",
    "dropout2d",
    "elu",
    "elu_",
    "embedding",
    "flatten",
    "fold",
    "gelu",
    "glu",
    "grid_sample",
    "group_norm",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "interpolate",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "linear",
    "log_softmax",
    "logsigmoid",
    "max_pool2d",
    "max_unpool2d",
    "mish",
    "mse_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "pixel_shuffle",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "selu",
    "sigmoid",
    "sigmoid_",
    "silu",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softmax",
    "softplus",
    "softshrink",
    "tanh",
    "threshold",
    "threshold_",
    "unfold",
    "upsample",
]
