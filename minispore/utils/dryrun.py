"""Alias module: values for the branches of a rehearsal, at ``mindspore.utils.dryrun``."""

from minispore.device.dryrun import mock as mock

__all__ = ["mock"]
