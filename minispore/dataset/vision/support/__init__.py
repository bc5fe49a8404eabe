"""Helpers for image transforms: base classes, resampling, colour arithmetic, Pillow."""
