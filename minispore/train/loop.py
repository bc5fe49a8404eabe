"""The loop: turns of a network over a feed, with callbacks around them.

Training and evaluation, with and without data sink, GRAPH and PYNATIVE: all run here.
``cb_params`` is the record of progress; what a callback writes into it (``cur_step_num``, say) the
loop goes on from.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from minispore import context, device
from minispore.core.tensor import Tensor
from minispore.core.tree import tensors_in
from minispore.errors import warn
from minispore.nn.cell import Cell
from minispore.train.callback.base import CallbackManager, InternalCallbackParam, RunContext
from minispore.train.callback.monitors import LossMonitor
from minispore.train.resume import Resumption


class Feed(Protocol):
    """Where the data of the turns comes from; see :mod:`minispore.train.feed`."""

    steps_per_turn: int
    stops_midway: bool
    ended_early: bool

    def connect(self, network: Cell, params: InternalCallbackParam) -> Cell:
        """What is to be called; ``params`` are told what callbacks see of it."""

    def turns(self, done: int = 0, losses: Sequence[float] = ()) -> Iterable[Any]:
        """The arguments of the turns of one epoch, after ``done`` steps with ``losses``."""

    def note(self, params: InternalCallbackParam) -> None:
        """Tell ``params`` what else there is to say of the turn whose outputs they hold."""

    def close(self) -> None:
        """End the data and its threads."""


class Backbone:
    """Whether a Model last made its networks train or evaluate: a callback that does otherwise
    between two steps is left its will.
    """

    trains = True

    def set_train(self, network: Cell, mode: bool) -> None:
        """Switch ``network`` if the Model was at the other thing."""
        if self.trains is not mode:
            network.set_train(mode)
            self.trains = mode


def train_loop(
    network: Cell,
    feed: Feed,
    callbacks: CallbackManager,
    params: InternalCallbackParam,
    epochs: range,
    *,
    backbone: Backbone,
    check_element: Callable[[Any], None],
    after_turn: Callable[[Any], None],
    before_epoch_end: Callable[[], None],
    resumption: Resumption | None = None,
) -> None:
    """Train for ``epochs`` (numbers from 0).

    Args:
        network: does one step (or sink) when called.
        feed: the data.
        callbacks: told of everything.
        params: the record that callbacks see.
        epochs: which epochs.
        backbone: told of evaluations in between.
        check_element: looks at the arguments of a turn, before the step counts.
        after_turn: looks at the outputs of a turn (the loss scale).
        before_epoch_end: evaluates, in ``Model.fit``.
        resumption: the place that the training goes on from.
    """
    run_context = RunContext(params)
    callbacks.call("on_train_begin", run_context)
    begun, total = params.initial_step, epochs.stop * params.batch_num
    if resumption is not None:
        resumption.restore_callbacks(callbacks.callbacks)
        resumption.restore_record(params)
    unwatched = not any(isinstance(c, LossMonitor) for c in callbacks.callbacks)
    connected: Cell | None = None
    for epoch in epochs:
        params.cur_epoch_num = epoch + 1
        callbacks.call("on_train_epoch_begin", run_context)
        again = resumption if epoch == epochs.start else None
        done = max(0, min(begun - epoch * params.batch_num, params.batch_num))
        if connected is None and params.cur_step_num < total:
            connected = feed.connect(network, params)
        if again is not None and again.is_in("on_train_step_end", total):
            callbacks.call("on_train_step_end", run_context, again.told)
        losses = () if again is None else again.losses
        stopped = again is not None and feed.stops_midway and run_context.get_stop_requested()
        for element in () if connected is None or stopped else feed.turns(done, losses):
            assert connected is not None
            check_element(element)
            params.cur_step_num += feed.steps_per_turn
            params.train_dataset_element = element
            callbacks.call("on_train_step_begin", run_context)
            backbone.set_train(connected, True)
            params.net_outputs = turn(connected, element)
            if unwatched and _is_lost(params.net_outputs):
                unwatched = False
                warn(
                    f"Model.train: the loss is NaN or infinite at step {params.cur_step_num}, and "
                    "the training goes on. Lower the learning rate; with LossMonitor it would end.",
                )
            feed.note(params)
            after_turn(params.net_outputs)
            callbacks.call("on_train_step_end", run_context)
            if feed.stops_midway and run_context.get_stop_requested():
                break
        params.data_ended_early = feed.ended_early
        told = again.told if again and again.is_in("on_train_epoch_end", total) else None
        if told is None:
            before_epoch_end()
        callbacks.call("on_train_epoch_end", run_context, told or ())
        params.pop("metrics", None)
        params.pop("eval_results", None)
        if run_context.get_stop_requested():
            break
    feed.close()
    over = resumption is not None and resumption.is_in("on_train_end", total)
    callbacks.call("on_train_end", run_context, resumption.told if resumption and over else ())


def eval_loop(
    network: Cell,
    feed: Feed,
    callbacks: CallbackManager,
    params: InternalCallbackParam,
    backbone: Backbone,
    update: Callable[[Any], None],
    finish: Callable[[], None],
) -> None:
    """One pass over an evaluation set.

    Args:
        network: returns what metrics are made of.
        feed: the data.
        callbacks: told of everything.
        params: the record that callbacks see.
        backbone: told of trainings in between.
        update: called with the outputs of each step.
        finish: called after the last, when metrics can be made.
    """
    run_context = RunContext(params)
    network = feed.connect(network, params)
    callbacks.call("on_eval_begin", run_context)
    network.set_train(False)
    network.phase, backbone.trains = "eval", False
    callbacks.call("on_eval_epoch_begin", run_context)
    for element in feed.turns():
        params.cur_step_num += 1
        params.eval_dataset_element = element
        callbacks.call("on_eval_step_begin", run_context)
        backbone.set_train(network, False)
        params.net_outputs = turn(network, element)
        callbacks.call("on_eval_step_end", run_context)
        update(params.net_outputs)
        if feed.stops_midway and run_context.get_stop_requested():
            break
    feed.close()
    callbacks.call("on_eval_epoch_end", run_context)
    finish()
    callbacks.call("on_eval_end", run_context)


def turn(network: Cell, element: Any) -> Any:
    """Call the network once: one interaction of host and device."""
    machine = device.current()
    with machine.interaction([t.value_.data for t in tensors_in(element)]):
        outputs = network(*element)
        if context.current().mode == context.PYNATIVE_MODE:
            machine.count_back([t.value_.data for t in tensors_in(outputs)])
    return outputs


def _is_lost(outputs: Any) -> bool:
    """Whether a loss is NaN or infinite; one that comes with a loss scale may overflow."""
    if not isinstance(outputs, Tensor) or outputs.size != 1 or outputs.dtype.kind != "f":
        return False
    return not math.isfinite(outputs.value_.data.item())
