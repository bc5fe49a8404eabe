"""The version of minispore, in the one place that the build reads."""

__version__ = "0.1.0"
