"""Hardware diagnosis of MindSpore's API: silent data corruption and stress tests."""

from __future__ import annotations


def stress_detect(detect_type: str = "aic") -> int:
    """Test an Ascend's cores or links under load; always raises, since devices are simulated.

    Args:
        detect_type (str, optional): ``"aic"`` for the cores, ``"hccs"`` for the links.

    Returns:
        int, 0 if no fault was found.

    Raises:
        RuntimeError: always, since a simulated device has no cores to test.
    """
    raise RuntimeError(
        "stress_detect: needs an Ascend, and this one is simulated. Faults on purpose are in "
        "minispore.device.faults."
    )


def sdc_detect_start() -> None:
    """Start the detection of silent data corruption; does nothing on a simulated device.

    >>> sdc_detect_start()
    >>> sdc_detect_stop()
    >>> get_sdc_detect_result()
    False
    """


def sdc_detect_stop() -> None:
    """Stop the detection that :func:`sdc_detect_start` started."""


def get_sdc_detect_result() -> bool:
    """Whether silent data corruption was found: always False, since a simulated device uses the
    CPU.
    """
    return False


__all__ = ["get_sdc_detect_result", "sdc_detect_start", "sdc_detect_stop", "stress_detect"]
