"""The converters of a Model to THOR training, which is not supported: they raise an error."""

from __future__ import annotations

from typing import Any, NoReturn

from minispore.foundation.docstrings import attach_docstrings

_UNSUPPORTED = "is not here, as THOR is not. Train with Model and nn.Momentum or nn.LARS."


class ConvertNetUtils:
    """Refuses to change a network for THOR.

    >>> try:
    ...     ConvertNetUtils().convert_to_thor_net(None)
    ... except NotImplementedError as exc:
    ...     print("Train with Model and nn.Momentum" in str(exc))
    True
    """

    def convert_to_thor_net(self, net: Any) -> NoReturn:
        """Raise an error: THOR, a second-order optimizer, is not supported.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(f"ConvertNetUtils.convert_to_thor_net: {_UNSUPPORTED}")


class ConvertModelUtils:
    """Refuses to change a Model for THOR.

    >>> try:
    ...     ConvertModelUtils.convert_to_thor_model(None, None)
    ... except NotImplementedError as exc:
    ...     print("Train with Model and nn.Momentum" in str(exc))
    True
    """

    @staticmethod
    def convert_to_thor_model(model: Any, network: Any, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise an error: THOR, a second-order optimizer, is not supported.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(f"ConvertModelUtils.convert_to_thor_model: {_UNSUPPORTED}")


__all__ = ["ConvertModelUtils", "ConvertNetUtils"]

attach_docstrings("minispore", __name__)
