"""Device properties of MindSpore's API, and limits on the number of cores that work may use.

The limits are stored and returned; the time model of the device ignores them.
"""

from __future__ import annotations

import types
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from minispore import context, device
from minispore.device.control import _get_device_class
from minispore.device.streams import Stream
from minispore.foundation import checks
from minispore.foundation.docstrings import attach_docstrings

# The compute capability (major, minor) of each simulated GPU model.
_GPU_CAPABILITIES = {"V100": (7, 0), "A100": (8, 0)}


class DeviceProperties(NamedTuple):
    """The model name of a device, and its memory in bytes.

    >>> get_device_properties(0, "Ascend").total_memory > 2**34
    True
    """

    name: str
    total_memory: int
    free_memory: int


def get_device_properties(device_id: int, device_target: str | None = None) -> Any:
    """Return the model name and memory of a simulated device; None for a CPU.

    Args:
        device_id (int): its number.
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``; the context's by default.

    Returns:
        DeviceProperties with ``name``, ``total_memory`` and ``free_memory``, or None. Only the
        memory in use on the context's device counts as not free.

    >>> get_device_properties(0, "CPU") is None
    True
    """
    checks.integer("get_device_properties", "device_id", device_id, 0)
    device_class = _get_device_class("get_device_properties", device_target)
    if device_class.target == "CPU":
        return None
    spec = device.device_spec(device_class.target)
    total = int(spec.memory_bytes)
    current_device = device.current()
    used = current_device.memory.current if current_device.target == device_class.target else 0
    return DeviceProperties(spec.name, total, total - used)


def get_device_capability(device_id: int, device_target: str | None = None) -> Any:
    """Return the CUDA compute capability of a GPU; None for any other device.

    Args:
        device_id (int): its number.
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``; the context's by default.

    Returns:
        tuple of two ints, or None.

    >>> get_device_capability(0, "GPU")
    (7, 0)
    """
    checks.integer("get_device_capability", "device_id", device_id, 0)
    if _get_device_class("get_device_capability", device_target).target != "GPU":
        return None
    name = device.device_spec("GPU").name
    return next((pair for model, pair in _GPU_CAPABILITIES.items() if model in name), (7, 0))


def get_arch_list(device_target: str | None = None) -> str | None:
    """Return the CUDA architectures of the simulated GPUs; None for any other device.

    Args:
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``; the context's by default.

    Returns:
        str, or None.

    >>> get_arch_list("GPU")
    'sm_70 sm_80'
    """
    if _get_device_class("get_arch_list", device_target).target != "GPU":
        return None
    return " ".join(f"sm_{major}{minor}" for major, minor in _GPU_CAPABILITIES.values())


class CurrentDevice(NamedTuple):
    """The target and number of the device that programs run on.

    >>> get_current_device().device_id
    0
    """

    device_target: str
    device_id: int


def get_current_device() -> CurrentDevice:
    """Return the target and the number of the context's device.

    Returns:
        a pair, ``device_target`` and ``device_id``.

    >>> get_current_device().device_target == context.get_context("device_target")
    True
    """
    return CurrentDevice(device.current().target, context.current().device_id)


# -- cores ----------------------------------------------------------------------------------------

_core_limits: WeakKeyDictionary[Any, dict[Any, dict[str, int]]] = WeakKeyDictionary()


def _get_core_counts(api_name: str) -> dict[str, int]:
    """Return the core counts of the current Ascend.

    Raises:
        RuntimeError: the current device is not an Ascend; the error begins with ``api_name``.
    """
    current_device = device.current()
    if current_device.target != "Ascend":
        raise RuntimeError(
            f"{api_name}: device_target must be 'Ascend', got {current_device.target!r}. Choose it "
            "by set_context(device_target='Ascend')."
        )
    spec = device.device_spec("Ascend")
    return {"cube_core_num": int(spec.ai_cores), "vector_core_num": int(spec.vector_cores)}


def _set_core_limit(
    api_name: str, target: Any, upper_limits: dict[str, int], cube_num: int, vector_num: int
) -> None:
    """Set the core limits of ``target``, a device number or a Stream; -1 leaves a limit unchanged.

    Raises:
        ValueError: a number is 0, or above its upper limit.
    """
    limits = dict(upper_limits) | _core_limits.setdefault(device.current(), {}).get(target, {})
    for core_kind, argument, number in zip(
        upper_limits, ("cube_num", "vector_num"), (cube_num, vector_num)
    ):
        checks.integer(api_name, argument, number, -1)
        if number == 0 or number > upper_limits[core_kind]:
            rule = f"be -1, or from 1 to {upper_limits[core_kind]}"
            raise ValueError(checks.format_error(api_name, argument, rule, f"{number}"))
        limits[core_kind] = limits[core_kind] if number == -1 else number
    _core_limits[device.current()][target] = limits


def get_device_limit(device: int) -> dict[str, int]:
    """Return the number of cores that work on an Ascend may use: all, if no limit was set.

    Args:
        device (int): its number.

    Returns:
        dict with ``cube_core_num`` and ``vector_core_num``.

    Raises:
        RuntimeError: the device is not an Ascend.

    >>> context.set_context(device_target="Ascend")
    >>> sorted(get_device_limit(0))
    ['cube_core_num', 'vector_core_num']
    """
    checks.integer("get_device_limit", "device", device, 0)
    return _get_core_limit(_get_core_counts("get_device_limit"), device)


