"""Alias module: LossMonitor at MindSpore's own path, which scripts import from."""

from minispore.train.callback.monitors import LossMonitor as LossMonitor
