"""Alias module: primitives for inference, at ``mindspore.ops.operations._infer_ops``."""
# ruff: noqa: F401

from minispore.ops.rare import look_inference as __getattr__
from minispore.ops.rare import names_inference as __dir__
