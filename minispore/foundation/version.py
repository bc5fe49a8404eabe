"""The version of minispore, in the one place that the build reads, and that of the MindSpore whose
names are here.
"""

__version__ = "0.1.0"
MINDSPORE = "2.10.0"


def enable_security() -> bool:
    """Whether this build refuses what writes a program's data to files (summaries, dumps, graphs).

    >>> enable_security()
    False
    """
    return False
