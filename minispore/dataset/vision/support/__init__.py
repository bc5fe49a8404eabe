"""Helpers of several image transforms: base classes, resampling, colour arithmetic, Pillow."""
