"""Define ``profile``, a session that records the steps that a schedule chooses, cycle by cycle."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from sys import is_finalizing
from types import TracebackType
from typing import Any, Self

from minispore.errors import warn
from minispore.ops.control.collective import WORLD
from minispore.ops.support import transport
from minispore.profiler.profiler import Profiler
from minispore.profiler.schedule import ProfilerAction
from minispore.profiler.sessions.enums import ProfilerActivity
from minispore.profiler.sessions.marks import Marks, set_collecting_marks
from minispore.profiler.sessions.settings import Settings, _ExperimentalConfig, make_settings
from minispore.profiler.writing import write_json

DEFAULT_FOLDER = "./data"
FOLDER_SUFFIX, FILES_FOLDER = "_ascend_ms", "ASCEND_PROFILER_OUTPUT"
NAME_LENGTH_LIMIT = 226  # of a worker's name, which becomes part of a file name

NONE, WARM_UP = ProfilerAction.NONE, ProfilerAction.WARM_UP
RECORD, SAVE = ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE


class Recording(Profiler):
    """The stopped profiler of one cycle of recorded steps, passed to ``on_trace_ready``.

    Its files are in ``<dir>/<worker>_<process>_<time>_ascend_ms/ASCEND_PROFILER_OUTPUT``.
    """

    _writer_module = "ascend_output"

    settings: Settings
    metadata: dict[str, Any]
    marks: Marks | None
    started_at: str

    @classmethod
    def begin_recording(cls, session_settings: Settings) -> Recording:
        """Create and start a recording with these settings; it collects the program's marks from
        now on.
        """
        recording = cls.from_options(session_settings.make_options(Path()))
        recording.settings, recording.metadata, recording.marks = (
            session_settings,
            {},
            session_settings.make_marks(),
        )
        recording.started_at = datetime.now(UTC).strftime("%Y%m%d%H%M%S%f")[:-3]
        recording.set_folder()
        recording.start()
        set_collecting_marks(recording.marks)
        return recording

    def stop(self) -> None:
        """Stop recording, including the program's marks."""
        set_collecting_marks(None)
        super().stop()

    def set_folder(self, dir_name: str | None = None, worker_name: str | None = None) -> None:
        """Set the folder of the files from a parent folder and a worker name; by default the
        default folder and the host name.
        """
        folder = Path(dir_name or DEFAULT_FOLDER).resolve()
        name = (
            f"{worker_name or socket.gethostname()}_{os.getpid()}_{self.started_at}{FOLDER_SUFFIX}"
        )
        self._options = replace(self._options, folder=folder / name / FILES_FOLDER)

    def analyse(self, offline_path: str | None = None, **kwargs: Any) -> list[Path]:
        """Write all files as ``Profiler.analyse`` does, and those of the program's marks; return
        their paths.

        The session's settings and metadata are written next to the folder, and not returned.
        """
        written = super().analyse(offline_path, **kwargs)
        above, device = self.folder.parent, self.recorder.device.device_id
        rank = transport.current.rank(WORLD)
        if self.marks is not None:
            written.append(self.folder / f"wall_marks_{device}.csv")
            self.marks.write(written[-1])
        write_json(
            above / f"profiler_info_{rank}.json", {"profiler_parameters": self.settings.to_dict()}
        )
        if self.metadata:
            write_json(above / "profiler_metadata.json", self.metadata)
        return written


@dataclass(frozen=True)
class TraceHandler:
    """An ``on_trace_ready`` that writes files; made by ``tensorboard_trace_handler``."""

    dir_name: str | None
    worker_name: str | None

    def __call__(self, recording: Recording) -> None:
        """Write the files of a recording into its own folder."""
        recording.set_folder(self.dir_name, self.worker_name)
        recording.analyse()


def tensorboard_trace_handler(
    dir_name: str | None = None,
    worker_name: str | None = None,
    analyse_flag: bool = True,
    async_mode: bool = False,
) -> TraceHandler:
    """Return an ``on_trace_ready`` that writes the files of each recording into a folder.

    Args:
        dir_name: the folder, made when missing; None for ``./data``. Each recording has its own
            folder inside it.
        worker_name: the beginning of that folder's name; None for the host name.
        analyse_flag: only checked; since the data exists only in this process, files are always
            written.
        async_mode: only checked; files are written before it returns.

    Returns:
        TraceHandler, to be passed to ``profile``.

    >>> handler = tensorboard_trace_handler("out", worker_name="first")
    >>> handler.dir_name, handler.worker_name
    ('out', 'first')
    """
    for name, flag in {"analyse_flag": analyse_flag, "async_mode": async_mode}.items():
        if not isinstance(flag, bool):
            warn(f"tensorboard_trace_handler: {name} must be a bool, got {flag!r}. It is ignored.")
    names = {"dir_name": dir_name, "worker_name": worker_name}
    for name, value in names.items():
        is_too_long = (
            name == "worker_name" and isinstance(value, str) and len(value) >= NAME_LENGTH_LIMIT
        )
        if value is not None and (not isinstance(value, str) or not value or is_too_long):
            warn(
                f"tensorboard_trace_handler: {name} must be a str that names a "
                f"{'folder' if name == 'dir_name' else 'file'}, got {value!r}. None is taken."
            )
            names[name] = None
    return TraceHandler(**names)


