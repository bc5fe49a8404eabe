"""Ops that read and write elements by index: subscripts, gather, scatter, masks, segments,
embeddings.
"""
