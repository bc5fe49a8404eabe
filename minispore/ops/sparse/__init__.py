"""Ops of sparse tensors that come in parts: places, values, a shape. A family per file."""
