"""Alias module: names of ``mindspore.common.file_system``, a service that saves checkpoints."""

from minispore.foundation.placeholders import FileSystem as FileSystem
from minispore.foundation.placeholders import mindio_preload as mindio_preload
from minispore.foundation.placeholders import set_mindio_server_info as set_mindio_server_info

__all__ = ["FileSystem", "mindio_preload", "set_mindio_server_info"]
