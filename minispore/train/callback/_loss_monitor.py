"""Alias module: LossMonitor under MindSpore's path."""

from minispore.train.callback.monitors import LossMonitor as LossMonitor
