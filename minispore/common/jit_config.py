"""Alias module: how to compile, at ``mindspore.common.jit_config``."""

from minispore.graph.staging import JitConfig

__all__ = ["JitConfig"]
