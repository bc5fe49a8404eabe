"""Define ``Profiler``, which records a run and writes files and a page about its time on an
Ascend.
"""

from __future__ import annotations

import atexit
import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from minispore import context, device
from minispore.device.model.spec import DeviceSpec, device_spec
from minispore.errors import warn
from minispore.foundation.files import write_text
from minispore.foundation.lazy_import import make_lazy_attributes
from minispore.profiler.options import DETAIL_STEPS, Options, make_options
from minispore.profiler.record import Recorder
from minispore.profiler.replay import Replay, replay

_active: Profiler | None = None

# The modules that write files are imported on first use.
_PACKAGE = "minispore.profiler"
_load_module: Callable[[str], Any] = make_lazy_attributes(
    _PACKAGE,
    {name: f"{_PACKAGE}.{name}" for name in ("ascend_output", "files", "page")},
)[0]


class Profiler:
    """Records the device's activity from ``start`` to ``stop``; ``analyse`` writes the files.

    The files are in ``<output_path>/profiler`` under MindSpore's names. Their times are virtual:
    the time that the recorded run would have taken on a device, according to its model.
    Measurements on this computer are in files whose names begin with ``wall_`` and ``minddata_``.

    Args:
        output_path: the folder for the files, made when missing.
        detail_steps: the number of steps that the timeline shows kernel by kernel.
        device_spec: the device to model; by default that of the context ("Ascend910" for CPU too).
        kwargs: MindSpore's other arguments. ``start_profile``, ``op_time``, ``profile_memory``,
            ``data_process`` and ``aicore_metrics`` select the collected data; the others are only
            checked.

    Raises:
        RuntimeError: another profiler is active.
        TypeError, ValueError: an argument is invalid; nothing is started.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     profiler = Profiler(output_path=folder)
    ...     # model.train(...)
    ...     paths = profiler.analyse()
    >>> paths[-1].name
    'report.html'
    """

    _writer_module = "files"  # the module whose ``write_all`` writes the files

    def __init__(
        self,
        output_path: str = "./data",
        *,
        detail_steps: int = DETAIL_STEPS,
        device_spec: str | DeviceSpec | None = None,
        **kwargs: Any,
    ) -> None:
        options = make_options(output_path, detail_steps, kwargs)
        self._set_up(options, device_spec)
        if kwargs.get("start_profile", True):
            self.start()

    @classmethod
    def from_options(cls, options: Options) -> Self:
        """Return a profiler with these ``options``, not started yet."""
        profiler = cls.__new__(cls)
        profiler._set_up(options, None)
        return profiler

    def _set_up(self, options: Options, spec: str | DeviceSpec | None) -> None:
        """Set the initial state; raise a RuntimeError if another profiler is active."""
        if _active is not None:
            raise RuntimeError(
                "Profiler: only one may be at work, got a second. Call stop() or analyse() of the "
                "first one before."
            )
        self._options = options
        self._device_spec = device_spec(spec) if isinstance(spec, str) else spec
        self._recorder: Recorder | None = None
        self._listening = ExitStack()
        self._replay: Replay | None = None
        self._metadata: dict[str, Any] = {}

    # -- begin and end ----------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        """Whether it is recording, that is, between ``start`` and ``stop``."""
        return _active is self

    def start(self) -> None:
        """Start recording the events of the current device; may be called again after a stop.

        Raises:
            RuntimeError: this or another profiler is already recording.
        """
        global _active
        if _active is not None:
            active_name = "it" if _active is self else "another one"
            raise RuntimeError(
                f"Profiler: start() must come once, but {active_name} is at work already."
            )
        current_device = device.current()
        if self._recorder is None:
            self._recorder = Recorder(current_device)
        self._recorder.device = current_device
        self._recorder.start()
        self._listening.enter_context(current_device.listen(self._recorder))
        self._replay = None
        _active = self

    def stop(self) -> None:
        """Stop recording; the recorded data is kept for :meth:`analyse`.

        Raises:
            RuntimeError: it is not recording.
        """
        global _active
        if _active is not self:
            raise RuntimeError("Profiler: stop() must come after start(), but it is not at work.")
        _active = None
        self._listening.close()
        self._recorder.stop()  # type: ignore[union-attr]

    def move_to(self, new_device: device.Device) -> None:
        """Record the events of ``new_device`` from now on, if it is a different one, and not those
        of the previous device. Called when the context changes while this profiler is recording.
        """
        assert self._recorder is not None
        if new_device is not self._recorder.device:
            self._listening.close()
            self._recorder.device = new_device
            self._listening.enter_context(new_device.listen(self._recorder))

    def analyse(self, offline_path: str | None = None, **kwargs: Any) -> list[Path]:
        """Stop recording if necessary, and write all files that the options request, and
        ``report.html`` (``report_{rank}.html`` if several ranks train).

        Args:
            offline_path: must be None, since the data of a run exists only in the process that ran
                it.
            kwargs: MindSpore's other arguments (``pretty``, ``step_list``, ``mode``), ignored.

        Returns:
            The paths of the files, the report last.

        Raises:
            ValueError: ``offline_path`` is given.
            RuntimeError: ``start`` was never called.
        """
        if offline_path is not None:
            raise ValueError(
                f"Profiler: offline_path must be None, got {offline_path!r}: files are written by "
                "the process that trained. Call analyse() there."
            )
        if self.running:
            self.stop()
        writer = _load_module(self._writer_module)
        written = writer.write_all(self.get_priced_run(), self._options, self.folder)
        if self._metadata:
            written.append(self._make_rank_path("profiler_metadata", ".json"))
            write_text(written[-1], json.dumps(self._metadata))
        return [*written, self.report()]

    @staticmethod
    def offline_analyse(
        path: str,
        pretty: bool = False,
        step_list: list[int] | None = None,
        data_simplification: bool = True,
    ) -> None:
        """Only warn: the data of a run exists only in the process that ran it, where
        :meth:`analyse` writes all files.
        """
        warn(f"Profiler: offline_analyse reads no data of other processes, got {path!r}.")

    def add_metadata(self, key: str, value: str) -> None:
        """Set a str in ``profiler_metadata.json``, which ``analyse`` writes; warn if it is not a
        str.
        """
        if isinstance(key, str) and isinstance(value, str):
            self._metadata[key] = value
        else:
            warn(f"Profiler: key and value must be str, got {key!r} and {value!r}: left out.")

    def add_metadata_json(self, key: str, value: str) -> None:
        """Set a value, given as JSON, in ``profiler_metadata.json``; warn if it is not JSON."""
        try:
            self._metadata[str(key)] = json.loads(value)
        except (TypeError, ValueError):
            warn(f"Profiler: value must be a text of JSON, got {value!r}: left out.")

    def report(self, path: str | Path | None = None) -> Path:
        """Write the report as one HTML file that needs no other file; return its path.

        By default, this is ``report.html`` in :attr:`folder` (``report_{rank}.html`` if several
        ranks train).
        """
        target = Path(path) if path is not None else self._make_rank_path("report", ".html")
        target.parent.mkdir(parents=True, exist_ok=True)
        _load_module("page").write_page(target, self.get_priced_run())
        return target

    def _make_rank_path(self, stem: str, suffix: str) -> Path:
        """Return the path of a file that each rank writes; several ranks have theirs in the name,
        since they may share the folder.
        """
        return self.folder / _load_module("files").name_rank_file(stem, suffix)

    def op_analyse(self, op_name: str | list[str], device_id: int | None = None) -> dict[str, Any]:
        """Return, for each of these kernel types, its number of runs in all programs, its
        microseconds, and its percentage of total kernel time.

        Types that did not run are omitted; ``device_id`` is ignored.
        """
        op_names = [op_name] if isinstance(op_name, str) else list(op_name)
        programs = self.get_priced_run().programs
        device_us = sum(priced.cost.device_us * priced.steps for priced in programs) or 1.0
        totals: dict[str, Any] = {}
        for priced in programs:
            for kind, (count, us) in priced.cost.sum_kernel_types().items():
                if kind in op_names:
                    total = totals.setdefault(kind, {"execution_frequency": 0, "task_time_us": 0.0})
                    total["execution_frequency"] += count * priced.steps
                    total["task_time_us"] += us * priced.steps
        for total in totals.values():
            total["percent"] = round(100 * total["task_time_us"] / device_us, 2)
        return totals

    # -- collected data -----------------------------------------------------------------------

    @property
    def folder(self) -> Path:
        """The folder of the files, ``<output_path>/profiler``."""
        return self._options.folder

    @property
    def recorder(self) -> Recorder:
        """The recorder with the events of the run.

        Raises:
            RuntimeError: ``start`` was never called.
        """
        if self._recorder is None:
            raise RuntimeError("Profiler: nothing was collected: start() was not called.")
        return self._recorder

    def get_priced_run(self) -> Replay:
        """Return the run with its virtual times; they are computed once after each start.

        A run on a CPU is priced as on an Ascend910, unless another device was selected.
        """
        if self._replay is None:
            recorded_device = self.recorder.device
            target = recorded_device.target if recorded_device.target != "CPU" else "Ascend"
            spec = self._device_spec or device_spec(target)
            self._replay = replay(
                self.recorder, spec, recorded_device.device_id, self._options.detail_steps
            )
        return self._replay