def _get_core_limit(upper_limits: dict[str, int], target: Any) -> dict[str, int]:
    """Return the core limits of ``target``: its own, or the upper limits if it has none."""
    return dict(upper_limits) | _core_limits.get(device.current(), {}).get(target, {})


def set_device_limit(device: int, cube_num: int = -1, vector_num: int = -1) -> None:
    """Limit the number of cores that work on an Ascend may use.

    Args:
        device (int): its number.
        cube_num (int): cores for products; -1 leaves the limit unchanged.
        vector_num (int): cores for everything else; -1 leaves the limit unchanged.

    Raises:
        RuntimeError: the device is not an Ascend.
        ValueError: the device has fewer cores.

    >>> context.set_context(device_target="Ascend")
    >>> set_device_limit(0, 8, 8)
    >>> get_device_limit(0)
    {'cube_core_num': 8, 'vector_core_num': 8}
    """
    checks.integer("set_device_limit", "device", device, 0)
    _set_core_limit(
        "set_device_limit", device, _get_core_counts("set_device_limit"), cube_num, vector_num
    )


def _get_stream_device_limit(api_name: str, stream: Any) -> dict[str, int]:
    """Check that ``stream`` is a Stream, and return the core limits of its device."""
    checks.instance(api_name, "stream", stream, Stream)
    return _get_core_limit(_get_core_counts(api_name), stream.device_id)


def get_stream_limit(stream: Stream) -> dict[str, int]:
    """Return the number of cores that a stream's work may use: the device's limit if none was set.

    Args:
        stream (Stream): the stream.

    Returns:
        dict with ``cube_core_num`` and ``vector_core_num``.

    Raises:
        TypeError: ``stream`` is not a Stream.
        RuntimeError: the device is not an Ascend.

    >>> context.set_context(device_target="Ascend")
    >>> get_stream_limit(Stream()) == get_device_limit(0)
    True
    """
    return _get_core_limit(_get_stream_device_limit("get_stream_limit", stream), stream)


def set_stream_limit(stream: Stream, cube_num: int = -1, vector_num: int = -1) -> None:
    """Limit the number of cores of an Ascend that a stream's work may use.

    Args:
        stream (Stream): the stream.
        cube_num (int): cores for products; -1 leaves the limit unchanged.
        vector_num (int): cores for everything else; -1 leaves the limit unchanged.

    Raises:
        TypeError: ``stream`` is not a Stream.
        RuntimeError: the device is not an Ascend.
        ValueError: a number is above the limit of the device.

    >>> context.set_context(device_target="Ascend")
    >>> stream = Stream()
    >>> set_stream_limit(stream, 4)
    >>> get_stream_limit(stream)["cube_core_num"]
    4
    """
    upper_limits = _get_stream_device_limit("set_stream_limit", stream)
    _set_core_limit("set_stream_limit", stream, upper_limits, cube_num, vector_num)


def reset_stream_limit(stream: Stream) -> None:
    """Remove the limits of a stream, whose work may use the cores of its device again.

    Args:
        stream (Stream): the stream.

    Raises:
        TypeError: ``stream`` is not a Stream.
        RuntimeError: the device is not an Ascend.

    >>> context.set_context(device_target="Ascend")
    >>> stream = Stream()
    >>> set_stream_limit(stream, 4)
    >>> reset_stream_limit(stream)
    >>> get_stream_limit(stream) == get_device_limit(0)
    True
    """
    _get_stream_device_limit("reset_stream_limit", stream)
    _core_limits.get(device.current(), {}).pop(stream, None)


class StreamLimitCtx:
    """A limit on the number of cores that a stream's work may use inside the ``with`` block.

    Args:
        stream (Stream): the stream.
        cube_num (int): cores for products; -1 leaves the limit unchanged.
        vector_num (int): cores for everything else; -1 leaves the limit unchanged.

    Raises:
        TypeError: ``stream`` is not a Stream.

    >>> context.set_context(device_target="Ascend")
    >>> stream = Stream()
    >>> with StreamLimitCtx(stream, 4):
    ...     get_stream_limit(stream)["cube_core_num"]
    4
    >>> get_stream_limit(stream) == get_device_limit(0)
    True
    """

    def __init__(self, stream: Stream, cube_num: int = -1, vector_num: int = -1) -> None:
        self._stream = checks.instance("StreamLimitCtx", "stream", stream, Stream)
        self._core_numbers = cube_num, vector_num
        self._previous_limits: dict[str, int] | None = None

    def __enter__(self) -> None:
        """Save the stream's limits, and set the limits of this object."""
        self._previous_limits = _core_limits.get(device.current(), {}).get(self._stream)
        set_stream_limit(self._stream, *self._core_numbers)

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        trace: types.TracebackType | None,
    ) -> None:
        """Restore the limits that the stream had before, if any."""
        limits = _core_limits.setdefault(device.current(), {})
        limits.pop(self._stream, None)
        if self._previous_limits is not None:
            limits[self._stream] = self._previous_limits


attach_docstrings("minispore", __name__)
