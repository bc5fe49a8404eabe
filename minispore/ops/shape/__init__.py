"""Tensors made, joined, cut and seen under another shape."""
