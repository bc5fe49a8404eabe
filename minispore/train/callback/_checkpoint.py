"""Alias module: checkpoint callbacks under MindSpore's path."""

from minispore.train.callback.checkpoint import CheckpointConfig as CheckpointConfig
from minispore.train.callback.checkpoint import CheckpointManager as CheckpointManager
from minispore.train.callback.checkpoint import ModelCheckpoint as ModelCheckpoint
