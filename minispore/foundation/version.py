"""The version of minispore, as read by the build, and that of the MindSpore whose names it has."""

__version__ = "0.1.0"
MINDSPORE = "2.10.0"


def enable_security() -> bool:
    """Whether this build refuses features that write a program's data to files (summaries, dumps,
    graphs).

    >>> enable_security()
    False
    """
    return False