def _record_always(step: int) -> ProfilerAction:
    """Return ``RECORD`` for every step. Used as the schedule of a session that has none."""
    return RECORD


class Profile:
    """Records the steps that a schedule selects; used as a context manager, or with ``start`` and
    ``stop``.

    ``step()`` ends a step. After the last step of a cycle, ``on_trace_ready`` is called with the
    recording. If there is none, or if ``stop()`` is called within a cycle, the files are written
    anyway. They are those of ``Profiler``, in the folder of ``tensorboard_trace_handler``; their
    times are virtual.

    Args:
        activities: the sources of collected data; by default CPU and NPU.
        profile_memory: whether to write the memory files.
        data_process: whether to write the data pipeline's files; not with a schedule.
        start_profile: whether to start at once.
        with_stack, parallel_strategy, hbm_ddr, pcie, sync_enable, record_shapes: only checked; the
            model of a device does not cover them.
        schedule: maps a step number to a ``ProfilerAction``; without one, everything from ``start``
            to ``stop`` is recorded.
        on_trace_ready: called with each recording.
        experimental_config: further arguments.

    An invalid argument is replaced by its default, with a warning.

    Raises:
        RuntimeError: another profiler is active when a recording begins.
        TypeError: the schedule does not return a ``ProfilerAction``.

    >>> from minispore import profiler
    >>> chosen = profiler.schedule(wait=1, warmup=1, active=2, repeat=1)
    >>> found = []
    >>> with profiler.profile(schedule=chosen, on_trace_ready=found.append, start_profile=False):
    ...     pass  # train, and call step() after each step
    >>> found
    []
    """

    def __init__(
        self,
        activities: list[ProfilerActivity] | None = None,
        with_stack: bool = False,
        profile_memory: bool = False,
        data_process: bool = False,
        parallel_strategy: bool = False,
        start_profile: bool = True,
        hbm_ddr: bool = False,
        pcie: bool = False,
        sync_enable: bool = True,
        record_shapes: bool = False,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[Recording], Any] | None = None,
        experimental_config: _ExperimentalConfig | None = None,
    ) -> None:
        self._started = False
        self._recording: Recording | None = None
        self._metadata: dict[str, Any] = {}
        arguments = {
            "activities": activities,
            "with_stack": with_stack,
            "profile_memory": profile_memory,
            "data_process": data_process,
            "parallel_strategy": parallel_strategy,
            "start_profile": start_profile,
            "hbm_ddr": hbm_ddr,
            "pcie": pcie,
            "sync_enable": sync_enable,
            "record_shapes": record_shapes,
        }
        for name, value in {"schedule": schedule, "on_trace_ready": on_trace_ready}.items():
            if value is not None and not callable(value):
                warn(f"profile: {name} must be callable, got {value!r}. None is taken.")
        self.record_steps = callable(schedule)
        self.schedule = schedule if schedule is not None and callable(schedule) else _record_always
        self.on_trace_ready = on_trace_ready if callable(on_trace_ready) else None
        self._settings = make_settings(arguments, experimental_config, self.record_steps)
        self.step_num = 0
        self.current_action = self._get_action(0)
        if self._settings.starts_itself:
            self.start()

    def start(self) -> None:
        """Begin the session with the action of the current step; warn if it has already begun."""
        if self._started:
            warn("profile: start() must come once, but it is at work already. It goes on.")
            return
        self._change_action(NONE, self.current_action)
        self._started = True

    def step(self) -> None:
        """End a step, and apply the schedule's action for the next one; warn if the session has not
        begun.

        This may end or begin a recording.
        """
        if not self._started:
            warn("profile: step() must come after start(), but it is not at work. Nothing is done.")
            return
        action = self._get_action(self.step_num + 1)
        self.step_num += 1
        before, self.current_action = self.current_action, action
        self._change_action(before, action)

    def stop(self) -> None:
        """End the session, and write the recorded data; warn if it has not begun, or is within a
        cycle.
        """
        if not self._started:
            warn("profile: stop() must come after start(), but it is not at work. Nothing is done.")
            return
        before = self._finish_session()
        if self.record_steps and before is not NONE:
            warn(f"profile: stop() came in a step of {before.name}: the cycle was not complete.")

    def add_metadata(self, key: str, value: str) -> None:
        """Set ``key`` to ``value`` in the ``profiler_metadata.json`` of the next files; warn unless
        both are str.
        """
        if self._are_strings(key, value):
            self._set_metadata(key, value)

    def add_metadata_json(self, key: str, value: str) -> None:
        """Set ``key`` to the value of a JSON text; warn if it is not JSON."""
        if self._are_strings(key, value):
            try:
                self._set_metadata(key, json.loads(value))
            except ValueError:
                warn(f"profile: value must be JSON, got {value!r}. It is left out.")

    def __enter__(self) -> Self:
        """Begin the session, if it has not begun."""
        if not self._started:
            self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the session and write the recorded data; after an exception, without a warning."""
        if self._started and kind is None:
            self.stop()
        elif self._started:  # the exception is message enough
            self._finish_session()

    def __del__(self) -> None:
        """End a session that was left running, with a warning."""
        if self._started and not is_finalizing():
            self.stop()
            warn("profile: stop() must be called; it was done when nobody held the profile.")

    # -- from one action to the next --------------------------------------------------------------

    def _get_action(self, step: int) -> ProfilerAction:
        """Return the schedule's action for a step; raise a TypeError if it is not an action."""
        action = self.schedule(step)
        if not isinstance(action, ProfilerAction):
            raise TypeError(
                f"profile: schedule must return a ProfilerAction, got {action!r} for step {step}."
            )
        return action

    def _change_action(self, before: ProfilerAction, after: ProfilerAction | None) -> None:
        """Begin or end a recording between two steps, and warn of an unfinished cycle.

        ``after`` is None at the end of the session.
        """
        goes_on = before is RECORD and after in (RECORD, SAVE)
        if self._recording is not None and not goes_on:
            self._end_recording(ready=before is SAVE or after is None)
        if (before, after) in ((WARM_UP, NONE), (RECORD, NONE), (RECORD, WARM_UP)):
            transition = f"{after.name} after {before.name}"  # type: ignore[union-attr]
            warn(f"profile: the schedule has {transition}: a cycle without an end.")
        if after in (RECORD, SAVE) and self._recording is None:
            self._recording = Recording.begin_recording(self._settings)

    def _finish_session(self) -> ProfilerAction:
        """End the session and its recording, and return the action of the last step."""
        self._started = False
        self._change_action(self.current_action, None)
        return self.current_action

    def _end_recording(self, ready: bool) -> None:
        """End the recording, and call ``on_trace_ready`` with it if it is ready.

        The recording is stopped first, so that no profiler remains active after an error in the
        callback. Files that the callback did not write are written afterwards. The metadata is
        passed on and cleared.
        """
        recording, self._recording = self._recording, None
        assert recording is not None
        recording.stop()
        recording.metadata, self._metadata = self._metadata, {}
        if ready and self.on_trace_ready is not None:
            self.on_trace_ready(recording)
        if not recording.folder.exists():
            recording.analyse()

    # -- metadata ---------------------------------------------------------------------------------

    @staticmethod
    def _are_strings(key: str, value: str) -> bool:
        """Whether key and value are both str; warn if not."""
        if isinstance(key, str) and isinstance(value, str):
            return True
        warn(f"profile: key and value must be str, got {key!r} and {value!r}. They are left out.")
        return False

    def _set_metadata(self, key: str, value: Any) -> None:
        """Set a metadata entry; warn if it replaces one."""
        if key in self._metadata:
            warn(f"profile: key must be new, got {key!r}. Its value is replaced.")
        self._metadata[key] = value


def analyse(
    profiler_path: str,
    max_process_number: int | None = None,
    pretty: bool = False,
    step_list: list[int] | None = None,
    data_simplification: bool = True,
) -> None:
    """Check that the recordings in a folder have the files that ``profile`` writes.

    Args:
        profiler_path: the folder of a recording (``..._ascend_ms``), or a folder that contains
            some.
        max_process_number, pretty, step_list, data_simplification: ignored.

    Raises:
        ValueError: there are no recordings.
    """
    folder = Path(profiler_path)
    if not any(
        (candidate / FILES_FOLDER).is_dir()
        for candidate in (folder, *folder.glob(f"*{FOLDER_SUFFIX}"))
    ):
        raise ValueError(
            f"analyse: profiler_path must have recordings in it (folders *{FOLDER_SUFFIX}), got "
            f"{profiler_path!r}. Give it the folder that on_trace_ready wrote to."
        )


#: Its name in ``mindspore.profiler``.
profile = Profile

__all__ = [
    "Profile",
    "Recording",
    "TraceHandler",
    "analyse",
    "profile",
    "tensorboard_trace_handler",
]
