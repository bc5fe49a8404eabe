"""In-place tensor methods as functions, and aliases that projects import from ``ops``."""

from __future__ import annotations

from typing import Any

from minispore.core.tensor import Tensor
from minispore.foundation.docstrings import attach_docstrings
from minispore.ops.elementwise.arithmetic import floor_div, floor_mod
from minispore.ops.methods.object_types import TensorType
from minispore.ops.network.conv_transpose import Conv3DTranspose
from minispore.ops.shape.cast_fill import Identity, StopGradient, shape
from minispore.ops.shape.views import reshape
from minispore.ops.support.arguments import check_tensors

floordiv, floormod, reshape_, shape_ = floor_div, floor_mod, reshape, shape


def _call_in_place(name: str, input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Call the Tensor method ``name`` of ``input`` with these arguments, and return its result.

    Raises:
        TypeError: ``input`` is not a Tensor.
    """
    check_tensors(name, input=input)
    result: Tensor = getattr(input, name)(*args, **kwargs)
    return result


def bernoulli_(input: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """Set each element of ``input`` to 1 with probability ``p``, else to 0, in place; return it.

    Draws from ``generator``, by default from the default generator.

    >>> print(bernoulli_(Tensor([5.0, 7.0]), 1.0))
    [1. 1.]
    """
    return _call_in_place("bernoulli_", input, p, generator=generator)


def clamp_(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Clamp the elements of ``input`` to [``min``, ``max``] in place; return it. None is no bound.

    >>> t = Tensor([-1.0, 0.5, 2.0])
    >>> print(clamp_(t, 0.0, 1.0), t)
    [0.  0.5 1. ] [0.  0.5 1. ]
    """
    return _call_in_place("clamp_", input, min, max)


def erfinv_(input: Tensor) -> Tensor:
    """Replace the elements of ``input``, floats, by their inverse error function in place; return
    it.

    >>> print(erfinv_(Tensor([0.0])))
    [0.]
    """
    return _call_in_place("erfinv_", input)


def exponential_(input: Tensor, lambd: float = 1, *, generator: Any = None) -> Tensor:
    """Fill ``input`` with draws from an exponential distribution of rate ``lambd``; return it.

    Draws from ``generator``, by default from the default generator. Raises ValueError unless
    ``lambd`` is positive.

    >>> bool((exponential_(Tensor([-1.0] * 9), 2.0) >= 0).all())
    True
    """
    return _call_in_place("exponential_", input, lambd, generator=generator)


def inplace_sigmoid(input: Tensor) -> Tensor:
    """Replace the elements of ``input``, floats, by their sigmoid in place; return it.

    >>> t = Tensor([0.0])
    >>> print(inplace_sigmoid(t), t)
    [0.5] [0.5]
    """
    check_tensors("inplace_sigmoid", input=input)
    return _call_in_place("sigmoid_", input)


def normal_(input: Tensor, mean: Any = 0, std: Any = 1, *, generator: Any = None) -> Tensor:
    """Fill ``input`` with draws from a normal distribution of this mean and standard deviation;
    return it.

    Draws from ``generator``, by default from the default generator.

    >>> print(normal_(Tensor([5.0, 7.0]), 3.0, 0.0))
    [3. 3.]
    """
    return _call_in_place("normal_", input, mean, std, generator=generator)


def put_(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Write (or add if ``accumulate``) ``source`` at the positions ``index`` of the flattened
    ``input`` in place; return it.

    >>> print(put_(Tensor([1, 2, 3]), Tensor([2, 0]), Tensor([8, 9])))
    [9 2 8]
    """
    return _call_in_place("put_", input, index, source, accumulate)


def random_(
    input: Tensor, from_: int = 0, to: int | None = None, *, generator: Any = None
) -> Tensor:
    """Fill ``input`` with integers drawn from [``from_``, ``to``); return it.

    Args:
        input: the Tensor to fill.
        from_: the smallest integer.
        to: the exclusive upper end; None: 2 for bool, 2**24 for floats, 2**(bits - 1), at most
            2**53, for integers.
        generator: the Generator to draw from; None: the default one.

    >>> print(random_(Tensor([5.0, 7.0]), 3, 4))
    [3. 3.]
    """
    return _call_in_place("random_", input, from_, to, generator=generator)


def stop_gradient_(input: Tensor) -> None:
    """Make ``input`` a constant for differentiation in place: no gradient flows through later uses
    of it.

    >>> from minispore import grad
    >>> def net(x):
    ...     y = x * 3
    ...     stop_gradient_(y)
    ...     return x + y
    >>> print(grad(net)(Tensor([2.0])))
    [1.]
    """
    check_tensors("stop_gradient_", input=input)
    input._write_in_place(StopGradient()(input))


def tanh_(input: Tensor) -> Tensor:
    """Replace the elements of ``input``, floats, by their hyperbolic tangent in place; return it.

    >>> print(tanh_(Tensor([0.0])))
    [0.]
    """
    return _call_in_place("tanh_", input)


def uniform_(input: Tensor, from_: Any = 0, to: Any = 1, *, generator: Any = None) -> Tensor:
    """Fill ``input`` with numbers drawn uniformly from [``from_``, ``to``); return it.

    Args:
        input: the Tensor to fill.
        from_: the lower end, a number or a Tensor.
        to: the upper end.
        generator: the Generator to draw from; None: the default one.

    >>> t = uniform_(Tensor([0.0] * 9), 2, 3)
    >>> bool((t >= 2).all() and (t < 3).all())
    True
    """
    return _call_in_place("uniform_", input, from_, to, generator=generator)


def zero_(input: Tensor) -> Tensor:
    """Set all elements of ``input`` to 0 in place; return it.

    >>> t = Tensor([1.0, 2.0])
    >>> print(zero_(t), t)
    [0. 0.] [0. 0.]
    """
    return _call_in_place("zero_", input)


# -- aliases -------------------------------------------------------------------------------------


def conv3d_transpose(
    inputs: Tensor,
    weight: Tensor,
    pad_mode: str = "valid",
    padding: Any = 0,
    stride: Any = 1,
    dilation: Any = 1,
    group: int = 1,
    output_padding: Any = 0,
) -> Tensor:
    """Return the transposed convolution :class:`Conv3DTranspose`, with the sizes taken from
    ``weight``.

    The arguments that are not explained here are those of the class.

    Args:
        inputs: (N, in_channel, D, H, W).
        weight: (in_channel, out_channel / group, KD, KH, KW).
        padding: see ``pad`` of the class.

    Raises:
        ValueError: ``inputs`` or ``weight`` does not have 5 axes.

    >>> x = Tensor([[[[[1.0, 1.0]]]]])
    >>> print(conv3d_transpose(x, x).reshape(-1))
    [1. 2. 1.]
    """
    name = "conv3d_transpose"
    check_tensors(name, inputs=inputs, weight=weight)
    for argument, x in (("inputs", inputs), ("weight", weight)):
        if x.ndim != 5:
            raise ValueError(f"{name}: {argument} must have 5 axes, got shape {x.shape}.")
    op = Conv3DTranspose(
        inputs.shape[1], weight.shape[1], weight.shape[2:], 1, pad_mode, padding, stride, dilation,
        group, output_padding,
    )  # fmt: skip
    return op(inputs, weight)


def deepcopy(input_x: Tensor) -> Tensor:
    """Return a new tensor with the same content, through which gradients flow.

    >>> t = Tensor([1.0])
    >>> made = deepcopy(t)
    >>> print(made, made is t)
    [1.] False
    """
    check_tensors("deepcopy", input_x=input_x)
    return Identity()(input_x)


def typeof(x: Tensor) -> TensorType:
    """Return the type of a tensor: the :class:`TensorType` of its dtype.

    >>> typeof(Tensor([1.0]))
    mindspore.tensor[float32]
    """
    check_tensors("typeof", x=x)
    return TensorType(x.dtype)


__all__ = [
    "bernoulli_",
    "clamp_",
    "conv3d_transpose",
    "deepcopy",
    "erfinv_",
    "exponential_",
    "floordiv",
    "floormod",
    "inplace_sigmoid",
    "normal_",
    "put_",
    "random_",
    "reshape_",
    "shape_",
    "stop_gradient_",
    "tanh_",
    "typeof",
    "uniform_",
    "zero_",
]

attach_docstrings("minispore.ops", __name__)
