"""BackupAndRestore: resumes a restarted training from its last backup."""

from __future__ import annotations

import contextlib
import os
from typing import Any

from minispore.foundation import checks
from minispore.foundation.files import resolve_write_path
from minispore.train.callback.base import Callback, RunContext
from minispore.train.serialization import save_checkpoint


class BackupAndRestore(Callback):
    """Back up a training every ``save_freq`` epochs; a restarted training resumes from the backup.

    Args:
        backup_dir: the folder of ``backup.ckpt``, made when missing.
        save_freq: epochs between two backups; "epoch" means 1.
        delete_checkpoint: whether to remove the file when the training has ended.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: ``save_freq`` is not positive.
    """

    _reports_ = False

    def __init__(
        self, backup_dir: str, save_freq: int | str = "epoch", delete_checkpoint: bool = True
    ) -> None:
        api_name = "BackupAndRestore"
        folder = checks.instance(api_name, "backup_dir", backup_dir, str)
        self.save_freq = (
            1 if save_freq == "epoch" else checks.integer(api_name, "save_freq", save_freq, 1)
        )
        self.delete_checkpoint = checks.boolean(api_name, "delete_checkpoint", delete_checkpoint)
        folder = resolve_write_path(folder)
        os.makedirs(folder, exist_ok=True)
        self.backup_file = os.path.join(os.path.realpath(folder), "backup.ckpt")

    def find_backup(self) -> str | None:
        """Return the backup file to resume from, or None."""
        return self.backup_file if os.path.exists(self.backup_file) else None

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Save a backup, with the training's progress, every ``save_freq`` epochs."""
        cb_params = run_context.original_args()
        if cb_params.cur_epoch_num % self.save_freq == 0:
            save_checkpoint(
                cb_params.train_network,
                self.backup_file,
                append_dict=cb_params.course.make_checkpoint_entries(),
            )

    def on_train_end(self, run_context: RunContext) -> None:
        """Remove the backup if ``delete_checkpoint`` is set."""
        if self.delete_checkpoint:
            with contextlib.suppress(FileNotFoundError):
                os.remove(self.backup_file)


class TrainFaultTolerance(Callback):
    """Not supported: the constructor raises, since it needs a repair service of Ascend clusters.

    Raises:
        NotImplementedError: always; the message names an alternative.

    Example:
        >>> try:
        ...     TrainFaultTolerance()
        ... except NotImplementedError as exc:
        ...     print("BackupAndRestore" in str(exc))
        True
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            "TrainFaultTolerance: is not here, for it needs MindIO on an Ascend cluster. Use "
            "BackupAndRestore, from whose file a training goes on as if nothing had been."
        )
