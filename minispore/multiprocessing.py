"""Alias module: Python's processes and queues, at ``mindspore.multiprocessing``."""

from multiprocessing import *  # noqa: F403
