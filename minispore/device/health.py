"""Whether a device computes what it should: what an Ascend's own diagnosis is asked for."""

from __future__ import annotations


def stress_detect(detect_type: str = "aic") -> int:
    """Test an Ascend's cores or memory under load.

    Args:
        detect_type (str, optional): ``"aic"`` for the cores, ``"hccs"`` for the links.

    Returns:
        int, 0 where all is well.

    Raises:
        RuntimeError: always: a simulated device has no cores to test.
    """
    raise RuntimeError(
        "stress_detect: needs an Ascend, and this one is simulated. Faults on purpose are in "
        "minispore.device.faults."
    )


def sdc_detect_start() -> None:
    """Begin to look for results that a device got wrong without a word.

    >>> sdc_detect_start()
    >>> sdc_detect_stop()
    >>> get_sdc_detect_result()
    False
    """


def sdc_detect_stop() -> None:
    """End what :func:`sdc_detect_start` began."""


def get_sdc_detect_result() -> bool:
    """Whether a wrong result was found: never, since a simulated device computes on the CPU."""
    return False


__all__ = ["get_sdc_detect_result", "sdc_detect_start", "sdc_detect_stop", "stress_detect"]
