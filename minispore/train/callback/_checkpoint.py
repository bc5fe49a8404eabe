"""Alias module: checkpoints at MindSpore's own path, which scripts import from."""

from minispore.train.callback.checkpoint import CheckpointConfig as CheckpointConfig
from minispore.train.callback.checkpoint import CheckpointManager as CheckpointManager
from minispore.train.callback.checkpoint import ModelCheckpoint as ModelCheckpoint
