"""OnRequestExit: end a training in good order when somebody asks for it."""

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
    """On a signal, or a word in a file, stop after the step (with sink: the epoch) and save.

    A training (or evaluation) that begins with a file of an earlier request goes on from it. The
    former handler of the signal is put back at the end.

    Args:
        save_ckpt: save a checkpoint, ``<directory>/rank_<device>/<file_name>_train.ckpt``.
        save_mindir: kept for MindSpore's sake; the checkpoint holds all that is needed here.
        file_name: see ``save_ckpt``.
        directory: see ``save_ckpt``; made when missing.
        config_file: a JSON file; ``{"GracefulExit": 1}`` in it is a request too.
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
        who = "OnRequestExit"
        try:
            self.save_ckpt = checks.boolean(who, "save_ckpt", save_ckpt)
            self.save_mindir = checks.boolean(who, "save_mindir", save_mindir)
            self.sig = checks.instance(who, "sig", sig, int)
            checks.instance(who, "file_name", file_name, str)
        except TypeError as exc:
            raise ValueError(str(exc)) from None  # as MindSpore's
        if hasattr(signal, "SIGKILL") and self.sig == signal.SIGKILL:
            raise ValueError(f"{who}: sig must be a signal that can be caught, got SIGKILL.")
        folder = os.path.join(directory or os.getcwd(), f"rank_{context.get_context('device_id')}")
        folder = resolve_write_path(folder)
        os.makedirs(folder, exist_ok=True)
        self.train_name = os.path.join(folder, f"{file_name}_train")
        self.eval_name = os.path.join(folder, f"{file_name}_eval")
        self.config_file = config_file
        self.exit = False
        self._former: Any = None
        self._listening = False

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._listening:
            signal.signal(self.sig, self._former)
            self._listening = False

    def on_train_begin(self, run_context: RunContext) -> None:
        self._listen()
        self._load(run_context.original_args().train_network, self.train_name)

    def on_train_step_end(self, run_context: RunContext) -> None:
        if self._asked():
            run_context.request_stop()

    def on_train_end(self, run_context: RunContext) -> None:
        if self.exit and self.save_ckpt:
            params = run_context.original_args()
            info = {
                "epoch_num": params.cur_epoch_num,
                "step_num": params.cur_step_num,
                "batch_num": params.batch_num,
                **params.course.entries(),
            }
            save_checkpoint(params.train_network, f"{self.train_name}.ckpt", append_dict=info)

    def on_eval_begin(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        if "train_network" in params:
            return  # within a training, which listens and has its weights
        self._listen()
        if not self._load(params.eval_network, self.eval_name):
            self._load(params.eval_network, self.train_name)

    def on_eval_step_end(self, run_context: RunContext) -> None:
        if self._asked():
            run_context.request_stop()

    def on_eval_end(self, run_context: RunContext) -> None:
        if self.exit and self.save_ckpt:
            save_checkpoint(run_context.original_args().eval_network, f"{self.eval_name}.ckpt")

    def _listen(self) -> None:
        self.exit = False
        if self._listening or threading.current_thread() is not threading.main_thread():
            return  # only the main thread may handle signals
        self._former = signal.signal(self.sig, self._note)
        self._listening = True

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.exit = True

    def _asked(self) -> bool:
        if not self.exit and self.config_file is not None:
            try:
                with open(self.config_file, encoding="utf-8") as file:
                    told = json.load(file)
                self.exit = isinstance(told, dict) and told.get("GracefulExit") == 1
            except (OSError, ValueError):
                pass  # no file yet, or one that is being written
        return self.exit

    def _load(self, network: Any, name: str) -> bool:
        path = f"{name}.ckpt"
        if not self.save_ckpt or not os.path.isfile(path):
            return False
        load_checkpoint(path, network)
        return True
