"""What is asked of a device itself: its model and memory, its cores, and how many of these work may
take.

The limits are kept and told. The model of the device's times does not know them.
"""

from __future__ import annotations

import types
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from minispore import checks, context, device
from minispore.described import describe
from minispore.device.control import _kind
from minispore.device.orders import Stream

# CUDA's number for the models of GPU that can be simulated.
_CAPABILITY = {"V100": (7, 0), "A100": (8, 0)}


class DeviceProperties(NamedTuple):
    """The model of a device, and its memory in bytes.

    >>> get_device_properties(0, "Ascend").total_memory > 2**34
    True
    """

    name: str
    total_memory: int
    free_memory: int


def get_device_properties(device_id: int, device_target: str | None = None) -> Any:
    """The model and memory of a simulated device; None of a CPU.

    Args:
        device_id (int): its number.
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``; the context's by default.

    Returns:
        DeviceProperties with ``name``, ``total_memory`` and ``free_memory``, or None.

    >>> get_device_properties(0, "CPU") is None
    True
    """
    checks.integer("get_device_properties", "device_id", device_id, 0)
    kind = _kind("get_device_properties", device_target)
    if kind.target == "CPU":
        return None
    spec = device.device_spec(kind.target)
    total = int(spec.memory_bytes)
    here = device.current()
    used = here.memory.current if here.target == kind.target else 0
    return DeviceProperties(spec.name, total, total - used)


def get_device_capability(device_id: int, device_target: str | None = None) -> Any:
    """CUDA's major and minor number of a GPU; None of any other device.

    Args:
        device_id (int): its number.
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``; the context's by default.

    Returns:
        tuple of two ints, or None.

    >>> get_device_capability(0, "GPU")
    (7, 0)
    """
    checks.integer("get_device_capability", "device_id", device_id, 0)
    if _kind("get_device_capability", device_target).target != "GPU":
        return None
    name = device.device_spec("GPU").name
    return next((pair for model, pair in _CAPABILITY.items() if model in name), (7, 0))


def get_arch_list(device_target: str | None = None) -> str | None:
    """The models of GPU that there are, by CUDA's numbers; None for any other device.

    Args:
        device_target (str): ``"CPU"``, ``"GPU"`` or ``"Ascend"``; the context's by default.

    Returns:
        str, or None.

    >>> get_arch_list("GPU")
    'sm_70 sm_80'
    """
    if _kind("get_arch_list", device_target).target != "GPU":
        return None
    return " ".join(f"sm_{major}{minor}" for major, minor in _CAPABILITY.values())


class CurrentDevice(NamedTuple):
    """Where the program runs.

    >>> get_current_device().device_id
    0
    """

    device_target: str
    device_id: int


def get_current_device() -> CurrentDevice:
    """The target and the number of the device that the context names.

    Returns:
        a pair, ``device_target`` and ``device_id``.

    >>> get_current_device().device_target == context.get_context("device_target")
    True
    """
    return CurrentDevice(device.current().target, context.current().device_id)


# -- cores ----------------------------------------------------------------------------------------

_set: WeakKeyDictionary[Any, dict[Any, dict[str, int]]] = WeakKeyDictionary()


def _cores(who: str) -> dict[str, int]:
    """The cores of the context's Ascend."""
    here = device.current()
    if here.target != "Ascend":
        raise RuntimeError(
            f"{who}: device_target must be 'Ascend', got {here.target!r}. Choose it by "
            "set_context(device_target='Ascend')."
        )
    spec = device.device_spec("Ascend")
    return {"cube_core_num": int(spec.ai_cores), "vector_core_num": int(spec.vector_cores)}


def _limited(who: str, place: Any, above: dict[str, int], cube: int, vector: int) -> None:
    """Keep the limits of ``place``, which may not be more than those ``above`` it."""
    kept = dict(above) | _set.setdefault(device.current(), {}).get(place, {})
    for key, argument, number in zip(above, ("cube_num", "vector_num"), (cube, vector)):
        checks.integer(who, argument, number, -1)
        if number == 0 or number > above[key]:
            rule = f"be -1, or from 1 to {above[key]}"
            raise ValueError(checks.text(who, argument, rule, f"{number}"))
        kept[key] = kept[key] if number == -1 else number
    _set[device.current()][place] = kept