# -- the profiler of the context ------------------------------------------------------------------

_context_profiler: Profiler | None = None


def _follow_context(old: context.Context, new: context.Context) -> None:
    """Start or finish the context's profiler according to ``set_context(enable_profiling=...)``.

    Called by the context after each change; an active profiler moves to the current device.
    """
    global _context_profiler
    if _active is not None:
        _active.move_to(device.current())
    if new.enable_profiling == old.enable_profiling:
        return
    if new.enable_profiling:
        _context_profiler = Profiler.from_options(Options.parse(new.profiling_options))
        _context_profiler.start()
    else:
        finish_context_profiler()


def finish_context_profiler() -> None:
    """Stop the profiler that the context started, if it is active, and write its files."""
    global _context_profiler
    profiler, _context_profiler = _context_profiler, None
    if profiler is not None and profiler.running:
        profiler.analyse()


context.subscribe(_follow_context)
atexit.register(finish_context_profiler)

# In MindSpore this module also has the newer interface of sessions.
_SESSION_NAMES = ("Profile", "analyse", "tensorboard_trace_handler")
__getattr__, __dir__ = make_lazy_attributes(
    __name__, dict.fromkeys(_SESSION_NAMES, "minispore.profiler.sessions.session")
)

__all__ = ["Profiler", "finish_context_profiler"]
