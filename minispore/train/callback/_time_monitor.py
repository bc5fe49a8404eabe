"""Alias module: TimeMonitor under MindSpore's path."""

from minispore.train.callback.monitors import TimeMonitor as TimeMonitor