def get_device_limit(device: int) -> dict[str, int]:
    """How many cores of the Ascend work may take: all, if nothing was set.

    Args:
        device (int): its number.

    Returns:
        dict with ``cube_core_num`` and ``vector_core_num``.

    Raises:
        RuntimeError: the device is no Ascend.

    >>> context.set_context(device_target="Ascend")
    >>> sorted(get_device_limit(0))
    ['cube_core_num', 'vector_core_num']
    """
    checks.integer("get_device_limit", "device", device, 0)
    return _told(_cores("get_device_limit"), device)


def _told(above: dict[str, int], place: Any) -> dict[str, int]:
    return dict(above) | _set.get(device.current(), {}).get(place, {})


def set_device_limit(device: int, cube_num: int = -1, vector_num: int = -1) -> None:
    """Let work take so many cores of the Ascend at most.

    Args:
        device (int): its number.
        cube_num (int): cores for products; -1 leaves what was set.
        vector_num (int): cores for everything else; -1 leaves what was set.

    Raises:
        RuntimeError: the device is no Ascend.
        ValueError: it has fewer cores.

    >>> context.set_context(device_target="Ascend")
    >>> set_device_limit(0, 8, 8)
    >>> get_device_limit(0)
    {'cube_core_num': 8, 'vector_core_num': 8}
    """
    checks.integer("set_device_limit", "device", device, 0)
    _limited("set_device_limit", device, _cores("set_device_limit"), cube_num, vector_num)


def _of_stream(who: str, stream: Any) -> dict[str, int]:
    checks.instance(who, "stream", stream, Stream)
    return _told(_cores(who), stream.device_id)


def get_stream_limit(stream: Stream) -> dict[str, int]:
    """How many cores of the Ascend a stream's work may take: those of its device, if nothing was
    set.

    Args:
        stream (Stream): which one.

    Returns:
        dict with ``cube_core_num`` and ``vector_core_num``.

    Raises:
        TypeError: it is no stream.
        RuntimeError: the device is no Ascend.

    >>> context.set_context(device_target="Ascend")
    >>> get_stream_limit(Stream()) == get_device_limit(0)
    True
    """
    return _told(_of_stream("get_stream_limit", stream), stream)


def set_stream_limit(stream: Stream, cube_num: int = -1, vector_num: int = -1) -> None:
    """Let a stream's work take so many cores of the Ascend at most.

    Args:
        stream (Stream): which one.
        cube_num (int): cores for products; -1 leaves what was set.
        vector_num (int): cores for everything else; -1 leaves what was set.

    Raises:
        TypeError: it is no stream.
        RuntimeError: the device is no Ascend.
        ValueError: the device may take fewer cores.

    >>> context.set_context(device_target="Ascend")
    >>> stream = Stream()
    >>> set_stream_limit(stream, 4)
    >>> get_stream_limit(stream)["cube_core_num"]
    4
    """
    above = _of_stream("set_stream_limit", stream)
    _limited("set_stream_limit", stream, above, cube_num, vector_num)


def reset_stream_limit(stream: Stream) -> None:
    """Let a stream's work take the cores of its device again.

    Args:
        stream (Stream): which one.

    Raises:
        TypeError: it is no stream.
        RuntimeError: the device is no Ascend.

    >>> context.set_context(device_target="Ascend")
    >>> stream = Stream()
    >>> set_stream_limit(stream, 4)
    >>> reset_stream_limit(stream)
    >>> get_stream_limit(stream) == get_device_limit(0)
    True
    """
    _of_stream("reset_stream_limit", stream)
    _set.get(device.current(), {}).pop(stream, None)


class StreamLimitCtx:
    """Inside, a stream's work may take so many cores of the Ascend at most.

    Args:
        stream (Stream): which one.
        cube_num (int): cores for products; -1 leaves what was set.
        vector_num (int): cores for everything else; -1 leaves what was set.

    Raises:
        TypeError: it is no stream.

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
        self._numbers = cube_num, vector_num
        self._before: dict[str, int] | None = None

    def __enter__(self) -> None:
        self._before = _set.get(device.current(), {}).get(self._stream)
        set_stream_limit(self._stream, *self._numbers)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        trace: types.TracebackType | None,
    ) -> None:
        kept = _set.setdefault(device.current(), {})
        kept.pop(self._stream, None)
        if self._before is not None:
            kept[self._stream] = self._before


describe("minispore", __name__)
