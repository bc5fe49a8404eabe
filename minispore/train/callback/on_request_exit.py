"""OnRequestExit: ends a training and saves a checkpoint when a signal or a file requests it."""

from __future__ import annotations

import json
import os
import signal
import threading
from types import FrameType, TracebackType
from typing import Any

from minispore import context
from minispore.foundation import checks
from minispore.foundation.files import resolve_write_path
from minispore.train.callback.base import Callback, RunContext
from minispore.train.serialization import load_checkpoint, save_checkpoint


class OnRequestExit(Callback):
    """On a signal or a setting in a file, stop after the step (with sink: the epoch) and save a
    checkpoint.

    When a training (or evaluation) begins, it loads the checkpoint of an earlier request. The
    previous handler of the signal is restored at the end.

    Args:
        save_ckpt: save a checkpoint, ``<directory>/rank_<device>/<file_name>_train.ckpt``.
        save_mindir: accepted for compatibility, has no effect; the checkpoint suffices.
        file_name: see ``save_ckpt``.
        directory: see ``save_ckpt``; made when missing.
        config_file: a JSON file; ``{"GracefulExit": 1}`` in it also requests an exit.
        sig: the signal.

    Raises:
        ValueError: an argument has the wrong type, or ``sig`` is SIGKILL, which can't be caught.
    """

    _reports_ = False

    def __init__(
        self,
        save_ckpt: bool = True,
        save_mindir: bool = True,
        file_name: str = "Net",
        directory: str | None = "./",
        config_file: str | None = None,
        sig: int = signal.SIGTERM,
    ) -> None:
        api_name = "OnRequestExit"
        try:
            self.save_ckpt = checks.boolean(api_name, "save_ckpt", save_ckpt)
            self.save_mindir = checks.boolean(api_name, "save_mindir", save_mindir)
            self.sig = checks.instance(api_name, "sig", sig, int)
            checks.instance(api_name, "file_name", file_name, str)
        except TypeError as exc:
            raise ValueError(str(exc)) from None  # MindSpore raises ValueError
        if hasattr(signal, "SIGKILL") and self.sig == signal.SIGKILL:
            raise ValueError(f"{api_name}: sig must be a signal that can be caught, got SIGKILL.")
        folder = os.path.join(directory or os.getcwd(), f"rank_{context.get_context('device_id')}")
        folder = resolve_write_path(folder)
        os.makedirs(folder, exist_ok=True)
        self.train_name = os.path.join(folder, f"{file_name}_train")
        self.eval_name = os.path.join(folder, f"{file_name}_eval")
        self.config_file = config_file
        self.exit = False
        self._previous_handler: Any = None
        self._handles_signal = False

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Restore the previous handler of the signal."""
        if self._handles_signal:
            signal.signal(self.sig, self._previous_handler)
            self._handles_signal = False

    def on_train_begin(self, run_context: RunContext) -> None:
        """Install the signal handler, and load the checkpoint of an earlier request."""
        self._install_handler()
        self._load_if_saved(run_context.original_args().train_network, self.train_name)

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Request the end of the training if an exit was requested."""
        if self._is_exit_requested():
            run_context.request_stop()

    def on_train_end(self, run_context: RunContext) -> None:
        """Save a checkpoint with the training's progress if an exit was requested."""
        if self.exit and self.save_ckpt:
            cb_params = run_context.original_args()
            info = {
                "epoch_num": cb_params.cur_epoch_num,
                "step_num": cb_params.cur_step_num,
                "batch_num": cb_params.batch_num,
                **cb_params.course.make_checkpoint_entries(),
            }
            save_checkpoint(cb_params.train_network, f"{self.train_name}.ckpt", append_dict=info)

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Install the signal handler and load a checkpoint, unless within a training."""
        cb_params = run_context.original_args()
        if "train_network" in cb_params:
            return  # within a training, which handles the signal and has already loaded the weights
        self._install_handler()
        if not self._load_if_saved(cb_params.eval_network, self.eval_name):
            self._load_if_saved(cb_params.eval_network, self.train_name)

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """Request the end of the evaluation if an exit was requested."""
        if self._is_exit_requested():
            run_context.request_stop()

    def on_eval_end(self, run_context: RunContext) -> None:
        """Save a checkpoint of the evaluated network if an exit was requested."""
        if self.exit and self.save_ckpt:
            save_checkpoint(run_context.original_args().eval_network, f"{self.eval_name}.ckpt")

    def _install_handler(self) -> None:
        """Reset the request and install the signal handler, on the main thread only."""
        self.exit = False
        if self._handles_signal or threading.current_thread() is not threading.main_thread():
            return  # only the main thread may handle signals
        self._previous_handler = signal.signal(self.sig, self._handle_signal)
        self._handles_signal = True

    def _handle_signal(self, number: int, frame: FrameType | None) -> None:
        """Record the request; called by Python when the signal arrives."""
        self.exit = True

    def _is_exit_requested(self) -> bool:
        """Whether the signal arrived or the config file requests an exit; also sets ``exit``."""
        if not self.exit and self.config_file is not None:
            try:
                with open(self.config_file, encoding="utf-8") as file:
                    settings = json.load(file)
                self.exit = isinstance(settings, dict) and settings.get("GracefulExit") == 1
            except (OSError, ValueError):
                pass  # the file does not exist yet, or is being written
        return self.exit

    def _load_if_saved(self, network: Any, name: str) -> bool:
        """Load ``<name>.ckpt`` into the network if it exists; return whether it was loaded."""
        path = f"{name}.ckpt"
        if not self.save_ckpt or not os.path.isfile(path):
            return False
        load_checkpoint(path, network)
        return True
