"""Ops that create, join, split, pad and reshape tensors."""
