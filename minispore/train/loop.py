"""Training and evaluation loops: calls of a network over a feed, with callbacks around them.

They run all modes: with and without data sink, GRAPH and PYNATIVE. ``cb_params`` records the
progress; if a callback changes it (``cur_step_num``, say), the loop continues from there.
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
    """The data source of a loop; see :mod:`minispore.train.feed`."""

    steps_per_call: int
    can_stop_mid_epoch: bool
    ended_early: bool

    def connect(self, network: Cell, cb_params: InternalCallbackParam) -> Cell:
        """Return the network to call for this data; also updates ``cb_params``."""

    def epoch_inputs(self, done_steps: int = 0, losses: Sequence[float] = ()) -> Iterable[Any]:
        """Yield the arguments of each call of one epoch, without its first ``done_steps``.

        An interrupted training did these steps, with these ``losses``.
        """

    def record_call(self, cb_params: InternalCallbackParam) -> None:
        """Record the step count and losses of the last call in ``cb_params``."""

    def close(self) -> None:
        """Close the data pipeline and end its threads."""


class TrainModeSwitch:
    """The mode, training or evaluation, to which a Model last switched its networks.

    A Model switches only when the mode changes, so a mode that a callback sets between two steps is
    kept.
    """

    is_training = True

    def set_train(self, network: Cell, is_training: bool) -> None:
        """Switch ``network`` to a mode, unless the previous switch was to the same mode."""
        if self.is_training is not is_training:
            network.set_train(is_training)
            self.is_training = is_training


def train_loop(
    network: Cell,
    feed: Feed,
    callbacks: CallbackManager,
    cb_params: InternalCallbackParam,
    epochs: range,
    *,
    mode_switch: TrainModeSwitch,
    check_element: Callable[[Any], None],
    after_call: Callable[[Any], None],
    before_epoch_end: Callable[[], None],
    resumption: Resumption | None = None,
) -> None:
    """Train for ``epochs`` (numbered from 0), and call the callbacks at each event.

    The training ends early if a callback requests it. The feed is closed before
    ``on_train_end``.

    Args:
        network: runs one step (or sink) when called.
        feed: the data.
        callbacks: the callbacks of the training, already entered.
        cb_params: the dict of the run's state, which callbacks and this loop update.
        epochs: the epochs to run.
        mode_switch: the mode of the Model's networks, which evaluations in between change.
        check_element: checks the arguments of a call, before the step is counted.
        after_call: called with the outputs of each call; updates the loss scale.
        before_epoch_end: called before the end of each epoch; evaluates, in ``Model.fit``.
        resumption: the progress of the interrupted training that this one continues.
    """
    run_context = RunContext(cb_params)
    callbacks.call("on_train_begin", run_context)
    initial_step, total_steps = cb_params.initial_step, epochs.stop * cb_params.batch_num
    if resumption is not None:
        resumption.restore_callbacks(callbacks.callbacks)
        resumption.restore_cb_params(cb_params)
    must_warn_of_nan = not any(isinstance(c, LossMonitor) for c in callbacks.callbacks)
    connected_network: Cell | None = None
    for epoch in epochs:
        cb_params.cur_epoch_num = epoch + 1
        callbacks.call("on_train_epoch_begin", run_context)
        epoch_resumption = resumption if epoch == epochs.start else None
        done_steps = max(0, min(initial_step - epoch * cb_params.batch_num, cb_params.batch_num))
        if connected_network is None and cb_params.cur_step_num < total_steps:
            connected_network = feed.connect(network, cb_params)
        losses: Sequence[float] = ()
        is_stopped = connected_network is None  # no step is left
        if epoch_resumption is not None:  # finish the step in which the training was interrupted
            completed = epoch_resumption.find_completed_callbacks("on_train_step_end", total_steps)
            if completed is not None:
                callbacks.call("on_train_step_end", run_context, completed)
            losses = epoch_resumption.losses
            is_stopped |= feed.can_stop_mid_epoch and run_context.get_stop_requested()
        elements = iter(()) if is_stopped else feed.epoch_inputs(done_steps, losses)
        for element in elements:
            assert connected_network is not None
            check_element(element)
            cb_params.cur_step_num += feed.steps_per_call
            cb_params.train_dataset_element = element
            callbacks.call("on_train_step_begin", run_context)
            mode_switch.set_train(connected_network, is_training=True)
            cb_params.net_outputs = call_network(connected_network, element)
            if must_warn_of_nan and _is_non_finite_loss(cb_params.net_outputs):
                must_warn_of_nan = False
                warn(
                    f"Model.train: the loss is NaN or infinite at step {cb_params.cur_step_num}, "
                    "and the training goes on. Lower the learning rate; with LossMonitor it would "
                    "end.",
                )
            feed.record_call(cb_params)
            after_call(cb_params.net_outputs)
            callbacks.call("on_train_step_end", run_context)
            if feed.can_stop_mid_epoch and run_context.get_stop_requested():
                break
        cb_params.data_ended_early = feed.ended_early
        completed = None
        if epoch_resumption is not None:
            completed = epoch_resumption.find_completed_callbacks("on_train_epoch_end", total_steps)
        if completed is None:
            before_epoch_end()
        callbacks.call("on_train_epoch_end", run_context, completed or ())
        cb_params.pop("metrics", None)
        cb_params.pop("eval_results", None)
        if run_context.get_stop_requested():
            break
    feed.close()
    completed = None
    if resumption is not None:
        completed = resumption.find_completed_callbacks("on_train_end", total_steps)
    callbacks.call("on_train_end", run_context, completed or ())


def eval_loop(
    network: Cell,
    feed: Feed,
    callbacks: CallbackManager,
    cb_params: InternalCallbackParam,
    mode_switch: TrainModeSwitch,
    update_metrics: Callable[[Any], None],
    compute_results: Callable[[], None],
) -> None:
    """Run one pass over an evaluation set, and call the callbacks at each event.

    Switches ``network`` to evaluation mode, and closes the feed at the end.

    Args:
        network: returns the inputs of the metrics.
        feed: the data.
        callbacks: the callbacks of the evaluation, already entered.
        cb_params: the dict of the run's state, which callbacks and this loop update.
        mode_switch: the mode of the Model's networks, which a training changes.
        update_metrics: called with the outputs of each step.
        compute_results: called after the last step.
    """
    run_context = RunContext(cb_params)
    network = feed.connect(network, cb_params)
    callbacks.call("on_eval_begin", run_context)
    network.set_train(False)
    network.phase, mode_switch.is_training = "eval", False
    callbacks.call("on_eval_epoch_begin", run_context)
    for element in feed.epoch_inputs():
        cb_params.cur_step_num += 1
        cb_params.eval_dataset_element = element
        callbacks.call("on_eval_step_begin", run_context)
        mode_switch.set_train(network, is_training=False)
        cb_params.net_outputs = call_network(network, element)
        callbacks.call("on_eval_step_end", run_context)
        update_metrics(cb_params.net_outputs)
        if feed.can_stop_mid_epoch and run_context.get_stop_requested():
            break
    feed.close()
    callbacks.call("on_eval_epoch_end", run_context)
    compute_results()
    callbacks.call("on_eval_end", run_context)


def call_network(network: Cell, element: Any) -> Any:
    """Call the network once with ``element``, as one interaction of host and device.

    Also counts the transfers of inputs and, in PYNATIVE_MODE, of outputs.
    """
    current_device = device.current()
    with current_device.interaction([t.value_.data for t in tensors_in(element)]):
        outputs = network(*element)
        if context.current().mode == context.PYNATIVE_MODE:
            current_device.count_back([t.value_.data for t in tensors_in(outputs)])
    return outputs


def _is_non_finite_loss(outputs: Any) -> bool:
    """Whether ``outputs`` is a single loss that is NaN or infinite; False for a tuple."""
    if not isinstance(outputs, Tensor) or outputs.size != 1 or outputs.dtype.kind != "f":
        return False
    return not math.isfinite(outputs.value_.data.item())
