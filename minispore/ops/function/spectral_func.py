"""Alias module: the functions of spectra, at ``mindspore.ops.function.spectral_func``."""
# ruff: noqa: F403

from minispore.ops.vocabulary import *
