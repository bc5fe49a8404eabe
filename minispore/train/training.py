"""Trainer: a network with its loss and optimizer, and one run over a dataset."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minispore import context, device
from minispore.core.callback import watchers
from minispore.dataset.config import effective_seed
from minispore.dataset.dataset import Dataset
from minispore.dataset.pipeline.random import Seed
from minispore.device.model.predict import training_step
from minispore.nn.cell import Cell
from minispore.nn.check import check_callable
from minispore.nn.wrap.cell_wrapper import WithLossCell
from minispore.nn.wrap.grad_reducer import broadcast_parameters
from minispore.train import amp, arguments
from minispore.train.arguments import TrainingArguments
from minispore.train.callback.base import Callback, CallbackManager, InternalCallbackParam
from minispore.train.callback.progress import default_progress_bar
from minispore.train.cross_rank import choose_writing_rank
from minispore.train.feed import can_sink, make_feed
from minispore.train.ledger import BatchLedger
from minispore.train.loop import TrainModeSwitch, train_loop
from minispore.train.resume import TrainingProgress, find_resumption


class Trainer:
    """The training network of a Model and the runs that train it.

    Args:
        network: the network without loss.
        loss_fn: maps the network's output and the labels to the loss; None if the network returns
            its loss.
        optimizer: updates the weights; None for a network that does so itself.
        amp_level: mixed precision.
        kwargs: ``loss_scale_manager`` and ``keep_batchnorm_fp32`` (only checked), if given.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: arguments are incompatible.
    """

    def __init__(
        self, network: Cell, loss_fn: Any, optimizer: Any, amp_level: str, kwargs: dict[str, Any]
    ) -> None:
        self.network = network
        self.loss_fn = loss_fn if loss_fn is None else check_callable("Model", "loss_fn", loss_fn)
        self.optimizer = arguments.check_optimizer(optimizer)
        self.loss_scale_manager = kwargs.get("loss_scale_manager")
        if self.loss_scale_manager is not None and optimizer is None:
            raise ValueError("Model: optimizer must be given with loss_scale_manager, got None.")
        self.train_network = self._build_train_network(amp_level, kwargs)
        self.ledger: BatchLedger | None = None
        self.built_epochs: int | None = None  # the epochs that Model.build was called with
        self.epoch_iter, self.batch_num = 0, -1
        self.mode_switch = TrainModeSwitch()
        self._dataset_token = object()  # identifies this Trainer in the datasets it has used

    def _build_train_network(self, amp_level: str, kwargs: dict[str, Any]) -> Cell:
        """Return the network to train: with loss and optimizer in the precision of ``amp_level``,
        with only the loss, or unchanged.
        """
        if self.optimizer is not None:
            names = ("loss_scale_manager", "keep_batchnorm_fp32")
            amp_args = {k: kwargs[k] for k in names if k in kwargs}
            if amp_args.get("keep_batchnorm_fp32", True) is None:
                del amp_args["keep_batchnorm_fp32"]  # None means the default of the amp level
            return amp.build_train_network(
                self.network, self.optimizer, self.loss_fn, level=amp_level, **amp_args
            )
        if self.loss_fn is not None:
            return WithLossCell(self.network, self.loss_fn)
        return self.network

    def run(
        self,
        api_name: str,
        training_args: TrainingArguments,
        resume_from: str | None,
        evaluate: Callable[[InternalCallbackParam, list[Callback]], None] = lambda *args: None,
    ) -> None:
        """Train with the checked ``training_args``; on a dry run, report the model's cost instead.

        Restores the progress of an interrupted training first, if one is to be resumed, and binds
        the dataset to this Trainer. ``evaluate`` is called before the end of each epoch.

        Raises:
            RuntimeError: another Model has trained with the dataset.
        """
        sink_mode = training_args.sink_mode and can_sink()
        batch_num = training_args.sink_size if sink_mode else training_args.size
        resumption = find_resumption(
            api_name, training_args, resume_from, self.train_network, batch_num
        )
        self._claim_dataset(api_name, training_args.dataset)
        if device.dryrun.read_level() is not None:
            api_name = f"{api_name} of {type(self.network).__name__}"
            device.dryrun.print_report(
                api_name, training_step(self, training_args.dataset), batch_num
            )
            return
        if resumption is not None:
            resumption.restore(self.train_network, self.loss_scale_manager)
        if context.get_auto_parallel_context("parameter_broadcast"):
            broadcast_parameters(self.train_network.get_parameters())
        arguments.warn_of_ineffective_arguments(
            api_name, training_args.sink_mode and not sink_mode, self.loss_fn, self.optimizer
        )
        if self.ledger is not None:
            self.ledger.start_training(training_args.dataset, training_args.size)
        self.batch_num = batch_num
        epochs, initial_step = training_args.epochs, training_args.epochs.start * batch_num
        seed = Seed.from_value(effective_seed())
        init_step = arguments.compute_init_step(
            api_name, training_args.dataset, batch_num if sink_mode else 1
        )
        if resumption is not None:
            epochs, seed = resumption.remaining_epochs(epochs.stop), resumption.seed
            initial_step, init_step = resumption.step, 0
        initial_step += init_step % batch_num
        # Batches before the data's init step, which no step consumed.
        skipped_batches = init_step - initial_step if init_step else 0
        steps = range(initial_step + skipped_batches, epochs.stop * batch_num + skipped_batches)
        if self.optimizer is not None:
            arguments.warn_of_implausible_training(
                self.network, self.loss_fn, self.optimizer, len(steps)
            )
        feed = make_feed(training_args, sink_mode, steps, self.ledger, seed)
        cb_params = self._make_cb_params(training_args, sink_mode, epochs, initial_step)

        def before_epoch_end() -> None:
            """Set ``epoch_iter`` to the number of completed epochs, and call ``evaluate``."""
            self.epoch_iter = cb_params.cur_epoch_num - epochs.start
            evaluate(cb_params, manager.callbacks)

        accepts_any_columns = sink_mode or self.loss_fn is None
        self.train_network.set_train()
        self.mode_switch.is_training = True
        try:
            choose_writing_rank(training_args.callbacks)
            progress_bars = default_progress_bar(training_args.callbacks)
            manager = CallbackManager([*training_args.callbacks, *progress_bars, *watchers])
            with arguments.note_unbatched_dataset(training_args.dataset, cb_params), manager:
                cb_params.course = TrainingProgress(
                    cb_params, manager, seed, training_args.size, self.loss_scale_manager
                )
                train_loop(
                    self.train_network,
                    feed,
                    manager,
                    cb_params,
                    epochs,
                    mode_switch=self.mode_switch,
                    check_element=arguments.accept_any
                    if accepts_any_columns
                    else arguments.check_columns,
                    after_call=arguments.accept_any if sink_mode else self._update_loss_scale,
                    before_epoch_end=before_epoch_end,
                    resumption=resumption,
                )
        finally:
            feed.close()

    def _make_cb_params(
        self, training_args: TrainingArguments, sink_mode: bool, epochs: range, initial_step: int
    ) -> Any:
        """Make the dict of this training's state, which its callbacks read and write."""
        get_parallel_setting = context.get_auto_parallel_context
        return InternalCallbackParam(
            mode="train",
            train_network=self.train_network,
            network=self.network,
            loss_fn=self.loss_fn,
            optimizer=self.optimizer,
            train_dataset=training_args.dataset,
            train_dataset_element=None,
            epoch_num=len(epochs),
            batch_num=self.batch_num,
            cur_step_num=initial_step,
            initial_step=initial_step,
            dataset_sink_mode=sink_mode,
            **({"sink_size": training_args.sink_size} if sink_mode else {}),
            parallel_mode=get_parallel_setting("parallel_mode"),
            device_number=get_parallel_setting("device_num"),
            list_callback=training_args.callbacks,
            last_save_ckpt_step=None,
            latest_ckpt_file=None,
            loss_scale_mananger=self.loss_scale_manager,  # spelled so in MindSpore
        )

    def _claim_dataset(self, api_name: str, dataset: Any) -> None:
        """Bind a dataset to this Trainer, unless another Model has trained with it.

        Raises:
            RuntimeError: another Model has trained with the dataset.
        """
        if not isinstance(dataset, Dataset):
            return
        if dataset.use.owner is None:
            dataset.use.owner = self._dataset_token
        if dataset.use.owner is not self._dataset_token:
            raise RuntimeError(
                f"{api_name}: the dataset must be this Model's own, got one that another Model has "
                "trained with. Make another dataset."
            )

    def _update_loss_scale(self, outputs: Any) -> None:
        """Pass the overflow flag of a step's outputs to the loss scale manager, if the manager
        drops updates.
        """
        manager = self.loss_scale_manager
        if manager is not None and manager.get_drop_overflow_update():
            manager.update_loss_scale(bool(np.all(outputs[1].asnumpy())))
