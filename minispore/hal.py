"""Alias module: the runtime interface of MindSpore 2.3 to 2.5, at ``mindspore.hal``."""

from minispore.device.control import device_count as device_count
from minispore.device.control import empty_cache as empty_cache
from minispore.device.control import get_device_name as get_device_name
from minispore.device.control import is_available as is_available
from minispore.device.control import is_initialized as is_initialized
from minispore.device.control import max_memory_allocated as max_memory_allocated
from minispore.device.control import max_memory_reserved as max_memory_reserved
from minispore.device.control import memory_allocated as memory_allocated
from minispore.device.control import memory_reserved as memory_reserved
from minispore.device.control import memory_stats as memory_stats
from minispore.device.control import memory_summary as memory_summary
from minispore.device.control import reset_max_memory_allocated as reset_max_memory_allocated
from minispore.device.control import reset_max_memory_reserved as reset_max_memory_reserved
from minispore.device.control import reset_peak_memory_stats as reset_peak_memory_stats
from minispore.device.control import synchronize as synchronize
from minispore.device.limits import get_arch_list as get_arch_list
from minispore.device.limits import get_device_capability as get_device_capability
from minispore.device.limits import get_device_properties as get_device_properties
from minispore.device.streams import Event as Event
from minispore.device.streams import Stream as Stream
from minispore.device.streams import StreamCtx as StreamCtx
from minispore.device.streams import communication_stream as communication_stream
from minispore.device.streams import current_stream as current_stream
from minispore.device.streams import default_stream as default_stream
from minispore.device.streams import set_cur_stream as set_cur_stream
from minispore.foundation.docstrings import attach_docstrings as _describe

__all__ = [
    "Event",
    "Stream",
    "StreamCtx",
    "communication_stream",
    "current_stream",
    "default_stream",
    "device_count",
    "empty_cache",
    "get_arch_list",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "is_available",
    "is_initialized",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "memory_summary",
    "reset_max_memory_allocated",
    "reset_max_memory_reserved",
    "reset_peak_memory_stats",
    "set_cur_stream",
    "synchronize",
]

_describe(__name__)
