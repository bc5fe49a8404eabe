"""Door: the rehearsal of a script, at ``mindspore.utils``."""

from minispore.utils import dryrun as dryrun

__all__ = ["dryrun"]
