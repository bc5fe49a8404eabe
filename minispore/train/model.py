"""Model: a network with its loss, optimizer and metrics, for training, evaluation and
prediction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from minispore import context, device
from minispore.context import (
    ParallelMode as ParallelMode,  # scripts written for MindSpore import it from here
)
from minispore.dataset.dataset import Dataset
from minispore.errors import MissingAttribute
from minispore.foundation import charts, checks
from minispore.foundation.foreign_names import (
    explain_attribute,
    explain_keyword,
    suggest_keywords,
)
from minispore.foundation.tracebacks import shorten_tracebacks
from minispore.nn.cell import Cell
from minispore.train import arguments
from minispore.train.arguments import check_sink_size
from minispore.train.callback.base import Callback, InternalCallbackParam, check_callbacks
from minispore.train.callback.history import History
from minispore.train.callback.progress import default_progress_bar
from minispore.train.custom_loops import _StepSync, _transfer_tensor_to_tuple  # noqa: F401  likewise
from minispore.train.dataset_helper import compile_for_dataset
from minispore.train.evaluation import Evaluator
from minispore.train.ledger import BatchLedger
from minispore.train.training import Trainer

_KWARGS = ("loss_scale_manager", "keep_batchnorm_fp32", "boost_config_dict", "acc_level")


@shorten_tracebacks
@suggest_keywords
class Model(charts.TextRepr):
    """A network that is trained, evaluated and used for prediction.

    Args:
        network: the network; without a ``loss_fn`` it must return the loss.
        loss_fn: maps the network's output and the labels to the loss.
        optimizer: updates the weights.
        metrics: a set of names, or a dict from name to Metric, for evaluation.
        eval_network: returns the inputs of the metrics; by default (loss, output, label).
        eval_indexes: the indices of loss, prediction and label in its outputs.
        amp_level: mixed precision: "O0" (none), "O1", "O2", "O3" or "auto".
        boost_level: "O0", "O1" or "O2"; accepted for compatibility, has no effect.
        kwargs: ``loss_scale_manager``; ``keep_batchnorm_fp32``, which is only checked.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: arguments are incompatible, or one has an invalid value.
        KeyError: a metric name is unknown.

    Example:
        >>> import numpy as np
        >>> import minispore.dataset as ds
        >>> from minispore import nn
        >>> from minispore.train import LossMonitor, Model
        >>> x, y = np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)
        >>> data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(2)
        >>> net = nn.Dense(2, 1, weight_init="zeros", bias_init="zeros")
        >>> model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.25))
        >>> model.train(1, data, callbacks=LossMonitor())
        epoch: 1 step: 1, loss is 1.0
        epoch: 1 step: 2, loss is 0.25
    """

    def __init__(
        self,
        network: Cell,
        loss_fn: Any = None,
        optimizer: Any = None,
        metrics: Any = None,
        eval_network: Cell | None = None,
        eval_indexes: list[int] | None = None,
        amp_level: str = "O0",
        boost_level: str = "O0",
        **kwargs: Any,
    ) -> None:
        for key in kwargs:
            if key not in _KWARGS:
                raise ValueError(
                    f"Model: kwargs must be of {', '.join(_KWARGS)}, got {key!r}."
                    f"{explain_keyword(key, [*_KWARGS, 'loss_fn'])}"
                )
        if optimizer is None and amp_level != "O0":
            raise ValueError(
                f"Model: amp_level must be 'O0' without an optimizer, got {amp_level!r}: mixed "
                "precision would not work."
            )
        boost = kwargs.get("acc_level", boost_level)
        if boost not in ("O0", "O1", "O2"):
            raise ValueError(f"Model: boost_level must be 'O0', 'O1' or 'O2', got {boost!r}.")
        checks.instance("Model", "network", network, Cell)
        self._trainer = Trainer(network, loss_fn, optimizer, amp_level, kwargs)
        self._network, self._loss_fn = network, self._trainer.loss_fn
        self._optimizer = self._trainer.optimizer
        casts_to_float32 = amp_level in ("O2", "O3", "auto")
        self._evaluator = Evaluator(
            network,
            loss_fn,
            metrics,
            eval_network,
            eval_indexes,
            casts_to_float32,
            self._trainer.mode_switch,
        )

    def __str__(self) -> str:
        """Return the classes of network, loss, optimizer and metrics, and the number of parameters,
        one per line.
        """

        def format_class_name(component: Any) -> str:
            """Return the class name of a component; "none" for None."""
            return "none" if component is None else type(component).__name__

        weights = list(self._network.get_parameters())
        count = sum(p.size for p in weights)
        return "\n".join(
            [
                f"Model of {format_class_name(self._network)}: {len(weights)} parameters, "
                f"{count:,} numbers",
                f"loss       {format_class_name(self._loss_fn)}",
                f"optimizer  {format_class_name(self._optimizer)}",
                f"metrics    {', '.join(self._evaluator.metrics) or 'none'}",
            ]
        )

    # -- networks and counters ---------------------------------------------------------------------

    if not TYPE_CHECKING:  # so that type checkers report unknown names

        def __getattr__(self, name: str) -> Any:
            """Raise an AttributeError that suggests a similar name or explains a name known from
            other frameworks.
            """
            raise MissingAttribute(
                f"Model: has no attribute {name!r}.",
                name,
                lambda: dir(Model),
                explain_attribute("Model", name),
            )

    @property
    def train_network(self) -> Cell:
        """The network with loss and optimizer."""
        return self._trainer.train_network

    @property
    def _train_network(self) -> Cell:  # scripts written for MindSpore read and replace it
        """The network with loss and optimizer, under the name that MindSpore's scripts use."""
        return self._trainer.train_network

    @_train_network.setter
    def _train_network(self, network: Cell) -> None:
        """Replace the network to train."""
        self._trainer.train_network = network

    @property
    def eval_network(self) -> Cell | None:
        """The network that computes the inputs of the metrics; None without metrics."""
        return self._evaluator.network

    @property
    def predict_network(self) -> Cell:
        """The network without loss and optimizer."""
        return self._network

    def batch_ledger(self) -> BatchLedger:
        """Return the record of every batch and row used in training, created by the first call.

        Call it before a training to start recording, and after it to see which data was used.
        """
        if self._trainer.ledger is None:
            self._trainer.ledger = BatchLedger()
        return self._trainer.ledger

    @property
    def epoch_iter(self) -> int:
        """The number of completed epochs of the last training; 0 before the first."""
        return self._trainer.epoch_iter

    @property
    def batch_num(self) -> int:
        """The number of steps per epoch of the last training; -1 before the first."""
        return self._trainer.batch_num

    # -- training ----------------------------------------------------------------------------------

    def train(
        self,
        epoch: int,
        train_dataset: Any,
        callbacks: Any = None,
        dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
        resume_from: str | None = None,
    ) -> None:
        """Train up to epoch ``epoch``.

        Without data sink, an epoch is one pass over the dataset. With data sink it has
        ``sink_size`` steps, regardless of where passes begin and end: no batch is skipped or
        repeated.

        Args:
            epoch: the number of the last epoch.
            train_dataset: yields the arguments of the network: data and label if there is a
                ``loss_fn``.
            callbacks: a Callback or several.
            dataset_sink_mode: send the data through the device's queue (not on CPU).
            sink_size: steps per epoch with data sink; -1 for the dataset's size.
            initial_epoch: the number of epochs already trained; step numbers and, under a seed, the
                order of the data continue from there.
            resume_from: a file that ModelCheckpoint wrote in an interrupted training with the same
                Model, data and arguments. This training continues from there, and its result is
                bitwise identical to that of an uninterrupted one. A file of BackupAndRestore takes
                precedence.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: an argument has an invalid value, the dataset is empty, or it does not have
                two columns although there is a ``loss_fn``.
            RuntimeError: another Model has used the dataset.
        """
        api_name = "Model.train"
        training_args = arguments.check_training_arguments(
            api_name,
            epoch,
            train_dataset,
            callbacks,
            dataset_sink_mode,
            sink_size,
            initial_epoch,
            self._trainer.built_epochs,
        )
        arguments.warn_of_old_hook_names(api_name, training_args.callbacks)
        self._trainer.run(api_name, training_args, resume_from)

    def fit(
        self,
        epoch: int,
        train_dataset: Any,
        valid_dataset: Any = None,
        valid_frequency: int | list[int] = 1,
        callbacks: Any = None,
        dataset_sink_mode: bool = False,
        valid_dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
        resume_from: str | None = None,
    ) -> History:
        """Train, and evaluate after every ``valid_frequency`` epochs.

        Args:
            epoch: see :meth:`train`.
            train_dataset: see :meth:`train`.
            valid_dataset: the evaluation set; None for no evaluation.
            valid_frequency: the number of epochs between evaluations, or a list of epochs to
                evaluate after.
            callbacks: see :meth:`train`; their methods must have ``on_train_*`` and ``on_eval_*``
                names.
            dataset_sink_mode: see :meth:`train`.
            valid_dataset_sink_mode: like ``dataset_sink_mode``, for the evaluation.
            sink_size: see :meth:`train`.
            initial_epoch: see :meth:`train`.
            resume_from: see :meth:`train`.

        Returns:
            The :class:`~minispore.train.History` among ``callbacks``, or a new one, with the loss
            and metrics of each epoch.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: an argument has an invalid value, there are no metrics, or a callback
                defines an old method name.
            RuntimeError: another Model has used the dataset.
        """
        api_name = "Model.fit"
        checks.boolean(api_name, "dataset_sink_mode", dataset_sink_mode)
        checks.boolean(api_name, "valid_dataset_sink_mode", valid_dataset_sink_mode)
        training_args = arguments.check_training_arguments(
            api_name,
            epoch,
            train_dataset,
            callbacks,
            dataset_sink_mode,
            sink_size,
            initial_epoch,
            self._trainer.built_epochs,
        )
        arguments.check_validation_arguments(
            api_name, valid_dataset, valid_frequency, bool(self._evaluator.metrics)
        )
        arguments.check_no_old_hook_names(api_name, training_args.callbacks)
        history = next((c for c in training_args.callbacks if isinstance(c, History)), None)
        if history is None:
            history = History()
            training_args.callbacks.append(history)

        def evaluate_if_due(
            cb_params: InternalCallbackParam, active_callbacks: list[Callback]
        ) -> None:
            """Evaluate after an epoch if there is a ``valid_dataset`` and an evaluation is due."""
            is_due = arguments.must_evaluate_after(cb_params.cur_epoch_num, valid_frequency)
            if valid_dataset is not None and is_due:
                self._evaluator.run_between_epochs(
                    cb_params, active_callbacks, valid_dataset, valid_dataset_sink_mode
                )

        self._trainer.run(api_name, training_args, resume_from, evaluate_if_due)
        return history

    # -- evaluation and prediction -----------------------------------------------------------------

    def eval(
        self, valid_dataset: Any, callbacks: Any = None, dataset_sink_mode: bool = False
    ) -> dict[str, Any]:
        """Compute the metrics over one pass of a dataset.

        Args:
            valid_dataset: the evaluation set.
            callbacks: a Callback or several.
            dataset_sink_mode: send the data through the device's queue (not on CPU).

        Returns:
            The value of each metric by name; NaN for each on a dry run.

        Raises:
            TypeError: an argument has the wrong type.
            ValueError: the Model has no metrics.
            RuntimeError: the dataset is empty, so a metric has no data.
        """
        api_name = "Model.eval"
        checks.boolean(api_name, "dataset_sink_mode", dataset_sink_mode)
        arguments.check_device_number(api_name)
        if not self._evaluator.metrics:
            raise ValueError(f"{api_name}: metrics must be given to Model to evaluate, got none.")
        callback_list = check_callbacks(callbacks)
        arguments.warn_of_old_hook_names(api_name, callback_list)
        if device.dryrun.read_level() is not None:
            return dict.fromkeys(self._evaluator.metrics, float("nan"))
        cb_params = InternalCallbackParam(list_callback=callback_list, network=self._network)
        all_callbacks = [*callback_list, *default_progress_bar(callback_list)]
        self._evaluator.run(cb_params, valid_dataset, all_callbacks, dataset_sink_mode)
        return cb_params.metrics

    def predict(self, *predict_data: Any, backend: str | None = None, config: Any = None) -> Any:
        """Return the network's output for ``predict_data``; leaves the network in evaluation mode.

        Args:
            predict_data: Tensors, bools, numbers, strings, None, or lists, tuples and dicts of
                them.
            backend: None, or "lite", which has the same effect.
            config: accepted for compatibility, has no effect.

        Raises:
            TypeError: the data has another type (a NumPy array, say).
            ValueError: a Tensor is empty, or ``backend`` has another value.
        """
        api_name = "Model.predict"
        if backend not in (None, "lite"):
            raise ValueError(f"{api_name}: backend must be None or 'lite', got {backend!r}.")
        for data in predict_data:
            arguments.check_predict_data(api_name, data)
        self._network.set_train(False)
        self._trainer.mode_switch.is_training = False
        with device.current().interaction():
            return self._network(*predict_data)

    # -- before a training -------------------------------------------------------------------------

    def build(
        self,
        train_dataset: Any = None,
        valid_dataset: Any = None,
        sink_size: int = -1,
        epoch: int = 1,
        sink_mode: bool = True,
    ) -> None:
        """Compile the graphs for these datasets, so that :meth:`train` starts at once.

        Args:
            train_dataset: compile the training step for it.
            valid_dataset: compile the evaluation for it.
            sink_size: see :meth:`train`, which must be called with the same value.
            epoch: see :meth:`train`, which must be called with the same value.
            sink_mode: whether :meth:`train` will sink its data.

        Raises:
            RuntimeError: the device is not an Ascend, or there are no metrics for
                ``valid_dataset``.
            ValueError: no dataset is given.
            TypeError: an argument is not a dataset.
        """
        api_name = "Model.build"
        target = context.get_context("device_target")
        if target != "Ascend":
            raise RuntimeError(f"{api_name}: device_target must be 'Ascend', got {target!r}.")
        if not train_dataset and not valid_dataset:
            raise ValueError(
                f"{api_name}: train_dataset or valid_dataset must be given, got neither."
            )
        check_sink_size(api_name, sink_size)
        arguments.check_device_number(api_name)
        for name, dataset in (("train_dataset", train_dataset), ("valid_dataset", valid_dataset)):
            if dataset:
                checks.instance(api_name, name, dataset, Dataset)
        if valid_dataset and not self._evaluator.metrics:
            raise RuntimeError(f"{api_name}: metrics must be given to Model for a valid_dataset.")
        if train_dataset:
            self.train_network.set_train()
            compile_for_dataset(self.train_network, train_dataset, sink_mode)
            self._trainer.built_epochs = epoch
        if valid_dataset:
            assert self.eval_network is not None
            self.eval_network.set_train(False)
            compile_for_dataset(self.eval_network, valid_dataset, sink_mode=False)

    def infer_train_layout(
        self, train_dataset: Any, dataset_sink_mode: bool = True, sink_size: int = -1
    ) -> dict[str, Any]:
        """Return the distributed layout of each parameter of the training network, by name.

        No parameter is split, so each layout is that of one device.

        Raises:
            RuntimeError: the parallel mode does not split parameters.
            TypeError: an argument has the wrong type.
            ValueError: an argument has an invalid value.
        """
        api_name = "Model.infer_train_layout"
        arguments.check_mode_can_split(api_name)
        checks.boolean(api_name, "dataset_sink_mode", dataset_sink_mode)
        if not dataset_sink_mode:
            raise ValueError(f"{api_name}: dataset_sink_mode must be True, got False.")
        if train_dataset.get_dataset_size() == 0:
            raise ValueError(f"{api_name}: the dataset must have a batch, got none.")
        check_sink_size(api_name, sink_size)
        return arguments.make_unsplit_layout(self.train_network)

    def infer_predict_layout(
        self, *predict_data: Any, skip_backend_compile: bool = False
    ) -> dict[str, Any]:
        """Return the distributed layout of each parameter of the network, by name.

        No parameter is split, so each layout is that of one device.

        Raises:
            RuntimeError: the parallel mode does not split parameters.
            TypeError: the data is not a Tensor.
        """
        api_name = "Model.infer_predict_layout"
        arguments.check_mode_can_split(api_name)
        for data in predict_data:
            arguments.check_predict_data(api_name, data)
        return arguments.make_unsplit_layout(self._network)
