"""Forward passes that are cached for the next gradient.

``loss = network(x); grads = grad(network, weights)(x)`` inside a Cell computes the network once, as
in MindSpore: moving averages are updated once per step, and the gradient is that of the returned
loss, with the same dropout mask.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import is_
from typing import Any

from minispore.core import interpreter as interp
from minispore.core.autograd import Tape
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.core.tree import values_in


class ForwardPass:
    """A forward pass of a Cell with its inputs, its output and the tape that recorded it.

    Attributes:
        tape: the tape from which the gradient is computed.
        watched: for each input, the values that the tape watches.
        leaves: the watched value of each trainable Parameter.
        out: the output of the Cell.
    """

    def __init__(self, params: list[Parameter], args: tuple[Any, ...], kwargs: Any) -> None:
        self.tape = Tape()
        self._arguments, self._keyword_names = (*args, *kwargs.values()), tuple(kwargs)
        self._input_values = _read_values(values_in(self._arguments))
        self._param_values = _read_values(params)
        self.leaves = {p: self.tape.watch(p.value_) for p in params}
        self.watched = [[self.tape.watch(t.value_) for t in values_in(x)] for x in self._arguments]
        self.out: Any = None

    def matches(
        self,
        inputs: tuple[Any, ...],
        keyword_names: tuple[str, ...],
        positions: tuple[int, ...],
        weights: tuple[Parameter, ...],
    ) -> bool:
        """Whether this forward pass can be used for a gradient with these inputs, keywords and
        weights.

        The inputs and the contents of the Parameters must be the same objects as in the forward
        pass, and the tape must have a separate gradient for each requested input and for the
        weights.
        """
        return (
            (len(inputs), keyword_names) == (len(self._arguments), self._keyword_names)
            and all(map(is_, inputs, self._arguments))
            and all(map(is_, _read_values(values_in(inputs)), self._input_values))
            and all(map(is_, _read_values([*self.leaves]), self._param_values))
            and all(w in self.leaves or not w.requires_grad for w in weights)
            and (not positions or self._has_distinct_inputs())
        )

    def _has_distinct_inputs(self) -> bool:
        """Whether each input has its own gradient: no value occurs twice or belongs to a
        Parameter.
        """
        watched = [v for values in self.watched for v in values]
        return len(set(watched)) == len(watched) and all(v.param is None for v in watched)


def may_need_gradient(state: Any) -> bool:
    """Whether a Cell in training runs inside code that may compute its gradient next.

    That is, inside another Cell or under an interpreter that does not start graphs, unless a
    gradient is already being recorded.
    """
    return not state.tapes and (state.depth > 1 or not state.interpreter.stages)


def run_and_keep(cell: Any, compute: Callable[..., Any], args: tuple[Any, ...], kwargs: Any) -> Any:
    """Run ``cell`` on a tape by ``compute(args, kwargs)`` and return its output.

    The forward pass is cached in the interpreter's state for a gradient that may follow. It is
    dropped when the outermost call ends, or when a gradient has used it.
    """
    forward_pass = ForwardPass(cell.trainable_params(), args, kwargs)
    with interp.recording_on((forward_pass.tape,)):
        forward_pass.out = compute(args, kwargs)
    interp.state().forwards[cell] = forward_pass
    return forward_pass.out


def _read_values(tensors: Sequence[Tensor]) -> tuple[Any, ...]:
    """Return the current values of tensors, as the current interpreter sees them."""
    return interp.current().lift(tuple([t.value_ for t in tensors]))


__all__ = ["ForwardPass", "may_need_gradient", "run_and_keep"]
