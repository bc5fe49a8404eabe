"""Alias module for ``mindspore.dataset.vision.utils``: enumerations and functions on image
files.
"""

from minispore.dataset.vision.decode import encode_jpeg as encode_jpeg
from minispore.dataset.vision.decode import encode_png as encode_png
from minispore.dataset.vision.decode import get_image_num_channels as get_image_num_channels
from minispore.dataset.vision.decode import get_image_size as get_image_size
from minispore.dataset.vision.decode import read_file as read_file
from minispore.dataset.vision.decode import read_image as read_image
from minispore.dataset.vision.decode import write_file as write_file
from minispore.dataset.vision.decode import write_jpeg as write_jpeg
from minispore.dataset.vision.decode import write_png as write_png
from minispore.dataset.vision.enums import AutoAugmentPolicy as AutoAugmentPolicy
from minispore.dataset.vision.enums import Border as Border
from minispore.dataset.vision.enums import ConvertMode as ConvertMode
from minispore.dataset.vision.enums import ImageBatchFormat as ImageBatchFormat
from minispore.dataset.vision.enums import ImageReadMode as ImageReadMode
from minispore.dataset.vision.enums import Inter as Inter
from minispore.dataset.vision.enums import SliceMode as SliceMode

__all__ = [
    "AutoAugmentPolicy",
    "Border",
    "ConvertMode",
    "ImageBatchFormat",
    "ImageReadMode",
    "Inter",
    "SliceMode",
    "encode_jpeg",
    "encode_png",
    "get_image_num_channels",
    "get_image_size",
    "read_file",
    "read_image",
    "write_file",
    "write_jpeg",
    "write_png",
]
