"""Alias module: TimeMonitor at MindSpore's own path, which scripts import from."""

from minispore.train.callback.monitors import TimeMonitor as TimeMonitor
