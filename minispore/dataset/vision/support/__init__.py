"""Helpers that several image transforms use: base classes, resampling tables, colour
arithmetic, Pillow.
"""
