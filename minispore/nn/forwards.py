"""Forward computations that are remembered for the gradient that is asked for next.

``loss = network(x); grads = grad(network, weights)(x)`` inside of a Cell computes the network once,
as in MindSpore: its moving averages move once a step, and the gradient is that of the loss which
dropout has made.
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


class Forward:
    """What a Cell has computed, and the tape of it.

    Attributes:
        tape: what a gradient goes back on.
        watched: for each input the values whose gradients may be asked of the tape.
        leaves: those of the Parameters.
        out: what the Cell returned.
    """

    def __init__(self, params: list[Parameter], args: tuple[Any, ...], kwargs: Any) -> None:
        self.tape = Tape()
        self._given, self._names = (*args, *kwargs.values()), tuple(kwargs)
        self._inputs, self._contents = _held(values_in(self._given)), _held(params)
        self.leaves = {p: self.tape.watch(p.value_) for p in params}
        self.watched = [[self.tape.watch(t.value_) for t in values_in(x)] for x in self._given]
        self.out: Any = None

    def is_of(
        self,
        given: tuple[Any, ...],
        names: tuple[str, ...],
        positions: tuple[int, ...],
        weights: tuple[Parameter, ...],
    ) -> bool:
        """Whether it is of these inputs, and of what the Parameters hold now, and its tape knows
        the gradients that are asked for: each input's own, and those of the Cell's Parameters.
        """
        return (
            (len(given), names) == (len(self._given), self._names)
            and all(map(is_, given, self._given))
            and all(map(is_, _held(values_in(given)), self._inputs))
            and all(map(is_, _held([*self.leaves]), self._contents))
            and all(w in self.leaves or not w.requires_grad for w in weights)
            and (not positions or self._apart())
        )

    def _apart(self) -> bool:
        """Whether no input is there twice, or is a Parameter: it has one gradient, not two."""
        known = [v for values in self.watched for v in values]
        return len(set(known)) == len(known) and all(v.param is None for v in known)


def wanted(state: Any) -> bool:
    """Whether a Cell in training is inside of something that may ask for its gradient next, and
    not inside of a gradient that was asked for.
    """
    return not state.tapes and (state.depth > 1 or not state.interpreter.stages)


def remembered(cell: Any, run: Callable[..., Any], args: tuple[Any, ...], kwargs: Any) -> Any:
    """``run(args, kwargs)``, what ``cell`` computes inside of another Cell, remembered until that
    ends or a gradient of it was asked for.
    """
    made = Forward(cell.trainable_params(), args, kwargs)
    with interp.recording_on((made.tape,)):
        made.out = run(args, kwargs)
    interp.state().forwards[cell] = made
    return made.out


def _held(boxes: Sequence[Tensor]) -> tuple[Any, ...]:
    """What tensors hold now."""
    return interp.interpreter().lift(tuple([t.value_ for t in boxes]))


__all__ = ["Forward", "remembered", "wanted"]
