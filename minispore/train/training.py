"""Training: a network with its loss and optimizer, and one run over a dataset."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minispore import context, device
from minispore.core.callback import watchers
from minispore.dataset.config import effective_seed
from minispore.dataset.pipeline.random import Seed
from minispore.device.model.predict import training_step
from minispore.nn.cell import Cell
from minispore.nn.check import a_function
from minispore.nn.wrap.cell_wrapper import WithLossCell
from minispore.nn.wrap.grad_reducer import broadcast_parameters
from minispore.train import amp, arguments
from minispore.train.arguments import Training
from minispore.train.callback.base import Callback, CallbackManager, InternalCallbackParam
from minispore.train.callback.progress import unseen
from minispore.train.feed import can_sink, feed_of
from minispore.train.ledger import BatchLedger
from minispore.train.loop import Backbone, train_loop
from minispore.train.resume import Course, resumption_of
from minispore.train.together import tell_once


class Trainer:
    """What a Model trains.

    Args:
        network: the network alone.
        loss_fn: from the network's output and the labels to the loss; None if it returns its loss.
        optimizer: updates the weights; None for a network that does so itself.
        amp_level: mixed precision.
        kwargs: ``loss_scale_manager`` and ``keep_batchnorm_fp32``, if given.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: arguments don't go together.
    """

    def __init__(
        self, network: Cell, loss_fn: Any, optimizer: Any, amp_level: str, kwargs: dict[str, Any]
    ) -> None:
        self.network = network
        self.loss_fn = loss_fn if loss_fn is None else a_function("Model", "loss_fn", loss_fn)
        self.optimizer = arguments.an_optimizer(optimizer)
        self.loss_scale_manager = kwargs.get("loss_scale_manager")
        if self.loss_scale_manager is not None and optimizer is None:
            raise ValueError("Model: optimizer must be given with loss_scale_manager, got None.")
        self.train_network = self._built(amp_level, kwargs)
        self.ledger: BatchLedger | None = None
        self.built_epochs: int | None = None  # for which Model.build has compiled
        self.epoch_iter, self.batch_num = 0, -1
        self.backbone = Backbone()
        self._token = object()  # what datasets are bound to: never the token of another Trainer

    def _built(self, amp_level: str, kwargs: dict[str, Any]) -> Cell:
        if self.optimizer is not None:
            names = ("loss_scale_manager", "keep_batchnorm_fp32")
            given = {k: kwargs[k] for k in names if k in kwargs}
            if given.get("keep_batchnorm_fp32", True) is None:
                del given["keep_batchnorm_fp32"]  # as the level says
            return amp.build_train_network(
                self.network, self.optimizer, self.loss_fn, level=amp_level, **given
            )
        if self.loss_fn is not None:
            return WithLossCell(self.network, self.loss_fn)
        return self.network

    def run(
        self,
        who: str,
        given: Training,
        resume_from: str | None,
        evaluate: Callable[[InternalCallbackParam, list[Callback]], None] = lambda *of: None,
    ) -> None:
        """Train as ``given`` says; ``evaluate`` is called before each epoch's end."""
        sink = given.sink and can_sink()
        batch_num = given.sink_size if sink else given.size
        resumption = resumption_of(who, given, resume_from, self.train_network, batch_num)
        self._bind(who, given.dataset)
        if device.dryrun.level() is not None:
            who = f"{who} of {type(self.network).__name__}"
            device.dryrun.report(who, training_step(self, given.dataset), batch_num)
            return
        if resumption is not None:
            resumption.restore(self.train_network, self.loss_scale_manager)
        if context.get_auto_parallel_context("parameter_broadcast"):
            broadcast_parameters(self.train_network.get_parameters())
        arguments.warn_of(who, given.sink and not sink, self.loss_fn, self.optimizer)
        if self.ledger is not None:
            self.ledger.begin(given.dataset, given.size)
        self.batch_num = batch_num
        epochs, begun = given.epochs, given.epochs.start * batch_num
        seed = Seed.of(effective_seed())
        first = arguments.init_step_of(who, given.dataset, batch_num if sink else 1)
        if resumption is not None:
            epochs, seed = resumption.epochs(epochs.stop), resumption.seed
            begun, first = resumption.step, 0
        begun += first % batch_num
        ahead = first - begun if first else 0  # batches that no step took
        steps = range(begun + ahead, epochs.stop * batch_num + ahead)
        feed = feed_of(given, sink, steps, self.ledger, seed)
        params = self._params(given, sink, epochs, begun)

        def before_epoch_end() -> None:
            self.epoch_iter = params.cur_epoch_num - epochs.start
            evaluate(params, entered.callbacks)

        unchecked = sink or self.loss_fn is None
        self.train_network.set_train()
        self.backbone.trains = True
        try:
            tell_once(given.callbacks)
            entered = CallbackManager([*given.callbacks, *unseen(given.callbacks), *watchers])
            with arguments.noting_no_batch(given.dataset), entered as manager:
                params.course = Course(params, manager, seed, given.size, self.loss_scale_manager)
                train_loop(
                    self.train_network,
                    feed,
                    manager,
                    params,
                    epochs,
                    backbone=self.backbone,
                    check_element=arguments.anything if unchecked else arguments.check_columns,
                    after_turn=arguments.anything if sink else self._update_loss_scale,
                    before_epoch_end=before_epoch_end,
                    resumption=resumption,
                )
        finally:
            feed.close()

    def _params(self, given: Training, sink: bool, epochs: range, begun: int) -> Any:
        parallel = context.get_auto_parallel_context
        return InternalCallbackParam(
            mode="train",
            train_network=self.train_network,
            network=self.network,
            loss_fn=self.loss_fn,
            optimizer=self.optimizer,
            train_dataset=given.dataset,
            train_dataset_element=None,
            epoch_num=len(epochs),
            batch_num=self.batch_num,
            cur_step_num=begun,
            initial_step=begun,
            dataset_sink_mode=sink,
            **({"sink_size": given.sink_size} if sink else {}),
            parallel_mode=parallel("parallel_mode"),
            device_number=parallel("device_num"),
            list_callback=given.callbacks,
            last_save_ckpt_step=None,
            latest_ckpt_file=None,
            loss_scale_mananger=self.loss_scale_manager,  # spelled so in MindSpore
        )

    def _bind(self, who: str, dataset: Any) -> None:
        """A dataset belongs to the first Model that trains with it."""
        if dataset.use.owner is None:
            dataset.use.owner = self._token
        if dataset.use.owner is not self._token:
            raise RuntimeError(
                f"{who}: the dataset must be this Model's own, got one that another Model has "
                "trained with. Make another dataset."
            )

    def _update_loss_scale(self, outputs: Any) -> None:
        manager = self.loss_scale_manager
        if manager is not None and manager.get_drop_overflow_update():
            manager.update_loss_scale(bool(np.all(outputs[1].asnumpy())))
