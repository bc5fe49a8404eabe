"""Alias module: memory, streams and events of the device, at ``mindspore.runtime``."""

from minispore.device.control import dispatch_threads_num as dispatch_threads_num
from minispore.device.control import empty_cache as empty_cache
from minispore.device.control import launch_blocking as launch_blocking
from minispore.device.control import max_memory_allocated as max_memory_allocated
from minispore.device.control import max_memory_reserved as max_memory_reserved
from minispore.device.control import memory_allocated as memory_allocated
from minispore.device.control import memory_reserved as memory_reserved
from minispore.device.control import memory_stats as memory_stats
from minispore.device.control import memory_summary as memory_summary
from minispore.device.control import reset_max_memory_allocated as reset_max_memory_allocated
from minispore.device.control import reset_max_memory_reserved as reset_max_memory_reserved
from minispore.device.control import reset_peak_memory_stats as reset_peak_memory_stats
from minispore.device.control import set_cpu_affinity as set_cpu_affinity
from minispore.device.control import set_kernel_launch_group as set_kernel_launch_group
from minispore.device.control import set_memory as set_memory
from minispore.device.control import synchronize as synchronize
from minispore.device.limits import StreamLimitCtx as StreamLimitCtx
from minispore.device.limits import get_device_limit as get_device_limit
from minispore.device.limits import get_stream_limit as get_stream_limit
from minispore.device.limits import reset_stream_limit as reset_stream_limit
from minispore.device.limits import set_device_limit as set_device_limit
from minispore.device.limits import set_stream_limit as set_stream_limit
from minispore.device.streams import Event as Event
from minispore.device.streams import MemPool as MemPool
from minispore.device.streams import PluggableAllocator as PluggableAllocator
from minispore.device.streams import Stream as Stream
from minispore.device.streams import StreamCtx as StreamCtx
from minispore.device.streams import communication_stream as communication_stream
from minispore.device.streams import current_stream as current_stream
from minispore.device.streams import default_stream as default_stream
from minispore.device.streams import set_cur_stream as set_cur_stream
from minispore.foundation.docstrings import attach_docstrings as _describe

__all__ = [
    "Event",
    "MemPool",
    "PluggableAllocator",
    "Stream",
    "StreamCtx",
    "StreamLimitCtx",
    "communication_stream",
    "current_stream",
    "default_stream",
    "dispatch_threads_num",
    "empty_cache",
    "get_device_limit",
    "get_stream_limit",
    "launch_blocking",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "memory_summary",
    "reset_max_memory_allocated",
    "reset_max_memory_reserved",
    "reset_peak_memory_stats",
    "reset_stream_limit",
    "set_cpu_affinity",
    "set_cur_stream",
    "set_device_limit",
    "set_kernel_launch_group",
    "set_memory",
    "set_stream_limit",
    "synchronize",
]

_describe(__name__)
