"""thor: MindSpore's second-order optimizer, which is not supported."""

from __future__ import annotations

from typing import Any, NoReturn


def thor(
    net: Any,
    learning_rate: Any,
    damping: Any,
    momentum: float,
    weight_decay: float = 0.0,
    loss_scale: float = 1.0,
    batch_size: int = 32,
    use_nesterov: bool = False,
    decay_filter: Any = None,
    split_indices: Any = None,
    enable_clip_grad: bool = False,
    frequency: int = 100,
) -> NoReturn:
    """Raise NotImplementedError: THOR needs matrix-inversion kernels of Ascend or GPU.

    Args:
        net: the network.
        learning_rate: the step size.
        damping: added to the matrices.
        momentum: the momentum of the moving average.
        weight_decay: the decay of the weights.
        loss_scale: the scale of the gradients.
        batch_size: the number of rows per batch.
        use_nesterov: whether to use Nesterov's variant.
        decay_filter: selects the parameters that decay.
        split_indices: where gradients are summed in parts.
        enable_clip_grad: whether gradients are clipped.
        frequency: steps between two inversions.

    Raises:
        NotImplementedError: always; the message names alternatives.

    >>> from minispore import nn
    >>> try:
    ...     nn.thor(nn.Dense(2, 2), 0.1, 0.03, 0.9)
    ... except NotImplementedError as error:
    ...     print(error)
    thor: is not here. Train with nn.Momentum or nn.LARS, and without ConvertModelUtils.
    """
    raise NotImplementedError(_format_refusal("thor"))


def _format_refusal(name: str) -> str:
    """Return the error message for an API of THOR."""
    return f"{name}: is not here. Train with nn.Momentum or nn.LARS, and without ConvertModelUtils."


__all__ = ["thor"]
